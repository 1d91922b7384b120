/* analyze/causes/findings/profile.c - the statistics of one part of one label. */
#include "analyze/causes/findings/profile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/stats.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define SAMPLES_MOST 4096
#define FEW_SAMPLES  1024

const struct syn_cause_cell *syn_profile_cell(const struct syn_cause_sums *sums, uint32_t location,
                                              uint32_t label)
{
    const uint32_t number = syn_cause_number_of(sums, location, label);
    return number ? syn_cause_cell_at(sums, number) : NULL;
}

/* ---- gathering ---- */

int syn_profile_begin(const struct syn_causes *causes, struct syn_profile *out)
{
    const size_t ranks = (size_t)causes->plan.rank_count, bins = causes->sums.bins.count;
    const size_t locations = causes->sums.location_count;
    *out = (struct syn_profile){.causes = causes, .bin_count = (uint32_t)bins, .rank_count = ranks};
    out->sum_count = 3 * ranks + locations;
    out->waiting_ns = malloc((out->sum_count + 3 * ranks * bins + 3 * bins + 1) * sizeof *out->ns);
    out->chosen = calloc(ranks + 1, sizeof *out->chosen);
    out->first_held = malloc((locations + 1) * sizeof *out->first_held);
    if (!out->waiting_ns || !out->chosen || !out->first_held)
        return SYN_ENOMEM;
    out->all_ns = out->waiting_ns + ranks;
    out->all_count = out->all_ns + ranks;
    out->off_cpu_ns = out->all_count + ranks;
    out->ns = out->off_cpu_ns + locations;
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
    free(profile->first_held);
    free(profile->held);
    *profile = (struct syn_profile){0};
}

/* Sums of a rank, and a cell's additions over all bins. */
struct gathering {
    double *ns, *count, *waiting; /* [bin_count] */
    double waiting_ns, off_cpu_ns;
};

static inline void add_bin(struct gathering *to, uint32_t b, const struct syn_bin_values *bin,
                           unsigned slot, bool own)
{
    const double waiting_ns = (double)bin->waiting_ns[slot];
    to->count[b] += (double)bin->count;
    to->ns[b] += (double)bin->ns[slot];
    to->waiting[b] += waiting_ns;
    to->waiting_ns += waiting_ns;
    if (own && (bin->ns[SYN_PART_OFF_CPU] || bin->waiting_ns[SYN_PART_OFF_CPU])) {
        to->ns[b] += (double)bin->ns[SYN_PART_OFF_CPU];
        to->waiting[b] += (double)bin->waiting_ns[SYN_PART_OFF_CPU];
        to->off_cpu_ns += (double)bin->waiting_ns[SYN_PART_OFF_CPU];
    }
}

/* slot and own are known where it is called: hardly anything is left of reading a small bin. */
static inline void gather_bins(const struct syn_packed_bin *packed, unsigned place,
                               uint32_t bin_count, unsigned slot, bool own, struct gathering *out)
{
    struct gathering to = *out;
    for (uint32_t b = 0; b < bin_count; b++) {
        if (packed[b].small) {
            const struct syn_bin_values bin = syn_small_read(&packed[b].small[place]);
            add_bin(&to, b, &bin, slot, own);
        } else if (packed[b].large)
            add_bin(&to, b, &packed[b].large[place], slot, own);
    }
    *out = to;
}

static struct gathering gather_cell(struct syn_profile *profile, int32_t rank,
                                    const struct syn_cause_cell *cell)
{
    const struct syn_packed_bin *packed =
        syn_packed_bin_at(&profile->causes->sums, cell->number, 0);
    const unsigned place = cell->number % SYN_BLOCK_CELLS;
    const uint32_t count = profile->bin_count;
    const size_t first = (size_t)rank * count;
    struct gathering to = {&profile->ns[first], &profile->count[first], &profile->waiting[first], 0,
                           0};
    if (profile->part == SYN_PART_COMPUTING)
        gather_bins(packed, place, count, SYN_PART_COMPUTING, true, &to);
    else if (profile->part == SYN_PART_MESSAGES)
        gather_bins(packed, place, count, SYN_PART_MESSAGES, false, &to);
    else
        gather_bins(packed, place, count, syn_part_slot(SYN_PART_OPERATION), false, &to);
    return to;
}

