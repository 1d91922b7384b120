/* tests/unit/analyze/stats_count_figures.c - the binomial test, adjusted p-values, the least p of a
 * rank test, the ranks of a confidence sequence. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/series/sequence.h"
#include "stats_reference.h"

static double binom_p(const struct query *q)
{
    char *rest;
    size_t successes = strtoull(q->argument, &rest, 10);
    size_t n = strtoull(rest + 1, &rest, 10);
    return syn_binomial_test(successes, n, strtod(rest + 1, NULL));
}

static double adjusted(const struct query *q, int (*adjust)(double *, size_t))
{
    size_t n = q->sample[0]->n;
    double *p = malloc(n * sizeof *p);
    memcpy(p, q->sample[0]->value, n * sizeof *p);
    cr_assert_eq(adjust(p, n), 0);
    double result = p[(int)q->number - 1];
    free(p);
    return result;
}

static double holm(const struct query *q)
{
    return adjusted(q, syn_adjust_holm);
}

static double bh(const struct query *q)
{
    return adjusted(q, syn_adjust_bh);
}

static double smallest_p(const struct query *q)
{
    return syn_smallest_p((size_t)q->number, (size_t)q->number);
}

static double sequence_rank_95(const struct query *q)
{
    return (double)syn_median_sequence_rank((size_t)q->number, 0.95);
}

static double sequence_rank_99(const struct query *q)
{
    return (double)syn_median_sequence_rank((size_t)q->number, 0.99);
}

static const struct figure figures[] = {
    {"binom_p", binom_p, 1e-11, 0},
    {"holm", holm, 1e-14, 0},
    {"bh", bh, 1e-14, 0},
    {"smallest_p", smallest_p, 1e-12, 0},
    {"sequence_rank_95", sequence_rank_95, 0, 0},
    {"sequence_rank_99", sequence_rank_99, 0, 0},
};

const struct figure_table count_figures = {figures, sizeof figures / sizeof *figures};
