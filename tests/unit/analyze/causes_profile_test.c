/* Profiles of one category of one label over the bins of a run: figures of drawn bins are those
 * that the definitions give. */
#include <criterion/criterion.h>
#include <math.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/causes/replay/replay.h"
#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/values/stats.h"

static struct syn_random drawn;

static void seed(void)
{
    syn_random_seed(&drawn, 1);
}

TestSuite(causes_profile, .init = seed);

/* Bins that rise, or fall, by chance alone or steeply, with ties; in some nothing is known. */
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

static double p_of(double z)
{
    return z > 0 ? erfc(z / sqrt(2)) : 1;
}

/* Returns Mann and Kendall's z. Writes the slopes of all pairs. */
static double pairs(const double *at, const double *y, size_t n, double *slope)
{
    double s = 0;
    size_t count = 0;
    for (size_t j = 1; j < n; j++)
        for (size_t i = 0; i < j; i++) {
            slope[count++] = (y[j] - y[i]) / (at[j] - at[i]);
            s += y[j] > y[i] ? 1 : y[j] < y[i] ? -1 : 0;
        }
    const double size = (double)n;
    return (fabs(s) - 1) / sqrt(size * (size - 1) * (2 * size + 5) / 18);
}

/* Returns how much less the values tell because of the dependence of what lies beside the trend. */
static double factor_beside(const double *at, const double *y, size_t n, double slope)
{
    double beside[SYN_TIME_BINS_MOST];
    for (size_t i = 0; i < n; i++)
        beside[i] = y[i] - slope * at[i];
    return fmax(1, fmin(syn_dependence_factor(beside, n), (double)n / 4));
}

Test(causes_profile, a_trend_is_the_median_of_all_pairs_slopes)
{
    double excess[SYN_TIME_BINS_MOST], at[SYN_TIME_BINS_MOST], y[SYN_TIME_BINS_MOST];
    static double slope[SYN_TIME_BINS_MOST * SYN_TIME_BINS_MOST];
    int seen = 0, waves = 0;
    for (int i = 0; i < 400; i++) {
        const struct syn_profile profile = {
            .excess = excess,
            .bin_count = 8 + (uint32_t)syn_random_below(&drawn, SYN_TIME_BINS_MOST - 7)};
        struct syn_trend trend;
        draw(excess, profile.bin_count);
        syn_profile_trend(&profile, 0.05, &trend);
        const size_t n = known(excess, profile.bin_count, at, y);
        if (n < 8) {
            cr_assert(isnan(trend.p));
            continue;
        }
        const double z = pairs(at, y, n, slope), steep = median(slope, n * (n - 1) / 2);
        const double p = p_of(z) < 0.05 ? p_of(z / sqrt(factor_beside(at, y, n, steep))) : p_of(z);
        waves += p_of(z) < 0.05 && p >= 0.05;
        cr_assert_float_eq(trend.p, p, 1e-9);
        cr_assert_eq(isnan(trend.change), p >= 0.05);
        if (p >= 0.05)
            continue;
        seen++;
        cr_assert_float_eq(trend.change, steep * (at[n - 1] - at[0]), 1e-9);
        cr_assert_float_eq(trend.middle, median(y, n), 1e-9);
    }
    cr_assert(seen > 100 && seen < 390, "%d seen", seen);
    cr_assert(waves > 0, "no trend was told from a wave");
}

/* ---- of sums ---- */

enum { RANKS = 3, LABEL = 2, BLOCKS = 4, CHARGES = 400 };

/* Excesses of three ranks: of the last one so many of each size that only some are kept. */
struct known_charges {
    struct syn_cause_sums sums;
    struct syn_cause_location location[RANKS];
    uint32_t first_location[RANKS + 1];
};

static void charge(struct known_charges *known, uint32_t location, int64_t excess_ns, int64_t at_ns)
{
    const struct syn_cause_charge charge = {
        .waiting_ns = 2 * excess_ns, .excess_ns = excess_ns, .at_ns = at_ns};
    const struct syn_bin_values gone = {.count = 1, .ns = {1000 * (location + 1)}};
    const uint32_t bin = syn_time_bin_of(&known->sums.bins, at_ns);
    cr_assert_eq(syn_bin_add(&known->sums, location, LABEL, bin, &gone), 0);
    cr_assert_eq(syn_cause_cell_charge(&known->sums, location,
                                       LABEL * SYN_CATEGORY_COUNT + SYN_CATEGORY_COMPUTING,
                                       &charge),
                 0);
}

