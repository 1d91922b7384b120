/* tests/unit/analyze/stats_series_test.c - the generator, resampling, warm-up, dependence and
 * shape. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/samples/dependence.h"
#include "analyze/stats/samples/quantreg.h"
#include "analyze/stats/samples/shape.h"
#include "analyze/stats/series/longrun.h"
#include "analyze/stats/series/precision.h"
#include "analyze/stats/series/warmup.h"
#include "analyze/stats/values/stats.h"
#include "stats_simulate.h"
#include "stats_whole.h"

Test(stats_series, generator_gives_its_published_numbers)
{
    const uint64_t expected[] = {11520, 0, 1509978240, UINT64_C(1215971899390074240)};
    struct syn_random random = {{1, 2, 3, 4}};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(syn_random_next(&random), expected[i]);
    syn_random_seed(&random, 0);
    cr_assert_eq(random.state[0], UINT64_C(0xe220a8397b1dcdaf)); /* splitmix64 from 0 */
}

Test(stats_series, generator_is_even_below_a_bound)
{
    struct syn_random random;
    double chi2 = 0, count[7] = {0};
    syn_random_seed(&random, 31);
    for (int i = 0; i < 70000; i++)
        count[syn_random_below(&random, 7)]++;
    for (int i = 0; i < 7; i++)
        chi2 += (count[i] - 10000) * (count[i] - 10000) / 10000;
    cr_assert_lt(chi2, 22.5, "%g", chi2); /* 0.1 % of chi-square with 6 degrees */
}

Test(stats_series, generator_has_no_bias_of_a_remainder)
{
    /* 2^64 holds the bound 3 * 2^62 one and a third times: a bare remainder would be below 2^62
     * every second time. */
    struct syn_random random;
    int low = 0;
    syn_random_seed(&random, 32);
    for (int i = 0; i < 30000; i++)
        low += syn_random_below(&random, UINT64_C(3) << 62) < UINT64_C(1) << 62;
    cr_assert(low > 9600 && low < 10400, "%d of 30000", low);
}

Test(stats_series, bootstrap_repeats_with_its_seed)
{
    const double x[] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8};
    struct syn_resampling how = {999, 1, 0.95, 1};
    struct syn_bootstrap first, again, other;
    syn_bootstrap(x, 12, statistic_mean, NULL, &how, &first);
    syn_bootstrap(x, 12, statistic_mean, NULL, &how, &again);
    how.seed = 2;
    syn_bootstrap(x, 12, statistic_mean, NULL, &how, &other);
    cr_assert_eq(memcmp(&first, &again, sizeof first), 0);
    cr_assert_neq(first.se, other.se);
    cr_assert(first.low < first.estimate && first.estimate < first.high);
}

Test(stats_series, bootstrap_of_three_values_has_the_known_distribution)
{
    /* The median of a resample of {1, 2, 6} is 2 in 13 of the 27 equally likely draws, 1 and 6 in 7
     * each. */
    const double x[] = {1, 2, 6};
    struct syn_resampling how = {20000, 1, 0.95, 3};
    struct syn_bootstrap b;
    cr_assert_eq(syn_bootstrap(x, 3, syn_statistic_median, NULL, &how, &b), 0);
    double mean = (7 * 1 + 13 * 2 + 7 * 6) / 27.0;
    cr_assert_float_eq(b.estimate + b.bias, mean, 0.05);
    cr_assert(b.low == 1 && b.high == 6);
}

Test(stats_series, blocks_keep_neighbours_together)
{
    /* 0 and 1 in turns: every block of two has the mean 1/2, wherever it starts; single draws do
     * not. */
    double x[100];
    for (int i = 0; i < 100; i++)
        x[i] = i % 2;
    struct syn_resampling how = {200, 2, 0.9, 4};
    struct syn_bootstrap b;
    syn_bootstrap(x, 100, statistic_mean, NULL, &how, &b);
    cr_assert_eq(b.se, 0);
    how.block_length = 1;
    syn_bootstrap(x, 100, statistic_mean, NULL, &how, &b);
    cr_assert_float_eq(b.se, 0.05, 0.01);
}

Test(stats_series, bootstrap_refuses_what_it_cannot_do)
{
    const double x[] = {1, 2};
    struct syn_bootstrap b;
    struct syn_resampling few = {5, 1, 0.95, 1}, none = {1, 1, 0.95, 1};
    cr_assert_eq(syn_bootstrap(x, 2, statistic_mean, NULL, &few, &b), 0);
    cr_assert(isnan(b.low) && isnan(b.high)); /* 5 replicates have no 2.5 % */
    cr_assert_lt(syn_bootstrap(x, 2, statistic_mean, NULL, &none, &b), 0);
    cr_assert_lt(syn_bootstrap(x, 1, statistic_mean, NULL, &few, &b), 0);
}

