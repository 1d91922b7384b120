/* sync/base/vector.h - arrays that grow, alone or together. The array, how many are in
 * it and for how many there is room stay their owner's members. */
#ifndef SYN_VECTOR_H
#define SYN_VECTOR_H

#include <stddef.h>

#include "sync/base/status.h"

/* Room for one more than `count`: SYN_ROOM(owner->element, owner->capacity, owner->count). The
 * array may move; where there is no memory it stays as it is. Returns 0 or SYN_ENOMEM. */
#define SYN_ROOM(array, capacity, count) \
    ((count) < (capacity) ? SYN_OK       \
                          : syn_vector_grow((void *)&(array), &(capacity), sizeof *(array)))

/* Room for `capacity` elements in all, in the same way; what is new is not set. For arrays that
 * share a capacity, each in turn: SYN_RESERVE(owner->element, capacity). */
#define SYN_RESERVE(array, capacity) syn_vector_reserve((void *)&(array), capacity, sizeof *(array))

/* The array that *(void **)array is gets twice the room, at least that of 16. */
int syn_vector_grow(void *array, size_t *capacity, size_t element_bytes);
int syn_vector_reserve(void *array, size_t capacity, size_t element_bytes);

#endif
