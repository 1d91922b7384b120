/* analyze/stats/summary.c - everything a report says of one column. */
#include <string.h>

#include "analyze/stats/distributions.h"
#include "analyze/stats/longrun.h"
#include "analyze/stats/numeric.h"
#include "analyze/stats/stats.h"
#include "sync/base/status.h"

static void summary_clear(struct syn_summary *out, size_t n)
{
    *out = (struct syn_summary){.n = n};
    double *figure[] = {&out->median,
                        &out->ci_low,
                        &out->ci_high,
                        &out->q1,
                        &out->q3,
                        &out->p5,
                        &out->p10,
                        &out->p10_low,
                        &out->p10_high,
                        &out->p95,
                        &out->p99,
                        &out->min,
                        &out->max,
                        &out->mean,
                        &out->sd,
                        &out->n_effective,
                        &out->ci_dependent_low,
                        &out->ci_dependent_high,
                        &out->shapiro_w,
                        &out->shapiro_p};
    for (size_t i = 0; i < sizeof figure / sizeof *figure; i++)
        *figure[i] = NAN;
    for (size_t i = 0; i < SYN_ACF_LAGS; i++)
        out->acf[i] = NAN;
}

static size_t lower_bound(const double *sorted, size_t n, double value)
{
    size_t low = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (sorted[low + half] < value) {
            low += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return low;
}

static size_t count_outliers(const double *sorted, size_t n, double q1, double q3)
{
    double reach = 1.5 * (q3 - q1);
    size_t below = lower_bound(sorted, n, q1 - reach);
    size_t inside_end = lower_bound(sorted, n, nextafter(q3 + reach, INFINITY));
    return below + (n - inside_end);
}

static void set_interval(const double *sorted, size_t n, double z, double *low, double *high)
{
    size_t l, u;
    if (syn_median_interval_ranks(n, z, &l, &u) != SYN_OK)
        return;
    *low = sorted[l - 1];
    *high = sorted[u - 1];
}

static void set_tenth(const double *sorted, size_t n, double z, struct syn_summary *out)
{
    size_t l, u;
    out->p10 = syn_quantile_sorted(sorted, n, 0.1);
    if (syn_quantile_interval_ranks(n, 0.1, z, &l, &u) != SYN_OK)
        return;
    out->p10_low = sorted[l - 1];
    out->p10_high = sorted[u - 1];
}

double syn_two_sided_z(double confidence)
{
    return qnorm(1 - (1 - confidence) / 2, 0, 1, 1, 0);
}

int syn_summarize_sorted(const double *sorted, size_t n, double confidence, struct syn_summary *out)
{
    if (!(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    summary_clear(out, n);
    if (n == 0)
        return SYN_OK;
    out->median = syn_quantile_sorted(sorted, n, 0.5);
    out->q1 = syn_quantile_sorted(sorted, n, 0.25);
    out->q3 = syn_quantile_sorted(sorted, n, 0.75);
    out->p5 = syn_quantile_sorted(sorted, n, 0.05);
    out->p95 = syn_quantile_sorted(sorted, n, 0.95);
    out->p99 = syn_quantile_sorted(sorted, n, 0.99);
    set_tenth(sorted, n, syn_two_sided_z(confidence), out);
    out->min = sorted[0];
    out->max = sorted[n - 1];
    out->mean = syn_mean(sorted, n);
    out->sd = sqrt(syn_variance(sorted, n));
    out->outliers_tukey = count_outliers(sorted, n, out->q1, out->q3);
    set_interval(sorted, n, syn_two_sided_z(confidence), &out->ci_low, &out->ci_high);
    return SYN_OK;
}

int syn_summarize(const double *x, size_t n, double confidence, double *scratch,
                  struct syn_summary *out)
{
    if (n)
        memcpy(scratch, x, n * sizeof *x);
    syn_sort(scratch, n);
    int status = syn_summarize_sorted(scratch, n, confidence, out);
    if (status != SYN_OK || n == 0)
        return status;
    double factor = syn_interval_factor_of_sorted(x, scratch, n);
    out->n_effective = (double)n / factor;
    set_interval(scratch, n, syn_dependent_z(confidence, n, factor), &out->ci_dependent_low,
                 &out->ci_dependent_high);
    syn_acf(x, n, SYN_ACF_LAGS, out->acf);
    syn_shapiro_sorted(scratch, n, &out->shapiro_w, &out->shapiro_p);
    return SYN_OK;
}
