/* analyze/stats/series/longrun.c - estimates tau, the integrated autocorrelation time of a series:
 * that many dependent values are worth one independent value. In public names a tau is also called
 * a factor.
 *
 * batch      `size` consecutive values, represented by their mean; size is 1 below 2048 values
 * lag        the distance of two values of a series (or of two batches)
 * rho        the correlation of neighbouring values, at lag 1
 * stretch    one of 5, 10 or 20 equal pieces of a series; a cut is one such division of the series
 * slow wave  a change of level that lasts for whole stretches; noise hides it from rho
 * column     one of several series of one length, which together are a table
 * width      the tau of a test, and the one that sets an interval's width (struct syn_interval_tau)
 * presence   the tau that decides whether there is an interval
 *
 *     values     x x x x x x x x x x x x x x x x x x
 *     batches    |  b  |  b  |  b  |  b  |  b  |  b  |   b: mean, then less the mean of all
 *     lag 1         b---->b                              rho: tau of an autoregression
 *     lag 2, 3      b---------->b---->b                  pairs of lags: tau of Geyer's sequence
 *     stretches  |    mean   |    mean   |    mean   |   their variance: tau of slow waves
 *
 * tau is the larger of the first two; for intervals it is at least the third. A column is clamped
 * first (syn_clamp). From SYN_LONG_RUN_INDICATOR values on, its series is x > median, 0 or 1,
 * counted by batches. The autocovariances of a table are the means over its columns; one very
 * dependent column overrules them.
 *
 * Sums use vector types; each sum adds its terms in the order of the values. */
#include "analyze/stats/series/longrun.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "analyze/stats/values/stats.h"
#include "analyze/stats/values/table.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define BATCHES_LEAST 1024
#define RHO_MOST      0.999
/* rho of series that are too short to measure it. */
#define UNMEASURED_RHO 0.9
/* A column's own rho is lowered by this number of standard errors before it may overrule the
 * table's. */
#define OWN_MARGIN 2

size_t syn_long_run_batch(size_t n)
{
    return n < 2 * BATCHES_LEAST ? 1 : n / BATCHES_LEAST;
}

/* Several series of one length: y[series * n + i]. Each has mean 0, and is scaled by the standard
 * deviation of the values from which it was made. */
struct centred {
    double *y;
    size_t n, count;
};

/* A sum of products, or an autocovariance, at a lag (NEAR) and at the next lag (FAR). RATIONALE:
 * one vector holds both, so the additions of the two sums do not wait for each other. */
typedef double two __attribute__((vector_size(16), aligned(8)));
struct lag_pair {
    two near_far;
};
enum { NEAR, FAR };

/* Returns y[0] * y[lag] and y[0] * y[lag + 1]. */
static inline two products_at(const double *y, size_t lag)
{
    two ahead;
    memcpy(&ahead, y + lag, sizeof ahead);
    return y[0] * ahead;
}

/* Adds the products of all values of y [n] that are `lag`, and `lag` + 1, apart. */
static void sum_products(const double *y, size_t n, size_t lag, struct lag_pair *to)
{
    two sum = to->near_far;
    size_t i = 0;
#pragma GCC unroll 4
    for (; i + lag + 1 < n; i++)
        sum += products_at(y + i, lag);
    if (i + lag < n)
        sum[NEAR] += y[i] * y[i + lag];
    to->near_far = sum;
}

/* Returns the autocovariances at `lag` and at the next lag, averaged over all series. The divisor
 * is n, not n - lag, as in R's acf(). */
static struct lag_pair autocovariances(const struct centred *c, size_t lag)
{
    const double count = (double)c->n * (double)c->count;
    struct lag_pair sum = {{0, 0}};
    for (size_t s = 0; s < c->count; s++)
        sum_products(c->y + s * c->n, c->n, lag, &sum);
    return (struct lag_pair){sum.near_far / count};
}

/* Returns rho from the measured r1 of n values. The expected value of r1 is too low by (1 + 4 rho)
 * / n for a first-order autoregression (Kendall). */
static double corrected(double r1, double n)
{
    return (n * r1 + 1) / (n - 4);
}

