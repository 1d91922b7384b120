/* analyze/report/sections/report_answers.c - writes sentences of the report for text and HTML:
 * which ranks came late, what differs between ranks, warnings. docs/reports.md describes the
 * wording. */
#include <math.h>
#include <string.h>

#include "analyze/report/findings/details.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/report_page.h"
#include "sync/base/integers.h"

bool syn_report_tells_all(const struct syn_doc *doc, const struct syn_report *report)
{
    return doc->format == SYN_DOC_HTML || report->options.verbose;
}

/* ---- late ranks ---- */

/* Writes that no rank is late over the whole run. A rank may be late in single groups; the table
 * marks these. Returns 1 if a rank is named nevertheless, with the rank in *named; else 0. */
static size_t write_none_late(struct syn_doc *doc, const struct syn_report *report,
                              struct syn_late_rank *named)
{
    size_t groups = 0; /* in which one rank was last more often than by chance */
    for (size_t g = 0; g < report->groups.count; g++)
        groups += report->figures[g].latest != NULL;
    const struct syn_run_facts *run = syn_report_typical(report);
    /* the rank that came last most often, if its instances depend on each other too much for a
     * test; else NULL */
    const struct syn_rank_facts *most = NULL;
    for (int32_t r = 0; r < run->rank_count; r++)
        if (!most || run->rank[r].last_count > most->last_count)
            most = &run->rank[r];
    const struct syn_rank_facts *untested =
        most && isnan(most->last_p) && (double)most->last_count > most->expected_last ? most : NULL;
    if (untested)
        syn_say_item(
            doc,
            "Rank {n} came last in {share} of {count} instance{s}: too few independent ones "
            "to tell whether by chance.",
            (untested - run->rank), (double)untested->last_count / (double)untested->instance_count,
            untested->instance_count);
    else if (groups == 0)
        syn_say_item(doc, "No rank came last more often than by chance.");
    else
        syn_say_item(doc,
                     "Over the whole run no rank came last more often than by chance. In {n} "
                     "group{s} one did: see the column late.",
                     groups);
    if (untested)
        named->rank = (int32_t)(untested - run->rank);
    return untested != NULL;
}

/* Explains that *Why* counts time and this section counts arrivals, if *Why* names none of the
 * ranks [count] that this section names. */
