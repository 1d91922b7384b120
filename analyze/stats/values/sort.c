/* analyze/stats/values/sort.c - sorts columns of doubles, and their indices.
 *
 * Sorting columns is the most expensive step of a report: up to 10^7 values of one call site, or a
 * few hundred of each of 10^4 call sites. Durations are whole nanoseconds, and the longest of a
 * column is less than 2^32 above the shortest. Such columns are sorted by their differences from
 * the least value, by a least-significant-digit radix sort, usually of two passes. In other columns
 * of RADIX_MIN elements or more, the bits of the IEEE numbers are sorted in the same way, in at
 * most six passes. Shorter ones are merged, from runs that are sorted by insertion. Long columns of
 * whole numbers in a small range are counted. All of these are stable, so the indices of ties stay
 * in the order of time. The C library sorts the indices of other short columns, and long columns if
 * there is no memory for a second buffer. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

#define RADIX_MIN   512
#define INSERT_MAX  24
#define DIGIT_BITS  11
#define DIGIT_COUNT 6
#define BUCKETS     (1u << DIGIT_BITS)

struct radix {
    size_t n;
    uint64_t *key, *key_next;   /* [n] */
    size_t *index, *index_next; /* [n], or both NULL */
    size_t count[DIGIT_COUNT][BUCKETS];
};

static unsigned digit_of(uint64_t key, int digit)
{
    return (unsigned)(key >> (digit * DIGIT_BITS)) & (BUCKETS - 1);
}

static void radix_run(struct radix *r)
{
    memset(r->count, 0, sizeof r->count);
    for (size_t i = 0; i < r->n; i++)
        for (int d = 0; d < DIGIT_COUNT; d++)
            r->count[d][digit_of(r->key[i], d)]++;
    for (int d = 0; d < DIGIT_COUNT; d++) {
        if (r->count[d][digit_of(r->key[0], d)] == r->n)
            continue; /* all keys agree in this digit */
        size_t *next = r->count[d];
        size_t at = 0;
        for (unsigned b = 0; b < BUCKETS; b++) {
            size_t count = next[b];
            next[b] = at;
            at += count;
        }
        for (size_t i = 0; i < r->n; i++) {
            size_t to = next[digit_of(r->key[i], d)]++;
            r->key_next[to] = r->key[i];
            if (r->index)
                r->index_next[to] = r->index[i];
        }
        uint64_t *key = r->key;
        size_t *index = r->index;
        r->key = r->key_next;
        r->key_next = key;
        r->index = r->index_next;
        r->index_next = index;
    }
}

/* ---- whole numbers ---- */

#define WIDE_BITS 11
/* Number of values that are sorted without malloc. */
#define ON_STACK 1024

/* Differences of values from the least value, in units. In an item, the difference starts at bit
 * `low` and is below 2^bits. */
struct differences {
    size_t n;
    double least, unit;
    unsigned low, bits;
    uint64_t *item, *next; /* [n] */
};

static uint64_t bits_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

/* Returns the least value. LANES comparisons run in parallel, because each waits for the previous
 * one of its lane. */
