/* analyze/report/figures/figures_ranks.c - computes the figures of a group's ranks, and tests
 * whether the ranks differ: ANOVA, Kruskal-Wallis, Friedman, pairs of ranks, last arrivals. */
#include <math.h>
#include <stdlib.h>

#include "analyze/report/figures/figures_parts.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define LONG_RANKS ((size_t)1 << 15) /* from this many values on, ranks are tallied */

SYN_ORDER(by_rank, struct syn_rank_figures, SYN_UP(rank->rank))

static void set_rank(struct syn_rank_figures *out, const struct syn_median *median)
{
    *out = (struct syn_rank_figures){
        out->rank, out->rank->local_ns.count, median->value, median->low, median->high, NAN};
}

static int begin_ranks(struct syn_figures *figures)
{
    const struct syn_group *group = figures->group;
    figures->rank = calloc(group->rank_count + 1, sizeof *figures->rank);
    if (!figures->rank)
        return SYN_ENOMEM;
    figures->rank_count = group->rank_count;
    figures->inside_ns = syn_group_inside_ns(group);
    for (size_t i = 0; i < group->rank_count; i++) {
        const struct syn_group_rank *rank = &group->rank[i];
        figures->rank[i] = (struct syn_rank_figures){.rank = rank, .n = rank->local_ns.count};
        figures->waiting_ns += rank->waiting_ns;
        figures->wait_ns += rank->wait_ns;
    }
    figures->waiting_share =
        figures->inside_ns > 0 ? figures->waiting_ns / figures->inside_ns : NAN;
    qsort(figures->rank, figures->rank_count, sizeof *figures->rank, by_rank);
    return 0;
}

