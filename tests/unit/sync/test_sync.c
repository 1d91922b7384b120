/* The methods, over simulated ranks whose clocks are known: error, bound, cost, and what goes
 * wrong. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim_sync.h"
#include "sync/base/status.h"
#include "sync/methods/model.h"
#include "sync/methods/session.h"

/* (Under sanitizers fewer: more ranks reach no line of sync/ that these do not, and take most of
 * the time.) */
#ifdef __SANITIZE_ADDRESS__
static const int sizes[] = {1, 2, 3, 5, 8, 13};
#else
static const int sizes[] = {1, 2, 3, 5, 7, 8, 13, 16, 31, 64};
#endif
#define SIZE_COUNT (sizeof sizes / sizeof sizes[0])

/* Ranks on hosts of their own, as the ground truth of docs/methods-clock.md has them: offsets up to
 * 1 s, drifts up to 20 ppm, a wander within the default rho, a symmetric network with jitter. */
static struct sim_options hosts(int ranks)
{
    return (struct sim_options){.ranks = ranks,
                                .seed = (unsigned)ranks,
                                .offset_ns = 1e9,
                                .drift_ppm = 20,
                                .wander_ns = 10,
                                .wander_period_s = 20,
                                .clock_jitter_ns = 5,
                                .latency_ns = 2000,
                                .jitter_ns = 200};
}

/* ... and everything that makes it hard. */
static struct sim_options hard_hosts(int ranks)
{
    struct sim_options options = hosts(ranks);

    options.asymmetry =
        5; /* a hop is off by 2.5 latencies, its bound is 3.5: two hops need the sum */
    options.spike_probability = 0.01;
    options.spike_ns = 1e6;
    options.stalled_rank = ranks / 2;
    options.stall_start_ns = 20e6;
    options.stall_ns = 30e6;
    return options;
}

static void begin(struct sim_sync *sync, const struct sim_options *net_options,
                  const struct syn_sync_options *options)
{
    sim_sync_begin(sync, sim_net_new(net_options), options);
    cr_assert_not(sync->deadlocked, "%s on %d ranks: deadlock",
                  syn_sync_method_name(options->method), net_options->ranks);
}

static void begin_well(struct sim_sync *sync, const struct sim_options *net_options,
                       const struct syn_sync_options *options)
{
    begin(sync, net_options, options);
    for (int rank = 0; rank < sync->ranks; rank++)
        cr_assert_eq(sync->statuses[rank], 0, "%s on %d ranks: rank %d has %s",
                     syn_sync_method_name(options->method), sync->ranks, rank,
                     syn_status_text(sync->statuses[rank]));
}

static void discard(struct sim_sync *sync)
{
    struct sim_net *net = sync->net;

    sim_sync_free(sync);
    sim_net_free(net);
}

/* Largest error of each method on such hosts, over all sizes: right after begin, at 20 s on its own
 * prediction, and anywhere in 20 s after the second measurement. A method without drift loses 40
 * us/s at worst. Figures are about twice what is measured (docs/methods-clock.md). */
struct expectation {
    enum syn_sync_method method;
    int fitpoint_count;
    int exchange_count;
    double at_once_ns;
    double after_20_s_ns;
    double interpolated_ns;
};

static const struct expectation expectations[] = {
    {SYN_SYNC_AUTO, 100, 10, 30, 1700, 90},      {SYN_SYNC_SKAMPI, 100, 10, 1200, 9e5, 120},
    {SYN_SYNC_NETGAUGE, 100, 10, 350, 9e5, 200}, {SYN_SYNC_JK, 300, 10, 200, 30000, 200},
    {SYN_SYNC_HCA, 400, 10, 130, 120000, 90},    {SYN_SYNC_HCA2, 400, 10, 400, 120000, 150},
    {SYN_SYNC_HCA3, 400, 10, 400, 120000, 150},
};
#define EXPECTATION_COUNT (sizeof expectations / sizeof expectations[0])

static void check_within(const struct expectation *expected, int ranks, const char *when,
                         int64_t error_ns, double limit_ns)
{
    if (getenv("SYN_SHOW") != NULL)
        fprintf(stderr, "%s %d %s %ld of %.0f\n", syn_sync_method_name(expected->method), ranks,
                when, (long)error_ns, limit_ns);
    cr_assert_leq((double)error_ns, limit_ns, "%s, %d ranks, %s: off by %ld ns",
                  syn_sync_method_name(expected->method), ranks, when, (long)error_ns);
}

