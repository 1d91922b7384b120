/* analyze/report/sections/report_series_text.c - writes what calls and runs show as series: places
 * that came late, pairs of ranks, warm-ups, changes, differences between runs, and whether the
 * calls are enough. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/places.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/report_page.h"
#include "analyze/stats/samples/compare.h"
#include "sync/base/compare.h"
#include "sync/base/hash.h"
#include "sync/base/index.h"

static const char *name_of(const struct syn_report *report, const struct syn_figures *figures,
                           struct syn_text *out)
{
    syn_text_clear(out);
    syn_report_group_name(report, figures->group, out);
    return syn_text_chars(out);
}

/* ---- places ---- */

/* A node or socket, summed over the runs. */
struct late_place {
    struct syn_report_place first; /* of the first run that has the place */
    size_t run_count, late_run_count;
    uint64_t instance_count, last_count, most_of_a_rank;
    double expected_last, caused_ns;
};

static uint64_t hash_of_late_place(const void *owner, uint32_t number)
{
    const char *name = ((const struct late_place *)owner)[number].first.name;
    return syn_hash64(name, strlen(name));
}

static bool is_late_place(const void *owner, uint32_t number, const void *name)
{
    return strcmp(((const struct late_place *)owner)[number].first.name, name) == 0;
}

static size_t gather_places(const struct syn_report *report, enum syn_place_kind kind,
                            struct late_place *all)
{
    SYN_CLEANUP(syn_index_free) struct syn_index index = {0};
    size_t count = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        SYN_CLEANUP(syn_places_free) struct syn_places places = {0};
        if (syn_places_of_run(report, &report->run[i], kind, &places))
            continue;
        for (size_t j = 0; j < places.count; j++) {
            const struct syn_report_place *place = &places.place[j];
            if (syn_index_make_room(&index, count, hash_of_late_place, all) != SYN_OK)
                break;
            uint32_t *slot = syn_index_slot(&index, syn_hash64(place->name, strlen(place->name)),
                                            is_late_place, all, place->name);
            if (*slot == 0) {
                all[count] = (struct late_place){.first = *place};
                *slot = (uint32_t)++count;
            }
            if (isnan(place->p))
                continue;
            struct late_place *late = &all[*slot - 1];
            late->run_count++;
            late->late_run_count +=
                place->p < 0.05 && (double)place->last_count > place->expected_last;
            late->instance_count += place->instance_count;
            late->last_count += place->last_count;
            late->most_of_a_rank += place->most_of_a_rank;
            late->expected_last += place->expected_last;
            late->caused_ns += place->caused_ns;
        }
    }
    return count;
}

/* If nearly all last arrivals of a place are of one rank, the rank is named already. If a socket
 * has all last arrivals of its node, the node is named already. */
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

static void write_late_places(struct syn_doc *doc, const struct late_place *all, size_t count,
                              const struct late_place *nodes, size_t node_count)
{
    size_t shown = 0;
    for (size_t i = 0; i < count && shown < 3; i++) {
        if (!is_late(&all[i]) || is_said(&all[i], nodes, node_count))
            continue;
        const struct late_place *late = &all[i];
        char p[64];
        double n = (double)late->instance_count;
        char unit[SYN_UNIT_BYTES];
        if (late->run_count > 1)
            snprintf(p, sizeof p, "p < 0.05 in %zu of %zu runs", late->late_run_count,
                     late->run_count);
        else
            snprintf(p, sizeof p, "%s", syn_unit_p(unit, late->first.p));
        syn_say_item(
            doc,
            "{text} ({n} rank{s}): one of its ranks came last in {share} of the instances (by "
            "chance {share}, {text}). Others waited {time} for them.",
            late->first.name, late->first.rank_count, (double)late->last_count / n,
            late->expected_last / n, p, late->caused_ns);
        shown++;
    }
}

