/* analyze/report/figures/late_kinds.c - finds and numbers the kinds of instances. */
#include "analyze/report/figures/late_kinds.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/hash.h"
#include "sync/base/vector.h"

/* The kind of the instances with one signature (match.h), remembered for signature places below
 * MEMO_MOST. */
struct syn_late_memo {
    uint64_t serial;
    uint32_t number;
};
#define MEMO_MOST 65536

static uint64_t hash_of(const void *owner, uint32_t number)
{
    const struct syn_late_kind *kind = &((const struct syn_late_kinds *)owner)->at[number];
    return syn_hash64(kind->key, sizeof kind->key);
}

static bool is(const void *owner, uint32_t number, const void *key)
{
    const struct syn_late_kind *kind = &((const struct syn_late_kinds *)owner)->at[number];
    return memcmp(kind->key, key, sizeof kind->key) == 0;
}

uint32_t syn_late_kind_find(struct syn_late_kinds *kinds, const uint64_t *key)
{
    const size_t bytes = sizeof kinds->at->key;
    if (SYN_ROOM(kinds->at, kinds->capacity, kinds->count) != SYN_OK ||
        syn_index_make_room(&kinds->index, kinds->count, hash_of, kinds) != SYN_OK)
        return UINT32_MAX;
    uint32_t *slot = syn_index_slot(&kinds->index, syn_hash64(key, bytes), is, kinds, key);
    if (*slot == 0) {
        struct syn_late_kind *kind = &kinds->at[kinds->count++];
        *kind = (struct syn_late_kind){.factor = 1};
        memcpy(kind->key, key, bytes);
        *slot = (uint32_t)kinds->count;
    }
    return *slot - 1;
}

static struct syn_late_memo *memo_of(struct syn_late_kinds *kinds,
                                     const struct syn_instance *instance)
{
    const size_t place = instance->signature_place;
    if (instance->signature_serial == 0 || place >= MEMO_MOST)
        return NULL;
    while (place >= kinds->memo_count) {
        const size_t count = kinds->memo_count;
        if (syn_vector_grow((void *)&kinds->memo, &kinds->memo_count, sizeof *kinds->memo))
            return NULL;
        memset(kinds->memo + count, 0, (kinds->memo_count - count) * sizeof *kinds->memo);
    }
    return &kinds->memo[place];
}

uint32_t syn_late_kind_of(struct syn_late_kinds *kinds, const struct syn_instance *instance)
{
    struct syn_late_memo *memo = memo_of(kinds, instance);
    if (memo && memo->serial == instance->signature_serial)
        return memo->number;
    const uint64_t key[SYN_KEY_COUNT] = {
        [SYN_KEY_OP] = instance->op,
        [SYN_KEY_SITE] = instance->site,
        [SYN_KEY_COMM] = instance->comm->family,
        [SYN_KEY_BYTES] = instance->bytes,
        [SYN_KEY_ROOT] = (uint64_t)(uint32_t)instance->root,
        [SYN_KEY_RANK] = instance->comm->world_rank[0],
        [SYN_KEY_NODE] = SYN_NO_KEY,
        [SYN_KEY_RUN] = SYN_NO_KEY,
        [SYN_KEY_PHASE] = instance->phase,
    };
    const uint32_t number = syn_late_kind_find(kinds, key);
    if (memo && number != UINT32_MAX)
        *memo = (struct syn_late_memo){instance->signature_serial, number};
    return number;
}

void syn_late_kinds_free(struct syn_late_kinds *kinds)
{
    free(kinds->at);
    free(kinds->memo);
    syn_index_free(&kinds->index);
    *kinds = (struct syn_late_kinds){0};
}
