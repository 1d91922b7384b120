/* analyze/stats/samples/shape.c - means of several kinds, Q-Q points, normalization. */
#include "analyze/stats/samples/shape.h"

#include <stdlib.h>

#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

#define MEANS_MIN   20
#define SHAPIRO_MAX 5000

int syn_mean_interval(const double *x, size_t n, double confidence, struct syn_mean_interval *out)
{
    *out = (struct syn_mean_interval){NAN, NAN, NAN};
    if (n == 0 || !(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    out->mean = syn_mean(x, n);
    if (n < 2)
        return SYN_OK;
    double t = qt((1 + confidence) / 2, (double)(n - 1), 1, 0);
    double half_width = t * sqrt(syn_variance(x, n) / (double)n);
    out->low = out->mean - half_width;
    out->high = out->mean + half_width;
    return SYN_OK;
}

/* Returns the logarithms, to be freed; NULL if a value has none or there is no memory (*status). */
static double *logarithms(const double *x, size_t n, int *status)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0)) {
            *status = SYN_EINVAL;
            return NULL;
        }
    }
    double *copy = malloc((n + 1) * sizeof *copy);
    *status = copy ? SYN_OK : SYN_ENOMEM;
    for (size_t i = 0; copy && i < n; i++)
        copy[i] = log(x[i]);
    return copy;
}

int syn_geometric_mean(const double *x, size_t n, double confidence, struct syn_mean_interval *out)
{
    int status;
    *out = (struct syn_mean_interval){NAN, NAN, NAN};
    SYN_FREED double *logs = logarithms(x, n, &status);
    if (!logs)
        return status;
    status = syn_mean_interval(logs, n, confidence, out);
    out->mean = exp(out->mean);
    out->low = exp(out->low);
    out->high = exp(out->high);
    return status;
}

double syn_mean_rate(const double *duration_ns, size_t n, double bytes)
{
    double mean_ns = syn_mean(duration_ns, n);
    return mean_ns > 0 ? bytes / (mean_ns * 1e-9) : NAN;
}

int syn_shapiro_log_sorted(const double *sorted, size_t n, double *w, double *p)
{
    int status;
    SYN_FREED double *logs = logarithms(sorted, n, &status);
    if (!logs)
        return status;
    return syn_shapiro_sorted(logs, n, w, p);
}

size_t syn_qq_points(const double *sorted, size_t n, size_t point_max, double *normal,
                     double *sample)
{
    size_t count = syn_least(n, point_max);
    double a = n <= 10 ? 0.375 : 0.5; /* R's ppoints */
    for (size_t i = 0; i < count; i++) {
        double at = count > 1 ? (double)i * (double)(n - 1) / (double)(count - 1) : 0;
        size_t rank = (size_t)(at + 0.5);
        normal[i] = qnorm(((double)rank + 1 - a) / ((double)n + 1 - 2 * a), 0, 1, 1, 0);
        sample[i] = sorted[rank];
    }
    return count;
}

int syn_normalizing_block(const double *x, size_t n, double alpha, size_t *block)
{
    SYN_FREED double *mean = malloc(SHAPIRO_MAX * sizeof *mean);
    *block = 0;
    if (!mean)
        return SYN_ENOMEM;
    for (size_t k = 1; n / k >= MEANS_MIN && *block == 0; k *= 2) {
        size_t count = n / k < SHAPIRO_MAX ? n / k : SHAPIRO_MAX;
        double w, p;
        for (size_t i = 0; i < count; i++)
            mean[i] = syn_mean(x + i * k, k);
        syn_sort(mean, count);

        if (syn_shapiro_sorted(mean, count, &w, &p) == SYN_OK && p >= alpha)
            *block = k;
    }
    return SYN_OK;
}
