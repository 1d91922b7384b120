/* Clocks that are set, that warm and that swing behind collectives of every quality: no time that
 * is mended lies outside its bound, nor any within what is left open. (claims_clocks.c has the same
 * with more of it.) */
#include <criterion/criterion.h>

#include "analyze/clocks/hull.h"
#include "analyze/clocks/mend.h"
#include "clock_simulate.h"
#include "sync/base/integers.h"

/* Runs of a kind. (A sanitizer sees no more in many of them.) */
#ifdef __SANITIZE_ADDRESS__
#define RUNS 4
#else
#define RUNS 12
#endif

/* Totals over runs of one kind. */
struct totals {
    int clocks, mended, outside, outside_mended, outside_widened, outside_open, outside_measured;
    double mended_ns, open_ns;
};

static void add(struct totals *totals, const struct clock_judged *judged)
{
    totals->clocks++;
    totals->mended += judged->mended;
    totals->outside += judged->outside;
    totals->outside_mended += judged->mended ? judged->outside : 0;
    totals->outside_widened += judged->widened && !judged->mended ? judged->outside : 0;
    totals->outside_open += judged->outside_open;
    totals->outside_measured += judged->outside_measured;
    totals->mended_ns += judged->mended ? judged->bound_ns : 0;
    totals->open_ns += judged->open_ns;
}

static struct totals run_kind(struct clock_setting setting, int runs)
{
    const bool has_uneven = setting.uneven;
    struct totals totals = {0};
    struct syn_random random;
    syn_random_seed(&random, 21);
    for (int i = 0; i < runs; i++) {
        setting.uneven = has_uneven && i % 2 == 1;
        struct clock_run *run = clock_run_make(&random, &setting);
        for (int host = 1; host < setting.hosts; host++) {
            const struct clock_judged judged = clock_run_judge(run, host);
            add(&totals, &judged);
        }
        clock_run_free(run);
    }
    return totals;
}

static struct clock_setting setting_of(int at)
{
    static const double slow[] = {0, 0.3, 0.9};
    return (struct clock_setting){.fault = (enum clock_fault)(at % CLOCK_FAULTS),
                                  .slow = slow[at / CLOCK_FAULTS % 3],
                                  .way_ns = at / CLOCK_FAULTS / 3 % 2 == 0 ? 1000 : 30000,
                                  .slice_ns = 4e6,
                                  .hosts = 3,
                                  .ended = true};
}

Test(clock_mend, no_time_is_outside_where_a_clock_is_known_not_to_keep_its_drift)
{
    int outside_measured = 0, mended = 0;
    for (int at = 0; at < 6 * CLOCK_FAULTS; at++) {
        const struct totals totals = run_kind(setting_of(at), 12);
        cr_expect_eq(totals.outside_mended, 0, "kind %d: %d", at, totals.outside_mended);
        cr_expect_eq(totals.outside_widened, 0, "kind %d: %d", at, totals.outside_widened);
        cr_expect_eq(totals.outside_open, 0, "kind %d", at);
        outside_measured += totals.outside_measured;
        mended += totals.mended;
    }
    cr_expect_gt(outside_measured, 30000, "%d", outside_measured); /* faults that do matter */
    cr_expect_gt(mended, 250, "%d", mended);
}

/* Hosts that always come late leave wide open what their clocks do: what a clock that changed once
 * may be off by is taken there, which a swing may exceed. */
Test(clock_mend, hardly_any_time_is_outside_where_ranks_always_come_late)
{
    int outside = 0, clocks = 0;
    for (int at = 0; at < 6 * CLOCK_FAULTS; at++) {
        struct clock_setting setting = setting_of(at);
        setting.uneven = true;
        const struct totals totals = run_kind(setting, RUNS);
        cr_expect_eq(totals.outside_mended, 0, "kind %d: %d", at, totals.outside_mended);
        cr_expect_eq(totals.outside_open, 0, "kind %d", at);
        outside += totals.outside_widened;
        clocks += totals.clocks;
    }
    cr_expect_leq(outside, clocks * CLOCK_TIMES / 1000, "%d of %d", outside, clocks * CLOCK_TIMES);
}

/* A clock that is set after the last call shows nowhere. */
Test(clock_mend, hardly_any_time_is_outside_of_a_run_without_an_end)
{
    int outside = 0, outside_measured = 0, clocks = 0;
    for (int at = 0; at < 6 * CLOCK_FAULTS; at++) {
        struct clock_setting setting = setting_of(at);
        setting.ended = false;
        const struct totals totals = run_kind(setting, RUNS);
        outside += totals.outside;
        outside_measured += totals.outside_measured;
        clocks += totals.clocks;
    }
    cr_expect_gt(outside_measured, 20000 * RUNS / 12, "%d", outside_measured);
    cr_expect_leq(outside, clocks * CLOCK_TIMES / 5000, "%d of %d", outside, clocks * CLOCK_TIMES);
}

#define MS INT64_C(1000000)

