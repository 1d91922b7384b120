/* sync/base/index.h - hash table that finds an element of the owner's array by a key. The index
 * stores only element numbers; the owner compares elements. Open addressing, at most half full;
 * nothing is ever removed. */
#ifndef SYN_INDEX_H
#define SYN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"

struct syn_index {     /* {0}: empty; call syn_index_make_room before use */
    uint32_t *slot;    /* [slot_count], element number + 1; 0: free */
    size_t slot_count; /* a power of two */
};

/* Returns true if the owner's element has this key. */
typedef bool syn_index_is(const void *owner, uint32_t number, const void *key);
typedef uint64_t syn_index_hash(const void *owner, uint32_t number);

/* syn_index_grow makes room for `count` elements, of which the first `known_count` exist.
 * syn_index_make_room makes room for one element more than the existing `count`. Slots may move.
 * Both return 0 or SYN_ENOMEM, which changes nothing. */
int syn_index_grow(struct syn_index *index, size_t count, size_t known_count,
                   syn_index_hash *hash_of, const void *owner);
static inline int syn_index_make_room(struct syn_index *index, size_t count,
                                      syn_index_hash *hash_of, const void *owner)
{
    return 2 * (count + 1) <= index->slot_count
               ? SYN_OK
               : syn_index_grow(index, count + 1, count, hash_of, owner);
}
/* Forget all elements; keep the room. */
void syn_index_clear(struct syn_index *index);
void syn_index_free(struct syn_index *index);

/* Returns the first slot to try for a hash. Uses high bits, which are better mixed (hash.h). */
static inline size_t syn_index_home(const struct syn_index *index, uint64_t hash)
{
    return (size_t)(hash >> 32) & (index->slot_count - 1);
}

/* Returns the slot of the element that has the key. If there is none, returns a free slot (0), to
 * which the owner writes its number + 1. There must be room. */
static inline uint32_t *syn_index_slot(const struct syn_index *index, uint64_t hash,
                                       syn_index_is *is, const void *owner, const void *key)
{
    size_t at = syn_index_home(index, hash);
    while (index->slot[at] && !is(owner, index->slot[at] - 1, key))
        at = (at + 1) & (index->slot_count - 1);
    return &index->slot[at];
}

#endif
