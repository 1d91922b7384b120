/* analyze/stats/values/stats.h - the statistics of a report: pure functions on columns of doubles.
 *
 * Each is held equal to R on stored numbers (tests/unit/analyze). Samples are finite; a function
 * that needs its input sorted says so in its name. A figure that cannot be had is NAN, and never a
 * guess. Sources: docs/methods-statistics.md and the papers named there. */
#ifndef SYN_STATS_H
#define SYN_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- order statistics ---- */

/* R's quantile(x, p, type = 7) of ascending x. NAN for n == 0. */
double syn_quantile_sorted(const double *x, size_t n, double p);
/* The median of x [n >= 1] as it is; scratch [n]. */
double syn_median_of(const double *x, size_t n, double *scratch);

/* Ranks (1-based) of the order statistics that bound the median: floor((n - z sqrt n)/2) and
 * ceil(1 + (n + z sqrt n)/2), kept within 1..n (Hoefler & Belli 2015, section 3.1.3, and
 * Hoefler, "How many measurements"). `z` is the normal quantile, inflated for dependent data by the
 * caller. Returns 0; SYN_EINVAL for n < 6. */
int syn_median_interval_ranks(size_t n, double z, size_t *low, size_t *high);
/* Ranks for the p-quantile: floor(np - z sqrt(np(1-p))) and ceil(1 + np + z sqrt(np(1-p))), kept
 * within 1..n. SYN_EINVAL for n < 6, and where even the whole sample is not that sure to reach
 * beyond the quantile on both sides: max(p, 1-p)^n > Phi(-z) (for p = 0.99 and 95 %: n < 368). For
 * the median at 95 % that is the same n < 6. */
int syn_quantile_interval_ranks(size_t n, double p, double z, size_t *low, size_t *high);
/* Exact binomial ranks, of equal tails and coverage >= confidence: qbinom(alpha/2, n, p) and
 * 1 + qbinom(1 - alpha/2, n, p). SYN_EINVAL where n is too small to have them. */
int syn_quantile_interval_exact(size_t n, double p, double confidence, size_t *low, size_t *high);

/* ---- one column ---- */

#define SYN_ACF_LAGS 10

struct syn_summary {
    size_t n;
    double median, ci_low, ci_high; /* interval NAN for n < 6 */
    double q1, q3, p5, p95, p99, min, max;
    double p10, p10_low, p10_high; /* of independent values; interval NAN for too few */
    double mean, sd;               /* sd NAN for n < 2 */
    double cv;                     /* coefficient of variation, sd / mean; NAN for a mean <= 0 */
    double tail_share;             /* what the values above the median have more than it, of the
                                    * sum of all; NAN for a mean <= 0 */
    size_t outliers_tukey;         /* outside [q1 - 1.5 iqr, q3 + 1.5 iqr] */
    double n_effective; /* syn_effective of what an interval is widened for; NAN for n < 8 */
    double ci_dependent_low, ci_dependent_high; /* NAN where syn_dependent_z is: too short */
    double shapiro_w, shapiro_p;                /* NAN for n < 3, n > 5000 or constant x */
    double acf[SYN_ACF_LAGS];                   /* lag 1.. ; NAN where n <= lag or x is constant */
};

/* Everything of one column. x [n] in the order of time, not changed; scratch [n] caller-owned,
 * holds x in ascending order afterwards. confidence in (0,1). Returns 0 or SYN_EINVAL. n == 0 gives
 * NANs. */
int syn_summarize(const double *x, size_t n, double confidence, double *scratch,
                  struct syn_summary *out);
/* Summarizes the sorted column only (no n_effective, ci_dependent, shapiro, acf: those are left
 * NAN). */
int syn_summarize_sorted(const double *sorted, size_t n, double confidence,
                         struct syn_summary *out);

/* Shapiro-Wilk (Royston 1995, AS R94) on ascending x. 0, or SYN_EINVAL outside 3 <= n <= 5000 or
 * for constant x. */
int syn_shapiro_sorted(const double *sorted, size_t n, double *w, double *p);
/* Inflation of the median's variance by dependence, at least 1: longrun.h. 1 for constant values;
 * NAN for n < 8 or no memory. */
