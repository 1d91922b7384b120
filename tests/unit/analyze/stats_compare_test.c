/* tests/unit/analyze/stats_compare_test.c - comparisons against their definitions, and what the
 * verdict says. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/samples/compare.h"
#include "analyze/stats/samples/maxt.h"
#include "analyze/stats/samples/posthoc.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "stats_simulate.h"
#include "stats_whole.h"

/* All differences, ascending: what the counting method must agree with. */
static double *all_differences(const double *x, size_t nx, const double *y, size_t ny)
{
    double *d = malloc(nx * ny * sizeof *d);
    for (size_t i = 0; i < nx; i++)
        for (size_t j = 0; j < ny; j++)
            d[i * ny + j] = x[i] - y[j];
    syn_sort(d, nx * ny);
    return d;
}

static void check_shift(const double *x, size_t nx, const double *y, size_t ny)
{
    struct syn_shift shift;
    double *d = all_differences(x, nx, y, ny);
    size_t pairs = nx * ny;
    cr_assert_eq(syn_hodges_lehmann(x, nx, y, ny, 0.95, &shift), 0);
    double median = (d[(pairs - 1) / 2] + d[pairs / 2]) / 2;
    cr_assert_float_eq(shift.estimate, median, 1e-12 * (1 + fabs(median)));
    if (shift.exact) {
        size_t k = (size_t)fmax(1, qwilcox(0.025, (double)nx, (double)ny, 1, 0));
        cr_assert_eq(shift.low, d[k - 1]);
        cr_assert_eq(shift.high, d[pairs - k]);
    }
    cr_assert(shift.low <= shift.estimate && shift.estimate <= shift.high);
    free(d);
}

Test(stats_compare, hodges_lehmann_finds_the_differences_without_listing_them)
{
    struct syn_random random;
    double x[60], y[60];
    syn_random_seed(&random, 21);
    for (int t = 0; t < 300; t++) {
        size_t nx = 1 + syn_random_below(&random, 60), ny = 1 + syn_random_below(&random, 60);
        double grain = t % 3 == 0 ? 0.5 : 0, shift = t % 2;
        for (size_t i = 0; i < 60; i++) {
            x[i] = shift + simulate_normal(&random);
            y[i] = simulate_normal(&random);
            if (grain > 0) {
                x[i] = grain * round(x[i] / grain);
                y[i] = grain * round(y[i] / grain);
            }
        }
        check_shift(x, nx, y, ny);
    }
}

Test(stats_compare, interval_and_test_agree_about_no_difference)
{
    struct syn_random random;
    double x[12], y[12];
    int significant = 0;
    syn_random_seed(&random, 22);
    for (int t = 0; t < 500; t++) {
        for (int i = 0; i < 12; i++) {
            x[i] = simulate_normal(&random) + (t % 5) * 0.3;
            y[i] = simulate_normal(&random);
        }
        struct syn_wilcoxon w;
        struct syn_shift s;
        syn_wilcoxon_test(x, 12, y, 12, SYN_TWO_SIDED, &w);
        syn_hodges_lehmann(x, 12, y, 12, 0.95, &s);
        cr_assert_eq(w.p<0.05, s.low> 0 || s.high < 0, "trial %d: p %g, [%g, %g]", t, w.p, s.low,
                     s.high);
        significant += w.p < 0.05;
    }
    cr_assert(significant > 50 && significant < 450, "%d", significant);
}

Test(stats_compare, swapping_the_samples_mirrors_every_figure)
{
    const double a[] = {3, 5, 8, 9, 12.5}, b[] = {4, 4, 9, 20, 21, 22};
    struct syn_wilcoxon ab, ba;
    struct syn_shift up, down;
    syn_wilcoxon_test(a, 5, b, 6, SYN_LESS, &ab);
    syn_wilcoxon_test(b, 6, a, 5, SYN_GREATER, &ba);
    cr_assert_float_eq(ab.p, ba.p, 1e-15);
    cr_assert_eq(ab.U + ba.U, 30);
    cr_assert_float_eq(syn_vargha_delaney(a, 5, b, 6) + syn_vargha_delaney(b, 6, a, 5), 1, 1e-15);
    syn_ratio(a, 5, b, 6, 0.95, &down);
    syn_ratio(b, 6, a, 5, 0.95, &up);
    cr_assert_float_eq(up.estimate * down.estimate, 1, 1e-12);
}