/* Returns the standard error of a rho of n values. */
static double standard_error(double rho, double n)
{
    return sqrt(fmax(0, 1 - rho * rho) / n);
}

/* Returns the tau of a first-order autoregression. */
static double tau_of_rho(double rho)
{
    double bounded = fmax(0, fmin(rho, RHO_MOST));
    return (1 + bounded) / (1 - bounded);
}

/* Returns tau of a first-order autoregression of the measured r1, whose corrected rho is raised by
 * `errors` standard errors. */
static double tau_of_autoregression(const struct centred *c, double r1, double errors)
{
    double n = (double)c->n, rho = corrected(r1, n);
    /* k columns whose rows sum up to about 0 are worth k - 1 independent ones */
    double free_series = c->count > 1 ? (double)c->count - 1 : 1;
    return tau_of_rho(rho + errors * standard_error(fmin(rho, 1), n) / sqrt(free_series));
}

/* The number of standard errors by which rho is raised for each tau. */
struct rho_raise {
    double width, presence;
};

/* Returns tau of the values of which batches were made: tau of the batches, times the ratio of
 * their variance to that of means of `size` independent values. c: the batches' means; first: their
 * autocovariances at lags 0 and 1. */
static struct syn_interval_tau tau_of_means(const struct centred *c, const struct lag_pair *first,
                                            size_t size, struct rho_raise raise)
{
    const double variance = first->near_far[NEAR];
    if (!(variance > 0))
        return (struct syn_interval_tau){1, 1};
    const double r1 = first->near_far[FAR] / variance, scale = (double)size * variance;
    /* Geyer's tau: pairs of autocorrelations, at lags 0 and 1, 2 and 3, ..., are summed up to the
     * first pair that is not above 0. The subtraction of the estimated mean makes the sum too
     * small; that is corrected, at most tenfold. */
    double tau = -1, n = (double)c->n;
    for (size_t lag = 0; lag + 1 < c->n / 2; lag += 2) {
        const struct lag_pair at = lag ? autocovariances(c, lag) : *first;
        const double pair = (at.near_far[NEAR] + at.near_far[FAR]) / first->near_far[NEAR];
        if (!(pair > 0))
            break;
        tau += 2 * pair;
    }
    tau = fmax(1, tau);
    const double any_shape = tau / (1 - fmin(0.9, 2 * tau / n));
    const double width = fmax(tau_of_autoregression(c, r1, raise.width), any_shape);
    const double presence = fmax(tau_of_autoregression(c, r1, raise.presence), any_shape);
    return (struct syn_interval_tau){fmax(1, width * scale), fmax(1, presence * scale)};
}

/* ---- slow waves ---- */

/* A cut into `count` stretches. Without slow waves the variance of their means follows chi-square
 * with count - 1 degrees of freedom. Above its upper quantile slow waves are detected. The measured
 * variance over the lower quantile is then an upper bound of tau. */
struct stretches {
    size_t count;
    double upper_quantile, lower_quantile;
};

enum { STRETCHES = 3 };

/* The quantiles 99 % and 5 %: waves are detected in one of a hundred steady series. */
static const struct stretches stretches_for_changes[STRETCHES] = {
    {5, 13.276704135987623, 0.71072302139732413},
    {10, 21.665994333461917, 3.3251128430668149},
    {20, 36.190869129270041, 10.117013063859044}};
/* The quantiles 70 % and 20 %: waves are detected in 30 % of the steady series. That only widens
 * their intervals and leads to no false claim. */
static const struct stretches stretches_for_intervals[STRETCHES] = {
    {5, 4.8784329665604087, 1.6487766180659691},
    {10, 10.656372006513017, 5.3800532117732907},
    {20, 21.689126583014879, 13.71578970629044}};

/* Up to STRETCHES cuts of one series, measured in parallel. Cut k covers the first used[k] values,
 * the largest number that divides into equal stretches. mean, squares (about it) and products (of
 * neighbours) are of those values. Elements from `count` on are padding. */
