/* analyze/report/report_series_text.c - the text on what calls and runs have in common: warm-ups,
 * what varies between runs, whether the calls are enough, which places came late. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/report/places.h"
#include "analyze/report/report_moment.h"
#include "analyze/report/report_writer.h"
#include "analyze/report/typical.h"
#include "analyze/stats/compare.h"

static const char *name_of(const struct syn_report_writer *to, const struct syn_figures *figures,
                           struct syn_text *out)
{
    syn_text_clear(out);
    syn_report_group_name(to->report, figures->group, out);
    return syn_text_chars(out);
}

/* ---- places ---- */

/* A place over the runs: where it came last too often. */
struct late_place {
    struct syn_report_place first; /* of the first run that has it */
    size_t run_count, late_run_count;
    uint64_t instance_count, last_count, most_of_a_rank;
    double expected_last, caused_ns;
};

static struct late_place *find_place(struct late_place *all, size_t count,
                                     const struct syn_report_place *place)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(all[i].first.name, place->name) == 0)
            return &all[i];
    return NULL;
}

static size_t gather_places(const struct syn_report *report, enum syn_place_kind kind,
                            struct late_place *all, size_t capacity)
{
    size_t count = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        struct syn_places places;
        if (syn_places_of_run(report, &report->run[i], kind, &places))
            continue;
        for (size_t j = 0; j < places.count; j++) {
            const struct syn_report_place *place = &places.place[j];
            struct late_place *late = find_place(all, count, place);
            if (!late && count < capacity) {
                late = &all[count++];
                *late = (struct late_place){.first = *place};
            }
            if (!late || isnan(place->p))
                continue;
            late->run_count++;
            late->late_run_count +=
                place->p < 0.05 && (double)place->last_count > place->expected_last;
            late->instance_count += place->instance_count;
            late->last_count += place->last_count;
            late->most_of_a_rank += place->most_of_a_rank;
            late->expected_last += place->expected_last;
            late->caused_ns += place->caused_ns;
        }
        syn_places_free(&places);
    }
    return count;
}

static void write_place(const struct syn_report_writer *to, const struct late_place *late)
{
    char share[SYN_UNIT_BYTES], chance[SYN_UNIT_BYTES], caused[SYN_UNIT_BYTES], p[64];
    double n = (double)late->instance_count;
    char unit[SYN_UNIT_BYTES];
    if (late->run_count > 1)
        snprintf(p, sizeof p, "p < 0.05 in %zu of %zu runs", late->late_run_count, late->run_count);
    else
        snprintf(p, sizeof p, "%s", syn_unit_p(unit, late->first.p));
    syn_report_item(
        to,
        "%s (%zu rank%s): one of its ranks came last in %s of the instances (by chance %s, %s). "
        "Others waited %s for them.",
        late->first.name, late->first.rank_count, late->first.rank_count == 1 ? "" : "s",
        syn_unit_share(share, (double)late->last_count / n),
        syn_unit_share(chance, late->expected_last / n), p, syn_unit_time(caused, late->caused_ns));
}

/* A place whose last arrivals are nearly all of one rank is that rank again, and a socket that has
 * all of its node's is the node again. */
#define NEARLY_ALL 0.9

static bool is_said(const struct late_place *late, const struct late_place *nodes, size_t count)
{
    if ((double)late->most_of_a_rank >= NEARLY_ALL * (double)late->last_count)
        return true;
    for (size_t i = 0; i < count; i++)
        if (nodes[i].first.node == late->first.node && nodes[i].last_count == late->last_count)
            return true;
    return false;
}

static bool is_late(const struct late_place *late)
{
    return late->late_run_count > 0 && 2 * late->late_run_count >= late->run_count &&
           (double)late->last_count > late->expected_last;
}

/* No run has more places than ranks. */
static size_t most_places(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->run_count; i++)
        count += (size_t)report->run[i].rank_count;
    return count;
}

static void write_late_places(const struct syn_report_writer *to, const struct late_place *all,
                              size_t count, const struct late_place *nodes, size_t node_count)
{
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < 3; i++) {
        if (!is_late(&all[i]) || is_said(&all[i], nodes, node_count))
            continue;
        write_place(to, &all[i]);
        shown++;
    }
}

