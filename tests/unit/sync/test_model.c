/* Offsets out of exchanges, lines out of offsets, and what bounds them. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "sync/methods/feasible.h"
#include "sync/methods/model.h"

/* An exchange begun at own time c, of two delays, with a peer whose clock is own - offset - s * c.
 */
static struct syn_exchange exchange_at(int64_t c_ns, int64_t out_ns, int64_t back_ns,
                                       int64_t offset_ns, double slope)
{
    const int64_t there_ns = c_ns + out_ns;

    return (struct syn_exchange){
        c_ns, there_ns - offset_ns - (int64_t)floor(slope * (double)there_ns), there_ns + back_ns};
}

Test(bounds, contain_the_offset_and_meet_from_both_sides)
{
    /* One exchange is late on the way out, the other on the way back: together they are tight. */
    const struct syn_exchange exchanges[] = {exchange_at(0, 9000, 100, 5000, 0),
                                             exchange_at(10000, 100, 7000, 5000, 0)};
    const struct syn_point point = syn_point_from_bounds(exchanges, 2, 0, 0);

    cr_assert_eq(point.low_ns, 5000 - 100);
    cr_assert_eq(point.high_ns, 5000 + 100);
    cr_assert_eq(point.y_ns, 5000);
    cr_assert_eq(point.rtt_min_ns, 7100);
}

Test(bounds, are_loosened_where_the_drift_is_unknown)
{
    const double slope = 1e-4;
    struct syn_exchange exchanges[50];

    for (int i = 0; i < 50; i++)
        exchanges[i] = exchange_at(i * 1000000, i % 2 ? 300 : 2000, i % 2 ? 2000 : 300, -77, slope);
    exchanges[25] = exchange_at(25000000, 320, 310, -77, slope);
    const struct syn_point loose = syn_point_from_bounds(exchanges, 50, 0, SYN_SLOPE_LIMIT);
    const struct syn_point known = syn_point_from_bounds(exchanges, 50, slope, 1e-9);
    const double truth = -77 + slope * (double)loose.x_ns;
    cr_assert_leq((double)loose.low_ns, truth);
    cr_assert_geq((double)loose.high_ns, truth);
    cr_assert_leq((double)known.low_ns, truth + 1);
    cr_assert_geq((double)known.high_ns, truth - 1);
    cr_assert_leq(known.high_ns - known.low_ns, 605);
    /* As if nothing drifted, bounds of different instants contradict one another. */
    const struct syn_point naive = syn_point_from_bounds(exchanges, 50, 0, 0);
    cr_assert_gt(llabs(naive.y_ns - (int64_t)truth), llabs(loose.y_ns - (int64_t)truth));
}

Test(median, is_an_element_for_even_counts_too)
{
    struct syn_exchange exchanges[] = {
        {0, 0, 40}, {100, 100, 110}, {200, 200, 230}, {300, 300, 320}};
    const struct syn_point point = syn_point_from_median(exchanges, 4, 10);

    cr_assert_eq(point.y_ns, 20 - 5); /* the second smallest of 10 20 30 40, less rtt / 2 */
    cr_assert_eq(point.x_ns, 320);    /* of the very exchange */
}

Test(median, one_exchange_is_its_own)
{
    struct syn_exchange exchange = {1000, 5, 1100};

    cr_assert_eq(syn_point_from_median(&exchange, 1, 100).y_ns, 1100 - 5 - 50);
}

Test(rtt, is_a_mean_without_the_outliers)
{
    struct syn_exchange exchanges[100];

    for (int i = 0; i < 100; i++)
        exchanges[i] = (struct syn_exchange){0, 0, i < 3 ? 1000000 : 990 + i % 3 * 10};
    cr_assert_leq(llabs(syn_mean_rtt_ns(exchanges, 100) - 1000), 1);
}

static void line_points(struct syn_point *points, int count, double slope, int64_t half_ns)
{
    for (int i = 0; i < count; i++) {
        const int64_t x_ns = 1000000000000000 + (int64_t)i * 5000000;
        const int64_t y_ns = 123456789012 + (int64_t)llround(slope * (double)i * 5e6);
        points[i] = (struct syn_point){x_ns, y_ns - half_ns, y_ns + half_ns, y_ns, 2 * half_ns};
    }
}