double syn_dependence_factor(const double *x, size_t n);
/* As above, of values that were sorted already: sorted [n] ascending. */
double syn_dependence_factor_of_sorted(const double *x, const double *sorted, size_t n);

/* ---- across ranks ---- */

/* k samples behind one another: value[start[i] .. start[i+1]) is sample i; start has k + 1
 * elements. */
struct syn_samples {
    const double *value;
    const size_t *start;
    size_t k;
};

struct syn_anova {
    double F, df1, df2, p;
    /* Effect size of the two samples furthest apart: (mean_i - mean_j) / sqrt(igv) (Hoefler & Belli
     * 2015). */
    double effect_size;
    double eta2; /* eta squared: SS between / SS total */
};
struct syn_kruskal {
    double H, df, p, eta2; /* ties corrected; eta2 = (H - k + 1) / (n - k) */
};
struct syn_friedman {
    double chi2, df, p, kendall_w; /* ties corrected */
};

/* Return 0, or SYN_EINVAL where the test is not defined (k < 2, too few values, no variance)
 * or SYN_ENOMEM: *out is then NANs. Samples without values are left out of k. */
int syn_anova_oneway(const struct syn_samples *samples, struct syn_anova *out);
int syn_kruskal_wallis(const struct syn_samples *samples, struct syn_kruskal *out);
/* Computes it from sums made elsewhere, over k samples: n [k] values each, with the exact moments
 * about any origin; their mean ranks among all, and `ties` the sum of t^3 - t. */
struct syn_moments {
    double n, mean; /* of value - origin */
    double squares; /* sum of squared deviations from that mean */
};
int syn_anova_of_moments(const struct syn_moments *sample, size_t k, struct syn_anova *out);
int syn_kruskal_of_means(const double *mean_rank, const size_t *n, size_t k, double ties,
                         struct syn_kruskal *out);
/* Computes it from sums over blocks (a row is one instance, a column one rank): the k columns' sums
 * of midranks, and `ties` the sum over all ties within blocks of t^3 - t. */
int syn_friedman_of_sums(const double *rank_sum, double ties, size_t block_count, size_t k,
                         struct syn_friedman *out);

/* The upper tail of the chi-square distribution: what a test statistic that was corrected has for
 * its p. */
double syn_chi_square_p(double chi2, double df);
/* Returns p of the F distribution. */
double syn_f_p(double F, double df1, double df2);

/* Two-sided exact binomial test (R: binom.test) of `successes` of n against probability p0. */
double syn_binomial_test(size_t successes, size_t n, double p0);
/* R's p.adjust, in place, of n p-values that lie `stride` bytes apart: members of an array of
 * structures, or an array. NANs stay and are not counted. Return 0 or SYN_ENOMEM (p unchanged). */
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

/* The normal quantile of an interval: 1.96 for a confidence of 0.95. */
double syn_two_sided_z(double confidence);

void syn_sort(double *x, size_t n); /* ascending */
/* The indices of x [n] by rising value, ties by rising index, into order [n]. */
void syn_order(const double *x, size_t n, size_t *order);
/* Midranks of x, 1-based, into rank [n]; returns sum over ties of t^3 - t. order [n] is scratch. */
double syn_midranks(const double *x, size_t n, double *rank, size_t *order);
/* As above, by the order of x: by rising value. */
double syn_midranks_of_order(const double *x, size_t n, const size_t *order, double *rank);
/* Samples of whole numbers, or halves, that lie close together, and up to SYN_SAMPLES_MOST of them:
 * each sample's values ascending into `sorted`, side by side as in samples->value from start[0] on;
 * the means of their midranks among all into mean_rank [k] (NAN of an empty one), and the sum over
 * ties of t^3 - t. False, and nothing known, of others, or where there is no memory. */
#define SYN_SAMPLES_MOST ((size_t)1 << 20)
bool syn_sort_samples(const struct syn_samples *samples, double *sorted, double *mean_rank,
                      double *ties);
/* Computes midranks of whole numbers up to `most`, for speed. item [n]: each number, times 2^32,
 * and its index; [2 n], of which it has as much room behind. n <= 2^32. */
double syn_midranks_of_numbered(uint64_t *item, size_t n, uint32_t most, double *rank);

#endif
