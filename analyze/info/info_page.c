/* analyze/info/info_page.c - the page of `info`, as text or as JSON with the keys of
 * docs/reports.md. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "analyze/hang/page/hang_page.h"
#include "analyze/info/info.h"
#include "analyze/match/members/bounds.h"
#include "analyze/print/command.h"
#include "analyze/print/json.h"
#include "analyze/report/findings/report.h"
#include "sync/base/integers.h"
#include "trace/base/ops.h"

/* ---- summary and factors ---- */

#define INDENT 12

static void write_ranks(struct syn_doc *doc, const struct syn_info *info)
{
    /* Count the ranks that did not end in MPI_Finalize. */
    int32_t lost = 0;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        lost += file && syn_rank_end(file)->ending != SYN_ENDING_FINALIZE;
    }
    syn_say_pair(doc, INDENT, NULL, "ranks", "{n}", info->rank_count);
    for (size_t i = 0; i < info->factors.count; i++)
        if (strcmp(info->factors.factor[i].key, "host.name") == 0)
            syn_say_more(doc, " on {n} node{s}", info->factors.factor[i].other_count + 1);
    if (info->present_count < info->rank_count)
        syn_say_more(doc, "; only {n} of them have a file", info->present_count);
    if (lost > 0)
        syn_say_more(doc, "; {n} did not end in MPI_Finalize", lost);
    else if (info->present_count == info->rank_count)
        syn_say_more(doc, "; all have a file and ended in MPI_Finalize");
}

static void say_whether_lost(struct syn_doc *doc, const struct syn_info *info)
{
    size_t fault_count;
    uint64_t dropped = 0;
    size_t unknown = 0;
    syn_trace_faults(info->trace, &fault_count);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        dropped += file ? syn_rank_end(file)->dropped_count : 0;
        unknown += file && syn_rank_loss_is_unknown(file);
    }
    const bool any = fault_count + dropped + unknown + info->totals.incomplete_count > 0;
    syn_say_pair(doc, INDENT, NULL, "lost", "{text}",
                 any ? "something: see \"What was lost\" below" : "nothing");
}

/* Writes a line for each fact of the summary. */
static void write_summary(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    syn_doc_heading(doc, "Summary");
    syn_say_pair(doc, INDENT, NULL, "trace", "{text}", syn_trace_directory(info->trace));
    const struct syn_rank_file *file = syn_info_first_file(info);
    const char *args = syn_info_meta(file, "program.args");
    syn_say_pair(doc, INDENT, NULL, "program", "{text}", syn_info_meta(file, "program.path"));
    if (args && args[0])
        syn_say_more(doc, " {text}", args);
    const struct syn_manifest *manifest = syn_trace_manifest(info->trace);
    const time_t seconds = manifest ? (time_t)(manifest->start_unix_ns / 1000000000) : 0;
    char date[40];
    struct tm broken;
    syn_say_pair(doc, INDENT, NULL, "ran", "{time}", info->run_ns);
    if (seconds > 0 && gmtime_r(&seconds, &broken) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &broken))
        syn_say_more(doc, ", from {text}", date);
    if (!manifest)
        syn_say_more(doc, "; unfinished: there is no manifest");
    write_ranks(doc, info);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    SYN_CLEANUP(syn_text_free) struct syn_text taken = {0};
    int64_t worst = 0;
    for (int32_t r = 0; r < info->rank_count; r++)
        if (info->clock[r].present && info->clock[r].bound_worst_ns > worst)
            worst = info->clock[r].bound_worst_ns;
    syn_clocks_method_words(info->trace, &taken);
    syn_say_pair(doc, INDENT, NULL, "clock", "{text}, synchronized by {text}",
                 ticks ? syn_clock_kind_name(ticks->kind) : "unknown",
                 syn_info_meta(file, "sync.method"));
    if (taken.length)
        syn_say_more(doc, " ({text})", syn_text_chars(&taken));
    if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_say_more(doc, "; never compared");
    else
        syn_say_more(doc, "; ranks agree to within {time}", worst);
    say_whether_lost(doc, info);
    if (isfinite(info->own_share))
        syn_say_pair(doc, INDENT, NULL, "profiler", "took {share} of the mean rank's time",
                     info->own_share);
    else
        syn_say_pair(doc, INDENT, NULL, "profiler", "what it took is not known");
    syn_say_pair(doc, INDENT, NULL, "MPI", "{text}", syn_info_meta(file, "mpi.name"));
    syn_say_pair(doc, INDENT, NULL, "calls", "{count}", info->totals.event_count);
    if (info->messages_recorded == SYN_MESSAGES_EVENTS)
        syn_say_more(doc, " of collectives; both sides of {count} messages",
                     info->messages.matched_count);
}

