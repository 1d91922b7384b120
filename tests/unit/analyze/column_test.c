/* Columns longer than memory, and what is computed of series too long for arrays. */
#include <criterion/criterion.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analyze/match/columns/column.h"
#include "analyze/match/columns/packing.h"
#include "analyze/match/columns/row_ranks.h"
#include "analyze/match/columns/scratch.h"
#include "analyze/report/figures/figures.h"
#include "analyze/report/figures/series.h"
#include "analyze/report/figures/series_loops.h"
#include "analyze/report/figures/tally.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"

static uint64_t state = 1;

static uint64_t random_bits(void)
{
    state += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    uint64_t x = (state ^ state >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* Durations as they are: most within a few microseconds, some far out; dependent on the one before.
 */
static void durations(int64_t *x, size_t n)
{
    int64_t level = 4000;
    for (size_t i = 0; i < n; i++) {
        level += (int64_t)(random_bits() % 401) - 200;
        level = level < 100 ? 100 : level > 9000 ? 9000 : level;
        x[i] = level + (int64_t)(random_bits() % 64);
        if (random_bits() % 500 == 0)
            x[i] += (int64_t)(random_bits() % 50000000);
    }
}

/* Every width of block, in memory and in the file. */
Test(column, gives_back_what_was_appended)
{
    enum { N = 20 * SYN_BLOCK_VALUES + 77 };
    static int64_t x[N], got[N];
    for (int budget = 0; budget < 2; budget++) {
        struct syn_store store;
        struct syn_column column = {0};
        syn_store_init(&store, budget ? (size_t)1 << 30 : 30000);
        for (size_t i = 0; i < N; i++) {
            int width = (int)(i / SYN_BLOCK_VALUES % 5);
            /* Values of 0, 8, 16, 32 and 64 bits. */
            int64_t high = width == 0 || width == 4
                               ? 0
                               : (int64_t)(random_bits() >> (64 - (8 << (width - 1))));
            x[i] = width == 4 ? (int64_t)random_bits() : high - 5;
        }
        for (size_t i = 0; i < 1500; i++)
            cr_assert_eq(syn_column_append(&column, &store, x[i]), 0);
        cr_assert_eq(syn_column_append_all(&column, &store, x + 1500, N - 1500), 0);
        cr_assert_eq(column.count, N);
        cr_expect_eq(store.spilled_bytes > 0, budget == 0);
        for (int i = 0; i < 500; i++) {
            size_t first = random_bits() % N, count = random_bits() % (N - first + 1);
            cr_assert_eq(syn_column_read(&column, &store, first, count, got), 0);
            cr_assert_eq(memcmp(got, x + first, count * sizeof *got), 0);
        }
        cr_expect_eq(syn_column_read(&column, &store, 1, N, got), SYN_EINVAL);
        int64_t least, most, low = INT64_MAX, high = INT64_MIN;
        for (size_t i = 0; i < N; i++) {
            low = x[i] < low ? x[i] : low;
            high = x[i] > high ? x[i] : high;
        }
        syn_column_range(&column, 0, N, &least, &most);
        cr_expect_eq(least, low);
        cr_expect_eq(most, high);
        syn_column_free(&column);
        syn_store_close(&store);
    }
}

/* Draws value i: of eight bits, falling, rising with more and more bytes, any. */
static int64_t drawn(int kind, size_t i)
{
    return kind == 0   ? 4000 + (int64_t)(random_bits() % 200)
           : kind == 1 ? -(int64_t)(i * i) + (int64_t)(random_bits() % 5)
           : kind == 2 ? INT64_MIN + (int64_t)(UINT64_C(1) << (i / 16 % 63))
           : i % 2     ? (int64_t)random_bits()
                       : (int64_t)(INT64_MAX - random_bits() % 3);
}

/* Exact behind the blocks; with blocks a little more may come out. */
static void expect_range(const struct syn_column *column, const int64_t *x, size_t first,
                         size_t count)
{
    int64_t least, most, low = x[first], high = x[first];
    syn_column_range(column, first, count, &least, &most);
    for (size_t i = first; i < first + count; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    const bool exact = first >= column->block_count * SYN_BLOCK_VALUES;
    cr_assert(exact ? least == low && most == high : least <= low && most >= high);
}

/* Values that come in a few pieces are packed piece by piece, whatever bytes they need. */
Test(column, packs_what_is_behind_the_blocks)
{
    enum { N = 2 * SYN_BLOCK_VALUES + 500 };
    static int64_t x[N], got[N];
    for (int kind = 0; kind < 4; kind++) {
        struct syn_store store;
        struct syn_column column = {0};
        syn_store_init(&store, (size_t)1 << 30);
        for (size_t i = 0; i < N; i++)
            x[i] = drawn(kind, i);
        while (column.count < N) {
            const size_t left = N - column.count, wanted = 1 + random_bits() % 40;
            const size_t count = wanted < left ? wanted : left;
            cr_assert_eq(syn_column_append_all(&column, &store, x + column.count, count), 0);
            const size_t first = random_bits() % column.count;
            cr_assert_eq(syn_column_read(&column, &store, first, column.count - first, got), 0);
            cr_assert_eq(memcmp(got, x + first, (column.count - first) * sizeof *got), 0);
            expect_range(&column, x, first, column.count - first);
        }
        if (kind == 0)
            cr_expect_leq(column.capacity, 3 * SYN_BLOCK_VALUES / 2);
        syn_column_free(&column);
        syn_store_close(&store);
    }
}

/* Numbers that fall are not packed anew with each of them. */
Test(column, leaves_room_below_numbers_that_fall)
{
    struct syn_store store;
    struct syn_column column = {0};
    size_t moved = 0;
    syn_store_init(&store, (size_t)1 << 30);
    for (int64_t i = 0; i < SYN_BLOCK_VALUES - 1; i++) {
        const int64_t base = column.base;
        cr_assert_eq(syn_column_append(&column, &store, -i), 0);
        moved += column.base != base;
    }
    cr_expect_lt(moved, 40);
    syn_column_free(&column);
    syn_store_close(&store);
}

/* The order of what is left alone, the rest to one rounding. */
static void expect_alike(double a, double b, const char *what)
{
    cr_expect((isnan(a) && isnan(b)) || fabs(a - b) <= 1e-11 * fmax(1, fabs(b)), "%s: %.17g %.17g",
              what, a, b);
}

/* To the last bit; a series that is too short for its dependence has neither. */
static void expect_same(double a, double b, const char *what)
{
    cr_expect((isnan(a) && isnan(b)) || a == b, "%s: %.17g %.17g", what, a, b);
}

static void expect_summaries(const struct syn_summary *a, const struct syn_summary *b)
{
    cr_expect_eq(a->n, b->n);
    cr_expect_eq(a->median, b->median);
    cr_expect_eq(a->ci_low, b->ci_low);
    cr_expect_eq(a->ci_high, b->ci_high);
    cr_expect_eq(a->q1, b->q1);
    cr_expect_eq(a->q3, b->q3);
    cr_expect_eq(a->p5, b->p5);
    cr_expect_eq(a->p10, b->p10);
    cr_expect_eq(a->p10_low, b->p10_low);
    cr_expect_eq(a->p10_high, b->p10_high);
    cr_expect_eq(a->p95, b->p95);
    cr_expect_eq(a->p99, b->p99);
    cr_expect_eq(a->min, b->min);
    cr_expect_eq(a->max, b->max);
    cr_expect_eq(a->outliers_tukey, b->outliers_tukey);
    cr_expect_eq(a->n_effective, b->n_effective);
    expect_same(a->ci_dependent_low, b->ci_dependent_low, "ci_dependent_low");
    expect_same(a->ci_dependent_high, b->ci_dependent_high, "ci_dependent_high");
    expect_alike(a->mean, b->mean, "mean");
    expect_alike(a->sd, b->sd, "sd");
    expect_alike(a->tail_share, b->tail_share, "tail_share");
    for (int i = 0; i < SYN_ACF_LAGS; i++)
        expect_alike(a->acf[i], b->acf[i], "acf");
}

static void compare_series(const int64_t *value, size_t n, int64_t minus_scale)
{
    struct syn_store store;
    struct syn_column column = {0}, minus = {0};
    struct syn_tally tally = {0};
    struct syn_ordered sample;
    struct syn_summary exact, tallied;
    double *x = malloc(2 * n * sizeof *x);
    syn_store_init(&store, 50000);
    syn_column_append_all(&column, &store, value, n);
    for (size_t i = 0; i < n; i++)
        syn_column_append(&minus, &store, (int64_t)(i % 100) * minus_scale);
    struct syn_series series = {
        .column = &column, .minus = minus_scale ? &minus : NULL, .store = &store, .count = n};
    cr_assert_eq(syn_series_values(&series, x), 0);
    cr_assert_eq(syn_summarize(x, n, 0.95, x + n, &exact), 0);
    cr_assert_eq(syn_series_count(&series, NULL, 0, &tally, &sample), 0);
    cr_assert_eq(syn_series_summarize(&series, &sample, 0.95, &tallied), 0);
    expect_summaries(&tallied, &exact);
    syn_tally_free(&tally);
    syn_column_free(&column);
    syn_column_free(&minus);
    syn_store_close(&store);
    free(x);
}

Test(series, a_tally_says_what_arrays_say)
{
    enum { N = 100000 };
    int64_t *x = malloc(N * sizeof *x);
    durations(x, N);
    compare_series(x, N, 0);
    compare_series(x, N, 37); /* also below 0 */
    compare_series(x, 9001, 1);
    for (size_t i = 0; i < N; i++) /* far from 0, hardly any value twice, squares beyond 64 bits */
        x[i] = (int64_t)(random_bits() >> 20) - ((int64_t)1 << 50);
    compare_series(x, N, 0);
    for (size_t i = 0; i < N; i++)
        x[i] = 7;
    compare_series(x, N, 0);
    compare_series(x, N, 1);
    free(x);
}

static void compare_order(const int64_t *value, size_t n)
{
    struct syn_store store;
    struct syn_column column = {0};
    struct syn_tally tally = {0};
    struct syn_ordered sample;
    double *x = malloc(n * sizeof *x);
    syn_store_init(&store, 50000);
    syn_column_append_all(&column, &store, value, n);
    const struct syn_series series = {.column = &column, .store = &store, .count = n};
    cr_assert_eq(syn_series_values(&series, x), 0);
    cr_assert_eq(syn_series_count(&series, NULL, 0, &tally, &sample), 0);
    syn_sort(x, n);
    cr_expect_eq(sample.n, n);
    cr_expect_eq(sample.count[sample.count_count - 1].until, n);
    for (size_t i = 0; i < n; i++)
        cr_expect_eq(syn_ordered_at(&sample, i + 1), x[i], "%zu of %zu", i, n);
    for (size_t i = 1; i < sample.count_count; i++)
        cr_expect_lt(sample.count[i - 1].value, sample.count[i].value);
    syn_tally_free(&tally);
    syn_column_free(&column);
    syn_store_close(&store);
    free(x);
}

/* Few values are sorted, more are counted. */
Test(series, a_tally_of_few_values_is_in_order)
{
    static const size_t lengths[] = {1, 2, 200, 1023, 1024, 1025};
    enum { N = 1025 };
    int64_t *x = malloc(N * sizeof *x);
    for (size_t i = 0; i < N; i++) /* many of them several times */
        x[i] = (int64_t)(random_bits() % 300) - 100;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        compare_order(x, lengths[l]);
    durations(x, N);
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++)
        compare_order(x, lengths[l]);
    free(x);
}

Test(series, what_a_tally_cannot_hold_is_refused)
{
    struct syn_tally tally = {0};
    cr_expect_eq(syn_tally_begin(&tally, INT64_MIN, INT64_MAX, 10), SYN_EINVAL);
    cr_expect_eq(syn_tally_begin(&tally, 0, SYN_TALLY_SPAN_MAX, 10), SYN_EINVAL);
    cr_expect_eq(syn_tally_begin(&tally, 0, SYN_TALLY_SPAN_MAX - 1, 10), 0);
    syn_tally_free(&tally);
}

/* Against the functions that R checks, on the same numbers. */
Test(series, long_ranks_are_compared_as_short_ones)
{
    enum { K = 5, N = 30000 };
    struct syn_store store;
    struct syn_group_rank rank[K] = {{0}};
    struct syn_rank_figures rank_figures[K] = {{0}};
    struct syn_group group = {.store = &store};
    struct syn_figures figures = {.group = &group, .rank = rank_figures, .rank_count = K};
    struct syn_tally combined = {0}, scratch = {0};
    struct syn_anova anova;
    struct syn_kruskal kruskal;
    size_t start[K + 1] = {0};
    double *x = malloc(K * N * sizeof *x);
    int64_t *value = malloc(N * sizeof *value);
    syn_store_init(&store, 40000);
    for (size_t r = 0; r < K; r++) {
        size_t n = r == 3 ? 0 : N - 1000 * r; /* one without values */
        durations(value, n);
        for (size_t i = 0; i < n; i++) {
            value[i] += (int64_t)(3 * r);
            x[start[r] + i] = (double)value[i];
        }
        start[r + 1] = start[r] + n;
        cr_assert_eq(syn_column_append_all(&rank[r].local_ns, &store, value, n), 0);
        rank_figures[r] = (struct syn_rank_figures){.rank = &rank[r], .n = n};
    }
    struct syn_samples samples = {x, start, K};
    cr_assert_eq(syn_anova_oneway(&samples, &anova), 0);
    cr_assert_eq(syn_kruskal_wallis(&samples, &kruskal), 0);
    cr_assert_eq(syn_long_ranks(&figures, 0.95, &combined, &scratch), 0);
    expect_alike(figures.anova.F, anova.F, "F");
    expect_alike(figures.anova.p, anova.p, "p");
    expect_alike(figures.anova.eta2, anova.eta2, "eta2");
    expect_alike(figures.anova.effect_size, anova.effect_size, "effect");
    cr_expect_eq(figures.kruskal.H, kruskal.H);
    cr_expect_eq(figures.kruskal.eta2, kruskal.eta2);
    for (size_t r = 0; r < K; r++) {
        struct syn_summary summary;
        size_t n = start[r + 1] - start[r];
        syn_sort(x + start[r], n);
        syn_summarize_sorted(x + start[r], n, 0.95, &summary);
        cr_expect(rank_figures[r].median == summary.median || n == 0);
        cr_expect(rank_figures[r].ci_high == summary.ci_high || n == 0);
        syn_column_free(&rank[r].local_ns);
    }
    syn_tally_free(&combined);
    syn_tally_free(&scratch);
    syn_store_close(&store);
    free(x);
    free(value);
}

/* ---- loops of which there is a version for newer processors ---- */

/* Products of values with those before, in the plainest way. */
static void expect_products(const int64_t *value, size_t count, size_t before)
{
    enum { LAGS = 10 };
    __int128 sum[LAGS] = {0}, expected[LAGS] = {0};
    for (size_t lag = 1; lag <= LAGS; lag++)
        for (size_t i = 0; i < count; i++)
            if (i + before >= lag)
                expected[lag - 1] += (__int128)value[i] * value[(int64_t)i - (int64_t)lag];
    syn_sums_of_products(value, count, before, LAGS, sum);
    for (size_t lag = 0; lag < LAGS; lag++)
        cr_assert(sum[lag] == expected[lag], "lag %zu of %zu after %zu", lag + 1, count, before);
}

Test(loops, add_up_the_same_products_on_every_processor)
{
    static int64_t value[10 + SYN_PRODUCTS_MAX];
    static const size_t counts[] = {1, 3, 4, 9, 10, 11, 12, 500, 1021, SYN_PRODUCTS_MAX};
    /* the largest that are added in 64 bits, one above, and any */
    static const int64_t largest[] = {100, 1 << 25, (1 << 25) + 1, INT64_C(1) << 45};
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        for (size_t size = 0; size < sizeof largest / sizeof *largest; size++) {
            for (size_t i = 0; i < sizeof value / sizeof *value; i++)
                value[i] = i % 7 == 0 ? (i % 2 ? largest[size] : -largest[size])
                                      : (int64_t)(random_bits() % 200) - 100;
            for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
                for (size_t before = 0; before <= 10; before += 5)
                    expect_products(value + 10, counts[i], before);
        }
    }
}

/* Numbers of any size and sign, and halfway between two doubles. */
Test(loops, numbers_are_rounded_as_a_conversion_rounds_them)
{
    enum { N = 1003 };
    static int64_t value[N];
    static double got[N];
    for (size_t i = 0; i < N; i++)
        value[i] = (int64_t)random_bits() >> i % 64;
    value[0] = INT64_MIN;
    value[1] = INT64_MAX;
    value[2] = (INT64_C(1) << 53) + 1;
    value[3] = -(INT64_C(1) << 53) - 3;
    value[4] = -1;
    value[5] = 0;
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        syn_doubles_of(value, N, got);
        for (size_t i = 0; i < N; i++) {
            const double expected = (double)value[i];
            cr_expect_eq(memcmp(&got[i], &expected, sizeof expected), 0, "%g", expected);
        }
    }
}

