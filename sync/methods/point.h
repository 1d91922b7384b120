/* sync/methods/point.h - bounds of one clock against another by an exchange of messages, and limits
 * of any clock. Lines are drawn through points (model.h), and all lines have to meet their bounds
 * (feasible.h).
 *
 * Sign everywhere: y(c) = own clock - peer's clock, c on the own clock (docs/methods-clock.md). */
#ifndef SYN_POINT_H
#define SYN_POINT_H

#include <stdint.h>

/* No two clocks that we measure drift apart faster than this before anything is known of them:
 * quartz is specified to +-100 ppm at worst. */
#define SYN_SLOPE_LIMIT 2e-4

/* rho: how far two average drifts of one pair of clocks, over any two intervals of a few seconds,
 * may lie apart; ns per ns. Over longer stretches it grows as the frequency of a quartz does, which
 * is a random walk: with the root of the time (syn_timeline_rho; Riley, Handbook of Frequency
 * Stability Analysis, NIST SP 1065, 2008, section 3: random walk FM), from this many seconds on. */
#define SYN_WANDER        5e-8
#define SYN_WANDER_TIME_S 10

/* The peer read `stamp_ns` on its clock at some instant between `send_ns` and `recv_ns` of ours. */
struct syn_exchange {
    int64_t send_ns;
    int64_t stamp_ns;
    int64_t recv_ns;
};

/* Bounds on the offset at one instant. */
struct syn_point {
    int64_t x_ns;   /* own clock */
    int64_t low_ns; /* low <= y(x) <= high */
    int64_t high_ns;
    int64_t y_ns; /* the estimate; the middle unless an estimator says otherwise */
    int64_t rtt_min_ns;
};

#endif