Test(fit, both_recover_a_line_far_from_the_origin)
{
    struct syn_point points[100];
    struct syn_model theil_sen;

    line_points(points, 100, 1.7e-5, 100);
    const struct syn_model squares = syn_model_least_squares(points, 100);
    cr_assert_eq(syn_model_theil_sen(points, 100, &theil_sen), 0);
    cr_assert_float_eq(squares.slope, 1.7e-5, 1e-10);
    cr_assert_float_eq(theil_sen.slope, 1.7e-5, 1e-10);
    for (int i = 0; i < 100; i++) {
        cr_assert_leq(llabs(syn_model_offset_ns(&squares, points[i].x_ns) - points[i].y_ns), 1);
        cr_assert_leq(llabs(syn_model_offset_ns(&theil_sen, points[i].x_ns) - points[i].y_ns), 1);
    }
}

Test(fit, theil_sen_shrugs_at_outliers_that_bend_least_squares)
{
    struct syn_point points[100];
    struct syn_model theil_sen;

    line_points(points, 100, 1e-5, 100);
    for (int i = 0; i < 20; i++)
        points[80 + i].y_ns += 50000;
    cr_assert_eq(syn_model_theil_sen(points, 100, &theil_sen), 0);
    cr_assert_float_eq(theil_sen.slope, 1e-5, 2e-5 * 0.3);
    cr_assert_float_neq(syn_model_least_squares(points, 100).slope, 1e-5, 5e-5);
}

/* Ranks that seldom run together: two points, and then 90 within a millisecond. */
Test(fit, theil_sen_takes_no_slope_from_a_burst)
{
    struct syn_point points[92];
    struct syn_model model;
    for (int i = 0; i < 92; i++) {
        const int64_t x_ns = i < 2 ? i * 160000000 : 320000000 + i * 10000;
        const int64_t y_ns = x_ns / 100000 + (i % 7 - 3) * 20 - (i > 50) * 30;
        points[i] = (struct syn_point){.x_ns = x_ns, .y_ns = y_ns};
    }
    cr_assert_eq(syn_model_theil_sen(points, 92, &model), 0);
    cr_expect_float_eq(model.slope, 1e-5, 3e-7, "%g", model.slope);
}

Test(fit, theil_sen_takes_any_number_of_points)
{
    struct syn_point *points = malloc(5000 * sizeof *points);
    struct syn_model model;

    line_points(points, 5000, -2e-5, 100);
    cr_assert_eq(syn_model_theil_sen(points, 5000, &model), 0);
    cr_assert_float_eq(model.slope, -2e-5, 1e-10);
    cr_assert_eq(syn_model_theil_sen(points, 2, &model), 0);
    free(points);
}

/* --- all lines that fit --- */

/* Bounds on the line 40 + 1e-5 x every 10 ms: one point in `every` is known to +-100 ns, the others
 * to 5 us, and each of those from one side only if it is `lopsided`. */
static void noisy_points(struct syn_point *points, int count, int every, bool lopsided)
{
    for (int i = 0; i < count; i++) {
        const int64_t x_ns = 777 + (int64_t)i * 10000000;
        const int64_t y_ns = 40 + (int64_t)llround(1e-5 * (double)x_ns);
        const int64_t above_ns = i % every == 0 ? 100 : lopsided && i % 2 ? 90 : 5000;
        const int64_t below_ns = i % every == 0 ? 100 : lopsided && i % 2 == 0 ? 90 : 5000;
        points[i] = (struct syn_point){x_ns, y_ns - below_ns, y_ns + above_ns, 0, 1000};
        points[i].y_ns = (points[i].low_ns + points[i].high_ns) / 2;
    }
}

static double truth_at(int64_t x_ns)
{
    return 40 + 1e-5 * (double)x_ns;
}

