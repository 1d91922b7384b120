/* analyze/causes/part.h - the inside of a part: what was replayed where it was read, and what is
 * left for whoever knows what was before. */
#ifndef SYN_CAUSE_PART_H
#define SYN_CAUSE_PART_H

#include "analyze/causes/causes.h"

struct syn_calls {
    struct syn_replay_call *call; /* [count], owned */
    size_t count;
};

/* The sequence numbers that a location has of one communicator that covers all. */
struct syn_sequence_span {
    uint64_t first, last;
    bool known;
};

struct syn_causes_part {
    const struct syn_causes *causes;
    struct syn_cause_tables tables;
    /* Families of kinds that differ by the member alone: that of member 0, and the numbers of all
     * of them, one behind the other. */
    struct syn_numbering families;
    uint32_t *first_kind; /* [families.count], owned */
    size_t first_capacity;
    struct syn_replay *replay;            /* NULL: nothing was added */
    struct syn_thread_totals *totals;     /* that it sums up into; NULL: no more */
    struct syn_cut first, last;           /* cuts; the same where there is one; call NULL: none */
    struct syn_calls *head;               /* [location_count], up to the first cut and with it */
    struct syn_sequence_span *span;       /* [location_count], of communicator `covering` */
    uint32_t covering;                    /* SYN_NO_COMM: none covers all */
    uint64_t cut_sequence;                /* of the last one */
    uint32_t behind;                      /* a location that may have nothing behind it yet */
    struct syn_kernel_counters *counters; /* [location_count] */
    size_t *first_chunk;          /* [location_count], behind the first one of the slice in the
                                     rank's file; 0: none so far */
    struct syn_cut_search search; /* behind the last one */
};

#endif
