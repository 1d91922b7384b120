/* analyze/info/info_ranks.c - writes where the ranks ran, and the quality of their clocks. A few
 * ranks have a line each. Of many ranks each node has a line, and the clocks with the widest bounds
 * are shown. JSON has all ranks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/info/info.h"
#include "analyze/match/members/bounds.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

/* Largest numbers of ranks and of clocks that are shown one by one. */
#define RANKS_SHOWN  16
#define CLOCKS_SHOWN 8

const char *syn_info_meta(const struct syn_rank_file *file, const char *key)
{
    return file ? syn_rank_meta(file, key) : NULL;
}

static const char *ending_of(const struct syn_rank_file *file)
{
    return file ? syn_ending_name(syn_rank_end(file)->ending) : "no file";
}

/* ---- each rank ---- */

static bool is_unbound(const struct syn_rank_file *file)
{
    return syn_same_text(syn_info_meta(file, "rank.bound"), "no");
}

/* Adds a cell with a meta. JSON has only the number and `present` of a rank without a file. */
static void add_meta(struct syn_doc *doc, const struct syn_rank_file *file, const char *key)
{
    if (file)
        syn_say_cell(doc, "{text}", syn_rank_meta(file, key));
    else
        syn_doc_no_cell(doc);
}

static void add_rank(struct syn_doc *doc, const struct syn_info *info, int32_t r)
{
    const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
    syn_say_cell(doc, "{rank}", r);
    syn_say_cell(doc, "{yes}", (bool)file);
    add_meta(doc, file, "host.name");
    add_meta(doc, file, "rank.package");
    add_meta(doc, file, "rank.numa_node");
    add_meta(doc, file, "rank.core");
    syn_say_cell(doc, "{text}",
                 is_unbound(file) ? "anything" : syn_info_meta(file, "rank.bound_pus"));
    add_meta(doc, file, "rank.bound_pus");
    if (file) {
        syn_say_cell(doc, "{text}", ending_of(file));
        syn_say_cell(doc, "{count}", info->totals.rank[r].event_count);
    } else {
        syn_doc_no_cell(doc);
        syn_doc_no_cell(doc);
    }
    syn_say_cell(doc, "{text}", ending_of(file));
    if (!file) {
        syn_doc_no_cell(doc);
        syn_doc_no_cell(doc);
        return;
    }
    if (syn_rank_loss_is_unknown(file))
        syn_doc_null_cell(doc, "-");
    else
        syn_say_cell(doc, "{count}", syn_rank_end(file)->dropped_count);
    syn_say_cell(doc, "{count}", syn_rank_file_bytes(file));
}

static void write_each_rank(struct syn_doc *doc, const struct syn_info *info)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank", .key = "rank"},
        {.key = "present"},
        {.title = "node", .key = "node", .left = true, .flexible = true, .width_min = 8},
        {.title = "package", .key = "package", .optional = 2},
        {.title = "numa", .key = "numa_node", .optional = 1},
        {.title = "core", .key = "core"},
        {.title = "bound to", .left = true},
        {.key = "bound_pus"},
        {.key = "ended"},
        {.title = "calls", .key = "events"},
        {.title = "ended", .left = true},
        {.key = "dropped"},
        {.key = "file_bytes"},
    };
    bool unbound = false;
    syn_doc_table(doc, "ranks", columns, sizeof columns / sizeof *columns);
    for (int32_t r = 0; r < info->rank_count; r++) {
        add_rank(doc, info, r);
        unbound |= is_unbound(syn_trace_rank(info->trace, r));
    }
    if (unbound)
        syn_say_note(doc, "package, numa, core: in MPI_Init. A rank that is bound to anything may "
                          "have moved since.");
}

/* ---- each node ---- */

/* Returns whether two ranks ran on one node, and ended in the same way. */
static bool belong_together(struct syn_trace *trace, int32_t a, int32_t b)
{
    const struct syn_rank_file *left = syn_trace_rank(trace, a), *right = syn_trace_rank(trace, b);
    return syn_same_text(syn_info_meta(left, "host.name"), syn_info_meta(right, "host.name")) &&
           strcmp(ending_of(left), ending_of(right)) == 0;
}

/* Writes a row for each sequence of ranks that ran on one node and ended in the same way. */
static void write_nodes(struct syn_doc *doc, const struct syn_info *info)
{
    static const struct syn_table_column columns[] = {
        {.title = "  ranks"},
        {.title = "node", .left = true, .flexible = true, .width_min = 8},
        {.title = "calls of a rank"},
        {.title = "ended", .left = true},
    };
    size_t count = 0;
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (int32_t r = 0; r < info->rank_count;) {
        uint64_t least = UINT64_MAX, most = 0;
        int32_t end = r;
        for (; end < info->rank_count && belong_together(info->trace, r, end); end++) {
            least = syn_least(info->totals.rank[end].event_count, least);
            most = syn_largest(info->totals.rank[end].event_count, most);
        }
        if (count++ < RANKS_SHOWN) {
            const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
            if (end > r + 1)
                syn_say_cell(doc, "{rank}-{rank}", r, end - 1);
            else
                syn_say_cell(doc, "{rank}", r);
            syn_say_cell(doc, "{text}", syn_info_meta(file, "host.name"));
            if (least == most)
                syn_say_cell(doc, "{count}", least);
            else
                syn_say_cell(doc, "{count} .. {count}", least, most);
            syn_say_cell(doc, "{text}", ending_of(file));
        }
        r = end;
    }
    if (count > RANKS_SHOWN)
        syn_say_line(doc, "  ... and {n} more lines like these (--format json has all ranks)",
                     count - RANKS_SHOWN);
}

