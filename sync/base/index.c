/* sync/base/index.c - see index.h. Growing hashes all elements again. RATIONALE: hashes are not
 * stored, so a slot takes four bytes. */
#include "sync/base/index.h"

#include <stdlib.h>
#include <string.h>

#define SLOTS_LEAST 64

int syn_index_grow(struct syn_index *index, size_t count, size_t known_count,
                   syn_index_hash *hash_of, const void *owner)
{
    struct syn_index grown = {.slot_count = index->slot_count ? index->slot_count : SLOTS_LEAST};
    while (grown.slot_count < 2 * count)
        grown.slot_count *= 2;
    if (grown.slot_count == index->slot_count)
        return SYN_OK;
    if (!(grown.slot = calloc(grown.slot_count, sizeof *grown.slot)))
        return SYN_ENOMEM;
    for (size_t i = 0; i < known_count; i++) {
        size_t at = syn_index_home(&grown, hash_of(owner, (uint32_t)i));
        while (grown.slot[at])
            at = (at + 1) & (grown.slot_count - 1);
        grown.slot[at] = (uint32_t)i + 1;
    }
    free(index->slot);
    *index = grown;
    return SYN_OK;
}

void syn_index_clear(struct syn_index *index)
{
    if (index->slot)
        memset(index->slot, 0, index->slot_count * sizeof *index->slot);
}

void syn_index_free(struct syn_index *index)
{
    free(index->slot);
    *index = (struct syn_index){0};
}
