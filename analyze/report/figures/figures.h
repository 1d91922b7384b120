/* analyze/report/figures/figures.h - the figures of a group, computed from its columns.
 * Definitions: docs/reports.md; each statistic: docs/methods-statistics.md. A figure that cannot be
 * had is NAN. */
#ifndef SYN_FIGURES_H
#define SYN_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/match/groups/groups.h"
#include "analyze/report/figures/changes.h"
#include "analyze/stats/samples/posthoc.h"
#include "analyze/stats/series/warmup.h"
#include "analyze/stats/values/stats.h"

/* How ci_low and ci_high of a median are found. */
enum syn_ci {
    SYN_CI_ORDER,     /* order statistics by the normal approximation */
    SYN_CI_EXACT,     /* order statistics by the binomial distribution */
    SYN_CI_BOOTSTRAP, /* percentiles of resamples of independent instances */
    SYN_CI_BLOCK,     /* ... of blocks of neighbours */
    SYN_CI_COUNT
};
/* "order", "exact", "bootstrap", "block". Parse returns SYN_EINVAL for what is none. */
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
/* "completion", "spread", ... */
const char *syn_metric_name(enum syn_metric metric);

struct syn_figures_plan {
    double confidence; /* in (0, 1) */
    enum syn_ci ci;
    uint64_t seed;    /* of resampling */
    bool skip_warmup; /* leave out what comes before a run settles */
    bool pairs;       /* compare each pair of ranks */
    bool tukey;       /* each run's averages without outliers, too */
};
/* Resamples of a bootstrap. */
#define SYN_FIGURES_REPLICATES 2000
/* Below this p a group's beginning counts as a warm-up. */
#define SYN_WARMUP_ALPHA 0.001

struct syn_metric_figures {
    struct syn_summary summary; /* summary.n == 0: the group has no such metric */
    double clock_bound_ns;      /* by how much the clocks may shift the median's interval, to either
                                   side; NAN where the clocks were never compared */
};

struct syn_rank_figures {
    const struct syn_group_rank *rank;
    size_t n;
    double median, ci_low, ci_high; /* of end - start */
    double last_p; /* last_count against chance, two-sided, Holm over the group's ranks */
};

struct syn_run_figures {
    uint32_t run;
    size_t instances;
    double median, ci_low, ci_high; /* of completion (of local_max where there is none) */
    struct syn_warmup warmup;       /* of the same; NAN p where there are too few instances */
    struct syn_run_change change;   /* of the same, after a warm-up that ends */
    bool first_is_slowest;          /* of two instances and more: none took longer than the first */
    bool last_is_slowest;           /* likewise */
    double first_ns;                /* of the same metric; NAN without instances */
    size_t skipped;                 /* left out of `instances` and of all metrics as warm-up */
    /* The run's metric without values outside Tukey's fences (Hunold & Carpen-Amarie 2015,
     * Algorithm 6); NAN if the plan does not ask for it, or if there is nothing. */
    double tukey_median, tukey_mean;
    size_t tukey_instances;
};

struct syn_figures {
    const struct syn_group *group;
    struct syn_metric_figures metric[SYN_METRIC_COUNT];
    struct syn_anova anova;
    struct syn_kruskal kruskal;
    struct syn_friedman friedman;
    /* Figures for instances that depend on each other; NAN if these are too few for their
     * dependence, or have not all the same members. */
    double ranks_effective; /* so many independent instances say as much of the ranks */
    double friedman_p_dependent, kruskal_p_dependent, anova_p_dependent;
    double friedman_p_adjusted;    /* of friedman_p_dependent, Holm over all groups; set by
                                      syn_figures_compute_all */
    struct syn_rank_figures *rank; /* [rank_count], ascending in rank; owned */
    size_t rank_count;
    const struct syn_rank_figures *latest; /* the rank that came last most often, where that is more
                                              than chance; NULL where not. And: */
    double latest_p; /* Holm over ranks and groups. Both set by syn_report_find_latest */
    struct syn_run_figures *run; /* [run_count]; owned */
    size_t run_count;
    size_t skipped_count;                          /* over the runs */
    struct syn_pair *kruskal_pair, *friedman_pair; /* [pair_count]: i, j index `rank`; NANs where
                                                      the test is not defined; owned */
    size_t pair_count;                             /* 0 where the plan has no pairs */
    double inside_ns;                              /* summed over ranks: time inside MPI */
    double waiting_ns;                             /* of that, before the last had arrived */
    double waiting_share;                          /* waiting_ns of inside_ns; NAN for none */
    double wait_ns;                                /* summed over ranks: last start - own start */
    double bound_total_ns; /* by how much the clocks may shift waiting_ns and wait_ns; NAN where
                              unknown */
};

/* Figures of all groups, on all cores. out [groups->count], caller-owned, freed with
 * syn_figures_free each. Returns 0, SYN_ENOMEM, or SYN_EIO of the columns' temporary file (nothing
 * is then left to free). */
int syn_figures_compute_all(const struct syn_groups *groups, const struct syn_figures_plan *plan,
                            struct syn_figures *out);
void syn_figures_free(struct syn_figures *figures);

struct syn_tally;
/* Computes medians and intervals of ranks with too many values for arrays, ANOVA and
 * Kruskal-Wallis. figures->rank is there, with rank and n. The tallies are scratch. Returns 0;
 * SYN_EINVAL for spans that a tally cannot hold; SYN_ENOMEM, SYN_EIO. */
int syn_long_ranks(struct syn_figures *figures, double confidence, struct syn_tally *combined,
                   struct syn_tally *scratch);

/* Once figures->friedman and the ranks are there: ranks_effective and the p that follow. Returns 0,
 * SYN_ENOMEM, SYN_EIO. */
int syn_rank_dependence(struct syn_figures *figures);

/* A metric of every complete instance that is not left out into x [syn_figures_count], run by run
 * in the order of time. Returns 0, SYN_EINVAL where the group has no such metric, SYN_ENOMEM,
 * SYN_EIO. */
int syn_figures_values(const struct syn_figures *figures, enum syn_metric metric, double *x);
/* When each of those began, in the run's time. */
int syn_figures_starts(const struct syn_figures *figures, double *x);
size_t syn_figures_count(const struct syn_figures *figures);
/* Summed over its ranks: time inside MPI. */
double syn_group_inside_ns(const struct syn_group *group);
/* The metric by which a group is judged: completion, or local_max for a rank's or node's part. */
enum syn_metric syn_figures_main_metric(const struct syn_group *group);

/* Is the median smaller than what the clocks are good for? */
bool syn_figures_below_clock(const struct syn_metric_figures *metric);

#endif
