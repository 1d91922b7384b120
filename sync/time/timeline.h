/* sync/time/timeline.h - converts one rank's local time to the run's global time, with a bound.
 *
 * A timeline is a piecewise linear function y(c) = local - global through knots, the instants at
 * which an offset was measured, with a slope at either end. One knot and one slope are the linear
 * model of Hunold & Carpen-Amarie 2015, section 4.4. Two knots interpolate between MPI_Init and
 * MPI_Finalize. syn_sync_measure adds knots in between.
 *
 * RATIONALE: local and global time are different types, so that the compiler refuses to mix
 * them. */
#ifndef SYN_TIMELINE_H
#define SYN_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t ns; /* of this rank's own clock, which nothing adjusts */
} syn_local_time;

typedef struct {
    int64_t ns; /* since the run's epoch */
} syn_global_time;

struct syn_knot {
    int64_t local_ns;      /* instant on the rank's own clock */
    int64_t offset_ns;     /* local minus global time at that instant */
    int64_t half_width_ns; /* the true offset lies within +- this; includes all hops to the root */
};

struct syn_timeline {
    struct syn_knot *knots; /* [knot_count], ascending in local_ns; owned */
    size_t knot_count;      /* 0: the identity (method `none`, or rank 0 before the epoch is set) */
    double slope_before;    /* d offset / d local before the first knot */
    double slope_after;     /* and after the last */
    double slope_half_width; /* the true slope lies within +- this; used outside the knots */
    double wander; /* rho: rate at which the offset may leave the line between knots, ns per ns */
    /* rho holds over a few seconds; over a time T it is rho sqrt(1 + T / wander_time_s). 0 is the
     * rule of older traces: constant rho, and between knots the larger of their half widths. */
    double wander_time_s;
};

/* Make an empty timeline, the identity. */
void syn_timeline_init(struct syn_timeline *timeline);
/* Free the knots; the timeline is the identity again. */
void syn_timeline_free(struct syn_timeline *timeline);
/* Make *to a copy that owns its knots. *to is overwritten, not freed. SYN_ENOMEM leaves *to
 * empty. */
int syn_timeline_copy(struct syn_timeline *to, const struct syn_timeline *from);
/* Insert a knot in order; it replaces one at the same instant. SYN_ENOMEM leaves the timeline
 * unchanged. */
int syn_timeline_add(struct syn_timeline *timeline, struct syn_knot knot);

/* Local to global time: c - y(c), with y centred on the nearest knot (docs/methods-clock.md,
 * "Conventions"). */
syn_global_time syn_timeline_global(const struct syn_timeline *timeline, syn_local_time local);
/* Global to local time, to within 1 ns. */
syn_local_time syn_timeline_local(const struct syn_timeline *timeline, syn_global_time global);
/* Returns u(t), rounded up: the true global time lies within +-u(t) of syn_timeline_global.
 *     between knots that are T apart: interpolated half width + rho(T) * distance to the nearer
 * knot outside: half width + (slope_half_width + rho(T)) * distance; T: from the last knot but one
 * With wander_time_s 0: larger half width + wander * distance; outside, half width +
 * (slope_half_width + wander) * distance. */
int64_t syn_timeline_bound_ns(const struct syn_timeline *timeline, syn_local_time local);
/* Returns the largest growth of the bound per ns of distance from a knot, beyond the interpolation
 * of the half widths. */
double syn_timeline_growth(const struct syn_timeline *timeline);

/* Range of local time, both ends included, in which y is one line. */
struct syn_piece {
    int64_t first_ns, last_ns; /* within 2^62 ns of knot_ns */
    int64_t knot_ns, offset_ns;
    double slope;
};

/* Returns the piece that contains an instant. For the identity y is 0. */
struct syn_piece syn_timeline_piece(const struct syn_timeline *timeline, syn_local_time local);

/* Call this after adding a knot at the end: removes earlier knots at which their neighbours bound
 * the offset better than the knot itself (a disturbed measurement). The bound becomes tighter or
 * stays. */
void syn_timeline_drop_redundant(struct syn_timeline *timeline);

/* Make `epoch` the zero of global time. Returns 0, or SYN_ENOMEM (an identity needs a knot). */
int syn_timeline_set_epoch(struct syn_timeline *timeline, syn_global_time epoch);
/* Stretch global time by (1 + error) about its zero: corrects the reference rank's tick length,
 * which was off by `error` when knots were measured. Returns 0 or SYN_ENOMEM. */
int syn_timeline_rescale(struct syn_timeline *timeline, double error);

#endif