Test(stats_compare, equal_values_are_no_evidence_and_apart_ones_the_most)
{
    const double five[] = {5, 5, 5, 5, 5}, six[] = {6, 6, 6, 6, 6};
    struct syn_wilcoxon w;
    cr_assert_eq(syn_wilcoxon_test(five, 5, five, 5, SYN_TWO_SIDED, &w), 0);
    cr_assert_eq(w.p, 1);
    cr_assert_eq(w.U, 12.5);
    cr_assert_eq(syn_wilcoxon_test(six, 5, five, 5, SYN_TWO_SIDED, &w), 0);
    cr_assert_eq(w.U, 25);
    cr_assert_lt(w.p, 0.01);
    cr_assert_eq(syn_vargha_delaney(six, 5, five, 5), 1);
    struct syn_shift s;
    cr_assert_eq(syn_ratio(six, 5, five, 5, 0.95, &s), 0);
    cr_assert_float_eq(s.estimate, 1.2, 1e-15);
    cr_assert(s.low == s.estimate && s.high == s.estimate);
}

/* Both sides of one program: `runs` runs a side that differ by 3 %, 100 instances each that differ
 * by 10 %. */
struct identical {
    double median[2][10];
    double instance[2][1000];
};

static void run_identical_programs(struct syn_random *random, struct identical *out)
{
    for (int side = 0; side < 2; side++) {
        for (int r = 0; r < 10; r++) {
            double sorted[100], run = 1 + 0.03 * simulate_normal(random);
            for (int i = 0; i < 100; i++)
                sorted[i] = out->instance[side][r * 100 + i] =
                    run * (1 + 0.1 * simulate_normal(random));
            syn_sort(sorted, 100);
            out->median[side][r] = syn_quantile_sorted(sorted, 100, 0.5);
        }
    }
}

Test(stats_compare, run_medians_hold_the_error_rate_and_pooled_instances_do_not)
{
    enum { TRIALS = 500 };
    struct syn_random random;
    struct identical *x = malloc(sizeof *x);
    double by_runs = 0, pooled = 0;
    syn_random_seed(&random, 25);
    for (int t = 0; t < TRIALS; t++) {
        struct syn_wilcoxon w;
        run_identical_programs(&random, x);
        syn_wilcoxon_test(x->median[1], 10, x->median[0], 10, SYN_TWO_SIDED, &w);
        by_runs += (w.p < 0.05) / (double)TRIALS;
        syn_wilcoxon_test(x->instance[1], 1000, x->instance[0], 1000, SYN_TWO_SIDED, &w);
        pooled += (w.p < 0.05) / (double)TRIALS;
    }
    cr_assert(by_runs < 0.08, "%g", by_runs);
    cr_assert(pooled > 0.4, "%g", pooled);
    free(x);
}

Test(stats_compare, empty_or_unusable_samples_are_refused)
{
    const double x[] = {1, 2, 3}, zero[] = {0, 1, 2};
    struct syn_wilcoxon w;
    struct syn_shift s;
    cr_assert_lt(syn_wilcoxon_test(x, 3, x, 0, SYN_LESS, &w), 0);
    cr_assert(isnan(w.p) && isnan(w.U));
    cr_assert_lt(syn_ratio(zero, 3, x, 3, 0.95, &s), 0);
    cr_assert_lt(syn_hodges_lehmann(x, 0, x, 3, 0.95, &s), 0);
    cr_assert(isnan(s.estimate) && isnan(s.low));
}

Test(stats_compare, interval_says_when_the_runs_are_too_few_for_it)
{
    const double a[] = {1, 2, 3}, b[] = {4.5, 5.5, 6.5};
    struct syn_shift s;
    cr_assert_eq(syn_hodges_lehmann(b, 3, a, 3, 0.95, &s), 0);
    cr_assert_float_eq(s.confidence, 0.9, 1e-12);
    double slower, faster;
    syn_detectable_ratio(&s, 0.05, &slower, &faster);
    cr_assert(isnan(slower) && isnan(faster));
    syn_detectable_ratio(&s, 0.1, &slower, &faster);
    cr_assert(slower > 1 && faster < 1, "%g %g", slower, faster);
}

