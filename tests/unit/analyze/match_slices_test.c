/* Bounds and slices: of drawn traces, on drawn clocks that are off by as much as their bounds
 * allow, the truth lies within the bound of each instance; and an instance is the same in whatever
 * slices its members were read. */
#include <criterion/criterion.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze/match/groups/groups_parts.h"
#include "analyze/match/match.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/members/bounds.h"
#include "analyze/threads.h"
#include "made_trace.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"

#define RANKS      4
#define INSTANCES  120
#define STEP_NS    INT64_C(4000000) /* from one instance to the next: they cross cells and knots */
#define KNOTS      5
#define WANDER     2e-6
#define SLOPE_HALF 1e-6

struct drawn {
    struct made_trace made;
    struct syn_timeline timeline[RANKS];
    double error_ns[RANKS][KNOTS]; /* true minus stated offset at each knot, within its width */
    double lean[RANKS];            /* -1 .. 1: how far it strays from the line, of what it may */
    uint64_t random;
    double true_start_ns[INSTANCES][RANKS], true_end_ns[INSTANCES][RANKS];
    int64_t local_start_ns[INSTANCES][RANKS], local_end_ns[INSTANCES][RANKS];
};

static uint64_t draw(struct drawn *drawn, uint64_t below)
{
    uint64_t x = drawn->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % below;
}

/* ---- clocks, and how far they are off ---- */

static void draw_clock(struct drawn *drawn, int rank)
{
    struct syn_timeline *timeline = &drawn->made.timeline[rank];
    syn_timeline_free(timeline);
    for (int k = 0; k < KNOTS && rank > 0; k++) { /* two of them close together */
        const int64_t at = k * 110000000 - (k == 2 ? 109000000 : 0) + rank * 1234567;
        const struct syn_knot knot = {at, rank * 5000000 + k * 2000,
                                      20 + (int64_t)draw(drawn, 10) * 60};
        cr_assert_eq(syn_timeline_add(timeline, knot), 0);
    }
    timeline->wander = rank ? WANDER : 0;
    timeline->slope_half_width = rank ? SLOPE_HALF : 0;
    timeline->slope_before = timeline->slope_after = rank * 1e-6;
    for (size_t k = 0; k < timeline->knot_count; k++) {
        const double width = (double)timeline->knots[k].half_width_ns;
        const double extremes[] = {-width, width, width * ((double)draw(drawn, 2001) / 1000 - 1)};
        drawn->error_ns[rank][k] = extremes[draw(drawn, 3)];
    }
    drawn->lean[rank] = draw(drawn, 2) ? 1 : -1;
    cr_assert_eq(syn_timeline_copy(&drawn->timeline[rank], timeline), 0);
}

/* The chord between the errors at the knots, and as far from it as the clock may wander. */
static double error_at(const struct drawn *drawn, int rank, int64_t local_ns)
{
    const struct syn_timeline *timeline = &drawn->timeline[rank];
    const double *error = drawn->error_ns[rank];
    size_t until = 0;
    while (until < timeline->knot_count && timeline->knots[until].local_ns <= local_ns)
        until++;
    if (timeline->knot_count == 0)
        return 0;
    if (until == 0 || until == timeline->knot_count) {
        const size_t end = until ? until - 1 : 0;
        const double away = fabs((double)(local_ns - timeline->knots[end].local_ns));
        return error[end] + drawn->lean[rank] * (WANDER + SLOPE_HALF) * away;
    }
    const double from = (double)(local_ns - timeline->knots[until - 1].local_ns);
    const double to = (double)(timeline->knots[until].local_ns - local_ns);
    return (error[until - 1] * to + error[until] * from) / (from + to) +
           drawn->lean[rank] * WANDER * fmin(from, to);
}

static double true_ns(const struct drawn *drawn, int rank, int64_t local_ns)
{
    const syn_local_time local = {local_ns};
    return (double)syn_timeline_global(&drawn->timeline[rank], local).ns -
           error_at(drawn, rank, local_ns);
}

static int64_t local_of(const struct drawn *drawn, int rank, int64_t global_ns)
{
    return syn_timeline_local(&drawn->timeline[rank], (syn_global_time){global_ns}).ns;
}

/* ---- instances ---- */

