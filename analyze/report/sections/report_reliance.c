/* analyze/report/sections/report_reliance.c - writes the first line of a page: whether the report
 * is reliable, why not, and what to do. docs/reports.md has the thresholds ("Can it be relied
 * on?"). */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/causes_words.h"
#include "analyze/report/sections/report_page.h"
#include "sync/base/integers.h"

/* A shorter run is called short: one pause of the machine may be all of a cause. */
#define SHORT_RUN_NS 1e8
/* The recorder's own time is mentioned from this share of the run on. */
#define RECORDER_THAT_MATTERS 0.05
#define RECORDER_THAT_SHOWS   0.01 /* likewise if no possible saving is larger */
/* Lost calls are mentioned from the first share on; from the second on the report is not
 * reliable. */
#define CALLS_THAT_MATTER 0.01
#define CALLS_THAT_SPOIL  0.1
/* Calls that lack members are mentioned from this share of the time in collectives on. If they are
 * most of it, the report is not reliable. */
#define LACKING_TO_SAY 0.1
/* Messages of which only sums were recorded are mentioned from this share of the run on. */
#define MESSAGES_THAT_MATTER 0.1

/* Lists of reasons and remedies. */
struct doubts {
    struct syn_text why, next;
    enum syn_reliance level;
};

/* Adds a reason, and its remedy unless that is there already. */
static void add_doubt_of(struct doubts *to, enum syn_reliance level, const char *next,
                         const struct syn_value *value, size_t count)
{
    syn_text_string(&to->why, to->why.length ? "; " : "");
    syn_words_of(&to->why, value, count);
    if (next && !strstr(syn_text_chars(&to->next), next))
        syn_words(&to->next, "{text}{text}", to->next.length ? "; " : "", next);
    to->level = syn_largest(to->level, level);
}
#define syn_say_doubt(to, level, next, ...) add_doubt_of(to, level, next, SYN_VALUES(__VA_ARGS__))

/* Returns ranks per processor, at least 1: more processors than ranks are no better than enough. */
static double crowd_of(const struct syn_crowd *crowd)
{
    return crowd->processor_count > 0 ? fmax(1, (double)crowd->rank_count / crowd->processor_count)
                                      : 1;
}

/* Returns true if `a` is worse than `b`: by lost time if it is large enough, then by ranks per
 * processor, then by lost time being unknown. */
static bool is_worse(const struct syn_crowd *a, const struct syn_crowd *b)
{
    const double lost_a = fmax(a->lost_share, 0), lost_b = fmax(b->lost_share, 0);
    if (fmax(lost_a, lost_b) > SYN_LOST_THAT_MATTERS)
        return lost_a > lost_b;
    if (crowd_of(a) != crowd_of(b))
        return crowd_of(a) > crowd_of(b);
    return isnan(a->lost_share) && !isnan(b->lost_share);
}

static void doubt_processors(const struct syn_crowd *of, struct doubts *to)
{
    const struct syn_crowd crowd = *of;
    const bool is_spoilt = crowd.lost_share > SYN_LOST_THAT_SPOILS;
    const bool is_lost = crowd.lost_share > SYN_LOST_THAT_MATTERS;
    const bool is_crowded = crowd.processor_count > 0 && crowd.rank_count > crowd.processor_count;
    if (is_crowded && is_lost)
        syn_say_doubt(to, is_spoilt ? SYN_RELIANCE_NONE : SYN_RELIANCE_CARE,
                      "run at most as many ranks as there are processors",
                      "{n} ranks share {n} processor{s} and had none for {share} of their time",
                      crowd.rank_count, crowd.processor_count, crowd.lost_share);
    else if (is_crowded)
        syn_say_doubt(to, SYN_RELIANCE_CARE, "run at most as many ranks as there are processors",
                      "{n} ranks share {n} processor{s}", crowd.rank_count, crowd.processor_count);
    else if (is_lost)
        syn_say_doubt(to, is_spoilt ? SYN_RELIANCE_NONE : SYN_RELIANCE_CARE,
                      "keep other programs off these processors",
                      "ranks were ready but had no processor for {share} of their time",
                      crowd.lost_share);
}

