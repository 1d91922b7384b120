/* analyze/stats/samples/quantreg.h - quantile regression of B against A: the effect of B at each
 * quantile instead of at one centre.
 *
 * The factor (A or B) is the only regressor: y = b0 + b1 [B]. So the check function splits into one
 * sum for each side, b0 is A's sample quantile, and b1 is B's minus A's: no linear program is
 * needed. R: quantreg::rq(y ~ factor, tau). Source: Hoefler & Belli 2015, section 3.2.3 and Fig. 4;
 * R. Koenker, Quantile Regression (2005), section 2.2. */
#ifndef SYN_STATS_QUANTREG_H
#define SYN_STATS_QUANTREG_H

#include <stddef.h>
#include <stdint.h>

struct syn_quantile_effect {
    double tau;
    double intercept, intercept_low, intercept_high; /* A's quantile */
    double effect, low, high;                        /* B's minus A's */
};

/* One side. sorted [n]: ascending; phi: its syn_dependence_factor (1: independent values). */
struct syn_quantile_side {
    const double *sorted;
    size_t n;
    double phi;
};

/* Computes the effects at tau [tau_count], each inside (0,1). Intervals are percentile intervals of
 * `replicates` seeded resamples of each side. The quantile of a resample of n values is the value
 * at rank n * Beta(k, n - k + 1), so a replicate costs two draws for any n. With phi > 1 the
 * resample has n / phi values. Intervals are NAN if n / phi < 6 on a side. Returns 0, SYN_EINVAL
 * for an empty side or a tau or confidence out of range, SYN_ENOMEM. */
int syn_quantile_effects(const struct syn_quantile_side *a, const struct syn_quantile_side *b,
                         const double *tau, size_t tau_count, double confidence, size_t replicates,
                         uint64_t seed, struct syn_quantile_effect *out);

/* Computes the ratio B/A of the quantiles at one tau, with its interval: that of a comparison of
 * single runs. Returns as syn_quantile_effects; SYN_EINVAL also if a value of A is not above 0. */
int syn_quantile_ratio(const struct syn_quantile_side *a, const struct syn_quantile_side *b,
                       double tau, double confidence, size_t replicates, uint64_t seed,
                       double *ratio, double *low, double *high);

#endif