static void draw_event(struct drawn *drawn, int i, int rank)
{
    /* ties are common; some are late by more than an instance takes; some cross into other cells */
    const int64_t start_ns = (i - 10) * STEP_NS + (int64_t)draw(drawn, 4) * 700;
    const int64_t end_ns = start_ns + 5000 + (int64_t)draw(drawn, 3) * 300 +
                           (draw(drawn, 9) == 0 ? (int64_t)draw(drawn, 30) * STEP_NS : 0);
    struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE) +
                                    (i % 5 == 4 ? SYN_OP_FORM_STRIDE : 0),
                              .bytes = 8,
                              .root = -1,
                              .stack = SYN_NO_STACK,
                              .sequence = (uint64_t)i};
    event.start_ticks = event.wait_start_ticks = local_of(drawn, rank, start_ns);
    event.end_ticks = event.call_end_ticks = local_of(drawn, rank, end_ns);
    if (i % 5 == 4) {
        event.call_end_ticks = event.start_ticks + 100;
        event.wait_start_ticks = event.start_ticks + 1000;
    }
    drawn->local_start_ns[i][rank] = event.start_ticks;
    drawn->local_end_ns[i][rank] = event.end_ticks;
    drawn->true_start_ns[i][rank] = true_ns(drawn, rank, event.start_ticks);
    drawn->true_end_ns[i][rank] = true_ns(drawn, rank, event.end_ticks);
    made_raw(&drawn->made, rank, event);
}

static struct drawn *draw_trace(uint64_t seed)
{
    struct drawn *drawn = calloc(1, sizeof *drawn);
    drawn->random = seed;
    made_begin(&drawn->made, RANKS);
    for (int rank = 0; rank < RANKS; rank++)
        draw_clock(drawn, rank);
    for (int i = 0; i < INSTANCES; i++)
        for (int rank = 0; rank < RANKS; rank++)
            draw_event(drawn, i, rank);
    return drawn;
}

static void end_trace(struct drawn *drawn, struct syn_trace *trace)
{
    made_end(&drawn->made, trace);
    for (int rank = 0; rank < RANKS; rank++)
        syn_timeline_free(&drawn->timeline[rank]);
    free(drawn);
}

struct seen {
    const struct drawn *drawn;
    size_t count;
    struct syn_instance at[INSTANCES]; /* by sequence number */
    struct syn_member member[INSTANCES][RANKS];
};

static int see(void *ctx, const struct syn_instance *instance)
{
    struct seen *seen = ctx;
    seen->count++;
    seen->at[instance->sequence] = *instance;
    memcpy(seen->member[instance->sequence], instance->member, RANKS * sizeof *instance->member);
    return 0;
}

static int see_incomplete(void *ctx, const struct syn_instance *instance)
{
    (void)ctx;
    cr_assert_fail("instance %lu is incomplete", instance->sequence);
    return 0;
}

static struct seen *match(const struct drawn *drawn, struct syn_trace *trace, uint64_t slice_events)
{
    struct seen *seen = calloc(1, sizeof *seen);
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_match_totals totals;
    seen->drawn = drawn;
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    struct syn_match match = {.trace = trace,
                              .names = &names,
                              .comms = &comms,
                              .sink = {.instance = see, .incomplete = see_incomplete, .ctx = seen},
                              .slice_events = slice_events};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    cr_assert_eq(seen->count, INSTANCES);
    cr_assert_eq(totals.instance_count, INSTANCES);
    cr_assert_eq(totals.event_count, INSTANCES * RANKS);
    syn_match_totals_free(&totals);
    syn_comms_close(&comms);
    syn_names_free(&names);
    return seen;
}

/* ---- the truth ---- */

struct span {
    double first_start_ns, last_start_ns, first_end_ns, last_end_ns;
};

static struct span true_span(const struct drawn *drawn, uint64_t i)
{
    struct span span = {INFINITY, -INFINITY, INFINITY, -INFINITY};
    for (int rank = 0; rank < RANKS; rank++) {
        span.first_start_ns = fmin(span.first_start_ns, drawn->true_start_ns[i][rank]);
        span.last_start_ns = fmax(span.last_start_ns, drawn->true_start_ns[i][rank]);
        span.first_end_ns = fmin(span.first_end_ns, drawn->true_end_ns[i][rank]);
        span.last_end_ns = fmax(span.last_end_ns, drawn->true_end_ns[i][rank]);
    }
    return span;
}

