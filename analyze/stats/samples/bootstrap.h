/* analyze/stats/samples/bootstrap.h - percentile intervals of any statistic by resampling, seeded
 * and repeatable. Of independent values, or, in blocks, of a series. Sources: Kalibera & Vitek
 * ("percentile bootstrap"); A. Davison, D. Hinkley, Bootstrap Methods and their Application (1997),
 * sections 5.3 and 8.2. */
#ifndef SYN_STATS_BOOTSTRAP_H
#define SYN_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* The generator xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64: the same numbers
 * everywhere. */
struct syn_random {
    uint64_t state[4];
};

void syn_random_seed(struct syn_random *random, uint64_t seed);
uint64_t syn_random_next(struct syn_random *random);
/* Uniform over 0..n-1, without the bias of a remainder. n > 0. */
uint64_t syn_random_below(struct syn_random *random, uint64_t n);
/* Uniform in (0,1), never an end. */
double syn_random_unit(struct syn_random *random);

/* A range that draws the numbers of syn_random_below without divisions, for many of them. n > 0. */
struct syn_random_range {
    uint64_t n;
    uint64_t uneven;  /* 2^64 mod n: so many of the low numbers would come once too often */
    uint64_t inverse; /* (2^64 - 1) / n */
};
struct syn_random_range syn_random_range_of(uint64_t n);
uint64_t syn_random_in(struct syn_random *random, const struct syn_random_range *range);

/* A statistic of x [n]. It may reorder x, which is a copy. */
typedef double (*syn_statistic)(double *x, size_t n, const void *context);

/* The median. */
double syn_statistic_median(double *x, size_t n, const void *context);

struct syn_bootstrap {
    double estimate; /* of the values themselves */
    double low, high;
    double bias, se; /* mean of the replicates minus the estimate, and their standard deviation */
};

struct syn_resampling {
    size_t replicates; /* at least 2; 1000 or more for an interval. NAN bounds where too few for the
                          confidence */
    size_t block_length; /* 1: independent values; more: blocks of so many neighbours, round the end
                            to the start */
    double confidence;   /* in (0,1) */
    uint64_t seed;
};

/* R: boot.ci(boot(x, ...), type = "perc"), and for blocks tsboot(sim = "fixed", endcorr = TRUE).
 * x [n], in the order of time where blocks are wanted; not changed. Returns 0, SYN_EINVAL for n < 2
 * or values out of their range, SYN_ENOMEM. */
int syn_bootstrap(const double *x, size_t n, syn_statistic statistic, const void *context,
                  const struct syn_resampling *how, struct syn_bootstrap *out);

/* Bootstraps the median at less cost: equal medians for blocks; for independent values only each
 * resample's median is drawn. As much memory as some copies of x. */
int syn_bootstrap_median(const double *x, size_t n, const struct syn_resampling *how,
                         struct syn_bootstrap *out);

/* A resample of x [n] into `to` [n]: blocks of x, each from a random start, the last cut off; a
 * block runs round the end. */
void syn_resample(struct syn_random *random, const double *x, size_t n, size_t block, double *to);
/* From the replicates [count], which are sorted, all of *out but the estimate, which is there. */
void syn_bootstrap_summarize(double *replicates, size_t count, double confidence,
                             struct syn_bootstrap *out);

/* The percentile interval of ascending replicates [count]: between order statistics interpolated on
 * the normal scale, as boot.ci does. NANs where the wanted order statistics lie beyond the
 * replicates. */
void syn_percentile_interval(const double *sorted, size_t count, double confidence, double *low,
                             double *high);

/* The block length for a series of n whose dependence factor is phi: 1 for phi <= 1 or n < 16, else
 * ceil((3/8 phi^2 n)^(1/3)), at most n / 4. That is the rule of Politis and White (Econometric
 * Reviews 23 (2004) 53-70) for circular blocks, worked out for a first-order autoregression of that
 * phi. */
size_t syn_block_length(size_t n, double phi);

#endif
