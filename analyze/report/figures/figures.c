/* analyze/report/figures/figures.c - computes every figure of every group. Threads share the work
 * in pieces. */
#include "analyze/report/figures/figures.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/members/bounds.h"
#include "analyze/report/figures/figures_parts.h"
#include "analyze/stats/samples/bootstrap.h"
#include "analyze/threads.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

size_t syn_figures_count(const struct syn_figures *figures)
{
    return figures->group->start_ns.count - figures->skipped_count;
}

/* ---- one metric ---- */

/* Reads a series into x in the order of time, without skipped instances. Uses work->scratch, and
 * work->order if the columns are not in that order. */
static int fill(const struct syn_figures *figures, const struct syn_series *series,
                struct syn_workspace *work, double *x)
{
    bool ordered = !figures->group->out_of_order;
    int status = syn_series_values(series, ordered ? x : work->scratch);
    for (size_t i = 0; i < series->count && !ordered && status == SYN_OK; i++)
        x[i] = work->scratch[work->order[i]];
    /* leave out the skipped first instances of each run */
    size_t kept = 0;
    for (size_t r = 0; r < figures->run_count && figures->skipped_count; r++) {
        struct syn_run_range range = syn_group_range_of_run(figures->group, r);
        for (size_t i = range.first + figures->run[r].skipped; i < range.end; i++)
            x[kept++] = x[i];
    }
    return status;
}

/* Makes room for a group's values. If the columns are not in the order of time, sets work->order to
 * the instances in that order, run by run. */
static int prepare_arrays(const struct syn_group *group, struct syn_workspace *work)
{
    const struct syn_series start = syn_group_series_of_column(group, &group->start_ns);
    int status = syn_workspace_reserve(work, group->start_ns.count + 1);
    if (status != SYN_OK || !group->out_of_order)
        return status;
    status = syn_series_values(&start, work->x);
    for (size_t r = 0; r < group->run_count && status == SYN_OK; r++) {
        struct syn_run_range range = syn_group_range_of_run(group, r);
        syn_order(work->x + range.first, range.end - range.first, work->order + range.first);
        for (size_t i = range.first; i < range.end; i++)
            work->order[i] += range.first;
    }
    return status;
}

static int values_of(const struct syn_figures *figures, const struct syn_series *series, double *x)
{
    SYN_CLEANUP(syn_workspace_free) struct syn_workspace work = {0};
    if (!figures->group->out_of_order && figures->skipped_count == 0) /* no other array is needed */
        return syn_series_values(series, x);
    int status = prepare_arrays(figures->group, &work);
    SYN_STEP(status, fill(figures, series, &work, work.x));
    if (status == SYN_OK)
        memcpy(x, work.x, syn_figures_count(figures) * sizeof *x);
    return status;
}

int syn_figures_values(const struct syn_figures *figures, enum syn_metric metric, double *x)
{
    struct syn_series series = syn_group_series(figures->group, metric);
    return syn_group_has_metric(figures->group, metric) ? values_of(figures, &series, x)
                                                        : SYN_EINVAL;
}

int syn_figures_starts(const struct syn_figures *figures, double *x)
{
    struct syn_series series =
        syn_group_series_of_column(figures->group, &figures->group->start_ns);
    return values_of(figures, &series, x);
}

/* A metric's values, without skipped ones: as arrays, or tallied if there are many. */
struct sample {
    const struct syn_figures *figures;
    struct syn_series series; /* if tallied: without skipped instances */
    struct syn_workspace *work;
    bool counted;
    struct syn_ordered ordered; /* in work's memory */
};

/* Reads the instances' clock bounds into work->bounds in the order of time. Does nothing if the
 * sample is tallied. */
static int read_bounds(const struct sample *sample)
{
    const struct syn_group *group = sample->figures->group;
    const struct syn_series bounds = syn_group_series_of_column(group, &group->bound_ns);
    return sample->counted ? SYN_OK
                           : fill(sample->figures, &bounds, sample->work, sample->work->bounds);
}

/* Finds the range of the clock bounds. A column knows its range; with skipped instances the bounds
 * are searched. */
