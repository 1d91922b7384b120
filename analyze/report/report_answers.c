/* analyze/report/report_answers.c - what the report says in sentences, for a terminal and for a
 * page of HTML alike: who came late, what differs between ranks, warnings. Wording is described
 * in docs/reports.md. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "analyze/match/bounds.h"
#include "analyze/print/units.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/details.h"
#include "analyze/report/report_writer.h"
#include "analyze/report/typical.h"
#include "sync/base/integers.h"

/* Returns whether all is told, or only what a reader decides by. A page of HTML has all of it. */
static bool tells_all(const struct syn_report_writer *to)
{
    return to->style == SYN_WRITE_HTML || to->report->options.verbose;
}

/* ---- what ran ---- */

const char *syn_report_program(const struct syn_run_facts *run)
{
    const char *slash = run->program ? strrchr(run->program, '/') : NULL;
    return slash && slash[1] ? slash + 1 : run->program ? run->program : "a program without a name";
}

void syn_report_date(const struct syn_run_facts *run, char *out, size_t bytes)
{
    time_t seconds = (time_t)(run->start_unix_ns / 1000000000);
    struct tm broken;
    out[0] = '\0';
    if (run->start_unix_ns > 0 && gmtime_r(&seconds, &broken))
        strftime(out, bytes, "%Y-%m-%d %H:%M:%S UTC", &broken);
}

static void write_counts(const struct syn_report *report, struct syn_text *out)
{
    char calls[SYN_UNIT_BYTES], instances[SYN_UNIT_BYTES];
    uint64_t event_count = 0;
    for (size_t i = 0; i < report->run_count; i++)
        event_count += report->run[i].totals.event_count;
    syn_text_format(out, ", %s collective%s in %s calls",
                    syn_unit_count(instances, report->instance_count),
                    report->instance_count == 1 ? "" : "s", syn_unit_count(calls, event_count));
}

void syn_report_what_ran(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = syn_report_typical(report);
    char mpi[80], duration[SYN_UNIT_BYTES];
    syn_report_mpi_name(run->mpi, mpi, sizeof mpi);
    if (report->run_count > 1) {
        syn_text_format(out, "%zu runs", report->run_count);
        write_counts(report, out);
        syn_text_format(out, "; run %u: ", run->run);
    }
    syn_text_format(out, "%d rank%s on %u node%s", run->rank_count, run->rank_count == 1 ? "" : "s",
                    run->node_count, run->node_count == 1 ? "" : "s");
    if (run->recorded_count < run->present_count)
        syn_text_format(out, " (%d of them recorded)", run->recorded_count);
    if (mpi[0])
        syn_text_format(out, ", %s", mpi);
    syn_text_format(out, ", ran %s from the first %s to the last%s",
                    syn_unit_time(duration, syn_facts_run_ns(run)),
                    run->duration_estimated ? "collective" : "MPI_Init",
                    run->duration_estimated ? "" : " MPI_Finalize");
    if (report->run_count == 1)
        write_counts(report, out);
}

static int64_t worst_bound(const struct syn_run_facts *run)
{
    int64_t bound = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        bound = syn_largest(run->rank[r].bound_ns, bound);
    return bound;
}

void syn_report_clock_bound(const struct syn_report *report, struct syn_text *out)
{
    const int64_t worst = worst_bound(&report->run[0]);
    char bound[SYN_UNIT_BYTES];
    if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_text_string(out, "clocks never compared");
    else
        syn_text_format(out, "clocks agree to within %s", syn_unit_time(bound, (double)worst));
}

void syn_report_clock(const struct syn_report *report, struct syn_text *out)
{
    const struct syn_run_facts *run = &report->run[0];
    const int64_t worst = worst_bound(run);
    char bound[SYN_UNIT_BYTES], cost[SYN_UNIT_BYTES];
    syn_text_format(out, "clock: %s", run->clock_kind ? run->clock_kind : "unknown");
    if (run->sync_method)
        syn_text_format(out, ", synchronized by %s", run->sync_method);
    if (run->sync_taken)
        syn_text_format(out, " (%s)", run->sync_taken);
    if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_text_string(out, ", never compared: times across ranks have no known bound");
    else
        syn_text_format(out, ", ranks agree to within %s", syn_unit_time(bound, (double)worst));
    double sync_ns = run->sync_begin_ns + run->sync_end_ns;
    if (isfinite(sync_ns) && sync_ns > 0)
        syn_text_format(out, " (took %s)", syn_unit_time(cost, sync_ns));
}

