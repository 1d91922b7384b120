/* analyze/match/groups/groups.c - finds the group that an instance belongs to; makes and frees
 * groups. */
#include "analyze/match/groups/groups.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups/groups_parts.h"
#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

static const char *const key_names[SYN_KEY_COUNT] = {"op",   "site", "comm", "bytes", "root",
                                                     "rank", "node", "run",  "phase", "stack"};

const char *syn_key_name(enum syn_key key)
{
    return key_names[key];
}

int syn_keys_parse(const char *list, unsigned *by)
{
    unsigned found = 0;
    while (*list) {
        size_t length = strcspn(list, ",");
        int key = 0;
        while (key < SYN_KEY_COUNT &&
               (strlen(key_names[key]) != length || strncmp(key_names[key], list, length) != 0))
            key++;
        if (key == SYN_KEY_COUNT)
            return SYN_EINVAL;
        found |= SYN_BY(key);
        list += length;
        if (*list == ',' && list[1] == '\0')
            return SYN_EINVAL;
        list += *list == ',';
    }
    if (!found)
        return SYN_EINVAL;
    if (found & SYN_BY(SYN_KEY_STACK))
        found |= SYN_BY(SYN_KEY_SITE);
    *by = found;
    return 0;
}

void syn_groups_init(struct syn_groups *groups, unsigned by)
{
    memset(groups, 0, sizeof *groups);
    groups->by = by;
}

bool syn_group_is_part(const struct syn_group *group)
{
    return group->key[SYN_KEY_RANK] != SYN_NO_KEY || group->key[SYN_KEY_NODE] != SYN_NO_KEY;
}

void syn_group_free_deferred_ranks(struct syn_group *group)
{
    for (size_t i = 0; i < group->deferred_rank_count; i++)
        syn_column_free(&group->deferred_rank[i]);
    free(group->deferred_rank);
    group->deferred_rank = NULL;
    group->deferred_rank_count = 0;
}

/* ---- the memory of groups ---- */

int syn_groups_bound_memory(struct syn_groups *groups, size_t budget_bytes)
{
    groups->store = malloc(sizeof *groups->store);
    if (!groups->store)
        return SYN_ENOMEM;
    syn_store_init(groups->store, budget_bytes);
    return 0;
}

/* Moves the blocks of a group's columns to the store's file. */
static int spill_group(struct syn_group *group, struct syn_store *store)
{
    int status = 0;
    for (int c = 0; c < SYN_GROUP_COLUMNS && status == SYN_OK; c++)
        status = syn_column_spill(&group->column[c], store);
    for (size_t i = 0; i < group->rank_count && status == SYN_OK; i++)
        status = syn_column_spill(&group->rank[i].local_ns, store);
    return status;
}

int syn_groups_spill(struct syn_groups *groups, size_t most_bytes)
{
    int status = 0;
    for (size_t i = 0; i < groups->count && status == SYN_OK; i++)
        if (atomic_load(&groups->store->used_bytes) > most_bytes)
            status = spill_group(groups->group[i], groups->store);
    return status;
}

void syn_groups_free(struct syn_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        struct syn_group *group = groups->group[i];
        for (size_t r = 0; r < group->rank_count; r++)
            syn_column_free(&group->rank[r].local_ns);
        for (size_t m = 0; m < group->member_map_count; m++)
            free(group->member_map[m].place);
        for (int c = 0; c < SYN_GROUP_COLUMNS; c++) {
            syn_column_free(&group->column[c]);
            syn_column_free(&group->deferred[c]);
        }
        syn_group_free_deferred_ranks(group);
        free(group->rank);
        free(group->run);
        free(group->member_map);
        free(group);
    }
    if (groups->store)
        syn_store_close(groups->store);
    free(groups->store);
    free(groups->group);
    syn_index_free(&groups->index);
    free(groups->row);
    free(groups->row_order);
    free(groups->cache);
    memset(groups, 0, sizeof *groups);
}

/* Empties a group of a partial result for the next slice. Its common values and same_members stay:
 * the group that absorbed it has the same. */
void syn_group_empty(struct syn_group *group)
{
    group->instance_count = group->incomplete_count = group->left_out_count = 0;
    group->perturbed_count = group->failed_count = group->late_start_count = 0;
    group->not_completed_count = 0;
    group->tie_sum = 0;
    group->overlap = (struct syn_group_overlap){0};
    group->noted_serial = 0;
    group->first_start_ns = INT64_MAX;
    group->run_count = 0;
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        group->column[c].count = 0;
    for (size_t i = 0; i < group->rank_count; i++) {
        struct syn_group_rank *rank = &group->rank[i];
        struct syn_column emptied = rank->local_ns;
        emptied.count = 0;
        *rank = (struct syn_group_rank){.rank = rank->rank, .local_ns = emptied};
    }
}