static void write_other_ranks(struct syn_doc *doc, const struct syn_report *report,
                              const struct syn_late_rank *named, size_t count)
{
    const struct syn_run_facts *run = syn_report_typical(report);
    const struct syn_cause *cause = syn_report_first_cause(run);
    SYN_CLEANUP(syn_text_free) struct syn_text ranks = {0};
    if (!cause || cause->rank_count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (syn_cause_names_rank(cause, named[i].rank))
            return;
    const struct syn_rank_facts *of = &run->rank[cause->ranks[0]];
    syn_rank_words(cause->ranks, cause->rank_count, false, &ranks);
    if (cause->rank_count == 1 && of->instance_count > 0)
        syn_words(&ranks, " (last in {share} of the instances)",
                  (double)of->last_count / (double)of->instance_count);
    syn_say_item(doc, "Why names {text}: it counts the time waited, this section the arrivals.",
                 syn_text_chars(&ranks));
}

/* A short page names a late rank that *Why* does not name if this share of the waiting was for the
 * rank. */
#define CAUSED_TO_SAY 0.1

/* Returns true if the section names a late rank. A short page names it only if *Why* does not, and
 * much of the waiting was for it. */
static bool is_news(struct syn_doc *doc, const struct syn_report *report,
                    const struct syn_late_rank *late)
{
    const struct syn_run_facts *run = syn_report_typical(report);
    const double waiting_ns = syn_report_waiting_ns(report);
    return syn_report_tells_all(doc, report) ||
           (late->caused_ns >= CAUSED_TO_SAY * waiting_ns &&
            waiting_ns >= SYN_TIME_THAT_MATTERS * syn_report_ranks_ns(report) &&
            !syn_report_why_names(run, late->rank) && !syn_report_processors_lost(run));
}

/* Names late ranks, ranks that *Why* names instead, and places, then says how certain that is. A
 * short page has only what its first line and *Why* do not say. */
void syn_report_late_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const bool tells_all = syn_report_tells_all(doc, report);
    struct syn_late_rank late[3];
    size_t found, told = 0;
    size_t shown = syn_report_late_ranks(report, late, 3, &found);
    syn_doc_heading(doc, "Who came late");
    const bool can_order = syn_report_clocks_can_order(report);
    if (tells_all && !can_order)
        syn_say_item(doc, "Not known: the clocks {text}.",
                     syn_report_clocks_lost(report) ? "are wrong" : "were never compared");
    else if (tells_all && syn_report_any_is_cut(report))
        syn_say_item(doc, "Not known: not all ranks were recorded (--ranks).");
    if (!can_order || syn_report_any_is_cut(report))
        return;
    if (syn_report_mostly_lacks(syn_report_typical(report)) && shown == 0) {
        syn_say_item(doc, "Not known: most of the time is in calls that lack members.");
        return;
    }
    for (size_t i = 0; i < shown; i++) {
        if (!is_news(doc, report, &late[i]))
            continue;
        late[told++] = late[i];
        double n = (double)late[i].instance_count;
        const char *node = syn_names_text(&report->names, late[i].facts->node);
        struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
        syn_text_format(line, "Rank %d (%s%s%s)", late[i].rank, node ? node : "?",
                        late[i].facts->core ? ", " : "",
                        late[i].facts->core ? late[i].facts->core : "");
        syn_words(line, " came last in {share} of {count} instance{s} (by chance {share},",
                  (double)late[i].last_count / n, late[i].instance_count,
                  late[i].expected_last / n);
        if (late[i].run_count > 1)
            syn_text_format(line, " p < 0.05 in %zu of %zu runs).", late[i].late_run_count,
                            late[i].run_count);
        else
            syn_words(line, " {p}).", late[i].p);
        syn_words(line, " A rank waited {time} for it in the mean, {share} of all waiting.",
                  late[i].caused_ns / syn_report_recorded_ranks(report),
                  late[i].caused_ns / syn_report_waiting_ns(report));
    }
    if (tells_all && found > shown)
        syn_say_item(doc, "{n} more rank{s} came last more often than by chance.", found - shown);
    if (tells_all && found == 0)
        told = write_none_late(doc, report, late);
    if (tells_all || told > 0)
        write_other_ranks(doc, report, late, told);
    syn_report_late_places(doc, report);
    if (!tells_all)
        return;
    double unsure = syn_report_unsure_share(report);
    if (unsure > 0.05 && isfinite(syn_report_waiting_bound_ns(report)))
        syn_say_item(doc,
                     "In {share} of the instances the clocks cannot tell which rank came last.",
                     unsure);
}

/* ---- differences between ranks ---- */

static const char *effect_word(double kendall_w)
{
    return kendall_w < 0.1   ? "hardly"
           : kendall_w < 0.3 ? "somewhat"
           : kendall_w < 0.5 ? "clearly"
                             : "strongly";
}

/* Returns the mean time inside a call without waiting for late ranks. */
static double own_time(const struct syn_rank_figures *figures)
{
    return (figures->rank->inside_ns - figures->rank->waiting_ns) / (double)figures->n;
}

/* Returns true if the ranks' times differ because their waiting differs. That is lateness, which
 * another section describes. Times without waiting then vary by less than half as much. */
static bool is_lateness(const struct syn_figures *figures)
{
    double least_own = INFINITY, most_own = 0, least = INFINITY, most = 0;
    for (size_t i = 0; i < figures->rank_count; i++) {
        const struct syn_rank_figures *rank = &figures->rank[i];
        if (rank->n == 0)
            continue;
        const double inside = rank->rank->inside_ns / (double)rank->n;
        least_own = fmin(least_own, own_time(rank));
        most_own = fmax(most_own, own_time(rank));
        least = fmin(least, inside);
        most = fmax(most, inside);
    }
    return most_own - least_own < 0.5 * (most - least);
}

