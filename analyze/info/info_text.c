/* analyze/info/info_text.c - what `info` says to people. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/info/info.h"
#include "analyze/match/bounds.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/print/wrap.h"
#include "trace/ops.h"

/* Keys that belong to a rank, not to the run: they are expected to differ. */
static bool is_of_a_rank(const char *key)
{
    static const char *const prefixes[] = {"rank.", "cost.", "sync.", "host.load_average"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

static void heading(const struct syn_terminal *terminal, const char *title, struct syn_text *text)
{
    syn_text_format(text, "\n%s%s%s\n", syn_style_on(terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(terminal));
}

/* "  key   value", the value wrapped under itself. */
static void line(const struct syn_terminal *terminal, size_t indent, const char *key,
                 const char *value, struct syn_text *text)
{
    struct syn_text shown = {0};
    syn_text_string(text, "  ");
    syn_text_harmless(text, key);
    size_t used = syn_utf8_count(key) + 2;
    syn_text_repeat(text, ' ', used < indent ? indent - used : 1);
    size_t column = used < indent ? indent : used + 1;
    syn_text_harmless(&shown, value);
    for (const char *from = syn_text_chars(&shown); *from;) {
        size_t blanks = strspn(from, " ");
        size_t length = blanks + strcspn(from + blanks, " ");
        size_t count = syn_utf8_count(from) - syn_utf8_count(from + length);
        if (column > indent && column + count > terminal->width) {
            syn_text_char(text, '\n');
            syn_text_repeat(text, ' ', indent);
            column = indent;
            from += blanks;
            continue;
        }
        syn_text_append(text, from, length);
        from += length;
        column += count;
    }
    syn_text_char(text, '\n');
    syn_text_free(&shown);
}

static size_t key_width(const struct syn_factors *factors)
{
    size_t width = 0;
    for (size_t i = 0; i < factors->count; i++) {
        size_t key = syn_utf8_count(factors->factor[i].key);
        width = !is_of_a_rank(factors->factor[i].key) && key > width ? key : width;
    }
    return width > 28 ? 32 : width + 4;
}

static void write_factors(const struct syn_info *info, const struct syn_terminal *terminal,
                          struct syn_text *text)
{
    size_t indent = key_width(&info->factors);
    heading(terminal, "Factors", text);
    for (size_t i = 0; i < info->factors.count; i++) {
        const struct syn_factor *factor = &info->factors.factor[i];
        if (is_of_a_rank(factor->key))
            continue;
        line(terminal, indent, factor->key, factor->value, text);
        for (size_t j = 0; j < factor->other_count; j++) {
            struct syn_text key = {0};
            syn_text_format(&key, "  ranks %s", factor->other[j].ranks);
            line(terminal, indent, syn_text_chars(&key), factor->other[j].value, text);
            syn_text_free(&key);
        }
    }
    if (info->compiler)
        line(terminal, indent, "program.compiler", info->compiler, text);
}

static void write_run(const struct syn_info *info, const struct syn_terminal *terminal,
                      struct syn_text *text)
{
    const struct syn_manifest *manifest = syn_trace_manifest(info->trace);
    char words[100], duration[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES], date[40] = "";
    heading(terminal, "Trace", text);
    line(terminal, 14, "directory", syn_trace_directory(info->trace), text);
    line(terminal, 14, "state", manifest ? "finished" : "unfinished: no manifest", text);
    time_t seconds = manifest ? (time_t)(manifest->start_unix_ns / 1000000000) : 0;
    struct tm broken;
    if (seconds > 0 && gmtime_r(&seconds, &broken) &&
        strftime(date, sizeof date, "%Y-%m-%d %H:%M:%S UTC", &broken))
        line(terminal, 14, "began", date, text);
    line(terminal, 14, "ran", syn_unit_time(duration, info->run_ns), text);
    snprintf(words, sizeof words, "%d of %d have a file", info->present_count, info->rank_count);
    line(terminal, 14, "ranks", words, text);
    line(terminal, 14, "events", syn_unit_count(count, info->totals.event_count), text);
}

static const char *meta(const struct syn_rank_file *file, const char *key)
{
    const char *value = file ? syn_rank_meta(file, key) : NULL;
    return value ? value : "-";
}

static void write_ranks(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank"},
        {.title = "node", .left = true, .flexible = true, .width_min = 8},
        {.title = "package", .optional = 2},
        {.title = "numa", .optional = 1},
        {.title = "core"},
        {.title = "bound to", .left = true},
        {.title = "events"},
        {.title = "ended", .left = true},
    };
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    char cell[SYN_UNIT_BYTES];
    bool unbound = false;
    heading(terminal, "Where the ranks ran", text);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        const char *bound = meta(file, "rank.bound");
        unbound |= strcmp(bound, "no") == 0;
        snprintf(cell, sizeof cell, "%d", r);
        syn_table_cell(table, cell);
        syn_table_cell(table, meta(file, "host.name"));
        syn_table_cell(table, meta(file, "rank.package"));
        syn_table_cell(table, meta(file, "rank.numa_node"));
        syn_table_cell(table, meta(file, "rank.core"));
        syn_table_cell(table, strcmp(bound, "no") == 0 ? "anything" : meta(file, "rank.bound_pus"));
        syn_table_cell(table, syn_unit_count(cell, info->totals.rank[r].event_count));
        syn_table_cell(table, file ? syn_ending_name(syn_rank_end(file)->ending) : "no file");
    }
    syn_table_write(table, terminal, text);
    syn_table_free(table);
    if (unbound)
        syn_text_wrapped(text, terminal->width, 2, "  ",
                         "package, numa, core: where it was in MPI_Init; a rank that is bound to "
                         "anything may have moved since");
}

static void bound_cell(struct syn_table *table, int64_t bound_ns)
{
    char cell[SYN_UNIT_BYTES];
    syn_table_cell(table, bound_ns >= SYN_BOUND_UNKNOWN_NS ? "unknown"
                                                           : syn_unit_time(cell, (double)bound_ns));
}

static void write_rank_clock(struct syn_table *table, int32_t rank,
                             const struct syn_rank_clock *clock)
{
    char cell[SYN_UNIT_BYTES];
    const struct syn_sync_quality *quality = clock->quality;
    snprintf(cell, sizeof cell, "%d", rank);
    syn_table_cell(table, cell);
    snprintf(cell, sizeof cell, "%d", quality ? quality->reference_rank : -1);
    syn_table_cell(table, quality && quality->reference_rank >= 0 ? cell : "-");
    syn_table_cell(table, syn_unit_time(cell, (double)clock->offset_begin_ns));
    snprintf(cell, sizeof cell, "%.4f", clock->drift_ppm);
    syn_table_cell(table, cell);
    bound_cell(table, clock->bound_begin_ns);
    bound_cell(table, clock->bound_mid_ns);
    bound_cell(table, clock->bound_end_ns);
    snprintf(cell, sizeof cell, "%zu", clock->knot_count);
    syn_table_cell(table, cell);
    snprintf(cell, sizeof cell, "%lld", quality ? (long long)quality->message_count : 0);
    syn_table_cell(table, cell);
}

static void write_clocks(const struct syn_info *info, const struct syn_terminal *terminal,
                         struct syn_text *text)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank"},
        {.title = "from"},
        {.title = "offset"},
        {.title = "drift ppm"},
        {.title = "+- begin"},
        {.title = "+- middle"},
        {.title = "+- end"},
        {.title = "knots", .optional = 2},
        {.title = "messages", .optional = 1},
    };
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    for (int32_t r = 0; r < info->rank_count; r++)
        if (info->clock[r].present)
            write_rank_clock(table, r, &info->clock[r]);
    syn_table_write(table, terminal, text);
    syn_table_free(table);
}

