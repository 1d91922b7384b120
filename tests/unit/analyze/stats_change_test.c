/* tests/unit/analyze/stats_change_test.c - steps and trends of series. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>

#include "analyze/stats/series/change.h"
#include "analyze/stats/series/waves.h"
#include "stats_simulate.h"

Test(stats_change, kolmogorov_has_its_tabled_values)
{
    cr_assert_float_eq(syn_kolmogorov_p(1.2238478702170825), 0.10, 1e-9);
    cr_assert_float_eq(syn_kolmogorov_p(1.6276236115189503), 0.01, 1e-9);
    cr_assert_eq(syn_kolmogorov_p(0), 1);
    cr_assert_eq(syn_kolmogorov_p(INFINITY), 0);
    cr_assert_float_eq(syn_kolmogorov_p(0.3), 1, 1e-4);
}

/* R: i <- 0:199; x <- (i * i * 7919) %% 211 + ifelse(i >= 120, 60, 0); y <- rank(x) - 100.5; of
 * y's regressions on (i > 117) and on i the deviances, times the larger one of two factors of the
 * residuals: the long-run one as make_stats_reference.R has it, and, for k in 5, 10, 20 and
 * m <- colSums(matrix(x - mean(x), n / k)), q <- sum(m^2) / (n / k) / mean(x^2), where that is
 * above (1 + r1) / (1 - r1) * qchisq(0.99, k - 1): q / qchisq(0.05, k - 1); max(abs(cumsum(y)))
 * over the first's root, 2 pnorm(-...) of the other. */
Test(stats_change, equals_r)
{
    enum { N = 200 };
    double x[N];
    struct syn_change c;
    for (int i = 0; i < N; i++)
        x[i] = i * i * 7919 % 211 + (i >= 120 ? 60 : 0);
    cr_assert_eq(syn_change_find(x, N, &c), 0);
    cr_expect_eq(c.at, 118u);
    cr_expect_float_eq(c.step, 3.6925545559947706, 1e-12);
    cr_expect_float_eq(c.step_p / 2.8698219757522682e-12, 1, 1e-9);
    cr_expect(isnan(c.trend_p)); /* the step left over makes the factor 22: 200 say as much as 9 */
    cr_expect(c.before == 109 && c.after == 185.5);
    cr_expect_not(c.is_trend);
    cr_expect_eq(c.p, 2 * c.step_p);
    for (int i = 0; i < N; i++) /* the same, + i / 2 instead of the step */
        x[i] = i * i * 7919 % 211 + i / 2.0;
    cr_assert_eq(syn_change_find(x, N, &c), 0);
    cr_expect_float_eq(c.trend_p / 4.5643250016887681e-12, 1, 1e-9);
}

static struct syn_change change_of(size_t n, size_t step_at, double step, double end, double phi)
{
    struct syn_random random;
    struct syn_change c;
    double *x = malloc(n * sizeof *x);
    syn_random_seed(&random, 71);
    simulate_ar1(&random, phi, x, n);
    for (size_t i = 0; i < n; i++)
        x[i] = exp(0.1 * x[i] + log(end) * (double)i / (double)n) * (i >= step_at ? step : 1);
    x[n / 4] = 1e6; /* one interrupted call must not pass for a change */
    cr_assert_eq(syn_change_find(x, n, &c), 0);
    free(x);
    return c;
}

Test(stats_change, a_step_is_found_in_its_place)
{
    struct syn_change late = change_of(1000, 600, 1.3, 1, 0),
                      last = change_of(1000, 900, 2, 1, 0.5);
    cr_expect(late.p < 1e-6 && !late.is_trend && late.at >= 597 && late.at <= 603, "%zu", late.at);
    cr_expect_float_eq(late.after / late.before, 1.3, 0.03);
    cr_expect(late.waves >= SYN_WAVES_CHANGE && last.waves >= SYN_WAVES_CHANGE, "%g, %g",
              late.waves, last.waves);
    cr_expect(last.p < 0.01 && !last.is_trend && last.at >= 897 && last.at <= 903, "%zu", last.at);
    cr_expect_float_eq(last.after / last.before, 2, 0.1);
}

Test(stats_change, a_trend_is_told_from_a_step)
{
    struct syn_change c = change_of(1000, 1000, 1, 2.0 / 3, 0);
    cr_expect(c.p < 1e-6 && c.is_trend && c.waves >= SYN_WAVES_CHANGE, "%g, %g", c.p, c.waves);
    cr_expect_float_eq(c.end / c.begin, 2.0 / 3, 0.03);
    cr_expect_float_eq(c.begin, 1, 0.03);
}

