/* analyze/report/findings/report_parts.c - computes sums over a report that more than one format
 * shows. */
#include "analyze/report/findings/report_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/units.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/integers.h"

/* ---- shares of time ---- */

/* A class of collectives has a line from this share of the run on. */
#define CLASS_THAT_MATTERS 0.01
/* MPI_Finalize has a line from this share on: less changes no printed share. */
#define FINALIZE_THAT_MATTERS 0.0005

/* Returns a part of the time in messages that were recorded as events. */
static double recorded_of(const struct syn_run_facts *run, int32_t rank, enum syn_share which)
{
    const struct syn_message_times *times = run->messages.rank ? &run->messages.rank[rank] : NULL;
    return !times                             ? 0
           : which == SYN_SHARE_LATE_SENDER   ? (double)times->late_sender_ns
           : which == SYN_SHARE_LATE_RECEIVER ? (double)times->late_receiver_ns
                                              : (double)times->transfer_ns;
}

/* Returns a rank's time in messages. Sums lie between collectives: a rank without any has only the
 * sum of the whole run. */
static double messages_of(const struct syn_run_facts *run, int32_t rank)
{
    const struct syn_own_times *own = &run->findings.own;
    if (run->messages.recorded == SYN_MESSAGES_SUMS && run->totals.rank[rank].event_count == 0)
        return fmax(0, run->rank[rank].messages_ns); /* 0 if it is NAN */
    double ns = (size_t)rank < own->rank_count ? own->rank[rank].messages_ns : 0;
    for (int which = SYN_SHARE_LATE_SENDER; which <= SYN_SHARE_TRANSFER; which++)
        ns += recorded_of(run, rank, (enum syn_share)which);
    return ns;
}

static double finalize_of(const struct syn_run_facts *run, int32_t rank)
{
    const struct syn_own_times *own = &run->findings.own;
    return (size_t)rank < own->rank_count ? own->rank[rank].finalize_ns : 0;
}

bool syn_report_is_cut(const struct syn_run_facts *run)
{
    return run->recorded_count < run->present_count;
}

bool syn_report_any_is_cut(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (syn_report_is_cut(&report->run[i]))
            return true;
    return false;
}

double syn_report_recorded_ranks(const struct syn_report *report)
{
    double count = 0;
    for (size_t i = 0; i < report->run_count; i++)
        count += report->run[i].recorded_count;
    return count;
}

double syn_share_of_rank(const struct syn_run_facts *run, int32_t rank, enum syn_share which)
{
    if ((which == SYN_SHARE_WAITING || which == SYN_SHARE_OPERATING) && syn_report_is_cut(run))
        return NAN;
    if (which == SYN_SHARE_MESSAGES)
        return messages_of(run, rank);
    if (which >= SYN_SHARE_LATE_SENDER && which <= SYN_SHARE_TRANSFER)
        return recorded_of(run, rank, which);
    if (which == SYN_SHARE_FINALIZE)
        return finalize_of(run, rank);
    if (which == SYN_SHARE_OUTSIDE) {
        /* overlapping calls of a rank may leave nothing */
        const double threads = syn_largest(run->totals.rank[rank].thread_count, 1u);
        return fmax(0, threads * syn_facts_run_ns(run) - run->totals.rank[rank].inside_ns -
                           messages_of(run, rank) - finalize_of(run, rank));
    }
    if (which >= SYN_SHARE_CLASS)
        return run->totals.rank[rank].class_ns[which - SYN_SHARE_CLASS];
    double inside_ns = run->totals.rank[rank].inside_ns;
    double complete_ns = run->rank[rank].inside_ns;
    double waiting_ns = run->rank[rank].waiting_ns;
    return which == SYN_SHARE_INSIDE      ? inside_ns
           : which == SYN_SHARE_WAITING   ? waiting_ns
           : which == SYN_SHARE_OPERATING ? complete_ns - waiting_ns
                                          : inside_ns - complete_ns;
}

static double sum_of_run(const struct syn_run_facts *run, enum syn_share which)
{
    double sum = 0;
    for (int32_t r = 0; r < run->rank_count; r++)
        if (run->rank[r].recorded)
            sum += syn_share_of_rank(run, r, which);
    return sum;
}

static double mean_of_run(const struct syn_run_facts *run, enum syn_share which)
{
    return run->recorded_count ? sum_of_run(run, which) / run->recorded_count : NAN;
}

