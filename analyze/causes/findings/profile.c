/* analyze/causes/findings/profile.c - the statistics of one category of one label. */
#include "analyze/causes/findings/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define SAMPLES_MOST 4096

/* ---- gathering ---- */

int syn_profile_begin(const struct syn_causes *causes, struct syn_profile *out)
{
    const size_t ranks = (size_t)causes->plan.rank_count, bins = causes->sums.bins.count;
    *out = (struct syn_profile){.causes = causes, .bin_count = (uint32_t)bins, .rank_count = ranks};
    const size_t of_ranks = 3 + SYN_PROFILE_SCRATCH + 3 * bins;
    out->waiting_ns = malloc((of_ranks * ranks + 3 * bins + 1) * sizeof *out->ns);
    out->chosen = calloc(ranks + 1, sizeof *out->chosen);
    if (!out->waiting_ns || !out->chosen)
        return SYN_ENOMEM;
    out->all_ns = out->waiting_ns + ranks;
    out->all_count = out->all_ns + ranks;
    out->scratch = out->all_count + ranks;
    out->ns = out->scratch + SYN_PROFILE_SCRATCH * ranks;
    out->count = out->ns + ranks * bins;
    out->waiting = out->count + ranks * bins;
    out->chosen_waiting = out->waiting + ranks * bins;
    out->chosen_count = out->chosen_waiting + bins;
    out->excess = out->chosen_count + bins;
    return 0;
}

void syn_profile_free(struct syn_profile *profile)
{
    free(profile->waiting_ns);
    free(profile->chosen);
    *profile = (struct syn_profile){0};
}

void syn_profile_gather_bins(struct syn_profile *profile)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const unsigned index = syn_category_index(profile->category);
    const bool own = profile->category == SYN_CATEGORY_COMPUTING;
    if (profile->has_bins)
        return;
    profile->has_bins = true;
    memset(profile->ns, 0, 3 * profile->rank_count * profile->bin_count * sizeof *profile->ns);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        const size_t first = (size_t)profile->causes->plan.location[i].rank * profile->bin_count;
        for (uint32_t b = 0; cell && b < profile->bin_count; b++) {
            const struct syn_bin_values bin = syn_bin_of_cell(sums, cell, b);
            profile->count[first + b] += (double)bin.count;
            profile->ns[first + b] += (double)bin.ns[index];
            profile->waiting[first + b] += (double)bin.waiting_ns[index];
            if (own) {
                profile->ns[first + b] += (double)bin.ns[SYN_CATEGORY_OFF_CPU];
                profile->waiting[first + b] += (double)bin.waiting_ns[SYN_CATEGORY_OFF_CPU];
            }
        }
    }
}

void syn_profile_make(struct syn_profile *profile, uint32_t label, enum syn_category category)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const unsigned index = syn_category_index(category);
    profile->label = label;
    profile->category = category;
    profile->has_bins = false;
    memset(profile->waiting_ns, 0, 3 * profile->rank_count * sizeof *profile->waiting_ns);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, label);
        const int32_t rank = profile->causes->plan.location[i].rank;
        if (!cell)
            continue;
        profile->all_ns[rank] += (double)cell->ns[index];
        profile->all_count[rank] += (double)cell->count;
        profile->waiting_ns[rank] += (double)cell->waiting_ns[index];
        if (category == SYN_CATEGORY_COMPUTING) {
            profile->all_ns[rank] += (double)cell->ns[SYN_CATEGORY_OFF_CPU];
            profile->waiting_ns[rank] += (double)cell->waiting_ns[SYN_CATEGORY_OFF_CPU];
        }
    }
}

/* ---- choosing ---- */

/* Returns the mean time per pass, in ns, of the chosen or the other ranks, or NAN if none of them
 * has passes. The values of rank r are ns[r * stride] and count[r * stride]. */
static double mean_of(const struct syn_profile *profile, const double *ns, const double *count,
                      size_t stride, bool chosen)
{
    double sum = 0, ranks = 0;
    for (size_t r = 0; r < profile->rank_count; r++)
        if (profile->chosen[r] == chosen && count[r * stride] > 0) {
            sum += ns[r * stride] / count[r * stride];
            ranks++;
        }
    return ranks > 0 ? sum / ranks : NAN;
}

static bool chooses_all(const struct syn_profile *profile)
{
    for (size_t r = 0; r < profile->rank_count; r++)
        if (!profile->chosen[r])
            return false;
    return true;
}

