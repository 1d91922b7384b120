/* analyze/match/columns/row_ranks.h - midranks of a few numbers: the ranks' times of one instance
 * against each other. */
#ifndef SYN_ROW_RANKS_H
#define SYN_ROW_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Number of values that are compared each with each; more are to be sorted (syn_midranks). */
#define SYN_ROW_FEW 16

/* Writes the midrank of each into rank [count]; count <= SYN_ROW_FEW. Returns the sum over ties of
 * t^3 - t. Equals syn_midranks; a few numbers are ranked faster. */
double syn_row_midranks(const int64_t *x, size_t count, double *rank);

#endif
