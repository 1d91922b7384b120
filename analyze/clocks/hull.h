/* analyze/clocks/hull.h - all that a clock's error d(t) may be, of a clock that is known not to
 * keep its drift: what its measurements and the collectives leave open, and nothing else.
 *
 * Assumed is that d moves by at most `speed` ns a ns, but for the instants at which the clock was
 * set. Of two constraints that cannot both be true of a clock that was not set, the clock was set
 * between them. An instant at which no such thing is seen may still be before the clock was set, so
 * that only what comes before it says something of it, or behind, so that only what follows does:
 * so d is between the wider of what the one side allows and what the other does. */
#ifndef SYN_CLOCK_HULL_H
#define SYN_CLOCK_HULL_H

#include "analyze/clocks/solve.h"

struct syn_clock_range {
    double low_ns, high_ns; /* -INFINITY, INFINITY: not known */
};

struct syn_clock_hull_point {
    int64_t at_ns;
    struct syn_clock_range constraint;
    struct syn_clock_range left, right; /* what follows from it and all before; and all behind */
    struct syn_clock_range before_set;  /* where it ends what was known: that; else empty */
};

struct syn_clock_hull {
    struct syn_clock_hull_point *point; /* [count], ascending; owned */
    size_t count;
    double speed;
};

/* 0 or SYN_ENOMEM; free it in any case. */
int syn_clock_hull_make(const struct syn_clock_evidence *evidence, double speed,
                        struct syn_clock_hull *out);
void syn_clock_hull_free(struct syn_clock_hull *hull);

/* A correction that moves times as `line` does (NULL: not at all), with a bound that covers the
 * hull. *out is initialized, to be freed in any case. 0 or SYN_ENOMEM. */
int syn_clock_hull_cover(const struct syn_clock_hull *hull, const struct syn_timeline *line,
                         struct syn_timeline *out);

#endif
