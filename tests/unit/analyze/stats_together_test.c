/* tests/unit/analyze/stats_together_test.c - figures computed side by side, or kept from the time
 * before, are what each would have by itself, bit by bit. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "analyze/stats/values/table.h"
#include "stats_simulate.h"

static bool same(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0 || (isnan(a) && isnan(b));
}

/* Whole numbers far from 0, some of them far from the others. */
static void fill(struct syn_random *random, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = 1e6 + floor(simulate_normal(random) * 1e3) + (i % 50 == 7 ? 1e7 : 0);
}

Test(stats_together, moments_of_columns_are_those_of_each)
{
    enum { MOST = 130, COLUMNS = 7 };
    static double x[COLUMNS][MOST];
    const double *column[COLUMNS];
    double origin[COLUMNS], mean[COLUMNS], squares[COLUMNS];
    struct syn_random random;
    syn_random_seed(&random, 11);
    for (size_t c = 0; c < COLUMNS; c++) {
        fill(&random, x[c], MOST);
        x[c][3] += 1e15;
        column[c] = x[c];
        origin[c] = c % 2 ? 0 : x[c][0];
    }
    for (size_t n = 1; n <= MOST; n += 43) {
        syn_means_about(column, COLUMNS, n, origin, mean);
        for (size_t c = 0; c < COLUMNS; c++)
            cr_expect(same(mean[c], syn_mean_about(x[c], n, origin[c])), "%zu of %zu", c, n);
        syn_sums_of_squares(column, COLUMNS, n, mean, squares);
        for (size_t c = 0; c < COLUMNS; c++)
            cr_expect(same(squares[c], syn_sum_of_squares(x[c], n, mean[c])), "%zu of %zu", c, n);
    }
}

static double acf_at(const double *x, size_t n, const struct syn_centre *centre, size_t lag)
{
    struct syn_sum sum = {0, 0};
    for (size_t i = 0; i + lag < n; i++)
        syn_sum_add(&sum, (x[i] - centre->origin - centre->mean) *
                              (x[i + lag] - centre->origin - centre->mean));
    return lag < n && centre->squares > 0 ? syn_sum_value(&sum) / centre->squares : NAN;
}

Test(stats_together, autocorrelations_are_sums_in_the_order_of_time)
{
    enum { MOST = 600, LAGS = 15 };
    static const size_t sizes[] = {1, 2, 5, 12, 13, 255, 256, 257, 268, 600};
    double x[MOST], acf[LAGS];
    struct syn_random random;
    syn_random_seed(&random, 12);
    fill(&random, x, MOST);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        struct syn_centre centre = {.origin = x[0]};
        centre.mean = syn_mean_about(x, sizes[s], x[0]);
        centre.squares = syn_sum_of_squares(x, sizes[s], x[0] + centre.mean);
        syn_acf(x, sizes[s], &centre, LAGS, acf);
        for (size_t lag = 1; lag <= LAGS; lag++)
            cr_expect(same(acf[lag - 1], acf_at(x, sizes[s], &centre, lag)), "%zu of %zu", lag,
                      sizes[s]);
    }
}

/* The autoregression of a column's neighbours in `count` equal stretches, as the paper has it. */
static double slow_factor_of(const double *x, size_t n, size_t count, double seen, double most)
{
    const size_t size = n / count, used = size * count;
    double mean = 0, squares = 0, product = 0, spread = 0;
    for (size_t i = 0; i < used; i++)
        mean += x[i] / (double)used;
    for (size_t i = 0; i < used; i++) {
        squares += (x[i] - mean) * (x[i] - mean);
        product += i + 1 < used ? (x[i] - mean) * (x[i + 1] - mean) : 0;
    }
    for (size_t k = 0; k < count; k++) {
        double sum = 0;
        for (size_t i = k * size; i < (k + 1) * size; i++)
            sum += x[i] - mean;
        spread += sum * sum / (double)size;
    }
    const double rho = fmax(0, fmin(product / squares, 0.999));
    const double ratio = spread / (squares / (double)used);
    return ratio > (1 + rho) / (1 - rho) * seen ? ratio / most : 1;
}