static void make_sums(struct known_charges *known)
{
    const struct syn_time_bins bins = {.begin_ns = 0, .bin_ns = 100, .count = BLOCKS};
    syn_cause_sums_begin(&known->sums, RANKS, &bins);
    for (int r = 0; r < RANKS; r++) {
        known->location[r].rank = r;
        known->first_location[r + 1] = (uint32_t)r + 1;
    }
    for (int64_t i = 0; i < 10; i++) {
        charge(known, 0, 9000 + 3 * i, 40 * i);
        charge(known, 1, 1000 + i, 40 * i);
    }
    for (int64_t i = 0; i < CHARGES; i++)
        charge(known, 2, 5000 + i, i);
    syn_cause_sums_settle(&known->sums);
}

static const struct syn_excess_histogram *histogram_of(const struct syn_cause_sums *sums,
                                                       uint32_t i)
{
    return syn_category_sums_of(syn_profile_cell(sums, i, LABEL), 0)->histogram;
}

/* How many the samples up to an excess stand for. */
static double count_to(const struct syn_excess_histogram *list, double excess)
{
    double count = 0;
    for (uint32_t o = 0; o < list->count; o++)
        for (uint32_t m = 0; m < list->at[o].sample_count; m++)
            if ((double)list->at[o].sample[m].excess_ns <= excess)
                count += (double)list->at[o].count / list->at[o].sample_count;
    return count;
}

/* The least excess at which those up to it stand for half of all. */
static double middle_of(const struct syn_cause_sums *sums, uint32_t count)
{
    double best = NAN, all = 0;
    for (uint32_t i = 0; i < count; i++)
        all += count_to(histogram_of(sums, i), INFINITY);
    for (uint32_t i = 0; i < count; i++) {
        const struct syn_excess_histogram *list = histogram_of(sums, i);
        for (uint32_t o = 0; o < list->count; o++)
            for (uint32_t k = 0; k < list->at[o].sample_count; k++) {
                const double excess = (double)list->at[o].sample[k].excess_ns;
                double below = 0;
                for (uint32_t j = 0; j < count; j++)
                    below += count_to(histogram_of(sums, j), excess);
                if (below >= all / 2 && !(best <= excess))
                    best = excess;
            }
    }
    return best;
}

Test(causes_profile, samples_and_large_excesses_are_those_of_the_sums)
{
    static struct known_charges known;
    const struct syn_profile_plan plan = {.confidence = 0.95};
    const int32_t first[] = {0, 1};
    struct syn_profile profile;
    struct syn_estimate estimate;
    double waiting_ns;
    make_sums(&known);
    struct syn_causes causes = {.sums = known.sums,
                                .plan = {.location = known.location,
                                         .location_count = RANKS,
                                         .rank_count = RANKS,
                                         .first_location = known.first_location}};
    cr_assert_eq(syn_profile_begin(&causes, &profile), 0);
    for (int turn = 0; turn < 2; turn++) { /* what is left of one label does not reach the next */
        syn_profile_make(&profile, LABEL, SYN_CATEGORY_COMPUTING);
        syn_profile_choose(&profile, NULL, 0, false);
        cr_expect_eq(profile.others_mean, 2000);
        cr_expect_eq(profile.chosen_times, (10 + 10 + CHARGES) / 3.0);
        syn_profile_sampled(&profile, 0, &plan, &estimate);
        cr_expect_eq(estimate.median, middle_of(&causes.sums, RANKS), "%g", estimate.median);
        cr_expect_eq(syn_profile_large_times(&profile, 0, 13, &waiting_ns), 10);
        cr_expect_eq(waiting_ns, 2 * 90135);
        cr_expect_eq(syn_profile_large_times(&profile, 0, 14, &waiting_ns),
                     0); /* from 16384 ns on */
        cr_expect_eq(syn_profile_large_times(&profile, 2, 0, &waiting_ns), CHARGES);
        syn_profile_choose(&profile, first, 2, false);
        cr_expect_eq(profile.others_mean, 3000);
        syn_profile_sampled(&profile, 0, &plan, &estimate); /* each stands for itself */
        cr_expect_eq(estimate.median, middle_of(&causes.sums, 2), "%g", estimate.median);
        syn_profile_make(&profile, LABEL + 1, SYN_CATEGORY_MESSAGES);
    }
    syn_profile_free(&profile);
    syn_cause_sums_free(&known.sums);
}
