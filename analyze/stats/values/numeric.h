/* analyze/stats/values/numeric.h - sums and moments without loss of digits. */
#ifndef SYN_STATS_NUMERIC_H
#define SYN_STATS_NUMERIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sync/time/cpu.h"

/* Neumaier's compensated sum: its error does not grow with the number of terms. Source: A.
 * Neumaier, ZAMM 54 (1974) 39-51. The rounding error of each addition is computed by Knuth, volume
 * 2, 4.2.2, theorem B: the same number, exactly, without a comparison of the two terms. For
 * deviations from a mean, processors predict that comparison badly. Start from {0, 0}. */
struct syn_sum {
    double total, lost;
};

static inline void syn_sum_add(struct syn_sum *sum, double x)
{
    const double next = sum->total + x, added = next - sum->total;
    sum->lost += (sum->total - (next - added)) + (x - added);
    sum->total = next;
}

static inline double syn_sum_value(const struct syn_sum *sum)
{
    return sum->total + sum->lost;
}

/* Four such sums in parallel: each addition depends only on the previous one of its own sum. */
#define SYN_SIDE_BY_SIDE 4
typedef double syn_four __attribute__((vector_size(32), aligned(8)));
struct syn_four_sums {
    syn_four total, lost;
};

static inline __attribute__((always_inline)) void syn_four_add(struct syn_four_sums *sum,
                                                               const syn_four *x)
{
    const syn_four next = sum->total + *x, added = next - sum->total;
    sum->lost += (sum->total - (next - added)) + (*x - added);
    sum->total = next;
}

/* Returns the bits of a finite double as an unsigned number with the same order: all bits of a
 * negative number are flipped, else the sign bit. -0 comes right before 0. */
static inline uint64_t syn_key_of(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (UINT64_C(1) << 63);
}

static inline double syn_number_of(uint64_t key)
{
    uint64_t bits = key >> 63 ? key & ~(UINT64_C(1) << 63) : ~key;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Returns the arithmetic mean of x [n]; NAN for n == 0. */
double syn_mean(const double *x, size_t n);

/* Returns the mean of x - origin. It keeps the digits of values whose differences are small
 * compared with them, for which the mean itself would be rounded (0.1 ns at 10^15). NAN for n == 0.
 */
double syn_mean_about(const double *x, size_t n, double origin);

/* Returns the sum over x [n] of (x - mean)^2, corrected for the rounding of `mean`. 0 for n == 0.
 */
double syn_sum_of_squares(const double *x, size_t n, double mean);

/* Computes means, or sums of squares, of several columns x [count], each [n], with the same digits
 * as one by one. SYN_SIDE_BY_SIDE columns are processed in parallel: each addition depends only on
 * the previous one of its own sum. */
#define SYN_SIDE_BY_SIDE 4
void syn_means_about(const double *const *x, size_t count, size_t n, const double *origin,
                     double *mean);
void syn_sums_of_squares(const double *const *x, size_t count, size_t n, const double *mean,
                         double *squares);

/* The centre of a column: mean of x - origin, and sum of squares about origin + mean. */
struct syn_centre {
    double origin, mean, squares;
};
/* Computes the autocorrelations of x [n] at lags 1..lag_count, as R's acf; out [lag_count]. */
void syn_acf(const double *x, size_t n, const struct syn_centre *centre, size_t lag_count,
             double *out);

/* Moves values of y [n] outside of the 5 % and 95 % quantiles of sorted [n] to these. */
void syn_clamp(double *y, size_t n, const double *sorted);
struct syn_interval_tau; /* analyze/stats/series/longrun.h */
/* Like syn_interval_tau_of_sorted, for at least SYN_LONG_RUN_LEAST and fewer than
 * SYN_LONG_RUN_INDICATOR values, which are clamped (syn_clamp) already. centre: of y, with y[0] as
 * origin. */
struct syn_interval_tau syn_interval_tau_of_clamped(const double *y, size_t n,
                                                    const struct syn_centre *centre);

/* Returns the unbiased variance (divided by n - 1); NAN for n < 2. */
double syn_variance(const double *x, size_t n);

/* Returns how often each value of a long x [n] occurs: of *least, *least + 1, ... [*count]. The
 * caller frees the result. Returns NULL if differences from the least value are not whole numbers
 * (bit by bit), if their range is larger than n, if there are few values, or without memory. */
uint32_t *syn_counts_of_whole(const double *x, size_t n, double *least, size_t *count);

#endif