static void add_up_ranks(struct syn_profile *profile)
{
    for (size_t r = 0; r < profile->rank_count; r++) {
        const double *of_ns = &profile->ns[r * profile->bin_count];
        const double *of_count = &profile->count[r * profile->bin_count];
        double ns = 0, count = 0;
        for (uint32_t b = 0; b < profile->bin_count; b++) {
            ns += of_ns[b];
            count += of_count[b];
        }
        profile->all_ns[r] = ns;
        profile->all_count[r] = count;
    }
}

static void clear_sums(struct syn_profile *profile)
{
    memset(profile->waiting_ns, 0, profile->sum_count * sizeof *profile->waiting_ns);
}

void syn_profile_gather_bins(struct syn_profile *profile)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const size_t square = profile->rank_count * profile->bin_count;
    if (profile->has_bins)
        return;
    profile->has_bins = true;
    memset(profile->ns, 0, 3 * square * sizeof *profile->ns);
    if (profile->is_large)
        clear_sums(profile);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        const int32_t rank = profile->causes->plan.location[i].rank;
        if (!cell)
            continue;
        const struct gathering cells = gather_cell(profile, rank, cell);
        if (!profile->is_large)
            continue;
        profile->waiting_ns[rank] += cells.waiting_ns;
        profile->waiting_ns[rank] += cells.off_cpu_ns;
        profile->off_cpu_ns[i] = cells.off_cpu_ns;
    }
    if (profile->is_large)
        add_up_ranks(profile);
}

/* Sums of whole numbers below this are the same in any order. */
#define EXACT_BELOW 9007199254740992.0 /* 2^53 */

/* Adds a cell's sums of all bins. Returns the largest of them: NAN if one is negative, whose
 * parts may be larger than the whole. */
static double add_cell(struct syn_profile *profile, uint32_t location,
                       const struct syn_cause_cell *cell)
{
    const unsigned slot = syn_part_slot(profile->part);
    const bool own = profile->part == SYN_PART_COMPUTING;
    const int32_t rank = profile->causes->plan.location[location].rank;
    const int64_t ns = cell->ns[slot], waiting_ns = cell->waiting_ns[slot];
    const int64_t off_ns = own ? cell->ns[SYN_PART_OFF_CPU] : 0;
    const int64_t off_waiting_ns = own ? cell->waiting_ns[SYN_PART_OFF_CPU] : 0;
    profile->all_ns[rank] += (double)ns + (double)off_ns;
    profile->all_count[rank] += (double)cell->count;
    profile->waiting_ns[rank] += (double)waiting_ns + (double)off_waiting_ns;
    profile->off_cpu_ns[location] = (double)off_waiting_ns;
    return (ns | off_ns | waiting_ns | off_waiting_ns) < 0
               ? NAN
               : (double)ns + (double)off_ns + (double)waiting_ns + (double)off_waiting_ns;
}

/* Holds the histogram of a cell that have excesses. 0 or SYN_ENOMEM. */
static int hold_histogram(struct syn_profile *profile, const struct syn_excess_histogram *histogram)
{
    struct syn_histogram_sums sums;
    if (!histogram)
        return 0;
    syn_excess_histogram_sum(histogram, &sums);
    for (uint64_t left = sums.present; left; left &= left - 1) {
        const unsigned bucket = (unsigned)__builtin_ctzll(left);
        if (SYN_ROOM(profile->held, profile->held_capacity, profile->held_count) != SYN_OK)
            return SYN_ENOMEM;
        profile->held[profile->held_count++] = (struct syn_profile_bucket){
            (double)sums.count[bucket], (double)sums.waiting_ns[bucket], bucket};
    }
    return 0;
}

/* Locations whose lines are read side by side. With very many labels, lines of few excesses are not
 * in the cache, and each says where the one before it is. */
