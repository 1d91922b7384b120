/* analyze/report/formats/report_html_sizes.c - draws medians by size, with their intervals: one
 * picture for groups that differ in nothing but their bytes. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "analyze/report/findings/details.h"
#include "analyze/report/sections/report_html.h"
#include "sync/base/compare.h"
#include "sync/base/hash.h"

#define PICTURES_MOST 8
#define SIZES_LEAST   3

static bool same_but_for_bytes(const struct syn_group *a, const struct syn_group *b)
{
    for (int key = 0; key < SYN_KEY_COUNT; key++)
        if (key != SYN_KEY_BYTES && a->key[key] != b->key[key])
            return false;
    return true;
}

/* Returns a hash that is equal for groups that differ in nothing but their bytes. */
static uint64_t hash_but_for_bytes(const struct syn_group *group)
{
    uint64_t hash = syn_hash_word(0);
    for (int key = 0; key < SYN_KEY_COUNT; key++)
        if (key != SYN_KEY_BYTES)
            hash = syn_hash_add(hash, group->key[key]);
    return hash;
}

/* A point of a picture: a group's size, the median of its main metric, and the interval. */
struct size_point {
    double bytes, median, low, high;
};

static bool point_of(const struct syn_report *report, const struct syn_figures *figures,
                     struct size_point *out)
{
    const struct syn_metric_figures *main = syn_figures_main(figures);
    uint64_t bytes;
    if (!syn_report_bytes(figures->group, &bytes) || bytes == 0 || main->summary.n == 0 ||
        syn_figures_below_clock(main))
        return false;
    *out = (struct size_point){.bytes = (double)bytes, .median = main->summary.median};
    syn_shown_interval(report, &main->summary, &out->low, &out->high);
    if (!isfinite(out->low) || !isfinite(out->high) || !(out->low > 0))
        out->low = out->high = out->median;
    return out->median > 0;
}

/* Counts groups that differ from group `first` in their bytes only, and sets the axes for them.
 * Returns 0 if an earlier group has their picture. */
static size_t measure(const struct syn_report *report, size_t first, struct syn_plot *plot)
{
    const struct syn_group *like = report->figures[report->order[first]].group;
    struct size_point point;
    size_t count = 0;
    for (size_t i = 0; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        if (!same_but_for_bytes(like, figures->group) || !point_of(report, figures, &point))
            continue;
        if (i < first)
            return 0;
        plot->x.low = fmin(plot->x.low, point.bytes / 1.5);
        plot->x.high = fmax(plot->x.high, point.bytes * 1.5);
        plot->y.low = fmin(plot->y.low, point.low / 1.1);
        plot->y.high = fmax(plot->y.high, point.high * 1.1);
        count++;
    }
    return count;
}

static bool write_picture(const struct syn_report *report, size_t first, struct syn_text *out)
{
    const struct syn_group *like = report->figures[report->order[first]].group;
    const bool by_site = report->options.by & SYN_BY(SYN_KEY_SITE);
    const char *op = syn_report_op(like), *site = by_site ? syn_report_site(report, like) : NULL;
    char title[160];
    struct syn_plot plot = {
        .title = title,
        .width = 400,
        .height = 220,
        .x = {.title = "size", .low = INFINITY, .high = 0, .logarithmic = true, .unit = {"B", 1}},
        .y = {.title = "median", .low = INFINITY, .high = 0, .logarithmic = true}};
    if (measure(report, first, &plot) < SIZES_LEAST)
        return false;
    plot.y.unit = syn_plot_time_unit(sqrt(plot.y.low * plot.y.high));
    SYN_CLEANUP(syn_text_free) struct syn_text place = {0};
    syn_unit_place(&place, site ? site : "");
    snprintf(title, sizeof title, "%.40s%s%.60s: median by size", op ? op : "collectives",
             site ? " at " : "", syn_text_chars(&place));
    syn_plot_begin(out, &plot);
    for (size_t i = first; i < report->groups.count; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        struct size_point point;
        if (same_but_for_bytes(like, figures->group) && point_of(report, figures, &point)) {
            const double x = syn_plot_x(&plot, point.bytes);
            syn_text_format(
                out,
                "<path class=line d='M%.1f %.1fV%.1f'/><circle class=p0 cx=%.1f cy=%.1f r=3 />", x,
                syn_plot_y(&plot, point.low), syn_plot_y(&plot, point.high), x,
                syn_plot_y(&plot, point.median));
        }
    }
    syn_plot_end(out, "Dot and line: the median and its interval.");
    return true;
}

/* ---- choice of groups ---- */

SYN_ORDER(by_number, uint64_t, SYN_UP_ITSELF)

/* Returns true if an ascending array has a number at least SIZES_LEAST times. */
static bool is_there_often(const uint64_t *ascending, size_t count, uint64_t number)
{
    size_t first = 0;
    for (size_t left = count; left > 0;) {
        const size_t half = left / 2;
        const bool before = ascending[first + half] < number;
        first += before ? half + 1 : 0;
        left = before ? left - half - 1 : half;
    }
    return first + SIZES_LEAST <= count && ascending[first + SIZES_LEAST - 1] == number;
}

/* Draws the pictures. Most of very many groups have no picture; the hashes save searching for
 * similar groups. */
void syn_report_html_sizes(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    const size_t count = report->groups.count;
    size_t shown = 0;
    if (!(report->options.by & SYN_BY(SYN_KEY_BYTES)))
        return;
    /* the hashes of all groups, ascending; NULL: memory ran out */
    SYN_FREED uint64_t *hash = malloc((count + 1) * sizeof *hash);
    for (size_t i = 0; hash && i < count; i++)
        hash[i] = hash_but_for_bytes(report->groups.group[i]);
    if (hash)
        qsort(hash, count, sizeof *hash, by_number);
    out->failed |= !hash;
    for (size_t i = 0; hash && i < count && shown < PICTURES_MOST; i++) {
        const struct syn_group *group = report->figures[report->order[i]].group;
        SYN_CLEANUP(syn_text_free) struct syn_text picture = {0};
        if (is_there_often(hash, count, hash_but_for_bytes(group)) &&
            write_picture(report, i, &picture)) {
            if (shown++ == 0)
                syn_text_string(out, "<h2>Sizes</h2>\n");
            syn_text_string(out, syn_text_chars(&picture));
        }
        out->failed |= picture.failed;
    }
}
