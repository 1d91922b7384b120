/* The course of a clock, out of the bounds that collectives give: against a clock whose error is
 * known. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/solve.h"

#define RUN_NS  INT64_C(20000000000)
#define WINDOWS 400

/* The error of a clock's global times over a run, and how its collectives bound it. */
struct run {
    double step_ns, step_at;      /* d moves by so much at this share of the run */
    double warm_ppm;              /* d'' such that the drift rises by so much over the run */
    double sine_ns;               /* amplitude, of one period */
    bool ended;                   /* measured at the end, too: d is 0 there */
    bool loaded;                  /* each side is late for a part of the run */
    double tilt_ns;               /* the way there becomes slower as the way back gets quicker */
    double blip_ns;               /* d is as much more in one window */
    double gap_from, gap_to;      /* no collectives between these shares of the run */
    int64_t stated_ns, steady_ns; /* steady_ns 0: stated_ns */
};

static double raw_error(const struct run *run, double share)
{
    const double s = (double)RUN_NS;
    return (share >= run->step_at ? run->step_ns : 0) +
           run->warm_ppm * 1e-6 * s * share * share / 2 +
           run->sine_ns * sin(6.283185307179586 * share);
}

/* Between two measurements what is stated follows the chord. */
static double error_at(const struct run *run, int64_t at_ns)
{
    const double share = (double)at_ns / (double)RUN_NS;
    return raw_error(run, share) - (run->ended ? share * raw_error(run, 1) : 0);
}

static int64_t stated(const void *ctx, int64_t at_ns)
{
    const struct run *run = ctx;
    (void)at_ns;
    return run->stated_ns;
}

static int64_t steady(const void *ctx, int64_t at_ns)
{
    const struct run *run = ctx;
    return run->steady_ns > 0 ? run->steady_ns : stated(ctx, at_ns);
}

static double uniform(void)
{
    return rand() / (double)RAND_MAX;
}

/* Ways of 1 us there and 1.4 us back at least; of the calls in a window the quickest count. */
static void make_windows(const struct run *run, struct syn_clock_window *window)
{
    srand(11);
    for (int i = 0; i < WINDOWS; i++) {
        const int64_t from_ns = RUN_NS / WINDOWS * i;
        const double late_ns = run->loaded ? 300000 : 0;
        window[i] = (struct syn_clock_window){.low_ns = INT64_MIN, .high_ns = INT64_MAX};
        for (int k = 0; k < 60; k++) {
            const int64_t at_ns = from_ns + (int64_t)(uniform() * (double)(RUN_NS / WINDOWS));
            const double share = (double)at_ns / (double)RUN_NS;
            const double d_ns = error_at(run, at_ns) + (i == WINDOWS / 2 ? run->blip_ns : 0);
            if (share > run->gap_from && share < run->gap_to)
                continue;
            const bool first_late = run->loaded && (i / 40) % 3 == 1;
            const bool second_late = run->loaded && (i / 40) % 3 == 2;
            const double there_ns =
                1000 + run->tilt_ns * share - 800 * log(1 - uniform()) + first_late * late_ns;
            const double back_ns = 1400 + run->tilt_ns * (1 - share) - 800 * log(1 - uniform()) +
                                   second_late * late_ns;
            if ((int64_t)floor(d_ns - there_ns) > window[i].low_ns) {
                window[i].low_ns = (int64_t)floor(d_ns - there_ns);
                window[i].low_at_ns = at_ns;
            }
            if ((int64_t)ceil(d_ns + back_ns) < window[i].high_ns) {
                window[i].high_ns = (int64_t)ceil(d_ns + back_ns);
                window[i].high_at_ns = at_ns;
            }
        }
    }
}

static struct syn_clock_solution solve(const struct run *run)
{
    static struct syn_clock_window window[WINDOWS];
    const struct syn_clock_measured measured[] = {{0, 300}, {RUN_NS, 300}};
    const struct syn_clock_evidence evidence = {.window = window,
                                                .window_count = WINDOWS,
                                                .measured = measured,
                                                .measured_count = run->ended ? 2 : 1,
                                                .growth = 1e-7,
                                                .stated_ns = stated,
                                                .steady_ns = steady,
                                                .steady_growth = 1e-7,
                                                .ctx = run};
    struct syn_clock_solution solution;
    make_windows(run, window);
    cr_assert_eq(syn_clock_solve(&evidence, &solution), 0);
    return solution;
}

/* The times that are mended, of which none may be outside: worst error and bound, but for `near_ns`
 * about the step. */
struct judged {
    double error_ns;
    int64_t bound_ns;
};