Test(loops, count_and_pack_the_same_on_every_processor)
{
    enum { N = 1003 };
    static int64_t value[N], got[N];
    static uint64_t packed[N + 2];
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        for (int bits = 0; bits <= 64; bits += 8) {
            size_t above = 0;
            int64_t base = (int64_t)random_bits(),
                    limit = (int64_t)((uint64_t)base + (bits > 8 ? 1u << bits / 4 : 9));
            uint8_t width = bits == 0 ? 0 : bits <= 8 ? 1 : bits <= 16 ? 2 : bits <= 32 ? 4 : 8;
            for (size_t i = 0; i < N; i++) {
                uint64_t high = bits ? random_bits() >> (64 - bits) : 0;
                value[i] = (int64_t)((uint64_t)base + high);
                above += value[i] > limit;
            }
            cr_expect_eq(syn_count_above(value, N, limit), above);
            cr_expect_eq(syn_packed_width(bits ? UINT64_MAX >> (64 - bits) : 0), width);
            packed[(size_t)width * N / 8 + 1] = 77;
            syn_pack(value, N, base, width, packed);
            cr_expect_eq(packed[(size_t)width * N / 8 + 1], 77); /* nothing beyond */
            syn_unpack(packed, N, base, width, got);
            cr_expect_arr_eq(got, value, sizeof value, "%d bits", bits);
        }
    }
}