void syn_report_late_places(struct syn_doc *doc, const struct syn_report *report)
{
    /* no run has more places than ranks */
    size_t capacity = 0;
    for (size_t i = 0; i < report->run_count; i++)
        capacity += (size_t)report->run[i].rank_count;
    SYN_FREED struct late_place *nodes = calloc(capacity + 1, sizeof *nodes);
    SYN_FREED struct late_place *sockets = calloc(capacity + 1, sizeof *sockets);
    if (nodes && sockets) {
        size_t node_count = gather_places(report, SYN_PLACE_NODE, nodes);
        size_t socket_count = gather_places(report, SYN_PLACE_SOCKET, sockets);
        write_late_places(doc, nodes, node_count, NULL, 0);
        write_late_places(doc, sockets, socket_count, nodes, node_count);
    } else {
        doc->failed = true;
    }
}

/* ---- pairs of ranks ---- */

void syn_report_pairs(struct syn_doc *doc, const struct syn_figures *figures)
{
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    size_t found = 0, shown = 0;
    /* p of each pair for dependent instances, Holm over the pairs; NULL: memory ran out */
    SYN_FREED double *p = malloc((figures->pair_count + 1) * sizeof *p);
    double effective = figures->ranks_effective;
    for (size_t i = 0; i < figures->pair_count && p; i++) {
        double z = figures->friedman_pair[i].z;
        p[i] = syn_f_p(z * z * effective / (double)figures->rank[0].n, 1, effective - 1);
        p[i] = isfinite(figures->friedman_p_dependent) ? p[i] : NAN;
    }
    if (p && syn_adjust_holm(p, figures->pair_count))
        p = NULL;
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
    if (figures->pair_count && doc->format != SYN_DOC_TEXT)
        syn_say_item(doc, "of its ranks: {text}", said);
    else if (figures->pair_count)
        syn_say_pair(doc, 6, NULL, "    of its ranks:", "{text}", said);
}

/* ---- warm-up ---- */

struct warmup_count {
    size_t groups, runs;
    const struct syn_figures *worst; /* the group with the longest warm-up */
    const struct syn_run_figures *worst_run;
    double worst_weight;
    uint64_t skipped;
    size_t skipped_groups, unsettled;
};

/* Returns true if the run continues to change: it is then described as a change, not as a
 * warm-up. */
static bool is_more_than_a_warmup(const struct syn_run_figures *run)
{
    return syn_run_change_is_claimed(&run->change) &&
           (run->change.found.is_trend || run->warmup.unsettled);
}

/* The most common warm-up is the first call alone. A single run cannot show it, since the first of
 * n calls is the slowest by chance in one of n runs. All groups and runs together can. */
struct first_calls {
    struct syn_first_calls calls; /* counts over the runs of groups */
    size_t groups, slow_groups;
    double *ratio; /* [first_slowest], first call / the run's median */
};

static size_t count_series(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        count += report->figures[i].run_count;
    return count;
}

/* Appends a number, with one decimal if it is below 9.95. */
static void write_rough(struct syn_doc *doc, double value)
{
    if (value < 9.95)
        syn_say_more(doc, "{number.1}", value);
    else
        syn_say_more(doc, "{number.0}", value);
}

