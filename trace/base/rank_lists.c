/* trace/base/rank_lists.c - see rank_lists.h. */
#include "trace/base/rank_lists.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define LISTS_LEAST 64

/* A list under its encoded form. */
struct coded {
    struct syn_chained chained; /* must be first */
    struct syn_ranks *ranks;    /* with a reference */
    size_t bytes;
    uint8_t data[]; /* [bytes] */
};

static void free_all(struct syn_chains *chains)
{
    struct syn_chained *at = chains->head ? syn_chains_next(chains, NULL) : NULL;
    while (at) {
        struct syn_chained *next = syn_chains_next(chains, at);
        free(at);
        at = next;
    }
    syn_chains_free(chains);
}

void syn_rank_lists_free(struct syn_rank_lists *lists)
{
    free_all(&lists->coded);
    free_all(&lists->known);
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

struct syn_ranks *syn_rank_lists_keep(struct syn_rank_lists *lists, const int32_t *rank,
                                      int32_t count)
{
    const size_t bytes = (size_t)count * sizeof *rank;
    const uint64_t hash = syn_hash64(rank, bytes);
    if (!lists->known.head && syn_chains_begin(&lists->known, LISTS_LEAST) != SYN_OK)
        return NULL;
    for (struct syn_chained *at = syn_chains_first(&lists->known, hash); at; at = at->next) {
        struct syn_ranks *known = (struct syn_ranks *)at;
        if (at->hash == hash && known->count == count && memcmp(known->rank, rank, bytes) == 0) {
            known->reference_count++;
            return known;
        }
    }
    struct syn_ranks *ranks = malloc(sizeof *ranks + bytes);
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

static uint64_t hash_of_list(const struct syn_rank_code *code)
{
    return syn_hash64(code->data, code->bytes) + (uint64_t)code->count;
}

const struct syn_ranks *syn_rank_lists_coded(const struct syn_rank_lists *lists,
                                             const struct syn_rank_code *code)
{
    const uint64_t hash = hash_of_list(code);
    struct syn_chained *at = lists->coded.head ? syn_chains_first(&lists->coded, hash) : NULL;
    for (; at; at = at->next) {
        const struct coded *known = (const struct coded *)at;
        if (at->hash == hash && known->bytes == code->bytes && known->ranks->count == code->count &&
            memcmp(known->data, code->data, code->bytes) == 0)
            return known->ranks;
    }
    return NULL;
}

const struct syn_ranks *syn_rank_lists_keep_coded(struct syn_rank_lists *lists, const int32_t *rank,
                                                  const struct syn_rank_code *code)
{
    if (!lists->coded.head && syn_chains_begin(&lists->coded, LISTS_LEAST) != SYN_OK)
        return NULL;
    struct coded *coded = malloc(sizeof *coded + code->bytes);
    struct syn_ranks *ranks = coded ? syn_rank_lists_keep(lists, rank, code->count) : NULL;
    if (!ranks || syn_chains_add(&lists->coded, &coded->chained, hash_of_list(code)) != SYN_OK) {
        syn_rank_lists_release(lists, ranks);
        free(coded);
        return NULL;
    }
    coded->ranks = ranks;
    coded->bytes = code->bytes;
    if (code->bytes > 0)
        memcpy(coded->data, code->data, code->bytes);
    return ranks;
}

void syn_rank_lists_release(struct syn_rank_lists *lists, struct syn_ranks *ranks)
{
    if (!ranks || --ranks->reference_count > 0)
        return;
    syn_chains_remove(&lists->known, &ranks->chained);
    free(ranks);
}
