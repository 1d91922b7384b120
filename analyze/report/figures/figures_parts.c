/* analyze/report/figures/figures_parts.c - memory and series that all figures of a group share. */
#include "analyze/report/figures/figures_parts.h"

#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/base/vector.h"

void syn_workspace_free(struct syn_workspace *work)
{
    free(work->x);
    free(work->scratch);
    free(work->bounds);
    free(work->order);
    free(work->rank_values);
    syn_tally_free(&work->tally);
    syn_tally_free(&work->combined);
}

int syn_workspace_reserve(struct syn_workspace *work, size_t n)
{
    if (n <= work->capacity)
        return 0;
    if (SYN_RESERVE(work->x, n) || SYN_RESERVE(work->scratch, n) || SYN_RESERVE(work->bounds, n) ||
        SYN_RESERVE(work->order, n))
        return SYN_ENOMEM;
    work->capacity = n;
    return 0;
}

enum syn_metric syn_figures_main_metric(const struct syn_group *group)
{
    return syn_group_is_part(group) ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION;
}

struct syn_run_range syn_group_range_of_run(const struct syn_group *group, size_t i)
{
    struct syn_run_range range = {group->run[i].first, group->start_ns.count};
    if (i + 1 < group->run_count)
        range.end = group->run[i + 1].first;
    return range;
}

bool syn_group_has_metric(const struct syn_group *group, enum syn_metric metric)
{
    bool part = group->completion_ns.count == 0;
    if (metric == SYN_METRIC_OPERATION && group->key[SYN_KEY_RANK] != UINT64_MAX)
        return true;
    return metric == SYN_METRIC_LOCAL_MAX || (metric == SYN_METRIC_WAIT) == part;
}

struct syn_series syn_group_series(const struct syn_group *group, enum syn_metric metric)
{
    struct syn_series series = {.store = group->store, .count = group->start_ns.count};
    series.column = metric == SYN_METRIC_SPREAD      ? &group->spread_ns
                    : metric == SYN_METRIC_EXIT_SKEW ? &group->exit_skew_ns
                    : metric == SYN_METRIC_LOCAL_MAX ? &group->local_max_ns
                    : metric == SYN_METRIC_WAIT      ? &group->wait_ns
                                                     : &group->completion_ns;
    if (metric != SYN_METRIC_OPERATION)
        return series;
    bool part = syn_group_is_part(group);
    /* max e - max s = (max e - min s) - (max s - min s), e_r - max s = (e_r - s_r) - (max s - s_r)
     */
    series.column = part ? &group->local_max_ns : &group->completion_ns;
    series.minus = part ? &group->wait_ns : &group->spread_ns;
    return series;
}

struct syn_series syn_group_series_of_column(const struct syn_group *group,
                                             const struct syn_column *column)
{
    return (struct syn_series){.column = column, .store = group->store, .count = column->count};
}

double syn_group_inside_ns(const struct syn_group *group)
{
    double inside_ns = 0;
    for (size_t i = 0; i < group->rank_count; i++)
        inside_ns += group->rank[i].inside_ns;
    return inside_ns;
}

int syn_series_median(const struct syn_series *series, struct syn_workspace *work,
                      double confidence, struct syn_median *out)
{
    struct syn_ordered sample;
    int status = series->count >= SYN_LONG_COLUMN
                     ? syn_series_count(series, NULL, 0, &work->tally, &sample)
                     : SYN_EINVAL;
    if (status == SYN_EINVAL) { /* few values, or a span too wide for a tally: sort */
        status = syn_workspace_reserve(work, series->count + 1);
        SYN_STEP(status, syn_series_values(series, work->x));
        if (status == SYN_OK)
            syn_sort(work->x, series->count);
        sample = syn_ordered_array(work->x, series->count);
    }
    if (status == SYN_OK)
        syn_median_of_ordered(&sample, confidence, out);
    return status;
}
