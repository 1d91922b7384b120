/* analyze/report/figures/lateness.h - tests whether a rank came last more often than by chance, for
 * instances that depend on each other.
 *
 * Instances of one kind (late_kinds.h) depend on each other: a rank that is late stays late for a
 * while. This dependence is estimated for each kind, since neighbours in the run are of different
 * kinds. Dependence that kinds share shows between whole iterations: stretches of the run in which
 * most kinds occur once. */
#ifndef SYN_LATENESS_H
#define SYN_LATENESS_H

#include <stddef.h>

#include "analyze/match/columns/column.h"
#include "analyze/report/figures/late_kinds.h"

/* Columns with one value for each instance in the order of time: the world rank that came last, how
 * long after the rank before it, and the number of the instance's kind. */
struct syn_late_series {
    const struct syn_column *last, *lead_ns, *kind;
    const struct syn_store *store;
};

/* The largest number of ranks that one call looks at. */
#define SYN_LATE_RANKS 64

/* Finds how many instances say as much as one independent instance, at least 1.
 *
 * For each kind, sets `instance_count` and `factor`; the factor is that of the rank that came last
 * most often in the kind. The factor of a kind with too few batches (SYN_LONG_RUN_LEAST) is the
 * number of its instances.
 *
 * For each rank of rank [rank_count], writes factor [rank_count]: the mean of its kinds' factors,
 * weighted by instances, or the factor of whole iterations, whichever is larger. NAN if there are
 * too few iterations to tell. A rank's kinds are those in which the rank came last at least once.
 *
 * Two series are looked at, and the larger factor counts. The first is lateness: the rank's lead if
 * it came last, else minus the lead of the rank that did. It distinguishes a rank that is always
 * late, by more or less, from a rank that drifted away once. The second is whether the rank came
 * last, which says more if there are many ranks.
 *
 * Returns 0, SYN_EINVAL for too many ranks, SYN_ENOMEM, SYN_EIO of the store. */
int syn_late_dependence(const struct syn_late_series *series, struct syn_late_kinds *kinds,
                        const int64_t *rank, size_t rank_count, double *factor);

/* Returns the two-sided binomial p of coming last in `last` of n instances, where n instances say
 * as much as `effective` independent ones and `expected` is the number by chance. Returns 1 if
 * `last` is not more than `expected`, NAN if there are too few effective instances to tell. */
double syn_late_p(double last, double n, double expected, double effective);

#endif