static void check_errors(const struct expectation *expected, int ranks)
{
    struct syn_sync_options options = sim_sync_options(expected->method);
    struct sim_options net_options = hosts(ranks);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    options.fitpoint_count = expected->fitpoint_count;
    options.exchange_count = expected->exchange_count;
    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    check_within(expected, ranks, "at-once", sim_sync_worst_ns(&sync, t0, true),
                 expected->at_once_ns);
    for (int s = 5; s <= 20; s += 5)
        check_within(expected, ranks, "predicted", sim_sync_worst_ns(&sync, t0 + s * 1e9, true),
                     expected->at_once_ns + (expected->after_20_s_ns * s) / 20);
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, t0 + 20e9, 50, false, &coverage);
    check_within(expected, ranks, "interpolated", coverage.worst_error_ns,
                 expected->interpolated_ns);
    cr_assert_eq(coverage.outside_count, 0);
    discard(&sync);
}

Test(sync, every_method_is_as_accurate_as_documented)
{
    for (size_t i = 0; i < EXPECTATION_COUNT; i++)
        for (size_t k = 0; k < SIZE_COUNT; k++)
            check_errors(&expectations[i], sizes[k]);
}

/* The bound of every method but `none`, where paths are asymmetric, messages are late and a rank
 * stands still; by begin alone and with the second measurement. */
Test(sync, the_bound_covers_every_time_of_every_method)
{
    for (size_t i = 0; i < EXPECTATION_COUNT; i++) {
        const struct syn_sync_options options = sim_sync_options(expectations[i].method);
        struct sim_coverage first = {0}, both = {0};
        int64_t asked_count = 0;
        for (size_t k = 0; k < SIZE_COUNT; k++) {
            struct sim_options net_options = hard_hosts(sizes[k]);
            struct sim_sync sync;
            begin_well(&sync, &net_options, &options);
            const double t0 = sim_net_now_ns(sync.net);
            sim_sync_cover(&sync, t0, t0 + 30e9, 200, true, &first);
            sim_net_pass(sync.net, 30e9);
            sim_sync_end(&sync);
            sim_sync_cover(&sync, t0, t0 + 30e9, 200, false, &both);
            asked_count += 200 * (sizes[k] - 1);
            discard(&sync);
        }
        cr_assert_eq(first.outside_count, 0, "%s by itself: %ld of %ld",
                     syn_sync_method_name(options.method), (long)first.outside_count,
                     (long)first.checked_count);
        cr_assert_eq(both.outside_count, 0, "%s: %ld of %ld", syn_sync_method_name(options.method),
                     (long)both.outside_count, (long)both.checked_count);
        cr_assert_geq(both.checked_count, asked_count);
    }
}

Test(sync, the_default_s_bound_covers_a_hundred_thousand_times)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_coverage coverage = {0};

    for (unsigned seed = 1; seed <= 24; seed++) {
        struct sim_options net_options = hard_hosts(2 + (int)(seed * 7) % 63);
        struct sim_sync sync;
        net_options.seed = seed;
        net_options.latency_ns = seed % 2 ? 300 : 25000;
        net_options.jitter_ns = net_options.latency_ns / 5;
        net_options.ranks_per_host = seed % 3 ? (int)(seed % 3) * 2 : 0;
        begin_well(&sync, &net_options, &options);
        const double t0 = sim_net_now_ns(sync.net);
        sim_net_pass(sync.net, 10e9);
        sim_sync_measure(&sync);
        sim_net_pass(sync.net, 10e9);
        sim_sync_end(&sync);
        sim_sync_cover(&sync, t0, sim_net_now_ns(sync.net), 200, false, &coverage);
        sim_sync_cover(&sync, t0, t0 + 5e9, 50, true, &coverage);
        discard(&sync);
    }
    if (getenv("SYN_SHOW") != NULL)
        fprintf(stderr, "%ld checked, worst error %ld, worst bound %ld\n",
                (long)coverage.checked_count, (long)coverage.worst_error_ns,
                (long)coverage.worst_bound_ns);
    cr_assert_geq(coverage.checked_count, 100000);
    cr_assert_eq(coverage.outside_count, 0);
}

/* As large as simulated here: 4096 hosts; and 4096 ranks on 64 hosts. (A sanitizer sees no more in
 * them than in fewer.) */
