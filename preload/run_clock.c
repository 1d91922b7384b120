/* preload/run_clock.c - see run_clock.h. */
#include "run_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "../sync/clock.h"
#include "../sync/clock_skew.h"
#include "../sync/collect.h"
#include "../sync/identity.h"
#include "../sync/status.h"
#include "recorder.h"

/* Good to a few ppm; the rest is corrected in the end. */
#define CALIBRATION_S 0.02

/* One end of the calibration, taken before MPI's own initialization. */
static struct syn_tick_reading early;
static bool early_taken;

static struct syn_clock_skew skew;
static bool skewed;
static struct syn_sync *sync;
static struct syn_timeline timeline;
static struct syn_timeline *current;
static syn_global_time epoch;

/* For tests: what all ranks of a machine read alike, behind an error that is known exactly. */
static int64_t read_skewed_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return syn_clock_skew_apply(&skew, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

void syn_run_clock_early(void)
{
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED))
        return;
    syn_tick_reading_take(&early);
    __atomic_store_n(&early_taken, true, __ATOMIC_RELEASE);
}

int syn_run_clock_choose(const struct syn_options *options, int64_t (*mpi_time)(void), int rank)
{
    skewed = options->test_skew[0] != '\0';
    if (!skewed)
        return syn_tick_source_init_since(&syn_ticks, options->clock, mpi_time, CALIBRATION_S,
                                          __atomic_load_n(&early_taken, __ATOMIC_ACQUIRE) ? &early
                                                                                          : NULL);
    const int status = syn_clock_skew_parse(options->test_skew, rank, &skew);
    return status ? status
                  : syn_tick_source_init(&syn_ticks, SYN_CLOCK_FUNCTION, read_skewed_ns,
                                         CALIBRATION_S);
}

/* `*to`, which is empty, from the models as they are from knot `first` on, with our epoch. */
static int copy_timeline(struct syn_timeline *to, size_t first)
{
    const struct syn_timeline *from = syn_sync_timeline(sync);
    int status = SYN_OK;
    for (size_t i = first; !status && i < from->knot_count; i++)
        status = syn_timeline_add(to, from->knots[i]);
    to->slope_before = from->slope_before;
    to->slope_after = from->slope_after;
    to->slope_half_width = from->slope_half_width;
    to->wander = from->wander;
    syn_timeline_set_epoch(to, epoch);
    return status;
}

/* `timeline` anew from the models as they are. */
static int take_timeline(void)
{
    syn_timeline_free(&timeline);
    return copy_timeline(&timeline, 0);
}

/* Only the newest knots: what is now depends on no others. Two measurements back nobody reads any
 * more; with the one before another thread may be about to be done. */
static void publish(void)
{
    static struct syn_timeline *before;
    const size_t knot_count = syn_sync_timeline(sync)->knot_count;
    struct syn_timeline *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return; /* the old one will do */
    if (copy_timeline(fresh, knot_count > 2 ? knot_count - 2 : 0)) {
        syn_timeline_free(fresh);
        free(fresh);
        return;
    }
    struct syn_timeline *old = __atomic_exchange_n(&current, fresh, __ATOMIC_ACQ_REL);
    if (before)
        syn_timeline_free(before);
    free(before);
    before = old;
}

int syn_run_clock_measure(void)
{
    const int status = syn_sync_measure(sync);
    if (!status)
        publish();
    return status;
}

int syn_run_clock_collect(void)
{
    return take_timeline();
}

const struct syn_timeline *syn_run_clock_current(void)
{
    return __atomic_load_n(&current, __ATOMIC_ACQUIRE);
}

int syn_run_clock_begin(const struct syn_options *options, const struct syn_transport *transport)
{
    struct syn_clock_identity identity;
    syn_timeline_init(&timeline);
    int status = syn_clock_identity_read(&syn_ticks, &identity);
    if (skewed)
        syn_clock_skew_identity(&skew, &identity);
    if (!status)
        status = syn_tick_source_share(&syn_ticks, transport, &identity);
    const struct syn_clock clock = syn_tick_source_clock(&syn_ticks);
    if (!status)
        status = syn_sync_begin(&options->sync, transport, &clock, identity, &sync);
    if (status)
        return status;
    epoch = syn_timeline_global(syn_sync_timeline(sync), clock.now(clock.ctx));
    status = syn_collect_broadcast(transport, &epoch, sizeof epoch);
    if (!status)
        status = take_timeline();
    if (!status)
        publish();
    return status;
}

int syn_run_clock_end(const struct syn_transport *transport)
{
    int status = syn_sync_end(sync);
    double error = syn_clock_rate_error(&syn_ticks);
    if (!status)
        status = syn_collect_broadcast(transport, &error, sizeof error);
    if (!status)
        status = take_timeline();
    if (!status)
        syn_timeline_rescale(&timeline, error);
    return status;
}

const struct syn_timeline *syn_run_clock_timeline(void)
{
    return &timeline;
}

const struct syn_sync *syn_run_clock_sync(void)
{
    return sync;
}
