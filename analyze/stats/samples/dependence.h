/* analyze/stats/samples/dependence.h - tests whether a series, in the order of time, is a sample of
 * independent values. The autocorrelations, and the effect of dependence on the median, are in
 * stats.h. */
#ifndef SYN_STATS_DEPENDENCE_H
#define SYN_STATS_DEPENDENCE_H

#include <stddef.h>

struct syn_portmanteau {
    double Q, df, p;
};

/* Ljung-Box test of whether the autocorrelations at lags 1..lag_count are all zero. R:
 * Box.test(type = "Ljung-Box"). acf [lag_count] as computed by syn_acf. Returns 0, or SYN_EINVAL
 * for n <= lag_count, no lags, or a NAN among them. */
int syn_ljung_box(const double *acf, size_t n, size_t lag_count, struct syn_portmanteau *out);

/* Returns the magnitude below which an autocorrelation of n independent values lies with the given
 * confidence: z / sqrt(n), the blue lines of R's plot of acf. */
double syn_acf_bound(size_t n, double confidence);

/* Returns the first lag whose autocorrelation lies within that bound: values that far apart may
 * count as independent (Kalibera & Vitek, "independent state"). Returns 0 if none of the lag_count
 * lags has one. */
size_t syn_independent_lag(const double *acf, size_t n, size_t lag_count, double confidence);

#endif
