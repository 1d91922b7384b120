#include "figures.h"

#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../sync/status.h"
#include "../match/bounds.h"
#include "../stats/bootstrap.h"

/* What one thread computes with, grown to the largest group it meets. */
struct workspace {
    double *x, *scratch, *shifted; /* [capacity] */
    int64_t *ordered;
    size_t
        *order; /* [count]: the instances that figures are made of, run by run in order of time */
    size_t count;
    size_t capacity;
    double *rank_values; /* [rank_capacity] */
    size_t rank_capacity;
};

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
    free(work->ordered);
    free(work->order);
    free(work->rank_values);
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

static bool ascends(const int64_t *value, size_t first, size_t end)
{
    for (size_t i = first + 1; i < end; i++)
        if (value[i] < value[i - 1])
            return false;
    return true;
}

/* The order of a group's instances in time, run by run, into work->order. */
static void find_order(const struct syn_group *group, struct workspace *work)
{
    work->count = group->start_ns.count;
    for (size_t r = 0; r < group->run_count; r++) {
        struct run_range range = range_of_run(group, r);
        size_t count = range.end - range.first;
        if (ascends(group->start_ns.value, range.first, range.end)) {
            for (size_t i = 0; i < count; i++)
                work->order[range.first + i] = range.first + i;
            continue;
        }
        for (size_t i = 0; i < count; i++)
            work->x[i] = (double)group->start_ns.value[range.first + i];
        syn_order(work->x, count, work->order + range.first);
        for (size_t i = 0; i < count; i++)
            work->order[range.first + i] += range.first;
    }
}

/* Leaves out the head of each run that is to be skipped. */
static void skip_heads(const struct syn_figures *figures, struct workspace *work)
{
    size_t kept = 0;
    for (size_t r = 0; r < figures->run_count; r++) {
        struct run_range range = range_of_run(figures->group, r);
        for (size_t i = range.first + figures->run[r].skipped; i < range.end; i++)
            work->order[kept++] = work->order[i];
    }
    work->count = kept;
}

/* ---- one metric ---- */

/* Of the instances order [n]. */
static void fill(const struct syn_group *group, enum syn_metric metric, const size_t *order,
                 size_t n, double *x)
{
    const int64_t *completion = group->completion_ns.value;
    const int64_t *spread = group->spread_ns.value;
    const int64_t *value = metric == SYN_METRIC_COMPLETION  ? completion
                           : metric == SYN_METRIC_SPREAD    ? spread
                           : metric == SYN_METRIC_EXIT_SKEW ? group->exit_skew_ns.value
                           : metric == SYN_METRIC_LOCAL_MAX ? group->local_max_ns.value
                                                            : group->wait_ns.value;
    if (metric == SYN_METRIC_OPERATION && syn_group_is_part(group))
        for (size_t i = 0; i < n; i++) /* e_r - max s = (e_r - s_r) - (max s - s_r) */
            x[i] = (double)(group->local_max_ns.value[order[i]] - group->wait_ns.value[order[i]]);
    else if (metric == SYN_METRIC_OPERATION) /* max e - max s = (max e - min s) - (max s - min s) */
        for (size_t i = 0; i < n; i++)
            x[i] = (double)(completion[order[i]] - spread[order[i]]);
    else
        for (size_t i = 0; i < n; i++)
            x[i] = (double)value[order[i]];
}

static bool has_metric(const struct syn_group *group, enum syn_metric metric)
{
    bool part = group->completion_ns.count == 0;
    if (metric == SYN_METRIC_OPERATION && group->key[SYN_KEY_RANK] != UINT64_MAX)
        return true;
    return metric == SYN_METRIC_LOCAL_MAX || (metric == SYN_METRIC_WAIT) == part;
}

int syn_figures_values(const struct syn_figures *figures, enum syn_metric metric, double *x)
{
    struct workspace work = {0};
    const struct syn_group *group = figures->group;
    int status = has_metric(group, metric) ? reserve(&work, group->start_ns.count + 1) : SYN_EINVAL;
    if (status == 0) {
        find_order(group, &work);
        skip_heads(figures, &work);
        fill(group, metric, work.order, work.count, x);
    }
    free_workspace(&work);
    return status;
}

/* How far the ends of the median's interval move when every instance is off by its bound, in the
 * one direction or in the other: [order statistic l of T - u, order statistic h of T + u]
 * (docs/methods-clock.md). */
