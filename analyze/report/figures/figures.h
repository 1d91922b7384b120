/* analyze/report/figures/figures.h - computes the figures of a group from its columns.
 * docs/reports.md defines them, docs/methods-statistics.md each statistic. A figure that is not
 * defined or not known is NAN. */
#ifndef SYN_FIGURES_H
#define SYN_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/match/groups/groups.h"
#include "analyze/report/figures/changes.h"
#include "analyze/stats/samples/posthoc.h"
#include "analyze/stats/series/warmup.h"
#include "analyze/stats/values/stats.h"

/* The method for ci_low and ci_high of a median. */
enum syn_ci {
    SYN_CI_ORDER,     /* order statistics by the normal approximation */
    SYN_CI_EXACT,     /* order statistics by the binomial distribution */
    SYN_CI_BOOTSTRAP, /* percentiles of resamples of independent instances */
    SYN_CI_BLOCK,     /* percentiles of resamples of blocks of neighbours */
    SYN_CI_COUNT
};
/* syn_ci_name returns "order", "exact", "bootstrap" or "block". syn_ci_parse returns SYN_EINVAL for
 * any other name. */
const char *syn_ci_name(enum syn_ci ci);
int syn_ci_parse(const char *name, enum syn_ci *out);

enum syn_metric {
    SYN_METRIC_COMPLETION,
    SYN_METRIC_SPREAD,
    SYN_METRIC_OPERATION,
    SYN_METRIC_EXIT_SKEW,
    SYN_METRIC_LOCAL_MAX,
    SYN_METRIC_WAIT, /* groups of ranks and nodes only */
    SYN_METRIC_COUNT
};
/* Returns "completion", "spread", ... */
const char *syn_metric_name(enum syn_metric metric);

struct syn_figures_plan {
    double confidence; /* in (0, 1) */
    enum syn_ci ci;
    uint64_t seed;    /* for resampling */
    bool skip_warmup; /* leave out each run's warm-up */
    bool pairs;       /* compare each pair of ranks */
    bool tukey;       /* also compute each run's averages without outliers */
};
/* Number of resamples of a bootstrap. */
#define SYN_FIGURES_REPLICATES 2000
/* The first calls of a run count as a warm-up if their p is below this. */
#define SYN_WARMUP_ALPHA 0.001

struct syn_metric_figures {
    struct syn_summary summary; /* summary.n == 0: the group has no such metric */
    double clock_bound_ns;      /* by how much clock errors may shift either end of the median's
                                   interval; NAN: the clocks were never compared */
};

struct syn_rank_figures {
    const struct syn_group_rank *rank;
    size_t n;
    double median, ci_low, ci_high; /* of the rank's time in a call: end - start */
    double last_p; /* of last_count against chance, two-sided, Holm over the group's ranks */
};

struct syn_run_figures {
    uint32_t run;
    size_t instances;
    double median, ci_low, ci_high; /* of the main metric (syn_figures_main_metric) */
    struct syn_warmup warmup;     /* of the main metric; p is NAN if there are too few instances */
    struct syn_run_change change; /* of the main metric, after a warm-up that ends */
    bool first_is_slowest;        /* the first instance is the longest, and not all are equal */
    bool last_is_slowest;         /* likewise for the last instance */
    double first_ns;              /* main metric of the first instance; NAN without instances */
    size_t skipped; /* instances left out of `instances` and of all metrics as warm-up */
    /* The main metric without values outside Tukey's fences (Hunold & Carpen-Amarie 2015, Algorithm
     * 6). NAN if the plan does not ask for them, or without instances. */
    double tukey_median, tukey_mean;
    size_t tukey_instances;
};

struct syn_figures {
    const struct syn_group *group;
    struct syn_metric_figures metric[SYN_METRIC_COUNT];
    struct syn_anova anova;
    struct syn_kruskal kruskal;
    struct syn_friedman friedman;
    /* Figures that account for dependence between instances. NAN if there are too few instances for
     * their dependence, or if the instances differ in their members. */
    double ranks_effective; /* number of independent instances that say as much about the ranks */
    double friedman_p_dependent, kruskal_p_dependent, anova_p_dependent;
    double friedman_p_adjusted;    /* friedman_p_dependent, Holm over all groups; set by
                                      syn_figures_compute_all */
    struct syn_rank_figures *rank; /* [rank_count], ascending in rank; owned */
    size_t rank_count;
    const struct syn_rank_figures *latest; /* last most often, more than by chance; NULL: none */
    double latest_p; /* its p, Holm over ranks and groups; both are set by syn_report_find_latest */
    struct syn_run_figures *run; /* [run_count]; owned */
    size_t run_count;
    size_t skipped_count;                          /* sum over the runs */
    struct syn_pair *kruskal_pair, *friedman_pair; /* [pair_count]; i, j index `rank`; NANs if the
                                                      test is not defined; owned */
    size_t pair_count;                             /* 0 without plan.pairs */
    double inside_ns;                              /* time inside MPI, sum over ranks */
    double waiting_ns;     /* part of inside_ns before the last member arrived */
    double waiting_share;  /* waiting_ns / inside_ns; NAN if inside_ns is 0 */
    double wait_ns;        /* last start - own start, sum over ranks */
    double bound_total_ns; /* by how much clock errors may shift waiting_ns and wait_ns; NAN:
                              unknown */
};

/* Computes the figures of all groups on all cores. out [groups->count]; the caller frees each
 * element with syn_figures_free. Returns 0, SYN_ENOMEM, or SYN_EIO of the columns' temporary file.
 * After an error there is nothing to free. */
int syn_figures_compute_all(const struct syn_groups *groups, const struct syn_figures_plan *plan,
                            struct syn_figures *out);
void syn_figures_free(struct syn_figures *figures);

struct syn_tally;
/* Computes medians and intervals of ranks with too many values for arrays, and ANOVA and
 * Kruskal-Wallis. figures->rank must have `rank` and `n`. The tallies are scratch memory. Returns
 * 0; SYN_EINVAL for spans that a tally cannot hold; SYN_ENOMEM, SYN_EIO. */
int syn_long_ranks(struct syn_figures *figures, double confidence, struct syn_tally *combined,
                   struct syn_tally *scratch);

/* Computes ranks_effective and the p values for dependent instances from figures->friedman and
 * figures->rank, which must be there. Returns 0, SYN_ENOMEM, SYN_EIO. */
int syn_rank_dependence(struct syn_figures *figures);

/* Writes a metric of every complete instance, except skipped ones, to x [syn_figures_count], run by
 * run in the order of time. Returns 0, SYN_EINVAL if the group has no such metric, SYN_ENOMEM,
 * SYN_EIO. */
int syn_figures_values(const struct syn_figures *figures, enum syn_metric metric, double *x);
/* Writes the start of each of these instances, in the run's time. */
int syn_figures_starts(const struct syn_figures *figures, double *x);
size_t syn_figures_count(const struct syn_figures *figures);
/* Returns the time inside MPI, summed over the group's ranks. */
double syn_group_inside_ns(const struct syn_group *group);
/* Returns the main metric of a group: local_max for a part of a rank or node, else completion. */
enum syn_metric syn_figures_main_metric(const struct syn_group *group);
static inline const struct syn_metric_figures *syn_figures_main(const struct syn_figures *figures)
{
    return &figures->metric[syn_figures_main_metric(figures->group)];
}

/* Returns true if the median is smaller than its clock bound. */
bool syn_figures_below_clock(const struct syn_metric_figures *metric);

#endif
