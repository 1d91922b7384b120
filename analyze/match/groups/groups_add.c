/* analyze/match/groups/groups_add.c - adds instances to the columns and sums of their groups.
 *
 * An instance counts in one group; by rank or by node in one group for each of its ranks or nodes.
 * A cache maps the signature of an instance to its group, as most instances are like an earlier
 * one. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/columns/row_ranks.h"
#include "analyze/match/groups/groups_parts.h"
#include "analyze/stats/values/stats.h"
#include "sync/base/cleanup.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/ends.h"
#include "trace/base/event.h"

/* Largest number of signatures in the group cache. */
#define CACHE_MOST 65536

/* ---- values that instances of a group have in common ---- */

/* Notes a value, and whether all values so far are equal. */
static void note(struct syn_common *common, uint64_t value)
{
    common->mixed |= common->known && common->value != value;
    common->value = value;
    common->known = true;
}

static void note_shared(struct syn_group *group, const struct syn_instance *instance)
{
    note(&group->op, instance->op);
    note(&group->site, instance->site);
    note(&group->comm, instance->comm->family);
    note(&group->comm_size, instance->comm->full_size);
    note(&group->member_count, instance->comm->size);
    note(&group->bytes, instance->bytes);
    note(&group->root, (uint64_t)(uint32_t)instance->root);
    note(&group->phase, instance->phase);
}

/* Notes the common values of a complete instance, and counts its flags. */
static void note_attributes(struct syn_group *group, const struct syn_instance *instance)
{
    note_shared(group, instance);
    group->site_differs |= instance->site_differs;
    group->perturbed_count += (instance->flags & SYN_EVENT_PERTURBED) != 0;
    group->failed_count += (instance->flags & SYN_EVENT_FAILED) != 0;
    group->late_start_count += (instance->flags & SYN_EVENT_LATE_START) != 0;
    group->not_completed_count +=
        (instance->flags & (SYN_EVENT_NO_COMPLETION | SYN_EVENT_FREED)) != 0;
}

/* ---- ranks of a group ---- */

static int append(struct syn_column *column, int64_t value)
{
    return syn_column_append(column, NULL, value);
}

/* Adds a member's times to its rank. */
static inline int add_rank(struct syn_group_rank *rank, const struct syn_instance *instance,
                           const struct syn_member *member)
{
    rank->wait_ns += (double)(instance->last_start_ns - member->start_ns);
    rank->inside_ns += (double)member->inside_ns;
    rank->waiting_ns += (double)member->waiting_ns;
    return append(&rank->local_ns, member->end_ns - member->start_ns);
}

/* Adds an instance to the rank that came last in it. */
static void add_last_starter(struct syn_group_rank *rank, const struct syn_instance *instance)
{
    if (instance->comm->size < 2)
        return;
    rank->last_count++;
    rank->last_sure_count += instance->lead_ns > instance->bound_ns;
    rank->caused_ns += instance->others_waiting_ns;
}

/* Computes the midranks of many values. RATIONALE: values less than 2^32 ns apart, as nearly all
 * are, are packed with their indices into words, which sort faster. */
static double midranks_of_many(struct syn_groups *groups, const int64_t *row, size_t count)
{
    const struct syn_ends ends = syn_ends_of(row, count);
    const uint64_t span = (uint64_t)ends.largest - (uint64_t)ends.least;
    if (span <= UINT32_MAX && count <= UINT32_MAX) {
        for (size_t i = 0; i < count; i++)
            groups->row_item[i] = ((uint64_t)row[i] - (uint64_t)ends.least) << 32 | i;
        return syn_midranks_of_numbered(groups->row_item, count, (uint32_t)span, groups->row_rank);
    }
    for (size_t i = 0; i < count; i++)
        groups->row_number[i] = (double)row[i];
    return syn_midranks(groups->row_number, count, groups->row_rank, groups->row_order);
}

