/* analyze/stats/longrun.c - the integrated autocorrelation of a series, and what follows from it.
 */
#include "analyze/stats/longrun.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/ordered.h"
#include "analyze/stats/stats.h"
#include "sync/base/integers.h"

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

/* Sums of products of values a lag apart, and one more. */
struct products {
    double near, far;
};

static void add_products(const double *y, size_t n, size_t lag, struct products *to)
{
    struct products sum = *to;
    size_t i = 0;
    for (; i + lag + 1 < n; i++) {
        sum.near += y[i] * y[i + lag];
        sum.far += y[i] * y[i + lag + 1];
    }
    if (i + lag < n)
        sum.near += y[i] * y[i + lag];
    *to = sum;
}

/* Autocovariances at a lag and the next, the means over the series: divided by n, as acf does. */
static struct products autocovariances(const struct centred *c, size_t lag)
{
    const double count = (double)c->n * (double)c->count;
    struct products sum = {0, 0};
    for (size_t s = 0; s < c->count; s++)
        add_products(c->y + s * c->n, c->n, lag, &sum);
    return (struct products){sum.near / count, sum.far / count};
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
        const struct products two = lag ? autocovariances(c, lag) : *first;
        const double pair = (two.near + two.far) / first->near;
        if (!(pair > 0))
            break;
        tau += 2 * pair;
    }
    tau = fmax(1, tau);
    return tau / (1 - fmin(0.9, 2 * tau / n)); /* what taking off the mean has taken away */
}

/* c: centred means of batches of `size` values whose variance is 1; first: their autocovariances at
 * the lags 0 and 1. */