/* ---- doubts about runs: each names the run that has most of it ---- */

/* Returns the run with the largest figure above 0; NULL: none. *most: that figure. */
static const struct syn_run_facts *worst_run(const struct syn_report *report,
                                             double (*figure)(const struct syn_run_facts *),
                                             double *most)
{
    const struct syn_run_facts *worst = NULL;
    *most = 0;
    for (size_t i = 0; i < report->run_count; i++) {
        const double value = figure(&report->run[i]);
        if (value > *most) {
            *most = value;
            worst = &report->run[i];
        }
    }
    return worst;
}

/* Writes " in run 3" if there are several runs, else "". */
#define IN_RUN_BYTES 24
static const char *in_run(const struct syn_report *report, const struct syn_run_facts *run,
                          char *out)
{
    out[0] = '\0';
    if (report->run_count > 1)
        snprintf(out, IN_RUN_BYTES, " in run %u", run->run);
    return out;
}

static double missing_ranks(const struct syn_run_facts *run)
{
    return run->rank_count - run->present_count;
}

static double unrecorded_ranks(const struct syn_run_facts *run)
{
    return run->present_count - run->recorded_count;
}

static double lost_calls(const struct syn_run_facts *run)
{
    double lost = 0, recorded = 0;
    for (int32_t r = 0; r < run->rank_count; r++) {
        lost += (double)run->rank[r].dropped_count;
        recorded += (double)run->totals.rank[r].event_count;
    }
    return lost > 0 ? lost / (lost + recorded) : 0;
}

static double lacking_members(const struct syn_run_facts *run)
{
    const double share = syn_report_lacking_share(run);
    return share > LACKING_TO_SAY ? share : 0;
}

/* Returns by how much a run is shorter than SHORT_RUN_NS. */
static double shortness(const struct syn_run_facts *run)
{
    return SHORT_RUN_NS - syn_facts_run_ns(run);
}

static double has_no_messages(const struct syn_run_facts *run)
{
    return !run->has_messages;
}

double syn_report_unseen_messages(const struct syn_run_facts *run)
{
    const double share = run->messages.recorded == SYN_MESSAGES_SUMS
                             ? syn_share_over_ranks(run, SYN_SHARE_MESSAGES).of_run
                             : 0;
    return share > MESSAGES_THAT_MATTER ? share : 0;
}

static void doubt_recording(const struct syn_report *report, struct doubts *to)
{
    char in[IN_RUN_BYTES];
    double most;
    const struct syn_run_facts *brief = worst_run(report, shortness, &most);
    const bool has_reasons = syn_report_has_seen_enough(report);
    if (brief && !has_reasons && !syn_report_has_calls(report))
        syn_say_doubt(to, SYN_RELIANCE_CARE, NULL, "no collective or message was recorded");
    else if (brief)
        syn_say_doubt(to, SYN_RELIANCE_CARE, "record a longer run", "{text} is {text} ({time})",
                      report->run_count > 1 ? in_run(report, brief, in) + sizeof " in" : "the run",
                      has_reasons ? "short" : "too short to say why ranks waited",
                      syn_facts_run_ns(brief));
    const struct syn_run_facts *run = worst_run(report, syn_report_recorder_share, &most);
    const bool is_most = most > RECORDER_THAT_SHOWS && to->level < SYN_RELIANCE_NONE &&
                         syn_report_has_waiting(report) &&
                         most > syn_report_largest_saving(report, syn_report_typical(report));
    if (most > RECORDER_THAT_MATTERS || is_most)
        syn_say_doubt(to, SYN_RELIANCE_CARE, "record a longer run",
                      "the recorder took {share} of the time at begin and end{text}{text}", most,
                      in_run(report, run, in),
                      is_most && has_reasons ? ", more than any saving below" : "");
    if (worst_run(report, has_no_messages, &most))
        syn_say_doubt(to, SYN_RELIANCE_CARE, "record with --messages events",
                      "messages were not recorded and count as the program's work");
    run = worst_run(report, syn_report_unseen_messages, &most);
    if (run)
        syn_say_doubt(to, SYN_RELIANCE_CARE,
                      run->is_one_sided ? NULL : "record with --messages events",
                      "for whom ranks waited in {text} ({share} of {text}) is unknown",
                      syn_report_messages_name(run), most,
                      report->run_count > 1 ? in_run(report, run, in) + sizeof " in" : "the run");
}

