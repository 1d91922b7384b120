/* analyze/hang/mismatches.h - lists the ranks that did not make the call that the other ranks made:
 * the first difference on each communicator, as a report tells it. */
#ifndef SYN_HANG_MISMATCHES_H
#define SYN_HANG_MISMATCHES_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/hang/look.h"
#include "analyze/match/members/disagreements.h"

/* The first difference between the calls of a communicator's ranks. It is an *order* if the
 * minority made some calls more or fewer: then `shift` is not 0, and `what` tells of these calls.
 */
struct syn_mismatch {
    enum syn_difference by;
    uint32_t comm;     /* name number of the communicator's label */
    uint64_t sequence; /* of the instance; order: of the first call that is missing, or too many */
    int64_t start_ns;
    int32_t *rank; /* [rank_count] the minority, as ranks of MPI_COMM_WORLD, ascending; owned. Of
                      two equal parts, the one without the lowest member */
    size_t rank_count;
    size_t others_count;
    uint16_t op; /* of the others' call; order: of the call that is missing, or too many */
    uint32_t site, others_site; /* name numbers; order: both are the call site of that call */
    char *what, *others_what;   /* of each part: "MPI_Barrier", "root 2", "8 B", "MPI_SUM"; owned */
    uint64_t instance_count;    /* instances of the communicator that disagree, this one included */
    int shift;                  /* calls that the minority made more (below 0: fewer) */
};

struct syn_mismatches {
    struct syn_mismatch *at; /* [count], in order of start time */
    size_t count;
};

/* Returns "operation", "order", "root", "bytes", "reduction" or "type". */
const char *syn_mismatch_name(const struct syn_mismatch *mismatch);
/* Makes the list, after the match. The calls around each difference are read again. Returns 0,
 * SYN_ENOMEM or SYN_EIO; free in any case. */
int syn_mismatches_make(const struct syn_look *look, const struct syn_disagreements *all,
                        struct syn_mismatches *out);
void syn_mismatches_free(struct syn_mismatches *mismatches);

#endif
