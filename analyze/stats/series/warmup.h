/* analyze/stats/series/warmup.h - finds where a series, in the order of time, settles.
 *
 * Two questions, two published methods. Whether: heads of 1, 2, 4, ... values against the second
 * half of the series by the Wilcoxon-Mann-Whitney test, Bonferroni over the heads, so that three
 * slow first calls show as well as a third of the run. Where: MSER (K. P. White, Simulation 69
 * (1997) 323-334) on the midranks, which no outlier moves: the cut that makes the standard error of
 * what is left smallest. Kalibera & Vitek warn that no automaton finds every warm-up: so this is
 * shown, and values are left out only where the user asks. */
#ifndef SYN_STATS_WARMUP_H
#define SYN_STATS_WARMUP_H

#include <stddef.h>

struct syn_warmup {
    size_t settled_at; /* first index that counts as settled, behind calls that are slower; 0: no
                          warm-up, or none that a slow wave (stats/waves.h) would not explain */
    double p;          /* whether the head differs from the second half, all heads taken together */
    double ratio;      /* median before / median from settled_at on; NAN where settled_at is 0 */
    int unsettled; /* 1: the cut lies at the middle or beyond: the series may not have settled at
                      all */
};

/* x [n] in the order of time. alpha: below this p there is a warm-up, e.g. 0.001. Returns 0,
 * SYN_EINVAL for n < 20, SYN_ENOMEM. */
int syn_warmup_find(const double *x, size_t n, double alpha, struct syn_warmup *out);

/* MSER's cut alone: the d in 0..n/2 with the least sum over i >= d of (x_i - mean)^2 / (n - d)^2;
 * the first where several are least. 0 for n < 2. */
size_t syn_mser_cut(const double *x, size_t n);

/* First calls over many series. A single series shows nothing of its first call alone, which is the
 * slowest of n once in n series. */
struct syn_first_calls {
    size_t series; /* of two calls and more, not all equal */
    size_t first_slowest, last_slowest;
    double expected;           /* sum of 1 / n: so many first calls are the slowest by chance */
    double expected_dependent; /* sum of tau / n, at most 1: what dependence makes of it at most */
};

/* Below this p first calls count as slow: exchangeable calls are said to be so once in so many
 * reports. */
#define SYN_FIRST_CALLS_ALPHA 0.001

/* 1: first calls are the slowest more often than by chance. Of a series that depends on its
 * neighbours an end is the slowest more often than any other call. So there have to be more than
 * that makes of chance; or more than chance, and more than there are last calls, which are as
 * likely. */
int syn_first_calls_are_slow(const struct syn_first_calls *calls);

#endif