/* Adds the midranks of one instance's durations (groups->row) to its ranks, for Friedman's test. */
static void add_midranks(struct syn_groups *groups, struct syn_group *group, const uint32_t *place,
                         size_t count)
{
    double *rank = groups->row_rank;
    if (count < 2 || !group->same_members)
        return;
    group->tie_sum += count <= SYN_ROW_FEW ? syn_row_midranks(groups->row, count, rank)
                                           : midranks_of_many(groups, groups->row, count);
    for (size_t i = 0; i < count; i++)
        group->rank[place[i]].midrank_sum += rank[i]; /* halves: exact below 2^52 */
}

/* Makes room for `count` durations in groups->row, and for the arrays behind it. */
static int reserve_row(struct syn_groups *groups, size_t count)
{
    if (__builtin_expect(count <= groups->row_capacity, 1))
        return 0;
    free(groups->row);
    free(groups->row_order);
    groups->row_capacity = 0;
    groups->row = malloc(5 * count * sizeof *groups->row);
    groups->row_order = malloc(count * sizeof *groups->row_order);
    if (!groups->row || !groups->row_order)
        return SYN_ENOMEM;
    groups->row_number = (double *)(groups->row + count);
    groups->row_item = (uint64_t *)(groups->row_number + count);
    groups->row_rank = (double *)(groups->row_item + 2 * count);
    groups->row_capacity = count;
    return 0;
}

/* Adds a nonblocking operation's times after the last start: hidden between its two calls, or
 * exposed inside MPI. */
static void add_overlap(struct syn_group *group, const struct syn_instance *instance,
                        const struct syn_member *member)
{
    struct syn_group_overlap *overlap = &group->overlap;
    const int64_t due_ns = instance->last_start_ns;
    const int64_t all_ns = member->end_ns - syn_largest(due_ns, member->start_ns);
    const int64_t hidden_ns = member->wait_start_ns - syn_largest(due_ns, member->call_end_ns);
    overlap->between_ns += (double)(member->wait_start_ns - member->call_end_ns);
    overlap->hidden_ns += (double)syn_largest(hidden_ns, 0);
    overlap->exposed_ns += (double)syn_largest(all_ns - syn_largest(hidden_ns, 0), 0);
}

/* Adds the listed members of an instance to their ranks: place[i] is the index of member i's rank
 * in group->rank. Finds their longest duration and their last start. */
static int add_ranks(struct syn_groups *groups, struct syn_group *group,
                     const struct syn_group_part *part, const uint32_t *place,
                     int64_t *local_max_ns, int64_t *last_start_ns)
{
    const struct syn_instance *instance = part->instance;
    int failed = reserve_row(groups, part->count);
    *local_max_ns = *last_start_ns = INT64_MIN;
    for (uint32_t i = 0; i < part->count && !failed; i++) {
        const struct syn_member *member = &instance->member[part->member[i]];
        int64_t local_ns = member->end_ns - member->start_ns;
        *local_max_ns = local_ns > *local_max_ns ? local_ns : *local_max_ns;
        *last_start_ns = member->start_ns > *last_start_ns ? member->start_ns : *last_start_ns;
        groups->row[i] = local_ns;
        failed = add_rank(&group->rank[place[i]], instance, member);
        if (instance->has_request)
            add_overlap(group, instance, member);
        if (part->member[i] == instance->last_starter)
            add_last_starter(&group->rank[place[i]], instance);
    }
    if (!failed)
        add_midranks(groups, group, place, part->count);
    return failed;
}

/* Number of members whose columns' ends are fetched ahead: with very many ranks they are not in the
 * cache. */
#define ENDS_AHEAD 12