static struct judged judge(const struct run *run, const struct syn_clock_solution *solution,
                           int64_t near_ns)
{
    struct judged judged = {0};
    for (int64_t at_ns = 0; at_ns < RUN_NS; at_ns += RUN_NS / 20011) {
        const syn_local_time as_stated = {at_ns};
        const double d_ns =
            (double)(syn_timeline_global(&solution->correction, as_stated).ns - at_ns);
        const double error_ns = fabs(d_ns - error_at(run, at_ns));
        const int64_t bound_ns = syn_timeline_bound_ns(&solution->correction, as_stated);
        cr_assert_leq(error_ns, (double)bound_ns + 1, "at %ld: %g, bound %ld", (long)at_ns,
                      error_ns, (long)bound_ns);
        if (llabs(at_ns - (int64_t)(run->step_at * (double)RUN_NS)) < near_ns)
            continue;
        judged.error_ns = fmax(judged.error_ns, error_ns);
        judged.bound_ns = bound_ns > judged.bound_ns ? bound_ns : judged.bound_ns;
    }
    return judged;
}

Test(clock_solve, a_clock_that_runs_as_stated_is_left_alone)
{
    for (int loaded = 0; loaded < 2; loaded++) {
        const struct run run = {.ended = true, .loaded = loaded, .stated_ns = 500};
        struct syn_clock_solution solution = solve(&run);
        cr_assert_not(solution.contradicted);
        cr_assert_not(solution.bent, "loaded %d", loaded);
        cr_assert_eq(solution.correction.knot_count, 0);
        cr_assert_eq(solution.left_count, 0);
        syn_timeline_free(&solution.correction);
    }
}

Test(clock_solve, steps_either_way_are_found_and_mended)
{
    static const double steps_ns[] = {1e6, -1e6, 20000, -20000};
    for (size_t i = 0; i < sizeof steps_ns / sizeof steps_ns[0]; i++)
        for (int ended = 0; ended < 2; ended++) {
            const struct run run = {
                .step_ns = steps_ns[i], .step_at = 0.377, .ended = ended, .stated_ns = 800};
            struct syn_clock_solution solution = solve(&run);
            cr_assert(solution.contradicted, "%g", steps_ns[i]);
            const struct judged judged = judge(&run, &solution, 4 * RUN_NS / WINDOWS);
            cr_assert_leq(judged.error_ns, 4000 + 0.02 * fabs(steps_ns[i]), "%g, ended %d: %g",
                          steps_ns[i], ended, judged.error_ns);
            cr_assert_leq(judged.bound_ns, 12000 + 0.02 * fabs(steps_ns[i]), "%g, ended %d: %ld",
                          steps_ns[i], ended, (long)judged.bound_ns);
            cr_assert_eq(solution.left_count, 0);
            syn_timeline_free(&solution.correction);
        }
}

/* The chord says that the drift did not last, so that the bound is wide enough for the step: the
 * collectives know better. */
Test(clock_solve, a_bound_that_has_grown_hides_no_step)
{
    const struct run run = {
        .step_ns = 20000, .step_at = 0.377, .ended = true, .stated_ns = 40000, .steady_ns = 800};
    struct syn_clock_solution solution = solve(&run);
    cr_assert(solution.contradicted);
    const struct judged judged = judge(&run, &solution, RUN_NS / WINDOWS * 4);
    cr_expect_leq(judged.error_ns, 1500, "%g", judged.error_ns);
    cr_expect_leq(judged.bound_ns, 12000, "%ld", (long)judged.bound_ns);
    syn_timeline_free(&solution.correction);
}

Test(clock_solve, what_warms_or_swings_within_every_window_s_width_is_seen)
{
    const struct run runs[] = {{.warm_ppm = 1, .ended = true, .stated_ns = 600},
                               {.warm_ppm = 5, .ended = true, .stated_ns = 600},
                               {.warm_ppm = 5, .ended = true, .loaded = true, .stated_ns = 600},
                               {.sine_ns = 50000, .ended = true, .stated_ns = 600},
                               {.sine_ns = 50000, .ended = false, .stated_ns = 2000}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        struct syn_clock_solution solution = solve(&runs[i]);
        cr_assert(solution.contradicted || solution.bent, "run %zu", i);
        const struct judged judged = judge(&runs[i], &solution, 0);
        cr_assert_leq(judged.bound_ns, runs[i].loaded ? 500000 : 10000, "run %zu: %ld", i,
                      (long)judged.bound_ns);
        cr_assert_eq(solution.left_count, 0);
        syn_timeline_free(&solution.correction);
    }
}

/* A few calls in each of a few windows, on processors that are shared many times over: most ways
 * there and back take a time slice, and hardly any window knows either floor. */
struct busy {
    double quick, slow_ns; /* share of the ways that take no time slice; mean of the others */
    int calls;             /* in a window */
    double step_ns;        /* somewhere between a fifth and four fifths of the run */
};
#define BUSY_WINDOWS 32
#define BUSY_RUNS    60

