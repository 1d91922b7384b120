/* analyze/report/figures/series.c - reads and summarizes a group's instances run by run. */
#include "analyze/report/figures/series.h"

#include <math.h>
#include <string.h>

#include "analyze/report/figures/series_loops.h"
#include "analyze/stats/series/longrun.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"

int syn_series_read(const struct syn_series *series, size_t first, size_t count, int64_t *out)
{
    int64_t minus[SYN_BLOCK_VALUES];
    int status = syn_column_read(series->column, series->store, series->first + first, count, out);
    if (status != SYN_OK || !series->minus)
        return status;
    status = syn_column_read(series->minus, series->store, series->first + first, count, minus);
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        out[i] -= minus[i];
    return status;
}

static size_t piece_at(const struct syn_series *series, size_t first)
{
    /* whole blocks of the column, except at both ends */
    size_t left = series->count - first;
    size_t until = SYN_BLOCK_VALUES - (series->first + first) % SYN_BLOCK_VALUES;
    return syn_least(left, until);
}

int syn_series_values(const struct syn_series *series, double *x)
{
    int64_t value[SYN_BLOCK_VALUES];
    for (size_t i = 0, count; i < series->count; i += count) {
        count = piece_at(series, i);
        int status = syn_series_read(series, i, count, value);
        if (status != SYN_OK)
            return status;
        syn_doubles_of(value, count, x + i);
    }
    return 0;
}

void syn_series_range(const struct syn_series *series, int64_t *least, int64_t *most)
{
    int64_t minus_least, minus_most;
    syn_column_range(series->column, series->first, series->count, least, most);
    if (!series->minus)
        return;
    syn_column_range(series->minus, series->first, series->count, &minus_least, &minus_most);
    *least -= minus_most;
    *most -= minus_least;
}

static int add_pieces(const struct syn_series *series, const struct syn_column *shift, int sign,
                      struct syn_tally *tally)
{
    int64_t value[SYN_BLOCK_VALUES], by[SYN_BLOCK_VALUES];
    for (size_t i = 0, count; i < series->count; i += count) {
        count = piece_at(series, i);
        int status = syn_series_read(series, i, count, value);
        if (status == SYN_OK && shift)
            status = syn_column_read(shift, series->store, series->first + i, count, by);
        for (size_t j = 0; j < count && shift && status == SYN_OK; j++)
            value[j] += sign * by[j];
        SYN_STEP(status, syn_tally_add(tally, value, count));
        if (status != SYN_OK)
            return status;
    }
    return 0;
}

int syn_series_count(const struct syn_series *series, const struct syn_column *shift, int sign,
                     struct syn_tally *tally, struct syn_ordered *out)
{
    int64_t least, most, shift_least, shift_most;
    syn_series_range(series, &least, &most);
    if (shift) {
        syn_column_range(shift, series->first, series->count, &shift_least, &shift_most);
        least += sign < 0 ? -shift_most : shift_least;
        most += sign < 0 ? -shift_least : shift_most;
    }
    int status = syn_tally_begin(tally, least, most, series->count);
    SYN_STEP(status, add_pieces(series, shift, sign, tally));
    SYN_STEP(status, syn_tally_close(tally));
    *out = syn_tally_ordered(tally);
    return status;
}

/* ---- dependence ---- */

/* Counts of the values above the median in batches of a series, from which dependence is estimated.
 * Values are whole numbers, so x > median if x > floor(median). */
struct batches {
    int64_t floor_median;
    size_t size, count; /* values per batch; number of batches */
    size_t in_batch, done;
    size_t above[SYN_LONG_RUN_BATCHES];
};

/* ---- autocorrelation ---- */

/* Sums of the products of values that are `lag` apart, for each lag. `origin` is subtracted from
 * the values. */
struct products {
    int64_t origin;
    __int128 sum[SYN_ACF_LAGS];
    int64_t value[SYN_ACF_LAGS + SYN_BLOCK_VALUES]; /* end of the previous piece, then a piece */
    size_t before;                                  /* values kept of the previous piece */
    int64_t head[SYN_ACF_LAGS];                     /* the first values of the series */
    size_t head_count;
};

