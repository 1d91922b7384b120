/* analyze/report/sections/causes_words.c - writes why ranks were late, in sentences that a
 * programmer can act on. docs/reports.md describes the wording. */
#include "analyze/report/sections/causes_words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "trace/base/calls.h"

/* A cause whose ranks are not certain is named if its excess is at least this share of the others'
 * time ... */
#define EXCESS_THAT_MATTERS 0.05
/* ... and ranks wait for it for this share of their time. For certain ranks SYN_TIME_THAT_MATTERS
 * applies, unless it happened once: then no test confirms the ranks. */
#define UNSURE_THAT_MATTERS 0.02
/* Messages and operations have an item if they are this share of the critical path, or ... */
#define PATH_THAT_MATTERS 0.25
/* ... if a single operation is this share. */
#define OPERATION_THAT_MATTERS 0.1
#define CAUSES_MOST            4
/* Fewer, larger messages are advised if they are smaller than this in the mean, in bytes: then
 * their number costs most. */
#define SMALL_MESSAGE 65536
/* The page says that possible savings leave out messages if these are this share of the run. */
#define MESSAGES_TO_SAY 0.05
/* A short page mentions faster operations from this share of the run on. */
#define FAST_TO_SAY 0.05
/* Ranks whose processor clocks are slower by this share may be late for that reason. */
#define EVIDENT_CLOCK 0.05
/* Waiting is said to be in messages from this share of the waiting on. The share off the processor
 * is mentioned if it lies between MIXED_LEAST and MIXED_MOST of the excess. */
#define MESSAGES_THAT_MATTER 0.1
#define MIXED_LEAST          0.1
#define MIXED_MOST           0.9

void syn_cause_point(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t point, struct syn_text *out)
{
    const struct syn_cause_point *of = syn_point_at(&run->causes.tables, point);
    const char *site = syn_names_text(&report->names, of->site);
    const char *op = syn_call_name((uint16_t)of->op);
    if (!site || strcmp(site, SYN_LABEL_UNKNOWN) == 0)
        site = op ? op : SYN_LABEL_UNKNOWN;
    syn_text_string(out, site);
    if (of->is_completion)
        syn_text_string(out, " (completion)");
}

/* ---- parts of a sentence ---- */

const char *syn_report_messages_name(const struct syn_run_facts *run)
{
    return run->is_one_sided ? "one-sided calls" : "messages";
}

/* Appends one end of a segment with its operation: "MPI_Bcast at main.c:31". */
static void write_end(const struct syn_report *report, const struct syn_run_facts *run,
                      uint32_t point, struct syn_text *out)
{
    const struct syn_cause_point *of = syn_point_at(&run->causes.tables, point);
    const char *op = syn_call_name((uint16_t)of->op);
    const char *site = syn_names_text(&report->names, of->site);
    const bool has_site = site && strcmp(site, SYN_LABEL_UNKNOWN) != 0;
    if (op && has_site)
        syn_text_format(out, "%s at ", op);
    SYN_CLEANUP(syn_text_free) struct syn_text place = {0};
    syn_cause_point(report, run, point, &place);
    syn_unit_place(out, syn_text_chars(&place));
}

void syn_cause_where(const struct syn_report *report, const struct syn_run_facts *run,
                     uint32_t number, struct syn_text *out)
{
    const struct syn_label *label = syn_label_at(&run->causes.tables, number);
    if (syn_label_is_call(label)) {
        syn_text_string(out, "in ");
        write_end(report, run, label->from, out);
    } else if (label->from == SYN_POINT_OUTSIDE) {
        syn_text_string(out, "before ");
        write_end(report, run, label->to, out);
    } else if (label->to == SYN_POINT_OUTSIDE) {
        syn_text_string(out, "after ");
        write_end(report, run, label->from, out);
    } else if (label->from == label->to) {
        syn_text_string(out, "from one call to the next of ");
        write_end(report, run, label->from, out);
    } else {
        syn_text_string(out, "between ");
        write_end(report, run, label->from, out);
        syn_text_string(out, " and ");
        write_end(report, run, label->to, out);
    }
}

void syn_rank_words(const int32_t *rank, size_t count, bool is_begin, struct syn_text *out)
{
    const size_t most = 8;
    syn_text_format(out, "%s%s", is_begin ? "Rank" : "rank", count == 1 ? "" : "s");
    for (size_t i = 0; i < count && i < most; i++)
        syn_text_format(out, "%s %d", i == 0 ? "" : i + 1 == count ? " and" : ",", rank[i]);
    if (count > most)
        syn_text_format(out, " and %zu more", count - most);
}

/* Returns true if part of the excess of own time, but not all of it, was off the processor. */
static bool is_mixed(const struct syn_cause *cause)
{
    const double off = cause->own.blocked + cause->own.ready;
    return cause->category == SYN_CATEGORY_COMPUTING && off > MIXED_LEAST && off < MIXED_MOST;
}

/* Returns the verb for the ranks' longer time. Own time of several kinds "takes"; own time of an
 * unknown kind "is busy". */
static const char *what_it_does(const struct syn_cause *cause)
{
    static const char *const does[][2] = {
        [SYN_KIND_COMPUTING] = {"computes", "compute"},
        [SYN_KIND_OFF_CPU] = {"is without a processor", "are without processors"},
        [SYN_KIND_OPERATION] = {"takes", "take"},
        [SYN_KIND_BLOCKED] = {"is blocked", "are blocked"}};
    static const char *const is_busy[] = {"is busy", "are busy"};
    static const char *const is_off[] = {"is off its processor", "are off their processors"};
    const bool are_several = cause->rank_count > 1;
    if (is_mixed(cause))
        return does[SYN_KIND_OPERATION][are_several];
    if (cause->category == SYN_CATEGORY_COMPUTING && !cause->own.is_divided)
        return (cause->kind == SYN_KIND_OFF_CPU ? is_off : is_busy)[are_several];
    return does[cause->kind][are_several];
}

