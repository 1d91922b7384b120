/* sync/methods/point.h - bounds on the offset of two clocks from an exchange of messages, and
 * limits of any clock. model.h draws lines through points; feasible.h finds all lines that meet
 * their bounds.
 *
 * Sign everywhere: y(c) = own clock - peer's clock, with c on the own clock
 * (docs/methods-clock.md). */
#ifndef SYN_POINT_H
#define SYN_POINT_H

#include <stdint.h>

/* Largest drift between two clocks before anything is measured. Quartz is specified to +-100 ppm at
 * worst. */
#define SYN_SLOPE_LIMIT 2e-4

/* rho: largest difference of two average drifts of a pair of clocks, over any two intervals of a
 * few seconds; ns per ns. Over longer intervals it grows with the square root of the time, from
 * SYN_WANDER_TIME_S on, since a quartz's frequency is a random walk (Riley, Handbook of Frequency
 * Stability Analysis, NIST SP 1065, 2008, section 3: random walk FM). */
#define SYN_WANDER        5e-8
#define SYN_WANDER_TIME_S 10

/* The peer read `stamp_ns` on its clock between `send_ns` and `recv_ns` of the own clock. */
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
    int64_t y_ns; /* estimate; the middle unless the estimator says otherwise */
    int64_t rtt_min_ns;
};

#endif
