/* analyze/report/figures.c - every figure of every group, shared out over threads in pieces. */
#include "analyze/report/figures.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/bounds.h"
#include "analyze/report/series.h"
#include "analyze/report/tally.h"
#include "analyze/stats/bootstrap.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Columns of at least so many values are tallied, others sorted: by their length alone, so that the
 * figures do not depend on how much memory there is. */
#define LONG_COLUMN ((size_t)1 << 13)
#define LONG_RANKS  ((size_t)1 << 15) /* of all ranks together */
/* A run longer than twice this is asked for a warm-up by its first so many values, held against as
 * many taken evenly from its second half. */
#define WARMUP_HEAD ((size_t)1 << 15)

/* What one thread computes with, grown to the largest group it meets. */
struct workspace {
    double *x, *scratch, *shifted; /* [capacity] */
    size_t *order;
    size_t capacity;
    double *rank_values; /* [rank_capacity] */
    size_t rank_capacity;
    struct syn_tally tally, combined;
};

enum syn_metric syn_figures_main_metric(const struct syn_group *group)
{
    return syn_group_is_part(group) ? SYN_METRIC_LOCAL_MAX : SYN_METRIC_COMPLETION;
}

size_t syn_figures_count(const struct syn_figures *figures)
{
    return figures->group->start_ns.count - figures->skipped_count;
}

static void free_workspace(struct workspace *work)
{
    free(work->x);
    free(work->scratch);
    free(work->shifted);
    free(work->order);
    free(work->rank_values);
    syn_tally_free(&work->tally);
    syn_tally_free(&work->combined);
}

static int reserve(struct workspace *work, size_t n)
{
    if (n <= work->capacity)
        return 0;
    double *x = realloc(work->x, n * sizeof *x);
    work->x = x ? x : work->x;
    double *scratch = realloc(work->scratch, n * sizeof *scratch);
    work->scratch = scratch ? scratch : work->scratch;
    double *shifted = realloc(work->shifted, n * sizeof *shifted);
    work->shifted = shifted ? shifted : work->shifted;
    size_t *order = realloc(work->order, n * sizeof *order);
    work->order = order ? order : work->order;
    if (!x || !scratch || !shifted || !order)
        return SYN_ENOMEM;
    work->capacity = n;
    return 0;
}

/* ---- the order of time ---- */

struct run_range {
    size_t first, end;
};

static struct run_range range_of_run(const struct syn_group *group, size_t i)
{
    struct run_range range = {group->run[i].first, group->start_ns.count};
    if (i + 1 < group->run_count)
        range.end = group->run[i + 1].first;
    return range;
}

static bool has_metric(const struct syn_group *group, enum syn_metric metric)
{
    bool part = group->completion_ns.count == 0;
    if (metric == SYN_METRIC_OPERATION && group->key[SYN_KEY_RANK] != UINT64_MAX)
        return true;
    return metric == SYN_METRIC_LOCAL_MAX || (metric == SYN_METRIC_WAIT) == part;
}

static struct syn_series series_of(const struct syn_group *group, enum syn_metric metric)
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

static struct syn_series series_of_column(const struct syn_group *group,
                                          const struct syn_column *column)
{
    return (struct syn_series){.column = column, .store = group->store, .count = column->count};
}

/* The order of a group's instances in time, run by run, into work->order; only where the columns
 * are not in that order. */
static int find_order(const struct syn_group *group, struct workspace *work)
{
    struct syn_series start = series_of_column(group, &group->start_ns);
    int status = syn_series_values(&start, work->x);
    for (size_t r = 0; r < group->run_count && status == SYN_OK; r++) {
        struct run_range range = range_of_run(group, r);
        syn_order(work->x + range.first, range.end - range.first, work->order + range.first);
        for (size_t i = range.first; i < range.end; i++)
            work->order[i] += range.first;
    }
    return status;
}

/* ---- one metric ---- */