Test(stats_together, slow_waves_are_sought_in_each_cut)
{
    enum { MOST = 500 };
    double x[MOST];
    size_t found = 0;
    struct syn_random random;
    syn_random_seed(&random, 13);
    for (size_t n = 5; n < MOST; n += 11) {
        for (size_t i = 0; i < n; i++)
            x[i] = simulate_normal(&random) + 3 * sin(6 * (double)i / (double)n);
        double expected = 1;
        if (n >= 10)
            expected = slow_factor_of(x, n, 5, 13.276704135987623, 0.71072302139732413);
        if (n >= 20)
            expected =
                fmax(expected, slow_factor_of(x, n, 10, 21.665994333461917, 3.3251128430668149));
        if (n >= 40)
            expected =
                fmax(expected, slow_factor_of(x, n, 20, 36.190869129270041, 10.117013063859044));
        cr_expect(same(syn_slow_factor(x, n), expected), "%zu: %g", n, expected);
        found += expected > 1;
    }
    cr_expect_geq(found, 10u);
}

/* Each value less its row's median, and no further out than 5 % of its column: sorted one by one.
 */
static void clamp_table(double *x, size_t n, size_t k, double *scratch)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < k; j++)
            scratch[j] = x[j * n + i];
        syn_sort(scratch, k);
        const double median = syn_quantile_sorted(scratch, k, 0.5);
        for (size_t j = 0; j < k; j++)
            x[j * n + i] -= median;
    }
    for (size_t j = 0; j < k; j++) {
        memcpy(scratch, x + j * n, n * sizeof *x);
        syn_sort(scratch, n);
        const double low = syn_quantile_sorted(scratch, n, 0.05),
                     high = syn_quantile_sorted(scratch, n, 0.95);
        for (size_t i = 0; i < n; i++)
            x[j * n + i] = fmin(fmax(x[j * n + i], low), high);
    }
}

static double covariance(const double *y, size_t n, size_t k, size_t lag)
{
    double sum = 0;
    for (size_t j = 0; j < k; j++)
        for (size_t i = 0; i + lag < n; i++)
            sum += y[j * n + i] * y[j * n + i + lag];
    return sum / (double)(n * k);
}

static double of_rho(double rho)
{
    const double least = fmax(0, fmin(rho, 0.999));
    return (1 + least) / (1 - least);
}

/* methods-statistics.md, of columns that differ from row to row. x is lost. */
static double factor_of_table(double *x, size_t n, size_t k, double *scratch)
{
    const double count = (double)n;
    double own = 1, tau = -1;
    clamp_table(x, n, k, scratch);
    for (size_t j = 0; j < k; j++) {
        double *y = x + j * n, mean = syn_mean(y, n);
        const double deviation = sqrt(syn_sum_of_squares(y, n, mean) / count);
        for (size_t i = 0; i < n; i++)
            y[i] = (y[i] - mean) / deviation;
        const double variance = covariance(y, n, 1, 0);
        const double rho = (count * (covariance(y, n, 1, 1) / variance) + 1) / (count - 4);
        const double error = sqrt(fmax(0, 1 - fmin(rho, 1) * fmin(rho, 1)) / count);
        own = fmax(own, of_rho(rho - 2 * error) * variance);
    }
    const double variance = covariance(x, n, k, 0);
    for (size_t lag = 0; lag + 1 < n / 2; lag += 2) {
        const double pair = (covariance(x, n, k, lag) + covariance(x, n, k, lag + 1)) / variance;
        if (!(pair > 0))
            break;
        tau += 2 * pair;
    }
    tau = fmax(1, tau);
    tau = tau / (1 - fmin(0.9, 2 * tau / count));
    const double rho = (count * (covariance(x, n, k, 1) / variance) + 1) / (count - 4);
    const double error = sqrt(fmax(0, 1 - fmin(rho, 1) * fmin(rho, 1)) / count);
    tau = fmax(tau, of_rho(rho + error / sqrt((double)k - 1)));
    return fmax(fmax(1, tau * variance), own);
}

Test(stats_together, tables_of_any_width_are_as_one_by_one)
{
    enum { N = 203, MOST = 33 };
    static double x[N * MOST], again[N * MOST], scratch[N];
    struct syn_random random;
    syn_random_seed(&random, 14);
    for (size_t k = 2; k <= MOST; k++)
        for (size_t n = 23; n <= N; n += 60) {
            for (size_t j = 0; j < k; j++) {
                simulate_ar1(&random, 0.5, x + j * n, n);
                for (size_t i = 0; i < n; i++)
                    x[j * n + i] = floor(1e6 + 1e3 * x[j * n + i]);
            }
            memcpy(again, x, n * k * sizeof *x);
            const double expected = factor_of_table(again, n, k, scratch);
            memcpy(again, x, n * k * sizeof *x);
            cr_expect(same(syn_long_run_of_table(again, n, k), expected), "%zu x %zu: %g", n, k,
                      expected);
        }
}

