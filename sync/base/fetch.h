/* sync/base/fetch.h - prefetches memory that will be written soon. */
#ifndef SYN_FETCH_H
#define SYN_FETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Prefetch the cache line of an address, for writing. RATIONALE: gcc assumes that a function that
 * only prefetches has no effect and removes calls of it. The empty assembler statement prevents
 * that. */
#define SYN_FETCH(address)              \
    do {                                \
        __builtin_prefetch(address, 1); \
        __asm__ volatile("");           \
    } while (0)

#define SYN_FETCH_LINE 64

/* Prefetches `bytes` > 0. */
static inline void syn_fetch(const void *from, size_t bytes)
{
    const char *last = (const char *)from + bytes - 1;
    for (const char *at = (const char *)from; at < last; at += SYN_FETCH_LINE)
        SYN_FETCH(at);
    SYN_FETCH(last);
}

/* Makes the kernel provide the pages inside a range of new memory that will be written completely.
 * RATIONALE: else each page interrupts its first write. Kernels before Linux 5.14 still do that. */
static inline void syn_fetch_pages(void *from, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = 4096; /* if pages are larger, the kernel refuses, which does no harm */
    const uintptr_t begin = ((uintptr_t)from + page - 1) & ~(page - 1);
    const uintptr_t end = ((uintptr_t)from + bytes) & ~(page - 1);
    if (begin < end)
        (void)madvise((void *)begin, end - begin, MADV_POPULATE_WRITE);
#else
    (void)from;
    (void)bytes;
#endif
}

#endif
