/* analyze/stats/samples/compare.h - compares two samples of runs: A, the base, and B.
 *
 * A sample holds one figure for each run (the median of the run), because the run is the unit of
 * repetition: the instances of one run share its placement and its noise. Samples need not be
 * sorted and are not changed. Runs that were made in pairs are compared by one sample of their
 * differences B - A. */
#ifndef SYN_STATS_COMPARE_H
#define SYN_STATS_COMPARE_H

#include <stddef.h>

enum syn_side {
    SYN_TWO_SIDED,
    SYN_LESS,   /* x tends to be smaller than y */
    SYN_GREATER /* x tends to be larger than y */
};

struct syn_wilcoxon {
    double U; /* number of pairs with x > y, plus half of those with x == y: R's W of wilcox.test(x,
                 y). Of differences: the signed-rank sum, R's V */
    double p;
    int exact; /* 1: from the exact distribution; 0: normal, corrected for ties and continuity */
};

/* Wilcoxon-Mann-Whitney test, by R's rules (wilcox.test): exact if both samples have fewer than 50
 * values and no two of all values are equal, else normal. The test compares the order of values,
 * not their medians. If all values are equal, U is half of the pairs and p is 1 (R returns none).
 * Returns 0, SYN_EINVAL for an empty sample, SYN_ENOMEM. */
int syn_wilcoxon_test(const double *x, size_t nx, const double *y, size_t ny, enum syn_side side,
                      struct syn_wilcoxon *out);

/* Returns p of the normal approximation for a known U, corrected for ties (the sum of t^3 - t) and
 * continuity. Returns 1 if all values are equal. */
double syn_wilcoxon_normal_p(double U, double nx, double ny, double ties, enum syn_side side);

struct syn_shift {
    double estimate, low, high;
    double confidence; /* the true confidence of the interval: below the wanted one if the runs are
                          too few for it */
    int exact;
};

/* Computes the Hodges-Lehmann estimate, the median of all differences x - y, and the interval that
 * inverts the Wilcoxon test. R: wilcox.test(x, y, conf.int = TRUE). R finds the bounds with a root
 * finder if there are ties or 50 values and more; here they are the differences to which that
 * converges. Returns as syn_wilcoxon_test; SYN_EINVAL also for a confidence outside (0,1). */
int syn_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, double confidence,
                       struct syn_shift *out);

/* Computes the ratio B/A: syn_hodges_lehmann of logarithms, as exponentials. R:
 * exp(wilcox.test(log(b), log(a), conf.int = TRUE)). SYN_EINVAL also if a value is not above 0. */
int syn_ratio(const double *b, size_t nb, const double *a, size_t na, double confidence,
              struct syn_shift *out);

/* Wilcoxon's signed-rank test of differences, by R's rules (wilcox.test(difference)): zeros are
 * omitted; exact for fewer than 50 differences without a zero and without two of equal size, else
 * normal. The test assumes that B - A and A - B are equally likely if there is no difference; that
 * holds if the member of a pair that is B is chosen at random. If all are zero, p is 1. Returns 0,
 * SYN_EINVAL for no differences, SYN_ENOMEM. */
int syn_signed_rank_test(const double *difference, size_t n, enum syn_side side,
                         struct syn_wilcoxon *out);

/* Computes the Hodges-Lehmann estimate of differences, the median of the means of all pairs (Walsh
 * averages, each value also paired with itself), and the interval that inverts the signed-rank
 * test. R: wilcox.test(difference, conf.int = TRUE), except that R omits zeros. Returns as
 * syn_signed_rank_test. */
int syn_pairs_shift(const double *difference, size_t n, double confidence, struct syn_shift *out);

/* Returns the smallest number of differences that can reach a two-sided p below alpha: the smallest
 * n with 2 / 2^n < alpha. Returns 0 for alpha <= 0. */
size_t syn_pairs_needed(double alpha);

/* Returns Vargha and Delaney's A: the probability that a value of x is above a value of y, ties
 * counted half (effsize: VD.A(x, y)). 0.5: no effect; 0.56, 0.64, 0.71 are called small, medium,
 * large. NAN for an empty sample or without memory. */
double syn_vargha_delaney(const double *x, size_t nx, const double *y, size_t ny);

/* Returns the smallest two-sided p that na and nb values without ties can reach: 2 / C(na + nb,
 * na). */
double syn_smallest_p(size_t na, size_t nb);
/* Returns the smallest number of runs on each side that can reach a p below alpha: the smallest n
 * with 2 / C(2n, n) < alpha. Returns 0 for alpha <= 0. */
size_t syn_runs_needed(double alpha);

/* Computes the smallest effects that these runs could show at level alpha, as ratios B/A above and
 * below 1: the distance of the bounds of `ratio`, of confidence 1 - alpha, from its estimate. NANs
 * if these runs cannot reach the level. */
void syn_detectable_ratio(const struct syn_shift *ratio, double alpha, double *slower,
                          double *faster);

/* Returns the number of runs on each side for which samples with this spread come out as equivalent
 * within 1 +- delta in four of five comparisons, if nothing differs. The test is two one-sided
 * tests at 5 % on logarithms (Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987)
 * 657-680). Its power for equal sides is 2 Phi(log(1 + delta) / se - t) - 1, with the standard
 * error of Hodges and Lehmann's estimate, sqrt(pi / 3 (var a + var b) / n). At least 2. NAN for a
 * side of one value, a value not above 0, or a delta not above 0. */
double syn_runs_for_equivalence(const double *b, size_t nb, const double *a, size_t na,
                                double delta);

/* Returns "***" below 0.001, "**" below 0.01, "*" below 0.05, else "". */
const char *syn_stars(double p);

enum syn_verdict {
    SYN_VERDICT_TOO_FEW_RUNS,
    SYN_VERDICT_FASTER,
    SYN_VERDICT_SLOWER,
    SYN_VERDICT_UNCLEAR,    /* significant, but the interval of the ratio crosses the band */
    SYN_VERDICT_EQUIVALENT, /* the 90 % interval lies inside the band */
    SYN_VERDICT_INDISTINGUISHABLE
};

struct syn_evidence {
    size_t runs_a, runs_b;
    double least_p; /* the least p that these runs can reach, adjusted over all tests; 0: unknown */
    double p_adjusted, alpha;
    double delta;                 /* the band is 1 +- delta: max(threshold, clock bound / median) */
    double ratio_low, ratio_high; /* of confidence 1 - alpha */
    double low90, high90;         /* of confidence 0.9 */
};

/* Returns the verdict by the decision table of docs/methods-statistics.md, "Verdict". With a NAN p
 * or bound it is never a difference. */
enum syn_verdict syn_verdict_of(const struct syn_evidence *evidence);
/* Returns "faster", "slower", "unclear", "equivalent", "indistinguishable", "too few runs". */
const char *syn_verdict_text(enum syn_verdict verdict);

#endif