static int find_bound_range(const struct sample *sample, double *least, double *most)
{
    const struct syn_column *bounds = &sample->figures->group->bound_ns;
    const double *bound = sample->work->bounds;
    int64_t low, high;
    if (sample->counted || sample->figures->skipped_count == 0) {
        syn_column_range(bounds, sample->series.first, sample->series.count, &low, &high);
        *least = (double)low;
        *most = (double)high;
        return SYN_OK;
    }
    const int status = read_bounds(sample);
    *least = INFINITY;
    *most = 0;
    for (size_t i = 0; i < sample->ordered.n && status == SYN_OK; i++) {
        *least = fmin(*least, bound[i]);
        *most = fmax(*most, bound[i]);
    }
    return status;
}

/* Finds how far an end of the median's interval moves outwards if all values are off by their
 * bounds, downwards (sign -1) or upwards (1). Call it after read_bounds. */
static int move_end(const struct sample *sample, int sign, size_t rank, double end, double *by)
{
    struct syn_workspace *work = sample->work;
    const size_t n = sample->ordered.n;
    struct syn_ordered shifted;
    if (sample->counted) {
        const struct syn_column *bounds = &sample->figures->group->bound_ns;
        const int status = syn_series_count(&sample->series, bounds, sign, &work->tally, &shifted);
        if (status != SYN_OK)
            return status;
    } else {
        for (size_t i = 0; i < n; i++)
            work->scratch[i] = work->x[i] + sign * work->bounds[i];
        syn_sort(work->scratch, n);
        shifted = syn_ordered_array(work->scratch, n);
    }
    *by = sign * (syn_ordered_at(&shifted, rank) - end);
    return SYN_OK;
}

bool syn_figures_below_clock(const struct syn_metric_figures *metric)
{
    return metric->summary.n > 0 && fabs(metric->summary.median) < metric->clock_bound_ns;
}

/* Computes ci_low and ci_high by a method other than SYN_CI_ORDER. work->x is in the order of time,
 * work->scratch ascending. */
static void other_interval(const struct syn_figures_plan *plan, struct syn_workspace *work,
                           size_t n, struct syn_summary *summary)
{
    size_t low, high;
    struct syn_bootstrap bootstrap = {.low = NAN, .high = NAN};
    if (plan->ci == SYN_CI_ORDER || n < 6) /* too few values for every method */
        return;
    if (plan->ci == SYN_CI_EXACT) {
        bool found = syn_quantile_interval_exact(n, 0.5, plan->confidence, &low, &high) == 0;
        summary->ci_low = found ? work->scratch[low - 1] : NAN;
        summary->ci_high = found ? work->scratch[high - 1] : NAN;
        return;
    }
    const struct syn_resampling how = {
        .replicates = SYN_FIGURES_REPLICATES,
        .block_length = plan->ci == SYN_CI_BLOCK
                            ? syn_block_length(n, fmax(1, syn_dependence_factor(work->x, n)))
                            : 1,
        .confidence = plan->confidence,
        .seed = plan->seed};
    syn_bootstrap_median(work->x, n, &how, &bootstrap);
    summary->ci_low = bootstrap.low;
    summary->ci_high = bootstrap.high;
}

/* Summarizes the sample in sorted arrays, and figures that need the order of time. */
static int sort_metric(struct sample *sample, const struct syn_figures_plan *plan,
                       struct syn_summary *out)
{
    const struct syn_figures *figures = sample->figures;
    struct syn_workspace *work = sample->work;
    size_t n = syn_figures_count(figures);
    int status = prepare_arrays(figures->group, work);
    SYN_STEP(status, fill(figures, &sample->series, work, work->x));
    if (status != SYN_OK)
        return status;
    syn_summarize(work->x, n, plan->confidence, work->scratch, out);
    other_interval(plan, work, n, out);
    sample->ordered = syn_ordered_array(work->scratch, n);
    return SYN_OK;
}

static int count_metric(struct sample *sample, double confidence, struct syn_summary *out)
{
    struct syn_series *series = &sample->series;
    const size_t skipped = sample->figures->skipped_count;
    series->first += skipped;
    series->count -= skipped;
    const int status = syn_series_count(series, NULL, 0, &sample->work->tally, &sample->ordered);
    return status == SYN_OK ? syn_series_summarize(series, &sample->ordered, confidence, out)
                            : status;
}

/* Returns true if the values are many, one piece of each column, and not needed as an array. */
static bool is_long(const struct syn_figures *figures, const struct syn_figures_plan *plan)
{
    return syn_figures_count(figures) >= SYN_LONG_COLUMN && !figures->group->out_of_order &&
           plan->ci == SYN_CI_ORDER && (figures->run_count == 1 || figures->skipped_count == 0);
}

