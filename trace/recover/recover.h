/* trace/recover/recover.h - makes a whole trace from the remains that a killed program or a damaged
 * disk left. */
#ifndef SYN_RECOVER_H
#define SYN_RECOVER_H

#include "trace/read/reader.h"

struct syn_recovered {
    int32_t file_count;    /* ranks whose file was rewritten */
    int32_t whole_count;   /* ranks whose file was whole before */
    int32_t missing_count; /* ranks without any file */
    int32_t left_count;    /* ranks left unchanged: syn_rank_lacks_raw */
    uint64_t event_count;  /* events of all ranks in the recovered trace */
    uint64_t
        lost_event_count; /* events that were recorded but cannot be read; now counted as dropped */
};

/* Rewrites, in place, each rank's file that is unfinished or has a fault, with all of its content
 * that can be read, and then the manifest. A rank whose raw blocks are elsewhere is left unchanged;
 * then no manifest is written. A file is replaced only after its successor is complete. Content
 * that cannot be read is then lost; the meta key "recovered" of the new file says where the fault
 * was. `trace` still describes the old files, and may only be closed (syn_trace_close). Returns 0
 * (`out` filled), SYN_EIO with errno, SYN_ENOMEM. */
int syn_trace_recover(struct syn_trace *trace, struct syn_recovered *out);

/* Removes raw blocks of ranks whose file is finished and contains all of their events. Errors are
 * ignored. */
void syn_trace_remove_spent(struct syn_trace *trace);

#endif