static double clock_bound(const struct syn_group *group, struct workspace *work, double z)
{
    size_t n = work->count, low, high;
    int64_t least = INT64_MAX, most = 0;
    for (size_t i = 0; i < n; i++) {
        int64_t bound = group->bound_ns.value[work->order[i]];
        least = bound < least ? bound : least;
        most = bound > most ? bound : most;
    }
    if (most >= SYN_BOUND_UNKNOWN_NS)
        return NAN;
    /* where all bounds are alike, the order statistics move by just that */
    if (most - least <= 1 || syn_median_interval_ranks(n, z, &low, &high))
        return (double)most;
    double moved[2];
    for (int side = 0; side < 2; side++) {
        int sign = side ? 1 : -1;
        for (size_t i = 0; i < n; i++)
            work->shifted[i] = work->x[i] + sign * (double)group->bound_ns.value[work->order[i]];
        syn_sort(work->shifted, n);
        moved[side] = work->shifted[(side ? high : low) - 1];
    }
    /* scratch is ascending after syn_summarize */
    double below = work->scratch[low - 1] - moved[0];
    double above = moved[1] - work->scratch[high - 1];
    return below > above ? below : above;
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
        .block_length =
            plan->ci == SYN_CI_BLOCK ? syn_block_length(n, (double)n / summary->n_effective) : 1,
        .confidence = plan->confidence,
        .seed = plan->seed};
    syn_bootstrap(work->x, n, syn_statistic_median, NULL, &how, &bootstrap);
    summary->ci_low = bootstrap.low;
    summary->ci_high = bootstrap.high;
}

static void metric_figures(struct syn_figures *figures, enum syn_metric metric,
                           struct workspace *work, const struct syn_figures_plan *plan)
{
    const struct syn_group *group = figures->group;
    struct syn_metric_figures *out = &figures->metric[metric];
    size_t n = has_metric(group, metric) ? work->count : 0;
    if (n)
        fill(group, metric, work->order, n, work->x);
    syn_summarize(work->x, n, plan->confidence, work->scratch, &out->summary);
    other_interval(plan, work, n, &out->summary);
    out->clock_bound_ns = NAN;
    if (n == 0)
        return;
    if (metric == SYN_METRIC_LOCAL_MAX) { /* both ends on one clock */
        out->clock_bound_ns = 0;
        return;
    }
    out->clock_bound_ns = clock_bound(group, work, syn_two_sided_z(plan->confidence));
}

/* ---- runs ---- */

/* Where each run settles, and what is left out of it. The order is that of all instances. */
static int find_warmups(struct syn_figures *figures, struct workspace *work,
                        const struct syn_figures_plan *plan)
{
    const struct syn_group *group = figures->group;
    figures->run = calloc(group->run_count + 1, sizeof *figures->run);
    if (!figures->run)
        return SYN_ENOMEM;
    figures->run_count = group->run_count;
    fill(group, syn_figures_main_metric(group), work->order, work->count, work->x);
    for (size_t r = 0; r < group->run_count; r++) {
        struct run_range range = range_of_run(group, r);
        struct syn_run_figures *run = &figures->run[r];
        run->run = group->run[r].run;
        run->warmup = (struct syn_warmup){0, NAN, NAN, 0};
        if (syn_warmup_find(work->x + range.first, range.end - range.first, SYN_WARMUP_ALPHA,
                            &run->warmup) == SYN_ENOMEM)
            return SYN_ENOMEM;
        run->skipped = plan->skip_warmup ? run->warmup.settled_at : 0;
        figures->skipped_count += run->skipped;
    }
    if (figures->skipped_count)
        skip_heads(figures, work);
    return 0;
}

static void run_figures(struct syn_figures *figures, struct workspace *work, double confidence)
{
    const struct syn_group *group = figures->group;
    for (size_t r = 0, first = 0; r < group->run_count; r++) {
        struct run_range range = range_of_run(group, r);
        struct syn_run_figures *run = &figures->run[r];
        struct syn_summary summary;
        run->instances = range.end - range.first - run->skipped;
        fill(group, syn_figures_main_metric(group), work->order + first, run->instances, work->x);
        first += run->instances;
        syn_sort(work->x, run->instances);
        syn_summarize_sorted(work->x, run->instances, confidence, &summary);
        run->median = summary.median;
        run->ci_low = summary.ci_low;
        run->ci_high = summary.ci_high;
    }
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
        p[i] = group->comm_size.mixed || group->comm_size.value < 2 || figures->rank[i].n == 0
                   ? NAN
                   : syn_binomial_test(figures->rank[i].rank->last_count, figures->rank[i].n,
                                       1.0 / (double)group->comm_size.value);
    int status = syn_adjust_holm(p, figures->rank_count);
    for (size_t i = 0; i < figures->rank_count; i++)
        figures->rank[i].last_p = status ? NAN : p[i];
    free(p);
    return status;
}