/* max u over the starts + max u over the ends, from the timelines themselves. */
static int64_t exact_bound(const struct drawn *drawn, uint64_t i)
{
    int64_t start_ns = 0, end_ns = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        const struct syn_timeline *timeline = &drawn->timeline[rank];
        const syn_local_time start = {drawn->local_start_ns[i][rank]},
                             end = {drawn->local_end_ns[i][rank]};
        const int64_t u_start = syn_timeline_bound_ns(timeline, start),
                      u_end = syn_timeline_bound_ns(timeline, end);
        start_ns = u_start > start_ns ? u_start : start_ns;
        end_ns = u_end > end_ns ? u_end : end_ns;
    }
    return start_ns + end_ns;
}

static void expect_truth_within(const struct seen *seen, uint64_t i)
{
    const struct syn_instance *instance = &seen->at[i];
    const struct span truth = true_span(seen->drawn, i);
    const double bound_ns = (double)instance->bound_ns;
    const struct span got = {(double)instance->first_start_ns, (double)instance->last_start_ns,
                             (double)instance->first_end_ns, (double)instance->last_end_ns};
    cr_expect_leq(
        fabs((got.last_end_ns - got.first_start_ns) - (truth.last_end_ns - truth.first_start_ns)),
        bound_ns, "completion of %lu", i);
    cr_expect_leq(fabs((got.last_start_ns - got.first_start_ns) -
                       (truth.last_start_ns - truth.first_start_ns)),
                  bound_ns, "spread of %lu", i);
    cr_expect_leq(
        fabs((got.last_end_ns - got.last_start_ns) - (truth.last_end_ns - truth.last_start_ns)),
        bound_ns, "operation of %lu", i);
    cr_expect_leq(
        fabs((got.last_end_ns - got.first_end_ns) - (truth.last_end_ns - truth.first_end_ns)),
        bound_ns, "exit skew of %lu", i);
}

/* Another member may have been last in truth only where the lead is within the bound. */
static void expect_last_is_last(const struct seen *seen, uint64_t i)
{
    const struct syn_instance *instance = &seen->at[i];
    const double *start_ns = seen->drawn->true_start_ns[i];
    for (int rank = 0; rank < RANKS && instance->lead_ns > instance->bound_ns; rank++)
        cr_expect_leq(start_ns[rank], start_ns[instance->last_starter], "last of %lu", i);
}

Test(match_slices, the_truth_lies_within_the_bound)
{
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct drawn *drawn = draw_trace(seed);
        struct syn_trace *trace = made_open(&drawn->made, 0);
        struct seen *seen = match(drawn, trace, seed % 3); /* 0: all in one slice */
        for (uint64_t i = 0; i < INSTANCES; i++) {
            const int64_t exact_ns = exact_bound(drawn, i);
            cr_expect_geq(seen->at[i].bound_ns, exact_ns, "instance %lu", i);
            /* wider by a cell's wander at most, and by the widest knot of the cell */
            cr_expect_leq(seen->at[i].bound_ns, exact_ns + 2 * (540 + 2 * 51), "instance %lu", i);
            expect_truth_within(seen, i);
            expect_last_is_last(seen, i);
        }
        free(seen);
        end_trace(drawn, trace);
    }
}

/* ---- slices ---- */

static void expect_same(const struct seen *a, const struct seen *b, uint64_t i)
{
    struct syn_instance x = a->at[i], y = b->at[i];
    x.comm = y.comm = NULL;
    x.member = y.member = NULL;
    x.signature_serial = y.signature_serial = 0;
    x.signature_place = y.signature_place = 0;
    x.site = y.site = x.phase = y.phase = 0; /* numbers of a table of names each */
    cr_expect_eq(x.first_start_ns, y.first_start_ns);
    cr_expect_eq(x.last_start_ns, y.last_start_ns);
    cr_expect_eq(x.first_end_ns, y.first_end_ns);
    cr_expect_eq(x.last_end_ns, y.last_end_ns);
    cr_expect_eq(x.last_starter, y.last_starter, "instance %lu", i);
    cr_expect_eq(x.first_ender, y.first_ender, "instance %lu", i);
    cr_expect_eq(x.lead_ns, y.lead_ns, "instance %lu", i);
    cr_expect_eq(x.bound_ns, y.bound_ns, "instance %lu", i);
    cr_expect_eq(x.others_waiting_ns, y.others_waiting_ns, "instance %lu", i);
    cr_expect_eq(x.bytes, y.bytes);
    cr_expect_eq(x.op, y.op);
    cr_expect_eq(x.flags, y.flags);
    cr_expect_eq(x.arrived_count, y.arrived_count);
    cr_expect_arr_eq(a->member[i], b->member[i], sizeof a->member[i]);
}