Test(stats_compare, a_detectable_effect_is_detected_and_a_smaller_one_is_not)
{
    struct syn_random random;
    double a[8], b[8], moved[8], slower, faster;
    struct syn_shift s;
    struct syn_wilcoxon w;
    syn_random_seed(&random, 23);
    for (int i = 0; i < 8; i++) {
        a[i] = exp(0.1 * simulate_normal(&random));
        b[i] = exp(0.1 * simulate_normal(&random));
    }
    syn_ratio(b, 8, a, 8, 0.95, &s);
    syn_detectable_ratio(&s, 0.05, &slower, &faster);
    for (int above = 0; above < 2; above++) {
        for (int i = 0; i < 8; i++) /* B moved so that its estimated effect is just that */
            moved[i] = b[i] / s.estimate * slower * (above ? 1.0001 : 0.9999);
        syn_wilcoxon_test(moved, 8, a, 8, SYN_TWO_SIDED, &w);
        cr_assert_eq(w.p < 0.05, above, "p %g", w.p);
    }
}

Test(stats_compare, so_many_runs_show_equivalence_four_times_in_five)
{
    /* The logarithms' variances are 2 s^2 / 3 and s^2, s = 0.05. */
    const double s = 0.05;
    const double a[] = {exp(-s), 1, 1, exp(s)}, b[] = {exp(-s), 1, exp(s)};
    double runs = syn_runs_for_equivalence(b, 3, a, 4, 0.02);
    double normal = M_PI / 3 * s * s * 5 / 3 * pow((1.6448536 + 1.2815516) / log(1.02), 2);
    cr_assert(runs >= normal && runs <= normal + 3, "%g %g", runs, normal);

    struct syn_random random;
    double x[200], y[200], shown = 0;
    size_t n = (size_t)runs;
    syn_random_seed(&random, 61);
    for (int t = 0; t < 400; t++) {
        struct syn_shift ratio;
        for (size_t i = 0; i < n; i++) {
            x[i] = exp(s * sqrt(2.0 / 3) * simulate_normal(&random));
            y[i] = exp(s * simulate_normal(&random));
        }
        syn_ratio(y, n, x, n, 0.9, &ratio);
        shown += ratio.low >= 0.98 && ratio.high <= 1.02;
    }
    cr_assert(shown > 0.72 * 400 && shown < 0.88 * 400, "%g of 400", shown);
}

Test(stats_compare, runs_for_equivalence_where_there_is_nothing_to_go_by)
{
    const double same[] = {2, 2, 2}, below[] = {1, 2, 0};
    cr_assert_eq(syn_runs_for_equivalence(same, 3, same, 3, 0.02), 2);
    cr_assert(isnan(syn_runs_for_equivalence(same, 1, same, 3, 0.02)));
    cr_assert(isnan(syn_runs_for_equivalence(same, 3, below, 3, 0.02)));
    cr_assert(isnan(syn_runs_for_equivalence(same, 3, same, 3, NAN)));
    cr_assert(isnan(syn_runs_for_equivalence(same, 3, same, 3, 0)));
}

Test(stats_compare, large_samples_are_compared_by_counting)
{
    enum { N = 20000 };
    struct syn_random random;
    double *x = malloc(2 * N * sizeof *x), *y = x + N;
    struct syn_shift s;
    syn_random_seed(&random, 24);
    for (int i = 0; i < N; i++) {
        x[i] = 0.5 + simulate_normal(&random);
        y[i] = simulate_normal(&random);
    }
    cr_assert_eq(syn_hodges_lehmann(x, N, y, N, 0.95, &s), 0);
    cr_assert_float_eq(s.estimate, 0.5, 0.04);
    cr_assert(s.low > s.estimate - 0.03 && s.high < s.estimate + 0.03);
    free(x);
}

Test(stats_compare, runs_that_a_level_needs)
{
    cr_assert_eq(syn_runs_needed(0.05), (size_t)4);
    cr_assert_eq(syn_runs_needed(0.01), (size_t)5);
    cr_assert_eq(syn_runs_needed(0.005), (size_t)6);
    cr_assert_eq(syn_runs_needed(0.1), (size_t)4); /* 2 / C(6,3) is 0.1 itself: not below */
    cr_assert_eq(syn_runs_needed(0), (size_t)0);
}

