/* analyze/diff/diff_cost.h - the cost of a group's slow-down: the time that ranks are inside of it,
 * B's minus A's, as a share of A's run. */
#ifndef SYN_DIFF_COST_H
#define SYN_DIFF_COST_H

#include "analyze/diff/diff.h"

struct syn_diff_cost {
    struct syn_shift
        share;         /* B - A (Hodges-Lehmann); its interval NAN where the runs are too few */
    double p_adjusted; /* that it is no more than the limit: one-sided, Holm over the groups */
    bool is_more;      /* than the limit, at the level of a side of the diff's tests */
};

/* A run's figure is the mean over its ranks of their time inside of the group: 0 where the group
 * does not occur. Runs whose clocks are wrong are left out. limit: a share of the run. *out
 * [diff->count], for the caller to free. Returns 0 or SYN_ENOMEM. */
int syn_diff_costs(const struct syn_diff *diff, double limit, struct syn_diff_cost **out);

#endif
