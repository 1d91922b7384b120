/* analyze/stats/values/table.c - subtracts the medians of a table's rows, and clamps its columns.
 *
 * RATIONALE: for 10^4 groups of eight ranks a report sorts a million rows for their medians. Rows
 * are sorted by a network: which values are compared does not depend on the values, so there are no
 * branches to predict, and a vector register holds several rows. */
#include "analyze/stats/values/table.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* ---- rows ---- */

/* Number of rows that are sorted in parallel: row [k][ROWS]. */
#define ROWS 16

/* Two columns whose values are exchanged if the first is larger. */
struct comparison {
    uint32_t first, second;
};

/* Lists the comparisons that sort k columns: Knuth, volume 3, 5.2.2, algorithm M (Batcher). Writes
 * them to `to` unless it is NULL. Returns their number. */
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

typedef double two_rows __attribute__((vector_size(16)));
typedef int64_t two_bits __attribute__((vector_size(16)));

/* A table whose rows are sorted in parallel. */
struct rows {
    double *x; /* [k][n] */
    size_t n, k;
    double *row; /* [k][ROWS] */
    const struct comparison *comparison;
    size_t comparisons;
};

/* Subtracts the medians of `count` <= ROWS rows, from `first` on. Unused rows of the buffer hold
 * arbitrary numbers. */
static void take_medians(const struct rows *rows, size_t first, size_t count)
{
    /* the middle columns of sorted rows; the same one for an odd number */
    const double *low = rows->row + (rows->k - 1) / 2 * ROWS,
                 *high = rows->row + rows->k / 2 * ROWS;
    double median[ROWS];
    for (size_t j = 0; j < rows->k; j++)
        memcpy(rows->row + j * ROWS, rows->x + j * rows->n + first, count * sizeof *rows->row);
    /* Each comparison orders two columns of all rows: the smaller value goes into a, the other into
     * b. Bits are exchanged without a branch, because a branch would be mispredicted. */
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
    for (size_t i = 0; i < count; i++) /* as syn_quantile_sorted computes it */
        median[i] = low[i] == high[i] ? low[i] : 0.5 * low[i] + 0.5 * high[i];
    for (size_t j = 0; j < rows->k; j++)
        for (size_t i = 0; i < count; i++)
            rows->x[j * rows->n + first + i] -= median[i];
}

int syn_take_row_medians(double *x, size_t n, size_t k)
{
    const size_t count = list_comparisons(k, NULL);
    SYN_FREED double *row = calloc(k * ROWS + 1, sizeof *row);
    SYN_FREED struct comparison *comparison = malloc((count + 1) * sizeof *comparison);
    const struct rows rows = {x, n, k, row, comparison, count};
    const bool is_room = row && comparison;
    if (is_room)
        list_comparisons(k, comparison);
    for (size_t first = 0; first < n && is_room; first += ROWS)
        take_medians(&rows, first, syn_least(n - first, ROWS));
    return is_room ? SYN_OK : SYN_ENOMEM;
}

/* ---- columns ---- */

#define CLAMP_LOW  0.05
#define CLAMP_HIGH 0.95

static void clamp_to(double *y, size_t n, double low, double high)
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

void syn_clamp(double *y, size_t n, const double *sorted)
{
    clamp_to(y, n, syn_quantile_sorted(sorted, n, CLAMP_LOW),
             syn_quantile_sorted(sorted, n, CLAMP_HIGH));
}

/* Longer columns are sorted, which is faster than finding their ends. */
#define ENDS_MOST 2048

/* Clamps one column like syn_clamp. scratch [n].
 *
 * Plan: both quantiles are among the `count` outermost values at each end. Find those, or sort all
 * values if `count` is large. */
static void clamp_unsorted(double *y, size_t n, double *scratch)
{
    const struct syn_quantile_place low = syn_place_quantile(n, CLAMP_LOW);
    const struct syn_quantile_place high = syn_place_quantile(n, CLAMP_HIGH);
    const size_t count = syn_largest(low.high, n + 1 - high.low);
    double *largest = scratch + count;
    if (n > ENDS_MOST || 2 * count > n) {
        memcpy(scratch, y, n * sizeof *y);
        syn_sort(scratch, n);
        syn_clamp(y, n, scratch);
        return;
    }
    /* Find the `count` least values of y [n >= count], ascending, and the largest, descending. For
     * few values this is faster than sorting all. */
    for (size_t i = 0; i < count; i++) {
        scratch[i] = INFINITY;
        largest[i] = -INFINITY;
    }
    for (size_t i = 0; i < n; i++) {
        if (y[i] < scratch[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && scratch[at - 1] > y[i]; at--)
                scratch[at] = scratch[at - 1];
            scratch[at] = y[i];
        }
        if (y[i] > largest[count - 1]) {
            size_t at = count - 1;
            for (; at > 0 && largest[at - 1] < y[i]; at--)
                largest[at] = largest[at - 1];
            largest[at] = y[i];
        }
    }
    clamp_to(y, n, syn_quantile_at(&low, scratch[low.low - 1], scratch[low.high - 1]),
             syn_quantile_at(&high, largest[n - high.low], largest[n - high.high]));
}

void syn_clamp_columns(double *x, size_t n, size_t count, double *scratch)
{
    for (size_t k = 0; k < count; k++)
        clamp_unsorted(x + k * n, n, scratch);
}
