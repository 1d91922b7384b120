/* Timelines: from one rank's clock to the run's clock and back. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/time/convert.h"
#include "sync/time/cpu.h"
#include "sync/time/ends.h"
#include "sync/time/timeline.h"

static struct syn_timeline two_knots(void)
{
    struct syn_timeline timeline;

    syn_timeline_init(&timeline);
    cr_assert_eq(syn_timeline_add(&timeline, (struct syn_knot){11000, 1100, 7}), 0);
    cr_assert_eq(syn_timeline_add(&timeline, (struct syn_knot){1000, 100, 5}), 0);
    timeline.slope_before = 0.5;
    timeline.slope_after = 0.25;
    timeline.slope_half_width = 0.01;
    timeline.wander = 0.001;
    return timeline;
}

static int64_t global_of(const struct syn_timeline *timeline, int64_t local_ns)
{
    return syn_timeline_global(timeline, (syn_local_time){local_ns}).ns;
}

static int64_t bound_of(const struct syn_timeline *timeline, int64_t local_ns)
{
    return syn_timeline_bound_ns(timeline, (syn_local_time){local_ns});
}

Test(timeline, empty_is_the_identity)
{
    struct syn_timeline timeline;

    syn_timeline_init(&timeline);
    cr_assert_eq(global_of(&timeline, -123), -123);
    cr_assert_eq(syn_timeline_local(&timeline, (syn_global_time){77}).ns, 77);
    cr_assert_eq(bound_of(&timeline, 99), 0);
}

Test(timeline, interpolates_between_knots_and_extends_by_the_slopes)
{
    struct syn_timeline timeline = two_knots();

    cr_assert_eq(global_of(&timeline, 1000), 900);
    cr_assert_eq(global_of(&timeline, 11000), 9900);
    cr_assert_eq(global_of(&timeline, 6000), 5400);   /* offset 600, half-way */
    cr_assert_eq(global_of(&timeline, 0), 400);       /* offset 100 - 0.5 * 1000 */
    cr_assert_eq(global_of(&timeline, 12000), 10650); /* offset 1100 + 0.25 * 1000 */
    syn_timeline_free(&timeline);
}

Test(timeline, bound_grows_from_the_nearer_knot)
{
    struct syn_timeline timeline = two_knots();

    cr_assert_eq(bound_of(&timeline, 1000), 7);
    cr_assert_eq(bound_of(&timeline, 3000), 9);           /* 7 + 0.001 * 2000 */
    cr_assert_eq(bound_of(&timeline, 10000), 8);          /* 7 + 0.001 * 1000 */
    cr_assert_eq(bound_of(&timeline, 0), 5 + 11);         /* 5 + 0.011 * 1000 */
    cr_assert_eq(bound_of(&timeline, 12001), 7 + 11 + 1); /* 7 + 0.011 * 1001, rounded up */
    syn_timeline_free(&timeline);
}

/* The widths 5 and 7 at 1000 and 11000, interpolated; rho doubles after 3 * 5000 ns. */
Test(timeline, bound_follows_both_widths_and_wanders_as_a_quartz_does)
{
    struct syn_timeline timeline = two_knots();

    timeline.wander_time_s = 5000e-9;
    const double rho = 0.001 * sqrt(3); /* over the 10000 between the knots */
    cr_assert_eq(bound_of(&timeline, 1000), 5);
    cr_assert_eq(bound_of(&timeline, 10999), (int64_t)ceil(5 + 2 * 0.9999 + rho));
    cr_assert_eq(bound_of(&timeline, 6000), (int64_t)ceil(5 + 2 * 0.5 + rho * 5000));
    /* outside: from the other knot, 15000 away, rho is twice what it is at once */
    cr_assert_eq(bound_of(&timeline, 16000), 7 + 50 + 10);
    cr_assert_eq(bound_of(&timeline, -4000), 5 + 50 + 10);
    timeline.knot_count = 1;
    cr_assert_eq(bound_of(&timeline, 16000), 5 + 150 + 30);
    syn_timeline_free(&timeline);
}

Test(timeline, local_inverts_global_to_a_nanosecond)
{
    struct syn_timeline timeline;

    syn_timeline_init(&timeline);
    syn_timeline_add(&timeline, (struct syn_knot){1000000000000, -987654321, 10});
    syn_timeline_add(&timeline, (struct syn_knot){1020000000000, -987254321, 10});
    timeline.slope_before = 2e-5;
    timeline.slope_after = 1.9e-5;
    srand(1);
    for (int i = 0; i < 100000; i++) {
        const int64_t local_ns = 900000000000 + (int64_t)(rand() % 220000) * 1000003;
        const syn_global_time global = syn_timeline_global(&timeline, (syn_local_time){local_ns});
        const int64_t back_ns = syn_timeline_local(&timeline, global).ns;
        cr_assert_leq(llabs(back_ns - local_ns), 1, "%ld came back as %ld", (long)local_ns,
                      (long)back_ns);
    }
    syn_timeline_free(&timeline);
}

