/* analyze/stats/samples/shape.h - the shape of a column's distribution, and the means that suit it
 * (Hoefler & Belli 2015, section 3.1). */
#ifndef SYN_STATS_SHAPE_H
#define SYN_STATS_SHAPE_H

#include <stddef.h>

struct syn_mean_interval {
    double mean, low, high;
};

/* Mean and its t interval (Hoefler & Belli 2015, section 3.1.2; R: t.test). Show it only beside a
 * normality diagnostic. low and high are NAN for n < 2. Returns 0, SYN_EINVAL for n == 0 or a
 * confidence outside (0,1). */
int syn_mean_interval(const double *x, size_t n, double confidence, struct syn_mean_interval *out);

/* The geometric mean and its interval: the t interval of the logarithms, taken back
 * ("log-normalization"). SYN_EINVAL also where a value is not above 0; SYN_ENOMEM. */
int syn_geometric_mean(const double *x, size_t n, double confidence, struct syn_mean_interval *out);

/* The rate of n instances of `bytes` each that took duration_ns [n]: all bytes over all time, in
 * bytes a second, which is the harmonic mean of the single rates. NAN for n == 0 or no time at all.
 */
double syn_mean_rate(const double *duration_ns, size_t n, double bytes);

/* Shapiro-Wilk of the logarithms of ascending positive x: is it lognormal? Status as of
 * syn_shapiro_sorted, SYN_EINVAL also where a value is not above 0, SYN_ENOMEM. */
int syn_shapiro_log_sorted(const double *sorted, size_t n, double *w, double *p);

/* Points of a Q-Q plot against the normal distribution, at most point_max of them evenly over the
 * ranks, the first and last always among them: normal [point_max] gets qnorm(ppoints(n)), sample
 * [point_max] the values (R: qqnorm). Returns how many. */
size_t syn_qq_points(const double *sorted, size_t n, size_t point_max, double *normal,
                     double *sample);

/* The smallest k = 1, 2, 4, ... for which the means of k neighbours pass Shapiro-Wilk at alpha
 * (Hoefler & Belli 2015, "Normalization"). x [n] in the order of time; of more than 5000 means the
 * first 5000 are tested. 0 where none with 20 means or more passes, SYN_ENOMEM. */
int syn_normalizing_block(const double *x, size_t n, double alpha, size_t *block);

#endif
