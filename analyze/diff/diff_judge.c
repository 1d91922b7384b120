/* analyze/diff/diff_judge.c - tests, adjustment and verdicts over all groups.
 *
 * RATIONALE: a one-sided test at alpha and the interval of confidence 1 - 2 alpha have the same
 * edge. So the decision table, which is two-sided, is asked with 2 p against 2 alpha there, and
 * stays one table. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/samples/quantreg.h"
#include "sync/base/status.h"

#define WITHIN_REPLICATES 1000
#define WITHIN_SEED       1

double syn_diff_alpha(const struct syn_diff *diff)
{
    return 1 - diff->options.confidence;
}

double syn_diff_table_alpha(const struct syn_diff *diff)
{
    return syn_diff_alpha(diff) * (diff->options.alternative == SYN_TWO_SIDED ? 1 : 2);
}

bool syn_diff_runs_suffice(const struct syn_diff *diff, size_t a_runs, size_t b_runs)
{
    return syn_smallest_p(a_runs, b_runs) < syn_diff_table_alpha(diff) * (1 - 1e-12);
}

/* ---- within runs ---- */

int syn_diff_pool(const struct syn_diff *diff, const struct syn_diff_half *half,
                  struct syn_diff_pool *out)
{
    size_t *start = NULL;
    int status = syn_diff_instances(diff, half, &out->sorted, &start);
    out->phi = 1;
    if (status != SYN_OK)
        return status;
    for (size_t r = 0; r < half->run_count; r++)
        out->phi =
            fmax(out->phi, syn_dependence_factor(out->sorted + start[r], start[r + 1] - start[r]));
    out->n = start[half->run_count];
    syn_sort(out->sorted, out->n);
    free(start);
    return 0;
}

/* Too few runs for a test: what can be said of these runs alone. */
static int ratio_within(const struct syn_diff *diff, struct syn_diff_group *group)
{
    struct syn_diff_pool a = {0}, b = {0};
    double ratio;
    group->ratio = (struct syn_shift){group->b.median / group->a.median, NAN, NAN, NAN, 0};
    group->ratio_within_runs = true;
    if (!(group->a.median > 0))
        group->ratio.estimate = NAN;
    int status = syn_diff_pool(diff, &group->a, &a);
    if (status == SYN_OK)
        status = syn_diff_pool(diff, &group->b, &b);
    if (status == SYN_OK) {
        struct syn_quantile_side side_a = {a.sorted, a.n, a.phi}, side_b = {b.sorted, b.n, b.phi};
        status =
            syn_quantile_ratio(&side_a, &side_b, 0.5, diff->options.confidence, WITHIN_REPLICATES,
                               WITHIN_SEED, &ratio, &group->ratio.low, &group->ratio.high);
        group->ratio.confidence = diff->options.confidence;
    }
    if (status != SYN_OK)
        group->ratio.low = group->ratio.high = NAN;
    free(a.sorted);
    free(b.sorted);
    return status == SYN_ENOMEM ? status : 0;
}

/* ---- one group ---- */

static double relative_bound(const struct syn_diff_half *half)
{
    return half->clock_bound == 0 ? 0 : half->clock_bound / fabs(half->median);
}

static double delta_of(const struct syn_diff *diff, const struct syn_diff_group *group)
{
    double a = relative_bound(&group->a), b = relative_bound(&group->b);
    return isnan(a) || isnan(b) ? NAN : fmax(diff->options.threshold, fmax(a, b));
}

static int test_group(const struct syn_diff *diff, struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    if (syn_diff_is_withdrawn(group)) {
        /* Nothing to test: a side has no run left. */
        group->ratio = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
        group->ratio_within_runs = true;
        group->test.U = group->test.p = NAN;
        group->p_adjusted = group->p_permutation = group->least_p = NAN;
        group->vargha_delaney_a = group->delta = NAN;
        group->detectable_slower = group->detectable_faster = NAN;
        return 0;
    }
    int status = syn_wilcoxon_test(b->run_value, b->run_count, a->run_value, a->run_count,
                                   diff->options.alternative, &group->test);
    if (status == SYN_ENOMEM)
        return status;
    group->p_adjusted = group->test.p;
    group->p_permutation = NAN;
    group->vargha_delaney_a =
        syn_vargha_delaney(b->run_value, b->run_count, a->run_value, a->run_count);
    group->delta = delta_of(diff, group);
    group->detectable_slower = group->detectable_faster = NAN;
    if (!syn_diff_runs_suffice(diff, a->run_count, b->run_count))
        return ratio_within(diff, group);
    status = syn_ratio(b->run_value, b->run_count, a->run_value, a->run_count,
                       1 - syn_diff_table_alpha(diff), &group->ratio);
    return status == SYN_ENOMEM ? status : 0;
}