static double way_ns(const struct busy *busy, double least_ns)
{
    const double mean_ns = uniform() < busy->quick ? 800 : busy->slow_ns;
    return least_ns - mean_ns * log(1 - uniform());
}

static void make_busy(const struct busy *busy, const struct run *run,
                      struct syn_clock_window *window)
{
    for (int i = 0; i < BUSY_WINDOWS * busy->calls; i++) {
        struct syn_clock_window *of = &window[i / busy->calls];
        const double share = (i / busy->calls + uniform()) / BUSY_WINDOWS;
        const int64_t at_ns = (int64_t)(share * (double)RUN_NS);
        const int64_t low_ns = (int64_t)floor(error_at(run, at_ns) - way_ns(busy, 1000));
        const int64_t high_ns = (int64_t)ceil(error_at(run, at_ns) + way_ns(busy, 1400));
        if (i % busy->calls == 0)
            *of = (struct syn_clock_window){.low_ns = INT64_MIN, .high_ns = INT64_MAX};
        if (low_ns > of->low_ns)
            *of = (struct syn_clock_window){at_ns, low_ns, of->high_at_ns, of->high_ns};
        if (high_ns < of->high_ns)
            *of = (struct syn_clock_window){of->low_at_ns, of->low_ns, at_ns, high_ns};
    }
}

/* Counts over BUSY_RUNS runs: how many were mended, how many of 501 times each lie outside. */
struct busy_counts {
    int mended, outside;
};

static struct busy_counts run_busy(const struct busy *busy)
{
    struct busy_counts counts = {0};
    srand(12);
    for (int r = 0; r < BUSY_RUNS; r++) {
        const struct run run = {.step_ns = busy->step_ns,
                                .step_at = 0.2 + 0.6 * uniform(),
                                .ended = true,
                                .stated_ns = 800};
        struct syn_clock_window window[BUSY_WINDOWS];
        const struct syn_clock_measured measured[] = {{0, 300}, {RUN_NS, 300}};
        const struct syn_clock_evidence evidence = {.window = window,
                                                    .window_count = BUSY_WINDOWS,
                                                    .measured = measured,
                                                    .measured_count = 2,
                                                    .growth = 1e-7,
                                                    .stated_ns = stated,
                                                    .steady_ns = steady,
                                                    .steady_growth = 1e-7,
                                                    .ctx = &run};
        struct syn_clock_solution solution;
        make_busy(busy, &run, window);
        cr_assert_eq(syn_clock_solve(&evidence, &solution), 0);
        counts.mended += solution.correction.knot_count > 0;
        for (int64_t at_ns = 0; solution.correction.knot_count > 0 && at_ns < RUN_NS;
             at_ns += RUN_NS / 500) {
            const syn_local_time at = {at_ns};
            const double d_ns = (double)(syn_timeline_global(&solution.correction, at).ns - at_ns);
            counts.outside += fabs(d_ns - error_at(&run, at_ns)) >
                              (double)syn_timeline_bound_ns(&solution.correction, at) + 1;
        }
        syn_timeline_free(&solution.correction);
    }
    return counts;
}

/* Middles of windows none of which is near its floors say nothing: one in twenty was mended. */
Test(clock_solve, a_steady_clock_is_left_alone_where_windows_say_little)
{
    int mended = 0;
    for (int c = 0; c < 12; c++) {
        const struct busy busy = {c % 2 ? 0.1 : 0.02, c / 2 % 2 ? 5e6 : 5e5, 4 + c / 4 * 4, 0};
        mended += run_busy(&busy).mended;
    }
    cr_expect_leq(mended, 12 * BUSY_RUNS / 100, "%d of %d", mended, 12 * BUSY_RUNS);
}

/* The clock may have been set in the middle of what a window rests on, or where hardly anything is
 * seen. 287 of these 720,000 times lay outside before. */
Test(clock_solve, bounds_hold_where_windows_say_little_of_a_clock_that_was_set)
{
    static const double steps_ns[] = {20000, -20000, 1e6, -1e6};
    int outside = 0, mended = 0;
    for (int c = 0; c < 24; c++) {
        const struct busy busy = {c % 2 ? 0.1 : 0.02, c / 2 % 2 ? 5e6 : 5e5, c % 3 * 5 + 4,
                                  steps_ns[c / 6]};
        const struct busy_counts counts = run_busy(&busy);
        outside += counts.outside;
        mended += counts.mended;
    }
    cr_expect_geq(mended, 24 * BUSY_RUNS * 9 / 10, "%d", mended);
    cr_expect_leq(outside, 24 * BUSY_RUNS * 500 / 5000, "%d", outside);
}

