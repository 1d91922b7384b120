/* analyze/report/lateness.c - how dependent the instances of a run are for who came last. */
#include "analyze/report/lateness.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/longrun.h"
#include "analyze/stats/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Leads are taken no longer than nearly all of so many blocks' are: no single one matters. */
#define SAMPLED_BLOCKS 16
#define NEARLY_ALL     0.95

/* Sums over batches of each rank's lateness, and of its squares, for the variance; and how often it
 * came last, which shows better than its lateness where it is one of many. */
struct batches {
    const int64_t *rank; /* [rank_count] */
    size_t rank_count;
    double cap;
    size_t size, count, done, in_batch;
    double all;   /* the batch's leads */
    double *own;  /* [rank_count], the batch's leads of those that it came last in */
    double *mean; /* [rank_count][count] */
    size_t *hits; /* [rank_count][count], how often it came last */
    double leads, squares, *own_leads; /* of all batches */
};

static int find_cap(const struct syn_late_series *series, double *cap)
{
    size_t n = series->lead_ns->count, blocks = (n + SYN_BLOCK_VALUES - 1) / SYN_BLOCK_VALUES;
    size_t sampled = syn_least(blocks, SAMPLED_BLOCKS), filled = 0;
    int64_t value[SYN_BLOCK_VALUES];
    double *lead = malloc((sampled * SYN_BLOCK_VALUES + 1) * sizeof *lead);
    int status = lead ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < sampled && status == SYN_OK; i++) {
        size_t first = i * blocks / sampled * SYN_BLOCK_VALUES;
        size_t count = n - first < SYN_BLOCK_VALUES ? n - first : SYN_BLOCK_VALUES;
        status = syn_column_read(series->lead_ns, series->store, first, count, value);
        for (size_t j = 0; j < count && status == SYN_OK; j++)
            lead[filled++] = (double)value[j];
    }
    if (status == SYN_OK) {
        syn_sort(lead, filled);
        *cap = syn_quantile_sorted(lead, filled, NEARLY_ALL);
    }
    free(lead);
    return status;
}

static void end_batch(struct batches *batches)
{
    for (size_t r = 0; r < batches->rank_count; r++) {
        batches->mean[r * batches->count + batches->done] =
            (2 * batches->own[r] - batches->all) / (double)batches->size;
        batches->own_leads[r] += batches->own[r];
        batches->own[r] = 0;
    }
    batches->leads += batches->all;
    batches->all = 0;
    batches->in_batch = 0;
    batches->done++;
}

static void add_last(struct batches *batches, const int64_t *last, const int64_t *lead_ns,
                     size_t count)
{
    for (size_t i = 0; i < count && batches->done < batches->count; i++) {
        double lead = fmin((double)lead_ns[i], batches->cap);
        for (size_t r = 0; r < batches->rank_count; r++)
            if (last[i] == batches->rank[r]) {
                batches->own[r] += lead;
                batches->hits[r * batches->count + batches->done]++;
            }
        batches->all += lead;
        batches->squares += lead * lead;
        if (++batches->in_batch == batches->size)
            end_batch(batches);
    }
}

static int walk(const struct syn_late_series *series, struct batches *batches)
{
    int64_t last[SYN_BLOCK_VALUES], lead_ns[SYN_BLOCK_VALUES];
    int status = 0;
    for (size_t i = 0; i < series->last->count && status == SYN_OK; i += SYN_BLOCK_VALUES) {
        size_t left = series->last->count - i;
        size_t count = syn_least(left, SYN_BLOCK_VALUES);
        status = syn_column_read(series->last, series->store, i, count, last);
        if (status == SYN_OK)
            status = syn_column_read(series->lead_ns, series->store, i, count, lead_ns);
        if (status == SYN_OK)
            add_last(batches, last, lead_ns, count);
    }
    return status;
}

/* A lateness is a lead or a lead's negative: its square is the lead's. */
static double factor_of_leads(const struct batches *batches, size_t r)
{
    double n = (double)batches->count * (double)batches->size;
    double mean = (2 * batches->own_leads[r] - batches->leads) / n;
    double variance = batches->squares / n - mean * mean;
    if (!(variance > 1e-12 * mean * mean)) /* the same lead each time, but for rounding */
        return 1;
    return syn_long_run_of_batches(batches->mean + r * batches->count, batches->count,
                                   batches->size, variance);
}

static double factor_of(const struct batches *batches, size_t r)
{
    double of_hits =
        syn_long_run_of_counts(batches->hits + r * batches->count, batches->count, batches->size);
    return fmax(of_hits, factor_of_leads(batches, r));
}

int syn_late_dependence(const struct syn_late_series *series, const int64_t *rank,
                        size_t rank_count, double *factor)
{
    size_t n = series->last->count, size = syn_long_run_batch(n);
    struct batches batches = {
        .rank = rank, .rank_count = rank_count, .size = size, .count = n / size};
    for (size_t r = 0; r < rank_count; r++)
        factor[r] = NAN;
    if (rank_count > SYN_LATE_RANKS)
        return SYN_EINVAL;
    if (n < SYN_LONG_RUN_LEAST)
        return 0;
    batches.own = calloc(2 * rank_count + 1, sizeof *batches.own);
    batches.mean = calloc(rank_count * batches.count + 1, sizeof *batches.mean);
    batches.hits = calloc(rank_count * batches.count + 1, sizeof *batches.hits);
    int status =
        batches.own && batches.mean && batches.hits ? find_cap(series, &batches.cap) : SYN_ENOMEM;
    batches.own_leads = batches.own ? batches.own + rank_count : NULL;
    if (status == SYN_OK)
        status = walk(series, &batches);
    for (size_t r = 0; r < rank_count && status == SYN_OK; r++)
        factor[r] = factor_of(&batches, r);
    free(batches.own);
    free(batches.mean);
    free(batches.hits);
    return status;
}

double syn_late_p(double last, double n, double expected, double factor)
{
    double left = floor(n / factor + SYN_EFFECTIVE_ERROR);
    if (!(n > 0) || !syn_are_enough(left))
        return NAN;
    if (last <= expected)
        return 1;
    return syn_binomial_test((size_t)floor(last / n * left), (size_t)left, expected / n);
}
