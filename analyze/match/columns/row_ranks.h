/* analyze/match/columns/row_ranks.h - midranks of a few numbers, such as the ranks' times in one
 * instance. */
#ifndef SYN_ROW_RANKS_H
#define SYN_ROW_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Largest number of values that are compared in pairs. More are sorted (syn_midranks). */
#define SYN_ROW_FEW 16

/* Writes the midrank of each value to rank [count]; count <= SYN_ROW_FEW. Returns the sum over ties
 * of t^3 - t. Has the results of syn_midranks, and is faster. */
double syn_row_midranks(const int64_t *x, size_t count, double *rank);

#endif
