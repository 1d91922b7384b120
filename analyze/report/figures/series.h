/* analyze/report/figures/series.h - a metric of a group's instances, in the order of time, read in
 * pieces; and what is computed of series too long for arrays. */
#ifndef SYN_SERIES_H
#define SYN_SERIES_H

#include "analyze/match/columns/column.h"
#include "analyze/report/figures/tally.h"
#include "analyze/stats/values/stats.h"

struct syn_series {
    const struct syn_column *column, *minus; /* minus NULL: nothing is subtracted */
    const struct syn_store *store;
    size_t first, count;
};

/* Values first .. first + count - 1 of the series into out [count], count <= SYN_BLOCK_VALUES.
 * Returns 0, SYN_EINVAL beyond the end, SYN_EIO of the store. */
int syn_series_read(const struct syn_series *series, size_t first, size_t count, int64_t *out);
/* All of them as doubles, x [series->count]. */
int syn_series_values(const struct syn_series *series, double *x);
/* No value is outside; count >= 1. */
void syn_series_range(const struct syn_series *series, int64_t *least, int64_t *most);

/* Count all values, or with `shift` (a column beside series->column) value + sign * shift: in order
 * then, in the tally's memory. Returns 0, SYN_EINVAL for spans that a tally cannot hold,
 * SYN_ENOMEM, SYN_EIO. */
int syn_series_count(const struct syn_series *series, const struct syn_column *shift, int sign,
                     struct syn_tally *tally, struct syn_ordered *out);
/* syn_summarize in one pass more, of its values counted. The same figures, but that mean, sd and
 * autocorrelations are rounded once from exact sums. Memory does not grow with the series. Returns
 * 0, SYN_EINVAL, SYN_EIO. */
int syn_series_summarize(const struct syn_series *series, const struct syn_ordered *sample,
                         double confidence, struct syn_summary *out);

#endif
