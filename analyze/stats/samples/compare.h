/* analyze/stats/samples/compare.h - two samples of runs: A, the base, against B.
 *
 * A sample holds one figure a run (the median of the run), because the run is the unit of
 * repetition: the instances of one run share its placement and its noise. Samples need not be
 * sorted and are not changed. Runs that were made in pairs are compared pair by pair, by one column
 * of their differences B - A. */
#ifndef SYN_STATS_COMPARE_H
#define SYN_STATS_COMPARE_H

#include <stddef.h>

enum syn_side {
    SYN_TWO_SIDED,
    SYN_LESS,   /* x tends to be smaller than y */
    SYN_GREATER /* x tends to be larger than y */
};

struct syn_wilcoxon {
    double U; /* pairs with x > y, plus half of those with x == y: R's W of wilcox.test(x, y); of
                 differences the signed-rank sum, R's V */
    double p;
    int exact; /* 1: from the exact distribution; 0: normal, corrected for ties and continuity */
};

/* Wilcoxon-Mann-Whitney, by R's rules (wilcox.test): exact where both samples have fewer than 50
 * values and no two of all are equal, else normal. Says something of the order of values and not of
 * their medians. All values equal: U is half of the pairs, p is 1 (R gives none). Returns 0,
 * SYN_EINVAL for an empty sample, SYN_ENOMEM. */
int syn_wilcoxon_test(const double *x, size_t nx, const double *y, size_t ny, enum syn_side side,
                      struct syn_wilcoxon *out);

/* Its normal approximation alone, corrected for ties (the sum of t^3 - t) and continuity, for who
 * has U already. 1 where all values are equal. */
double syn_wilcoxon_normal_p(double U, double nx, double ny, double ties, enum syn_side side);

struct syn_shift {
    double estimate, low, high;
    double confidence; /* what the interval really has: below the wanted one where the runs are too
                          few for it */
    int exact;
};

/* Hodges-Lehmann: the median of all differences x - y, and the interval that inverts the Wilcoxon
 * test. R: wilcox.test(x, y, conf.int = TRUE). Where R looks for the interval's ends with a root
 * finder (ties, 50 values and more), these are the differences that it converges to. Returns as
 * syn_wilcoxon_test. */
int syn_hodges_lehmann(const double *x, size_t nx, const double *y, size_t ny, double confidence,
                       struct syn_shift *out);

/* The ratio B/A: the same on logarithms, taken back. R: exp(wilcox.test(log(b), log(a), conf.int =
 * TRUE)). SYN_EINVAL also where a value is not above 0. */
int syn_ratio(const double *b, size_t nb, const double *a, size_t na, double confidence,
              struct syn_shift *out);

/* Wilcoxon's signed-rank test of differences, by R's rules (wilcox.test(difference)): zeros are
 * left out; exact where there are fewer than 50, no zero and no two of equal size, else normal. It
 * assumes that B - A and A - B are equally likely if nothing differs: so it is where chance says
 * which of a pair is B. All zero: p is 1. Returns 0, SYN_EINVAL for none, SYN_ENOMEM. */
int syn_signed_rank_test(const double *difference, size_t n, enum syn_side side,
                         struct syn_wilcoxon *out);

/* Hodges-Lehmann of differences: the median of the means of all two of them (Walsh averages), each
 * with itself too, and the interval that inverts the signed-rank test. R: wilcox.test(difference,
 * conf.int = TRUE), which leaves zeros out. Returns as syn_signed_rank_test. */
int syn_pairs_shift(const double *difference, size_t n, double confidence, struct syn_shift *out);

/* The fewest differences that can reach a two-sided p below alpha: the smallest n with 2 / 2^n <
 * alpha. 0 for alpha <= 0. */
size_t syn_pairs_needed(double alpha);

/* Vargha and Delaney's A: the probability that a value of x is the larger, ties halved (effsize:
 * VD.A(x, y)). 0.5 says no effect; 0.56, 0.64, 0.71 are called small, medium, large. NAN for an
 * empty sample or no memory. */
double syn_vargha_delaney(const double *x, size_t nx, const double *y, size_t ny);

/* The smallest two-sided p that na and nb values without ties can reach: 2 / C(na + nb, na). */
double syn_smallest_p(size_t na, size_t nb);
/* The fewest runs a side that can reach a p below alpha: the smallest n with 2 / C(2n, n) < alpha.
 * 0 for alpha <= 0. */
size_t syn_runs_needed(double alpha);

/* The smallest effects that these runs would have shown at level alpha, as ratios B/A on either
 * side of 1: how far the interval of `ratio`, of confidence 1 - alpha, reaches from its estimate.
 * NANs where the level is out of these runs' reach. */
void syn_detectable_ratio(const struct syn_shift *ratio, double alpha, double *slower,
                          double *faster);

/* How many runs a side it takes until samples as spread as these come out as equivalent within 1 +-
 * delta in four of five comparisons, if nothing differs: two one-sided tests at 5 % on logarithms
 * (Schuirmann, J. Pharmacokinetics and Biopharmaceutics 15 (1987) 657-680), whose power for equal
 * sides is 2 Phi(log(1 + delta) / se - t) - 1, with the standard error of Hodges and Lehmann's
 * estimate, sqrt(pi / 3 (var a + var b) / n). At least 2. NAN for a side of one value, a value not
 * above 0, or a delta not above 0. */
double syn_runs_for_equivalence(const double *b, size_t nb, const double *a, size_t na,
                                double delta);

/* "***" below 0.001, "**" below 0.01, "*" below 0.05, else "". */
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
    double least_p; /* that such runs could have had, adjusted over all tests; 0: not known */
    double p_adjusted, alpha;
    double delta;                 /* the band is 1 +- delta: max(threshold, clock bound / median) */
    double ratio_low, ratio_high; /* of confidence 1 - alpha */
    double low90, high90;         /* of confidence 0.9 */
};

/* The decision table of docs/methods-statistics.md, "Verdict". A NAN p or bound never claims a
 * difference. */
enum syn_verdict syn_verdict_of(const struct syn_evidence *evidence);
/* "faster", "slower", "unclear", "equivalent", "indistinguishable", "too few runs". */
const char *syn_verdict_text(enum syn_verdict verdict);

#endif
