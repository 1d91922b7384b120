/* preload/clocks/run_clock.c - see run_clock.h. */
#include "preload/clocks/run_clock.h"

#include <stdbool.h>
#include <stdlib.h>
#include <time.h>

#include "preload/recorder/recorder.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/ranks/collect.h"
#include "sync/time/clock.h"
#include "sync/time/clock_skew.h"
#include "sync/time/identity.h"

/* Good to a few ppm; corrected at the end of the run. */
#define CALIBRATION_S 0.02

/* Written by one thread at a time (in MPI_Init, in an agreed measurement or in MPI_Finalize),
 * except the atomic members. */
static struct {
    struct syn_tick_reading early; /* first reading of the calibration */
    bool early_taken;              /* `early` is valid; atomic */
    struct syn_clock_skew skew;
    bool skewed;
    struct syn_sync *sync;
    struct syn_timeline timeline;  /* of the models collected last */
    struct syn_timeline *current;  /* read by any thread; atomic */
    struct syn_timeline *previous; /* the former one, which a thread may still be reading */
    syn_global_time epoch;
} run;

/* For tests: a clock that all ranks of a machine read, with a known error added. */
static int64_t read_skewed_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return syn_clock_skew_apply(&run.skew, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec);
}

void syn_run_clock_early(void)
{
    static int begun;
    if (__atomic_exchange_n(&begun, 1, __ATOMIC_RELAXED))
        return;
    syn_tick_reading_take(&run.early);
    __atomic_store_n(&run.early_taken, true, __ATOMIC_RELEASE);
}

void syn_run_clock_offer(struct syn_clock_offer *out)
{
    syn_tick_source_init_since(&syn_ticks, SYN_CLOCK_TSC, NULL, CALIBRATION_S,
                               __atomic_load_n(&run.early_taken, __ATOMIC_ACQUIRE) ? &run.early
                                                                                   : NULL);
    syn_clock_offer_make(&syn_ticks, out);
}

int syn_run_clock_choose(const struct syn_startup *startup, int64_t (*mpi_time)(void), int rank)
{
    const struct syn_options *options = &startup->proposal.options;
    run.skewed = options->test_skew[0] != '\0';
    if (run.skewed) {
        const int status = syn_clock_skew_parse(options->test_skew, rank, &run.skew);
        return status != SYN_OK ? status
                                : syn_tick_source_init(&syn_ticks, SYN_CLOCK_FUNCTION,
                                                       read_skewed_ns, CALIBRATION_S);
    }
    if (options->clock != SYN_CLOCK_TSC)
        return syn_tick_source_init(&syn_ticks, options->clock, mpi_time, CALIBRATION_S);
    syn_tick_source_adopt(&syn_ticks, startup->multiplier);
    return SYN_OK;
}

bool syn_run_clock_is_shared(const struct syn_startup *startup, int size)
{
    const struct syn_options *options = &startup->proposal.options;
    return syn_startup_is_local(startup, size) && options->sync.method == SYN_SYNC_AUTO &&
           options->clock == SYN_CLOCK_TSC && !options->test_skew[0];
}

/* Adds the resolution of both clocks to a knot's half width, since an offset is the difference of
 * two readings. Assumes that other hosts have the same resolution. */
static struct syn_knot with_ticks(struct syn_knot knot)
{
    knot.half_width_ns = syn_add_ns(knot.half_width_ns, 2 * syn_tick_resolution_ns(&syn_ticks));
    return knot;
}

/* Fills the empty *to from the models, from knot `first` on, and sets the run's epoch. */
static int copy_timeline(struct syn_timeline *to, size_t first)
{
    const struct syn_timeline *from = syn_sync_timeline(run.sync);
    int status = SYN_OK;
    for (size_t i = first; status == SYN_OK && i < from->knot_count; i++)
        status = syn_timeline_add(to, with_ticks(from->knots[i]));
    to->slope_before = from->slope_before;
    to->slope_after = from->slope_after;
    to->slope_half_width = from->slope_half_width;
    to->wander = from->wander;
    to->wander_time_s = from->wander_time_s;
    syn_timeline_set_epoch(to, run.epoch);
    return status;
}

/* Makes the timeline from the current models. */
static int take_timeline(void)
{
    syn_timeline_free(&run.timeline);
    return copy_timeline(&run.timeline, 0);
}

/* Publishes a timeline with the newest knots, which suffice for the present. Another thread may
 * still read the former timeline, but no thread reads the one before that: it is freed. */
