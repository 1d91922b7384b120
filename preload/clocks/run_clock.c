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

/* Good to a few ppm; the rest is corrected in the end. */
#define CALIBRATION_S 0.02

/* Written by the thread that is in MPI_Init, in an agreed measurement or in MPI_Finalize, of which
 * there is one at a time, but for what is atomic. */
static struct {
    struct syn_tick_reading early; /* one end of the calibration, before MPI's own initialization */
    bool early_taken;              /* atomic: `early` is there */
    struct syn_clock_skew skew;
    bool skewed;
    struct syn_sync *sync;
    struct syn_timeline timeline; /* of the last time that the models were collected */
    struct syn_timeline *current; /* atomic: what any thread reads now, */
    struct syn_timeline *before;  /*   and what one may still be reading */
    syn_global_time epoch;
} run;

/* For tests: what all ranks of a machine read alike, behind an error that is known exactly. */
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

int syn_run_clock_choose(const struct syn_startup *opening, int64_t (*mpi_time)(void), int rank)
{
    const struct syn_options *options = &opening->greeting.options;
    run.skewed = options->test_skew[0] != '\0';
    if (run.skewed) {
        const int status = syn_clock_skew_parse(options->test_skew, rank, &run.skew);
        return status != SYN_OK ? status
                                : syn_tick_source_init(&syn_ticks, SYN_CLOCK_FUNCTION,
                                                       read_skewed_ns, CALIBRATION_S);
    }
    if (options->clock != SYN_CLOCK_TSC)
        return syn_tick_source_init(&syn_ticks, options->clock, mpi_time, CALIBRATION_S);
    syn_tick_source_adopt(&syn_ticks, opening->multiplier);
    return SYN_OK;
}

bool syn_run_clock_is_shared(const struct syn_startup *opening, int size)
{
    const struct syn_options *options = &opening->greeting.options;
    return syn_startup_is_local(opening, size) && options->sync.method == SYN_SYNC_AUTO &&
           options->clock == SYN_CLOCK_TSC && !options->test_skew[0];
}

/* Adds the clocks' ticks to a bound: an offset is the difference of two readings, and so is what is
 * said with it. The ticks of other hosts are taken to be as long as one's own. */
static struct syn_knot with_ticks(struct syn_knot knot)
{
    knot.half_width_ns = syn_add_ns(knot.half_width_ns, 2 * syn_tick_resolution_ns(&syn_ticks));
    return knot;
}

/* `*to`, which is empty, from the models as they are from knot `first` on, with our epoch. */
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

/* The timeline anew from the models as they are. */
static int take_timeline(void)
{
    syn_timeline_free(&run.timeline);
    return copy_timeline(&run.timeline, 0);
}

/* Only the newest knots: what is now depends on no others. Two measurements back nobody reads any
 * more; with the one before another thread may be about to be done. */
static void publish(void)
{
    const size_t knot_count = syn_sync_timeline(run.sync)->knot_count;
    struct syn_timeline *fresh = calloc(1, sizeof *fresh);
    if (!fresh)
        return; /* the old one will do */
    if (copy_timeline(fresh, knot_count > 2 ? knot_count - 2 : 0)) {
        syn_timeline_free(fresh);
        free(fresh);
        return;
    }
    struct syn_timeline *old = __atomic_exchange_n(&run.current, fresh, __ATOMIC_ACQ_REL);
    if (run.before)
        syn_timeline_free(run.before);
    free(run.before);
    run.before = old;
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

/* With clocks that no offer tells of. */
static int begin_unknown(const struct syn_options *options, const struct syn_transport *transport,
                         const struct syn_clock *clock)
{
    struct syn_clock_identity identity;
    int status = syn_clock_identity_read(&syn_ticks, &identity);
    if (run.skewed)
        syn_clock_skew_identity(&run.skew, &identity);
    if (status == SYN_OK)
        status = syn_sync_begin(&options->sync, transport, clock, identity, &run.sync);
    return status;
}

/* RATIONALE: that ranks share a clock is verified by ping-pongs, as sharply as these are fast.
 * Ranks that have to wait for a processor take turns for each, and learn little: for them the
 * opening's own messages have to do. They show clocks of other machines, which is what there is to
 * find. */
static int begin_known(const struct syn_startup *opening, const struct syn_transport *transport,
                       const struct syn_clock *clock)
{
    const struct syn_options *options = &opening->greeting.options;
    const struct syn_sync_known known = {
        .groups = &opening->groups,
        .compared = opening->greeting.crowded && syn_run_clock_is_shared(opening, transport->size),
        .contradicts = !syn_clock_can_be_shared(&syn_ticks, &opening->sent, &opening->greeting.root,
                                                &opening->arrived),
    };
    return syn_sync_begin_known(&options->sync, transport, clock, &known, &run.sync);
}

/* Rank 0's clock at one moment, as it is to be 0 on the global one. Where the clock is shared
 * everyone knows one already. */
static int set_epoch(const struct syn_startup *opening, const struct syn_transport *transport,
                     const struct syn_clock *clock)
{
    if (syn_run_clock_is_shared(opening, transport->size)) {
        struct syn_tick_source roots = {.kind = SYN_CLOCK_TSC,
                                        .multiplier = opening->greeting.multiplier};
        if (roots.multiplier == 0)
            roots.kind = SYN_CLOCK_MONOTONIC_RAW;
        run.epoch.ns = syn_tick_reading_local_ns(&roots, &opening->greeting.root);
        return SYN_OK;
    }
    run.epoch = syn_timeline_global(syn_sync_timeline(run.sync), clock->now(clock->ctx));
    return syn_collect_broadcast(transport, &run.epoch, sizeof run.epoch);
}

int syn_run_clock_begin(const struct syn_startup *opening, const struct syn_transport *transport)
{
    const struct syn_clock clock = syn_tick_source_clock(&syn_ticks);
    syn_timeline_init(&run.timeline);
    int status = run.skewed || syn_ticks.kind == SYN_CLOCK_FUNCTION
                     ? begin_unknown(&opening->greeting.options, transport, &clock)
                     : begin_known(opening, transport, &clock);
    if (status == SYN_OK)
        status = set_epoch(opening, transport, &clock);
    if (status == SYN_OK)
        status = take_timeline();
    if (status == SYN_OK)
        publish();
    return status;
}

int syn_run_clock_end(const struct syn_transport *transport)
{
    int status = syn_sync_end(run.sync);
    double error = syn_clock_rate_error(&syn_ticks);
    if (status == SYN_OK)
        status = syn_collect_broadcast(transport, &error, sizeof error);
    if (status == SYN_OK)
        status = take_timeline();
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
