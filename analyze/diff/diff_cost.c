/* analyze/diff/diff_cost.c - see diff_cost.h. */
#include "analyze/diff/diff_cost.h"

#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* Computes for each run the mean over its ranks of their time inside the group. */
static int costs_of(const struct syn_report *side, const struct syn_diff_half *half,
                    struct syn_diff_values *out)
{
    if (syn_diff_values_begin(out, side->run_count))
        return SYN_ENOMEM;
    for (size_t r = 0; r < side->run_count; r++) {
        const struct syn_run_facts *run = &side->run[r];
        double inside_ns = 0;
        for (size_t i = 0; i < half->part_count; i++)
            if (half->part[i]->group->key[SYN_KEY_RUN] == run->run)
                inside_ns += half->part[i]->inside_ns;
        if (!syn_diff_run_is_lost(side, run->run))
            syn_diff_values_add(out, run->run,
                                inside_ns /
                                    (double)(run->recorded_count > 0 ? run->recorded_count : 1));
    }
    return 0;
}

static int test(const struct syn_diff *diff, double limit, const struct syn_diff_values *a,
                const struct syn_diff_values *b, struct syn_diff_cost *out)
{
    const double run_ns = diff->total[SYN_TOTAL_RUN].a;
    struct syn_shift shift;
    struct syn_wilcoxon more;
    double p;
    int status = syn_diff_test_runs(diff, a, b, syn_hodges_lehmann, &more, &shift, &p);
    for (size_t i = 0; i < a->count; i++)
        a->value[i] += limit * run_ns;
    SYN_STEP(status, syn_wilcoxon_test(b->value, b->count, a->value, a->count, SYN_GREATER, &more));
    if (status != SYN_OK || !(run_ns > 0))
        return status == SYN_ENOMEM ? status : 0;
    out->share.estimate = shift.estimate / run_ns;
    out->share.low = shift.low / run_ns;
    out->share.high = shift.high / run_ns;
    if (syn_diff_runs_suffice(diff, a->count, b->count))
        out->p_adjusted = more.p;
    return 0;
}

int syn_diff_costs(const struct syn_diff *diff, double limit, struct syn_diff_cost **out)
{
    struct syn_diff_cost *cost = calloc(diff->count + 1, sizeof *cost);
    int status = cost ? 0 : SYN_ENOMEM;
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        SYN_CLEANUP(syn_diff_values_free) struct syn_diff_values a = {0}, b = {0};
        cost[i] = (struct syn_diff_cost){{NAN, NAN, NAN, NAN, 0}, NAN, false};
        status = costs_of(&diff->side[0], &diff->group[i].a, &a);
        SYN_STEP(status, costs_of(&diff->side[1], &diff->group[i].b, &b));
        SYN_STEP(status, test(diff, limit, &a, &b, &cost[i]));
    }
    SYN_STEP(status, syn_adjust_holm_in(&cost->p_adjusted, sizeof *cost, diff->count));
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++)
        cost[i].is_more = cost[i].p_adjusted < syn_diff_table_alpha(diff) / 2;
    if (status != SYN_OK) {
        free(cost);
        cost = NULL;
    }
    *out = cost;
    return status;
}