/* ---- who was late ---- */

static void write_late_rank(const struct syn_report_writer *to, const struct syn_late_rank *late)
{
    char share[SYN_UNIT_BYTES], chance[SYN_UNIT_BYTES], caused[SYN_UNIT_BYTES];
    char of_waiting[SYN_UNIT_BYTES], p[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES];
    double n = (double)late->instance_count;
    const char *node = syn_names_text(&to->report->names, late->facts->node);
    struct syn_text line = {0};
    syn_text_format(&line, "Rank %d (%s%s%s)", late->rank, node ? node : "?",
                    late->facts->core ? ", " : "", late->facts->core ? late->facts->core : "");
    syn_text_format(&line, " came last in %s of %s instances (by chance %s,",
                    syn_unit_share(share, (double)late->last_count / n),
                    syn_unit_count(count, late->instance_count),
                    syn_unit_share(chance, late->expected_last / n));
    if (late->run_count > 1)
        syn_text_format(&line, " p < 0.05 in %zu of %zu runs).", late->late_run_count,
                        late->run_count);
    else
        syn_text_format(&line, " %s).", syn_unit_p(p, late->p));
    syn_text_format(
        &line, " A rank waited %s for it in the mean, %s of all waiting.",
        syn_unit_time(caused, late->caused_ns / syn_report_recorded_ranks(to->report)),
        syn_unit_share(of_waiting, late->caused_ns / syn_report_waiting_ns(to->report)));
    syn_report_item(to, "%s", syn_text_chars(&line));
    syn_text_free(&line);
}

static void write_unsure(const struct syn_report_writer *to)
{
    char share[SYN_UNIT_BYTES];
    double unsure = syn_report_unsure_share(to->report);
    if (unsure > 0.05 && isfinite(syn_report_waiting_bound_ns(to->report)))
        syn_report_item(to, "In %s of the instances the clocks cannot tell which rank came last.",
                        syn_unit_share(share, unsure));
}

/* Returns the number of groups in which one rank was last more often than by chance. */
static size_t late_groups(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t g = 0; g < report->groups.count; g++)
        count += report->figures[g].latest != NULL;
    return count;
}

/* Returns the rank that came last most often if its instances depend on each other too much for a
 * test; else NULL. */
static const struct syn_rank_facts *untested_rank(const struct syn_run_facts *run)
{
    const struct syn_rank_facts *most = NULL;
    for (int32_t r = 0; r < run->rank_count; r++)
        if (!most || run->rank[r].last_count > most->last_count)
            most = &run->rank[r];
    return most && isnan(most->last_p) && (double)most->last_count > most->expected_last ? most
                                                                                         : NULL;
}

/* No rank is late in the whole run. One may be in single groups, which the table marks. Returns 1
 * with the rank that is named nevertheless in *named; 0 without one. */
static size_t write_none_late(const struct syn_report_writer *to, struct syn_late_rank *named)
{
    const size_t groups = late_groups(to->report);
    const struct syn_run_facts *run = syn_report_typical(to->report);
    const struct syn_rank_facts *untested = untested_rank(run);
    char share[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES];
    if (untested)
        syn_report_item(
            to,
            "Rank %d came last in %s of %s instances: too few independent ones to tell "
            "whether by chance.",
            (int)(untested - run->rank),
            syn_unit_share(share, (double)untested->last_count / (double)untested->instance_count),
            syn_unit_count(count, untested->instance_count));
    else if (groups == 0)
        syn_report_item(to, "No rank came last more often than by chance.");
    else
        syn_report_item(to,
                        "Over the whole run no rank came last more often than by chance. In %zu "
                        "group%s one did: see the column late.",
                        groups, groups == 1 ? "" : "s");
    if (untested)
        named->rank = (int32_t)(untested - run->rank);
    return untested != NULL;
}

/* Time and arrivals are two counts. Say so if *Why* names none of the ranks [count] that this
 * section names. */
