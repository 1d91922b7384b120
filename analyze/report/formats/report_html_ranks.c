/* analyze/report/formats/report_html_ranks.c - draws a run's ranks: what each made others wait for,
 * ranks x time, and where each rank's time went. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/report_parts.h"
#include "analyze/report/sections/report_html.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

#define ROWS_MOST  24 /* rows of bars */
#define ROW_HEIGHT 16
#define AROUND     58 /* height of the title and of the axis below */
#define WIDTH      500.0

static const char key_swatch[] =
    "<span class=entry><svg class=key viewBox='0 0 1 1' width=10 height=10 "
    "role=presentation><rect class=%s width=1 height=1 /></svg>%s</span> ";

static void write_keys(struct syn_text *out, const char *const (*key)[2], int count)
{
    for (int i = 0; i < count; i++)
        syn_text_format(out, key_swatch, key[i][0], key[i][1]);
}

static void bar(struct syn_text *out, const struct syn_plot *plot, const char *style, double y,
                const double span[2])
{
    const double left = syn_plot_x(plot, span[0]), right = syn_plot_x(plot, span[1]);
    if (right - left >= 0.05)
        syn_text_format(out, "<rect class=%s x=%.1f y=%.1f width=%.1f height=12 />", style, left,
                        syn_plot_y(plot, y) - 6, right - left);
}

/* Returns a plot of rows of bars, the first at the top. */
static struct syn_plot plot_of_rows(const char *title, size_t rows, double high)
{
    return (struct syn_plot){.title = title,
                             .width = WIDTH,
                             .height = AROUND + ROW_HEIGHT * (double)rows,
                             .left = 92,
                             .x = {.high = high},
                             .y = {.title = "rank", .low = 0, .high = (double)rows, .bare = true}};
}

static double row_middle(const struct syn_plot *plot, size_t row)
{
    return plot->y.high - 0.5 - (double)row;
}

/* ---- waiting that each rank caused ---- */

struct causer {
    int32_t rank;
    double ns;
};

SYN_ORDER(by_ns, struct causer, SYN_DOWN(ns) ?: SYN_UP(rank))

/* Writes the sum of the ranks that are not shown in words: a bar might be longer than the axis. */
static void write_other_causers(struct syn_text *out, const struct causer *causer, size_t count,
                                size_t shown)
{
    double rest = 0;
    for (size_t i = shown; i < count; i++)
        rest += causer[i].ns;
    if (count > shown)
        syn_html_words(out, "And {n} more rank{s}, together: {time}.", count - shown, rest);
}

/* Returns how many ranks have a visible bar. */
static size_t rows_of(const struct causer *causer, size_t count)
{
    size_t rows = 1;
    while (rows < count && rows < ROWS_MOST && causer[rows].ns >= 0.01 * causer[0].ns)
        rows++;
    return rows;
}

/* Writes ranks with a figure above 0 to causer [rank_count], the largest first. Returns how
 * many. */
static size_t sort_ranks(const struct syn_rank_time *time, const double *ns, struct causer *causer)
{
    size_t count = 0;
    for (int32_t r = 0; r < time->rank_count; r++)
        if (ns[r] > 0)
            causer[count++] = (struct causer){r, ns[r]};
    if (count > 1)
        qsort(causer, count, sizeof *causer, by_ns);
    return count;
}

/* Draws the time of each rank on the critical path, on which the run's time depends. */
static void write_path(struct syn_text *out, const struct causer *causer, size_t count)
{
    const size_t most = 8, seen = rows_of(causer, count), rows = syn_least(seen, most);
    SYN_CLEANUP(syn_text_free) struct syn_text legend = {0};
    double whole = 0;
    for (size_t i = 0; i < count; i++)
        whole += causer[i].ns;
    struct syn_plot plot = plot_of_rows("The critical path, by rank", rows, causer[0].ns / whole);
    plot.x.title = "share of the run";
    plot.x.unit = (struct syn_plot_unit){"%", 0.01};
    syn_plot_begin(out, &plot);
    for (size_t i = 0; i < rows; i++) {
        const double span[] = {0, causer[i].ns / whole};
        char words[24];
        snprintf(words, sizeof words, "rank %d", causer[i].rank);
        syn_plot_label(out, &plot, row_middle(&plot, i), words);
        bar(out, &plot, "p0", row_middle(&plot, i), span);
    }
    syn_text_string(&legend, "Less time on this path makes the run shorter. ");
    write_other_causers(&legend, causer, count, rows);
    syn_plot_end(out, syn_text_chars(&legend));
}

/* Draws which ranks caused waiting, then which were on the critical path. Returns 0, or -1 if
 * memory ran out. */