Test(feasible, contains_the_true_line_and_little_else)
{
    struct syn_point points[50];
    struct syn_feasible set;

    noisy_points(points, 50, 10, false);
    syn_feasible_lines(points, 50, &set);
    cr_assert_eq(set.wander, SYN_WANDER);
    const struct syn_range slope = syn_feasible_slope(&set);
    cr_assert(slope.low <= 1e-5 && slope.high >= 1e-5);
    /* the tight points span 400 ms: 200 ns more or less on it, and the wander */
    cr_assert_lt(slope.high - slope.low, 2 * (210 / 400e6 + 2 * SYN_WANDER));
    for (int i = 0; i < 50; i++) {
        const struct syn_range range = syn_feasible_offset(&set, points[i].x_ns);
        const double truth = truth_at(points[i].x_ns) - (double)set.y_ns;
        cr_assert(range.low <= truth && truth <= range.high, "point %d", i);
    }
}

/* Away from its instant the offset is as uncertain as the lines, and as the clock may wander. */
Test(feasible, both_ends_are_loosened_by_the_wander)
{
    struct syn_point points[50];
    struct syn_feasible set;

    noisy_points(points, 50, 10, false);
    syn_feasible_lines(points, 50, &set);
    for (int i = 0; i < 50; i++) {
        const double distance_ns = (double)(points[i].x_ns - set.x_ns);
        const struct syn_range range = syn_feasible_offset(&set, points[i].x_ns);
        double low_ns = INFINITY, high_ns = -INFINITY;
        for (int k = 0; k < set.count; k++) {
            const double y_ns = set.corner[k].y_ns + set.corner[k].slope_ppb * 1e-9 * distance_ns;
            low_ns = fmin(low_ns, y_ns);
            high_ns = fmax(high_ns, y_ns);
        }
        cr_expect_float_eq(low_ns - range.low, SYN_WANDER * fabs(distance_ns), 1e-3);
        cr_expect_float_eq(range.high - high_ns, SYN_WANDER * fabs(distance_ns), 1e-3);
    }
}

/* Not one point is tight, but half of them are so from above and half from below. */
Test(feasible, two_quick_ways_make_one_tight_bound)
{
    struct syn_point points[50];
    struct syn_model model;
    double wander;

    noisy_points(points, 50, 1000, true);
    points[0].low_ns -= 4900; /* the one that the others are not */
    cr_assert_eq(syn_model_from_points(points, 50, &model, &wander), 0);
    cr_assert_leq(model.half_width_ns, 400, "%ld", (long)model.half_width_ns);
    cr_assert_leq(fabs(truth_at(model.x_ns) - (double)model.y_ns), (double)model.half_width_ns);
    cr_assert_leq(fabs(model.slope - 1e-5), model.slope_half_width);
}

Test(feasible, disturbed_points_bend_no_line)
{
    struct syn_point points[100];
    struct syn_model model;
    double wander;

    noisy_points(points, 100, 4, false);
    for (int i = 0; i < 100; i++)
        if (i % 4 != 0) /* off by what their bounds allow, more and more */
            points[i].y_ns += 45 * i;
    cr_assert_eq(syn_model_from_points(points, 100, &model, &wander), 0);
    cr_assert_float_eq(model.slope, 1e-5, 1e-9);
    cr_assert_leq(fabs(truth_at(model.x_ns) - (double)model.y_ns), 20);
    cr_assert_leq(model.half_width_ns, 130);
    cr_assert_eq(wander, SYN_WANDER);
}

Test(feasible, a_clock_that_jumps_needs_a_larger_wander)
{
    struct syn_point points[50];
    struct syn_model model;
    double wander;

    noisy_points(points, 50, 1, false);
    for (int i = 25; i < 50; i++) {
        points[i].low_ns += 20000;
        points[i].high_ns += 20000;
        points[i].y_ns += 20000;
    }
    cr_assert_eq(syn_model_from_points(points, 50, &model, &wander), 0);
    cr_assert_gt(wander, 10 * SYN_WANDER);
    for (int i = 0; i < 50; i++) {
        const double distance_ns = fabs((double)(points[i].x_ns - model.x_ns));
        const double truth_ns = truth_at(points[i].x_ns) + (i < 25 ? 0 : 20000);
        const double error_ns =
            fabs(truth_ns - (double)syn_model_offset_ns(&model, points[i].x_ns));
        cr_assert_leq(error_ns, (double)model.half_width_ns +
                                    (model.slope_half_width + wander) * distance_ns);
    }
}

/* --- the standard error of a slope --- */

