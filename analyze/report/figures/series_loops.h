/* analyze/report/figures/series_loops.h - the loops over whole series that take most of a report's
 * figures' time, each with a second version for newer processors (sync/time/cpu.h). */
#ifndef SYN_SERIES_LOOPS_H
#define SYN_SERIES_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Values [count] as doubles, each rounded to the nearest as a conversion rounds it. */
void syn_doubles_of(const int64_t *value, size_t count, double *out);

/* The longest piece of a series whose products are summed at once. */
#define SYN_PRODUCTS_MAX 1024
/* How many values are above `limit`. */
size_t syn_count_above(const int64_t *value, size_t count, int64_t limit);
/* Add to sum[lag - 1], for each lag up to lag_count, the products of value[i] [count] with
 * value[i - lag], as far as that is among the values or the `before` (<= lag_count) that lie in
 * front of them. count <= SYN_PRODUCTS_MAX. Exact. */
void syn_sums_of_products(const int64_t *value, size_t count, size_t before, size_t lag_count,
                          __int128 *sum);

#endif
