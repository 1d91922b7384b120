/* analyze/stats/dependence.c - how far the values of a series, in the order of time, depend on one
 * another. */
#include "analyze/stats/dependence.h"
#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* So many lags are summed side by side: each sum waits for its own last addition alone. */
#define LAGS_AT_ONCE 4

/* The sums of products of values `lag` .. lag + count - 1 apart. Each in the order of i, whatever
 * goes on beside it. */
static void sum_lags(const double *x, size_t n, double origin, double mean, size_t lag,
                     size_t count, struct syn_sum *sum)
{
    size_t i = 0;
    for (; count == LAGS_AT_ONCE && i + lag + LAGS_AT_ONCE - 1 < n; i++) {
        const double own = x[i] - origin - mean;
#pragma GCC unroll 4
        for (size_t k = 0; k < LAGS_AT_ONCE; k++)
            syn_sum_add(&sum[k], own * (x[i + lag + k] - origin - mean));
    }
    for (size_t k = 0; k < count; k++)
        for (size_t j = i; j + lag + k < n; j++)
            syn_sum_add(&sum[k], (x[j] - origin - mean) * (x[j + lag + k] - origin - mean));
}

void syn_acf(const double *x, size_t n, size_t lag_count, double *out)
{
    double origin = n ? x[0] : 0, mean = syn_mean_about(x, n, origin);
    double squares = syn_sum_of_squares(x, n, origin + mean);
    for (size_t lag = 1; lag <= lag_count; lag += LAGS_AT_ONCE) {
        const size_t count = syn_least(lag_count - lag + 1, LAGS_AT_ONCE);
        struct syn_sum sum[LAGS_AT_ONCE] = {{0, 0}};
        if (squares > 0)
            sum_lags(x, n, origin, mean, lag, count, sum);
        for (size_t k = 0; k < count; k++)
            out[lag + k - 1] = n > lag + k && squares > 0 ? syn_sum_value(&sum[k]) / squares : NAN;
    }
}

int syn_ljung_box(const double *acf, size_t n, size_t lag_count, struct syn_portmanteau *out)
{
    double count = (double)n, sum = 0;
    *out = (struct syn_portmanteau){NAN, NAN, NAN};
    if (lag_count < 1 || n <= lag_count)
        return SYN_EINVAL;
    for (size_t lag = 1; lag <= lag_count; lag++)
        sum += acf[lag - 1] * acf[lag - 1] / (count - (double)lag);
    if (isnan(sum))
        return SYN_EINVAL;
    out->Q = count * (count + 2) * sum;
    out->df = (double)lag_count;
    out->p = pchisq(out->Q, out->df, 0, 0);
    return SYN_OK;
}

double syn_acf_bound(size_t n, double confidence)
{
    if (n == 0 || !(confidence > 0 && confidence < 1))
        return NAN;
    return qnorm((1 + confidence) / 2, 0, 1, 1, 0) / sqrt((double)n);
}

size_t syn_independent_lag(const double *acf, size_t n, size_t lag_count, double confidence)
{
    double bound = syn_acf_bound(n, confidence);
    for (size_t lag = 1; lag <= lag_count; lag++)
        if (fabs(acf[lag - 1]) <= bound)
            return lag;
    return 0;
}