/* splitmix64, from 0 to 1 */
static double drawn(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;

    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

#define START_POINTS 100

/* A start of half a second: ways of 200 to 220 ns, of which one takes up to late_ns longer for
 * `run` points on end. */
static void draw_start(uint64_t *state, int run, double late_ns, double slope,
                       struct syn_point *points)
{
    double lean = 0;

    for (int i = 0; i < START_POINTS; i++) {
        const int64_t x_ns = (int64_t)i * 5000000;
        const int64_t y_ns = llround(slope * (double)x_ns);
        if (i % run == 0)
            lean = late_ns * (2 * drawn(state) - 1);
        const int64_t there_ns = llround(200 + 20 * drawn(state) + fmax(0, lean));
        const int64_t back_ns = llround(200 + 20 * drawn(state) + fmax(0, -lean));
        points[i] = (struct syn_point){x_ns, y_ns - there_ns, y_ns + back_ns,
                                       y_ns + (back_ns - there_ns) / 2, there_ns + back_ns};
    }
}

/* Results of 500 starts: by how many errors slopes are off, as a root mean square and at most, and
 * the mean error. */
struct honesty {
    double rms, largest, error_ppm;
};

static struct honesty honesty_of(int run, double late_ns)
{
    struct syn_point points[START_POINTS];
    struct syn_model model;
    struct honesty honesty = {0};
    uint64_t state = (uint64_t)run;
    double wander;

    for (int i = 0; i < 500; i++) {
        const double slope = 4e-5 * drawn(&state) - 2e-5;
        draw_start(&state, run, late_ns, slope, points);
        cr_assert_eq(syn_model_from_points(points, START_POINTS, &model, &wander), 0);
        const double off = fabs(model.slope - slope) / model.slope_error;
        honesty.rms += off * off / 500;
        honesty.largest = fmax(honesty.largest, off);
        honesty.error_ppm += model.slope_error * 1e6 / 500;
    }
    honesty.rms = sqrt(honesty.rms);
    if (getenv("SYN_SHOW") != NULL)
        fprintf(stderr,
                "runs of %d points, late by %g ns: off by %.2f errors, at most %.2f; %.4f ppm\n",
                run, late_ns, honesty.rms, honesty.largest, honesty.error_ppm);
    return honesty;
}

/* The scatter of such points about their line promises two to five times too little. */
Test(error, is_honest_where_points_are_off_together)
{
    static const int runs[] = {1, 2, 5, 8, 10};

    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++) {
        const struct honesty honesty = honesty_of(runs[i], 200);
        cr_expect(honesty.rms >= 0.4 && honesty.rms <= 0.85, "runs of %d: %g", runs[i],
                  honesty.rms);
        cr_expect_leq(honesty.largest, 4, "runs of %d: %g", runs[i], honesty.largest);
    }
}

/* Runs as long as a fifth, of which tenths alone see too little. */
Test(error, sees_runs_that_are_longer_than_a_tenth)
{
    const struct honesty honesty = honesty_of(20, 200);

    cr_assert_leq(honesty.rms, 1.15, "%g", honesty.rms);
}

Test(error, is_small_where_nothing_disturbs)
{
    const struct honesty honesty = honesty_of(1, 0);

    cr_assert_leq(honesty.error_ppm, 0.01, "%g", honesty.error_ppm);
    cr_assert_leq(honesty.largest, 4, "%g", honesty.largest);
}

/* All points may be off by the same, more and more, and no block of them would tell. */
Test(error, is_never_less_than_a_share_of_the_half_width)
{
    struct syn_point points[100];
    struct syn_model model;
    double wander;

    line_points(points, 100, 1e-5, 100);
    cr_assert_eq(syn_model_from_points(points, 100, &model, &wander), 0);
    cr_assert_float_eq(model.slope_error, 0.005 * model.slope_half_width, 1e-13);
    cr_assert_gt(model.slope_error, 0);
}

/* Two points and then 90 within a millisecond: whatever the two were off by, none of the others
 * contradicts them. */