static void publish(void)
{
    const size_t knot_count = syn_sync_timeline(run.sync)->knot_count;
    struct syn_timeline *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return; /* no memory: keep the old one */
    if (copy_timeline(fresh, knot_count > 2 ? knot_count - 2 : 0)) {
        syn_timeline_free(fresh);
        free(fresh);
        return;
    }
    struct syn_timeline *old = __atomic_exchange_n(&run.current, fresh, __ATOMIC_ACQ_REL);
    if (run.previous)
        syn_timeline_free(run.previous);
    free(run.previous);
    run.previous = old;
}

int syn_run_clock_measure(void)
{
    const int status = syn_sync_measure(run.sync);
    if (status == SYN_OK)
        publish();
    return status;
}

int syn_run_clock_collect(void)
{
    return take_timeline();
}

const struct syn_timeline *syn_run_clock_current(void)
{
    return __atomic_load_n(&run.current, __ATOMIC_ACQUIRE);
}

/* Synchronizes clocks of unknown identity. */
static int begin_unknown(const struct syn_options *options, const struct syn_transport *transport,
                         const struct syn_clock *clock)
{
    struct syn_clock_identity identity;
    int status = syn_clock_identity_read(&syn_ticks, &identity);
    if (run.skewed)
        syn_clock_skew_identity(&run.skew, &identity);
    SYN_STEP(status, syn_sync_begin(&options->sync, transport, clock, identity, &run.sync));
    return status;
}

/* Synchronizes clocks whose identity is known from the startup exchange. RATIONALE: ping-pong
 * messages verify that ranks share a clock, as precisely as these are fast. If there are more ranks
 * than processors they are slow and show little, so the times of the startup exchange itself are
 * used. They suffice to notice the clock of another machine. */
static int begin_known(const struct syn_startup *startup, const struct syn_transport *transport,
                       const struct syn_clock *clock)
{
    const struct syn_options *options = &startup->proposal.options;
    const struct syn_sync_known known = {
        .groups = &startup->groups,
        .compared = startup->proposal.crowded && syn_run_clock_is_shared(startup, transport->size),
        .contradicts = !syn_clock_can_be_shared(&syn_ticks, &startup->sent, &startup->proposal.root,
                                                &startup->arrived),
    };
    return syn_sync_begin_known(&options->sync, transport, clock, &known, &run.sync);
}

/* Agrees on rank 0's clock at one moment as the zero of global time. If the clock is shared, all
 * ranks know such a moment already. */
static int set_epoch(const struct syn_startup *startup, const struct syn_transport *transport,
                     const struct syn_clock *clock)
{
    if (syn_run_clock_is_shared(startup, transport->size)) {
        struct syn_tick_source roots = {.kind = SYN_CLOCK_TSC,
                                        .multiplier = startup->proposal.multiplier};
        if (roots.multiplier == 0)
            roots.kind = SYN_CLOCK_MONOTONIC_RAW;
        run.epoch.ns = syn_tick_reading_local_ns(&roots, &startup->proposal.root);
        return SYN_OK;
    }
    run.epoch = syn_timeline_global(syn_sync_timeline(run.sync), clock->now(clock->ctx));
    return syn_collect_broadcast(transport, &run.epoch, sizeof run.epoch);
}

int syn_run_clock_begin(const struct syn_startup *startup, const struct syn_transport *transport)
{
    const struct syn_clock clock = syn_tick_source_clock(&syn_ticks);
    syn_timeline_init(&run.timeline);
    int status = run.skewed || syn_ticks.kind == SYN_CLOCK_FUNCTION
                     ? begin_unknown(&startup->proposal.options, transport, &clock)
                     : begin_known(startup, transport, &clock);
    SYN_STEP(status, set_epoch(startup, transport, &clock));
    SYN_STEP(status, take_timeline());
    if (status == SYN_OK)
        publish();
    return status;
}

int syn_run_clock_end(const struct syn_transport *transport)
{
    int status = syn_sync_end(run.sync);
    double error = syn_clock_rate_error(&syn_ticks);
    SYN_STEP(status, syn_collect_broadcast(transport, &error, sizeof error));
    SYN_STEP(status, take_timeline());
    if (status == SYN_OK)
        syn_timeline_rescale(&run.timeline, error);
    return status;
}

const struct syn_timeline *syn_run_clock_timeline(void)
{
    return &run.timeline;
}

const struct syn_sync *syn_run_clock_sync(void)
{
    return run.sync;
}