struct cuts {
    size_t count;
    size_t least; /* the smallest number of values that a cut covers */
    size_t used[SYN_SIDE_BY_SIDE];
    double mean[SYN_SIDE_BY_SIDE], squares[SYN_SIDE_BY_SIDE], products[SYN_SIDE_BY_SIDE];
};
_Static_assert((int)STRETCHES <= SYN_SIDE_BY_SIDE, "all cuts are measured side by side");

/* Returns the tau of a cut if its stretches vary more than an autoregression with the values' rho
 * explains, else 1. */
static double tau_of_cut(const double *x, const struct cuts *cuts, size_t cut,
                         const struct stretches *stretches)
{
    const size_t size = cuts->used[cut] / stretches->count;
    double spread = 0;
    for (size_t k = 0; k < stretches->count; k++) {
        double sum = 0;
#pragma GCC unroll 4
        for (size_t i = k * size; i < (k + 1) * size; i++)
            sum += x[i] - cuts->mean[cut];
        spread += sum * sum / (double)size;
    }
    /* chi-square times tau; NAN of constant values, for which the result is 1 */
    const double ratio = spread / (cuts->squares[cut] / (double)cuts->used[cut]);
    const double expected = tau_of_rho(cuts->products[cut] / cuts->squares[cut]);
    return ratio > expected * stretches->upper_quantile ? ratio / stretches->lower_quantile : 1;
}

/* Returns the largest tau of all cuts of x [n], at least 1. */
static double tau_of_slow_waves(const double *x, size_t n, const struct stretches *stretches)
{
    /* A cut needs at least two values in each stretch. */
    struct cuts cuts = {.least = n};
    while (cuts.count < STRETCHES && n >= 2 * stretches[cuts.count].count) {
        const size_t count = stretches[cuts.count].count;
        cuts.used[cuts.count] = n / count * count;
        cuts.least = syn_least(cuts.least, cuts.used[cuts.count++]);
    }
    for (size_t k = cuts.count; k < SYN_SIDE_BY_SIDE; k++)
        cuts.used[k] = cuts.least; /* padding: these lanes have no values beyond the common ones */
    double factor = 1;
    if (cuts.count == 0)
        return factor;
    /* Compute the mean of each cut: first over the values that all cuts cover, then over the rest.
     */
    syn_four sum = {0}, used;
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        used[k] = (double)cuts.used[k];
    for (size_t i = 0; i < cuts.least; i++)
        sum += x[i] / used;
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++) {
        cuts.mean[k] = sum[k];
        for (size_t i = cuts.least; i < cuts.used[k]; i++)
            cuts.mean[k] += x[i] / (double)cuts.used[k];
    }
    /* Compute squares and products of each cut. The last common value is left to the second loop,
     * because its neighbour may not be common. */
    syn_four squares = {0}, products = {0}, mean, own;
    memcpy(&mean, cuts.mean, sizeof mean);
    own = x[0] - mean;
    for (size_t i = 0; i + 1 < cuts.least; i++) {
        const syn_four next = x[i + 1] - mean;
        squares += own * own;
        products += own * next;
        own = next;
    }
    memcpy(cuts.squares, &squares, sizeof squares);
    memcpy(cuts.products, &products, sizeof products);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        for (size_t i = cuts.least - 1; i < cuts.used[k]; i++) {
            const double d = x[i] - cuts.mean[k];
            cuts.squares[k] += d * d;
            cuts.products[k] += i + 1 < cuts.used[k] ? d * (x[i + 1] - cuts.mean[k]) : 0;
        }
    for (size_t i = 0; i < cuts.count; i++)
        factor = fmax(factor, tau_of_cut(x, &cuts, i, &stretches[i]));
    return factor;
}

double syn_slow_factor(const double *x, size_t n)
{
    return tau_of_slow_waves(x, n, stretches_for_changes);
}

/* ---- one series ---- */

/* The purpose of a tau. A false interval is worse than a wide one, so for intervals rho is raised
 * more, and width is at least the tau of slow waves. For tests both taus are equal. */
struct purpose {
    struct rho_raise raise;
    const struct stretches *stretches; /* NULL: no slow waves */
};

static const struct purpose for_tests = {{1, 1}, NULL},
                            for_intervals = {{2, 1.5}, stretches_for_intervals};
static const struct syn_interval_tau unknown = {NAN, NAN};