/* The lowest of several, by the definition. */
static void expect_lowest_of_ties(const struct seen *seen, uint64_t i)
{
    const struct syn_instance *instance = &seen->at[i];
    const struct syn_member *member = seen->member[i];
    for (uint32_t m = 0; m < RANKS; m++) {
        if (member[m].start_ns == instance->last_start_ns)
            cr_expect_leq(instance->last_starter, m, "instance %lu", i);
        if (member[m].end_ns == instance->first_end_ns)
            cr_expect_leq(instance->first_ender, m, "instance %lu", i);
    }
    cr_expect_eq(member[instance->last_starter].start_ns, instance->last_start_ns);
    cr_expect_eq(member[instance->first_ender].end_ns, instance->first_end_ns);
}

Test(match_slices, instances_are_the_same_in_slices_of_any_size)
{
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct drawn *drawn = draw_trace(seed);
        struct syn_trace *trace = made_open(&drawn->made, 0);
        struct seen *whole = match(drawn, trace, 0);
        for (uint64_t events = 1; events <= INSTANCES * RANKS; events += 1 + events / 7) {
            struct seen *seen = match(drawn, trace, events);
            for (uint64_t i = 0; i < INSTANCES; i++) {
                expect_same(whole, seen, i);
                expect_lowest_of_ties(seen, i);
            }
            free(seen);
        }
        free(whole);
        end_trace(drawn, trace);
    }
}

/* ---- what comes late ---- */

struct partial {
    int64_t first_start_ns; /* of its instances */
};

struct order {
    int64_t watermark_ns;
    size_t partial_count;
};

static void *begin_partial(void *ctx)
{
    struct partial *partial = malloc(sizeof *partial);
    (void)ctx;
    partial->first_start_ns = INT64_MAX;
    return partial;
}

static int see_start(void *argument, const struct syn_instance *instance)
{
    struct partial *partial = argument;
    if (instance->first_start_ns < partial->first_start_ns)
        partial->first_start_ns = instance->first_start_ns;
    return 0;
}

static int end_partial(void *ctx, void *argument, int64_t watermark_ns)
{
    struct order *order = ctx;
    struct partial *partial = argument;
    cr_expect_geq(partial->first_start_ns, order->watermark_ns, "partial result %zu",
                  order->partial_count);
    if (watermark_ns > order->watermark_ns)
        order->watermark_ns = watermark_ns;
    order->partial_count++;
    free(partial);
    return 0;
}

static void drop_partial(void *ctx, void *partial)
{
    (void)ctx;
    free(partial);
}

/* Members that start within a slice of one another are not late: nothing starts before the
 * watermark of a partial result that was told before, although instances straddle slices. */
Test(match_slices, nothing_starts_before_the_watermark)
{
    struct drawn *drawn = draw_trace(4);
    struct syn_trace *trace = made_open(&drawn->made, 0);
    for (uint64_t events = 6; events < 40; events += 5) {
        struct order order = {INT64_MIN, 0};
        struct syn_names names = {0};
        struct syn_comms comms;
        struct syn_match_totals totals;
        cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
        struct syn_match match = {.trace = trace,
                                  .names = &names,
                                  .comms = &comms,
                                  .sink = {.instance = see_start,
                                           .incomplete = see_incomplete,
                                           .ctx = &order,
                                           .partial_begin = begin_partial,
                                           .partial_end = end_partial,
                                           .partial_drop = drop_partial},
                                  .slice_events = events};
        cr_assert_eq(syn_match_run(&match, &totals), 0);
        cr_expect_gt(order.partial_count, INSTANCES * RANKS / events);
        cr_expect_eq(order.watermark_ns, INT64_MAX);
        syn_match_totals_free(&totals);
        syn_comms_close(&comms);
        syn_names_free(&names);
    }
    end_trace(drawn, trace);
}

struct one {
    struct syn_instance instance;
    struct syn_member member[3];
    size_t count;
};

static int see_one(void *ctx, const struct syn_instance *instance)
{
    struct one *one = ctx;
    one->count++;
    one->instance = *instance;
    memcpy(one->member, instance->member, sizeof one->member);
    return 0;
}