#ifdef __SANITIZE_ADDRESS__
#define RANKS_MOST 512
#define RANKS_MANY 128
#else
#define RANKS_MOST 4096
#define RANKS_MANY 512
#endif
Test(sync, four_thousand_ranks)
{
    const struct {
        enum syn_sync_method method;
        int ranks_per_host;
    } cases[] = {{SYN_SYNC_AUTO, 1}, {SYN_SYNC_AUTO, 64}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct syn_sync_options options = sim_sync_options(cases[i].method);
        struct sim_options net_options = hosts(RANKS_MOST);
        struct sim_coverage coverage = {0};
        struct sim_sync sync;
        options.fitpoint_count = 10;
        options.exchange_count = 4;
        net_options.ranks_per_host = cases[i].ranks_per_host;
        begin_well(&sync, &net_options, &options);
        const double t0 = sim_net_now_ns(sync.net);
        if (cases[i].method == SYN_SYNC_AUTO)
            cr_assert_lt(sync.begin_ns, 1.5e9, "%.3f s", sync.begin_ns / 1e9);
        sim_net_pass(sync.net, 10e9);
        sim_sync_end(&sync);
        sim_sync_cover(&sync, t0, t0 + 10e9, 3, false, &coverage);
        if (getenv("SYN_SHOW") != NULL)
            fprintf(stderr, "%s %d: begin %.3f s, error %ld, bound %ld, %ld checked\n",
                    syn_sync_method_name(cases[i].method), cases[i].ranks_per_host,
                    sync.begin_ns / 1e9, (long)coverage.worst_error_ns,
                    (long)coverage.worst_bound_ns, (long)coverage.checked_count);
        cr_assert_eq(coverage.outside_count, 0);
        cr_assert_geq(coverage.checked_count, 3 * (RANKS_MOST - 1));
        discard(&sync);
    }
}

/* --- cost --- */

static int64_t messages_of(enum syn_sync_method method, int ranks, int fitpoints, int exchanges)
{
    struct syn_sync_options options = sim_sync_options(method);
    struct sim_options net_options = hosts(ranks);
    int64_t sum = 0, counted = 0;
    struct sim_sync sync;

    options.fitpoint_count = fitpoints;
    options.exchange_count = exchanges;
    begin_well(&sync, &net_options, &options);
    for (int rank = 0; rank < ranks; rank++) {
        sum += sim_net_message_count(sync.net, rank);
        counted += syn_sync_quality(sync.syncs[rank])->message_count;
    }
    cr_assert_eq(sum, counted, "the quality record counts what was sent");
    discard(&sync);
    return sum;
}

/* docs/methods-clock.md, "Cost": messages of begin; every rank but 0 learns once, so all are
 * proportional to p - 1, and what differs is how many wait for one another. */
Test(sync, message_counts_are_those_documented)
{
    const int n = 20, x = 6;

    for (size_t k = 0; k < SIZE_COUNT; k++) {
        const int p = sizes[k], rest = p - 1;
        const int levels = 31 - __builtin_clz((unsigned)p), pow2 = 1 << levels;
        const int climbs = pow2 - 1;   /* models sent up */
        const int collects = 2 * rest; /* gather of the extras, scatter */
        const int agreement = 2 * rest;
        cr_assert_eq(messages_of(SYN_SYNC_NONE, p, n, x), 0);
        cr_assert_eq(messages_of(SYN_SYNC_SKAMPI, p, n, x), rest * 200 + agreement);
        cr_assert_eq(messages_of(SYN_SYNC_JK, p, n, x), rest * (220 + 2 * n * x) + agreement);
        cr_assert_eq(messages_of(SYN_SYNC_HCA, p, n, x),
                     rest * (220 + 2 * n * x + 200) + climbs * (p > 1) + collects + agreement);
        cr_assert_eq(messages_of(SYN_SYNC_HCA2, p, n, x),
                     rest * (220 + 2 * n * x + 200) + climbs * (p > 1) + collects + agreement);
        cr_assert_eq(messages_of(SYN_SYNC_HCA3, p, n, x),
                     rest * (220 + 2 * n * x + 200 + 1) + agreement);
        cr_assert_geq(messages_of(SYN_SYNC_NETGAUGE, p, n, x), rest * 202 + collects + agreement);
        /* turns with a word each, the last word, slopes; offsets; grouping; agreement */
        cr_assert_eq(messages_of(SYN_SYNC_AUTO, p, n, x),
                     rest * (n * (2 * x + 1) + 1 + 1 + 202 + 4 + 2));
    }
}

