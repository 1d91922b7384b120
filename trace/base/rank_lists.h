/* trace/base/rank_lists.h - lists of ranks (the members of communicators), each kept once: of the
 * ranks of a run every one knows the same few, and each of them is as long as there are ranks. One
 * thread at a time. */
#ifndef SYN_RANK_LISTS_H
#define SYN_RANK_LISTS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/chains.h"

struct syn_ranks {
    struct syn_chained chained; /* first; by the hash of the ranks in their order */
    uint32_t reference_count;
    int32_t count;
    int32_t rank[]; /* [count]; -1 where it is of another world */
};

/* Zeroed at first. */
struct syn_rank_lists {
    struct syn_chains known;
    struct syn_chains coded; /* the same lists by how files tell them */
    int32_t *room;           /* owned, [room_count] */
    int32_t room_count;
};

/* All of them, whoever has references. */
void syn_rank_lists_free(struct syn_rank_lists *lists);
/* Returns room for a list of `count` that is then to be kept; valid until the next call. NULL: no
 * memory. */
int32_t *syn_rank_lists_room(struct syn_rank_lists *lists, int32_t count);
/* A reference to the list of these `count` ranks (>= 0). NULL: no memory. */
struct syn_ranks *syn_rank_lists_keep(struct syn_rank_lists *lists, const int32_t *rank,
                                      int32_t count);
/* How a file tells a list: equal codes of equal counts are equal lists. */
struct syn_rank_code {
    const uint8_t *data; /* [bytes] */
    size_t bytes;
    int32_t count; /* of ranks */
};
/* The list that was kept with this code before; NULL: none was. No reference: it stays until all of
 * them go. */
const struct syn_ranks *syn_rank_lists_coded(const struct syn_rank_lists *lists,
                                             const struct syn_rank_code *code);
/* The list of these ranks [code->count], from now on also found by its code. NULL: no memory. */
const struct syn_ranks *syn_rank_lists_keep_coded(struct syn_rank_lists *lists, const int32_t *rank,
                                                  const struct syn_rank_code *code);
/* Give a reference back. NULL is fine. */
void syn_rank_lists_release(struct syn_rank_lists *lists, struct syn_ranks *ranks);

#endif