#define LANES 4
static double least_of(const double *x, size_t n)
{
    double least[LANES] = {x[0], x[0], x[0], x[0]};
    size_t i = 0;
    for (; i + LANES <= n; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            least[k] = x[i + k] < least[k] ? x[i + k] : least[k];
    for (; i < n; i++)
        least[0] = x[i] < least[0] ? x[i] : least[0];
    for (size_t k = 1; k < LANES; k++)
        least[0] = least[k] < least[0] ? least[k] : least[0];
    return least[0];
}

/* Number of values between two checks whether all are whole. */
#define AT_ONCE 512
/* In a double of this size the lowest binary digit is 1: a number that is added to it is rounded to
 * a whole number, which is then in the lower bits of the sum. */
#define WHOLE 0x1p52

/* Returns a whole number below 2^52 as a double, faster than a conversion that handles the sign. */
static double number_of(uint64_t whole)
{
    const uint64_t bits = whole ^ bits_of(WHOLE);
    double above;
    memcpy(&above, &bits, sizeof above);
    return above - WHOLE;
}

/* Writes each value's difference from the least, in units, to d->item, from bit d->low on (the bits
 * below have room for an index). Returns false unless all are whole numbers below 2^32 that yield
 * the values again, bit by bit (so not for NAN or -0). Values are not checked one by one, because
 * most columns are whole. */
static bool take_differences(const double *x, struct differences *d)
{
    const double units = 1 / d->unit, unit = d->unit, least = d->least;
    const unsigned low = d->low;
    uint64_t any = 0, wrong = 0;
    for (size_t first = 0; first < d->n && !wrong; first += AT_ONCE) {
        const size_t count = syn_least(d->n - first, AT_ONCE);
        const double *from = x + first;
        uint64_t *to = d->item + first;
        for (size_t i = 0; i < count; i++) {
            const double above = (from[i] - least) * units + WHOLE;
            const uint64_t whole = bits_of(above) ^ bits_of(WHOLE);
            const double back = least + (above - WHOLE) * unit;
            wrong |= whole >> 32 | (bits_of(back) ^ bits_of(from[i]));
            to[i] = whole << low;
            any |= whole;
        }
    }
    d->bits = any ? 64 - (unsigned)__builtin_clzll(any) : 0;
    return !wrong;
}

/* Writes the differences in units or, if they are not whole, in halves: values less the median of
 * an even number of ranks have halves. */
static bool take_units_or_halves(const double *x, struct differences *d)
{
    if (!d->item)
        return false;
    d->least = least_of(x, d->n);
    d->unit = 1;
    if (take_differences(x, d))
        return true;
    d->unit = 0.5;
    return take_differences(x, d);
}

static void scatter_differences(struct differences *d, unsigned shift, unsigned digit_bits)
{
    uint32_t start[1u << WIDE_BITS];
    const uint64_t mask = (UINT64_C(1) << digit_bits) - 1;
    uint32_t at = 0;
    memset(start, 0, sizeof *start << digit_bits);
    for (size_t i = 0; i < d->n; i++)
        start[d->item[i] >> shift & mask]++;
    for (uint64_t b = 0; b <= mask; b++) {
        const uint32_t count = start[b];
        start[b] = at;
        at += count;
    }
    for (size_t i = 0; i < d->n; i++)
        d->next[start[d->item[i] >> shift & mask]++] = d->item[i];
}

/* Returns the best width of a digit for sorting n differences of `bits` bits. Each pass goes
 * through the values twice, and through its buckets once. */
static unsigned digit_bits_for(size_t n, unsigned bits)
{
    unsigned best = WIDE_BITS;
    size_t least = SIZE_MAX;
    const unsigned fewest = bits ? (bits + WIDE_BITS - 1) / WIDE_BITS : 1;
    for (unsigned passes = fewest; passes <= bits; passes++) {
        const unsigned digit_bits = (bits + passes - 1) / passes;
        const size_t steps = passes * (2 * n + ((size_t)1 << digit_bits));
        if (steps >= least)
            break;
        least = steps;
        best = digit_bits;
    }
    return best;
}

static void sort_differences(struct differences *d)
{
    const unsigned digit_bits = digit_bits_for(d->n, d->bits);
    for (unsigned done = 0; done < d->bits; done += digit_bits) {
        scatter_differences(d, d->low + done, digit_bits);
        uint64_t *sorted = d->next;
        d->next = d->item;
        d->item = sorted;
    }
}

/* Returns memory for the items of n values, twice: `room` [2 ON_STACK], or memory that the caller
 * frees. NULL: none. */
static uint64_t *items_for(size_t n, uint64_t *room)
{
    return n <= ON_STACK ? room : n > UINT32_MAX ? NULL : malloc(2 * n * sizeof *room);
}

/* Least number of values that are counted; fewer are sorted as quickly. */
#define COUNT_MIN ((size_t)1 << 16)

static double largest_of(const double *x, size_t n)
{
    double largest = x[0];
    for (size_t i = 1; i < n; i++)
        largest = x[i] > largest ? x[i] : largest;
    return largest;
}

static bool count_whole(const double *x, size_t n, double least, uint32_t *counts)
{
    for (size_t i = 0; i < n; i++) {
        const double above = x[i] - least;
        if (!(above >= 0))
            return false;
        const uint64_t whole = (uint64_t)(int64_t)above;
        if (bits_of(least + (double)whole) != bits_of(x[i]))
            return false;
        counts[whole]++;
    }
    return true;
}

uint32_t *syn_counts_of_whole(const double *x, size_t n, double *least, size_t *count)
{
    if (n < COUNT_MIN || n > UINT32_MAX)
        return NULL;
    *least = least_of(x, n);
    const double span = largest_of(x, n) - *least;
    uint32_t *counts = span < (double)n ? calloc((size_t)span + 1, sizeof *counts) : NULL;
    if (!counts)
        return NULL;
    *count = (size_t)span + 1;
    if (count_whole(x, n, *least, counts))
        return counts;
    free(counts);
    return NULL;
}

/* Sorts in place, because a second column of 10^7 values needs much memory. */
static bool sort_by_counting(double *x, size_t n)
{
    double least;
    size_t count, at = 0;
    SYN_FREED uint32_t *counts = syn_counts_of_whole(x, n, &least, &count);
    for (size_t v = 0; counts && v < count; v++)
        for (uint32_t left = counts[v]; left > 0; left--)
            x[at++] = least + (double)v;
    return at == n;
}

/* Sorts whole numbers or halves. Returns false, with x unchanged, for other numbers or without
 * memory. */
static bool sort_whole(double *x, size_t n)
{
    uint64_t room[2 * ON_STACK], *item = items_for(n, room);
    struct differences d = {.n = n, .item = item, .next = item ? item + n : NULL};
    const bool are_whole = take_units_or_halves(x, &d);
    if (are_whole) {
        sort_differences(&d);
        for (size_t i = 0; i < n; i++)
            x[i] = d.least + number_of(d.item[i]) * d.unit;
    }
    if (item != room)
        free(item);
    return are_whole;
}

/* Orders whole numbers or halves. Returns false for other numbers or without memory. The
 * differences are sorted from bit 32 on; the bits below hold the indices. */
static bool order_whole(const double *x, size_t n, size_t *order)
{
    uint64_t room[2 * ON_STACK], *item = items_for(n, room);
    struct differences d = {.n = n, .low = 32, .item = item, .next = item ? item + n : NULL};
    const bool are_whole = take_units_or_halves(x, &d);
    if (are_whole) {
        for (size_t i = 0; i < n; i++)
            d.item[i] |= i;
        sort_differences(&d);
        for (size_t i = 0; i < n; i++)
            order[i] = (uint32_t)d.item[i];
    }
    if (item != room)
        free(item);
    return are_whole;
}

double syn_midranks_of_numbered(uint64_t *item, size_t n, uint32_t most, double *rank)
{
    struct differences d = {.n = n, .low = 32, .item = item, .next = item + n};
    d.bits = most ? 32 - (unsigned)__builtin_clz(most) : 0;
    sort_differences(&d);
    double ties = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && d.item[end] >> 32 == d.item[first] >> 32;)
            end++;
        const double count = (double)(end - first);
        for (size_t i = first; i < end; i++)
            rank[(uint32_t)d.item[i]] = (double)first + (count + 1) / 2;
        ties += count * count * count - count;
    }
    return ties;
}

