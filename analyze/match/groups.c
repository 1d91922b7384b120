#include "groups.h"

#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../../trace/event.h"
#include "../stats/stats.h"
#include "groups_parts.h"

#define NO_KEY UINT64_MAX
/* So many ranks of an instance are compared each with each, more are sorted. */
#define FEW 16

/* Where each member of a communicator of a run lies in group->rank. */
struct syn_layout {
    uint32_t run;
    uint32_t comm; /* label */
    uint32_t part; /* key of the rank or node; 0 where the whole instance counts */
    uint32_t count;
    uint32_t *place; /* [count] */
};

/* Those members of an instance that count together: all, one rank, those of a node. */
struct part {
    const struct syn_instance *instance;
    const struct syn_groups_run *run;
    const uint32_t *member; /* [count]; NULL: 0, 1, 2, ... */
    uint32_t count;
    uint64_t rank_key, node_key;
};

static const char *const key_names[SYN_KEY_COUNT] = {"op",   "site", "comm", "bytes", "root",
                                                     "rank", "node", "run",  "phase"};

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
    return group->key[SYN_KEY_RANK] != NO_KEY || group->key[SYN_KEY_NODE] != NO_KEY;
}

static void free_group(struct syn_group *group)
{
    for (size_t i = 0; i < group->rank_count; i++)
        syn_column_free(&group->rank[i].local_ns);
    for (size_t i = 0; i < group->layout_count; i++)
        free(group->layout[i].place);
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++) {
        syn_column_free(&group->column[c]);
        syn_column_free(&group->held[c]);
    }
    free(group->rank);
    free(group->run);
    free(group->layout);
    free(group);
}

int syn_groups_bound_memory(struct syn_groups *groups, size_t budget_bytes)
{
    groups->store = malloc(sizeof *groups->store);
    if (!groups->store)
        return SYN_ENOMEM;
    syn_store_init(groups->store, budget_bytes);
    return 0;
}

void syn_groups_free(struct syn_groups *groups)
{
    for (size_t i = 0; i < groups->count; i++)
        free_group(groups->group[i]);
    if (groups->store)
        syn_store_close(groups->store);
    free(groups->store);
    free(groups->group);
    free(groups->bucket);
    free(groups->row);
    free(groups->row_order);
    memset(groups, 0, sizeof *groups);
}

static int append(struct syn_column *column, int64_t value)
{
    return syn_column_append(column, NULL, value);
}

/* ---- finding a group ---- */

static void make_key(const struct syn_groups *groups, const struct part *part, uint64_t *key)
{
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
        key[i] = groups->by & SYN_BY(i) ? all[i] : NO_KEY;
}

/* The products do not wait for each other. */
static size_t hash_of(const uint64_t *key)
{
    static const uint64_t odd[SYN_KEY_COUNT] = {
        UINT64_C(0x9E3779B97F4A7C15), UINT64_C(0xC2B2AE3D27D4EB4F), UINT64_C(0x165667B19E3779F9),
        UINT64_C(0xD6E8FEB86659FD93), UINT64_C(0xA0761D6478BD642F), UINT64_C(0xE7037ED1A0B428DB),
        UINT64_C(0x8EBC6AF09C88C6E3), UINT64_C(0x589965CC75374CC3)};
    uint64_t hash = 0;
    for (int i = 0; i < SYN_KEY_COUNT; i++)
        hash += (key[i] ^ odd[i]) * odd[i];
    return (size_t)(hash ^ hash >> 29 ^ hash >> 47);
}

static int grow_buckets(struct syn_groups *groups)
{
    size_t count = groups->bucket_count ? groups->bucket_count * 2 : 256;
    size_t *bucket = calloc(count, sizeof *bucket);
    if (!bucket)
        return SYN_ENOMEM;
    for (size_t i = 0; i < groups->count; i++) {
        size_t at = hash_of(groups->group[i]->key) & (count - 1);
        while (bucket[at])
            at = (at + 1) & (count - 1);
        bucket[at] = i + 1;
    }
    free(groups->bucket);
    groups->bucket = bucket;
    groups->bucket_count = count;
    return 0;
}

