/* analyze/match/groups/groups_parts.h - functions shared by groups.c, groups_add.c and
 * groups_absorb.c. */
#ifndef SYN_GROUPS_PARTS_H
#define SYN_GROUPS_PARTS_H

#include "analyze/match/groups/groups.h"

/* Map from the members of a communicator to indices of group->rank. */
struct syn_member_map {
    uint32_t run;
    uint32_t comm; /* label */
    uint32_t part; /* first member of the rank or node; 0: all members count */
    uint32_t count;
    uint32_t *place; /* [count] indices */
};

/* The members of an instance that count for one group: all of them, one rank, or one node's ranks.
 */
struct syn_group_part {
    const struct syn_instance *instance;
    const struct syn_groups_run *run;
    const uint32_t *member; /* [count]; NULL: 0, 1, 2, ... */
    uint32_t count;
    uint64_t rank_key, node_key;
};

static inline uint32_t syn_part_member(const struct syn_group_part *part, uint32_t i)
{
    return part->member ? part->member[i] : i;
}

/* Returns the group with this key [SYN_KEY_COUNT], and makes it if there is none. NULL: no memory.
 */
struct syn_group *syn_groups_find(struct syn_groups *groups, const uint64_t *key);
/* Empties a group of a partial result that was absorbed. */
void syn_group_empty(struct syn_group *group);
/* Returns whether the group was emptied, with nothing added since. */
bool syn_group_is_empty(const struct syn_group *group);
/* Returns the index of a rank of MPI_COMM_WORLD in group->rank, and appends the rank if it is not
 * there. `hint` is its likely index; only the first `known_count` ranks are searched. UINT32_MAX:
 * no memory. */
uint32_t syn_group_index_of_rank(struct syn_group *group, int32_t rank, uint32_t hint,
                                 size_t known_count);
/* Makes room for `more` ranks at once. Returns 0 or SYN_ENOMEM. */
int syn_group_reserve_ranks(struct syn_group *group, size_t more);
/* Frees the deferred columns of ranks, which are empty. */
void syn_group_free_deferred_ranks(struct syn_group *group);
/* Notes that the next instances are of run `run`. Returns 0 or SYN_ENOMEM. */
int syn_group_note_run(struct syn_group *group, uint32_t run);

/* Return the group to which a part of an instance belongs, and the map of its members there. NULL:
 * no memory. */
struct syn_group *syn_groups_find_for_part(struct syn_groups *groups,
                                           const struct syn_group_part *part);
const struct syn_member_map *syn_group_member_map(struct syn_group *group,
                                                  const struct syn_group_part *part);

#endif
