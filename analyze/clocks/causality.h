/* analyze/clocks/causality.h - a check of the clocks by the program's own collectives: no rank
 * leaves a synchronizing operation before the last has arrived. If global times contradict this by
 * more than their bounds, the clock model is wrong. */
#ifndef SYN_CAUSALITY_H
#define SYN_CAUSALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/match/match.h"

struct syn_causality {
    uint64_t checked_count;   /* instances for which the rule holds */
    uint64_t within_count;    /* hurt, but within the bounds: may well be nothing */
    uint64_t violation_count; /* hurt beyond the bounds */
    int64_t worst_ns;         /* by how much, the worst of them, and */
    int64_t worst_bound_ns;   /*   the bound there */
    uint32_t worst_late_rank, worst_early_rank; /* who came last, who had left: in MPI_COMM_WORLD */
    uint16_t worst_op;
};

/* Must everybody wait for everybody? */
bool syn_causality_holds(const struct syn_instance *instance);
/* Takes one complete instance into account. */
void syn_causality_add(struct syn_causality *causality, const struct syn_instance *instance);
/* As if both had been added to one, in any order. */
void syn_causality_absorb(struct syn_causality *into, const struct syn_causality *from);

#endif
