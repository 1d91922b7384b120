/* sync/ranks/rank_set.h - ascending ranks as runs of equal steps. Ranks are dealt to machines in
 * blocks or in turn: a machine's ranks, and the first ranks of all machines, are one run each,
 * however many they are. */
#ifndef SYN_RANK_SET_H
#define SYN_RANK_SET_H

#include <stdbool.h>
#include <stddef.h>

#include "sync/base/bytes.h"

struct syn_rank_run {
    int first, step, count; /* step 0: of one rank */
    int before;             /* so many ranks of the set come before it */
};

struct syn_rank_set {          /* {0}: empty */
    struct syn_rank_run *runs; /* owned */
    size_t run_count, capacity;
    int count; /* of ranks */
};

/* Adds a rank above all that are in the set. Returns 0 or SYN_ENOMEM. */
int syn_rank_set_add(struct syn_rank_set *set, int rank);
/* Adds ranks that are all above those in the set; returns likewise. */
int syn_rank_set_append(struct syn_rank_set *set, const struct syn_rank_set *above);
/* The rank with so many before it: `index` is below set->count. */
int syn_rank_set_at(const struct syn_rank_set *set, int index);
/* How many ranks of the set are below `rank`: its index, where it is in the set. */
int syn_rank_set_below(const struct syn_rank_set *set, int rank);
bool syn_rank_set_has(const struct syn_rank_set *set, int rank);
/* `to`, which is empty, gets what is in either. Returns 0 or SYN_ENOMEM. */
int syn_rank_set_union(struct syn_rank_set *to, const struct syn_rank_set *a,
                       const struct syn_rank_set *b);
/* All of them, ascending: [set->count], the caller's to free. NULL without memory or ranks. */
int *syn_rank_set_list(const struct syn_rank_set *set);
void syn_rank_set_free(struct syn_rank_set *set);

/* As part of a message. `take` fills an empty set with ranks below `size`, or fails. */
void syn_rank_set_put(const struct syn_rank_set *set, struct syn_bytes *out);
void syn_rank_set_take(struct syn_rank_set *set, int size, struct syn_take *take);

#endif