/* Returns true if an item of *Why* may say that a rank lost its processor. */
static bool any_lost(const struct syn_report *report)
{
    for (size_t i = 0; i < report->run_count; i++)
        if (syn_report_shows_lost(&report->run[i]))
            return true;
    return false;
}

enum syn_reliance syn_report_reliance(const struct syn_report *report, struct syn_text *out)
{
    static const char *const words[] = {"Reliable", "Read with care", "Not reliable"};
    struct syn_crowd worst = syn_report_crowd(&report->run[0]);
    for (size_t i = 1; i < report->run_count; i++) {
        const struct syn_crowd crowd = syn_report_crowd(&report->run[i]);
        if (is_worse(&crowd, &worst))
            worst = crowd;
    }
    const struct syn_crowd crowd = worst;
    struct doubts doubts = {.level = SYN_RELIANCE_FULL};
    double own;
    if (syn_report_clocks_lost(report))
        syn_say_doubt(&doubts, SYN_RELIANCE_NONE, "see syncopate info", "the clocks are wrong");
    else if (isnan(syn_report_waiting_bound_ns(report)))
        syn_say_doubt(&doubts, SYN_RELIANCE_CARE, "record without --sync none",
                      "the clocks were never compared, so nothing is said of who was late");
    doubt_processors(&crowd, &doubts);
    char in[IN_RUN_BYTES];
    double most;
    const struct syn_run_facts *run = worst_run(report, missing_ranks, &most);
    if (run)
        syn_say_doubt(&doubts, SYN_RELIANCE_CARE, "see syncopate check",
                      "{number.0} of {n} ranks left no readable file{text}", most, run->rank_count,
                      in_run(report, run, in));
    run = worst_run(report, lost_calls, &most);
    if (most > CALLS_THAT_MATTER)
        syn_say_doubt(&doubts, most > CALLS_THAT_SPOIL ? SYN_RELIANCE_NONE : SYN_RELIANCE_CARE,
                      "record with a larger --buffer", "{share} of the calls were lost{text}", most,
                      in_run(report, run, in));
    run = worst_run(report, unrecorded_ranks, &most);
    if (run)
        syn_say_doubt(&doubts, SYN_RELIANCE_CARE, "record all ranks to know who was late",
                      "{number.0} of {n} ranks were not recorded{text} (--ranks)", most,
                      run->rank_count, in_run(report, run, in));
    run = worst_run(report, lacking_members, &most);
    if (run)
        syn_say_doubt(&doubts, syn_report_mostly_lacks(run) ? SYN_RELIANCE_NONE : SYN_RELIANCE_CARE,
                      run->fault_count > 0 ? "see syncopate check" : "see Warnings",
                      "{share} of the time in collectives is in calls that lack members{text}",
                      most, in_run(report, run, in));
    doubt_recording(report, &doubts);
    own = worst_run(report, syn_report_recorder_share, &own) ? own : NAN;
    syn_text_format(out, "%s: ", words[doubts.level]);
    if (doubts.level == SYN_RELIANCE_FULL)
        syn_words(out, "{text} recorded{text}; the recorder took {share}.",
                  report->run[0].rank_count == 1 ? "the rank is" : "all ranks",
                  isnan(crowd.lost_share) || any_lost(report) ? "" : ", each with a processor",
                  own);
    else
        syn_text_format(out, "%s. Next: %s.", syn_text_chars(&doubts.why),
                        syn_text_chars(&doubts.next));
    out->failed |= doubts.why.failed || doubts.next.failed;
    syn_text_free(&doubts.why);
    syn_text_free(&doubts.next);
    return doubts.level;
}