static int each_rank(struct syn_figures *figures, struct syn_workspace *work, double confidence)
{
    for (size_t i = 0; i < figures->rank_count; i++) {
        const struct syn_group_rank *rank = figures->rank[i].rank;
        struct syn_series series = syn_group_series_of_column(figures->group, &rank->local_ns);
        struct syn_median median;
        int status = syn_series_median(&series, work, confidence, &median);
        if (status != SYN_OK)
            return status;
        set_rank(&figures->rank[i], &median);
    }
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

/* Reads the ranks' values one after the other into work->rank_values; start [rank_count + 1]
 * receives their offsets. If instances differ in their members, the order of the values depends on
 * the time slices. They are then sorted, so that sums do not depend on the slices. */
static int gather_ranks(const struct syn_figures *figures, struct syn_workspace *work,
                        size_t *start)
{
    size_t k = figures->rank_count, total = 0;
    for (size_t r = 0; r <= k; r++) {
        start[r] = total;
        total += r < k ? figures->rank[r].n : 0;
    }
    int status = SYN_OK;
    if (2 * total + 1 > work->rank_capacity) {
        status = SYN_RESERVE(work->rank_values, 2 * total + 1);
        if (status == SYN_OK)
            work->rank_capacity = 2 * total + 1;
    }
    for (size_t r = 0; r < k && status == SYN_OK; r++) {
        struct syn_series series =
            syn_group_series_of_column(figures->group, &figures->rank[r].rank->local_ns);
        status = syn_series_values(&series, work->rank_values + start[r]);
        if (status == SYN_OK && !figures->group->same_members)
            syn_sort(work->rank_values + start[r], series.count);
    }
    return status;
}

/* Sorts the values of all ranks at once and computes medians and Kruskal-Wallis from their order.
 * The values are in work->rank_values; `behind` has room for as many. Returns 0, SYN_ENOMEM, or
 * SYN_EINVAL if the values cannot be sorted together. */
static int order_ranks(struct syn_figures *figures, const struct syn_samples *samples,
                       double *behind, double confidence)
{
    const size_t k = samples->k;
    SYN_FREED double *mean_rank = malloc((k + 1) * (sizeof *mean_rank + sizeof(size_t)));
    double ties;
    size_t *n = (size_t *)(mean_rank + k);
    int status = mean_rank ? SYN_EINVAL : SYN_ENOMEM;
    if (mean_rank && syn_sort_samples(samples, behind, mean_rank, &ties)) {
        for (size_t r = 0; r < k; r++) {
            struct syn_median median;
            n[r] = figures->rank[r].n;
            const struct syn_ordered sample = syn_ordered_array(behind + samples->start[r], n[r]);
            syn_median_of_ordered(&sample, confidence, &median);
            set_rank(&figures->rank[r], &median);
        }
        syn_kruskal_of_means(mean_rank, n, k, ties, &figures->kruskal); /* NANs if not defined */
        status = SYN_OK;
    }
    return status;
}

static int rank_tests(struct syn_figures *figures, struct syn_workspace *work,
                      const struct syn_figures_plan *plan)
{
    size_t k = figures->rank_count;
    SYN_FREED size_t *start = malloc((k + 1) * sizeof *start);
    int status = start ? gather_ranks(figures, work, start) : SYN_ENOMEM;
    if (status == SYN_OK) {
        const struct syn_samples samples = {work->rank_values, start, k};
        double *behind = work->rank_values + start[k];
        status = start[k] < LONG_RANKS ? order_ranks(figures, &samples, behind, plan->confidence)
                                       : SYN_EINVAL;
        if (status == SYN_EINVAL) {
            /* the same with a sort for each rank */
            status = each_rank(figures, work, plan->confidence);
            if (status == SYN_OK && syn_kruskal_wallis(&samples, &figures->kruskal) == SYN_ENOMEM)
                status = SYN_ENOMEM;
        }
        if (status == SYN_OK && syn_anova_oneway(&samples, &figures->anova) == SYN_ENOMEM)
            status = SYN_ENOMEM;
        if (status == SYN_OK && plan->pairs) {
            /* Compare each pair of ranks. The table for Friedman's test has a row for each instance
             * and a column for each rank. */
            status = reserve_pairs(figures);
            if (status == SYN_OK && figures->pair_count)
                status = syn_dunn_pairs(&samples, figures->kruskal_pair);
            if (status == SYN_OK && figures->pair_count && figures->group->same_members) {
                for (size_t r = 0; r < k; r++)
                    for (size_t i = 0; i < figures->rank[r].n; i++)
                        behind[i * k + r] = samples.value[samples.start[r] + i];
                status = syn_friedman_pairs(behind, figures->rank[0].n, k, figures->friedman_pair);
            }
            status = status == SYN_ENOMEM ? SYN_ENOMEM : 0;
        }
    }
    return status;
}

int syn_figures_of_ranks(struct syn_figures *figures, struct syn_workspace *work,
                         const struct syn_figures_plan *plan)
{
    const struct syn_group *group = figures->group;
    int status = begin_ranks(figures);
    if (status != SYN_OK)
        return status;
    struct syn_rank_figures *rank = figures->rank;
    size_t total = 0;
    for (size_t r = 0; r < figures->rank_count; r++)
        total += rank[r].n;
    status = total >= LONG_RANKS && !plan->pairs
                 ? syn_long_ranks(figures, plan->confidence, &work->combined, &work->tally)
                 : SYN_EINVAL;
    if (status == SYN_EINVAL)
        status = rank_tests(figures, work, plan);
    if (status != SYN_OK)
        return status;
    /* Friedman's test needs no values: the match summed up midranks instance by instance. */
    SYN_FREED double *sum = malloc((figures->rank_count + 1) * sizeof *sum);
    if (!sum)
        return SYN_ENOMEM;
    for (size_t r = 0; r < figures->rank_count; r++)
        sum[r] = rank[r].rank->midrank_sum;
    syn_friedman_of_sums(sum, group->tie_sum,
                         group->same_members && figures->rank_count > 1 ? rank[0].n : 0,
                         figures->rank_count, &figures->friedman);
    status = syn_rank_dependence(figures);
    if (status != SYN_OK || syn_group_is_part(group))
        return status;
    /* Test whether a rank was last more or less often than one time in `size`. Holm over the
     * ranks. */
    for (size_t i = 0; i < figures->rank_count; i++)
        rank[i].last_p =
            group->member_count.mixed || group->member_count.value < 2 || rank[i].n == 0
                ? NAN
                : syn_binomial_test(rank[i].rank->last_count, rank[i].n,
                                    1.0 / (double)group->member_count.value);
    return rank ? syn_adjust_holm_in(&rank->last_p, sizeof *rank, figures->rank_count) : SYN_OK;
}
