/* analyze/diff/diff_quantiles.c - changes of B at other quantiles than the median.
 *
 * RATIONALE: quantile regression takes instances for independent, which those of one run are not.
 * So two answers are given: each run's own quantile, compared as the runs' medians are, which
 * speaks of other runs too; and the regression on all instances (Hoefler & Belli 2015, section
 * 3.2.3), which speaks of these. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

#define REPLICATES 1000
#define SEED       1

/* A half's instances: sorted within each run, and all together. */
struct side {
    double *value; /* [start[run_count]] */
    size_t *start; /* [run_count + 1] */
    size_t run_count;
    struct syn_diff_pool pool;
    double *quantile; /* [run_count] */
};

/* The row that a group's quantiles of runs go to. */
struct row {
    struct syn_diff_rows *rows;
    size_t at;
    const struct syn_diff_group *group;
};

static void free_side(struct side *side)
{
    free(side->value);
    free(side->start);
    free(side->pool.sorted);
    free(side->quantile);
}

static int read_side(const struct syn_diff *diff, const struct syn_diff_half *half,
                     struct side *out)
{
    *out = (struct side){.run_count = half->run_count};
    int status = syn_diff_instances(diff, half, &out->value, &out->start);
    if (status == SYN_OK)
        status = syn_diff_pool(diff, half, &out->pool);
    out->quantile = malloc((half->run_count + 1) * sizeof *out->quantile);
    if (status == SYN_OK && !out->quantile)
        status = SYN_ENOMEM;
    for (size_t r = 0; r < half->run_count && status == SYN_OK; r++)
        syn_sort(out->value + out->start[r], out->start[r + 1] - out->start[r]);
    return status;
}

/* Each run's quantile, also into a row; returns their median. */
static double quantiles_of(struct side *side, double tau, const struct row *row, int which)
{
    for (size_t r = 0; r < side->run_count; r++)
        side->quantile[r] = syn_quantile_sorted(side->value + side->start[r],
                                                side->start[r + 1] - side->start[r], tau);
    syn_diff_rows_put_half(row->rows, row->at, which, which ? &row->group->b : &row->group->a,
                           side->quantile);
    syn_sort(side->quantile, side->run_count);
    return syn_quantile_sorted(side->quantile, side->run_count, 0.5);
}

static int compare_runs(const struct syn_diff *diff, const struct side *a, const struct side *b,
                        struct syn_diff_quantile *out)
{
    static const struct syn_shift none = {NAN, NAN, NAN, NAN, 0};
    double confidence = 1 - syn_diff_table_alpha(diff);
    out->ratio = out->shift = none;
    out->p_adjusted = NAN;
    int status = syn_wilcoxon_test(b->quantile, b->run_count, a->quantile, a->run_count,
                                   diff->options.alternative, &out->test);
    if (status == SYN_OK)
        status = syn_hodges_lehmann(b->quantile, b->run_count, a->quantile, a->run_count,
                                    confidence, &out->shift);
    if (status == SYN_OK && a->quantile[0] > 0 && b->quantile[0] > 0)
        status = syn_ratio(b->quantile, b->run_count, a->quantile, a->run_count, confidence,
                           &out->ratio);
    if (syn_diff_runs_suffice(diff, a->run_count, b->run_count)) {
        out->p_adjusted = out->test.p;
    } else {
        out->shift.low = out->shift.high = out->shift.confidence = NAN;
        out->ratio.low = out->ratio.high = out->ratio.confidence = NAN;
    }
    return status == SYN_ENOMEM ? status : 0;
}

int syn_diff_quantile_curve(const struct syn_diff *diff, const struct syn_diff_group *group,
                            struct syn_quantile_effect *effect, size_t count)
{
    struct syn_diff_pool a = {0}, b = {0};
    int status = diff->options.metric == SYN_DIFF_WAIT_SHARE ? SYN_EINVAL
                                                             : syn_diff_pool(diff, &group->a, &a);
    if (status == SYN_OK)
        status = syn_diff_pool(diff, &group->b, &b);
    const struct syn_quantile_side side_a = {a.sorted, a.n, a.phi}, side_b = {b.sorted, b.n, b.phi};
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        const double tau = effect[i].tau;
        status = syn_quantile_effects(&side_a, &side_b, &tau, 1, diff->options.confidence,
                                      REPLICATES, SEED + i, &effect[i]);
    }
    free(a.sorted);
    free(b.sorted);
    return status;
}

/* Reads both sides' runs, then compares each quantile over runs and over all instances. */
static int compare_group(const struct syn_diff *diff, size_t i, struct syn_diff_rows *rows)
{
    struct syn_diff_group *group = &diff->group[i];
    struct row row = {rows, i * diff->options.tau_count, group};
    struct side a = {0}, b = {0};
    group->quantile = calloc(diff->options.tau_count, sizeof *group->quantile);
    int status = group->quantile ? read_side(diff, &group->a, &a) : SYN_ENOMEM;
    if (status == SYN_OK)
        status = read_side(diff, &group->b, &b);
    if (status == SYN_OK) {
        struct syn_diff_quantile *out = group->quantile;
        const struct syn_quantile_side pool_a = {a.pool.sorted, a.pool.n, a.pool.phi};
        const struct syn_quantile_side pool_b = {b.pool.sorted, b.pool.n, b.pool.phi};
        for (size_t t = 0; t < diff->options.tau_count && status == SYN_OK; t++) {
            out[t].tau = diff->options.tau[t];
            out[t].a = quantiles_of(&a, out[t].tau, &row, 0);
            out[t].b = quantiles_of(&b, out[t].tau, &row, 1);
            row.at++;
            status = compare_runs(diff, &a, &b, &out[t]);
            if (status == SYN_OK)
                status =
                    syn_quantile_effects(&pool_a, &pool_b, &out[t].tau, 1, diff->options.confidence,
                                         REPLICATES, SEED + t, &out[t].pooled);
        }
    }
    free_side(&a);
    free_side(&b);
    return status;
}

static int adjust(struct syn_diff *diff, struct syn_diff_rows *rows)
{
    size_t tau_count = diff->options.tau_count, count = diff->count * tau_count;
    double *p = malloc((count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        p[i] = diff->group[i / tau_count].quantile[i % tau_count].p_adjusted;
    syn_diff_rows_to_logarithms(rows);
    int status = syn_diff_adjust(diff, rows, p, NULL, NULL);
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        diff->group[i / tau_count].quantile[i % tau_count].p_adjusted = p[i];
    free(p);
    return status;
}

int syn_diff_compare_quantiles(struct syn_diff *diff)
{
    struct syn_diff_rows rows;
    if (diff->options.tau_count == 0)
        return 0;
    int status = syn_diff_rows_begin(diff, diff->count * diff->options.tau_count, &rows);
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        status = compare_group(diff, i, &rows);
    if (status == SYN_OK)
        status = adjust(diff, &rows);
    syn_diff_rows_free(&rows);
    return status;
}