static int see_first(void *ctx, const struct syn_instance *instance)
{
    return instance->sequence == 0 ? see_one(ctx, instance) : 0;
}

/* Instance 0 into *one. How many instances and duplicates there are. */
static struct syn_match_totals match_first(struct syn_trace *trace, uint64_t slice_events,
                                           struct one *one)
{
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_match_totals totals;
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    struct syn_match match = {
        .trace = trace,
        .names = &names,
        .comms = &comms,
        .sink = {.instance = see_first, .incomplete = see_incomplete, .ctx = one},
        .slice_events = slice_events};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    const struct syn_match_totals counts = {.instance_count = totals.instance_count,
                                            .duplicate_count = totals.duplicate_count};
    syn_match_totals_free(&totals);
    syn_comms_close(&comms);
    syn_names_free(&names);
    return counts;
}

/* The second of two events with one number comes in another slice than the first, before the
 * instance is complete. */
Test(match_slices, a_member_that_comes_twice_counts_once)
{
    const struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE), .bytes = 8, .root = -1};
    struct made_trace made;
    struct one one = {.count = 0};
    made_begin(&made, 3);
    made_event(&made, 1, 100, 900, event);
    made_event(&made, 1, 200, 950, event);
    made_event(&made, 0, 300, 910, event);
    made_event(&made, 2, 400, 920, event);
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_match_totals totals = match_first(trace, 1, &one);
    cr_expect_eq(one.count, 1);
    cr_expect_eq(totals.instance_count, 1);
    cr_expect_eq(totals.duplicate_count, 1);
    cr_expect_eq(one.member[1].start_ns, 100);
    cr_expect_eq(one.instance.last_end_ns, 920);
    made_end(&made, trace);
}

static void expect_first_call(struct syn_trace *trace, uint64_t slice_events)
{
    struct one one = {.count = 0};
    const struct syn_match_totals totals = match_first(trace, slice_events, &one);
    cr_expect_eq(one.count, 1, "slices of %lu", slice_events);
    cr_expect_eq(totals.instance_count, 2);
    cr_expect_eq(totals.duplicate_count, 1);
    cr_expect_eq(one.member[0].start_ns, 300);
    cr_expect_eq(one.member[1].start_ns, 100);
    cr_expect_eq(one.member[2].start_ns, 400);
}

/* The second of two events with one number comes together with a member that was not there. */
Test(match_slices, who_comes_with_one_that_comes_twice_counts)
{
    const struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE), .bytes = 8, .root = -1};
    struct syn_event other = event;
    other.sequence = 1;
    struct made_trace made;
    made_begin(&made, 3);
    made_event(&made, 1, 100, 900, event);
    made_event(&made, 2, 150, 160, other);
    made_event(&made, 1, 200, 950, event);
    made_event(&made, 0, 300, 910, event);
    made_event(&made, 2, 400, 920, event);
    made_event(&made, 0, 500, 910, other);
    made_event(&made, 1, 960, 970, other);
    struct syn_trace *trace = made_open(&made, 0);
    for (uint64_t events = 0; events < 8; events++)
        expect_first_call(trace, events);
    made_end(&made, trace);
}

static uint64_t events_of(uint64_t events, uint64_t chunks, uint64_t ranks, uint64_t sites)
{
    return syn_slice_events(&(struct syn_slicing){events, chunks, ranks, sites},
                            &(struct syn_slice_wish){.enough = 1});
}

/* Else every instance would wait in memory for the ranks of the next slice. */
Test(match_slices, there_is_a_chunk_of_each_rank_however_many_they_are)
{
    const uint64_t some = (uint64_t)65536 * 1526 - 1000; /* some ranks have a call less */

    cr_assert_geq(events_of(some, 65536, 65536, 12), some);
    cr_assert_eq(events_of(1 << 30, 1 << 15, 4, 12), 1 << 19);
    cr_assert_eq(events_of(1 << 30, 1 << 15, 256, 12), 1 << 24);
    cr_assert_eq(events_of(0, 0, 4, 0), 1 << 18);
}

static uint64_t events_of_many_sites(uint64_t events, size_t threads, uint64_t memory_bytes)
{
    return syn_slice_events(&(struct syn_slicing){events, events / 32000, 8, 10000},
                            &(struct syn_slice_wish){.enough = syn_slices_enough(threads),
                                                     .memory_bytes = memory_bytes});
}

