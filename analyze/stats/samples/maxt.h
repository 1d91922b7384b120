/* analyze/stats/samples/maxt.h - many comparisons of the same runs at once.
 *
 * Whole runs are dealt out to A and B anew, in all groups together. So the figures of one run,
 * which share its fate, stay together, and what is compared with a group's own difference is the
 * largest that any group shows by chance: the share of such divisions is its p, adjusted for all
 * groups. It counts how much the groups depend on each other, and is not bounded by (tests x the
 * least p of one test), as Holm's is. Source: P. Westfall, S. Young, Resampling-Based Multiple
 * Testing (1993), algorithm 2.8 (step-down maxT); S. Dudoit, J. Shaffer, J. Boldrick, Statistical
 * Science 18 (2003) 71-103. */
#ifndef SYN_STATS_MAXT_H
#define SYN_STATS_MAXT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/stats/samples/compare.h"

/* Number of divisions drawn if all are too many to go through: fewer for a very large table. */
#define SYN_MAXT_DRAWS       9999
#define SYN_MAXT_DRAWS_LEAST 999

/* One figure a run and row (a row is a group): x [row_count][na + nb], A's runs first. NAN: the run
 * has no such figure. A row without two figures a side, or of equal ones, is not tested. */
struct syn_maxt_table {
    const double *x;
    size_t row_count, na, nb;
};

struct syn_maxt_row {
    double z;                /* of B - A: the t statistic as a normal score; NAN where not tested */
    double p;                /* of this row by itself, of the same divisions */
    double p_adjusted;       /* over all rows */
    double least_difference; /* |mean B - mean A| that would just have been claimed at `alpha`,
                                with this row's spread */
};

struct syn_maxt {
    int exact;        /* all divisions, or else `divisions` drawn at random and the one that is */
    double divisions; /* that were looked at */
};

/* side: of B against A. seed: of the draws. row [row_count] out. The statistic is the two-sample t
 * statistic (equal variances), taken to a normal score by its degrees of freedom (Wallace 1959), so
 * that rows with different numbers of runs compare. Returns 0, SYN_EINVAL for fewer than 2 runs a
 * side or an alpha outside (0,1), SYN_ENOMEM. */
int syn_maxt_test(const struct syn_maxt_table *table, enum syn_side side, double alpha,
                  uint64_t seed, struct syn_maxt_row *row, struct syn_maxt *out);

#endif
