/* sync/base/fetch.h - memory that will be needed soon. */
#ifndef SYN_FETCH_H
#define SYN_FETCH_H

/* Ask for the line of the cache that has this byte, to write to it.
 * RATIONALE: to gcc a function that does no more than prefetch has no effect, so that it leaves
 * out calls of it. The empty statement is an effect. */
#define SYN_FETCH(address)              \
    do {                                \
        __builtin_prefetch(address, 1); \
        __asm__ volatile("");           \
    } while (0)

#endif
