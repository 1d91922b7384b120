/* analyze/stats/samples/levels.h - an experiment of several runs: what varies between them, what
 * within, and how to spend time.
 *
 * Model: instance j of run i is mu + run_i + rest_ij. Sources: Kalibera & Vitek
 * ("Repetition levels"); Hunold & Carpen-Amarie 2014, and 2015, section 5.2 (the mpirun as a
 * factor); T. Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time" (ISMM 2013) for the
 * split. */
#ifndef SYN_STATS_LEVELS_H
#define SYN_STATS_LEVELS_H

#include <stddef.h>

#include "analyze/stats/values/stats.h"

struct syn_levels {
    size_t run_count, instance_count;
    double variance_between, variance_within; /* >= 0 */
    double intraclass; /* between / (between + within): how alike instances of a run are */
    double F, p;       /* does the run matter at all? (ANOVA; its p needs normal values) */
    double kruskal_p;  /* the same without normality */
};

/* runs: sample i holds the instances of run i. Equal counts give R's lme4::lmer(x ~ 1 + (1 | run))
 * (REML, which is the ANOVA estimator there, between cut at 0); unequal ones the ANOVA estimator
 * with n0 = (N - sum n_i^2 / N) / (k - 1). Returns 0, SYN_EINVAL for fewer than 2 runs with
 * instances or no more instances than runs, SYN_ENOMEM. */
int syn_variance_levels(const struct syn_samples *runs, struct syn_levels *out);

/* Instances a run that make a given budget most precise: sqrt(run_cost / instance_cost * within /
 * between), at least
 * 1. INFINITY where runs do not differ (one long run is best); NAN where both variances are 0 or a
 * cost is not above 0. Costs in one unit, run_cost without its instances (start-up, tear-down). */
double syn_best_repetitions(const struct syn_levels *levels, double run_cost, double instance_cost);

#endif
