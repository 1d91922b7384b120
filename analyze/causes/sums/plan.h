/* analyze/causes/sums/plan.h - facts of a run before its events are read: whose time there is to
 * divide (locations: threads of ranks), and which communicators have which members. */
#ifndef SYN_CAUSE_PLAN_H
#define SYN_CAUSE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "analyze/match/members/comms.h"
#include "analyze/match/members/names.h"
#include "trace/read/reader.h"

struct syn_cause_location {
    int32_t rank; /* in MPI_COMM_WORLD */
    uint32_t thread;
    int64_t finalize_ns; /* when its rank entered MPI_Finalize; INT64_MAX: not known */
};

/* Communicators of the same ranks are one group, unless a rank of them has several threads. */
struct syn_rank_group {
    uint32_t member_count;
    uint32_t comm;   /* one of those */
    bool covers_all; /* every location is in it */
    bool is_alone;   /* the one communicator, for threads may have others */
    uint32_t *above; /* [above_count], groups that have all of its members; owned */
    uint32_t above_count;
};

struct syn_cause_plan {
    struct syn_trace *trace;
    const struct syn_comms *comms;
    const struct syn_names *names;       /* of the points; NULL in a plan by itself */
    struct syn_cause_location *location; /* [location_count] */
    uint32_t location_count;
    uint32_t *first_location; /* [rank_count + 1], of each rank */
    int32_t rank_count;
    uint32_t *group_of_comm; /* [comms->count]; SYN_NO_GROUP: instances of it cannot be complete */
    struct syn_rank_group *group; /* [group_count] */
    uint32_t group_count;
    /* Groups of each rank, ascending, but for those of ranks with several threads:
     * rank_group[first_group[rank] .. first_group[rank + 1]). */
    uint32_t *rank_group, *first_group;
    bool has_cover; /* a group covers all: each location is the only one of its rank */
    /* For each rank's chunks, when all calls of those before it are over; NULL without a cover. */
    int64_t **over_ns; /* [rank_count][chunk count of its file] */
};
#define SYN_NO_GROUP UINT32_MAX

/* Trace and comms have to outlive it. 0 or SYN_ENOMEM; free in any case. */
int syn_cause_plan_make(struct syn_trace *trace, const struct syn_comms *comms,
                        struct syn_cause_plan *out);
void syn_cause_plan_free(struct syn_cause_plan *plan);
/* May threads of a rank take turns on the communicator? */
static inline bool syn_plan_has_turns(const struct syn_cause_plan *plan, uint32_t comm)
{
    const uint32_t group = plan->group_of_comm[comm];
    return group != SYN_NO_GROUP && plan->group[group].is_alone;
}
/* SYN_NO_NUMBER for a thread that no chunk is of. */
uint32_t syn_location_of(const struct syn_cause_plan *plan, int32_t rank, uint32_t thread);

#endif
