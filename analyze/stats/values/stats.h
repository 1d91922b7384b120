/* analyze/stats/values/stats.h - the statistics of a report: pure functions on columns of doubles.
 *
 * Tests compare each with R on stored numbers (tests/unit/analyze). Samples are finite. A function
 * that needs sorted input says so in its name. A figure that cannot be computed is NAN. Sources:
 * docs/methods-statistics.md and the papers named there. */
#ifndef SYN_STATS_H
#define SYN_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- order statistics ---- */

/* Returns R's quantile(x, p, type = 7) of ascending x. NAN for n == 0. */
double syn_quantile_sorted(const double *x, size_t n, double p);
/* Returns the median of x [n >= 1], which need not be sorted; scratch [n]. */
double syn_median_of(const double *x, size_t n, double *scratch);

/* Computes the ranks (1-based) of the order statistics that bound the median: floor((n - z sqrt
 * n)/2) and ceil(1 + (n + z sqrt n)/2), limited to 1..n (Hoefler & Belli 2015, section 3.1.3, and
 * Hoefler, "How many measurements"). `z` is the normal quantile; the caller inflates it for
 * dependent data. Returns 0; SYN_EINVAL for n < 6. */
int syn_median_interval_ranks(size_t n, double z, size_t *low, size_t *high);
/* Computes the ranks for the p-quantile: floor(np - z sqrt(np(1-p))) and ceil(1 + np + z
 * sqrt(np(1-p))), limited to 1..n. Returns 0; SYN_EINVAL for n < 6, and if even the whole sample
 * reaches beyond the quantile on both sides with too small a probability: max(p, 1-p)^n > Phi(-z)
 * (for p = 0.99 and 95 %: n < 368). For the median at 95 % that is the same n < 6. */
int syn_quantile_interval_ranks(size_t n, double p, double z, size_t *low, size_t *high);
/* Computes exact binomial ranks, with equal tails and coverage >= confidence: qbinom(alpha/2, n, p)
 * and 1 + qbinom(1 - alpha/2, n, p). SYN_EINVAL if n is too small for them. */
int syn_quantile_interval_exact(size_t n, double p, double confidence, size_t *low, size_t *high);

/* ---- one column ---- */

#define SYN_ACF_LAGS 10

struct syn_summary {
    size_t n;
    double median, ci_low, ci_high; /* interval NAN for n < 6 */
    double q1, q3, p5, p95, p99, min, max;
    double p10, p10_low, p10_high; /* interval for independent values; NAN if they are too few */
    double mean, sd;               /* sd NAN for n < 2 */
    double cv;                     /* coefficient of variation, sd / mean; NAN for a mean <= 0 */
    double tail_share; /* share of the sum of all values that lies above the median: sum of (value -
                          median) over values above it; NAN for a mean <= 0 */
    size_t outliers_tukey; /* outside [q1 - 1.5 iqr, q3 + 1.5 iqr] */
    double n_effective;    /* syn_effective of the tau for the interval's width; NAN for n < 8 */
    double ci_dependent_low, ci_dependent_high; /* NAN if syn_dependent_z is: too short */
    double shapiro_w, shapiro_p;                /* NAN for n < 3, n > 5000 or constant x */
    double acf[SYN_ACF_LAGS];                   /* lag 1.. ; NAN if n <= lag or x is constant */
};

/* Summarizes a column x [n], in the order of time and not changed. scratch [n] belongs to the
 * caller and holds x in ascending order afterwards. confidence in (0,1). Returns 0 or SYN_EINVAL.
 * All figures are NAN for n == 0. */
int syn_summarize(const double *x, size_t n, double confidence, double *scratch,
                  struct syn_summary *out);
/* Summarizes a sorted column. Figures that need the order of time (n_effective, ci_dependent, acf)
 * and shapiro stay NAN. */
int syn_summarize_sorted(const double *sorted, size_t n, double confidence,
                         struct syn_summary *out);

/* Shapiro-Wilk test (Royston 1995, AS R94) of ascending x. Returns 0, or SYN_EINVAL outside of 3 <=
 * n <= 5000 or for constant x. */
int syn_shapiro_sorted(const double *sorted, size_t n, double *w, double *p);
/* Returns the inflation of the median's variance by dependence, at least 1 (longrun.h). 1 for
 * constant values; NAN for n < 8 or without memory. */
double syn_dependence_factor(const double *x, size_t n);
/* Like syn_dependence_factor; sorted [n] is x ascending. */
double syn_dependence_factor_of_sorted(const double *x, const double *sorted, size_t n);

/* ---- across ranks ---- */