static struct syn_group *add_group(struct syn_groups *groups, const uint64_t *key)
{
    if (groups->count == groups->capacity) {
        size_t capacity = groups->capacity ? groups->capacity * 2 : 64;
        struct syn_group **group = realloc(groups->group, capacity * sizeof *group);
        if (!group)
            return NULL;
        groups->group = group;
        groups->capacity = capacity;
    }
    struct syn_group *group = calloc(1, sizeof *group);
    if (!group)
        return NULL;
    memcpy(group->key, key, sizeof group->key);
    group->same_members = true;
    group->store = groups->store;
    groups->group[groups->count++] = group;
    return group;
}

struct syn_group *syn_groups_find(struct syn_groups *groups, const uint64_t *key)
{
    if (groups->count * 2 >= groups->bucket_count && grow_buckets(groups))
        return NULL;
    size_t mask = groups->bucket_count - 1;
    size_t at = hash_of(key) & mask;
    for (; groups->bucket[at]; at = (at + 1) & mask) {
        struct syn_group *group = groups->group[groups->bucket[at] - 1];
        if (memcmp(group->key, key, sizeof group->key) == 0)
            return group;
    }
    struct syn_group *group = add_group(groups, key);
    if (group)
        groups->bucket[at] = groups->count;
    return group;
}

static struct syn_group *find_group(struct syn_groups *groups, const struct part *part)
{
    uint64_t key[SYN_KEY_COUNT];
    make_key(groups, part, key);
    return syn_groups_find(groups, key);
}

/* ---- the ranks of a group ---- */

uint32_t syn_group_place_of_rank(struct syn_group *group, int32_t rank, uint32_t hint,
                                 size_t known_count)
{
    if (hint < known_count && group->rank[hint].rank == rank)
        return hint;
    for (size_t i = 0; i < known_count; i++)
        if (group->rank[i].rank == rank)
            return (uint32_t)i;
    struct syn_group_rank *ranks =
        realloc(group->rank, (group->rank_count + 1) * sizeof *group->rank);
    if (!ranks)
        return UINT32_MAX;
    group->rank = ranks;
    ranks[group->rank_count] = (struct syn_group_rank){.rank = rank};
    return (uint32_t)group->rank_count++;
}

static uint32_t member_at(const struct part *part, uint32_t i)
{
    return part->member ? part->member[i] : i;
}

static bool is_permutation_of_all(const struct syn_group *group, uint32_t count)
{
    return group->rank_count ==
           count; /* members are distinct, so equal numbers mean the same set */
}

static const struct syn_layout *add_layout(struct syn_group *group, const struct part *part,
                                           struct syn_layout layout)
{
    struct syn_layout *layouts =
        realloc(group->layout, (group->layout_count + 1) * sizeof *layouts);
    if (!layouts)
        return NULL;
    group->layout = layouts;
    layout.place = malloc((layout.count + 1) * sizeof *layout.place);
    if (!layout.place)
        return NULL;
    size_t known_count = group->rank_count; /* members are distinct */
    for (uint32_t i = 0; i < layout.count; i++) {
        uint32_t world_rank = part->instance->comm->world_rank[member_at(part, i)];
        layout.place[i] = syn_group_place_of_rank(group, (int32_t)world_rank, i, known_count);
        if (layout.place[i] == UINT32_MAX) {
            free(layout.place);
            return NULL;
        }
    }
    layouts[group->layout_count] = layout;
    return &layouts[group->layout_count++];
}

/* Communicators made one after the other of the same ranks share a layout: there may be very many.
 */
static bool fits(const struct syn_group *group, const struct syn_layout *layout,
                 const struct syn_layout *wanted, const struct part *part)
{
    if (layout->run != wanted->run || layout->count != wanted->count)
        return false;
    if (layout->comm == wanted->comm && layout->part == wanted->part)
        return true;
    for (uint32_t i = 0; i < part->count; i++) {
        const uint32_t world_rank = part->instance->comm->world_rank[member_at(part, i)];
        if (group->rank[layout->place[i]].rank != (int32_t)world_rank)
            return false;
    }
    return true;
}

static const struct syn_layout *find_layout(struct syn_group *group, const struct part *part)
{
    struct syn_layout wanted = {
        .run = part->run->run,
        .comm = part->instance->comm->label,
        .part = part->member ? member_at(part, 0) : 0,
        .count = part->count,
    };
    for (size_t i = group->layout_count; i-- > 0;)
        if (fits(group, &group->layout[i], &wanted, part))
            return &group->layout[i];
    size_t before = group->rank_count;
    const struct syn_layout *layout = add_layout(group, part, wanted);
    if (layout && group->layout_count > 1 &&
        (before != group->rank_count || !is_permutation_of_all(group, part->count)))
        group->same_members = false;
    return layout;
}