#define LOCATIONS_AHEAD 16
static void fetch_few(const struct syn_cause_sums *sums, uint32_t first, uint32_t label,
                      unsigned slot)
{
    const uint32_t end = syn_least(sums->location_count, first + LOCATIONS_AHEAD);
    const struct syn_few_excesses *line[LOCATIONS_AHEAD];
    unsigned count = 0;
    for (uint32_t i = first; i < end; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, label);
        if (cell && syn_cause_slot_of(cell, slot)->histogram)
            line[count++] = syn_few_of(syn_cause_slot_of(cell, slot)->histogram);
    }
    while (count > 0) {
        unsigned left = 0;
        for (unsigned k = 0; k < count; k++) {
            const struct syn_few_excesses *before =
                line[k]->histogram.few_count > 0 ? line[k]->before : NULL;
            SYN_FETCH(before);
            line[left] = before;
            left += before != NULL;
        }
        count = left;
    }
}

int syn_profile_make(struct syn_profile *profile, uint32_t label, enum syn_part part)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    double all_ns = 0;
    int status = 0;
    profile->label = label;
    profile->part = part;
    profile->held_count = 0;
    profile->has_bins = false;
    clear_sums(profile);
    for (uint32_t i = 0; i < sums->location_count && status == SYN_OK; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, label);
        profile->first_held[i] = profile->held_count;
        if (i % LOCATIONS_AHEAD == 0)
            fetch_few(sums, i, label, syn_part_slot(part));
        if (!cell)
            continue;
        all_ns += add_cell(profile, i, cell);
        status = hold_histogram(profile, syn_cause_slot_of(cell, syn_part_slot(part))->histogram);
    }
    profile->first_held[sums->location_count] = profile->held_count;
    profile->is_large = !(all_ns < EXACT_BELOW);
    if (profile->is_large)
        syn_profile_gather_bins(profile);
    return status;
}

/* ---- choosing ---- */

/* ns a time of the chosen or the other ranks, that have ns and count each `stride` behind the one
 * before; NAN: none was there. */
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

static double mean_in(const struct syn_profile *profile, uint32_t b, bool chosen)
{
    return mean_of(profile, profile->ns + b, profile->count + b, profile->bin_count, chosen);
}

static bool chooses_all(const struct syn_profile *profile)
{
    for (size_t r = 0; r < profile->rank_count; r++)
        if (!profile->chosen[r])
            return false;
    return true;
}

/* Returns how much longer the chosen take than the others a time, in a bin; if all are chosen,
 * the waiting a time. */
static double excess_in(const struct syn_profile *profile, uint32_t b, bool all)
{
    if (!all)
        return mean_in(profile, b, true) - mean_in(profile, b, false);
    return profile->chosen_count[b] > 0 ? profile->chosen_waiting[b] / profile->chosen_count[b]
                                        : NAN;
}

static double path_of(const struct syn_profile *profile, const struct syn_cause_cell *cell)
{
    double ns = 0;
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT; slot++)
        ns += syn_profile_has_slot(profile, slot) ? (double)syn_cause_slot_of(cell, slot)->path_ns
                                                  : 0;
    return ns;
}

static void choose_buckets(struct syn_profile *profile, uint32_t location)
{
    const size_t end = profile->first_held[location + 1];
    for (size_t i = profile->first_held[location]; i < end; i++) {
        const struct syn_profile_bucket *held = &profile->held[i];
        profile->histogram |= UINT64_C(1) << held->bucket;
        profile->bucket_count[held->bucket] += held->count;
        profile->bucket_waiting[held->bucket] += held->waiting_ns;
    }
}

static void choose_cells(struct syn_profile *profile)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const unsigned slot = syn_part_slot(profile->part);
    profile->histogram = 0;
    memset(profile->bucket_count, 0, sizeof profile->bucket_count);
    memset(profile->bucket_waiting, 0, sizeof profile->bucket_waiting);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        if (!cell || !profile->chosen[profile->causes->plan.location[i].rank])
            continue;
        profile->chosen_bound_ns += (double)syn_cause_slot_of(cell, slot)->bound_ns;
        profile->chosen_path_ns += path_of(profile, cell);
        profile->chosen_off_cpu_ns += profile->off_cpu_ns[i];
        profile->chosen_instances += (double)syn_cause_slot_of(cell, slot)->instances;
        choose_buckets(profile, i);
    }
}

static void add_row(double *restrict to, const double *restrict added, uint32_t count)
{
    for (uint32_t b = 0; b < count; b++)
        to[b] += added[b];
}

