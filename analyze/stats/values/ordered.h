/* analyze/stats/values/ordered.h - an ordered sample, from which order statistics are read.
 *
 * Few values are sorted, many are counted (analyze/report/figures/tally.h). Figures that follow
 * from the order are computed here for both forms by the same code, so the form does not change any
 * figure. */
#ifndef SYN_STATS_ORDERED_H
#define SYN_STATS_ORDERED_H

#include "analyze/stats/values/stats.h"
#include "sync/time/cpu.h"

struct syn_value_count {
    int64_t value;
    uint64_t until; /* number of values of the sample that are at most this one */
};

/* A sample as `value` or as `count`, which it does not own. */
struct syn_ordered {
    size_t n;
    const double *value;                 /* [n], ascending; NULL: the sample is counted */
    const struct syn_value_count *count; /* [count_count], ascending; whole numbers */
    size_t count_count;
    int64_t origin; /* of a counted sample: at most the least value, and the largest is less than
                       2^46 above it */
};

static inline struct syn_ordered syn_ordered_array(const double *sorted, size_t n)
{
    return (struct syn_ordered){.n = n, .value = sorted};
}

/* Returns how often the i-th of the counted values occurs. */
static inline uint64_t syn_ordered_times(const struct syn_ordered *sample, size_t i)
{
    return sample->count[i].until - (i ? sample->count[i - 1].until : 0);
}

/* Returns the order statistic of a rank, 1..n. */
double syn_ordered_at(const struct syn_ordered *sample, size_t rank);
/* Returns the number of values below `limit`. */
size_t syn_ordered_below(const struct syn_ordered *sample, double limit);
/* Returns R's quantile(x, p, type = 7). NAN for n == 0. */
double syn_ordered_quantile(const struct syn_ordered *sample, double p);

/* The place of a quantile of n values: the order statistics (1-based) below and above, and how far
 * it lies from the lower to the upper one. syn_quantile_at returns its value. */
struct syn_quantile_place {
    size_t low, high;
    double share;
};
struct syn_quantile_place syn_place_quantile(size_t n, double p);
double syn_quantile_at(const struct syn_quantile_place *place, double low, double high);

/* Exact sums of counted values: sum and sum of squares of value - origin. */
struct syn_exact_sums {
    __int128 sum, squares;
};
struct syn_exact_sums syn_ordered_sums(const struct syn_ordered *sample);

/* The median and its interval, as in struct syn_summary. NAN as there. */
struct syn_median {
    double value, low, high;
};
void syn_median_of_ordered(const struct syn_ordered *sample, double confidence,
                           struct syn_median *out);

/* Like syn_summarize_sorted. Mean and sd of counted values are rounded once, from exact sums. */
int syn_summarize_ordered(const struct syn_ordered *sample, double confidence,
                          struct syn_summary *out);

#endif
