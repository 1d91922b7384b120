/* analyze/stats/samples/maxt.h - tests many groups of the same runs at once (step-down maxT).
 *
 * Whole runs are divided anew between A and B, in all groups together, so the figures of one run
 * stay together. A group's own difference is compared with the largest difference that any group
 * shows under such a division. The share of divisions in which the latter is at least as large is
 * the group's p, adjusted for all groups. This p takes account of the dependence between groups.
 * Unlike Holm's, it is not bounded below by (tests x the least p of one test). Source: P. Westfall,
 * S. Young, Resampling-Based Multiple Testing (1993), algorithm 2.8 (step-down maxT); S. Dudoit, J.
 * Shaffer, J. Boldrick, Statistical Science 18 (2003) 71-103. */
#ifndef SYN_STATS_MAXT_H
#define SYN_STATS_MAXT_H

#include <stddef.h>
#include <stdint.h>

#include "analyze/stats/samples/compare.h"

/* Number of divisions that are drawn if there are too many to use all. For a very large table it is
 * smaller, but at least SYN_MAXT_DRAWS_LEAST. */
#define SYN_MAXT_DRAWS       9999
#define SYN_MAXT_DRAWS_LEAST 999

/* One figure for each run and row (a row is a group): x [row_count][na + nb], A's runs first. NAN:
 * the run lacks this figure. A row is not tested if a side has fewer than two figures, or all are
 * equal. */
struct syn_maxt_table {
    const double *x;
    size_t row_count, na, nb;
};

struct syn_maxt_row {
    double z;                /* of B - A: the t statistic as a normal score; NAN: not tested */
    double p;                /* of this row alone, from the same divisions */
    double p_adjusted;       /* over all rows */
    double least_difference; /* the least |mean B - mean A| that is significant at `alpha`, given
                                this row's spread; NAN: none */
};

struct syn_maxt {
    int exact;        /* 1: all divisions; 0: the actual one and others drawn at random */
    double divisions; /* number of divisions used */
};

/* Tests all rows, B against A on `side`. seed: of the draws. Writes row [row_count]. The statistic
 * is the two-sample t statistic (equal variances), converted to a normal score by its degrees of
 * freedom (Wallace 1959), so that rows with different numbers of runs are comparable. Returns 0,
 * SYN_EINVAL for fewer than 2 runs on a side or an alpha outside (0,1), SYN_ENOMEM. */
int syn_maxt_test(const struct syn_maxt_table *table, enum syn_side side, double alpha,
                  uint64_t seed, struct syn_maxt_row *row, struct syn_maxt *out);

#endif
