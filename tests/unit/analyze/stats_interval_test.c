/* tests/unit/analyze/stats_interval_test.c - intervals hold what they promise, by simulation with
 * fixed seeds. A share of 2000 trials at 95 % has a standard error of 0.5 %, so the limits below
 * are several of those away. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/stats/samples/levels.h"
#include "analyze/stats/samples/quantreg.h"
#include "analyze/stats/series/precision.h"
#include "analyze/stats/series/sequence.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "stats_simulate.h"
#include "stats_whole.h"

/* (A sanitizer sees no more in many of them. With a fixed seed the limits hold for the first 500,
 * too.) */
#ifdef __SANITIZE_ADDRESS__
#define DRAWN 500
#else
#define DRAWN 2000
#endif

struct coverage {
    double independent, dependent; /* shares of the trials */
};

/* `grain` > 0 rounds values to its multiples: durations are whole nanoseconds, and tie. */
static struct coverage median_coverage(double rho, size_t n, double grain, int trials)
{
    struct syn_random random;
    struct syn_summary s;
    struct coverage covered = {0, 0};
    double *x = malloc(2 * n * sizeof *x);
    syn_random_seed(&random, 42);
    for (int t = 0; t < trials; t++) {
        simulate_ar1(&random, rho, x, n);
        for (size_t i = 0; i < n && grain > 0; i++)
            x[i] = grain * round(x[i] / grain);
        cr_assert_eq(syn_summarize(x, n, 0.95, x + n, &s), 0);
        covered.independent += (s.ci_low <= 0 && 0 <= s.ci_high) / (double)trials;
        covered.dependent += (s.ci_dependent_low <= 0 && 0 <= s.ci_dependent_high) / (double)trials;
    }
    free(x);
    return covered;
}

Test(stats_interval, median_of_independent_values_is_covered)
{
    struct coverage c = median_coverage(0, 200, 0, DRAWN);
    cr_assert_gt(c.independent, 0.94, "%g", c.independent);
    cr_assert_gt(c.dependent, 0.94, "%g", c.dependent);
}

Test(stats_interval, median_of_dependent_values_is_covered_only_by_the_dependent_interval)
{
    struct coverage c = median_coverage(0.9, 4000, 0, DRAWN);
    cr_assert_lt(c.independent, 0.6, "%g", c.independent);
    cr_assert_gt(c.dependent, 0.9, "%g", c.dependent);
    c = median_coverage(0.5, 4000, 0, DRAWN);
    cr_assert_lt(c.independent, 0.9, "%g", c.independent);
    cr_assert_gt(c.dependent, 0.93, "%g", c.dependent);
}

Test(stats_interval, ties_do_not_break_the_dependent_interval)
{
    struct coverage c = median_coverage(0.9, 4000, 0.5, DRAWN / 2);
    cr_assert_gt(c.dependent, 0.9, "%g", c.dependent);
}

Test(stats_interval, quantile_ranks_are_the_medians_at_one_half)
{
    for (size_t n = 6; n < 2000; n++) {
        size_t l, u, low, high;
        cr_assert_eq(syn_median_interval_ranks(n, 1.959963984540054, &l, &u), 0);
        cr_assert_eq(syn_quantile_interval_ranks(n, 0.5, 1.959963984540054, &low, &high), 0);
        cr_assert(low == l && high == u, "n %zu: %zu..%zu and %zu..%zu", n, l, u, low, high);
    }
}

/* Probability that the order statistics l and u hold the p-quantile between them. */
static double held(size_t n, double p, size_t l, size_t u)
{
    return pbinom((double)u - 1, (double)n, p, 1, 0) - pbinom((double)l - 1, (double)n, p, 1, 0);
}

Test(stats_interval, exact_ranks_hold_the_confidence_and_no_narrower_tails_do)
{
    const double p[] = {0.05, 0.5, 0.9, 0.99};
    size_t found = 0;
    for (size_t n = 1; n < 700; n += 3) {
        for (int i = 0; i < 4; i++) {
            size_t l, u;
            if (syn_quantile_interval_exact(n, p[i], 0.95, &l, &u) != 0)
                continue;
            found++;
            cr_assert(1 <= l && l < u && u <= n);
            cr_assert_geq(held(n, p[i], l, u), 0.95);
            cr_assert_gt(pbinom((double)l, (double)n, p[i], 1, 0), 0.025,
                         "the lower end could move in");
        }
    }
    cr_assert_gt(found, (size_t)500);
}