static void write_other_ranks(const struct syn_report_writer *to, const struct syn_late_rank *named,
                              size_t count)
{
    const struct syn_run_facts *run = syn_report_typical(to->report);
    const struct syn_cause *cause = syn_report_first_cause(run);
    char share[SYN_UNIT_BYTES];
    struct syn_text ranks = {0};
    if (!cause || cause->rank_count == 0)
        return;
    for (size_t i = 0; i < count; i++)
        if (syn_cause_names_rank(cause, named[i].rank))
            return;
    const struct syn_rank_facts *of = &run->rank[cause->ranks[0]];
    syn_rank_words(cause->ranks, cause->rank_count, false, &ranks);
    if (cause->rank_count == 1 && of->instance_count > 0)
        syn_text_format(&ranks, " (last in %s of the instances)",
                        syn_unit_share(share, (double)of->last_count / (double)of->instance_count));
    syn_report_item(to, "Why names %s: it counts the time waited, this section the arrivals.",
                    syn_text_chars(&ranks));
    syn_text_free(&ranks);
}

void syn_report_late_section(const struct syn_report_writer *to)
{
    struct syn_late_rank late[3];
    size_t found;
    size_t shown = syn_report_late_ranks(to->report, late, 3, &found);
    syn_report_list(to, "Who came late");
    if (!syn_report_clocks_tell_order(to->report)) {
        syn_report_item(to, "Not known: the clocks %s.",
                        syn_report_clocks_lost(to->report) ? "are wrong" : "were never compared");
        syn_report_list_end(to);
        return;
    }
    if (syn_report_any_is_cut(to->report)) {
        syn_report_item(to, "Not known: not all ranks were recorded (--ranks).");
        syn_report_list_end(to);
        return;
    }
    for (size_t i = 0; i < shown; i++)
        write_late_rank(to, &late[i]);
    if (found > shown)
        syn_report_item(to, "%zu more rank%s came last more often than by chance.", found - shown,
                        found - shown == 1 ? "" : "s");
    write_other_ranks(to, late, found == 0 ? write_none_late(to, late) : shown);
    syn_report_late_places(to);
    write_unsure(to);
    syn_report_list_end(to);
}

/* ---- what differs ---- */

static const char *effect_word(double kendall_w)
{
    return kendall_w < 0.1   ? "hardly"
           : kendall_w < 0.3 ? "somewhat"
           : kendall_w < 0.5 ? "clearly"
                             : "strongly";
}

static void write_difference(const struct syn_report_writer *to, const struct syn_figures *figures)
{
    const struct syn_rank_figures *least = &figures->rank[0], *most = least;
    char low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES], p[SYN_UNIT_BYTES];
    struct syn_text name = {0};
    for (size_t i = 1; i < figures->rank_count; i++) {
        least = figures->rank[i].median < least->median ? &figures->rank[i] : least;
        most = figures->rank[i].median > most->median ? &figures->rank[i] : most;
    }
    syn_report_group_name(to->report, figures->group, &name);
    syn_report_item_next(
        to, "see the ranks of this call: report --by op,site,rank",
        "%s: the ranks' times inside differ %s, beyond waiting (Kendall's W %.2f, %s). "
        "The median is %s on rank %d and %s on rank %d.",
        syn_text_chars(&name), effect_word(figures->friedman.kendall_w),
        figures->friedman.kendall_w, syn_unit_p(p, figures->friedman_p_adjusted),
        syn_unit_time(low, least->median), least->rank->rank, syn_unit_time(high, most->median),
        most->rank->rank);
    syn_report_pairs(to, figures);
    syn_text_free(&name);
}

/* Returns the mean time inside a call that was not waiting for late ranks. */
static double own_time(const struct syn_rank_figures *figures)
{
    return (figures->rank->inside_ns - figures->rank->waiting_ns) / (double)figures->n;
}

/* Returns whether the ranks' times differ because they waited for different times. That is
 * lateness, which another section tells. Times without waiting then vary by less than half as much.
 */
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

void syn_report_differences_section(const struct syn_report_writer *to)
{
    if (to->report->options.by & (SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_NODE)))
        return;
    size_t shown = 0, found = 0, tested = 0, short_ones = 0, late = 0;
    double inside_ns = 0;
    for (size_t i = 0; i < to->report->groups.count; i++)
        inside_ns += to->report->figures[i].inside_ns;
    if (!tells_all(to) && !to->report->options.pairs)
        return;
    syn_report_list(to, "What differs between ranks");
    for (size_t i = 0; i < to->report->groups.count; i++) {
        const struct syn_figures *figures = &to->report->figures[to->report->order[i]];
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
            write_difference(to, figures);
            shown++;
        }
    }
    if (found > shown)
        syn_report_item(to, "%zu more of %zu groups.", found - shown, tested);
    if (found == 0 && (tested || short_ones == 0))
        syn_report_item(to, "%s (%zu group%s tested).",
                        late ? "Nothing besides lateness" : "Nothing that matters", tested,
                        tested == 1 ? "" : "s");
    if (short_ones)
        syn_report_item(to,
                        "In %zu group%s the calls are too few to tell, because they depend on each "
                        "other.",
                        short_ones, short_ones == 1 ? "" : "s");
    syn_report_list_end(to);
}

