/* analyze/stats/values/table.c - rows and columns of a table, sorted side by side.
 *
 * RATIONALE: of 10^4 groups of eight ranks a report sorts a million rows, of which it wants the
 * medians, and 10^5 columns, of which it wants the outermost values. Which values are compared does
 * not depend on what they are, so no comparison waits for another to be predicted, and a register
 * holds several rows, or columns. */
#include "analyze/stats/values/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* ---- rows ---- */

/* Number of rows that are sorted side by side: row [k][ROWS]. */
#define ROWS 16

/* Two columns whose values change places where the first has the larger one. */
struct comparison {
    uint32_t first, second;
};

/* Lists the comparisons that sort k columns: Knuth, volume 3, 5.2.2, algorithm M (Batcher). Returns
 * how many comparisons those are, into `to` where it is not NULL. */
static size_t list_comparisons(size_t k, struct comparison *to)
{
    size_t top = 1, count = 0;
    while (2 * top < k)
        top *= 2;
    for (size_t p = k > 1 ? top : 0; p > 0; p /= 2)
        for (size_t q = top, r = 0, d = p;; d = q - p, q /= 2, r = p) {
            for (size_t i = 0; i + d < k; i++) {
                if ((i & p) != r)
                    continue;
                if (to)
                    to[count] = (struct comparison){(uint32_t)(i * ROWS), (uint32_t)(i + d) * ROWS};
                count++;
            }
            if (q == p)
                break;
        }
    return count;
}

/* Orders each row: the less into a, the other into b. Nobody predicts which that is: bits are
 * changed for bits. */
typedef double two_rows __attribute__((vector_size(16)));
typedef int64_t two_bits __attribute__((vector_size(16)));

/* A table whose rows are taken together. */
struct rows {
    double *x; /* [k][n] */
    size_t n, k;
    double *row; /* [k][ROWS] */
    const struct comparison *comparison;
    size_t comparisons;
};

/* Values [count <= ROWS] of each column from `first` on. Those behind them are whatever numbers
 * there were. */
static inline __attribute__((always_inline)) void copy_rows(const struct rows *rows, size_t first,
                                                            size_t count)
{
    const double *from = rows->x + first;
    double *to = rows->row;
    for (size_t j = 0; j < rows->k; j++, from += rows->n, to += ROWS)
        memcpy(to, from, count * sizeof *to);
}

/* The middle columns of sorted rows, which are one where there is an odd number. */
static inline const double *lower_middle(const struct rows *rows)
{
    return rows->row + (rows->k - 1) / 2 * ROWS;
}

static inline const double *upper_middle(const struct rows *rows)
{
    return rows->row + rows->k / 2 * ROWS;
}

static void take_medians_any(const struct rows *rows, size_t first, size_t count)
{
    const double *low = lower_middle(rows), *high = upper_middle(rows);
    double median[ROWS];
    copy_rows(rows, first, count);
    for (size_t c = 0; c < rows->comparisons; c++) {
        double *a = rows->row + rows->comparison[c].first;
        double *b = rows->row + rows->comparison[c].second;
        for (size_t i = 0; i < ROWS; i += 2) {
            two_rows left, right;
            memcpy(&left, a + i, sizeof left);
            memcpy(&right, b + i, sizeof right);
            const two_bits changed = ((two_bits)left ^ (two_bits)right) & (right < left);
            const two_bits least = (two_bits)left ^ changed, most = (two_bits)right ^ changed;
            memcpy(a + i, &least, sizeof least);
            memcpy(b + i, &most, sizeof most);
        }
    }
    for (size_t i = 0; i < count; i++) /* as syn_quantile_sorted has it */
        median[i] = low[i] == high[i] ? low[i] : 0.5 * low[i] + 0.5 * high[i];
    for (size_t j = 0; j < rows->k; j++)
        for (size_t i = 0; i < count; i++)
            rows->x[j * rows->n + first + i] -= median[i];
}