/* Share of the trials in which a warm-up is claimed although there is none. */
static double false_warmups(double rho, int trials)
{
    enum { N = 1000 };
    struct syn_random random;
    double x[N], found = 0;
    syn_random_seed(&random, 41);
    for (int t = 0; t < trials; t++) {
        struct syn_warmup w;
        simulate_ar1(&random, rho, x, N);
        cr_assert_eq(syn_warmup_find(x, N, 0.01, &w), 0);
        found += (w.settled_at > 0) / (double)trials;
    }
    return found;
}

Test(stats_series, steady_series_have_no_warm_up)
{
    double independent = false_warmups(0, 1000), dependent = false_warmups(0.9, 1000);
    cr_assert_leq(independent, 0.02, "%g", independent);
    cr_assert_leq(dependent, 0.02, "%g", dependent);
}

static struct syn_warmup warmup_of(size_t slow_count, double slow, double rho)
{
    enum { N = 1000 };
    struct syn_random random;
    struct syn_warmup w;
    double x[N];
    syn_random_seed(&random, 43);
    simulate_ar1(&random, rho, x, N);
    for (size_t i = 0; i < N; i++)
        x[i] = 100 + x[i] + (i < slow_count ? slow : 0);
    x[700] = 1e6; /* one interrupted call must not pass for a change */
    cr_assert_eq(syn_warmup_find(x, N, 0.01, &w), 0);
    return w;
}

/* A slow wave at the begin is no warm-up: one in seven such series had one before. */
Test(stats_series, slow_waves_under_noise_are_seldom_a_warm_up)
{
    enum { N = 300, TRIALS = 400 };
    struct syn_random random;
    double x[N];
    int seen = 0, claimed = 0;
    syn_random_seed(&random, 74);
    for (int t = 0; t < TRIALS; t++) {
        struct syn_warmup warmup;
        simulate_ar1(&random, 0.99, x, N);
        for (int i = 0; i < N; i++)
            x[i] = sqrt(0.5) * x[i] + sqrt(0.5) * simulate_normal(&random);
        cr_assert_eq(syn_warmup_find(x, N, 0.001, &warmup), 0);
        seen += warmup.p < 0.001;
        claimed += warmup.settled_at > 0;
    }
    cr_expect_leq(claimed, TRIALS * 5 / 100, "%d of %d", claimed, TRIALS);
    cr_expect_geq(seen, TRIALS * 8 / 100, "%d of %d", seen, TRIALS);
}

Test(stats_series, warm_ups_are_found_where_they_end)
{
    const size_t lengths[] = {3, 10, 100, 300};
    for (int i = 0; i < 4; i++) {
        struct syn_warmup w = warmup_of(lengths[i], 10, 0);
        cr_assert(w.settled_at >= lengths[i] && w.settled_at <= lengths[i] + 3, "%zu: %zu, p %g",
                  lengths[i], w.settled_at, w.p);
        cr_assert_float_eq(w.ratio, 1.1, 0.01);
        cr_assert_not(w.unsettled);
    }
    cr_expect_eq(warmup_of(100, -10, 0).settled_at, 0, "what begins faster does not warm up");
    struct syn_warmup w = warmup_of(100, 10, 0.8);
    cr_assert(w.settled_at >= 97 && w.settled_at <= 103, "%zu", w.settled_at);
}

Test(stats_series, short_and_constant_series_say_nothing)
{
    double x[40];
    struct syn_warmup w;
    for (int i = 0; i < 40; i++)
        x[i] = 5;
    cr_assert_eq(syn_warmup_find(x, 40, 0.05, &w), 0);
    cr_assert_eq(w.settled_at, (size_t)0);
    cr_assert_lt(syn_warmup_find(x, 19, 0.05, &w), 0);
    cr_assert_eq(syn_dependence_factor(x, 40), 1);
    cr_assert(isnan(syn_dependence_factor(x, 7)));
}

Test(stats_series, independence_comes_after_the_lags_that_correlate)
{
    const double acf[] = {0.8, 0.5, 0.1, 0.05, 0.3};
    cr_assert_eq(syn_independent_lag(acf, 100, 5, 0.95), (size_t)3);
    cr_assert_eq(syn_independent_lag(acf, 100, 2, 0.95), (size_t)0);
    cr_assert_float_eq(syn_acf_bound(100, 0.95), 0.19599639845400545, 1e-12);
}

