/* sync/time/clock.h - reading the clock of this process.
 *
 * The hot path reads raw ticks (syn_ticks_now); everything else speaks local
 * nanoseconds: ticks scaled by a rate fixed at start, so that the conversion is
 * exact, monotonic and invertible. What that rate is off by is the models'
 * business, except on the reference rank, where syn_clock_rate_error measures it
 * over the whole run (docs/methods-clock.md). */
#ifndef SYN_CLOCK_H
#define SYN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sync/time/cpu.h"
#include "sync/time/timeline.h"

/* The vtable that the synchronization methods read: simulated in tests. */
struct syn_clock {
    syn_local_time (*now)(void *ctx);
    void *ctx;
    /* Do nothing for about so long. NULL: nanosleep. A simulated clock lets its own time pass. */
    void (*sleep)(void *ctx, int64_t duration_ns);
};

enum syn_clock_kind {
    SYN_CLOCK_TSC,           /* the processor's counter (cpu.h), where the kernel trusts it */
    SYN_CLOCK_MONOTONIC_RAW, /* the fallback */
    SYN_CLOCK_MONOTONIC,     /* an ordinary clock_gettime call through the dynamic linker (--clock
                                monotonic) */
    SYN_CLOCK_FUNCTION       /* a function of the caller's (--clock mpi: MPI_Wtime) */
};

/* A tick source, calibrated. */
struct syn_tick_source {
    enum syn_clock_kind kind;
    int64_t (*function)(void); /* SYN_CLOCK_FUNCTION: ticks are what this returns, nanoseconds */
    int64_t base_ticks;  /* local time 0; 0 for all kinds, so that ranks of one machine share it */
    uint64_t multiplier; /* local_ns = ((ticks - base_ticks) * multiplier) >> 32 */
    int64_t calibration_ticks; /* where the comparison with CLOCK_MONOTONIC_RAW began, */
    int64_t calibration_ns;    /*   for syn_clock_rate_error */
};

static inline int64_t syn_read_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* One read. `source->kind` does not change during a run, so the branch is free. */
static inline int64_t syn_ticks_now(const struct syn_tick_source *source)
{
    if (__builtin_expect(source->kind == SYN_CLOCK_TSC, 1))
        return syn_cpu_counter();
    if (source->kind == SYN_CLOCK_FUNCTION)
        return source->function();
    return syn_read_clock_ns(source->kind == SYN_CLOCK_MONOTONIC ? CLOCK_MONOTONIC
                                                                 : CLOCK_MONOTONIC_RAW);
}

/* The counter and CLOCK_MONOTONIC_RAW at one instant, in `ticks` and `raw_ns`: one end of a
 * calibration. About 3 us. */
struct syn_tick_reading {
    int64_t ticks;
    int64_t raw_ns;
};
void syn_tick_reading_take(struct syn_tick_reading *reading);

/* Choose and calibrate. `kind` TSC falls back to MONOTONIC_RAW where the counter is not trusted
 * (source->kind then says so). Its rate comes from comparing it with CLOCK_MONOTONIC_RAW for
 * `calibration_s` seconds (bracketed reads, the tightest kept; 0.02 is good to a few ppm); where
 * the processor says its frequency and the comparison agrees, that frequency is taken exactly.
 * Two processes calibrate to rates that differ by a few ppm although they read the same counter:
 * syn_tick_source_adopt (identity.h) then makes the ranks of a machine agree on one.
 * `function` is for SYN_CLOCK_FUNCTION only. Returns 0 or SYN_EINVAL. */
int syn_tick_source_init(struct syn_tick_source *source, enum syn_clock_kind kind,
                         int64_t (*function)(void), double calibration_s);
/* As above, with a calibration that began at `since` (NULL: it begins now): waits only for what is
 * left of `calibration_s`, so a reading taken before something long costs no time, and the longer
 * span makes a better rate. */
int syn_tick_source_init_since(struct syn_tick_source *source, enum syn_clock_kind kind,
                               int64_t (*function)(void), double calibration_s,
                               const struct syn_tick_reading *since);

/* A number of ticks in nanoseconds. */
static inline int64_t syn_ticks_span_ns(const struct syn_tick_source *source, int64_t ticks)
{
    const unsigned __int128 scaled = (unsigned __int128)(__int128)ticks * source->multiplier;
    return (int64_t)((__int128)scaled >> 32);
}

/* The other way: how many ticks a span of so many nanoseconds (0..2^31) has, rounded down. */
static inline int64_t syn_span_ticks(const struct syn_tick_source *source, int64_t ns)
{
    return (int64_t)(((uint64_t)ns << 32) / source->multiplier);
}

/* How long after a reading the next one may be, in nanoseconds, rounded up: by so much may an event
 * have come later than its time says. 0 where a tick is no longer than a nanosecond, as those of
 * x86-64 are; 1 to 40 ns on aarch64. */
static inline int64_t syn_tick_resolution_ns(const struct syn_tick_source *source)
{
    const uint64_t one = UINT64_C(1) << 32;
    return source->multiplier > one ? (int64_t)((source->multiplier + one - 1) >> 32) : 0;
}

/* Ticks to local time: exact integer arithmetic, any tick of +-290 years. */
syn_local_time syn_tick_source_local(const struct syn_tick_source *source, int64_t ticks);
/* Local time back to ticks, to within one tick. */
int64_t syn_tick_source_ticks(const struct syn_tick_source *source, syn_local_time local);
/* The relative error of the rate, from start until now, against CLOCK_MONOTONIC_RAW:
 * true = local * (1 + error). 0 for the kinds that are in nanoseconds already. */
double syn_clock_rate_error(const struct syn_tick_source *source);
/* A vtable over a source; the source must outlive it. */
struct syn_clock syn_tick_source_clock(const struct syn_tick_source *source);
/* "tsc", "monotonic_raw", "monotonic", "mpi". */
const char *syn_clock_kind_name(enum syn_clock_kind kind);

#endif