/* Adds all members of an instance to their ranks, as add_ranks does for the listed ones. */
static int add_all_ranks(struct syn_groups *groups, struct syn_group *group,
                         const struct syn_instance *instance, const uint32_t *place,
                         int64_t *local_max_ns)
{
    const struct syn_member *member = instance->member;
    const uint32_t count = instance->comm->size;
    int64_t most_ns = INT64_MIN;
    int failed = reserve_row(groups, count);
    for (uint32_t m = 0; m < count && !failed; m++) {
        if (m + ENDS_AHEAD < count) {
            const struct syn_column *ahead = &group->rank[place[m + ENDS_AHEAD]].local_ns;
            SYN_FETCH(ahead->value + ahead->count);
        }
        int64_t local_ns = member[m].end_ns - member[m].start_ns;
        most_ns = syn_largest(local_ns, most_ns);
        groups->row[m] = local_ns;
        failed = add_rank(&group->rank[place[m]], instance, &member[m]);
    }
    *local_max_ns = most_ns;
    if (failed)
        return failed;
    for (uint32_t m = 0; instance->has_request && m < count; m++)
        add_overlap(group, instance, &member[m]);
    add_last_starter(&group->rank[place[instance->last_starter]], instance);
    add_midranks(groups, group, place, count);
    return 0;
}

/* Notes the start of an instance that goes to no column. */
static void note_start(struct syn_group *group, const struct syn_instance *instance)
{
    group->first_start_ns = syn_least(instance->first_start_ns, group->first_start_ns);
}

static int append_columns(struct syn_group *group, const struct syn_instance *instance,
                          int64_t local_max_ns)
{
    return append(&group->start_ns, instance->first_start_ns) |
           append(&group->bound_ns, instance->bound_ns) |
           append(&group->local_max_ns, local_max_ns) |
           append(&group->completion_ns, instance->last_end_ns - instance->first_start_ns) |
           append(&group->spread_ns, instance->last_start_ns - instance->first_start_ns) |
           append(&group->exit_skew_ns, instance->last_end_ns - instance->first_end_ns);
}

/* ---- cache: from a signature to its group ---- */

/* Returns the cached group of the instance's signature. NULL: it is not cached. */
static const struct syn_groups_cache *find_cached(const struct syn_groups *groups,
                                                  const struct syn_instance *instance)
{
    if (instance->signature_serial == 0 || instance->signature_place >= groups->cache_capacity)
        return NULL;
    const struct syn_groups_cache *cache = &groups->cache[instance->signature_place];
    return cache->serial == instance->signature_serial ? cache : NULL;
}

/* Caches the group of a signature, if all members count in one group. Without memory nothing is
 * cached, and the group is looked up again. */
static void cache_group(struct syn_groups *groups, const struct syn_instance *instance,
                        struct syn_group *group, const struct syn_member_map *member_map)
{
    const size_t place = instance->signature_place;
    if (instance->signature_serial == 0 || place >= CACHE_MOST)
        return;
    if (place >= groups->cache_capacity) {
        size_t capacity = place < 32 ? 64 : 2 * place;
        struct syn_groups_cache *cache = realloc(groups->cache, capacity * sizeof *cache);
        if (!cache)
            return;
        memset(cache + groups->cache_capacity, 0,
               (capacity - groups->cache_capacity) * sizeof *cache);
        groups->cache = cache;
        groups->cache_capacity = capacity;
    }
    group->noted_serial = instance->signature_serial;
    groups->cache[place] =
        (struct syn_groups_cache){instance->signature_serial, group, member_map->place};
}

/* ---- adding to a group ---- */

/* Adds an instance, or the part of one rank or node, to its group.
 *
 * Plan: find the group; leave the instance out if it was disturbed; map its members to the group's
 * ranks; add each member; note the common values; append to the columns. */