/* Returns a share of all threads' time. NAN: overlapping calls add up to more than the run. */
static double share_of_run(const struct syn_run_facts *run, enum syn_share which)
{
    const double share = sum_of_run(run, which) / syn_facts_ranks_ns(run, 0, run->rank_count);
    return share <= 1 ? share : NAN;
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

struct syn_share_figures syn_share_over_ranks(const struct syn_run_facts *run, enum syn_share which)
{
    struct syn_share_figures share = {.low_ns = NAN, .high_ns = NAN};
    share.mean_ns = mean_of_run(run, which);
    share.of_run = share_of_run(run, which);
    for (int32_t r = 0; r < run->rank_count && run->recorded_count > 1; r++)
        if (run->rank[r].recorded)
            extend(&share, syn_share_of_rank(run, r, which), (unsigned)r);
    return share;
}

/* Calls that lack members do not matter below this share of the ranks' time. */
#define LACKING_THAT_MATTERS 0.01

double syn_report_lacking_share(const struct syn_run_facts *run)
{
    const double inside_ns = sum_of_run(run, SYN_SHARE_INSIDE);
    const double lacking_ns = sum_of_run(run, SYN_SHARE_INCOMPLETE);
    const double least_ns = LACKING_THAT_MATTERS * syn_facts_ranks_ns(run, 0, run->rank_count);
    return lacking_ns >= least_ns && inside_ns > 0 ? lacking_ns / inside_ns : 0;
}

bool syn_report_mostly_lacks(const struct syn_run_facts *run)
{
    return syn_report_lacking_share(run) > 0.5;
}

static struct syn_share_figures share_over_runs(const struct syn_report *report,
                                                enum syn_share which)
{
    struct syn_share_figures share = {.low_ns = NAN, .high_ns = NAN, .over_runs = true};
    size_t count = report->run_count, share_count = 0;
    SYN_FREED double *means = malloc(2 * count * sizeof *means);
    double *shares = means ? means + count : NULL;
    if (!means)
        return share;
    for (size_t i = 0; i < count; i++) {
        const struct syn_run_facts *run = &report->run[i];
        const double of_run = share_of_run(run, which);
        means[i] = mean_of_run(run, which);
        if (isfinite(of_run))
            shares[share_count++] = of_run;
        extend(&share, means[i], run->run);
    }
    syn_sort(means, count);
    syn_sort(shares, share_count);
    share.mean_ns = syn_quantile_sorted(means, count, 0.5);
    share.of_run = share_count == count ? syn_quantile_sorted(shares, count, 0.5) : NAN;
    return share;
}

struct syn_share_figures syn_report_share(const struct syn_report *report, enum syn_share which)
{
    return report->run_count > 1 ? share_over_runs(report, which)
                                 : syn_share_over_ranks(&report->run[0], which);
}

/* Returns true if time in messages was recorded in all runs. */
static bool has_messages(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (!report->run[i].has_messages)
            return false;
    return true;
}

bool syn_report_has_calls(const struct syn_report *report)
{
    return report->groups.count > 0 || syn_report_share(report, SYN_SHARE_MESSAGES).mean_ns > 0;
}

bool syn_report_has_waiting(const struct syn_report *report)
{
    return report->groups.count > 0 || (syn_report_has_calls(report) &&
                                        report->run[0].messages.recorded == SYN_MESSAGES_EVENTS);
}

/* Returns true if the table has the line. Some parts of collectives are shown only if they have
 * time, or enough of it; messages and collectives only if there were any. */
static bool is_shown(const struct syn_report *report, enum syn_share which,
                     const struct syn_share_figures *share)
{
    const double least = report->options.verbose ? 0 : CLASS_THAT_MATTERS;
    if (which >= SYN_SHARE_CLASS)
        return share->mean_ns > 0 && share->of_run >= least;
    if (which == SYN_SHARE_FINALIZE)
        return share->of_run >= FINALIZE_THAT_MATTERS;
    const bool is_of_collectives = which != SYN_SHARE_INCOMPLETE && which < SYN_SHARE_MESSAGES;
    return share->mean_ns > 0 || (is_of_collectives && report->groups.count > 0) ||
           which == SYN_SHARE_OUTSIDE;
}

bool syn_report_share_line(const struct syn_report *report, size_t *at, struct syn_share_line *out)
{
    static const struct {
        enum syn_share which;
        enum syn_share_level level;
        const char *name;
    } lines[] = {{SYN_SHARE_INSIDE, SYN_SHARE_OF_RUN, "in collectives"},
                 {SYN_SHARE_WAITING, SYN_SHARE_OF_CALLS, "waiting for late ranks"},
                 {SYN_SHARE_OPERATING, SYN_SHARE_OF_CALLS, "the operations themselves"},
                 {SYN_SHARE_INCOMPLETE, SYN_SHARE_OF_CALLS, "calls that lack members"},
                 {SYN_SHARE_CLASS + (int)SYN_CLASS_COMM, SYN_SHARE_OF_PARTS, "communicators"},
                 {SYN_SHARE_CLASS + (int)SYN_CLASS_WINDOW, SYN_SHARE_OF_PARTS, "windows"},
                 {SYN_SHARE_CLASS + (int)SYN_CLASS_FILE, SYN_SHARE_OF_PARTS, "files"},
                 {SYN_SHARE_MESSAGES, SYN_SHARE_OF_RUN, "in messages and one-sided"},
                 {SYN_SHARE_LATE_SENDER, SYN_SHARE_OF_CALLS, "waiting for late senders"},
                 {SYN_SHARE_LATE_RECEIVER, SYN_SHARE_OF_CALLS, "waiting for late receivers"},
                 {SYN_SHARE_TRANSFER, SYN_SHARE_OF_CALLS, "transfer"},
                 {SYN_SHARE_FINALIZE, SYN_SHARE_OF_RUN, "in MPI_Finalize"},
                 {SYN_SHARE_OUTSIDE, SYN_SHARE_OF_RUN, "outside MPI"}};
    while (*at < sizeof lines / sizeof *lines) {
        const size_t i = (*at)++;
        *out = (struct syn_share_line){lines[i].name, lines[i].level,
                                       syn_report_share(report, lines[i].which)};
        if (lines[i].which == SYN_SHARE_OUTSIDE && !has_messages(report))
            out->name = "outside collectives";
        if (is_shown(report, lines[i].which, &out->share))
            return true;
    }
    return false;
}

double syn_report_waiting_ns(const struct syn_report *report)
{
    double sum = 0;
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].rank_count; r++)
            sum += report->run[i].rank[r].waiting_ns;
    return sum;
}

