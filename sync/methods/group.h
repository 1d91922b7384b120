/* sync/methods/group.h - ranks that share a clock, and their leaders.
 *
 * Ranks of equal identity form a group if a measured offset does not contradict it: every member
 * pings its parent in a binomial tree of its group, all groups and levels at once. A member whose
 * bounds leave out zero leads a group of its own, with those below it in the tree (who compared
 * themselves with it). */
#ifndef SYN_GROUP_H
#define SYN_GROUP_H

#include "sync/methods/link.h"
#include "sync/methods/sync.h"
#include "sync/ranks/parts.h"
#include "sync/ranks/rank_set.h"
#include "sync/time/identity.h"

/* Ping-pongs to verify that two ranks share a clock: one that warms the path, one that counts. More
 * would show smaller differences, but where ranks take turns on a core each costs time slices. */
#define SYN_VERIFY_COUNT 2

struct syn_clock_groups {
    struct syn_rank_set leaders; /* of all groups; the first is rank 0; owned */
    int leader_index;            /* of the own group's leader */
    int *members; /* [member_count] ranks of the own group, its leader first, ascending; owned */
    int member_count;
    int member_index; /* of this rank; 0 if it leads */
};

/* Form the groups; every rank of the link calls. An exchange of classes by identity, verification,
 * an exchange of who contradicts: at most 6 (p - 1) + 2 SYN_VERIFY_COUNT (p - 1) messages. With
 * `known` (NULL: nothing is) the first exchange is left out, and where the ranks of rank 0's
 * identity have compared their clocks, their ping-pongs. SYN_ENOMEM is left in the link too;
 * *groups is then empty. Returns 0 or negative. */
int syn_groups_form(struct syn_clock_groups *groups, struct syn_link *link,
                    struct syn_clock_identity identity, const struct syn_sync_known *known);
void syn_groups_free(struct syn_clock_groups *groups);

/* Writes rank 0's message about the groups that are its parts by identity: to all ranks, and to
 * those of the i-th class. */
void syn_groups_put_common(const struct syn_parts *parts, struct syn_bytes *out);
void syn_groups_put_own(const struct syn_parts *parts, size_t i, struct syn_bytes *out);
/* Reads that message at `rank` of `size`; *groups is empty before. Returns 0 or SYN_ENOMEM; a
 * message that cannot be read fails in its window. */
int syn_groups_take(struct syn_clock_groups *groups, int size, int rank, struct syn_take *common,
                    struct syn_take *own);
/* By what ranks of one identity are put together. */
void syn_identity_key(struct syn_clock_identity identity, uint64_t key[SYN_PART_WORDS]);

/* The pure part: every member that is in `contradicts` leads a group of its own. Returns 0 or
 * SYN_ENOMEM. */
int syn_groups_split(struct syn_clock_groups *groups, const struct syn_rank_set *contradicts);

/* Parent of a member in its group's binomial tree, by index; the children of `index` are
 * index + step for the powers of two below its lowest set bit. */
static inline int syn_group_parent(int index)
{
    return index & (index - 1);
}

/* The widest step of `index` in a tree of `count`: start of a loop that halves it down to 1. */
int syn_group_widest_step(int index, int count);

#endif
