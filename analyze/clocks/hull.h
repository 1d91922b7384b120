/* analyze/clocks/hull.h - the range of the error d(t) that measurements and collectives allow for a
 * clock that does not keep its drift.
 *
 * The error d moves by at most `speed` ns per ns, except at instants at which the clock was set. If
 * two constraints exclude each other, the clock was set between them. The clock may have been set
 * at other instants too, without such a contradiction. Then only the constraints on one side of the
 * setting apply at an instant. So the range at an instant is the union of two ranges: the range
 * that follows from all constraints before it, and the range that follows from all constraints
 * after it. */
#ifndef SYN_CLOCK_HULL_H
#define SYN_CLOCK_HULL_H

#include "analyze/clocks/solve.h"

struct syn_clock_range {
    double low_ns, high_ns; /* -INFINITY, INFINITY: no such bound */
};

struct syn_clock_hull_point {
    int64_t at_ns;
    struct syn_clock_range constraint;
    struct syn_clock_range left, right; /* from this and all before; this and all after */
    struct syn_clock_range before_set;  /* ranges that end here by a setting; empty: none */
};

struct syn_clock_hull {
    struct syn_clock_hull_point *point; /* [count], in order of time; owned */
    size_t count;
    double speed;
};

/* Makes the hull of a clock. `speed` is in ns per ns. Returns 0 or SYN_ENOMEM. The caller frees
 * *out in either case. */
int syn_clock_hull_make(const struct syn_clock_evidence *evidence, double speed,
                        struct syn_clock_hull *out);
void syn_clock_hull_free(struct syn_clock_hull *hull);

/* Makes a correction that moves times like `line` (NULL: it moves none), with a clock bound that
 * covers the hull. *out is always initialized, and the caller frees it. Returns 0 or SYN_ENOMEM. */
int syn_clock_hull_cover(const struct syn_clock_hull *hull, const struct syn_timeline *line,
                         struct syn_timeline *out);

#endif