/* Returns whether the text lists the factor. The summary or the table of ranks has some, and others
 * belong to a rank rather than to the run, so that they usually differ. */
static bool is_a_factor(const struct syn_factor *factor)
{
    static const char *const told[] = {"host.name", "mpi.name", "program.path", "program.args",
                                       "clock.kind"};
    static const char *const prefixes[] = {"rank.",
                                           "cost.",
                                           "sync.",
                                           "host.load_average",
                                           "sample.count",
                                           "stack.learned_count",
                                           "stack.walked_count"};
    for (size_t i = 0; i < sizeof told / sizeof *told; i++)
        if (strcmp(factor->key, told[i]) == 0)
            return false;
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(factor->key, prefixes[i], strlen(prefixes[i])) == 0)
            return false;
    return true;
}

#define KEY_WIDTH_MIN 4

/* Largest number of further values of a factor that are shown; the rest are counted. */
#define OTHERS_SHOWN 6

/* Writes all factors and their differences to JSON, and a line for each factor to text. */
static void write_factors(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    size_t width = 0;
    for (size_t i = 0; i < info->factors.count; i++)
        if (is_a_factor(&info->factors.factor[i]))
            width = syn_largest(syn_utf8_count(info->factors.factor[i].key), width);

    const size_t indent = width > 28 ? 32 : width + KEY_WIDTH_MIN;
    syn_doc_open(doc, "factors", '{');
    for (size_t i = 0; i < info->factors.count; i++)
        syn_doc_fact(doc, info->factors.factor[i].key, info->factors.factor[i].value);
    if (info->compiler)
        syn_doc_fact(doc, "program.compiler", info->compiler);
    syn_doc_close(doc);
    syn_doc_open(doc, "differing", '[');
    for (size_t i = 0; i < info->factors.count; i++) {
        const struct syn_factor *factor = &info->factors.factor[i];
        for (size_t j = 0; j < factor->other_count; j++) {
            syn_doc_open_line(doc, NULL, '{');
            syn_doc_fact(doc, "key", factor->key);
            syn_doc_fact(doc, "ranks", factor->other[j].ranks);
            syn_doc_fact(doc, "value", factor->other[j].value);
            syn_doc_close(doc);
        }
    }
    syn_doc_close(doc);
    syn_doc_heading(doc, "Factors");
    for (size_t i = 0; i < info->factors.count; i++)
        if (is_a_factor(&info->factors.factor[i])) {
            SYN_CLEANUP(syn_text_free) struct syn_text label = {0};
            syn_say_pair(doc, indent, NULL, info->factors.factor[i].key, "{text}",
                         info->factors.factor[i].value);
            for (size_t j = 0; j < info->factors.factor[i].other_count && j < OTHERS_SHOWN; j++) {
                syn_text_clear(&label);
                syn_words(&label, "  ranks {text}", info->factors.factor[i].other[j].ranks);
                syn_say_pair(doc, indent, NULL, syn_text_chars(&label), "{text}",
                             info->factors.factor[i].other[j].value);
            }
            if (info->factors.factor[i].other_count > OTHERS_SHOWN)
                syn_say_pair(doc, indent, NULL, "  other ranks", "{n} more values (--format json)",
                             info->factors.factor[i].other_count - OTHERS_SHOWN);
            doc->failed |= label.failed;
        }
    if (info->compiler)
        syn_say_pair(doc, indent, NULL, "program.compiler", "{text}", info->compiler);
    if (indent == KEY_WIDTH_MIN && !info->compiler)
        syn_say_note(doc, "no others than those above were recorded");
}