/* Returns tau of values from mean [count], the means of their batches of `size`. variance: of the
 * values; centre: the mean of mean[i] - mean[0]. */
static struct syn_interval_tau tau_about_centre(const double *mean, size_t count, size_t size,
                                                double centre, double variance,
                                                const struct purpose *purpose)
{
    if (count < SYN_LONG_RUN_LEAST)
        return unknown;
    if (!(variance > 0))
        return (struct syn_interval_tau){1, 1};
    SYN_FREED double *y = malloc(count * sizeof *y);
    if (!y)
        return unknown;
    const double origin = mean[0], deviation = sqrt(variance);
    for (size_t i = 0; i < count; i++)
        y[i] = (mean[i] - origin - centre) / deviation;
    const struct centred c = {y, count, 1};
    const struct lag_pair first = autocovariances(&c, 0);
    struct syn_interval_tau tau = tau_of_means(&c, &first, size, purpose->raise);
    if (purpose->stretches)
        tau.width = fmax(tau.width, tau_of_slow_waves(y, count, purpose->stretches) * (double)size *
                                        first.near_far[NEAR]);
    return tau;
}

/* Like tau_about_centre, but finds the centre. */
static struct syn_interval_tau tau_of_batches(const double *mean, size_t count, size_t size,
                                              double variance, const struct purpose *purpose)
{
    return count ? tau_about_centre(mean, count, size, syn_mean_about(mean, count, mean[0]),
                                    variance, purpose)
                 : unknown;
}

double syn_long_run_of_batches(const double *mean, size_t count, size_t size, double variance)
{
    return tau_of_batches(mean, count, size, variance, &for_tests).width;
}

/* Writes the means of batches of y [n] to mean [n / size]. Returns their number. */
static size_t take_batches(const double *y, size_t n, size_t size, double *mean)
{
    size_t count = n / size;
    for (size_t b = 0; b < count; b++)
        mean[b] = size == 1 ? y[b] : y[0] + syn_mean_about(y + b * size, size, y[0]);
    return count;
}

/* Returns tau of y [n]. centre: the mean of y - y[0], and the squares about it. */
static struct syn_interval_tau tau_of_values(const double *y, size_t n,
                                             const struct syn_centre *centre,
                                             const struct purpose *purpose)
{
    const size_t size = syn_long_run_batch(n), count = n / size;
    const double variance = centre->squares / (double)n;
    if (size == 1)
        return tau_about_centre(y, n, 1, centre->mean, variance, purpose);
    SYN_FREED double *mean = malloc((count + 1) * sizeof *mean);
    if (!mean)
        return unknown;
    take_batches(y, n, size, mean);
    return tau_of_batches(mean, count, size, variance, purpose);
}

/* Returns the centre of y [n], with y[0] as origin. */
static struct syn_centre centre_of(const double *y, size_t n)
{
    struct syn_centre centre = {.origin = y[0], .mean = syn_mean_about(y, n, y[0])};
    centre.squares = syn_sum_of_squares(y, n, centre.origin + centre.mean);
    return centre;
}

double syn_long_run_factor(const double *y, size_t n)
{
    if (n < SYN_LONG_RUN_LEAST)
        return NAN;
    const struct syn_centre centre = centre_of(y, n);
    return tau_of_values(y, n, &centre, &for_tests).width;
}

/* Returns tau of values that are 0 or 1, from the number of ones in each batch: hits [count]. */
static struct syn_interval_tau tau_of_counts(const size_t *hits, size_t count, size_t size,
                                             const struct purpose *purpose)
{
    SYN_FREED double *mean = malloc((count + 1) * sizeof *mean);
    double share = 0;
    if (!mean)
        return unknown;
    for (size_t b = 0; b < count; b++) {
        mean[b] = (double)hits[b] / (double)size;
        share += (double)hits[b];
    }
    share /= (double)size * (double)count;
    return tau_of_batches(mean, count, size, share * (1 - share), purpose);
}

double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size)
{
    return tau_of_counts(hits, count, size, &for_tests).width;
}

struct syn_interval_tau syn_interval_tau_of_counts(const size_t *hits, size_t count, size_t size)
{
    return tau_of_counts(hits, count, size, &for_intervals);
}