/* Leaves out the head of each run that is to be skipped. */
static void skip_heads(const struct syn_figures *figures, double *x)
{
    size_t kept = 0;
    for (size_t r = 0; r < figures->run_count && figures->skipped_count; r++) {
        struct run_range range = range_of_run(figures->group, r);
        for (size_t i = range.first + figures->run[r].skipped; i < range.end; i++)
            x[kept++] = x[i];
    }
}

/* The values of all instances of a series in the order of time into x, less those skipped; uses
 * scratch, and order where the columns are not in that order. */
static int fill(const struct syn_figures *figures, const struct syn_series *series,
                struct workspace *work, double *x)
{
    bool ordered = !figures->group->out_of_order;
    int status = syn_series_values(series, ordered ? x : work->scratch);
    for (size_t i = 0; i < series->count && !ordered && status == SYN_OK; i++)
        x[i] = work->scratch[work->order[i]];
    skip_heads(figures, x);
    return status;
}

static int prepare_arrays(const struct syn_group *group, struct workspace *work)
{
    int status = reserve(work, group->start_ns.count + 1);
    return status || !group->out_of_order ? status : find_order(group, work);
}

static int values_of(const struct syn_figures *figures, const struct syn_series *series, double *x)
{
    struct workspace work = {0};
    int status = prepare_arrays(figures->group, &work);
    if (status == SYN_OK)
        status = fill(figures, series, &work, work.x);
    if (status == SYN_OK)
        memcpy(x, work.x, syn_figures_count(figures) * sizeof *x);
    free_workspace(&work);
    return status;
}

int syn_figures_values(const struct syn_figures *figures, enum syn_metric metric, double *x)
{
    struct syn_series series = series_of(figures->group, metric);
    return has_metric(figures->group, metric) ? values_of(figures, &series, x) : SYN_EINVAL;
}

int syn_figures_starts(const struct syn_figures *figures, double *x)
{
    struct syn_series series = series_of_column(figures->group, &figures->group->start_ns);
    return values_of(figures, &series, x);
}

/* What is left of the bounds of `n` instances, the least and the most of which are given: is it the
 * order statistics low and high of a shifted column that tell how far the clocks may move them?
 * Where all bounds are alike, they move by just that, *bound. */
static bool bounds_differ(double least, double most, size_t n, double z, double *bound, size_t *low,
                          size_t *high)
{
    bool known = most < (double)SYN_BOUND_UNKNOWN_NS;
    *bound = known ? fmax(most, 0) : NAN;
    return known && most - least > 1 && syn_median_interval_ranks(n, z, low, high) == 0;
}

/* How far the ends of the median's interval move when every instance is off by its bound, in the
 * one direction or in the other: [order statistic l of T - u, order statistic h of T + u]
 * (docs/methods-clock.md). x in the order of time, scratch ascending after syn_summarize. */
static int clock_bound(const struct syn_figures *figures, struct workspace *work, double z,
                       double *bound)
{
    const struct syn_group *group = figures->group;
    size_t n = syn_figures_count(figures), low, high;
    double moved[2], least = INFINITY, most = 0;
    struct syn_series bounds = series_of_column(group, &group->bound_ns);
    double ends[2] = {0, 0};
    if (syn_median_interval_ranks(n, z, &low, &high) == 0) {
        ends[0] = work->scratch[low - 1];
        ends[1] = work->scratch[high - 1];
    }
    for (int side = 0; side < 2; side++) {
        int status = fill(figures, &bounds, work, work->shifted);
        if (status != SYN_OK)
            return status;
        for (size_t i = 0; i < n && side == 0; i++) {
            least = fmin(least, work->shifted[i]);
            most = fmax(most, work->shifted[i]);
        }
        if (side == 0 && !bounds_differ(least, most, n, z, bound, &low, &high))
            return 0;
        for (size_t i = 0; i < n; i++)
            work->shifted[i] = side ? work->x[i] + work->shifted[i] : work->x[i] - work->shifted[i];
        syn_sort(work->shifted, n);
        moved[side] = work->shifted[(side ? high : low) - 1];
    }
    *bound = fmax(ends[0] - moved[0], moved[1] - ends[1]);
    return 0;
}

