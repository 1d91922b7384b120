/* sync/ranks/parts.c - see parts.h. Classes come in the order of their lowest ranks, so parts
 * numbered as they appear are in that order, too. */
#include "sync/ranks/parts.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"

struct key {
    uint64_t word[SYN_PART_WORDS];
};

struct keys {
    struct key *of; /* [count] keys of the parts so far */
    size_t count;
    struct syn_index index;
};

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct keys *keys = owner;

    return memcmp(&keys->of[number], key, sizeof *keys->of) == 0;
}

static uint64_t hash_of_key(const void *owner, uint32_t number)
{
    const struct keys *keys = owner;

    return syn_hash64(&keys->of[number], sizeof *keys->of);
}

int syn_parts_make(const struct syn_classes *classes, syn_part_key *key_of, const void *ctx,
                   struct syn_parts *out)
{
    struct keys keys = {.of = calloc(classes->count, sizeof *keys.of)};
    int status = SYN_ENOMEM;

    *out = (struct syn_parts){.of = calloc(classes->count, sizeof *out->of),
                              .of_class = calloc(classes->count, sizeof *out->of_class)};
    if (keys.of && out->of && out->of_class)
        status = SYN_OK;
    for (size_t i = 0; status == SYN_OK && i < classes->count; i++) {
        struct key key = {{0}};
        key_of(classes, i, ctx, key.word);
        /* Add the i-th class to its part. */
        const struct syn_rank_set *ranks = &classes->of[i].ranks;
        status = syn_index_make_room(&keys.index, keys.count, hash_of_key, &keys);
        if (status != SYN_OK)
            break;
        uint32_t *slot =
            syn_index_slot(&keys.index, syn_hash64(&key, sizeof key), has_key, &keys, &key);
        if (*slot == 0) {
            keys.of[keys.count] = key;
            *slot = (uint32_t)++keys.count;
            out->count = keys.count;
            status = syn_rank_set_add(&out->lowest, syn_rank_set_at(ranks, 0));
        }
        out->of_class[i] = *slot - 1;
        struct syn_rank_set *part = &out->of[*slot - 1];
        if (part->count == 0)
            SYN_STEP(status, syn_rank_set_append(part, ranks));
        else {
            struct syn_rank_set both = {0};
            SYN_STEP(status, syn_rank_set_union(&both, part, ranks));
            syn_rank_set_free(part);
            *part = both;
        }
    }
    free(keys.of);
    syn_index_free(&keys.index);
    if (status != SYN_OK)
        syn_parts_free(out);
    return status;
}

void syn_parts_free(struct syn_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        syn_rank_set_free(&parts->of[i]);
    free(parts->of);
    free(parts->of_class);
    syn_rank_set_free(&parts->lowest);
    *parts = (struct syn_parts){0};
}