static double begin_time_ns(enum syn_sync_method method, int ranks)
{
    struct syn_sync_options options = sim_sync_options(method);
    struct sim_options net_options = hosts(ranks);
    struct sim_sync sync;

    options.budget_s = 0;
    options.fitpoint_count = 8;
    options.exchange_count = 5;
    begin_well(&sync, &net_options, &options);
    const double begin_ns = sync.begin_ns;
    discard(&sync);
    return begin_ns;
}

/* From 8 to 512 ranks: 73 times the pairs, but 3 times the levels. */
Test(sync, time_grows_with_p_or_with_log_p)
{
    const enum syn_sync_method linear[] = {SYN_SYNC_SKAMPI, SYN_SYNC_JK};
    const enum syn_sync_method trees[] = {SYN_SYNC_NETGAUGE, SYN_SYNC_HCA2, SYN_SYNC_HCA3};

    for (size_t i = 0; i < 2; i++)
        cr_assert_gt(begin_time_ns(linear[i], RANKS_MANY),
                     RANKS_MANY * 50 / 512 * begin_time_ns(linear[i], 8));
    for (size_t i = 0; i < 3; i++)
        cr_assert_lt(begin_time_ns(trees[i], 512), 8 * begin_time_ns(trees[i], 8));
    cr_assert_lt(begin_time_ns(SYN_SYNC_AUTO, 512), 8 * begin_time_ns(SYN_SYNC_AUTO, 8));
}

Test(sync, the_default_stays_within_its_time)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    const int ranks[] = {2, 8, 64, RANKS_MANY};

    for (size_t i = 0; i < 4; i++) {
        struct sim_options net_options = hosts(ranks[i]);
        struct sim_sync sync;
        net_options.latency_ns = 50000; /* 100 us there and back: slow Ethernet */
        begin_well(&sync, &net_options, &options);
        cr_assert_lt(sync.begin_ns, 1.5e9, "%d hosts: %.3f s", ranks[i], sync.begin_ns / 1e9);
        discard(&sync);
        net_options.latency_ns = 2000;
        net_options.ranks_per_host = ranks[i]; /* one machine */
        begin_well(&sync, &net_options, &options);
        cr_assert_lt(sync.begin_ns, 1e6, "%d ranks of one host: %.3f ms", ranks[i],
                     sync.begin_ns / 1e6);
        discard(&sync);
    }
}

/* --- groups --- */

Test(groups, ranks_of_one_host_follow_their_leader)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(30);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    net_options.ranks_per_host = 8; /* 8 + 8 + 8 + 6 */
    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    for (int rank = 0; rank < 30; rank++) {
        const struct syn_sync_quality *quality = syn_sync_quality(sync.syncs[rank]);
        cr_assert_eq(quality->group_size, rank < 24 ? 8 : 6);
        cr_assert_eq(quality->reference_rank, rank == 0 ? -1 : rank % 8 == 0 ? 0 : rank / 8 * 8);
        if (rank > 0 && rank < 8)
            cr_assert_eq(
                syn_timeline_bound_ns(syn_sync_timeline(sync.syncs[rank]), (syn_local_time){0}),
                20);
    }
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, t0 + 20e9, 100, false, &coverage);
    cr_assert_eq(coverage.outside_count, 0);
    cr_assert_leq(coverage.worst_error_ns, 300);
    discard(&sync);
}

/* Equal identities that lie: the ping-pongs find out, and every rank gets a clock of its own. */
Test(groups, a_claim_that_the_offset_contradicts_is_not_believed)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(13);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    net_options.lying_identity = true;
    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    for (int rank = 0; rank < 13; rank++)
        cr_assert_eq(syn_sync_quality(sync.syncs[rank])->group_size, 1);
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, t0 + 20e9, 100, false, &coverage);
    cr_assert_eq(coverage.outside_count, 0);
    discard(&sync);
}

/* Ranks that have compared their clocks by other messages are not pinged. */
Test(groups, what_is_known_is_not_asked_again)
{
    static const bool contradicts[16] = {0};
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(16);
    struct sim_sync sync;

    net_options.ranks_per_host = 16;
    sim_sync_begin_known(&sync, sim_net_new(&net_options), &options, contradicts);
    for (int rank = 0; rank < 16; rank++) {
        cr_assert_eq(sync.statuses[rank], 0);
        cr_assert_eq(syn_sync_quality(sync.syncs[rank])->group_size, 16);
        /* A gather and a broadcast of who contradicts. */
        cr_assert_eq(sim_net_message_count(sync.net, rank), rank == 0 ? 15 : 1);
    }
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    cr_assert_leq(sim_sync_worst_ns(&sync, sim_net_now_ns(sync.net) - 10e9, false), 20);
    discard(&sync);
}

