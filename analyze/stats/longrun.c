/* analyze/stats/longrun.c - the integrated autocorrelation of a series, and what follows from it.
 */
#include "analyze/stats/longrun.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"

#define BATCHES_LEAST 1024
#define RHO_MOST      0.999
/* By so many standard errors a column's own dependence has to be above what it is taken for. */
#define OWN_MARGIN 2

size_t syn_long_run_batch(size_t n)
{
    return n < 2 * BATCHES_LEAST ? 1 : n / BATCHES_LEAST;
}

/* Several series of one length, each less its mean and of variance 1: y[series * n + i]. */
struct centred {
    double *y;
    size_t n, count;
};

/* Autocovariance at a lag, the mean over the series: divided by n, as acf does. */
static double autocovariance(const struct centred *c, size_t lag)
{
    double sum = 0;
    for (size_t s = 0; s < c->count; s++) {
        const double *y = c->y + s * c->n;
        for (size_t i = 0; i + lag < c->n; i++)
            sum += y[i] * y[i + lag];
    }
    return sum / ((double)c->n * (double)c->count);
}

/* E r1 = rho - (1 + 4 rho) / n for a first-order autoregression. */
static double corrected(double r1, double n)
{
    return (n * r1 + 1) / (n - 4);
}

static double standard_error(double rho, double n)
{
    return sqrt(fmax(0, 1 - rho * rho) / n);
}

static double factor_of_rho(double rho)
{
    double least = fmax(0, fmin(rho, RHO_MOST));
    return (1 + least) / (1 - least);
}

/* rho: so many standard errors higher. */
static double of_autoregression(const struct centred *c, double r1, double errors)
{
    double n = (double)c->n, rho = corrected(r1, n);
    /* the autocorrelations of k columns that add up to nothing are a mean over k - 1 */
    double free_series = c->count > 1 ? (double)c->count - 1 : 1;
    return factor_of_rho(rho + errors * standard_error(fmin(rho, 1), n) / sqrt(free_series));
}

static double of_positive_sequence(const struct centred *c, double variance)
{
    double tau = -1, n = (double)c->n;
    for (size_t lag = 0; lag + 1 < c->n / 2; lag += 2) {
        double pair = (autocovariance(c, lag) + autocovariance(c, lag + 1)) / variance;
        if (!(pair > 0))
            break;
        tau += 2 * pair;
    }
    tau = fmax(1, tau);
    return tau / (1 - fmin(0.9, 2 * tau / n)); /* what taking off the mean has taken away */
}

/* c: centred means of batches of `size` values whose variance is 1. */
static double factor_of(const struct centred *c, size_t size, double errors)
{
    double variance = autocovariance(c, 0);
    if (!(variance > 0))
        return 1;
    double r1 = autocovariance(c, 1) / variance;
    double tau = fmax(of_autoregression(c, r1, errors), of_positive_sequence(c, variance));
    return fmax(1, tau * (double)size * variance);
}

/* ---- slow waves ---- */

/* Means of so many long stretches: chi-square of one degree of freedom fewer that says they vary
 * more than neighbours do, and chi-square at which their variance is as much as it may be. */
struct stretches {
    size_t count;
    double seen, most;
};

enum { STRETCHES = 3 };

/* In 1 % of the steady series, and at 95 %. */
static const struct stretches of_changes[STRETCHES] = {
    {5, 13.276704135987623, 0.71072302139732413},
    {10, 21.665994333461917, 3.3251128430668149},
    {20, 36.190869129270041, 10.117013063859044}};
/* In 30 %, as a wider interval is no claim, and at 80 %. */
static const struct stretches of_intervals[STRETCHES] = {
    {5, 4.8784329665604087, 1.6487766180659691},
    {10, 10.656372006513017, 5.3800532117732907},
    {20, 21.689126583014879, 13.71578970629044}};

/* The factor of a first-order autoregression with these neighbours. */
static double factor_of_neighbours(const double *x, size_t n, double mean, double squares)
{
    double product = 0;
    for (size_t i = 0; i + 1 < n; i++)
        product += (x[i] - mean) * (x[i + 1] - mean);
    return factor_of_rho(product / squares);
}

/* 1, or what the stretches say where they say more than neighbours do. */
static double factor_of_stretches(const double *x, size_t n, const struct stretches *stretches)
{
    const size_t size = n / stretches->count, used = size * stretches->count;
    double squares = 0, spread = 0, mean = 0;
    for (size_t i = 0; i < used; i++)
        mean += x[i] / (double)used;
    for (size_t i = 0; i < used; i++)
        squares += (x[i] - mean) * (x[i] - mean);
    for (size_t k = 0; k < stretches->count; k++) {
        double sum = 0;
        for (size_t i = k * size; i < (k + 1) * size; i++)
            sum += x[i] - mean;
        spread += sum * sum / (double)size;
    }
    /* chi-square; of constant values NAN, which says nothing */
    const double ratio = spread / (squares / (double)used);
    const double expected = factor_of_neighbours(x, used, mean, squares);
    return ratio > expected * stretches->seen ? ratio / stretches->most : 1;
}

