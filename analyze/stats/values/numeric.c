/* analyze/stats/values/numeric.c - compensated sums, two-pass moments. */
#include "analyze/stats/values/numeric.h"

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
    /* `mean` is rounded, so the deviations do not sum up to 0: subtract the effect of that. */
    double r = syn_sum_value(&rest);
    return fmax(0, syn_sum_value(&squares) - r * r / (double)n);
}

double syn_variance(const double *x, size_t n)
{
    if (n < 2)
        return NAN;
    return syn_sum_of_squares(x, n, syn_mean(x, n)) / (double)(n - 1);
}

/* ---- of several columns ---- */

void syn_means_about(const double *const *x, size_t count, size_t n, const double *origin,
                     double *mean)
{
    size_t c = 0;
    for (; c + SYN_SIDE_BY_SIDE <= count && n > 0; c += SYN_SIDE_BY_SIDE) {
        const double *const *four = x + c;
        struct syn_four_sums sum = {{0}, {0}};
        const syn_four below = {origin[c], origin[c + 1], origin[c + 2], origin[c + 3]};
        for (size_t i = 0; i < n; i++) {
            const syn_four row = {four[0][i], four[1][i], four[2][i], four[3][i]},
                           above = row - below;
            syn_four_add(&sum, &above);
        }
        for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++)
            mean[c + k] = (sum.total[k] + sum.lost[k]) / (double)n;
    }
    for (; c < count; c++)
        mean[c] = syn_mean_about(x[c], n, origin[c]);
}

void syn_sums_of_squares(const double *const *x, size_t count, size_t n, const double *mean,
                         double *squares)
{
    size_t c = 0;
    for (; c + SYN_SIDE_BY_SIDE <= count && n > 0; c += SYN_SIDE_BY_SIDE) {
        const double *const *four = x + c;
        struct syn_four_sums sum = {{0}, {0}}, rest = {{0}, {0}};
        const syn_four middle = {mean[c], mean[c + 1], mean[c + 2], mean[c + 3]};
        for (size_t i = 0; i < n; i++) {
            const syn_four row = {four[0][i], four[1][i], four[2][i], four[3][i]}, d = row - middle,
                           square = d * d;
            syn_four_add(&sum, &square);
            syn_four_add(&rest, &d);
        }
        for (size_t k = 0; k < SYN_SIDE_BY_SIDE; k++) {
            const double r = rest.total[k] + rest.lost[k];
            squares[c + k] = fmax(0, sum.total[k] + sum.lost[k] - r * r / (double)n);
        }
    }
    for (; c < count; c++)
        squares[c] = syn_sum_of_squares(x[c], n, mean[c]);
}
