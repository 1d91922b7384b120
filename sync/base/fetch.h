/* sync/base/fetch.h - memory that will be needed soon. */
#ifndef SYN_FETCH_H
#define SYN_FETCH_H

#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

/* Ask for the line of the cache that has this byte, to write to it.
 * RATIONALE: to gcc a function that does no more than prefetch has no effect, so that it leaves
 * out calls of it. The empty statement is an effect. */
#define SYN_FETCH(address)              \
    do {                                \
        __builtin_prefetch(address, 1); \
        __asm__ volatile("");           \
    } while (0)

#define SYN_FETCH_LINE 64

/* Asks for `bytes` > 0 from there. */
static inline void syn_fetch(const void *from, size_t bytes)
{
    const char *last = (const char *)from + bytes - 1;
    for (const char *at = (const char *)from; at < last; at += SYN_FETCH_LINE)
        SYN_FETCH(at);
    SYN_FETCH(last);
}

/* The pages that lie in it, of new memory that all of it will be written to. Each would interrupt
 * the first write to it. A kernel that cannot (before Linux 5.14) makes them one by one. */
static inline void syn_fetch_pages(void *from, size_t bytes)
{
#ifdef MADV_POPULATE_WRITE
    const uintptr_t page = 4096; /* of larger ones nothing is lost: the kernel refuses */
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