Test(stats_interval, far_quantiles_of_few_values_have_no_interval)
{
    size_t l, u;
    cr_assert_lt(syn_quantile_interval_ranks(367, 0.99, 1.959963984540054, &l, &u), 0);
    cr_assert_eq(syn_quantile_interval_ranks(368, 0.99, 1.959963984540054, &l, &u), 0);
    cr_assert_lt(syn_median_interval_ranks(5, 1.96, &l, &u), 0);
    cr_assert_eq(syn_median_interval_ranks(6, 1.96, &l, &u), 0);
    cr_assert(l == 1 && u == 6);
    cr_assert_lt(syn_quantile_interval_exact(5, 0.5, 0.95, &l, &u), 0);
    cr_assert_eq(syn_quantile_interval_exact(6, 0.5, 0.95, &l, &u), 0);
}

Test(stats_interval, ranks_of_huge_columns_do_not_overflow)
{
    size_t l, u, n = 4000000000u;
    cr_assert_eq(syn_median_interval_ranks(n, 1.96, &l, &u), 0);
    cr_assert(l < n / 2 && n / 2 < u && u - l < 130000, "%zu..%zu", l, u);
}

static double bootstrap_coverage(double rho, size_t n, int trials)
{
    struct syn_random random;
    double covered = 0, *x = malloc(2 * n * sizeof *x);
    syn_random_seed(&random, 7);
    for (int t = 0; t < trials; t++) {
        simulate_ar1(&random, rho, x, n);
        double phi = syn_dependence_factor(x, n);
        struct syn_resampling how = {399, syn_block_length(n, phi), 0.95, (uint64_t)t};
        struct syn_bootstrap b;
        cr_assert_eq(syn_bootstrap(x, n, statistic_mean, NULL, &how, &b), 0);
        covered += (b.low <= 0 && 0 <= b.high) / (double)trials;
    }
    free(x);
    return covered;
}

Test(stats_interval, block_bootstrap_covers_the_mean_of_a_dependent_series)
{
    double independent = bootstrap_coverage(0, 200, 400),
           dependent = bootstrap_coverage(0.9, 1000, 400);
    cr_assert_gt(independent, 0.91, "%g", independent);
    cr_assert_gt(dependent, 0.86, "%g", dependent);
}

static void assert_same_medians(const double *x, size_t n, const struct syn_resampling *how)
{
    struct syn_bootstrap made, drawn;
    cr_assert_eq(syn_bootstrap(x, n, syn_statistic_median, NULL, how, &made), 0);
    cr_assert_eq(syn_bootstrap_median(x, n, how, &drawn), 0);
    cr_assert(made.estimate == drawn.estimate && made.low == drawn.low && made.high == drawn.high &&
                  made.bias == drawn.bias && made.se == drawn.se,
              "n %zu, blocks of %zu: %.17g..%.17g, not %.17g..%.17g", n, how->block_length,
              drawn.low, drawn.high, made.low, made.high);
}

Test(stats_interval, medians_of_blocks_are_those_of_the_resamples)
{
    static const size_t counts[] = {16, 101, 1000, 4001};
    struct syn_random random;
    double *x = malloc(2 * 4001 * sizeof *x);
    syn_random_seed(&random, 3);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        simulate_ar1(&random, 0.9, x, counts[c]);
        for (size_t i = 0; i < counts[c]; i++)
            x[i] = rint(c % 2 ? 20 * x[i] : 2000 * x[i]); /* with ties, and hardly any */
        for (size_t block = 2; block <= counts[c]; block = 3 * block + 1) {
            struct syn_resampling how = {499, block, 0.95, block};
            assert_same_medians(x, counts[c], &how);
        }
    }
    free(x);
}

/* One block in 40 is all low: resamples that have it several times have their median far out. */
Test(stats_interval, medians_far_out_are_found_the_plain_way)
{
    enum { N = 2000, BLOCK = 50 };
    struct syn_random random;
    static double x[N];
    syn_random_seed(&random, 4);
    for (int i = 0; i < N; i++)
        x[i] = (i < BLOCK || i % 2 ? -1 : 1) * syn_random_unit(&random);
    struct syn_resampling how = {20000, BLOCK, 0.95, 5};
    assert_same_medians(x, N, &how);
}

