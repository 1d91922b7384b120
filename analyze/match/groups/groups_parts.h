/* analyze/match/groups/groups_parts.h - shared by finding groups (groups.c), gathering instances
 * (groups_add.c) and absorbing parts (groups_absorb.c). */
#ifndef SYN_GROUPS_PARTS_H
#define SYN_GROUPS_PARTS_H

#include "analyze/match/groups/groups.h"

/* The place of each member of a communicator of a run in group->rank. */
struct syn_member_map {
    uint32_t run;
    uint32_t comm; /* label */
    uint32_t part; /* key of the rank or node; 0 where the whole instance counts */
    uint32_t count;
    uint32_t *place; /* [count] */
};

/* Members of an instance that count together: all, one rank, those of a node. */
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

/* The group of a key [SYN_KEY_COUNT], made where there is none. NULL: no memory. */
struct syn_group *syn_groups_find(struct syn_groups *groups, const uint64_t *key);
/* A group of a part, absorbed: for the next part. */
void syn_group_empty(struct syn_group *group);
/* One that was emptied, and had nothing since. */
bool syn_group_is_empty(const struct syn_group *group);
/* The place of a rank of MPI_COMM_WORLD in group->rank, made where there is none. `hint`: where it
 * most likely is; `known_count`: it can only be among the first so many. UINT32_MAX: no memory. */
uint32_t syn_group_place_of_rank(struct syn_group *group, int32_t rank, uint32_t hint,
                                 size_t known_count);
/* Room for so many ranks more, before they come one by one. Returns 0 or SYN_ENOMEM. */
int syn_group_reserve_ranks(struct syn_group *group, size_t more);
/* Nothing of its ranks is held back any more. */
void syn_group_free_held_ranks(struct syn_group *group);
/* Notes that the next instances are of that run. Returns 0 or SYN_ENOMEM. */
int syn_group_note_run(struct syn_group *group, uint32_t run);

/* The group that part of an instance belongs to, and how its members lie there. NULL: no memory. */
struct syn_group *syn_groups_find_of(struct syn_groups *groups, const struct syn_group_part *part);
const struct syn_member_map *syn_group_member_map(struct syn_group *group,
                                                  const struct syn_group_part *part);

#endif
