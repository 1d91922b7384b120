/* analyze/stats/samples/bootstrap_median.c - computes medians of resamples without making the
 * resamples.
 *
 * For independent values, the order statistics of a resample are those of n uniform indices. The
 * l-th smallest of n uniform numbers is beta(l, n + 1 - l): one draw instead of n. (L. Devroye,
 * Non-Uniform Random Variate Generation, 1986, chapter V, section 3.)
 *
 * For blocks, nearly all values certainly lie below or above the median of each resample. They are
 * counted by differences of prefix sums, and only those in the middle are examined one by one. The
 * blocks drawn, and so the medians, are those of syn_bootstrap. */
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Returns the median between these two values, as syn_quantile_sorted computes it. */
static double between(double low, double high)
{
    const double two[2] = {low, high};
    return syn_quantile_sorted(two, 2, 0.5);
}

/* ---- independent values ---- */

/* Draws from a gamma distribution of shape a >= 1. G. Marsaglia, W. W. Tsang, A Simple Method for
 * Generating Gamma Variables, ACM TOMS 26 (2000) 363-372. */
static double gamma_of(struct syn_random *random, double a)
{
    const double d = a - 1.0 / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        const double radius = sqrt(-2 * log(syn_random_unit(random)));
        const double z = radius * cos(2 * M_PI * syn_random_unit(random));
        const double root = 1 + c * z, v = root * root * root;
        if (root > 0 && log(syn_random_unit(random)) < 0.5 * z * z + d - d * v + d * log(v))
            return d * v;
    }
}

static size_t index_at(double u, size_t n)
{
    const size_t index = (size_t)(u * (double)n);
    return syn_least(index, n - 1);
}

/* Draws the median of a resample of sorted [n]. */
static double draw_median(struct syn_random *random, const double *sorted, size_t n)
{
    const size_t rank = (n + 1) / 2; /* from 1; the lower one of two */
    const double before = gamma_of(random, (double)rank);
    const double behind = gamma_of(random, (double)(n + 1 - rank));
    const double u = before / (before + behind);
    const double low = sorted[index_at(u, n)];
    if (n % 2 == 1)
        return low;
    /* the least of the n - rank numbers above u */
    const double left = pow(syn_random_unit(random), 1 / (double)(n - rank));
    return between(low, sorted[index_at(1 - (1 - u) * left, n)]);
}

static int draw_independent(const double *x, size_t n, const struct syn_resampling *how, double *t)
{
    struct syn_random random;
    SYN_FREED double *sorted = malloc(n * sizeof *sorted);
    if (!sorted)
        return SYN_ENOMEM;
    memcpy(sorted, x, n * sizeof *x);
    syn_sort(sorted, n);
    syn_random_seed(&random, how->seed);
    for (size_t i = 0; i < how->replicates; i++)
        t[i] = draw_median(&random, sorted, n);
    return 0;
}

/* ---- blocks ---- */

/* Half width of the middle, in standard deviations of the resamples' medians. If a median lies
 * outside, its resample is made. */
#define MIDDLE_SIGMAS 5
#define MIDDLE_LEAST  16

struct middle {
    const double *x; /* [n] */
    size_t n, block;
    uint32_t *below;  /* [n + 1]: number of values before the i-th that are below the middle */
    uint32_t *before; /* [n + 1]: likewise, that are in the middle */
    uint32_t
        *place;    /* [count], of the values in the middle in the order of time: index in `value` */
    double *value; /* [count], ascending */
    size_t *order; /* [count], scratch */
    uint32_t *times; /* [count], how often each value is in the current resample */
    size_t count;
    double *copy; /* [n], a whole resample, or x ascending */
};

/* Returns the number of values with a property in a block from `from` on, by prefix sums [n + 1].
 */
static uint32_t in_block(const uint32_t *sum, size_t n, size_t from, size_t length)
{
    const size_t end = from + length;
    return end <= n ? sum[end] - sum[from] : sum[n] - sum[from] + sum[end - n];
}

/* Returns the standard deviation of the number of values of a resample that are at or below the
 * median. */
static double deviation(struct middle *middle, double median)
{
    const size_t n = middle->n;
    double sum = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        middle->below[i + 1] = middle->below[i] + (middle->x[i] <= median);
    for (size_t i = 0; i < n; i++) {
        const double hits = in_block(middle->below, n, i, middle->block);
        sum += hits;
        squares += hits * hits;
    }
    const double mean = sum / (double)n;
    const double variance = fmax(0, squares / (double)n - mean * mean);
    return sqrt(variance * (double)n / (double)middle->block);
}