/* Appends " (70.0 % of it blocked, 12.1 % without a processor)". */
static void write_mixture(const struct syn_cause *cause, struct syn_text *out)
{
    const struct syn_own_shares *own = &cause->own;
    if (!own->is_divided) {
        syn_words(out, " (at least {share} of it off the processor)", own->ready);
        return;
    }
    const bool has_blocked = own->blocked >= MIXED_LEAST / 2;
    syn_text_string(out, " (");
    if (has_blocked)
        syn_words(out, "{share} of it blocked", own->blocked);
    if (own->ready >= MIXED_LEAST / 2)
        syn_words(out, "{text}{share}{text} without a processor", has_blocked ? ", " : "",
                  own->ready, has_blocked ? "" : " of it");
    syn_text_char(out, ')');
}

static void write_excess(const struct syn_run_facts *run, const struct syn_cause *cause,
                         struct syn_text *out)
{
    const struct syn_estimate *excess = &cause->excess_ns;
    if (cause->kind == SYN_KIND_MESSAGES)
        syn_words(out, " {text} in {text} {time} longer", cause->rank_count > 1 ? "are" : "is",
                  syn_report_messages_name(run), excess->median);
    else
        syn_words(out, " {text} {time} longer", what_it_does(cause), excess->median);
    if (isfinite(excess->low))
        syn_words(out, " [{time}, {time}]", excess->low, excess->high);
    /* a cause without certain ranks is of one at a time */
    const size_t others = (size_t)run->rank_count - syn_largest(cause->rank_count, (size_t)1);
    syn_text_string(out, others == 1 ? " than the other" : " than the others");
    if (is_mixed(cause))
        write_mixture(cause, out);
    else if (cause->excess_ratio.median > 0 && cause->excess_ratio.median < 10)
        syn_words(out, " ({percent})", cause->excess_ratio.median);
}

static void write_how_often(const struct syn_cause *cause, struct syn_text *out)
{
    /* ", in 35.0 % of the passes (122 us in the mean of all)" */
    if (cause->is_seldom) {
        syn_words(out, ", in {share} of the passes", cause->instances_share);
        if (cause->mean_excess_ns > 0)
            syn_words(out, " ({time} in the mean of all)", cause->mean_excess_ns);
    }
    if (cause->in_waves)
        syn_words(out,
                  ", in {n} of the {n}{text} passes in which a rank is late there, many in a row",
                  cause->seen_passes, cause->all_passes, cause->are_latest ? " worst" : "");
    else if (cause->naming == SYN_NAMING_SEEN && cause->all_passes == 1)
        syn_text_string(out, ", late there once (too few to be sure)");
    else if (cause->naming == SYN_NAMING_SEEN && cause->all_passes > 1)
        syn_words(out,
                  ", in {n} of the {n}{text} passes in which a rank is late there ({text} to be "
                  "sure)",
                  cause->seen_passes, cause->all_passes, cause->are_latest ? " worst" : "",
                  cause->seen_passes == cause->all_passes ? "too few" : "not enough");
    switch (cause->pattern) {
    case SYN_PATTERN_FIRST:
        syn_text_string(out, ", at the beginning of the run only");
        break;
    case SYN_PATTERN_GROWING:
    case SYN_PATTERN_SHRINKING:
        syn_words(out, ", {text} by {time} over the run",
                  cause->pattern == SYN_PATTERN_GROWING ? "growing" : "shrinking",
                  fabs(cause->change.median));
        break;
    case SYN_PATTERN_NONE:
        syn_text_string(out, ", once");
        break;
    case SYN_PATTERN_STEADY:
        if (!cause->is_seldom && !cause->is_shared)
            syn_text_string(out, ", in every pass");
        break;
    default:
        break;
    }
}

/* Returns true if a rank in the operation may wait for a late rank between itself and the root:
 * ranks of a rooted operation need not wait for all. Times do not show this
 * (docs/methods-causes.md, "A limit"). */
static bool may_be_waiting(const struct syn_run_facts *run, const struct syn_cause *cause)
{
    if (cause->kind != SYN_KIND_OPERATION)
        return false;
    const struct syn_label *label = syn_label_at(&run->causes.tables, cause->label);
    const uint16_t op = (uint16_t)syn_point_at(&run->causes.tables, label->from)->op;
    return (syn_op_flags(op) & SYN_OPF_ROOTED) && !(syn_op_flags(op) & SYN_OPF_SYNCHRONIZING);
}

/* Advice: ranks without a processor make operations and messages long with any algorithm or
 * sender. */
#define FIRST_PROCESSORS "give each rank a processor of its own first: see above"

/* Returns true if a slower processor clock may explain the ranks' excess. */
static bool is_by_clock(const struct syn_cause *cause)
{
    const double slower = 1 / cause->evidence.cycles_ratio - 1;
    return cause->kind == SYN_KIND_COMPUTING && cause->rank_count > 0 && slower > EVIDENT_CLOCK &&
           cause->excess_ratio.median < 2 * slower;
}

/* Returns true if a slower processor, whose clock was not counted, may explain the excess of
 * certain ranks. A trend is none of a processor. */
static bool may_be_slower(const struct syn_cause *cause)
{
    return cause->kind == SYN_KIND_COMPUTING && cause->pattern != SYN_PATTERN_GROWING &&
           cause->pattern != SYN_PATTERN_SHRINKING && isnan(cause->evidence.cycles_ratio) &&
           cause->excess_ratio.median < SYN_SLOWER_MOST;
}

/* Returns true if the excess is in messages of which only sums were recorded. There the ranks may
 * wait for the rank that is the real cause. */
static bool is_unseen(const struct syn_run_facts *run, const struct syn_cause *cause)
{
    return cause->kind == SYN_KIND_MESSAGES && run->messages.recorded != SYN_MESSAGES_EVENTS;
}

