/* analyze/causes/sums/adding.h - adds and divides times without overflow, even for the times of a
 * damaged trace. */
#ifndef SYN_CAUSE_ADDING_H
#define SYN_CAUSE_ADDING_H

#include <stdint.h>

/* Adds to a sum. Times are within +-2^60 ns. A sum that would overflow becomes INT64_MAX. */
static inline void syn_sum_add(int64_t *sum, int64_t ns)
{
    if (__builtin_expect(__builtin_add_overflow(*sum, ns, sum), 0))
        *sum = INT64_MAX;
}

/* Returns the share of `whole` that belongs to the first `part` of `all`. */
static inline int64_t syn_portion(int64_t whole, unsigned __int128 part, unsigned __int128 all)
{
    const unsigned __int128 product = (unsigned __int128)whole * part;
    if (part == all)
        return whole;
    if (__builtin_expect(product >> 64 == 0 && all >> 64 == 0,
                         1)) /* 128-bit division takes ten times as long */
        return (int64_t)((uint64_t)product / (uint64_t)all);
    return (int64_t)(product / all);
}

#endif