/* k samples, one after the other: value[start[i] .. start[i+1]) is sample i. start has k + 1
 * elements. */
struct syn_samples {
    const double *value;
    const size_t *start;
    size_t k;
};

struct syn_anova {
    double F, df1, df2, p;
    /* Effect size of the two samples that differ most: (mean_i - mean_j) / sqrt(igv) (Hoefler &
     * Belli 2015). */
    double effect_size;
    double eta2; /* eta squared: SS between / SS total */
};
struct syn_kruskal {
    double H, df, p, eta2; /* corrected for ties; eta2 = (H - k + 1) / (n - k) */
};
struct syn_friedman {
    double chi2, df, p, kendall_w; /* corrected for ties */
};

/* Return 0, SYN_EINVAL if the test is not defined (k < 2, too few values, no variance), or
 * SYN_ENOMEM; after an error *out holds NANs. Samples without values are not counted in k. */
int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out);
int syn_kruskal_wallis(const struct syn_samples *samples, struct syn_kruskal *out);
/* Compute the tests from given sums, over k samples of n [k] values each: from the exact moments
 * about any origin, or from the mean ranks among all values, with `ties` the sum of t^3 - t. */
struct syn_moments {
    double n, mean; /* of value - origin */
    double squares; /* sum of squared deviations from that mean */
};
int syn_anova_of_moments(const struct syn_moments *sample, size_t k, struct syn_anova *out);
int syn_kruskal_of_means(const double *mean_rank, const size_t *n, size_t k, double ties,
                         struct syn_kruskal *out);
/* Computes Friedman's test from sums over blocks (a row is one instance, a column one rank): the k
 * columns' sums of midranks, and `ties` the sum of t^3 - t over all ties within blocks. */
int syn_friedman_of_sums(const double *rank_sum, double ties, size_t block_count, size_t k,
                         struct syn_friedman *out);

/* Returns p of the chi-square distribution: its upper tail. */
double syn_chi_square_p(double chi2, double df);
/* Returns p of the F distribution: its upper tail. */
double syn_f_p(double F, double df1, double df2);

/* Returns p of the two-sided exact binomial test (R: binom.test) of `successes` of n against
 * probability p0. */
double syn_binomial_test(size_t successes, size_t n, double p0);
/* R's p.adjust, in place, of n p-values that lie `stride` bytes apart: an array, or a member of an
 * array of structures. NANs stay and are not counted. Return 0 or SYN_ENOMEM (p unchanged). */
int syn_adjust_holm_in(double *p, size_t stride, size_t n);
int syn_adjust_bh_in(double *p, size_t stride, size_t n);
static inline int syn_adjust_holm(double *p, size_t n)
{
    return syn_adjust_holm_in(p, sizeof *p, n);
}
static inline int syn_adjust_bh(double *p, size_t n)
{
    return syn_adjust_bh_in(p, sizeof *p, n);
}

/* ---- helpers ---- */

/* Returns the normal quantile of an interval: 1.96 for a confidence of 0.95. */
double syn_two_sided_z(double confidence);

void syn_sort(double *x, size_t n); /* ascending */
/* Writes the indices of x [n] to order [n], by ascending value, ties by ascending index. */
void syn_order(const double *x, size_t n, size_t *order);
/* Writes the midranks of x, 1-based, to rank [n]. Returns the sum over ties of t^3 - t. order [n]
 * is scratch. */
double syn_midranks(const double *x, size_t n, double *rank, size_t *order);
/* Like syn_midranks; order [n] holds the indices of x by ascending value. */
double syn_midranks_of_order(const double *x, size_t n, const size_t *order, double *rank);
/* Sorts several samples at once. Their values must be whole numbers, or halves, within a small
 * range, at most SYN_SAMPLES_MOST in all. `sorted` gets each sample ascending, one after the other
 * as in samples->value from start[0] on; mean_rank [k] the means of their midranks among all values
 * (NAN of an empty sample); *ties the sum over ties of t^3 - t. Returns false for other values or
 * without memory; the outputs are then undefined. */
#define SYN_SAMPLES_MOST ((size_t)1 << 20)
bool syn_sort_samples(const struct syn_samples *samples, double *sorted, double *mean_rank,
                      double *ties);
/* Computes midranks of whole numbers up to `most` quickly. item [2 n]: the first n hold a number
 * times 2^32 plus its index, the others are scratch. Writes rank [n]. n <= 2^32. Returns the sum
 * over ties of t^3 - t. */
double syn_midranks_of_numbered(uint64_t *item, size_t n, uint32_t most, double *rank);

#endif