/* ---- warnings ---- */

static size_t below_clock(const struct syn_report *report, enum syn_metric metric, size_t *of)
{
    size_t count = 0;
    *of = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        *of += report->figures[i].metric[metric].summary.n > 0;
        count += syn_figures_below_clock(&report->figures[i].metric[metric]);
    }
    return count;
}

/* "The clocks' error is larger than the spread in 2 and the operation in 1 of 5 groups." */
static void warn_resolution(const struct syn_report_writer *to)
{
    static const enum syn_metric metric[] = {SYN_METRIC_SPREAD, SYN_METRIC_OPERATION,
                                             SYN_METRIC_COMPLETION};
    static const char *const name[] = {"spread", "operation", "completion"};
    struct syn_text words = {0};
    size_t count[3], of = 0, kinds = 0, said = 0;
    for (int i = 0; i < 3; i++) {
        count[i] = below_clock(to->report, metric[i], &of);
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
        syn_report_item(to, "The clocks' error is larger than%s of %zu group%s.",
                        syn_text_chars(&words), of, of == 1 ? "" : "s");
    syn_text_free(&words);
}

static void warn_clock(const struct syn_report_writer *to)
{
    if (isnan(syn_report_waiting_bound_ns(to->report)))
        syn_report_item(
            to,
            "The clocks %s. Completion, spread, operation, waiting and lateness may be off by any "
            "amount.",
            syn_report_clocks_lost(to->report) ? "are wrong" : "were never compared");
    if (tells_all(to))
        warn_resolution(to);
}

/* Returns the number of groups that have no interval although they have six calls and more: these
 * may depend on one another too much. */
static size_t count_too_short(const struct syn_report *report)
{
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[i];
        const struct syn_summary *summary =
            &figures->metric[syn_figures_main_metric(figures->group)].summary;
        double low_ns, high_ns;
        syn_shown_interval(report, summary, &low_ns, &high_ns);
        count += summary->n >= 6 && isnan(low_ns);
    }
    return count;
}

static void warn_intervals(const struct syn_report_writer *to, size_t few)
{
    const size_t too_short = count_too_short(to->report);
    if (few)
        syn_report_item(to, "%zu of %zu groups ha%s fewer than 6 instances, and so no interval.",
                        few, to->report->groups.count, few == 1 ? "s" : "ve");
    if (too_short)
        syn_report_item(to,
                        "%zu of %zu groups ha%s too few calls for an interval, since their calls "
                        "depend on one another.",
                        too_short, to->report->groups.count, too_short == 1 ? "s" : "ve");
}

/* Tell the reason and the remedy of unknown sites. */
static void warn_sites(const struct syn_report_writer *to)
{
    size_t count = 0;
    for (size_t i = 0; i < to->report->groups.count; i++) {
        const char *site = syn_report_site(to->report, to->report->groups.group[i]);
        count += site && strcmp(site, "?") == 0;
    }
    if (count)
        syn_report_item_next(
            to, "record with --stack 8, on a machine that has the program",
            "%zu group%s no call site (?): no call stack was recorded, or no frame "
            "of it lies in a file that can be read.",
            count, count == 1 ? " has" : "s have");
}

