/* analyze/report/figures/figures_runs.c - computes the figures of a group's runs: where each run
 * settles, its median, its change. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/figures/figures_parts.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/ends.h"

/* A run of more than twice this many values is searched for a warm-up in its first WARMUP_HEAD
 * values. They are compared with as many values taken evenly from the second half. */
#define WARMUP_HEAD ((size_t)1 << 15)

/* Returns the main metric of one run as a series. */
static struct syn_series series_of_run(const struct syn_group *group, size_t r)
{
    struct syn_run_range range = syn_group_range_of_run(group, r);
    struct syn_series series = syn_group_series(group, syn_figures_main_metric(group));
    series.first = range.first;
    series.count = range.end - range.first;
    return series;
}

/* Reads the values in which a run's warm-up is sought into work->x: all, or its head and a sample
 * of its second half. Sets *n to their number. */
static int sample_run(const struct syn_series *series, struct syn_workspace *work, size_t *n)
{
    int64_t value[SYN_BLOCK_VALUES];
    size_t rest = series->count - series->count / 2;
    bool all = series->count <= 2 * WARMUP_HEAD;
    struct syn_series head = *series;
    head.count = all ? series->count : WARMUP_HEAD;
    *n = all ? series->count : 2 * WARMUP_HEAD;
    int status = syn_workspace_reserve(work, *n + 1);
    SYN_STEP(status, syn_series_values(&head, work->x));
    for (size_t i = 0, held = SIZE_MAX; i < WARMUP_HEAD && !all && status == SYN_OK; i++) {
        size_t at = series->count / 2 + i * rest / WARMUP_HEAD;
        size_t piece = at / SYN_BLOCK_VALUES * SYN_BLOCK_VALUES;
        size_t count = series->count - piece;
        if (piece != held)
            status = syn_series_read(series, piece, syn_least(count, SYN_BLOCK_VALUES), value);
        held = piece;
        work->x[WARMUP_HEAD + i] = (double)value[at - piece];
    }
    return status;
}

/* Finds whether no value of a run exceeds `value`, and some are less. RATIONALE: the values
 * themselves are compared, since the range of a series has neighbouring runs in it, too. A larger
 * value is nearly always among the first. */
static int find_slowest(const struct syn_series *series, int64_t value, bool *is_slowest)
{
    int64_t other[SYN_BLOCK_VALUES];
    bool any_less = false;
    *is_slowest = false;
    for (size_t at = 0; at < series->count; at += SYN_BLOCK_VALUES) {
        const size_t count = syn_least(series->count - at, (size_t)SYN_BLOCK_VALUES);
        const int status = syn_series_read(series, at, count, other);
        if (status != SYN_OK)
            return status;
        const struct syn_ends ends = syn_ends_of(other, count);
        if (ends.largest > value)
            return SYN_OK;
        any_less |= ends.least < value;
    }
    *is_slowest = any_less;
    return SYN_OK;
}

static int look_at_ends(const struct syn_series *series, struct syn_run_figures *run)
{
    int64_t first, last;
    run->first_ns = NAN;
    if (series->count == 0)
        return 0;
    int status = syn_series_read(series, 0, 1, &first);
    SYN_STEP(status, syn_series_read(series, series->count - 1, 1, &last));
    if (status == SYN_OK) {
        run->first_ns = (double)first;
        status = find_slowest(series, first, &run->first_is_slowest);
    }
    return status == SYN_OK ? find_slowest(series, last, &run->last_is_slowest) : status;
}

int syn_figures_find_warmups(struct syn_figures *figures, struct syn_workspace *work,
                             const struct syn_figures_plan *plan)
{
    const struct syn_group *group = figures->group;
    figures->run = calloc(group->run_count + 1, sizeof *figures->run);
    if (!figures->run)
        return SYN_ENOMEM;
    figures->run_count = group->run_count;
    for (size_t r = 0; r < group->run_count; r++) {
        struct syn_run_figures *run = &figures->run[r];
        struct syn_series series = series_of_run(group, r);
        run->run = group->run[r].run;
        /* Find the value from which the run is settled, in the order of the columns. That may
         * differ from the order of time. */
        struct syn_warmup *out = &run->warmup;
        size_t n;
        int status = sample_run(&series, work, &n);
        *out = (struct syn_warmup){0, NAN, NAN, 0};
        if (status == SYN_OK && syn_warmup_find(work->x, n, SYN_WARMUP_ALPHA, out) == SYN_ENOMEM)
            status = SYN_ENOMEM;
        if (status == SYN_OK) {
            /* look for a change after the warm-up */
            const size_t settled_at = run->warmup.unsettled ? 0 : run->warmup.settled_at;
            run->change = (struct syn_run_change){.found.p = NAN, .size = 1, .p_adjusted = NAN};
            status =
                syn_run_change_find(&series, &figures->group->start_ns, settled_at, &run->change);
        }
        SYN_STEP(status, look_at_ends(&series, run));
        if (status != SYN_OK)
            return status;
        run->skipped = plan->skip_warmup ? run->warmup.settled_at : 0;
        figures->skipped_count += run->skipped;
    }
    return 0;
}

/* Computes a run's averages without outliers by Hunold & Carpen-Amarie's Algorithm 6, so that
 * tables of their paper can be reproduced. Returns 0, SYN_ENOMEM or SYN_EIO. */
static int without_outliers(const struct syn_series *series, struct syn_workspace *work,
                            struct syn_run_figures *run)
{
    const size_t n = series->count;
    int status = syn_workspace_reserve(work, n + 1);
    if (status == SYN_OK && n > 0)
        status = syn_series_values(series, work->x);
    if (status != SYN_OK || n == 0)
        return status;
    syn_sort(work->x, n);
    const struct syn_ordered sample = syn_ordered_array(work->x, n);
    const double q1 = syn_ordered_quantile(&sample, 0.25), q3 = syn_ordered_quantile(&sample, 0.75),
                 reach = 1.5 * (q3 - q1);
    const size_t first = syn_ordered_below(&sample, q1 - reach);
    const size_t end = syn_ordered_below(&sample, nextafter(q3 + reach, INFINITY));
    run->tukey_instances = end - first;
    run->tukey_median = syn_quantile_sorted(work->x + first, run->tukey_instances, 0.5);
    run->tukey_mean = syn_mean(work->x + first, run->tukey_instances);
    return SYN_OK;
}

int syn_figures_of_runs(struct syn_figures *figures, struct syn_workspace *work,
                        const struct syn_figures_plan *plan)
{
    for (size_t r = 0; r < figures->run_count; r++) {
        struct syn_run_figures *run = &figures->run[r];
        struct syn_series series = series_of_run(figures->group, r);
        struct syn_median median;
        series.first += run->skipped;
        series.count -= run->skipped;
        run->tukey_median = run->tukey_mean = NAN;
        int status = syn_series_median(&series, work, plan->confidence, &median);
        if (status == SYN_OK && plan->tukey)
            status = without_outliers(&series, work, run);
        if (status != SYN_OK)
            return status;
        run->instances = series.count;
        run->median = median.value;
        run->ci_low = median.low;
        run->ci_high = median.high;
    }
    return 0;
}
