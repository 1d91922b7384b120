/* analyze/info/info_ranks.c - where the ranks ran and how good their clocks are: of a few ranks a
 * line each; of many a line a node, and the clocks with the widest bounds. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/info/info_parts.h"
#include "analyze/match/bounds.h"
#include "analyze/print/table.h"
#include "analyze/print/units.h"
#include "analyze/print/wrap.h"
#include "sync/base/integers.h"

/* More ranks than these are put together. */
#define RANKS_SHOWN  16
#define CLOCKS_SHOWN 8

const char *syn_info_meta(const struct syn_rank_file *file, const char *key)
{
    const char *value = file ? syn_rank_meta(file, key) : NULL;
    return value ? value : "-";
}

static const char *ending_of(const struct syn_rank_file *file)
{
    return file ? syn_ending_name(syn_rank_end(file)->ending) : "no file";
}

/* ---- a line a rank ---- */

static const char *bound_to(const struct syn_rank_file *file)
{
    return strcmp(syn_info_meta(file, "rank.bound"), "no") == 0
               ? "anything"
               : syn_info_meta(file, "rank.bound_pus");
}

static void write_each_rank(const struct syn_info *info, const struct syn_terminal *terminal,
                            struct syn_text *text)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank"},
        {.title = "node", .left = true, .flexible = true, .width_min = 8},
        {.title = "package", .optional = 2},
        {.title = "numa", .optional = 1},
        {.title = "core"},
        {.title = "bound to", .left = true},
        {.title = "calls"},
        {.title = "ended", .left = true},
    };
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    char cell[SYN_UNIT_BYTES];
    for (int32_t r = 0; r < info->rank_count; r++) {
        const struct syn_rank_file *file = syn_trace_rank(info->trace, r);
        snprintf(cell, sizeof cell, "%d", r);
        syn_table_cell(table, cell);
        syn_table_cell(table, syn_info_meta(file, "host.name"));
        syn_table_cell(table, syn_info_meta(file, "rank.package"));
        syn_table_cell(table, syn_info_meta(file, "rank.numa_node"));
        syn_table_cell(table, syn_info_meta(file, "rank.core"));
        syn_table_cell(table, bound_to(file));
        syn_table_cell(table, syn_unit_count(cell, info->totals.rank[r].event_count));
        syn_table_cell(table, ending_of(file));
    }
    syn_table_write(table, terminal, text);
    syn_table_free(table);
}

/* ---- a line a node ---- */

/* Neighbouring ranks of one node that ended alike. */
struct stretch {
    int32_t first, count;
    uint64_t least_calls, most_calls;
};

static bool belong_together(struct syn_trace *trace, int32_t a, int32_t b)
{
    const struct syn_rank_file *left = syn_trace_rank(trace, a), *right = syn_trace_rank(trace, b);
    return strcmp(syn_info_meta(left, "host.name"), syn_info_meta(right, "host.name")) == 0 &&
           strcmp(ending_of(left), ending_of(right)) == 0;
}

static struct stretch stretch_from(const struct syn_info *info, int32_t first)
{
    struct stretch stretch = {first, 0, UINT64_MAX, 0};
    for (int32_t r = first; r < info->rank_count && belong_together(info->trace, first, r); r++) {
        const uint64_t calls = info->totals.rank[r].event_count;
        stretch.count++;
        stretch.least_calls = syn_least(calls, stretch.least_calls);
        stretch.most_calls = syn_largest(calls, stretch.most_calls);
    }
    return stretch;
}

static void add_stretch(struct syn_table *table, const struct syn_info *info,
                        const struct stretch *stretch)
{
    const struct syn_rank_file *file = syn_trace_rank(info->trace, stretch->first);
    char cell[2 * SYN_UNIT_BYTES + 8], least[SYN_UNIT_BYTES], most[SYN_UNIT_BYTES];
    snprintf(cell, sizeof cell, stretch->count > 1 ? "%d-%d" : "%d", stretch->first,
             stretch->first + stretch->count - 1);
    syn_table_cell(table, cell);
    syn_table_cell(table, syn_info_meta(file, "host.name"));
    syn_unit_count(least, stretch->least_calls);
    syn_unit_count(most, stretch->most_calls);
    snprintf(cell, sizeof cell, strcmp(least, most) == 0 ? "%s" : "%s .. %s", least, most);
    syn_table_cell(table, cell);
    syn_table_cell(table, ending_of(file));
}

static void write_nodes(const struct syn_info *info, const struct syn_terminal *terminal,
                        struct syn_text *text)
{
    static const struct syn_table_column columns[] = {
        {.title = "  ranks"},
        {.title = "node", .left = true, .flexible = true, .width_min = 8},
        {.title = "calls of a rank"},
        {.title = "ended", .left = true},
    };
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    size_t count = 0;
    for (int32_t r = 0; r < info->rank_count;) {
        const struct stretch stretch = stretch_from(info, r);
        if (count++ < RANKS_SHOWN)
            add_stretch(table, info, &stretch);
        r += stretch.count;
    }
    syn_table_write(table, terminal, text);
    syn_table_free(table);
    if (count > RANKS_SHOWN)
        syn_text_format(text, "  ... and %zu more lines like these (--format json has all ranks)\n",
                        count - RANKS_SHOWN);
}