static double factor_of(const struct centred *c, const struct products *first, size_t size,
                        double errors)
{
    const double variance = first->near;
    if (!(variance > 0))
        return 1;
    double tau =
        fmax(of_autoregression(c, first->far / variance, errors), of_positive_sequence(c, first));
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

/* Of each way to cut a series: its first values, as many as make equal stretches, which have this
 * mean, squares about it, and products of neighbours. */
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

/* What a factor is for. An interval that is false is worse than one that is wide: rho is taken
 * higher for it, and slow waves count. */
struct purpose {
    double errors;
    const struct stretches *stretches; /* NULL: none */
};

static const struct purpose for_tests = {1, NULL}, for_intervals = {2, of_intervals};

/* mean [count]: of batches of `size` values whose variance is given; the middle of mean - mean[0].
 */
static double of_centred(const double *mean, size_t count, size_t size, double middle,
                         double variance, const struct purpose *purpose)
{
    if (count < SYN_LONG_RUN_LEAST)
        return NAN;
    if (!(variance > 0))
        return 1;
    double *y = malloc(count * sizeof *y);
    if (!y)
        return NAN;
    const double origin = mean[0], deviation = sqrt(variance);
    for (size_t i = 0; i < count; i++)
        y[i] = (mean[i] - origin - middle) / deviation;
    const struct centred c = {y, count, 1};
    const struct products first = autocovariances(&c, 0);
    double factor = factor_of(&c, &first, size, purpose->errors);
    if (purpose->stretches)
        factor =
            fmax(factor, slow_factor(y, count, purpose->stretches) * (double)size * first.near);
    free(y);
    return factor;
}

static double of_batches(const double *mean, size_t count, size_t size, double variance,
                         const struct purpose *purpose)
{
    return count ? of_centred(mean, count, size, syn_mean_about(mean, count, mean[0]), variance,
                              purpose)
                 : NAN;
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

/* centre: of y, about its first value. */
static double of_values(const double *y, size_t n, const struct syn_centre *centre,
                        const struct purpose *purpose)
{
    const size_t size = syn_long_run_batch(n), count = n / size;
    const double variance = centre->squares / (double)n;
    if (size == 1)
        return of_centred(y, n, 1, centre->mean, variance, purpose);
    double *mean = malloc((count + 1) * sizeof *mean);
    if (!mean)
        return NAN;
    take_batches(y, n, size, mean);
    const double factor = of_batches(mean, count, size, variance, purpose);
    free(mean);
    return factor;
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
    return of_values(y, n, &centre, &for_tests);
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

static void clamp_to(double *y, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++) {
        double kept = y[i];
        if (kept < low)
            kept = low;
        if (kept > high)
            kept = high;
        y[i] = kept;
    }
}

#define CLAMP_LOW  0.05
#define CLAMP_HIGH 0.95

void syn_clamp(double *y, size_t n, const double *sorted)
{
    clamp_to(y, n, syn_quantile_sorted(sorted, n, CLAMP_LOW),
             syn_quantile_sorted(sorted, n, CLAMP_HIGH));
}

double syn_interval_factor_of_clamped(const double *y, size_t n, const struct syn_centre *centre)
{
    return of_values(y, n, centre, &for_intervals);
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
        syn_clamp(y, n, sorted);
        const struct syn_centre centre = centre_of(y, n);
        factor = of_values(y, n, &centre, purpose);
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

/* So many rows are sorted side by side. */
#define ROWS 16

/* Of each row: the less into a, the other into b. Nobody predicts which that is: bits are changed
 * for bits. */
typedef double two_rows __attribute__((vector_size(16)));
typedef int64_t two_bits __attribute__((vector_size(16)));

static void exchange(double *a, double *b)
{
    for (size_t i = 0; i < ROWS; i += 2) {
        two_rows left, right;
        memcpy(&left, a + i, sizeof left);
        memcpy(&right, b + i, sizeof right);
        const two_bits changed = ((two_bits)left ^ (two_bits)right) & (right < left);
        const two_bits least = (two_bits)left ^ changed, most = (two_bits)right ^ changed;
        memcpy(a + i, &least, sizeof least);
        memcpy(b + i, &most, sizeof most);
    }
}

/* The rows of `row` [k][ROWS], each ascending. Which columns are compared does not depend on what
 * they hold. Knuth, volume 3, 5.2.2, algorithm M (Batcher). */
static void sort_rows(double *row, size_t k)
{
    size_t top = 1;
    while (2 * top < k)
        top *= 2;
    for (size_t p = k > 1 ? top : 0; p > 0; p /= 2)
        for (size_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (size_t i = 0; i + d < k; i++)
                if ((i & p) == r)
                    exchange(row + i * ROWS, row + (i + d) * ROWS);
            if (q == p)
                break;
        }
}

/* The medians of sorted rows, as syn_quantile_sorted has them. */
static void medians_of_rows(const double *row, size_t k, double *median)
{
    const double *low = row + (k - 1) / 2 * ROWS, *high = row + k / 2 * ROWS;
    for (size_t i = 0; i < ROWS; i++)
        median[i] = low[i] == high[i] ? low[i] : 0.5 * low[i] + 0.5 * high[i];
}

/* x [k][n], less the median of each place. row [k][ROWS]: scratch. */
static void take_row_medians(double *x, size_t n, size_t k, double *row)
{
    double median[ROWS];
    memset(row, 0, k * ROWS * sizeof *row);
    for (size_t first = 0; first < n; first += ROWS) {
        const size_t count = syn_least(n - first, ROWS);
        for (size_t j = 0; j < k; j++)
            memcpy(row + j * ROWS, x + j * n + first, count * sizeof *x);
        sort_rows(row, k);
        medians_of_rows(row, k, median);
        for (size_t j = 0; j < k; j++)
            for (size_t i = 0; i < count; i++)
                x[j * n + first + i] -= median[i];
    }
}

/* The least values of y [n >= count], ascending, and the largest, descending: of so few it takes
 * less than sorting all. */
static void find_ends(const double *y, size_t n, size_t count, double *least, double *largest)
{
    for (size_t i = 0; i < count; i++) {
        least[i] = INFINITY;
        largest[i] = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        if (y[i] < least[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && least[at - 1] > y[i]; at--)
                least[at] = least[at - 1];
            least[at] = y[i];
        }
        if (y[i] > largest[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && largest[at - 1] < y[i]; at--)
                largest[at] = largest[at - 1];
            largest[at] = y[i];
        }
    }
}

/* The same of four columns side by side, in which each value goes past all that are kept: of few
 * that takes less than asking whether it is one of them, which nobody predicts. */
#define KEPT_MOST 16
typedef int64_t four_bits __attribute__((vector_size(32), aligned(8)));

static inline __attribute__((always_inline)) void keep(syn_four *kept, size_t count, syn_four value,
                                                       bool largest)
{
    for (size_t at = 0; at < count; at++) {
        const four_bits is_kept = largest ? value > kept[at] : value < kept[at];
        const four_bits changed = ((four_bits)value ^ (four_bits)kept[at]) & is_kept;
        kept[at] = (syn_four)((four_bits)kept[at] ^ changed);
        value = (syn_four)((four_bits)value ^ changed);
    }
}

/* x [SYN_SIDE_BY_SIDE][n] */
static inline __attribute__((always_inline)) void
find_ends_of_four(const double *x, size_t n, size_t count, syn_four *least, syn_four *largest)
{
    for (size_t at = 0; at < count; at++) {
        least[at] = (syn_four){INFINITY, INFINITY, INFINITY, INFINITY};
        largest[at] = -least[at];
    }
    for (size_t i = 0; i < n; i++) {
        const syn_four value = {x[i], x[n + i], x[2 * n + i], x[3 * n + i]};
        keep(least, count, value, false);
        keep(largest, count, value, true);
    }
}

static void ends_of_four_any(const double *x, size_t n, size_t count, syn_four *least,
                             syn_four *largest)
{
    find_ends_of_four(x, n, count, least, largest);
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static void ends_of_four_avx2(const double *x, size_t n, size_t count,
                                              syn_four *least, syn_four *largest)
{
    find_ends_of_four(x, n, count, least, largest);
}
#endif

/* Where the quantiles are that columns of n values are clamped to: among so many at each end. */
struct clamping {
    struct syn_quantile_place low, high;
    size_t n, count;
};

static struct clamping clamping_of(size_t n)
{
    struct clamping clamping = {syn_place_quantile(n, CLAMP_LOW), syn_place_quantile(n, CLAMP_HIGH),
                                n, 0};
    clamping.count = syn_largest(clamping.low.high, n + 1 - clamping.high.low);
    return clamping;
}

/* Longer columns are sorted sooner than their ends are found. */
#define ENDS_MOST 2048

/* As syn_clamp. scratch [n]. */
static void clamp_unsorted(double *y, const struct clamping *clamping, double *scratch)
{
    const struct syn_quantile_place *low = &clamping->low, *high = &clamping->high;
    const size_t n = clamping->n, count = clamping->count;
    double *largest = scratch + count;
    if (n > ENDS_MOST || 2 * count > n) {
        memcpy(scratch, y, n * sizeof *y);
        syn_sort(scratch, n);
        syn_clamp(y, n, scratch);
        return;
    }
    find_ends(y, n, count, scratch, largest);
    clamp_to(y, n, syn_quantile_at(low, scratch[low->low - 1], scratch[low->high - 1]),
             syn_quantile_at(high, largest[n - high->low], largest[n - high->high]));
}

static void clamp_four(double *x, const struct clamping *clamping)
{
    syn_four least[KEPT_MOST], largest[KEPT_MOST];
    const struct syn_quantile_place *low = &clamping->low, *high = &clamping->high;
    const size_t n = clamping->n;
    SYN_BY_CPU(ends_of_four_avx2, ends_of_four_any)(x, n, clamping->count, least, largest);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        clamp_to(x + k * n, n,
                 syn_quantile_at(low, least[low->low - 1][k], least[low->high - 1][k]),
                 syn_quantile_at(high, largest[n - high->low][k], largest[n - high->high][k]));
}

/* Columns [count] of x [count][n]. */
static void clamp_columns(double *x, size_t n, size_t count, double *scratch)
{
    const struct clamping clamping = clamping_of(n);
    if (count == SYN_SIDE_BY_SIDE && clamping.count <= KEPT_MOST) {
        clamp_four(x, &clamping);
        return;
    }
    for (size_t k = 0; k < count; k++)
        clamp_unsorted(x + k * n, &clamping, scratch);
}

/* A column y [n] as the means of batches, of the column's variance 1; not where it is constant. */
static void add_column(double *y, size_t n, const struct syn_centre *centre, struct centred *to)
{
    const double deviation = sqrt(centre->squares / (double)n), mean = centre->mean;
    if (!(centre->squares > 0))
        return;
    for (size_t i = 0; i < n; i++)
        y[i] = (y[i] - mean) / deviation;
    take_batches(y, n, n / to->n, to->y + to->count++ * to->n);
}

/* Columns [count] of x [count][n], side by side. scratch [n]. */
static void add_columns(double *x, size_t n, size_t count, double *scratch, struct centred *to)
{
    static const double origin[SYN_SIDE_BY_SIDE];
    const double *column[SYN_SIDE_BY_SIDE];
    double mean[SYN_SIDE_BY_SIDE], squares[SYN_SIDE_BY_SIDE];
    clamp_columns(x, n, count, scratch);
    for (size_t k = 0; k < count; k++)
        column[k] = x + k * n;
    syn_means_about(column, count, n, origin, mean);
    syn_sums_of_squares(column, count, n, mean, squares);
    for (size_t k = 0; k < count; k++) {
        const struct syn_centre centre = {0, mean[k], squares[k]};
        add_column(x + k * n, n, &centre, to);
    }
}

/* add_products at the lag 0 to the sums of all columns and to those of this one: side by side, as
 * each waits for its own last addition. */
static void add_to_both(const double *y, size_t n, struct products *all, struct products *own)
{
    struct products sum = *all, of_column = *own;
    for (size_t i = 0; i < n; i++) {
        const double near = y[i] * y[i];
        sum.near += near;
        of_column.near += near;
        if (i + 1 == n)
            break;
        const double far = y[i] * y[i + 1];
        sum.far += far;
        of_column.far += far;
    }
    *all = sum;
    *own = of_column;
}

/* Autocovariances of all series at the lags 0 and 1; and the most that a column says by itself that
 * is far more dependent than the others: by its autoregression, well below its estimate. */
static struct products covariances_of_table(const struct centred *all, size_t size, double *most)
{
    const double n = (double)all->n, count = n * (double)all->count;
    struct products sum = {0, 0};
    *most = 1;
    for (size_t s = 0; s < all->count; s++) {
        const double *y = all->y + s * all->n;
        struct products own = {0, 0};
        add_to_both(y, all->n, &sum, &own);
        const double variance = own.near / n;
        const double rho = variance > 0 ? corrected(own.far / n / variance, n) : 0;
        const double sure = rho - OWN_MARGIN * standard_error(fmin(rho, 1), n);
        *most = fmax(*most, factor_of_rho(sure) * (double)size * variance);
    }
    return (struct products){sum.near / count, sum.far / count};
}

double syn_long_run_of_table(double *x, size_t n, size_t k)
{
    size_t size = syn_long_run_batch(n), count = n / size;
    if (n < SYN_LONG_RUN_LEAST || k < 2)
        return NAN;
    double *scratch = malloc((n + k * ROWS) * sizeof *scratch);
    struct centred all = {malloc((count * k + 1) * sizeof *all.y), count, 0};
    double factor = NAN;
    if (scratch && all.y) {
        take_row_medians(x, n, k, scratch + n);
        for (size_t c = 0; c < k; c += SYN_SIDE_BY_SIDE)
            add_columns(x + c * n, n, syn_least(k - c, SYN_SIDE_BY_SIDE), scratch, &all);
        double most = 1;
        const struct products first = covariances_of_table(&all, size, &most);
        factor = all.count == 0 ? 1 : fmax(factor_of(&all, &first, size, 1), most);
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
