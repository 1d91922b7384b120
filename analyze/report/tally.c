/* analyze/report/tally.c - values of long columns counted instead of sorted: quantiles are then
 * exact at a fraction of the cost. */
#include "analyze/report/tally.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "sync/cpu.h"

/* ---- counting ---- */

int syn_tally_begin(struct syn_tally *tally, int64_t least, int64_t most, size_t expected)
{
    uint64_t span = (uint64_t)most - (uint64_t)least;
    if (most < least || span >= (uint64_t)SYN_TALLY_SPAN_MAX)
        return SYN_EINVAL;
    /* an array much longer than the column would cost more to clear and walk than it saves */
    size_t dense_count = expected < 8192 ? 16384 : 2 * expected;
    dense_count = syn_least(dense_count, SYN_TALLY_DENSE);
    dense_count = span < dense_count ? (size_t)span + 1 : dense_count;
    if (dense_count > tally->dense_capacity) {
        free(tally->dense);
        tally->dense_capacity = 0;
        tally->dense = malloc(dense_count * sizeof *tally->dense);
        if (!tally->dense)
            return SYN_ENOMEM;
        tally->dense_capacity = dense_count;
    }
    memset(tally->dense, 0, dense_count * sizeof *tally->dense);
    tally->low = least;
    tally->n = 0;
    tally->dense_count = dense_count;
    tally->rest_count = 0;
    tally->count_count = 0;
    return 0;
}

static int add_rest(struct syn_tally *tally, uint64_t above)
{
    if (SYN_ROOM(tally->rest, tally->rest_capacity, tally->rest_count) != SYN_OK)
        return SYN_ENOMEM;
    tally->rest[tally->rest_count++] = (double)above; /* exact: the span is below 2^53 */
    return 0;
}

int syn_tally_add(struct syn_tally *tally, const int64_t *values, size_t count)
{
    uint64_t *dense = tally->dense;
    uint64_t low = (uint64_t)tally->low, dense_count = tally->dense_count;
    tally->n += count;
    for (size_t i = 0; i < count; i++) {
        uint64_t place = (uint64_t)values[i] - low;
        if (__builtin_expect(place < dense_count, 1))
            dense[place]++;
        else if (add_rest(tally, place))
            return SYN_ENOMEM;
    }
    return 0;
}

static int put(struct syn_tally *tally, int64_t value, uint64_t count)
{
    if (SYN_ROOM(tally->count, tally->count_capacity, tally->count_count) != SYN_OK)
        return SYN_ENOMEM;
    tally->count[tally->count_count++] = (struct syn_count){value, count};
    return 0;
}

int syn_tally_close(struct syn_tally *tally)
{
    for (size_t i = 0; i < tally->dense_count; i++)
        if (tally->dense[i] && put(tally, tally->low + (int64_t)i, tally->dense[i]))
            return SYN_ENOMEM;
    syn_sort(tally->rest, tally->rest_count);
    for (size_t first = 0, end; first < tally->rest_count; first = end) {
        for (end = first + 1; end < tally->rest_count && tally->rest[end] == tally->rest[first];)
            end++;
        if (put(tally, tally->low + (int64_t)tally->rest[first], end - first))
            return SYN_ENOMEM;
    }
    return 0;
}

void syn_tally_free(struct syn_tally *tally)
{
    free(tally->dense);
    free(tally->rest);
    free(tally->count);
    *tally = (struct syn_tally){0};
}

/* ---- reading off ---- */

void syn_tally_select(const struct syn_tally *tally, const uint64_t *rank, size_t count,
                      double *out)
{
    uint64_t until = 0;
    size_t done = 0;
    for (size_t i = 0; i < tally->count_count && done < count; i++) {
        until += tally->count[i].count;
        while (done < count && rank[done] <= until)
            out[done++] = (double)tally->count[i].value;
    }
    while (done < count)
        out[done++] = NAN;
}

struct syn_tally_moments syn_tally_moments(const struct syn_tally *tally)
{
    struct syn_tally_moments moments = {0, 0};
    for (size_t i = 0; i < tally->count_count; i++) {
        __int128 above = tally->count[i].value - tally->low;
        __int128 weighted = above * (__int128)tally->count[i].count;
        moments.sum += weighted;
        moments.squares += above * weighted;
    }
    return moments;
}

/* ---- a summary ---- */

