/* analyze/print/plot.c - draws pictures as SVG. Coordinates are those of the view box; the browser
 * shrinks a picture that is too wide. */
#include "analyze/print/plot.h"

#include <math.h>

#include "analyze/print/html.h"

#define MARGIN_LEFT   52.0
#define MARGIN_RIGHT  14.0
#define MARGIN_TOP    22.0
#define MARGIN_BOTTOM 36.0
#define TICKS_MOST    6  /* steps of a linear axis */
#define TICK_ROOM     12 /* elements of an array of ticks */

struct syn_plot_unit syn_plot_time_unit(double ns)
{
    return ns >= 1e9   ? (struct syn_plot_unit){"s", 1e9}
           : ns >= 1e6 ? (struct syn_plot_unit){"ms", 1e6}
           : ns >= 1e3 ? (struct syn_plot_unit){"us", 1e3}
                       : (struct syn_plot_unit){"ns", 1};
}

/* ---- places ---- */

static double share_of(const struct syn_plot_axis *axis, double value)
{
    double share = axis->logarithmic
                       ? log(fmax(value, 1e-300) / axis->low) / log(axis->high / axis->low)
                       : (value - axis->low) / (axis->high - axis->low);
    return fmin(fmax(share, 0), 1);
}

double syn_plot_x(const struct syn_plot *plot, double value)
{
    return plot->left + share_of(&plot->x, value) * (plot->width - plot->left - MARGIN_RIGHT);
}

double syn_plot_y(const struct syn_plot *plot, double value)
{
    return plot->height - MARGIN_BOTTOM -
           share_of(&plot->y, value) * (plot->height - MARGIN_TOP - MARGIN_BOTTOM);
}

/* ---- axes ---- */

/* Gives an axis of one value a range around it. A linear axis may run from high to low. */
static void widen(struct syn_plot_axis *axis)
{
    if (axis->logarithmic) {
        axis->low = fmax(axis->low, 1e-300);
        if (!(axis->high > axis->low)) {
            axis->low /= 1.5;
            axis->high = axis->low * 2.25;
        }
    } else if (!(axis->high > axis->low || axis->high < axis->low)) {
        axis->low -= 0.5;
        axis->high = axis->low + 1;
    }
}

/* Returns the least of 1, 2 or 5 times a power of ten that gives at most TICKS_MOST steps in the
 * range. */
static double step_of(double range)
{
    const double power = pow(10, floor(log10(range / TICKS_MOST)));
    static const double factors[] = {1, 2, 5};
    for (int i = 0; i < 3; i++)
        if (range / (factors[i] * power) <= TICKS_MOST)
            return factors[i] * power;
    return 10 * power;
}

/* Writes the ticks of an axis, in its unit, to tick [TICK_ROOM]. Returns how many. */
static int linear_ticks(double low, double high, double *tick)
{
    const double step = step_of(high - low);
    int count = 0;
    for (double at = ceil(low / step - 1e-9) * step; at <= high + 1e-9 * step && count < TICK_ROOM;
         at += step)
        tick[count++] = fabs(at) < 1e-9 * step ? 0 : at;
    return count;
}

/* Writes the ticks of a logarithmic axis: powers of ten, in a range of up to two decades also 2 and
 * 5 times these. A range of less than 0.7 decades has linear ticks. Returns how many. */
static int log_ticks(double low, double high, double *tick)
{
    static const double factors[] = {1, 2, 5};
    const double decades = log10(high / low);
    const int every = (int)fmax(1, ceil(decades / TICKS_MOST)), per_decade = decades > 2 ? 1 : 3;
    int count = 0;
    if (decades < 0.7)
        return linear_ticks(low, high, tick);
    for (int power = (int)floor(log10(low)); power <= (int)ceil(log10(high)); power += every)
        for (int i = 0; i < per_decade && count < TICK_ROOM; i++) {
            const double at = factors[i] * pow(10, power);
            if (at >= low * 0.999 && at <= high * 1.001)
                tick[count++] = at;
        }
    return count;
}

/* Writes the ticks of an axis, except fractions of whole numbers, and negative ones from zero on.
 * Returns how many. */
static int ticks_of(const struct syn_plot_axis *axis, double *tick)
{
    const double unit = axis->unit.name ? axis->unit.size : 1;
    if (axis->bare)
        return 0;
    const double low = fmin(axis->low, axis->high) / unit,
                 high = fmax(axis->low, axis->high) / unit;
    int count = axis->logarithmic ? log_ticks(low, high, tick) : linear_ticks(low, high, tick);
    int kept = 0;
    for (int i = 0; i < count; i++)
        if ((!axis->whole || fabs(tick[i] - round(tick[i])) < 1e-6) &&
            (!axis->from_zero || tick[i] >= 0))
            tick[kept++] = tick[i];
    return kept;
}

static void write_axis_title(struct syn_text *out, const struct syn_plot_axis *axis)
{
    syn_html_escape(out, axis->title);
    syn_html_between(out, " [", axis->unit.name ? axis->unit.name : "", "]");
    if (axis->logarithmic)
        syn_text_string(out, ", logarithmic");
    syn_text_string(out, "</text>");
}

