/* analyze/report/figures/lateness.h - did a rank come last more often than by chance, instances
 * being dependent?
 *
 * Instances of one kind (late_kinds.h) depend on each other: a rank that is late stays so for a
 * while. How much is found kind by kind, as the sites of a loop follow one another and neighbours
 * in the run are of different kinds. What kinds have in common shows between whole iterations:
 * stretches of the run in which most kinds come once. */
#ifndef SYN_LATENESS_H
#define SYN_LATENESS_H

#include <stddef.h>

#include "analyze/match/columns/column.h"
#include "analyze/report/figures/late_kinds.h"

/* Instance by instance, in the order of time: the world rank that came last, how long after the one
 * before it, and the number of its kind. */
struct syn_late_series {
    const struct syn_column *last, *lead_ns, *kind;
    const struct syn_store *store;
};

/* At most so many ranks are looked at. */
#define SYN_LATE_RANKS 64

/* How many instances say as much as one, 1 at least. Of each of the kinds, for the rank that came
 * last most often in it (`factor` and `instance_count` are set): all of its instances where they
 * are fewer than SYN_LONG_RUN_LEAST. Of each rank [rank_count] in the run, into factor
 * [rank_count]: the larger of the mean of its kinds', by instances, and that of whole iterations;
 * NAN where these are too few to tell. A rank's kinds are those in which it came last. What depends
 * is how late a rank was: the lead by which it came last, or less than 0 by the lead of who did.
 * That tells a rank that is late all the time, by more or less, from one that drifted off once. And
 * that it was last, which tells more of one of many ranks: the larger counts. Returns 0, SYN_EINVAL
 * for too many ranks, SYN_ENOMEM, SYN_EIO of the store. */
int syn_late_dependence(const struct syn_late_series *series, struct syn_late_kinds *kinds,
                        const int64_t *rank, size_t rank_count, double *factor);

/* Two-sided binomial p of `last` of n instances that say as much as `effective` independent ones,
 * `expected` by chance: 1 where it is no more than chance; NAN where what is left is too short to
 * tell. */
double syn_late_p(double last, double n, double expected, double effective);

#endif