void syn_report_late_places(const struct syn_report_writer *to)
{
    const size_t capacity = most_places(to->report);
    struct late_place *nodes = calloc(capacity + 1, sizeof *nodes);
    struct late_place *sockets = calloc(capacity + 1, sizeof *sockets);
    if (nodes && sockets) {
        size_t node_count = gather_places(to->report, SYN_PLACE_NODE, nodes, capacity);
        size_t socket_count = gather_places(to->report, SYN_PLACE_SOCKET, sockets, capacity);
        write_late_places(to, nodes, node_count, NULL, 0);
        write_late_places(to, sockets, socket_count, nodes, node_count);
    } else {
        to->text->failed = true;
    }
    free(nodes);
    free(sockets);
}

/* ---- pairs of ranks ---- */

/* Of dependent instances, Holm over the pairs. NULL: no memory; the caller frees. */
static double *dependent_p(const struct syn_figures *figures)
{
    double *p = malloc((figures->pair_count + 1) * sizeof *p);
    double effective = figures->ranks_effective;
    for (size_t i = 0; i < figures->pair_count && p; i++) {
        double z = figures->friedman_pair[i].z;
        p[i] = syn_f_p(z * z * effective / (double)figures->rank[0].n, 1, effective - 1);
        p[i] = isfinite(figures->friedman_p_dependent) ? p[i] : NAN;
    }
    if (p && syn_adjust_holm(p, figures->pair_count)) {
        free(p);
        p = NULL;
    }
    return p;
}

void syn_report_pairs(const struct syn_report_writer *to, const struct syn_figures *figures)
{
    struct syn_text words = {0};
    size_t found = 0, shown = 0;
    double *p = dependent_p(figures);
    for (size_t i = 0; i < figures->pair_count && p; i++) {
        const struct syn_pair *pair = &figures->friedman_pair[i];
        if (!(p[i] < 0.05))
            continue;
        if (found++ >= 12)
            continue;
        size_t low = pair->z < 0 ? pair->i : pair->j, high = pair->z < 0 ? pair->j : pair->i;
        syn_text_format(&words, "%s%d < %d%s", shown++ ? ", " : "", figures->rank[low].rank->rank,
                        figures->rank[high].rank->rank, syn_stars(p[i]));
    }
    if (found > shown)
        syn_text_format(&words, " and %zu more", found - shown);
    const char *said = found ? syn_text_chars(&words) : "no pair by itself";
    if (figures->pair_count && to->style != SYN_WRITE_TEXT)
        syn_report_item(to, "of its ranks: %s", said);
    else if (figures->pair_count)
        syn_report_paragraph(to, 6, "      of its ranks: ", said);
    free(p);
    syn_text_free(&words);
}

/* ---- warm-up ---- */

struct warmup_count {
    size_t groups, runs;
    const struct syn_figures *worst; /* the one whose warm-up took longest */
    const struct syn_run_figures *worst_run;
    double worst_weight;
    uint64_t skipped;
    size_t skipped_groups, unsettled;
};

/* What goes on changing is said as that. */
static bool is_more_than_a_warmup(const struct syn_run_figures *run)
{
    return syn_run_change_is_claimed(&run->change) &&
           (run->change.found.is_trend || run->warmup.unsettled);
}

static void count_warmup(const struct syn_figures *figures, struct warmup_count *out)
{
    bool any = false, unsettled = false;
    for (size_t r = 0; r < figures->run_count; r++) {
        const struct syn_run_figures *run = &figures->run[r];
        if (run->warmup.settled_at == 0 || is_more_than_a_warmup(run))
            continue;
        any = true;
        unsettled |= run->warmup.unsettled != 0;
        out->runs++;
        double weight = (double)run->warmup.settled_at * run->median * run->warmup.ratio;
        if (!out->worst || weight > out->worst_weight) {
            out->worst = figures;
            out->worst_run = run;
            out->worst_weight = weight;
        }
    }
    out->groups += any;
    out->unsettled += unsettled;
    out->skipped += figures->skipped_count;
    out->skipped_groups += figures->skipped_count > 0;
}

