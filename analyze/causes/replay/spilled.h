/* analyze/causes/replay/spilled.h - arrays that grow and may be larger than memory.
 *
 * The arrays of one owner have a budget. One that grows beyond what is left of it moves to a
 * temporary file of its own (match/scratch.h), which is mapped: for whoever reads and writes it,
 * it is an array like any other. Its pages are the kernel's to keep or to write away; cooling gives
 * back those that this process has. Whoever goes through much of such arrays says so by
 * syn_pages_touch. An array stays its owner's member, as in sync/base/vector.h. */
#ifndef SYN_SPILLED_H
#define SYN_SPILLED_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/status.h"

#define SYN_PAGES_LEAST ((size_t)1 << 20) /* a useful budget */
struct syn_pages {
    size_t budget_bytes;  /* of arrays in memory; and of mapped pages, roughly */
    size_t heap_bytes;    /* of those in memory */
    size_t touched_bytes; /* of mapped ones, since they were cooled */
    struct syn_mapped_array {
        void *base;
        size_t bytes;
    } * mapped; /* [mapped_count] */
    size_t mapped_count, mapped_capacity;
};

/* Room for one more than `count` of which all are set: SYN_SPILLED_ROOM(&owner->pages,
 * owner->element, owner->capacity, owner->count). Where that fails the array stays as it is. 0,
 * SYN_ENOMEM, or SYN_EIO where the file cannot be made or has no room. */
#define SYN_SPILLED_ROOM(pages, array, capacity, count)           \
    (__builtin_expect((count) < (capacity), 1)                    \
         ? SYN_OK                                                 \
         : syn_spilled_grow(pages, (void *)&(array), &(capacity), \
                            (capacity) ? 2 * (capacity) : 16, sizeof *(array)))

/* The array that *(void **)array is gets room for `wanted`; as above. */
int syn_spilled_grow(struct syn_pages *pages, void *array, size_t *capacity, size_t wanted,
                     size_t element_bytes);
/* NULL is none. */
void syn_spilled_free(struct syn_pages *pages, void *array, size_t bytes);
/* After all arrays are freed. */
void syn_pages_end(struct syn_pages *pages);
/* Mapped pages are given back; what is in them stays. */
void syn_pages_cool(struct syn_pages *pages);
/* Notes that so many bytes of the arrays were read or written: now and then they are cooled. */
static inline void syn_pages_touch(struct syn_pages *pages, size_t bytes)
{
    pages->touched_bytes += bytes;
    if (__builtin_expect(pages->mapped_count > 0 && pages->touched_bytes > pages->budget_bytes / 2,
                         0))
        syn_pages_cool(pages);
}

#endif