/* ---- adding to a group ---- */

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

static int add_rank(struct syn_group_rank *rank, const struct syn_instance *instance, uint32_t m)
{
    const struct syn_member *member = &instance->member[m];
    rank->wait_ns += (double)(instance->last_start_ns - member->start_ns);
    rank->inside_ns += (double)member->inside_ns;
    rank->waiting_ns += (double)member->waiting_ns;
    if (m == instance->last_starter && instance->comm->size > 1) {
        rank->last_count++;
        rank->last_sure_count += instance->lead_ns > instance->bound_ns;
        rank->caused_ns += instance->others_waiting_ns;
    }
    return append(&rank->local_ns, member->end_ns - member->start_ns);
}

static int reserve_row(struct syn_groups *groups, size_t count)
{
    if (count <= groups->row_capacity)
        return 0;
    double *row = realloc(groups->row, 2 * count * sizeof *row);
    groups->row = row ? row : groups->row;
    size_t *order = realloc(groups->row_order, count * sizeof *order);
    groups->row_order = order ? order : groups->row_order;
    if (!row || !order)
        return SYN_ENOMEM;
    groups->row_capacity = count;
    return 0;
}

/* The sum over ties of t^3 - t, which is t^2 - 1 for each of t alike. */
static double ties_of_few(const double *x, size_t count)
{
    double ties = 0;
    for (size_t i = 0; i < count; i++) {
        double alike = 0;
        for (size_t j = 0; j < count; j++)
            alike += x[j] == x[i];
        ties += alike * alike - 1;
    }
    return ties;
}

/* Midranks of a few numbers: the middle one, and half a step for each that is smaller or larger.
 * Returns the sum over ties of t^3 - t. */
static double midranks_of_few(const double *x, size_t count, double *rank)
{
    int above[FEW] = {0}, pairs_alike = 0;
    for (size_t i = 1; i < count; i++) {
        for (size_t j = 0; j < i; j++) {
            int sign = (x[i] > x[j]) - (x[i] < x[j]);
            above[i] += sign;
            above[j] -= sign;
            pairs_alike += sign == 0;
        }
    }
    for (size_t i = 0; i < count; i++)
        rank[i] = ((double)count + 1 + above[i]) / 2;
    return pairs_alike ? ties_of_few(x, count) : 0;
}

/* The ranks' durations of one instance against each other, for Friedman's test. */
static int rank_row(struct syn_groups *groups, struct syn_group *group, const struct part *part,
                    const struct syn_layout *layout)
{
    if (part->count < 2 || !group->same_members)
        return 0;
    if (reserve_row(groups, part->count))
        return SYN_ENOMEM;
    double *rank = groups->row + part->count;
    for (uint32_t i = 0; i < part->count; i++) {
        const struct syn_member *member = &part->instance->member[member_at(part, i)];
        groups->row[i] = (double)(member->end_ns - member->start_ns);
    }
    group->tie_sum += part->count <= FEW
                          ? midranks_of_few(groups->row, part->count, rank)
                          : syn_midranks(groups->row, part->count, rank, groups->row_order);
    for (uint32_t i = 0; i < part->count; i++)
        group->rank[layout->place[i]].midrank_sum += rank[i]; /* halves: exact below 2^52 */
    return 0;
}

static int add_ranks(struct syn_groups *groups, struct syn_group *group, const struct part *part,
                     int64_t *local_max_ns, int64_t *last_start_ns)
{
    const struct syn_layout *layout = find_layout(group, part);
    if (!layout)
        return SYN_ENOMEM;
    *local_max_ns = *last_start_ns = INT64_MIN;
    for (uint32_t i = 0; i < part->count; i++) {
        uint32_t m = member_at(part, i);
        const struct syn_member *member = &part->instance->member[m];
        int64_t local_ns = member->end_ns - member->start_ns;
        *local_max_ns = local_ns > *local_max_ns ? local_ns : *local_max_ns;
        *last_start_ns = member->start_ns > *last_start_ns ? member->start_ns : *last_start_ns;
        if (add_rank(&group->rank[layout->place[i]], part->instance, m))
            return SYN_ENOMEM;
    }
    return rank_row(groups, group, part, layout);
}

