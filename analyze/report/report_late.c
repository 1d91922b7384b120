/* analyze/report/report_late.c - who came late: over a whole run, and in each group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/report_parts.h"
#include "analyze/stats/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- of runs ---- */

static int by_caused(const void *left, const void *right)
{
    const struct syn_late_rank *a = left;
    const struct syn_late_rank *b = right;
    if (a->caused_ns != b->caused_ns)
        return a->caused_ns > b->caused_ns ? -1 : 1;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

static int32_t most_ranks(const struct syn_report *report)
{
    int32_t most = 0;
    for (size_t i = 0; i < report->run_count; i++)
        most = syn_largest(report->run[i].rank_count, most);
    return most;
}

static struct syn_late_rank over_runs(const struct syn_report *report, int32_t r)
{
    struct syn_late_rank late = {.rank = r, .p = NAN};
    for (size_t i = 0; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        const struct syn_rank_facts *rank = &run->rank[r < run->rank_count ? r : 0];
        if (r >= run->rank_count || rank->instance_count == 0)
            continue;
        late.facts = late.facts ? late.facts : rank;
        late.p = late.run_count++ ? NAN : rank->last_p;
        late.instance_count += rank->instance_count;
        late.last_count += rank->last_count;
        late.expected_last += rank->expected_last;
        late.caused_ns += rank->caused_ns;
        late.late_run_count +=
            rank->last_p < 0.05 && (double)rank->last_count > rank->expected_last;
    }
    return late;
}

size_t syn_report_late_ranks(const struct syn_report *report, struct syn_late_rank *late,
                             size_t capacity, size_t *found)
{
    int32_t rank_count = most_ranks(report);
    struct syn_late_rank *all = malloc(((size_t)rank_count + 1) * sizeof *all);
    *found = 0;
    for (int32_t r = 0; r < rank_count && all; r++) {
        struct syn_late_rank rank = over_runs(report, r);
        if (rank.late_run_count > 0 && 2 * rank.late_run_count >= rank.run_count &&
            (double)rank.last_count > rank.expected_last)
            all[(*found)++] = rank;
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

/* ---- of groups ---- */

/* Groups that could not show a late rank if it came last every time say nothing, and so do not
 * count in the adjustment (Tarone 1990). */
#define LATE_ALPHA 0.05

/* How much less a series of "was it this rank?" says than independent trials: as the whole run has
 * it, the worst of several. A group's instances lie among those of the run. */
static double dependence_of(const struct syn_report *report, int32_t rank)
{
    double most = 1;
    for (size_t i = 0; i < report->run_count; i++)
        if (rank < report->run[i].rank_count) {
            double factor = report->run[i].rank[rank].last_dependence;
            most = isnan(factor) ? NAN : fmax(most, factor);
        }
    return most;
}

static const struct syn_rank_figures *most_often_last(const struct syn_figures *figures)
{
    const struct syn_rank_figures *most = NULL;
    for (size_t i = 0; i < figures->rank_count; i++)
        if (figures->rank[i].n > 0 &&
            (!most || figures->rank[i].rank->last_count > most->rank->last_count))
            most = &figures->rank[i];
    return most;
}

/* Of the rank that was last most often, which Holm tests first: times the number of ranks. NAN
 * where nothing can be shown. */
static double group_late_p(const struct syn_report *report, const struct syn_figures *figures,
                           const struct syn_rank_figures *rank)
{
    const struct syn_common *members = &figures->group->member_count;
    if (!rank || members->mixed || members->value < 2 || syn_group_is_part(figures->group))
        return NAN;
    double chance = 1.0 / (double)members->value, tests = (double)figures->rank_count;
    double share = (double)rank->rank->last_count / (double)rank->n;
    double n = floor((double)rank->n / dependence_of(report, rank->rank->rank));
    if (!(n >= 1) || !(tests * syn_binomial_test((size_t)n, (size_t)n, chance) < LATE_ALPHA))
        return NAN;
    return share <= chance
               ? 1
               : fmin(1, tests * syn_binomial_test((size_t)llround(share * n), (size_t)n, chance));
}

int syn_report_find_latest(struct syn_report *report)
{
    size_t count = report->groups.count;
    double *p = malloc((count + 1) * sizeof *p);
    if (!p)
        return SYN_ENOMEM;
    for (size_t i = 0; i < count; i++)
        p[i] = group_late_p(report, &report->figures[i], most_often_last(&report->figures[i]));
    int status = syn_adjust_holm(p, count);
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        report->figures[i].latest_p = p[i];
        report->figures[i].latest = p[i] < LATE_ALPHA ? most_often_last(&report->figures[i]) : NULL;
    }
    free(p);
    return status;
}
