/* analyze/info/info_summary.c - the first lines of `info`: what ran, and how good its trace is. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/info/info_parts.h"
#include "analyze/match/bounds.h"
#include "analyze/print/units.h"

#define INDENT 12

static void summary_line(const struct syn_terminal *terminal, const char *key,
                         struct syn_text *words, struct syn_text *text)
{
    syn_info_line(terminal, INDENT, key, syn_text_chars(words), text);
    text->failed |= words->failed;
    syn_text_clear(words);
}

const struct syn_rank_file *syn_info_first_file(const struct syn_info *info)
{
    for (int32_t r = 0; r < info->rank_count; r++)
        if (syn_trace_rank(info->trace, r))
            return syn_trace_rank(info->trace, r);
    return NULL;
}

static void tell_program(const struct syn_info *info, struct syn_text *out)
{
    const struct syn_rank_file *file = syn_info_first_file(info);
    const char *args = file ? syn_rank_meta(file, "program.args") : NULL;
    syn_text_format(out, "%s%s%s", syn_info_meta(file, "program.path"), args && args[0] ? " " : "",
                    args ? args : "");
}

static void tell_run(const struct syn_info *info, struct syn_text *out)
{
    const struct syn_manifest *manifest = syn_trace_manifest(info->trace);
    const time_t seconds = manifest ? (time_t)(manifest->start_unix_ns / 1000000000) : 0;
    char duration[SYN_UNIT_BYTES], date[40];
    struct tm broken;
    syn_text_string(out, syn_unit_time(duration, info->run_ns));
    if (seconds > 0 && gmtime_r(&seconds, &broken) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &broken))
        syn_text_format(out, ", from %s", date);
    if (!manifest)
        syn_text_string(out, "; unfinished: there is no manifest");
}

/* Ranks that did not end in MPI_Finalize. */
static int32_t count_lost_ends(const struct syn_info *info)
{
    int32_t count = 0;
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        count += file && syn_rank_end(file)->ending != SYN_ENDING_FINALIZE;
    }
    return count;
}

static uint32_t count_nodes(const struct syn_info *info)
{
    for (size_t i = 0; i < info->factors.count; i++)
        if (strcmp(info->factors.factor[i].key, "host.name") == 0)
            return (uint32_t)info->factors.factor[i].other_count + 1;
    return 0;
}

static void tell_ranks(const struct syn_info *info, struct syn_text *out)
{
    const int32_t lost = count_lost_ends(info);
    const uint32_t nodes = count_nodes(info);
    syn_text_format(out, "%d", info->rank_count);
    if (nodes > 0)
        syn_text_format(out, " on %u node%s", nodes, nodes == 1 ? "" : "s");
    if (info->present_count < info->rank_count)
        syn_text_format(out, "; only %d of them have a file", info->present_count);
    if (lost > 0)
        syn_text_format(out, "; %d did not end in MPI_Finalize", lost);
    else if (info->present_count == info->rank_count)
        syn_text_string(out, "; all have a file and ended in MPI_Finalize");
}

static void tell_clock(const struct syn_info *info, struct syn_text *out)
{
    const struct syn_rank_file *file = syn_info_first_file(info);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    struct syn_text taken = {0};
    char bound[SYN_UNIT_BYTES];
    int64_t worst = 0;
    for (int32_t r = 0; r < info->rank_count; r++)
        if (info->clock[r].present && info->clock[r].bound_worst_ns > worst)
            worst = info->clock[r].bound_worst_ns;
    syn_clocks_method_words(info->trace, &taken);
    syn_text_format(out, "%s, synchronized by %s",
                    ticks ? syn_clock_kind_name(ticks->kind) : "unknown",
                    syn_info_meta(file, "sync.method"));
    if (taken.length)
        syn_text_format(out, " (%s)", syn_text_chars(&taken));
    if (worst >= SYN_BOUND_UNKNOWN_NS)
        syn_text_string(out, "; never compared");
    else
        syn_text_format(out, "; ranks agree to within %s", syn_unit_time(bound, (double)worst));
    syn_text_free(&taken);
}

static void tell_lost(const struct syn_info *info, struct syn_text *out)
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
    if (fault_count + dropped + unknown + info->totals.incomplete_count == 0)
        syn_text_string(out, "nothing");
    else
        syn_text_string(out, "something: see \"What was lost\" below");
}

static void tell_profiler(const struct syn_info *info, struct syn_text *out)
{
    char share[SYN_UNIT_BYTES];
    if (isfinite(info->own_share))
        syn_text_format(out, "took %s of the mean rank's time",
                        syn_unit_share(share, info->own_share));
    else
        syn_text_string(out, "what it took is not known");
}

void syn_info_summary(const struct syn_info *info, const struct syn_terminal *terminal,
                      struct syn_text *text)
{
    struct syn_text words = {0};
    char count[SYN_UNIT_BYTES];
    static const struct {
        const char *key;
        void (*tell)(const struct syn_info *, struct syn_text *);
    } parts[] = {{"program", tell_program}, {"ran", tell_run},   {"ranks", tell_ranks},
                 {"clock", tell_clock},     {"lost", tell_lost}, {"profiler", tell_profiler}};
    syn_info_heading(terminal, "Summary", text);
    syn_text_string(&words, syn_trace_directory(info->trace));
    summary_line(terminal, "trace", &words, text);
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        parts[i].tell(info, &words);
        summary_line(terminal, parts[i].key, &words, text);
    }
    syn_text_string(&words, syn_info_meta(syn_info_first_file(info), "mpi.name"));
    summary_line(terminal, "MPI", &words, text);
    syn_text_string(&words, syn_unit_count(count, info->totals.event_count));
    summary_line(terminal, "calls", &words, text);
    syn_text_free(&words);
}
