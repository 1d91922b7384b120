/* analyze/stats/values/order.c - computes the order statistics between which a quantile lies. */
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

static size_t clamp_rank(double rank, size_t n)
{
    if (rank < 1)
        return 1;
    return rank > (double)n ? n : (size_t)rank;
}

int syn_median_interval_ranks(size_t n, double z, size_t *low, size_t *high)
{
    double count = (double)n, width = z * sqrt(count);
    if (n < 6 || !(z > 0))
        return SYN_EINVAL;
    *low = clamp_rank(floor((count - width) / 2), n);
    *high = clamp_rank(ceil(1 + (count + width) / 2), n);
    return SYN_OK;
}

int syn_quantile_interval_ranks(size_t n, double p, double z, size_t *low, size_t *high)
{
    double count = (double)n;
    if (n < 6 || !(z > 0) || !(p > 0 && p < 1))
        return SYN_EINVAL;
    double width = z * sqrt(count * p * (1 - p));
    double tail = pnorm(-z, 0, 1, 1, 0);
    if (pow(fmax(p, 1 - p), count) > tail)
        return SYN_EINVAL;
    *low = clamp_rank(floor(count * p - width), n);
    *high = clamp_rank(ceil(1 + count * p + width), n);
    return SYN_OK;
}

int syn_quantile_interval_exact(size_t n, double p, double confidence, size_t *low, size_t *high)
{
    if (n < 1 || !(p > 0 && p < 1) || !(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    double tail = (1 - confidence) / 2, count = (double)n;
    double l = qbinom(tail, count, p, 1, 0);
    double u = 1 + qbinom(tail, count, p, 0, 0);
    if (l < 1 || u > count)
        return SYN_EINVAL;
    *low = (size_t)l;
    *high = (size_t)u;
    return SYN_OK;
}
