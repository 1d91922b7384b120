/* sync/time/clock.h - reads the clock of this process.
 *
 * Wrappers read raw ticks (syn_ticks_now). Everything else uses local nanoseconds: ticks scaled by
 * a tick length that is fixed at the start, so that conversion is exact, monotonic and invertible.
 * An error of the tick length is part of the clock models; on the reference rank,
 * syn_clock_rate_error measures it over the whole run (docs/methods-clock.md). */
#ifndef SYN_CLOCK_H
#define SYN_CLOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "sync/time/cpu.h"
#include "sync/time/timeline.h"

/* A clock as the synchronization methods use it; tests simulate one. */
struct syn_clock {
    syn_local_time (*now)(void *ctx);
    void *ctx;
    /* Sleep for about duration_ns. NULL: nanosleep. A simulated clock advances its own time. */
    void (*sleep)(void *ctx, int64_t duration_ns);
};

enum syn_clock_kind {
    SYN_CLOCK_TSC,           /* the processor's counter (cpu.h), if the kernel trusts it */
    SYN_CLOCK_MONOTONIC_RAW, /* used if it does not */
    SYN_CLOCK_MONOTONIC, /* an ordinary call of clock_gettime through the dynamic linker (--clock
                            monotonic) */
    SYN_CLOCK_FUNCTION   /* a function of the caller (--clock mpi: MPI_Wtime) */
};

/* A calibrated source of ticks. */
struct syn_tick_source {
    enum syn_clock_kind kind;
    int64_t (*function)(void); /* SYN_CLOCK_FUNCTION: returns nanoseconds, used as ticks */
    int64_t base_ticks; /* local time 0; 0 for all kinds, so that the ranks of a machine share it */
    uint64_t multiplier;       /* local_ns = ((ticks - base_ticks) * multiplier) >> 32 */
    int64_t calibration_ticks; /* start of the calibration against CLOCK_MONOTONIC_RAW, */
    int64_t calibration_ns;    /* for syn_clock_rate_error */
};

static inline int64_t syn_read_clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Reads the ticks now. RATIONALE: `source->kind` is constant during a run, so the branch is
 * predicted. */
static inline __attribute__((always_inline)) int64_t
syn_ticks_now(const struct syn_tick_source *source)
{
    if (__builtin_expect(source->kind == SYN_CLOCK_TSC, 1))
        return syn_cpu_counter();
    if (source->kind == SYN_CLOCK_FUNCTION)
        return source->function();
    return syn_read_clock_ns(source->kind == SYN_CLOCK_MONOTONIC ? CLOCK_MONOTONIC
                                                                 : CLOCK_MONOTONIC_RAW);
}

/* The counter (`ticks`) and CLOCK_MONOTONIC_RAW (`raw_ns`) at one instant. Taking it lasts about 3
 * us. */
struct syn_tick_reading {
    int64_t ticks;
    int64_t raw_ns;
};
void syn_tick_reading_take(struct syn_tick_reading *reading);

/* Choose and calibrate a source. For kind TSC without a trusted counter, source->kind becomes
 * SYN_CLOCK_MONOTONIC_RAW. The tick length comes from comparing the counter with
 * CLOCK_MONOTONIC_RAW for `calibration_s` seconds (bracketed reads; the tightest counts); 0.02 s is
 * good to a few ppm. If the processor states its frequency and the comparison agrees, the stated
 * one is used. Processes calibrate to tick lengths that differ by a few ppm: syn_tick_source_adopt
 * (identity.h) makes those of a machine equal. `function`: for SYN_CLOCK_FUNCTION. Returns 0 or
 * SYN_EINVAL. */
int syn_tick_source_init(struct syn_tick_source *source, enum syn_clock_kind kind,
                         int64_t (*function)(void), double calibration_s);
/* Like syn_tick_source_init, with a calibration that began at `since` (NULL: now): waits only for
 * the rest of `calibration_s`. A longer time gives a better tick length. */
int syn_tick_source_init_since(struct syn_tick_source *source, enum syn_clock_kind kind,
                               int64_t (*function)(void), double calibration_s,
                               const struct syn_tick_reading *since);

/* Converts a number of ticks to nanoseconds. */
static inline int64_t syn_ticks_span_ns(const struct syn_tick_source *source, int64_t ticks)
{
    const unsigned __int128 scaled = (unsigned __int128)(__int128)ticks * source->multiplier;
    return (int64_t)((__int128)scaled >> 32);
}

/* Converts nanoseconds (0..2^31) to a number of ticks, rounded down. */
static inline int64_t syn_span_ticks(const struct syn_tick_source *source, int64_t ns)
{
    return (int64_t)(((uint64_t)ns << 32) / source->multiplier);
}

/* Returns the length of a tick in ns, rounded up: an event may be later than its time by this much.
 * 0 if a tick is at most 1 ns, as on x86-64; 1 to 40 ns on aarch64. */
static inline int64_t syn_tick_resolution_ns(const struct syn_tick_source *source)
{
    const uint64_t one = UINT64_C(1) << 32;
    return source->multiplier > one ? (int64_t)((source->multiplier + one - 1) >> 32) : 0;
}

/* Convert ticks to local time, by exact integer arithmetic; any tick of +-290 years. */
syn_local_time syn_tick_source_local(const struct syn_tick_source *source, int64_t ticks);
/* Convert local time to ticks, to within one tick. */
int64_t syn_tick_source_ticks(const struct syn_tick_source *source, syn_local_time local);
/* Returns the relative error of the tick length against CLOCK_MONOTONIC_RAW, from the calibration
 * until now: true = local * (1 + error). 0 for kinds that count nanoseconds. */
double syn_clock_rate_error(const struct syn_tick_source *source);
/* Returns a clock that reads the source, which must outlive it. */
struct syn_clock syn_tick_source_clock(const struct syn_tick_source *source);
/* Returns "tsc", "monotonic_raw", "monotonic" or "mpi". */
const char *syn_clock_kind_name(enum syn_clock_kind kind);

#endif
