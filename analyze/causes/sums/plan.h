/* analyze/causes/sums/plan.h - facts of a run before its events are read: its locations (threads of
 * ranks), and the members of its communicators. */
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
    int64_t finalize_ns; /* when the rank entered MPI_Finalize; INT64_MAX: not known */
};

/* Communicators of the same ranks are one group, unless one of these ranks has several threads. */
struct syn_rank_group {
    uint32_t member_count;
    uint32_t comm;   /* one of the communicators */
    bool covers_all; /* every location is a member */
    bool is_alone;   /* has a single communicator, because a rank has several threads */
    uint32_t *above; /* [above_count], groups that have all members of this one; owned */
    uint32_t above_count;
};

struct syn_cause_plan {
    struct syn_trace *trace;
    const struct syn_comms *comms;
    const struct syn_names *names;       /* names of the points; NULL if only the plan is made */
    struct syn_cause_location *location; /* [location_count] */
    uint32_t location_count;
    uint32_t *first_location; /* [rank_count + 1], index of each rank's first location */
    int32_t rank_count;
    uint32_t *group_of_comm; /* [comms->count]; SYN_NO_GROUP: its instances cannot be complete */
    struct syn_rank_group *group; /* [group_count] */
    uint32_t group_count;
    /* Groups of each rank, ascending, except those in which a rank has several threads:
     * rank_group[first_group[rank] .. first_group[rank + 1]). */
    uint32_t *rank_group, *first_group;
    bool has_cover; /* a group covers all locations, so each rank has a single location */
    /* End of all calls in the chunks before each chunk of a rank; NULL if no group covers all
     * locations. */
    int64_t **over_ns; /* [rank_count][chunk count of its file] */
};
#define SYN_NO_GROUP UINT32_MAX

/* Makes the plan of a run. trace and comms are borrowed. Returns 0 or SYN_ENOMEM. The caller frees
 * *out in either case. */
int syn_cause_plan_make(struct syn_trace *trace, const struct syn_comms *comms,
                        struct syn_cause_plan *out);
void syn_cause_plan_free(struct syn_cause_plan *plan);
/* Returns whether several threads of a rank may call on the communicator, in turn. */
static inline bool syn_plan_has_turns(const struct syn_cause_plan *plan, uint32_t comm)
{
    const uint32_t group = plan->group_of_comm[comm];
    return group != SYN_NO_GROUP && plan->group[group].is_alone;
}
/* Returns the number of a location, or SYN_NO_NUMBER if the thread has no chunk. */
uint32_t syn_location_of(const struct syn_cause_plan *plan, int32_t rank, uint32_t thread);

#endif