/* Fewer, but enough for the threads; and those of a long trace are the same for any number. */
Test(match_slices, of_many_sites_are_longer)
{
    cr_expect_eq(events_of_many_sites(10000000, 1, 0), 10000000);
    cr_expect_eq(events_of_many_sites(10000000, 2, 0), 5000000);
    cr_expect_eq(events_of_many_sites(10000000, 4, 0), 2500000);
    cr_expect_eq(events_of_many_sites(10000000, 64, 0), 1250000);
    for (size_t threads = 1; threads < 100; threads *= 2)
        cr_expect_eq(events_of_many_sites(200000000, threads, 0), 1 << 24);
    cr_expect_eq(events_of(2000000, 64, 8, 100000), 2000000);
    /* 640 bytes an event of all slices in hand */
    cr_expect_eq(events_of_many_sites(10000000, 1, UINT64_C(3200000000)), 5000000);
    cr_expect_eq(events_of_many_sites(10000000, 2, UINT64_C(3200000000)), 2500000);
    cr_expect_eq(events_of_many_sites(10000000, 1, 1 << 24), 32052 * 8 * 4);
}

static void add_chunk(struct made_trace *made, int rank, int number)
{
    static struct syn_event event[SYN_CHUNK_EVENTS];
    for (int i = 0; i < SYN_CHUNK_EVENTS; i++) {
        const int64_t start_ns = 100 * ((int64_t)number * SYN_CHUNK_EVENTS + i) + 10 * rank;
        event[i] =
            (struct syn_event){.op = SYN_OP_BLOCKING(BARRIER), .root = -1, .stack = SYN_NO_STACK};
        event[i].start_ticks = event[i].wait_start_ticks = start_ns;
        event[i].end_ticks = event[i].call_end_ticks = start_ns + 50;
        event[i].sequence = (uint64_t)number * SYN_CHUNK_EVENTS + (uint64_t)i;
    }
    made->event_count[rank] += SYN_CHUNK_EVENTS;
    cr_assert_eq(syn_writer_entries(made->writer[rank], 0, event, SYN_CHUNK_EVENTS, 0,
                                    &made->timeline[rank]),
                 0);
}

/* 2^18 events are five chunks of each of three ranks, and one more: its partners would be pending.
 */
Test(match_slices, end_with_the_same_chunk_of_all_ranks)
{
    struct made_trace made;
    struct syn_slices slices;
    made_begin(&made, 3);
    for (int rank = 0; rank < 3; rank++)
        for (int number = 0; number < 8; number++)
            add_chunk(&made, rank, number);
    struct syn_trace *trace = made_open(&made, 0);

    cr_assert_eq(syn_slices_cut(trace, &(struct syn_slice_wish){.enough = 1}, &slices), 0);
    cr_assert_eq(slices.count, 2);
    for (size_t rank = 0; rank < 3; rank++) {
        cr_expect_eq(slices.first[3 + rank], 5, "rank %zu", rank);
        cr_expect_eq(slices.first[6 + rank], 8);
    }
    cr_expect_eq(slices.events[0], 15 * SYN_CHUNK_EVENTS);
    cr_expect_eq(slices.begin_ns[1], 500 * SYN_CHUNK_EVENTS);

    syn_slices_free(&slices);
    made_end(&made, trace);
}

/* Groups of an absorbed part serve the next one: nothing is counted twice. */
Test(match_slices, groups_that_were_emptied_have_no_instances)
{
    struct syn_groups groups;
    uint64_t key[SYN_KEY_COUNT];
    memset(key, 0xFF, sizeof key);
    syn_groups_init(&groups, SYN_BY_DEFAULT);
    struct syn_group *group = syn_groups_find(&groups, key);
    cr_assert_not_null(group);
    group->instance_count = 4;
    group->tie_sum = 5;
    group->overlap = (struct syn_group_overlap){30, 20, 10};

    syn_groups_empty(&groups);
    cr_expect_eq(groups.count, 1);
    cr_expect(syn_group_is_empty(group));
    cr_expect_eq(group->tie_sum, 0);
    cr_expect_eq(group->overlap.between_ns, 0);
    cr_expect_eq(group->overlap.hidden_ns, 0);
    cr_expect_eq(group->overlap.exposed_ns, 0);
    syn_groups_free(&groups);
}