static int metric_figures(const struct syn_figures *figures, enum syn_metric metric,
                          struct syn_workspace *work, const struct syn_figures_plan *plan,
                          struct syn_metric_figures *out)
{
    const struct syn_series series = syn_group_series(figures->group, metric);
    struct sample sample = {
        .figures = figures, .series = series, .work = work, .counted = is_long(figures, plan)};
    int status = SYN_EINVAL;
    out->clock_bound_ns = NAN;
    if (!syn_group_has_metric(figures->group, metric) || syn_figures_count(figures) == 0)
        return syn_summarize(NULL, 0, plan->confidence, NULL, &out->summary);
    if (sample.counted)
        status = count_metric(&sample, plan->confidence, &out->summary);
    if (status == SYN_EINVAL) { /* few values, or a span too wide for a tally */
        sample.counted = false;
        sample.series = series;
        status = sort_metric(&sample, plan, &out->summary);
    }
    if (status != SYN_OK || metric == SYN_METRIC_LOCAL_MAX) { /* times of one clock */
        out->clock_bound_ns = 0;
        return status;
    }
    /* Find how far the ends of the median's interval move if every instance is off by its bound in
     * one direction: [order statistic l of T - u, order statistic h of T + u]
     * (docs/methods-clock.md). If all bounds are equal, the ends move by that bound. The sample is
     * overwritten. */
    double *bound = &out->clock_bound_ns;
    size_t low, high;
    double least, most, down = 0, up = 0, ends[2] = {0, 0};
    bool interval = syn_median_interval_ranks(sample.ordered.n, syn_two_sided_z(plan->confidence),
                                              &low, &high) == SYN_OK;
    if (interval) {
        ends[0] = syn_ordered_at(&sample.ordered, low);
        ends[1] = syn_ordered_at(&sample.ordered, high);
    }
    status = find_bound_range(&sample, &least, &most);
    if (status != SYN_OK)
        return status;
    bool known = most < (double)SYN_BOUND_UNKNOWN_NS;
    *bound = known ? fmax(most, 0) : NAN;
    if (!known || most - least <= 1 || !interval)
        return SYN_OK;
    status = read_bounds(&sample);
    SYN_STEP(status, move_end(&sample, -1, low, ends[0], &down));
    SYN_STEP(status, move_end(&sample, 1, high, ends[1], &up));
    *bound = fmax(down, up);
    return status;
}

/* ---- all groups ---- */

static int total_bound(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    int64_t value[SYN_BLOCK_VALUES];
    double others = group->member_count.known ? (double)group->member_count.value - 1 : 0;
    if (group->member_count.mixed) /* several communicator sizes: none exceeds rank_count */
        others = (double)group->rank_count - 1;
    if (syn_group_is_part(group))
        others = (double)group->rank_count;
    for (size_t i = 0; i < group->bound_ns.count; i += SYN_BLOCK_VALUES) {
        size_t left = group->bound_ns.count - i;
        size_t count = syn_least(left, SYN_BLOCK_VALUES);
        int status = syn_column_read(&group->bound_ns, group->store, i, count, value);
        if (status != SYN_OK)
            return status;
        for (size_t j = 0; j < count; j++)
            figures->bound_total_ns +=
                value[j] >= SYN_BOUND_UNKNOWN_NS ? NAN : (double)value[j] * others;
    }
    return 0;
}

/* A group is divided into pieces of work: one for each metric, one for the runs and one for the
 * ranks. They write to different members of its figures. */
enum { PIECE_RUNS = SYN_METRIC_COUNT, PIECE_RANKS, PIECE_COUNT };

struct job {
    size_t count;
    struct syn_figures *out;
    const struct syn_figures_plan *plan;
    atomic_size_t next;
    atomic_int status;
};

/* Returns true if the run's figures are those of the main metric: the group has one run only, and
 * neither --ci nor --tukey asks for other figures. */
static bool is_one_run(const struct syn_figures *figures, const struct syn_figures_plan *plan)
{
    return figures->run_count == 1 && plan->ci == SYN_CI_ORDER && !plan->tukey;
}