/* ---- short ones ---- */

#define MERGE_RUN 16

static void insertion_sort(double *x, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        double moving = x[i];
        size_t j = i;
        for (; j > 0 && x[j - 1] > moving; j--)
            x[j] = x[j - 1];
        x[j] = moving;
    }
}

/* Sorts n < RADIX_MIN values. */
static void merge_sort(double *x, size_t n)
{
    double second[RADIX_MIN], *from = x, *to = second;
    for (size_t i = 0; i < n; i += MERGE_RUN)
        insertion_sort(x + i, syn_least(n - i, MERGE_RUN));
    for (size_t run = MERGE_RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run) {
            /* Two sorted halves of `from` are merged into `to`. */
            size_t middle = syn_least(i + run, n);
            size_t end = syn_least(i + 2 * run, n);
            size_t left = i, right = middle;
            for (size_t k = i; k < end; k++) {
                const bool takes_right =
                    right < end && (left == middle || from[right] < from[left]);
                to[k] = from[takes_right ? right : left];
                right += takes_right;
                left += !takes_right;
            }
        }
        double *merged = to;
        to = from;
        from = merged;
    }
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}

/* ---- long ones ---- */

SYN_ORDER(compare_doubles, double, SYN_UP_ITSELF)

/* Returns 1 if there was memory for the sort. */
static int radix_sort(double *x, size_t n)
{
    SYN_FREED struct radix *r = malloc(sizeof *r);
    SYN_FREED uint64_t *keys = malloc(2 * n * sizeof *keys);
    int done = r && keys;
    if (done) {
        *r = (struct radix){.n = n, .key = keys, .key_next = keys + n};
        for (size_t i = 0; i < n; i++)
            keys[i] = syn_key_of(x[i]);
        radix_run(r);
        for (size_t i = 0; i < n; i++)
            x[i] = syn_number_of(r->key[i]);
    }
    return done;
}

void syn_sort(double *x, size_t n)
{
    if (n <= INSERT_MAX)
        insertion_sort(x, n);
    else if (sort_by_counting(x, n) || sort_whole(x, n))
        return;
    else if (n < RADIX_MIN)
        merge_sort(x, n);
    else if (!radix_sort(x, n))
        qsort(x, n, sizeof *x, compare_doubles);
}