/* Two hosts that claim to be one: of the second one's ranks each found out that its clock is not
 * rank 0's, and gets one of its own. */
Test(groups, what_was_found_to_contradict_is_not_believed)
{
    const bool contradicts[12] = {[4] = true, [5] = true, [6] = true,  [7] = true,
                                  [8] = true, [9] = true, [10] = true, [11] = true};
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(12);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    net_options.ranks_per_host = 4;
    net_options.lying_identity = true;
    sim_sync_begin_known(&sync, sim_net_new(&net_options), &options, contradicts);
    const double t0 = sim_net_now_ns(sync.net);
    for (int rank = 0; rank < 12; rank++) {
        cr_assert_eq(sync.statuses[rank], 0);
        cr_assert_eq(syn_sync_quality(sync.syncs[rank])->group_size, rank < 4 ? 4 : 1);
    }
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, t0 + 20e9, 100, false, &coverage);
    cr_assert_eq(coverage.outside_count, 0);
    cr_assert_leq(coverage.worst_error_ns, 300);
    discard(&sync);
}

/* --- knots --- */

Test(sync, a_measurement_in_between_tightens_the_middle)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(8);
    struct sim_sync sync;

    net_options.latency_ns = 300;
    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    sim_net_pass(sync.net, 20e9);
    sim_sync_measure(&sync);
    const double middle = sim_net_now_ns(sync.net);
    sim_net_pass(sync.net, 20e9);
    sim_sync_end(&sync);
    for (int rank = 1; rank < 8; rank++) {
        const struct syn_timeline *timeline = syn_sync_timeline(sync.syncs[rank]);
        const syn_local_time at_middle = {sim_net_clock_at(sync.net, rank, middle)};
        const syn_local_time at_quarter = {sim_net_clock_at(sync.net, rank, (t0 + middle) / 2)};
        cr_assert_eq(timeline->knot_count, 3);
        cr_assert_leq(syn_timeline_bound_ns(timeline, at_middle) + 400,
                      syn_timeline_bound_ns(timeline, at_quarter));
        cr_assert_eq(sync.first[rank].knot_count, 1);
    }
    discard(&sync);
}

/* A clock whose drift changes more than the default wander allows says so. */
Test(sync, a_surprising_drift_widens_the_wander)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(2);
    struct sim_sync sync;

    net_options.latency_ns = 300;
    net_options.wander_ns = 50000;
    net_options.wander_period_s = 60;
    begin_well(&sync, &net_options, &options);
    for (int i = 0; i < 6; i++) {
        sim_net_pass(sync.net, 10e9);
        sim_sync_measure(&sync);
    }
    cr_assert_gt(syn_sync_timeline(sync.syncs[1])->wander, 1e-6);
    discard(&sync);
}

/* Two hosts, six seconds; the second's clock changes its drift by `ppm` from second 2 to 4. */
static struct sim_coverage warming(double ppm, unsigned seed, double *wander)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(2);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    net_options.seed = seed;
    net_options.latency_ns = 300;
    net_options.warm_ppm = ppm;
    net_options.warm_at_s = net_options.warm_s = 2;
    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    sim_net_pass(sync.net, 6e9 - t0);
    sim_sync_end(&sync);
    sim_sync_cover(&sync, t0, 6e9, 200, false, &coverage);
    *wander = syn_sync_timeline(sync.syncs[1])->wander;
    discard(&sync);
    return coverage;
}

/* The slope of begin and the chord to the end disagree by less than paths might do, but by more
 * than they do. */
Test(sync, a_clock_that_warms_in_mid_run_widens_its_bound)
{
    static const double ppm[] = {1, -1, 5, -5};
    double wander;

    for (size_t i = 0; i < sizeof ppm / sizeof *ppm; i++)
        for (unsigned seed = 1; seed <= 10; seed++) {
            const struct sim_coverage coverage = warming(ppm[i], seed, &wander);
            cr_assert_eq(coverage.outside_count, 0, "%g ppm, seed %u: off by %ld of %ld", ppm[i],
                         seed, (long)coverage.worst_error_ns, (long)coverage.worst_bound_ns);
            cr_assert_leq(coverage.worst_bound_ns, 40000, "%g ppm, seed %u", ppm[i], seed);
        }
}

