/* tests/unit/analyze/clock_history_test.c - how a clock ran, by what was measured of it: against
 * measurements with a known truth. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/clocks/clock_history.h"

#define POINTS 100
#define EPOCH  INT64_C(5000000000)

/* Rank 0's clock: global time plus EPOCH. */
static struct syn_timeline reference;

static const struct syn_timeline *peer_of(const void *ctx, int32_t rank)
{
    (void)ctx;
    return rank == 0 ? &reference : NULL;
}

/* A clock that is 1 s ahead, drifts by begin_ppm while it is measured over the first half second,
 * and was brought by the end, 10 s later, to where run_ppm would have taken it. */
static void setup(struct syn_timeline *own, struct syn_fitpoint *point, double begin_ppm,
                  double run_ppm)
{
    const int64_t ahead_ns = 1000000000;
    syn_timeline_init(&reference);
    syn_timeline_add(&reference, (struct syn_knot){EPOCH, EPOCH, 0});
    syn_timeline_init(own);
    syn_timeline_add(own, (struct syn_knot){EPOCH + ahead_ns, EPOCH + ahead_ns, 100});
    syn_timeline_add(own, (struct syn_knot){EPOCH + ahead_ns + 10000000000,
                                            EPOCH + ahead_ns + (int64_t)(run_ppm * 1e4), 300});
    for (int i = 0; i < POINTS; i++) {
        const int64_t before_ns = (POINTS - i) * INT64_C(5000000);
        const int64_t offset_ns =
            ahead_ns - (int64_t)llround(begin_ppm * 1e-6 * (double)before_ns) + (i % 3 - 1) * 6;
        point[i] = (struct syn_fitpoint){.peer_rank = 0,
                                         .local_ns = EPOCH + ahead_ns - before_ns,
                                         .low_ns = offset_ns - 200,
                                         .high_ns = offset_ns + 200};
    }
}

static struct syn_clock_history history_of(double begin_ppm, double run_ppm, size_t count)
{
    struct syn_timeline own;
    struct syn_fitpoint point[POINTS];
    struct syn_clock_history course;
    setup(&own, point, begin_ppm, run_ppm);
    const struct syn_clock_history_source source = {
        .own = &own, .fitpoint = point, .count = count, .peer = peer_of};
    cr_assert_eq(syn_clock_history_make(&source, &course), 0);
    syn_timeline_free(&own);
    syn_timeline_free(&reference);
    return course;
}

Test(course, has_the_drift_of_the_begin_and_that_of_the_run)
{
    struct syn_clock_history course = history_of(-2, 3, POINTS);
    cr_expect_eq(course.point_count, (size_t)POINTS);
    cr_expect_float_eq(course.begin_ppm, -2, 0.01, "%g", course.begin_ppm);
    cr_expect_gt(course.begin_error_ppm, 0.001);
    cr_expect_lt(course.begin_error_ppm, 0.02, "%g", course.begin_error_ppm);
    cr_expect_float_eq(course.run_ppm, 3, 1e-6);
    cr_expect_float_eq(course.run_half_width_ppm, 0.04, 1e-6); /* 100 and 300 ns over 10 s */
    cr_expect_leq(course.residual_median_ns, 7);
    syn_clock_history_free(&course);
}

Test(course, tells_points_by_what_they_leave_the_run_line)
{
    struct syn_clock_history course = history_of(-2, 3, POINTS);
    const struct syn_clock_history_point *first = &course.point[0];
    /* 0.5 s before the first knot, 5 ppm away from the line */
    cr_expect_float_eq((first->low_ns + first->high_ns) / 2, 2500, 10);
    cr_expect_float_eq(first->high_ns - first->low_ns, 400, 1);
    cr_expect_float_eq((double)first->at_ns, -5e8, 5000);
    syn_clock_history_free(&course);
}

Test(course, of_few_points_has_no_drift_at_begin)
{
    struct syn_clock_history course = history_of(-2, 3, 7);
    cr_expect_eq(course.point_count, (size_t)7);
    cr_expect(isnan(course.begin_ppm) && isnan(course.residual_median_ns));
    cr_expect_float_eq(course.run_ppm, 3, 1e-6);
    syn_clock_history_free(&course);
}

Test(course, leaves_out_what_cannot_be)
{
    struct syn_timeline own;
    struct syn_fitpoint point[POINTS];
    struct syn_clock_history course;
    setup(&own, point, 0, 0);
    point[0].peer_rank = 7; /* there is no such rank */
    point[1].high_ns = point[1].low_ns - 1;
    point[2].local_ns = INT64_MIN;
    point[3].low_ns = INT64_MIN;
    point[4].high_ns = INT64_MAX;
    const struct syn_clock_history_source source = {
        .own = &own, .fitpoint = point, .count = POINTS, .peer = peer_of};
    cr_assert_eq(syn_clock_history_make(&source, &course), 0);
    cr_expect_eq(course.point_count, (size_t)POINTS - 5);
    syn_clock_history_free(&course);
    syn_timeline_free(&own);
    syn_timeline_free(&reference);
}