/* Returns a cell's time on the critical path. A profile of computing is one of own time, which
 * includes time off the processor. */
static double path_of(const struct syn_profile *profile, const struct syn_cause_cell *cell)
{
    const double ns =
        (double)syn_category_sums_of(cell, syn_category_index(profile->category))->path_ns;
    return profile->category == SYN_CATEGORY_COMPUTING
               ? ns + (double)syn_category_sums_of(cell, SYN_CATEGORY_OFF_CPU)->path_ns
               : ns;
}

void syn_profile_choose(struct syn_profile *profile, const int32_t *rank, size_t count,
                        bool leave_out)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    double times = 0, ranks = 0;
    for (size_t r = 0; r < profile->rank_count; r++)
        profile->chosen[r] = count == 0 || leave_out;
    for (size_t i = 0; i < count; i++)
        profile->chosen[rank[i]] = !leave_out;
    profile->leaves_out = leave_out;
    profile->chosen_waiting_ns = profile->chosen_bound_ns = profile->chosen_path_ns =
        profile->chosen_instances = profile->chosen_off_cpu_ns = 0;
    memset(profile->bucket_count, 0, sizeof profile->bucket_count);
    memset(profile->bucket_waiting, 0, sizeof profile->bucket_waiting);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        if (!cell || !profile->chosen[profile->causes->plan.location[i].rank])
            continue;
        const struct syn_category_sums *index =
            syn_category_sums_of(cell, syn_category_index(profile->category));
        profile->chosen_bound_ns += (double)index->bound_ns;
        profile->chosen_path_ns += path_of(profile, cell);
        if (profile->category == SYN_CATEGORY_COMPUTING)
            profile->chosen_off_cpu_ns += (double)cell->waiting_ns[SYN_CATEGORY_OFF_CPU];
        profile->chosen_instances += (double)index->instances;
        /* Adds the excesses of a chosen location. */
        const struct syn_excess_histogram *histogram = index->histogram;
        const struct syn_excess_bucket *at = histogram ? histogram->at : NULL;
        for (uint64_t left = histogram ? histogram->present : 0; left; left &= left - 1, at++) {
            profile->bucket_count[__builtin_ctzll(left)] += (double)at->count;
            profile->bucket_waiting[__builtin_ctzll(left)] += (double)at->waiting_ns;
        }
    }
    for (size_t r = 0; r < profile->rank_count; r++)
        if (profile->chosen[r]) {
            profile->chosen_waiting_ns += profile->waiting_ns[r];
            times += profile->all_count[r];
            ranks += profile->all_count[r] > 0;
        }
    profile->chosen_times = ranks > 0 ? times / ranks : 0;
    profile->others_mean =
        mean_of(profile, profile->all_ns, profile->all_count, 1, chooses_all(profile));
    profile->chosen_mean = mean_of(profile, profile->all_ns, profile->all_count, 1, true);
}

void syn_profile_choose_bins(struct syn_profile *profile)
{
    const uint32_t bins = profile->bin_count;
    const bool all = chooses_all(profile) || profile->leaves_out;
    syn_profile_gather_bins(profile);
    memset(profile->chosen_waiting, 0, 3 * bins * sizeof *profile->excess);
    for (size_t r = 0; r < profile->rank_count; r++)
        for (uint32_t b = 0; profile->chosen[r] && b < bins; b++) {
            profile->chosen_waiting[b] += profile->waiting[r * bins + b];
            profile->chosen_count[b] += profile->count[r * bins + b];
        }
    profile->bin_used = 0;
    for (uint32_t b = 0; b < bins; b++) {
        const double *ns = profile->ns + b, *count = profile->count + b;
        if (!all)
            profile->excess[b] =
                mean_of(profile, ns, count, bins, true) - mean_of(profile, ns, count, bins, false);
        else /* the waiting per pass */
            profile->excess[b] = profile->chosen_count[b] > 0
                                     ? profile->chosen_waiting[b] / profile->chosen_count[b]
                                     : NAN;
        profile->bin_used += isfinite(profile->excess[b]) != 0;
    }
}

/* ---- large excesses ---- */