/* The commonest warm-up is that of the first call alone, which no single run can show: it is the
 * slowest of n by chance once in n runs. Over all groups and runs it can. */
struct first_calls {
    struct syn_first_calls calls; /* of runs of groups */
    size_t groups, slow_groups;
    double *ratio; /* [first_slowest], to the run's median */
};

/* How many of a group's calls count as one, by its main metric; INFINITY where that is unknown. */
static double dependence_of(const struct syn_figures *figures)
{
    const struct syn_summary *summary =
        &figures->metric[syn_figures_main_metric(figures->group)].summary;
    return summary->n_effective > 0 ? (double)summary->n / summary->n_effective : INFINITY;
}

static void count_first_calls(const struct syn_report *report, struct first_calls *out)
{
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        const double tau = dependence_of(figures);
        size_t slowest = 0, series = 0;
        for (size_t r = 0; r < figures->run_count; r++) {
            const struct syn_run_figures *run = &figures->run[r];
            size_t n = run->instances + run->skipped;
            if (n < 2)
                continue;
            series++;
            out->calls.expected += 1 / (double)n;
            out->calls.expected_dependent += fmin(1, tau / (double)n);
            out->calls.last_slowest += run->last_is_slowest;
            if (run->first_is_slowest && run->median > 0)
                out->ratio[out->calls.first_slowest + slowest++] = run->first_ns / run->median;
        }
        out->calls.first_slowest += slowest;
        out->calls.series += series;
        out->groups += series > 0;
        out->slow_groups += 2 * slowest > series;
    }
}

static size_t count_series(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        count += report->figures[i].run_count;
    return count;
}

static void write_first_calls(const struct syn_report_writer *to)
{
    struct first_calls count = {0};
    char expected[32];
    count.ratio = calloc(count_series(to->report) + 1, sizeof *count.ratio);
    if (!count.ratio) {
        to->text->failed = true;
        return;
    }
    count_first_calls(to->report, &count);
    const struct syn_first_calls *calls = &count.calls;
    if (syn_first_calls_are_slow(calls)) {
        syn_sort(count.ratio, calls->first_slowest);
        snprintf(expected, sizeof expected, "%.*f", calls->expected < 9.95, calls->expected);
        double ratio = syn_quantile_sorted(count.ratio, calls->first_slowest, 0.5);
        bool runs = calls->series > count.groups;
        syn_report_item(to,
                        "The first call is the slowest in %zu of %zu groups%s (by chance in %s). "
                        "There it takes %.*f times the median.",
                        runs ? calls->first_slowest : count.slow_groups,
                        runs ? calls->series : count.groups, runs ? "' runs" : "", expected,
                        ratio < 9.95 ? 1 : 0, ratio);
    }
    free(count.ratio);
}

void syn_report_warmups(const struct syn_report_writer *to)
{
    write_first_calls(to);

    const struct syn_report *report = to->report;
    struct warmup_count count = {0};
    struct syn_text name = {0};
    char skipped[SYN_UNIT_BYTES];
    for (size_t i = 0; i < report->groups.count; i++)
        count_warmup(&report->figures[i], &count);
    if (count.groups == 0)
        return;
    const struct syn_warmup *worst = &count.worst_run->warmup;
    bool several = report->run_count > 1 && count.worst_run &&
                   !(report->options.by & SYN_BY(SYN_KEY_RUN)); /* whose name says so */
    char run[32] = "", settled[32] = "";
    if (worst->settled_at != 1)
        snprintf(settled, sizeof settled, "%zu ", worst->settled_at);
    if (several)
        snprintf(run, sizeof run, " of run %u", count.worst_run->run);
    syn_report_item(to,
                    "%zu of %zu groups %s a warm-up. The largest is that of %s: the first "
                    "%scall%s%s took %.*f times as long as the later ones%s.",
                    count.groups, report->groups.count, count.groups == 1 ? "has" : "have",
                    name_of(to, count.worst, &name), settled, worst->settled_at == 1 ? "" : "s",
                    run, worst->ratio < 9.95 ? 2 : 0, worst->ratio,
                    worst->unsettled ? " and may not have settled" : "");
    if (count.skipped)
        syn_report_item(to,
                        "%s warm-up calls of %zu group%s are left out of medians, intervals and "
                        "quantiles. Time, waiting and lateness count them.",
                        syn_unit_count(skipped, count.skipped), count.skipped_groups,
                        count.skipped_groups == 1 ? "" : "s");
    else
        syn_report_item(to,
                        "The figures include these first calls (--skip-warmup leaves them out).");
    syn_text_free(&name);
}

