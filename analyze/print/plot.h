/* analyze/print/plot.h - pictures of a page of HTML, as SVG: a frame with a title, two axes with
 * ticks, titles and units, and what they hold in place. Nothing here knows what is shown. */
#ifndef SYN_PLOT_H
#define SYN_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

/* A unit of time that all pictures of a kind share. */
struct syn_plot_unit {
    const char *name; /* "us" */
    double size;      /* of it, in what is shown: 1000 ns */
};
/* In which so many nanoseconds are a number that is easily read. */
struct syn_plot_unit syn_plot_time_unit(double ns);

struct syn_plot_axis {
    const char *title;         /* constant; the unit's name comes behind it */
    struct syn_plot_unit unit; /* name NULL: none */
    double low, high; /* of what is shown; low > high: upside down; where equal, made wider */
    bool logarithmic; /* low > 0 then */
    bool whole;       /* ticks at whole numbers only */
    bool from_zero;   /* no ticks below 0 */
    bool bare;        /* no ticks: the caller labels it */
};

struct syn_plot {
    const char *title; /* above the picture, and what is read out; escaped */
    double width, height;
    double left; /* margin for the labels of y; 0: enough for numbers */
    struct syn_plot_axis x, y;
    bool y_is_rank; /* y has a row for each rank, at its number */
};

/* A figure: title, frame, ticks. */
void syn_plot_begin(struct syn_text *out, struct syn_plot *plot);
/* The picture ends, and below it stands `legend` (HTML; NULL: nothing). */
void syn_plot_end(struct syn_text *out, const char *legend);

/* Position of a value; a value outside of the axis is at its end. */
double syn_plot_x(const struct syn_plot *plot, double value);
double syn_plot_y(const struct syn_plot *plot, double value);

/* A label left of the frame, for an axis that is bare; escaped. */
void syn_plot_label(struct syn_text *out, const struct syn_plot *plot, double y, const char *words);
/* A dot for each of n points. `style`: class of the style sheet. */
struct syn_plot_points {
    const double *x, *y;
    size_t n;
};
void syn_plot_dots(struct syn_text *out, const struct syn_plot *plot, const char *style,
                   const struct syn_plot_points *points);
/* A vertical or horizontal line through the whole frame. */
void syn_plot_at_x(struct syn_text *out, const struct syn_plot *plot, const char *style, double x);
void syn_plot_at_y(struct syn_text *out, const struct syn_plot *plot, const char *style, double y);
/* A box and whiskers across, in the middle of y: p5 to p99 a line, quartiles a box, the median. */
struct syn_plot_box {
    double low, q1, median, q3, high;
};
void syn_plot_box_at(struct syn_text *out, const struct syn_plot *plot,
                     const struct syn_plot_box *box, double y, double height);

#endif
