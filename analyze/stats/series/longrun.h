/* analyze/stats/series/longrun.h - tau: how many dependent values are worth one independent value.
 *
 * The variance of the mean of a stationary series is tau times that of independent values, tau = 1
 * + 2 sum of its autocorrelations; n values are worth n / tau independent ones. tau is also called
 * a dependence factor. It is the larger of two estimates:
 * - that of a first-order autoregression, (1 + rho) / (1 - rho), with rho corrected for the mean
 *   that was subtracted (Kendall, Biometrika 41 (1954) 403-404) and raised by one standard error.
 *   It includes a dependence that lasts longer than the series, which batches of the series do not;
 * - Geyer's initial positive sequence (Statistical Science 7 (1992) 473-483), which follows any
 *   shape of dependence, such as a mixture of noise and slow waves.
 * A series of 2048 values or more is represented by the means of at least 1024 batches. Their
 * variance is compared with that of the values.
 *
 * syn_long_run_factor takes the values unchanged. syn_dependence_factor (stats.h) and
 * syn_interval_tau_of_sorted first move values outside of the 5 % and 95 % quantiles to these. */
#ifndef SYN_STATS_LONGRUN_H
#define SYN_STATS_LONGRUN_H

#include <stdbool.h>
#include <stddef.h>

/* No interval is computed for a series that is worth fewer independent values: it is too short for
 * its dependence. */
#define SYN_EFFECTIVE_LEAST 6
/* Largest rounding error of a number of independent values. */
#define SYN_EFFECTIVE_ERROR 1e-6

/* Returns whether a number of independent values is enough. Eight values that seem independent are
 * worth exactly six, so a rounding error must not decide about them. */
static inline bool syn_are_enough(double effective)
{
    return effective > SYN_EFFECTIVE_LEAST - SYN_EFFECTIVE_ERROR;
}

/* The dependence of a shorter series cannot be measured. */
#define SYN_LONG_RUN_LEAST 8

/* Returns tau of y [n], at least 1; 1 for constant values; NAN for n < SYN_LONG_RUN_LEAST, or
 * without memory. */
double syn_long_run_factor(const double *y, size_t n);

/* Returns tau of values from the means of their batches: mean [count], of `size` values each.
 * variance: of the values. */
double syn_long_run_of_batches(const double *mean, size_t count, size_t size, double variance);

/* For series of this length or more, tau is that of the series x > median, 0 or 1. The number of
 * ones in each batch is quickly counted, also if the series comes in pieces. */
#define SYN_LONG_RUN_INDICATOR 8192

/* Returns tau of values that are 0 or 1. hits [count]: the number of ones among the `size` values
 * of each batch. */
double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size);

/* The taus of a series for an interval of its median: one decides whether there is an interval, the
 * other how wide the interval is. The second is pessimistic, because a false interval is worse than
 * a wide one. Used for the first decision it would refuse three of four short series that are
 * independent. */
struct syn_interval_tau {
    double width; /* for the width: rho is raised by two standard errors; at least the tau of slow
                     waves, as syn_slow_factor but with the 70 % and 20 % quantiles */
    double presence; /* for the decision whether there is an interval: rho is raised by 1.5 standard
                        errors, without slow waves */
};

/* Returns the taus of x [n], in the order of time. If n < SYN_LONG_RUN_INDICATOR, values outside of
 * the 5 % and 95 % quantiles are moved to these, so that no single value matters. sorted [n]: x
 * ascending. NAN as above. */
struct syn_interval_tau syn_interval_tau_of_sorted(const double *x, const double *sorted, size_t n);
/* Like syn_interval_tau_of_sorted, from counts of x > median. */
struct syn_interval_tau syn_interval_tau_of_counts(const size_t *hits, size_t count, size_t size);

/* Returns the number of independent values that n dependent ones are worth: n / factor, at least 1;
 * NAN if the factor is NAN. */
double syn_effective(size_t n, double factor);

/* Returns the size of a batch of n values: 1 below 2048 values. Values after the last whole batch
 * are omitted. There are fewer than SYN_LONG_RUN_BATCHES batches. */
#define SYN_LONG_RUN_BATCHES 2048
size_t syn_long_run_batch(size_t n);

/* Returns tau of the rows of a table x [k][n], column by column, for comparisons of the columns.
 * The median of its row is subtracted from each value, and values outside of the 5 % and 95 %
 * quantiles of their column are moved to these. The autocovariances are the means over the columns.
 * If a single column is far more dependent, its tau is returned. x is changed. NAN as above, and
 * for k < 2. */
double syn_long_run_of_table(double *x, size_t n, size_t k);

/* Returns the tau of slow waves, 1 if none are detected. Strong noise hides such waves from the
 * autocorrelations of neighbouring values. The means of a few (5, 10, 20) long stretches show them:
 * their variance, divided by that of an autoregression with the rho of the series, follows
 * chi-square. Waves are detected above its 99 % quantile; tau is then the measured variance over
 * the 5 % quantile. For tests of a change of level, because a slow wave looks like one. */
double syn_slow_factor(const double *x, size_t n);

/* Returns the z for an interval of n dependent values: Student's t of n / width - 1 degrees of
 * freedom times sqrt(width); infinite if n / width <= 1. NAN if n / presence < SYN_EFFECTIVE_LEAST,
 * or a tau is NAN. */
double syn_dependent_z(double confidence, size_t n, struct syn_interval_tau tau);
/* Returns the z for an interval of n values that are too few to measure their dependence: that of a
 * first-order autoregression with a rho of 0.9 (Bayley and Hammersley, J. R. Stat. Soc. Suppl. 8
 * (1946) 184-197). Its spread looks smaller than it is, too. NAN for n < 2. */
double syn_unmeasured_z(double confidence, size_t n);

/* Returns p of Friedman's test of k columns, whose rows are worth n_effective independent ones:
 * from Kendall's W by Iman and Davenport's F (Communications in Statistics A9 (1980) 571-595). It
 * is never below the probability that all rows have one order by chance. NAN if n_effective <
 * SYN_EFFECTIVE_LEAST. */
double syn_friedman_dependent_p(double kendall_w, size_t k, double n_effective);

#endif
