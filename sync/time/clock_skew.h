/* sync/time/clock_skew.h - adds a known error to a clock, so that tests can compare results with
 * the truth.
 *
 * All ranks of a machine read the same counter. A test gives each rank r a clock
 *     c_r(t) = o_r + (1 + f_r) t + A sin(2 pi t / P + phase_r) + jitter,
 * where t is the unskewed local time. The global time that a rank computes is then compared with t.
 * SYNCOPATE_TEST_SKEW has the text form:
 *     seed=1,offset_ns=1e9,drift_ppm=20,wander_ns=20,wander_period_s=20,jitter_ns=10,ranks_per_host=2
 * Each rank's offset and drift, also rank 0's, are uniform within +-offset_ns and +-drift_ppm.
 * Faults happen on host number fault_host (default 1; the first is 0): at step_at_s the clock is
 * set by step_ns or back by step_back_ns; from warm_at_s on its drift rises evenly by warm_ppm
 * within warm_s. These instants are seconds of t. */
#ifndef SYN_CLOCK_SKEW_H
#define SYN_CLOCK_SKEW_H

#include <stdint.h>

#include "sync/time/clock.h"
#include "sync/time/identity.h"

struct syn_clock_skew {
    double offset_ns;        /* o_r */
    double drift;            /* f_r, ns per ns */
    double wander_ns;        /* A */
    double wander_period_ns; /* P */
    double wander_phase;     /* radians */
    double jitter_ns;        /* a reading is up to this much too large */
    uint64_t seed;           /* of the jitter; differs between ranks */
    uint64_t host;           /* ranks of a host have the same skew */
    double step_ns, step_at_ns;
    double warm_drift, warm_at_ns, warm_ns; /* ns per ns; start and duration of the rise */
};

/* Read the skew of `rank` from `text`. Missing keys are 0 (ranks_per_host: 1). Returns 0; or
 * SYN_EINVAL for an unknown key, a malformed or negative number, a wander without a period, or one
 * that would run backwards: *out is then unchanged. */
int syn_clock_skew_parse(const char *text, int rank, struct syn_clock_skew *out);

/* Returns the skewed clock's time at unskewed local time `true_ns`. A pure function, also of the
 * jitter, so any thread may call it. Without jitter it never decreases. */
int64_t syn_clock_skew_apply(const struct syn_clock_skew *skew, int64_t true_ns);

/* Change the identity to that of the simulated host, since skewed clocks of a machine are different
 * clocks. */
void syn_clock_skew_identity(const struct syn_clock_skew *skew,
                             struct syn_clock_identity *identity);

/* A clock read through a skew. */
struct syn_skewed_clock {
    struct syn_clock_skew skew;
    struct syn_clock inner;
};
/* Returns the skewed clock; *skewed must outlive it. */
struct syn_clock syn_skewed_clock(struct syn_skewed_clock *skewed);

#endif