#if SYN_HAVE_AVX2
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void exchange_avx2(double *a,
                                                                                double *b)
{
#pragma GCC unroll 4
    for (size_t i = 0; i < ROWS; i += 4) {
        const __m256d left = _mm256_loadu_pd(a + i), right = _mm256_loadu_pd(b + i);
        _mm256_storeu_pd(a + i, _mm256_min_pd(left, right));
        _mm256_storeu_pd(b + i, _mm256_max_pd(left, right));
    }
}

SYN_TARGET_AVX2 static inline __m256d median_avx2(const double *low, const double *high)
{
    const __m256d half = _mm256_set1_pd(0.5);
    const __m256d below = _mm256_loadu_pd(low), above = _mm256_loadu_pd(high);
    const __m256d middle = _mm256_add_pd(_mm256_mul_pd(half, below), _mm256_mul_pd(half, above));
    return _mm256_blendv_pd(middle, below, _mm256_cmp_pd(below, above, _CMP_EQ_OQ));
}

SYN_TARGET_AVX2 static void take_off_avx2(double *x, size_t count, const double *median)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        _mm256_storeu_pd(x + i, _mm256_sub_pd(_mm256_loadu_pd(x + i), _mm256_loadu_pd(median + i)));
    for (; i < count; i++)
        x[i] -= median[i];
}

SYN_TARGET_AVX2 static void take_medians_avx2(const struct rows *rows, size_t first, size_t count)
{
    const double *const low = lower_middle(rows), *const high = upper_middle(rows);
    const struct comparison *const comparison = rows->comparison;
    const size_t comparisons = rows->comparisons, n = rows->n, k = rows->k;
    double *const x = rows->x + first, *const row = rows->row, median[ROWS];
    if (count == ROWS) /* a constant: a few moves */
        copy_rows(rows, first, ROWS);
    else
        copy_rows(rows, first, count);
    for (size_t c = 0; c < comparisons; c++)
        exchange_avx2(row + comparison[c].first, row + comparison[c].second);
    for (size_t i = 0; i < ROWS; i += 4)
        _mm256_storeu_pd(median + i, median_avx2(low + i, high + i));
    for (size_t j = 0; j < k; j++)
        take_off_avx2(x + j * n, count, median);
}
#endif

int syn_take_row_medians(double *x, size_t n, size_t k)
{
    const size_t count = list_comparisons(k, NULL);
    double *row = calloc(k * ROWS + 1, sizeof *row);
    struct comparison *comparison = malloc((count + 1) * sizeof *comparison);
    const struct rows rows = {x, n, k, row, comparison, count};
    const bool is_room = row && comparison;
    if (is_room)
        list_comparisons(k, comparison);
    for (size_t first = 0; first < n && is_room; first += ROWS)
        SYN_BY_CPU(take_medians_avx2, take_medians_any)(&rows, first, syn_least(n - first, ROWS));
    free(comparison);
    free(row);
    return is_room ? SYN_OK : SYN_ENOMEM;
}

/* ---- columns ---- */

#define CLAMP_LOW  0.05
#define CLAMP_HIGH 0.95

static void clamp_any(double *y, size_t n, double low, double high)
{
    for (size_t i = 0; i < n; i++) {
        double kept = y[i];
        if (kept < low)
            kept = low;
        if (kept > high)
            kept = high;
        y[i] = kept;
    }
}

#if SYN_HAVE_AVX2
/* Both instructions give the second of equal operands. */
SYN_TARGET_AVX2 static void clamp_avx2(double *y, size_t n, double low, double high)
{
    const __m256d lows = _mm256_set1_pd(low), highs = _mm256_set1_pd(high);
    size_t i = 0;
    for (; i + 4 <= n; i += 4) {
        const __m256d kept = _mm256_max_pd(lows, _mm256_loadu_pd(y + i));
        _mm256_storeu_pd(y + i, _mm256_min_pd(highs, kept));
    }
    clamp_any(y + i, n - i, low, high);
}
#endif

static void clamp_to(double *y, size_t n, double low, double high)
{
    SYN_BY_CPU(clamp_avx2, clamp_any)(y, n, low, high);
}

void syn_clamp(double *y, size_t n, const double *sorted)
{
    clamp_to(y, n, syn_quantile_sorted(sorted, n, CLAMP_LOW),
             syn_quantile_sorted(sorted, n, CLAMP_HIGH));
}

