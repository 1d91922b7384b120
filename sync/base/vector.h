/* sync/base/vector.h - growing arrays. The owner keeps the array, its count and its capacity;
 * several arrays may share a capacity. */
#ifndef SYN_VECTOR_H
#define SYN_VECTOR_H

#include <stddef.h>

#include "sync/base/status.h"

/* Make room for one element more than `count`: SYN_ROOM(owner->element, owner->capacity,
 * owner->count). The array may move. Returns 0; or SYN_ENOMEM, which changes nothing. */
#define SYN_ROOM(array, capacity, count) \
    ((count) < (capacity) ? SYN_OK       \
                          : syn_vector_grow((void *)&(array), &(capacity), sizeof *(array)))

/* Make room for `capacity` elements; new ones are not initialized. Otherwise like SYN_ROOM. Arrays
 * that share a capacity are reserved one after another. */
#define SYN_RESERVE(array, capacity) syn_vector_reserve((void *)&(array), capacity, sizeof *(array))

/* Like SYN_ROOM, for an array that gets one element after the other and keeps no capacity: that is
 * the next power of two. */
#define SYN_ROOM_DOUBLED(array, count) \
    ((count) & ((count)-1) ? SYN_OK : SYN_RESERVE(array, (count) ? 2 * (count) : 1))

/* Double the room of the array at *(void **)array, to at least 16 elements. */
int syn_vector_grow(void *array, size_t *capacity, size_t element_bytes);
int syn_vector_reserve(void *array, size_t capacity, size_t element_bytes);

#endif