void syn_report_differences_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    if (report->options.by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE)))
        return;
    size_t shown = 0, found = 0, tested = 0, short_ones = 0, late = 0;
    const double inside_ns = syn_report_time_in_groups(report);
    if (!syn_report_tells_all(doc, report) && !report->options.pairs)
        return;
    syn_doc_heading(doc, "What differs between ranks");
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        tested += isfinite(figures->friedman_p_dependent) != 0;
        short_ones += isfinite(figures->friedman.p) && !isfinite(figures->friedman_p_dependent);
        if (!(figures->friedman_p_adjusted < 0.05) || figures->friedman.kendall_w < 0.1 ||
            figures->inside_ns < SYN_SHARE_THAT_MATTERS * inside_ns)
            continue;
        if (is_lateness(figures)) {
            late++;
            continue;
        }
        if (++found <= 3) {
            const struct syn_rank_figures *least = &figures->rank[0], *most = least;
            SYN_CLEANUP(syn_text_free) struct syn_text name = {0};
            for (size_t j = 1; j < figures->rank_count; j++) {
                least = figures->rank[j].median < least->median ? &figures->rank[j] : least;
                most = figures->rank[j].median > most->median ? &figures->rank[j] : most;
            }
            syn_report_group_name(report, figures->group, &name);
            syn_say_item_next(
                doc, "see the ranks of this call: report --by op,site,rank",
                "{text}: the ranks' times inside differ {text}, beyond waiting (Kendall's W "
                "{number.2}, {p}). The median is {time} on rank {n} and {time} on rank {n}.",
                syn_text_chars(&name), effect_word(figures->friedman.kendall_w),
                figures->friedman.kendall_w, figures->friedman_p_adjusted, least->median,
                least->rank->rank, most->median, most->rank->rank);
            syn_report_pairs(doc, figures);
            shown++;
        }
    }
    if (found > shown)
        syn_say_item(doc, "{n} more of {n} group{s}.", found - shown, tested);
    if (found == 0 && tested)
        syn_say_item(doc, "{text} ({n} group{s} tested).",
                     late ? "Nothing besides lateness" : "Nothing that matters", tested);
    else if (found == 0 && short_ones == 0 && report->run[0].rank_count > 1)
        syn_say_item(doc, "No group has calls enough to tell.");
    if (short_ones)
        syn_say_item(
            doc,
            "In {n} group{s} the calls are too few to tell, because they depend on each other.",
            short_ones);
}

/* ---- warnings ---- */

static void warn_clock(struct syn_doc *doc, const struct syn_report *report)
{
    if (isnan(syn_report_waiting_bound_ns(report)))
        syn_say_item(doc,
                     "The clocks {text}. Completion, spread, operation, waiting and lateness may "
                     "be off by any amount.",
                     syn_report_clocks_lost(report) ? "are wrong" : "were never compared");
    if (syn_report_tells_all(doc, report)) {
        /* "The clocks' error is larger than the spread in 2 and the operation in 1 of 5 groups." */
        static const enum syn_metric metric[] = {SYN_METRIC_SPREAD, SYN_METRIC_OPERATION,
                                                 SYN_METRIC_COMPLETION};
        static const char *const name[] = {"spread", "operation", "completion"};
        SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
        size_t count[3] = {0}, of = 0, kinds = 0, said = 0;
        for (int i = 0; i < 3; i++) {
            of = 0;
            for (size_t g = 0; g < report->groups.count; g++) {
                const struct syn_metric_figures *figures = &report->figures[g].metric[metric[i]];
                of += figures->summary.n > 0;
                count[i] += syn_figures_below_clock(figures);
            }
            kinds += count[i] > 0;
        }
        for (int i = 0; i < 3; i++)
            if (count[i] > 0) {
                said++;
                syn_text_format(&words, "%s the %s in %zu",
                                said == 1       ? ""
                                : said == kinds ? " and"
                                                : ",",
                                name[i], count[i]);
            }
        if (said > 0)
            syn_say_item(doc, "The clocks' error is larger than{text} of {n} group{s}.",
                         syn_text_chars(&words), of);
    }
}