static int add_part(struct syn_groups *groups, const struct syn_group_part *part)
{
    const struct syn_instance *instance = part->instance;
    const struct syn_member_map *member_map;
    struct syn_group *group = syn_groups_find_for_part(groups, part);
    int64_t local_max_ns, last_start_ns = 0;
    if (group && (instance->flags & (SYN_EVENT_LATE_START | SYN_EVENT_PERTURBED)) &&
        !groups->keep_all) {
        /* The instance is counted, and goes to no column. */
        note_attributes(group, instance);
        note_start(group, instance);
        group->left_out_count++;
        return 0;
    }
    if (!group || syn_group_note_run(group, part->run->run) ||
        !(member_map = syn_group_member_map(group, part)))
        return SYN_ENOMEM;
    int failed =
        part->member
            ? add_ranks(groups, group, part, member_map->place, &local_max_ns, &last_start_ns)
            : add_all_ranks(groups, group, instance, member_map->place, &local_max_ns);
    if (failed)
        return SYN_ENOMEM;
    note_attributes(group, instance);
    group->instance_count++;
    if (part->member)
        return append(&group->start_ns, instance->first_start_ns) |
               append(&group->bound_ns, instance->bound_ns) |
               append(&group->local_max_ns, local_max_ns) |
               append(&group->wait_ns, instance->last_start_ns - last_start_ns);
    cache_group(groups, instance, group, member_map);
    return append_columns(group, instance, local_max_ns);
}

/* ---- the groups in which an instance counts ---- */

static uint64_t node_of(const struct syn_groups_run *run, uint32_t world_rank)
{
    return run->node ? run->node[world_rank] : 0;
}

int syn_groups_add(struct syn_groups *groups, const struct syn_groups_run *run,
                   const struct syn_instance *instance)
{
    if (groups->by & SYN_BY(SYN_KEY_RANK)) {
        for (uint32_t m = 0; m < instance->comm->size; m++) {
            uint32_t world_rank = instance->comm->world_rank[m];
            struct syn_group_part part = {instance, run,        &m,
                                          1,        world_rank, node_of(run, world_rank)};
            if (add_part(groups, &part))
                return SYN_ENOMEM;
        }
        return 0;
    }
    if (groups->by & SYN_BY(SYN_KEY_NODE)) {
        uint32_t size = instance->comm->size;
        SYN_FREED uint32_t *member = malloc(2 * (size_t)size * sizeof *member);
        uint32_t *done = member + size; /* 1: the member was added with its node */
        int status = member ? 0 : SYN_ENOMEM;
        if (member)
            memset(done, 0, size * sizeof *done);
        for (uint32_t first = 0; first < size && status == SYN_OK; first++) {
            struct syn_group_part part = {.instance = instance, .run = run, .member = member};
            part.node_key = node_of(run, instance->comm->world_rank[first]);
            part.rank_key = SYN_NO_KEY;
            for (uint32_t m = first; m < size && !done[first]; m++)
                if (node_of(run, instance->comm->world_rank[m]) == part.node_key && !done[m])
                    member[part.count++] = m;
            for (uint32_t i = 0; i < part.count; i++)
                done[member[i]] = 1;
            if (part.count)
                status = add_part(groups, &part);
        }
        return status;
    }
    const struct syn_groups_cache *cache = find_cached(groups, instance);
    if (cache) {
        struct syn_group *group = cache->group;
        int64_t local_max_ns;
        if (add_all_ranks(groups, group, instance, cache->place, &local_max_ns))
            return SYN_ENOMEM;
        if (__builtin_expect(group->noted_serial != cache->serial || instance->flags != 0, 0)) {
            note_attributes(group, instance);
            group->noted_serial = cache->serial;
        }
        group->instance_count++;
        return append_columns(group, instance, local_max_ns);
    }
    struct syn_group_part whole = {instance,   run,       NULL, instance->comm->size,
                                   SYN_NO_KEY, SYN_NO_KEY};
    return add_part(groups, &whole) ? SYN_ENOMEM : 0;
}

/* Counts an incomplete instance. RATIONALE: it is unknown in which rank's group it should count. So
 * by rank or by node it counts once, in a group without that key. */
int syn_groups_add_incomplete(struct syn_groups *groups, const struct syn_groups_run *run,
                              const struct syn_instance *instance)
{
    struct syn_group_part part = {instance, run, NULL, 0, SYN_NO_KEY, SYN_NO_KEY};
    struct syn_group *group = syn_groups_find_for_part(groups, &part);
    if (!group)
        return SYN_ENOMEM;
    note_shared(group, instance);
    note_start(group, instance);
    group->incomplete_count++;
    return 0;
}