static void warn_groups(const struct syn_report_writer *to)
{
    size_t few = 0, incomplete_groups = 0;
    uint64_t incomplete = 0, failed = 0;
    char count[SYN_UNIT_BYTES], of[SYN_UNIT_BYTES];
    for (size_t i = 0; i < to->report->groups.count; i++) {
        const struct syn_group *group = to->report->groups.group[i];
        few += group->instance_count > 0 && group->instance_count < 6;
        incomplete_groups += group->incomplete_count > 0;
        incomplete += group->incomplete_count;
        failed += group->failed_count;
    }
    if (incomplete)
        syn_report_item(
            to,
            "%s instance%s in %zu group%s lack members. Only the time in collectives counts them.",
            syn_unit_count(count, incomplete), incomplete == 1 ? "" : "s", incomplete_groups,
            incomplete_groups == 1 ? "" : "s");
    if (tells_all(to))
        warn_intervals(to, few);
    if (to->report->perturbed_count)
        syn_report_item(
            to,
            to->report->options.all
                ? "The profiler paused in %s of %s instances. The figures include them."
                : "%s of %s instances are left out: the profiler paused in them (--all keeps "
                  "them).",
            syn_unit_count(count, to->report->perturbed_count),
            syn_unit_count(of, to->report->instance_count));
    if (to->report->late_start_count)
        syn_report_item(to,
                        to->report->options.all
                            ? "%s of %s instances started late. The figures include them."
                            : "%s of %s instances are left out: they started late (--all keeps "
                              "them).",
                        syn_unit_count(count, to->report->late_start_count),
                        syn_unit_count(of, to->report->instance_count));
    if (failed)
        syn_report_item(to, "In %s instance%s a call returned an error.",
                        syn_unit_count(count, failed), failed == 1 ? "" : "s");
}

/* Tell the share of the calls that the report rests on. */
static void warn_dropped(const struct syn_report_writer *to, const struct syn_run_facts *run,
                         uint64_t dropped)
{
    char lost[SYN_UNIT_BYTES], of[SYN_UNIT_BYTES];
    uint64_t recorded = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        recorded += run->totals.rank[r].event_count;
    const double share = (double)recorded / ((double)recorded + (double)dropped);
    syn_report_item(to,
                    "%s of %s calls were lost: the recorder had no room for them. The report rests "
                    "on %.1f %% of the calls.",
                    syn_unit_count(lost, dropped), syn_unit_count(of, recorded + dropped),
                    100 * share);
}

static void warn_ends(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    static const char *const how[] = {"did not say how it ended (killed, or its file is cut)", NULL,
                                      "ended by exit() without MPI_Finalize", "ended by MPI_Abort",
                                      "was left by the profiler before its end"};
    int32_t count[5] = {0};
    uint64_t dropped = 0;
    int unknown = 0;
    for (int32_t r = 0; r < run->rank_count; r++) {
        unsigned ending = (unsigned)run->rank[r].ending;
        count[ending < 5 ? ending : 0] += run->rank[r].present;
        dropped += run->rank[r].dropped_count;
        unknown += run->rank[r].loss_unknown;
    }
    for (int i = 0; i < 5; i++)
        if (how[i] && count[i])
            syn_report_item(to, "%d of %d ranks: each %s.", count[i], run->rank_count, how[i]);
    if (dropped)
        warn_dropped(to, run, dropped);
    if (unknown)
        syn_report_item(to, "%d of %d ranks: how many of their calls were lost is not known.",
                        unknown, run->rank_count);
}

/* Tell why calls of the program are missing. */
static void warn_control(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    char count[SYN_UNIT_BYTES], most[SYN_UNIT_BYTES];
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
        syn_report_item(
            to,
            "%d of %d ranks were not recorded (--ranks). Instances are those of the others; when "
            "all ranks had come is not known.",
            run->present_count - run->recorded_count, run->rank_count);
    if (sum && low == high)
        syn_report_item(
            to, "%s calls of each rank were not recorded: MPI_Pcontrol had switched recording off.",
            syn_unit_count(count, low));
    else if (sum)
        syn_report_item(
            to,
            "%s to %s calls of a rank were not recorded: MPI_Pcontrol had switched recording off, "
            "for different calls on different ranks. Instances may lack members for that reason.",
            syn_unit_count(count, low), syn_unit_count(most, high));
}

/* Processes of another MPI_COMM_WORLD. */
static void warn_spawned(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    const size_t missing = run->spawned_unrecorded_count, there = run->spawned_count - missing;
    if (there)
        syn_report_item(to,
                        "MPI_Comm_spawn started %zu more run%s with %s own trace: syncopate report "
                        "%s/spawned-0001%s. Collectives with them are here in part.",
                        there, there == 1 ? "" : "s", there == 1 ? "its" : "their", run->directory,
                        there == 1 ? "" : " and so on");
    if (missing)
        syn_report_item(to,
                        "Processes of %zu call%s of MPI_Comm_spawn were not recorded. Collectives "
                        "with them are here in part.",
                        missing, missing == 1 ? "" : "s");
}