static void warn_intervals(struct syn_doc *doc, const struct syn_report *report, size_t few)
{
    /* groups without an interval although they have at least six calls: the calls may depend on one
     * another too much */
    size_t too_short = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        const struct syn_summary *summary = &syn_figures_main(figures)->summary;
        double low_ns, high_ns;
        syn_shown_interval(report, summary, &low_ns, &high_ns);
        too_short += summary->n >= 6 && isnan(low_ns);
    }
    if (few)
        syn_say_item(doc,
                     "{n} of {n} group{s} ha{text} fewer than 6 instances, and so no interval.",
                     few, report->groups.count, few == 1 ? "s" : "ve");
    if (too_short)
        syn_say_item(doc,
                     "{n} of {n} group{s} ha{text} too few calls for an interval, since their "
                     "calls depend on one another.",
                     too_short, report->groups.count, too_short == 1 ? "s" : "ve");
}

/* Most functions that a sentence names. */
#define WRAPPERS_NAMED 3

/* Writes which functions of the program are skipped when sites are named. */
static void warn_wrappers(struct syn_doc *doc, const struct syn_report *report)
{
    const char *at = report->wrappers;
    SYN_CLEANUP(syn_text_free) struct syn_text names = {0};
    size_t count = 0;
    for (size_t bytes; at && *at; at += bytes + (at[bytes] != '\0')) {
        bytes = strcspn(at, "\n");
        if (count++ < WRAPPERS_NAMED)
            syn_text_format(&names, "%s%.*s", names.length ? ", " : "", (int)bytes, at);
    }
    if (count > WRAPPERS_NAMED)
        syn_text_format(&names, " and %zu more", count - WRAPPERS_NAMED);
    if (count > 0)
        syn_say_item(doc,
                     "Wrappers of MPI are looked past ({text}): the site of their calls is that of "
                     "the caller. (--skip - keeps their own.)",
                     syn_text_chars(&names));
}

/* A short page is silent if no more than this share of the instances is left out. */
#define LEFT_OUT_THAT_MATTERS 0.05

static void warn_groups(struct syn_doc *doc, const struct syn_report *report)
{
    const double least = syn_report_tells_all(doc, report) ? 0 : LEFT_OUT_THAT_MATTERS;
    size_t few = 0, incomplete_groups = 0;
    uint64_t incomplete = 0, failed = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_group *group = report->groups.group[i];
        few += group->instance_count > 0 && group->instance_count < 6;
        incomplete_groups += group->incomplete_count > 0;
        incomplete += group->incomplete_count;
        failed += group->failed_count;
    }
    if (incomplete)
        syn_say_item(doc,
                     "{count} instance{s} in {n} group{s} lack members. Only the time in "
                     "collectives counts them.",
                     incomplete, incomplete_groups);
    if (syn_report_tells_all(doc, report))
        warn_intervals(doc, report, few);
    if (report->perturbed_count && report->options.all)
        syn_say_item(doc,
                     "The profiler paused in {count} of {count} instances. The figures include "
                     "them.",
                     report->perturbed_count, report->instance_count);
    else if ((double)report->perturbed_count > least * (double)report->instance_count)
        syn_say_item(doc,
                     "Of {count} instance{s} {count} {is|are} left out: the profiler paused in "
                     "{it|them} (--all keeps {it|them}).",
                     report->instance_count, report->perturbed_count);
    if (report->late_start_count && report->options.all)
        syn_say_item(doc, "{count} of {count} instances started late. The figures include them.",
                     report->late_start_count, report->instance_count);
    else if (report->late_start_count)
        syn_say_item(doc,
                     "Of {count} instance{s} {count} {is|are} left out: {it|they} started late "
                     "(--all keeps {it|them}).",
                     report->instance_count, report->late_start_count);
    if (failed)
        syn_say_item(doc, "In {count} instance{s} a call returned an error.", failed);
}

