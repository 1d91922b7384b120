/* analyze/report/figures/tally.h - long columns of whole numbers, by how often each value occurs.
 *
 * Durations in nanoseconds have far fewer different values than there are durations: counting them
 * takes one pass and memory for the values, not for the column, and from the counts follow all
 * order statistics, the moments (in exact arithmetic, so in whatever order they were counted) and
 * midranks. Values that are not far above the smallest are counted in an array, the others kept in
 * a list: of a long column those are few (a duration of 4 ms and more: a rank has at most 250 a
 * second). */
#ifndef SYN_TALLY_H
#define SYN_TALLY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analyze/match/columns/column.h"
#include "analyze/stats/values/ordered.h"

#define SYN_TALLY_DENSE ((size_t)1 << 22)
/* The squares of larger spans do not add up exactly in 128 bits: no tally is made of them. */
#define SYN_TALLY_SPAN_MAX ((int64_t)1 << 46)

struct syn_tally {
    int64_t low; /* at most the smallest value */
    uint64_t n;
    uint64_t *dense; /* [dense_count], of low, low + 1, ... */
    size_t dense_count, dense_capacity;
    double *rest; /* [rest_count], value - low of those beyond */
    size_t rest_count, rest_capacity;
    struct syn_value_count *count; /* [count_count], ascending in value, once closed */
    size_t count_count, count_capacity;
};

/* Ready for about `expected` values between least and most; keeps memory of an earlier use. {0} at
 * first. Returns 0, SYN_ENOMEM, SYN_EINVAL where most - least is SYN_TALLY_SPAN_MAX or more. */
int syn_tally_begin(struct syn_tally *tally, int64_t least, int64_t most, size_t expected);
/* Count values, all between least and most. Returns 0 or SYN_ENOMEM. */
int syn_tally_add(struct syn_tally *tally, const int64_t *values, size_t count);
/* All are counted: put them in order. Returns 0 or SYN_ENOMEM. */
int syn_tally_close(struct syn_tally *tally);
void syn_tally_free(struct syn_tally *tally);

/* A closed tally's values, in order; as long as the tally is not used again. */
struct syn_ordered syn_tally_ordered(const struct syn_tally *tally);

#endif
