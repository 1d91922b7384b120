/* analyze/stats/series/change.h - does a series, in the order of time, keep its level?
 *
 * Two alternatives, on the midranks, which no outlier moves: one step anywhere, by the largest
 * partial sum of the ranks less their mean (Pettitt, Applied Statistics 28 (1979) 126-135), whose
 * limit is that of Kolmogorov's statistic; and a trend, by the ranks' regression on time
 * (Spearman's test). Neighbours of a dependent series repeat one another, so both are scaled by the
 * long-run variance (stats/longrun.h) of what the step, or the line, leaves over: that of the
 * series itself would hide what is sought. What is found is then held against slow waves
 * (stats/waves.h), which the long-run variance of a short series does not see. */
#ifndef SYN_STATS_CHANGE_H
#define SYN_STATS_CHANGE_H

#include <stddef.h>

/* A series that says less than so many independent values is not judged. */
#define SYN_CHANGE_EFFECTIVE_LEAST 40

struct syn_change {
    size_t at;            /* first index of the new level, where a step fits best; 0: not judged */
    double before, after; /* medians on either side of it */
    double step;          /* Kolmogorov's statistic of a step */
    double step_p, trend_p;
    double begin, end; /* of the resistant line on logarithms, at the first and behind the last
                          value; NAN where the medians of the outer thirds are not above 0 */
    int is_trend;      /* 1: the line explains more of the ranks than the step */
    double p;          /* of either: twice that of the one which explains more */
    double waves;      /* syn_waves_ratio_of_change of it; NAN where p is not below SYN_CHANGE_P */
};

/* Above this p nothing is claimed, so that waves need not be looked for. */
#define SYN_CHANGE_P 0.01

/* x [n] in the order of time. p is NAN and `at` 0 where n, or n less its dependence, is too small.
 * Returns 0 or SYN_ENOMEM. */
int syn_change_find(const double *x, size_t n, struct syn_change *out);

/* P(sup |Brownian bridge| > x): Kolmogorov's limit. */
double syn_kolmogorov_p(double x);

#endif
