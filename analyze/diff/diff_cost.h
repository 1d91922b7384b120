/* analyze/diff/diff_cost.h - computes what a group costs more in B: the time that ranks are inside
 * it in B minus that in A, as a share of A's run. */
#ifndef SYN_DIFF_COST_H
#define SYN_DIFF_COST_H

#include "analyze/diff/diff.h"

struct syn_diff_cost {
    struct syn_shift share; /* B - A (Hodges-Lehmann); interval NAN: too few runs */
    double p_adjusted; /* of a one-sided test for a cost above the limit; Holm over the groups */
    bool is_more;      /* the cost is above the limit, at one side's level of the diff's tests */
};

/* Computes the costs: *out [diff->count], which the caller frees. A run's value is the mean over
 * its ranks of their time inside the group, 0 if the group does not occur. Runs whose clocks are
 * wrong are left out. limit: a share of the run. Returns 0 or SYN_ENOMEM. */
int syn_diff_costs(const struct syn_diff *diff, double limit, struct syn_diff_cost **out);

#endif