/* ---- one column ---- */

struct syn_interval_tau syn_interval_tau_of_clamped(const double *y, size_t n,
                                                    const struct syn_centre *centre)
{
    return tau_of_values(y, n, centre, &for_intervals);
}

/* Returns tau of x [n]: of x > median if the series is long, else of its clamped values. sorted
 * [n]: x ascending. */
static struct syn_interval_tau tau_of_column(const double *x, const double *sorted, size_t n,
                                             const struct purpose *purpose)
{
    if (n < SYN_LONG_RUN_LEAST)
        return unknown;
    if (n >= SYN_LONG_RUN_INDICATOR) {
        double median = syn_quantile_sorted(sorted, n, 0.5);
        size_t size = syn_long_run_batch(n), count = n / size;
        SYN_FREED size_t *hits = calloc(count, sizeof *hits);
        struct syn_interval_tau tau = unknown;
        for (size_t i = 0; i < size * count && hits; i++)
            hits[i / size] += x[i] > median;
        if (hits)
            tau = tau_of_counts(hits, count, size, purpose);
        return tau;
    }
    SYN_FREED double *y = malloc(n * sizeof *y);
    struct syn_interval_tau tau = unknown;
    if (y) {
        memcpy(y, x, n * sizeof *y);
        syn_clamp(y, n, sorted);
        const struct syn_centre centre = centre_of(y, n);
        tau = tau_of_values(y, n, &centre, purpose);
    }
    return tau;
}

struct syn_interval_tau syn_interval_tau_of_sorted(const double *x, const double *sorted, size_t n)
{
    return tau_of_column(x, sorted, n, &for_intervals);
}

double syn_dependence_factor_of_sorted(const double *x, const double *sorted, size_t n)
{
    return n ? tau_of_column(x, sorted, n, &for_tests).width : NAN;
}

double syn_dependence_factor(const double *x, size_t n)
{
    SYN_FREED double *sorted = malloc((n + 1) * sizeof *sorted);
    double factor = NAN;
    if (sorted && n) {
        memcpy(sorted, x, n * sizeof *sorted);
        syn_sort(sorted, n);
        factor = tau_of_column(x, sorted, n, &for_tests).width;
    }
    return factor;
}

/* ---- tables ---- */

/* Writes (y - mean) / deviation to out [n], which may be y itself. */
static void scale(const double *y, size_t n, double mean, double deviation, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (y[i] - mean) / deviation;
}

/* Appends the means of the batches of y [n], scaled to variance 1 of y. A constant column is
 * skipped. y is changed if it has batches of more than one value. */
static void add_column(double *y, size_t n, const struct syn_centre *centre, struct centred *to)
{
    const double deviation = sqrt(centre->squares / (double)n), mean = centre->mean;
    if (!(centre->squares > 0))
        return;
    double *batch = to->y + to->count++ * to->n, *out = to->n == n ? batch : y;
    scale(y, n, mean, deviation, out);
    if (to->n < n)
        take_batches(y, n, n / to->n, batch);
}

/* Clamps and appends the columns of x [count][n], count <= SYN_SIDE_BY_SIDE. scratch [n]. */
static void add_columns(double *x, size_t n, size_t count, double *scratch, struct centred *to)
{
    static const double
        origin[SYN_SIDE_BY_SIDE]; /* all 0: the rows' medians are subtracted already */
    const double *column[SYN_SIDE_BY_SIDE];
    double mean[SYN_SIDE_BY_SIDE], squares[SYN_SIDE_BY_SIDE];
    syn_clamp_columns(x, n, count, scratch);
    for (size_t k = 0; k < count; k++)
        column[k] = x + k * n;
    syn_means_about(column, count, n, origin, mean);
    syn_sums_of_squares(column, count, n, mean, squares);
    for (size_t k = 0; k < count; k++) {
        const struct syn_centre centre = {0, mean[k], squares[k]};
        add_column(x + k * n, n, &centre, to);
    }
}

/* Adds the products at lags 0 and 1 of a column y [n] to the sums of all columns, and to its own.
 */
