/* analyze/causes/sums/thread_totals.h - the sums that one thread adds to, part after part. Each
 * part numbers its labels itself. The totals have one numbering for all parts that were replayed
 * into them, so a part adds to the same cells as the part before. A run has as many totals as parts
 * that were replayed at the same time. They are added up when all is read. */
#ifndef SYN_THREAD_TOTALS_H
#define SYN_THREAD_TOTALS_H

#include "analyze/causes/sums/sums.h"

/* The totals of a run's threads. */
struct syn_totals_pool;
/* NULL: no memory. */
struct syn_totals_pool *syn_totals_pool_new(uint32_t location_count,
                                            const struct syn_time_bins *bins, unsigned keys);
/* Frees the pool; all totals were given back. */
void syn_totals_pool_free(struct syn_totals_pool *pool);

struct syn_thread_totals;
/* Lends totals that nobody else has. Until they are given back, `sums` (empty, with the labels of
 * `tables`) adds to them. NULL: no memory. */
struct syn_thread_totals *syn_thread_totals_lend(struct syn_totals_pool *pool,
                                                 const struct syn_cause_tables *tables,
                                                 struct syn_cause_sums *sums);
/* Gives totals back. `sums` is empty then and must not be used. */
void syn_thread_totals_give_back(struct syn_totals_pool *pool, struct syn_thread_totals *totals,
                                 struct syn_cause_sums *sums);

/* Returns the place of the number of a label's cell: 0 if there is none yet, to be set to that of a
 * new cell. *own, out: the label in the totals' numbering. NULL: no memory. */
uint32_t *syn_thread_totals_place(struct syn_thread_totals *totals, uint32_t location,
                                  uint32_t label, uint32_t *own);

/* Adds all totals to `sums`, by the labels of `tables`, which gets those that it lacks. The pool is
 * empty then. 0 or SYN_ENOMEM. */
int syn_totals_pool_gather(struct syn_totals_pool *pool, struct syn_cause_tables *tables,
                           struct syn_cause_sums *sums);

#endif