static bool is_cut(const struct syn_doc *doc, const struct syn_info *info)
{
    return info->rank_count > RANKS_SHOWN && doc->format != SYN_DOC_JSON;
}

void syn_info_ranks(struct syn_doc *doc, const void *facts)
{
    syn_doc_heading(doc, "Where the ranks ran");
    (is_cut(doc, facts) ? write_nodes : write_each_rank)(doc, facts);
}

/* ---- clocks ---- */

static void add_bound(struct syn_doc *doc, int64_t bound_ns)
{
    if (bound_ns >= SYN_BOUND_UNKNOWN_NS)
        syn_doc_null_cell(doc, "unknown");
    else
        syn_say_cell(doc, "{time}", bound_ns);
}

static void add_clock(struct syn_doc *doc, int32_t rank, const struct syn_rank_clock *clock)
{
    const struct syn_sync_quality *quality = clock->quality;
    syn_say_cell(doc, "{rank}", rank);
    if (quality && quality->reference_rank >= 0)
        syn_say_cell(doc, "{rank}", quality->reference_rank);
    else
        syn_doc_no_cell(doc);
    syn_say_cell(doc, "{time}", clock->offset_begin_ns);
    syn_say_cell(doc, "{time}", clock->offset_end_ns);
    syn_say_cell(doc, "{number.4}", clock->drift_ppm);
    add_bound(doc, clock->bound_begin_ns);
    add_bound(doc, clock->bound_mid_ns);
    add_bound(doc, clock->bound_end_ns);
    syn_say_cell(doc, "{n}", clock->knot_count);
    syn_say_cell(doc, "{n}", clock->fitpoint_count);
    /* JSON: how the clock was measured; empty if that is unknown. */
    for (int i = 0; i < 6 && !quality; i++)
        syn_doc_no_cell(doc);
    if (!quality)
        return;
    syn_say_cell(doc, "{n}", quality->reference_rank);
    syn_say_cell(doc, "{n}", quality->group_size);
    syn_say_cell(doc, "{n}", quality->round_count);
    syn_say_cell(doc, "{n}", quality->message_count);
    syn_say_cell(doc, "{n}", quality->begin_ns);
    syn_say_cell(doc, "{n}", quality->end_ns);
}

/* Orders clocks by their bound at the run's end, the widest first. */
SYN_ORDER(by_bound, struct syn_rank_clock *const,
          SYN_COMPARE((*b)->bound_end_ns, (*a)->bound_end_ns) ?: SYN_UP_ITSELF)

static void write_clocks(struct syn_doc *doc, const struct syn_info *info)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank", .key = "rank"},
        {.title = "from"},
        {.title = "offset", .key = "offset_begin_ns"},
        {.key = "offset_end_ns"},
        {.title = "drift ppm", .key = "drift_ppm"},
        {.title = "+- begin", .key = "bound_begin_ns"},
        {.title = "+- middle", .key = "bound_mid_ns"},
        {.title = "+- end", .key = "bound_end_ns"},
        {.title = "knots", .key = "knots", .optional = 2},
        {.key = "fitpoints"},
        {.key = "reference_rank"},
        {.key = "group_size"},
        {.key = "rounds"},
        {.title = "messages", .key = "messages", .optional = 1},
        {.key = "sync_begin_ns"},
        {.key = "sync_end_ns"},
    };
    SYN_FREED const struct syn_rank_clock **clock =
        malloc(((size_t)info->rank_count + 1) * sizeof *clock);
    size_t count = 0;
    const bool many = is_cut(doc, info);
    for (int32_t r = 0; clock && r < info->rank_count; r++)
        if (info->clock[r].present)
            clock[count++] = &info->clock[r];
    if (clock && many)
        qsort(clock, count, sizeof *clock, by_bound);
    syn_doc_table(doc, "ranks", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && (!many || i < CLOCKS_SHOWN); i++)
        add_clock(doc, (int32_t)(clock[i] - info->clock), clock[i]);
    doc->failed |= !clock;
    if (many && count > CLOCKS_SHOWN)
        syn_say_line(doc, "  ... the widest bounds; {n} more ranks (--format json)",
                     count - CLOCKS_SHOWN);
}

/* ---- clock histories ---- */

static void fact_of_three(struct syn_doc *doc, int64_t at_ns, double low_ns, double high_ns)
{
    syn_doc_open(doc, NULL, '[');
    syn_doc_fact(doc, NULL, at_ns);
    syn_doc_fact(doc, NULL, low_ns);
    syn_doc_fact(doc, NULL, high_ns);
    syn_doc_close(doc);
}

