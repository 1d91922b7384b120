/* analyze/report/sections/report_late.c - finds ranks that came late: over a whole run, and in each
 * group. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/report/figures/lateness.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- of runs ---- */

SYN_ORDER(by_caused, struct syn_late_rank, SYN_DOWN(caused_ns) ?: SYN_UP(rank))

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
    int32_t most = 0;
    for (size_t i = 0; i < report->run_count; i++)
        most = syn_largest(report->run[i].rank_count, most);
    int32_t rank_count = most;
    SYN_FREED struct syn_late_rank *all = malloc(((size_t)rank_count + 1) * sizeof *all);
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

/* Level of the test. Groups that could not show a late rank even if it came last every time do not
 * count in the adjustment (Tarone 1990). */
#define LATE_ALPHA 0.05

static const struct syn_rank_figures *most_often_last(const struct syn_figures *figures)
{
    const struct syn_rank_figures *most = NULL;
    for (size_t i = 0; i < figures->rank_count; i++)
        if (figures->rank[i].n > 0 &&
            (!most || figures->rank[i].rank->last_count > most->rank->last_count))
            most = &figures->rank[i];
    return most;
}

/* The number of independent instances of a group, from the kinds of its instances
 * (late_kinds.h). */
struct evidence {
    size_t kind_count;
    double n, factor;        /* instances in the current run; factor of the only kind there */
    double all_n, effective; /* instances of all runs; as independent instances */
};

/* Returns p of the rank that was last most often, times the number of ranks: this is the rank that
 * Holm tests first. NAN if the group cannot show anything. */
static double group_late_p(const struct syn_figures *figures, const struct evidence *evidence)
{
    const struct syn_rank_figures *rank = most_often_last(figures);
    const struct syn_common *members = &figures->group->member_count;
    if (!rank || members->mixed || members->value < 2 || syn_group_is_part(figures->group) ||
        !(evidence->all_n > 0))
        return NAN;
    const double n = (double)rank->n, chance = 1.0 / (double)members->value;
    const double tests = (double)figures->rank_count;
    const double effective = n * fmin(1, evidence->effective / evidence->all_n);
    if (!(tests * syn_late_p(n, n, n * chance, effective) < LATE_ALPHA))
        return NAN;
    return fmin(1, tests * syn_late_p((double)rank->rank->last_count, n, n * chance, effective));
}

int syn_report_find_latest(struct syn_report *report)
{
    const bool tell = syn_report_clocks_can_order(report);
    size_t count = report->groups.count;
    struct syn_figures *all = report->figures;
    SYN_FREED struct evidence *evidence = calloc(count + 1, sizeof *evidence);
    int status = evidence ? SYN_OK : SYN_ENOMEM;
    for (size_t r = 0; r < report->run_count && status == SYN_OK; r++) {
        const struct syn_run_facts *run = &report->run[r];
        for (size_t k = 0; k < run->kinds.count; k++) {
            const struct syn_late_kind *kind = &run->kinds.at[k];
            uint64_t key[SYN_KEY_COUNT];
            for (int i = 0; i < SYN_KEY_COUNT; i++)
                key[i] = report->groups.by & SYN_BY(i) ? kind->key[i] : SYN_NO_KEY;
            if (report->groups.by & SYN_BY(SYN_KEY_RUN))
                key[SYN_KEY_RUN] = run->run;
            const size_t at = syn_groups_index_of(&report->groups, key);
            if (at == SIZE_MAX)
                continue;
            evidence[at].kind_count++;
            evidence[at].n += (double)kind->instance_count;
            evidence[at].factor = kind->factor;
        }
        for (size_t i = 0; i < report->groups.count; i++) {
            /* A group of several kinds has the run's dependence. A run that is too short for its
             * dependence counts as one instance, since other runs are independent of it. */
            const struct syn_rank_figures *rank = most_often_last(&report->figures[i]);
            if (evidence[i].kind_count > 0 && rank && rank->rank->rank < run->rank_count) {
                const double factor = evidence[i].kind_count == 1
                                          ? evidence[i].factor
                                          : run->rank[rank->rank->rank].last_dependence;
                const double effective = evidence[i].n / factor;
                evidence[i].all_n += evidence[i].n;
                evidence[i].effective += syn_are_enough(effective) ? effective : 1;
            }
            evidence[i].kind_count = 0;
            evidence[i].n = 0;
        }
    }
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        struct syn_figures *figures = &all[i];
        figures->latest_p = tell ? group_late_p(figures, &evidence[i]) : NAN;
        for (size_t r = 0; r < figures->rank_count && !tell; r++)
            figures->rank[r].last_p = NAN;
    }
    if (status == SYN_OK && count > 0)
        status = syn_adjust_holm_in(&all->latest_p, sizeof *all, count);
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        all[i].latest = all[i].latest_p < LATE_ALPHA ? most_often_last(&all[i]) : NULL;
    return status;
}
