/* analyze/report/figures/tally.h - counts how often each value occurs in a long column of whole
 * numbers.
 *
 * A long column of durations in nanoseconds has far fewer different values than durations. Counting
 * takes one pass, and memory for the values instead of the column. The counts give all order
 * statistics, midranks, and the moments in exact arithmetic, so in any order of counting. Values
 * not far above the smallest are counted in an array, the others kept in a list. A long column has
 * few of those: a duration of 4 ms and more occurs at most 250 times a second on a rank. */
#ifndef SYN_TALLY_H
#define SYN_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/columns/column.h"
#include "analyze/stats/values/ordered.h"

#define SYN_TALLY_DENSE ((size_t)1 << 22)
/* Upper limit of a tally's span, in ns: the squares of larger spans may overflow sums of 128
 * bits. */
#define SYN_TALLY_SPAN_MAX ((int64_t)1 << 46)

struct syn_tally {
    int64_t low; /* not above the smallest value */
    uint64_t n;
    uint64_t *dense; /* [dense_count], counts of low, low + 1, ... */
    size_t dense_count, dense_capacity;
    double *rest; /* [rest_count], value - low of the larger values */
    size_t rest_count, rest_capacity;
    struct syn_value_count *count; /* [count_count], ascending in value; set by syn_tally_close */
    size_t count_count, count_capacity;
};

/* Prepares for about `expected` values between least and most. Keeps memory of an earlier use; a
 * new tally is {0}. Returns 0, SYN_ENOMEM, SYN_EINVAL if most - least is SYN_TALLY_SPAN_MAX or
 * more. */
int syn_tally_begin(struct syn_tally *tally, int64_t least, int64_t most, size_t expected);
/* Counts values, all between least and most. Returns 0 or SYN_ENOMEM. */
int syn_tally_add(struct syn_tally *tally, const int64_t *values, size_t count);
/* Orders the counts after the last value. Returns 0 or SYN_ENOMEM. */
int syn_tally_close(struct syn_tally *tally);
void syn_tally_free(struct syn_tally *tally);

/* Returns the values of a closed tally in ascending order, valid until the tally is used again. */
struct syn_ordered syn_tally_ordered(const struct syn_tally *tally);

#endif
