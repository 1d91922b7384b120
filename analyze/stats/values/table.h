/* analyze/stats/values/table.h - prepares a table for comparisons of its columns, several rows or
 * columns at once; private to analyze/stats. */
#ifndef SYN_STATS_TABLE_H
#define SYN_STATS_TABLE_H

#include <stddef.h>

/* Subtracts the median of its row from each value of x [k][n], column by column. Returns 0 or
 * SYN_ENOMEM (x unchanged). */
int syn_take_row_medians(double *x, size_t n, size_t k);

/* Clamps each column of x [count][n] like syn_clamp. scratch [n]. */
void syn_clamp_columns(double *x, size_t n, size_t count, double *scratch);

#endif