void syn_groups_empty(struct syn_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        if (!syn_group_is_empty(groups->group[i]))
            syn_group_empty(groups->group[i]);
    if (groups->cache_capacity > 0) /* another reader of slices may give the same serials */
        memset(groups->cache, 0, groups->cache_capacity * sizeof *groups->cache);
}

/* ---- finding a group ---- */

static uint64_t hash_of_group(const void *owner, uint32_t number)
{
    const struct syn_group *group = ((const struct syn_groups *)owner)->group[number];
    return syn_hash64(group->key, sizeof group->key);
}

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const struct syn_group *group = ((const struct syn_groups *)owner)->group[number];
    return memcmp(group->key, key, sizeof group->key) == 0;
}

static int make_room(struct syn_groups *groups)
{
    const int status = SYN_ROOM(groups->group, groups->capacity, groups->count);
    return status != SYN_OK
               ? status
               : syn_index_make_room(&groups->index, groups->count, hash_of_group, groups);
}

/* Adds an empty group. NULL: no memory. */
static struct syn_group *add_group(struct syn_groups *groups, const uint64_t *key)
{
    struct syn_group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    memcpy(group->key, key, sizeof group->key);
    group->same_members = true;
    group->store = groups->store;
    group->first_run = SYN_NO_RUN;
    group->first_start_ns = INT64_MAX;
    groups->group[groups->count++] = group;
    return group;
}

struct syn_group *syn_groups_find(struct syn_groups *groups, const uint64_t *key)
{
    /* The groups of most slices come in the same order, so the next one is tried first. */
    if (groups->next < groups->count && has_key(groups, (uint32_t)groups->next, key))
        return groups->group[groups->next++];
    if (make_room(groups) != SYN_OK)
        return NULL;
    uint32_t *slot = syn_index_slot(&groups->index, syn_hash64(key, sizeof groups->group[0]->key),
                                    has_key, groups, key);
    if (*slot == 0 && add_group(groups, key))
        *slot = (uint32_t)groups->count;
    groups->next = *slot;
    return *slot ? groups->group[*slot - 1] : NULL;
}

size_t syn_groups_index_of(const struct syn_groups *groups, const uint64_t *key)
{
    if (groups->count == 0)
        return SIZE_MAX;
    const uint32_t *slot = syn_index_slot(
        &groups->index, syn_hash64(key, sizeof groups->group[0]->key), has_key, groups, key);
    return *slot ? *slot - 1 : SIZE_MAX;
}

struct syn_group *syn_groups_find_for_part(struct syn_groups *groups,
                                           const struct syn_group_part *part)
{
    uint64_t key[SYN_KEY_COUNT];
    /* The group's key of an instance has a value for each key of --by. */
    const struct syn_instance *instance = part->instance;
    const uint64_t all[SYN_KEY_COUNT] = {instance->op,
                                         instance->site,
                                         instance->comm->family,
                                         instance->bytes,
                                         (uint64_t)(uint32_t)instance->root,
                                         part->rank_key,
                                         part->node_key,
                                         part->run->run,
                                         instance->phase};
    for (int i = 0; i < SYN_KEY_COUNT; i++)
        key[i] = groups->by & SYN_BY(i) ? all[i] : SYN_NO_KEY;
    return syn_groups_find(groups, key);
}

/* ---- the order of groups ---- */

/* Returns whether the key's value is a name number. */
static bool is_name(int key)
{
    return key == SYN_KEY_SITE || key == SYN_KEY_COMM || key == SYN_KEY_NODE ||
           key == SYN_KEY_PHASE;
}

/* Compares two values of a key. Names are compared as texts, other values as numbers. */
static int compare_keys(int key, uint64_t a, uint64_t b, const struct syn_names *names)
{
    if (a == b)
        return 0;
    const char *left = NULL, *right = NULL;
    if (is_name(key) && a < SYN_NO_NAME && b < SYN_NO_NAME) {
        left = syn_names_text(names, (uint32_t)a);
        right = syn_names_text(names, (uint32_t)b);
    }
    return left && right ? strcmp(left, right) : a < b ? -1 : 1;
}

/* Orders groups by their first run, then by their first start in it, then by their keys. */
static int by_first_start(const void *l, const void *r, void *names)
{
    const struct syn_group *left = *(struct syn_group *const *)l;
    const struct syn_group *right = *(struct syn_group *const *)r;
    int order = 0;
    if (left->first_run != right->first_run)
        return left->first_run < right->first_run ? -1 : 1;
    if (left->first_start_ns != right->first_start_ns)
        return left->first_start_ns < right->first_start_ns ? -1 : 1;
    for (int key = 0; key < SYN_KEY_COUNT && order == 0; key++)
        order = compare_keys(key, left->key[key], right->key[key], names);
    return order;
}