static void warn_ends(struct syn_doc *doc, const struct syn_run_facts *run)
{
    static const char *const how[] = {"left no word of their end (killed, or a file is cut)",
                                      NULL,
                                      "ended by exit() without MPI_Finalize",
                                      "ended by MPI_Abort",
                                      "were left by the profiler before their end",
                                      "ended by a signal"};
    enum { COUNT = sizeof how / sizeof *how };
    int32_t count[COUNT] = {0};
    uint64_t dropped = 0;
    int unknown = 0;
    for (int32_t r = 0; r < run->rank_count; r++) {
        const unsigned ending = (unsigned)run->rank[r].ending;
        const unsigned way = ending > SYN_ENDING_SIGNAL ? COUNT - 1 : ending;
        count[way < COUNT && ending != SYN_ENDING_KILLED ? way : 0] += run->rank[r].present;
        dropped += run->rank[r].dropped_count;
        unknown += run->rank[r].loss_unknown;
    }
    if (run->examination.look.goes_on)
        count[0] = 0; /* these have not ended */
    for (int i = 0; i < COUNT; i++)
        if (how[i] && count[i])
            syn_say_item(doc, "{n} of {n} ranks {text}.", count[i], run->rank_count, how[i]);
    if (dropped) {
        /* say which share of the calls the report includes */
        uint64_t recorded = 0;
        for (int32_t r = 0; r < run->rank_count; r++)
            recorded += run->totals.rank[r].event_count;
        const double share = (double)recorded / ((double)recorded + (double)dropped);
        syn_say_item(doc,
                     "{count} of {count} calls were lost: the recorder had no room for them. The "
                     "report rests on {number.1} % of the calls.",
                     dropped, recorded + dropped, 100 * share);
    }
    if (unknown)
        syn_say_item(doc, "{n} of {n} ranks: how many of their calls were lost is not known.",
                     unknown, run->rank_count);
}

/* Writes that processes of another MPI_COMM_WORLD were started. */
static void warn_spawned(struct syn_doc *doc, const struct syn_run_facts *run)
{
    const size_t missing = run->spawned_unrecorded_count, there = run->spawned_count - missing;
    if (there)
        syn_say_item(
            doc,
            "MPI_Comm_spawn started {n} more run{s} with {its|their} own trace: syncopate report "
            "{shell}/spawned-0001{| and so on}. Collectives with them are here in part.",
            there, run->directory);
    if (missing)
        syn_say_item(doc,
                     "Processes of {n} call{s} of MPI_Comm_spawn were not recorded. Collectives "
                     "with them are here in part.",
                     missing);
}

static void warn_run(struct syn_doc *doc, const struct syn_run_facts *run)
{
    const struct syn_match_totals *totals = &run->totals;
    for (size_t i = 0; i < run->fault_count && i < 6; i++)
        syn_say_item(doc, "{text}", run->fault[i].text);
    if (run->fault_count > 6)
        syn_say_item(doc, "{n} more fault{text}: see syncopate check.", run->fault_count - 6,
                     run->fault_count == 7 ? "" : "s");
    warn_ends(doc, run);
    /* say why calls of the program are missing */
    uint64_t sum = 0, low = UINT64_MAX, high = 0;
    for (int32_t r = 0; r < run->rank_count; r++) {
        const struct syn_rank_facts *rank = &run->rank[r];
        if (!rank->recorded)
            continue;
        sum += rank->passed_count;
        low = syn_least(rank->passed_count, low);
        high = syn_largest(rank->passed_count, high);
    }
    if (run->recorded_count < run->present_count)
        syn_say_item(doc,
                     "{n} of {n} ranks were not recorded (--ranks). Instances are those of the "
                     "others; when all ranks had come is not known.",
                     run->present_count - run->recorded_count, run->rank_count);
    if (sum && low == high)
        syn_say_item(
            doc,
            "{count} call{s} of each rank {was|were} not recorded: MPI_Pcontrol had switched "
            "recording off.",
            low);
    else if (sum)
        syn_say_item(doc,
                     "{count} to {count} calls of a rank were not recorded: MPI_Pcontrol had "
                     "switched recording off, for different calls on different ranks. Instances "
                     "may lack members for that reason.",
                     low, high);
    warn_spawned(doc, run);
    if (totals->op_differs_count)
        syn_say_item(doc,
                     "In {count} instance{s} ranks call or start different operations. No figure "
                     "counts them.",
                     totals->op_differs_count);
    if (totals->unplaced_count + totals->implausible_count + totals->duplicate_count)
        syn_say_item(doc, "{count} event{s} {contradicts|contradict} others and {is|are} left out.",
                     totals->unplaced_count + totals->implausible_count + totals->duplicate_count);
    if (run->measured_once_count)
        syn_say_item(doc,
                     "The clocks of {n} rank{s} were measured in MPI_Init only. Their bounds grow "
                     "until the end of the run.",
                     run->measured_once_count);
}

