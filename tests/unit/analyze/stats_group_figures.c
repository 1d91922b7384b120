/* tests/unit/analyze/stats_group_figures.c - figures over several samples: ranks of a group, runs
 * of an experiment. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/stats/samples/levels.h"
#include "analyze/stats/samples/posthoc.h"
#include "stats_reference.h"
#include "stats_whole.h"

#define PAIRS_MAX (SAMPLES_MAX * (SAMPLES_MAX - 1) / 2)

static struct syn_anova anova(const struct query *q)
{
    struct syn_anova out;
    struct syn_samples s = joined(q);
    syn_anova_oneway(&s, &out);
    free_joined(&s);
    return out;
}

static struct syn_kruskal kruskal(const struct query *q)
{
    struct syn_kruskal out;
    struct syn_samples s = joined(q);
    syn_kruskal_wallis(&s, &out);
    free_joined(&s);
    return out;
}

/* Row by row: instance, then rank. */
static double *blocks(const struct query *q)
{
    size_t n = q->sample[0]->n;
    double *x = malloc(n * q->k * sizeof *x);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < q->k; j++)
            x[i * q->k + j] = q->sample[j]->value[i];
    return x;
}

static struct syn_friedman friedman(const struct query *q)
{
    struct syn_friedman out;
    double *x = blocks(q);
    friedman_of_blocks(x, q->sample[0]->n, q->k, &out);
    free(x);
    return out;
}

static struct syn_pair dunn(const struct query *q)
{
    struct syn_pair pair[PAIRS_MAX];
    struct syn_samples s = joined(q);
    cr_assert_eq(syn_dunn_pairs(&s, pair), 0);
    free_joined(&s);
    return pair[(int)q->number - 1];
}

static double friedman_pair_z(const struct query *q)
{
    struct syn_pair pair[PAIRS_MAX];
    double *x = blocks(q);
    cr_assert_eq(syn_friedman_pairs(x, q->sample[0]->n, q->k, pair), 0);
    free(x);
    return pair[(int)q->number - 1].z;
}

static struct syn_levels levels(const struct query *q)
{
    struct syn_levels out;
    struct syn_samples s = joined(q);
    cr_assert_eq(syn_variance_levels(&s, &out), 0);
    free_joined(&s);
    return out;
}

#define MEMBER_FIGURE(figure, function, member) \
    static double figure(const struct query *q) \
    {                                           \
        return function(q).member;              \
    }

MEMBER_FIGURE(anova_f, anova, F)
MEMBER_FIGURE(anova_p, anova, p)
MEMBER_FIGURE(anova_df1, anova, df1)
MEMBER_FIGURE(anova_df2, anova, df2)
MEMBER_FIGURE(anova_eta2, anova, eta2)
MEMBER_FIGURE(kruskal_h, kruskal, H)
MEMBER_FIGURE(kruskal_p, kruskal, p)
MEMBER_FIGURE(kruskal_eta2, kruskal, eta2)
MEMBER_FIGURE(friedman_chi2, friedman, chi2)
MEMBER_FIGURE(friedman_p, friedman, p)
MEMBER_FIGURE(kendall_w, friedman, kendall_w)
MEMBER_FIGURE(dunn_z, dunn, z)
MEMBER_FIGURE(dunn_p_adjusted, dunn, p_adjusted)
MEMBER_FIGURE(variance_between, levels, variance_between)
MEMBER_FIGURE(variance_within, levels, variance_within)

static double best_repetitions(const struct query *q)
{
    struct syn_levels l = levels(q);
    return syn_best_repetitions(&l, 10, 0.5);
}

static const struct figure figures[] = {
    {"anova_f", anova_f, 1e-11, 0},
    {"anova_p", anova_p, 1e-10, 0},
    {"anova_df1", anova_df1, 0, 0},
    {"anova_df2", anova_df2, 0, 0},
    {"anova_eta2", anova_eta2, 1e-11, 0},
    {"kruskal_h", kruskal_h, 1e-10, 0},
    {"kruskal_p", kruskal_p, 1e-10, 0},
    {"kruskal_eta2", kruskal_eta2, 1e-10, 1e-2},
    {"friedman_chi2", friedman_chi2, 1e-12, 0},
    {"friedman_p", friedman_p, 1e-11, 0},
    {"kendall_w", kendall_w, 1e-12, 0},
    {"dunn_z", dunn_z, 1e-11, 1e-2},
    {"dunn_p_adjusted", dunn_p_adjusted, 1e-10, 0},
    {"friedman_pair_z", friedman_pair_z, 1e-11, 1e-2},
    {"variance_between", variance_between, 1e-10, 0},
    {"variance_within", variance_within, 1e-11, 0},
    {"best_repetitions", best_repetitions, 1e-11, 0},
    /* lmer finds them with an optimizer, to about four digits; the closed form is exact. */
    {"lmer_between", variance_between, 1e-3, 1e-6},
    {"lmer_within", variance_within, 1e-3, 1e-6},
};

const struct figure_table group_figures = {figures, sizeof figures / sizeof *figures};