const char *syn_report_counted_together(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (isnan(share_of_run(&report->run[i], SYN_SHARE_INSIDE)) &&
            sum_of_run(&report->run[i], SYN_SHARE_INSIDE) > 0)
            return "Calls of a rank that overlap, as nonblocking ones do, are added up: together "
                   "they take more than its run, so they have no share of it.";
    for (size_t i = 0; i < report->run_count; i++)
        for (int32_t r = 0; r < report->run[i].totals.rank_count; r++)
            if (report->run[i].totals.rank[r].thread_count > 1)
                return "A rank's times are those of its threads together; shares are of the time "
                       "of all threads.";
    return NULL;
}

double syn_report_waiting_bound_ns(const struct syn_report *report)
{
    double sum = syn_report_clocks_lost(report) ? NAN : 0;
    for (size_t i = 0; i < report->groups.count; i++)
        sum += report->figures[i].bound_total_ns;
    return sum;
}

double syn_report_time_in_groups(const struct syn_report *report)
{
    double inside_ns = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        inside_ns += report->figures[i].inside_ns;
    return inside_ns;
}

/* ---- the typical run ---- */

/* A run whose time differs from the median by this factor is far off. */
#define FAR_FACTOR 1.5
/* Most runs that a sentence names. */
#define RUNS_NAMED 5

static double time_of(const struct syn_report *report, size_t run)
{
    return syn_facts_total_ns(&report->run[run], SYN_TOTAL_RUN);
}

/* Returns the median run time; NAN: memory ran out. */
static double median_time(const struct syn_report *report)
{
    SYN_FREED double *time = malloc((report->run_count + 1) * sizeof *time);
    if (!time)
        return NAN;
    for (size_t i = 0; i < report->run_count; i++)
        time[i] = time_of(report, i);
    syn_sort(time, report->run_count);
    return syn_quantile_sorted(time, report->run_count, 0.5);
}

const struct syn_run_facts *syn_report_typical(const struct syn_report *report)
{
    const double median = report->run_count > 1 ? median_time(report) : NAN;
    size_t nearest = 0;
    for (size_t i = 1; i < report->run_count; i++)
        if (fabs(time_of(report, i) - median) < fabs(time_of(report, nearest) - median))
            nearest = i;
    return &report->run[nearest];
}

void syn_report_typical_title(const struct syn_report *report, const char *title,
                              struct syn_text *out)
{
    syn_text_string(out, title);
    if (report->run_count > 1)
        syn_text_format(out, " (run %u, the nearest to the median)",
                        syn_report_typical(report)->run);
}

static bool is_far(double time_ns, double median_ns)
{
    return time_ns > FAR_FACTOR * median_ns || time_ns * FAR_FACTOR < median_ns;
}

void syn_report_far_runs(const struct syn_report *report, struct syn_text *out)
{
    const double median = report->run_count > 2 ? median_time(report) : NAN;
    size_t far = 0, named = 0;
    for (size_t i = 0; i < report->run_count; i++)
        far += is_far(time_of(report, i), median);
    for (size_t i = 0; i < report->run_count && named < RUNS_NAMED; i++) {
        if (!is_far(time_of(report, i), median))
            continue;
        syn_words(out, "{text}{n} ({time})",
                  named      ? ", "
                  : far == 1 ? "Run "
                             : "Runs ",
                  report->run[i].run, time_of(report, i));
        named++;
    }
    if (far > named)
        syn_text_format(out, " and %zu more", far - named);
    if (far)
        syn_words(out, " {text} far from the median run time, {time}.", far == 1 ? "lies" : "lie",
                  median);
}