Test(stats_series, summaries_of_nothing_and_of_one_value)
{
    struct syn_summary s;
    double one = 7, scratch[1];
    cr_assert_eq(syn_summarize(NULL, 0, 0.95, scratch, &s), 0);
    cr_assert(isnan(s.median) && isnan(s.min) && isnan(s.n_effective) && isnan(s.acf[0]));
    cr_assert_eq(syn_summarize(&one, 1, 0.95, scratch, &s), 0);
    cr_assert(s.median == 7 && s.mean == 7 && isnan(s.n_effective) && isnan(s.sd) &&
              isnan(s.ci_low));
    cr_assert_lt(syn_summarize(&one, 1, 1, scratch, &s), 0);
}

Test(stats_series, rates_are_all_bytes_over_all_time)
{
    /* 000 section 3.1.1: 100 Gflop in 10, 100 and 40 s are 2 Gflop/s, not the 4.5 of the averaged
     * rates. */
    const double duration_ns[] = {10e9, 100e9, 40e9};
    cr_assert_float_eq(syn_mean_rate(duration_ns, 3, 100), 2, 1e-12);
}

Test(stats_series, qq_points_are_thinned_with_their_ends)
{
    double x[1000], normal[50], sample[50];
    for (int i = 0; i < 1000; i++)
        x[i] = i;
    cr_assert_eq(syn_qq_points(x, 1000, 50, normal, sample), (size_t)50);
    cr_assert(sample[0] == 0 && sample[49] == 999);
    cr_assert_float_eq(normal[0], -normal[49], 1e-12);
    cr_assert_eq(syn_qq_points(x, 3, 50, normal, sample), (size_t)3);
    cr_assert_float_eq(normal[1], 0, 1e-12);
    cr_assert_eq(syn_qq_points(x, 10, 1, normal, sample), (size_t)1);
}

Test(stats_series, averages_of_blocks_become_normal)
{
    enum { N = 8192 };
    struct syn_random random;
    double *x = malloc(N * sizeof *x);
    size_t block;
    syn_random_seed(&random, 45);
    for (int i = 0; i < N; i++)
        x[i] = simulate_normal(&random);
    syn_normalizing_block(x, N, 0.01, &block);
    cr_assert_eq(block, (size_t)1);
    for (int i = 0; i < N; i++)
        x[i] = exp(x[i]);
    syn_normalizing_block(x, N, 0.01, &block);
    cr_assert(block > 8, "%zu", block);
    for (int i = 0; i < N; i++)
        x[i] = i < N / 2 ? 0 : 1;
    syn_normalizing_block(x, N, 0.01, &block);
    cr_assert_eq(block, (size_t)0);
    free(x);
}

Test(stats_series, precision_needs_what_cannot_be_had)
{
    const double two[] = {10, 10, 10, 20, 20, 20}, same[] = {10, 10, 10, 10, 10, 10};
    /* The median lies between the two values: only a great many measurements would pin it down. */
    cr_assert_gt(syn_count_for_median(two, 6, 1, 0.01, 0.95), 1e4);
    cr_assert_eq(syn_count_for_median(same, 6, 1, 0.01, 0.95), 6);
    cr_assert(isnan(syn_count_for_median(same, 5, 1, 0.01, 0.95)));
    cr_assert_not(syn_precise_enough(10, NAN, 10, 0.5));
}

Test(stats_series, resampled_quantiles_lie_around_their_rank)
{
    /* The median of a resample of 1..10 has the rank of 10 Beta(5, 6), whose 2.5 and 97.5 % are
     * 1.87 and 7.38. */
    double x[10], half = 0.5;
    for (int i = 0; i < 10; i++)
        x[i] = i + 1;
    struct syn_quantile_side side = {x, 10, 1};
    struct syn_quantile_effect e;
    cr_assert_eq(syn_quantile_effects(&side, &side, &half, 1, 0.95, 3999, 1, &e), 0);
    cr_assert(e.intercept == 5 && e.effect == 0);
    cr_assert(e.intercept_low == 2 && e.intercept_high == 8, "%g..%g", e.intercept_low,
              e.intercept_high);
    cr_assert_float_eq(e.low, -e.high, 1.01);
}

