/* The injected clock error: exact, invertible, a clock per host. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "sync/base/status.h"
#include "sync/time/clock_skew.h"
#include "tests/lab/true_time.h"

static struct syn_clock_skew skew_of(const char *text, int rank)
{
    struct syn_clock_skew skew;

    cr_assert_eq(syn_clock_skew_parse(text, rank, &skew), 0, "%s", text);
    return skew;
}

Test(clock_skew, inverse_gives_the_truth_to_a_nanosecond)
{
    for (int rank = 0; rank < 16; rank++) {
        const struct syn_clock_skew skew =
            skew_of("seed=3,offset_ns=1e9,drift_ppm=20,wander_ns=500,wander_period_s=7", rank);
        for (int64_t t = 900000000000000; t < 900020000000000; t += 9999991) {
            const int64_t back_ns = true_of_skewed(&skew, syn_clock_skew_apply(&skew, t));
            cr_assert_leq(llabs(back_ns - t), 1);
        }
    }
}

Test(clock_skew, follows_its_formula)
{
    const struct syn_clock_skew skew =
        skew_of("seed=3,offset_ns=1e6,drift_ppm=50,wander_ns=1e5,wander_period_s=10", 2);

    for (int64_t t = 0; t < 20000000000; t += 77777777) {
        const double expected = skew.offset_ns + (1 + skew.drift) * (double)t +
                                1e5 * sin(6.283185307179586 * (double)t / 1e10 + skew.wander_phase);
        cr_assert_leq(fabs(expected - (double)syn_clock_skew_apply(&skew, t)), 2.0);
    }
}

Test(clock_skew, never_runs_backwards_without_jitter)
{
    const struct syn_clock_skew skew =
        skew_of("seed=9,drift_ppm=100,wander_ns=1e5,wander_period_s=0.1", 1);
    int64_t last_ns = INT64_MIN;

    for (int64_t t = 0; t < 200000; t++) {
        const int64_t now_ns = syn_clock_skew_apply(&skew, t);
        cr_assert_geq(now_ns, last_ns);
        last_ns = now_ns;
    }
}

Test(clock_skew, ranks_differ_and_a_seed_repeats)
{
    const char *text = "seed=1,offset_ns=1e9,drift_ppm=20";

    cr_assert_float_neq(skew_of(text, 0).offset_ns, 0, 1e-9);
    for (int rank = 1; rank < 64; rank++) {
        cr_assert_float_neq(skew_of(text, rank).offset_ns, skew_of(text, rank - 1).offset_ns, 1e-9);
        cr_assert_float_eq(skew_of(text, rank).drift, skew_of(text, rank).drift, 0.0);
        cr_assert_leq(fabs(skew_of(text, rank).offset_ns), 1e9);
        cr_assert_leq(fabs(skew_of(text, rank).drift), 20e-6);
    }
    cr_assert_float_neq(skew_of("seed=2,offset_ns=1e9", 5).offset_ns, skew_of(text, 5).offset_ns,
                        1e-9);
}

Test(clock_skew, ranks_of_a_host_share_clock_and_identity)
{
    const char *text = "offset_ns=1e9,jitter_ns=5,ranks_per_host=2";
    struct syn_clock_identity identities[4] = {{1, 2, 3}, {1, 2, 3}, {1, 2, 3}, {1, 2, 3}};

    for (int rank = 0; rank < 4; rank++) {
        const struct syn_clock_skew skew = skew_of(text, rank);
        syn_clock_skew_identity(&skew, &identities[rank]);
    }
    cr_assert_float_eq(skew_of(text, 0).offset_ns, skew_of(text, 1).offset_ns, 0.0);
    cr_assert_float_neq(skew_of(text, 1).offset_ns, skew_of(text, 2).offset_ns, 1e-9);
    cr_assert_eq(identities[0].machine, identities[1].machine);
    cr_assert_neq(identities[1].machine, identities[2].machine);
    cr_assert_eq(identities[2].machine, identities[3].machine);
    cr_assert_neq(skew_of(text, 0).seed, skew_of(text, 1).seed);
}

Test(clock_skew, jitter_stays_within_its_limit)
{
    const struct syn_clock_skew skew = skew_of("jitter_ns=100", 3);
    int64_t largest_ns = 0;

    for (int64_t t = 0; t < 10000; t++) {
        const int64_t late_ns = syn_clock_skew_apply(&skew, t) - t;
        cr_assert_geq(late_ns, 0);
        cr_assert_leq(late_ns, 100);
        largest_ns = late_ns > largest_ns ? late_ns : largest_ns;
    }
    cr_assert_geq(largest_ns, 95);
}

Test(clock_skew, refuses_what_it_does_not_understand)
{
    const char *const wrong[] = {"offset=1",         "offset_ns",
                                 "offset_ns=",       "offset_ns=1x",
                                 "drift_ppm=-3",     "drift_ppm=nan",
                                 "wander_ns=5",      "wander_ns=1e9,wander_period_s=1",
                                 "ranks_per_host=0", "offset_ns=1 drift_ppm=2"};
    struct syn_clock_skew skew = {.offset_ns = 42};

    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        cr_assert_eq(syn_clock_skew_parse(wrong[i], 0, &skew), SYN_EINVAL, "%s", wrong[i]);
    cr_assert_float_eq(skew.offset_ns, 42, 0.0);
    cr_assert_eq(syn_clock_skew_parse("", 0, &skew), 0);
    cr_assert_eq(syn_clock_skew_apply(&skew, 4711), 4711);
}