/* Reads the series once, for both batches and products. */
static int walk(const struct syn_series *series, struct batches *batches, struct products *products)
{
    int64_t *piece = products->value + SYN_ACF_LAGS;
    for (size_t i = 0, count; i < series->count; i += count) {
        count = piece_at(series, i);
        int status = syn_series_read(series, i, count, piece);
        if (status != SYN_OK)
            return status;
        for (size_t j = 0; j < count && batches->done < batches->count;) {
            size_t left = batches->size - batches->in_batch;
            size_t part = count - j < left ? count - j : left;
            batches->above[batches->done] +=
                syn_count_above(piece + j, part, batches->floor_median);
            batches->in_batch += part;
            j += part;
            if (batches->in_batch == batches->size) {
                batches->done++;
                batches->in_batch = 0;
            }
        }
        size_t before = products->before;
        for (size_t k = 0; k < count; k++)
            piece[k] -= products->origin;
        for (size_t k = 0; k < count && products->head_count < SYN_ACF_LAGS; k++)
            products->head[products->head_count++] = piece[k];
        syn_sums_of_products(piece, count, before, SYN_ACF_LAGS, products->sum);
        /* keep the last values for the next piece */
        size_t kept = before + count < SYN_ACF_LAGS ? before + count : SYN_ACF_LAGS;
        memmove(piece - kept, piece + count - kept, kept * sizeof *piece);
        products->before = kept;
    }
    return 0;
}

/* Reads the series once, then computes the dependent interval and the autocorrelation. */
int syn_series_summarize(const struct syn_series *series, const struct syn_ordered *sample,
                         double confidence, struct syn_summary *out)
{
    int status = series->count >= SYN_LONG_RUN_INDICATOR
                     ? syn_summarize_ordered(sample, confidence, out)
                     : SYN_EINVAL;
    if (status != SYN_OK)
        return status;
    struct batches batches;
    memset(&batches, 0, sizeof batches);
    batches.floor_median = (int64_t)floor(out->median);
    batches.size = syn_long_run_batch(series->count);
    batches.count = series->count / batches.size;
    struct products products = {.origin = (int64_t)floor(out->mean + 0.5)};
    status = walk(series, &batches, &products);
    if (status != SYN_OK)
        return status;
    size_t low, high;
    const struct syn_interval_tau tau =
        syn_interval_tau_of_counts(batches.above, batches.count, batches.size);
    out->n_effective = syn_effective(out->n, tau.width);
    const double z = syn_dependent_z(confidence, out->n, tau);
    if (syn_median_interval_ranks(out->n, z, &low, &high) == 0) {
        out->ci_dependent_low = syn_ordered_at(sample, low);
        out->ci_dependent_high = syn_ordered_at(sample, high);
    }
    /* With d = x - origin, m the mean of d, and S the sum of squared deviations from m: r(lag) =
     * (sum d_i d_(i+lag) - m (sum of the first n - lag + sum of the last n - lag) + (n - lag) m^2)
     * / S. Sums are of whole numbers up to the last step. */
    struct syn_exact_sums about = syn_ordered_sums(sample);
    __int128 shift = (__int128)sample->origin - products.origin, n = (__int128)sample->n;
    __int128 sum = about.sum + n * shift;
    __int128 all_squares = about.squares + 2 * shift * about.sum + n * shift * shift;
    syn_quad mean = (syn_quad)sum / (syn_quad)n;
    syn_quad squares = (syn_quad)all_squares - (syn_quad)sum * mean;
    __int128 heads = 0, tails = 0;
    for (size_t lag = 1; lag <= SYN_ACF_LAGS; lag++) {
        heads += products.head[lag - 1];
        tails += products.value[SYN_ACF_LAGS - lag];
        syn_quad both = (syn_quad)(2 * sum - heads - tails);
        syn_quad product = (syn_quad)products.sum[lag - 1] - mean * both +
                           (syn_quad)(n - (__int128)lag) * mean * mean;
        out->acf[lag - 1] = squares > 0 ? (double)(product / squares) : NAN;
    }
    return SYN_OK;
}
