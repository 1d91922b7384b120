/* analyze/report/formats/report_html_clocks.c - draws the clocks of the first run: the measured
 * offset of each clock from rank 0's, and the offset that its global times assume. Source: Hunold &
 * Carpen-Amarie 2015, Fig. 3 to 5. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/print/plot.h"
#include "analyze/report/sections/report_html.h"

#define WIDTH  390.0
#define HEIGHT 210.0

static double middle(double low, double high)
{
    return (low + high) / 2;
}

/* Returns the half height of the y axis: enough for the bound, and for the middles of all points
 * except very wide ones. */
static double reach_of(const struct syn_clock_history *history)
{
    double reach_ns = 1;
    for (size_t i = 0; i < history->band_count; i++)
        reach_ns =
            fmax(reach_ns, fmax(fabs(history->band[i].low_ns), fabs(history->band[i].high_ns)));
    for (size_t i = 0; i < history->point_count; i++) {
        const struct syn_clock_history_point *point = &history->point[i];
        if (point->high_ns - point->low_ns < 4 * reach_ns)
            reach_ns = fmax(reach_ns, fabs(middle(point->low_ns, point->high_ns)));
    }
    return 1.05 * reach_ns;
}

/* Draws the band, the points with their bounds, and the legend. */
static void write_history(const struct syn_clock_history *history, struct syn_text *out)
{
    const double reach_ns = reach_of(history);
    double first_ns = (double)history->band[0].at_ns, last_ns = first_ns;
    char title[64], legend[200];
    for (size_t i = 0; i < history->band_count; i++)
        last_ns = fmax(last_ns, (double)history->band[i].at_ns);
    for (size_t i = 0; i < history->point_count; i++) {
        first_ns = fmin(first_ns, (double)history->point[i].at_ns);
        last_ns = fmax(last_ns, (double)history->point[i].at_ns);
    }
    snprintf(title, sizeof title, "Clock of rank %d", history->rank);
    struct syn_plot plot = {
        .title = title,
        .width = WIDTH,
        .height = HEIGHT,
        .x = {.title = "time of the run", .unit = {"s", 1e9}, .low = first_ns, .high = last_ns},
        .y = {.title = "off its line",
              .unit = syn_plot_time_unit(reach_ns),
              .low = -reach_ns,
              .high = reach_ns}};
    size_t bytes = sizeof legend;
    int length = 0;
    legend[0] = '\0';
    if (isfinite(history->begin_ppm))
        length = snprintf(legend, bytes, "Drift at begin %.4f +- %.4f ppm (two standard errors)",
                          history->begin_ppm, 2 * history->begin_error_ppm);
    if (isfinite(history->run_ppm) && length >= 0 && (size_t)length < bytes)
        snprintf(legend + length, bytes - (size_t)length, "%s %.4f +- %.4f ppm (hard bound).",
                 length ? ", over the run" : "Drift over the run", history->run_ppm,
                 history->run_half_width_ppm);
    syn_plot_begin(out, &plot);
    syn_text_string(out, "<path class=area d='");
    for (size_t i = 0; i < history->band_count; i++)
        syn_text_format(out, "%c%.1f %.1f", i ? 'L' : 'M',
                        syn_plot_x(&plot, (double)history->band[i].at_ns),
                        syn_plot_y(&plot, history->band[i].high_ns));
    for (size_t i = history->band_count; i > 0; i--)
        syn_text_format(out, "L%.1f %.1f", syn_plot_x(&plot, (double)history->band[i - 1].at_ns),
                        syn_plot_y(&plot, history->band[i - 1].low_ns));
    syn_text_string(out, "z'/>");
    SYN_FREED double *x = malloc((2 * history->point_count + 1) * sizeof *x);
    double *y = x + history->point_count;
    const struct syn_plot_points points = {x, y, history->point_count};
    for (size_t i = 0; x && i < history->point_count; i++) {
        const struct syn_clock_history_point *point = &history->point[i];
        x[i] = (double)point->at_ns;
        y[i] = middle(point->low_ns, point->high_ns);
        syn_text_format(out, "<path class=reach d='M%.1f %.1fV%.1f'/>", syn_plot_x(&plot, x[i]),
                        syn_plot_y(&plot, point->low_ns), syn_plot_y(&plot, point->high_ns));
    }
    if (x)
        syn_plot_dots(out, &plot, "dot", &points);
    out->failed |= !x;
    syn_plot_end(out, legend);
}

void syn_report_html_clocks(struct syn_doc *doc, const void *facts)
{
    const struct syn_report *report = facts;
    struct syn_text *out = syn_doc_draw(doc);
    const struct syn_run_facts *run = &report->run[0];
    if (run->history_count == 0)
        return;
    syn_text_string(out, "<h2>Clocks");
    if (report->run_count > 1)
        syn_text_format(out, " (run %u)", run->run);
    syn_text_string(out, "</h2>\n<p class=quiet>Each clock against rank 0&#39;s, without the "
                         "straight line through its first and last knot. Dots: what was measured, "
                         "with its hard bounds; band: what global times take it for, within their "
                         "bound.</p>\n");
    for (size_t i = 0; i < run->history_count; i++)
        if (run->history[i].band_count > 0)
            write_history(&run->history[i], out);
}