Test(stats_compare, stars)
{
    cr_assert_str_eq(syn_stars(0.05), "");
    cr_assert_str_eq(syn_stars(0.049), "*");
    cr_assert_str_eq(syn_stars(0.0099), "**");
    cr_assert_str_eq(syn_stars(0.00099), "***");
    cr_assert_str_eq(syn_stars(NAN), "");
}

static enum syn_verdict verdict(size_t runs, double p, double low, double high, double low90,
                                double high90)
{
    struct syn_evidence e = {runs, runs, 0, p, 0.05, 0.02, low, high, low90, high90};
    return syn_verdict_of(&e);
}

Test(stats_compare, verdicts)
{
    cr_assert_eq(verdict(3, 0.001, 1.1, 1.2, 1.1, 1.2), SYN_VERDICT_TOO_FEW_RUNS);
    cr_assert_eq(verdict(5, 0.001, 1.1, 1.2, 1.1, 1.2), SYN_VERDICT_SLOWER);
    cr_assert_eq(verdict(5, 0.001, 0.8, 0.9, 0.8, 0.9), SYN_VERDICT_FASTER);
    cr_assert_eq(verdict(5, 0.2, 1.1, 1.2, 1.1, 1.2), SYN_VERDICT_INDISTINGUISHABLE);
    cr_assert_eq(verdict(5, 0.001, 1.01, 1.2, 1.015, 1.1), SYN_VERDICT_UNCLEAR);
    cr_assert_eq(verdict(5, 0.001, 1.005, 1.015, 1.006, 1.014), SYN_VERDICT_EQUIVALENT);
    cr_assert_eq(verdict(5, 0.5, 0.97, 1.03, 0.99, 1.01), SYN_VERDICT_EQUIVALENT);
    cr_assert_eq(verdict(5, 0.5, 0.9, 1.1, 0.95, 1.05), SYN_VERDICT_INDISTINGUISHABLE);
    cr_assert_eq(verdict(5, NAN, NAN, NAN, NAN, NAN), SYN_VERDICT_INDISTINGUISHABLE);
    struct syn_evidence many = {5, 5, 0.05, 0.001, 0.05, 0.02, 1.1, 1.2, 1.1, 1.2};
    cr_assert_eq(syn_verdict_of(&many), SYN_VERDICT_TOO_FEW_RUNS,
                 "so many tests that none could be below 0.05");
    cr_assert_str_eq(syn_verdict_text(SYN_VERDICT_TOO_FEW_RUNS), "too few runs");
    cr_assert_str_eq(syn_verdict_text(SYN_VERDICT_INDISTINGUISHABLE), "indistinguishable");
}

/* ---- maxT ---- */

#define ROWS 3
#define RUNS 4

/* |t| of a division by its definition. */
static double t_of(const double *x, unsigned is_b)
{
    double mean[2] = {0, 0}, squares = 0;
    for (int i = 0; i < 2 * RUNS; i++)
        mean[is_b >> i & 1] += x[i] / RUNS;
    for (int i = 0; i < 2 * RUNS; i++)
        squares += pow(x[i] - mean[is_b >> i & 1], 2);
    return fabs(mean[1] - mean[0]) / sqrt(squares / (2 * RUNS - 2) * 2 / RUNS);
}

/* Step-down maxT by listing all divisions; observed t falling from row to row. */
static void maxt_by_definition(const double *x, double *p)
{
    double above[ROWS] = {0}, divisions = 0;
    for (unsigned is_b = 0; is_b < 1u << 2 * RUNS; is_b++) {
        double largest = 0;
        if (__builtin_popcount(is_b) != RUNS)
            continue;
        divisions++;
        for (int row = ROWS; row-- > 0;) {
            largest = fmax(largest, t_of(x + row * 2 * RUNS, is_b));
            above[row] += largest >= t_of(x + row * 2 * RUNS, 0xF0) * (1 - 1e-9);
        }
    }
    for (int row = 0; row < ROWS; row++)
        p[row] = fmax(row ? p[row - 1] : 0, above[row] / divisions);
}

