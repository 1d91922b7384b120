/* analyze/report/figures.h - the figures of a group, computed from its columns.
 * Definitions: docs/reports.md; each statistic: docs/methods-statistics.md. A figure that cannot be
 * had is NAN. */
#ifndef SYN_FIGURES_H
#define SYN_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

#include "../match/groups.h"
#include "../stats/stats.h"

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

struct syn_metric_figures {
    struct syn_summary summary; /* summary.n == 0: the group has no such metric */
    double clock_bound_ns;      /* by how much the clocks may shift the median's interval, to either
                                   side; NAN where the      clocks were never compared */
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
};

struct syn_figures {
    const struct syn_group *group;
    struct syn_metric_figures metric[SYN_METRIC_COUNT];
    struct syn_anova anova;
    struct syn_kruskal kruskal;
    struct syn_friedman friedman;
    double friedman_p_adjusted;    /* Holm over all groups; set by syn_figures_compute_all */
    struct syn_rank_figures *rank; /* [rank_count], ascending in rank; owned */
    size_t rank_count;
    struct syn_run_figures *run; /* [run_count]; owned */
    size_t run_count;
    double inside_ns;      /* summed over ranks: time inside MPI */
    double waiting_ns;     /* of that, before the last had arrived */
    double wait_ns;        /* summed over ranks: last start - own start */
    double bound_total_ns; /* by how much the clocks may shift waiting_ns and wait_ns; NAN where
                              unknown */
};

/* Figures of all groups, on all cores. out [groups->count], caller-owned, freed with
 * syn_figures_free each. confidence in (0, 1). Returns 0 or SYN_ENOMEM (nothing is then left to
 * free). */
int syn_figures_compute_all(const struct syn_groups *groups, double confidence,
                            struct syn_figures *out);
void syn_figures_free(struct syn_figures *figures);

/* A metric of every complete instance into x [group->start_ns.count], run by run in the order of
 * time. Returns 0, SYN_EINVAL where the group has no such metric, SYN_ENOMEM. */
int syn_figures_values(const struct syn_group *group, enum syn_metric metric, double *x);

/* Is the median smaller than what the clocks are good for? */
bool syn_figures_below_clock(const struct syn_metric_figures *metric);

#endif
