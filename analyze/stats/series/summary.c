/* analyze/stats/series/summary.c - computes all figures of one column. */
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/numeric.h"
#include "analyze/stats/values/ordered.h"
#include "sync/base/cleanup.h"
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
                        &out->cv,
                        &out->tail_share,
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

static void set_interval(const struct syn_ordered *sample, double z, double *low, double *high)
{
    size_t l, u;
    if (syn_median_interval_ranks(sample->n, z, &l, &u) != SYN_OK)
        return;
    *low = syn_ordered_at(sample, l);
    *high = syn_ordered_at(sample, u);
}

/* Returns the sum of (value - limit) over the values above `limit`. */
static double excess_above(const struct syn_ordered *sample, double limit)
{
    double sum = 0;
    if (sample->value) {
        for (size_t i = sample->n; i > 0 && sample->value[i - 1] > limit; i--)
            sum += sample->value[i - 1] - limit;
        return sum;
    }
    for (size_t i = sample->count_count; i > 0 && (double)sample->count[i - 1].value > limit; i--)
        sum +=
            (double)syn_ordered_times(sample, i - 1) * ((double)sample->count[i - 1].value - limit);
    return sum;
}

/* Sets sd, cv and tail_share; mean and median must be set. variance: NAN for n < 2. */
static void set_deviation(const struct syn_ordered *sample, double variance,
                          struct syn_summary *out)
{
    const bool has_size = out->mean > 0;
    out->sd = sqrt(variance);
    out->cv = has_size ? out->sd / out->mean : NAN;
    out->tail_share =
        has_size ? excess_above(sample, out->median) / ((double)sample->n * out->mean) : NAN;
}

static double variance_of(double squares, size_t n)
{
    return n < 2 ? NAN : squares / (double)(n - 1);
}

static void set_moments(const struct syn_ordered *sample, struct syn_summary *out)
{
    if (sample->value) {
        out->mean = syn_mean(sample->value, sample->n);
        const double squares = syn_sum_of_squares(sample->value, sample->n, out->mean);
        set_deviation(sample, variance_of(squares, sample->n), out);
        return;
    }
    struct syn_exact_sums sums = syn_ordered_sums(sample);
    syn_quad n = sample->n, sum = (syn_quad)sums.sum, squares = (syn_quad)sums.squares;
    out->mean = (double)((syn_quad)sample->origin + sum / n);
    set_deviation(sample, sample->n > 1 ? (double)((squares - sum * sum / n) / (n - 1)) : NAN, out);
}

double syn_two_sided_z(double confidence)
{
    return qnorm(1 - (1 - confidence) / 2, 0, 1, 1, 0);
}

/* Sets all figures except the moments. */
static void set_order_statistics(const struct syn_ordered *sample, double z,
                                 struct syn_summary *out)
{
    out->median = syn_ordered_quantile(sample, 0.5);
    out->q1 = syn_ordered_quantile(sample, 0.25);
    out->q3 = syn_ordered_quantile(sample, 0.75);
    out->p5 = syn_ordered_quantile(sample, 0.05);
    out->p95 = syn_ordered_quantile(sample, 0.95);
    out->p99 = syn_ordered_quantile(sample, 0.99);
    size_t l, u;
    out->p10 = syn_ordered_quantile(sample, 0.1);
    if (syn_quantile_interval_ranks(sample->n, 0.1, z, &l, &u) == SYN_OK) {
        out->p10_low = syn_ordered_at(sample, l);
        out->p10_high = syn_ordered_at(sample, u);
    }
    out->min = syn_ordered_at(sample, 1);
    out->max = syn_ordered_at(sample, sample->n);
    const double q1 = out->q1;
    const double q3 = out->q3;
    double reach = 1.5 * (q3 - q1);
    size_t inside_end = syn_ordered_below(sample, nextafter(q3 + reach, INFINITY));
    out->outliers_tukey = syn_ordered_below(sample, q1 - reach) + (sample->n - inside_end);
    set_interval(sample, z, &out->ci_low, &out->ci_high);
}

