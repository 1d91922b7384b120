/* analyze/stats/sort.c - sorting columns of doubles, and their indices.
 *
 * A column of durations holds up to 10^7 values, and sorting it is the dearest step of a report.
 * From RADIX_MIN elements on, a least-significant-digit radix sort on the bits of the IEEE number
 * takes at most six passes (durations in whole nanoseconds leave the low digits empty: those passes
 * are skipped). Stable, so the indices of ties stay in the order of time. Where there is no memory
 * for the second buffer, the C library's sort does it. Shorter ones are merged, from runs that are
 * sorted by insertion: of 10^4 sites each has a few hundred calls, and a comparison by a call of a
 * function would be what takes the time. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
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

static void count_digits(struct radix *r)
{
    memset(r->count, 0, sizeof r->count);
    for (size_t i = 0; i < r->n; i++)
        for (int d = 0; d < DIGIT_COUNT; d++)
            r->count[d][digit_of(r->key[i], d)]++;
}

static void scatter(struct radix *r, int digit)
{
    size_t *next = r->count[digit];
    size_t at = 0;
    for (unsigned b = 0; b < BUCKETS; b++) {
        size_t count = next[b];
        next[b] = at;
        at += count;
    }
    for (size_t i = 0; i < r->n; i++) {
        size_t to = next[digit_of(r->key[i], digit)]++;
        r->key_next[to] = r->key[i];
        if (r->index)
            r->index_next[to] = r->index[i];
    }
}

static void swap_buffers(struct radix *r)
{
    uint64_t *key = r->key;
    size_t *index = r->index;
    r->key = r->key_next;
    r->key_next = key;
    r->index = r->index_next;
    r->index_next = index;
}

static void radix_run(struct radix *r)
{
    count_digits(r);
    for (int d = 0; d < DIGIT_COUNT; d++) {
        if (r->count[d][digit_of(r->key[0], d)] == r->n)
            continue; /* all keys agree here */
        scatter(r, d);
        swap_buffers(r);
    }
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

/* The sorted halves [first, middle) and [middle, end) of `from` into `to`. */
static void merge(const double *from, size_t first, size_t middle, size_t end, double *to)
{
    size_t left = first, right = middle;
    for (size_t i = first; i < end; i++) {
        const bool takes_right = right < end && (left == middle || from[right] < from[left]);
        to[i] = from[takes_right ? right : left];
        right += takes_right;
        left += !takes_right;
    }
}

/* n < RADIX_MIN. */
static void merge_sort(double *x, size_t n)
{
    double second[RADIX_MIN], *from = x, *to = second;
    for (size_t i = 0; i < n; i += MERGE_RUN)
        insertion_sort(x + i, syn_least(n - i, MERGE_RUN));
    for (size_t run = MERGE_RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run)
            merge(from, i, syn_least(i + run, n), syn_least(i + 2 * run, n), to);
        double *merged = to;
        to = from;
        from = merged;
    }
    if (from != x)
        memcpy(x, from, n * sizeof *x);
}

/* ---- long ones ---- */

static int compare_doubles(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Returns 1 where there was memory for it. */
static int radix_sort(double *x, size_t n)
{
    struct radix *r = malloc(sizeof *r);
    uint64_t *keys = malloc(2 * n * sizeof *keys);
    int done = r && keys;
    if (done) {
        *r = (struct radix){.n = n, .key = keys, .key_next = keys + n};
        for (size_t i = 0; i < n; i++)
            keys[i] = syn_key_of(x[i]);
        radix_run(r);
        for (size_t i = 0; i < n; i++)
            x[i] = syn_number_of(r->key[i]);
    }
    free(keys);
    free(r);
    return done;
}

void syn_sort(double *x, size_t n)
{
    if (n <= INSERT_MAX)
        insertion_sort(x, n);
    else if (n < RADIX_MIN)
        merge_sort(x, n);
    else if (!radix_sort(x, n))
        qsort(x, n, sizeof *x, compare_doubles);
}

static void insertion_order(const double *x, size_t n, size_t *order)
{
    for (size_t i = 1; i < n; i++) {
        size_t moving = order[i], j = i;
        for (; j > 0 && x[order[j - 1]] > x[moving]; j--)
            order[j] = order[j - 1];
        order[j] = moving;
    }
}

/* As merge, of the indices of values. */
static void merge_order(const double *x, const size_t *from, size_t first, size_t middle,
                        size_t end, size_t *to)
{
    size_t left = first, right = middle;
    for (size_t i = first; i < end; i++) {
        const bool takes_right = right < end && (left == middle || x[from[right]] < x[from[left]]);
        to[i] = from[takes_right ? right : left];
        right += takes_right;
        left += !takes_right;
    }
}

static void merged_order(const double *x, size_t n, size_t *order)
{
    size_t second[RADIX_MIN], *from = order, *to = second;
    for (size_t i = 0; i < n; i += MERGE_RUN)
        insertion_order(x, syn_least(n - i, MERGE_RUN), order + i);
    for (size_t run = MERGE_RUN; run < n; run *= 2) {
        for (size_t i = 0; i < n; i += 2 * run)
            merge_order(x, from, i, syn_least(i + run, n), syn_least(i + 2 * run, n), to);
        size_t *merged = to;
        to = from;
        from = merged;
    }
    if (from != order)
        memcpy(order, from, n * sizeof *order);
}

/* By value, then by index: the same order as a stable sort's. */
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
    struct radix *r = malloc(sizeof *r);
    uint64_t *keys = malloc(2 * n * sizeof *keys);
    size_t *index = malloc(n * sizeof *index);
    int done = r && keys && index;
    if (done) {
        *r = (struct radix){
            .n = n, .key = keys, .key_next = keys + n, .index = order, .index_next = index};
        for (size_t i = 0; i < n; i++)
            keys[i] = syn_key_of(x[i] + 0.0); /* -0 becomes 0: they tie */
        radix_run(r);
        if (r->index != order)
            memcpy(order, r->index, n * sizeof *order);
    }
    free(index);
    free(keys);
    free(r);
    return done;
}

void syn_order(const double *x, size_t n, size_t *order)
{
    for (size_t i = 0; i < n; i++)
        order[i] = i;
    if (n <= INSERT_MAX)
        insertion_order(x, n, order);
    else if (n < RADIX_MIN)
        merged_order(x, n, order);
    else if (!radix_order(x, n, order))
        qsort_r(order, n, sizeof *order, compare_indices, (void *)x);
}

double syn_midranks(const double *x, size_t n, double *rank, size_t *order)
{
    double ties = 0;
    syn_order(x, n, order);
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