Test(stats_compare, maxt_is_the_share_of_divisions_that_show_as_much)
{
    static const double x[ROWS * 2 * RUNS] = {
        1.0, 1.1, 0.9,  1.05, 2.0, 2.2, 1.9, 2.1,  /* apart */
        5.0, 5.3, 4.9,  5.6,  5.4, 5.7, 5.2, 5.9,  /* somewhat */
        3.0, 2.0, 3.01, 2.5,  2.6, 2.7, 2.4, 2.65, /* not */
    };
    const struct syn_maxt_table table = {x, ROWS, RUNS, RUNS};
    struct syn_maxt_row row[ROWS];
    struct syn_maxt how;
    double p[ROWS];
    maxt_by_definition(x, p);
    cr_assert_eq(syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, row, &how), 0);
    cr_assert(how.exact);
    cr_assert_eq(how.divisions, 70);
    for (int i = 0; i < ROWS; i++)
        cr_assert_float_eq(row[i].p_adjusted, p[i], 1e-12, "row %d: %g, not %g", i,
                           row[i].p_adjusted, p[i]);
    cr_assert_float_eq(row[0].p_adjusted, 2.0 / 70, 1e-12);
    cr_assert_lt(row[1].p_adjusted, 1);
    cr_assert_eq(syn_maxt_test(&table, SYN_LESS, 0.05, 1, row, &how), 0);
    cr_assert_gt(row[0].p, 0.9, "B is not the smaller");
}

Test(stats_compare, maxt_draws_divisions_where_they_are_too_many)
{
    enum { RUNS_A_SIDE = 20, GROUPS = 40 };
    struct syn_random random;
    double *x = malloc(GROUPS * 2 * RUNS_A_SIDE * sizeof *x);
    struct syn_maxt_row row[GROUPS];
    struct syn_maxt how;
    syn_random_seed(&random, 31);
    for (size_t i = 0; i < GROUPS * 2 * RUNS_A_SIDE; i++)
        x[i] = 1e6 + simulate_normal(&random) +
               (i < 2 * RUNS_A_SIDE && i % (2 * RUNS_A_SIDE) >= RUNS_A_SIDE ? 3 : 0);
    for (size_t i = 0; i < 2 * RUNS_A_SIDE; i += 3)
        x[2 * RUNS_A_SIDE + i] = NAN; /* runs that lack a group */
    for (size_t i = 0; i < 2 * RUNS_A_SIDE; i++)
        x[4 * RUNS_A_SIDE + i] = 7; /* a group whose runs are all equal */
    const struct syn_maxt_table table = {x, GROUPS, RUNS_A_SIDE, RUNS_A_SIDE};
    cr_assert_eq(syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, row, &how), 0);
    cr_assert(!how.exact);
    cr_assert_eq(how.divisions, SYN_MAXT_DRAWS + 1);
    cr_assert_eq(row[0].p_adjusted, 1 / how.divisions, "no p is 0");
    cr_assert(isnan(row[2].p_adjusted));
    for (size_t i = 1; i < GROUPS; i++)
        cr_assert(!(row[i].p_adjusted < 0.05), "row %zu: %g", i, row[i].p_adjusted);
    free(x);
}

Test(stats_compare, maxt_would_have_claimed_its_least_difference)
{
    enum { GROUPS = 20 };
    struct syn_random random;
    double x[GROUPS][10];
    struct syn_maxt_row before[GROUPS], row[GROUPS];
    struct syn_maxt how;
    const struct syn_maxt_table table = {x[0], GROUPS, 5, 5};
    syn_random_seed(&random, 32);
    for (int g = 0; g < GROUPS; g++)
        for (int i = 0; i < 10; i++)
            x[g][i] = simulate_normal(&random);
    cr_assert_eq(syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, before, &how), 0);
    for (int side = 0; side < 2; side++) {
        double kept[10], shift = 0;
        memcpy(kept, x[0], sizeof kept);
        for (int i = 0; i < 10; i++)
            shift += x[0][i] / (i < 5 ? 5 : -5); /* to a difference of 0, */
        shift += before[0].least_difference * (side ? 1.3 : 0.7);
        for (int i = 5; i < 10; i++)
            x[0][i] += shift;
        cr_assert_eq(syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, row, &how), 0);
        cr_assert_eq(row[0].p_adjusted < 0.05, side == 1, "side %d: p %g", side, row[0].p_adjusted);
        memcpy(x[0], kept, sizeof kept);
    }
}

/* Two-sided by its definition: the counts that are no likelier than the observed one. */
static double binomial_by_definition(size_t x, size_t n, double p0)
{
    double limit = dbinom((double)x, (double)n, p0, 0) * (1 + 1e-7), sum = 0;
    for (size_t i = 0; i <= n; i++) {
        double density = dbinom((double)i, (double)n, p0, 0);
        sum += density <= limit ? density : 0;
    }
    return fmin(1, sum);
}