static void warn_run(const struct syn_report_writer *to, const struct syn_run_facts *run)
{
    char count[SYN_UNIT_BYTES];
    const struct syn_match_totals *totals = &run->totals;
    for (size_t i = 0; i < run->fault_count && i < 6; i++)
        syn_report_item(to, "%s", run->fault[i].text);
    if (run->fault_count > 6)
        syn_report_item(to, "%zu more fault%s: see syncopate check.", run->fault_count - 6,
                        run->fault_count == 7 ? "" : "s");
    warn_ends(to, run);
    warn_control(to, run);
    warn_spawned(to, run);
    if (totals->op_differs_count)
        syn_report_item(to, "In %s instance%s ranks call different operations.",
                        syn_unit_count(count, totals->op_differs_count),
                        totals->op_differs_count == 1 ? "" : "s");
    if (totals->unplaced_count + totals->implausible_count + totals->duplicate_count)
        syn_report_item(to, "%s events contradict others and are left out.",
                        syn_unit_count(count, totals->unplaced_count + totals->implausible_count +
                                                  totals->duplicate_count));
    if (run->measured_once_count)
        syn_report_item(to,
                        "The clocks of %d rank%s were measured in MPI_Init only. Their bounds grow "
                        "until the end of the run.",
                        run->measured_once_count, run->measured_once_count == 1 ? "" : "s");
}

double syn_report_recorder_share(const struct syn_run_facts *run)
{
    return run->overhead_ns / (syn_facts_run_ns(run) + run->overhead_ns);
}

/* Tell the profiler's share of each run's time. */
static void warn_overhead(const struct syn_report_writer *to)
{
    double most = 0;
    size_t runs = 0, count = to->report->run_count;
    char share[SYN_UNIT_BYTES];
    for (size_t i = 0; i < count; i++) {
        const struct syn_run_facts *run = &to->report->run[i];
        const double overhead = syn_report_recorder_share(run);
        runs += overhead > 0.05;
        most = syn_largest(overhead, most);
    }
    if (runs && count == 1)
        syn_report_item(
            to,
            "The profiler took %s of the time from MPI_Init to MPI_Finalize. The figures do "
            "not include it.",
            syn_unit_share(share, most));
    else if (runs)
        syn_report_item(
            to,
            "In %zu of %zu runs the profiler took more than 5 %% of the time from MPI_Init to "
            "MPI_Finalize, at most %s. The figures do not include it.",
            runs, count, syn_unit_share(share, most));
}

static void add_to_list(struct syn_text *list, bool given, const char *word)
{
    if (given)
        syn_text_format(list, "%s%s", list->length ? ", " : "", word);
}

/* Tell in what the runs differ: the report takes them for repetitions of one run. */
static void warn_different_runs(const struct syn_report_writer *to)
{
    const struct syn_run_facts *first = &to->report->run[0];
    bool program = false, args = false, mpi = false, ranks = false;
    struct syn_text list = {0};
    for (size_t i = 1; i < to->report->run_count; i++) {
        const struct syn_run_facts *run = &to->report->run[i];
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
        syn_report_item(to,
                        "The runs are not repetitions of one run: they differ in %s. Use diff to "
                        "compare them, or --by run to keep them apart.",
                        syn_text_chars(&list));
    syn_text_free(&list);
}

/* Write warnings that change the meaning of the sections above; all others only if asked for. */
static void write_warnings(const struct syn_report_writer *to)
{
    for (size_t i = 0; i < to->report->unreadable_count; i++)
        syn_report_item(to, "%s", to->report->unreadable[i]);
    for (size_t i = 0; i < to->report->run_count; i++)
        warn_run(to, &to->report->run[i]);
    warn_different_runs(to);
    warn_overhead(to);
    warn_groups(to);
    warn_sites(to);
    if (tells_all(to) || to->report->options.skip_warmup)
        syn_report_warmups(to);
    if (tells_all(to))
        syn_report_changes(to);
    warn_clock(to);
    if (to->report->groups.count == 0)
        syn_report_item(to, "No collective was recorded.");
}

void syn_report_warnings_section(const struct syn_report_writer *to)
{
    const size_t begin = to->text->length;
    syn_report_list(to, "Warnings");
    const size_t before = to->text->length;
    write_warnings(to);
    if (to->text->length > before || to->text->failed) {
        syn_report_list_end(to);
    } else if (tells_all(to)) {
        syn_report_item(
            to,
            "None: all ranks are there, all instances are complete, all medians have an interval.");
        syn_report_list_end(to);
    } else {
        to->text->length = begin;
    }
}