/* ---- steps and trends ---- */

#define CHANGES_SHOWN 3

struct changed_run {
    const struct syn_figures *figures;
    const struct syn_run_figures *run;
    double weight;
};

static double change_ratio(const struct syn_change *found)
{
    return found->is_trend ? found->end / found->begin : found->after / found->before;
}

static int by_weight(const void *left, const void *right)
{
    const struct changed_run *a = left, *b = right;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* all [count_series(report)]: the runs that are claimed to change, or of which that is unclear, the
 * most time first. */
static size_t gather_changes(const struct syn_report *report,
                             bool (*is_one)(const struct syn_run_change *), struct changed_run *all)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        for (size_t r = 0; r < figures->run_count; r++) {
            const struct syn_run_figures *run = &figures->run[r];
            double ratio = change_ratio(&run->change.found);
            if (!is_one(&run->change) || !(ratio > 0))
                continue;
            double weight = fabs(log(ratio)) * run->median * (double)run->instances;
            all[count++] = (struct changed_run){figures, run, weight};
        }
    }
    qsort(all, count, sizeof *all, by_weight);
    return count;
}

static void write_change(const struct syn_report_writer *to, const struct changed_run *changed)
{
    const struct syn_run_change *change = &changed->run->change;
    const struct syn_change *found = &change->found;
    struct syn_text name = {0};
    char before[SYN_UNIT_BYTES], after[SYN_UNIT_BYTES], p[SYN_UNIT_BYTES], run[32] = "";
    double ratio = change_ratio(found);
    int digits = ratio < 9.95 ? 2 : 0;
    name_of(to, changed->figures, &name);
    if (to->report->run_count > 1 && !(to->report->options.by & SYN_BY(SYN_KEY_RUN)))
        snprintf(run, sizeof run, " in run %u", changed->run->run);
    syn_unit_time(before, found->is_trend ? found->begin : found->before);
    syn_unit_time(after, found->is_trend ? found->end : found->after);
    syn_unit_p(p, change->p_adjusted);
    if (found->is_trend)
        syn_report_item(
            to, "%s%s: calls become ever %s, from %s to %s over %zu calls (x%.*f, %s).",
            syn_text_chars(&name), run, ratio > 1 ? "slower" : "faster", before, after,
            syn_run_change_span(change, changed->run->instances + changed->run->skipped), digits,
            ratio, p);
    else
        syn_report_item(to,
                        "%s%s: from call %zu on the median is %s, before it was %s (x%.*f, %s).",
                        syn_text_chars(&name), run, syn_run_change_at(change) + 1, after, before,
                        digits, ratio, p);
    syn_text_free(&name);
}

/* Runs whose level moves no more than a slow wave would. */
static void write_unclear(const struct syn_report_writer *to, const struct changed_run *all,
                          size_t count)
{
    struct syn_text name = {0};
    if (count == 0)
        return;
    const double ratio = change_ratio(&all->run->change.found);
    name_of(to, all->figures, &name);
    syn_report_item(to,
                    "%s: the median drifts to %.*f times its first value. One run cannot show "
                    "whether that is noise: record more.",
                    syn_text_chars(&name), ratio < 9.95 ? 2 : 0, ratio);
    if (count > 1)
        syn_report_item(to, "The medians of %zu more groups%s drift likewise.", count - 1,
                        to->report->run_count > 1 ? "' runs" : "");
    syn_text_free(&name);
}

