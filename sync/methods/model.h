/* sync/methods/model.h - models of one clock against another: points from exchanges, lines through
 * points, and their bounds. Mathematics only: no messages, no clocks.
 *
 * Sign everywhere: y(c) = own clock - peer's clock, with c on the own clock
 * (docs/methods-clock.md). */
#ifndef SYN_MODEL_H
#define SYN_MODEL_H

#include <stdint.h>

#include "sync/methods/point.h"

/* Line y(c) = y + slope * (c - x), centred on the time of measurement, with its possible error. */
struct syn_model {
    int64_t x_ns;
    int64_t y_ns;
    int64_t half_width_ns; /* of y at x */
    double slope;
    double slope_half_width;
    double slope_error; /* standard error of the slope; 0: unknown */
};

/* Make a point by SKaMPI's bounds: the largest lower and the smallest upper bound of all exchanges.
 * Bounds are moved to the time of the tightest exchange along `slope`, and widened by
 * `slope_half_width` times the distance, since the offset changes meanwhile. Source: Hunold &
 * Carpen-Amarie 2015, Algorithm 7 (slip 1 corrected). count >= 1. */
struct syn_point syn_point_from_bounds(const struct syn_exchange *exchanges, int count,
                                       double slope, double slope_half_width);

/* Make a point with the same bounds, but x and y are those of the exchange with the median recv -
 * stamp - rtt / 2 (the lower of two, since the median must be an element: slip 4). Source: Hunold &
 * Carpen-Amarie 2015, Algorithms 4 and 15. Sorts `exchanges`. count >= 1. */
struct syn_point syn_point_from_median(struct syn_exchange *exchanges, int count, int64_t rtt_ns);

/* Returns the mean round trip without Tukey's outliers. Source: Hunold & Carpen-Amarie 2015,
 * Algorithm 17. Sorts `exchanges`. count >= 1. */
int64_t syn_mean_rtt_ns(struct syn_exchange *exchanges, int count);

/* Fit a line by least squares, centred on the means; syn_model_certify sets its half widths. count
 * >= 2. */
struct syn_model syn_model_least_squares(const struct syn_point *points, int count);

/* Fit a line by Theil and Sen: median slope of all pairs of points, median residual. slope_error is
 * the variation of the slope when blocks of consecutive points are left out. Of more than
 * SYN_THEIL_SEN_LIMIT points, that many evenly spread ones are used. count >= 2. Returns 0 or
 * SYN_ENOMEM. */
#define SYN_THEIL_SEN_LIMIT 400
int syn_model_theil_sen(const struct syn_point *points, int count, struct syn_model *model);

/* Set a line's half widths from the hard bounds of its points. A slope is possible if no pair of
 * points contradicts it by more than the wander. The offset at x is within all points' bounds,
 * moved there along the possible slopes. peer_slope_half_width: the same of the peer's own clock.
 * count >= 1. */
void syn_model_certify(struct syn_model *model, const struct syn_point *points, int count,
                       double peer_slope_half_width);

/* Fit the line of the default method. Slope: Theil and Sen, of points that are not much wider than
 * the tightest tenth. Offset: middle of the possible offsets, at the instant where their range is
 * smallest. Half widths: the rest of the possible lines (feasible.h). slope_error also includes a
 * share of the slope's half width, and is at most that half width. *wander: the smallest one with
 * which a line fits, at least SYN_WANDER. count >= 2. Returns 0 or SYN_ENOMEM. */
int syn_model_from_points(const struct syn_point *points, int count, struct syn_model *model,
                          double *wander);

int64_t syn_model_offset_ns(const struct syn_model *model, int64_t local_ns);
int64_t syn_model_bound_ns(const struct syn_model *model, int64_t local_ns);

/* Combine `leaf` (leaf against parent) and `parent` (parent against root) to the model of leaf
 * against root, centred where the leaf's was. Source: Hunold & Carpen-Amarie 2015, Algorithm 4,
 * Merge_LMs. */
struct syn_model syn_model_merge(const struct syn_model *parent, const struct syn_model *leaf);

#endif
