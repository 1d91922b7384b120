/* analyze/causes/sums/ledgers.h - sums that go on from part to part. Each part has labels of its
 * own; a ledger has those of all parts that were replayed into it, one after the other, and so
 * their cells are added to as they are, and not made anew and added up for each part. A run has as
 * many ledgers as parts were in hand at once, which are put together when all is read. */
#ifndef SYN_CAUSE_LEDGERS_H
#define SYN_CAUSE_LEDGERS_H

#include "analyze/causes/sums/sums.h"

/* The ledgers of a run, for several threads. */
struct syn_ledgers;
/* NULL: no memory. */
struct syn_ledgers *syn_ledgers_new(uint32_t location_count, const struct syn_cause_blocks *blocks,
                                    unsigned keys);
/* All of them were given back. */
void syn_ledgers_free(struct syn_ledgers *ledgers);

struct syn_ledger;
/* One that nobody else has, for sums (empty) whose labels are those of `tables`, until they are
 * given back: what they sum up is the ledger's. NULL: no memory. */
struct syn_ledger *syn_ledger_lend(struct syn_ledgers *ledgers,
                                   const struct syn_cause_tables *tables,
                                   struct syn_cause_sums *sums);
/* The sums are empty again, and of no use. */
void syn_ledger_give_back(struct syn_ledgers *ledgers, struct syn_ledger *ledger,
                          struct syn_cause_sums *sums);

/* Returns the place of the cell's number of a label of those tables: 0 if there is none yet, to be
 * set to that of a new cell, whose label is then *own, the ledger's. NULL: no memory. */
uint32_t *syn_ledger_place(struct syn_ledger *ledger, uint32_t location, uint32_t label,
                           uint32_t *own);

/* All that was summed up, by the labels of `tables`, which has them all from then on; the ledgers
 * are empty. 0 or SYN_ENOMEM. */
int syn_ledgers_gather(struct syn_ledgers *ledgers, struct syn_cause_tables *tables,
                       struct syn_cause_sums *sums);

#endif
