/* analyze/match/groups_wire.c - a group to another process, and there. A group's plain members
 * travel as they lie in memory, so that none is forgotten; names are mapped, and what is pointed to
 * is made anew. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups_parts.h"
#include "sync/base/status.h"

static bool is_name(int key)
{
    return key == SYN_KEY_SITE || key == SYN_KEY_COMM || key == SYN_KEY_NODE ||
           key == SYN_KEY_PHASE;
}

static int put_rank(const struct syn_group_rank *rank, const struct syn_store *store,
                    struct syn_bytes *out)
{
    syn_bytes_put(out, rank, sizeof *rank);
    return syn_column_put(&rank->local_ns, store, out);
}

int syn_group_put(const struct syn_group *group, struct syn_bytes *out)
{
    int status = 0;
    syn_bytes_put(out, group, sizeof *group);
    for (size_t i = 0; i < group->run_count; i++)
        syn_bytes_put(out, &group->run[i], sizeof group->run[i]);
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        status = syn_column_put(&group->column[c], group->store, out);
    for (size_t i = 0; i < group->rank_count && status == SYN_OK; i++)
        status = put_rank(&group->rank[i], group->store, out);
    return out->failed ? SYN_ENOMEM : status;
}

/* A group without anything that is pointed to, and how many runs and ranks it will have. */
static bool take_plain(struct syn_take *take, const struct syn_name_map *map,
                       struct syn_group *group, size_t *run_count, size_t *rank_count)
{
    const uint8_t *from = syn_take_bytes(take, sizeof *group);
    if (!from)
        return false;
    memcpy(group, from, sizeof *group);
    *run_count = group->run_count;
    *rank_count = group->rank_count;
    memset(group->column, 0, sizeof group->column);
    memset(group->held, 0, sizeof group->held);
    group->store = NULL;
    group->run = NULL;
    group->rank = NULL;
    group->layout = NULL;
    group->run_count = group->rank_count = group->layout_count = 0;
    for (int i = 0; i < SYN_KEY_COUNT; i++)
        group->key[i] = is_name(i) ? syn_name_mapped(map, group->key[i]) : group->key[i];
    struct syn_common *const named[] = {&group->site, &group->comm, &group->phase};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        named[i]->value = syn_name_mapped(map, named[i]->value);
    return *run_count <= syn_take_left(take) && *rank_count <= syn_take_left(take);
}

static int take_runs(struct syn_take *take, size_t count, struct syn_group *group)
{
    size_t bytes = count * sizeof *group->run;
    const uint8_t *from = syn_take_bytes(take, bytes);
    if (!from)
        return SYN_ETRANSPORT;
    group->run = malloc(bytes + 1);
    if (!group->run)
        return SYN_ENOMEM;
    memcpy(group->run, from, bytes);
    group->run_count = count;
    return 0;
}

static int take_rank(struct syn_take *take, struct syn_store *store, struct syn_group_rank *rank)
{
    const uint8_t *from = syn_take_bytes(take, sizeof *rank);
    if (!from)
        return SYN_ETRANSPORT;
    memcpy(rank, from, sizeof *rank);
    rank->local_ns = (struct syn_column){0};
    return syn_column_take(take, store, &rank->local_ns);
}

static int take_ranks(struct syn_take *take, size_t count, struct syn_group *group,
                      struct syn_store *store)
{
    int status = 0;
    group->rank = calloc(count + 1, sizeof *group->rank);
    if (!group->rank)
        return SYN_ENOMEM;
    while (group->rank_count < count && status == SYN_OK)
        status = take_rank(take, store, &group->rank[group->rank_count++]);
    return status;
}

int syn_group_take(struct syn_take *take, const struct syn_name_map *map, struct syn_groups *groups)
{
    struct syn_group plain;
    size_t run_count, rank_count, count_before = groups->count;
    if (!take_plain(take, map, &plain, &run_count, &rank_count))
        return SYN_ETRANSPORT;
    struct syn_group *group = syn_groups_find(groups, plain.key);
    if (!group)
        return SYN_ENOMEM;
    if (groups->count == count_before) /* it is here already */
        return SYN_ETRANSPORT;
    plain.store = group->store;
    *group = plain;
    int status = take_runs(take, run_count, group);
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        status = syn_column_take(take, groups->store, &group->column[c]);
    return status != SYN_OK ? status : take_ranks(take, rank_count, group, groups->store);
}