/* A sum of all bins goes on with what there was before: beyond whole numbers it is one of single
 * bins. */
static double add_waiting(const struct syn_profile *profile, size_t rank, double waiting_ns)
{
    if (!profile->is_large)
        return waiting_ns + profile->waiting_ns[rank];
    for (uint32_t b = 0; b < profile->bin_count; b++)
        waiting_ns += profile->waiting[rank * profile->bin_count + b];
    return waiting_ns;
}

static void choose_ranks(struct syn_profile *profile)
{
    double times = 0, ranks = 0, waiting_ns = 0;
    for (size_t r = 0; r < profile->rank_count; r++) {
        if (!profile->chosen[r])
            continue;
        waiting_ns = add_waiting(profile, r, waiting_ns);
        times += profile->all_count[r];
        ranks += profile->all_count[r] > 0;
    }
    profile->chosen_waiting_ns = waiting_ns;
    profile->chosen_times = ranks > 0 ? times / ranks : 0;
}

void syn_profile_choose(struct syn_profile *profile, const int32_t *rank, size_t count,
                        bool leave_out)
{
    for (size_t r = 0; r < profile->rank_count; r++)
        profile->chosen[r] = count == 0 || leave_out;
    for (size_t i = 0; i < count; i++)
        profile->chosen[rank[i]] = !leave_out;
    profile->leaves_out = leave_out;
    profile->chosen_waiting_ns = profile->chosen_bound_ns = profile->chosen_path_ns =
        profile->chosen_instances = profile->chosen_off_cpu_ns = 0;
    choose_cells(profile);
    choose_ranks(profile);
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
        if (profile->chosen[r]) {
            add_row(profile->chosen_waiting, &profile->waiting[r * bins], bins);
            add_row(profile->chosen_count, &profile->count[r * bins], bins);
        }
    profile->bin_used = 0;
    for (uint32_t b = 0; b < bins; b++) {
        profile->excess[b] = excess_in(profile, b, all);
        profile->bin_used += isfinite(profile->excess[b]) != 0;
    }
}

/* ---- large excesses ---- */

int syn_profile_large(const struct syn_profile *profile, double share, double *times)
{
    double all = 0, sum = 0;
    *times = 0;
    for (uint64_t left = profile->histogram; left; left &= left - 1)
        all += profile->bucket_waiting[__builtin_ctzll(left)];
    for (uint64_t left = profile->histogram; left;) {
        const int bucket = 63 - __builtin_clzll(left);
        left ^= UINT64_C(1) << bucket;
        sum += profile->bucket_waiting[bucket];
        *times += profile->bucket_count[bucket];
        if (sum >= share * all)
            return bucket;
    }
    return 0;
}