/* The least values of y [n >= count], ascending, and the largest, descending: of so few it takes
 * less than sorting all. */
static void find_ends(const double *y, size_t n, size_t count, double *least, double *largest)
{
    for (size_t i = 0; i < count; i++) {
        least[i] = INFINITY;
        largest[i] = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        if (y[i] < least[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && least[at - 1] > y[i]; at--)
                least[at] = least[at - 1];
            least[at] = y[i];
        }
        if (y[i] > largest[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && largest[at - 1] < y[i]; at--)
                largest[at] = largest[at - 1];
            largest[at] = y[i];
        }
    }
}

/* Finds the ends of four columns side by side. Each value goes past all that are kept: for few that
 * takes less than an unpredictable branch. */
#define KEPT_MOST 16
typedef int64_t four_bits __attribute__((vector_size(32), aligned(8)));

static inline __attribute__((always_inline)) void keep(syn_four *kept, size_t count,
                                                       const syn_four *arrived, bool largest)
{
    syn_four value = *arrived;
    for (size_t at = 0; at < count; at++) {
        const four_bits is_kept = largest ? value > kept[at] : value < kept[at];
        const four_bits changed = ((four_bits)value ^ (four_bits)kept[at]) & is_kept;
        kept[at] = (syn_four)((four_bits)kept[at] ^ changed);
        value = (syn_four)((four_bits)value ^ changed);
    }
}

/* x [SYN_SIDE_BY_SIDE][n] */
static void ends_of_four_any(const double *x, size_t n, size_t count, syn_four *least,
                             syn_four *largest)
{
    for (size_t at = 0; at < count; at++) {
        least[at] = (syn_four){INFINITY, INFINITY, INFINITY, INFINITY};
        largest[at] = -least[at];
    }
    for (size_t i = 0; i < n; i++) {
        const syn_four value = {x[i], x[n + i], x[2 * n + i], x[3 * n + i]};
        keep(least, count, &value, false);
        keep(largest, count, &value, true);
    }
}

#if SYN_HAVE_AVX2
/* Number of rows that are sorted, and then merged with the ends that are kept: as many of each. */
#define BATCH 8

/* Four columns side by side: in each, the less into the first. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void compare(__m256d *row, size_t i,
                                                                          size_t j)
{
    const __m256d first = row[i], second = row[j];
    row[i] = _mm256_min_pd(first, second);
    row[j] = _mm256_max_pd(first, second);
}

/* Rows [count], in pieces of 2 apart that are bitonic: each ascending. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void settle(__m256d *row, size_t count,
                                                                         size_t apart)
{
#pragma GCC unroll 4
    for (; apart > 0; apart /= 2)
#pragma GCC unroll 16
        for (size_t i = 0; i < count; i++)
            if ((i & apart) == 0)
                compare(row, i, i + apart);
}

/* Bitonic: sort_few.c says how. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void sort_batch(__m256d *row)
{
#pragma GCC unroll 3
    for (size_t size = 2; size <= BATCH; size *= 2) {
#pragma GCC unroll 4
        for (size_t first = 0; first < BATCH; first += size)
#pragma GCC unroll 4
            for (size_t i = 0; i < size / 2; i++)
                compare(row, first + i, first + size - 1 - i);
        settle(row, BATCH, size / 4);
    }
}

/* Merges the ends kept [count >= BATCH] with a batch, both ascending, and keeps as many. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void
keep_batch(__m256d *kept, size_t count, const __m256d *row, bool largest)
{
    __m256d *const outer = largest ? kept : kept + count - BATCH;
#pragma GCC unroll 8
    for (size_t i = 0; i < BATCH; i++)
        outer[i] = largest ? _mm256_max_pd(outer[i], row[BATCH - 1 - i])
                           : _mm256_min_pd(outer[i], row[BATCH - 1 - i]);
    settle(kept, count, count / 2);
}

/* Rows [count <= BATCH] of x [SYN_SIDE_BY_SIDE][n], with `behind` for those that are missing. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void
take_batch(const double *x, size_t n, size_t count, double behind, __m256d *row)
{
#pragma GCC unroll 8
    for (size_t i = 0; i < BATCH; i++)
        row[i] = i < count ? _mm256_set_pd(x[3 * n + i], x[2 * n + i], x[n + i], x[i])
                           : _mm256_set1_pd(behind);
    sort_batch(row);
}

/* Finds the `kept` least and largest values, a power of two: as many as are wanted, or more. */
static inline __attribute__((always_inline)) SYN_TARGET_AVX2 void
find_ends_avx2(const double *x, size_t n, size_t kept, syn_four *least, syn_four *largest)
{
    __m256d low[KEPT_MOST], high[KEPT_MOST], row[BATCH];
    size_t first = 0;
    for (size_t i = 0; i < kept; i++) {
        low[i] = _mm256_set1_pd(INFINITY);
        high[i] = _mm256_set1_pd(-INFINITY);
    }
    for (; first + BATCH <= n; first += BATCH) {
        take_batch(x + first, n, BATCH, 0, row);
        keep_batch(low, kept, row, false);
        keep_batch(high, kept, row, true);
    }
    take_batch(x + first, n, n - first, INFINITY, row);
    keep_batch(low, kept, row, false);
    take_batch(x + first, n, n - first, -INFINITY, row);
    keep_batch(high, kept, row, true);
    for (size_t i = 0; i < kept; i++) {
        _mm256_storeu_pd((double *)&least[i], low[i]);
        _mm256_storeu_pd((double *)&largest[i], high[kept - 1 - i]);
    }
}