static int judge_group(const struct syn_diff *diff, struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    bool one_sided = diff->options.alternative != SYN_TWO_SIDED;
    struct syn_shift narrow = {NAN, NAN, NAN, NAN, 0};
    if (syn_ratio(b->run_value, b->run_count, a->run_value, a->run_count, 0.9, &narrow) ==
        SYN_ENOMEM)
        return SYN_ENOMEM;
    struct syn_evidence evidence = {.runs_a = a->run_count,
                                    .runs_b = b->run_count,
                                    .least_p = isnan(group->least_p) ? 0 : group->least_p,
                                    .p_adjusted = group->p_adjusted * (one_sided ? 2 : 1),
                                    .alpha = syn_diff_table_alpha(diff),
                                    .delta = group->delta,
                                    .ratio_low = group->ratio.low,
                                    .ratio_high = group->ratio.high,
                                    .low90 = narrow.low,
                                    .high90 = narrow.high};
    group->verdict = syn_verdict_of(&evidence);
    group->runs_for_equivalence = NAN;
    if (group->verdict == SYN_VERDICT_INDISTINGUISHABLE) {
        double runs = syn_runs_for_equivalence(b->run_value, b->run_count, a->run_value,
                                               a->run_count, group->delta);
        /* fewer would be too few to say anything */
        group->runs_for_equivalence =
            isnan(runs) ? NAN : fmax(runs, (double)diff->needed_runs_adjusted);
    }
    return 0;
}

/* ---- all groups ---- */

/* Groups whose runs are too few cannot be claimed, and take part in no adjustment. */
static bool is_tested(const struct syn_diff_group *group)
{
    return !group->ratio_within_runs;
}

/* The p that each group would have at best: two-sided, as the table is. */
static int find_least_p(struct syn_diff *diff)
{
    double *least = malloc((diff->count + 1) * sizeof *least);
    double sides = diff->options.alternative == SYN_TWO_SIDED ? 1 : 2;
    if (!least)
        return SYN_ENOMEM;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        least[i] =
            is_tested(group) ? syn_smallest_p(group->a.run_count, group->b.run_count) / sides : NAN;
    }
    diff->adjust = syn_diff_choose_adjust(diff, least, diff->count);
    int status = diff->adjust == SYN_ADJUST_BH     ? syn_adjust_bh(least, diff->count)
                 : diff->adjust == SYN_ADJUST_HOLM ? syn_adjust_holm(least, diff->count)
                                                   : 0;
    for (size_t i = 0; i < diff->count; i++)
        diff->group[i].least_p = least[i] * sides;
    free(least);
    return status;
}

static size_t count_tested(const struct syn_diff *diff)
{
    size_t tested = 0;
    for (size_t i = 0; i < diff->count; i++)
        tested += is_tested(&diff->group[i]);
    return tested;
}

/* Finds the smallest difference by which a group could have been claimed, alone among all: as far
 * as the interval of its ratio reaches at the level of the adjustment's first step; for maxT at
 * least as far as its own spread lets the largest difference by chance reach. */
static int find_detectable(const struct syn_diff *diff, size_t tested, double least_difference,
                           struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    bool maxt = diff->adjust == SYN_ADJUST_MAXT;
    double level = syn_diff_table_alpha(diff) / (maxt ? 1 : (double)tested);
    struct syn_shift ratio;
    int status =
        syn_ratio(b->run_value, b->run_count, a->run_value, a->run_count, 1 - level, &ratio);
    if (status != SYN_OK || (maxt && isnan(least_difference)))
        return status == SYN_ENOMEM ? status : 0;
    syn_detectable_ratio(&ratio, level, &group->detectable_slower, &group->detectable_faster);
    if (maxt) {
        group->detectable_slower = fmax(group->detectable_slower, exp(least_difference));
        group->detectable_faster = fmin(group->detectable_faster, exp(-least_difference));
    }
    return 0;
}

/* Plan: all tested groups as rows of one table; p-values adjusted over them; what each could have
 * shown. */