/* Compares by value, then by index, which yields the order of a stable sort. */
static int compare_indices(const void *a, const void *b, void *values)
{
    const double *x = values;
    size_t i = *(const size_t *)a, j = *(const size_t *)b;
    if (x[i] != x[j])
        return x[i] > x[j] ? 1 : -1;
    return (i > j) - (i < j);
}

static int radix_order(const double *x, size_t n, size_t *order)
{
    SYN_FREED struct radix *r = malloc(sizeof *r);
    SYN_FREED uint64_t *keys = malloc(2 * n * sizeof *keys);
    SYN_FREED size_t *index = malloc(n * sizeof *index);
    int done = r && keys && index;
    if (done) {
        *r = (struct radix){
            .n = n, .key = keys, .key_next = keys + n, .index = order, .index_next = index};
        for (size_t i = 0; i < n; i++)
            keys[i] = syn_key_of(x[i] + 0.0); /* -0 becomes 0, so that both tie */
        radix_run(r);
        if (r->index != order)
            memcpy(order, r->index, n * sizeof *order);
    }
    return done;
}

void syn_order(const double *x, size_t n, size_t *order)
{
    if (n > INSERT_MAX && order_whole(x, n, order))
        return;
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (n <= INSERT_MAX) {
        for (size_t i = 1; i < n; i++) {
            size_t moving = order[i], j = i;
            for (; j > 0 && x[order[j - 1]] > x[moving]; j--)
                order[j] = order[j - 1];
            order[j] = moving;
        }
    } else if (n < RADIX_MIN || !radix_order(x, n, order))
        qsort_r(order, n, sizeof *order, compare_indices, (void *)x);
}

double syn_midranks_of_order(const double *x, size_t n, const size_t *order, double *rank)
{
    double ties = 0;
    for (size_t first = 0, end; first < n; first = end) {
        for (end = first + 1; end < n && x[order[end]] == x[order[first]];)
            end++;
        double count = (double)(end - first);
        for (size_t i = first; i < end; i++)
            rank[order[i]] = (double)first + (count + 1) / 2;
        ties += count * count * count - count;
    }
    return ties;
}

double syn_midranks(const double *x, size_t n, double *rank, size_t *order)
{
    syn_order(x, n, order);
    return syn_midranks_of_order(x, n, order, rank);
}

/* ---- of several samples ---- */

/* The outputs of syn_sort_samples: each sample's values, and the sum of their midranks among all.
 */
struct dealing {
    double *sorted, *rank_sum; /* as in syn_sort_samples; [k] */
    size_t *next;              /* [k] */
};

static double deal_out(const struct differences *d, struct dealing *to)
{
    double ties = 0;
    for (size_t first = 0, end; first < d->n; first = end) {
        const uint64_t above = d->item[first] >> 32;
        for (end = first + 1; end < d->n && d->item[end] >> 32 == above;)
            end++;
        const double count = (double)(end - first), midrank = (double)first + (count + 1) / 2;
        for (size_t i = first; i < end; i++) {
            const uint32_t sample = (uint32_t)d->item[i];
            to->rank_sum[sample] += midrank;
            to->sorted[to->next[sample]++] = d->least + (double)above * d->unit;
        }
        ties += count * count * count - count;
    }
    return ties;
}

bool syn_sort_samples(const struct syn_samples *samples, double *sorted, double *mean_rank,
                      double *ties)
{
    const size_t k = samples->k, n = samples->start[k] - samples->start[0];
    SYN_FREED uint64_t *item =
        n == 0 || n > SYN_SAMPLES_MOST ? NULL : malloc((2 * n + k) * sizeof *item);
    struct differences d = {.n = n, .low = 32, .item = item, .next = item ? item + n : NULL};
    const bool are_whole = take_units_or_halves(samples->value + samples->start[0], &d);
    if (are_whole) {
        struct dealing to = {sorted, mean_rank, (size_t *)(item + 2 * n)};
        /* Each difference gets, in the lower bits, the number of its sample. */
        for (size_t s = 0; s < k; s++)
            for (size_t i = samples->start[s]; i < samples->start[s + 1]; i++)
                d.item[i - samples->start[0]] |= s;
        sort_differences(&d);
        for (size_t i = 0; i < k; i++) {
            to.next[i] = samples->start[i] - samples->start[0];
            mean_rank[i] = 0;
        }
        *ties = deal_out(&d, &to);
        for (size_t i = 0; i < k; i++)
            mean_rank[i] /= (double)(samples->start[i + 1] - samples->start[i]);
    }
    return are_whole;
}
