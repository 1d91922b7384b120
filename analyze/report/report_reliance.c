/* analyze/report/report_reliance.c - the first line of a page: can the report be relied on, why
 * not, and what to do about it. Thresholds are in docs/reports.md, "Can it be relied on?". */
#include <math.h>
#include <stdarg.h>

#include "analyze/print/units.h"
#include "analyze/report/causes_words.h"
#include "analyze/report/report_writer.h"
#include "sync/base/integers.h"

/* A run of less is short: one pause of the machine may be all of a cause. */
#define SHORT_RUN_NS 1e8
/* The recorder's own time, as a share of the run. */
#define RECORDER_THAT_MATTERS 0.05
#define RECORDER_THAT_SHOWS   0.01 /* where no saving is larger */
/* Ranks lack a processor for this share of their time; beyond the second nothing can be said. */
#define LOST_THAT_MATTERS 0.02
#define LOST_THAT_SPOILS  0.1
/* The share of calls that were lost; likewise. */
#define CALLS_THAT_MATTER 0.01
#define CALLS_THAT_SPOIL  0.1

/* Reasons and remedies, a list each; `next` NULL: another one mends it, too. */
struct doubts {
    struct syn_text why, next;
    enum syn_reliance level;
};

static void add_doubt(struct doubts *to, enum syn_reliance level, const char *next,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

static void add_doubt(struct doubts *to, enum syn_reliance level, const char *next,
                      const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    syn_text_string(&to->why, to->why.length ? "; " : "");
    syn_text_vformat(&to->why, format, arguments);
    va_end(arguments);
    if (next)
        syn_text_format(&to->next, "%s%s", to->next.length ? "; " : "", next);
    to->level = syn_largest(to->level, level);
}

/* Returns the crowd of the run whose ranks lost most. */
static struct syn_crowd worst_crowd(const struct syn_report *report)
{
    struct syn_crowd worst = syn_report_crowd(&report->run[0]);
    for (size_t i = 1; i < report->run_count; i++) {
        const struct syn_crowd crowd = syn_report_crowd(&report->run[i]);
        if (!(crowd.lost_share <= worst.lost_share))
            worst = crowd;
    }
    return worst;
}

static void doubt_processors(const struct syn_crowd *of, struct doubts *to)
{
    char share[SYN_UNIT_BYTES];
    const struct syn_crowd crowd = *of;
    const bool is_spoilt = crowd.lost_share > LOST_THAT_SPOILS;
    const bool is_lost = crowd.lost_share > LOST_THAT_MATTERS;
    const char *lost = syn_unit_share(share, crowd.lost_share);
    const bool is_crowded = crowd.processor_count > 0 && crowd.rank_count > crowd.processor_count;
    if (is_crowded && is_lost)
        add_doubt(to, is_spoilt ? SYN_RELIANCE_NONE : SYN_RELIANCE_PART,
                  "run at most as many ranks as there are processors",
                  "%d ranks share %d processor%s and had none for %s of their time",
                  crowd.rank_count, crowd.processor_count, crowd.processor_count == 1 ? "" : "s",
                  lost);
    else if (is_crowded)
        add_doubt(to, SYN_RELIANCE_PART, "run at most as many ranks as there are processors",
                  "%d ranks share %d processor%s", crowd.rank_count, crowd.processor_count,
                  crowd.processor_count == 1 ? "" : "s");
    else if (is_lost)
        add_doubt(to, is_spoilt ? SYN_RELIANCE_NONE : SYN_RELIANCE_PART,
                  "keep other programs off these processors",
                  "ranks were ready but had no processor for %s of their time", lost);
}

static void doubt_calls(const struct syn_run_facts *run, struct doubts *to)
{
    double lost = 0, recorded = 0;
    char share[SYN_UNIT_BYTES];
    for (int32_t r = 0; r < run->rank_count; r++) {
        lost += (double)run->rank[r].dropped_count;
        recorded += (double)run->totals.rank[r].event_count;
    }
    lost = lost > 0 ? lost / (lost + recorded) : 0;
    if (run->present_count < run->rank_count)
        add_doubt(to, SYN_RELIANCE_PART, "see syncopate check", "%d of %d ranks left no file",
                  run->rank_count - run->present_count, run->rank_count);
    if (lost > CALLS_THAT_MATTER)
        add_doubt(to, lost > CALLS_THAT_SPOIL ? SYN_RELIANCE_NONE : SYN_RELIANCE_PART,
                  "record with a larger --buffer", "%s of the calls were lost",
                  syn_unit_share(share, lost));
    if (run->recorded_count < run->present_count)
        add_doubt(to, SYN_RELIANCE_PART, "record all ranks to know who was late",
                  "%d of %d ranks were not recorded (--ranks)",
                  run->present_count - run->recorded_count, run->rank_count);
}

static void doubt_recording(const struct syn_report *report, const struct syn_run_facts *run,
                            struct doubts *to)
{
    char share[SYN_UNIT_BYTES], length[SYN_UNIT_BYTES];
    const double own = syn_report_recorder_share(run);
    const bool is_short = syn_facts_run_ns(run) < SHORT_RUN_NS;
    if (is_short)
        add_doubt(to, SYN_RELIANCE_PART, "record a longer run", "the run is short (%s)",
                  syn_unit_time(length, syn_facts_run_ns(run)));
    const bool is_most = own > RECORDER_THAT_SHOWS && own > syn_report_largest_saving(report, run);
    if (own > RECORDER_THAT_MATTERS || is_most)
        add_doubt(to, SYN_RELIANCE_PART, is_short ? NULL : "record a longer run",
                  "the recorder took %s of the time at begin and end%s", syn_unit_share(share, own),
                  is_most ? ", more than any saving below" : "");
    if (!run->has_messages)
        add_doubt(to, SYN_RELIANCE_PART, "record with --messages on",
                  "messages were not recorded and count as the program's work");
}

enum syn_reliance syn_report_reliance(const struct syn_report *report, struct syn_text *out)
{
    static const char *const words[] = {"Reliable", "Read with care", "Not reliable"};
    const struct syn_run_facts *run = &report->run[0];
    const struct syn_crowd crowd = worst_crowd(report);
    struct doubts doubts = {.level = SYN_RELIANCE_FULL};
    char own[SYN_UNIT_BYTES];
    if (syn_report_clocks_lost(report))
        add_doubt(&doubts, SYN_RELIANCE_NONE, "see syncopate info", "the clocks are wrong");
    else if (isnan(syn_report_waiting_bound_ns(report)))
        add_doubt(&doubts, SYN_RELIANCE_PART, "record without --sync none",
                  "the clocks were never compared, so nothing is said of who was late");
    doubt_processors(&crowd, &doubts);
    doubt_calls(run, &doubts);
    doubt_recording(report, run, &doubts);
    syn_text_format(out, "%s: ", words[doubts.level]);
    if (doubts.level == SYN_RELIANCE_FULL)
        syn_text_format(out, "%s%s, and the recorder took %s of the time.",
                        run->rank_count == 1 ? "the rank is recorded" : "all ranks are recorded",
                        isnan(crowd.lost_share) ? "" : ", each had a processor",
                        syn_unit_share(own, syn_report_recorder_share(run)));
    else
        syn_text_format(out, "%s. Next: %s.", syn_text_chars(&doubts.why),
                        syn_text_chars(&doubts.next));
    out->failed |= doubts.why.failed || doubts.next.failed;
    syn_text_free(&doubts.why);
    syn_text_free(&doubts.next);
    return doubts.level;
}