Test(sync, a_steady_clock_keeps_its_bound)
{
    double wander;
    int widened = 0;

    for (unsigned seed = 1; seed <= 40; seed++) {
        warming(0, seed, &wander);
        widened += wander > SYN_WANDER;
    }
    cr_assert_leq(widened, 1);
}

/* --- processors that are shared --- */

/* Twice as many busy processes as processors: a rank runs for 3 ms and waits for as long, and half
 * of the time is spent on one processor together. A quick round trip takes 1 us. */
static struct sim_options crowded_hosts(int ranks, unsigned seed)
{
    struct sim_options options = hosts(ranks);

    options.seed = seed;
    options.latency_ns = 300;
    options.jitter_ns = 60;
    options.preempt_run_ns = 3e6;
    options.preempt_wait_ns = 3e6;
    options.slow_share = 0.5;
    options.slow_period_ns = 30e6;
    options.slow_ns = 50000;
    return options;
}

static int by_value(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;

    return (left > right) - (left < right);
}

#define CROWDED_RUNS 100

/* The worst error and bound of 95 in 100 runs of 2 s, over all their times. */
static void check_crowded(int ranks, int64_t error_limit_ns, int64_t bound_limit_ns)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    int64_t errors_ns[CROWDED_RUNS], bounds_ns[CROWDED_RUNS];

    for (unsigned run = 0; run < CROWDED_RUNS; run++) {
        struct sim_options net_options = crowded_hosts(ranks, run + 1);
        struct sim_coverage coverage = {0};
        struct sim_sync sync;
        begin_well(&sync, &net_options, &options);
        const double t0 = sim_net_now_ns(sync.net);
        sim_net_pass(sync.net, 2e9);
        sim_sync_end(&sync);
        sim_sync_cover(&sync, t0, sim_net_now_ns(sync.net), 100, false, &coverage);
        cr_assert_eq(coverage.outside_count, 0, "seed %u: %ld outside", run + 1,
                     (long)coverage.outside_count);
        errors_ns[run] = coverage.worst_error_ns;
        bounds_ns[run] = coverage.worst_bound_ns;
        discard(&sync);
    }
    qsort(errors_ns, CROWDED_RUNS, sizeof *errors_ns, by_value);
    qsort(bounds_ns, CROWDED_RUNS, sizeof *bounds_ns, by_value);
    if (getenv("SYN_SHOW") != NULL)
        fprintf(stderr, "%d crowded ranks: error %ld %ld %ld, bound %ld %ld %ld\n", ranks,
                (long)errors_ns[50], (long)errors_ns[94], (long)errors_ns[99], (long)bounds_ns[50],
                (long)bounds_ns[94], (long)bounds_ns[99]);
    cr_assert_leq(errors_ns[94], error_limit_ns, "%ld", (long)errors_ns[94]);
    cr_assert_leq(bounds_ns[94], bound_limit_ns, "%ld", (long)bounds_ns[94]);
}

Test(sync, shared_processors_spoil_no_run)
{
    check_crowded(2, 100, 2000);
    check_crowded(4, 100, 2000);
}

/* --- the standard error of the drift --- */

/* Results of many starts: how far drifts are off, in standard errors of theirs. */
struct honesty {
    int count;
    double squares, largest;
    double errors_ppm; /* their sum */
};

static void add_drift(struct honesty *honesty, const struct sim_sync *sync, int rank)
{
    const struct syn_sync *own = sync->syncs[rank];
    const double now_ns = sim_net_now_ns(sync->net);
    const double own_ns =
        (double)(sim_net_clock_at(sync->net, rank, now_ns) - sim_net_clock_at(sync->net, rank, 0));
    const double root_ns =
        (double)(sim_net_clock_at(sync->net, 0, now_ns) - sim_net_clock_at(sync->net, 0, 0));
    const double off = own->timeline.slope_after - (own_ns - root_ns) / own_ns;

    honesty->count++;
    honesty->squares += off * off / (own->slope_error * own->slope_error);
    honesty->largest = fmax(honesty->largest, fabs(off) / own->slope_error);
    honesty->errors_ppm += own->slope_error * 1e6;
}

/* 200 starts of hosts whose clocks keep their drifts, with the ways between them as alike as
 * `lean_ns` says. */
