/* analyze/stats/samples/posthoc.c - see posthoc.h. */
#include "analyze/stats/samples/posthoc.h"

#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "sync/base/cleanup.h"
#include "sync/base/status.h"

/* Tests all pairs of k mean ranks. The variance of a difference is scale * (1/n_i + 1/n_j). A NAN
 * mean gives NANs. */
static int pairs_of(const double *mean_rank, const double *n, size_t k, double scale,
                    struct syn_pair *out)
{
    size_t count = 0;
    for (size_t i = 0; i < k; i++) {
        for (size_t j = i + 1; j < k; j++) {
            double z = (mean_rank[i] - mean_rank[j]) / sqrt(scale * (1 / n[i] + 1 / n[j]));
            out[count++] = (struct syn_pair){i, j, z, 2 * pnorm(-fabs(z), 0, 1, 1, 0), NAN};
        }
    }
    for (size_t i = 0; i < count; i++)
        out[i].p_adjusted = out[i].p;
    return syn_adjust_holm_in(&out->p_adjusted, sizeof *out, count);
}

int syn_dunn_pairs(const struct syn_samples *samples, struct syn_pair *out)
{
    if (samples->k < 2)
        return SYN_EINVAL;
    size_t n = samples->start[samples->k] - samples->start[0], k = samples->k;
    if (n < 2)
        return SYN_EINVAL;
    SYN_FREED double *rank = malloc((n + 2 * k) * sizeof *rank);
    SYN_FREED size_t *order = malloc(n * sizeof *order);
    int status = rank && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        double *mean = rank + n, count = (double)n;
        double ties = syn_midranks(samples->value + samples->start[0], n, rank, order);
        double scale = count * (count + 1) / 12 - ties / (12 * (count - 1));
        for (size_t i = 0; i < samples->k; i++) {
            size_t own = samples->start[i + 1] - samples->start[i];
            mean[i] = syn_mean(rank + (samples->start[i] - samples->start[0]), own);
            mean[k + i] = (double)own;
        }
        status = scale > 0 ? pairs_of(mean, mean + k, k, scale, out) : SYN_EINVAL;
    }
    return status;
}

int syn_friedman_pairs(const double *x, size_t block_count, size_t k, struct syn_pair *out)
{
    if (block_count < 2 || k < 2)
        return SYN_EINVAL;
    SYN_FREED double *mean = calloc(3 * k, sizeof *mean);
    SYN_FREED size_t *order = malloc(k * sizeof *order);
    int status = mean && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        double *n = mean + k, *rank = mean + 2 * k, ties = 0, blocks = (double)block_count,
               columns = (double)k;
        for (size_t b = 0; b < block_count; b++) {
            ties += syn_midranks(x + b * k, k, rank, order);
            for (size_t j = 0; j < k; j++)
                mean[j] += rank[j];
        }
        for (size_t j = 0; j < k; j++) {
            mean[j] /= blocks;
            n[j] = blocks;
        }
        double scale = columns * (columns + 1) / 12 - ties / (12 * blocks * (columns - 1));
        status = scale > 0 ? pairs_of(mean, n, k, scale, out) : SYN_EINVAL;
    }
    return status;
}

int syn_last_arriver_test(const size_t *last, const size_t *members, size_t k, double *p)
{
    size_t n = 0, ranks = 0;
    for (size_t i = 0; i < k; i++) {
        n += last[i];
        ranks += members[i];
    }
    if (k < 2 || n == 0 || ranks == 0)
        return SYN_EINVAL;
    for (size_t i = 0; i < k; i++)
        p[i] = syn_binomial_test(last[i], n, (double)members[i] / (double)ranks);
    return syn_adjust_holm(p, k);
}