static void write_clock(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    char begin[SYN_UNIT_BYTES], end[SYN_UNIT_BYTES], words[160];
    const struct syn_rank_file *file = NULL;
    for (int32_t r = 0; r < info->rank_count && !file; r++)
        file = syn_trace_rank(info->trace, r);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    heading(terminal, "Clock", text);
    line(terminal, 14, "kind", ticks ? syn_clock_kind_name(ticks->kind) : "unknown", text);
    line(terminal, 14, "method", meta(file, "sync.method"), text);
    snprintf(words, sizeof words, "%s in MPI_Init, %s in MPI_Finalize",
             syn_unit_time(begin, info->sync_begin_ns), syn_unit_time(end, info->sync_end_ns));
    line(terminal, 14, "took", words, text);
    if (isfinite(info->resync_s)) {
        const double count = isfinite(info->resync_count) ? info->resync_count : 0;
        snprintf(words, sizeof words, "measured again %.0f time%s in between, every %g s asked for",
                 count, count == 1 ? "" : "s", info->resync_s);
        line(terminal, 14, "resync", words, text);
    }
    write_clocks(info, terminal, text);
    if (info->measured_once_count)
        syn_text_format(text,
                        "  %d rank%s measured in MPI_Init only, since the run did not reach\n"
                        "  MPI_Finalize: the bounds grow until its end.\n",
                        info->measured_once_count,
                        info->measured_once_count == 1 ? " was" : "s were");
    syn_text_string(
        text, "  from: the rank it was compared with; offset: local minus global time when first\n"
              "  compared; +-: the global time is known to within this at the run's begin,\n"
              "  middle and end\n");
}

