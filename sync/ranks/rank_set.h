/* sync/ranks/rank_set.h - set of ranks, stored as runs with a constant step. RATIONALE: ranks are
 * placed on machines in blocks or round robin, so a machine's ranks, or the first ranks of all
 * machines, are a single run. */
#ifndef SYN_RANK_SET_H
#define SYN_RANK_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "sync/base/bytes.h"

struct syn_rank_run {
    int first, step, count; /* step 0: a single rank */
    int before;             /* number of ranks of the set before this run */
};

struct syn_rank_set {          /* {0}: empty */
    struct syn_rank_run *runs; /* owned */
    size_t run_count, capacity;
    int count; /* number of ranks */
};

/* Add a rank above all in the set. Returns 0 or SYN_ENOMEM. */
int syn_rank_set_add(struct syn_rank_set *set, int rank);
/* Add ranks that are all above those in the set. Returns 0 or SYN_ENOMEM. */
int syn_rank_set_append(struct syn_rank_set *set, const struct syn_rank_set *above);
/* Returns the rank at `index` (below set->count), in ascending order. */
int syn_rank_set_at(const struct syn_rank_set *set, int index);
/* Returns the number of ranks below `rank`: its index, if it is in the set. */
int syn_rank_set_below(const struct syn_rank_set *set, int rank);
bool syn_rank_set_has(const struct syn_rank_set *set, int rank);
/* Store the union in `to`, which is empty before. Returns 0 or SYN_ENOMEM. */
int syn_rank_set_union(struct syn_rank_set *to, const struct syn_rank_set *a,
                       const struct syn_rank_set *b);
/* Returns all ranks in ascending order [set->count]; the caller frees them. NULL without memory or
 * ranks. */
int *syn_rank_set_list(const struct syn_rank_set *set);
void syn_rank_set_free(struct syn_rank_set *set);

/* Write to, and read from, a message. syn_rank_set_take fills an empty set with ranks below `size`,
 * or makes *take fail. */
void syn_rank_set_put(const struct syn_rank_set *set, struct syn_bytes *out);
void syn_rank_set_take(struct syn_rank_set *set, int size, struct syn_take *take);

#endif