/* Returns the step that removes a cause or finds out more; NULL: none. */
static const char *next_step(const struct syn_run_facts *run, const struct syn_cause *cause)
{
    if (is_unseen(run, cause))
        return run->is_one_sided
                   ? NULL
                   : "record with --messages events: it names the rank that they wait for";
    if ((cause->kind == SYN_KIND_OPERATION || cause->kind == SYN_KIND_MESSAGES) &&
        syn_report_processors_lost(run))
        return FIRST_PROCESSORS;
    if (is_by_clock(cause))
        return "first see why their clocks are slower: see above";
    if (may_be_waiting(run, cause))
        return "see which rank enters it late, or try a barrier before it: then that rank is named";
    switch (cause->kind) {
    case SYN_KIND_COMPUTING:
        return cause->in_waves || cause->rank_count == 0 ? SYN_MORE_OR_SLOWER
               : cause->pattern == SYN_PATTERN_RARE
                   ? "see what these passes do that others do not (perf record)"
               : may_be_slower(cause) ? SYN_SWAP_NEXT
                                      : "compare the work there between the ranks (perf record)";
    case SYN_KIND_MESSAGES:
        return "see whom these ranks wait for in their sends and receives";
    case SYN_KIND_OFF_CPU:
        return cause->own.is_divided ? syn_report_lost_next(run) : SYN_OFF_CPU_NEXT;
    case SYN_KIND_BLOCKED:
        return SYN_BLOCKED_NEXT;
    default:
        return NULL; /* the item about the critical path says what other algorithms may save */
    }
}

/* ---- single passes ---- */

/* The 99 % quantile is written from this many passes on; of fewer passes it would be the
 * longest. */
#define PASSES_FOR_99 100

static const char *ending_of(uint64_t number)
{
    const bool is_teen = number % 100 / 10 == 1;
    return is_teen || number % 10 == 0 || number % 10 > 3 ? "th"
           : number % 10 == 1                             ? "st"
           : number % 10 == 2                             ? "nd"
                                                          : "rd";
}

static void write_period(const struct syn_pass_figures *passes, struct syn_text *out)
{
    if (passes->period > 0)
        syn_words(out, "every {n}{text} pass {time}", passes->period, ending_of(passes->period),
                  passes->periodic_ns);
}

void syn_pass_words(const struct syn_run_facts *run, uint32_t label, int32_t rank,
                    struct syn_text *out)
{
    struct syn_pass_figures passes;
    if (!run->passes || !syn_passes_of(run->passes, &run->causes, label, rank, &passes))
        return;
    if (passes.count < 2)
        return;
    syn_words(out, "median {time}", passes.median_ns);
    if (passes.count >= PASSES_FOR_99)
        syn_words(out, ", 99 % {time}", passes.p99_ns);
    syn_words(out, ", longest {time}{text}", passes.most_ns, passes.period > 0 ? "; " : "");
    write_period(&passes, out);
}

/* A trace of more events is not read a second time for a few words. */
#define EVENTS_WORTH_IT 20000000

bool syn_report_wants_passes(const struct syn_report *report, const struct syn_run_facts *run)
{
    const struct syn_findings *findings = &run->findings;
    if (report->options.without_causes || !report->options.tells_passes)
        return false;
    if (report->options.rows == SYN_ROWS_SEGMENTS)
        return true;
    if (run->totals.event_count > EVENTS_WORTH_IT)
        return false;
    for (size_t i = 0; i < findings->cluster_count; i++)
        if (findings->cluster[i].first->rank_count == 1 && findings->cluster[i].first->is_seldom &&
            findings->cluster[i].first->category == SYN_CATEGORY_COMPUTING &&
            syn_cause_matters(run, &findings->cluster[i]))
            return true;
    return syn_report_is_uneven(run);
}

/* Periodic passes are taken for those of a cause if number and length agree up to these factors. */
#define AS_MANY 1.5
#define AS_LONG 2

/* Appends ", every 20th pass 15.0 ms" if one rank's rare excess occurs in regular passes. */
static void write_rhythm(const struct syn_run_facts *run, const struct syn_cause *cause,
                         struct syn_text *out)
{
    struct syn_pass_figures passes;
    if (!run->passes || !cause->is_seldom || cause->rank_count != 1 ||
        cause->category != SYN_CATEGORY_COMPUTING ||
        !syn_passes_of(run->passes, &run->causes, cause->label, cause->ranks[0], &passes) ||
        passes.period == 0)
        return;
    const double ratio = cause->instances_share * (double)passes.period;
    const double longer = (passes.periodic_ns - passes.median_ns) / cause->excess_ns.median;
    if (ratio > AS_MANY || ratio < 1 / AS_MANY || longer > AS_LONG || longer < 1.0 / AS_LONG)
        return;
    syn_text_string(out, ", ");
    write_period(&passes, out);
}

/* ---- the section ---- */

/* A processor may be slower for a while by less than SPEED_VARIES, or by SPEED_OF_OTHERS times the
 * share of the processors' time that other programs took. */
#define SPEED_VARIES    0.25
#define SPEED_OF_OTHERS 1.5

/* Returns by how much the ranks of a cluster take longer than the others, as a share of the others'
 * time: at the first place, or of all own time, whichever is more. A slower processor makes all own
 * time longer. */
static double longer_by(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster)
{
    const struct syn_own_times *times = &run->findings.own;
    const double ranks = (double)times->present_count, late = (double)cluster->first->rank_count;
    double others_ns = 0;
    for (size_t r = 0; r < times->rank_count; r++)
        if (!syn_cause_names_rank(cluster->first, (int32_t)r))
            others_ns += times->rank[r].own_ns / (ranks - late);
    /* balance saves what exceeds the mean of all ranks */
    const double excess_ns = cluster->gain_ns * ranks / (ranks - late);
    return late > 0 && others_ns > 0
               ? fmax(cluster->first->excess_ratio.median, excess_ns / others_ns)
               : cluster->first->excess_ratio.median;
}

/* Returns true if other programs on the ranks' processors may explain that ranks take longer. */
static bool may_be_others(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster)
{
    const double lost = syn_report_crowd(run).lost_share;
    return cluster->first->kind == SYN_KIND_COMPUTING && !cluster->first->is_seldom &&
           lost > SYN_LOST_THAT_MATTERS && longer_by(run, cluster) < SPEED_OF_OTHERS * lost;
}

/* Returns true if the speed of processors may explain that ranks take longer: for a while, by about
 * the share that other programs took, by no more than the rank lost its processor, now and then
 * on ranks that are certain nowhere, or in so few passes that chance names a rank as easily. What
 * the kernel counted is no such speed. */
