/* sync/saturate.h - nanoseconds that stop at the ends of int64 rather than wrap or trap.
 * After a lost message or in a damaged file times can be anything. */
#ifndef SYN_SATURATE_H
#define SYN_SATURATE_H

#include <stdint.h>

static inline int64_t syn_saturate(double value)
{
    if (!(value == value))
        return 0;
    if (value >= 0x1p63)
        return INT64_MAX;
    if (value < -0x1p63)
        return INT64_MIN;
    return (int64_t)value;
}

static inline int64_t syn_add_ns(int64_t a, int64_t b)
{
    int64_t sum;

    if (!__builtin_add_overflow(a, b, &sum))
        return sum;
    return a < 0 ? INT64_MIN : INT64_MAX;
}

#endif
