/* analyze/stats/series/precision.h - are these measurements enough, and if not, how many would be?
 * Enough: the interval lies within e of its centre, e.g. e = 0.05 for 5 %. Sources:
 * Hoefler & Belli 2015, section 4.2.2; Hoefler, "How many measurements do you need". */
#ifndef SYN_STATS_PRECISION_H
#define SYN_STATS_PRECISION_H

#include <stddef.h>

/* 1 where centre * (1 - e) <= low and high <= centre * (1 + e). 0 also where anything is NAN. */
int syn_precise_enough(double centre, double low, double high, double e);

/* Measurements in all for the t interval of the mean, from n measured ones: (sd t(n-1) / (e
 * mean))^2, rounded up (Hoefler & Belli 2015, section 4.2.2). Only for normal data. At least 2; NAN
 * for n < 2, mean <= 0 or e <= 0. */
double syn_count_for_mean(double mean, double sd, size_t n, double e, double confidence);

/* Measurements in all for the order-statistic interval of the median, from ascending measured ones.
 * There is no formula without a distribution (Hoefler, "How many measurements"), so the measured
 * values stand in for it: the smallest count N at which the quantiles of `sorted` at the interval's
 * ranks for N, as fractions of N, lie within e of the median. phi: syn_dependence_factor. At least
 * 6; NAN for n < 6, a median <= 0 or e <= 0; INFINITY where no count below 2^53 does. From a pilot
 * of few values it is an order of magnitude, no more. */
double syn_count_for_median(const double *sorted, size_t n, double phi, double e,
                            double confidence);

/* The half width of an interval in standard errors: Student's t quantile for both tails. */
double syn_t_quantile(double confidence, double df);

#endif