int syn_groups_sort(struct syn_groups *groups, const struct syn_names *names)
{
    if (groups->count > 1)
        qsort_r(groups->group, groups->count, sizeof(struct syn_group *), by_first_start,
                (void *)names);
    groups->next = 0;
    syn_index_free(&groups->index);
    groups->index = (struct syn_index){0};
    return make_room(groups);
}

/* ---- the ranks of a group ---- */

int syn_group_reserve_ranks(struct syn_group *group, size_t more)
{
    const size_t wanted = group->rank_count + more;
    if (wanted <= group->rank_capacity)
        return SYN_OK;
    const int status = SYN_RESERVE(group->rank, wanted);
    group->rank_capacity = status == SYN_OK ? wanted : group->rank_capacity;
    return status;
}

uint32_t syn_group_index_of_rank(struct syn_group *group, int32_t rank, uint32_t hint,
                                 size_t known_count)
{
    if (hint < known_count && group->rank[hint].rank == rank)
        return hint;
    for (size_t i = 0; i < known_count; i++)
        if (group->rank[i].rank == rank)
            return (uint32_t)i;
    if (syn_group_reserve_ranks(group, 1) != SYN_OK)
        return UINT32_MAX;
    group->rank[group->rank_count] = (struct syn_group_rank){.rank = rank};
    return (uint32_t)group->rank_count++;
}

/* Adds a map from members to indices of group->rank. Ranks that the group lacks are appended. NULL:
 * no memory.
 *
 * Plan: make room for the map and, in a new group, for all ranks; look up each member's rank; keep
 * the map only if all of that succeeded. */
static const struct syn_member_map *add_member_map(struct syn_group *group,
                                                   const struct syn_group_part *part,
                                                   struct syn_member_map member_map)
{
    struct syn_member_map *maps =
        realloc(group->member_map, (group->member_map_count + 1) * sizeof *maps);
    if (!maps)
        return NULL;
    group->member_map = maps;
    member_map.place = malloc((member_map.count + 1) * sizeof *member_map.place);
    if (!member_map.place)
        return NULL;
    /* Members are distinct, so none of them is among the ranks that the others append. */
    size_t known_count = group->rank_count;
    if (known_count == 0 && syn_group_reserve_ranks(group, member_map.count) != SYN_OK) {
        free(member_map.place);
        return NULL;
    }
    for (uint32_t i = 0; i < member_map.count; i++) {
        uint32_t world_rank = part->instance->comm->world_rank[syn_part_member(part, i)];
        member_map.place[i] = syn_group_index_of_rank(group, (int32_t)world_rank, i, known_count);
        if (member_map.place[i] == UINT32_MAX) {
            free(member_map.place);
            return NULL;
        }
    }
    maps[group->member_map_count] = member_map;
    return &maps[group->member_map_count++];
}

/* Returns whether a map serves these members: it was made for the same communicator, or for one
 * with the same ranks in the same order. RATIONALE: a program may make very many communicators of
 * the same ranks, which share one map. */
static bool map_fits(const struct syn_group *group, const struct syn_member_map *member_map,
                     const struct syn_member_map *wanted, const struct syn_group_part *part)
{
    if (member_map->run != wanted->run || member_map->count != wanted->count)
        return false;
    if (member_map->comm == wanted->comm && member_map->part == wanted->part)
        return true;
    for (uint32_t i = 0; i < part->count; i++) {
        const uint32_t world_rank = part->instance->comm->world_rank[syn_part_member(part, i)];
        if (group->rank[member_map->place[i]].rank != (int32_t)world_rank)
            return false;
    }
    return true;
}

const struct syn_member_map *syn_group_member_map(struct syn_group *group,
                                                  const struct syn_group_part *part)
{
    struct syn_member_map wanted = {
        .run = part->run->run,
        .comm = part->instance->comm->label,
        .part = part->member ? syn_part_member(part, 0) : 0,
        .count = part->count,
    };
    for (size_t i = group->member_map_count; i-- > 0;)
        if (map_fits(group, &group->member_map[i], &wanted, part))
            return &group->member_map[i];
    size_t before = group->rank_count;
    const struct syn_member_map *member_map = add_member_map(group, part, wanted);
    if (member_map && group->member_map_count > 1 &&
        (before != group->rank_count || part->count != group->rank_count))
        group->same_members = false;
    return member_map;
}

int syn_group_note_run(struct syn_group *group, uint32_t run)
{
    if (group->run_count && group->run[group->run_count - 1].run == run)
        return 0;
    struct syn_group_run *runs = realloc(group->run, (group->run_count + 1) * sizeof *runs);
    if (!runs)
        return SYN_ENOMEM;
    group->run = runs;
    runs[group->run_count++] = (struct syn_group_run){run, group->start_ns.count};
    return 0;
}