Test(timeline, local_is_the_nearest_to_global)
{
    struct syn_timeline timeline = two_knots();

    /* After the last knot a local step is 4/3 of a global one. */
    for (int64_t step = 1; step < 100; step++)
        cr_assert_eq(syn_timeline_local(&timeline, (syn_global_time){9900 + step}).ns,
                     11000 + llround((double)step * 4 / 3), "step %ld", (long)step);
    syn_timeline_free(&timeline);
}

Test(timeline, the_halves_of_a_chord_are_centred_on_their_own_ends)
{
    struct syn_timeline timeline = two_knots();
    const struct syn_piece left = syn_timeline_piece(&timeline, (syn_local_time){1000});
    const struct syn_piece right = syn_timeline_piece(&timeline, (syn_local_time){6001});

    cr_assert_eq(left.knot_ns, 1000);
    cr_assert_eq(left.first_ns, 1000);
    cr_assert_eq(left.last_ns, 6000);
    cr_assert_eq(right.knot_ns, 11000);
    cr_assert_eq(right.first_ns, 6001);
    cr_assert_eq(right.last_ns, 10999);
    syn_timeline_free(&timeline);
}

Test(timeline, growth_is_what_the_slope_and_the_wander_may_be_off)
{
    struct syn_timeline timeline = two_knots();

    cr_assert_float_eq(syn_timeline_growth(&timeline), 0.011, 1e-12);
    syn_timeline_free(&timeline);
}

Test(timeline, never_runs_backwards_across_a_knot)
{
    struct syn_timeline timeline = two_knots();
    int64_t last_ns = INT64_MIN;

    for (int64_t local_ns = 0; local_ns < 13000; local_ns++) {
        const int64_t global_ns = global_of(&timeline, local_ns);
        cr_assert_geq(global_ns, last_ns);
        last_ns = global_ns;
    }
    syn_timeline_free(&timeline);
}

Test(timeline, a_knot_at_the_same_instant_replaces)
{
    struct syn_timeline timeline = two_knots();

    syn_timeline_add(&timeline, (struct syn_knot){1000, 300, 1});
    cr_assert_eq(timeline.knot_count, 2);
    cr_assert_eq(global_of(&timeline, 1000), 700);
    syn_timeline_free(&timeline);
}

Test(timeline, epoch_becomes_zero)
{
    struct syn_timeline timeline = two_knots();
    struct syn_timeline identity;

    cr_assert_eq(syn_timeline_set_epoch(&timeline, (syn_global_time){900}), 0);
    cr_assert_eq(global_of(&timeline, 1000), 0);
    cr_assert_eq(global_of(&timeline, 6000), 4500);
    syn_timeline_init(&identity);
    cr_assert_eq(syn_timeline_set_epoch(&identity, (syn_global_time){5000}), 0);
    cr_assert_eq(global_of(&identity, 5000), 0);
    cr_assert_eq(global_of(&identity, 5007), 7);
    cr_assert_eq(bound_of(&identity, 9000), 0);
    syn_timeline_free(&timeline);
    syn_timeline_free(&identity);
}

Test(timeline, rescale_stretches_about_zero)
{
    struct syn_timeline timeline = two_knots();
    struct syn_timeline identity;

    cr_assert_eq(syn_timeline_rescale(&timeline, 0.01), 0);
    for (int64_t local_ns = 0; local_ns <= 12000; local_ns += 500) {
        struct syn_timeline plain = two_knots();
        const double expected_ns = 1.01 * (double)global_of(&plain, local_ns);
        cr_assert_leq(llabs(global_of(&timeline, local_ns) - (int64_t)(expected_ns + 0.5)), 1);
        syn_timeline_free(&plain);
    }
    syn_timeline_init(&identity);
    cr_assert_eq(syn_timeline_rescale(&identity, -0.001), 0);
    cr_assert_eq(global_of(&identity, 100000), 99900);
    syn_timeline_free(&timeline);
    syn_timeline_free(&identity);
}