static double slow_factor(const double *x, size_t n, const struct stretches *stretches)
{
    double factor = 1;
    for (size_t i = 0; i < STRETCHES && n >= 2 * stretches[i].count; i++)
        factor = fmax(factor, factor_of_stretches(x, n, &stretches[i]));
    return factor;
}

double syn_slow_factor(const double *x, size_t n)
{
    return slow_factor(x, n, of_changes);
}

/* ---- one series ---- */

/* What a factor is for. An interval that is false is worse than one that is wide: rho is taken
 * higher for it, and slow waves count. */
struct purpose {
    double errors;
    const struct stretches *stretches; /* NULL: none */
};

static const struct purpose for_tests = {1, NULL}, for_intervals = {2, of_intervals};

/* mean [count]: of batches of `size` values whose variance is given. */
static double of_batches(const double *mean, size_t count, size_t size, double variance,
                         const struct purpose *purpose)
{
    if (count < SYN_LONG_RUN_LEAST)
        return NAN;
    if (!(variance > 0))
        return 1;
    double *y = malloc(count * sizeof *y);
    if (!y)
        return NAN;
    double origin = mean[0], middle = syn_mean_about(mean, count, origin);
    for (size_t i = 0; i < count; i++)
        y[i] = (mean[i] - origin - middle) / sqrt(variance);
    struct centred c = {y, count, 1};
    double factor = factor_of(&c, size, purpose->errors);
    if (purpose->stretches)
        factor = fmax(factor, slow_factor(y, count, purpose->stretches) * (double)size *
                                  autocovariance(&c, 0));
    free(y);
    return factor;
}

double syn_long_run_of_batches(const double *mean, size_t count, size_t size, double variance)
{
    return of_batches(mean, count, size, variance, &for_tests);
}

/* Means of batches of y [n] into mean [n / size]. */
static size_t take_batches(const double *y, size_t n, size_t size, double *mean)
{
    size_t count = n / size;
    for (size_t b = 0; b < count; b++)
        mean[b] = size == 1 ? y[b] : y[0] + syn_mean_about(y + b * size, size, y[0]);
    return count;
}

static double of_values(const double *y, size_t n, const struct purpose *purpose)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    double *mean = malloc((count + 1) * sizeof *mean);
    if (!mean || n < SYN_LONG_RUN_LEAST) {
        free(mean);
        return NAN;
    }
    take_batches(y, n, size, mean);
    double variance = syn_sum_of_squares(y, n, y[0] + syn_mean_about(y, n, y[0])) / (double)n;
    double factor = of_batches(mean, count, size, variance, purpose);
    free(mean);
    return factor;
}

double syn_long_run_factor(const double *y, size_t n)
{
    return of_values(y, n, &for_tests);
}

static double of_counts(const size_t *hits, size_t count, size_t size,
                        const struct purpose *purpose)
{
    double *mean = malloc((count + 1) * sizeof *mean), share = 0;
    if (!mean)
        return NAN;
    for (size_t b = 0; b < count; b++) {
        mean[b] = (double)hits[b] / (double)size;
        share += (double)hits[b];
    }
    share /= (double)size * (double)count;
    double factor = of_batches(mean, count, size, share * (1 - share), purpose);
    free(mean);
    return factor;
}

double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size)
{
    return of_counts(hits, count, size, &for_tests);
}

double syn_interval_factor_of_counts(const size_t *hits, size_t count, size_t size)
{
    return of_counts(hits, count, size, &for_intervals);
}

/* ---- one column ---- */

static void clamp(double *y, size_t n, const double *sorted)
{
    double low = syn_quantile_sorted(sorted, n, 0.05), high = syn_quantile_sorted(sorted, n, 0.95);
    for (size_t i = 0; i < n; i++)
        y[i] = fmin(fmax(y[i], low), high);
}

static double of_indicator(const double *x, size_t n, double median, const struct purpose *purpose)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    size_t *hits = calloc(count, sizeof *hits);
    double factor = NAN;
    for (size_t i = 0; i < size * count && hits; i++)
        hits[i / size] += x[i] > median;
    if (hits)
        factor = of_counts(hits, count, size, purpose);
    free(hits);
    return factor;
}

