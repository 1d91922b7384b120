/* tests/unit/analyze/stats_pair_figures.c - A against B: sample 0 is A, sample 1 is B. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/samples/quantreg.h"
#include "stats_reference.h"

static enum syn_side side_of(const struct query *q)
{
    return strcmp(q->argument, "less") == 0      ? SYN_LESS
           : strcmp(q->argument, "greater") == 0 ? SYN_GREATER
                                                 : SYN_TWO_SIDED;
}

static struct syn_wilcoxon wilcoxon(const struct query *q)
{
    const struct sample *a = q->sample[0], *b = q->sample[1];
    struct syn_wilcoxon out;
    cr_assert_eq(syn_wilcoxon_test(b->value, b->n, a->value, a->n, side_of(q), &out), 0);
    return out;
}

static double wilcox_p(const struct query *q)
{
    return wilcoxon(q).p;
}

static double wilcox_u(const struct query *q)
{
    return wilcoxon(q).U;
}

static double vargha_delaney(const struct query *q)
{
    const struct sample *a = q->sample[0], *b = q->sample[1];
    return syn_vargha_delaney(b->value, b->n, a->value, a->n);
}

static struct syn_shift ratio(const struct query *q)
{
    const struct sample *a = q->sample[0], *b = q->sample[1];
    struct syn_shift out;
    cr_assert_eq(syn_ratio(b->value, b->n, a->value, a->n, q->number, &out), 0);
    return out;
}

static double ratio_estimate(const struct query *q)
{
    return ratio(q).estimate;
}

static double ratio_low(const struct query *q)
{
    return ratio(q).low;
}

static double ratio_high(const struct query *q)
{
    return ratio(q).high;
}

/* log B/A of the samples taken as pairs of runs; the caller's. */
static double *pairs_of(const struct query *q)
{
    const struct sample *a = q->sample[0], *b = q->sample[1];
    double *difference = malloc(a->n * sizeof *difference);
    for (size_t i = 0; i < a->n; i++)
        difference[i] = log(b->value[i]) - log(a->value[i]);
    return difference;
}

static struct syn_wilcoxon signed_rank(const struct query *q)
{
    double *difference = pairs_of(q);
    struct syn_wilcoxon out;
    cr_assert_eq(syn_signed_rank_test(difference, q->sample[0]->n, side_of(q), &out), 0);
    free(difference);
    return out;
}

static double pairs_p(const struct query *q)
{
    return signed_rank(q).p;
}

static double pairs_v(const struct query *q)
{
    return signed_rank(q).U;
}

static struct syn_shift pairs_shift(const struct query *q)
{
    double *difference = pairs_of(q);
    struct syn_shift out;
    const double confidence = q->number > 0 ? q->number : 0.95;
    cr_assert_eq(syn_pairs_shift(difference, q->sample[0]->n, confidence, &out), 0);
    free(difference);
    return out;
}

static double pairs_estimate(const struct query *q)
{
    return pairs_shift(q).estimate;
}

static double pairs_low(const struct query *q)
{
    return pairs_shift(q).low;
}

static double pairs_high(const struct query *q)
{
    return pairs_shift(q).high;
}

static struct syn_quantile_effect effect(const struct query *q)
{
    const struct sample *a = q->sample[0], *b = q->sample[1];
    double *sa = sorted_copy(a->value, a->n), *sb = sorted_copy(b->value, b->n);
    struct syn_quantile_side left = {sa, a->n, 1}, right = {sb, b->n, 1};
    struct syn_quantile_effect out;
    cr_assert_eq(syn_quantile_effects(&left, &right, &q->number, 1, 0.95, 100, 1, &out), 0);
    free(sa);
    free(sb);
    return out;
}

static double rq_intercept(const struct query *q)
{
    return effect(q).intercept;
}

static double rq_effect(const struct query *q)
{
    return effect(q).effect;
}

static const struct figure figures[] = {
    {"wilcox_p", wilcox_p, 1e-11, 0},
    {"wilcox_u", wilcox_u, 0, 0},
    {"vargha_delaney", vargha_delaney, 1e-14, 0},
    {"ratio_estimate", ratio_estimate, 1e-12, 0},
    {"ratio_low", ratio_low, 1e-12, 0},
    {"ratio_high", ratio_high, 1e-12, 0},
    {"pairs_p", pairs_p, 1e-11, 0},
    {"pairs_v", pairs_v, 0, 0},
    {"pairs_estimate", pairs_estimate, 1e-12, 0},
    {"pairs_low", pairs_low, 1e-11, 0},
    {"pairs_high", pairs_high, 1e-11, 0},
    {"rq_intercept", rq_intercept, 1e-12, 0},
    {"rq_effect", rq_effect, 1e-9, 1},
};

const struct figure_table pair_figures = {figures, sizeof figures / sizeof *figures};