/* Set back by 1 ms at 500 ms: what it shows at 499.5 ms is true before that and behind. */
Test(clock_mend, a_clock_that_was_set_back_shows_some_times_twice)
{
    static const struct syn_clock_window window[] = {
        {400 * MS, -2000, 400 * MS, 2000},
        {500 * MS - MS / 4, -2000, 500 * MS - MS / 4, 2000},
        {500 * MS - MS / 10, -2000, 500 * MS - MS / 10, 2000},
        {510 * MS, MS - 2000, 510 * MS, MS + 2000},
    };
    static const struct syn_clock_measured measured[] = {{0, 100}};
    const struct syn_clock_evidence evidence = {
        .window = window, .window_count = 4, .measured = measured, .measured_count = 1};
    struct syn_clock_hull hull;
    struct syn_timeline covered;
    cr_assert_eq(syn_clock_hull_make(&evidence, 4e-5, &hull), 0);
    cr_assert_eq(syn_clock_hull_cover(&hull, NULL, &covered), 0);
    cr_expect_geq(syn_timeline_bound_ns(&covered, (syn_local_time){500 * MS - MS / 2}), MS);
    cr_expect_leq(syn_timeline_bound_ns(&covered, (syn_local_time){MS}), MS / 20);
    syn_timeline_free(&covered);
    syn_clock_hull_free(&hull);
}

/* A bound that says nothing always holds. */
Test(clock_mend, bounds_are_as_narrow_as_the_collectives_are_quick)
{
    for (int fault = CLOCK_STEP_1_MS; fault < CLOCK_FAULTS; fault++) {
        const struct clock_setting setting = {
            .fault = (enum clock_fault)fault, .way_ns = 1000, .hosts = 2, .ended = true};
        const struct totals totals = run_kind(setting, RUNS);
        const double mean_ns = totals.mended_ns / (totals.mended + 1);
        cr_expect_leq(mean_ns, 250000, "fault %d: %g", fault, mean_ns);
    }
}

/* A clock that is set in a run of a second drifts by 1,000 ppm from end to end. */
Test(clock_mend, no_time_is_outside_in_a_brief_run)
{
    for (int at = 0; at < 6 * CLOCK_FAULTS; at++) {
        struct clock_setting setting = setting_of(at);
        setting.brief = true;
        const struct totals totals = run_kind(setting, RUNS);
        cr_expect_eq(totals.outside_mended, 0, "kind %d: %d", at, totals.outside_mended);
        cr_expect_eq(totals.outside_widened, 0, "kind %d: %d", at, totals.outside_widened);
        cr_expect_eq(totals.outside_open, 0, "kind %d", at);
    }
}

static int64_t widest_left_open_ns(int64_t run_ns)
{
    const struct syn_knot knot[] = {{0, 0, 100}, {run_ns, 0, 100}};
    struct syn_timeline measured, open;
    int64_t widest_ns = 0;
    syn_timeline_init(&measured);
    for (int i = 0; i < 2; i++)
        cr_assert_eq(syn_timeline_add(&measured, knot[i]), 0);
    cr_assert_eq(syn_clock_left_open(&(struct syn_clock_record){.timeline = &measured}, &open), 0);
    for (size_t i = 0; i < open.knot_count; i++)
        widest_ns = syn_largest(widest_ns, open.knots[i].half_width_ns);
    syn_timeline_free(&open);
    syn_timeline_free(&measured);
    return widest_ns;
}

/* Little of a swing of 50 us in 20 s fits into a second of which nothing is seen. */
Test(clock_mend, unseen_a_clock_goes_as_far_astray_as_its_drift_can_change)
{
    cr_expect_leq(widest_left_open_ns(1000 * MS), 5400, "%d", (int)widest_left_open_ns(1000 * MS));
    cr_expect_geq(widest_left_open_ns(1000 * MS), 5000);
    cr_expect_geq(widest_left_open_ns(20000 * MS), 800000);
}

/* A swing of which nothing is seen. */
Test(clock_mend, an_unseen_swing_of_a_brief_run_is_within_the_bound)
{
    const struct clock_setting setting = {.fault = CLOCK_SWINGS_50_US,
                                          .slow = 0.99,
                                          .way_ns = 1000,
                                          .slice_ns = 4e6,
                                          .hosts = 8,
                                          .ended = true,
                                          .brief = true};
    const struct totals totals = run_kind(setting, 5 * RUNS);
    cr_expect_eq(totals.outside, 0, "%d of %d", totals.outside, totals.clocks * CLOCK_TIMES);
    cr_expect_gt(totals.outside_measured, 0);
}

/* Ranks that mostly have no processor make wide windows, whose middles say nothing: what is mended
 * is not further off than it was. */
Test(clock_mend, no_clock_is_further_off_where_windows_are_wide)
{
    struct syn_random random;
    int mended = 0;
    syn_random_seed(&random, 14);
    for (int i = 0; i < 40; i++) {
        const struct clock_setting setting = {.fault =
                                                  i % 2 ? CLOCK_STEP_20_US : CLOCK_SWINGS_50_US,
                                              .slow = i % 4 < 2 ? 0.9 : 0.99,
                                              .way_ns = 1000,
                                              .slice_ns = 4e6,
                                              .hosts = 4,
                                              .ended = true};
        struct clock_run *run = clock_run_make(&random, &setting);
        for (int host = 1; host < setting.hosts; host++) {
            const struct clock_judged judged = clock_run_judge(run, host);
            mended += judged.mended;
            if (judged.mended)
                cr_expect_leq(judged.used_error_ns, judged.error_ns + 100,
                              "run %d, host %d: %g, %g", i, host, judged.used_error_ns,
                              judged.error_ns);
        }
        clock_run_free(run);
    }
    cr_expect_gt(mended, 10, "%d", mended);
}