static int long_clock_bound(const struct syn_group *group, const struct syn_series *series,
                            struct workspace *work, double z, double *bound)
{
    size_t low, high;
    double moved[2], plain[2];
    int64_t least, most;
    syn_column_range(&group->bound_ns, series->first, series->count, &least, &most);
    if (!bounds_differ((double)least, (double)most, series->count, z, bound, &low, &high))
        return 0;
    uint64_t rank[] = {low, high};
    syn_tally_select(&work->tally, rank, 2, plain);
    for (int side = 0; side < 2; side++) {
        int status = syn_series_tally(series, &group->bound_ns, side ? 1 : -1, &work->tally);
        if (status != SYN_OK)
            return status;
        syn_tally_select(&work->tally, &rank[side], 1, &moved[side]);
    }
    *bound = fmax(plain[0] - moved[0], moved[1] - plain[1]);
    return 0;
}

bool syn_figures_below_clock(const struct syn_metric_figures *metric)
{
    return metric->summary.n > 0 && fabs(metric->summary.median) < metric->clock_bound_ns;
}

/* ci_low and ci_high by another method than the usual one. work->x in the order of time,
 * work->scratch ascending. */
static void other_interval(const struct syn_figures_plan *plan, struct workspace *work, size_t n,
                           struct syn_summary *summary)
{
    size_t low, high;
    struct syn_bootstrap bootstrap = {.low = NAN, .high = NAN};
    if (plan->ci == SYN_CI_ORDER || n < 6) /* below 6 no method has what it takes */
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
                            ? syn_block_length(n, fmax(1, (double)n / summary->n_effective))
                            : 1,
        .confidence = plan->confidence,
        .seed = plan->seed};
    syn_bootstrap(work->x, n, syn_statistic_median, NULL, &how, &bootstrap);
    summary->ci_low = bootstrap.low;
    summary->ci_high = bootstrap.high;
}

static int short_metric(const struct syn_figures *figures, const struct syn_series *series,
                        struct workspace *work, const struct syn_figures_plan *plan,
                        struct syn_summary *out)
{
    size_t n = syn_figures_count(figures);
    int status = prepare_arrays(figures->group, work);
    if (status == SYN_OK)
        status = fill(figures, series, work, work->x);
    if (status != SYN_OK)
        return status;
    syn_summarize(work->x, n, plan->confidence, work->scratch, out);
    other_interval(plan, work, n, out);
    return 0;
}

/* Are a group's values a piece of its columns, too long for arrays, and wanted as no array? */
static bool is_long(const struct syn_figures *figures, const struct syn_figures_plan *plan)
{
    return syn_figures_count(figures) >= LONG_COLUMN && !figures->group->out_of_order &&
           plan->ci == SYN_CI_ORDER && (figures->run_count == 1 || figures->skipped_count == 0);
}

static int metric_figures(const struct syn_figures *figures, enum syn_metric metric,
                          struct workspace *work, const struct syn_figures_plan *plan,
                          struct syn_metric_figures *out)
{
    const struct syn_group *group = figures->group;
    struct syn_series series = series_of(group, metric);
    double z = syn_two_sided_z(plan->confidence), bound = 0; /* of local_max: one clock */
    int status = SYN_EINVAL;
    out->clock_bound_ns = NAN;
    if (!has_metric(group, metric) || syn_figures_count(figures) == 0)
        return syn_summarize(NULL, 0, plan->confidence, NULL, &out->summary);
    if (is_long(figures, plan)) {
        series.first = figures->skipped_count;
        series.count -= figures->skipped_count;
        status = syn_series_tally(&series, NULL, 0, &work->tally);
    }
    if (status == SYN_EINVAL) { /* short, or too wide to be tallied */
        series = series_of(group, metric);
        status = short_metric(figures, &series, work, plan, &out->summary);
        if (status == SYN_OK && metric != SYN_METRIC_LOCAL_MAX)
            status = clock_bound(figures, work, z, &bound);
    } else if (status == SYN_OK) {
        status = syn_series_summarize(&series, &work->tally, plan->confidence, &out->summary);
        if (status == SYN_OK && metric != SYN_METRIC_LOCAL_MAX)
            status = long_clock_bound(group, &series, work, z, &bound);
    }
    out->clock_bound_ns = bound;
    return status;
}

