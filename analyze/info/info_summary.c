/* analyze/info/info_summary.c - the first lines of `info`: what ran, and how good its trace is. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "analyze/info/info_parts.h"
#include "analyze/match/members/bounds.h"

#define INDENT 12

const struct syn_rank_file *syn_info_first_file(const struct syn_info *info)
{
    for (int32_t r = 0; r < info->rank_count; r++)
        if (syn_trace_rank(info->trace, r))
            return syn_trace_rank(info->trace, r);
    return NULL;
}

static uint32_t count_nodes(const struct syn_info *info)
{
    for (size_t i = 0; i < info->factors.count; i++)
        if (strcmp(info->factors.factor[i].key, "host.name") == 0)
            return (uint32_t)info->factors.factor[i].other_count + 1;
    return 0;
}

static void tell_ranks(struct syn_doc *doc, const struct syn_info *info)
{
    /* Ranks that did not end in MPI_Finalize. */
    int32_t lost = 0;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        lost += file && syn_rank_end(file)->ending != SYN_ENDING_FINALIZE;
    }
    const uint32_t nodes = count_nodes(info);
    syn_say_pair(doc, INDENT, NULL, "ranks", "{n}", info->rank_count);
    if (nodes > 0)
        syn_say_more(doc, " on {n} node{s}", nodes);
    if (info->present_count < info->rank_count)
        syn_say_more(doc, "; only {n} of them have a file", info->present_count);
    if (lost > 0)
        syn_say_more(doc, "; {n} did not end in MPI_Finalize", lost);
    else if (info->present_count == info->rank_count)
        syn_say_more(doc, "; all have a file and ended in MPI_Finalize");
}

static void tell_lost(struct syn_doc *doc, const struct syn_info *info)
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

/* Trace, program, run, ranks, clock, losses: a line each. */
void syn_info_summary(struct syn_doc *doc, const void *facts)
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
    tell_ranks(doc, info);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    struct syn_text taken = {0};
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
    syn_text_free(&taken);
    tell_lost(doc, info);
    if (isfinite(info->own_share))
        syn_say_pair(doc, INDENT, NULL, "profiler", "took {share} of the mean rank's time",
                     info->own_share);
    else
        syn_say_pair(doc, INDENT, NULL, "profiler", "what it took is not known");
    syn_say_pair(doc, INDENT, NULL, "MPI", "{text}",
                 syn_info_meta(syn_info_first_file(info), "mpi.name"));
    syn_say_pair(doc, INDENT, NULL, "calls", "{count}", info->totals.event_count);
}