static void assert_like_resamples(const double *x, size_t n)
{
    const struct syn_resampling how = {20000, 1, 0.95, 6}, other = {20000, 1, 0.95, 7};
    struct syn_bootstrap made, drawn;
    cr_assert_eq(syn_bootstrap(x, n, syn_statistic_median, NULL, &other, &made), 0);
    cr_assert_eq(syn_bootstrap_median(x, n, &how, &drawn), 0);
    const double error = made.se / sqrt(10000.0); /* of the difference of two means */
    cr_assert_eq(made.estimate, drawn.estimate);
    cr_assert_lt(fabs(made.bias - drawn.bias), 4 * error, "n %zu", n);
    cr_assert_lt(fabs(made.se / drawn.se - 1), 0.04, "n %zu: %g, not %g", n, drawn.se, made.se);
    cr_assert_lt(fabs(made.low - drawn.low), 0.25 * made.se, "n %zu", n);
    cr_assert_lt(fabs(made.high - drawn.high), 0.25 * made.se, "n %zu", n);
}

Test(stats_interval, drawn_medians_are_distributed_like_those_of_resamples)
{
    static const size_t counts[] = {2, 31, 32, 1000, 1001};
    struct syn_random random;
    static double x[1001];
    syn_random_seed(&random, 8);
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
        for (size_t i = 0; i < counts[c]; i++)
            x[i] = exp(simulate_normal(&random));
        assert_like_resamples(x, counts[c]);
    }
}

/* The median of five is the i-th smallest value or one below it where at least three of five draws
 * are, each of i / 5. */
Test(stats_interval, drawn_medians_have_the_probabilities_of_order_statistics)
{
    const double x[] = {4, 0, 3, 1, 2};
    const struct syn_resampling how = {200000, 1, 0.95, 9};
    struct syn_bootstrap drawn;
    double squares = 0;
    for (int i = 0; i < 5; i++) {
        const double p = pbinom(2, 5, i / 5.0, 0, 0), q = pbinom(2, 5, (i + 1) / 5.0, 0, 0);
        squares += (q - p) * (i - 2) * (i - 2);
    }
    cr_assert_eq(syn_bootstrap_median(x, 5, &how, &drawn), 0);
    cr_assert_lt(fabs(drawn.bias), 0.01, "%g", drawn.bias);
    cr_assert_lt(fabs(drawn.se - sqrt(squares)), 0.005, "%g, not %g", drawn.se, sqrt(squares));
}

Test(stats_interval, numbers_below_a_limit_are_those_of_division)
{
    static const uint64_t limits[] = {1, 2, 3, 10, 4096, 1000003, UINT64_C(1) << 63, UINT64_MAX};
    struct syn_random divided, multiplied;
    syn_random_seed(&divided, 10);
    syn_random_seed(&multiplied, 10);
    for (size_t l = 0; l < sizeof limits / sizeof *limits; l++) {
        const struct syn_random_range range = syn_random_range_of(limits[l]);
        for (int i = 0; i < 1000; i++) {
            uint64_t x;
            do
                x = syn_random_next(&divided);
            while (x < -limits[l] % limits[l]);
            cr_assert_eq(syn_random_in(&multiplied, &range), x % limits[l]);
        }
    }
}

static double effect_coverage(double rho, double tau, int trials)
{
    enum { N = 600 };
    struct syn_random random;
    double covered = 0, truth = 0.3 + 0.5 * qnorm(tau, 0, 1, 1, 0), *a = malloc(2 * N * sizeof *a),
           *b = a + N;
    syn_random_seed(&random, 11);
    for (int t = 0; t < trials; t++) {
        simulate_ar1(&random, rho, a, N);
        simulate_ar1(&random, rho, b, N);
        for (int i = 0; i < N; i++)
            b[i] = 0.3 + 1.5 * b[i];
        double phi_a = syn_dependence_factor(a, N), phi_b = syn_dependence_factor(b, N);
        syn_sort(a, N);
        syn_sort(b, N);
        struct syn_quantile_side left = {a, N, phi_a}, right = {b, N, phi_b};
        struct syn_quantile_effect e;
        cr_assert_eq(syn_quantile_effects(&left, &right, &tau, 1, 0.95, 499, (uint64_t)t, &e), 0);
        covered += (e.low <= truth && truth <= e.high) / (double)trials;
    }
    free(a);
    return covered;
}

Test(stats_interval, quantile_effects_are_covered)
{
    double median = effect_coverage(0, 0.5, 300), upper = effect_coverage(0, 0.9, 300);
    double dependent = effect_coverage(0.8, 0.5, 300);
    cr_assert_gt(median, 0.92, "%g", median);
    cr_assert_gt(upper, 0.91, "%g", upper);
    cr_assert_gt(dependent, 0.89, "%g", dependent);
}

