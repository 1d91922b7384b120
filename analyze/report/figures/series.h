/* analyze/report/figures/series.h - a metric of a group's instances in the order of its columns,
 * read in pieces, and statistics of series too long for arrays. */
#ifndef SYN_SERIES_H
#define SYN_SERIES_H

#include "analyze/match/columns/column.h"
#include "analyze/report/figures/tally.h"
#include "analyze/stats/values/stats.h"

struct syn_series {
    const struct syn_column *column, *minus; /* values are column - minus; minus NULL: column */
    const struct syn_store *store;
    size_t first, count;
};

/* Reads values first .. first + count - 1 of the series into out [count], count <=
 * SYN_BLOCK_VALUES. Returns 0, SYN_EINVAL beyond the end, SYN_EIO of the store. */
int syn_series_read(const struct syn_series *series, size_t first, size_t count, int64_t *out);
/* Reads all values as doubles into x [series->count]. Returns as syn_series_read. */
int syn_series_values(const struct syn_series *series, double *x);
/* Sets bounds of the values: no value is outside, but the range may be too large
 * (syn_column_range). Requires count >= 1. */
void syn_series_range(const struct syn_series *series, int64_t *least, int64_t *most);

/* Tallies all values, or value + sign * shift if `shift` (a column parallel to series->column) is
 * not NULL. `out` has them in ascending order, in the tally's memory. Returns 0, SYN_EINVAL for
 * spans that a tally cannot hold, SYN_ENOMEM, SYN_EIO. */
int syn_series_count(const struct syn_series *series, const struct syn_column *shift, int sign,
                     struct syn_tally *tally, struct syn_ordered *out);
/* Summarizes a series like syn_summarize, from its tallied values and one more pass over the
 * series. The figures are the same, except that mean, sd and autocorrelations are computed from
 * exact sums and rounded once. Memory does not grow with the series. Returns 0, SYN_EINVAL,
 * SYN_EIO. */
int syn_series_summarize(const struct syn_series *series, const struct syn_ordered *sample,
                         double confidence, struct syn_summary *out);

#endif