/* Against syn_midranks, whose numbers have 53 bits; and those that nothing is below. */
static void expect_ranks(size_t count, int bits)
{
    int64_t x[SYN_ROW_FEW];
    double number[SYN_ROW_FEW], rank[SYN_ROW_FEW], got[SYN_ROW_FEW + 1];
    size_t order[SYN_ROW_FEW];
    for (size_t i = 0; i < count; i++) {
        x[i] = (int64_t)(random_bits() >> (64 - bits)) - (INT64_C(1) << (bits - 1));
        x[i] = x[i] == -2 && random_bits() % 2 ? INT64_MIN : x[i];
        number[i] = (double)x[i];
    }
    const double ties = syn_midranks(number, count, rank, order);
    got[count] = 77;
    cr_expect_eq(syn_row_midranks(x, count, got), ties, "%zu of %d bits", count, bits);
    cr_expect_arr_eq(got, rank, count * sizeof *got, "%zu of %d bits", count, bits);
    cr_expect_eq(got[count], 77); /* nothing beyond */
}

Test(loops, rank_as_sorting_does)
{
    for (size_t count = 2; count <= SYN_ROW_FEW; count++)
        for (int turn = 0; turn < 300; turn++)
            expect_ranks(count, turn % 3 == 0 ? 2 : turn % 3 == 1 ? 5 : 50);
}