int syn_summarize_ordered(const struct syn_ordered *sample, double confidence,
                          struct syn_summary *out)
{
    if (!(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    summary_clear(out, sample->n);
    if (sample->n == 0)
        return SYN_OK;
    set_order_statistics(sample, syn_two_sided_z(confidence), out);
    set_moments(sample, out);
    return SYN_OK;
}

void syn_median_of_ordered(const struct syn_ordered *sample, double confidence,
                           struct syn_median *out)
{
    *out = (struct syn_median){NAN, NAN, NAN};
    if (sample->n == 0)
        return;
    out->value = syn_ordered_quantile(sample, 0.5);
    set_interval(sample, syn_two_sided_z(confidence), &out->low, &out->high);
}

int syn_summarize_sorted(const double *sorted, size_t n, double confidence, struct syn_summary *out)
{
    const struct syn_ordered sample = syn_ordered_array(sorted, n);
    return syn_summarize_ordered(&sample, confidence, out);
}

/* The columns whose moments are computed in parallel: clamped, sorted, and in the order of time. */
enum { CLAMPED, IN_ORDER, AS_IT_IS, COLUMNS };

/* Sets the figures that need more than order statistics. sample: x, ascending. */
static void set_measured(const double *x, const struct syn_ordered *sample, double confidence,
                         struct syn_summary *out)
{
    const size_t n = sample->n;
    /* The tau of a long column comes from x > median, and a short column has none; neither is
     * clamped. */
    SYN_FREED double *clamped =
        n < SYN_LONG_RUN_LEAST || n >= SYN_LONG_RUN_INDICATOR ? NULL : malloc(n * sizeof *clamped);
    if (clamped) {
        memcpy(clamped, x, n * sizeof *clamped);
        syn_clamp(clamped, n, sample->value);
    }
    const double *const column[COLUMNS] = {clamped ? clamped : x, sample->value, x};
    struct syn_centre centre[SYN_SIDE_BY_SIDE];
    const double *four[SYN_SIDE_BY_SIDE];
    double origin[SYN_SIDE_BY_SIDE], mean[SYN_SIDE_BY_SIDE], squares[SYN_SIDE_BY_SIDE];
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++) {
        four[k] = column[k < COLUMNS ? k : 0];
        origin[k] = k == IN_ORDER ? 0 : four[k][0];
    }
    syn_means_about(four, SYN_SIDE_BY_SIDE, n, origin, mean);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++) {
        centre[k] = (struct syn_centre){.origin = origin[k], .mean = mean[k]};
        mean[k] = origin[k] + mean[k];
    }
    syn_sums_of_squares(four, SYN_SIDE_BY_SIDE, n, mean, squares);
    for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
        centre[k].squares = squares[k];
    out->mean = centre[IN_ORDER].mean;
    set_deviation(sample, variance_of(centre[IN_ORDER].squares, n), out);
    const struct syn_interval_tau tau =
        clamped ? syn_interval_tau_of_clamped(clamped, n, &centre[CLAMPED])
                : syn_interval_tau_of_sorted(x, sample->value, n);
    out->n_effective = syn_effective(n, tau.width);
    set_interval(sample, syn_dependent_z(confidence, n, tau), &out->ci_dependent_low,
                 &out->ci_dependent_high);
    syn_acf(x, n, &centre[AS_IT_IS], SYN_ACF_LAGS, out->acf);
    syn_shapiro_sorted(sample->value, n, &out->shapiro_w, &out->shapiro_p);
}

int syn_summarize(const double *x, size_t n, double confidence, double *scratch,
                  struct syn_summary *out)
{
    const struct syn_ordered sample = syn_ordered_array(scratch, n);
    if (!(confidence > 0 && confidence < 1))
        return SYN_EINVAL;
    summary_clear(out, n);
    if (n == 0)
        return SYN_OK;
    memcpy(scratch, x, n * sizeof *x);
    syn_sort(scratch, n);
    set_order_statistics(&sample, syn_two_sided_z(confidence), out);
    set_measured(x, &sample, confidence, out);
    return SYN_OK;
}