static double of_column(const double *x, const double *sorted, size_t n,
                        const struct purpose *purpose)
{
    if (n < SYN_LONG_RUN_LEAST)
        return NAN;
    if (n >= SYN_LONG_RUN_INDICATOR)
        return of_indicator(x, n, syn_quantile_sorted(sorted, n, 0.5), purpose);
    double *y = malloc(n * sizeof *y), factor = NAN;
    if (y) {
        memcpy(y, x, n * sizeof *y);
        clamp(y, n, sorted);
        factor = of_values(y, n, purpose);
    }
    free(y);
    return factor;
}

double syn_interval_factor_of_sorted(const double *x, const double *sorted, size_t n)
{
    return of_column(x, sorted, n, &for_intervals);
}

double syn_dependence_factor_of_sorted(const double *x, const double *sorted, size_t n)
{
    return n ? of_column(x, sorted, n, &for_tests) : NAN;
}

double syn_dependence_factor(const double *x, size_t n)
{
    double *sorted = malloc((n + 1) * sizeof *sorted), factor = NAN;
    if (sorted && n) {
        memcpy(sorted, x, n * sizeof *sorted);
        syn_sort(sorted, n);
        factor = of_column(x, sorted, n, &for_tests);
    }
    free(sorted);
    return factor;
}

/* ---- tables ---- */

static void take_row_medians(double *x, size_t n, size_t k, double *sorted)
{
    for (size_t i = 0; i < n; i++) {
        memcpy(sorted, x + i * k, k * sizeof *x);
        syn_sort(sorted, k);
        double median = syn_quantile_sorted(sorted, k, 0.5);
        for (size_t j = 0; j < k; j++)
            x[i * k + j] -= median;
    }
}

/* A column of x as the means of batches, of the column's variance 1; not where it is constant. */
static void add_column(const double *x, size_t n, size_t k, size_t column, struct centred *to,
                       double *scratch)
{
    double *y = scratch, *sorted = scratch + n;
    size_t size = n / to->n;
    for (size_t i = 0; i < n; i++)
        y[i] = x[i * k + column];
    memcpy(sorted, y, n * sizeof *y);
    syn_sort(sorted, n);
    clamp(y, n, sorted);
    double mean = syn_mean(y, n), squares = syn_sum_of_squares(y, n, mean);
    if (!(squares > 0))
        return;
    double *into = to->y + to->count * to->n;
    for (size_t i = 0; i < n; i++)
        y[i] = (y[i] - mean) / sqrt(squares / (double)n);
    take_batches(y, n, size, into);
    to->count++;
}

/* A column that is far more dependent than the others: by its autoregression, well below its
 * estimate. */
static double own_factor(const struct centred *all, size_t size)
{
    double most = 1, n = (double)all->n;
    for (size_t s = 0; s < all->count; s++) {
        const struct centred one = {all->y + s * all->n, all->n, 1};
        double variance = autocovariance(&one, 0);
        double rho = variance > 0 ? corrected(autocovariance(&one, 1) / variance, n) : 0;
        double sure = rho - OWN_MARGIN * standard_error(fmin(rho, 1), n);
        most = fmax(most, factor_of_rho(sure) * (double)size * variance);
    }
    return most;
}

double syn_long_run_of_table(double *x, size_t n, size_t k)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    if (n < SYN_LONG_RUN_LEAST || k < 2)
        return NAN;
    double *scratch = malloc((2 * n + k) * sizeof *scratch);
    struct centred all = {malloc((count * k + 1) * sizeof *all.y), count, 0};
    double factor = NAN;
    if (scratch && all.y) {
        take_row_medians(x, n, k, scratch + 2 * n);
        for (size_t column = 0; column < k; column++)
            add_column(x, n, k, column, &all, scratch);
        factor = all.count == 0 ? 1 : fmax(factor_of(&all, size, 1), own_factor(&all, size));
    }
    free(scratch);
    free(all.y);
    return factor;
}

/* ---- what follows ---- */

double syn_dependent_z(double confidence, size_t n, double factor)
{
    double effective = (double)n / factor;
    if (!syn_are_enough(effective))
        return NAN;
    return qt(1 - (1 - confidence) / 2, effective - 1, 1, 0) * sqrt(factor);
}

double syn_friedman_dependent_p(double kendall_w, size_t k, double n_effective)
{
    double df = (double)k - 1, rest = 1 - kendall_w;
    if (!syn_are_enough(n_effective) || k < 2 || isnan(kendall_w))
        return NAN;
    double least = exp(-lgammafn((double)k + 1) * (n_effective - 1));
    if (!(rest > 0))
        return least;
    double F = (n_effective - 1) * kendall_w / rest;
    return fmax(least, pf(F, df, df * (n_effective - 1), 0, 0));
}