/* Twenty runs on each side have 1.4 10^11 divisions: they are not listed for rows that are not
 * there. */
Test(stats_compare, maxt_without_rows_draws_as_of_one)
{
    const struct syn_maxt_table table = {NULL, 0, 20, 20};
    struct syn_maxt how;
    cr_assert_eq(syn_maxt_test(&table, SYN_TWO_SIDED, 0.05, 1, NULL, &how), 0);
    cr_expect(!how.exact);
    cr_expect_eq(how.divisions, SYN_MAXT_DRAWS + 1);
}

Test(stats_compare, binomial_test_is_its_definition)
{
    const double p0[] = {0.5, 0.25, 1.0 / 7, 0.9, 1.0 / 64};
    for (int i = 0; i < 5; i++)
        for (size_t n = 1; n <= 40; n++)
            for (size_t x = 0; x <= n; x++)
                cr_assert_float_eq(syn_binomial_test(x, n, p0[i]),
                                   binomial_by_definition(x, n, p0[i]), 1e-12, "%zu of %zu at %g",
                                   x, n, p0[i]);
    cr_assert(isnan(syn_binomial_test(3, 2, 0.5)));
    cr_assert_eq(syn_binomial_test(0, 10, 0), 1);
    cr_assert_eq(syn_binomial_test(1, 10, 0), 0);
    cr_assert_lt(syn_binomial_test(5010000, 10000000, 0.5), 1e-9);
}

Test(stats_compare, a_rank_that_is_last_too_often_is_named)
{
    const size_t last[] = {240, 250, 255, 355}, members[] = {1, 1, 1, 1};
    double p[4];
    cr_assert_eq(syn_last_arriver_test(last, members, 4, p), 0);
    cr_assert_lt(p[3], 1e-6);
    cr_assert_gt(p[0], 0.001);
    const size_t by_node[] = {500, 500}, sizes[] = {3, 1};
    cr_assert_eq(syn_last_arriver_test(by_node, sizes, 2, p), 0);
    cr_assert(p[0] < 1e-9 && p[1] < 1e-9);
    cr_assert_lt(syn_last_arriver_test(last, members, 1, p), 0);
}

Test(stats_compare, adjusted_p_values_leave_out_what_is_none)
{
    double p[] = {0.01, NAN, 0.04, 0.03};
    cr_assert_eq(syn_adjust_holm(p, 4), 0);
    cr_assert_float_eq(p[0], 0.03, 1e-15);
    cr_assert(isnan(p[1]));
    cr_assert_float_eq(p[2], 0.06, 1e-15);
    cr_assert_float_eq(p[3], 0.06, 1e-15);
    cr_assert_eq(syn_adjust_bh(p, 0), 0);
}

static double kruskal_p(const double *x)
{
    const size_t start[] = {0, 4, 8};
    struct syn_samples s = {x, start, 2};
    struct syn_kruskal out;
    syn_kruskal_wallis(&s, &out);
    return out.p;
}

Test(stats_compare, tests_across_ranks_refuse_what_they_cannot_say)
{
    const double same[] = {7, 7, 7, 7, 7, 7, 7, 7}, apart[] = {1, 1, 1, 1, 2, 2, 2, 2};
    const size_t start[] = {0, 4, 8}, alone[] = {0, 8, 8};
    struct syn_samples s = {same, start, 2}, one = {apart, alone, 2};
    struct syn_anova anova;
    struct syn_kruskal kruskal;
    struct syn_friedman friedman;
    cr_assert_lt(syn_anova_oneway(&s, &anova), 0);
    cr_assert_lt(syn_kruskal_wallis(&s, &kruskal), 0);
    cr_assert_lt(friedman_of_blocks(same, 4, 2, &friedman), 0);
    cr_assert_lt(friedman_of_blocks(apart, 1, 8, &friedman), 0);
    cr_assert(isnan(anova.F) && isnan(kruskal.H) && isnan(friedman.chi2));
    cr_assert_lt(syn_kruskal_wallis(&one, &kruskal), 0);
    cr_assert_lt(kruskal_p(apart), 0.01); /* two constants that differ: the most that can be said */
}