static void write_first_calls(struct syn_doc *doc, const struct syn_report *report)
{
    struct first_calls count = {0};
    count.ratio = calloc(count_series(report) + 1, sizeof *count.ratio);
    if (!count.ratio) {
        doc->failed = true;
        return;
    }
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        /* number of the group's calls that count as one independent call, by its main metric;
         * INFINITY: unknown */
        const struct syn_summary *summary = &syn_figures_main(figures)->summary;
        const double tau =
            summary->n_effective > 0 ? (double)summary->n / summary->n_effective : INFINITY;
        size_t slowest = 0, series = 0;
        for (size_t r = 0; r < figures->run_count; r++) {
            const struct syn_run_figures *run = &figures->run[r];
            size_t n = run->instances + run->skipped;
            if (n < 2)
                continue;
            series++;
            count.calls.expected += 1 / (double)n;
            count.calls.expected_dependent += fmin(1, tau / (double)n);
            count.calls.last_slowest += run->last_is_slowest;
            if (run->first_is_slowest && run->median > 0)
                count.ratio[count.calls.first_slowest + slowest++] = run->first_ns / run->median;
        }
        count.calls.first_slowest += slowest;
        count.calls.series += series;
        count.groups += series > 0;
        count.slow_groups += 2 * slowest > series;
    }
    const struct syn_first_calls *calls = &count.calls;
    if (syn_first_calls_are_slow(calls)) {
        syn_sort(count.ratio, calls->first_slowest);
        double ratio = syn_quantile_sorted(count.ratio, calls->first_slowest, 0.5);
        bool runs = calls->series > count.groups;
        syn_say_item(doc, "The first call is the slowest in {n} of {n} groups{text} (by chance in ",
                     runs ? calls->first_slowest : count.slow_groups,
                     runs ? calls->series : count.groups, runs ? "' runs" : "");
        write_rough(doc, calls->expected);
        syn_say_more(doc, "). There it takes ");
        write_rough(doc, ratio);
        syn_say_more(doc, " times the median.");
    }
    free(count.ratio);
}

void syn_report_warmups(struct syn_doc *doc, const struct syn_report *report)
{
    write_first_calls(doc, report);

    struct warmup_count count = {0};
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        bool any = false, unsettled = false;
        for (size_t r = 0; r < figures->run_count; r++) {
            const struct syn_run_figures *run = &figures->run[r];
            if (run->warmup.settled_at == 0 || is_more_than_a_warmup(run))
                continue;
            any = true;
            unsettled |= run->warmup.unsettled != 0;
            count.runs++;
            double weight = (double)run->warmup.settled_at * run->median * run->warmup.ratio;
            if (!count.worst || weight > count.worst_weight) {
                count.worst = figures;
                count.worst_run = run;
                count.worst_weight = weight;
            }
        }
        count.groups += any;
        count.unsettled += unsettled;
        count.skipped += figures->skipped_count;
        count.skipped_groups += figures->skipped_count > 0;
    }
    if (count.groups == 0)
        return;
    const struct syn_warmup *worst = &count.worst_run->warmup;
    bool several = report->run_count > 1 && count.worst_run &&
                   !(report->options.by & SYN_BY(SYN_KEY_RUN)); /* else the name has it */
    syn_say_item(doc,
                 "{n} of {n} groups {text} a warm-up. The largest is that of {text}: the first ",
                 count.groups, report->groups.count, count.groups == 1 ? "has" : "have",
                 name_of(report, count.worst, &name));
    if (worst->settled_at != 1)
        syn_say_more(doc, "{n} ", worst->settled_at);
    syn_say_more(doc, "call{text}", worst->settled_at == 1 ? "" : "s");
    if (several)
        syn_say_more(doc, " of run {n}", count.worst_run->run);
    syn_say_more(doc, " took {factor} times as long as the later ones{text}.", worst->ratio,
                 worst->unsettled ? " and may not have settled" : "");
    if (count.skipped)
        syn_say_item(doc,
                     "{count} warm-up calls of {n} group{s} are left out of medians, intervals and "
                     "quantiles. Time, waiting and lateness count them.",
                     count.skipped, count.skipped_groups);
    else
        syn_say_item(doc, "The figures include these first calls (--skip-warmup leaves them out).");
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

SYN_ORDER(by_weight, struct changed_run, SYN_DOWN(weight))

/* Gathers the runs for which `is_one` is true into all [count_series(report)], most time first.
 * Returns how many. */
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