static bool may_be_speed(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster)
{
    const struct syn_cause *cause = cluster->first;
    if (cause->may_be_chance && cause->kind != SYN_KIND_BLOCKED && cause->kind != SYN_KIND_OFF_CPU)
        return cause->kind != SYN_KIND_COMPUTING || cause->excess_ratio.median < SYN_SLOWER_MOST;
    if (cause->kind != SYN_KIND_COMPUTING)
        return false;
    if (cause->rank_count == 1 &&
        syn_report_lost_explains(run, cause->ranks[0], (double)cluster->waiting_ns))
        return true;
    if (cause->is_seldom)
        return syn_report_crowd(run).lost_share > SYN_LOST_THAT_MATTERS &&
               cause->naming != SYN_NAMING_SHOWN && cluster->shown_ns <= cluster->waiting_ns / 2 &&
               cause->excess_ratio.median < SYN_SLOWER_MOST;
    return may_be_others(run, cluster) ||
           (cause->in_waves && longer_by(run, cluster) < SPEED_VARIES);
}

/* Returns true if a cause is large and certain enough, whatever the processors' speed is. */
static bool is_large(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster)
{
    const double time = (double)run->findings.run_ns * run->causes.plan.location_count;
    /* a trend has a test of its own: it may be certain although the average over the run is not */
    const bool is_trend = cluster->first->pattern == SYN_PATTERN_GROWING ||
                          cluster->first->pattern == SYN_PATTERN_SHRINKING;
    const bool is_tested = cluster->first->pattern != SYN_PATTERN_NONE &&
                           (cluster->first->naming == SYN_NAMING_SHOWN ||
                            (double)cluster->shown_ns >= SYN_TIME_THAT_MATTERS * time);
    const double least = is_tested ? SYN_TIME_THAT_MATTERS : UNSURE_THAT_MATTERS;
    if ((double)cluster->waiting_ns < least * time ||
        ((cluster->first->excess_ns.low <= 0 || cluster->first->excess_ns.median <= 0) &&
         !is_trend))
        return false;
    return is_tested || !(cluster->first->excess_ratio.median < EXCESS_THAT_MATTERS);
}

bool syn_cause_matters(const struct syn_run_facts *run, const struct syn_cause_cluster *cluster)
{
    return is_large(run, cluster) && !may_be_speed(run, cluster);
}

static void write_bound(const struct syn_run_facts *run, const char *words,
                        const struct syn_estimate *bound, struct syn_text *out)
{
    const double path_ns = (double)run->findings.run_ns, length = syn_facts_run_ns(run);
    const double saved = (path_ns - bound->median) / length;
    if (!(saved >= 0.005))
        return;
    syn_words(out, "{text}{share}", out->length ? "; " : "", saved);
    if (isfinite(bound->low))
        syn_words(out, " [{share}, {share}]", fmax(0, path_ns - bound->high) / length,
                  fmin(path_ns, path_ns - bound->low) / length);
    syn_text_format(out, " %s", words);
}

/* Parts of the critical path that are not the program's own work. Balance does not shorten them. */
struct path {
    double messages, operations; /* shares of the run */
    struct syn_path_operation most;
};

/* The items of the section, found before they are written. */
struct told {
    const struct syn_cause_cluster **cluster; /* [found], largest first; owned */
    size_t found, shown;                      /* number of causes; of these, those with room */
    bool machine, causes;     /* items about the machine, and about causes that follow; set when
                                 written: the first line may say as much */
    bool moment;              /* item about calls that are slower from one moment on */
    bool tunes;               /* faster operations were advised */
    struct syn_uneven uneven; /* uneven work that shows in messages only */
    struct path path;
};

/* A rank is named if at least this share of all waiting was for it; of two ranks, two thirds. */
#define RANK_THAT_HAS_MOST 0.5

/* Returns the rank that was waited for most, and its share of the waiting in *share. -1: no rank
 * has enough. */
static int32_t rank_of_most(const struct syn_run_facts *run, double *share)
{
    double all_ns = 0;
    int32_t most = -1;
    for (int32_t r = 0; r < run->rank_count; r++) {
        all_ns += run->rank[r].caused_ns;
        most = most < 0 || run->rank[r].caused_ns > run->rank[most].caused_ns ? r : most;
    }
    *share = all_ns > 0 ? run->rank[most].caused_ns / all_ns : 0;
    return *share >= fmax(RANK_THAT_HAS_MOST, 4.0 / 3 / run->rank_count) ? most : -1;
}

/* Returns true if the time of some rank outside of MPI exceeds the mean by much of the run. */
static bool is_one_longer(const struct syn_run_facts *run)
{
    const struct syn_own_times *own = &run->findings.own;
    double most_ns = 0;
    for (size_t r = 0; r < own->rank_count; r++)
        if (own->rank[r].is_present)
            most_ns = fmax(most_ns, own->rank[r].own_ns);
    return most_ns - own->sum.own_ns / (double)own->present_count >
           EXCESS_THAT_MATTERS * (double)run->findings.run_ns;
}

/* Writes that the waiting has no cause large enough. Names a place that has half of the waiting,
 * and a rank that was waited for most. Both are known for collectives only. */
static void write_spread(struct syn_doc *doc, const struct syn_report *report,
                         const struct syn_run_facts *run, const char *nothing, double waited,
                         bool in_messages)
{
    const struct syn_figures *most = NULL;
    const double all_ns = syn_report_waiting_ns(report);
    double share = 0;
    const int32_t rank = in_messages ? -1 : rank_of_most(run, &share);
    SYN_CLEANUP(syn_text_free) struct syn_text where = {0};
    for (size_t i = 0; i < report->groups.count; i++)
        if (!most || report->figures[i].waiting_ns > most->waiting_ns)
            most = &report->figures[i];
    if (in_messages)
        syn_text_string(&where, ", most of it in messages");
    else if (most && most->waiting_ns >= all_ns / 2) {
        syn_words(&where, ", {share} of it in ", most->waiting_ns / all_ns);
        syn_report_group_name(report, most->group, &where);
    }
    if (rank >= 0)
        syn_say_item(doc,
                     "{text}: {share} of the waiting ({share} of the ranks' time{text}) was for "
                     "rank {n}, {text}.",
                     nothing, share, waited, syn_text_chars(&where), rank,
                     syn_report_lost_explains(run, rank, run->rank[rank].caused_ns)
                         ? "which the processor time that it lost may explain"
                         : "but no reason for it is large and sure enough to be named");
    else
        syn_say_item(doc,
                     "{text}: the waiting ({share} of the ranks' time{text}) is spread over "
                     "{text}{text}.",
                     nothing, waited, syn_text_chars(&where),
                     run->rank_count == 2 ? "both ranks" : "many ranks",
                     is_one_longer(run)     ? ""
                     : run->rank_count == 2 ? ". Neither takes much longer than the other"
                                            : ". None takes much longer than the others");
}

