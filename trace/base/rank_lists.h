/* trace/base/rank_lists.h - stores each different list of ranks (the members of a communicator)
 * once. RATIONALE: all ranks of a run have the same few communicators, and each list is as long as
 * there are ranks. One thread at a time. */
#ifndef SYN_RANK_LISTS_H
#define SYN_RANK_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/chains.h"

struct syn_ranks {
    struct syn_chained chained; /* must be first; by the hash of the ranks in their order */
    uint32_t reference_count;
    int32_t count;
    int32_t rank[]; /* [count]; -1: a rank of another MPI_COMM_WORLD */
};

/* All zeros at first. */
struct syn_rank_lists {
    struct syn_chains known;
    struct syn_chains coded; /* the same lists, by their encoded form in files */
    int32_t *room;           /* owned, [room_count] */
    int32_t room_count;
};

/* Frees all lists, also those with references. */
void syn_rank_lists_free(struct syn_rank_lists *lists);
/* Returns room for `count` ranks, to be filled and passed to a function that keeps the list. The
 * room is valid until the next call. NULL: no memory. */
int32_t *syn_rank_lists_room(struct syn_rank_lists *lists, int32_t count);
/* Returns the list of these `count` >= 0 ranks, with a reference for the caller. NULL: no
 * memory. */
struct syn_ranks *syn_rank_lists_keep(struct syn_rank_lists *lists, const int32_t *rank,
                                      int32_t count);
/* The encoded form of a list in a file. Two lists with equal codes and equal counts are equal. */
struct syn_rank_code {
    const uint8_t *data; /* [bytes] */
    size_t bytes;
    int32_t count; /* number of ranks */
};
/* Returns the list that was kept with this code before, or NULL. The caller gets no reference: the
 * list stays until syn_rank_lists_free. */
const struct syn_ranks *syn_rank_lists_coded(const struct syn_rank_lists *lists,
                                             const struct syn_rank_code *code);
/* Returns the list of these ranks [code->count], which from now on is found by its code. NULL: no
 * memory. */
const struct syn_ranks *syn_rank_lists_keep_coded(struct syn_rank_lists *lists, const int32_t *rank,
                                                  const struct syn_rank_code *code);
/* Gives back a reference. `ranks` may be NULL. */
void syn_rank_lists_release(struct syn_rank_lists *lists, struct syn_ranks *ranks);

#endif
