/* analyze/stats/samples/levels.h - divides the variance of an experiment of several runs into that
 * between runs and that within runs, and computes how many instances a run should have.
 *
 * Model: instance j of run i is mu + run_i + rest_ij. Sources: Kalibera & Vitek ("Repetition
 * levels"); Hunold & Carpen-Amarie 2014, and 2015, section 5.2 (the mpirun as a factor); T.
 * Kalibera, R. Jones, "Rigorous Benchmarking in Reasonable Time" (ISMM 2013) for the optimal
 * number. */
#ifndef SYN_STATS_LEVELS_H
#define SYN_STATS_LEVELS_H

#include <stddef.h>

#include "analyze/stats/values/stats.h"

struct syn_levels {
    size_t run_count, instance_count;
    double variance_between, variance_within; /* >= 0 */
    double intraclass; /* between / (between + within): how similar the instances of a run are */
    double F, p;       /* ANOVA of whether runs differ; p needs normal values */
    double kruskal_p;  /* likewise by Kruskal-Wallis, for any distribution */
};

/* Computes the variance levels. runs: sample i holds the instances of run i. For equal counts the
 * result is that of R's lme4::lmer(x ~ 1 + (1 | run)): REML equals the ANOVA estimator there, with
 * `between` at least 0. For unequal counts it is the ANOVA estimator with n0 = (N - sum n_i^2 / N)
 * / (k - 1). Returns 0, SYN_EINVAL for fewer than 2 runs with instances or no more instances than
 * runs, SYN_ENOMEM. */
int syn_variance_levels(const struct syn_samples *runs, struct syn_levels *out);

/* Returns the number of instances per run that is most precise for a given budget: sqrt(run_cost /
 * instance_cost * within / between), at least 1. INFINITY if runs do not differ (one long run is
 * best); NAN if both variances are 0 or a cost is not above 0. Both costs have one unit; run_cost
 * excludes the instances (start-up, tear-down). */
double syn_best_repetitions(const struct syn_levels *levels, double run_cost, double instance_cost);

#endif
