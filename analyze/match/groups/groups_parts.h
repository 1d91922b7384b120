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

/* An instance to the group that the cache says, and that it agrees with. Returns 0 or SYN_ENOMEM.
 */
int syn_groups_add_alike(struct syn_groups *groups, const struct syn_groups_cache *cache,
                         const struct syn_instance *instance);
/* Adds the instance, at once or later with others of the group. */
int syn_groups_enqueue(struct syn_groups *groups, const struct syn_groups_cache *cache,
                       const struct syn_instance *instance);

/* Plain instances of one signature, in the order that they came in, that nothing is to be noted of:
 * all their members are in the same places of group->rank. Times are what they are behind an
 * instance's first start, and below 2^31. */
#define SYN_BATCH_MEMBERS   16
#define SYN_BATCH_INSTANCES 64
struct syn_group_batch {
    size_t count;
    uint32_t member_count;
    const uint32_t *place; /* [member_count], in group->rank */
    int64_t first_start_ns[SYN_BATCH_INSTANCES], bound_ns[SYN_BATCH_INSTANCES];
    bool is_sure[SYN_BATCH_INSTANCES]; /* the last one came later by more than the bound */
    uint8_t last_starter[SYN_BATCH_INSTANCES];
    int32_t start[SYN_BATCH_MEMBERS][SYN_BATCH_INSTANCES]; /* both are filled up */
    int32_t end[SYN_BATCH_MEMBERS][SYN_BATCH_INSTANCES];
};
/* All of them to the group: what syn_groups_add_alike would do with each (groups_batch.c). Returns
 * 0 or SYN_ENOMEM. */
int syn_group_add_batch(struct syn_group *group, struct syn_group_batch *batch);

/* The last instances of a group of very many ranks, as rows, and what its ranks' sums are with them
 * (groups_rows.c). The ranks themselves have neither before the rows are settled. */
struct syn_group_rows {
    struct syn_group *group;                                /* NULL: settled */
    double *wait_ns, *inside_ns, *waiting_ns, *midrank_sum; /* [rank_count]; wait_ns owns all */
    int64_t *local_ns;                                      /* [count], `stride` apart */
    size_t count, most, stride, capacity;
};
/* NULL: the group's instances are to be added one by one. */
struct syn_group_rows *syn_group_rows_of(struct syn_groups *groups, struct syn_group *group);
static inline int64_t *syn_group_rows_next(const struct syn_group_rows *rows)
{
    return rows->local_ns + rows->count * rows->stride;
}
/* The next one is filled. This and the next two return 0 or SYN_ENOMEM. */
int syn_group_rows_added(struct syn_group_rows *rows);
int syn_group_settle_rows(struct syn_group *group);
int syn_groups_settle_rows(struct syn_groups *groups);
void syn_groups_free_rows(struct syn_groups *groups);

/* Begins the piece of memory that the columns of a group without an instance lie in, one of very
 * many groups. Once its waiting instances are there, too, all but the starts is packed, into
 * another piece. Returns 0 or SYN_ENOMEM. */
int syn_group_begin_piece(const struct syn_groups *groups, struct syn_group *group);
/* The instances that wait for a group to it. Returns 0 or SYN_ENOMEM. */
int syn_group_empty_queue(struct syn_groups *groups, struct syn_group *group);
void syn_groups_free_queue(struct syn_groups *groups);

#endif
