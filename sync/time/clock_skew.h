/* sync/time/clock_skew.h - an injected error of the clock, for tests against an exact truth.
 *
 * All ranks of one machine read one counter. A test gives each rank a clock of its own,
 *     c_r(t) = o_r + (1 + f_r) t + A sin(2 pi t / P + phase_r) + jitter,
 * with t the unskewed local time; whatever global time a rank then states can be compared with the
 * t that it stands for, without any message. The text form is that of SYNCOPATE_TEST_SKEW:
 *     seed=1,offset_ns=1e9,drift_ppm=20,wander_ns=20,wander_period_s=20,jitter_ns=10,ranks_per_host=2
 * offset_ns and drift_ppm are limits: each rank's are uniform in +- them, rank 0's too.
 * And what no clock should do, on the host of number fault_host (1 unless named; hosts count from
 * 0): step_ns or step_back_ns, by which it is set at step_at_s; warm_ppm, by which its drift rises
 * evenly within warm_s from warm_at_s on. These instants are seconds of t. */
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
    double jitter_ns;        /* a read shows up to this too much */
    uint64_t seed;           /* of the jitter; differs from rank to rank */
    uint64_t host;           /* ranks of one host have one and the same skew */
    double step_ns, step_at_ns;
    double warm_drift, warm_at_ns, warm_ns; /* ns per ns; from when, and for how long it rises */
};

/* The skew of `rank`; keys that are not named are 0 (ranks_per_host: 1). Returns 0, or SYN_EINVAL
 * where the text has an unknown key, a malformed or negative number, a wander without a period or
 * one that would run the clock backwards; *out is then unchanged. */
int syn_clock_skew_parse(const char *text, int rank, struct syn_clock_skew *out);

/* Returns what the skewed clock shows at unskewed local time `true_ns`; a pure function, jitter
 * included, so any thread may call it. Without jitter it never decreases. */
int64_t syn_clock_skew_apply(const struct syn_clock_skew *skew, int64_t true_ns);

/* Skewed clocks of one machine are no longer one: make the identity that of the simulated host. */
void syn_clock_skew_identity(const struct syn_clock_skew *skew,
                             struct syn_clock_identity *identity);

/* A clock read through a skew. */
struct syn_skewed_clock {
    struct syn_clock_skew skew;
    struct syn_clock inner;
};
/* The vtable over *skewed, which must outlive it. */
struct syn_clock syn_skewed_clock(struct syn_skewed_clock *skewed);

#endif
