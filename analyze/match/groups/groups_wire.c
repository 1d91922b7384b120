/* analyze/match/groups/groups_wire.c - a group to another process, and there. Names are mapped,
 * and what is pointed to is made anew. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups/groups_parts.h"
#include "sync/base/status.h"

bool syn_key_is_name(int key)
{
    return key == SYN_KEY_SITE || key == SYN_KEY_COMM || key == SYN_KEY_NODE ||
           key == SYN_KEY_PHASE;
}

static int put_column(const struct syn_column *column, const struct syn_store *store, bool whole,
                      struct syn_bytes *out)
{
    if (whole)
        return syn_column_put(column, store, out);
    syn_column_put_count(column, out);
    return 0;
}

int syn_group_put(const struct syn_group *group, bool whole, struct syn_bytes *out)
{
    int status = 0;
    syn_bytes_put_varint(out, whole);
    syn_fields_put(&syn_group_fields, group, out);
    syn_fields_put_all(&syn_group_run_fields, group->run, group->run_count, out);
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        status = put_column(&group->column[c], group->store, whole, out);
    for (size_t i = 0; i < group->rank_count && status == SYN_OK; i++) {
        syn_fields_put(&syn_group_rank_fields, &group->rank[i], out);
        status = put_column(&group->rank[i].local_ns, group->store, whole, out);
    }
    return out->failed ? SYN_ENOMEM : status;
}

/* A group without anything that is pointed to, and how many runs and ranks it will have. */
static bool take_plain(struct syn_take *take, const struct syn_name_map *map,
                       struct syn_group *group, size_t *run_count, size_t *rank_count)
{
    *group = (struct syn_group){0};
    syn_fields_take(&syn_group_fields, take, group);
    if (take->failed)
        return false;
    *run_count = group->run_count;
    *rank_count = group->rank_count;
    group->run_count = group->rank_count = 0;
    for (int i = 0; i < SYN_KEY_COUNT; i++)
        group->key[i] = syn_key_is_name(i) ? syn_name_mapped(map, group->key[i]) : group->key[i];
    struct syn_common *const named[] = {&group->site, &group->comm, &group->phase};
    for (size_t i = 0; i < sizeof named / sizeof *named; i++)
        named[i]->value = syn_name_mapped(map, named[i]->value);
    return *run_count <= syn_take_left(take) && *rank_count <= syn_take_left(take);
}

static int take_runs(struct syn_take *take, size_t count, struct syn_group *group)
{
    group->run = malloc((count + 1) * sizeof *group->run);
    if (!group->run)
        return SYN_ENOMEM;
    syn_fields_take_all(&syn_group_run_fields, take, group->run, count);
    group->run_count = take->failed ? 0 : count;
    return take->failed ? SYN_ETRANSPORT : SYN_OK;
}

static int take_column(struct syn_take *take, struct syn_store *store, bool whole,
                       struct syn_column *column)
{
    if (whole)
        return syn_column_take(take, store, column);
    syn_column_take_count(take, column);
    return take->failed ? SYN_ETRANSPORT : SYN_OK;
}

static int take_ranks(struct syn_take *take, struct syn_store *store, size_t count, bool whole,
                      struct syn_group *group)
{
    int status = 0;
    group->rank = calloc(count + 1, sizeof *group->rank);
    if (!group->rank)
        return SYN_ENOMEM;
    while (group->rank_count < count && status == SYN_OK) {
        struct syn_group_rank *rank = &group->rank[group->rank_count++];
        syn_fields_take(&syn_group_rank_fields, take, rank);
        status = take->failed ? SYN_ETRANSPORT : take_column(take, store, whole, &rank->local_ns);
    }
    return status;
}

int syn_group_take(struct syn_take *take, const struct syn_name_map *map, struct syn_groups *groups)
{
    struct syn_group plain;
    size_t run_count, rank_count, count_before = groups->count;
    const bool whole = syn_take_bounded(take, 1);
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
        status = take_column(take, groups->store, whole, &group->column[c]);
    return status != SYN_OK ? status : take_ranks(take, groups->store, rank_count, whole, group);
}
