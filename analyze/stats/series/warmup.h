/* analyze/stats/series/warmup.h - finds where a series, in the order of time, settles.
 *
 * Two published methods answer two questions. Whether there is a warm-up: heads of 1, 2, 4, ...
 * values are compared with the second half of the series by the Wilcoxon-Mann-Whitney test,
 * Bonferroni over the heads. So three slow first calls are found as well as a slow third of the
 * run. Where it ends: MSER (K. P. White, Simulation 69 (1997) 323-334) on the midranks, which
 * outliers do not affect: the cut that makes the standard error of the rest smallest. Kalibera &
 * Vitek warn that no automatic method finds every warm-up. So the result is shown, and values are
 * omitted only if the user asks for that. */
#ifndef SYN_STATS_WARMUP_H
#define SYN_STATS_WARMUP_H

#include <stddef.h>

struct syn_warmup {
    size_t settled_at; /* first index that counts as settled, after calls that are slower; 0: no
                          warm-up, or none beyond what a slow wave (waves.h) explains */
    double p; /* of the test whether the head differs from the second half, all heads together */
    double ratio;  /* median before / median from settled_at on; NAN if settled_at is 0 */
    int unsettled; /* 1: the cut lies at the middle or later, so the series may never settle */
};

/* Finds the warm-up of x [n], in the order of time. alpha: there is a warm-up if p is below it,
 * e.g. 0.001. Returns 0, SYN_EINVAL for n < 20 or an alpha outside (0,1), SYN_ENOMEM. */
int syn_warmup_find(const double *x, size_t n, double alpha, struct syn_warmup *out);

/* Returns MSER's cut: the d in 0..n/2 with the least sum over i >= d of (x_i - mean)^2 / (n - d)^2;
 * the first of several equal ones. 0 for n < 2. */
size_t syn_mser_cut(const double *x, size_t n);

/* Counts of first calls over many series. A single series tells nothing about its first call, which
 * is the slowest of n by chance once in n series. */
struct syn_first_calls {
    size_t series; /* number of series of two calls or more, not all equal */
    size_t first_slowest, last_slowest;
    double expected; /* sum of 1 / n: the number of first calls that are the slowest by chance */
    double expected_dependent; /* sum of tau / n, each at most 1: an upper bound of that number for
                                  dependent calls */
};

/* Below this p first calls count as slow. It is the rate of false claims for exchangeable calls. */
#define SYN_FIRST_CALLS_ALPHA 0.001

/* Returns 1 if first calls are the slowest more often than by chance. In a dependent series the
 * calls at both ends are the slowest more often than others. So the first calls must exceed
 * expected_dependent; or they must exceed `expected`, and also exceed the last calls, which
 * dependence affects equally. */
int syn_first_calls_are_slow(const struct syn_first_calls *calls);

#endif