static void write_causality(const struct syn_info *info, const struct syn_terminal *terminal,
                            struct syn_text *text)
{
    const struct syn_causality *causality = &info->causality;
    char checked[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES], size[SYN_UNIT_BYTES],
        bound[SYN_UNIT_BYTES];
    heading(terminal, "Causality", text);
    syn_text_format(
        text,
        "  No rank can leave a barrier, an allreduce, an allgather or an alltoall before\n"
        "  the last has come. Checked in %s instances: ",
        syn_unit_count(checked, causality->checked_count));
    if (causality->violation_count == 0) {
        syn_text_string(text, "no violation");
        if (causality->within_count)
            syn_text_format(text, "\n  (%s within the clocks' bounds)",
                            syn_unit_count(count, causality->within_count));
        syn_text_string(text, ".\n");
        return;
    }
    syn_text_format(text, "%s violations.\n", syn_unit_count(count, causality->violation_count));
    syn_text_format(
        text,
        "  %sThe clock model is wrong%s: in an %s rank %u came %s after rank %u had left,\n"
        "  while the clocks are said to be good to %s.\n",
        syn_style_on(terminal, SYN_STYLE_BAD), syn_style_off(terminal),
        syn_op_name(causality->worst_op), causality->worst_late_rank,
        syn_unit_time(size, (double)causality->worst_ns), causality->worst_early_rank,
        syn_unit_time(bound, (double)causality->worst_bound_ns));
}

static void write_lost(const struct syn_info *info, const struct syn_terminal *terminal,
                       struct syn_text *text)
{
    char count[SYN_UNIT_BYTES], of[SYN_UNIT_BYTES];
    size_t fault_count;
    uint64_t dropped = 0, recorded = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(info->trace, &fault_count);
    heading(terminal, "What was lost", text);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        dropped += file ? syn_rank_end(file)->dropped_count : 0;
        recorded += file ? syn_rank_event_count(file) : 0;
    }
    for (size_t i = 0; i < fault_count; i++)
        line(terminal, 4, "-", faults[i].text, text);
    if (dropped)
        syn_text_format(text, "  - %s of %s calls: the recorder had no place for them\n",
                        syn_unit_count(count, dropped), syn_unit_count(of, recorded + dropped));
    if (info->totals.incomplete_count)
        syn_text_format(text, "  - %s instances lack members\n",
                        syn_unit_count(count, info->totals.incomplete_count));
    if (info->late_start_count)
        syn_text_format(text, "  - %s of %s instances started late: left out of figures\n",
                        syn_unit_count(count, info->late_start_count),
                        syn_unit_count(of, info->totals.instance_count));
    if (fault_count == 0 && dropped == 0 && info->late_start_count == 0 &&
        info->totals.incomplete_count == 0)
        syn_text_string(text, "  nothing\n");
}

