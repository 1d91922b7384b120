/* analyze/stats/values/numeric.h - sums and moments that keep their digits, private to this folder.
 */
#ifndef SYN_STATS_NUMERIC_H
#define SYN_STATS_NUMERIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "sync/time/cpu.h"

/* Neumaier's compensated sum: the error does not grow with the number of terms.
 * Source: A. Neumaier, ZAMM 54 (1974) 39-51; what an addition loses by Knuth, volume 2, 4.2.2,
 * theorem B: the same number, exactly, without asking which of the two is larger, which of
 * deviations from a mean nobody predicts. Start from {0, 0}. */
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

/* Four such sums side by side: each waits for its own last addition alone. */
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

/* The bits of a finite double as an unsigned number of the same order: of a negative one all bits
 * are flipped, of another the sign bit. -0 comes right before 0. */
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

/* Arithmetic mean of x [n]; NAN for n == 0. */
double syn_mean(const double *x, size_t n);

/* Mean of x - origin: keeps the digits of values whose differences are small beside them, where the
 * mean itself would be rounded (0.1 ns at 10^15). NAN for n == 0. */
double syn_mean_about(const double *x, size_t n, double origin);

/* Sum over x [n] of (x - mean)^2, corrected for the rounding of `mean`. 0 for n == 0. */
double syn_sum_of_squares(const double *x, size_t n, double mean);

/* Computes the means of several columns x [count], each [n], to equal digits. SYN_SIDE_BY_SIDE of
 * them go at once: each sum waits only for its own last addition. */
#define SYN_SIDE_BY_SIDE 4
void syn_means_about(const double *const *x, size_t count, size_t n, const double *origin,
                     double *mean);
void syn_sums_of_squares(const double *const *x, size_t count, size_t n, const double *mean,
                         double *squares);

/* The centre of a column: mean of x - origin, and the sum of squares about origin + mean. */
struct syn_centre {
    double origin, mean, squares;
};
/* Autocorrelation of x [n] at lag 1..lag_count, as R's acf. */
void syn_acf(const double *x, size_t n, const struct syn_centre *centre, size_t lag_count,
             double *out);

/* y [n] no further out than the 5 % and 95 % quantiles of sorted [n]. */
void syn_clamp(double *y, size_t n, const double *sorted);
struct syn_interval_tau; /* longrun.h */
/* syn_interval_tau_of_sorted of SYN_LONG_RUN_LEAST values and more, and fewer than
 * SYN_LONG_RUN_INDICATOR, that were taken so; centre: theirs, about the first. */
struct syn_interval_tau syn_interval_tau_of_clamped(const double *y, size_t n,
                                                    const struct syn_centre *centre);

/* Unbiased variance (divides by n - 1); NAN for n < 2. */
double syn_variance(const double *x, size_t n);

/* How often each value of a long x [n] is there: of the least, the least + 1, ... [*count]; to be
 * freed. NULL where they are not whole numbers above the least, bit by bit, or reach over more than
 * there are of them, or are few, or there is no memory. */
uint32_t *syn_counts_of_whole(const double *x, size_t n, double *least, size_t *count);

#endif
