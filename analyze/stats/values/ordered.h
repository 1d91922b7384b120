/* analyze/stats/values/ordered.h - a sample in ascending order: what order statistics are read off.
 *
 * Few values are sorted, many are counted (analyze/report/figures/tally.h). What follows from the
 * order is computed here for both, by the same lines, so that the length of a column changes no
 * figure. */
#ifndef SYN_STATS_ORDERED_H
#define SYN_STATS_ORDERED_H

#include "analyze/stats/values/stats.h"
#include "sync/time/cpu.h"

struct syn_value_count {
    int64_t value;
    uint64_t until; /* so many values of the sample are at most this one */
};

/* Does not own what it points to. Either `value` or `count`. */
struct syn_ordered {
    size_t n;
    const double *value;                 /* [n], ascending; NULL: counted */
    const struct syn_value_count *count; /* [count_count], ascending; whole numbers */
    size_t count_count;
    int64_t
        origin; /* of counted ones: at most the least value, and less than 2^46 below the most */
};

static inline struct syn_ordered syn_ordered_array(const double *sorted, size_t n)
{
    return (struct syn_ordered){.n = n, .value = sorted};
}

/* How often the i-th of the counted values occurs. */
static inline uint64_t syn_ordered_times(const struct syn_ordered *sample, size_t i)
{
    return sample->count[i].until - (i ? sample->count[i - 1].until : 0);
}

/* The order statistic of a rank, 1..n. */
double syn_ordered_at(const struct syn_ordered *sample, size_t rank);
/* How many values are below `limit`. */
size_t syn_ordered_below(const struct syn_ordered *sample, double limit);
/* R's quantile(x, p, type = 7). NAN for n == 0. */
double syn_ordered_quantile(const struct syn_ordered *sample, double p);

/* Between which order statistics (1-based) a quantile of n values lies, and how far from the one to
 * the other; and its value there. */
struct syn_quantile_place {
    size_t low, high;
    double share;
};
struct syn_quantile_place syn_place_quantile(size_t n, double p);
double syn_quantile_at(const struct syn_quantile_place *place, double low, double high);

/* Sums of counted values: sum and sum of squares of value - origin, exact. */
struct syn_exact_sums {
    __int128 sum, squares;
};
struct syn_exact_sums syn_ordered_sums(const struct syn_ordered *sample);

/* The median of a summary with its interval alone. NAN as there. */
struct syn_median {
    double value, low, high;
};
void syn_median_of_ordered(const struct syn_ordered *sample, double confidence,
                           struct syn_median *out);

/* As syn_summarize_sorted. The mean and sd of counted values are rounded once, from exact sums. */
int syn_summarize_ordered(const struct syn_ordered *sample, double confidence,
                          struct syn_summary *out);

#endif
