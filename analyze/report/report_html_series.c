/* analyze/report/report_html_series.c - pictures of a group's series: as it ran, how calls depend
 * on earlier ones, and whether it is normal (000 Fig. 2; 004, run-sequence, lag and Q-Q plots). */
#include <math.h>
#include <stdlib.h>

#include "../print/html.h"
#include "../print/units.h"
#include "report_html.h"

#define WIDTH        230.0
#define HEIGHT       110.0
#define POINTS_MAX   600
#define GROUPS_SHOWN 12
/* Of the time in collectives: groups with less have no pictures. */
#define SHARE_THAT_MATTERS 0.01

/* Times on a logarithmic axis, from the bottom up. */
struct axis {
    double low, high; /* logarithms */
};

static struct axis axis_of(double low_ns, double high_ns)
{
    struct axis axis = {log(fmax(low_ns, 1)), log(fmax(high_ns, 1))};
    if (!(axis.high > axis.low)) {
        axis.low -= 0.5;
        axis.high += 0.5;
    }
    return axis;
}

static double y_of(const struct axis *axis, double ns)
{
    double share = (log(fmax(ns, 1)) - axis->low) / (axis->high - axis->low);
    return 4 + (HEIGHT - 8) * (1 - fmin(fmax(share, 0), 1));
}

static void open_picture(struct syn_text *out)
{
    syn_text_format(out,
                    "<td class=l><svg width=%.0f height=%.0f><rect class=frame x=.5 y=.5 "
                    "width=%.0f height=%.0f />",
                    WIDTH, HEIGHT, WIDTH - 1, HEIGHT - 1);
}

static void point(struct syn_text *out, double x, double y)
{
    syn_text_format(out, "<circle class=dot cx=%.1f cy=%.1f r=1.5 />", x, y);
}

/* The extremes of each stretch of neighbours: nothing that stands out is thinned away. */
static void write_sequence(const double *x, size_t n, const struct axis *axis, struct syn_text *out)
{
    size_t stretch = (n + POINTS_MAX / 2 - 1) / (POINTS_MAX / 2);
    open_picture(out);
    for (size_t first = 0; first < n; first += stretch) {
        size_t end = first + stretch < n ? first + stretch : n, low = first, high = first;
        for (size_t i = first + 1; i < end; i++) {
            low = x[i] < x[low] ? i : low;
            high = x[i] > x[high] ? i : high;
        }
        point(out, 3 + (WIDTH - 6) * (double)low / (double)n, y_of(axis, x[low]));
        if (high != low)
            point(out, 3 + (WIDTH - 6) * (double)high / (double)n, y_of(axis, x[high]));
    }
    syn_text_string(out, "</svg></td>");
}

/* Each call against the one after it: a cloud without a direction where they do not depend. */
static void write_lag(const double *x, size_t n, const struct axis *axis, struct syn_text *out)
{
    size_t step = (n + POINTS_MAX - 1) / POINTS_MAX;
    open_picture(out);
    for (size_t i = 0; i + 1 < n; i += step)
        point(out, WIDTH * (1 - y_of(axis, x[i]) / HEIGHT), y_of(axis, x[i + 1]));
    syn_text_string(out, "</svg></td>");
}

static void write_autocorrelation(const double *acf, double bound, struct syn_text *out)
{
    double middle = HEIGHT / 2, scale = HEIGHT / 2 - 6, step = WIDTH / (SYN_ACF_LAGS + 1);
    open_picture(out);
    for (int lag = 0; lag < SYN_ACF_LAGS; lag++)
        if (isfinite(acf[lag]))
            syn_text_format(out, "<path class=bar d='M%.1f %.1fV%.1f'/>", step * (lag + 1), middle,
                            middle - scale * fmin(fmax(acf[lag], -1), 1));
    syn_text_format(out, "<path class=line d='M0 %.1fH%.0f'/>", middle, WIDTH);
    for (int side = -1; side <= 1 && isfinite(bound); side += 2)
        syn_text_format(out, "<path class=bound d='M0 %.1fH%.0f'/>",
                        middle - side * scale * fmin(bound, 1), WIDTH);
    syn_text_string(out, "</svg></td>");
}