static int write_causes(const struct syn_rank_time *time, struct syn_text *out)
{
    SYN_FREED struct causer *causer = malloc(((size_t)time->rank_count + 1) * sizeof *causer);
    if (!causer)
        return -1;
    size_t count = sort_ranks(time, time->caused_by, causer);
    if (count > 0) {
        static const char *const key[][2] = {{"p0", "computing"},
                                             {"p1", "messages"},
                                             {"p2", "off the processor"},
                                             {"p3", "in a call itself"}};
        const size_t rows = rows_of(causer, count);
        struct syn_plot plot = plot_of_rows("Waiting that each rank caused", rows, causer[0].ns);
        SYN_CLEANUP(syn_text_free) struct syn_text legend = {0};
        plot.x.title = "waiting caused, summed over those who waited";
        plot.x.unit = syn_plot_time_unit(causer[0].ns);
        syn_plot_begin(out, &plot);
        for (size_t i = 0; i < rows; i++) {
            static const char *const style[] = {"p0", "p1", "p2", "p3"};
            char words[24];
            double span[2] = {0, 0};
            snprintf(words, sizeof words, "rank %d", causer[i].rank);
            syn_plot_label(out, &plot, row_middle(&plot, i), words);
            for (int category = 0; category < SYN_CAUSE_CATEGORIES; category++) {
                span[1] = span[0] + time->by_category[causer[i].rank][category];
                bar(out, &plot, style[category], row_middle(&plot, i), span);
                span[0] = span[1];
            }
        }
        write_keys(&legend, key, SYN_CAUSE_CATEGORIES);
        syn_text_string(&legend, "<br>");
        write_other_causers(&legend, causer, count, rows);
        syn_plot_end(out, syn_text_chars(&legend));
    }
    count = sort_ranks(time, time->path_ns, causer);
    if (count > 0)
        write_path(out, causer, count);
    return 0;
}

void syn_report_html_causes(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    SYN_CLEANUP(syn_rank_time_free) struct syn_rank_time time = {0};
    if (syn_rank_time_make(syn_report_typical(report), SYN_RANK_TIME_ROWS, &time) ||
        write_causes(&time, out))
        out->failed = true;
}

/* ---- ranks x time ---- */

#define LEVELS 7
/* The least share of each level. */
static const double level_from[LEVELS] = {0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.6};

static int level_of(double share)
{
    int level = 0;
    while (level < LEVELS && share >= level_from[level])
        level++;
    return level;
}

struct heat {
    const struct syn_rank_time *time;
    const double *ns; /* [row_count][bin_count] */
    double whole_ns;  /* divisor of the shares; 0: the time of the row's ranks */
    const char *title, *legend;
};

static int level_at(const struct heat *heat, uint32_t row, uint32_t bin)
{
    const struct syn_rank_time *time = heat->time;
    const int32_t first = (int32_t)row * time->ranks_per_row;
    const int32_t left = time->rank_count - first;
    const double ranks = syn_least(left, time->ranks_per_row);
    const double whole = heat->whole_ns > 0 ? heat->whole_ns : ranks * time->bin_ns;
    const double ns = heat->ns[(size_t)row * time->bin_count + bin];
    return whole > 0 ? level_of(ns / whole) : 0;
}

/* Draws the cells of one level; neighbours become one rectangle. */
static void write_level(struct syn_text *out, const struct syn_plot *plot, const struct heat *heat,
                        int level)
{
    const struct syn_rank_time *time = heat->time;
    const double begin = plot->x.low, step = (plot->x.high - begin) / time->bin_count;
    bool open = false;
    for (uint32_t row = 0; row < time->row_count; row++) {
        const double first = (double)row * time->ranks_per_row - 0.5;
        const double top = syn_plot_y(plot, first);
        const double height = syn_plot_y(plot, first + time->ranks_per_row) - top;
        for (uint32_t b = 0, end; b < time->bin_count; b = end) {
            for (end = b + 1;
                 end < time->bin_count && level_at(heat, row, end) == level_at(heat, row, b);)
                end++;
            if (level_at(heat, row, b) != level)
                continue;
            const double left = syn_plot_x(plot, begin + b * step);
            const double width = syn_plot_x(plot, begin + end * step) - left;
            if (!open)
                syn_text_format(out, "<path class=h%d d='", level);
            open = true;
            syn_text_format(out, "M%.1f %.1fh%.1fv%.1fh%.1fz", left, top, width, height, -width);
        }
    }
    if (open)
        syn_text_string(out, "'/>");
}

static void write_heat(const struct heat *heat, struct syn_text *out)
{
    const struct syn_rank_time *time = heat->time;
    const double end = time->bin_count * time->bin_ns;
    SYN_CLEANUP(syn_text_free) struct syn_text legend = {0};
    struct syn_plot plot = {
        .title = heat->title,
        .width = WIDTH,
        .height = AROUND + fmin(fmax(6 * (double)time->rank_count, 100), 320),
        .y_is_rank = true,
        .x = {.title = "time since MPI_Init",
              .low = 0,
              .high = end,
              .unit = syn_plot_time_unit(end)},
        .y = {.title = "rank", .low = time->rank_count - 0.5, .high = -0.5, .whole = true}};
    syn_plot_begin(out, &plot);
    for (int level = 1; level <= LEVELS; level++)
        write_level(out, &plot, heat, level);
    for (int level = 1; level <= LEVELS; level++) {
        char words[32], style[16];
        snprintf(words, sizeof words, "%g %%%s", 100 * level_from[level - 1],
                 level == LEVELS ? " and more" : "");
        snprintf(style, sizeof style, "h%d", level);
        syn_text_format(&legend, key_swatch, style, words);
    }
    syn_text_string(&legend, "<br>");
    syn_text_string(&legend, heat->legend);
    if (time->ranks_per_row > 1)
        syn_text_format(&legend, " A row is %d ranks.", time->ranks_per_row);
    syn_plot_end(out, syn_text_chars(&legend));
}