static int each_rank(struct syn_figures *figures, struct workspace *work, double confidence)
{
    const struct syn_group *group = figures->group;
    figures->rank = calloc(group->rank_count + 1, sizeof *figures->rank);
    if (!figures->rank)
        return SYN_ENOMEM;
    figures->rank_count = group->rank_count;
    for (size_t i = 0; i < group->rank_count; i++) {
        const struct syn_group_rank *rank = &group->rank[i];
        size_t n = rank->local_ns.count;
        struct syn_summary summary;
        for (size_t j = 0; j < n; j++)
            work->x[j] = (double)rank->local_ns.value[j];
        syn_sort(work->x, n);
        syn_summarize_sorted(work->x, n, confidence, &summary);
        figures->rank[i] = (struct syn_rank_figures){
            rank, n, summary.median, summary.ci_low, summary.ci_high, NAN};
        figures->inside_ns += rank->inside_ns;
        figures->waiting_ns += rank->waiting_ns;
        figures->wait_ns += rank->wait_ns;
    }
    qsort(figures->rank, figures->rank_count, sizeof *figures->rank, by_rank);
    return syn_group_is_part(group) ? 0 : lateness_tests(figures);
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

/* The table that Friedman's test wants: a row an instance, a column a rank. */
static void fill_rows(const struct syn_figures *figures, double *x)
{
    size_t k = figures->rank_count;
    for (size_t r = 0; r < k; r++)
        for (size_t i = 0; i < figures->rank[r].n; i++)
            x[i * k + r] = (double)figures->rank[r].rank->local_ns.value[i];
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

static int rank_tests(struct syn_figures *figures, struct workspace *work, bool pairs)
{
    size_t k = figures->rank_count, total = 0;
    size_t *start = malloc((k + 1) * sizeof *start);
    for (size_t r = 0; start && r <= k; r++) {
        start[r] = total;
        total += r < k ? figures->rank[r].n : 0;
    }
    if (!start || reserve_ranks(work, total + 1)) {
        free(start);
        return SYN_ENOMEM;
    }
    for (size_t r = 0; r < k; r++)
        for (size_t i = 0; i < figures->rank[r].n; i++)
            work->rank_values[start[r] + i] = (double)figures->rank[r].rank->local_ns.value[i];
    struct syn_samples samples = {work->rank_values, start, k};
    int status = syn_anova_oneway(&samples, &figures->anova);
    if (status != SYN_ENOMEM)
        status = syn_kruskal_wallis(&samples, &figures->kruskal);
    if (status != SYN_ENOMEM && pairs)
        status = reserve_pairs(figures);
    if (status == 0 && figures->pair_count)
        status = syn_dunn_pairs(&samples, figures->kruskal_pair);
    bool rows = figures->group->same_members && k > 1;
    if (rows)
        fill_rows(figures, work->rank_values);
    if (status != SYN_ENOMEM)
        status = syn_friedman_test(work->rank_values, rows ? figures->rank[0].n : 0, k,
                                   &figures->friedman);
    if (status == 0 && rows && figures->pair_count)
        status =
            syn_friedman_pairs(work->rank_values, figures->rank[0].n, k, figures->friedman_pair);
    free(start);
    return status == SYN_ENOMEM ? SYN_ENOMEM : 0;
}

/* ---- all groups ---- */

static void total_bound(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    double others = group->comm_size.known ? (double)group->comm_size.value - 1 : 0;
    if (syn_group_is_part(group))
        others = (double)group->rank_count;
    for (size_t i = 0; i < group->bound_ns.count; i++) {
        if (group->bound_ns.value[i] >= SYN_BOUND_UNKNOWN_NS) {
            figures->bound_total_ns = NAN;
            return;
        }
        figures->bound_total_ns += (double)group->bound_ns.value[i] * others;
    }
}

static int compute(struct syn_figures *figures, struct workspace *work,
                   const struct syn_figures_plan *plan)
{
    const struct syn_group *group = figures->group;
    int status = reserve(work, group->start_ns.count + 1);
    if (status)
        return status;
    find_order(group, work);
    status = find_warmups(figures, work, plan);
    if (status)
        return status;
    for (int metric = 0; metric < SYN_METRIC_COUNT; metric++)
        metric_figures(figures, metric, work, plan);
    total_bound(figures);
    run_figures(figures, work, plan->confidence);
    status = each_rank(figures, work, plan->confidence);
    if (status == 0)
        status = rank_tests(figures, work, plan->pairs);
    return status;
}

struct job {
    const struct syn_groups *groups;
    struct syn_figures *out;
    const struct syn_figures_plan *plan;
    atomic_size_t next;
    atomic_int status;
};

static void *work_on(void *argument)
{
    struct job *job = argument;
    struct workspace work = {0};
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->groups->count;) {
        int status = compute(&job->out[i], &work, job->plan);
        if (status)
            atomic_store(&job->status, status);
    }
    free_workspace(&work);
    return NULL;
}

static void run_threads(struct job *job)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    pthread_t thread[64];
    int started = 0;
    while (started < 63 && started + 1 < cores && (size_t)started + 1 < job->groups->count &&
           pthread_create(&thread[started], NULL, work_on, job) == 0)
        started++;
    work_on(job);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}

static int adjust_friedman(struct syn_figures *figures, size_t count)
{
    double *p = malloc((count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        p[i] = figures[i].friedman.p;
    int status = syn_adjust_holm(p, count);
    for (size_t i = 0; i < count; i++)
        figures[i].friedman_p_adjusted = p[i];
    free(p);
    return status;
}

int syn_figures_compute_all(const struct syn_groups *groups, const struct syn_figures_plan *plan,
                            struct syn_figures *out)
{
    struct job job = {.groups = groups, .out = out, .plan = plan};
    memset(out, 0, groups->count * sizeof *out);
    for (size_t i = 0; i < groups->count; i++)
        out[i].group = groups->group[i];
    run_threads(&job);
    int status = atomic_load(&job.status);
    if (status == 0)
        status = adjust_friedman(out, groups->count);
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
