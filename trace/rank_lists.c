/* trace/rank_lists.c - see rank_lists.h. */
#include "trace/rank_lists.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define LISTS_LEAST 64

void syn_rank_lists_free(struct syn_rank_lists *lists)
{
    struct syn_chained *at = lists->known.head ? syn_chains_next(&lists->known, NULL) : NULL;
    while (at) {
        struct syn_chained *next = syn_chains_next(&lists->known, at);
        free(at);
        at = next;
    }
    syn_chains_free(&lists->known);
    free(lists->room);
    *lists = (struct syn_rank_lists){0};
}

int32_t *syn_rank_lists_room(struct syn_rank_lists *lists, int32_t count)
{
    if (lists->room && count <= lists->room_count)
        return lists->room;
    int32_t *room = realloc(lists->room, (size_t)syn_largest(count, 1) * sizeof *room);
    if (!room)
        return NULL;
    lists->room = room;
    lists->room_count = count;
    return room;
}

static struct syn_ranks *find(const struct syn_rank_lists *lists, const int32_t *rank,
                              int32_t count, uint64_t hash)
{
    for (struct syn_chained *at = syn_chains_first(&lists->known, hash); at; at = at->next) {
        struct syn_ranks *known = (struct syn_ranks *)at;
        if (at->hash == hash && known->count == count &&
            memcmp(known->rank, rank, (size_t)count * sizeof *rank) == 0)
            return known;
    }
    return NULL;
}

struct syn_ranks *syn_rank_lists_keep(struct syn_rank_lists *lists, const int32_t *rank,
                                      int32_t count)
{
    const size_t bytes = (size_t)count * sizeof *rank;
    const uint64_t hash = syn_hash64(rank, bytes);
    if (!lists->known.head && syn_chains_begin(&lists->known, LISTS_LEAST) != SYN_OK)
        return NULL;
    struct syn_ranks *ranks = find(lists, rank, count, hash);
    if (ranks) {
        ranks->reference_count++;
        return ranks;
    }
    ranks = malloc(sizeof *ranks + bytes);
    if (!ranks || syn_chains_add(&lists->known, &ranks->chained, hash) != SYN_OK) {
        free(ranks);
        return NULL;
    }
    ranks->reference_count = 1;
    ranks->count = count;
    if (count > 0)
        memcpy(ranks->rank, rank, bytes);
    return ranks;
}

void syn_rank_lists_release(struct syn_rank_lists *lists, struct syn_ranks *ranks)
{
    if (!ranks || --ranks->reference_count > 0)
        return;
    syn_chains_remove(&lists->known, &ranks->chained);
    free(ranks);
}