Test(error, of_a_slope_that_rests_on_one_block_is_all_that_is_open)
{
    struct syn_point points[92];
    struct syn_model model;
    double wander;

    for (int i = 0; i < 92; i++) {
        const int64_t x_ns = i < 2 ? i * 160000000 : 320000000 + i * 10000;
        const int64_t y_ns = x_ns / 100000;
        points[i] = (struct syn_point){x_ns, y_ns - 200, y_ns + 200, y_ns, 400};
    }
    cr_assert_eq(syn_model_from_points(points, 92, &model, &wander), 0);
    cr_assert_eq(model.slope_error, model.slope_half_width);
    cr_assert_eq(syn_model_from_points(points, 2, &model, &wander), 0);
    cr_assert_eq(model.slope_error, model.slope_half_width);
}

Test(certify, slope_width_is_what_the_bounds_leave_open)
{
    struct syn_point points[100];
    struct syn_model model;

    line_points(points, 100, 1e-5, 100); /* 495 ms, +-100 ns at both ends: +-200 / 495e6 */
    cr_assert_eq(syn_model_theil_sen(points, 100, &model), 0);
    syn_model_certify(&model, points, 100, 0);
    cr_assert_float_eq(model.slope_half_width, 200 / 495e6 + SYN_WANDER, 1e-9);
    cr_assert_geq(model.half_width_ns, 100);
    cr_assert_leq(model.half_width_ns, 105);
}

Test(certify, a_line_that_is_off_says_so)
{
    struct syn_point points[100];

    line_points(points, 100, 1e-5, 100);
    struct syn_model model = syn_model_least_squares(points, 100);
    const int64_t honest_ns = model.half_width_ns;
    model.y_ns += 5000;
    model.slope += 1e-6;
    syn_model_certify(&model, points, 100, 0);
    cr_assert_geq(model.half_width_ns, 5000 - honest_ns);
    cr_assert_geq(model.slope_half_width, 1e-6);
}

Test(merge, composes_the_two_lines)
{
    const struct syn_model parent = {5000000, 700000, 30, 2e-5, 1e-7, 3e-8};
    const struct syn_model leaf = {8000000, -300000, 20, -1.5e-5, 2e-7, 4e-8};
    const struct syn_model merged = syn_model_merge(&parent, &leaf);

    cr_assert_float_eq(merged.slope_error, 5e-8, 1e-15);
    for (int64_t c = 0; c < 20000000000; c += 100000001) {
        const int64_t in_parent = c - syn_model_offset_ns(&leaf, c);
        const int64_t in_root = in_parent - syn_model_offset_ns(&parent, in_parent);
        cr_assert_leq(llabs(c - syn_model_offset_ns(&merged, c) - in_root), 2);
    }
    cr_assert_geq(merged.half_width_ns, 50);
    cr_assert_geq(merged.slope_half_width, 3e-7);
}

Test(merge, adds_the_parent_s_bound_at_the_leaf_s_instant)
{
    const struct syn_model parent = {0, 0, 30, 0, 1e-6, 0};
    const struct syn_model leaf = {1000000000, 0, 20, 0, 0, 0};

    /* 1 us/s of the parent's slope and the wander, one second away. */
    cr_assert_geq(syn_model_merge(&parent, &leaf).half_width_ns, 20 + 30 + 1000 + 50);
    cr_assert_leq(syn_model_merge(&parent, &leaf).half_width_ns, 20 + 30 + 1000 + 50 + 2);
}

/* Two points known to within 10 ns, 1 s apart: the slope is within 2 * 10 ns / 1 s and the wander
 * of 0; half a second from either the offset is within 10 ns and half a second of that and the
 * wander once more (docs/methods-clock.md, "The bound"). */
Test(model, is_certified_with_the_wander)
{
    const struct syn_point points[] = {
        {.x_ns = 0, .y_ns = 0, .low_ns = -10, .high_ns = 10},
        {.x_ns = 1000000000, .y_ns = 0, .low_ns = -10, .high_ns = 10}};
    struct syn_model model = {.x_ns = 500000000};

    syn_model_certify(&model, points, 2, 0);
    cr_assert_float_eq(model.slope_half_width, 20e-9 + SYN_WANDER, 1e-12);
    const double expected_ns = 10 + (20e-9 + 2 * SYN_WANDER) * 0.5e9;
    cr_assert_geq((double)model.half_width_ns, expected_ns - 1e-6);
    cr_assert_leq((double)model.half_width_ns, expected_ns + 1);
}
