/* analyze/causes/rows.h - along a location's columns in a tile: the loops over every call of every
 * location. */
#ifndef SYN_CAUSE_ROWS_H
#define SYN_CAUSE_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Calls of each location that are replayed at once. */
#define SYN_TILE 128

/* A location's calls of a tile, [1] to [count]. */
struct syn_row_calls {
    const int64_t *start_ns, *end_ns;
    const uint64_t *sequence;
    const uint32_t *kind;
    int64_t before_ns; /* it left the call before [1] */
    size_t count;
};

/* A run: locations that are in the same instances, which lie here side by side, by layer. [0] is
 * the cut before. */
struct syn_row_run {
    uint64_t plain[SYN_TILE + 1], sequence[SYN_TILE + 1];
    /* As far as those of the run have come: all had come, the first one left, the last one. */
    int64_t together_ns[SYN_TILE + 1], first_end_ns[SYN_TILE + 1], last[SYN_TILE + 1];
    int64_t bound_ns[SYN_TILE + 1];
    /* Sums over the waiting members (tile.h). */
    int64_t waiter_count[SYN_TILE + 1], debt_ns[SYN_TILE + 1];
    int64_t computing_ns[SYN_TILE + 1], operation_ns[SYN_TILE + 1];
};

/* A location's time: the segment before each call, in the call, and in the operation before. */
struct syn_row_times {
    int64_t segment_ns[SYN_TILE + 1], waiting_ns[SYN_TILE + 1], operation_ns[SYN_TILE + 1];
    int64_t before_ns[SYN_TILE + 1];
};

/* How many of the calls agree with the run's `plain` (a call's is plain[kind]) and `sequence`, and
 * each begins after the one before has ended. */
size_t syn_row_agrees(const struct syn_row_calls *row, const uint64_t *plain,
                      const struct syn_row_run *run);
/* A location comes to its instances; those of the run that come before it are smaller, if it is not
 * the first. */
void syn_row_come(const struct syn_row_calls *row, uint32_t location, bool is_first,
                  struct syn_row_run *run);
/* All of the run have come, and of others `last` came last to its k-th instance, at together_ns:
 * was the run's last one later? Of several at once the first location counts as the last. */
static inline bool syn_row_run_is_later(const struct syn_row_run *run, size_t k,
                                        int64_t together_ns, uint32_t last)
{
    return run->together_ns[k] > together_ns ||
           (run->together_ns[k] == together_ns && (uint32_t)run->last[k] < last);
}
/* Its times, from when all had come to each; what it did before it waited is added to the run's. */
void syn_row_pass(const struct syn_row_calls *row, struct syn_row_run *run,
                  struct syn_row_times *times);

#endif