/* Writes runs whose level moves, but no more than a slow wave would. */
static void write_unclear(struct syn_doc *doc, const struct syn_report *report,
                          const struct changed_run *all, size_t count)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    if (count == 0)
        return;
    const double ratio = change_ratio(&all->run->change.found);
    name_of(report, all->figures, &name);
    syn_say_item(doc,
                 "{text}: the median drifts to {factor} times its first value. One run cannot show "
                 "whether that is noise: record more.",
                 syn_text_chars(&name), ratio);
    if (count > 1)
        syn_say_item(doc, "The medians of {n} more groups{text} drift likewise.", count - 1,
                     report->run_count > 1 ? "' runs" : "");
}

/* Removes steps that the item about a moment mentions (report_moment.c). Returns how many are
 * left. */
static size_t leave_out_moment(const struct syn_report *report, struct changed_run *all,
                               size_t count)
{
    SYN_FREED const struct syn_figures **told = calloc(report->groups.count + 1, sizeof *told);
    const size_t told_count = told ? syn_report_moment_groups(report, told) : 0;
    const uint32_t run = syn_report_typical(report)->run;
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        bool is_shown = false;
        for (size_t k = 0; k < told_count; k++)
            is_shown |= told[k] == all[i].figures && all[i].run->run == run;
        if (!is_shown)
            all[left++] = all[i];
    }
    return left;
}

/* Writes the largest changes in a sentence each, then the number of the others. */
void syn_report_changes(struct syn_doc *doc, const struct syn_report *report)
{
    SYN_FREED struct changed_run *all = calloc(count_series(report) + 1, sizeof *all);
    if (!all) {
        doc->failed = true;
        return;
    }
    size_t count =
        leave_out_moment(report, all, gather_changes(report, syn_run_change_is_claimed, all));
    for (size_t i = 0; i < count && i < CHANGES_SHOWN; i++) {
        const struct changed_run *changed = &all[i];
        const struct syn_run_change *change = &changed->run->change;
        const struct syn_change *found = &change->found;
        SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
        char run[32] = "";
        double ratio = change_ratio(found);
        name_of(report, changed->figures, &name);
        if (report->run_count > 1 && !(report->options.by & SYN_BY(SYN_KEY_RUN)))
            snprintf(run, sizeof run, " in run %u", changed->run->run);
        syn_say_item(doc, "{text}{text}: ", syn_text_chars(&name), run);
        if (found->is_trend)
            syn_say_more(
                doc, "calls become ever {text}, from {time} to {time} over {n} calls",
                ratio > 1 ? "slower" : "faster", found->begin, found->end,
                syn_run_change_span(change, changed->run->instances + changed->run->skipped));
        else
            syn_say_more(doc, "from call {n} on the median is {time}, before it was {time}",
                         syn_run_change_at(change) + 1, found->after, found->before);
        syn_say_more(doc, " (x{factor}, {p}).", ratio, change->p_adjusted);
    }
    if (count > CHANGES_SHOWN)
        syn_say_item(doc, "{n} more groups{text} change during the run: see --format json.",
                     count - CHANGES_SHOWN, report->run_count > 1 ? "' runs" : "");
    write_unclear(doc, report, all, gather_changes(report, syn_run_change_is_unclear, all));
}

/* ---- runs ---- */

/* A group's figures about its runs. */
struct runs_figures {
    const struct syn_figures *figures;
    double p;         /* of whether runs differ */
    double between;   /* share of the variance of the runs' medians that calls within runs do not
                         explain; NAN: unknown */
    double best;      /* calls per run for the best use of time */
    double low, high; /* least and largest median of a run */
};

/* Summarizes groups with enough of the time into of [groups.count]. Returns how many; 0 if memory
 * runs out. */
