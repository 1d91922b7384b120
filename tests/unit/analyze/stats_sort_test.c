/* tests/unit/analyze/stats_sort_test.c - sorting and ranking at every size where the method
 * changes. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "stats_simulate.h"

static const size_t sizes[] = {0,   1,   2,   3,   24,   25,   63,   64,   65,    125,
                               250, 511, 512, 513, 1024, 1025, 4095, 4097, 60000, 70000};
#define SIZE_COUNT (sizeof sizes / sizeof *sizes)

/* WHOLE and HALVES: those that are sorted by what they are above the least; CLOSE: that are
 * counted where they are many; AMONG_THEM has one that
 * is no such number, at the end; ZEROS has both zeros; WIDE is just too wide. */
enum kind { REAL, TIED, MIXED, WHOLE, CLOSE, HALVES, AMONG_THEM, ZEROS, WIDE, KIND_COUNT };

static double draw(enum kind kind, double z, size_t i)
{
    switch (kind) {
    case REAL:
        return z * 1e15;
    case TIED:
        return floor(z * 3);
    case MIXED:
        return i % 7 == 0 ? (i % 2 ? 0.0 : -0.0) : i % 3 ? z * 1e-300 : -z * 1e300;
    case CLOSE:
        return 1e9 + floor(z * 1e3);
    case HALVES:
        return floor(z * 1e5) / 2;
    case ZEROS:
        return i % 5 == 0 ? (i % 2 ? 0.0 : -0.0) : floor(fabs(z) * 3);
    case WIDE:
        return i % 11 == 0 ? 0x1p32 + 5 : floor(fabs(z) * 100) + 5;
    default:
        return 1e9 + floor(z * 1e6);
    }
}

static void fill(struct syn_random *random, enum kind kind, double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        double z = simulate_normal(random);
        x[i] = draw(kind, z, i);
    }
    if (kind == AMONG_THEM && n > 0)
        x[n - 1] += 0.25;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void expect_sorted(struct syn_random *random, enum kind kind, size_t n, double *x,
                          double *expected)
{
    fill(random, kind, x, n);
    memcpy(expected, x, n * sizeof *x);
    qsort(expected, n, sizeof *expected, compare);
    syn_sort(x, n);
    size_t at = 0;
    while (at < n && x[at] == expected[at])
        at++;
    cr_assert_eq(at, n, "kind %d, n %zu, at %zu", kind, n, at);
}

Test(stats_sort, equals_the_library_sort_at_every_size)
{
    struct syn_random random;
    double *x = malloc(70000 * sizeof *x), *expected = malloc(70000 * sizeof *expected);
    syn_random_seed(&random, 1);
    for (size_t s = 0; s < SIZE_COUNT; s++)
        for (enum kind kind = REAL; kind < KIND_COUNT; kind++)
            expect_sorted(&random, kind, sizes[s], x, expected);
    free(x);
    free(expected);
}

static void expect_order(struct syn_random *random, enum kind kind, size_t n, double *x,
                         size_t *order)
{
    double sum = 0;
    fill(random, kind, x, n);
    syn_order(x, n, order);
    for (size_t i = 0; i < n; i++)
        sum += (double)order[i];
    cr_assert_eq(sum, n ? (double)n * (double)(n - 1) / 2 : 0);
    for (size_t i = 1; i < n; i++)
        cr_assert(x[order[i - 1]] < x[order[i]] ||
                      (x[order[i - 1]] == x[order[i]] && order[i - 1] < order[i]),
                  "kind %d, n %zu, at %zu", kind, n, i);
}

Test(stats_sort, order_is_stable_and_complete)
{
    struct syn_random random;
    double *x = malloc(70000 * sizeof *x);
    size_t *order = malloc(70000 * sizeof *order);
    syn_random_seed(&random, 2);
    for (size_t s = 0; s < SIZE_COUNT; s++)
        for (enum kind kind = REAL; kind < KIND_COUNT; kind++)
            expect_order(&random, kind, sizes[s], x, order);
    free(x);
    free(order);
}

Test(stats_sort, midranks_share_what_ties_would_have)
{
    const double x[] = {5, 1, 5, 3, 5, 1, -0.0, 0.0};
    const double expected[] = {7, 3.5, 7, 5, 7, 3.5, 1.5, 1.5};
    double rank[8];
    size_t order[8];
    cr_assert_eq(syn_midranks(x, 8, rank, order), 24 + 6 + 6);
    for (int i = 0; i < 8; i++)
        cr_assert_eq(rank[i], expected[i], "at %d: %g", i, rank[i]);
}

Test(stats_sort, midranks_of_a_large_tied_column_keep_their_sum)
{
    enum { N = 100000 };
    struct syn_random random;
    double *x = malloc(2 * N * sizeof *x), sum = 0;
    size_t *order = malloc(N * sizeof *order);
    syn_random_seed(&random, 3);
    fill(&random, TIED, x, N);
    syn_midranks(x, N, x + N, order);
    for (size_t i = 0; i < N; i++)
        sum += x[N + i];
    cr_assert_eq(sum, (double)N * (N + 1) / 2);
    free(x);
    free(order);
}

Test(stats_sort, midranks_of_numbered_items_are_those_of_the_numbers)
{
    static const uint32_t most[] = {0, 1, 200, 70000, UINT32_MAX};
    enum { N = 5000 };
    static uint64_t item[2 * N];
    static double x[N], rank[N], expected[N];
    static size_t order[N];
    struct syn_random random;
    syn_random_seed(&random, 5);
    for (size_t m = 0; m < sizeof most / sizeof *most; m++)
        for (size_t n = 1; n <= N; n = 3 * n + 1) {
            for (size_t i = 0; i < n; i++) {
                x[i] = floor(syn_random_unit(&random) * most[m]);
                item[i] = (uint64_t)x[i] << 32 | i;
            }
            cr_assert_eq(syn_midranks_of_numbered(item, n, most[m], rank),
                         syn_midranks(x, n, expected, order));
            for (size_t i = 0; i < n; i++)
                cr_assert_eq(rank[i], expected[i], "most %u, n %zu, at %zu", most[m], n, i);
        }
}

/* Ranks of counted values are those of an array of ranks. */
Test(stats_sort, ranks_of_counted_samples_are_those_of_sorted_ones)
{
    enum { N = 70000, K = 3 };
    static double x[N], rank[N];
    static size_t order[N], start[K + 1] = {0, 1000, 50000, N};
    struct syn_random random;
    double mean[K], ties;
    size_t n[K];
    syn_random_seed(&random, 4);
    for (size_t i = 0; i < N; i++)
        x[i] = draw(CLOSE, simulate_normal(&random), i) + (i < 1000 ? 200 : 0);
    struct syn_kruskal counted, sorted;
    const struct syn_samples samples = {x, start, K};
    cr_assert_eq(syn_kruskal_wallis(&samples, &counted), 0);
    ties = syn_midranks(x, N, rank, order);
    for (size_t k = 0; k < K; k++) {
        n[k] = start[k + 1] - start[k];
        mean[k] = syn_mean(rank + start[k], n[k]);
    }
    cr_assert_eq(syn_kruskal_of_means(mean, n, K, ties, &sorted), 0);
    cr_expect_eq(counted.H, sorted.H);
    cr_expect_eq(counted.p, sorted.p);
    cr_expect_eq(counted.eta2, sorted.eta2);
}
