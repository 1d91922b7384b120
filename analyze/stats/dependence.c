/* analyze/stats/dependence.c - how far the values of a series, in the order of time, depend on one
 * another. */
#include "analyze/stats/dependence.h"
#include "analyze/stats/distributions.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/base/status.h"

void syn_acf(const double *x, size_t n, size_t lag_count, double *out)
{
    double origin = n ? x[0] : 0, mean = syn_mean_about(x, n, origin);
    double squares = syn_sum_of_squares(x, n, origin + mean);
    for (size_t lag = 1; lag <= lag_count; lag++) {
        struct syn_sum sum = {0, 0};
        out[lag - 1] = NAN;
        if (n <= lag || !(squares > 0))
            continue;
        for (size_t i = 0; i + lag < n; i++)
            syn_sum_add(&sum, (x[i] - origin - mean) * (x[i + lag] - origin - mean));
        out[lag - 1] = syn_sum_value(&sum) / squares;
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
