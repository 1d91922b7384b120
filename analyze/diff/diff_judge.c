/* analyze/diff/diff_judge.c - tests all groups, adjusts their p-values, and finds verdicts.
 *
 * RATIONALE: a one-sided test at alpha and the interval of confidence 1 - 2 alpha have the same
 * limit. So for a one-sided test the decision table, which is two-sided, gets 2 p and 2 alpha, and
 * there is one table for both. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/samples/quantreg.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"

/* Holm is chosen if the smallest possible p, times the number of groups, is below this share of the
 * level. */
#define HOLM_WHERE_BELOW  0.1
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
    SYN_FREED size_t *start = NULL;
    int status = syn_diff_instances(diff, half, &out->sorted, &start);
    out->phi = 1;
    if (status != SYN_OK)
        return status;
    for (size_t r = 0; r < half->run_count; r++)
        out->phi =
            fmax(out->phi, syn_dependence_factor(out->sorted + start[r], start[r + 1] - start[r]));
    out->n = start[half->run_count];
    syn_sort(out->sorted, out->n);
    return 0;
}

/* Finds the ratio of a group with too few runs for a test. Its interval holds for these runs
 * only. */
static int ratio_within(const struct syn_diff *diff, struct syn_diff_group *group)
{
    struct syn_diff_pool a = {0}, b = {0};
    double ratio;
    group->ratio =
        (struct syn_shift){group->b.median.value / group->a.median.value, NAN, NAN, NAN, 0};
    group->ratio_within_runs = true;
    if (!(group->a.median.value > 0))
        group->ratio.estimate = NAN;
    int status = syn_diff_pool(diff, &group->a, &a);
    SYN_STEP(status, syn_diff_pool(diff, &group->b, &b));
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
    return half->clock_bound == 0 ? 0 : half->clock_bound / fabs(half->median.value);
}

static int test_group(const struct syn_diff *diff, struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    struct syn_diff_values of_a = {a->run_value, a->run, a->run_count};
    struct syn_diff_values of_b = {b->run_value, b->run, b->run_count};
    group->p_permutation = NAN;
    group->detectable_slower = group->detectable_faster = NAN;
    if (syn_diff_is_withdrawn(group)) {
        /* There is nothing to test: a side has no run left. */
        group->ratio = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
        group->ratio_within_runs = true;
        group->test.U = group->test.p = NAN;
        group->p_adjusted = group->least_p = NAN;
        group->vargha_delaney_a = group->delta = NAN;
        return 0;
    }
    const int status = syn_diff_test_runs(diff, &of_a, &of_b, syn_ratio, &group->test,
                                          &group->ratio, &group->p_adjusted);
    const double bound_a = relative_bound(a), bound_b = relative_bound(b);
    group->vargha_delaney_a =
        syn_vargha_delaney(b->run_value, b->run_count, a->run_value, a->run_count);
    group->delta = isnan(bound_a) || isnan(bound_b)
                       ? NAN
                       : fmax(diff->options.threshold, fmax(bound_a, bound_b));
    return status != SYN_OK || syn_diff_runs_suffice(diff, a->run_count, b->run_count)
               ? status
               : ratio_within(diff, group);
}

int syn_diff_find_verdict(const struct syn_diff *diff, const struct syn_diff_values *a,
                          const struct syn_diff_values *b, const struct syn_shift *ratio,
                          double least_p, double p_adjusted, double delta, enum syn_verdict *out)
{
    const double sides = diff->options.alternative == SYN_TWO_SIDED ? 1 : 2;
    struct syn_shift narrow = {NAN, NAN, NAN, NAN, 0};
    if (syn_ratio(b->value, b->count, a->value, a->count, 0.9, &narrow) == SYN_ENOMEM)
        return SYN_ENOMEM;
    const struct syn_evidence evidence = {.runs_a = a->count,
                                          .runs_b = b->count,
                                          .least_p = isnan(least_p) ? 0 : least_p,
                                          .p_adjusted = p_adjusted * sides,
                                          .alpha = syn_diff_table_alpha(diff),
                                          .delta = delta,
                                          .ratio_low = ratio->low,
                                          .ratio_high = ratio->high,
                                          .low90 = narrow.low,
                                          .high90 = narrow.high};
    *out = syn_verdict_of(&evidence);
    return 0;
}

/* ---- all groups ---- */

/* Says whether the group is tested. A group with too few runs is not, and takes part in no
 * adjustment. */
static bool is_tested(const struct syn_diff_group *group)
{
    return !group->ratio_within_runs;
}

int syn_diff_adjust_least(const struct syn_diff *diff, double *least_p, size_t stride, size_t count)
{
    if (count == 0 || diff->adjust == SYN_ADJUST_MAXT)
        return 0;
    return (diff->adjust == SYN_ADJUST_BH ? syn_adjust_bh_in : syn_adjust_holm_in)(least_p, stride,
                                                                                   count);
}

/* Finds the smallest p that each group can have (two-sided, as the table is), and chooses the
 * adjustment. Returns the number of groups that are tested.
 *
 * RATIONALE: the choice must not depend on the results, or the level would not hold. It depends
 * only on the numbers of runs and groups. With few runs for the number of groups, Holm claims a
 * group only if nearly all runs of one side are above all runs of the other, and finds little or
 * nothing; maxT has no such limit. With many runs both find about the same, and the rank tests
 * adjusted by Holm are robust against outlying runs. */
