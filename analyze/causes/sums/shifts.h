/* analyze/causes/sums/shifts.h - time that crosses the edges of blocks of the run. A segment or a
 * call is summed up in the block in which it begins, waiting in the block in which the rank that
 * was waited for came: statistics need one event in one block. Views over time need it split. This
 * table holds the difference by location and block, nearly always nothing.
 *
 * It also has waiting that tracks do not have: of a rank that left a call from a root before the
 * last one had come. By the definition of waiting it waited for that one, which did not keep it. */
#ifndef SYN_CAUSE_SHIFTS_H
#define SYN_CAUSE_SHIFTS_H

#include "analyze/causes/sums/sums.h"

/* To be added to what cells have of a location in a block. */
struct syn_cause_shift {
    int64_t waiting_ns; /* its own */
    int64_t caused_ns;  /* of others, for what it did */
    int64_t useful_ns;  /* outside of MPI */
};

/* A stretch of time, summed up in block `home`. */
struct syn_cause_span {
    uint32_t home;
    int64_t from_ns, to_ns;
};

/* Returns the end of the block: INT64_MAX for the last one. */
static inline int64_t syn_cause_block_end(const struct syn_cause_blocks *blocks, uint32_t block)
{
    return block + 1 == blocks->count ? INT64_MAX
                                      : blocks->begin_ns + (block + 1) * blocks->block_ns;
}

/* All of a span is the location's waiting. 0 or SYN_ENOMEM. */
int syn_cause_shift_waiting(struct syn_cause_sums *sums, uint32_t location,
                            const struct syn_cause_span *span);
/* All of [from_ns, to_ns] is the location's waiting, and in no cell; an empty one is nothing. 0 or
 * SYN_ENOMEM. */
int syn_cause_shift_early(struct syn_cause_sums *sums, uint32_t location, int64_t from_ns,
                          int64_t to_ns);
/* So much of a span is outside of MPI, evenly. 0 or SYN_ENOMEM. */
int syn_cause_shift_useful(struct syn_cause_sums *sums, uint32_t location,
                           const struct syn_cause_span *span, int64_t useful_ns);
/* So much of the waiting that a location caused, summed up in block `home`, was in another one. 0
 * or SYN_ENOMEM. */
int syn_cause_shift_caused(struct syn_cause_sums *sums, uint32_t location, uint32_t home,
                           uint32_t block, int64_t ns);

void syn_cause_shifts_free(struct syn_cause_sums *sums);
/* Add what another one has. 0 or SYN_ENOMEM. */
int syn_cause_shifts_add(struct syn_cause_sums *into, const struct syn_cause_sums *from);

#endif