static void write_qq(const struct syn_details *details, struct syn_text *out)
{
    size_t n = details->qq_count;
    open_picture(out);
    if (n > 1) {
        double left = details->qq_normal[0], right = details->qq_normal[n - 1];
        struct axis axis = axis_of(details->qq_sample[0], details->qq_sample[n - 1]);
        for (size_t i = 0; i < n && right > left; i++)
            point(out, 4 + (WIDTH - 8) * (details->qq_normal[i] - left) / (right - left),
                  y_of(&axis, details->qq_sample[i]));
    }
    syn_text_string(out, "</svg></td>");
}

static void write_words(const struct syn_report *report, const struct syn_figures *figures,
                        const struct syn_summary *summary, const struct syn_details *details,
                        struct syn_text *out)
{
    char p[SYN_UNIT_BYTES], low[SYN_UNIT_BYTES], high[SYN_UNIT_BYTES];
    struct syn_text name = {0};
    syn_report_group_name(report, figures->group, &name);
    syn_text_string(out, "<tr><td class='l words' colspan=4><b>");
    syn_html_escape(out, syn_text_chars(&name));
    syn_text_format(out, "</b>, %s .. %s", syn_unit_time(low, summary->min),
                    syn_unit_time(high, summary->max));
    if (isfinite(details->ljung_box.p))
        syn_text_format(
            out, "; calls %s (Ljung-Box %s)",
            details->ljung_box.p < 0.05 ? "depend on earlier ones" : "do not show dependence",
            details->ljung_box.p < 0.001 ? "p &lt; 0.001" : syn_unit_p(p, details->ljung_box.p));
    if (isfinite(summary->shapiro_p))
        syn_text_format(out, "; %s (Shapiro-Wilk W %.3f, of logarithms %.3f)",
                        summary->shapiro_p >= 0.05       ? "may be normal"
                        : details->log_shapiro_p >= 0.05 ? "may be lognormal"
                                                         : "not normal",
                        summary->shapiro_w, details->log_shapiro_w);
    for (size_t r = 0; r < figures->run_count; r++)
        if (figures->run_count == 1 && figures->run[r].warmup.settled_at > 0)
            syn_text_format(out, "; settles after %zu calls", figures->run[r].warmup.settled_at);
    syn_text_string(out, "</td></tr>\n");
    syn_text_free(&name);
}

static void write_group(const struct syn_report *report, const struct syn_figures *figures,
                        struct syn_text *out)
{
    enum syn_metric metric = syn_figures_main_metric(figures->group);
    const struct syn_summary *summary = &figures->metric[metric].summary;
    size_t n = syn_figures_count(figures);
    struct syn_details details;
    double *x = malloc((n + 1) * sizeof *x);
    if (!x || syn_details_make(report, figures, &details)) {
        free(x);
        out->failed = true;
        return;
    }
    if (syn_figures_values(figures, metric, x) == 0) {
        struct axis axis = axis_of(summary->min, summary->max);
        write_words(report, figures, summary, &details, out);
        syn_text_string(out, "<tr>");
        write_sequence(x, n, &axis, out);
        write_lag(x, n, &axis, out);
        write_autocorrelation(summary->acf, details.acf_bound, out);
        write_qq(&details, out);
        syn_text_string(out, "</tr>\n");
    }
    syn_details_free(&details);
    free(x);
}

void syn_report_html_series(const struct syn_report *report, struct syn_text *out)
{
    double inside_ns = 0;
    size_t shown = 0;
    for (size_t i = 0; i < report->groups.count; i++)
        inside_ns += report->figures[i].inside_ns;
    for (size_t i = 0; i < report->groups.count && shown < GROUPS_SHOWN; i++) {
        const struct syn_figures *figures = &report->figures[report->order[i]];
        if (syn_figures_count(figures) < 6 || figures->inside_ns < SHARE_THAT_MATTERS * inside_ns)
            continue;
        if (shown++ == 0)
            syn_text_string(
                out,
                "<h2>The series</h2>\n<p class=quiet>From the left: each call as it ran, run "
                "after run. Each call against the next: a cloud without direction where they do "
                "not depend. How a call's time goes with that of the 1st to 10th before it: "
                "between the thin lines that is chance. The calls against the normal "
                "distribution: a straight line would be lognormal. Times are "
                "logarithmic.</p>\n<table>\n");
        write_group(report, figures, out);
    }
    if (shown)
        syn_text_string(out, "</table>\n");
}
