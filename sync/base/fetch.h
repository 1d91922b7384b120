/* sync/base/fetch.h - memory that will be needed soon. */
#ifndef SYN_FETCH_H
#define SYN_FETCH_H

#include <stddef.h>

/* Ask for the line of the cache that has this byte, to write to it.
 * RATIONALE: to gcc a function that does no more than prefetch has no effect, so that it leaves
 * out calls of it. The empty statement is an effect. */
#define SYN_FETCH(address)              \
    do {                                \
        __builtin_prefetch(address, 1); \
        __asm__ volatile("");           \
    } while (0)

#define SYN_FETCH_LINE 64

/* So many bytes > 0 of it. */
static inline void syn_fetch(const void *from, size_t bytes)
{
    const char *last = (const char *)from + bytes - 1;
    for (const char *at = (const char *)from; at < last; at += SYN_FETCH_LINE)
        SYN_FETCH(at);
    SYN_FETCH(last);
}

#endif