static void facts_of_worst(struct syn_doc *doc, const struct syn_causality *causality)
{
    if (causality->violation_count == 0) {
        syn_doc_fact(doc, "worst", (const char *)NULL);
        return;
    }
    syn_doc_open_line(doc, "worst", '{');
    syn_doc_fact(doc, "op", syn_op_name(causality->worst_op));
    syn_doc_fact(doc, "by_ns", causality->worst_ns);
    syn_doc_fact(
        doc, "bound_ns",
        causality->worst_bound_ns < SYN_BOUND_UNKNOWN_NS ? (double)causality->worst_bound_ns : NAN);
    syn_doc_fact(doc, "late_rank", causality->worst_late_rank);
    syn_doc_fact(doc, "early_rank", causality->worst_early_rank);
    syn_doc_close(doc);
}

static void write_causality(struct syn_doc *doc, const void *facts)
{
    const struct syn_causality *causality = &((const struct syn_info *)facts)->causality;
    syn_doc_heading(doc, "Causality");
    syn_doc_open(doc, "causality", '{');
    syn_doc_fact(doc, "checked", causality->checked_count);
    syn_doc_fact(doc, "within_bound", causality->within_count);
    syn_doc_fact(doc, "violations", causality->violation_count);
    facts_of_worst(doc, causality);
    syn_doc_close(doc);
    syn_say_note(doc,
                 "No rank can leave a barrier, an allreduce, an allgather or an alltoall before "
                 "the last has come. ");
    if (causality->checked_count == 0) {
        syn_say_more(doc, "No instance could be checked.");
        return;
    }
    syn_say_more(doc, "Checked in {count} instance{s}: ", causality->checked_count);
    if (causality->violation_count == 0) {
        syn_say_more(doc, "no violation");
        if (causality->within_count)
            syn_say_more(doc, " ({count} within the clocks' bounds)", causality->within_count);
        syn_say_more(doc, ".");
        return;
    }
    syn_say_more(doc, "{count} violation{s}.", causality->violation_count);
    doc->tone = SYN_TONE_BAD;
    syn_say_note(doc,
                 "The clock model is wrong: in an {text} rank {rank} came {time} after rank {rank} "
                 "had left, while the clocks are said to be good to {time}.",
                 syn_op_name(causality->worst_op), causality->worst_late_rank, causality->worst_ns,
                 causality->worst_early_rank, causality->worst_bound_ns);
    doc->tone = SYN_TONE_PLAIN;
}

static void write_clock_check(struct syn_json *json, const void *facts)
{
    const struct syn_info *info = facts;
    syn_clock_check_json(&info->clock_check, &info->causality, json, "clock_check");
}

