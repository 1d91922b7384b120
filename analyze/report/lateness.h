/* analyze/report/lateness.h - did a rank come last more often than by chance, instances being
 * dependent? */
#ifndef SYN_LATENESS_H
#define SYN_LATENESS_H

#include <stddef.h>

#include "analyze/match/column.h"

/* Instance by instance, in the order of the match: who came last, and by how much. */
struct syn_late_series {
    const struct syn_column *last, *lead_ns;
    const struct syn_store *store;
};

/* At most so many ranks are looked at. */
#define SYN_LATE_RANKS 64

/* How much less the series says of each rank [rank_count] than independent instances would, into
 * factor [rank_count], at least 1; NAN for a series that is too short to tell. What depends is how
 * late a rank was: the lead by which it came last, or less than 0 by the lead of who did. That
 * tells a rank that is late all the time, by more or less, from one that drifted off once. And that
 * it was last, which tells more of one of many ranks: the larger counts. Returns 0, SYN_EINVAL for
 * too many ranks, SYN_ENOMEM, SYN_EIO of the store. */
int syn_late_dependence(const struct syn_late_series *series, const int64_t *rank,
                        size_t rank_count, double *factor);

/* Two-sided binomial p of `last` of n instances, `expected` by chance, where factor of them say as
 * much as one: 1 where it is no more than chance; NAN where what is left is too short to tell. */
double syn_late_p(double last, double n, double expected, double factor);

#endif