/* Chooses the middle and counts the values in it. middle->copy holds x ascending. */
static int find_middle(struct middle *middle)
{
    const size_t n = middle->n, half = n / 2;
    const double spread = deviation(middle, middle->copy[(n - 1) / 2]);
    const size_t wide = MIDDLE_LEAST + (size_t)(MIDDLE_SIGMAS * spread);
    const double low = middle->copy[half > wide ? half - wide : 0];
    const double high = middle->copy[syn_least(n - 1, half + wide)];
    /* The values from low to high are the middle. */
    for (size_t i = 0; i < middle->n; i++) {
        const bool below = middle->x[i] < low, within = !below && middle->x[i] <= high;
        middle->below[i + 1] = middle->below[i] + below;
        middle->before[i + 1] = middle->before[i] + within;
    }
    middle->count = middle->before[middle->n];
    const size_t count = middle->count;
    SYN_FREED double *own = malloc(count * sizeof *own);
    middle->place = malloc(count * sizeof *middle->place);
    middle->value = malloc(count * sizeof *middle->value);
    middle->order = malloc(count * sizeof *middle->order);
    middle->times = calloc(count, sizeof *middle->times);
    int status =
        own && middle->place && middle->value && middle->order && middle->times ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < middle->n && status == SYN_OK; i++)
        if (middle->before[i + 1] > middle->before[i])
            own[middle->before[i]] = middle->x[i];
    if (status == SYN_OK)
        syn_order(own, count, middle->order);
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        middle->value[i] = own[middle->order[i]];
        middle->place[middle->order[i]] = (uint32_t)i;
    }
    return status;
}

static int begin_middle(struct middle *middle)
{
    const size_t n = middle->n;
    middle->below = calloc(n + 1, sizeof *middle->below);
    middle->before = calloc(n + 1, sizeof *middle->before);
    middle->copy = malloc(n * sizeof *middle->copy);
    if (!middle->below || !middle->before || !middle->copy)
        return SYN_ENOMEM;
    memcpy(middle->copy, middle->x, n * sizeof *middle->x);
    syn_sort(middle->copy, n);
    return find_middle(middle);
}

static void count_times(struct middle *middle, size_t first, size_t end)
{
    for (size_t i = middle->before[first]; i < middle->before[end]; i++)
        middle->times[middle->place[i]]++;
}

/* Draws the blocks of a resample. Returns the number of its values below the middle. */
static size_t draw_blocks(struct middle *middle, struct syn_random *random,
                          const struct syn_random_range *starts)
{
    const size_t n = middle->n;
    size_t below = 0;
    memset(middle->times, 0, middle->count * sizeof *middle->times);
    for (size_t left = n; left > 0;) {
        const size_t from = (size_t)syn_random_in(random, starts);
        const size_t length = syn_least(middle->block, left), end = from + length;
        below += in_block(middle->below, n, from, length);
        count_times(middle, from, syn_least(end, n));
        if (end > n)
            count_times(middle, 0, end - n);
        left -= length;
    }
    return below;
}

/* Returns the value of a rank (from 0) in the resample, of which `before` values lie below the
 * middle. NAN if it is not in the middle. */
static double value_at(const struct middle *middle, size_t before, size_t rank)
{
    if (rank < before)
        return NAN;
    for (size_t i = 0; i < middle->count; i++) {
        before += middle->times[i];
        if (rank < before)
            return middle->value[i];
    }
    return NAN;
}

static int draw_from_blocks(const double *x, size_t n, const struct syn_resampling *how, double *t)
{
    struct middle middle = {.x = x, .n = n, .block = syn_least(how->block_length, n)};
    const struct syn_random_range starts = syn_random_range_of(n);
    struct syn_random random;
    int status = begin_middle(&middle);
    syn_random_seed(&random, how->seed);
    for (size_t i = 0; i < how->replicates && status == SYN_OK; i++) {
        struct syn_random again = random;
        const size_t below = draw_blocks(&middle, &random, &starts);
        const double low = value_at(&middle, below, (n - 1) / 2);
        const double high = value_at(&middle, below, n / 2);
        t[i] = between(low, high);
        if (isnan(low) || isnan(high)) {
            syn_resample(&again, x, n, how->block_length, middle.copy);
            t[i] = syn_statistic_median(middle.copy, n, NULL);
        }
    }
    free(middle.below);
    free(middle.before);
    free(middle.place);
    free(middle.value);
    free(middle.order);
    free(middle.times);
    free(middle.copy);
    return status;
}

/* ---- both ---- */

int syn_bootstrap_median(const double *x, size_t n, const struct syn_resampling *how,
                         struct syn_bootstrap *out)
{
    *out = (struct syn_bootstrap){NAN, NAN, NAN, NAN, NAN};
    if (n < 2 || n > UINT32_MAX || how->replicates < 2 || how->block_length < 1 ||
        !(how->confidence > 0 && how->confidence < 1))
        return SYN_EINVAL;
    SYN_FREED double *copy = malloc(n * sizeof *copy), *t = malloc(how->replicates * sizeof *t);
    int status = copy && t ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        memcpy(copy, x, n * sizeof *x);
        out->estimate = syn_statistic_median(copy, n, NULL);
        status = how->block_length == 1 ? draw_independent(x, n, how, t)
                                        : draw_from_blocks(x, n, how, t);
    }
    if (status == SYN_OK)
        syn_bootstrap_summarize(t, how->replicates, how->confidence, out);
    return status;
}
