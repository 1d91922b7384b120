/* analyze/clocks/solve.h - computes how one clock has run from bounds on its error over a run.
 *
 * The error d(t) is the amount that has to be added to the clock's global times. Clock windows
 * bound d from both sides. At the instants at which the clock was measured, d is 0 within the half
 * width of the measurement. From these the solver tells whether the run contradicts the stated
 * bound. If so, or if the windows tell more than is stated, the solver computes the piecewise
 * linear d(t) with a bound that holds. This module is pure mathematics.
 *
 * The constraints are those of the controlled logical clock (Becker, Rabenseifner, Wolf, Linford:
 * Scalable timestamp synchronization for event traces of message-passing applications, Parallel
 * Computing 35, 2009). That method moves single events until no constraint is violated. This one
 * models the clock instead: events without a constraint are corrected with the others, and the
 * largest remaining error is known. */
#ifndef SYN_CLOCK_SOLVE_H
#define SYN_CLOCK_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/time/timeline.h"

/* d(low_at) >= low, d(high_at) <= high; all nanoseconds. */
struct syn_clock_window {
    int64_t low_at_ns, low_ns;   /* low_ns INT64_MIN: no lower bound */
    int64_t high_at_ns, high_ns; /* high_ns INT64_MAX: no upper bound */
};

/* A measurement: d(at_ns) is 0 to within the half width. */
struct syn_clock_measured {
    int64_t at_ns, half_width_ns;
};

struct syn_clock_evidence {
    const struct syn_clock_window *window; /* [window_count], in order of time */
    size_t window_count;
    const struct syn_clock_measured *measured; /* [measured_count], in order of time */
    size_t measured_count;
    double growth;        /* growth of stated_ns per ns of distance from a measurement */
    double steady_growth; /* growth of steady_ns */
    int64_t (*stated_ns)(const void *ctx, int64_t at_ns); /* the stated bound on |d| */
    /* Bound on |d| of a clock that keeps its drift. It is smaller than the stated one if
     * measurements have shown already that the drift changed. A clock that exceeds this bound is
     * corrected. */
    int64_t (*steady_ns)(const void *ctx, int64_t at_ns);
    const void *ctx;
};

struct syn_clock_solution {
    /* A timeline from global time as stated to corrected global time; its offset is -d. Without
     * knots the stated times and bounds hold, and nothing better is known. Freed by
     * syn_timeline_free. */
    struct syn_timeline correction;
    bool contradicted; /* windows contradict the stated bound */
    bool bent;         /* middles of windows leave the stated bound */
    bool watched; /* windows would show, throughout the run, an error that exceeds the stated bound
                   */
    int64_t unseen_ns;        /* by more than this */
    bool widened;             /* times stay, and the bound alone has grown */
    int32_t step_count;       /* how often the clock was set */
    int64_t largest_step_ns;  /* the largest change by this, with its sign */
    int64_t largest_shift_ns; /* largest |d| */
    uint64_t left_count;      /* windows that contradict even the correction */
};

/* Solves one clock. Returns 0 or SYN_ENOMEM. */
int syn_clock_solve(const struct syn_clock_evidence *evidence, struct syn_clock_solution *out);

#endif
