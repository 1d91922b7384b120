/* analyze/report/long_ranks.c - comparing ranks that have too many values for arrays.
 *
 * Two passes over each rank's durations: one counts the values of all ranks together, from which
 * the midrank of each value follows; the other counts those of each rank, which gives its
 * quantiles, its exact moments, and the sum of its midranks. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/figures.h"
#include "analyze/report/series.h"
#include "analyze/report/tally.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/cpu.h"

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
        if (status == SYN_OK)
            status = syn_tally_add(tally, value, count);
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

/* From here on `count` of a combined tally's value, and of its place in `dense`, is twice its
 * midrank. Returns the sum of t^3 - t over ties. */
static double counts_to_midranks(struct syn_tally *combined)
{
    double ties = 0;
    uint64_t before = 0;
    for (size_t i = 0; i < combined->count_count; i++) {
        struct syn_count *value = &combined->count[i];
        uint64_t above = (uint64_t)(value->value - combined->low), count = value->count;
        ties += (double)count * (double)count * (double)count - (double)count;
        value->count = 2 * before + count + 1;
        if (above < combined->dense_count)
            combined->dense[above] = value->count;
        before += count;
    }
    return ties;
}

static uint64_t twice_midrank(const struct syn_tally *combined, int64_t value)
{
    uint64_t above = (uint64_t)(value - combined->low);
    size_t low = 0, high = combined->count_count;
    if (above < combined->dense_count)
        return combined->dense[above];
    while (low + 1 < high) {
        size_t middle = low + (high - low) / 2;
        if (combined->count[middle].value <= value)
            low = middle;
        else
            high = middle;
    }
    return combined->count[low].count;
}

static double mean_rank_of(const struct syn_tally *tally, const struct syn_tally *combined)
{
    __int128 sum = 0;
    for (size_t i = 0; i < tally->count_count; i++)
        sum += (__int128)tally->count[i].count *
               (__int128)twice_midrank(combined, tally->count[i].value);
    return (double)((syn_quad)sum / 2 / (syn_quad)tally->n);
}

static struct syn_moments moments_of(const struct syn_tally *tally, int64_t origin)
{
    struct syn_tally_moments moments = syn_tally_moments(tally);
    syn_quad n = tally->n, sum = (syn_quad)moments.sum;
    return (struct syn_moments){
        .n = (double)tally->n,
        .mean = (double)((syn_quad)(tally->low - origin) + sum / n),
        .squares = (double)((syn_quad)moments.squares - sum * sum / n),
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
        struct syn_summary summary;
        samples->n[r] = series.count;
        int status = series.count ? syn_series_tally(&series, NULL, 0, tally)
                                  : syn_tally_begin(tally, 0, 0, 0);
        if (status == SYN_OK)
            status = syn_tally_summarize(tally, confidence, &summary);
        if (status != SYN_OK)
            return status;
        rank->median = summary.median;
        rank->ci_low = summary.ci_low;
        rank->ci_high = summary.ci_high;
        rank->last_p = NAN;
        if (series.count == 0)
            continue;
        samples->moments[r] = moments_of(tally, combined->low);
        samples->mean_rank[r] = mean_rank_of(tally, combined);
    }
    return 0;
}

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
        double ties = counts_to_midranks(combined);
        status = each_rank(figures, confidence, combined, scratch, &samples);
        if (status == SYN_OK) { /* where a test is not defined its figures are NAN */
            syn_anova_of_moments(samples.moments, k, &figures->anova);
            syn_kruskal_of_means(samples.mean_rank, samples.n, k, ties, &figures->kruskal);
        }
    }
    free(samples.moments);
    free(samples.mean_rank);
    free(samples.n);
    return status;
}