static int adjust(struct syn_diff *diff)
{
    struct syn_diff_rows rows = {0};
    double *p = malloc((diff->count + 1) * sizeof *p);
    struct syn_maxt_row *own = malloc((diff->count + 1) * sizeof *own);
    int status = p && own ? find_least_p(diff) : SYN_ENOMEM;
    if (status == SYN_OK)
        status = syn_diff_rows_begin(diff, diff->count, &rows);
    if (status == SYN_OK) {
        size_t tested = count_tested(diff);
        for (size_t i = 0; i < diff->count; i++) {
            const struct syn_diff_group *group = &diff->group[i];
            p[i] = is_tested(group) ? group->test.p : NAN;
            syn_diff_rows_put_half(&rows, i, 0, &group->a, group->a.run_value);
            syn_diff_rows_put_half(&rows, i, 1, &group->b, group->b.run_value);
        }
        syn_diff_rows_to_logarithms(&rows);
        status = syn_diff_adjust(diff, &rows, p, own, &diff->maxt);
        for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
            struct syn_diff_group *group = &diff->group[i];
            group->p_adjusted = p[i];
            group->p_permutation = own[i].p;
            if (is_tested(group))
                status = find_detectable(diff, tested, own[i].least_difference, group);
        }
    }
    syn_diff_rows_free(&rows);
    free(p);
    free(own);
    return status;
}

/* Order of verdicts: those that people look for come first. */
static int place_of(enum syn_verdict verdict)
{
    static const int places[] = {[SYN_VERDICT_SLOWER] = 0,
                                 [SYN_VERDICT_FASTER] = 1,
                                 [SYN_VERDICT_UNCLEAR] = 2,
                                 [SYN_VERDICT_TOO_FEW_RUNS] = 3,
                                 [SYN_VERDICT_INDISTINGUISHABLE] = 4,
                                 [SYN_VERDICT_EQUIVALENT] = 5};
    return places[verdict];
}

static double size_of(const struct syn_diff_group *group)
{
    return group->ratio.estimate > 0 ? fabs(log(group->ratio.estimate)) : -1;
}

/* As one would look them up. */
static int by_bytes(const void *left, const void *right)
{
    const struct syn_diff_group *a = left;
    const struct syn_diff_group *b = right;
    int order = strcmp(a->op, b->op);
    order = order ? order : strcmp(a->a.site, b->a.site);
    order = order ? order : strcmp(a->a.comm, b->a.comm);
    order = order ? order : (a->bytes < b->bytes ? -1 : a->bytes > b->bytes);
    order = order ? order : (a->rank < b->rank ? -1 : a->rank > b->rank);
    order = order ? order : (a->root < b->root ? -1 : a->root > b->root);
    return order ? order : strcmp(a->node ? a->node : "", b->node ? b->node : "");
}

static int by_change(const void *left, const void *right)
{
    const struct syn_diff_group *a = left;
    const struct syn_diff_group *b = right;
    if (size_of(a) != size_of(b))
        return size_of(a) > size_of(b) ? -1 : 1;
    return by_bytes(left, right);
}

static int by_verdict(const void *left, const void *right)
{
    const struct syn_diff_group *a = left;
    const struct syn_diff_group *b = right;
    int order = place_of(a->verdict) - place_of(b->verdict);
    return order ? order : by_change(left, right);
}

static void count_verdicts(struct syn_diff *diff)
{
    static int (*const orders[])(const void *, const void *) = {[SYN_ORDER_VERDICT] = by_verdict,
                                                                [SYN_ORDER_BYTES] = by_bytes,
                                                                [SYN_ORDER_CHANGE] = by_change};
    for (size_t i = 0; i < diff->count; i++)
        diff->verdict_count[diff->group[i].verdict]++;
    qsort(diff->group, diff->count, sizeof *diff->group, orders[diff->options.order]);
}

int syn_diff_judge(struct syn_diff *diff)
{
    int status = 0;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        status = test_group(diff, &diff->group[i]);
    if (status == SYN_OK)
        status = adjust(diff);
    size_t tested = count_tested(diff);
    double level = syn_diff_table_alpha(diff);
    diff->needed_runs = syn_runs_needed(level);
    diff->needed_runs_adjusted = diff->adjust == SYN_ADJUST_MAXT
                                     ? diff->needed_runs
                                     : syn_runs_needed(level / (double)(tested ? tested : 1));
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        status = judge_group(diff, &diff->group[i]);
    if (status == SYN_OK)
        count_verdicts(diff);
    return status;
}
