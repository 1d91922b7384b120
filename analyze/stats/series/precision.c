/* analyze/stats/series/precision.c - computes how many measurements a wanted precision needs. */
#include "analyze/stats/series/precision.h"

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"

#define COUNT_MIN 6.0
#define COUNT_MAX 9007199254740992.0 /* 2^53 */

int syn_precise_enough(double centre, double low, double high, double e)
{
    return low >= centre * (1 - e) && high <= centre * (1 + e);
}

double syn_count_for_mean(double mean, double sd, size_t n, double e, double confidence)
{
    if (n < 2 || !(mean > 0) || !(e > 0) || !(confidence > 0 && confidence < 1))
        return NAN;
    double t = syn_t_quantile(confidence, (double)(n - 1));
    double root = sd * t / (e * mean);
    return fmax(2, ceil(root * root));
}

struct wanted {
    const double *sorted;
    size_t n;
    double z, median, e;
};

/* Returns whether `count` measurements like these are precise enough. */
static int count_does(const struct wanted *w, double count)
{
    double half_width = w->z * sqrt(count);
    double low_rank = fmax(1, floor((count - half_width) / 2));
    double high_rank = fmin(count, ceil(1 + (count + half_width) / 2));
    /* A rank r of count is at the fraction (r - 1) / (count - 1) of the sample: the inverse of
     * quantile type 7. */
    double low = syn_quantile_sorted(w->sorted, w->n, (low_rank - 1) / (count - 1));
    double high = syn_quantile_sorted(w->sorted, w->n, (high_rank - 1) / (count - 1));
    return syn_precise_enough(w->median, low, high, w->e);
}

double syn_count_for_median(const double *sorted, size_t n, double phi, double e, double confidence)
{
    if ((double)n < COUNT_MIN || !(e > 0) || !(confidence > 0 && confidence < 1))
        return NAN;
    double z = qnorm((1 + confidence) / 2, 0, 1, 1, 0) * sqrt(fmax(1, phi));
    struct wanted w = {sorted, n, z, syn_quantile_sorted(sorted, n, 0.5), e};
    if (!(w.median > 0))
        return NAN;
    double low = COUNT_MIN, high = COUNT_MIN;
    while (!count_does(&w, high)) {
        if (high >= COUNT_MAX)
            return INFINITY;
        low = high;
        high *= 2;
    }
    /* Because ranks are rounded, the precision is not monotone in the count. The bisection ends at
     * a count that is enough and whose predecessor is not. */
    while (high - low > 1) {
        double middle = floor((low + high) / 2);
        if (count_does(&w, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

double syn_t_quantile(double confidence, double df)
{
    return qt((1 + confidence) / 2, df, 1, 0);
}