static void write_lost(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    size_t fault_count;
    uint64_t dropped = 0, recorded = 0;
    int unknown = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(info->trace, &fault_count);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        unknown += file && syn_rank_loss_is_unknown(file);
        dropped += file ? syn_rank_end(file)->dropped_count : 0;
        recorded += file ? syn_rank_event_count(file) : 0;
    }
    syn_doc_embed(doc, write_clock_check, info);
    syn_doc_fact(doc, "late_start_instances", info->late_start_count);
    syn_doc_heading(doc, "What was lost");
    syn_doc_open(doc, "lost", '{');
    syn_doc_fact(doc, "incomplete_instances", info->totals.incomplete_count);
    syn_doc_fact(doc, "unplaced_events", info->totals.unplaced_count);
    syn_doc_fact(doc, "implausible_events", info->totals.implausible_count);
    syn_doc_fact(doc, "duplicate_events", info->totals.duplicate_count);
    if (info->messages_recorded == SYN_MESSAGES_EVENTS) {
        syn_doc_fact(doc, "unmatched_messages", info->messages.unmatched_count);
        syn_doc_fact(doc, "ambiguous_messages", info->messages.ambiguous_count);
        syn_doc_fact(doc, "missing_messages", info->messages.missing_count);
    }
    syn_doc_open(doc, "notes", '[');
    for (size_t i = 0; i < fault_count; i++) {
        syn_doc_fact(doc, NULL, faults[i].text);
        if (i < SYN_FAULTS_SAID)
            syn_say_item(doc, "{text}", faults[i].text);
    }
    if (fault_count > SYN_FAULTS_SAID)
        syn_say_item(doc, "{n} more fault{s}: see syncopate check", fault_count - SYN_FAULTS_SAID);
    syn_doc_close(doc);
    syn_doc_close(doc);
    if (dropped)
        syn_say_item(doc, "{count} of {count} calls: the recorder had no room for them", dropped,
                     recorded + dropped);
    if (unknown)
        syn_say_item(doc, "{n} of {n} ranks: how many of their calls were lost is not known",
                     unknown, info->rank_count);
    if (info->totals.incomplete_count)
        syn_say_item(doc, "{count} instance{s} {lacks|lack} members",
                     info->totals.incomplete_count);
    if (info->messages.unmatched_count)
        syn_say_item(doc, "{count} send{s} or receive{s} of {count}: the other half is not known",
                     info->messages.unmatched_count,
                     info->messages.unmatched_count + info->messages.ambiguous_count +
                         2 * info->messages.matched_count);
    if (info->messages.ambiguous_count)
        syn_say_item(doc,
                     "{count} send{s} or receive{s} {is|are} on channels that several threads of a "
                     "rank use: which meet is not known",
                     info->messages.ambiguous_count);
    if (info->messages.missing_count)
        syn_say_item(doc, "{count} message{s} {was|were} counted but {is|are} not in the trace",
                     info->messages.missing_count);
    if (info->late_start_count)
        syn_say_item(doc, "{count} of {count} instance{s} started late: left out of figures",
                     info->late_start_count, info->totals.instance_count);
    if (syn_doc_is_silent(doc))
        syn_say_note(doc, "nothing");
}

/* Writes a cost and its parts, "57.0 ms: host 30.1 ms, clock 12.0 ms". Parts below 1 % are left
 * out. */
static void write_cost_of(struct syn_doc *doc, const char *call, double ns,
                          const struct syn_cost_parts *parts)
{
    syn_say_pair(doc, 16, NULL, call, "{time}", ns);
    for (size_t i = 0; i < parts->count && parts->part[i].ns >= ns / 100; i++)
        syn_say_more(doc, "{text} {text} {time}", i == 0 ? ":" : ",", parts->part[i].name,
                     parts->part[i].ns);
}

static void facts_of_parts(struct syn_doc *doc, const char *key, const struct syn_cost_parts *parts)
{
    syn_doc_open_line(doc, key, '{');
    for (size_t i = 0; i < parts->count; i++)
        syn_doc_fact(doc, parts->part[i].name, parts->part[i].ns);
    syn_doc_close(doc);
}

