/* analyze/match/columns/row_ranks.h - midranks of a few numbers: the ranks' times of one instance
 * against each other. */
#ifndef SYN_ROW_RANKS_H
#define SYN_ROW_RANKS_H

#include <stddef.h>
#include <stdint.h>

/* Number of values that are compared each with each; more are to be sorted (syn_midranks). */
#define SYN_ROW_FEW  16
#define SYN_ROW_ROOM 3

/* The midrank of each, into rank [count], which has room for SYN_ROW_ROOM more; count <=
 * SYN_ROW_FEW. Returns the sum over ties of
 * t^3 - t. The same as syn_midranks, for speed. */
double syn_row_midranks(const int64_t *x, size_t count, double *rank);

#endif