Test(timeline, survives_knots_out_of_all_reason)
{
    struct syn_timeline timeline;

    syn_timeline_init(&timeline);
    syn_timeline_add(&timeline, (struct syn_knot){INT64_MIN, INT64_MAX, INT64_MAX});
    syn_timeline_add(&timeline, (struct syn_knot){INT64_MAX, INT64_MIN, INT64_MAX});
    timeline.slope_before = timeline.slope_after = 1e300;
    timeline.wander = 1e300;
    for (int64_t shift = 0; shift < 63; shift++) {
        const int64_t at = INT64_MIN >> shift;
        (void)global_of(&timeline, at);
        (void)global_of(&timeline, ~at);
        (void)syn_timeline_local(&timeline, (syn_global_time){at});
        cr_assert_eq(bound_of(&timeline, ~at), INT64_MAX);
    }
    syn_timeline_free(&timeline);
}

Test(timeline, copy_owns_its_knots)
{
    struct syn_timeline timeline = two_knots(), copy;

    cr_assert_eq(syn_timeline_copy(&copy, &timeline), 0);
    syn_timeline_free(&timeline);
    cr_assert_eq(copy.knot_count, 2);
    cr_assert_eq(global_of(&copy, 6000), 5400);
    syn_timeline_free(&copy);
}

Test(status, every_value_has_a_text_of_its_own)
{
    for (int i = SYN_EEND; i <= SYN_OK; i++)
        for (int j = SYN_EEND; j < i; j++)
            cr_assert_str_neq(syn_status_text(i), syn_status_text(j));
    cr_assert_str_eq(syn_status_text(1), "unknown error");
    cr_assert_str_eq(syn_status_text(SYN_EEND - 1), "unknown error");
}

static struct syn_timeline with_widths(const int64_t *width_ns, size_t count, double wander_time_s)
{
    struct syn_timeline timeline;

    syn_timeline_init(&timeline);
    timeline.wander = 0.001;
    timeline.wander_time_s = wander_time_s;
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(
            syn_timeline_add(&timeline, (struct syn_knot){(int64_t)i * 1000, 0, width_ns[i]}), 0);
    return timeline;
}

Test(timeline, disturbed_knots_are_dropped_and_the_bound_is_nowhere_wider)
{
    /* Through its neighbours, 2000 apart, a knot is known to within the wider one's width and 1. */
    static const struct {
        int64_t width_ns[5];
        size_t count, kept;
    } cases[] = {
        {{5, 5, 5}, 3, 3},
        {{5, 6, 5}, 3, 3},
        {{5, 7, 5}, 3, 2},
        {{90, 7, 5}, 3, 3},
        {{5, 7, 90}, 3, 3},
        {{5, 800, 900, 5}, 4, 2},
        {{5, 900, 800, 700, 5}, 5, 2},
        {{5, 900, 4, 800, 5}, 5, 3},
        {{5, 900}, 2, 2},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct syn_timeline all = with_widths(cases[i].width_ns, cases[i].count, 0);
        struct syn_timeline kept = with_widths(cases[i].width_ns, 0, 0);
        for (size_t k = 0; k < cases[i].count; k++) {
            cr_assert_eq(syn_timeline_add(&kept, all.knots[k]), 0);
            syn_timeline_drop_redundant(&kept);
        }
        cr_assert_eq(kept.knot_count, cases[i].kept, "case %zu: %zu", i, kept.knot_count);
        for (int64_t t = -500; t < 5500; t++)
            cr_assert_leq(bound_of(&kept, t), bound_of(&all, t), "case %zu at %ld", i, (long)t);
        syn_timeline_free(&all);
        syn_timeline_free(&kept);
    }
}

/* By the newer rule too, with unequal distances. */
Test(timeline, dropping_widens_no_bound_that_follows_both_widths)
{
    static const int64_t at_ns[] = {0, 400, 1000, 2900, 3000, 5000};
    size_t dropped_count = 0;

    srand(7);
    for (int round = 0; round < 200; round++) {
        struct syn_timeline all = with_widths(NULL, 0, 1e-6), kept = with_widths(NULL, 0, 1e-6);
        for (size_t k = 0; k < sizeof at_ns / sizeof at_ns[0]; k++) {
            const struct syn_knot knot = {at_ns[k], 0, 3 + rand() % 12};
            cr_assert_eq(syn_timeline_add(&all, knot), 0);
            cr_assert_eq(syn_timeline_add(&kept, knot), 0);
            syn_timeline_drop_redundant(&kept);
        }
        dropped_count += all.knot_count - kept.knot_count;
        for (int64_t t = 0; t < 5000; t++)
            cr_assert_leq(bound_of(&kept, t), bound_of(&all, t), "round %d at %ld", round, (long)t);
        syn_timeline_free(&all);
        syn_timeline_free(&kept);
    }
    cr_assert_gt(dropped_count, 100);
}

