/* analyze/stats/series/change.c - finds steps and trends of a series. */
#include "analyze/stats/series/change.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/stats/series/longrun.h"
#include "analyze/stats/series/waves.h"
#include "analyze/stats/values/distributions.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/status.h"

/* A step is at least this share of the series, and this number of values, away from both ends. */
#define EDGE_SHARE 0.01
#define EDGE_LEAST 5

double syn_kolmogorov_p(double x)
{
    double p = 0;
    if (x < 0.3) /* the result is 1 to nine decimals, and the sum converges slowly */
        return 1;
    for (int k = 1; k <= 20; k++)
        p += (k % 2 ? 2 : -2) * exp(-2.0 * k * k * x * x);
    return fmin(1, fmax(0, p));
}

/* Ranks less their mean, and the step and the line that explain them. */
struct ranks {
    double *y; /* [n] */
    size_t n;
    double squares;                    /* of y */
    double furthest;                   /* the largest |partial sum| */
    double step_squares, line_squares; /* explained by the step, by the line */
    size_t at;
    double step_before, step_after,
        slope; /* means of y before and after the step; slope of y on time */
};

/* Fits a step and a line to the midranks in r->y. */
static void fit(struct ranks *r)
{
    for (size_t i = 0; i < r->n; i++) {
        r->y[i] -= ((double)r->n + 1) / 2;
        r->squares += r->y[i] * r->y[i];
    }
    size_t edge = (size_t)fmax(EDGE_LEAST, EDGE_SHARE * (double)r->n);
    double sum = 0, n = (double)r->n;
    for (size_t k = 1; k < r->n; k++) {
        double before = (double)k;
        sum += r->y[k - 1];
        r->furthest = fmax(r->furthest, fabs(sum));
        double explained = sum * sum * n / (before * (n - before));
        if (k < edge || k > r->n - edge || explained <= r->step_squares)
            continue;
        r->step_squares = explained;
        r->at = k;
        r->step_before = sum / before;
        r->step_after = -sum / (n - before);
    }
    double middle = (n - 1) / 2, product = 0;
    double time_squares = n * (n * n - 1) / 12;
    for (size_t i = 0; i < r->n; i++)
        product += ((double)i - middle) * r->y[i];
    r->slope = product / time_squares;
    r->line_squares = r->slope * product;
}

/* Returns the sum of squares of the residuals, times their tau; NAN if they are too dependent. */
static double left_over(const struct ranks *r, bool line, double *scratch)
{
    double middle = ((double)r->n - 1) / 2;
    for (size_t i = 0; i < r->n; i++)
        scratch[i] = r->y[i] - (line        ? r->slope * ((double)i - middle)
                                : i < r->at ? r->step_before
                                            : r->step_after);
    double tau = fmax(syn_long_run_factor(scratch, r->n), syn_slow_factor(scratch, r->n));
    if (!((double)r->n / tau >= SYN_CHANGE_EFFECTIVE_LEAST))
        return NAN;
    return tau * (r->squares - (line ? r->line_squares : r->step_squares));
}

static void judge(const struct ranks *r, double *scratch, struct syn_change *out)
{
    double n = (double)r->n, step = left_over(r, false, scratch),
           line = left_over(r, true, scratch);
    out->is_trend = r->line_squares > r->step_squares;
    out->at = r->at;
    out->step = r->furthest / sqrt(step);
    out->step_p = isnan(step) ? NAN : syn_kolmogorov_p(out->step);
    out->trend_p = isnan(line) ? NAN : 2 * pnorm(-sqrt(r->line_squares * n / line), 0, 1, 1, 0);
    out->p = fmin(1, 2 * (out->is_trend ? out->trend_p : out->step_p));
    if (isnan(out->is_trend ? out->trend_p : out->step_p))
        out->p = NAN;
}

/* Returns the median of x[first] to x[end - 1]; order: of all x, by ascending value. */
static double median_in_order(const double *x, const size_t *order, size_t first, size_t end)
{
    const size_t count = end - first;
    double two[2] = {0, 0};
    if (count == 0)
        return NAN;
    for (size_t i = 0, seen = 0; seen <= count / 2; i++) {
        if (order[i] - first >= count) /* outside of the range */
            continue;
        two[0] = two[1];
        two[1] = x[order[i]];
        seen++;
    }
    return syn_quantile_sorted(count % 2 ? two + 1 : two, count % 2 ? 1 : 2, 0.5);
}

/* Plan: rank the series; fit the best step and the best line; decide which of them to report;
 * compute the medians on either side. */
int syn_change_find(const double *x, size_t n, struct syn_change *out)
{
    *out = (struct syn_change){0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0, NAN, NAN};
    if (n < SYN_CHANGE_EFFECTIVE_LEAST)
        return SYN_OK;
    double *rank = malloc(2 * n * sizeof *rank);
    size_t *order = malloc(n * sizeof *order);
    int status = rank && order ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        struct ranks r = {.y = rank, .n = n};
        syn_order(x, n, order);
        syn_midranks_of_order(x, n, order, rank);
        fit(&r);
        if (r.squares > 0)
            judge(&r, rank + n, out);
        if (isnan(out->p))
            out->at = 0;
        else {
            out->before = median_in_order(x, order, 0, out->at);
            out->after = median_in_order(x, order, out->at, n);
            /* Tukey's resistant line passes through the medians of the outer thirds, whose centres
             * are two thirds of the series apart. */
            size_t third = n / 3;
            double first = median_in_order(x, order, 0, third),
                   last = median_in_order(x, order, n - third, n);
            if (first > 0 && last > 0) {
                double rise = log(last / first) / (double)(n - third);
                out->begin = first * exp(-rise * (double)third / 2);
                out->end = last * exp(rise * (double)third / 2);
            }
        }
    }
    free(rank);
    free(order);
    if (status == SYN_OK && out->p < SYN_CHANGE_P)
        out->waves = syn_waves_ratio_of_change(x, n, out->is_trend ? 0 : out->at);
    return status;
}
