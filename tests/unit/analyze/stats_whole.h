/* tests/unit/analyze/stats_whole.h - statistics in the form that a reference has them in: of a
 * whole table, of a whole sample. The command has them of sums that it keeps anyway. */
#ifndef STATS_WHOLE_H
#define STATS_WHOLE_H

#include <math.h>
#include <stdlib.h>

#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* The mean, to be resampled. */
static inline double statistic_mean(double *x, size_t n, const void *context)
{
    (void)context;
    return syn_mean(x, n);
}

/* Adds the ranks within each block to total [k]; returns the sum over all ties of t^3 - t. */
static inline double rank_blocks(const double *x, size_t block_count, size_t k, double *total,
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

/* x [block_count][k], row-major: a row is one instance, a column one rank. As
 * syn_friedman_of_sums. */
static inline int friedman_of_blocks(const double *x, size_t block_count, size_t k,
                                     struct syn_friedman *out)
{
    *out = (struct syn_friedman){NAN, NAN, NAN, NAN};
    if (block_count < 2 || k < 2)
        return SYN_EINVAL;
    double *total = malloc(2 * k * sizeof *total);
    size_t *order = malloc(k * sizeof *order);
    int status = total && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        double ties = rank_blocks(x, block_count, k, total, total + k, order);
        status = syn_friedman_of_sums(total, ties, block_count, k, out);
    }
    free(total);
    free(order);
    return status;
}

#endif
