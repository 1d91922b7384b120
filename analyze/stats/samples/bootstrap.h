/* analyze/stats/samples/bootstrap.h - computes percentile intervals of any statistic by resampling.
 * The resampling is seeded and repeatable. Values are drawn independently, or in blocks from a
 * series. Sources: Kalibera & Vitek ("percentile bootstrap"); A. Davison, D. Hinkley, Bootstrap
 * Methods and their Application (1997), sections 5.3 and 8.2. */
#ifndef SYN_STATS_BOOTSTRAP_H
#define SYN_STATS_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>

/* The generator xoshiro256** (Blackman and Vigna 2018), seeded by splitmix64. It returns the same
 * numbers on all machines. */
struct syn_random {
    uint64_t state[4];
};

void syn_random_seed(struct syn_random *random, uint64_t seed);
uint64_t syn_random_next(struct syn_random *random);
/* Returns a uniform number of 0..n-1, without the bias of a remainder. n > 0. */
uint64_t syn_random_below(struct syn_random *random, uint64_t n);
/* Returns a uniform number in (0,1), never 0 or 1. */
double syn_random_unit(struct syn_random *random);

/* A range for many draws: syn_random_in returns the numbers of syn_random_below, without divisions.
 * n > 0. */
struct syn_random_range {
    uint64_t n;
    uint64_t uneven;  /* 2^64 mod n: draws below it are rejected, else some results would be too
                         frequent */
    uint64_t inverse; /* (2^64 - 1) / n */
};
struct syn_random_range syn_random_range_of(uint64_t n);
uint64_t syn_random_in(struct syn_random *random, const struct syn_random_range *range);

/* Returns a statistic of x [n]. It may reorder x, which is a copy. */
typedef double (*syn_statistic)(double *x, size_t n, const void *context);

/* Returns the median. */
double syn_statistic_median(double *x, size_t n, const void *context);

struct syn_bootstrap {
    double estimate; /* of the original values */
    double low, high;
    double bias,
        se; /* mean of the replicates minus the estimate; standard deviation of the replicates */
};

struct syn_resampling {
    size_t replicates;   /* at least 2; 1000 or more for an interval. Bounds are NAN if they are too
                            few for the confidence */
    size_t block_length; /* 1: independent values; above 1: blocks of so many consecutive values;
                            blocks at the end continue at the start */
    double confidence;   /* in (0,1) */
    uint64_t seed;
};

/* Bootstraps a statistic of x [n], which is in the order of time if blocks are wanted, and is not
 * changed. R: boot.ci(boot(x, ...), type = "perc"), and for blocks tsboot(sim = "fixed", endcorr =
 * TRUE). Returns 0, SYN_EINVAL for n < 2 or arguments out of their range, SYN_ENOMEM. */
int syn_bootstrap(const double *x, size_t n, syn_statistic statistic, const void *context,
                  const struct syn_resampling *how, struct syn_bootstrap *out);

/* Bootstraps the median at less cost. For blocks the medians are those of syn_bootstrap; for
 * independent values only the median of each resample is drawn. Needs the memory of some copies of
 * x. Returns as syn_bootstrap. */
int syn_bootstrap_median(const double *x, size_t n, const struct syn_resampling *how,
                         struct syn_bootstrap *out);

/* Writes a resample of x [n] to `to` [n]: blocks of x from random starts, the last one cut off. A
 * block at the end of x continues at the start. */
void syn_resample(struct syn_random *random, const double *x, size_t n, size_t block, double *to);
/* Fills all of *out except the estimate, which must be set, from the replicates [count]. Sorts the
 * replicates. */
void syn_bootstrap_summarize(double *replicates, size_t count, double confidence,
                             struct syn_bootstrap *out);

/* Computes the percentile interval of ascending replicates [count]. Bounds between two order
 * statistics are interpolated on the normal scale, as boot.ci does. NANs if a bound lies outside of
 * the replicates. */
void syn_percentile_interval(const double *sorted, size_t count, double confidence, double *low,
                             double *high);

/* Returns the block length for a series of n values whose dependence factor is phi: 1 for phi <= 1
 * or n < 16, else ceil((3/8 phi^2 n)^(1/3)), at most n / 4. This is the rule of Politis and White
 * (Econometric Reviews 23 (2004) 53-70) for circular blocks, evaluated for a first-order
 * autoregression of that phi. */
size_t syn_block_length(size_t n, double phi);

#endif
