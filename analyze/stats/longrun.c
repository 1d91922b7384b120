/* analyze/stats/longrun.c - the integrated autocorrelation of a series, and what follows from it.
 */
#include "analyze/stats/longrun.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/ordered.h"
#include "analyze/stats/stats.h"
#include "analyze/stats/table.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

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

/* Sums of products of values a lag apart, and one more: side by side, as each waits for its own
 * last addition. */
typedef double two __attribute__((vector_size(16), aligned(8)));
struct products {
    two near_far;
};
enum { NEAR, FAR };

/* y[0], a lag before it and the one after that. */
static inline two products_at(const double *y, size_t lag)
{
    two ahead;
    memcpy(&ahead, y + lag, sizeof ahead);
    return y[0] * ahead;
}

static inline __attribute__((always_inline)) void sum_products(const double *y, size_t n,
                                                               size_t lag, struct products *to)
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

static void products_any(const double *y, size_t n, size_t lag, struct products *to)
{
    sum_products(y, n, lag, to);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void products_avx2(const double *y, size_t n, size_t lag,
                                          struct products *to)
{
    sum_products(y, n, lag, to);
}
#endif

/* Autocovariances at a lag and the next, the means over the series: divided by n, as acf does. */
static struct products autocovariances(const struct centred *c, size_t lag)
{
    const double count = (double)c->n * (double)c->count;
    struct products sum = {{0, 0}};
    for (size_t s = 0; s < c->count; s++)
        SYN_BY_CPU(products_avx2, products_any)(c->y + s * c->n, c->n, lag, &sum);
    return (struct products){sum.near_far / count};
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

/* first: at the lags 0 and 1. */
static double of_positive_sequence(const struct centred *c, const struct products *first)
{
    double tau = -1, n = (double)c->n;
    for (size_t lag = 0; lag + 1 < c->n / 2; lag += 2) {
        const struct products at = lag ? autocovariances(c, lag) : *first;
        const double pair = (at.near_far[NEAR] + at.near_far[FAR]) / first->near_far[NEAR];
        if (!(pair > 0))
            break;
        tau += 2 * pair;
    }
    tau = fmax(1, tau);
    return tau / (1 - fmin(0.9, 2 * tau / n)); /* what taking off the mean has taken away */
}

/* By how many standard errors rho is taken higher. */
struct errors {
    double width, presence;
};

/* c: centred means of batches of `size` values whose variance is 1; first: their autocovariances at
 * the lags 0 and 1. */
static struct syn_interval_tau factor_of(const struct centred *c, const struct products *first,
                                         size_t size, struct errors errors)
{
    const double variance = first->near_far[NEAR];
    if (!(variance > 0))
        return (struct syn_interval_tau){1, 1};
    const double r1 = first->near_far[FAR] / variance, scale = (double)size * variance;
    const double any_shape = of_positive_sequence(c, first);
    const double width = fmax(of_autoregression(c, r1, errors.width), any_shape);
    const double presence = fmax(of_autoregression(c, r1, errors.presence), any_shape);
    return (struct syn_interval_tau){fmax(1, width * scale), fmax(1, presence * scale)};
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

/* A way to cut a series: its first values, as many as make equal stretches, which have this mean,
 * squares about it, and products of neighbours. */
struct cuts {
    size_t count, least; /* cuts; values that all have */
    size_t used[SYN_SIDE_BY_SIDE];
    double mean[SYN_SIDE_BY_SIDE], squares[SYN_SIDE_BY_SIDE], products[SYN_SIDE_BY_SIDE];
};
_Static_assert((int)STRETCHES <= SYN_SIDE_BY_SIDE, "all cuts are measured side by side");

static struct cuts cuts_of(size_t n, const struct stretches *stretches)
{
    struct cuts cuts = {.least = n};
    while (cuts.count < STRETCHES && n >= 2 * stretches[cuts.count].count) {
        const size_t count = stretches[cuts.count].count;
        cuts.used[cuts.count] = n / count * count;
        cuts.least = syn_least(cuts.least, cuts.used[cuts.count++]);
    }
    for (size_t k = cuts.count; k < SYN_SIDE_BY_SIDE; k++)
        cuts.used[k] = cuts.least;
    return cuts;
}

/* Each sum in the order of the values, all side by side. */
static inline __attribute__((always_inline)) void find_means(const double *x, struct cuts *cuts)
{
    syn_four sum = {0}, used;
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        used[k] = (double)cuts->used[k];
    for (size_t i = 0; i < cuts->least; i++)
        sum += x[i] / used;
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++) {
        cuts->mean[k] = sum[k];
        for (size_t i = cuts->least; i < cuts->used[k]; i++)
            cuts->mean[k] += x[i] / (double)cuts->used[k];
    }
}

static inline __attribute__((always_inline)) void find_squares(const double *x, struct cuts *cuts)
{
    syn_four squares = {0}, products = {0}, mean, own;
    memcpy(&mean, cuts->mean, sizeof mean);
    own = x[0] - mean;
    for (size_t i = 0; i + 1 < cuts->least; i++) {
        const syn_four next = x[i + 1] - mean;
        squares += own * own;
        products += own * next;
        own = next;
    }
    memcpy(cuts->squares, &squares, sizeof squares);
    memcpy(cuts->products, &products, sizeof products);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        for (size_t i = cuts->least - 1; i < cuts->used[k]; i++) {
            const double d = x[i] - cuts->mean[k];
            cuts->squares[k] += d * d;
            cuts->products[k] += i + 1 < cuts->used[k] ? d * (x[i + 1] - cuts->mean[k]) : 0;
        }
}

static void measure_any(const double *x, struct cuts *cuts)
{
    find_means(x, cuts);
    find_squares(x, cuts);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void measure_avx2(const double *x, struct cuts *cuts)
{
    find_means(x, cuts);
    find_squares(x, cuts);
}
#endif

/* 1, or what the stretches of a cut say where they say more than neighbours do. */
static double factor_of_cut(const double *x, const struct cuts *cuts, size_t cut,
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
    /* chi-square; of constant values NAN, which says nothing */
    const double ratio = spread / (cuts->squares[cut] / (double)cuts->used[cut]);
    const double expected = factor_of_rho(cuts->products[cut] / cuts->squares[cut]);
    return ratio > expected * stretches->seen ? ratio / stretches->most : 1;
}

static double slow_factor(const double *x, size_t n, const struct stretches *stretches)
{
    struct cuts cuts = cuts_of(n, stretches);
    double factor = 1;
    if (cuts.count == 0)
        return factor;
    SYN_BY_CPU(measure_avx2, measure_any)(x, &cuts);
    for (size_t i = 0; i < cuts.count; i++)
        factor = fmax(factor, factor_of_cut(x, &cuts, i, &stretches[i]));
    return factor;
}

double syn_slow_factor(const double *x, size_t n)
{
    return slow_factor(x, n, of_changes);
}

/* ---- one series ---- */

/* The purpose of a factor. A false interval is worse than a wide one: the width of intervals
 * takes rho higher, and counts slow waves. */
struct purpose {
    struct errors errors;
    const struct stretches *stretches; /* of the width; NULL: none */
};

static const struct purpose for_tests = {{1, 1}, NULL}, for_intervals = {{2, 1.5}, of_intervals};
static const struct syn_interval_tau unknown = {NAN, NAN};

/* mean [count]: of batches of `size` values whose variance is given; the middle of mean - mean[0].
 */
static struct syn_interval_tau of_centred(const double *mean, size_t count, size_t size,
                                          double middle, double variance,
                                          const struct purpose *purpose)
{
    if (count < SYN_LONG_RUN_LEAST)
        return unknown;
    if (!(variance > 0))
        return (struct syn_interval_tau){1, 1};
    double *y = malloc(count * sizeof *y);
    if (!y)
        return unknown;
    const double origin = mean[0], deviation = sqrt(variance);
    for (size_t i = 0; i < count; i++)
        y[i] = (mean[i] - origin - middle) / deviation;
    const struct centred c = {y, count, 1};
    const struct products first = autocovariances(&c, 0);
    struct syn_interval_tau tau = factor_of(&c, &first, size, purpose->errors);
    if (purpose->stretches)
        tau.width = fmax(tau.width, slow_factor(y, count, purpose->stretches) * (double)size *
                                        first.near_far[NEAR]);
    free(y);
    return tau;
}

static struct syn_interval_tau of_batches(const double *mean, size_t count, size_t size,
                                          double variance, const struct purpose *purpose)
{
    return count ? of_centred(mean, count, size, syn_mean_about(mean, count, mean[0]), variance,
                              purpose)
                 : unknown;
}

double syn_long_run_of_batches(const double *mean, size_t count, size_t size, double variance)
{
    return of_batches(mean, count, size, variance, &for_tests).width;
}

/* Means of batches of y [n] into mean [n / size]. */
static size_t take_batches(const double *y, size_t n, size_t size, double *mean)
{
    size_t count = n / size;
    for (size_t b = 0; b < count; b++)
        mean[b] = size == 1 ? y[b] : y[0] + syn_mean_about(y + b * size, size, y[0]);
    return count;
}

/* centre: of y, about its first value. */
static struct syn_interval_tau of_values(const double *y, size_t n, const struct syn_centre *centre,
                                         const struct purpose *purpose)
{
    const size_t size = syn_long_run_batch(n), count = n / size;
    const double variance = centre->squares / (double)n;
    if (size == 1)
        return of_centred(y, n, 1, centre->mean, variance, purpose);
    double *mean = malloc((count + 1) * sizeof *mean);
    if (!mean)
        return unknown;
    take_batches(y, n, size, mean);
    const struct syn_interval_tau tau = of_batches(mean, count, size, variance, purpose);
    free(mean);
    return tau;
}

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
    return of_values(y, n, &centre, &for_tests).width;
}

static struct syn_interval_tau of_counts(const size_t *hits, size_t count, size_t size,
                                         const struct purpose *purpose)
{
    double *mean = malloc((count + 1) * sizeof *mean), share = 0;
    if (!mean)
        return unknown;
    for (size_t b = 0; b < count; b++) {
        mean[b] = (double)hits[b] / (double)size;
        share += (double)hits[b];
    }
    share /= (double)size * (double)count;
    const struct syn_interval_tau tau = of_batches(mean, count, size, share * (1 - share), purpose);
    free(mean);
    return tau;
}

double syn_long_run_of_counts(const size_t *hits, size_t count, size_t size)
{
    return of_counts(hits, count, size, &for_tests).width;
}

struct syn_interval_tau syn_interval_tau_of_counts(const size_t *hits, size_t count, size_t size)
{
    return of_counts(hits, count, size, &for_intervals);
}

/* ---- one column ---- */

struct syn_interval_tau syn_interval_tau_of_clamped(const double *y, size_t n,
                                                    const struct syn_centre *centre)
{
    return of_values(y, n, centre, &for_intervals);
}

static struct syn_interval_tau of_indicator(const double *x, size_t n, double median,
                                            const struct purpose *purpose)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    size_t *hits = calloc(count, sizeof *hits);
    struct syn_interval_tau tau = unknown;
    for (size_t i = 0; i < size * count && hits; i++)
        hits[i / size] += x[i] > median;
    if (hits)
        tau = of_counts(hits, count, size, purpose);
    free(hits);
    return tau;
}

static struct syn_interval_tau of_column(const double *x, const double *sorted, size_t n,
                                         const struct purpose *purpose)
{
    if (n < SYN_LONG_RUN_LEAST)
        return unknown;
    if (n >= SYN_LONG_RUN_INDICATOR)
        return of_indicator(x, n, syn_quantile_sorted(sorted, n, 0.5), purpose);
    double *y = malloc(n * sizeof *y);
    struct syn_interval_tau tau = unknown;
    if (y) {
        memcpy(y, x, n * sizeof *y);
        syn_clamp(y, n, sorted);
        const struct syn_centre centre = centre_of(y, n);
        tau = of_values(y, n, &centre, purpose);
    }
    free(y);
    return tau;
}

struct syn_interval_tau syn_interval_tau_of_sorted(const double *x, const double *sorted, size_t n)
{
    return of_column(x, sorted, n, &for_intervals);
}

double syn_dependence_factor_of_sorted(const double *x, const double *sorted, size_t n)
{
    return n ? of_column(x, sorted, n, &for_tests).width : NAN;
}

double syn_dependence_factor(const double *x, size_t n)
{
    double *sorted = malloc((n + 1) * sizeof *sorted), factor = NAN;
    if (sorted && n) {
        memcpy(sorted, x, n * sizeof *sorted);
        syn_sort(sorted, n);
        factor = of_column(x, sorted, n, &for_tests).width;
    }
    free(sorted);
    return factor;
}

/* ---- tables ---- */

/* out [n]: y, or other memory. */
static void scale_any(const double *y, size_t n, double mean, double deviation, double *out)
{
    for (size_t i = 0; i < n; i++)
        out[i] = (y[i] - mean) / deviation;
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void scale_avx2(const double *y, size_t n, double mean, double deviation,
                                       double *out)
{
    const __m256d means = _mm256_set1_pd(mean), deviations = _mm256_set1_pd(deviation);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d above = _mm256_sub_pd(_mm256_loadu_pd(y + i), means);
        _mm256_storeu_pd(out + i, _mm256_div_pd(above, deviations));
    }
    scale_any(y + i, n - i, mean, deviation, out + i);
}
#endif

/* A column y [n] as the means of batches, of the column's variance 1; not where it is constant. */
static void add_column(double *y, size_t n, const struct syn_centre *centre, struct centred *to)
{
    const double deviation = sqrt(centre->squares / (double)n), mean = centre->mean;
    if (!(centre->squares > 0))
        return;
    double *batch = to->y + to->count++ * to->n, *out = to->n == n ? batch : y;
    SYN_BY_CPU(scale_avx2, scale_any)(y, n, mean, deviation, out);
    if (to->n < n)
        take_batches(y, n, n / to->n, batch);
}

/* Columns [count] of x [count][n], side by side. scratch [n]. */
static void add_columns(double *x, size_t n, size_t count, double *scratch, struct centred *to)
{
    static const double origin[SYN_SIDE_BY_SIDE];
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

/* Products at the lag 0 to the sums of all columns and to those of this one. */
static inline __attribute__((always_inline)) void
sum_for_both(const double *y, size_t n, struct products *all, struct products *own)
{
    two sum = all->near_far, of_column = own->near_far;
#pragma GCC unroll 4
    for (size_t i = 0; i + 1 < n; i++) {
        const two product = products_at(y + i, 0);
        sum += product;
        of_column += product;
    }
    sum[NEAR] += y[n - 1] * y[n - 1];
    of_column[NEAR] += y[n - 1] * y[n - 1];
    all->near_far = sum;
    own->near_far = of_column;
}

static void for_both_any(const double *y, size_t n, struct products *all, struct products *own)
{
    sum_for_both(y, n, all, own);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void for_both_avx2(const double *y, size_t n, struct products *all,
                                          struct products *own)
{
    sum_for_both(y, n, all, own);
}
#endif

/* Autocovariances of all series at the lags 0 and 1; and the most that a column says by itself that
 * is far more dependent than the others: by its autoregression, well below its estimate. */
static struct products covariances_of_table(const struct centred *all, size_t size, double *most)
{
    const double n = (double)all->n, count = n * (double)all->count;
    struct products sum = {{0, 0}};
    *most = 1;
    for (size_t s = 0; s < all->count; s++) {
        const double *y = all->y + s * all->n;
        struct products own = {{0, 0}};
        SYN_BY_CPU(for_both_avx2, for_both_any)(y, all->n, &sum, &own);
        const double variance = own.near_far[NEAR] / n;
        const double rho = variance > 0 ? corrected(own.near_far[FAR] / n / variance, n) : 0;
        const double sure = rho - OWN_MARGIN * standard_error(fmin(rho, 1), n);
        *most = fmax(*most, factor_of_rho(sure) * (double)size * variance);
    }
    return (struct products){sum.near_far / count};
}

double syn_long_run_of_table(double *x, size_t n, size_t k)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    if (n < SYN_LONG_RUN_LEAST || k < 2)
        return NAN;
    double *scratch = malloc(n * sizeof *scratch);
    struct centred all = {malloc((count * k + 1) * sizeof *all.y), count, 0};
    double factor = NAN;
    if (scratch && all.y && syn_take_row_medians(x, n, k) == SYN_OK) {
        for (size_t c = 0; c < k; c += SYN_SIDE_BY_SIDE)
            add_columns(x + c * n, n, syn_least(k - c, SYN_SIDE_BY_SIDE), scratch, &all);
        double most = 1;
        const struct products first = covariances_of_table(&all, size, &most);
        factor =
            all.count == 0 ? 1 : fmax(factor_of(&all, &first, size, for_tests.errors).width, most);
    }
    free(scratch);
    free(all.y);
    return factor;
}

/* ---- what follows ---- */

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
