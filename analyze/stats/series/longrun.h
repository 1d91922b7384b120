/* analyze/stats/series/longrun.h - tau: how many dependent values are worth one independent value.
 *
 * The variance of the mean of a stationary series is tau times that of independent values, tau = 1
 * + 2 sum of its autocorrelations; n values are worth n / tau independent ones. tau is also called
 * a dependence factor. It is the larger of two estimates:
 * - that of a first-order autoregression, (1 + rho) / (1 - rho), with rho corrected for the mean
 *   that was subtracted (Kendall, Biometrika 41 (1954) 403-404) and raised by one standard error.
 *   It sees a dependence that outlasts the series, which batches of the series do not;
 * - Geyer's initial positive sequence (Statistical Science 7 (1992) 473-483), which follows any
 *   shape of dependence, such as a mixture of noise and slow waves.
 * A series of 2048 values or more is represented by the means of at least 1024 batches. Their
 * variance is compared with that of the values.
 *
 * Values are taken as they are by syn_long_run_factor. syn_dependence_factor (stats.h) and
 * syn_interval_tau_of_sorted first move those beyond the 5 % and 95 % quantiles to these. */
#ifndef SYN_STATS_LONGRUN_H
#define SYN_STATS_LONGRUN_H

#include <stdbool.h>
#include <stddef.h>

/* Nothing is said of the mean of a series that is worth fewer independent values: it is too short
 * for its dependence. */
#define SYN_EFFECTIVE_LEAST 6
/* Largest rounding error of a number of independent values. */
#define SYN_EFFECTIVE_ERROR 1e-6

/* Is a series long enough? Eight values that seem independent are worth six exactly: a rounding
 * error must not decide about them. */
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

/* Series of so many values or more have the tau of x > median, 0 or 1: how many are 1 in each batch
 * is quickly counted, also if the series comes in pieces. */
#define SYN_LONG_RUN_INDICATOR 8192

/* Returns tau of values that are 0 or 1. hits [count]: how many of the `size` values of each batch
 * are 1. */
double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size);

/* The taus of a series for an interval of its median: one for whether there is an interval, one for
 * how wide it is. The second is pessimistic, as a false interval is worse than a wide one; for the
 * first question it would refuse three of four short series that are independent. */
struct syn_interval_tau {
    double width;    /* how wide: rho raised by two standard errors; at least the tau of slow waves,
                        as syn_slow_factor has it but with the 70 % and 20 % quantiles */
    double presence; /* whether there is one: rho raised by 1.5 standard errors, no slow waves */
};

/* Returns the taus of x [n], in the order of time. Of fewer than SYN_LONG_RUN_INDICATOR values,
 * each is taken no further out than the 5 % and 95 % quantiles, so that no single one matters.
 * sorted [n]: x ascending. NAN as above. */
struct syn_interval_tau syn_interval_tau_of_sorted(const double *x, const double *sorted, size_t n);
/* As above, from counts of x > median. */
struct syn_interval_tau syn_interval_tau_of_counts(const size_t *hits, size_t count, size_t size);

/* Returns how many independent values n dependent ones are worth: n / factor, 1 at least; NAN of a
 * factor that is NAN. */
double syn_effective(size_t n, double factor);

/* Returns the size of a batch of n values: 1 below 2048 values. Values behind the last whole batch
 * are left out. There are fewer than SYN_LONG_RUN_BATCHES batches. */
#define SYN_LONG_RUN_BATCHES 2048
size_t syn_long_run_batch(size_t n);

/* Returns tau of the rows of a table x [k][n], column by column, for comparisons of the columns.
 * Each value is taken less its row's median, and no further out than the 5 % and 95 % quantiles of
 * its column. The autocovariances are the means over the columns; a column that is by itself far
 * more dependent counts instead. x is changed. NAN as above, and for k < 2. */
double syn_long_run_of_table(double *x, size_t n, size_t k);

/* Returns the tau of slow waves, 1 if none are seen. Strong noise hides such waves from the
 * autocorrelations of neighbours. The means of a few (5, 10, 20) long stretches show them: their
 * variance, over that of an autoregression with the rho of the series, follows chi-square. Above
 * the 99 % quantile waves are seen; tau is then the measured variance over the 5 % quantile. For
 * tests that claim a change of level, as such waves are one. */
double syn_slow_factor(const double *x, size_t n);

/* Returns the z for an interval of n dependent values: Student's t of n / width - 1 degrees of
 * freedom times sqrt(width); infinite where n / width <= 1. NAN where n / presence <
 * SYN_EFFECTIVE_LEAST, or a tau is NAN. */
double syn_dependent_z(double confidence, size_t n, struct syn_interval_tau tau);

/* Returns p of Friedman's test of k columns, whose rows are worth n_effective independent ones:
 * from Kendall's W by Iman and Davenport's F (Communications in Statistics A9 (1980) 571-595), and
 * never below the probability of one order in all rows. NAN where n_effective <
 * SYN_EFFECTIVE_LEAST. */
double syn_friedman_dependent_p(double kendall_w, size_t k, double n_effective);

#endif
