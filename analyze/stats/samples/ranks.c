/* analyze/stats/samples/ranks.c - tests on ranks: Kruskal-Wallis and Friedman, both corrected for
 * ties. */
#include <stdbool.h>
#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

/* Uses the sum over samples of n_i (mean rank - (n+1)/2)^2, which is centred: the textbook's form
 * loses digits by cancellation for large n. */
int syn_kruskal_of_means(const double *mean_rank, const size_t *n, size_t k, double ties,
                         struct syn_kruskal *out)
{
    size_t total = 0, filled = 0;
    *out = (struct syn_kruskal){NAN, NAN, NAN, NAN};
    for (size_t i = 0; i < k; i++) {
        total += n[i];
        filled += n[i] > 0;
    }
    struct syn_sum spread = {0, 0};
    double count = (double)total, centre = (count + 1) / 2;
    for (size_t i = 0; i < k; i++) {
        double d = mean_rank[i] - centre;
        if (n[i] > 0)
            syn_sum_add(&spread, (double)n[i] * d * d);
    }
    double untied = 1 - ties / (count * count * count - count);
    if (filled < 2 || !(untied > 0))
        return SYN_EINVAL;
    out->H = 12 / (count * (count + 1)) * syn_sum_value(&spread) / untied;
    out->df = (double)(filled - 1);
    out->p = pchisq(out->H, out->df, 0, 0);
    out->eta2 = total > filled ? (out->H - (double)filled + 1) / (count - (double)filled) : NAN;
    return SYN_OK;
}

static int mean_ranks(const struct syn_samples *s, double *mean, double *ties)
{
    const size_t total = s->start[s->k] - s->start[0];
    SYN_FREED double *rank = malloc(total * sizeof *rank);
    SYN_FREED size_t *order = malloc(total * sizeof *order);
    const int status = rank && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK)
        *ties = syn_midranks(s->value + s->start[0], total, rank, order);
    for (size_t i = 0; i < s->k && status == SYN_OK; i++)
        mean[i] = syn_mean(rank + (s->start[i] - s->start[0]), s->start[i + 1] - s->start[i]);
    return status;
}

/* Computes the mean ranks of a long column of whole numbers, without an array of its length: sums
 * of halves are exact. Returns false for other values or without memory. */
static bool mean_ranks_by_counting(const struct syn_samples *s, double *mean, double *ties)
{
    const size_t total = s->start[s->k] - s->start[0];
    double least;
    size_t count;
    SYN_FREED uint32_t *counts =
        total > INT32_MAX ? NULL
                          : syn_counts_of_whole(s->value + s->start[0], total, &least, &count);
    if (!counts)
        return false;
    /* Replace each count by twice the midrank of its value. */
    uint32_t before = 0;
    *ties = 0;
    for (size_t v = 0; v < count; v++) {
        const double t = (double)counts[v];
        *ties += t * t * t - t;
        const uint32_t here = counts[v];
        counts[v] = 2 * before + here + 1;
        before += here;
    }
    for (size_t i = 0; i < s->k; i++) {
        uint64_t sum = 0;
        for (size_t at = s->start[i]; at < s->start[i + 1]; at++)
            sum += counts[(size_t)(s->value[at] - least)];
        mean[i] = (double)sum / 2 / (double)(s->start[i + 1] - s->start[i]);
    }
    return true;
}

int syn_kruskal_wallis(const struct syn_samples *samples, struct syn_kruskal *out)
{
    *out = (struct syn_kruskal){NAN, NAN, NAN, NAN};
    if (samples->k < 2 || samples->start[samples->k] - samples->start[0] < 2)
        return SYN_EINVAL;
    SYN_FREED double *mean = malloc(samples->k * sizeof *mean);
    double ties = 0;
    SYN_FREED size_t *n = malloc(samples->k * sizeof *n);
    int status = mean && n ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK && !mean_ranks_by_counting(samples, mean, &ties))
        status = mean_ranks(samples, mean, &ties);
    if (status == SYN_OK) {
        for (size_t i = 0; i < samples->k; i++)
            n[i] = samples->start[i + 1] - samples->start[i];
        status = syn_kruskal_of_means(mean, n, samples->k, ties, out);
    }
    return status;
}

int syn_friedman_of_sums(const double *rank_sum, double ties, size_t block_count, size_t k,
                         struct syn_friedman *out)
{
    *out = (struct syn_friedman){NAN, NAN, NAN, NAN};
    if (block_count < 2 || k < 2) /* with one block chi2 is k - 1 for any values */
        return SYN_EINVAL;
    double blocks = (double)block_count, columns = (double)k;
    struct syn_sum spread = {0, 0};
    for (size_t j = 0; j < k; j++) {
        double d = rank_sum[j] - blocks * (columns + 1) / 2;
        syn_sum_add(&spread, d * d);
    }
    double scale = blocks * columns * (columns + 1) - ties / (columns - 1);
    if (!(scale > 0))
        return SYN_EINVAL;
    out->chi2 = 12 * syn_sum_value(&spread) / scale;
    out->df = columns - 1;
    out->p = pchisq(out->chi2, out->df, 0, 0);
    out->kendall_w = out->chi2 / (blocks * (columns - 1));
    return SYN_OK;
}

double syn_f_p(double F, double df1, double df2)
{
    return pf(F, df1, df2, 0, 0);
}

double syn_chi_square_p(double chi2, double df)
{
    return pchisq(chi2, df, 0, 0);
}
