/* analyze/diff/page/diff_html_plots.c - draws the plots of a comparison: each run as a point, and
 * the ratio by size of the data. Source: Hunold and Carpen-Amarie, MPI benchmarking revisited, Fig.
 * 26 to 28. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/diff/page/diff_html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"

#define ROWS_MOST  20
#define SIZES_MOST 6 /* the most plots of ratio by size */

/* ---- each run as a point ---- */

static void extend(struct syn_plot_axis *axis, const struct syn_diff_half *half, double base)
{
    for (size_t i = 0; i < half->run_count; i++) {
        const double ratio = half->run_value[i] / base;
        if (!(ratio > 0))
            continue;
        axis->low = fmin(axis->low, ratio);
        axis->high = fmax(axis->high, ratio);
    }
}

static void write_points(struct syn_text *out, const struct syn_plot *plot, const char *style,
                         const struct syn_diff_half *half, const double base_and_y[2])
{
    syn_text_format(out, "<path class=%s d='", style);
    for (size_t i = 0; i < half->run_count; i++)
        if (half->run_value[i] > 0)
            syn_text_format(out, "M%.1f %.1fh0",
                            syn_plot_x(plot, half->run_value[i] / base_and_y[0]),
                            syn_plot_y(plot, base_and_y[1]));
    syn_text_string(out, "'/>");
}

static void write_runs(const struct syn_diff *diff, struct syn_text *out)
{
    const struct syn_diff_group *shown[ROWS_MOST];
    struct syn_plot plot = {.title = "Every run, beside the median of A's",
                            .width = 560,
                            .left = 190,
                            .x = {.title = "a run's value over A's median",
                                  .low = 0.98,
                                  .high = 1.02,
                                  .logarithmic = true},
                            .y = {.title = "group", .bare = true}};
    size_t rows = 0;
    for (size_t i = 0; i < diff->count && rows < ROWS_MOST; i++)
        if (diff->group[i].a.median.value > 0 && diff->group[i].a.run_count > 0 &&
            diff->group[i].b.run_count > 0)
            shown[rows++] = &diff->group[i];
    for (size_t i = 0; i < rows; i++) {
        extend(&plot.x, &shown[i]->a, shown[i]->a.median.value);
        extend(&plot.x, &shown[i]->b, shown[i]->a.median.value);
    }
    if (rows == 0)
        return;
    plot.x.low /= 1.01;
    plot.x.high *= 1.01;
    plot.y.high = (double)rows;
    plot.height = 58 + 20 * (double)rows;
    syn_plot_begin(out, &plot);
    syn_plot_at_x(out, &plot, "one", 1);
    for (size_t i = 0; i < rows; i++) {
        const struct syn_diff_group *group = shown[i];
        const double y = (double)(rows - i) - 0.5;
        char bytes[SYN_UNIT_BYTES], words[96];
        const double a[2] = {group->a.median.value, y + 0.18},
                     b[2] = {group->a.median.value, y - 0.18};
        snprintf(words, sizeof words, "%.24s %.12s", group->op,
                 group->bytes > 0 ? syn_unit_bytes(bytes, (double)group->bytes) : "");
        syn_plot_label(out, &plot, y, words);
        write_points(out, &plot, "a", &group->a, a);
        write_points(out, &plot, "b", &group->b, b);
    }
    syn_plot_end(out, "<span class='key a'></span>A <span class='key b'></span>B");
}

/* ---- ratio by size ---- */

static bool same_but_for_bytes(const struct syn_diff_group *a, const struct syn_diff_group *b)
{
    return strcmp(a->op, b->op) == 0 && a->comm_size == b->comm_size && a->rank == b->rank &&
           a->root == b->root && strcmp(a->a.comm, b->a.comm) == 0 &&
           strcmp(a->a.site, b->a.site) == 0 &&
           (!a->node || !b->node ? a->node == b->node : strcmp(a->node, b->node) == 0);
}

static bool has_interval(const struct syn_diff_group *group)
{
    return group->bytes > 0 && group->ratio.low > 0 && isfinite(group->ratio.high);
}

/* Counts the groups that differ from `first` only in their bytes, and extends the plot's axes to
 * them. Returns 0 if there is too little to plot, or an earlier group has the plot. */
static size_t measure(const struct syn_diff *diff, size_t first, struct syn_plot *plot)
{
    const struct syn_diff_group *like = &diff->group[first];
    size_t count = 0;
    for (size_t i = 0; i < diff->count; i++) {
        const struct syn_diff_group *group = &diff->group[i];
        if (!has_interval(group) || !same_but_for_bytes(like, group))
            continue;
        if (i < first)
            return 0; /* that group has the plot */
        count++;
        plot->x.low = fmin(plot->x.low, (double)group->bytes / 1.5);
        plot->x.high = fmax(plot->x.high, (double)group->bytes * 1.5);
        plot->y.low = fmin(plot->y.low, group->ratio.low / 1.01);
        plot->y.high = fmax(plot->y.high, group->ratio.high * 1.02);
    }
    return plot->x.high > 2.5 * plot->x.low ? count : 0;
}

/* Draws the groups that differ from the first only in their bytes. Returns whether there are
 * any. */
static bool write_sizes(const struct syn_diff *diff, size_t first, struct syn_text *out)
{
    char title[96];
    const struct syn_diff_group *like = &diff->group[first];
    struct syn_plot plot = {
        .title = title,
        .width = 400,
        .height = 220,
        .x = {.title = "size", .low = INFINITY, .high = 0, .logarithmic = true, .unit = {"B", 1}},
        .y = {.title = "B/A", .low = 0.98, .high = 1.03, .logarithmic = true}};
    snprintf(title, sizeof title, "%.40s on %llu ranks: B/A by size", like->op,
             (unsigned long long)like->comm_size);
    if (!has_interval(like) || measure(diff, first, &plot) < 2)
        return false;
    syn_plot_begin(out, &plot);
    syn_plot_at_y(out, &plot, "one", 1);
    for (size_t i = first; i < diff->count; i++)
        if (has_interval(&diff->group[i]) && same_but_for_bytes(like, &diff->group[i])) {
            const struct syn_diff_group *group = &diff->group[i];
            const double x = syn_plot_x(&plot, (double)group->bytes);
            syn_text_format(
                out, "<path class=span d='M%.1f %.1fV%.1f'/><path class=a d='M%.1f %.1fh0'/>", x,
                syn_plot_y(&plot, group->ratio.low), syn_plot_y(&plot, group->ratio.high), x,
                syn_plot_y(&plot, group->ratio.estimate));
            if (isfinite(group->p_adjusted) && !group->ratio_within_runs)
                syn_text_format(out, "<text x=%.1f y=%.1f text-anchor=middle>%s</text>", x,
                                syn_plot_y(&plot, group->ratio.high) - 2,
                                syn_stars(group->p_adjusted));
        }
    syn_plot_end(out, "Dot and line: the ratio and its interval. * p below 0.05, ** 0.01, *** "
                      "0.001, adjusted over the groups.");
    return true;
}

void syn_diff_html_plots(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct syn_text *out = syn_doc_draw(doc);
    size_t shown = 0;
    if (diff->count == 0)
        return;
    syn_text_string(out, "<h2>Runs</h2>\n");
    write_runs(diff, out);
    for (size_t i = 0; i < diff->count && shown < SIZES_MOST; i++)
        shown += write_sizes(diff, i, out);
}
