/* analyze/causes/lanes.h - plain calls of each location as columns: what most calls of most
 * programs are, at 28 bytes each.
 *
 * A plain call is a blocking one, on a communicator whose members are known. A lane has those of
 * one location, in order. */
#ifndef SYN_CAUSE_LANES_H
#define SYN_CAUSE_LANES_H

#include "analyze/causes/replay.h"
#include "analyze/match/match.h"

struct syn_lane {
    int64_t *start_ns, *end_ns;
    int64_t *messages_ns, *off_cpu_ns; /* of the segment before; NULL: 0 for all */
    uint64_t *sequence;
    uint32_t *kind;
    size_t first, end, capacity; /* [first, end) are there */
};

void syn_lane_free(struct syn_lane *lane);
static inline size_t syn_lane_count(const struct syn_lane *lane)
{
    return lane->end - lane->first;
}
/* Appends `count` events from i on, which match. 0 or SYN_ENOMEM. */
int syn_lane_append(struct syn_lane *lane, const struct syn_match_batch *batch, size_t i,
                    size_t count);
/* A call that is plain, the next one. 0 or SYN_ENOMEM. */
int syn_lane_append_call(struct syn_lane *lane, const struct syn_replay_call *call);
/* The k-th as a call; k may be -1 where one was passed. */
struct syn_replay_call syn_lane_call(const struct syn_lane *lane, ptrdiff_t k);
/* Passes the first `count` calls. The last of these is kept, for syn_lane_call. */
static inline void syn_lane_pass(struct syn_lane *lane, size_t count)
{
    lane->first += count;
}

#endif
