/* What is said of one part of one label over the blocks of a run: figures of drawn blocks are those
 * that the definitions give. */
#include <criterion/criterion.h>
#include <math.h>

#include "analyze/causes/profile.h"
#include "analyze/causes/replay.h"
#include "analyze/stats/bootstrap.h"
#include "analyze/stats/stats.h"

static struct syn_random drawn;

static void seed(void)
{
    syn_random_seed(&drawn, 1);
}

TestSuite(causes_profile, .init = seed);

/* Blocks that rise, or fall, by chance alone or steeply, with ties; in some nothing is known. */
static void draw(double *excess, uint32_t count)
{
    const double slope = (double)syn_random_below(&drawn, 60) - 30;
    for (uint32_t b = 0; b < count; b++)
        excess[b] = syn_random_below(&drawn, 9) == 0
                        ? NAN
                        : floor(slope * b / 4) + (double)syn_random_below(&drawn, 40);
}

static double median(double *x, size_t n)
{
    syn_sort(x, n);
    return syn_quantile_sorted(x, n, 0.5);
}

static size_t known(const double *excess, uint32_t count, double *at, double *y)
{
    size_t n = 0;
    for (uint32_t b = 0; b < count; b++)
        if (isfinite(excess[b])) {
            at[n] = b;
            y[n++] = excess[b];
        }
    return n;
}

/* Mann and Kendall's p; the slopes of all pairs. */
static double pairs(const double *at, const double *y, size_t n, double *slope)
{
    double s = 0;
    size_t count = 0;
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++) {
            slope[count++] = (y[j] - y[i]) / (at[j] - at[i]);
            s += y[j] > y[i] ? 1 : y[j] < y[i] ? -1 : 0;
        }
    const double size = (double)n,
                 z = (fabs(s) - 1) / sqrt(size * (size - 1) * (2 * size + 5) / 18);
    return z > 0 ? erfc(z / sqrt(2)) : 1;
}

Test(causes_profile, a_trend_is_the_median_of_all_pairs_slopes)
{
    double excess[SYN_BLOCKS_MOST], at[SYN_BLOCKS_MOST], y[SYN_BLOCKS_MOST];
    static double slope[SYN_BLOCKS_MOST * SYN_BLOCKS_MOST];
    int seen = 0;
    for (int i = 0; i < 400; i++) {
        const struct syn_profile profile = {
            .excess = excess,
            .block_count = 8 + (uint32_t)syn_random_below(&drawn, SYN_BLOCKS_MOST - 7)};
        struct syn_trend trend;
        draw(excess, profile.block_count);
        syn_profile_trend(&profile, 0.05, &trend);
        const size_t n = known(excess, profile.block_count, at, y);
        if (n < 8) {
            cr_assert(isnan(trend.p));
            continue;
        }
        const double p = pairs(at, y, n, slope);
        cr_assert_float_eq(trend.p, p, 1e-9);
        cr_assert_eq(isnan(trend.change), p >= 0.05);
        if (p >= 0.05)
            continue;
        seen++;
        cr_assert_float_eq(trend.change, median(slope, n * (n - 1) / 2) * (at[n - 1] - at[0]),
                           1e-9);
        cr_assert_float_eq(trend.middle, median(y, n), 1e-9);
    }
    cr_assert(seen > 100 && seen < 390);
}
