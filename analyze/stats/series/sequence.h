/* analyze/stats/series/sequence.h - a confidence sequence of the median.
 *
 * If measuring continues until an interval is narrow, the measurements decide when it stops. An
 * interval for a fixed number of measurements then covers the true value less often than its
 * confidence says. A confidence sequence covers it at all numbers of measurements at once. */
#ifndef SYN_STATS_SEQUENCE_H
#define SYN_STATS_SEQUENCE_H

#include <stddef.h>

/* Returns the smallest number of values for which `confidence` can be reached: 8 at 0.95. */
size_t syn_median_sequence_least(double confidence);

/* Returns the rank (1-based) from either end of n values at which the interval of their median
 * begins; 0 if n is too small. If m is the median of a continuous distribution from which the
 * values are drawn independently, the number k of n values below m is binomial with 1/2, and
 *     M_n(k) = integral over p from 0 to 1 of p^k (1-p)^(n-k) / 2^-n = 2^n / ((n + 1) C(n, k))
 * is a martingale of mean 1. So with probability `confidence` it never reaches 1 / (1 - confidence)
 * (Ville), and the interval contains all m for which it has not. No shape of the distribution is
 * assumed. After Robbins, Annals of Mathematical Statistics 41 (1970) 1397-1409; of quantiles:
 * Howard and Ramdas, Bernoulli 28 (2022) 1704-1728. */
size_t syn_median_sequence_rank(size_t n, double confidence);

struct syn_sequence {
    double median, low, high; /* interval NAN if there are too few values */
};
/* Computes median and interval of x [n], which is sorted. */
struct syn_sequence syn_median_sequence(double *x, size_t n, double confidence);

#endif