int syn_profile_large(const struct syn_profile *profile, double share, double *times)
{
    double all = 0, sum = 0;
    *times = 0;
    for (int o = 0; o < SYN_EXCESS_BUCKETS; o++)
        all += profile->bucket_waiting[o];
    for (int o = SYN_EXCESS_BUCKETS; o-- > 0;) {
        sum += profile->bucket_waiting[o];
        *times += profile->bucket_count[o];
        if (profile->bucket_count[o] > 0 && sum >= share * all)
            return o;
    }
    return 0;
}

double syn_profile_large_times(const struct syn_profile *profile, int32_t rank, int bucket,
                               double *waiting_ns)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const uint32_t *location = &profile->causes->plan.first_location[rank];
    double times = 0;
    *waiting_ns = 0;
    for (uint32_t i = location[0]; i < location[1]; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        const struct syn_excess_histogram *histogram =
            cell ? syn_category_sums_of(cell, syn_category_index(profile->category))->histogram
                 : NULL;
        const struct syn_excess_bucket *at = histogram ? histogram->at : NULL;
        for (uint64_t left = histogram ? histogram->present : 0; left; left &= left - 1, at++)
            if (__builtin_ctzll(left) >= bucket) {
                times += (double)at->count;
                *waiting_ns += (double)at->waiting_ns;
            }
    }
    return times;
}

double syn_profile_waiting_bins(const struct syn_profile *profile, int32_t rank)
{
    double bins = 0;
    for (uint32_t b = 0; b < profile->bin_count; b++)
        bins += profile->waiting[(size_t)rank * profile->bin_count + b] > 0;
    return bins;
}

/* ---- estimates ---- */

struct syn_estimate syn_estimate_about(double value, double share)
{
    return (struct syn_estimate){value, fmax(0, value * (1 - share)), value * (1 + share)};
}

void syn_profile_excess(const struct syn_profile *profile, const struct syn_profile_plan *plan,
                        struct syn_estimate *out)
{
    double value[SYN_TIME_BINS_MOST], ordered[SYN_TIME_BINS_MOST];
    size_t n = 0, low, high;
    const double z = syn_two_sided_z(plan->confidence);
    for (uint32_t b = 0; b < profile->bin_count; b++)
        if (isfinite(profile->excess[b]))
            value[n++] = profile->excess[b];
    *out = (struct syn_estimate){NAN, NAN, NAN};
    if (n == 0)
        return;
    memcpy(ordered, value, n * sizeof *value);
    syn_sort(ordered, n);
    out->median = syn_quantile_sorted(ordered, n, 0.5);
    const double factor = fmax(1, syn_dependence_factor(value, n));
    if (syn_median_interval_ranks(n, z * sqrt(factor), &low, &high))
        return;
    out->low = ordered[low - 1];
    out->high = ordered[high - 1];
}

/* A sampled excess, and the number of excesses that it stands for. */
struct drawn {
    double excess, weight;
};

static int by_excess(const void *left, const void *right)
{
    const struct drawn *a = left, *b = right;
    if (a->excess != b->excess)
        return a->excess < b->excess ? -1 : 1;
    return a->weight < b->weight ? -1 : a->weight > b->weight;
}

/* Copies the samples of the chosen ranks in buckets from `first` upwards, at most SAMPLES_MOST.
 * Returns their number. */
static size_t draw_samples(const struct syn_profile *profile, int first, struct drawn *drawn)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    size_t n = 0;
    for (uint32_t i = 0; i < sums->location_count && n < SAMPLES_MOST; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        const struct syn_excess_histogram *histogram =
            cell ? syn_category_sums_of(cell, syn_category_index(profile->category))->histogram
                 : NULL;
        if (!histogram || !profile->chosen[profile->causes->plan.location[i].rank])
            continue;
        const struct syn_excess_bucket *at = histogram->at;
        for (uint64_t left = histogram->present; left; left &= left - 1, at++)
            for (uint32_t k = 0;
                 __builtin_ctzll(left) >= first && k < at->sample_count && n < SAMPLES_MOST; k++)
                drawn[n++] = (struct drawn){(double)at->sample[k].excess_ns,
                                            (double)at->count / at->sample_count};
    }
    return n;
}

static double weighted_quantile(const struct drawn *drawn, size_t n, double weight, double share)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += drawn[i].weight;
        if (sum >= share * weight)
            return drawn[i].excess;
    }
    return drawn[n - 1].excess;
}

