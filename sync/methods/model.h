/* sync/methods/model.h - models of one clock against another: exchanges of messages, the bounds
 * that follow from them, and lines through those. Mathematics only: no messages, no clocks.
 *
 * Sign everywhere: y(c) = own clock - peer's clock, c on the own clock (docs/methods-clock.md). */
#ifndef SYN_MODEL_H
#define SYN_MODEL_H

#include <stdint.h>

#include "sync/methods/point.h"

/* A line y(c) = y + slope * (c - x), centred on where it was measured, and how far it may be off.
 */
struct syn_model {
    int64_t x_ns;
    int64_t y_ns;
    int64_t half_width_ns; /* of y at x */
    double slope;
    double slope_half_width;
    double slope_error; /* standard error of the slope; 0 unknown */
};

/* The offset from SKaMPI's bounds: the largest lower and the smallest upper one of all exchanges,
 * all carried to the instant of the tightest one along `slope`, and loosened by `slope_half_width`
 * times the distance: bounds taken at different instants bound different offsets.
 * Source: Hunold & Carpen-Amarie 2015, Algorithm 7 (slip 1 corrected); count >= 1. */
struct syn_point syn_point_from_bounds(const struct syn_exchange *exchanges, int count,
                                       double slope, double slope_half_width);

/* As above, but y and x are those of the exchange whose recv - stamp - rtt / 2 is the median (the
 * lower one of two: the median must be an element, slip 4). Source: Hunold & Carpen-Amarie 2015,
 * Algorithms 4 and 15. Sorts `exchanges`. count >= 1. */
struct syn_point syn_point_from_median(struct syn_exchange *exchanges, int count, int64_t rtt_ns);

/* Mean of the round trips without Tukey's outliers. Source: Hunold & Carpen-Amarie 2015,
 * Algorithm 17. Sorts. count >= 1 */
int64_t syn_mean_rtt_ns(struct syn_exchange *exchanges, int count);

/* Least squares through (x, y), centred on the means (half widths: see syn_model_certify). count >=
 * 2 */
struct syn_model syn_model_least_squares(const struct syn_point *points, int count);

/* The median of the slopes of all pairs of points, and the median residual; count >= 2.
 * slope_error is what the slope varies by where blocks of consecutive points are left out.
 * Beyond SYN_THEIL_SEN_LIMIT points, that many evenly spread ones. Returns 0 or SYN_ENOMEM. */
#define SYN_THEIL_SEN_LIMIT 400
int syn_model_theil_sen(const struct syn_point *points, int count, struct syn_model *model);

/* Set the half widths of a line from the hard bounds of the points that it was drawn through: a
 * slope is possible if no pair of points contradicts it by more than the wander; the offset at x is
 * what all points, carried there along the possible slopes, allow.
 * peer_slope_half_width: by how much the clock that stamped may itself be off. count >= 1 */
void syn_model_certify(struct syn_model *model, const struct syn_point *points, int count,
                       double peer_slope_half_width);

/* The line of the default method: its slope is the median one of the pairs of points that are not
 * much wider than the tighter tenth, its offset the middle of what all points allow, at the instant
 * where that is least, and its half widths what they leave open (sync/methods/feasible.h).
 * slope_error also has a share of the slope's half width, and is never more than that. *wander
 * becomes what it takes for any line to fit, at least SYN_WANDER. count >= 2. Returns 0 or
 * SYN_ENOMEM. */
int syn_model_from_points(const struct syn_point *points, int count, struct syn_model *model,
                          double *wander);

int64_t syn_model_offset_ns(const struct syn_model *model, int64_t local_ns);
int64_t syn_model_bound_ns(const struct syn_model *model, int64_t local_ns);

/* A leaf's model against its parent, and the parent's against the root: the leaf's against the
 * root, centred where the leaf's was. Source: Hunold & Carpen-Amarie 2015, Algorithm 4,
 * Merge_LMs. */
struct syn_model syn_model_merge(const struct syn_model *parent, const struct syn_model *leaf);

#endif
