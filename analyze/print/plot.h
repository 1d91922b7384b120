/* analyze/print/plot.h - draws pictures of HTML pages as SVG: a frame with a title, two axes with
 * ticks, titles and units, and points, lines and boxes in it. The callers decide what is shown. */
#ifndef SYN_PLOT_H
#define SYN_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

/* The unit of an axis, such as a unit of time. */
struct syn_plot_unit {
    const char *name; /* "us" */
    double size;      /* one unit, in the unit of the values: 1000 (ns) */
};
/* Returns the largest unit of s, ms, us and ns in which `ns` is at least 1. */
struct syn_plot_unit syn_plot_time_unit(double ns);

struct syn_plot_axis {
    const char *title;         /* constant; followed by the unit's name */
    struct syn_plot_unit unit; /* name NULL: no unit */
    double low, high;          /* range of the values; low > high: reversed; equal: made wider */
    bool logarithmic;          /* requires low > 0 */
    bool whole;                /* ticks at whole numbers only */
    bool from_zero;            /* no ticks below 0 */
    bool bare;                 /* no ticks; the caller adds labels */
};

struct syn_plot {
    const char *title; /* above the picture, and for screen readers; escaped */
    double width, height;
    double left; /* margin for the labels of y; 0: room for numbers */
    struct syn_plot_axis x, y;
    bool y_is_rank; /* y is a rank: a row for each */
};

/* Begins a picture: title, frame, axes with ticks. Sets plot->left if it is 0, and widens empty
 * axes. */
void syn_plot_begin(struct syn_text *out, struct syn_plot *plot);
/* Ends the picture. Below it stands `legend`: HTML; NULL: none. */
void syn_plot_end(struct syn_text *out, const char *legend);

/* Return the position of a value. A value outside of the axis is placed at its end. */
double syn_plot_x(const struct syn_plot *plot, double value);
double syn_plot_y(const struct syn_plot *plot, double value);

/* Writes a label left of the frame, for a bare y axis; escaped. */
void syn_plot_label(struct syn_text *out, const struct syn_plot *plot, double y, const char *words);
/* Draws a dot for each of n points. `style`: class of the style sheet. */
struct syn_plot_points {
    const double *x, *y;
    size_t n;
};
void syn_plot_dots(struct syn_text *out, const struct syn_plot *plot, const char *style,
                   const struct syn_plot_points *points);
/* Draw a vertical or horizontal line through the whole frame. */
void syn_plot_at_x(struct syn_text *out, const struct syn_plot *plot, const char *style, double x);
void syn_plot_at_y(struct syn_text *out, const struct syn_plot *plot, const char *style, double y);
/* Draws a horizontal box plot centred at y: a line from low to high, a box from q1 to q3, a mark at
 * the median. */
struct syn_plot_box {
    double low, q1, median, q3, high;
};
void syn_plot_box_at(struct syn_text *out, const struct syn_plot *plot,
                     const struct syn_plot_box *box, double y, double height);

#endif