Test(stats_series, quantile_ratio_of_two_single_runs)
{
    enum { N = 400 };
    struct syn_random random;
    double a[N], b[N], ratio, low, high;
    syn_random_seed(&random, 46);
    for (int i = 0; i < N; i++) {
        a[i] = exp(0.2 * simulate_normal(&random));
        b[i] = 1.2 * exp(0.2 * simulate_normal(&random));
    }
    syn_sort(a, N);
    syn_sort(b, N);
    struct syn_quantile_side left = {a, N, 1}, right = {b, N, 1}, few = {a, 5, 1};
    cr_assert_eq(syn_quantile_ratio(&left, &right, 0.5, 0.95, 999, 1, &ratio, &low, &high), 0);
    cr_assert(low < 1.2 && 1.2 < high && high - low < 0.15, "%g [%g, %g]", ratio, low, high);
    cr_assert_eq(syn_quantile_ratio(&few, &right, 0.5, 0.95, 999, 1, &ratio, &low, &high), 0);
    cr_assert(!isnan(ratio) && isnan(low) && isnan(high));
}

/* An end of a dependent series is its slowest call more often than any other: as many last calls as
 * first ones say that the first are as any others. */
Test(stats_series, first_calls_are_slow_beyond_chance_and_dependence)
{
    const struct syn_first_calls slow = {20, 20, 0, 0.2, 0.4}, few = {20, 2, 0, 0.02, 0.02},
                                 by_chance = {200, 4, 3, 2, 4}, dependent = {200, 60, 55, 10, 190},
                                 more_than_last = {200, 60, 10, 10, 190},
                                 beyond_dependence = {200, 60, 55, 10, 12};
    cr_expect(syn_first_calls_are_slow(&slow));
    cr_expect_not(syn_first_calls_are_slow(&few));
    cr_expect_not(syn_first_calls_are_slow(&by_chance));
    cr_expect_not(syn_first_calls_are_slow(&dependent));
    cr_expect(syn_first_calls_are_slow(&more_than_last));
    cr_expect(syn_first_calls_are_slow(&beyond_dependence));
}

/* 8 / (4 / 3) is 6 but for a rounding, which says nothing of the values. */
Test(long_run, a_rounding_does_not_decide_whether_values_are_enough)
{
    const double six = 5.999999999999999;
    const struct syn_interval_tau enough = {8 / six, 8 / six}, too_few = {8 / six, 8 / 5.99};
    cr_expect(isfinite(syn_dependent_z(0.95, 8, enough)));
    cr_expect(isfinite(syn_friedman_dependent_p(0.4, 4, six)));
    cr_expect(isnan(syn_dependent_z(0.95, 8, too_few)));
    cr_expect(isnan(syn_friedman_dependent_p(0.4, 4, 5.99)));
}

/* A wide interval is not left out: it is the whole sample at most, and the values say as much as
 * one at least. */
Test(long_run, a_wide_interval_is_shown_and_stays_within_the_sample)
{
    enum { N = 20 };
    const struct syn_interval_tau wide = {5, 1}, wider = {40, 3};
    size_t low, high;
    cr_expect_float_eq(syn_dependent_z(0.95, N, wide), 3.182446305284263 * sqrt(5), 1e-9);
    cr_expect_eq(syn_dependent_z(0.95, N, wider), INFINITY);
    cr_assert_eq(syn_median_interval_ranks(N, INFINITY, &low, &high), 0);
    cr_expect(low == 1 && high == N);
    cr_expect_eq(syn_effective(N, 40), 1);
    cr_expect(isnan(syn_effective(N, NAN)));
}

/* Twenty independent values have an interval as a rule; with the factor that makes it wide only
 * every second series has. */
Test(long_run, most_short_series_of_independent_values_have_an_interval)
{
    enum { N = 20, SERIES = 500 };
    struct syn_random random;
    double x[N], scratch[N];
    size_t shown = 0, wide_enough = 0;
    syn_random_seed(&random, 12);
    for (int i = 0; i < SERIES; i++) {
        struct syn_summary summary;
        for (int j = 0; j < N; j++)
            x[j] = simulate_normal(&random);
        cr_assert_eq(syn_summarize(x, N, 0.95, scratch, &summary), 0);
        shown += !isnan(summary.ci_dependent_low);
        wide_enough += summary.n_effective >= 6;
    }
    cr_expect_gt(shown, SERIES * 72 / 100, "%zu", shown); /* 78 % */
    cr_expect_lt(wide_enough, SERIES * 64 / 100, "%zu", wide_enough);
}
