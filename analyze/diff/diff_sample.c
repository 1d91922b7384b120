/* analyze/diff/diff_sample.c - computes from a run's instances the one value of the run that is
 * tested. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "sync/base/status.h"

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

/* ---- values of runs ---- */

int syn_diff_values_begin(struct syn_diff_values *values, size_t capacity)
{
    *values = (struct syn_diff_values){.value = malloc((capacity + 1) * sizeof *values->value),
                                       .run = malloc((capacity + 1) * sizeof *values->run)};
    return values->value && values->run ? 0 : SYN_ENOMEM;
}

void syn_diff_values_add(struct syn_diff_values *values, uint64_t run, double value)
{
    values->run[values->count] = run;
    values->value[values->count++] = value;
}

void syn_diff_values_free(struct syn_diff_values *values)
{
    free(values->value);
    free(values->run);
}

int syn_diff_test_runs(const struct syn_diff *diff, const struct syn_diff_values *a,
                       const struct syn_diff_values *b, syn_diff_shift_of shift_of,
                       struct syn_wilcoxon *test, struct syn_shift *change, double *p)
{
    *change = (struct syn_shift){NAN, NAN, NAN, NAN, 0};
    int status =
        syn_wilcoxon_test(b->value, b->count, a->value, a->count, diff->options.alternative, test);
    SYN_STEP(status, shift_of(b->value, b->count, a->value, a->count,
                              1 - syn_diff_table_alpha(diff), change));
    *p = test->p;
    if (!syn_diff_runs_suffice(diff, a->count, b->count))
        *p = change->low = change->high = change->confidence = NAN;
    return status == SYN_ENOMEM ? status : 0;
}

/* Computes the value and the clock bound of a run, from its parts `first` to `end` - 1. The value
 * is a share of sums, or the median over all instances. */
static int run_figure(const struct syn_diff *diff, const struct syn_diff_half *half, size_t first,
                      size_t end, double *value, double *bound)
{
    const int metric = diff->options.metric;
    if (metric == SYN_DIFF_WAIT_SHARE) {
        double waiting_ns = 0, inside_ns = 0, bound_ns = 0;
        for (size_t i = first; i < end; i++) {
            waiting_ns += half->part[i]->waiting_ns;
            inside_ns += half->part[i]->inside_ns;
            bound_ns += half->part[i]->bound_total_ns;
        }
        *bound = bound_ns / inside_ns;
        *value = waiting_ns / inside_ns;
        return 0;
    }
    const struct syn_metric_figures *figures = &half->part[first]->metric[metric];
    *value = figures->summary.median;
    *bound = figures->clock_bound_ns;
    if (end == first + 1)
        return 0;
    for (size_t i = first + 1; i < end; i++)
        *bound =
            isnan(*bound) ? *bound : fmax(*bound, half->part[i]->metric[metric].clock_bound_ns);
    const struct syn_diff_half of_run = {.part = half->part + first, .part_count = end - first};
    SYN_FREED double *x = NULL;
    SYN_FREED size_t *start = NULL;
    const int status = syn_diff_instances(diff, &of_run, &x, &start);
    if (status == SYN_OK)
        *value = syn_diff_median_of(x, start[1]);
    return status;
}

/* ---- values of a side ---- */

double syn_diff_median_of(const double *value, size_t count)
{
    SYN_FREED double *sorted = malloc((count + 1) * sizeof *sorted);
    for (size_t i = 0; i < count && sorted; i++)
        sorted[i] = value[i];
    if (sorted)
        syn_sort(sorted, count);
    return sorted ? syn_quantile_sorted(sorted, count, 0.5) : NAN;
}

int syn_diff_find_median(const struct syn_diff *diff, const double *value, size_t count,
                         struct syn_diff_median *out)
{
    struct syn_summary summary;
    SYN_FREED double *sorted = malloc((count + 1) * sizeof *sorted);
    if (!sorted)
        return SYN_ENOMEM;
    memcpy(sorted, value, count * sizeof *sorted);
    syn_sort(sorted, count);
    syn_summarize_sorted(sorted, count, diff->options.confidence, &summary);
    *out = (struct syn_diff_median){summary.median, summary.ci_low, summary.ci_high};
    return 0;
}

/* Finds one value for each run, then the summary over the runs. With a single part, the interval is
 * the one within it. */
int syn_diff_sample(const struct syn_diff *diff, struct syn_diff_half *half)
{
    half->run_value = malloc((half->part_count + 1) * sizeof *half->run_value);
    half->run = malloc((half->part_count + 1) * sizeof *half->run);
    if (!half->run_value || !half->run)
        return SYN_ENOMEM;
    for (size_t first = 0, end; first < half->part_count; first = end) {
        double bound = NAN;
        for (end = first + 1;
             end < half->part_count && half->part[end]->group->key[SYN_KEY_RUN] ==
                                           half->part[first]->group->key[SYN_KEY_RUN];)
            end++;
        int status = run_figure(diff, half, first, end, &half->run_value[half->run_count], &bound);
        if (status != SYN_OK)
            return status;
        half->clock_bound = half->run_count == 0 || isnan(bound) || isnan(half->clock_bound)
                                ? (half->run_count == 0 ? bound : NAN)
                                : fmax(half->clock_bound, bound);
        half->run[half->run_count++] = half->part[first]->group->key[SYN_KEY_RUN];
        for (size_t i = first; i < end; i++)
            half->instance_count += syn_figures_count(half->part[i]);
    }
    if (syn_diff_find_median(diff, half->run_value, half->run_count, &half->median))
        return SYN_ENOMEM;
    if (half->part_count == 1 && diff->options.metric != SYN_DIFF_WAIT_SHARE) {
        const struct syn_summary *within = &half->part[0]->metric[diff->options.metric].summary;
        half->median.low = within->ci_dependent_low;
        half->median.high = within->ci_dependent_high;
    }
    return 0;
}