double syn_profile_large_times(const struct syn_profile *profile, int32_t rank, int bucket,
                               double *waiting_ns)
{
    const uint32_t *location = &profile->causes->plan.first_location[rank];
    const size_t end = profile->first_held[location[1]];
    double times = 0;
    *waiting_ns = 0;
    for (size_t i = profile->first_held[location[0]]; i < end; i++) {
        if (profile->held[i].bucket < (unsigned)bucket)
            continue;
        times += profile->held[i].count;
        *waiting_ns += profile->held[i].waiting_ns;
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

static void no_interval(struct syn_estimate *out, double median)
{
    *out = (struct syn_estimate){median, NAN, NAN};
}

void syn_profile_excess(const struct syn_profile *profile, const struct syn_profile_plan *plan,
                        struct syn_estimate *out)
{
    double value[64];
    size_t n = 0, low, high;
    const double z = syn_two_sided_z(plan->confidence);
    for (uint32_t b = 0; b < profile->bin_count; b++)
        if (isfinite(profile->excess[b]))
            value[n++] = profile->excess[b];
    no_interval(out, NAN);
    if (n == 0)
        return;
    double ordered[64];
    memcpy(ordered, value, sizeof ordered);
    syn_sort(ordered, n);
    no_interval(out, syn_quantile_sorted(ordered, n, 0.5));
    const double factor = fmax(1, syn_dependence_factor(value, n));
    if (syn_median_interval_ranks(n, z * sqrt(factor), &low, &high))
        return;
    out->low = ordered[low - 1];
    out->high = ordered[high - 1];
}

/* An excess that was drawn, and how many it stands for. */
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

/* Appends the excesses of a cell from a bucket on to the n that are there. Returns their new
 * number. */
static size_t draw_of_cell(struct syn_excess_histogram *histogram, unsigned first,
                           struct drawn *drawn, size_t n)
{
    struct syn_histogram_list list;
    syn_excess_histogram_list(histogram, &list);
    for (uint32_t i = 0; i < list.count; i++) {
        const struct syn_excess_bucket *bucket = &list.at[i];
        if (list.bucket[i] < first)
            continue;
        for (uint32_t k = 0; k < bucket->sample_count && n < SAMPLES_MOST; k++)
            drawn[n++] = (struct drawn){(double)bucket->sample[k].excess_ns,
                                        (double)bucket->count / bucket->sample_count};
    }
    return n;
}

static size_t draw_samples(const struct syn_profile *profile, int first, struct drawn *drawn)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    const unsigned slot = syn_part_slot(profile->part);
    size_t n = 0;
    for (uint32_t i = 0; i < sums->location_count && n < SAMPLES_MOST; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        if (cell && profile->chosen[profile->causes->plan.location[i].rank])
            n = draw_of_cell(syn_cause_slot_of(cell, slot)->histogram, (unsigned)first, drawn, n);
    }
    return n;
}

/* By excess, then by weight. Where each stands for itself, which is nearly always so of labels that
 * are few, the excesses are sorted alone. */
static void sort_drawn(struct drawn *drawn, size_t n)
{
    double excess[FEW_SAMPLES];
    bool alike = n <= FEW_SAMPLES;
    for (size_t i = 0; i < n && alike; i++) {
        alike = drawn[i].weight == drawn[0].weight;
        excess[i] = drawn[i].excess;
    }
    if (!alike) {
        qsort(drawn, n, sizeof *drawn, by_excess);
        return;
    }
    syn_sort(excess, n);
    for (size_t i = 0; i < n; i++)
        drawn[i].excess = excess[i];
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
    struct drawn *drawn = malloc(SAMPLES_MOST * sizeof *drawn);
    no_interval(out, NAN);
    const size_t n = drawn ? draw_samples(profile, bucket, drawn) : 0;
    double weight = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        weight += drawn[i].weight;
        squares += drawn[i].weight * drawn[i].weight;
    }
    if (n > 0) {
        sort_drawn(drawn, n);
        no_interval(out, weighted_quantile(drawn, n, weight, 0.5));
        /* Kish's number of equally weighted values that say as much */
        const double effective = weight * weight / squares;
        const double half = syn_two_sided_z(plan->confidence) / (2 * sqrt(effective));
        if (effective >= 6 && half < 0.5) {
            out->low = weighted_quantile(drawn, n, weight, 0.5 - half);
            out->high = weighted_quantile(drawn, n, weight, 0.5 + half);
        }
    }
    free(drawn);
}

/* The path's time of the label's part on all ranks, and the mean of the ranks' time. */
static double imbalance_on_path(const struct syn_profile *profile)
{
    const struct syn_cause_sums *sums = &profile->causes->sums;
    double path = 0, ns = 0, ranks = 0;
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_profile_cell(sums, i, profile->label);
        path += cell ? path_of(profile, cell) : 0;
    }
    for (size_t r = 0; r < profile->rank_count; r++) {
        const uint32_t *first = &profile->causes->plan.first_location[r];
        for (uint32_t b = 0; profile->is_large && b < profile->bin_count; b++)
            ns += profile->ns[r * profile->bin_count + b];
        ns += profile->is_large ? 0 : profile->all_ns[r];
        ranks += first[1] > first[0];
    }
    return ranks > 0 ? fmax(0, path - ns / ranks) : 0;
}

double syn_profile_gain(const struct syn_profile *profile)
{
    double all = 0;
    for (size_t r = 0; r < profile->rank_count; r++)
        all += profile->waiting_ns[r];
    return all > 0 ? imbalance_on_path(profile) * profile->chosen_waiting_ns / all : 0;
}

