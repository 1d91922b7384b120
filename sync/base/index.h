/* sync/base/index.h - the hash table of what is numbered: which element of an owner's array is like
 * a key. The index keeps numbers alone; the elements, and what it is to be alike, are the owner's.
 * Open addressing, at most half full, nothing is removed. */
#ifndef SYN_INDEX_H
#define SYN_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"

struct syn_index {     /* {0}: of nothing; syn_index_make_room has to come first */
    uint32_t *slot;    /* [slot_count], number + 1; 0: free */
    size_t slot_count; /* a power of two */
};

/* Is the owner's element of this number like the key? */
typedef bool syn_index_is(const void *owner, uint32_t number, const void *key);
typedef uint64_t syn_index_hash(const void *owner, uint32_t number);

/* syn_index_grow: room for `count` elements, of which those below `known_count` are there.
 * syn_index_make_room: room for one more than the `count` elements that are there; their slots
 * move. 0 or SYN_ENOMEM (nothing is changed). */
int syn_index_grow(struct syn_index *index, size_t count, size_t known_count,
                   syn_index_hash *hash_of, const void *owner);
static inline int syn_index_make_room(struct syn_index *index, size_t count,
                                      syn_index_hash *hash_of, const void *owner)
{
    return 2 * (count + 1) <= index->slot_count
               ? SYN_OK
               : syn_index_grow(index, count + 1, count, hash_of, owner);
}
/* Forget all numbers, keep the room. */
void syn_index_clear(struct syn_index *index);
void syn_index_free(struct syn_index *index);

/* The next slot of a way that begins at a hash. Words' hashes are good in their high bits. */
static inline size_t syn_index_home(const struct syn_index *index, uint64_t hash)
{
    return (size_t)(hash >> 32) & (index->slot_count - 1);
}

/* Returns the slot of an element equal to `key`, or the free slot (0) for the owner to write its
 * number + 1 to. There must be room. */
static inline uint32_t *syn_index_slot(const struct syn_index *index, uint64_t hash,
                                       syn_index_is *is, const void *owner, const void *key)
{
    size_t at = syn_index_home(index, hash);
    while (index->slot[at] && !is(owner, index->slot[at] - 1, key))
        at = (at + 1) & (index->slot_count - 1);
    return &index->slot[at];
}

#endif