/* ---- runs ---- */

/* The main metric of one run. */
static struct syn_series series_of_run(const struct syn_group *group, size_t r)
{
    struct run_range range = range_of_run(group, r);
    struct syn_series series = series_of(group, syn_figures_main_metric(group));
    series.first = range.first;
    series.count = range.end - range.first;
    return series;
}

/* Median and its interval of values in any order. */
static int plain_summary(const struct syn_series *series, struct workspace *work, double confidence,
                         struct syn_summary *out)
{
    int status =
        series->count >= LONG_COLUMN ? syn_series_tally(series, NULL, 0, &work->tally) : SYN_EINVAL;
    if (status == SYN_OK)
        return syn_tally_summarize(&work->tally, confidence, out);
    if (status == SYN_EINVAL)
        status = reserve(work, series->count + 1);
    if (status == SYN_OK)
        status = syn_series_values(series, work->x);
    if (status != SYN_OK)
        return status;
    syn_sort(work->x, series->count);
    return syn_summarize_sorted(work->x, series->count, confidence, out);
}

/* Those of a run that its warm-up is sought in, into work->x: all, or a head and a sample of the
 * second half. Returns how many in *n. */
static int sample_run(const struct syn_series *series, struct workspace *work, size_t *n)
{
    int64_t value[SYN_BLOCK_VALUES];
    size_t rest = series->count - series->count / 2;
    bool all = series->count <= 2 * WARMUP_HEAD;
    struct syn_series head = *series;
    head.count = all ? series->count : WARMUP_HEAD;
    *n = all ? series->count : 2 * WARMUP_HEAD;
    int status = reserve(work, *n + 1);
    if (status == SYN_OK)
        status = syn_series_values(&head, work->x);
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

/* Where a run settles. Where the columns are not in the order of time: by the order that they are
 * in.
 */
static int find_warmup(const struct syn_series *series, struct workspace *work,
                       struct syn_warmup *out)
{
    size_t n;
    int status = sample_run(series, work, &n);
    *out = (struct syn_warmup){0, NAN, NAN, 0};
    if (status == SYN_OK && syn_warmup_find(work->x, n, SYN_WARMUP_ALPHA, out) == SYN_ENOMEM)
        status = SYN_ENOMEM;
    return status;
}

static int look_at_first(const struct syn_series *series, struct syn_run_figures *run)
{
    int64_t first, least, most;
    run->first_ns = NAN;
    if (series->count == 0)
        return 0;
    int status = syn_series_read(series, 0, 1, &first);
    syn_series_range(series, &least, &most);
    run->first_ns = (double)first;
    run->first_is_slowest = status == SYN_OK && series->count > 1 && first >= most && most > least;
    return status;
}

/* Where each run settles, and what is left out of it. */
static int find_warmups(struct syn_figures *figures, struct workspace *work,
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
        int status = find_warmup(&series, work, &run->warmup);
        size_t settled_at = run->warmup.unsettled ? 0 : run->warmup.settled_at;
        if (status == SYN_OK)
            status = syn_run_change_find(&series, &group->start_ns, settled_at, &run->change);
        if (status == SYN_OK)
            status = look_at_first(&series, run);
        if (status != SYN_OK)
            return status;
        run->skipped = plan->skip_warmup ? run->warmup.settled_at : 0;
        figures->skipped_count += run->skipped;
    }
    return 0;
}

