/* sync/methods/group.h - groups of ranks that share a clock, and their leaders.
 *
 * Ranks with equal clock identity form a group, unless measured offsets contradict that: every
 * member pings its parent in a binomial tree of the group, all groups and levels at once. A member
 * whose bounds exclude offset zero leads a new group, together with the ranks below it in the tree
 * (which compared themselves with it). */
#ifndef SYN_GROUP_H
#define SYN_GROUP_H

#include "sync/methods/link.h"
#include "sync/methods/sync.h"
#include "sync/ranks/parts.h"
#include "sync/ranks/rank_set.h"
#include "sync/time/identity.h"

/* Ping-pong messages to verify that two ranks share a clock: one warms the path, one counts.
 * RATIONALE: more would show smaller differences, but if ranks take turns on a core each costs time
 * slices. */
#define SYN_VERIFY_COUNT 2

struct syn_clock_groups {
    struct syn_rank_set leaders; /* of all groups; the first is rank 0; owned */
    int leader_index;            /* index of this rank's leader */
    int *
        members; /* [member_count] ranks of this rank's group, ascending, its leader first; owned */
    int member_count;
    int member_index; /* of this rank; 0 if it leads */
};

/* Form the groups; called by all ranks of the link. Classes by identity are exchanged, offsets are
 * verified, and contradictions are exchanged: at most (6 + 2 SYN_VERIFY_COUNT) (p - 1) messages.
 * `known` (or NULL) saves the first exchange; and the ping-pongs of rank 0's group, if those ranks
 * have compared their clocks. An error is also left in the link; *groups is then empty. Returns 0
 * or negative. */
int syn_groups_form(struct syn_clock_groups *groups, struct syn_link *link,
                    struct syn_clock_identity identity, const struct syn_sync_known *known);
void syn_groups_free(struct syn_clock_groups *groups);

/* Write rank 0's message about the groups (parts by identity): the part for all ranks, and the one
 * for the i-th class. */
void syn_groups_put_common(const struct syn_parts *parts, struct syn_bytes *out);
void syn_groups_put_own(const struct syn_parts *parts, size_t i, struct syn_bytes *out);
/* Read that message at `rank` of `size`; *groups is empty before. Returns 0 or SYN_ENOMEM. A
 * damaged message makes *common or *own fail. */
int syn_groups_take(struct syn_clock_groups *groups, int size, int rank, struct syn_take *common,
                    struct syn_take *own);
/* Stores the key of an identity. */
void syn_identity_key(struct syn_clock_identity identity, uint64_t key[SYN_PART_WORDS]);

/* Mathematics only: each member in `contradicts` leads a group of its own. Returns 0 or
 * SYN_ENOMEM. */
int syn_groups_split(struct syn_clock_groups *groups, const struct syn_rank_set *contradicts);

/* Returns the parent's index in the group's binomial tree. The children of `index` are index +
 * step, for the powers of two below its lowest set bit. */
static inline int syn_group_parent(int index)
{
    return index & (index - 1);
}

/* Returns the largest step of `index` in a tree of `count`; halve it down to 1 to get all
 * children. */
int syn_group_widest_step(int index, int count);

#endif
