/* analyze/stats/series/sequence.h - an interval that holds however often one looks.
 *
 * Whoever measures until an interval is narrow stops at a moment that the measurements have chosen,
 * and an interval of a fixed number of them then covers less than it says. A confidence sequence
 * covers at all numbers at once. */
#ifndef SYN_STATS_SEQUENCE_H
#define SYN_STATS_SEQUENCE_H

#include <stddef.h>

/* The fewest values for which `confidence` is in reach: 8 at 0.95. */
size_t syn_median_sequence_least(double confidence);

/* The rank (1-based) from either end of n values at which the interval of their median begins; 0
 * where n is too small. If m is the median of what continuous values are drawn from, independently,
 * the number k of n values below it is binomial with 1/2, and
 *     M_n(k) = integral over p from 0 to 1 of p^k (1-p)^(n-k) / 2^-n = 2^n / ((n + 1) C(n, k))
 * is a martingale of mean 1, so that with probability `confidence` it never reaches
 * 1 / (1 - confidence) (Ville): the interval is of all m for which it has not. No shape of the
 * distribution is assumed. After Robbins, Annals of Mathematical Statistics 41 (1970) 1397-1409;
 * of quantiles: Howard and Ramdas, Bernoulli 28 (2022) 1704-1728. */
size_t syn_median_sequence_rank(size_t n, double confidence);

struct syn_sequence {
    double median, low, high; /* interval NAN where there are too few values */
};
/* Computes it from values in the order in which they came; sorts them. */
struct syn_sequence syn_median_sequence(double *x, size_t n, double confidence);

#endif