/* Returns the share of the ranks' time in which they waited for late ranks, including messages
 * recorded as events. *in_messages: most of the waiting is there. */
static double waited_share(const struct syn_run_facts *run, bool *in_messages)
{
    const double calls = syn_share_over_ranks(run, SYN_SHARE_WAITING).of_run;
    const double messages = syn_share_over_ranks(run, SYN_SHARE_LATE_SENDER).of_run +
                            syn_share_over_ranks(run, SYN_SHARE_LATE_RECEIVER).of_run;
    *in_messages = messages > calls;
    return messages > 0 ? calls + messages : calls;
}

/* Writes that there is no cause, or no other. The share is that of *Where the time went*. */
static void write_nothing(struct syn_doc *doc, const struct syn_report *report,
                          const struct syn_run_facts *run, const struct told *told)
{
    bool in_messages;
    const double waited = waited_share(run, &in_messages);
    const char *nothing = told->machine || told->moment ? "No other cause" : "Nothing stands out";
    /* the main reason why most of the waiting has no known cause; NULL: causes are known */
    static const char *const why[SYN_UNKNOWN_COUNT] = {
        [SYN_UNKNOWN_BEGIN] = "it comes before its ranks were together once",
        [SYN_UNKNOWN_CLOCK] = "it is no longer than the clocks' bound",
        [SYN_UNKNOWN_EARLY] = "its ranks left before the last one came",
        [SYN_UNKNOWN_PASSED] = "it is passed on to waiting for which nobody can be named"};
    int64_t ns = 0;
    int most = 0;
    for (int i = 0; i < SYN_UNKNOWN_COUNT; i++) {
        ns += run->causes.sums.unknown_ns[i];
        most = run->causes.sums.unknown_ns[i] > run->causes.sums.unknown_ns[most] ? i : most;
    }
    const char *unknown = ns > run->causes.sums.waiting_ns / 2 ? why[most] : NULL;
    if (syn_report_is_cut(run))
        syn_say_item(doc,
                     "Who was waited for is not known: it may be a rank that was not recorded.");
    else if (syn_report_mostly_lacks(run))
        syn_say_item(doc,
                     "Who was waited for is not known: {share} of the time in collectives is in "
                     "calls that lack members.",
                     syn_report_lacking_share(run));
    else if (!(waited >= SYN_TIME_THAT_MATTERS))
        syn_say_item(doc,
                     "{text}: ranks wait for late ranks for less than {number} % of their time.",
                     nothing, 100 * SYN_TIME_THAT_MATTERS);
    else if (unknown)
        syn_say_item(doc,
                     "{text}: of most of the waiting ({share} of the ranks' time) no cause is "
                     "known: {text}.",
                     nothing, waited, unknown);
    else
        write_spread(doc, report, run, nothing, waited, in_messages);
}

static struct path path_of(const struct syn_report *report, const struct syn_run_facts *run)
{
    double ns[SYN_CATEGORY_COUNT];
    const double length = syn_facts_run_ns(run);
    struct path path = {0};
    syn_findings_path(&run->causes, ns);
    if (!(length > 0))
        return path;
    path.messages = ns[SYN_CATEGORY_MESSAGES] / length;
    path.operations = ns[SYN_CATEGORY_OPERATION] / length;
    syn_report_path_operation(report, run, &path.most);
    return path;
}

/* Appends advice about the critical path. Other algorithms are advised only if their gain was
 * measured. */
static void write_path_next(const struct syn_run_facts *run, const struct path *path,
                            struct syn_text *out)
{
    const double won = path->most.won_ns / syn_facts_run_ns(run);
    if (syn_report_processors_lost(run)) {
        syn_text_string(out, FIRST_PROCESSORS);
        return;
    }
    const struct syn_message_sums *sums = &run->messages.sums;
    if (path->messages >= OPERATION_THAT_MATTERS && sums->count > 0 &&
        sums->bytes / sums->count < SMALL_MESSAGE)
        syn_text_string(out, "send fewer, larger messages");
    if (won >= SYN_TIME_THAT_MATTERS)
        syn_words(out,
                  "{text}syncopate tune tries the other algorithms of the MPI: {share} of "
                  "the run, if each call were as fast as the fastest tenth",
                  out->length ? "; " : "", won);
}

static double cluster_saving(const struct syn_cause_cluster *cluster)
{
    const double ns = cluster->place_count == 1 ? cluster->first->gain_ns.median : cluster->gain_ns;
    return fmax(ns, 0); /* NAN becomes 0 */
}

/* Compares by the share of the run that balance would save, then by waiting. */
SYN_ORDER(by_saving, struct syn_cause_cluster *const,
          SYN_COMPARE(cluster_saving(*b), cluster_saving(*a))
              ?: SYN_COMPARE((*b)->waiting_ns, (*a)->waiting_ns))

/* Returns true if the item about the machine includes the cause: lost processors. */
static bool is_of_machine(const struct syn_cause_cluster *cluster)
{
    return cluster->first->kind == SYN_KIND_OFF_CPU && cluster->first->own.is_divided;
}

/* Returns true if certain ranks take longer, and the item about the machine says that lost
 * processors may explain it. */
static bool may_be_of_machine(const struct syn_run_facts *run,
                              const struct syn_cause_cluster *cluster)
{
    return cluster->first->naming == SYN_NAMING_SHOWN && cluster->first->rank_count > 0 &&
           may_be_others(run, cluster) && is_large(run, cluster);
}

/* Returns true if something can be done about a cause: it is own time, or names ranks of an
 * operation. If processors were lost, only certain ranks outside of operations, or blocked ranks,
 * qualify. */
