/* analyze/stats/series/change.h - tests whether a series, in the order of time, keeps its level.
 *
 * There are two alternatives, both tested on midranks, which outliers do not affect. A step
 * anywhere: the largest partial sum of the ranks less their mean (Pettitt, Applied Statistics 28
 * (1979) 126-135), whose limit distribution is that of Kolmogorov's statistic. A trend: the
 * regression of the ranks on time (Spearman's test). Neighbouring values of a dependent series are
 * similar, so both statistics are scaled by the long-run variance (longrun.h) of the residuals of
 * the step, or of the line. The long-run variance of the series itself would include the change. A
 * change that is found is then compared with slow waves (waves.h), which the long-run variance of a
 * short series does not include. */
#ifndef SYN_STATS_CHANGE_H
#define SYN_STATS_CHANGE_H

#include <stddef.h>

/* A series that is worth fewer independent values is not tested. */
#define SYN_CHANGE_EFFECTIVE_LEAST 40

struct syn_change {
    size_t at;            /* first index of the new level of the best step; 0: not tested */
    double before, after; /* medians before `at`, and from `at` on */
    double step;          /* Kolmogorov's statistic of the step */
    double step_p, trend_p;
    double begin, end; /* values of the resistant line on logarithms, at the start and the end of
                          the series; NAN if a median of the outer thirds is not above 0 */
    int is_trend;      /* 1: the line explains more of the ranks than the step */
    double p;          /* of the step or the line: twice the p of that which explains more */
    double waves; /* syn_waves_ratio_of_change of the change; NAN if p is not below SYN_CHANGE_P */
};

/* Above this p no change is claimed, and no waves are computed. */
#define SYN_CHANGE_P 0.01

/* Tests x [n], in the order of time. p is NAN and `at` 0 if n, or the number of independent values,
 * is too small. Returns 0 or SYN_ENOMEM. */
int syn_change_find(const double *x, size_t n, struct syn_change *out);

/* Returns P(sup |Brownian bridge| > x): Kolmogorov's limit distribution. */
double syn_kolmogorov_p(double x);

#endif
