/* analyze/diff/diff_quantiles.c - compares quantiles other than the median.
 *
 * RATIONALE: quantile regression assumes independent instances, which instances of one run are not.
 * So there are two results. Each run's own quantile is compared as the runs' medians are, which
 * also holds for other runs. The regression on all instances (Hoefler & Belli 2015, section 3.2.3)
 * holds for these runs only. */
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
    struct syn_diff_pool pool;
    struct syn_diff_values quantile; /* of each run */
};

static void free_side(struct side *side)
{
    free(side->value);
    free(side->start);
    free(side->pool.sorted);
    syn_diff_values_free(&side->quantile);
}

static int read_side(const struct syn_diff *diff, const struct syn_diff_half *half,
                     struct side *out)
{
    int status = syn_diff_instances(diff, half, &out->value, &out->start);
    SYN_STEP(status, syn_diff_pool(diff, half, &out->pool));
    SYN_STEP(status, syn_diff_values_begin(&out->quantile, half->run_count));
    for (size_t r = 0; r < half->run_count && status == SYN_OK; r++) {
        syn_sort(out->value + out->start[r], out->start[r + 1] - out->start[r]);
        syn_diff_values_add(&out->quantile, half->run[r], NAN);
    }
    return status;
}

/* Makes the regression at the quantile effect->tau. `at` selects the random seed. */
static int regress(const struct syn_diff *diff, const struct syn_diff_pool *a,
                   const struct syn_diff_pool *b, size_t at, struct syn_quantile_effect *effect)
{
    const struct syn_quantile_side of_a = {a->sorted, a->n, a->phi};
    const struct syn_quantile_side of_b = {b->sorted, b->n, b->phi};
    const double tau = effect->tau;
    return syn_quantile_effects(&of_a, &of_b, &tau, 1, diff->options.confidence, REPLICATES,
                                SEED + at, effect);
}

int syn_diff_quantile_curve(const struct syn_diff *diff, const struct syn_diff_group *group,
                            struct syn_quantile_effect *effect, size_t count)
{
    struct syn_diff_pool a = {0}, b = {0};
    int status = diff->options.metric == SYN_DIFF_WAIT_SHARE ? SYN_EINVAL
                                                             : syn_diff_pool(diff, &group->a, &a);
    SYN_STEP(status, syn_diff_pool(diff, &group->b, &b));
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        status = regress(diff, &a, &b, i, &effect[i]);
    free(a.sorted);
    free(b.sorted);
    return status;
}

/* Reads both sides' runs of each group, then compares each quantile over runs and over all
 * instances. */
int syn_diff_compare_quantiles(struct syn_diff *diff)
{
    const size_t tau_count = diff->options.tau_count, count = diff->count * tau_count;
    SYN_CLEANUP(syn_diff_rows_free) struct syn_diff_rows rows = {0};
    if (count == 0)
        return 0;
    diff->quantile = calloc(count, sizeof *diff->quantile);
    int status = diff->quantile ? syn_diff_rows_begin(diff, count, &rows) : SYN_ENOMEM;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct syn_diff_group *group = &diff->group[i];
        struct side side[2] = {{0}, {0}};
        group->quantile = diff->quantile + i * tau_count;
        status = read_side(diff, &group->a, &side[0]);
        SYN_STEP(status, read_side(diff, &group->b, &side[1]));
        for (size_t t = 0; t < tau_count && status == SYN_OK; t++) {
            struct syn_diff_quantile *out = &group->quantile[t];
            out->tau = out->pooled.tau = diff->options.tau[t];
            /* Compare the quantile of B with that of A, over the runs. */
            struct syn_diff_values *a = &side[0].quantile, *b = &side[1].quantile;
            struct syn_wilcoxon test;
            double median[2], p;
            for (int j = 0; j < 2; j++) {
                struct syn_diff_values *of = &side[j].quantile;
                for (size_t r = 0; r < of->count; r++)
                    of->value[r] =
                        syn_quantile_sorted(side[j].value + side[j].start[r],
                                            side[j].start[r + 1] - side[j].start[r], out->tau);
                syn_diff_rows_put(&rows, i * tau_count + t, j, of->run, of->value, of->count);
                median[j] = syn_diff_median_of(of->value, of->count);
            }
            out->a = median[0];
            out->b = median[1];
            status = syn_diff_test_runs(diff, a, b, syn_ratio, &test, &out->ratio, &p);
            SYN_STEP(status, syn_diff_test_runs(diff, a, b, syn_hodges_lehmann, &out->test,
                                                &out->shift, &out->p_adjusted));
            SYN_STEP(status, regress(diff, &side[0].pool, &side[1].pool, t, &out->pooled));
        }
        free_side(&side[0]);
        free_side(&side[1]);
    }
    SYN_STEP(status, syn_diff_adjust(diff, &rows, true, &diff->quantile->p_adjusted,
                                     sizeof *diff->quantile, NULL, NULL));
    return status;
}
