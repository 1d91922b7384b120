/* analyze/stats/samples/posthoc.h - tests that follow a test across ranks: which pairs of ranks
 * differ, and which ranks arrive last too often. */
#ifndef SYN_STATS_POSTHOC_H
#define SYN_STATS_POSTHOC_H

#include <stddef.h>

#include "analyze/stats/values/stats.h"

struct syn_pair {
    size_t i, j; /* i < j: samples or columns */
    double z;    /* above 0: i has the higher ranks */
    double p, p_adjusted;
};

/* Dunn's test after Kruskal-Wallis: all k (k-1) / 2 pairs, two-sided, corrected for ties, adjusted
 * by Holm. Source: O. J. Dunn, Technometrics 6 (1964) 241-252. Writes out [k (k-1) / 2]. A sample
 * without values has NAN pairs. Returns 0, SYN_EINVAL as syn_kruskal_wallis, SYN_ENOMEM. */
int syn_dunn_pairs(const struct syn_samples *samples, struct syn_pair *out);

/* Compares pairs of columns of x [block_count][k] by their mean ranks, after Friedman's test. z =
 * (R_i - R_j) / sqrt(k (k+1) / (6 n)) with the tie correction of the Friedman test; p is two-sided
 * normal, adjusted by Holm. Writes out [k (k-1) / 2]. Source: M. Hollander, D. Wolfe, Nonparametric
 * Statistical Methods, section 7.3; J. Demsar, JMLR 7 (2006), section 3.2.2. Returns 0, SYN_EINVAL,
 * SYN_ENOMEM. */
int syn_friedman_pairs(const double *x, size_t block_count, size_t k, struct syn_pair *out);

/* Tests for each of k parties (ranks, nodes or sockets) whether its share of last arrivals differs
 * from chance. last [k]: counts; members [k]: number of ranks in a party, whose chance is members /
 * sum. Writes p [k]: two-sided binomial (R: binom.test), adjusted by Holm. Returns 0, SYN_EINVAL
 * for k < 2 or no counts, SYN_ENOMEM. */
int syn_last_arriver_test(const size_t *last, const size_t *members, size_t k, double *p);

#endif