/* Steps that are told as one moment are not told again. */
static size_t leave_out_moment(const struct syn_report *report, struct changed_run *all,
                               size_t count)
{
    const struct syn_figures **told = calloc(report->groups.count + 1, sizeof *told);
    const size_t told_count = told ? syn_report_moment_groups(report, told) : 0;
    const uint32_t run = syn_report_typical(report)->run;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_told = false;
        for (size_t k = 0; k < told_count; k++)
            is_told |= told[k] == all[i].figures && all[i].run->run == run;
        if (!is_told)
            all[left++] = all[i];
    }
    free(told);
    return left;
}

void syn_report_changes(const struct syn_report_writer *to)
{
    struct changed_run *all = calloc(count_series(to->report) + 1, sizeof *all);
    if (!all) {
        to->text->failed = true;
        return;
    }
    size_t count = leave_out_moment(to->report, all,
                                    gather_changes(to->report, syn_run_change_is_claimed, all));
    for (size_t i = 0; i < count && i < CHANGES_SHOWN; i++)
        write_change(to, &all[i]);
    if (count > CHANGES_SHOWN)
        syn_report_item(to, "%zu more groups%s change during the run: see --format json.",
                        count - CHANGES_SHOWN, to->report->run_count > 1 ? "' runs" : "");
    write_unclear(to, all, gather_changes(to->report, syn_run_change_is_unclear, all));
    free(all);
}

/* ---- runs ---- */

/* What the groups say of the runs. */
struct runs_summary {
    double *p;          /* [count], does the run matter */
    double *between;    /* [count] */
    double *best;       /* [count] */
    double *low, *high; /* [count], medians of runs */
    const struct syn_figures **figures;
    size_t count;
};

static void free_summary(struct runs_summary *summary)
{
    free(summary->p);
    free(summary->between);
    free(summary->best);
    free(summary->low);
    free(summary->high);
    free(summary->figures);
}

/* Of the variance of the runs' medians: what their own calls do not explain. */
static double share_between(const struct syn_details *details)
{
    double repetitions = (double)details->levels.instance_count / (double)details->levels.run_count;
    double variance = details->median_between + details->median_within / repetitions;
    return variance > 0 ? details->median_between / variance : NAN;
}

static bool summarize_runs(const struct syn_report *report, struct runs_summary *out)
{
    size_t count = report->groups.count;
    double inside_ns = syn_report_time_in_groups(report);
    *out = (struct runs_summary){calloc(count + 1, sizeof *out->p),
                                 calloc(count + 1, sizeof *out->between),
                                 calloc(count + 1, sizeof *out->best),
                                 calloc(count + 1, sizeof *out->low),
                                 calloc(count + 1, sizeof *out->high),
                                 calloc(count + 1, sizeof *out->figures),
                                 0};
    if (!out->p || !out->between || !out->best || !out->low || !out->high || !out->figures)
        return false;
    for (size_t i = 0; i < count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        struct syn_details details;
        if (figures->run_count < 2 || figures->inside_ns < SYN_SHARE_THAT_MATTERS * inside_ns)
            continue;
        if (syn_details_make(report, figures, &details) == 0 && isfinite(details.run_p)) {
            out->p[out->count] = details.run_p;
            out->between[out->count] = share_between(&details);
            out->best[out->count] = details.best_repetitions;
            out->low[out->count] = details.run_median_low;
            out->high[out->count] = details.run_median_high;
            out->figures[out->count++] = figures;
        }
        syn_details_free(&details);
    }
    return syn_adjust_holm(out->p, out->count) == 0;
}

static double median_of(double *x, size_t n)
{
    syn_sort(x, n);
    return syn_quantile_sorted(x, n, 0.5);
}

/* How far what one run shows may be from what another does (Hunold & Carpen-Amarie 2015,
 * Fig. 29). */
