/* sync/methods/feasible.h - all straight lines that a set of bounded offsets allows.
 *
 * Each point says that the offset lay within low..high at one instant. What is known of the offset
 * is not the tightest point but all of them together: a line y0 + s (x - x0) is possible if it
 * meets every interval, to within what a clock may wander in between. In the plane of (y0, s) every
 * bound is a half-plane, so the possible lines are a convex polygon: the tightest bounds that
 * follow from the points, at any instant, are those of its corners. One exchange that was quick on
 * the way there and another that was quick on the way back are as good as one that was both.
 *
 * Mathematics only: no messages, no clocks. */
#ifndef SYN_FEASIBLE_H
#define SYN_FEASIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/methods/point.h"

/* Rarely above 20: a bound that would need more is passed over, which only loses tightness. */
#define SYN_FEASIBLE_CORNERS 64

struct syn_corner {
    double y_ns;      /* of the line at x_ns, minus y_ns of the set */
    double slope_ppb; /* ns per s */
};

struct syn_feasible {
    int64_t x_ns, y_ns; /* what the corners are relative to: the tightest point */
    double wander;      /* ns per ns that any two average drifts may lie apart */
    int count;          /* >= 1 corners, in order around the polygon */
    struct syn_corner corner[SYN_FEASIBLE_CORNERS];
};

struct syn_range {
    double low, high;
};

/* The lines through `points` [count >= 1] whose slope is within +-SYN_SLOPE_LIMIT. Where no line
 * fits, the clock has done what the wander does not allow: then `wander` is taken four times as
 * large until one does. It ends where any two drifts are possible. */
void syn_feasible_lines(const struct syn_point *points, int count, struct syn_feasible *out);

/* Within what the offset at x_ns lies, minus y_ns of the set. */
struct syn_range syn_feasible_offset(const struct syn_feasible *set, int64_t x_ns);
/* Within what the slope lies, ns per ns. */
struct syn_range syn_feasible_slope(const struct syn_feasible *set);
/* Returns the possible lines of one slope (within the range above): their offsets at x_ns of the
 * set, minus its y_ns. */
struct syn_range syn_feasible_cut(const struct syn_feasible *set, double slope);

#endif