static void expect_same_values(const double *x, const double *expected, size_t n, size_t k)
{
    for (size_t i = 0; i < n * k; i++)
        cr_expect_eq(x[i], expected[i], "%zu of %zu x %zu", i, n, k);
}

/* Few columns whose ends are kept, from one batch of rows to several, and more that are sorted;
 * ties at the ends. */
Test(stats_together, a_table_without_what_its_rows_share_and_what_lies_far_out)
{
    enum { N = 340, MOST = 9 };
    static double x[N * MOST], taken[N * MOST], expected[N * MOST], scratch[N];
    static const size_t sizes[] = {8, 15, 16, 17, 20, 125, 128, 139, 160, 161, 299, 340};
    struct syn_random random;
    syn_random_seed(&random, 16);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (size_t k = 2; k <= MOST; k++) {
            const size_t n = sizes[s];
            for (size_t i = 0; i < n * k; i++)
                x[i] = floor(simulate_normal(&random) * (i % 3 ? 3 : 1e4)) + (i % 7 == 0 ? 0.5 : 0);
            memcpy(expected, x, n * k * sizeof *x);
            clamp_table(expected, n, k, scratch);
            memcpy(taken, x, n * k * sizeof *x);
            cr_assert_eq(syn_take_row_medians(taken, n, k), 0);
            for (size_t c = 0; c < k; c += SYN_SIDE_BY_SIDE)
                syn_clamp_columns(taken + c * n, n, k - c < 4 ? k - c : 4, scratch);
            expect_same_values(taken, expected, n, k);
        }
}

/* ---- kept from the time before ---- */

Test(stats_together, samples_sorted_together_are_those_sorted_alone)
{
    enum { N = 900, K = 5 };
    static double x[N], sorted[N], expected[N], rank[N], mean[K];
    static size_t order[N];
    static const size_t start[K + 1] = {0, 300, 301, 301, 700, N};
    const struct syn_samples samples = {x, start, K};
    struct syn_random random;
    double ties;
    syn_random_seed(&random, 15);
    fill(&random, x, N);
    x[0] = x[299] = x[500] = x[899];
    cr_assert(syn_sort_samples(&samples, sorted, mean, &ties));
    cr_expect_eq(ties, syn_midranks(x, N, rank, order));
    memcpy(expected, x, sizeof x);
    for (size_t k = 0; k < K; k++) {
        syn_sort(expected + start[k], start[k + 1] - start[k]);
        cr_expect(same(mean[k], syn_mean(rank + start[k], start[k + 1] - start[k])), "%zu", k);
    }
    cr_expect_arr_eq(sorted, expected, sizeof x);
    x[17] += 0.25;
    cr_expect_not(syn_sort_samples(&samples, sorted, mean, &ties));
}

Test(stats_together, an_answer_is_that_of_its_question)
{
    const size_t n[] = {5000, 5000, 6024, 6024, 6025}, successes[] = {3, 1027, 3, 1027, 1027};
    double first[5];
    for (size_t turn = 0; turn < 2; turn++)
        for (size_t i = 0; i < 5; i++) { /* different questions lead to one place */
            const double p = syn_binomial_test(successes[i], n[i], i % 2 ? 0.2 : 0.0011);
            if (turn == 0)
                first[i] = p;
            cr_expect(same(p, first[i]), "%zu", i);
            cr_expect(i == 0 || p != first[i - 1], "%zu", i);
        }
    cr_expect_neq(syn_binomial_test(3, 5000, 0.001), syn_binomial_test(1027, 5000, 0.001));
    cr_expect_neq(syn_binomial_test(3, 5000, 0.001), syn_binomial_test(3, 6024, 0.001));
    /* R: binom.test(3, 40, 0.125), binom.test(3, 40, 0.25) */
    cr_expect_float_eq(syn_binomial_test(3, 40, 0.125), 0.4738834, 1e-7);
    cr_expect_neq(syn_binomial_test(3, 40, 0.25), syn_binomial_test(3, 40, 0.125));
}
