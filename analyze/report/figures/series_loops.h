/* analyze/report/figures/series_loops.h - the loops over whole series in which a report's figures
 * take most time. Each has a second version for newer processors (sync/time/cpu.h). */
#ifndef SYN_SERIES_LOOPS_H
#define SYN_SERIES_LOOPS_H

#include <stddef.h>
#include <stdint.h>

/* Converts value [count] to doubles, rounded to nearest as a cast rounds them. */
void syn_doubles_of(const int64_t *value, size_t count, double *out);

/* The longest piece of a series for syn_sums_of_products. */
#define SYN_PRODUCTS_MAX 1024
/* Returns how many values are above `limit`. */
size_t syn_count_above(const int64_t *value, size_t count, int64_t limit);
/* Adds to sum[lag - 1], for each lag up to lag_count, the products of value[i] and value[i - lag],
 * i < count. `before` (<= lag_count) values lie in front of value[0]; products with values further
 * back are left out. count <= SYN_PRODUCTS_MAX. Exact. */
void syn_sums_of_products(const int64_t *value, size_t count, size_t before, size_t lag_count,
                          __int128 *sum);

#endif