static void write_y(struct syn_text *out, const struct syn_plot *plot)
{
    double tick[TICK_ROOM];
    const double unit = plot->y.unit.name ? plot->y.unit.size : 1;
    for (int i = 0, count = ticks_of(&plot->y, tick); i < count; i++) {
        const double y = syn_plot_y(plot, tick[i] * unit);
        syn_text_format(out,
                        "<path class=tick d='M%.1f %.1fh-4'/><text x=%.1f y=%.1f "
                        "text-anchor=end>%.6g</text>",
                        plot->left, y, plot->left - 6, y + 4, tick[i]);
    }
    const double middle = (MARGIN_TOP + plot->height - MARGIN_BOTTOM) / 2;
    syn_text_format(out,
                    "<text class=axis transform='translate(11 %.1f)rotate(-90)' "
                    "text-anchor=middle>",
                    middle);
    write_axis_title(out, &plot->y);
}

/* Writes an axis as an attribute for pictures.js: low, high, kind (1 logarithmic, 2 whole numbers),
 * unit. */
static void write_scale(struct syn_text *out, char name, const struct syn_plot_axis *axis)
{
    if (!axis->bare)
        syn_text_format(out, " data-%c='%.6g %.6g %d %g %s'", name, axis->low, axis->high,
                        axis->logarithmic ? 1
                        : axis->whole     ? 2
                                          : 0,
                        axis->unit.name ? axis->unit.size : 1,
                        axis->unit.name ? axis->unit.name : "");
}

void syn_plot_begin(struct syn_text *out, struct syn_plot *plot)
{
    if (plot->left <= 0)
        plot->left = MARGIN_LEFT;
    widen(&plot->x);
    widen(&plot->y);
    syn_text_format(out,
                    "<figure><svg class='plot%s' role=img width=%.0f height=%.0f "
                    "viewBox='0 0 %.0f %.0f'",
                    plot->y_is_rank ? " ranks" : "", plot->width, plot->height, plot->width,
                    plot->height);
    write_scale(out, 'x', &plot->x);
    write_scale(out, 'y', &plot->y);
    syn_text_string(out, "><title>");
    syn_html_escape(out, plot->title);
    syn_text_format(out, "</title><text class=title x=%.0f y=14>", plot->left);
    syn_html_escape(out, plot->title);
    syn_text_format(out, "</text><rect class=frame x=%.1f y=%.1f width=%.1f height=%.1f />",
                    plot->left, MARGIN_TOP, plot->width - plot->left - MARGIN_RIGHT,
                    plot->height - MARGIN_TOP - MARGIN_BOTTOM);
    double tick[TICK_ROOM];
    const double bottom = plot->height - MARGIN_BOTTOM;
    const double unit = plot->x.unit.name ? plot->x.unit.size : 1;
    for (int i = 0, count = ticks_of(&plot->x, tick); i < count; i++) {
        const double x = syn_plot_x(plot, tick[i] * unit);
        syn_text_format(out,
                        "<path class=tick d='M%.1f %.1fv4'/><text x=%.1f y=%.1f "
                        "text-anchor=middle>%.6g</text>",
                        x, bottom, x, bottom + 15, tick[i]);
    }
    syn_text_format(out, "<text class=axis x=%.1f y=%.1f text-anchor=middle>",
                    (plot->left + plot->width - MARGIN_RIGHT) / 2, plot->height - 5);
    write_axis_title(out, &plot->x);
    write_y(out, plot);
    syn_text_char(out, '\n');
}

void syn_plot_end(struct syn_text *out, const char *legend)
{
    syn_text_string(out, "</svg>");
    if (legend)
        syn_text_format(out, "<figcaption>%s</figcaption>", legend);
    syn_text_string(out, "</figure>\n");
}

/* ---- contents of pictures ---- */

void syn_plot_label(struct syn_text *out, const struct syn_plot *plot, double y, const char *words)
{
    syn_text_format(out, "<text x=%.1f y=%.1f text-anchor=end>", plot->left - 6,
                    syn_plot_y(plot, y) + 4);
    syn_html_escape(out, words);
    syn_text_string(out, "</text>");
}

void syn_plot_dots(struct syn_text *out, const struct syn_plot *plot, const char *style,
                   const struct syn_plot_points *points)
{
    syn_text_format(out, "<path class=%s d='", style);
    for (size_t i = 0; i < points->n; i++)
        syn_text_format(out, "M%.1f %.1fh0", syn_plot_x(plot, points->x[i]),
                        syn_plot_y(plot, points->y[i]));
    syn_text_string(out, "'/>");
}

void syn_plot_at_x(struct syn_text *out, const struct syn_plot *plot, const char *style, double x)
{
    syn_text_format(out, "<path class=%s d='M%.1f %.1fV%.1f'/>", style, syn_plot_x(plot, x),
                    MARGIN_TOP, plot->height - MARGIN_BOTTOM);
}

void syn_plot_at_y(struct syn_text *out, const struct syn_plot *plot, const char *style, double y)
{
    syn_text_format(out, "<path class=%s d='M%.1f %.1fH%.1f'/>", style, plot->left,
                    syn_plot_y(plot, y), plot->width - MARGIN_RIGHT);
}

void syn_plot_box_at(struct syn_text *out, const struct syn_plot *plot,
                     const struct syn_plot_box *box, double y, double height)
{
    const double middle = syn_plot_y(plot, y), q1 = syn_plot_x(plot, box->q1);
    syn_text_format(out,
                    "<path class=line d='M%.1f %.1fH%.1f'/><rect class=box x=%.1f y=%.1f "
                    "width=%.1f height=%.1f /><path class=mid d='M%.1f %.1fv%.1f'/>",
                    syn_plot_x(plot, box->low), middle, syn_plot_x(plot, box->high), q1,
                    middle - height / 2, syn_plot_x(plot, box->q3) - q1, height,
                    syn_plot_x(plot, box->median), middle - height / 2 - 1, height + 2);
}