/* A run without an end states a bound that grows: collectives know better. */
Test(clock_solve, what_is_known_better_than_stated_tightens_the_bound)
{
    const struct run run = {.stated_ns = 50000};
    struct syn_clock_solution solution = solve(&run);
    cr_assert_not(solution.contradicted || solution.bent);
    cr_assert_gt(solution.correction.knot_count, 0);
    cr_assert_leq(judge(&run, &solution, 0).bound_ns, 8000);
    syn_timeline_free(&solution.correction);
}

/* Between two measurements middles may move with the ways there and back: that is no clock. */
Test(clock_solve, ways_that_change_are_no_bent_clock)
{
    const struct run run = {.ended = true, .tilt_ns = 3000, .stated_ns = 500};
    struct syn_clock_solution solution = solve(&run);
    cr_assert_not(solution.contradicted || solution.bent);
    syn_timeline_free(&solution.correction);
}

Test(clock_solve, one_window_that_is_off_is_no_bent_clock)
{
    const struct run run = {.ended = true, .blip_ns = 1400, .stated_ns = 500};
    struct syn_clock_solution solution = solve(&run);
    cr_assert_not(solution.contradicted);
    cr_assert_not(solution.bent);
    syn_timeline_free(&solution.correction);
}

/* Windows that are all alike are off by no more than their floor: a swing that contradicts none of
 * them is seen by their middles. What was stated does not hold then, and bounds nothing. */
Test(clock_solve, a_swing_that_contradicts_no_window_is_seen_and_mended)
{
    static const double swings_ns[] = {1600, 1400, 1800, 2500, 5000, 10000};
    for (size_t i = 0; i < sizeof swings_ns / sizeof swings_ns[0]; i++)
        for (int ended = 0; ended < 2; ended++) {
            const struct run run = {.sine_ns = swings_ns[i], .ended = ended, .stated_ns = 600};
            struct syn_clock_solution solution = solve(&run);
            cr_expect(solution.bent, "%g, ended %d", swings_ns[i], ended);
            const struct judged judged = judge(&run, &solution, 0);
            cr_expect_leq(judged.error_ns, 300 + 0.3 * swings_ns[i], "%g, ended %d: %g",
                          swings_ns[i], ended, judged.error_ns);
            cr_expect_leq(judged.bound_ns, 3000 + 0.4 * swings_ns[i], "%g, ended %d: %ld",
                          swings_ns[i], ended, (long)judged.bound_ns);
            cr_expect_eq(solution.left_count, 0);
            syn_timeline_free(&solution.correction);
        }
}

/* A clock that is known to run unevenly may have left the line while nothing is seen of it. */
Test(clock_solve, a_bound_holds_where_a_swinging_clock_was_not_seen)
{
    const struct run run = {
        .sine_ns = 50000, .ended = true, .stated_ns = 600, .gap_from = 0.15, .gap_to = 0.35};
    struct syn_clock_solution solution = solve(&run);
    cr_assert(solution.contradicted || solution.bent);
    judge(&run, &solution, 0);
    syn_timeline_free(&solution.correction);
}

/* A clock that was set while nothing was seen may have been so at any instant of that. */
Test(clock_solve, a_bound_holds_where_a_clock_was_set_unseen)
{
    static const double steps_ns[] = {1e6, -1e6, 50000, -50000};
    static const double steps_at[] = {0.302, 0.325, 0.348};
    for (int c = 0; c < 12; c++) {
        const struct run run = {.step_ns = steps_ns[c / 3],
                                .step_at = steps_at[c % 3],
                                .ended = true,
                                .stated_ns = 800,
                                .gap_from = 0.3,
                                .gap_to = 0.35};
        struct syn_clock_solution solution = solve(&run);
        cr_assert(solution.contradicted);
        judge(&run, &solution, 0);
        syn_timeline_free(&solution.correction);
    }
}

Test(clock_solve, nothing_to_go_by_is_no_evidence)
{
    const struct run run = {.stated_ns = 500};
    const struct syn_clock_measured measured = {0, 300};
    struct syn_clock_window window = {.low_ns = INT64_MIN, .high_ns = INT64_MAX};
    const struct syn_clock_evidence evidence = {.window = &window,
                                                .window_count = 1,
                                                .measured = &measured,
                                                .measured_count = 1,
                                                .stated_ns = stated,
                                                .steady_ns = steady,
                                                .steady_growth = 1e-7,
                                                .ctx = &run};
    struct syn_clock_solution solution;
    cr_assert_eq(syn_clock_solve(&evidence, &solution), 0);
    cr_assert_not(solution.contradicted || solution.bent);
    cr_assert_eq(solution.correction.knot_count, 0);
}