static void write_cost(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    uint64_t bytes = 0;
    syn_doc_open(doc, "cost", '{');
    syn_doc_fact(doc, "init_ns", info->init_ns);
    syn_doc_fact(doc, "finalize_ns", info->finalize_ns);
    facts_of_parts(doc, "init_parts_ns", &info->init_parts);
    facts_of_parts(doc, "finalize_parts_ns", &info->finalize_parts);
    syn_doc_fact(doc, "pauses", info->pause_count);
    syn_doc_fact(doc, "pauses_ns", info->pauses_ns);
    syn_doc_fact(doc, "longest_pause_ns", info->longest_pause_ns);
    syn_doc_fact(doc, "call_ns", info->call_ns);
    syn_doc_fact(doc, "interval_ns", info->interval_ns);
    syn_doc_fact(doc, "own_share", info->own_share);
    syn_doc_fact(doc, "short_calls", info->short_count);
    syn_doc_fact(doc, "measured_calls", info->measured_count);
    syn_doc_close(doc);
    syn_doc_heading(doc, "What the profiler cost");
    write_cost_of(doc, "MPI_Init", info->init_ns, &info->init_parts);
    write_cost_of(doc, "MPI_Finalize", info->finalize_ns, &info->finalize_parts);
    if (isfinite(info->call_ns) && isfinite(info->interval_ns))
        syn_say_pair(doc, 16, NULL, "calls", "{time} each, {time} of it within the measured time",
                     info->call_ns, info->interval_ns);
    if (info->pause_count > 0)
        syn_say_pair(doc, 16, NULL, "pauses",
                     "{count} to encode and write events, {time} in all; the longest {time}",
                     (uint64_t)info->pause_count, info->pauses_ns, info->longest_pause_ns);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        bytes += file ? syn_rank_file_bytes(file) : 0;
    }
    const double each = (double)bytes / (double)info->totals.event_count;
    syn_say_pair(doc, 16, NULL, "on disk", "{bytes}, {number.1} bytes an event", bytes,
                 isfinite(each) ? each : 0.0);
    if (info->short_count)
        syn_say_item(doc,
                     "In {share} of {count} call{s} these {time} are more than 5 % of the measured "
                     "time.",
                     (double)info->short_count / (double)info->measured_count, info->measured_count,
                     info->interval_ns);
}

static void write_alarm(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    SYN_CLEANUP(syn_text_free) struct syn_text words = {0};
    syn_clocks_write(&info->clock_check, &info->causality, &words);
    if (words.length > 0) {
        syn_say(doc, "{text}", syn_text_chars(&words));
        syn_say_line(doc, "");
    }
}

static void facts_of_run(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    const struct syn_manifest *manifest = syn_trace_manifest(info->trace);
    syn_doc_fact(doc, "run", info->run);
    syn_doc_fact(doc, "trace", syn_trace_directory(info->trace));
    syn_doc_fact(doc, "finished", (bool)manifest);
    syn_doc_fact(doc, "start_unix_ns", manifest ? manifest->start_unix_ns : (int64_t)0);
    syn_doc_fact(doc, "duration_ns", info->run_ns);
    syn_doc_fact(doc, "rank_count", info->rank_count);
    syn_doc_fact(doc, "events", info->totals.event_count);
}

static void write_hang(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    if (info->examination.look.goes_on)
        syn_say(doc, "The run goes on: syncopate hang {shell} says who is waited for.",
                syn_trace_directory(info->trace));
    syn_hang_write(doc, &info->examination);
}

static const struct syn_doc_section sections[] = {
    {write_hang, SYN_DOC_ALL, NULL},     {write_alarm, SYN_DOC_TEXT, NULL},
    {facts_of_run, SYN_DOC_JSON, NULL},  {write_summary, SYN_DOC_TEXT, NULL},
    {write_factors, SYN_DOC_ALL, NULL},  {syn_info_ranks, SYN_DOC_ALL, NULL},
    {syn_info_clock, SYN_DOC_ALL, NULL}, {write_causality, SYN_DOC_ALL, NULL},
    {write_lost, SYN_DOC_ALL, NULL},     {write_cost, SYN_DOC_ALL, NULL},
};

void syn_info_page(const struct syn_info *info, struct syn_doc *doc)
{
    syn_doc_open(doc, NULL, '{');
    syn_doc_build(doc, sections, sizeof sections / sizeof *sections, info);
    syn_doc_close(doc);
}
