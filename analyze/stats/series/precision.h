/* analyze/stats/series/precision.h - tells whether measurements are precise enough, and if not, how
 * many would be. Precise enough: the interval lies within e of its centre, e.g. e = 0.05 for 5 %.
 * Sources: Hoefler & Belli 2015, section 4.2.2; Hoefler, "How many measurements do you need". */
#ifndef SYN_STATS_PRECISION_H
#define SYN_STATS_PRECISION_H

#include <stddef.h>

/* Returns 1 if centre * (1 - e) <= low and high <= centre * (1 + e), else 0; 0 also if an argument
 * is NAN. */
int syn_precise_enough(double centre, double low, double high, double e);

/* Returns the total number of measurements for the t interval of the mean, from n that were made:
 * (sd t(n-1) / (e mean))^2, rounded up (Hoefler & Belli 2015, section 4.2.2). Valid only for normal
 * values. At least 2; NAN for n < 2, mean <= 0 or e <= 0. */
double syn_count_for_mean(double mean, double sd, size_t n, double e, double confidence);

/* Returns the total number of measurements for the order-statistic interval of the median, from
 * ascending measured values. A formula would need a distribution (Hoefler, "How many
 * measurements"), so the measured values represent it. The result is the smallest count N at which
 * the quantiles of `sorted` at the interval's ranks for N, as fractions of N, lie within e of the
 * median. phi: syn_dependence_factor. At least 6; NAN for n < 6, a median <= 0 or e <= 0; INFINITY
 * if no count below 2^53 is enough. From a pilot of few values the result is only an order of
 * magnitude. */
double syn_count_for_median(const double *sorted, size_t n, double phi, double e,
                            double confidence);

/* Returns the half width of an interval in standard errors: Student's t quantile for both tails. */
double syn_t_quantile(double confidence, double df);

#endif
