/* analyze/match/instance.h - turns a pending instance into an instance (match.h) and hands it to
 * the sink. All instances are made here: those of a slice, those between slices, and incomplete
 * ones. */
#ifndef SYN_INSTANCE_H
#define SYN_INSTANCE_H

#include "analyze/match/match.h"
#include "analyze/match/members/bounds.h"
#include "analyze/match/members/pending.h"

/* The largest clock bound of a communicator's members in one cell of time (bounds.h). */
struct syn_comm_bound {
    bool known;
    int64_t cell;
    int64_t bound_ns;
};

/* Memory for making instances. Each thread has its own. */
struct syn_instance_maker {
    const struct syn_match *match;
    struct syn_bounds *bounds;         /* [rank_count]; set for ranks that have a file */
    struct syn_comm_bound *comm_bound; /* [comm count][2]; a cell is kept at place cell mod 2 */
    struct syn_member *member; /* [members of the largest communicator]; of the current instance */
    int32_t rank_count;
};

/* Returns 0 or SYN_ENOMEM. The caller ends the maker in any case. */
int syn_instance_maker_begin(struct syn_instance_maker *maker, const struct syn_match *match);
void syn_instance_maker_end(struct syn_instance_maker *maker);

/* Hands a pending instance to the sink, once no more of its members will come. It is complete if
 * all members are present and agree on the operation; else it is incomplete. `totals` counts both.
 * The pending instance stays in its table. `attributes` is that table's. Returns 0, SYN_ENOMEM or
 * the status of the sink. */
int syn_emit_instance(struct syn_instance_maker *maker, const struct syn_pending *pending,
                      struct syn_attribute_table *attributes, void *partial,
                      struct syn_match_totals *totals);

#endif
