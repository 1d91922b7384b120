/* analyze/stats/numeric.h - sums and moments that keep their digits, private to this folder. */
#ifndef SYN_STATS_NUMERIC_H
#define SYN_STATS_NUMERIC_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

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

/* Unbiased variance (divides by n - 1); NAN for n < 2. */
double syn_variance(const double *x, size_t n);

/* How often each value of a long x [n] is there: of the least, the least + 1, ... [*count]; to be
 * freed. NULL where they are not whole numbers above the least, bit by bit, or reach over more than
 * there are of them, or are few, or there is no memory. */
uint32_t *syn_counts_of_whole(const double *x, size_t n, double *least, size_t *count);

#endif
