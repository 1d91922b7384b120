/* analyze/report/figures/long_ranks.c - compares ranks that have too many values for arrays.
 *
 * Each rank's durations are read twice. The first pass tallies the values of all ranks together,
 * which gives the midrank of each value. The second pass tallies each rank by itself, which gives
 * its quantiles, its exact moments, and the sum of its midranks. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/figures/figures.h"
#include "analyze/report/figures/series.h"
#include "analyze/report/figures/tally.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"

static struct syn_series series_of(const struct syn_figures *figures, size_t r)
{
    const struct syn_column *column = &figures->rank[r].rank->local_ns;
    return (struct syn_series){
        .column = column, .store = figures->group->store, .count = column->count};
}

static int add_series(const struct syn_series *series, struct syn_tally *tally)
{
    int64_t value[SYN_BLOCK_VALUES];
    for (size_t i = 0; i < series->count; i += SYN_BLOCK_VALUES) {
        size_t left = series->count - i;
        size_t count = syn_least(left, SYN_BLOCK_VALUES);
        int status = syn_series_read(series, i, count, value);
        SYN_STEP(status, syn_tally_add(tally, value, count));
        if (status != SYN_OK)
            return status;
    }
    return 0;
}

static int tally_all(const struct syn_figures *figures, struct syn_tally *combined)
{
    int64_t least = INT64_MAX, most = INT64_MIN;
    size_t total = 0;
    for (size_t r = 0; r < figures->rank_count; r++) {
        int64_t low, high;
        struct syn_series series = series_of(figures, r);
        if (series.count == 0)
            continue;
        syn_series_range(&series, &low, &high);
        least = syn_least(low, least);
        most = syn_largest(high, most);
        total += series.count;
    }
    int status = syn_tally_begin(combined, least, most, total);
    for (size_t r = 0; r < figures->rank_count && status == SYN_OK; r++) {
        struct syn_series series = series_of(figures, r);
        status = add_series(&series, combined);
    }
    return status != SYN_OK ? status : syn_tally_close(combined);
}

/* Returns twice the midrank of the i-th different value. */
static uint64_t midrank_of(const struct syn_ordered *all, size_t i)
{
    return 2 * all->count[i].until - syn_ordered_times(all, i) + 1;
}

static uint64_t twice_midrank(const struct syn_tally *combined, int64_t value)
{
    uint64_t above = (uint64_t)(value - combined->low);
    if (above < combined->dense_count)
        return combined->dense[above];
    const struct syn_ordered all = syn_tally_ordered(combined);
    size_t low = 0, high = all.count_count;
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (all.count[middle].value <= value)
            low = middle;
        else
            high = middle;
    }
    return midrank_of(&all, low);
}

static struct syn_moments moments_of(const struct syn_ordered *sample, int64_t origin)
{
    struct syn_exact_sums sums = syn_ordered_sums(sample);
    syn_quad n = sample->n, sum = (syn_quad)sums.sum;
    return (struct syn_moments){
        .n = (double)sample->n,
        .mean = (double)((syn_quad)(sample->origin - origin) + sum / n),
        .squares = (double)((syn_quad)sums.squares - sum * sum / n),
    };
}

struct samples {
    struct syn_moments *moments; /* [rank_count] */
    double *mean_rank;
    size_t *n;
};

static int each_rank(struct syn_figures *figures, double confidence,
                     const struct syn_tally *combined, struct syn_tally *tally,
                     struct samples *samples)
{
    for (size_t r = 0; r < figures->rank_count; r++) {
        struct syn_rank_figures *rank = &figures->rank[r];
        struct syn_series series = series_of(figures, r);
        struct syn_median median;
        samples->n[r] = series.count;
        struct syn_ordered sample = {.n = 0};
        int status = series.count ? syn_series_count(&series, NULL, 0, tally, &sample) : SYN_OK;
        if (status != SYN_OK)
            return status;
        syn_median_of_ordered(&sample, confidence, &median);
        rank->median = median.value;
        rank->ci_low = median.low;
        rank->ci_high = median.high;
        rank->last_p = NAN;
        if (series.count == 0)
            continue;
        samples->moments[r] = moments_of(&sample, combined->low);
        __int128 sum = 0;
        for (size_t i = 0; i < sample.count_count; i++)
            sum += (__int128)syn_ordered_times(&sample, i) *
                   (__int128)twice_midrank(combined, sample.count[i].value);
        samples->mean_rank[r] = (double)((syn_quad)sum / 2 / (syn_quad)sample.n);
    }
    return 0;
}

/* Tallies all values together, converts counts to midranks, then tests the ranks. */
int syn_long_ranks(struct syn_figures *figures, double confidence, struct syn_tally *combined,
                   struct syn_tally *scratch)
{
    size_t k = figures->rank_count;
    struct samples samples = {
        calloc(k + 1, sizeof *samples.moments),
        calloc(k + 1, sizeof *samples.mean_rank),
        calloc(k + 1, sizeof *samples.n),
    };
    bool memory = samples.moments && samples.mean_rank && samples.n;
    int status = memory ? tally_all(figures, combined) : SYN_ENOMEM;
    if (status == SYN_OK) {
        /* Replace the counts in combined->dense by twice the midranks. `ties`: sum of t^3 - t over
         * ties of t values. */
        const struct syn_ordered all = syn_tally_ordered(combined);
        double ties = 0;
        for (size_t i = 0; i < all.count_count; i++) {
            uint64_t above = (uint64_t)(all.count[i].value - all.origin);
            double count = (double)syn_ordered_times(&all, i);
            ties += count * count * count - count;
            if (above < combined->dense_count)
                combined->dense[above] = midrank_of(&all, i);
        }
        status = each_rank(figures, confidence, combined, scratch, &samples);
        if (status == SYN_OK) { /* the figures of a test that is not defined are NAN */
            syn_anova_of_moments(samples.moments, k, &figures->anova);
            syn_kruskal_of_means(samples.mean_rank, samples.n, k, ties, &figures->kruskal);
        }
    }
    free(samples.moments);
    free(samples.mean_rank);
    free(samples.n);
    return status;
}
