/* analyze/info/info_text.c - what `info` says to people. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analyze/info/info_parts.h"
#include "analyze/print/units.h"
#include "analyze/print/wrap.h"
#include "sync/base/integers.h"
#include "trace/base/ops.h"

/* Told elsewhere: in the summary, or in the table of ranks. */
static bool is_told(const char *key)
{
    static const char *const keys[] = {"host.name", "mpi.name", "program.path", "program.args",
                                       "clock.kind"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

/* Keys that belong to a rank, not to the run: they are expected to differ. */
static bool is_of_a_rank(const char *key)
{
    static const char *const prefixes[] = {"rank.",
                                           "cost.",
                                           "sync.",
                                           "host.load_average",
                                           "sample.count",
                                           "stack.learned_count",
                                           "stack.walked_count"};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (strncmp(key, prefixes[i], strlen(prefixes[i])) == 0)
            return true;
    return false;
}

void syn_info_heading(const struct syn_terminal *terminal, const char *title, struct syn_text *text)
{
    syn_text_format(text, "\n%s%s%s\n", syn_style_on(terminal, SYN_STYLE_BOLD), title,
                    syn_style_off(terminal));
}

/* "  key   value", the value wrapped under itself. */
void syn_info_line(const struct syn_terminal *terminal, size_t indent, const char *key,
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

static bool is_a_factor(const struct syn_factor *factor)
{
    return !is_of_a_rank(factor->key) && !is_told(factor->key);
}

#define KEY_WIDTH_MIN 4

static size_t key_width(const struct syn_factors *factors)
{
    size_t width = 0;
    for (size_t i = 0; i < factors->count; i++) {
        size_t key = syn_utf8_count(factors->factor[i].key);
        if (is_a_factor(&factors->factor[i]))
            width = syn_largest(key, width);
    }
    return width > 28 ? 32 : width + KEY_WIDTH_MIN;
}

/* More values than these of one factor are counted only. */
#define OTHERS_SHOWN 6

static void write_others(const struct syn_factor *factor, size_t indent,
                         const struct syn_terminal *terminal, struct syn_text *text)
{
    struct syn_text key = {0};
    for (size_t j = 0; j < factor->other_count && j < OTHERS_SHOWN; j++) {
        syn_text_clear(&key);
        syn_text_format(&key, "  ranks %s", factor->other[j].ranks);
        syn_info_line(terminal, indent, syn_text_chars(&key), factor->other[j].value, text);
    }
    if (factor->other_count > OTHERS_SHOWN) {
        syn_text_clear(&key);
        syn_text_format(&key, "%zu more values (--format json)",
                        factor->other_count - OTHERS_SHOWN);
        syn_info_line(terminal, indent, "  other ranks", syn_text_chars(&key), text);
    }
    syn_text_free(&key);
}

static void write_factors(const struct syn_info *info, const struct syn_terminal *terminal,
                          struct syn_text *text)
{
    size_t indent = key_width(&info->factors);
    syn_info_heading(terminal, "Factors", text);
    for (size_t i = 0; i < info->factors.count; i++) {
        const struct syn_factor *factor = &info->factors.factor[i];
        if (!is_a_factor(factor))
            continue;
        syn_info_line(terminal, indent, factor->key, factor->value, text);
        write_others(factor, indent, terminal, text);
    }
    if (info->compiler)
        syn_info_line(terminal, indent, "program.compiler", info->compiler, text);
    if (indent == KEY_WIDTH_MIN && !info->compiler)
        syn_text_string(text, "  no others than those above were recorded\n");
}

static void write_clock(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    char begin[SYN_UNIT_BYTES], end[SYN_UNIT_BYTES], words[160];
    syn_info_heading(terminal, "Clock", text);
    snprintf(words, sizeof words, "%s in MPI_Init, %s in MPI_Finalize",
             syn_unit_time(begin, info->sync_begin_ns), syn_unit_time(end, info->sync_end_ns));
    syn_info_line(terminal, 14, "took", words, text);
    if (isfinite(info->resync_s)) {
        const double count = isfinite(info->resync_count) ? info->resync_count : 0;
        snprintf(words, sizeof words, "measured again %.0f time%s in between, every %g s asked for",
                 count, count == 1 ? "" : "s", info->resync_s);
        syn_info_line(terminal, 14, "resync", words, text);
    }
    syn_info_clocks(info, terminal, text);
    if (info->measured_once_count) {
        snprintf(words, sizeof words,
                 "%d rank%s measured in MPI_Init only, since the run did not reach MPI_Finalize: "
                 "the bounds grow until its end.",
                 info->measured_once_count, info->measured_once_count == 1 ? " was" : "s were");
        syn_text_wrapped(text, terminal->width, 2, "  ", words);
    }
    syn_text_string(text, "  from: the rank it was compared with. offset: local minus global time "
                          "at the\n"
                          "  first comparison. +-: bound of the global time at the run's begin, "
                          "middle and\n"
                          "  end.\n");
    syn_info_courses(info, terminal, text);
}

static void write_causality(const struct syn_info *info, const struct syn_terminal *terminal,
                            struct syn_text *text)
{
    const struct syn_causality *causality = &info->causality;
    char checked[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES], size[SYN_UNIT_BYTES],
        bound[SYN_UNIT_BYTES];
    syn_info_heading(terminal, "Causality", text);
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
    int unknown = 0;
    const struct syn_trace_fault *faults = syn_trace_faults(info->trace, &fault_count);
    syn_info_heading(terminal, "What was lost", text);
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        unknown += file && syn_rank_loss_is_unknown(file);
        dropped += file ? syn_rank_end(file)->dropped_count : 0;
        recorded += file ? syn_rank_event_count(file) : 0;
    }
    for (size_t i = 0; i < fault_count; i++)
        syn_info_line(terminal, 4, "-", faults[i].text, text);
    if (dropped)
        syn_text_format(text, "  - %s of %s calls: the recorder had no room for them\n",
                        syn_unit_count(count, dropped), syn_unit_count(of, recorded + dropped));
    if (unknown)
        syn_text_format(text,
                        "  - %d of %d ranks: how many of their calls were lost is not known\n",
                        unknown, info->rank_count);
    if (info->totals.incomplete_count)
        syn_text_format(text, "  - %s instances lack members\n",
                        syn_unit_count(count, info->totals.incomplete_count));
    if (info->late_start_count)
        syn_text_format(text, "  - %s of %s instances started late: left out of figures\n",
                        syn_unit_count(count, info->late_start_count),
                        syn_unit_count(of, info->totals.instance_count));
    if (fault_count == 0 && dropped == 0 && unknown == 0 && info->late_start_count == 0 &&
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
    syn_info_line(terminal, 16, call, syn_text_chars(&words), text);
    syn_text_free(&words);
}

static void write_short(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    char share[SYN_UNIT_BYTES], count[SYN_UNIT_BYTES], own[SYN_UNIT_BYTES], words[160];
    if (info->short_count == 0)
        return;
    snprintf(words, sizeof words,
             "In %s of %s calls these %s are more than 5 %% of the measured time.",
             syn_unit_share(share, (double)info->short_count / (double)info->measured_count),
             syn_unit_count(count, info->measured_count), syn_unit_time(own, info->interval_ns));
    syn_info_line(terminal, 4, "-", words, text);
}

static void write_cost(const struct syn_info *info, const struct syn_terminal *terminal,
                       struct syn_text *text)
{
    char time[SYN_UNIT_BYTES], share[SYN_UNIT_BYTES], words[120];
    uint64_t bytes = 0;
    syn_info_heading(terminal, "What the profiler cost", text);
    write_cost_of(info, terminal, "MPI_Init", "cost.init", info->init_ns, text);
    write_cost_of(info, terminal, "MPI_Finalize", "cost.finalize", info->finalize_ns, text);
    if (isfinite(info->call_ns) && isfinite(info->interval_ns)) {
        snprintf(words, sizeof words, "%s each, %s of it within the measured time",
                 syn_unit_time(time, info->call_ns), syn_unit_time(share, info->interval_ns));
        syn_info_line(terminal, 16, "calls", words, text);
    }
    if (info->pause_count > 0) {
        char count[SYN_UNIT_BYTES], sum[SYN_UNIT_BYTES];
        snprintf(words, sizeof words, "%s to encode and write events, %s in all; the longest %s",
                 syn_unit_count(count, (uint64_t)info->pause_count),
                 syn_unit_time(sum, info->pauses_ns), syn_unit_time(time, info->longest_pause_ns));
        syn_info_line(terminal, 16, "pauses", words, text);
    }
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        bytes += file ? syn_rank_file_bytes(file) : 0;
    }
    double each = (double)bytes / (double)info->totals.event_count;
    snprintf(words, sizeof words, "%s, %.1f bytes an event", syn_unit_bytes(time, (double)bytes),
             isfinite(each) ? each : 0);
    syn_info_line(terminal, 16, "on disk", words, text);
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
    syn_info_summary(info, terminal, text);
    write_factors(info, terminal, text);
    syn_info_ranks(info, terminal, text);
    write_clock(info, terminal, text);
    write_causality(info, terminal, text);
    write_lost(info, terminal, text);
    write_cost(info, terminal, text);
}