static struct honesty starts(int ranks, double lean_ns)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(ranks);
    struct honesty honesty = {0};

    net_options.wander_ns = 0;
    net_options.latency_ns = 200;
    net_options.jitter_ns = 20;
    net_options.lean_ns = lean_ns;
    net_options.lean_period_ns = 30e6;
    for (net_options.seed = 1; net_options.seed <= 200; net_options.seed++) {
        struct sim_sync sync;
        begin_well(&sync, &net_options, &options);
        for (int rank = 1; rank < ranks; rank++)
            add_drift(&honesty, &sync, rank);
        discard(&sync);
    }
    if (getenv("SYN_SHOW") != NULL)
        fprintf(
            stderr,
            "drifts of %d ranks, ways apart by %g ns: off by %.2f errors, at most %.2f; %.4f ppm\n",
            ranks, lean_ns, sqrt(honesty.squares / honesty.count), honesty.largest,
            honesty.errors_ppm / honesty.count);
    return honesty;
}

static void check_honest(const struct honesty *honesty, double limit)
{
    const double mean = sqrt(honesty->squares / honesty->count);

    cr_expect(mean >= 0.4 && mean <= 1, "off by %g errors", mean);
    cr_expect_leq(honesty->largest, limit, "off by %g errors", honesty->largest);
}

/* Stretches of 30 ms are runs of six points that are all off to one side. */
Test(sync, a_drift_is_as_wrong_as_its_error_says)
{
    const struct honesty two = starts(2, 200), four = starts(4, 200);

    check_honest(&two, 5);
    check_honest(&four, 6); /* all drifts of a start are off together */
}

Test(sync, the_error_of_a_drift_is_small_where_ways_are_alike)
{
    const struct honesty quiet = starts(2, 0);

    cr_assert_leq(quiet.errors_ppm / quiet.count, 0.01);
    cr_assert_leq(quiet.largest, 4);
}

Test(sync, raw_measurements_are_kept_with_their_stage)
{
    struct syn_sync_options options = sim_sync_options(SYN_SYNC_HCA2);
    struct sim_options net_options = hosts(4);
    struct sim_sync sync;
    size_t count;

    options.fitpoint_count = 30;
    begin_well(&sync, &net_options, &options);
    sim_sync_measure(&sync);
    sim_sync_end(&sync);
    const struct syn_fitpoint *points = syn_sync_fitpoints(sync.syncs[3], &count);
    cr_assert_eq(count, 30 + 1 + 1 + 1);
    cr_assert_eq(points[0].stage, 0);
    cr_assert_eq(points[30].stage, 0);
    cr_assert_eq(points[31].stage, 1);
    cr_assert_eq(points[32].stage, -1);
    for (size_t i = 0; i < count; i++) {
        cr_assert_eq(points[i].peer_rank, 2);
        cr_assert_leq(points[i].low_ns, points[i].high_ns);
        cr_assert_geq(points[i].rtt_min_ns, 4000);
    }
    syn_sync_fitpoints(sync.syncs[0], &count);
    cr_assert_eq(count, 0);
    discard(&sync);
}

/* --- what goes wrong --- */

Test(sync, no_method_needs_a_buffering_transport)
{
    for (int method = 0; method < SYN_SYNC_METHOD_COUNT; method++)
        for (size_t k = 0; k < SIZE_COUNT; k++) {
            const struct syn_sync_options options = sim_sync_options((enum syn_sync_method)method);
            struct sim_options net_options = hosts(sizes[k]);
            struct sim_sync sync;
            net_options.rendezvous = true;
            net_options.ranks_per_host = k % 2 ? 3 : 0;
            begin_well(&sync, &net_options, &options);
            sim_sync_measure(&sync);
            sim_sync_end(&sync);
            cr_assert_not(sync.deadlocked);
            discard(&sync);
        }
}

static void check_loss(enum syn_sync_method method, int rank_count, int at, int count)
{
    const struct syn_sync_options options = sim_sync_options(method);
    struct sim_options net_options = hosts(rank_count);
    struct sim_sync sync;

    net_options.fail_rank = at % rank_count;
    net_options.fail_at = at;
    net_options.fail_count = count;
    begin(&sync, &net_options, &options);
    for (int rank = 0; rank < rank_count; rank++) {
        cr_assert_eq(sync.statuses[rank], SYN_ETRANSPORT,
                     "%s, message %d of rank %d: rank %d has %d", syn_sync_method_name(method), at,
                     at % rank_count, rank, sync.statuses[rank]);
        cr_assert_null(sync.syncs[rank]);
    }
    discard(&sync);
}

