/* analyze/diff/diff_sample.c - from the instances of a run to the one figure that enters the tests.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

size_t syn_diff_end_of_run(const struct syn_diff_half *half, size_t first)
{
    uint64_t run = half->part[first]->group->key[SYN_KEY_RUN];
    size_t end = first + 1;
    while (end < half->part_count && half->part[end]->group->key[SYN_KEY_RUN] == run)
        end++;
    return end;
}

int syn_diff_instances(const struct syn_diff *diff, const struct syn_diff_half *half,
                       double **values, size_t **start)
{
    size_t run_count = 0, count = 0;
    int status = diff->options.metric == SYN_DIFF_WAIT_SHARE ? SYN_EINVAL : 0;
    *values = NULL;
    *start = NULL;
    for (size_t i = 0; i < half->part_count; i++)
        count += syn_figures_count(half->part[i]);
    if (status == SYN_OK) {
        *values = malloc((count + 1) * sizeof **values);
        *start = malloc((half->part_count + 1) * sizeof **start);
        status = *values && *start ? 0 : SYN_ENOMEM;
    }
    count = 0;
    for (size_t i = 0; i < half->part_count && status == SYN_OK; i++) {
        if (i == 0 ||
            half->part[i]->group->key[SYN_KEY_RUN] != half->part[i - 1]->group->key[SYN_KEY_RUN])
            (*start)[run_count++] = count;
        status = syn_figures_values(half->part[i], (enum syn_metric)diff->options.metric,
                                    *values + count);
        count += syn_figures_count(half->part[i]);
    }
    if (status == SYN_OK) {
        (*start)[run_count] = count;
        return 0;
    }
    free(*values);
    free(*start);
    *values = NULL;
    *start = NULL;
    return status;
}

/* ---- a run's figure ---- */

static double share_of_waiting(const struct syn_diff_half *half, size_t first, size_t end,
                               double *bound)
{
    double waiting_ns = 0, inside_ns = 0, bound_ns = 0;
    for (size_t i = first; i < end; i++) {
        waiting_ns += half->part[i]->waiting_ns;
        inside_ns += half->part[i]->inside_ns;
        bound_ns += half->part[i]->bound_total_ns;
    }
    *bound = bound_ns / inside_ns;
    return waiting_ns / inside_ns;
}

static int median_of_parts(const struct syn_figures *const *part, size_t count,
                           enum syn_metric metric, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++)
        n += syn_figures_count(part[i]);
    double *x = malloc((n + 1) * sizeof *x);
    int status = x ? 0 : SYN_ENOMEM;
    n = 0;
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        status = syn_figures_values(part[i], metric, x + n);
        n += syn_figures_count(part[i]);
    }
    if (status == SYN_OK) {
        syn_sort(x, n);
        *out = syn_quantile_sorted(x, n, 0.5);
    }
    free(x);
    return status;
}

static int run_figure(const struct syn_diff *diff, const struct syn_diff_half *half, size_t first,
                      size_t end, double *value, double *bound)
{
    int metric = diff->options.metric;
    if (metric == SYN_DIFF_WAIT_SHARE) {
        *value = share_of_waiting(half, first, end, bound);
        return 0;
    }
    const struct syn_metric_figures *figures = &half->part[first]->metric[metric];
    *value = figures->summary.median;
    *bound = figures->clock_bound_ns;
    for (size_t i = first + 1; i < end; i++)
        *bound =
            isnan(*bound) ? *bound : fmax(*bound, half->part[i]->metric[metric].clock_bound_ns);
    return end == first + 1
               ? 0
               : median_of_parts(half->part + first, end - first, (enum syn_metric)metric, value);
}

/* ---- a side's figures ---- */

int syn_diff_summarize_runs(const struct syn_diff *diff, const double *value, size_t count,
                            struct syn_summary *out)
{
    double *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return SYN_ENOMEM;
    memcpy(sorted, value, count * sizeof *sorted);
    syn_sort(sorted, count);
    syn_summarize_sorted(sorted, count, diff->options.confidence, out);
    free(sorted);
    return 0;
}

/* One value a run, then the summary over runs; of a single run the interval within it. */
int syn_diff_sample(const struct syn_diff *diff, struct syn_diff_half *half)
{
    half->run_value = malloc((half->part_count + 1) * sizeof *half->run_value);
    if (!half->run_value)
        return SYN_ENOMEM;
    for (size_t first = 0, end; first < half->part_count; first = end) {
        double bound = NAN;
        end = syn_diff_end_of_run(half, first);
        int status = run_figure(diff, half, first, end, &half->run_value[half->run_count], &bound);
        if (status != SYN_OK)
            return status;
        half->clock_bound = half->run_count == 0 || isnan(bound) || isnan(half->clock_bound)
                                ? (half->run_count == 0 ? bound : NAN)
                                : fmax(half->clock_bound, bound);
        half->run_count++;
        for (size_t i = first; i < end; i++)
            half->instance_count += syn_figures_count(half->part[i]);
    }
    struct syn_summary summary;
    if (syn_diff_summarize_runs(diff, half->run_value, half->run_count, &summary))
        return SYN_ENOMEM;
    half->median = summary.median;
    half->ci_low = summary.ci_low;
    half->ci_high = summary.ci_high;
    if (half->part_count == 1 && diff->options.metric != SYN_DIFF_WAIT_SHARE) {
        const struct syn_summary *within = &half->part[0]->metric[diff->options.metric].summary;
        half->ci_low = within->ci_dependent_low;
        half->ci_high = within->ci_dependent_high;
    }
    return 0;
}