void syn_info_ranks(const struct syn_info *info, const struct syn_terminal *terminal,
                    struct syn_text *text)
{
    bool unbound = false;
    syn_info_heading(terminal, "Where the ranks ran", text);
    if (info->rank_count > RANKS_SHOWN) {
        write_nodes(info, terminal, text);
        return;
    }
    write_each_rank(info, terminal, text);
    for (int32_t r = 0; r < info->rank_count; r++)
        unbound |= strcmp(syn_info_meta(syn_trace_rank(info->trace, r), "rank.bound"), "no") == 0;
    if (unbound)
        syn_text_wrapped(text, terminal->width, 2, "  ",
                         "package, numa, core: in MPI_Init. A rank that is bound to anything may "
                         "have moved since.");
}

/* ---- clocks ---- */

static void bound_cell(struct syn_table *table, int64_t bound_ns)
{
    char cell[SYN_UNIT_BYTES];
    syn_table_cell(table, bound_ns >= SYN_BOUND_UNKNOWN_NS ? "unknown"
                                                           : syn_unit_time(cell, (double)bound_ns));
}

static void add_clock(struct syn_table *table, int32_t rank, const struct syn_rank_clock *clock)
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

/* The widest bound at the end first. */
static int by_bound(const void *left, const void *right)
{
    const struct syn_rank_clock *const *a = left, *const *b = right;
    if ((*a)->bound_end_ns != (*b)->bound_end_ns)
        return (*a)->bound_end_ns > (*b)->bound_end_ns ? -1 : 1;
    return *a < *b ? -1 : *a > *b;
}

void syn_info_clocks(const struct syn_info *info, const struct syn_terminal *terminal,
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
    const struct syn_rank_clock **clock = malloc(((size_t)info->rank_count + 1) * sizeof *clock);
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    size_t count = 0;
    const bool many = info->rank_count > RANKS_SHOWN;
    for (int32_t r = 0; clock && r < info->rank_count; r++)
        if (info->clock[r].present)
            clock[count++] = &info->clock[r];
    if (clock && many)
        qsort(clock, count, sizeof *clock, by_bound);
    for (size_t i = 0; clock && i < count && (!many || i < CLOCKS_SHOWN); i++)
        add_clock(table, (int32_t)(clock[i] - info->clock), clock[i]);
    text->failed |= !clock;
    syn_table_write(table, terminal, text);
    syn_table_free(table);
    free(clock);
    if (many && count > CLOCKS_SHOWN)
        syn_text_format(text, "  ... the widest bounds; %zu more ranks (--format json)\n",
                        count - CLOCKS_SHOWN);
}

/* ---- how they ran ---- */

static void ppm_cell(struct syn_table *table, double ppm)
{
    char cell[SYN_UNIT_BYTES];
    snprintf(cell, sizeof cell, isfinite(ppm) ? "%.4f" : "-", ppm);
    syn_table_cell(table, cell);
}

static void add_course(struct syn_table *table, const struct syn_course *course)
{
    char cell[SYN_UNIT_BYTES];
    snprintf(cell, sizeof cell, "%d", course->rank);
    syn_table_cell(table, cell);
    snprintf(cell, sizeof cell, "%zu", course->point_count);
    syn_table_cell(table, cell);
    syn_table_cell(table, syn_unit_time(cell, course->residual_median_ns));
    ppm_cell(table, course->begin_ppm);
    ppm_cell(table, 2 * course->begin_error_ppm);
    ppm_cell(table, course->run_ppm);
    ppm_cell(table, course->run_half_width_ppm);
}

void syn_info_courses(const struct syn_info *info, const struct syn_terminal *terminal,
                      struct syn_text *text)
{
    static const struct syn_table_column columns[] = {
        {.title = "  rank"}, {.title = "points"},   {.title = "residual"}, {.title = "ppm, begin"},
        {.title = "+-"},     {.title = "ppm, run"}, {.title = "+-"}};
    struct syn_table *table = syn_table_new(columns, sizeof columns / sizeof *columns);
    const size_t shown = syn_least(info->course_count, CLOCKS_SHOWN);
    for (size_t i = 0; i < shown; i++)
        add_course(table, &info->course[i]);
    if (shown > 0) {
        syn_text_char(text, '\n');
        syn_table_write(table, terminal, text);
        syn_text_string(
            text, "  points: offsets measured. residual: how far begin's lie from their line, "
                  "half of\n"
                  "  them. Drift against rank 0 at the run's begin (+-: two standard errors) "
                  "and over\n"
                  "  all of it (+-: a hard bound); apart by more, the clock's rate has "
                  "changed.\n");
    }
    syn_table_free(table);
    if (shown < info->course_count)
        syn_text_format(text, "  ... %zu more ranks (--format json)\n", info->course_count - shown);
}
