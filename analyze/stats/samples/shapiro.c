/* analyze/stats/samples/shapiro.c - the Shapiro-Wilk test of normality.
 * Source: P. Royston, Applied Statistics 44 (1995) 547-551, algorithm AS R94, whose polynomials are
 * the constants here. Its approximate weights and p-values are what R's shapiro.test gives. */
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

#define N_MAX    5000
#define HALF_MAX (N_MAX / 2)

/* c[0] + c[1] x + ... */
static double polynomial(const double *c, int count, double x)
{
    double value = 0;
    for (int i = count - 1; i >= 0; i--)
        value = value * x + c[i];
    return value;
}

/* Returns the weight of the value with a rank (from 0), from the weights of the upper half. */
static double weight_of(const double *a, size_t n, size_t rank)
{
    const size_t mirror = n - 1 - rank;
    return rank == mirror ? 0 : rank < mirror ? -a[rank] : a[mirror];
}

/* Computes the weights of the upper half, largest first; those of the lower half are their
 * negatives. */
static void weights(size_t n, double *a)
{
    static const double first[] = {0, .221157, -.147981, -2.07119, 4.434685, -2.706056};
    static const double second[] = {0, .042981, -.293762, -1.752461, 5.682633, -3.582633};
    size_t half = n / 2, polished = n > 5 ? 2 : 1;
    if (n == 3) {
        a[0] = sqrt(0.5);
        return;
    }
    double squares = 0;
    for (size_t i = 0; i < half; i++) {
        a[i] = -qnorm(((double)(i + 1) - 0.375) / ((double)n + 0.25), 0, 1, 1, 0);
        squares += 2 * a[i] * a[i];
    }
    double u = 1 / sqrt((double)n), norm = sqrt(squares);
    double top[2] = {polynomial(first, 6, u) + a[0] / norm, 0};
    double kept = squares - 2 * a[0] * a[0], left = 1 - 2 * top[0] * top[0];
    if (polished == 2) {
        top[1] = polynomial(second, 6, u) + a[1] / norm;
        kept -= 2 * a[1] * a[1];
        left -= 2 * top[1] * top[1];
    }
    double scale = sqrt(kept / left);
    for (size_t i = 0; i < half; i++)
        a[i] = i < polished ? top[i] : a[i] / scale;
}

/* The weights for samples of length n, and their sum of squares. Each thread keeps the last ones,
 * because the columns of a group, and often those of the next group, have the same length. */
struct weights {
    size_t n;
    double squares, a[HALF_MAX];
};

static const struct weights *weights_of(size_t n)
{
    static _Thread_local struct weights last;
    struct syn_sum squares = {0, 0};
    if (last.n == n)
        return &last;
    weights(n, last.a);
    for (size_t i = 0; i < n; i++) {
        const double weight = weight_of(last.a, n, i);
        syn_sum_add(&squares, weight * weight);
    }
    last.n = n;
    last.squares = syn_sum_value(&squares);
    return &last;
}

static double p_value(size_t n, double w1)
{
    static const double mean_small[] = {.544, -.39978, .025054, -6.714e-4};
    static const double log_sd_small[] = {1.3822, -.77857, .062767, -.0020322};
    static const double mean_large[] = {-1.5861, -.31082, -.083751, .0038915};
    static const double log_sd_large[] = {-.4803, -.082676, .0030302};
    double count = (double)n, y = log(w1), log_n = log(count);
    if (n == 3)
        return fmax(0, 1.90985931710274 * (asin(sqrt(1 - w1)) - 1.04719755119660)); /* 6/pi, pi/3 */
    if (n > 11)
        return pnorm(y, polynomial(mean_large, 4, log_n), exp(polynomial(log_sd_large, 3, log_n)),
                     0, 0);
    double gamma = -2.273 + .459 * count;
    if (y >= gamma)
        return 1e-99; /* as R: smaller than the approximation can compute */
    return pnorm(-log(gamma - y), polynomial(mean_small, 4, count),
                 exp(polynomial(log_sd_small, 4, count)), 0, 0);
}

int syn_shapiro_sorted(const double *sorted, size_t n, double *w, double *p)
{
    if (n < 3 || n > N_MAX || !(sorted[n - 1] > sorted[0]))
        return SYN_EINVAL;
    /* Compute 1 - W directly from the deviations, so that a W near 1 keeps its digits. */
    const struct weights *weights = weights_of(n);
    double range = sorted[n - 1] - sorted[0], mean = 0, scaled[N_MAX];
    double centre = syn_quantile_sorted(sorted, n, 0.5);
    struct syn_sum sum = {0, 0}, xx = {0, 0}, ax = {0, 0};
    for (size_t i = 0; i < n; i++)
        scaled[i] = (sorted[i] - centre) / range;
    for (size_t i = 0; i < n; i++)
        syn_sum_add(&sum, scaled[i]);
    mean = syn_sum_value(&sum) / (double)n;
    for (size_t i = 0; i < n; i++) {
        const double d = scaled[i] - mean;
        syn_sum_add(&xx, d * d);
        syn_sum_add(&ax, weight_of(weights->a, n, i) * d);
    }
    double ssx = syn_sum_value(&xx), sax = syn_sum_value(&ax), ssa = weights->squares;
    double product = sqrt(ssa * ssx);
    double w1 = (product - sax) * (product + sax) / (ssa * ssx);
    *w = 1 - w1;
    *p = p_value(n, w1);
    return SYN_OK;
}
