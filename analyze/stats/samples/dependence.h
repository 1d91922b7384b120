/* analyze/stats/samples/dependence.h - is a series, in the order of time, a sample of independent
 * values? The autocorrelations themselves, and what dependence costs the median, are in stats.h. */
#ifndef SYN_STATS_DEPENDENCE_H
#define SYN_STATS_DEPENDENCE_H

#include <stddef.h>

struct syn_portmanteau {
    double Q, df, p;
};

/* Ljung-Box: are the autocorrelations at lag 1..lag_count zero together? R: Box.test(type =
 * "Ljung-Box"). acf [lag_count] as syn_acf gives it. Returns 0, or SYN_EINVAL for n <= lag_count,
 * no lags, or a NAN among them. */
int syn_ljung_box(const double *acf, size_t n, size_t lag_count, struct syn_portmanteau *out);

/* Below this magnitude an autocorrelation of n independent values stays with the given confidence:
 * the blue lines of R's plot of acf, z / sqrt(n). */
double syn_acf_bound(size_t n, double confidence);

/* The first lag whose autocorrelation lies within that bound: values so far apart may count as
 * independent (Kalibera & Vitek, "independent state"). 0 where none of the lag_count lags does. */
size_t syn_independent_lag(const double *acf, size_t n, size_t lag_count, double confidence);

#endif