static void add_ppm(struct syn_doc *doc, double ppm)
{
    if (isfinite(ppm))
        syn_say_cell(doc, "{number.4}", ppm);
    else
        syn_doc_null_cell(doc, "-");
}

static void write_histories(struct syn_doc *doc, const struct syn_info *info)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank"}, {.title = "points"},   {.title = "residual"}, {.title = "ppm, begin"},
        {.title = "+-"},     {.title = "ppm, run"}, {.title = "+-"}};
    const size_t shown = syn_least(info->history_count, CLOCKS_SHOWN);
    syn_doc_open(doc, "courses", '[');
    for (size_t i = 0; i < info->history_count; i++) {
        /* points and bands: [time, low, high] */
        syn_doc_open_line(doc, NULL, '{');
        syn_doc_fact(doc, "rank", info->history[i].rank);
        syn_doc_fact(doc, "drift_begin_ppm", info->history[i].begin_ppm);
        syn_doc_fact(doc, "drift_begin_error_ppm", info->history[i].begin_error_ppm);
        syn_doc_fact(doc, "drift_ppm", info->history[i].run_ppm);
        syn_doc_fact(doc, "drift_half_width_ppm", info->history[i].run_half_width_ppm);
        syn_doc_fact(doc, "residual_median_ns", info->history[i].residual_median_ns);
        syn_doc_open(doc, "points_ns", '[');
        for (size_t j = 0; j < info->history[i].point_count; j++)
            fact_of_three(doc, info->history[i].point[j].at_ns, info->history[i].point[j].low_ns,
                          info->history[i].point[j].high_ns);
        syn_doc_close(doc);
        syn_doc_open(doc, "bands_ns", '[');
        for (size_t j = 0; j < info->history[i].band_count; j++)
            fact_of_three(doc, info->history[i].band[j].at_ns, info->history[i].band[j].low_ns,
                          info->history[i].band[j].high_ns);
        syn_doc_close(doc);
        syn_doc_close(doc);
    }
    syn_doc_close(doc);
    if (shown == 0)
        return;
    syn_say_line(doc, "");
    syn_doc_table(doc, NULL, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++) {
        const struct syn_clock_history *history = &info->history[i];
        syn_say_cell(doc, "{rank}", history->rank);
        syn_say_cell(doc, "{n}", history->point_count);
        syn_say_cell(doc, "{time}", history->residual_median_ns);
        add_ppm(doc, history->begin_ppm);
        add_ppm(doc, 2 * history->begin_error_ppm);
        add_ppm(doc, history->run_ppm);
        add_ppm(doc, history->run_half_width_ppm);
    }
    syn_say_note(doc, "points: offsets measured. residual: how far begin's lie from their line, "
                      "half of them. Drift against rank 0 at the run's begin (+-: two standard "
                      "errors) and over all of it (+-: a hard bound); apart by more, the clock's "
                      "rate has changed.");
    if (shown < info->history_count)
        syn_say_line(doc, "  ... {n} more ranks (--format json)", info->history_count - shown);
}

void syn_info_clock(struct syn_doc *doc, const void *facts)
{
    const struct syn_info *info = facts;
    const struct syn_rank_file *file = syn_info_first_file(info);
    const struct syn_tick_source *ticks = file ? syn_rank_ticks(file) : NULL;
    syn_doc_heading(doc, "Clock");
    syn_doc_open(doc, "clock", '{');
    syn_doc_fact(doc, "kind", ticks ? syn_clock_kind_name(ticks->kind) : (const char *)NULL);
    syn_doc_fact(doc, "method", syn_info_meta(file, "sync.method"));
    syn_doc_fact(doc, "sync_begin_ns", info->sync_begin_ns);
    syn_doc_fact(doc, "sync_end_ns", info->sync_end_ns);
    syn_doc_fact(doc, "resync_s", info->resync_s);
    syn_doc_fact(doc, "resync_count", info->resync_count);
    syn_doc_fact(doc, "ranks_measured_once", info->measured_once_count);
    syn_say_pair(doc, 14, NULL, "took", "{time} in MPI_Init", info->sync_begin_ns);
    if (info->sync_end_ns > 0)
        syn_say_more(doc, ", {time} in MPI_Finalize", info->sync_end_ns);
    if (isfinite(info->resync_s)) {
        const int64_t count = isfinite(info->resync_count) ? (int64_t)info->resync_count : 0;
        syn_say_pair(doc, 14, NULL, "resync",
                     "measured again {n} time{s} in between, every {number} s asked for", count,
                     info->resync_s);
    }
    write_clocks(doc, info);
    if (info->measured_once_count)
        syn_say_note(doc,
                     "{n} rank{s} {was|were} measured in MPI_Init only, since the run did not "
                     "reach MPI_Finalize: the bounds grow until its end.",
                     info->measured_once_count);
    syn_say_note(doc, "from: the rank it was compared with. offset: local minus global time at the "
                      "first comparison. +-: bound of the global time at the run's begin, middle "
                      "and end.");
    write_histories(doc, info);
    syn_doc_close(doc);
}
