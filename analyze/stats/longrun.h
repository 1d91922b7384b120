/* analyze/stats/longrun.h - how much a series of dependent values says.
 *
 * The variance of the mean of a stationary series is tau times that of independent values, tau = 1
 * + 2 sum of its autocorrelations; n values say as much as n / tau independent ones. Two estimates
 * of tau, of which the larger counts:
 * - that of a first-order autoregression, (1 + rho) / (1 - rho), with rho corrected for the mean
 * that was taken off (Kendall, Biometrika 41 (1954) 403-404) and taken one standard error higher.
 * It sees a dependence that outlasts the series, which batches of the series do not;
 * - Geyer's initial positive sequence (Statistical Science 7 (1992) 473-483), which takes any shape
 *   of dependence, as a mixture of noise and slow waves.
 * Of 2048 values and more the means of at least 1024 batches stand for the series; the variance
 * within the batches is that of the values. */
#ifndef SYN_STATS_LONGRUN_H
#define SYN_STATS_LONGRUN_H

#include <stdbool.h>
#include <stddef.h>

/* A series that says less than so many independent values says nothing of its mean: it is too short
 * for its dependence. */
#define SYN_EFFECTIVE_LEAST 6
/* Largest rounding error of a number of independent values. */
#define SYN_EFFECTIVE_ERROR 1e-6

/* Eight values that do not seem to depend on one another count for six exactly: a rounding error is
 * not to decide what is said of them. */
static inline bool syn_are_enough(double effective)
{
    return effective > SYN_EFFECTIVE_LEAST - SYN_EFFECTIVE_ERROR;
}

/* Shorter series say nothing of their dependence. */
#define SYN_LONG_RUN_LEAST 8

/* tau of y [n], at least 1; 1 for constant values; NAN for n < SYN_LONG_RUN_LEAST or no memory. */
double syn_long_run_factor(const double *y, size_t n);

/* Returns tau of the means of batches: mean [count], of `size` values each, whose variance is
 * given. */
double syn_long_run_of_batches(const double *mean, size_t count, size_t size, double variance);

/* From so many values on, the dependence of a series is that of the indicator x > median: counts of
 * it in batches are quick to have of a series in pieces. */
#define SYN_LONG_RUN_INDICATOR 8192

/* Returns tau of counts: how many values of each batch have the property. */
double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size);

/* How dependent a series is, for an interval of its median. Whether there is one and how wide it is
 * are two questions: what makes it wide is pessimistic, as a false interval is worse than a wide
 * one, and would leave out three of four short series that are independent. */
struct syn_interval_tau {
    double width;    /* tau, with rho two standard errors higher, and not below what slow waves make
                        it, as of syn_slow_factor: seen where 30 % of the steady series have as much,
                        and at most 80 % of what has so little */
    double presence; /* tau, with rho one and a half standard errors higher, without waves */
};

/* Returns the tau of x [n], in the order of time. If values are fewer than SYN_LONG_RUN_INDICATOR,
 * each is taken no further out than the 5 % and 95 % quantiles, so that no single one matters.
 * sorted [n]: x ascending. NAN as above. */
struct syn_interval_tau syn_interval_tau_of_sorted(const double *x, const double *sorted, size_t n);
/* As above, from counts of x > median. */
struct syn_interval_tau syn_interval_tau_of_counts(const size_t *hits, size_t count, size_t size);

/* As how many independent values n say that are so dependent: 1 at least; NAN of NAN. */
double syn_effective(size_t n, double factor);

/* How many values of n make a batch; those behind the last whole one are left out. There are fewer
 * than SYN_LONG_RUN_BATCHES. */
#define SYN_LONG_RUN_BATCHES 2048
size_t syn_long_run_batch(size_t n);

/* Returns tau of a table x [k][n], column by column: how much its rows say of the columns'
 * differences, with each value taken less its row's median and no further out than the 5 % and 95 %
 * quantiles of its column. The autocorrelations are the columns' mean ones; a column that is by
 * itself far more dependent counts instead. x is changed. NAN as above. */
double syn_long_run_of_table(double *x, size_t n, size_t k);

/* Slow waves under strong noise hide from the autocorrelations of neighbours. The means of a few
 * (5, 10, 20) long stretches show them: their variance, over that of an autoregression with such
 * neighbours, is chi-square. Where that is more than one in a hundred such series have, the factor
 * is what it may be at most, at 5 %; else 1. For tests whose claim is a change of level, as
 * such waves are one. */
double syn_slow_factor(const double *x, size_t n);

/* z of an interval whose n values are that dependent: t of n / width - 1 degrees of freedom times
 * sqrt(width); infinite where n / width <= 1. NAN where n / presence < SYN_EFFECTIVE_LEAST, or NAN.
 */
double syn_dependent_z(double confidence, size_t n, struct syn_interval_tau tau);

/* Friedman's test of n rows that say as much as n_effective independent ones: Kendall's W by Iman
 * and Davenport's F (Communications in Statistics A9 (1980) 571-595), and never below the
 * probability of the same order in all rows. NAN where n_effective < SYN_EFFECTIVE_LEAST. */
double syn_friedman_dependent_p(double kendall_w, size_t k, double n_effective);

#endif