Test(stats_interval, the_count_for_a_precision_is_enough_when_it_is_measured)
{
    enum { PILOT = 500, TRIALS = 100 };
    struct syn_random random;
    double *pilot = malloc(PILOT * sizeof *pilot);
    int enough = 0;
    syn_random_seed(&random, 5);
    for (int t = 0; t < TRIALS; t++) {
        for (int i = 0; i < PILOT; i++)
            pilot[i] = exp(3 + 0.5 * simulate_normal(&random));
        syn_sort(pilot, PILOT);
        double count = syn_count_for_median(pilot, PILOT, 1, 0.04, 0.95);
        cr_assert(count > 100 && count < 100000, "%g", count);
        size_t n = (size_t)count;
        double *x = malloc(n * sizeof *x);
        for (size_t i = 0; i < n; i++)
            x[i] = exp(3 + 0.5 * simulate_normal(&random));
        syn_sort(x, n);
        struct syn_summary s;
        syn_summarize_sorted(x, n, 0.95, &s);
        enough += syn_precise_enough(s.median, s.ci_low, s.ci_high, 0.05);
        free(x);
    }
    free(pilot);
    cr_assert_gt(enough, 80, "%d of %d", enough, TRIALS);
}

Test(stats_interval, variance_levels_find_what_was_put_in)
{
    enum { RUNS = 400, EACH = 20 };
    struct syn_random random;
    double *x = malloc(RUNS * EACH * sizeof *x);
    size_t start[RUNS + 1];
    syn_random_seed(&random, 9);
    for (size_t r = 0; r <= RUNS; r++)
        start[r] = r * EACH;
    for (size_t r = 0; r < RUNS; r++) {
        double run = 3 * simulate_normal(&random);
        for (size_t i = start[r]; i < start[r + 1]; i++)
            x[i] = 100 + run + 6 * simulate_normal(&random);
    }
    struct syn_levels levels;
    struct syn_samples runs = {x, start, RUNS};
    cr_assert_eq(syn_variance_levels(&runs, &levels), 0);
    cr_assert_float_eq(levels.variance_between, 9, 1.5);
    cr_assert_float_eq(levels.variance_within, 36, 2);
    cr_assert_lt(levels.p, 1e-6);
    cr_assert_lt(levels.kruskal_p, 1e-6);
    cr_assert_float_eq(syn_best_repetitions(&levels, 100, 1), 10 * 2, 2);
    free(x);
}

Test(stats_interval, runs_without_an_effect_want_one_long_run)
{
    const double x[] = {1, 2, 3, 2, 1, 3};
    const size_t start[] = {0, 3, 6};
    struct syn_levels levels;
    struct syn_samples runs = {x, start, 2};
    cr_assert_eq(syn_variance_levels(&runs, &levels), 0);
    cr_assert_eq(levels.variance_between, 0);
    cr_assert(isinf(syn_best_repetitions(&levels, 1, 1)));
}

/* ---- looking again and again ---- */

#define LOOKS 1000

/* The chance that the interval leaves out the true median at any of LOOKS looks, exactly: the count
 * of values below it takes a step of 0 or 1 with each of them, and is followed until it is
 * excluded. */
static double ever_excluded(double confidence)
{
    double *at = calloc(LOOKS + 2, sizeof *at), excluded = 0;
    at[0] = 1;
    for (size_t n = 1; n <= LOOKS; n++) {
        const size_t rank = syn_median_sequence_rank(n, confidence);
        for (size_t k = n; k > 0; k--)
            at[k] = (at[k] + at[k - 1]) / 2;
        at[0] /= 2;
        for (size_t k = 0; k <= n; k++) {
            if (k >= rank && k <= n - rank)
                continue;
            excluded += at[k];
            at[k] = 0;
        }
    }
    free(at);
    return excluded;
}

Test(stats_interval, a_median_is_covered_however_often_one_looks)
{
    const double often = ever_excluded(0.95), seldom = ever_excluded(0.99);
    cr_expect_leq(often, 0.05, "%g", often);
    cr_expect_gt(often, 0.03, "%g: no wider than it needs to be", often);
    cr_expect_leq(seldom, 0.01, "%g", seldom);
    cr_expect_eq(syn_median_sequence_least(0.95), (size_t)8);
}

Test(stats_interval, a_sequence_is_of_order_statistics)
{
    double x[] = {5, 1, 8, 3, 7, 2, 6, 4};
    struct syn_sequence all = syn_median_sequence(x, 8, 0.95), few;
    cr_expect_eq(all.median, 4.5);
    cr_expect_eq(all.low, 1);
    cr_expect_eq(all.high, 8);
    few = syn_median_sequence(x, 7, 0.95);
    cr_expect_eq(few.median, 4);
    cr_expect(isnan(few.low) && isnan(few.high));
}