static int compute(const struct job *job, size_t piece, struct syn_workspace *work)
{
    struct syn_figures *figures = &job->out[piece / PIECE_COUNT];
    int part = (int)(piece % PIECE_COUNT);
    if (part == PIECE_RANKS)
        return syn_figures_of_ranks(figures, work, job->plan);
    if (part == PIECE_RUNS) {
        const struct syn_figures_plan *plan = job->plan;
        const int status = total_bound(figures);
        return status != SYN_OK || is_one_run(figures, plan)
                   ? status
                   : syn_figures_of_runs(figures, work, plan);
    }
    const enum syn_metric metric = (enum syn_metric)part;
    struct syn_metric_figures *out = &figures->metric[metric];
    const int status = metric_figures(figures, metric, work, job->plan, out);
    if (metric == syn_figures_main_metric(figures->group) && is_one_run(figures, job->plan)) {
        struct syn_run_figures *run = &figures->run[0];
        run->instances = syn_figures_count(figures);
        run->median = out->summary.median;
        run->ci_low = out->summary.ci_low;
        run->ci_high = out->summary.ci_high;
        run->tukey_median = run->tukey_mean = NAN;
    }
    return status;
}

static void *work_on(void *argument)
{
    struct job *job = argument;
    SYN_CLEANUP(syn_workspace_free) struct syn_workspace work = {0};
    size_t count = job->count * PIECE_COUNT;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < count;) {
        int status = compute(job, i, &work);
        if (status != SYN_OK)
            atomic_store(&job->status, status);
    }
    return NULL;
}

/* Finds how many instances of each run are skipped. All pieces need this. */
static void *work_on_warmups(void *argument)
{
    struct job *job = argument;
    SYN_CLEANUP(syn_workspace_free) struct syn_workspace work = {0};
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) {
        int status = syn_figures_find_warmups(&job->out[i], &work, job->plan);
        if (status != SYN_OK)
            atomic_store(&job->status, status);
    }
    return NULL;
}

static void run_threads(struct job *job, void *(*work)(void *), size_t count)
{
    size_t threads = syn_thread_count();
    if (atomic_load(&job->status))
        return;
    atomic_store(&job->next, 0);
    syn_threads_run(syn_least(threads, count), work, job);
}

int syn_figures_compute_all(const struct syn_groups *groups, const struct syn_figures_plan *plan,
                            struct syn_figures *out)
{
    struct job job = {.count = groups->count, .out = out, .plan = plan};
    memset(out, 0, groups->count * sizeof *out);
    for (size_t i = 0; i < groups->count; i++)
        out[i].group = groups->group[i];
    run_threads(&job, work_on_warmups, groups->count);
    run_threads(&job, work_on, groups->count * PIECE_COUNT);
    int status = atomic_load(&job.status);
    if (status == SYN_OK) {
        /* adjust Friedman's p over all groups */
        for (size_t i = 0; i < groups->count; i++)
            out[i].friedman_p_adjusted = out[i].friedman_p_dependent;
        status = groups->count
                     ? syn_adjust_holm_in(&out->friedman_p_adjusted, sizeof *out, groups->count)
                     : SYN_OK;
    }
    for (size_t i = 0; i < groups->count && status; i++)
        syn_figures_free(&out[i]);
    return status;
}

void syn_figures_free(struct syn_figures *figures)
{
    free(figures->rank);
    free(figures->run);
    free(figures->kruskal_pair);
    free(figures->friedman_pair);
    figures->kruskal_pair = figures->friedman_pair = NULL;
    figures->rank = NULL;
    figures->run = NULL;
}

/* ---- names ---- */

const char *syn_metric_name(enum syn_metric metric)
{
    static const char *const names[SYN_METRIC_COUNT] = {"completion", "spread",    "operation",
                                                        "exit_skew",  "local_max", "wait"};
    return names[metric];
}

static const char *const ci_names[SYN_CI_COUNT] = {"order", "exact", "bootstrap", "block"};

const char *syn_ci_name(enum syn_ci ci)
{
    return ci_names[ci];
}

int syn_ci_parse(const char *name, enum syn_ci *out)
{
    for (int ci = 0; ci < SYN_CI_COUNT; ci++) {
        if (strcmp(name, ci_names[ci]) == 0) {
            *out = (enum syn_ci)ci;
            return 0;
        }
    }
    return SYN_EINVAL;
}