/* "57.0 ms: host 30.1 ms, clock 12.0 ms", without parts below 1 %. */
static void write_cost_of(const struct syn_info *info, const struct syn_terminal *terminal,
                          const char *call, const char *prefix, double ns, struct syn_text *text)
{
    struct syn_cost_part parts[SYN_COST_PARTS_MAX];
    struct syn_text words = {0};
    char time[SYN_UNIT_BYTES];
    const size_t count = syn_info_cost_parts(info, prefix, parts);
    syn_text_string(&words, syn_unit_time(time, ns));
    for (size_t i = 0; i < count && parts[i].ns >= ns / 100; i++)
        syn_text_format(&words, "%s %s %s", i == 0 ? ":" : ",", parts[i].name,
                        syn_unit_time(time, parts[i].ns));
    line(terminal, 16, call, syn_text_chars(&words), text);
    syn_text_free(&words);
}

static void write_short(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    char share[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES], own[SYN_UNIT_BYTES], words[160];
    if (info->short_count == 0)
        return;
    snprintf(words, sizeof words,
             "%s of %s calls are so short that over 5 %% of the time measured is these %s",
             syn_unit_share(share, (double)info->short_count / (double)info->measured_count),
             syn_unit_count(count, info->measured_count), syn_unit_time(own, info->interval_ns));
    line(terminal, 4, "-", words, text);
}

static void write_cost(const struct syn_info *info, const struct syn_terminal *terminal,
                       struct syn_text *text)
{
    char time[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES], words[120];
    uint64_t bytes = 0;
    heading(terminal, "What the profiler cost", text);
    write_cost_of(info, terminal, "MPI_Init", "cost.init", info->init_ns, text);
    write_cost_of(info, terminal, "MPI_Finalize", "cost.finalize", info->finalize_ns, text);
    if (isfinite(info->call_ns) && isfinite(info->interval_ns)) {
        snprintf(words, sizeof words, "%s each, %s of it within the time that is measured",
                 syn_unit_time(time, info->call_ns), syn_unit_time(share, info->interval_ns));
        line(terminal, 16, "calls", words, text);
    }
    if (info->pause_count > 0) {
        char count[SYN_UNIT_BYTES], sum[SYN_UNIT_BYTES];
        snprintf(words, sizeof words, "%s for another block of events, %s in all; the longest %s",
                 syn_unit_count(count, (uint64_t)info->pause_count),
                 syn_unit_time(sum, info->pauses_ns), syn_unit_time(time, info->longest_pause_ns));
        line(terminal, 16, "pauses", words, text);
    }
    if (isfinite(info->own_share)) {
        snprintf(words, sizeof words, "%s of the mean rank's time",
                 syn_unit_share(share, info->own_share));
        line(terminal, 16, "together", words, text);
    }
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        bytes += file ? syn_rank_file_bytes(file) : 0;
    }
    double each = (double)bytes / (double)info->totals.event_count;
    snprintf(words, sizeof words, "%s, %.1f bytes an event", syn_unit_bytes(time, (double)bytes),
             isfinite(each) ? each : 0);
    line(terminal, 16, "on disk", words, text);
    write_short(info, terminal, text);
}

static void write_alarm(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    struct syn_text words = {0};
    syn_clocks_tell(&info->clock_check, &info->causality, &words);
    if (words.length > 0) {
        syn_text_wrapped(text, terminal->width, 0, "", syn_text_chars(&words));
        syn_text_char(text, '\n');
    }
    syn_text_free(&words);
}

void syn_info_text(const struct syn_info *info, const struct syn_terminal *terminal,
                   struct syn_text *text)
{
    write_alarm(info, terminal, text);
    write_run(info, terminal, text);
    write_factors(info, terminal, text);
    write_ranks(info, terminal, text);
    write_clock(info, terminal, text);
    write_causality(info, terminal, text);
    write_lost(info, terminal, text);
    write_cost(info, terminal, text);
}