/* Order statistics that are wanted, by ascending rank. */
#define WANTED_MAX 24

struct wanted {
    uint64_t rank[WANTED_MAX];
    double value[WANTED_MAX];
    size_t count;
};

static void want(struct wanted *wanted, uint64_t rank)
{
    size_t at = wanted->count;
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->rank[i] == rank)
            return;
    for (; at > 0 && wanted->rank[at - 1] > rank; at--)
        wanted->rank[at] = wanted->rank[at - 1];
    wanted->rank[at] = rank;
    wanted->count++;
}

static double got(const struct wanted *wanted, uint64_t rank)
{
    for (size_t i = 0; i < wanted->count; i++)
        if (wanted->rank[i] == rank)
            return wanted->value[i];
    return NAN;
}

/* The quantile's place, and its fraction, as syn_quantile_sorted has them. */
static double quantile_index(uint64_t n, double p)
{
    return 1 + (double)(n - 1) * p;
}

static double quantile(const struct wanted *wanted, uint64_t n, double p)
{
    double index = quantile_index(n, p), h = index - floor(index);
    double low = got(wanted, (uint64_t)floor(index)), high = got(wanted, (uint64_t)ceil(index));
    return h <= 0 || low == high ? low : (1 - h) * low + h * high;
}

static void set_moments(const struct syn_tally *tally, struct syn_summary *out)
{
    struct syn_tally_moments moments = syn_tally_moments(tally);
    syn_quad n = tally->n, sum = (syn_quad)moments.sum, squares = (syn_quad)moments.squares;
    out->mean = (double)((syn_quad)tally->low + sum / n);
    if (tally->n > 1)
        out->sd = sqrt((double)((squares - sum * sum / n) / (n - 1)));
}

static void count_outliers(const struct syn_tally *tally, struct syn_summary *out)
{
    double reach = 1.5 * (out->q3 - out->q1), low = out->q1 - reach, high = out->q3 + reach;
    for (size_t i = 0; i < tally->count_count; i++)
        if ((double)tally->count[i].value < low || (double)tally->count[i].value > high)
            out->outliers_tukey += tally->count[i].count;
}

int syn_tally_summarize(const struct syn_tally *tally, double confidence, struct syn_summary *out)
{
    static const double quantiles[] = {0.5, 0.25, 0.75, 0.05, 0.95, 0.99, 0.1};
    double *into[] = {&out->median, &out->q1, &out->q3, &out->p5, &out->p95, &out->p99, &out->p10};
    const int quantile_count = sizeof into / sizeof *into;
    const double z = syn_two_sided_z(confidence);
    struct wanted wanted = {.count = 0};
    size_t low, high, tenth_low, tenth_high;
    /* all the NANs of a column of nothing, and what follows for one of n */
    int status = syn_summarize_sorted(NULL, 0, confidence, out);
    if (status != SYN_OK || tally->n == 0)
        return status;
    out->n = tally->n;
    bool interval = syn_median_interval_ranks(tally->n, z, &low, &high) == 0;
    bool tenth = syn_quantile_interval_ranks(tally->n, 0.1, z, &tenth_low, &tenth_high) == 0;
    for (int i = 0; i < quantile_count; i++) {
        want(&wanted, (uint64_t)floor(quantile_index(tally->n, quantiles[i])));
        want(&wanted, (uint64_t)ceil(quantile_index(tally->n, quantiles[i])));
    }
    want(&wanted, 1);
    want(&wanted, tally->n);
    if (interval) {
        want(&wanted, low);
        want(&wanted, high);
    }
    if (tenth) {
        want(&wanted, tenth_low);
        want(&wanted, tenth_high);
    }
    syn_tally_select(tally, wanted.rank, wanted.count, wanted.value);
    for (int i = 0; i < quantile_count; i++)
        *into[i] = quantile(&wanted, tally->n, quantiles[i]);
    out->min = got(&wanted, 1);
    out->max = got(&wanted, tally->n);
    out->ci_low = interval ? got(&wanted, low) : NAN;
    out->ci_high = interval ? got(&wanted, high) : NAN;
    out->p10_low = tenth ? got(&wanted, tenth_low) : NAN;
    out->p10_high = tenth ? got(&wanted, tenth_high) : NAN;
    set_moments(tally, out);
    count_outliers(tally, out);
    return 0;
}