/* Either all ranks have a model or none; and nobody hangs. */
Test(sync, lost_messages_leave_no_rank_with_a_model)
{
    const enum syn_sync_method methods[] = {SYN_SYNC_JK, SYN_SYNC_HCA, SYN_SYNC_HCA2,
                                            SYN_SYNC_HCA3};

    for (size_t i = 0; i < 4; i++)
        for (int at = 1; at <= 1000; at += 97) {
            check_loss(methods[i], 7, at, 1);
            check_loss(methods[i], 7, at, 1000000);
        }
    for (int at = 1; at < 100; at += 7)
        check_loss(SYN_SYNC_SKAMPI, 7, at, 1000000);
    for (int at = 30; at <= 1000; at += 97) { /* after the groups have formed */
        check_loss(SYN_SYNC_AUTO, 7, at, 1);
        check_loss(SYN_SYNC_AUTO, 7, at, 1000000);
    }
    for (int at = 1; at < 100; at += 7)
        check_loss(SYN_SYNC_NETGAUGE, 7, at, 1);
}

Test(sync, a_measurement_that_fails_is_only_a_missing_knot)
{
    const struct syn_sync_options options = sim_sync_options(SYN_SYNC_AUTO);
    struct sim_options net_options = hosts(4);
    struct sim_coverage coverage = {0};
    struct sim_sync sync;

    begin_well(&sync, &net_options, &options);
    const double t0 = sim_net_now_ns(sync.net);
    sim_net_pass(sync.net, 5e9);
    sim_net_lose_next(sync.net, 2);
    sim_sync_measure(&sync);
    cr_assert_eq(sync.statuses[2], SYN_ETRANSPORT);
    cr_assert_eq(syn_sync_timeline(sync.syncs[2])->knot_count, 1);
    sim_net_pass(sync.net, 5e9);
    sim_sync_end(&sync);
    cr_assert_eq(sync.statuses[2], 0);
    cr_assert_eq(syn_sync_timeline(sync.syncs[2])->knot_count, 2);
    cr_assert_eq(syn_sync_timeline(sync.syncs[3])->knot_count, 3);
    sim_sync_cover(&sync, t0, t0 + 10e9, 100, false, &coverage);
    cr_assert_eq(coverage.outside_count, 0);
    discard(&sync);
}

Test(sync, one_rank_needs_nobody)
{
    for (int method = 0; method < SYN_SYNC_METHOD_COUNT; method++) {
        const struct syn_sync_options options = sim_sync_options((enum syn_sync_method)method);
        struct sim_options net_options = hosts(1);
        struct sim_sync sync;
        begin_well(&sync, &net_options, &options);
        sim_sync_measure(&sync);
        sim_sync_end(&sync);
        cr_assert_eq(syn_sync_timeline(sync.syncs[0])->knot_count, 0);
        cr_assert_eq(sim_net_message_count(sync.net, 0), 0);
        discard(&sync);
    }
}

Test(sync, refuses_options_out_of_range)
{
    const struct {
        int fitpoint_count, exchange_count;
        double budget_s;
    } wrong[] = {{1, 10, 1}, {10, 0, 1}, {100000, 100000, 1}, {10, 10, -1}, {10, 10, NAN}};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct syn_sync_options options = sim_sync_options(SYN_SYNC_HCA);
        struct sim_options net_options = hosts(2);
        struct sim_sync sync;
        options.fitpoint_count = wrong[i].fitpoint_count;
        options.exchange_count = wrong[i].exchange_count;
        options.budget_s = wrong[i].budget_s;
        begin(&sync, &net_options, &options);
        cr_assert_eq(sync.statuses[0], SYN_EINVAL);
        cr_assert_eq(sync.statuses[1], SYN_EINVAL);
        discard(&sync);
    }
}

Test(sync, names_are_those_of_the_command_line)
{
    const char *const names[] = {"auto", "none", "skampi", "netgauge", "jk", "hca", "hca2", "hca3"};
    enum syn_sync_method method;

    for (int i = 0; i < SYN_SYNC_METHOD_COUNT; i++) {
        cr_assert_str_eq(syn_sync_method_name((enum syn_sync_method)i), names[i]);
        cr_assert_eq(syn_sync_method_parse(names[i], &method), 0);
        cr_assert_eq((int)method, i);
    }
    cr_assert_eq(syn_sync_method_parse("hca4", &method), SYN_EINVAL);
    cr_assert_null(syn_sync_method_name(SYN_SYNC_METHOD_COUNT));
}