/* What a start that was meant to be together, and was not, or a pause of the profiler did to an
 * instance is no property of the operation. */
static bool is_spoilt(const struct syn_instance *instance)
{
    return instance->flags & (SYN_EVENT_LATE_START | SYN_EVENT_PERTURBED);
}

static int leave_out(struct syn_group *group, const struct syn_instance *instance)
{
    note_attributes(group, instance);
    group->left_out_count++;
    return 0;
}

static int add_part(struct syn_groups *groups, const struct part *part)
{
    const struct syn_instance *instance = part->instance;
    struct syn_group *group = find_group(groups, part);
    int64_t local_max_ns, last_start_ns;
    if (group && is_spoilt(instance) && !groups->keep_all)
        return leave_out(group, instance);
    if (!group || syn_group_note_run(group, part->run->run) ||
        add_ranks(groups, group, part, &local_max_ns, &last_start_ns))
        return SYN_ENOMEM;
    note_attributes(group, instance);
    group->instance_count++;
    int failed = append(&group->start_ns, instance->first_start_ns) |
                 append(&group->bound_ns, instance->bound_ns) |
                 append(&group->local_max_ns, local_max_ns);
    if (part->member)
        return failed | append(&group->wait_ns, instance->last_start_ns - last_start_ns);
    return failed |
           append(&group->completion_ns, instance->last_end_ns - instance->first_start_ns) |
           append(&group->spread_ns, instance->last_start_ns - instance->first_start_ns) |
           append(&group->exit_skew_ns, instance->last_end_ns - instance->first_end_ns);
}

/* ---- instances into parts ---- */

static uint64_t node_of(const struct syn_groups_run *run, uint32_t world_rank)
{
    return run->node ? run->node[world_rank] : 0;
}

static int add_each_rank(struct syn_groups *groups, const struct syn_groups_run *run,
                         const struct syn_instance *instance)
{
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        uint32_t world_rank = instance->comm->world_rank[m];
        struct part part = {instance, run, &m, 1, world_rank, node_of(run, world_rank)};
        if (add_part(groups, &part))
            return SYN_ENOMEM;
    }
    return 0;
}

static int add_each_node(struct syn_groups *groups, const struct syn_groups_run *run,
                         const struct syn_instance *instance)
{
    uint32_t size = instance->comm->size;
    uint32_t *member = malloc(2 * (size_t)size * sizeof *member);
    uint32_t *done = member + size; /* 1 where a member's node had its turn */
    int status = member ? 0 : SYN_ENOMEM;
    if (member)
        memset(done, 0, size * sizeof *done);
    for (uint32_t first = 0; first < size && status == 0; first++) {
        struct part part = {.instance = instance, .run = run, .member = member};
        part.node_key = node_of(run, instance->comm->world_rank[first]);
        part.rank_key = NO_KEY;
        for (uint32_t m = first; m < size && !done[first]; m++)
            if (node_of(run, instance->comm->world_rank[m]) == part.node_key && !done[m])
                member[part.count++] = m;
        for (uint32_t i = 0; i < part.count; i++)
            done[member[i]] = 1;
        if (part.count)
            status = add_part(groups, &part);
    }
    free(member);
    return status;
}

int syn_groups_add(struct syn_groups *groups, const struct syn_groups_run *run,
                   const struct syn_instance *instance)
{
    if (groups->by & SYN_BY(SYN_KEY_RANK))
        return add_each_rank(groups, run, instance);
    if (groups->by & SYN_BY(SYN_KEY_NODE))
        return add_each_node(groups, run, instance);
    struct part whole = {instance, run, NULL, instance->comm->size, NO_KEY, NO_KEY};
    return add_part(groups, &whole) ? SYN_ENOMEM : 0;
}

/* Which ranks an incomplete instance lacks is known, but not whose row it should count in: by rank
 * or by node it is counted once, in a group without that key. */
int syn_groups_add_incomplete(struct syn_groups *groups, const struct syn_groups_run *run,
                              const struct syn_instance *instance)
{
    struct part part = {instance, run, NULL, 0, NO_KEY, NO_KEY};
    struct syn_group *group = find_group(groups, &part);
    if (!group)
        return SYN_ENOMEM;
    note_shared(group, instance);
    group->incomplete_count++;
    return 0;
}
