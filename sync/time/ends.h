/* sync/time/ends.h - least and largest of many times. */
#ifndef SYN_ENDS_H
#define SYN_ENDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syn_ends {
    int64_t least, largest;
};

/* Returns the least and the largest of `values` [count > 0]. */
struct syn_ends syn_ends_of(const int64_t *values, size_t count);
/* Returns true if no value is smaller than the one before it. */
bool syn_ascending(const int64_t *values, size_t count);

#endif
