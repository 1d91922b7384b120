/* analyze/stats/values/table.h - differences between the columns of a table, several rows at once;
 * private to this folder. */
#ifndef SYN_STATS_TABLE_H
#define SYN_STATS_TABLE_H

#include <stddef.h>

/* x [k][n], column by column, less the median of each row. 0 or SYN_ENOMEM (x is as it was). */
int syn_take_row_medians(double *x, size_t n, size_t k);

/* Columns [count] of x [count][n], each as syn_clamp has it. scratch [n]. */
void syn_clamp_columns(double *x, size_t n, size_t count, double *scratch);

#endif
