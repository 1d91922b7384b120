/* analyze/diff/page/diff_html_quantiles.c - plots the quantile regression: A's quantiles, and the
 * difference between A and B at each of them. Source: Hoefler and Belli, Scientific Benchmarking,
 * 2015, Fig. 4. */
#include <math.h>
#include <stdio.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/diff/page/diff_html.h"
#include "analyze/print/plot.h"
#include "analyze/print/units.h"
#include "sync/base/status.h"

#define GROUPS_SHOWN 4
#define POINTS       19 /* 5 % to 95 % */

/* A curve over the quantiles, with an interval at each. */
struct curve {
    double tau[POINTS], middle[POINTS], low[POINTS], high[POINTS];
    size_t n;
};

static struct curve curve_of(const struct syn_quantile_effect *effect, bool of_a)
{
    struct curve curve = {.n = POINTS};
    for (size_t i = 0; i < POINTS; i++) {
        curve.tau[i] = effect[i].tau;
        curve.middle[i] = of_a ? effect[i].intercept : effect[i].effect;
        curve.low[i] = of_a ? effect[i].intercept_low : effect[i].low;
        curve.high[i] = of_a ? effect[i].intercept_high : effect[i].high;
    }
    return curve;
}

static struct syn_plot_axis axis_of(const struct curve *curve, const char *title, bool with_zero)
{
    struct syn_plot_axis axis = {
        .title = title, .low = with_zero ? 0 : INFINITY, .high = with_zero ? 0 : -INFINITY};
    for (size_t i = 0; i < curve->n; i++) {
        axis.low =
            fmin(axis.low, fmin(curve->middle[i], curve->low[i])); /* fmin and fmax ignore a NAN */
        axis.high = fmax(axis.high, fmax(curve->middle[i], curve->high[i]));
    }
    axis.unit = syn_plot_time_unit(fmax(fabs(axis.low), fabs(axis.high)));
    const double around = 0.05 * (axis.high - axis.low);
    axis.low -= with_zero && axis.low == 0 ? 0 : around;
    axis.high += with_zero && axis.high == 0 ? 0 : around;
    return axis;
}

/* Draws a curve over the quantiles with its band. */
static void write_curve(struct syn_text *out, const char *title, const struct curve *curve,
                        struct syn_plot_axis y)
{
    struct syn_plot plot = {
        .title = title,
        .width = 400,
        .height = 200,
        .x = {.title = "quantile of the calls", .low = 0, .high = 1, .unit = {"%", 0.01}},
        .y = y};
    const struct syn_plot_points points = {curve->tau, curve->middle, curve->n};
    syn_plot_begin(out, &plot);
    /* The band of intervals, if they are known. */
    if (isfinite(curve->low[0])) {
        for (size_t i = 0; i < curve->n; i++)
            syn_text_format(out, "%s%.1f %.1f", i ? "L" : "<path class=band d='M",
                            syn_plot_x(&plot, curve->tau[i]), syn_plot_y(&plot, curve->high[i]));
        for (size_t i = curve->n; i-- > 0;)
            syn_text_format(out, "L%.1f %.1f", syn_plot_x(&plot, curve->tau[i]),
                            syn_plot_y(&plot, curve->low[i]));
        syn_text_string(out, "z'/>");
    }
    if (y.low <= 0)
        syn_plot_at_y(out, &plot, "one", 0);
    for (size_t i = 0; i < curve->n; i++)
        syn_text_format(out, "%s%.1f %.1f", i ? "L" : "<path class=line d='M",
                        syn_plot_x(&plot, curve->tau[i]), syn_plot_y(&plot, curve->middle[i]));
    syn_text_string(out, "'/>");
    syn_plot_dots(out, &plot, "a", &points);
    syn_plot_end(out, NULL);
}

/* Draws two plots for each of the first groups: A's quantiles and the change. */
void syn_diff_html_quantiles(struct syn_doc *doc, const void *facts)
{
    const struct syn_diff *diff = facts;
    struct syn_text *out = syn_doc_draw(doc);
    struct syn_quantile_effect effect[POINTS];
    size_t shown = 0;
    for (size_t i = 0; i < POINTS; i++)
        effect[i].tau = (double)(i + 1) / (POINTS + 1);
    for (size_t i = 0; i < diff->count && shown < GROUPS_SHOWN; i++) {
        const int status = syn_diff_quantile_curve(diff, &diff->group[i], effect, POINTS);
        out->failed |= status == SYN_ENOMEM;
        if (status != SYN_OK)
            continue;
        if (shown++ == 0) {
            syn_text_format(
                out,
                "<h2>Fast calls and slow calls</h2>\n<p class=quiet>Quantile regression on all "
                "calls of "
                "these runs, %sThe first picture of a group: how long A takes at each quantile. "
                "The "
                "second: how much longer B takes there. Where that rises to the right, it is the "
                "slow "
                "calls that became slower. Band: %g %% interval within these runs.</p>\n",
                diff->count > GROUPS_SHOWN ? "of the groups at the top of the table. "
                                           : "of each group. ",
                100 * diff->options.confidence);
        }
        syn_text_string(out, "<div class=pair>");
        const struct curve a = curve_of(effect, true), change = curve_of(effect, false);
        char bytes[SYN_UNIT_BYTES], title[120];
        syn_unit_bytes(bytes, (double)diff->group[i].bytes);
        snprintf(title, sizeof title, "%.40s %.20s: A's quantiles", diff->group[i].op, bytes);
        write_curve(out, title, &a, axis_of(&a, "A", false));
        snprintf(title, sizeof title, "%.40s %.20s: B minus A", diff->group[i].op, bytes);
        write_curve(out, title, &change, axis_of(&change, "B minus A", true));
        syn_text_string(out, "</div>\n");
    }
}
