/* sync/base/vector.c - see vector.h. Doubling makes the cost of adding an element constant on
 * average. */
#include "sync/base/vector.h"

#include <stdlib.h>
#include <string.h>

#define LEAST 16

int syn_vector_reserve(void *array, size_t capacity, size_t element_bytes)
{
    void *old, *grown;
    memcpy(&old, array, sizeof old);
    if (!(grown = realloc(old, capacity * element_bytes)))
        return SYN_ENOMEM;
    memcpy(array, &grown, sizeof grown);
    return SYN_OK;
}

int syn_vector_grow(void *array, size_t *capacity, size_t element_bytes)
{
    const size_t grown_capacity = *capacity > 0 ? 2 * *capacity : LEAST;
    const int status = syn_vector_reserve(array, grown_capacity, element_bytes);
    if (status == SYN_OK)
        *capacity = grown_capacity;
    return status;
}
