/* analyze/stats/samples/quantreg.c - two-sample quantile regression. */
#include "analyze/stats/samples/quantreg.h"

#include <float.h>
#include <stdlib.h>

#include "analyze/stats/samples/bootstrap.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* Below this number of (effective) values a quantile has no meaningful interval (Hoefler & Belli
 * 2015, section 4.2.2). */
#define EFFECTIVE_MIN 6

/* Returns the 1-based rank of the regression's quantile. The tolerance covers the rounding error of
 * n * tau. */
static size_t point_rank(double n, double tau)
{
    double k = ceil(n * tau * (1 - 4 * DBL_EPSILON));
    return k < 1 ? 1 : k > n ? (size_t)n : (size_t)k;
}

/* Returns the least x with at least n * tau values of ascending x [n] at or below it. If n * tau is
 * whole, all values up to the next one minimize the check function, and this is the lower end. NAN
 * for n == 0 or tau outside (0,1). */
static double regression_point(const double *sorted, size_t n, double tau)
{
    if (n == 0 || !(tau > 0 && tau < 1))
        return NAN;
    return sorted[point_rank((double)n, tau) - 1];
}

static double effective_count(const struct syn_quantile_side *side)
{
    return (double)side->n / fmax(1, side->phi);
}

/* Returns the tau-quantile of one resample: the k-th smallest of m uniform numbers is Beta(k, m - k
 * + 1) distributed, and a uniform number u selects the value at rank ceil(n u). */
static double resampled_quantile(struct syn_random *random, const struct syn_quantile_side *side,
                                 double tau)
{
    double m = floor(effective_count(side)), k = (double)point_rank(m, tau);
    double u = qbeta(syn_random_unit(random), k, m - k + 1, 1, 0);
    double rank = ceil((double)side->n * u);
    size_t index = rank < 1 ? 0 : (size_t)rank - 1;
    return side->sorted[index < side->n ? index : side->n - 1];
}

static int sides_are_valid(const struct syn_quantile_side *a, const struct syn_quantile_side *b,
                           double confidence, size_t replicates)
{
    return a->n > 0 && b->n > 0 && confidence > 0 && confidence < 1 && replicates > 1;
}

static int sides_are_enough(const struct syn_quantile_side *a, const struct syn_quantile_side *b)
{
    return effective_count(a) >= EFFECTIVE_MIN && effective_count(b) >= EFFECTIVE_MIN;
}

struct replicates {
    double *base, *change;
    size_t count;
};

static void draw(const struct syn_quantile_side *a, const struct syn_quantile_side *b, double tau,
                 uint64_t seed, int as_ratio, const struct replicates *r)
{
    struct syn_random random;
    syn_random_seed(&random, seed);
    for (size_t i = 0; i < r->count; i++) {
        r->base[i] = resampled_quantile(&random, a, tau);
        double other = resampled_quantile(&random, b, tau);
        r->change[i] = as_ratio ? other / r->base[i] : other - r->base[i];
    }
    syn_sort(r->base, r->count);
    syn_sort(r->change, r->count);
}

int syn_quantile_effects(const struct syn_quantile_side *a, const struct syn_quantile_side *b,
                         const double *tau, size_t tau_count, double confidence, size_t replicates,
                         uint64_t seed, struct syn_quantile_effect *out)
{
    if (!sides_are_valid(a, b, confidence, replicates))
        return SYN_EINVAL;
    for (size_t i = 0; i < tau_count; i++)
        if (!(tau[i] > 0 && tau[i] < 1))
            return SYN_EINVAL;
    struct replicates r = {malloc(2 * replicates * sizeof *r.base), NULL, replicates};
    if (!r.base)
        return SYN_ENOMEM;
    r.change = r.base + replicates;
    for (size_t i = 0; i < tau_count; i++) {
        struct syn_quantile_effect *e = &out[i];
        *e = (struct syn_quantile_effect){tau[i], NAN, NAN, NAN, NAN, NAN, NAN};
        e->intercept = regression_point(a->sorted, a->n, tau[i]);
        e->effect = regression_point(b->sorted, b->n, tau[i]) - e->intercept;
        if (!sides_are_enough(a, b))
            continue;
        draw(a, b, tau[i], seed + i, 0, &r);
        syn_percentile_interval(r.base, replicates, confidence, &e->intercept_low,
                                &e->intercept_high);
        syn_percentile_interval(r.change, replicates, confidence, &e->low, &e->high);
    }
    free(r.base);
    return SYN_OK;
}

int syn_quantile_ratio(const struct syn_quantile_side *a, const struct syn_quantile_side *b,
                       double tau, double confidence, size_t replicates, uint64_t seed,
                       double *ratio, double *low, double *high)
{
    *ratio = *low = *high = NAN;
    if (!sides_are_valid(a, b, confidence, replicates) || !(tau > 0 && tau < 1) ||
        !(a->sorted[0] > 0))
        return SYN_EINVAL;
    *ratio = syn_quantile_sorted(b->sorted, b->n, tau) / syn_quantile_sorted(a->sorted, a->n, tau);
    if (!sides_are_enough(a, b))
        return SYN_OK;
    struct replicates r = {malloc(2 * replicates * sizeof *r.base), NULL, replicates};
    if (!r.base)
        return SYN_ENOMEM;
    r.change = r.base + replicates;
    draw(a, b, tau, seed, 1, &r);
    syn_percentile_interval(r.change, replicates, confidence, low, high);
    free(r.base);
    return SYN_OK;
}