void syn_profile_sampled(const struct syn_profile *profile, int bucket,
                         const struct syn_profile_plan *plan, struct syn_estimate *out)
{
    SYN_FREED struct drawn *drawn = malloc(SAMPLES_MOST * sizeof *drawn);
    *out = (struct syn_estimate){NAN, NAN, NAN};
    const size_t n = drawn ? draw_samples(profile, bucket, drawn) : 0;
    double weight = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        weight += drawn[i].weight;
        squares += drawn[i].weight * drawn[i].weight;
    }
    if (n > 0) {
        qsort(drawn, n, sizeof *drawn, by_excess);
        out->median = weighted_quantile(drawn, n, weight, 0.5);
        /* effective number of equally weighted values (Kish) */
        const double effective = weight * weight / squares;
        const double half = syn_two_sided_z(plan->confidence) / (2 * sqrt(effective));
        if (effective >= 6 && half < 0.5) {
            out->low = weighted_quantile(drawn, n, weight, 0.5 - half);
            out->high = weighted_quantile(drawn, n, weight, 0.5 + half);
        }
    }
}

/* The gain is the label's time on the path over all ranks less the mean of the ranks' time, times
 * the chosen ranks' share of the waiting. */
double syn_profile_gain(const struct syn_profile *profile)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    double path = 0, ns = 0, ranks = 0, waiting_ns = 0;
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        path += cell ? path_of(profile, cell) : 0;
    }
    for (size_t r = 0; r < profile->rank_count; r++) {
        const uint32_t *first = &profile->causes->plan.first_location[r];
        ns += profile->all_ns[r];
        ranks += first[1] > first[0];
        waiting_ns += profile->waiting_ns[r];
    }
    const double imbalance = ranks > 0 ? fmax(0, path - ns / ranks) : 0;
    return waiting_ns > 0 ? imbalance * profile->chosen_waiting_ns / waiting_ns : 0;
}

void syn_profile_gain_interval(const struct syn_profile *profile,
                               const struct syn_profile_plan *plan, double gain,
                               struct syn_estimate *out)
{
    const double n = profile->bin_count, mean = profile->chosen_waiting_ns / n;
    double squares = 0;
    for (uint32_t b = 0; b < profile->bin_count; b++)
        squares += (profile->chosen_waiting[b] - mean) * (profile->chosen_waiting[b] - mean);
    *out = (struct syn_estimate){gain, NAN, NAN};
    if (n >= 6 && mean > 0)
        *out = syn_estimate_about(gain, syn_two_sided_z(plan->confidence) *
                                            sqrt(squares / (n - 1) / n) / mean);
}

/* ---- trend ---- */

void syn_profile_trend(const struct syn_profile *profile, double most_p, struct syn_trend *out)
{
    double x[SYN_TIME_BINS_MOST], y[SYN_TIME_BINS_MOST], beside[SYN_TIME_BINS_MOST];
    double slope[SYN_TIME_BINS_MOST * (SYN_TIME_BINS_MOST - 1) / 2];
    size_t n = 0, pairs = 0;
    int64_t ups = 0; /* Kendall's S: number of rising pairs less that of falling pairs */
    *out = (struct syn_trend){NAN, NAN, NAN};
    for (uint32_t b = 0; b < profile->bin_count; b++)
        if (isfinite(profile->excess[b])) {
            x[n] = b;
            y[n++] = profile->excess[b];
        }
    if (n < 8)
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            ups += (y[j] > y[i]) - (y[j] < y[i]);
    const double variance = (double)n * ((double)n - 1) * (2 * (double)n + 5) / 18;
    double z = (fabs((double)ups) - 1) / sqrt(variance);
    out->p = z > 0 ? syn_chi_square_p(z * z, 1) : 1;
    if (!(out->p < most_p))
        return;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            slope[pairs++] = (y[j] - y[i]) / (x[j] - x[i]);
    syn_sort(slope, pairs);
    const double middle = syn_quantile_sorted(slope, pairs, 0.5);
    /* Dependence of the residuals on one another reduces what the bins tell of the trend, to that
     * of four independent ones at most: residuals of a smooth curve all depend on one another. */
    for (size_t i = 0; i < n; i++)
        beside[i] = y[i] - middle * x[i];
    z /= sqrt(fmax(1, fmin(syn_dependence_factor(beside, n), (double)n / 4)));
    out->p = z > 0 ? syn_chi_square_p(z * z, 1) : 1;
    if (!(out->p < most_p))
        return;
    out->change = middle * (x[n - 1] - x[0]);
    syn_sort(y, n);
    out->middle = syn_quantile_sorted(y, n, 0.5);
}