static bool is_of_use(const struct syn_run_facts *run, const struct syn_cause *cause)
{
    if (syn_report_processors_lost(run))
        return cause->rank_count > 0 && cause->kind != SYN_KIND_OPERATION &&
               (cause->naming == SYN_NAMING_SHOWN || cause->kind == SYN_KIND_BLOCKED);
    return cause->kind != SYN_KIND_OPERATION || (cause->rank_count > 0 && !cause->in_waves);
}

bool syn_report_lost_names(const struct syn_run_facts *run)
{
    for (size_t i = 0; i < run->findings.cluster_count; i++)
        if (may_be_of_machine(run, &run->findings.cluster[i]) ||
            (is_of_machine(&run->findings.cluster[i]) &&
             syn_cause_matters(run, &run->findings.cluster[i]) &&
             is_of_use(run, run->findings.cluster[i].first)))
            return true;
    return false;
}

/* Appends "rank 0 is without a processor 1.00 ms longer than the others, in every pass". */
static void write_late_ranks(const struct syn_run_facts *run, const struct syn_cause *cause,
                             struct syn_text *out)
{
    syn_rank_words(cause->ranks, cause->rank_count, false, out);
    write_excess(run, cause, out);
    write_how_often(cause, out);
}

bool syn_report_lost_causes(const struct syn_report *report, const struct syn_run_facts *run,
                            struct syn_text *out)
{
    const struct syn_findings *findings = &run->findings;
    const struct syn_cause *most = NULL, *unsure = NULL;
    double waiting_ns = 0;
    for (size_t i = 0; i < findings->cluster_count; i++) {
        const struct syn_cause_cluster *cluster = &findings->cluster[i];
        if (!unsure && may_be_of_machine(run, cluster))
            unsure = cluster->first;
        if (!is_of_machine(cluster) || !syn_cause_matters(run, cluster))
            continue;
        most = most ? most : cluster->first;
        waiting_ns += (double)cluster->waiting_ns;
    }
    if (most) {
        syn_words(out, " This causes {share} of all waiting, the largest part of it ",
                  waiting_ns / (double)run->causes.sums.waiting_ns);
        syn_cause_where(report, run, most->label, out);
        if (most->rank_count > 0) {
            syn_text_string(out, ", where ");
            write_late_ranks(run, most, out);
        }
        syn_text_char(out, '.');
    }
    if (unsure) {
        syn_text_format(out, " That may %sbe why, ", most ? "also " : "");
        syn_cause_where(report, run, unsure->label, out);
        syn_text_string(out, ", ");
        write_late_ranks(run, unsure, out);
        syn_words(out, " ({share} of all waiting): more work looks the same.", unsure->share);
    }
    return most || unsure;
}

/* Returns true if an item about uneven work includes the cause. */
static bool is_uneven(const struct syn_uneven *uneven, const struct syn_cause *cause)
{
    for (size_t i = 0; i < uneven->count; i++)
        if (cause->rank_count == 1 && cause->ranks[0] == uneven->rank[i] &&
            cause->kind == uneven->kind[i])
            return true;
    return false;
}

/* Returns the causes to name [*count], largest first; the caller frees the list. NULL: memory ran
 * out. `all`: also causes about which nothing can be done. */
static const struct syn_cause_cluster **list_clusters(const struct syn_run_facts *run,
                                                      const struct syn_uneven *uneven, bool all,
                                                      size_t *count)
{
    const struct syn_findings *findings = &run->findings;
    const bool machine_tells = syn_report_shows_lost(run);
    const struct syn_cause_cluster **list = malloc((findings->cluster_count + 1) * sizeof *list);
    *count = 0;
    for (size_t i = 0; list && i < findings->cluster_count; i++) {
        list[*count] = &findings->cluster[i];
        *count += syn_cause_matters(run, list[*count]) &&
                  (all || is_of_use(run, list[*count]->first)) &&
                  !(machine_tells && is_of_machine(list[*count])) &&
                  !is_uneven(uneven, list[*count]->first);
    }
    if (list && *count > 1)
        qsort(list, *count, sizeof *list, by_saving);
    return list;
}

bool syn_report_why_names(const struct syn_run_facts *run, int32_t rank)
{
    for (size_t i = 0; i < run->findings.cluster_count; i++)
        if (syn_cause_names_rank(run->findings.cluster[i].first, rank) &&
            syn_cause_matters(run, &run->findings.cluster[i]))
            return true;
    return false;
}

const struct syn_cause *syn_report_first_cause(const struct syn_run_facts *run)
{
    size_t count;
    const struct syn_uneven none = {0};
    SYN_FREED const struct syn_cause_cluster **list = list_clusters(run, &none, true, &count);
    const struct syn_cause *first = count > 0 ? list[0]->first : NULL;
    for (size_t i = 0; !first && i < run->findings.cluster_count; i++)
        if (syn_cause_matters(run, &run->findings.cluster[i]))
            first = run->findings.cluster[i].first; /* the item about the machine includes it */
    return first;
}

double syn_report_largest_saving(const struct syn_report *report, const struct syn_run_facts *run)
{
    const struct syn_what_if *what_if = &run->findings.what_if;
    const struct syn_estimate fast = syn_report_fast_operations(report, run);
    const double path_ns = (double)run->findings.run_ns;
    double least_ns = path_ns;
    const double all[] = {what_if->balanced.median, what_if->no_pauses.median,
                          what_if->nobody_late.median, fast.median};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        least_ns = fmin(least_ns, all[i]); /* fmin of a NAN and a number is the number */
    return fmax((path_ns - least_ns) / syn_facts_run_ns(run),
                syn_report_uneven_saving(report, run));
}

/* An item, and the share of the run that it is about. */
struct item {
    double share;
    enum { ITEM_MACHINE, ITEM_MOMENT, ITEM_UNEVEN, ITEM_CAUSE, ITEM_PATH } kind;
    size_t at; /* ITEM_CAUSE: which one */
};