/* Columns that make way are what they were, and their memory is free for others. */
Test(column, makes_way_for_others_and_keeps_its_values)
{
    enum { N = 5 * SYN_BLOCK_VALUES + 7 };
    static int64_t value[N], got[N];
    struct syn_store store;
    struct syn_column column = {0};
    syn_store_init(&store,
                   3 * SYN_BLOCK_VALUES * sizeof(int64_t)); /* the last blocks are in the file */
    for (size_t i = 0; i < N; i++) /* of one block all values are alike: it takes nothing */
        value[i] = i / SYN_BLOCK_VALUES == 1 ? 7 : (int64_t)random_bits();
    cr_assert_eq(syn_column_append_all(&column, &store, value, N), 0);
    cr_expect_gt(store.used_bytes, 0);
    cr_expect_gt(store.spilled_bytes, 0);
    cr_assert_eq(syn_column_spill(&column, &store), 0);
    cr_expect_eq(store.used_bytes, 0);
    cr_expect_eq(store.spilled_bytes, 4 * SYN_BLOCK_VALUES * sizeof(int64_t));
    cr_assert_eq(syn_column_spill(&column, &store), 0);
    cr_assert_eq(syn_column_read(&column, &store, 0, N, got), 0);
    cr_expect_arr_eq(got, value, sizeof value);
    syn_column_free(&column);
    syn_store_close(&store);
}

Test(scratch, a_file_that_has_become_shorter_is_told)
{
    char byte, why[512];
    int file;
    cr_expect(!syn_scratch_explain(why, sizeof why));
    cr_assert_eq(syn_scratch_open(&file), 0);
    cr_expect_eq(syn_scratch_read(file, &byte, 1, 0), SYN_EIO);
    cr_expect(syn_scratch_explain(why, sizeof why));
    cr_expect_not_null(strstr(why, strerror(EIO)), "%s", why);
    close(file);
}
