/* analyze/diff/diff_wait.c - tests whether the share of waiting has changed, run against run.
 *
 * RATIONALE: a share is waiting over time inside collectives, both summed over a run. Shares are
 * not averaged over groups or instances. Differences are compared, because a share may be 0. */
#include <math.h>
#include <stdlib.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

const char *syn_diff_wait_stars(const struct syn_diff_wait *wait)
{
    return fabs(wait->change.estimate) > wait->clock_bound ? syn_stars(wait->p_adjusted) : "";
}

/* Computes a share for each run; the figures are in order of run. A run without a known clock
 * bound, or with wrong clocks, has none. */
static int shares_of(const struct syn_report *side, const struct syn_figures **part, size_t count,
                     struct syn_diff_values *out, double *clock_bound)
{
    if (syn_diff_values_begin(out, count))
        return SYN_ENOMEM;
    for (size_t i = 0; i < count;) {
        const uint64_t run = part[i]->group->key[SYN_KEY_RUN];
        double waiting_ns = 0, inside_ns = 0, bound_ns = 0;
        for (; i < count && part[i]->group->key[SYN_KEY_RUN] == run; i++) {
            waiting_ns += part[i]->waiting_ns;
            inside_ns += part[i]->inside_ns;
            bound_ns += part[i]->bound_total_ns;
        }
        if (!(inside_ns > 0) || isnan(bound_ns) ||
            (bound_ns > 0 && syn_diff_run_is_lost(side, run)))
            continue;
        syn_diff_values_add(out, run, waiting_ns / inside_ns);
        *clock_bound = fmax(*clock_bound, bound_ns / inside_ns);
    }
    return 0;
}

/* rows: also gets the shares, unless NULL. */
static int compare(const struct syn_diff *diff, const struct syn_figures **const part[2],
                   const size_t count[2], struct syn_diff_rows *rows, size_t row,
                   struct syn_diff_wait *out)
{
    struct syn_diff_values share[2] = {{0}, {0}};
    int status = 0;
    *out = (struct syn_diff_wait){0};
    for (int i = 0; i < 2 && status == SYN_OK; i++) {
        status = shares_of(&diff->side[i], part[i], count[i], &share[i], &out->clock_bound);
        if (status == SYN_OK && rows)
            syn_diff_rows_put(rows, row, i, share[i].run, share[i].value, share[i].count);
    }
    if (status == SYN_OK) {
        out->a = syn_diff_median_of(share[0].value, share[0].count);
        out->b = syn_diff_median_of(share[1].value, share[1].count);
        status = syn_diff_test_runs(diff, &share[0], &share[1], syn_hodges_lehmann, &out->test,
                                    &out->change, &out->p_adjusted);
    }
    syn_diff_values_free(&share[0]);
    syn_diff_values_free(&share[1]);
    return status;
}

/* Compares all collectives together, whether or not the other side has their group; then compares
 * each group. */
int syn_diff_compare_waiting(struct syn_diff *diff)
{
    const struct syn_figures **all[2];
    const size_t count[2] = {diff->side[0].groups.count, diff->side[1].groups.count};
    SYN_CLEANUP(syn_diff_rows_free) struct syn_diff_rows rows = {0};
    for (int i = 0; i < 2; i++) {
        all[i] = malloc((count[i] + 1) * sizeof *all[i]);
        for (size_t g = 0; g < count[i] && all[i]; g++)
            all[i][g] = &diff->side[i].figures[g];
        if (all[i])
            syn_diff_sort_by_run(all[i], count[i]);
    }
    int status = all[0] && all[1] ? compare(diff, all, count, NULL, 0, &diff->wait) : SYN_ENOMEM;
    free(all[0]);
    free(all[1]);
    SYN_STEP(status, syn_diff_rows_begin(diff, diff->count, &rows));
    for (size_t i = 0; i < diff->count && status == SYN_OK; i++) {
        struct syn_diff_group *group = &diff->group[i];
        status = compare(diff, (const struct syn_figures **[]){group->a.part, group->b.part},
                         (const size_t[]){group->a.part_count, group->b.part_count}, &rows, i,
                         &group->wait);
    }
    if (status == SYN_OK && diff->count)
        status = syn_diff_adjust(diff, &rows, false, &diff->group->wait.p_adjusted,
                                 sizeof *diff->group, NULL, NULL);
    return status;
}