/* One in a hundred steady series may change by chance: dependence must not make it more. */
Test(stats_change, steady_series_keep_their_level)
{
    enum { N = 1000, TRIALS = 1000 };
    static const double phi[] = {0, 0.5, 0.9};
    struct syn_random random;
    double x[N];
    syn_random_seed(&random, 72);
    for (int f = 0; f < 3; f++) {
        int found = 0;
        for (int t = 0; t < TRIALS; t++) {
            struct syn_change c;
            simulate_ar1(&random, phi[f], x, N);
            cr_assert_eq(syn_change_find(x, N, &c), 0);
            found += c.p < 0.01;
        }
        cr_expect_leq(found, 15, "phi %g: %d of %d", phi[f], found, TRIALS);
    }
}

/* R: log likelihoods with V = s * phi^abs(outer(i, i, "-")) + (1 - s) * diag(n) of y <-
 * qnorm((rank(x) - 0.5) / n), by generalized least squares on 1 and on 1 and the shape, each at its
 * largest over the grid of waves.c. */
Test(stats_change, waves_equal_r)
{
    enum { N = 60 };
    double step[N], rise[N], hill[N];
    for (int i = 0; i < N; i++) {
        step[i] = i * i * 7919 % 211 + (i >= 36 ? 90 : 0);
        rise[i] = i * i * 7919 % 211 + 3 * i;
        hill[i] = (i < 40 ? i / 10 : 6 - i / 10) * 60.0 + i * i * 7919 % 61;
    }
    cr_expect_float_eq(syn_waves_ratio_of_change(step, N, 36), 15.537490944793376, 1e-9);
    cr_expect_float_eq(syn_waves_ratio_of_change(step, N, 20), 0.78138834457385542, 1e-9);
    cr_expect_float_eq(syn_waves_ratio_of_change(step, N, 0), 12.163716687649128, 1e-9);
    cr_expect_float_eq(syn_waves_ratio_of_change(rise, N, 0), 14.271120001141185, 1e-9);
    cr_expect_float_eq(syn_waves_ratio_of_change(hill, N, 20), 4.7759387973729019, 1e-9);
    cr_expect_float_eq(syn_waves_ratio_of_change(hill, N, 0), 1.348950435416242, 1e-9);
}

Test(stats_change, what_explains_everything_is_beyond_any_wave)
{
    double x[3000];
    for (int i = 0; i < 3000; i++)
        x[i] = i < 1700 ? 5 : 6;
    cr_expect(isnan(syn_waves_ratio_of_change(x, 100, 0)), "constant");
    cr_expect(isnan(syn_waves_ratio_of_change(x, 7, 0)));
    cr_expect_gt(syn_waves_ratio_of_change(x, 3000, 1700), 1000);
}

/* Waves that are slow and under noise are a change of level of one run, and no claim that the
 * calls' level changes. At worst 31 % of such series were said to change before they were held
 * against waves. */
Test(stats_change, slow_waves_under_noise_are_seldom_a_change)
{
    enum { TRIALS = 400 };
    static const struct {
        int n;
        double phi, waves;
    } of[] = {{100, 0.99, 0.5}, {100, 0.9, 0.3}, {300, 0.99, 0.3}, {1000, 0.99, 0.1}};
    struct syn_random random;
    double x[1000];
    syn_random_seed(&random, 73);
    for (size_t s = 0; s < sizeof of / sizeof *of; s++) {
        int found = 0, unclear = 0;
        for (int t = 0; t < TRIALS; t++) {
            struct syn_change c;
            simulate_ar1(&random, of[s].phi, x, (size_t)of[s].n);
            for (int i = 0; i < of[s].n; i++)
                x[i] = sqrt(of[s].waves) * x[i] + sqrt(1 - of[s].waves) * simulate_normal(&random);
            cr_assert_eq(syn_change_find(x, (size_t)of[s].n, &c), 0);
            found += c.p < SYN_CHANGE_P && c.waves >= SYN_WAVES_CHANGE;
            unclear += c.p < SYN_CHANGE_P && c.waves < SYN_WAVES_CHANGE;
        }
        cr_expect_leq(found, TRIALS * 5 / 100, "setting %zu: %d of %d", s, found, TRIALS);
        cr_expect_geq(unclear, TRIALS * 6 / 100, "setting %zu: %d", s, unclear);
    }
}

Test(stats_change, what_says_too_little_is_not_judged)
{
    struct syn_change c;
    double same[100], few[39];
    for (int i = 0; i < 100; i++)
        same[i] = 7;
    for (int i = 0; i < 39; i++)
        few[i] = i;
    cr_assert_eq(syn_change_find(same, 100, &c), 0);
    cr_expect(isnan(c.p) && c.at == 0);
    cr_assert_eq(syn_change_find(few, 39, &c), 0);
    cr_expect(isnan(c.p) && c.at == 0);
    c = change_of(100, 100, 1, 1, 0.99);
    cr_expect(isnan(c.p) && c.at == 0, "100 values of phi 0.99 say less than 40");
}
