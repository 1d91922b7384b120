/* analyze/match/instance.h - turns a pending instance into an instance (match.h) and hands it over
 * to the sink. Nothing else makes instances: neither within a slice, nor between slices, nor from
 * members that stay incomplete. */
#ifndef SYN_INSTANCE_H
#define SYN_INSTANCE_H

#include "analyze/match/match.h"
#include "analyze/match/members/bounds.h"
#include "analyze/match/members/pending.h"

/* The largest clock bound of a communicator's members in a cell of time (bounds.h). */
struct syn_comm_bound {
    bool known;
    int64_t cell;
    int64_t bound_ns;
};

/* Memory for making instances; each thread has its own. */
struct syn_instance_maker {
    const struct syn_match *match;
    struct syn_bounds *bounds;         /* [rank_count]; of the ranks that have a file */
    struct syn_comm_bound *comm_bound; /* [comm count][2], of a cell at cell mod 2 */
    struct syn_member *member; /* [members of the largest communicator], of the one in hand */
    int32_t rank_count;
};

/* 0 or SYN_ENOMEM; end it in any case. */
int syn_instance_maker_begin(struct syn_instance_maker *maker, const struct syn_match *match);
void syn_instance_maker_end(struct syn_instance_maker *maker);

/* Hands a pending instance over to the sink, once no more of its members will come. It is an
 * instance if all members are present and agree on the operation, and else an incomplete one;
 * `totals` counts both. It stays in its table, whose attributes are `attributes`. Returns 0,
 * SYN_ENOMEM or what the sink returned. */
int syn_emit_instance(struct syn_instance_maker *maker, const struct syn_pending *pending,
                      struct syn_attribute_table *attributes, void *partial,
                      struct syn_match_totals *totals);

#endif