static size_t summarize_runs(const struct syn_report *report, struct runs_figures *of)
{
    const double inside_ns = syn_report_time_in_groups(report);
    size_t count = 0;
    bool failed = false;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        SYN_CLEANUP(syn_details_free) struct syn_details details = {0};
        if (figures->run_count < 2 || figures->inside_ns < SYN_SHARE_THAT_MATTERS * inside_ns)
            continue;
        failed |= syn_details_make(report, figures, &details) != SYN_OK;
        if (isfinite(details.run_p)) {
            const double repetitions =
                (double)details.levels.instance_count / (double)details.levels.run_count;
            const double variance = details.median_between + details.median_within / repetitions;
            of[count++] =
                (struct runs_figures){figures,
                                      details.run_p,
                                      variance > 0 ? details.median_between / variance : NAN,
                                      details.best_repetitions,
                                      details.run_median_low,
                                      details.run_median_high};
        }
    }
    if (failed || (count && syn_adjust_holm_in(&of->p, sizeof *of, count) != SYN_OK))
        return 0;
    return count;
}

/* Returns by how much the result of one run may differ from another's (Hunold & Carpen-Amarie 2015,
 * Fig. 29). */
static double spread_of(const struct runs_figures *of)
{
    return of->low > 0 ? of->high / of->low - 1 : 0;
}

/* Writes how far the runs' medians lie apart. x [count]: scratch memory. */
static void write_spread(struct syn_doc *doc, const struct syn_report *report,
                         const struct runs_figures *of, size_t count, double *x)
{
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0}, others = {0};
    size_t widest = 0;
    for (size_t i = 0; i < count; i++) {
        x[i] = spread_of(&of[i]);
        widest = x[i] > x[widest] ? i : widest;
    }
    syn_sort(x, count);
    if (count > 1)
        syn_words(&others, ", in the median group {percent}", syn_quantile_sorted(x, count, 0.5));
    syn_say_item(doc,
                 "Repeated, the runs' medians lie up to {percent} above the least in {text}{text}.",
                 spread_of(&of[widest]), name_of(report, of[widest].figures, &name),
                 syn_text_chars(&others));
}

static void write_best(struct syn_doc *doc, const struct syn_report *report,
                       const struct runs_figures *of)
{
    const double now = (double)syn_figures_count(of->figures) / (double)of->figures->run_count;
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    if (isinf(of->best))
        syn_say_item(doc,
                     "Best use of time for {text}: the runs do not differ, so one long run is "
                     "worth as much as many.",
                     name_of(report, of->figures, &name));
    else if (isfinite(of->best))
        syn_say_item(
            doc, "Best use of time for {text}: about {count} calls a run (now {number.0}): {text}.",
            name_of(report, of->figures, &name), (uint64_t)fmin(of->best + 0.5, 1e15), now,
            of->best < now / 1.5   ? "more runs rather than longer ones"
            : of->best > now * 1.5 ? "longer runs rather than more"
                                   : "runs as long as these");
}

void syn_report_runs_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
    size_t matters = 0, most = 0;
    if (report->run_count < 2 || report->options.by & SYN_BY(SYN_KEY_RUN))
        return;
    SYN_FREED struct runs_figures *of = calloc(report->groups.count + 1, sizeof *of);
    SYN_FREED double *x = malloc((report->groups.count + 1) * sizeof *x);
    const size_t count = of && x ? summarize_runs(report, of) : 0;
    if (count > 0) {
        syn_doc_heading(doc, "What varies between runs");
        for (size_t i = 0; i < count; i++) {
            matters += of[i].p < 0.05;
            most = of[i].between > of[most].between ? i : most;
        }
        syn_say_item(doc,
                     "The run matters in {n} of {n} group{s} that {takes|take} 1 % of the time or "
                     "more (Kruskal-Wallis, dependence counted, Holm).{text}",
                     matters, count,
                     matters ? " One run does not tell what another would show." : "");
        if (matters)
            syn_say_item(doc,
                         "Most in {text}: the medians of its runs go from {time} to {time} ({p}). "
                         "{share} of this variance lies between runs, the rest within them.",
                         name_of(report, of[most].figures, &name), of[most].low, of[most].high,
                         of[most].p, of[most].between);
        write_spread(doc, report, of, count, x);
        write_best(doc, report, of);
        for (size_t i = 0; i < count; i++)
            x[i] = of[i].between;
        syn_sort(x, count);
        if (count > 1)
            syn_say_item(doc,
                         "In the median group {share} of the variance of the runs' medians lies "
                         "between runs.",
                         syn_quantile_sorted(x, count, 0.5));
    }
}