SYN_TARGET_AVX2 static void ends_of_four_avx2(const double *x, size_t n, size_t count,
                                              syn_four *least, syn_four *largest)
{
    if (count <= BATCH)
        find_ends_avx2(x, n, BATCH, least, largest);
    else
        find_ends_avx2(x, n, KEPT_MOST, least, largest);
}
#endif

/* Places of the quantiles that columns of n values are clamped to: among `count` at each end. */
struct clamping {
    struct syn_quantile_place low, high;
    size_t n, count;
};

static struct clamping clamping_of(size_t n)
{
    struct clamping clamping = {syn_place_quantile(n, CLAMP_LOW), syn_place_quantile(n, CLAMP_HIGH),
                                n, 0};
    clamping.count = syn_largest(clamping.low.high, n + 1 - clamping.high.low);
    return clamping;
}

/* Longer columns are sorted sooner than their ends are found. */
#define ENDS_MOST 2048

/* As syn_clamp. scratch [n]. */
static void clamp_unsorted(double *y, const struct clamping *clamping, double *scratch)
{
    const struct syn_quantile_place *low = &clamping->low, *high = &clamping->high;
    const size_t n = clamping->n, count = clamping->count;
    double *largest = scratch + count;
    if (n > ENDS_MOST || 2 * count > n) {
        memcpy(scratch, y, n * sizeof *y);
        syn_sort(scratch, n);
        syn_clamp(y, n, scratch);
        return;
    }
    find_ends(y, n, count, scratch, largest);
    clamp_to(y, n, syn_quantile_at(low, scratch[low->low - 1], scratch[low->high - 1]),
             syn_quantile_at(high, largest[n - high->low], largest[n - high->high]));
}

static void clamp_four(double *x, const struct clamping *clamping)
{
    syn_four least[KEPT_MOST], largest[KEPT_MOST];
    const struct syn_quantile_place *low = &clamping->low, *high = &clamping->high;
    const size_t n = clamping->n;
    SYN_BY_CPU(ends_of_four_avx2, ends_of_four_any)(x, n, clamping->count, least, largest);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        clamp_to(x + k * n, n,
                 syn_quantile_at(low, least[low->low - 1][k], least[low->high - 1][k]),
                 syn_quantile_at(high, largest[n - high->low][k], largest[n - high->high][k]));
}

void syn_clamp_columns(double *x, size_t n, size_t count, double *scratch)
{
    const struct clamping clamping = clamping_of(n);
    if (count == SYN_SIDE_BY_SIDE && clamping.count <= KEPT_MOST) {
        clamp_four(x, &clamping);
        return;
    }
    for (size_t k = 0; k < count; k++)
        clamp_unsorted(x + k * n, &clamping, scratch);
}