static void write_spread(const struct syn_report_writer *to, const struct runs_summary *summary)
{
    double *spread = malloc((summary->count + 1) * sizeof *spread);
    struct syn_text name = {0}, others = {0};
    char most[SYN_UNIT_BYTES], middle[SYN_UNIT_BYTES];
    size_t widest = 0;
    if (!spread) {
        to->text->failed = true;
        return;
    }
    for (size_t i = 0; i < summary->count; i++) {
        spread[i] = summary->low[i] > 0 ? summary->high[i] / summary->low[i] - 1 : 0;
        widest = spread[i] > spread[widest] ? i : widest;
    }
    syn_unit_percent(most, spread[widest]);
    if (summary->count > 1)
        syn_text_format(&others, ", in the median group %s",
                        syn_unit_percent(middle, median_of(spread, summary->count)));
    syn_report_item(to, "Repeated, the runs' medians lie up to %s above the least in %s%s.", most,
                    name_of(to, summary->figures[widest], &name), syn_text_chars(&others));
    syn_text_free(&others);
    syn_text_free(&name);
    free(spread);
}

static void write_best(const struct syn_report_writer *to, const struct runs_summary *summary)
{
    const struct syn_figures *first = summary->figures[0];
    double best = summary->best[0],
           now = (double)syn_figures_count(first) / (double)first->run_count;
    struct syn_text name = {0};
    char count[SYN_UNIT_BYTES];
    if (isinf(best))
        syn_report_item(
            to,
            "Best use of time for %s: the runs do not differ, so one long run is worth as much "
            "as many.",
            name_of(to, first, &name));
    else if (isfinite(best))
        syn_report_item(to, "Best use of time for %s: about %s calls a run (now %.0f): %s.",
                        name_of(to, first, &name),
                        syn_unit_count(count, (uint64_t)fmin(best + 0.5, 1e15)), now,
                        best < now / 1.5   ? "more runs rather than longer ones"
                        : best > now * 1.5 ? "longer runs rather than more"
                                           : "runs as long as these");
    syn_text_free(&name);
}

void syn_report_runs_section(const struct syn_report_writer *to)
{
    struct runs_summary summary;
    struct syn_text name = {0};
    char share[SYN_UNIT_BYTES], p[SYN_UNIT_BYTES], low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    size_t matters = 0, most = 0;
    if (to->report->run_count < 2 || to->report->options.by & SYN_BY(SYN_KEY_RUN))
        return;
    if (summarize_runs(to->report, &summary) && summary.count > 0) {
        syn_report_heading(to, "What varies between runs");
        for (size_t i = 0; i < summary.count; i++) {
            matters += summary.p[i] < 0.05;
            most = summary.between[i] > summary.between[most] ? i : most;
        }
        syn_report_item(
            to,
            "The run matters in %zu of the %zu groups that take 1 %% of the time or more "
            "(Kruskal-Wallis, dependence counted, Holm).%s",
            matters, summary.count,
            matters ? " One run does not tell what another would show." : "");
        if (matters)
            syn_report_item(to,
                            "Most in %s: the medians of its runs go from %s to %s (%s). %s of this "
                            "variance lies between runs, the rest within them.",
                            name_of(to, summary.figures[most], &name),
                            syn_unit_time(low, summary.low[most]),
                            syn_unit_time(high, summary.high[most]), syn_unit_p(p, summary.p[most]),
                            syn_unit_share(share, summary.between[most]));
        write_spread(to, &summary);
        write_best(to, &summary);
        if (summary.count > 1)
            syn_report_item(
                to,
                "In the median group %s of the variance of the runs' medians lies between runs.",
                syn_unit_share(share, median_of(summary.between, summary.count)));
    }
    free_summary(&summary);
    syn_text_free(&name);
}

/* ---- precision ---- */

static void count_cell(char *cell, double count)
{
    if (isfinite(count) && count < 1e15)
        syn_unit_count(cell, (uint64_t)count);
    else
        snprintf(cell, SYN_UNIT_BYTES, "-");
}

/* "rank 3", "..WORLD @1": what tells groups apart that agree in the other columns. */
static void add_which(struct syn_table *table, const struct syn_report *report,
                      const struct syn_group *group)
{
    static const char preposition[] = " on ";
    struct syn_text rest = {0}, shown = {0};
    syn_report_group_rest(report, group, &rest);
    const char *which = syn_text_chars(&rest);
    which += strncmp(which, preposition, sizeof preposition - 1) == 0 ? sizeof preposition - 1 : 0;
    syn_unit_tail(&shown, which, 14);
    syn_table_cell(table, syn_text_chars(&shown));
    syn_text_free(&rest);
    syn_text_free(&shown);
}