/* Writes the item of a cause. The last cause with room also says how many have none. */
static void write_cause(struct syn_doc *doc, const struct syn_report *report,
                        const struct syn_run_facts *run, const struct told *told, size_t at)
{
    /* `others`: number of causes without room */
    const struct syn_cause_cluster *cluster = told->cluster[at];
    size_t others = at + 1 == told->shown ? told->found - told->shown : 0;
    struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
    const double length = syn_facts_run_ns(run);
    if (cluster->first->rank_count > 0)
        syn_rank_words(cluster->first->ranks, cluster->first->rank_count, true, line);
    else
        syn_text_string(line, cluster->first->pattern == SYN_PATTERN_MOVING
                                  ? "A rank, a different one each time,"
                                  : "A rank, or several in turn,");
    write_excess(run, cluster->first, line);
    syn_text_char(line, ' ');
    syn_cause_where(report, run, cluster->first->label, line);
    write_how_often(cluster->first, line);
    write_rhythm(run, cluster->first, line);
    /* ", through messages, passed on up to 3 times": the waiting was not in calls of the late
     * ranks */
    if ((double)cluster->first->messages_waiting_ns >=
        MESSAGES_THAT_MATTER * (double)cluster->first->waiting_ns) {
        syn_text_string(line, ", through messages");
        if (cluster->first->hops.most > 1)
            syn_words(line, ", passed on up to {n} times", cluster->first->hops.most);
        else if (cluster->first->hops.most == 1)
            syn_text_string(line, ", passed on once");
    }
    if (may_be_waiting(run, cluster->first))
        syn_text_format(line, ", or %s there for a late rank",
                        cluster->first->rank_count > 1 ? "wait" : "waits");
    if (is_unseen(run, cluster->first)) {
        syn_words(line,
                  ". {share} of all waiting follows from this. For whom these {text} waited was "
                  "not recorded.",
                  (double)cluster->waiting_ns / (double)run->causes.sums.waiting_ns,
                  syn_report_messages_name(run));
    } else if (cluster->place_count == 1) {
        syn_words(line, ". This causes {share} of all waiting.", cluster->first->share);
        if (cluster->first->gain_ns.median >= 0.001 * length) {
            syn_words(line, " Perfect balance would save {share}",
                      cluster->first->gain_ns.median / length);
            if (isfinite(cluster->first->gain_ns.low))
                syn_words(line, " [{share}, {share}]", cluster->first->gain_ns.low / length,
                          fmin(1, cluster->first->gain_ns.high / length));
            syn_text_string(line, " of the run.");
        }
    } else {
        syn_text_format(line, ", and likewise at %zu more place%s", cluster->place_count - 1,
                        cluster->place_count == 2 ? "" : "s");
        syn_words(line, ". Together this causes {share} of all waiting.",
                  (double)cluster->waiting_ns / (double)run->causes.sums.waiting_ns);
        if (cluster->gain_ns >= 0.001 * length)
            syn_words(line, " Perfect balance would save {share} of the run.",
                      cluster->gain_ns / length);
    }
    if (others > 0)
        syn_words(line, " ({n} smaller cause{s}: see --format json.)", others);
    syn_doc_next(doc, next_step(run, cluster->first));
}

static void write_way(struct syn_doc *doc, const struct syn_report *report,
                      const struct syn_run_facts *run, const struct path *path)
{
    SYN_CLEANUP(syn_text_free) struct syn_text next = {0};
    struct syn_text *line = syn_doc_begin(doc, SYN_DOC_ITEM);
    syn_text_string(line, "The critical path is ");
    if (path->messages >= 0.0005)
        syn_words(line, "{share} {text} and ", path->messages, syn_report_messages_name(run));
    syn_words(line, "{share} {text}", path->operations,
              run->causes.sums.messages_ns[0] + run->causes.sums.messages_ns[1] > 0
                  ? "collective operations and messages"
                  : "collective operations");
    if (path->most.path_ns >= SYN_TIME_THAT_MATTERS * syn_facts_run_ns(run)) {
        syn_words(line, ", {share} ", path->most.path_ns / syn_facts_run_ns(run));
        syn_cause_where(report, run, path->most.label, line);
    }
    if (path->messages >= 0.0005)
        syn_words(line, ". Of these, balance shortens only the waiting inside {text}.",
                  syn_report_messages_name(run));
    else
        syn_text_string(line, ". Balance does not shorten these.");
    write_path_next(run, path, &next);
    syn_doc_next(doc, syn_text_chars(&next));
    doc->failed |= next.failed;
}

static void write_item(struct syn_doc *doc, const struct syn_report *report,
                       const struct syn_run_facts *run, struct told *told, const struct item *item)
{
    switch (item->kind) {
    case ITEM_MACHINE:
        told->machine = syn_report_machine_causes(doc, report, run, &told->causes) > 0;
        break;
    case ITEM_MOMENT:
        syn_report_moment(doc, report);
        break;
    case ITEM_UNEVEN:
        syn_report_uneven_work(doc, report, run, &told->uneven);
        break;
    case ITEM_CAUSE:
        write_cause(doc, report, run, told, item->at);
        break;
    case ITEM_PATH:
        told->tunes = told->path.most.won_ns >= SYN_TIME_THAT_MATTERS * syn_facts_run_ns(run);
        write_way(doc, report, run, &told->path);
        break;
    }
}

/* Inserts an item before all items with a smaller share. */
static void add_item(struct item *item, size_t *count, struct item added)
{
    size_t at = (*count)++;
    for (; at > 0 && item[at - 1].share < added.share; at--)
        item[at] = item[at - 1];
    item[at] = added;
}

/* Writes all items, ordered by their share of the run. All have room, except causes, and the
 * critical path if it is less than the first cause. */
