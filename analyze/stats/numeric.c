/* analyze/stats/numeric.c - compensated sums, two-pass moments. */
#include "analyze/stats/numeric.h"

double syn_mean_about(const double *x, size_t n, double origin)
{
    struct syn_sum sum = {0, 0};
    if (n == 0)
        return NAN;
    for (size_t i = 0; i < n; i++)
        syn_sum_add(&sum, x[i] - origin);
    return syn_sum_value(&sum) / (double)n;
}

double syn_mean(const double *x, size_t n)
{
    return syn_mean_about(x, n, 0);
}

double syn_sum_of_squares(const double *x, size_t n, double mean)
{
    struct syn_sum squares = {0, 0}, rest = {0, 0};
    if (n == 0)
        return 0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - mean;
        syn_sum_add(&squares, d * d);
        syn_sum_add(&rest, d);
    }
    /* `mean` is rounded, so the deviations do not sum to 0: take out what that adds. */
    double r = syn_sum_value(&rest);
    return fmax(0, syn_sum_value(&squares) - r * r / (double)n);
}

double syn_variance(const double *x, size_t n)
{
    if (n < 2)
        return NAN;
    return syn_sum_of_squares(x, n, syn_mean(x, n)) / (double)(n - 1);
}
