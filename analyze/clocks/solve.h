/* analyze/clocks/solve.h - from what bounds one clock's error over a run to how it has run.
 *
 * The error d(t) of a clock's global times is what has to be added to them. Windows of time bound
 * it from either side; the instants at which the clock was measured say that it is nothing, to
 * within what was measured. From these: does the run contradict what is stated of the clock, and if
 * so, or if more is known than stated, the piecewise line that d(t) follows, with a bound that
 * holds. Pure mathematics.
 *
 * After the controlled logical clock (Becker, Rabenseifner, Wolf, Linford: Scalable timestamp
 * synchronization for event traces of message-passing applications, Parallel Computing 35, 2009),
 * whose constraints these are; but where that moves single events until none is hurt, this asks
 * what the clock did, so that events which no constraint touches are mended with the others, and
 * says how far off they may be. */
#ifndef SYN_CLOCK_SOLVE_H
#define SYN_CLOCK_SOLVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sync/time/timeline.h"

/* d(low_at) >= low, d(high_at) <= high; all nanoseconds. */
struct syn_clock_window {
    int64_t low_at_ns, low_ns;   /* low_ns INT64_MIN: no such bound */
    int64_t high_at_ns, high_ns; /* high_ns INT64_MAX: likewise */
};

/* d is 0 there, to within this. */
struct syn_clock_measured {
    int64_t at_ns, half_width_ns;
};

struct syn_clock_evidence {
    const struct syn_clock_window *window; /* [window_count], ascending */
    size_t window_count;
    const struct syn_clock_measured *measured; /* [measured_count], ascending */
    size_t measured_count;
    double growth;        /* by how much what is stated grows in a nanosecond away from these, */
    double steady_growth; /*   and what steady_ns gives */
    int64_t (*stated_ns)(const void *ctx, int64_t at_ns); /* the bound on |d| as it is, */
    /* and what it is for a clock that keeps its drift: less where measurements have shown already
     * that it does not. What leaves this is mended. */
    int64_t (*steady_ns)(const void *ctx, int64_t at_ns);
    const void *ctx;
};

struct syn_clock_solution {
    /* Global time as it is, and minus d, with its half width: to be used as a timeline. No knot:
     * what is stated holds, and nothing better is known. Freed by syn_timeline_free. */
    struct syn_timeline correction;
    bool contradicted;       /* what is stated cannot be, */
    bool bent;               /*   or is not what the windows show of it */
    bool watched;            /* windows would show, throughout the run, that it is not as stated, */
    int64_t unseen_ns;       /*   once it is so much more than stated */
    bool widened;            /* nothing is mended: the bound alone has grown */
    int32_t step_count;      /* times that the clock was set */
    int64_t largest_step_ns; /* with its sign */
    int64_t largest_shift_ns; /* |d| at most */
    uint64_t left_count;      /* windows that contradict the correction, too */
};

/* 0 or SYN_ENOMEM. */
int syn_clock_solve(const struct syn_clock_evidence *evidence, struct syn_clock_solution *out);

#endif