/* One tick after another, in order or not, is what each is by itself. */
Test(timeline, conversion_in_a_row_is_conversion)
{
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = UINT64_C(1717986918)};
    struct syn_timeline timeline = two_knots();
    uint64_t random = 1;

    cr_assert_eq(syn_timeline_add(&timeline, (struct syn_knot){900000, -77777, 5}), 0);
    for (int reach = 4; reach < 63; reach++) {
        struct syn_convert convert = syn_convert_begin(&ticks, &timeline);
        for (int i = 0; i < 20000; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            int64_t tick = (int64_t)random >> reach;
            syn_local_time local = syn_tick_source_local(&ticks, tick);
            cr_assert_eq(syn_convert_tick(&convert, tick), syn_timeline_global(&timeline, local).ns,
                         "tick %ld", (long)tick);
        }
    }
    for (int64_t tick = 0; tick < 3000000; tick++) { /* every instant around the knots */
        static struct syn_convert convert;
        if (tick == 0)
            convert = syn_convert_begin(&ticks, &timeline);
        syn_local_time local = syn_tick_source_local(&ticks, tick);
        cr_assert_eq(syn_convert_tick(&convert, tick), syn_timeline_global(&timeline, local).ns);
    }
    syn_timeline_free(&timeline);
}

/* Ticks of a block: from `first` on in steps of `step`, but for `stray` anywhere. */
static void assert_block_converts_alike(const struct syn_tick_source *ticks,
                                        const struct syn_timeline *timeline, int64_t first,
                                        int64_t step, size_t count, int64_t stray)
{
    int64_t column[1100], expected[1100];
    struct syn_convert convert = syn_convert_begin(ticks, timeline);

    for (size_t i = 0; i < count; i++) {
        column[i] = (int64_t)((uint64_t)first + i * (uint64_t)step);
        if (stray && i == count / 3)
            column[i] = stray;
        expected[i] = syn_timeline_global(timeline, syn_tick_source_local(ticks, column[i])).ns;
    }
    syn_convert_ticks(&convert, column, count);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(column[i], expected[i], "first %ld step %ld, %zu of %zu", (long)first,
                     (long)step, i, count);
}

Test(timeline, converts_columns_as_it_does_single_instants_on_every_processor)
{
    static const int64_t firsts[] = {
        -5000, 0,         1000,      2000000,          (int64_t)1 << 44,
        -1,    INT64_MIN, INT64_MAX, (int64_t)1 << 52, (int64_t)1 << 62};
    static const int64_t steps[] = {0, 1, 977, -3, (int64_t)1 << 33, (int64_t)1 << 52};
    static const uint64_t multipliers[] = {(uint64_t)1 << 32, 1867543210, UINT64_C(12345678901234)};
    struct syn_timeline timeline = two_knots();

    cr_assert_eq(syn_timeline_add(&timeline, (struct syn_knot){900000, -77777, 5}), 0);
    cr_assert_eq(syn_timeline_add(&timeline, (struct syn_knot){(int64_t)1 << 46, 1234567, 5}), 0);
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++)
        for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++)
            for (size_t j = 0; j < sizeof steps / sizeof *steps; j++)
                for (size_t k = 0; k < sizeof multipliers / sizeof *multipliers; k++) {
                    struct syn_tick_source ticks = {
                        .kind = SYN_CLOCK_TSC, .base_ticks = 17, .multiplier = multipliers[k]};
                    syn_cpu_limit(cpu);
                    for (size_t count = 1; count < 1100; count += 1 + count * 7 / 3)
                        assert_block_converts_alike(&ticks, &timeline, firsts[i], steps[j], count,
                                                    (int64_t)(count % 2 * 123456789));
                }
    syn_timeline_free(&timeline);
}

Test(timeline, ends_of_a_column_on_every_processor)
{
    int64_t values[40];

    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        for (int64_t count = 1; count <= 40; count++)
            for (int64_t odd = 0; odd < count; odd++) {
                for (int64_t i = 0; i < count; i++)
                    values[i] = i + 1;
                cr_assert_eq(syn_ends_of(values, (size_t)count).least, 1);
                cr_assert_eq(syn_ends_of(values, (size_t)count).largest, count);
                values[odd] = INT64_MIN;
                cr_assert_eq(syn_ends_of(values, (size_t)count).least, INT64_MIN);
                values[odd] = INT64_MAX;
                cr_assert_eq(syn_ends_of(values, (size_t)count).largest, INT64_MAX);
            }
    }
}