static size_t choose_adjust(struct syn_diff *diff)
{
    const double sides = diff->options.alternative == SYN_TWO_SIDED ? 1 : 2;
    double least = 1;
    size_t tested = 0;
    for (size_t i = 0; i < diff->count; i++) {
        struct syn_diff_group *group = &diff->group[i];
        group->least_p = NAN;
        if (!is_tested(group))
            continue;
        group->least_p = syn_smallest_p(group->a.run_count, group->b.run_count) / sides;
        least = fmin(least, group->least_p);
        tested++;
    }
    const bool holm =
        tested < 2 || least * (double)tested < HOLM_WHERE_BELOW * syn_diff_alpha(diff);
    const bool no_spread = diff->side[0].run_count < 2 || diff->side[1].run_count < 2;
    diff->adjust = diff->options.adjust != SYN_ADJUST_AUTO ? diff->options.adjust
                   : holm                                  ? SYN_ADJUST_HOLM
                                                           : SYN_ADJUST_MAXT;
    if (diff->adjust == SYN_ADJUST_MAXT && no_spread) /* t is not defined */
        diff->adjust = SYN_ADJUST_HOLM;
    return tested;
}

/* Finds the smallest change that could have been claimed, had only this group changed: as far as
 * the interval of its ratio extends at the level of the adjustment's first step. For maxT also at
 * least the difference that the group's own spread requires (syn_maxt_row.least_difference). */
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

/* Plan: put all tested groups into one table, as rows; adjust the p-values; find the change that
 * each group could have shown. */
static int adjust(struct syn_diff *diff, size_t tested)
{
    const double sides = diff->options.alternative == SYN_TWO_SIDED ? 1 : 2;
    SYN_CLEANUP(syn_diff_rows_free) struct syn_diff_rows rows = {0};
    SYN_FREED struct syn_maxt_row *own = malloc((diff->count + 1) * sizeof *own);
    int status = own ? syn_diff_rows_begin(diff, diff->count, &rows) : SYN_ENOMEM;
    if (status == SYN_OK)
        status =
            syn_diff_adjust_least(diff, &diff->group->least_p, sizeof *diff->group, diff->count);
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct syn_diff_group *group = &diff->group[i];
        group->least_p *= sides;
        group->p_adjusted = is_tested(group) ? group->test.p : NAN;
        syn_diff_rows_put(&rows, i, 0, group->a.run, group->a.run_value, group->a.run_count);
        syn_diff_rows_put(&rows, i, 1, group->b.run, group->b.run_value, group->b.run_count);
    }
    SYN_STEP(status, syn_diff_adjust(diff, &rows, true, &diff->group->p_adjusted,
                                     sizeof *diff->group, own, &diff->maxt));
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct syn_diff_group *group = &diff->group[i];
        group->p_permutation = own[i].p;
        if (is_tested(group))
            status = find_detectable(diff, tested, own[i].least_difference, group);
    }
    return status;
}

/* Returns the place of a verdict in the order: changes come first. */
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

/* Orders by operation, call site, communicator, bytes, rank, root and node. */
SYN_ORDER(by_bytes, struct syn_diff_group,
          strcmp(a->op, b->op)
              ?: strcmp(a->a.site, b->a.site)
              ?: strcmp(a->a.comm, b->a.comm)
              ?: SYN_UP(bytes)
              ?: SYN_UP(rank)
              ?: SYN_UP(root)
              ?: strcmp(a->node ? a->node : "", b->node ? b->node : ""))
SYN_ORDER(by_change, struct syn_diff_group,
          SYN_COMPARE(size_of(b), size_of(a)) ?: by_bytes(left, right))
SYN_ORDER(by_verdict, struct syn_diff_group,
          (place_of(a->verdict) - place_of(b->verdict)) ?: by_change(left, right))

/* Tests each group, adjusts over all of them, finds verdicts, and sorts the groups. */
int syn_diff_judge(struct syn_diff *diff)
{
    static int (*const orders[])(const void *, const void *) = {[SYN_ORDER_VERDICT] = by_verdict,
                                                                [SYN_ORDER_BYTES] = by_bytes,
                                                                [SYN_ORDER_CHANGE] = by_change};
    const double level = syn_diff_table_alpha(diff);
    int status = 0;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        status = test_group(diff, &diff->group[i]);
    const size_t tested = choose_adjust(diff);
    SYN_STEP(status, adjust(diff, tested));
    diff->needed_runs = syn_runs_needed(level);
    diff->needed_runs_adjusted = diff->adjust == SYN_ADJUST_MAXT
                                     ? diff->needed_runs
                                     : syn_runs_needed(level / (double)(tested ? tested : 1));
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct syn_diff_group *group = &diff->group[i];
        const struct syn_diff_values a = {group->a.run_value, group->a.run, group->a.run_count};
        const struct syn_diff_values b = {group->b.run_value, group->b.run, group->b.run_count};
        status = syn_diff_find_verdict(diff, &a, &b, &group->ratio, group->least_p,
                                       group->p_adjusted, group->delta, &group->verdict);
        group->runs_for_equivalence = NAN;
        if (status == SYN_OK && group->verdict == SYN_VERDICT_INDISTINGUISHABLE) {
            double runs =
                syn_runs_for_equivalence(b.value, b.count, a.value, a.count, group->delta);
            /* with fewer runs no claim is possible */
            group->runs_for_equivalence =
                isnan(runs) ? NAN : fmax(runs, (double)diff->needed_runs_adjusted);
        }
        diff->verdict_count[diff->group[i].verdict] += status == SYN_OK;
    }
    if (status == SYN_OK)
        qsort(diff->group, diff->count, sizeof *diff->group, orders[diff->options.order]);
    return status;
}
