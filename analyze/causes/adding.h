/* analyze/causes/adding.h - adding up times that a damaged trace may have any number of. */
#ifndef SYN_CAUSE_ADDING_H
#define SYN_CAUSE_ADDING_H

#include <stdint.h>

/* Times are within +-2^60 ns; what is too large for a sum stays the largest. */
static inline void syn_sum_add(int64_t *sum, int64_t ns)
{
    if (__builtin_expect(__builtin_add_overflow(*sum, ns, sum), 0))
        *sum = INT64_MAX;
}

#endif