double syn_report_recorder_share(const struct syn_run_facts *run)
{
    return run->overhead_ns / (syn_facts_run_ns(run) + run->overhead_ns);
}

/* Writes the profiler's share of each run's time. */
static void warn_overhead(struct syn_doc *doc, const struct syn_report *report)
{
    double most = 0;
    size_t runs = 0, count = report->run_count;
    for (size_t i = 0; i < count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        const double overhead = syn_report_recorder_share(run);
        runs += overhead > 0.05;
        most = syn_largest(overhead, most);
    }
    if (runs && count == 1)
        syn_say_item(doc,
                     "The profiler took {share} of the time from MPI_Init to MPI_Finalize. The "
                     "figures do not include it.",
                     most);
    else if (runs)
        syn_say_item(doc,
                     "In {n} of {n} runs the profiler took more than 5 % of the time from MPI_Init "
                     "to MPI_Finalize, at most {share}. The figures do not include it.",
                     runs, count, most);
}

static void add_to_list(struct syn_text *list, bool given, const char *word)
{
    if (given)
        syn_text_format(list, "%s%s", list->length ? ", " : "", word);
}

/* Writes warnings that change the meaning of the sections above. A full page has all others,
 * too. */
void syn_report_warnings_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    syn_doc_heading(doc, "Warnings");
    for (size_t i = 0; i < report->unreadable_count; i++)
        syn_say_item(doc, "{text}", report->unreadable[i]);
    for (size_t i = 0; i < report->run_count; i++)
        warn_run(doc, &report->run[i]);
    /* say in what the runs differ: the report takes them for repetitions of one run */
    const struct syn_run_facts *first = &report->run[0];
    bool program = false, args = false, mpi = false, ranks = false;
    SYN_CLEANUP(syn_text_free) struct syn_text list = {0};
    for (size_t i = 1; i < report->run_count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        program |= !syn_same_text(run->program, first->program) ||
                   !syn_same_text(run->program_build_id, first->program_build_id);
        args |= !syn_same_text(run->args, first->args);
        mpi |= !syn_same_text(run->mpi, first->mpi);
        ranks |= run->rank_count != first->rank_count;
    }
    add_to_list(&list, program, "program");
    add_to_list(&list, args, "arguments");
    add_to_list(&list, mpi, "MPI");
    add_to_list(&list, ranks, "number of ranks");
    if (list.length)
        syn_say_item(doc,
                     "The runs are not repetitions of one run: they differ in {text}. Use diff to "
                     "compare them, or --by run to keep them apart.",
                     syn_text_chars(&list));
    if (syn_report_tells_all(doc, report)) /* on a short page the first line says this */
        warn_overhead(doc, report);
    warn_groups(doc, report);
    /* say why sites are unknown, and what to do */
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const char *site = syn_report_site(report, report->groups.group[i]);
        count += site && strcmp(site, "?") == 0;
    }
    if (count)
        syn_say_item_next(
            doc, "record with --stack 8, on a machine that has the program",
            "{n} group{ has|s have} no call site (?): no call stack was recorded, or no "
            "frame of it lies in a file that can be read.",
            count);
    if (syn_report_tells_all(doc, report))
        warn_wrappers(doc, report);
    if (syn_report_tells_all(doc, report) || report->options.skip_warmup)
        syn_report_warmups(doc, report);
    if (syn_report_tells_all(doc, report))
        syn_report_changes(doc, report);
    warn_clock(doc, report);
    if (!syn_report_has_calls(report))
        syn_say_item(doc, "No collective was recorded.");
    if (syn_doc_is_silent(doc) && syn_report_tells_all(doc, report))
        syn_say_item(doc, "None: all ranks are there, all instances are complete, all medians have "
                          "an interval.");
}
