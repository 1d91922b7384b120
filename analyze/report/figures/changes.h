/* analyze/report/figures/changes.h - finds the instance at which a group's calls leave the level at
 * which they began in a run. */
#ifndef SYN_CHANGES_H
#define SYN_CHANGES_H

#include <stdbool.h>

#include "analyze/report/figures/series.h"
#include "analyze/stats/series/change.h"

/* A run of more instances is judged by the medians of stretches, at most this many. */
#define SYN_CHANGE_VALUES ((size_t)1 << 15)
/* A run is said to change if its p, adjusted over the runs of groups of weight, is below this. */
#define SYN_CHANGE_ALPHA SYN_CHANGE_P

struct syn_run_change {
    struct syn_change found; /* in values: one value is an instance, or the median of a stretch */
    size_t first, size;      /* first instance of the first value; instances per value */
    int64_t at_ns;           /* start of the first instance at the new level */
    double p_adjusted;       /* Holm; NAN in groups without weight; set by report_make.c */
};

/* Looks for a change in a metric of a run, from instance `first` on. start_ns: column of the
 * instances' starts. Returns 0, SYN_ENOMEM, SYN_EIO. */
int syn_run_change_find(const struct syn_series *series, const struct syn_column *start_ns,
                        size_t first, struct syn_run_change *out);

/* Returns the first instance at the new level, counted from 0. */
size_t syn_run_change_at(const struct syn_run_change *change);
/* Returns how many instances were judged. */
size_t syn_run_change_span(const struct syn_run_change *change, size_t instance_count);
/* Returns the slope of a trend: the ratio of a call's time to that of the call 1,000 calls
 * earlier. */
double syn_run_change_per_1000(const struct syn_run_change *change, size_t instance_count);
bool syn_run_change_is_claimed(const struct syn_run_change *change);
/* Returns true if the level moves, but a slow wave in the noise would explain that as well: the run
 * is too short to tell. */
bool syn_run_change_is_unclear(const struct syn_run_change *change);

#endif
