/* analyze/stats/ranks.c - tests on ranks: Kruskal-Wallis and Friedman, both corrected for ties. */
#include <stdlib.h>

#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/status.h"

/* Sum over samples of n_i (mean rank - (n+1)/2)^2: centred, where the textbook's form cancels for
 * large n. */
static double spread_of_mean_ranks(const struct syn_samples *s, const double *rank, size_t n,
                                   size_t *filled)
{
    struct syn_sum sum = {0, 0};
    double centre = ((double)n + 1) / 2;
    *filled = 0;
    for (size_t i = 0; i < s->k; i++) {
        size_t count = s->start[i + 1] - s->start[i];
        if (count == 0)
            continue;
        double d = syn_mean(rank + (s->start[i] - s->start[0]), count) - centre;
        syn_sum_add(&sum, (double)count * d * d);
        ++*filled;
    }
    return syn_sum_value(&sum);
}

int syn_kruskal_wallis(const struct syn_samples *samples, struct syn_kruskal *out)
{
    *out = (struct syn_kruskal){NAN, NAN, NAN, NAN};
    if (samples->k < 2)
        return SYN_EINVAL;
    size_t n = samples->start[samples->k] - samples->start[0], k;
    if (n < 2)
        return SYN_EINVAL;
    double *rank = malloc(n * sizeof *rank);
    size_t *order = malloc(n * sizeof *order);
    if (!rank || !order) {
        free(rank);
        free(order);
        return SYN_ENOMEM;
    }
    double ties = syn_midranks(samples->value + samples->start[0], n, rank, order);
    double spread = spread_of_mean_ranks(samples, rank, n, &k), count = (double)n;
    double untied = 1 - ties / (count * count * count - count);
    free(rank);
    free(order);
    if (k < 2 || !(untied > 0))
        return SYN_EINVAL;
    out->H = 12 / (count * (count + 1)) * spread / untied;
    out->df = (double)(k - 1);
    out->p = pchisq(out->H, out->df, 0, 0);
    out->eta2 = n > k ? (out->H - (double)k + 1) / (count - (double)k) : NAN;
    return SYN_OK;
}

/* Adds the ranks within each block to total [k]; returns the sum over all ties of t^3 - t. */
static double rank_blocks(const double *x, size_t block_count, size_t k, double *total,
                          double *rank, size_t *order)
{
    double ties = 0;
    for (size_t j = 0; j < k; j++)
        total[j] = 0;
    for (size_t b = 0; b < block_count; b++) {
        ties += syn_midranks(x + b * k, k, rank, order);
        for (size_t j = 0; j < k; j++)
            total[j] += rank[j]; /* halves: exact below 2^52 */
    }
    return ties;
}

int syn_friedman_test(const double *x, size_t block_count, size_t k, struct syn_friedman *out)
{
    *out = (struct syn_friedman){NAN, NAN, NAN, NAN};
    if (block_count < 2 || k < 2) /* one block ranks itself: chi2 is k - 1 whatever it holds */
        return SYN_EINVAL;
    double *total = malloc(2 * k * sizeof *total);
    size_t *order = malloc(k * sizeof *order);
    if (!total || !order) {
        free(total);
        free(order);
        return SYN_ENOMEM;
    }
    double blocks = (double)block_count, columns = (double)k;
    double ties = rank_blocks(x, block_count, k, total, total + k, order);
    struct syn_sum spread = {0, 0};
    for (size_t j = 0; j < k; j++) {
        double d = total[j] - blocks * (columns + 1) / 2;
        syn_sum_add(&spread, d * d);
    }
    free(total);
    free(order);
    double scale = blocks * columns * (columns + 1) - ties / (columns - 1);
    if (!(scale > 0))
        return SYN_EINVAL;
    out->chi2 = 12 * syn_sum_value(&spread) / scale;
    out->df = columns - 1;
    out->p = pchisq(out->chi2, out->df, 0, 0);
    out->kendall_w = out->chi2 / (blocks * (columns - 1));
    return SYN_OK;
}

double syn_chi_square_p(double chi2, double df)
{
    return pchisq(chi2, df, 0, 0);
}