/* ---- precision ---- */

static void add_count(struct syn_table *table, double count)
{
    if (isfinite(count) && count < 1e15)
        syn_table_say(table, "{count}", (uint64_t)count);
    else
        syn_table_cell(table, "-");
}

/* Adds the part of a group's name that no other column has: "rank 3", "..WORLD @1". */
static void add_which(struct syn_table *table, const struct syn_report *report,
                      const struct syn_group *group)
{
    static const char preposition[] = " on ";
    SYN_CLEANUP(syn_text_free) struct syn_text rest = {0}, shown = {0};
    syn_report_group_rest(report, group, &rest);
    const char *which = syn_text_chars(&rest);
    which += strncmp(which, preposition, sizeof preposition - 1) == 0 ? sizeof preposition - 1 : 0;
    syn_unit_tail(&shown, which, 14);
    syn_table_cell(table, syn_text_chars(&shown));
}

static void add_precision_row(struct syn_table *table, const struct syn_report *report,
                              const struct syn_figures *figures, const struct syn_details *details,
                              bool which)
{
    const struct syn_summary *summary = &syn_figures_main(figures)->summary;
    const char *site = syn_report_site(report, figures->group);
    uint64_t bytes;
    syn_table_cell(table, syn_unit_op(syn_report_op(figures->group)));
    syn_table_cell(table, site ? site : "*");
    if (which)
        add_which(table, report, figures->group);
    if (syn_report_bytes(figures->group, &bytes))
        syn_table_say(table, "{bytes}", bytes);
    else
        syn_table_cell(table, "*");
    add_count(table, (double)details->n);
    syn_table_say(table, "{time}", summary->median);
    if (isfinite(details->half_width))
        syn_table_say(table, "+-{percent}", details->half_width);
    else
        syn_table_cell(table, "-");
    if (details->half_width <= details->precision)
        syn_table_cell(table, "enough");
    else if (isnan(details->count_for_median)) /* too few calls to tell; fmax would say 1 */
        syn_table_cell(table, "-");
    else
        add_count(table, fmax(details->count_for_median - (double)details->n, 1));
    if (report->run_count > 1)
        add_count(table, details->runs_for_precision);
}

void syn_report_precision_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
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
    size_t top = report->options.top, shown = 0, reached = 0;
    size_t column_count = 0;
    if (!(report->options.precision > 0))
        return;
    /* the column is needed if a group's name has such a part */
    bool which = false;
    for (size_t i = 0; i < report->groups.count && !which; i++) {
        SYN_CLEANUP(syn_text_free) struct syn_text rest = {0};
        syn_report_group_rest(report, report->groups.group[i], &rest);
        which = rest.length > 0;
    }
    struct syn_table_column columns[sizeof all / sizeof *all];
    for (size_t c = 0; c < sizeof all / sizeof *all - (report->run_count < 2); c++)
        if (c != 2 || which)
            columns[column_count++] = all[c];
    struct syn_table *table = syn_table_new(columns, column_count);
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        SYN_CLEANUP(syn_details_free) struct syn_details details = {0};
        doc->failed |= syn_details_make(report, figures, &details) != SYN_OK;
        reached += details.half_width <= report->options.precision;
        if (top == 0 || shown++ < top)
            add_precision_row(table, report, figures, &details, which);
    }
    syn_doc_heading(doc, "Are these calls enough?");
    syn_say_note(doc, "medians known to within {percent}: in {n} of {n} group{s}",
                 report->options.precision, reached, report->groups.count);
    syn_table_write(table, doc->terminal, syn_doc_draw(doc));
    syn_table_free(table);
    if (top && report->groups.count > top)
        syn_say_line(doc, "... and {n} more (--top 0 shows all)", report->groups.count - top);
}
