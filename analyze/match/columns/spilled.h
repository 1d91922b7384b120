/* analyze/match/columns/spilled.h - growing arrays that may be larger than memory.
 *
 * All arrays of an owner share a budget. An array that would exceed the budget moves to a temporary
 * file of its own (scratch.h), which is mapped. Its users access it like any other array. The
 * kernel decides which of its pages stay in memory; cooling removes them from this process. Code
 * that goes through large parts of the arrays calls syn_pages_touch. The arrays stay members of
 * their owner, as in sync/base/vector.h. */
#ifndef SYN_SPILLED_H
#define SYN_SPILLED_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"

#define SYN_PAGES_LEAST ((size_t)1 << 20) /* smallest useful budget */
struct syn_pages {
    size_t budget_bytes;  /* limit of the arrays in memory, and roughly of mapped pages */
    size_t heap_bytes;    /* bytes of the arrays in memory */
    size_t touched_bytes; /* bytes of mapped arrays that were used since the last cooling */
    struct syn_mapped_array {
        void *base;
        size_t bytes;
    } * mapped; /* [mapped_count] */
    size_t mapped_count, mapped_capacity;
};

/* Makes room for one more element than `count` if all elements are in use:
 * SYN_SPILLED_ROOM(&owner->pages, owner->element, owner->capacity, owner->count). On error the
 * array stays as it is. Returns 0, SYN_ENOMEM, or SYN_EIO if the file cannot be made or the disk is
 * full. */
#define SYN_SPILLED_ROOM(pages, array, capacity, count)           \
    (__builtin_expect((count) < (capacity), 1)                    \
         ? SYN_OK                                                 \
         : syn_spilled_grow(pages, (void *)&(array), &(capacity), \
                            (capacity) ? 2 * (capacity) : 16, sizeof *(array)))

/* Makes room for `wanted` elements in the array *(void **)array. Errors are as above. */
int syn_spilled_grow(struct syn_pages *pages, void *array, size_t *capacity, size_t wanted,
                     size_t element_bytes);
/* Frees an array of `bytes`. NULL is ignored. */
void syn_spilled_free(struct syn_pages *pages, void *array, size_t bytes);
/* Frees `pages` after all arrays are freed. */
void syn_pages_end(struct syn_pages *pages);
/* Removes mapped pages from this process. Their contents stay. */
void syn_pages_cool(struct syn_pages *pages);
/* Notes that `bytes` of the arrays were read or written. Cools the pages from time to time. */
static inline void syn_pages_touch(struct syn_pages *pages, size_t bytes)
{
    pages->touched_bytes += bytes;
    if (__builtin_expect(pages->mapped_count > 0 && pages->touched_bytes > pages->budget_bytes / 2,
                         0))
        syn_pages_cool(pages);
}

#endif
