/* analyze/stats/values/ordered.c - computes ranks, quantiles and sums of an ordered sample, sorted
 * or counted. */
#include "analyze/stats/values/ordered.h"

#include <math.h>
#include <string.h>

/* Returns the first of the counted values with at least `rank` values up to it. */
static size_t find_count(const struct syn_ordered *sample, uint64_t rank)
{
    size_t low = 0, high = sample->count_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sample->count[middle].until < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double syn_ordered_at(const struct syn_ordered *sample, size_t rank)
{
    return sample->value ? sample->value[rank - 1]
                         : (double)sample->count[find_count(sample, rank)].value;
}

size_t syn_ordered_below(const struct syn_ordered *sample, double limit)
{
    size_t low = 0, high = sample->value ? sample->n : sample->count_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((sample->value ? sample->value[middle] : (double)sample->count[middle].value) < limit)
            low = middle + 1;
        else
            high = middle;
    }
    return sample->value || low == 0 ? low : sample->count[low - 1].until;
}

struct syn_quantile_place syn_place_quantile(size_t n, double p)
{
    /* R rounds the 1-based index and its fraction in this way. */
    const double index = 1 + (double)(n - 1) * p, below = floor(index);
    return (struct syn_quantile_place){(size_t)below, (size_t)ceil(index), index - below};
}

double syn_quantile_at(const struct syn_quantile_place *place, double low, double high)
{
    if (place->share <= 0 || low == high)
        return low;
    return (1 - place->share) * low + place->share * high;
}

double syn_ordered_quantile(const struct syn_ordered *sample, double p)
{
    if (sample->n == 0 || !(p >= 0 && p <= 1))
        return NAN;
    const struct syn_quantile_place place = syn_place_quantile(sample->n, p);
    return syn_quantile_at(&place, syn_ordered_at(sample, place.low),
                           syn_ordered_at(sample, place.high));
}

double syn_quantile_sorted(const double *x, size_t n, double p)
{
    const struct syn_ordered sample = syn_ordered_array(x, n);
    return syn_ordered_quantile(&sample, p);
}

double syn_median_of(const double *x, size_t n, double *scratch)
{
    memcpy(scratch, x, n * sizeof *x);
    syn_sort(scratch, n);
    return syn_quantile_sorted(scratch, n, 0.5);
}

/* Number of values below which the sum fits in 64 bits. */
#define SHORT ((size_t)1 << 17)

struct syn_exact_sums syn_ordered_sums(const struct syn_ordered *sample)
{
    struct syn_exact_sums sums = {0, 0};
    if (sample->n < SHORT) {
        unsigned __int128 squares = 0;
        uint64_t sum = 0, before = 0;
        for (size_t i = 0; i < sample->count_count; i++) {
            const uint64_t above = (uint64_t)(sample->count[i].value - sample->origin);
            const uint64_t weighted = above * (sample->count[i].until - before);
            before = sample->count[i].until;
            sum += weighted;
            squares += (unsigned __int128)above * weighted;
        }
        return (struct syn_exact_sums){(__int128)sum, (__int128)squares};
    }
    for (size_t i = 0; i < sample->count_count; i++) {
        __int128 above = sample->count[i].value - sample->origin;
        __int128 weighted = above * (__int128)syn_ordered_times(sample, i);
        sums.sum += weighted;
        sums.squares += above * weighted;
    }
    return sums;
}
