/* analyze/clocks/causality.h - a check of the clocks by the program's own collectives. No rank
 * leaves a synchronizing collective before its last member has arrived. If global times contradict
 * this rule by more than their clock bounds, the clock model is wrong. */
#ifndef SYN_CAUSALITY_H
#define SYN_CAUSALITY_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/match/match.h"

struct syn_causality {
    uint64_t checked_count;   /* complete instances to which the rule applies */
    uint64_t within_count;    /* instances that break the rule by no more than the clock bound: the
                                 clocks may be right */
    uint64_t violation_count; /* instances that break the rule by more than the clock bound */
    int64_t worst_ns;         /* largest amount by which one of these breaks the rule */
    int64_t worst_bound_ns;   /* clock bound of that instance */
    uint32_t worst_late_rank, worst_early_rank; /* last to arrive and first to leave in that
                                                   instance, as ranks of MPI_COMM_WORLD */
    uint16_t worst_op;
};

/* Returns whether the rule applies to an instance: every member has to wait for every other one. */
bool syn_causality_holds(const struct syn_instance *instance);
/* Checks one complete instance and adds the result. */
void syn_causality_add(struct syn_causality *causality, const struct syn_instance *instance);
/* Adds the results of `from` to those of `into`. The sum does not depend on the order. */
void syn_causality_absorb(struct syn_causality *into, const struct syn_causality *from);

#endif
