/* analyze/stats/samples/dependence.c - computes and tests autocorrelations of a series in the order
 * of time. */
#include "analyze/stats/samples/dependence.h"

#include <string.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Number of lags that are summed in parallel, one sum for each. */
#define FOURS        3
#define LAGS_AT_ONCE (FOURS * SYN_SIDE_BY_SIDE)
/* Number of values that are processed at once. */
#define AT_ONCE 256

/* Adds the products of values [count] and those at the following lags, ahead [count + LAGS_AT_ONCE
 * - 1], in the order of the values. */
static void add_products(const double *own, const double *ahead, size_t count,
                         struct syn_four_sums *to)
{
    struct syn_four_sums sum[FOURS];
    memcpy(sum, to, sizeof sum);
    for (size_t i = 0; i < count; i++)
#pragma GCC unroll 3
        for (size_t k = 0; k < FOURS; k++) {
            syn_four product;
            memcpy(&product, ahead + i + k * SYN_SIDE_BY_SIDE, sizeof product);
            product *= own[i];
            syn_four_add(&sum[k], &product);
        }
    memcpy(to, sum, sizeof sum);
}

/* Sums the products of values that are `lag` and more apart. Values beyond the end count as 0,
 * which adds nothing. */
static void sum_lags(const double *x, size_t n, double origin, double mean, size_t lag,
                     struct syn_four_sums *sum)
{
    double own[AT_ONCE], ahead[AT_ONCE + LAGS_AT_ONCE - 1];
    for (size_t first = 0; first + lag < n; first += AT_ONCE) {
        const size_t count = syn_least(n - first - lag, AT_ONCE), behind = n - first - lag;
        for (size_t i = 0; i < count; i++)
            own[i] = x[first + i] - origin - mean;
        for (size_t i = 0; i < count + LAGS_AT_ONCE - 1; i++)
            ahead[i] = i < behind ? x[first + lag + i] - origin - mean : 0;
        add_products(own, ahead, count, sum);
    }
}

void syn_acf(const double *x, size_t n, const struct syn_centre *centre, size_t lag_count,
             double *out)
{
    const double squares = centre->squares;
    for (size_t lag = 1; lag <= lag_count; lag += LAGS_AT_ONCE) {
        const size_t count = syn_least(lag_count - lag + 1, LAGS_AT_ONCE);
        struct syn_four_sums sums[FOURS] = {{{0}, {0}}};
        if (squares > 0)
            sum_lags(x, n, centre->origin, centre->mean, lag, sums);
        for (size_t k = 0; k < count; k++) {
            const struct syn_four_sums *sum = &sums[k / SYN_SIDE_BY_SIDE];
            const size_t at = k % SYN_SIDE_BY_SIDE;
            out[lag + k - 1] =
                n > lag + k && squares > 0 ? (sum->total[at] + sum->lost[at]) / squares : NAN;
        }
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
