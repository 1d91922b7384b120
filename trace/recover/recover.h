/* trace/recover/recover.h - a whole trace out of what a killed program or a damaged disk left of
 * one. */
#ifndef SYN_RECOVER_H
#define SYN_RECOVER_H

#include "trace/read/reader.h"

struct syn_recovered {
    int32_t file_count;        /* ranks whose file was written anew */
    int32_t whole_count;       /* ranks whose file was whole already */
    int32_t missing_count;     /* ranks of which there is nothing */
    int32_t left_count;        /* ranks left as they are: syn_rank_lacks_raw */
    uint64_t event_count;      /* in the trace as it is now, all ranks */
    uint64_t lost_event_count; /* known to have been recorded, but not readable; now counted as
                                  dropped */
};

/* Rewrite, in place, every rank's file that is unfinished or has a fault with all of it that is
 * whole, and the manifest. A rank whose raw blocks are elsewhere is left as it is, and the trace
 * without a new manifest. Each file is replaced only once its successor is complete; what cannot
 * be read is gone then, and the meta key "recovered" of the new file says what it was. `trace` is
 * as it was before, and no longer of use but for syn_trace_close. Returns 0 (`out` filled), SYN_EIO
 * with errno, SYN_ENOMEM. */
int syn_trace_recover(struct syn_trace *trace, struct syn_recovered *out);

/* Remove raw blocks of ranks whose file is finished: all of their events are in it. What cannot be
 * removed stays. */
void syn_trace_remove_spent(struct syn_trace *trace);

#endif