static void write_items(struct syn_doc *doc, const struct syn_report *report,
                        const struct syn_run_facts *run, struct told *told)
{
    struct item item[CAUSES_MOST + 2];
    const bool tells_all = syn_report_tells_all(doc, report);
    const bool is_spoilt = !tells_all && syn_report_processors_lost(run);
    const double length = syn_facts_run_ns(run), machine = syn_report_machine_share(report, run),
                 moment = is_spoilt ? 0 : syn_report_moment_share(report);
    size_t count = 0;
    syn_report_uneven_work(NULL, report, run, &told->uneven);
    told->cluster = list_clusters(run, &told->uneven, tells_all, &told->found);
    doc->failed |= !told->cluster;
    told->path = path_of(report, run);
    told->machine = machine > 0;
    told->moment = moment > 0;
    const double path = told->path.messages + told->path.operations;
    const double saving = told->found > 0 ? cluster_saving(told->cluster[0]) / length : 0;
    const bool has_path =
        told->uneven.count == 0 && !is_spoilt && !syn_report_mostly_lacks(run) &&
        (path >= PATH_THAT_MATTERS || told->path.most.path_ns >= OPERATION_THAT_MATTERS * length);
    const bool is_larger = has_path && path > saving;
    const size_t room = CAUSES_MOST - (size_t)told->machine - (size_t)told->moment -
                        told->uneven.count - (size_t)is_larger;
    told->shown = syn_least(told->found, room);
    if (told->machine)
        add_item(item, &count, (struct item){machine, ITEM_MACHINE, 0});
    if (told->moment)
        add_item(item, &count, (struct item){moment, ITEM_MOMENT, 0});
    if (told->uneven.count > 0)
        add_item(item, &count,
                 (struct item){syn_report_uneven_saving(report, run), ITEM_UNEVEN, 0});
    for (size_t i = 0; i < told->shown; i++) {
        double share = cluster_saving(told->cluster[i]) / length;
        /* the messages may have waited because of the uneven work */
        if (told->uneven.count > 0 && is_unseen(run, told->cluster[i]->first))
            share = fmin(share, syn_report_uneven_saving(report, run));
        add_item(item, &count, (struct item){share, ITEM_CAUSE, i});
    }
    if (is_larger || (has_path && told->shown < room))
        add_item(item, &count, (struct item){is_larger ? path : 0, ITEM_PATH, 0});
    for (size_t i = 0; i < count; i++)
        write_item(doc, report, run, told, &item[i]);
    free(told->cluster);
    if (told->found > 0 || told->uneven.count > 0 || told->causes)
        return;
    if (!is_spoilt)
        write_nothing(doc, report, run, told);
    else if (!told->machine)
        syn_say_item(doc, "Not known: ranks without a processor come late for that reason alone.");
}

/* Writes the possible savings that no item above mentions, for a short page. */
static void write_untold(struct syn_doc *doc, const struct syn_report *report,
                         const struct syn_run_facts *run, const struct told *told)
{
    const struct syn_estimate fast = syn_report_fast_operations(report, run);
    const double saved = ((double)run->findings.run_ns - fast.median) / syn_facts_run_ns(run);
    const double messages = syn_share_over_ranks(run, SYN_SHARE_MESSAGES).of_run;
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    if (syn_report_processors_lost(run))
        return;
    if (saved >= FAST_TO_SAY && !told->tunes)
        write_bound(run, "if each operation took no longer than the fastest tenth of its kind",
                    &fast, &line);
    if (line.length > 0)
        syn_say_item(doc, "In the best case the run would be shorter by {text}.",
                     syn_text_chars(&line));
    if (messages >= MESSAGES_TO_SAY && run->messages.recorded != SYN_MESSAGES_EVENTS &&
        syn_report_unseen_messages(run) == 0) /* the first line says it */
        syn_say_item_next(doc, run->is_one_sided ? NULL : "record with --messages events",
                          "{text} are {share} of the run: how much of that is waiting, and for "
                          "whom, was not recorded.",
                          run->is_one_sided ? "One-sided calls" : "Messages", messages);
}

/* Writes what made ranks late by share of the run, then efficiencies and possible savings. */
void syn_report_why_section(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    const struct syn_run_facts *run = syn_report_typical(report);
    struct told told = {0};
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_report_typical_title(report, "Why", &words);
    syn_doc_heading(doc, syn_text_chars(&words));
    syn_text_clear(&words);
    syn_report_far_runs(report, &words);
    if (words.length)
        syn_say_item(doc, "{text}", syn_text_chars(&words));
    write_items(doc, report, run, &told);
    if (syn_report_mostly_lacks(run))
        return;
    const struct syn_efficiency *of = &run->findings.efficiency;
    if (isfinite(of->parallel) && syn_report_tells_all(doc, report))
        syn_say_item(doc,
                     "Parallel efficiency {share} = load balance {share} x communication {share} "
                     "(waiting {share} x transfer {share}).",
                     of->parallel, of->load_balance, of->communication, of->waiting, of->transfer);
    else if (isfinite(of->parallel) && !syn_report_processors_lost(run))
        syn_say_item(doc,
                     "Parallel efficiency {share} = load balance {share} x communication {share}.",
                     of->parallel, of->load_balance, of->communication);
    /* Write by how much the run could be shorter, and what that leaves out. */
    const struct syn_what_if *what_if = &run->findings.what_if;
    const struct syn_estimate fast = syn_report_fast_operations(report, run);
    const double transfer = syn_share_over_ranks(run, SYN_SHARE_TRANSFER).of_run;
    const double messages =
        transfer > 0 ? transfer : syn_share_over_ranks(run, SYN_SHARE_MESSAGES).of_run;
    SYN_CLEANUP(syn_text_free) struct syn_text line = {0};
    if (!syn_report_tells_all(doc, report)) {
        write_untold(doc, report, run, &told);
        return;
    }
    if (told.uneven.count == 0 && told.found > 0)
        write_bound(run, "if the worst of these places were balanced", &what_if->balanced, &line);
    write_bound(run, "without the rare pauses", &what_if->no_pauses, &line);
    write_bound(run, "if no rank came late", &what_if->nobody_late, &line);
    write_bound(run, "if each operation took no longer than the fastest tenth of its kind", &fast,
                &line);
    if (line.length == 0)
        return;
    syn_say_item(doc, "{text} the run would be shorter by {text}.",
                 told.uneven.count > 0 ? "Apart from that, in the best case" : "In the best case",
                 syn_text_chars(&line));
    if (messages >= MESSAGES_TO_SAY && told.uneven.count == 0)
        syn_say_more(doc, " Not counted: {share} of the run in {text}.", messages,
                     transfer > 0        ? "the transfer of messages"
                     : run->is_one_sided ? "one-sided calls, of which nobody knows how much is "
                                           "waiting"
                                         : "messages, of which nobody knows how much is waiting "
                                           "(--messages events tells)");
}
