/* analyze/hang/mismatches.h - ranks that did not make the call that the others made: the first
 * difference of each communicator, ready to be told. */
#ifndef SYN_HANG_MISMATCHES_H
#define SYN_HANG_MISMATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"
#include "analyze/match/members/disagreements.h"
#include "analyze/match/members/names.h"
#include "analyze/match/members/rank_names.h"
#include "trace/read/reader.h"

enum syn_mismatch_kind {
    SYN_MISMATCH_OPERATION,
    SYN_MISMATCH_ORDER, /* some calls more or fewer */
    SYN_MISMATCH_ROOT,
    SYN_MISMATCH_BYTES,
    SYN_MISMATCH_REDUCTION,
    SYN_MISMATCH_TYPE
};

struct syn_mismatch {
    enum syn_mismatch_kind kind;
    uint32_t comm;     /* name number of its label */
    uint64_t sequence; /* ORDER: of the first call that is missing, or too many */
    int64_t start_ns;
    int32_t *rank; /* [rank_count] world ranks of the minority, ascending; owned. Of equal parts it
                      is the one that the lowest member is not in */
    size_t rank_count;
    size_t others_count;
    uint16_t op;                /* of the others' call; ORDER: of the one that is missing, or too
                                   many */
    uint32_t site, others_site; /* name numbers; ORDER: both the place of that call */
    char *what, *others_what;   /* "MPI_Barrier", "root 2", "8 B", "MPI_SUM"; owned */
    uint64_t instance_count;    /* of the communicator that disagree, this one counted */
    int shift;                  /* ORDER: calls more, or below 0 fewer; else 0 */
};

struct syn_mismatches {
    struct syn_mismatch *at; /* [count], in order of time */
    size_t count;
};

/* "operation", "order", "root", "bytes", "reduction", "type". */
const char *syn_mismatch_name(enum syn_mismatch_kind kind);
/* Make the list for a run that was matched; calls around each difference are read again. 0,
 * SYN_ENOMEM or SYN_EIO; free in any case. */
struct syn_mismatch_source {
    struct syn_trace *trace;
    const struct syn_comms *comms;
    struct syn_names *names;
    const struct syn_trace_names *rank_names;
};
int syn_mismatches_make(const struct syn_mismatch_source *source,
                        const struct syn_disagreements *all, struct syn_mismatches *out);
void syn_mismatches_free(struct syn_mismatches *mismatches);

#endif
