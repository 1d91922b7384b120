/* sync/base/integers.h - minimum and maximum, and arithmetic on nanoseconds that saturates or wraps
 * but never traps. RATIONALE: after a lost message, or in a damaged file, times can have any
 * value. */
#ifndef SYN_INTEGERS_H
#define SYN_INTEGERS_H

#include <stdint.h>

/* syn_least(a, b) and syn_largest(a, b): minimum and maximum of two numbers, in their common C
 * type. Each argument is evaluated once. */
#define SYN_OF_TWO(name, type)                            \
    static inline type syn_least_##name(type a, type b)   \
    {                                                     \
        return a < b ? a : b;                             \
    }                                                     \
    static inline type syn_largest_##name(type a, type b) \
    {                                                     \
        return a > b ? a : b;                             \
    }
SYN_OF_TWO(int, int)
SYN_OF_TWO(unsigned, unsigned)
SYN_OF_TWO(long, long)
SYN_OF_TWO(unsigned_long, unsigned long)
SYN_OF_TWO(long_long, long long)
SYN_OF_TWO(unsigned_long_long, unsigned long long)
SYN_OF_TWO(double, double)
#undef SYN_OF_TWO

/* clang-format off */
#define SYN_BY_TYPE(function, a, b)                                     \
    _Generic((a) + (b),                                                 \
        int: function##_int, unsigned: function##_unsigned,             \
        long: function##_long, unsigned long: function##_unsigned_long, \
        long long: function##_long_long,                                \
        unsigned long long: function##_unsigned_long_long,              \
        double: function##_double)(a, b)
/* clang-format on */
#define syn_least(a, b)   SYN_BY_TYPE(syn_least, a, b)
#define syn_largest(a, b) SYN_BY_TYPE(syn_largest, a, b)

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

/* These wrap: adding a difference back gives the exact value. */
static inline int64_t syn_wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static inline int64_t syn_wrap_sub(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
}

#endif
