/* sync/time/clock.c - see clock.h. A wrong tick length of the reference rank would stretch every
 * time of the trace, so it is measured over the whole run. */
#include "sync/time/clock.h"

#include <errno.h>
#include <string.h>

#include "sync/base/status.h"
#include "sync/time/cpu.h"

/* Bracketed reads of one reading. Enough that at least one meets no interrupt. */
#define BRACKET_COUNT 64
/* Largest plausible error of a stated frequency. Twice what NTP may steer by (500 ppm), and far
 * less than the error of a wrong frequency. */
#define STATED_RATE_ERROR_MAX 1e-3

/* Reads the clock between two reads of the counter. Returns the ticks between these. */
static int64_t read_bracketed(struct syn_tick_reading *reading)
{
    const int64_t before = syn_cpu_counter();
    reading->raw_ns = syn_read_clock_ns(CLOCK_MONOTONIC_RAW);
    const int64_t width = syn_cpu_counter() - before;

    reading->ticks = before + width / 2;
    return width;
}

void syn_tick_reading_take(struct syn_tick_reading *reading)
{
    int64_t tightest = read_bracketed(reading);

    for (int i = 1; i < BRACKET_COUNT; i++) {
        struct syn_tick_reading next;
        const int64_t width = read_bracketed(&next);
        if (width < tightest) {
            tightest = width;
            *reading = next;
        }
    }
}

/* Returns the stated tick length, which is exact and the same in every process, unless the measured
 * one contradicts it: some firmware states a wrong frequency. */
static double exact_rate(double measured_ns_per_tick)
{
    const uint64_t hz = syn_cpu_counter_hz();
    const double stated = hz > 0 ? 1e9 / (double)hz : measured_ns_per_tick;
    const double ratio = measured_ns_per_tick / stated;

    return ratio > 1 - STATED_RATE_ERROR_MAX && ratio < 1 + STATED_RATE_ERROR_MAX
               ? stated
               : measured_ns_per_tick;
}

int syn_tick_source_init_since(struct syn_tick_source *source, enum syn_clock_kind kind,
                               int64_t (*function)(void), double calibration_s,
                               const struct syn_tick_reading *since)
{
    if ((unsigned)kind > SYN_CLOCK_FUNCTION || (kind == SYN_CLOCK_FUNCTION && !function))
        return SYN_EINVAL;
    if (kind == SYN_CLOCK_TSC && !(calibration_s > 0 && calibration_s <= 60))
        return SYN_EINVAL;
    memset(source, 0, sizeof *source);
    source->kind = kind;
    source->function = kind == SYN_CLOCK_FUNCTION ? function : NULL;
    source->multiplier = UINT64_C(1) << 32;
    if (kind != SYN_CLOCK_TSC)
        return SYN_OK;
    if (!syn_cpu_counter_trusted()) {
        source->kind = SYN_CLOCK_MONOTONIC_RAW;
        return SYN_OK;
    }
    struct syn_tick_reading start, end;

    if (since)
        start = *since;
    else
        syn_tick_reading_take(&start);
    const double left_s =
        calibration_s - (double)(syn_read_clock_ns(CLOCK_MONOTONIC_RAW) - start.raw_ns) / 1e9;
    if (left_s > 0) {
        struct timespec left = {(time_t)left_s, (long)((left_s - (double)(time_t)left_s) * 1e9)};

        while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR)
            ;
    }
    syn_tick_reading_take(&end);
    const double ns_per_tick =
        (double)(end.raw_ns - start.raw_ns) / (double)(end.ticks - start.ticks);
    source->calibration_ticks = start.ticks;
    source->calibration_ns = start.raw_ns;
    source->multiplier = (uint64_t)(exact_rate(ns_per_tick) * 0x1p32 + 0.5);
    return SYN_OK;
}

int syn_tick_source_init(struct syn_tick_source *source, enum syn_clock_kind kind,
                         int64_t (*function)(void), double calibration_s)
{
    return syn_tick_source_init_since(source, kind, function, calibration_s, NULL);
}

syn_local_time syn_tick_source_local(const struct syn_tick_source *source, int64_t ticks)
{
    const __int128 elapsed = (__int128)ticks - source->base_ticks;

    return (syn_local_time){(int64_t)((elapsed * (__int128)source->multiplier) >> 32)};
}

int64_t syn_tick_source_ticks(const struct syn_tick_source *source, syn_local_time local)
{
    /* First tick whose local time is not before `local`: ceiling of local / tick length. */
    const __int128 scaled = (__int128)local.ns * ((__int128)1 << 32);
    const __int128 multiplier = (__int128)source->multiplier;
    __int128 elapsed = scaled / multiplier;

    if (scaled > 0 && scaled % multiplier != 0)
        elapsed++;
    return (int64_t)(elapsed + source->base_ticks);
}

double syn_clock_rate_error(const struct syn_tick_source *source)
{
    struct syn_tick_reading now;

    if (source->kind != SYN_CLOCK_TSC)
        return 0;
    syn_tick_reading_take(&now);
    const double local_ns =
        (double)(now.ticks - source->calibration_ticks) * (double)source->multiplier / 0x1p32;
    return local_ns > 0 ? (double)(now.raw_ns - source->calibration_ns) / local_ns - 1 : 0;
}

static syn_local_time source_now(void *ctx)
{
    const struct syn_tick_source *source = ctx;

    return syn_tick_source_local(source, syn_ticks_now(source));
}

struct syn_clock syn_tick_source_clock(const struct syn_tick_source *source)
{
    return (struct syn_clock){.now = source_now, .ctx = (void *)source};
}

const char *syn_clock_kind_name(enum syn_clock_kind kind)
{
    static const char *const names[] = {
        [SYN_CLOCK_TSC] = "tsc",
        [SYN_CLOCK_MONOTONIC_RAW] = "monotonic_raw",
        [SYN_CLOCK_MONOTONIC] = "monotonic",
        [SYN_CLOCK_FUNCTION] = "mpi",
    };

    return (unsigned)kind <= SYN_CLOCK_FUNCTION ? names[kind] : "unknown";
}