static void sum_for_both(const double *y, size_t n, struct lag_pair *all, struct lag_pair *own)
{
    two sum = all->near_far, own_sum = own->near_far;
#pragma GCC unroll 4
    for (size_t i = 0; i + 1 < n; i++) {
        const two product = products_at(y + i, 0);
        sum += product;
        own_sum += product;
    }
    sum[NEAR] += y[n - 1] * y[n - 1];
    own_sum[NEAR] += y[n - 1] * y[n - 1];
    all->near_far = sum;
    own->near_far = own_sum;
}

/* Returns the autocovariances at lags 0 and 1, averaged over all columns. *largest: the largest tau
 * of a single column, by an autoregression whose rho is OWN_MARGIN standard errors below the
 * measured one; at least 1. */
static struct lag_pair covariances_of_table(const struct centred *all, size_t size, double *largest)
{
    const double n = (double)all->n, count = n * (double)all->count;
    struct lag_pair sum = {{0, 0}};
    *largest = 1;
    for (size_t s = 0; s < all->count; s++) {
        const double *y = all->y + s * all->n;
        struct lag_pair own = {{0, 0}};
        sum_for_both(y, all->n, &sum, &own);
        const double variance = own.near_far[NEAR] / n;
        const double rho = variance > 0 ? corrected(own.near_far[FAR] / n / variance, n) : 0;
        const double certain = rho - OWN_MARGIN * standard_error(fmin(rho, 1), n);
        *largest = fmax(*largest, tau_of_rho(certain) * (double)size * variance);
    }
    return (struct lag_pair){sum.near_far / count};
}

double syn_long_run_of_table(double *x, size_t n, size_t k)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    if (n < SYN_LONG_RUN_LEAST || k < 2)
        return NAN;
    SYN_FREED double *scratch = malloc(n * sizeof *scratch);
    struct centred all = {malloc((count * k + 1) * sizeof *all.y), count, 0};
    double factor = NAN;
    if (scratch && all.y && syn_take_row_medians(x, n, k) == SYN_OK) {
        for (size_t c = 0; c < k; c += SYN_SIDE_BY_SIDE)
            add_columns(x + c * n, n, syn_least(k - c, SYN_SIDE_BY_SIDE), scratch, &all);
        double largest = 1;
        const struct lag_pair first = covariances_of_table(&all, size, &largest);
        factor = all.count == 0
                     ? 1
                     : fmax(tau_of_means(&all, &first, size, for_tests.raise).width, largest);
    }
    free(all.y);
    return factor;
}

/* ---- effective numbers, intervals, tests ---- */

double syn_effective(size_t n, double factor)
{
    return isnan(factor) ? NAN : fmax(1, (double)n / factor);
}

double syn_dependent_z(double confidence, size_t n, struct syn_interval_tau tau)
{
    const double effective = syn_effective(n, tau.width);
    if (!syn_are_enough((double)n / tau.presence))
        return NAN;
    return effective > 1 ? qt(1 - (1 - confidence) / 2, effective - 1, 1, 0) * sqrt(tau.width)
                         : INFINITY;
}

double syn_unmeasured_z(double confidence, size_t n)
{
    const double count = (double)n;
    double sum = count, power = UNMEASURED_RHO;
    for (size_t k = 1; k < n; k++, power *= UNMEASURED_RHO)
        sum += 2 * (count - (double)k) * power;
    /* variance of the mean, as a share of that of the values; the rest of it is their spread */
    const double share = sum / count / count;
    return n > 1 ? qt(1 - (1 - confidence) / 2, count - 1, 1, 0) *
                       sqrt((count - 1) * share / (1 - share))
                 : NAN;
}

double syn_friedman_dependent_p(double kendall_w, size_t k, double n_effective)
{
    double df = (double)k - 1, rest = 1 - kendall_w;
    if (!syn_are_enough(n_effective) || k < 2 || isnan(kendall_w))
        return NAN;
    /* the probability that all rows have one order by chance */
    double least = exp(-lgammafn((double)k + 1) * (n_effective - 1));
    if (!(rest > 0))
        return least;
    double F = (n_effective - 1) * kendall_w / rest;
    return fmax(least, pf(F, df, df * (n_effective - 1), 0, 0));
}