/* Does any group need it? */
static bool any_which(const struct syn_report *report)
{
    bool any = false;
    for (size_t i = 0; i < report->groups.count && !any; i++) {
        struct syn_text rest = {0};
        syn_report_group_rest(report, report->groups.group[i], &rest);
        any = rest.length > 0;
        syn_text_free(&rest);
    }
    return any;
}

static void add_precision_row(struct syn_table *table, const struct syn_report_writer *to,
                              const struct syn_figures *figures, const struct syn_details *details,
                              bool which)
{
    char cell[SYN_UNIT_BYTES];
    const struct syn_summary *summary =
        &figures->metric[syn_figures_main_metric(figures->group)].summary;
    const char *op = syn_report_op(figures->group);
    const char *site = syn_report_site(to->report, figures->group);
    uint64_t bytes;
    syn_table_cell(table, op && strncmp(op, "MPI_", 4) == 0 ? op + 4 : op ? op : "*");
    syn_table_cell(table, site ? site : "*");
    if (which)
        add_which(table, to->report, figures->group);
    syn_table_cell(table, syn_report_bytes(figures->group, &bytes)
                              ? syn_unit_bytes(cell, (double)bytes)
                              : "*");
    count_cell(cell, (double)details->n);
    syn_table_cell(table, cell);
    syn_table_cell(table, syn_unit_time(cell, summary->median));
    char share[SYN_UNIT_BYTES];
    snprintf(cell, sizeof cell, isfinite(details->half_width) ? "+-%.40s" : "-",
             syn_unit_percent(share, details->half_width));
    syn_table_cell(table, cell);
    double more = details->count_for_median - (double)details->n;
    if (details->half_width <= details->precision)
        snprintf(cell, sizeof cell, "enough");
    else
        count_cell(cell, fmax(more, 1));
    syn_table_cell(table, cell);
    if (to->report->run_count > 1) {
        count_cell(cell, details->runs_for_precision);
        syn_table_cell(table, cell);
    }
}

void syn_report_precision_section(const struct syn_report_writer *to)
{
    static const struct syn_table_column all[] = {
        {.title = "operation", .left = true},
        {.title = "site", .left = true, .flexible = true, .width_min = 12},
        {.title = "on", .left = true},
        {.title = "bytes"},
        {.title = "calls"},
        {.title = "median", .optional = 1},
        {.title = "known to"},
        {.title = "more calls"},
        {.title = "runs in all"},
    };
    const struct syn_report *report = to->report;
    size_t top = report->options.top, shown = 0, reached = 0;
    size_t column_count = 0;
    char share[SYN_UNIT_BYTES], words[160];
    if (!(report->options.precision > 0))
        return;
    const bool which = any_which(report);
    struct syn_table_column columns[sizeof all / sizeof *all];
    for (size_t c = 0; c < sizeof all / sizeof *all - (report->run_count < 2); c++)
        if (c != 2 || which)
            columns[column_count++] = all[c];
    struct syn_table *table = syn_table_new(columns, column_count);
    for (size_t i = 0; i < report->groups.count && table; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        struct syn_details details;
        if (syn_details_make(report, figures, &details) == 0) {
            reached += details.half_width <= report->options.precision;
            if (top == 0 || shown++ < top)
                add_precision_row(table, to, figures, &details, which);
        }
        syn_details_free(&details);
    }
    syn_report_heading(to, "Are these calls enough?");
    snprintf(words, sizeof words, "medians known to within %s: in %zu of %zu groups",
             syn_unit_percent(share, report->options.precision), reached, report->groups.count);
    syn_report_paragraph(to, 2, "  ", words);
    if (table)
        syn_table_write(table, to->terminal, to->text);
    syn_table_free(table);
    if (top && report->groups.count > top)
        syn_text_format(to->text, "... and %zu more (--top 0 shows all)\n",
                        report->groups.count - top);
}
