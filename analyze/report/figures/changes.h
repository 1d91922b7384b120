/* analyze/report/figures/changes.h - finds the instance at which a run of a group leaves the level
 * that it began with. */
#ifndef SYN_CHANGES_H
#define SYN_CHANGES_H

#include <stdbool.h>

#include "analyze/report/figures/series.h"
#include "analyze/stats/series/change.h"

/* A longer run is judged by the medians of so many stretches at most. */
#define SYN_CHANGE_VALUES ((size_t)1 << 15)
/* Below this p, adjusted over the runs of groups of weight, a run is said to change. */
#define SYN_CHANGE_ALPHA SYN_CHANGE_P

struct syn_run_change {
    struct syn_change found; /* in values: an instance each, or a stretch's median */
    size_t first, size;      /* the instance that the first value begins with; instances a value */
    int64_t at_ns;           /* start of the first instance of the new level */
    double p_adjusted;       /* Holm; NAN in groups without weight. Set by report_make.c */
};

/* series: a metric of a run; start_ns: the starts beside its column. What comes before instance
 * `first` is left out. Returns 0, SYN_ENOMEM, SYN_EIO. */
int syn_run_change_find(const struct syn_series *series, const struct syn_column *start_ns,
                        size_t first, struct syn_run_change *out);

/* The first instance of the new level, counted from 0. */
size_t syn_run_change_at(const struct syn_run_change *change);
/* How many instances were judged. */
size_t syn_run_change_span(const struct syn_run_change *change, size_t instance_count);
/* Slope of a trend: how much longer a call takes than the one 1,000 calls earlier. */
double syn_run_change_per_1000(const struct syn_run_change *change, size_t instance_count);
bool syn_run_change_is_claimed(const struct syn_run_change *change);
/* Its level moves, but a slow wave in the noise would explain that as well: too short to tell. */
bool syn_run_change_is_unclear(const struct syn_run_change *change);

#endif
