/* analyze/diff/diff_cost.c - see diff_cost.h. */
#include "analyze/diff/diff_cost.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* A figure a run; value [count], owned. */
struct costs {
    double *value;
    size_t count;
};

static double cost_of(const struct syn_diff_half *half, const struct syn_run_facts *run)
{
    double inside_ns = 0;
    for (size_t i = 0; i < half->part_count; i++)
        if (half->part[i]->group->key[SYN_KEY_RUN] == run->run)
            inside_ns += half->part[i]->inside_ns;
    return inside_ns / (double)(run->recorded_count > 0 ? run->recorded_count : 1);
}

static struct costs costs_of(const struct syn_report *side, const struct syn_diff_half *half)
{
    struct costs out = {malloc((side->run_count + 1) * sizeof *out.value), 0};
    for (size_t i = 0; i < side->run_count && out.value; i++)
        if (!syn_diff_run_is_lost(side, side->run[i].run))
            out.value[out.count++] = cost_of(half, &side->run[i]);
    return out;
}

static int test(const struct syn_diff *diff, double limit, const struct costs *a,
                const struct costs *b, struct syn_diff_cost *out)
{
    const double run_ns = diff->total[SYN_TOTAL_RUN].a;
    struct syn_shift shift;
    struct syn_wilcoxon more;
    int status = syn_hodges_lehmann(b->value, b->count, a->value, a->count,
                                    1 - syn_diff_table_alpha(diff), &shift);
    for (size_t i = 0; i < a->count; i++)
        a->value[i] += limit * run_ns;
    if (status == SYN_OK)
        status = syn_wilcoxon_test(b->value, b->count, a->value, a->count, SYN_GREATER, &more);
    if (status != SYN_OK || !(run_ns > 0))
        return status == SYN_ENOMEM ? status : 0;
    out->share.estimate = shift.estimate / run_ns;
    if (!syn_diff_runs_suffice(diff, a->count, b->count))
        return 0;
    out->share.low = shift.low / run_ns;
    out->share.high = shift.high / run_ns;
    out->p_adjusted = more.p;
    return 0;
}

static int adjust(const struct syn_diff *diff, struct syn_diff_cost *cost)
{
    const int status = syn_adjust_holm_in(&cost->p_adjusted, sizeof *cost, diff->count);
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        cost[i].is_more = cost[i].p_adjusted < syn_diff_table_alpha(diff) / 2;
    return status;
}

int syn_diff_costs(const struct syn_diff *diff, double limit, struct syn_diff_cost **out)
{
    struct syn_diff_cost *cost = calloc(diff->count + 1, sizeof *cost);
    int status = cost ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct costs a = costs_of(&diff->side[0], &diff->group[i].a);
        struct costs b = costs_of(&diff->side[1], &diff->group[i].b);
        cost[i] = (struct syn_diff_cost){{NAN, NAN, NAN, NAN, 0}, NAN, false};
        status = a.value && b.value ? test(diff, limit, &a, &b, &cost[i]) : SYN_ENOMEM;
        free(a.value);
        free(b.value);
    }
    if (status == SYN_OK)
        status = adjust(diff, cost);
    if (status != SYN_OK) {
        free(cost);
        cost = NULL;
    }
    *out = cost;
    return status;
}
