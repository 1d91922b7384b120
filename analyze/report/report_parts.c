#include "report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../match/bounds.h"
#include "../stats/stats.h"

/* ---- shares of time ---- */

static double of_rank(const struct syn_run_facts *run, int32_t rank, enum syn_share which)
{
    double inside_ns = run->totals.rank[rank].inside_ns;
    double waiting_ns = run->rank[rank].waiting_ns;
    return which == SYN_SHARE_INSIDE    ? inside_ns
           : which == SYN_SHARE_WAITING ? waiting_ns
                                        : inside_ns - waiting_ns;
}

static double mean_of_run(const struct syn_run_facts *run, enum syn_share which)
{
    double sum = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        if (run->rank[r].present)
            sum += of_rank(run, r, which);
    return run->present_count ? sum / run->present_count : NAN;
}

static void extend(struct syn_share_figures *share, double value, unsigned at)
{
    if (!(value >= share->low_ns)) {
        share->low_ns = value;
        share->low_at = at;
    }
    if (!(value <= share->high_ns)) {
        share->high_ns = value;
        share->high_at = at;
    }
}

static struct syn_share_figures share_over_ranks(const struct syn_run_facts *run,
                                                 enum syn_share which)
{
    struct syn_share_figures share = {.low_ns = NAN, .high_ns = NAN};
    share.mean_ns = mean_of_run(run, which);
    share.of_run = run->duration_ns > 0 ? share.mean_ns / (double)run->duration_ns : NAN;
    for (int32_t r = 0; r < run->rank_count && run->present_count > 1; r++)
        if (run->rank[r].present)
            extend(&share, of_rank(run, r, which), (unsigned)r);
    return share;
}

static struct syn_share_figures share_over_runs(const struct syn_report *report,
                                                enum syn_share which)
{
    struct syn_share_figures share = {.low_ns = NAN, .high_ns = NAN, .over_runs = true};
    size_t count = report->run_count;
    double *means = malloc(2 * count * sizeof *means);
    if (!means)
        return share;
    for (size_t i = 0; i < count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        means[i] = mean_of_run(run, which);
        means[count + i] = run->duration_ns > 0 ? means[i] / (double)run->duration_ns : 0;
        extend(&share, means[i], run->run);
    }
    syn_sort(means, count);
    syn_sort(means + count, count);
    share.mean_ns = syn_quantile_sorted(means, count, 0.5);
    share.of_run = syn_quantile_sorted(means + count, count, 0.5);
    free(means);
    return share;
}

struct syn_share_figures syn_report_share(const struct syn_report *report, enum syn_share which)
{
    return report->run_count > 1 ? share_over_runs(report, which)
                                 : share_over_ranks(&report->run[0], which);
}

static double waiting_of_run(const struct syn_run_facts *run)
{
    double sum = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        sum += run->rank[r].waiting_ns;
    return sum;
}

double syn_report_waiting_ns(const struct syn_report *report)
{
    double sum = 0;
    for (size_t i = 0; i < report->run_count; i++)
        sum += waiting_of_run(&report->run[i]);
    return sum;
}

double syn_report_waiting_bound_ns(const struct syn_report *report)
{
    double sum = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        sum += report->figures[i].bound_total_ns;
    return sum;
}

/* ---- late ranks ---- */

static int by_caused(const void *left, const void *right)
{
    const struct syn_late_rank *a = left;
    const struct syn_late_rank *b = right;
    if (a->facts->caused_ns != b->facts->caused_ns)
        return a->facts->caused_ns > b->facts->caused_ns ? -1 : 1;
    if (a->run != b->run)
        return a->run < b->run ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static size_t rank_total(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->run_count; i++)
        count += (size_t)report->run[i].rank_count;
    return count;
}

size_t syn_report_late_ranks(const struct syn_report *report, struct syn_late_rank *late,
                             size_t capacity, size_t *found)
{
    struct syn_late_rank *all = malloc((rank_total(report) + 1) * sizeof *all);
    *found = 0;
    for (size_t i = 0; i < report->run_count && all; i++) {
        const struct syn_run_facts *run = &report->run[i];
        double waiting_ns = waiting_of_run(run);
        for (int32_t r = 0; r < run->rank_count; r++) {
            const struct syn_rank_facts *rank = &run->rank[r];
            if (rank->last_p < 0.05 && (double)rank->last_count > rank->expected_last)
                all[(*found)++] = (struct syn_late_rank){rank, r, run->run, waiting_ns};
        }
    }
    if (!all)
        return 0;
    qsort(all, *found, sizeof *all, by_caused);
    size_t shown = *found < capacity ? *found : capacity;
    memcpy(late, all, shown * sizeof *all);
    free(all);
    return shown;
}

double syn_report_unsure_share(const struct syn_report *report)
{
    double last = 0, sure = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        for (int32_t r = 0; r < report->run[i].rank_count; r++) {
            last += (double)report->run[i].rank[r].last_count;
            sure += (double)report->run[i].rank[r].last_sure_count;
        }
    }
    return last > 0 ? 1 - sure / last : NAN;
}

const struct syn_rank_figures *syn_report_latest(const struct syn_figures *figures)
{
    const struct syn_rank_figures *latest = NULL;
    for (size_t i = 0; i < figures->rank_count; i++) {
        const struct syn_rank_figures *rank = &figures->rank[i];
        double chance = 1.0 / (double)figures->group->comm_size.value;
        if (rank->last_p < 0.05 && (double)rank->rank->last_count > chance * (double)rank->n &&
            (!latest || rank->rank->last_count > latest->rank->last_count))
            latest = rank;
    }
    return latest;
}