void syn_profile_gain_interval(const struct syn_profile *profile,
                               const struct syn_profile_plan *plan, double gain,
                               struct syn_estimate *out)
{
    const double n = profile->bin_count, mean = profile->chosen_waiting_ns / n;
    double squares = 0;
    for (uint32_t b = 0; b < profile->bin_count; b++)
        squares += (profile->chosen_waiting[b] - mean) * (profile->chosen_waiting[b] - mean);
    no_interval(out, gain);
    if (n < 6 || !(mean > 0))
        return;
    const double relative = syn_two_sided_z(plan->confidence) * sqrt(squares / (n - 1) / n) / mean;
    out->low = fmax(0, gain * (1 - relative));
    out->high = gain * (1 + relative);
}

/* ---- trend ---- */

/* The value of a rank (from 0) among x [n], which is reordered: those before it are no larger,
 * those behind it no smaller. C. A. R. Hoare, Find, CACM 4 (1961) 321. */
static double select_rank(double *x, size_t n, size_t rank)
{
    size_t low = 0, high = n - 1;
    while (low < high) {
        const double pivot = x[low + (high - low) / 2];
        size_t i = low, j = high;
        for (;; i++, j--) {
            while (x[i] < pivot)
                i++;
            while (x[j] > pivot)
                j--;
            if (i >= j)
                break;
            const double moved = x[i];
            x[i] = x[j];
            x[j] = moved;
        }
        if (rank <= j)
            high = j;
        else
            low = j + 1;
    }
    return x[rank];
}

/* As syn_quantile_sorted has it; x [n] is reordered. */
static double median_of(double *x, size_t n)
{
    const double low = select_rank(x, n, (n - 1) / 2);
    const double two[2] = {low, n % 2 ? low : select_rank(x, n, n / 2)};
    return syn_quantile_sorted(two, 2, 0.5);
}

/* Number of values compared with one at once. */
#define AT_ONCE 2
typedef double numbers __attribute__((vector_size(AT_ONCE * sizeof(double))));
typedef int64_t answers __attribute__((vector_size(AT_ONCE * sizeof(int64_t))));

/* Returns Kendall's S: the pairs that go up less those that go down. Behind y [n] there are AT_ONCE
 * NANs, which are neither above nor below. */
static double ups_less_downs(const double *y, size_t n)
{
    answers ups = {0}, downs = {0}; /* less than 0: true is -1 */
    for (size_t i = 0; i < n; i++) {
        const numbers own = {y[i], y[i]};
        for (size_t j = i + 1; j < n; j += AT_ONCE) {
            numbers other;
            memcpy(&other, y + j, sizeof other);
            ups += other > own;
            downs += other < own;
        }
    }
    return (double)(downs[0] + downs[1] - ups[0] - ups[1]);
}

/* The median of all pairs' slopes, n <= 64. */
static double median_slope(const double *x, const double *y, size_t n)
{
    double slope[SYN_TIME_BINS_MOST * (SYN_TIME_BINS_MOST - 1) / 2];
    size_t count = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            slope[count++] = (y[j] - y[i]) / (x[j] - x[i]);
    return median_of(slope, count);
}

void syn_profile_trend(const struct syn_profile *profile, double most_p, struct syn_trend *out)
{
    double x[SYN_TIME_BINS_MOST], y[SYN_TIME_BINS_MOST + AT_ONCE];
    size_t n = 0;
    *out = (struct syn_trend){NAN, NAN, NAN};
    for (uint32_t b = 0; b < profile->bin_count; b++)
        if (isfinite(profile->excess[b])) {
            x[n] = b;
            y[n++] = profile->excess[b];
        }
    if (n < 8)
        return;
    for (size_t k = 0; k < AT_ONCE; k++)
        y[n + k] = NAN;
    const double variance = (double)n * ((double)n - 1) * (2 * (double)n + 5) / 18;
    const double z = (fabs(ups_less_downs(y, n)) - 1) / sqrt(variance);
    out->p = z > 0 ? syn_chi_square_p(z * z, 1) : 1;
    if (!(out->p < most_p))
        return;
    out->change = median_slope(x, y, n) * (x[n - 1] - x[0]);
    syn_sort(y, n);
    out->middle = syn_quantile_sorted(y, n, 0.5);
}
