/* analyze/report/figures/figures_parts.h - shared by the figures of metrics, runs and ranks: a
 * thread's memory, and the columns of a group as series. */
#ifndef SYN_FIGURES_PARTS_H
#define SYN_FIGURES_PARTS_H

#include "analyze/report/figures/figures.h"
#include "analyze/report/figures/series.h"
#include "analyze/report/figures/tally.h"

/* Columns of at least this many values are tallied, shorter ones sorted. The length alone decides,
 * so that figures do not depend on the machine's memory. */
#define SYN_LONG_COLUMN ((size_t)1 << 13)

/* Memory of one thread. It grows to the largest group that the thread computes. Begins as {0}. */
struct syn_workspace {
    double *x, *scratch, *bounds; /* [capacity] */
    size_t *order;
    size_t capacity;
    double *rank_values; /* [rank_capacity] */
    size_t rank_capacity;
    struct syn_tally tally, combined;
};

void syn_workspace_free(struct syn_workspace *work);
/* Makes room for n values. Returns 0 or SYN_ENOMEM. */
int syn_workspace_reserve(struct syn_workspace *work, size_t n);

struct syn_run_range {
    size_t first, end;
};

/* Returns the range of a group's i-th run in its columns. */
struct syn_run_range syn_group_range_of_run(const struct syn_group *group, size_t i);
bool syn_group_has_metric(const struct syn_group *group, enum syn_metric metric);
struct syn_series syn_group_series(const struct syn_group *group, enum syn_metric metric);
struct syn_series syn_group_series_of_column(const struct syn_group *group,
                                             const struct syn_column *column);
/* Computes the median and its interval. Returns 0, SYN_ENOMEM, SYN_EIO. */
int syn_series_median(const struct syn_series *series, struct syn_workspace *work,
                      double confidence, struct syn_median *out);

/* syn_figures_find_warmups finds the instance from which each run is settled, and how many are
 * skipped. syn_figures_of_runs computes the runs' figures afterwards. Both are in
 * figures_runs.c. */
int syn_figures_find_warmups(struct syn_figures *figures, struct syn_workspace *work,
                             const struct syn_figures_plan *plan);
int syn_figures_of_runs(struct syn_figures *figures, struct syn_workspace *work,
                        const struct syn_figures_plan *plan);
/* Computes the ranks' figures and the tests between ranks (figures_ranks.c). */
int syn_figures_of_ranks(struct syn_figures *figures, struct syn_workspace *work,
                         const struct syn_figures_plan *plan);

#endif