static int run_figures(struct syn_figures *figures, struct workspace *work, double confidence)
{
    for (size_t r = 0; r < figures->run_count; r++) {
        struct syn_run_figures *run = &figures->run[r];
        struct syn_series series = series_of_run(figures->group, r);
        struct syn_summary summary;
        series.first += run->skipped;
        series.count -= run->skipped;
        int status = plain_summary(&series, work, confidence, &summary);
        if (status != SYN_OK)
            return status;
        run->instances = series.count;
        run->median = summary.median;
        run->ci_low = summary.ci_low;
        run->ci_high = summary.ci_high;
    }
    return 0;
}

/* ---- ranks ---- */

static int by_rank(const void *left, const void *right)
{
    const struct syn_rank_figures *a = left;
    const struct syn_rank_figures *b = right;
    return a->rank->rank < b->rank->rank ? -1 : a->rank->rank > b->rank->rank;
}

/* Was a rank last more, or less, often than one in `size`? Holm over the ranks. */
static int lateness_tests(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    double *p = malloc((figures->rank_count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < figures->rank_count; i++)
        p[i] = group->member_count.mixed || group->member_count.value < 2 || figures->rank[i].n == 0
                   ? NAN
                   : syn_binomial_test(figures->rank[i].rank->last_count, figures->rank[i].n,
                                       1.0 / (double)group->member_count.value);
    int status = syn_adjust_holm(p, figures->rank_count);
    for (size_t i = 0; i < figures->rank_count; i++)
        figures->rank[i].last_p = status != SYN_OK ? NAN : p[i];
    free(p);
    return status;
}

static void set_rank(struct syn_rank_figures *out, const struct syn_group_rank *rank,
                     const struct syn_summary *summary)
{
    *out = (struct syn_rank_figures){
        rank, rank->local_ns.count, summary->median, summary->ci_low, summary->ci_high, NAN};
}

static int begin_ranks(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    figures->rank = calloc(group->rank_count + 1, sizeof *figures->rank);
    if (!figures->rank)
        return SYN_ENOMEM;
    figures->rank_count = group->rank_count;
    for (size_t i = 0; i < group->rank_count; i++) {
        const struct syn_group_rank *rank = &group->rank[i];
        figures->rank[i] = (struct syn_rank_figures){.rank = rank, .n = rank->local_ns.count};
        figures->inside_ns += rank->inside_ns;
        figures->waiting_ns += rank->waiting_ns;
        figures->wait_ns += rank->wait_ns;
    }
    qsort(figures->rank, figures->rank_count, sizeof *figures->rank, by_rank);
    return 0;
}

static int each_rank(struct syn_figures *figures, struct workspace *work, double confidence)
{
    for (size_t i = 0; i < figures->rank_count; i++) {
        const struct syn_group_rank *rank = figures->rank[i].rank;
        struct syn_series series = series_of_column(figures->group, &rank->local_ns);
        struct syn_summary summary;
        int status = plain_summary(&series, work, confidence, &summary);
        if (status != SYN_OK)
            return status;
        set_rank(&figures->rank[i], rank, &summary);
    }
    return 0;
}

static int reserve_ranks(struct workspace *work, size_t n)
{
    if (n <= work->rank_capacity)
        return 0;
    double *values = realloc(work->rank_values, n * sizeof *values);
    if (!values)
        return SYN_ENOMEM;
    work->rank_values = values;
    work->rank_capacity = n;
    return 0;
}

static int reserve_pairs(struct syn_figures *figures)
{
    size_t k = figures->rank_count, count = k > 1 ? k * (k - 1) / 2 : 0;
    figures->kruskal_pair = calloc(count + 1, sizeof *figures->kruskal_pair);
    figures->friedman_pair = calloc(count + 1, sizeof *figures->friedman_pair);
    if (!figures->kruskal_pair || !figures->friedman_pair)
        return SYN_ENOMEM;
    figures->pair_count = count;
    for (size_t i = 0, at = 0; i < k; i++)
        for (size_t j = i + 1; j < k; j++, at++)
            figures->kruskal_pair[at] = figures->friedman_pair[at] =
                (struct syn_pair){i, j, NAN, NAN, NAN};
    return 0;
}

/* The ranks' values behind one another into work->rank_values, start [rank_count + 1]. */
static int gather_ranks(const struct syn_figures *figures, struct workspace *work, size_t *start)
{
    size_t k = figures->rank_count, total = 0;
    for (size_t r = 0; r <= k; r++) {
        start[r] = total;
        total += r < k ? figures->rank[r].n : 0;
    }
    int status = reserve_ranks(work, 2 * total + 1);
    for (size_t r = 0; r < k && status == SYN_OK; r++) {
        struct syn_series series =
            series_of_column(figures->group, &figures->rank[r].rank->local_ns);
        status = syn_series_values(&series, work->rank_values + start[r]);
    }
    return status;
}

/* Each pair of ranks. The table that Friedman's test wants has a row an instance, a column a rank.
 */
static int compare_pairs(struct syn_figures *figures, const struct syn_samples *samples,
                         double *rows)
{
    size_t k = figures->rank_count;
    int status = reserve_pairs(figures);
    if (status == SYN_OK && figures->pair_count)
        status = syn_dunn_pairs(samples, figures->kruskal_pair);
    if (status == SYN_OK && figures->pair_count && figures->group->same_members) {
        for (size_t r = 0; r < k; r++)
            for (size_t i = 0; i < figures->rank[r].n; i++)
                rows[i * k + r] = samples->value[samples->start[r] + i];
        status = syn_friedman_pairs(rows, figures->rank[0].n, k, figures->friedman_pair);
    }
    return status == SYN_ENOMEM ? SYN_ENOMEM : 0;
}

static int rank_tests(struct syn_figures *figures, struct workspace *work, bool pairs)
{
    size_t k = figures->rank_count;
    size_t *start = malloc((k + 1) * sizeof *start);
    int status = start ? gather_ranks(figures, work, start) : SYN_ENOMEM;
    if (status == SYN_OK) {
        struct syn_samples samples = {work->rank_values, start, k};
        status = syn_anova_oneway(&samples, &figures->anova);
        if (status != SYN_ENOMEM)
            status = syn_kruskal_wallis(&samples, &figures->kruskal);
        status = status == SYN_ENOMEM ? SYN_ENOMEM : 0; /* else the test is not defined */
        if (status == SYN_OK && pairs)
            status = compare_pairs(figures, &samples, work->rank_values + start[k]);
    }
    free(start);
    return status;
}

/* Friedman's test needs no values: midranks were added up instance by instance. */
static int friedman(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    size_t k = figures->rank_count;
    bool rows = group->same_members && k > 1;
    double *sum = malloc((k + 1) * sizeof *sum);
    if (!sum)
        return SYN_ENOMEM;
    for (size_t r = 0; r < k; r++)
        sum[r] = figures->rank[r].rank->midrank_sum;
    syn_friedman_of_sums(sum, group->tie_sum, rows ? figures->rank[0].n : 0, k, &figures->friedman);
    free(sum);
    return 0;
}

static size_t values_of_ranks(const struct syn_figures *figures)
{
    size_t total = 0;
    for (size_t r = 0; r < figures->rank_count; r++)
        total += figures->rank[r].n;
    return total;
}

static int rank_figures(struct syn_figures *figures, struct workspace *work,
                        const struct syn_figures_plan *plan)
{
    int status = begin_ranks(figures);
    if (status != SYN_OK)
        return status;
    status = values_of_ranks(figures) >= LONG_RANKS && !plan->pairs
                 ? syn_long_ranks(figures, plan->confidence, &work->combined, &work->tally)
                 : SYN_EINVAL;
    if (status == SYN_EINVAL) {
        status = each_rank(figures, work, plan->confidence);
        if (status == SYN_OK)
            status = rank_tests(figures, work, plan->pairs);
    }
    if (status == SYN_OK)
        status = friedman(figures);
    if (status == SYN_OK)
        status = syn_rank_dependence(figures);
    if (status != SYN_OK || syn_group_is_part(figures->group))
        return status;
    return lateness_tests(figures);
}

/* ---- all groups ---- */

static int total_bound(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    int64_t value[SYN_BLOCK_VALUES];
    double others = group->member_count.known ? (double)group->member_count.value - 1 : 0;
    if (group->member_count.mixed) /* communicators of several sizes: none has more than all */
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

/* A group is cut into pieces of work: one for each metric, one for the runs and one for the ranks.
 * They write to different members of its figures. */
enum { PIECE_RUNS = SYN_METRIC_COUNT, PIECE_RANKS, PIECE_COUNT };

struct job {
    const size_t *which; /* [count], of out */
    size_t count;
    struct syn_figures *out;
    const struct syn_figures_plan *plan;
    atomic_size_t next;
    atomic_int status;
};

static int compute(const struct job *job, size_t piece, struct workspace *work)
{
    struct syn_figures *figures = &job->out[job->which[piece / PIECE_COUNT]];
    int part = (int)(piece % PIECE_COUNT);
    if (part == PIECE_RANKS)
        return rank_figures(figures, work, job->plan);
    if (part == PIECE_RUNS) {
        int status = total_bound(figures);
        return status != SYN_OK ? status : run_figures(figures, work, job->plan->confidence);
    }
    return metric_figures(figures, (enum syn_metric)part, work, job->plan, &figures->metric[part]);
}

static void *work_on(void *argument)
{
    struct job *job = argument;
    struct workspace work = {0};
    size_t count = job->count * PIECE_COUNT;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < count;) {
        int status = compute(job, i, &work);
        if (status != SYN_OK)
            atomic_store(&job->status, status);
    }
    free_workspace(&work);
    return NULL;
}

/* What the pieces need to know first: how much of each run counts. */
static void *work_on_warmups(void *argument)
{
    struct job *job = argument;
    struct workspace work = {0};
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) {
        int status = find_warmups(&job->out[job->which[i]], &work, job->plan);
        if (status != SYN_OK)
            atomic_store(&job->status, status);
    }
    free_workspace(&work);
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

int syn_figures_adjust(struct syn_figures *figures, size_t count)
{
    double *p = malloc((count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        p[i] = figures[i].friedman_p_dependent;
    int status = syn_adjust_holm(p, count);
    for (size_t i = 0; i < count; i++)
        figures[i].friedman_p_adjusted = p[i];
    free(p);
    return status;
}

int syn_figures_compute(const struct syn_groups *groups, const size_t *which, size_t count,
                        const struct syn_figures_plan *plan, struct syn_figures *out)
{
    struct job job = {.which = which, .count = count, .out = out, .plan = plan};
    for (size_t i = 0; i < count; i++)
        out[which[i]].group = groups->group[which[i]];
    run_threads(&job, work_on_warmups, count);
    run_threads(&job, work_on, count * PIECE_COUNT);
    return atomic_load(&job.status);
}

int syn_figures_compute_all(const struct syn_groups *groups, const struct syn_figures_plan *plan,
                            struct syn_figures *out)
{
    size_t *all = malloc((groups->count + 1) * sizeof *all);
    memset(out, 0, groups->count * sizeof *out);
    for (size_t i = 0; all && i < groups->count; i++)
        all[i] = i;
    int status = all ? syn_figures_compute(groups, all, groups->count, plan, out) : SYN_ENOMEM;
    if (status == SYN_OK)
        status = syn_figures_adjust(out, groups->count);
    for (size_t i = 0; i < groups->count && status; i++)
        syn_figures_free(&out[i]);
    free(all);
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
