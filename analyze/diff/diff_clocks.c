/* analyze/diff/diff_clocks.c - leaves out runs whose clocks are wrong beyond any correction.
 *
 * In such a run, times of different ranks cannot be compared, so a figure that depends on them
 * enters no test. A figure that one rank's clock has measured alone (local_max, communicators of
 * one rank, run times) is kept: its clock bound is 0. The other runs are kept, too: whether a clock
 * is wrong says nothing of the duration of collectives. */
#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

SYN_ORDER(by_run_number, struct syn_run_facts, SYN_UP(run))

bool syn_diff_run_is_lost(const struct syn_report *side, uint64_t run)
{
    const struct syn_run_facts wanted = {.run = (uint32_t)run};
    const struct syn_run_facts *found =
        bsearch(&wanted, side->run, side->run_count, sizeof wanted, by_run_number);
    return found && syn_clocks_are_lost(&found->causality);
}

void syn_diff_leave_lost(const struct syn_diff *diff, int side, struct syn_diff_half *half)
{
    size_t kept = 0;
    uint64_t last_lost = UINT64_MAX;
    for (size_t i = 0; i < half->part_count; i++) {
        const uint64_t run = half->part[i]->group->key[SYN_KEY_RUN];
        const int metric = diff->options.metric;
        const struct syn_figures *figures = half->part[i];
        const double bound_ns = metric == SYN_DIFF_WAIT_SHARE
                                    ? figures->bound_total_ns
                                    : figures->metric[metric].clock_bound_ns;

        const bool rests_on_clocks = isnan(bound_ns) || bound_ns > 0;
        if (!rests_on_clocks || !syn_diff_run_is_lost(&diff->side[side], run)) {
            half->part[kept++] = half->part[i];
            continue;
        }
        half->lost_run_count += run != last_lost;
        last_lost = run;
    }
    half->part_count = kept;
}

bool syn_diff_is_withdrawn(const struct syn_diff_group *group)
{
    const struct syn_diff_half *a = &group->a, *b = &group->b;
    return (a->lost_run_count > 0 && a->run_count == 0) ||
           (b->lost_run_count > 0 && b->run_count == 0);
}

bool syn_diff_all_are_withdrawn(const struct syn_diff *diff)
{
    for (size_t i = 0; i < diff->count; i++)
        if (!syn_diff_is_withdrawn(&diff->group[i]))
            return false;
    return diff->count > 0;
}

size_t syn_diff_lost_runs(const struct syn_diff *diff, int side)
{
    size_t most = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_half *half = side ? &diff->group[i].b : &diff->group[i].a;
        most = syn_largest(half->lost_run_count, most);
    }
    return most;
}
