/* sync/time/timeline.h - from one rank's clock to the run's clock, with a bound.
 *
 * A timeline is a piecewise linear function y(c) = local - global through knots
 * (the instants at which an offset was measured), extended by a slope on either
 * side. One knot and one slope is the linear model of Hunold & Carpen-Amarie 2015, section 4.4; two
 * knots are the interpolation between MPI_Init and MPI_Finalize; more where syn_sync_measure came
 * in between.
 *
 * Local and global time are different types, so that the compiler refuses to mix them. */
#ifndef SYN_TIMELINE_H
#define SYN_TIMELINE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    int64_t ns; /* of this rank's own clock, which nothing steers */
} syn_local_time;

typedef struct {
    int64_t ns; /* since the run's epoch */
} syn_global_time;

struct syn_knot {
    int64_t local_ns;      /* when, on the rank's own clock */
    int64_t offset_ns;     /* local minus global at that instant */
    int64_t half_width_ns; /* the true offset lies within +- this, hops to the root summed */
};

struct syn_timeline {
    struct syn_knot *knots; /* [knot_count], ascending in local_ns; owned by the timeline */
    size_t knot_count;      /* 0: the identity (method `none`, or rank 0 before the epoch is set) */
    double slope_before;    /* d offset / d local before the first knot, and */
    double slope_after;     /*   after the last one */
    double
        slope_half_width; /* the true slope lies within +- this; matters outside the knots only */
    double wander;        /* rho: how fast the offset may leave the line between knots, ns per ns */
    /* rho holds over a few seconds; over T it is rho sqrt(1 + T / this). 0: the rule of traces that
     * were recorded before: rho for ever, and between knots the larger of their widths. */
    double wander_time_s;
};

/* An empty (identity) timeline. */
void syn_timeline_init(struct syn_timeline *timeline);
/* Frees the knots; the timeline is then as after syn_timeline_init. */
void syn_timeline_free(struct syn_timeline *timeline);
/* *to becomes a copy of *from that owns its knots; *to is overwritten, not freed.
 * SYN_ENOMEM leaves *to empty. */
int syn_timeline_copy(struct syn_timeline *to, const struct syn_timeline *from);
/* Insert one knot, keeping them ascending; one at the very same instant is replaced.
 * SYN_ENOMEM leaves the timeline unchanged. */
int syn_timeline_add(struct syn_timeline *timeline, struct syn_knot knot);

/* Local to global: c - y(c), y evaluated centred on the nearest knot (docs/methods-clock.md,
 * "Conventions"). */
syn_global_time syn_timeline_global(const struct syn_timeline *timeline, syn_local_time local);
/* Global back to local, to within 1 ns of rounding. */
syn_local_time syn_timeline_local(const struct syn_timeline *timeline, syn_global_time global);
/* u(t): the true global time lies within +- this of syn_timeline_global. Rounded up.
 * Between knots that lie T apart: the widths of the two, interpolated as the offsets are, + rho(T)
 * * distance to the nearer knot. Outside: width + (slope_half_width + rho(T)) * distance, T from
 * the last knot but one (of a single one: from itself).
 * Where wander_time_s is 0: max of the two widths + wander * distance, and outside
 * width + (slope_half_width + wander) * distance. */
int64_t syn_timeline_bound_ns(const struct syn_timeline *timeline, syn_local_time local);
/* By how much at most the bound grows in a nanosecond away from a knot, over what follows from the
 * widths at both ends of a piece. */
double syn_timeline_growth(const struct syn_timeline *timeline);

/* An inclusive stretch of local time in which y is one line. */
struct syn_piece {
    int64_t first_ns, last_ns; /* within 2^62 ns of knot_ns */
    int64_t knot_ns, offset_ns;
    double slope;
};

/* The piece that holds at an instant; an identity is the line 0. */
struct syn_piece syn_timeline_piece(const struct syn_timeline *timeline, syn_local_time local);

/* The newest knot has come: take out those before it that are outdone, in that the knots on either
 * side know the offset better there than they do themselves (a measurement that was disturbed). The
 * bound becomes tighter everywhere between, nowhere wider. */
void syn_timeline_drop_outdone(struct syn_timeline *timeline);

/* Make `epoch` the zero of global time. 0, or SYN_ENOMEM (an identity needs a knot to be shifted).
 */
int syn_timeline_set_epoch(struct syn_timeline *timeline, syn_global_time epoch);
/* Stretch global time by (1 + error) about its zero: the reference's tick length, calibrated over
 * the whole run, was off by `error` while the knots were measured. 0 or SYN_ENOMEM, as above. */
int syn_timeline_rescale(struct syn_timeline *timeline, double error);

#endif