void syn_report_html_rank_time(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    SYN_CLEANUP(syn_rank_time_free) struct syn_rank_time time = {0};
    if (syn_rank_time_make(syn_report_typical(report), SYN_RANK_TIME_ROWS, &time)) {
        out->failed = true;
    } else if (syn_report_typical(report)->causes.sums.waiting_ns > 0 && time.bin_ns > 0) {
        const struct heat heat[] = {{&time, time.waiting, 0, "Who waited, and when",
                                     "Share of its time that the rank waited."},
                                    {&time, time.caused, time.rank_count * time.bin_ns,
                                     "Who was waited for, and when",
                                     "Share of all ranks' time that they waited for this rank."}};
        syn_text_string(out, "<h2>");
        syn_report_typical_title(report, "Ranks and time", out);
        syn_text_string(out, "</h2>\n");
        for (int i = 0; i < 2; i++)
            write_heat(&heat[i], out);
    }
}

/* ---- where each rank's time went ---- */

#define TIME_ROWS 32

struct time_row {
    int32_t first, count;
    double waiting, operating, messages; /* shares of the run */
};

/* Returns the means over `count` ranks from `first` on; NANs if a part is unknown, or calls
 * overlap. */
static struct time_row time_row_of(const struct syn_run_facts *run, int32_t first, int32_t count)
{
    struct time_row row = {first, count, 0, 0, 0};
    const int32_t end = syn_least(first + count, run->rank_count);
    for (int32_t r = first; r < end; r++) {
        const double waiting_ns = syn_share_of_rank(run, r, SYN_SHARE_WAITING);
        row.waiting += waiting_ns;
        row.operating += run->totals.rank[r].inside_ns - waiting_ns;
        row.messages += syn_share_of_rank(run, r, SYN_SHARE_MESSAGES) +
                        syn_share_of_rank(run, r, SYN_SHARE_FINALIZE);
    }
    const double whole = syn_facts_ranks_ns(run, first, end);
    if (!(whole > 0) || !(row.waiting + row.operating + row.messages <= whole))
        return (struct time_row){first, count, NAN, NAN, NAN};
    row.waiting /= whole;
    row.operating /= whole;
    row.messages /= whole;
    return row;
}

void syn_report_html_time_bars(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    static const char *const key[][2] = {{"p2", "waiting for late ranks"},
                                         {"p0", "the operations"},
                                         {"p1", "messages, one-sided calls, MPI_Finalize"},
                                         {"rest", "outside MPI"}};
    static const char *const unseen[][2] = {{"p2", "waiting for late ranks"},
                                            {"p0", "the operations"},
                                            {"rest", "outside collectives"}};
    const struct syn_run_facts *run = syn_report_typical(report);
    const int32_t most = TIME_ROWS, together = (run->rank_count + most - 1) / most;
    SYN_CLEANUP(syn_text_free) struct syn_text legend = {0};
    if (run->rank_count <= 0 || run->duration_ns <= 0 || syn_report_is_cut(run))
        return; /* how long others waited for ranks that were left out is unknown */
    const size_t rows = (size_t)((run->rank_count + together - 1) / together);
    struct syn_plot plot = plot_of_rows("Where each rank's time went", rows, 1);
    plot.x.title = "share of the run";
    plot.x.unit = (struct syn_plot_unit){"%", 0.01};
    syn_plot_begin(out, &plot);
    for (size_t i = 0; i < rows; i++) {
        const int32_t first = (int32_t)i * together, left = run->rank_count - first;
        const struct time_row row = time_row_of(run, first, syn_least(left, together));
        static const char *const style[] = {"p2", "p0", "p1", "rest"};
        const double inside = row.waiting + row.operating;
        const double end[] = {row.waiting, inside, inside + row.messages, 1};
        char words[40];
        if (row.count > 1)
            snprintf(words, sizeof words, "%d to %d", row.first, row.first + row.count - 1);
        else
            snprintf(words, sizeof words, "%d", row.first);
        syn_plot_label(out, &plot, row_middle(&plot, i), words);
        for (int j = 0; j < 4 && isfinite(row.waiting); j++) {
            const double span[] = {j ? end[j - 1] : 0, end[j]};
            bar(out, &plot, style[j], row_middle(&plot, i), span);
        }
    }
    write_keys(&legend, run->has_messages ? key : unseen, run->has_messages ? 4 : 3);
    if (together > 1)
        syn_text_format(&legend, "<br>A row is the mean of %d ranks.", together);
    syn_plot_end(out, syn_text_chars(&legend));
}
