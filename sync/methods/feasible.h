/* sync/methods/feasible.h - the set of straight lines that bounded offsets allow.
 *
 * Each point says that the offset lay within low..high at one instant. A line y0 + s (x - x0) is
 * possible if it meets the intervals of all points, to within the clock's wander in between. In the
 * plane of (y0, s) each bound is a half-plane, so the possible lines form a convex polygon, and its
 * corners give the tightest bounds at any instant. RATIONALE: all points together bound the offset
 * better than the tightest one: an exchange that was quick one way and another that was quick the
 * other way are as good as one that was quick both ways.
 *
 * Mathematics only: no messages, no clocks. */
#ifndef SYN_FEASIBLE_H
#define SYN_FEASIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/methods/point.h"

/* Rarely above 20. A bound that would need more corners is ignored, which only loses tightness. */
#define SYN_FEASIBLE_CORNERS 64

struct syn_corner {
    double y_ns;      /* of the line at x_ns, minus y_ns of the set */
    double slope_ppb; /* ns per s */
};

struct syn_feasible {
    int64_t x_ns, y_ns; /* origin of the corners: the tightest point */
    double wander;      /* largest difference of two average drifts, ns per ns */
    int count;          /* >= 1, in order around the polygon */
    struct syn_corner corner[SYN_FEASIBLE_CORNERS];
};

struct syn_range {
    double low, high;
};

/* Find the lines through `points` [count >= 1] with a slope within +-SYN_SLOPE_LIMIT. If no line
 * fits, the clock has wandered more than assumed: `wander` is multiplied by four until one fits. At
 * wander 1 any two drifts are possible. */
void syn_feasible_lines(const struct syn_point *points, int count, struct syn_feasible *out);

/* Returns the range of the offset at x_ns, minus y_ns of the set. */
struct syn_range syn_feasible_offset(const struct syn_feasible *set, int64_t x_ns);
/* Returns the range of the slope, ns per ns. */
struct syn_range syn_feasible_slope(const struct syn_feasible *set);
/* Returns the range of offsets at x_ns of the set, minus its y_ns, of the possible lines with this
 * slope (within the range above). */
struct syn_range syn_feasible_cut(const struct syn_feasible *set, double slope);

#endif
