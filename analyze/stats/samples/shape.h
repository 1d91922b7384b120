/* analyze/stats/samples/shape.h - the shape of a column's distribution, and the means for each kind
 * of value (Hoefler & Belli 2015, section 3.1). */
#ifndef SYN_STATS_SHAPE_H
#define SYN_STATS_SHAPE_H

#include <stddef.h>

struct syn_mean_interval {
    double mean, low, high;
};

/* Computes the mean and its t interval (Hoefler & Belli 2015, section 3.1.2; R: t.test). The
 * interval assumes normal values, so a report must show a test of normality beside it. low and high
 * are NAN for n < 2. Returns 0, SYN_EINVAL for n == 0 or a confidence outside (0,1). */
int syn_mean_interval(const double *x, size_t n, double confidence, struct syn_mean_interval *out);

/* Computes the geometric mean and its interval: the exponentials of the t interval of the
 * logarithms ("log-normalization"). Returns as syn_mean_interval; SYN_EINVAL also if a value is not
 * above 0; SYN_ENOMEM. */
int syn_geometric_mean(const double *x, size_t n, double confidence, struct syn_mean_interval *out);

/* Returns the rate of n instances of `bytes` each with durations duration_ns [n], in bytes per
 * second: all bytes over all time, which is the harmonic mean of the single rates. NAN for n == 0
 * or if the durations sum up to 0. */
double syn_mean_rate(const double *duration_ns, size_t n, double bytes);

/* Shapiro-Wilk test of the logarithms of ascending x: whether x is lognormal. Returns as
 * syn_shapiro_sorted; SYN_EINVAL also if a value is not above 0; SYN_ENOMEM. */
int syn_shapiro_log_sorted(const double *sorted, size_t n, double *w, double *p);

/* Computes points of a Q-Q plot against the normal distribution: at most point_max, evenly over the
 * ranks, with the first and the last. normal [point_max] gets qnorm(ppoints(n)), sample [point_max]
 * the values (R: qqnorm). Returns the number of points. */
size_t syn_qq_points(const double *sorted, size_t n, size_t point_max, double *normal,
                     double *sample);

/* Finds the smallest k = 1, 2, 4, ... for which the means of k consecutive values pass Shapiro-Wilk
 * at alpha (Hoefler & Belli 2015, "Normalization"). x [n] in the order of time; only the first 5000
 * means are tested. *block is 0 if no k with at least 20 means passes. Returns 0 or SYN_ENOMEM. */
int syn_normalizing_block(const double *x, size_t n, double alpha, size_t *block);

#endif
