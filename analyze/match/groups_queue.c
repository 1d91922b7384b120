/* analyze/match/groups_queue.c - instances on their way to one of very many groups.
 *
 * RATIONALE: an instance of eight ranks touches some 40 lines of memory of its group: columns,
 * their ends, the ranks and theirs. Of 10^4 groups none of them is in the cache, and each is found
 * only through another. So instances wait, side by side and short, until there are many. Then those
 * of one group go there together, in the order that they came in, while the lines that the next
 * groups need are fetched. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups_parts.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Fewer groups stay in the cache. */
#define GROUPS_LEAST 256
#define MEMBERS_MOST 16 /* of more an instance is work enough by itself */
/* So much waits at most. */
#define WAITING_MOST_BYTES ((size_t)16 << 20)
#define BLOCK_BYTES        ((size_t)1 << 20)
#define BLOCKS_MOST        (WAITING_MOST_BYTES / BLOCK_BYTES)

/* A plain instance; times are what they are behind its first start. */
struct waiting {
    const struct syn_communicator *comm;
    const uint32_t *place; /* as in the cache */
    int64_t first_start_ns;
    uint32_t bound, last_start, first_end, last_end, lead;
    uint32_t last_starter;
    struct {
        uint32_t start, end;
    } member[];
};

struct entry {
    const struct waiting *at;
    uint32_t number; /* of its group + 1; 0: it is there */
    uint32_t before; /* the entry before of the same group + 1; 0: none */
};

/* Those of a group. */
struct line {
    uint64_t noted_serial; /* as the group's, once that was looked at */
    uint32_t last;         /* entry + 1; 0: none */
    uint32_t count;
};

struct syn_groups_queue {
    struct entry *entry; /* [entry_count], in the order that they came in */
    size_t entry_count, entry_capacity;
    struct line *line; /* [line_count], by the groups' numbers */
    size_t line_count;
    const struct waiting **sorted; /* [sorted_capacity], scratch */
    size_t sorted_capacity;
    char *block[BLOCKS_MOST];    /* what waits lies in them; NULL: not needed so far */
    size_t block_at, used_bytes; /* the one in hand, and of it */
};

/* ---- to their groups ---- */

static int add_waiting(struct syn_groups *groups, struct syn_group *group,
                       const struct waiting *waiting)
{
    const struct syn_groups_cache cache = {group->noted_serial, group, waiting->place,
                                           group->number, false};
    const int64_t first_ns = waiting->first_start_ns;
    struct syn_member member[MEMBERS_MOST];
    struct syn_instance instance = {.comm = waiting->comm,
                                    .first_start_ns = first_ns,
                                    .last_start_ns = first_ns + waiting->last_start,
                                    .first_end_ns = first_ns + waiting->first_end,
                                    .last_end_ns = first_ns + waiting->last_end,
                                    .last_starter = waiting->last_starter,
                                    .lead_ns = waiting->lead,
                                    .bound_ns = waiting->bound,
                                    .member = member};
    for (uint32_t m = 0; m < waiting->comm->size; m++) {
        const int64_t start = waiting->member[m].start, end = waiting->member[m].end;
        const int64_t until_all = syn_least(end, (int64_t)waiting->last_start);
        member[m].start_ns = first_ns + start;
        member[m].end_ns = first_ns + end;
        member[m].inside_ns = end - start;
        member[m].waiting_ns = syn_largest(until_all - start, 0);
        instance.others_waiting_ns += (double)member[m].waiting_ns; /* the last starter's is 0 */
    }
    return syn_groups_add_alike(groups, &cache, &instance);
}

/* Columns of a slice's groups are short, and there are very many of them: they lie in one piece,
 * with no room for more than is known to come. */
static int expect(struct syn_group *group, size_t count)
{
    const size_t wanted = group->start_ns.count + count;
    if (wanted <= group->start_ns.capacity)
        return 0;
    const size_t column_count = SYN_GROUP_COLUMNS + group->rank_count;
    int64_t *piece = malloc(column_count * wanted * sizeof *piece), *room = piece;
    if (!piece)
        return SYN_ENOMEM;
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++, room += wanted)
        if (c != SYN_GROUP_WAIT)
            syn_column_lend(&group->column[c], room, wanted);
    for (size_t i = 0; i < group->rank_count; i++, room += wanted)
        syn_column_lend(&group->rank[i].local_ns, room, wanted);
    free(group->piece);
    group->piece = piece;
    return 0;
}

int syn_group_begin_piece(const struct syn_groups *groups, struct syn_group *group)
{
    return groups->queues && groups->count >= GROUPS_LEAST && group->rank_count <= MEMBERS_MOST &&
                   group->start_ns.capacity == 0
               ? expect(group, 1)
               : 0;
}

static int reserve_sorted(struct syn_groups_queue *queue, size_t count)
{
    if (count <= queue->sorted_capacity)
        return 0;
    queue->sorted_capacity = syn_largest(count, 2 * queue->sorted_capacity);
    return SYN_RESERVE(queue->sorted, queue->sorted_capacity);
}

/* What is noted of the group may change now. */
int syn_group_empty_queue(struct syn_groups *groups, struct syn_group *group)
{
    struct syn_groups_queue *queue = groups->queue;
    struct line *line =
        queue && group->number < queue->line_count ? &queue->line[group->number] : NULL;
    if (line)
        line->noted_serial = 0;
    if (!line || line->count == 0)
        return 0;
    int status = reserve_sorted(queue, line->count);
    const struct waiting **next = queue->sorted + line->count;
    for (uint32_t at = line->last; at && status == SYN_OK; at = queue->entry[at - 1].before) {
        *--next = queue->entry[at - 1].at;
        queue->entry[at - 1].number = 0;
    }
    for (uint32_t i = 0; i < line->count && status == SYN_OK; i++)
        status = add_waiting(groups, group, queue->sorted[i]);
    line->last = line->count = 0;
    return status;
}

/* ---- all of them ---- */

/* Ahead of those that are added, by groups, and by instances. */
enum { GROUP_AHEAD = 6, RANKS_AHEAD = 4, ENDS_AHEAD = 2, WAITING_AHEAD = 24 };

static void fetch_group(const struct syn_group *group)
{
    syn_fetch(group->column, sizeof group->column);
    syn_fetch(&group->instance_count, sizeof group->instance_count);
    syn_fetch(&group->tie_sum, sizeof group->tie_sum + sizeof group->rank);
    syn_fetch(&group->noted_serial, sizeof group->noted_serial);
}

static void fetch_ranks(const struct syn_group *group)
{
    syn_fetch(group->rank, group->rank_count * sizeof *group->rank);
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        SYN_FETCH(group->column[c].value + group->column[c].count);
}

static void fetch_ends(const struct syn_group *group)
{
    for (size_t i = 0; i < group->rank_count; i++)
        SYN_FETCH(group->rank[i].local_ns.value + group->rank[i].local_ns.count);
}

/* What groups behind this one take, as far as somebody waits for them. */
static void fetch_ahead(const struct syn_groups *groups, size_t number)
{
    const struct line *line = groups->queue->line;
    const size_t left = groups->queue->line_count - number;
    if (left > GROUP_AHEAD && line[number + GROUP_AHEAD].count)
        fetch_group(groups->group[number + GROUP_AHEAD]);
    if (left > RANKS_AHEAD && line[number + RANKS_AHEAD].count)
        fetch_ranks(groups->group[number + RANKS_AHEAD]);
    if (left > ENDS_AHEAD && line[number + ENDS_AHEAD].count)
        fetch_ends(groups->group[number + ENDS_AHEAD]);
}

/* By groups, and each one's in the order that they came in: sorted [entry_count]. Where each line
 * then ends there is in `last`. Returns how many wait. */
static size_t sort(struct syn_groups_queue *queue)
{
    uint32_t count = 0;
    for (size_t number = 0; number < queue->line_count; number++) {
        queue->line[number].last = count;
        count += queue->line[number].count;
    }
    for (size_t i = 0; i < queue->entry_count; i++)
        if (queue->entry[i].number)
            queue->sorted[queue->line[queue->entry[i].number - 1].last++] = queue->entry[i].at;
    return count;
}

static int empty_all(struct syn_groups *groups)
{
    struct syn_groups_queue *queue = groups->queue;
    if (!queue || queue->entry_count == 0)
        return 0;
    int status = reserve_sorted(queue, queue->entry_count);
    const size_t count = status == SYN_OK ? sort(queue) : 0;
    size_t i = 0;
    for (size_t number = 0; number < queue->line_count; number++) {
        struct line *line = &queue->line[number];
        fetch_ahead(groups, number);
        if (line->count > 0 && status == SYN_OK)
            status = expect(groups->group[number], line->count);
        for (; i < line->last && status == SYN_OK; i++) {
            if (i + WAITING_AHEAD < count)
                syn_fetch(queue->sorted[i + WAITING_AHEAD],
                          sizeof(struct waiting) + SYN_FETCH_LINE);
            status = add_waiting(groups, groups->group[number], queue->sorted[i]);
        }
        line->last = line->count = 0;
    }
    queue->entry_count = queue->block_at = queue->used_bytes = 0;
    return status;
}

/* Of all but the lines. */
static void free_room(struct syn_groups_queue *queue)
{
    for (size_t b = 0; b < BLOCKS_MOST; b++) {
        free(queue->block[b]);
        queue->block[b] = NULL;
    }
    free(queue->entry);
    free(queue->sorted);
    queue->entry = NULL;
    queue->sorted = NULL;
    queue->entry_capacity = queue->sorted_capacity = 0;
}

/* The slices that others read meanwhile need the room. */
int syn_groups_settle(struct syn_groups *groups)
{
    const int status = empty_all(groups);
    if (groups->queue)
        free_room(groups->queue);
    return status != SYN_OK ? status : syn_groups_settle_rows(groups);
}

/* ---- waiting ---- */

/* Has every group a line? */
static int make_lines(struct syn_groups *groups)
{
    struct syn_groups_queue *queue = groups->queue;
    if (!queue)
        queue = groups->queue = calloc(1, sizeof *queue);
    if (!queue)
        return SYN_ENOMEM;
    if (groups->count <= queue->line_count)
        return 0;
    if (SYN_RESERVE(queue->line, groups->capacity))
        return SYN_ENOMEM;
    memset(queue->line + queue->line_count, 0,
           (groups->capacity - queue->line_count) * sizeof *queue->line);
    queue->line_count = groups->capacity;
    return 0;
}

/* For one more of so many bytes. */
static struct waiting *obtain(struct syn_groups_queue *queue, size_t bytes)
{
    if (queue->used_bytes + bytes > BLOCK_BYTES) {
        queue->block_at++;
        queue->used_bytes = 0;
    }
    char **block = &queue->block[queue->block_at];
    if (SYN_ROOM(queue->entry, queue->entry_capacity, queue->entry_count))
        return NULL;
    if (!*block && !(*block = malloc(BLOCK_BYTES)))
        return NULL;
    queue->used_bytes += bytes;
    return (struct waiting *)(*block + queue->used_bytes - bytes);
}

static size_t waiting_bytes(uint32_t member_count)
{
    const struct waiting *none = NULL;
    const size_t bytes = sizeof *none + member_count * sizeof none->member[0];
    return (bytes + _Alignof(struct waiting) - 1) / _Alignof(struct waiting) *
           _Alignof(struct waiting);
}

static bool is_full(const struct syn_groups_queue *queue, size_t bytes)
{
    return queue->block_at + 1 == BLOCKS_MOST && queue->used_bytes + bytes > BLOCK_BYTES;
}

static void take(struct waiting *waiting, const struct syn_groups_cache *cache,
                 const struct syn_instance *instance)
{
    const int64_t first_ns = instance->first_start_ns;
    waiting->comm = instance->comm;
    waiting->place = cache->place;
    waiting->first_start_ns = first_ns;
    waiting->bound = (uint32_t)instance->bound_ns;
    waiting->last_start = (uint32_t)(instance->last_start_ns - first_ns);
    waiting->first_end = (uint32_t)(instance->first_end_ns - first_ns);
    waiting->last_end = (uint32_t)(instance->last_end_ns - first_ns);
    waiting->lead = (uint32_t)instance->lead_ns;
    waiting->last_starter = instance->last_starter;
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        waiting->member[m].start = (uint32_t)(instance->member[m].start_ns - first_ns);
        waiting->member[m].end = (uint32_t)(instance->member[m].end_ns - first_ns);
    }
}

static int put_in_line(struct syn_groups *groups, const struct syn_groups_cache *cache,
                       const struct syn_instance *instance)
{
    struct syn_groups_queue *queue = groups->queue;
    const size_t bytes = waiting_bytes(instance->comm->size);
    const int status = is_full(queue, bytes) ? empty_all(groups) : SYN_OK;
    struct waiting *waiting = status == SYN_OK ? obtain(queue, bytes) : NULL;
    if (!waiting)
        return status != SYN_OK ? status : SYN_ENOMEM;
    struct line *line = &queue->line[cache->number];
    take(waiting, cache, instance);
    queue->entry[queue->entry_count++] = (struct entry){waiting, cache->number + 1, line->last};
    line->last = (uint32_t)queue->entry_count;
    line->count++;
    return 0;
}

/* One of which nothing is to be noted, and whose times are close together. */
static bool may_wait(struct syn_groups *groups, const struct syn_groups_cache *cache,
                     const struct syn_instance *instance)
{
    if (!groups->queues || groups->count < GROUPS_LEAST || instance->comm->size > MEMBERS_MOST ||
        instance->has_request || instance->flags != 0 ||
        syn_largest(instance->last_start_ns, instance->last_end_ns) - instance->first_start_ns >
            UINT32_MAX ||
        instance->first_end_ns < instance->first_start_ns || instance->bound_ns > UINT32_MAX ||
        make_lines(groups) != SYN_OK)
        return false;
    struct line *line = &groups->queue->line[cache->number];
    if (line->noted_serial != cache->serial)
        line->noted_serial = cache->group->noted_serial;
    return line->noted_serial == cache->serial;
}

int syn_groups_enqueue(struct syn_groups *groups, const struct syn_groups_cache *cache,
                       const struct syn_instance *instance)
{
    if (may_wait(groups, cache, instance))
        return put_in_line(groups, cache, instance);
    const int status = syn_group_empty_queue(groups, cache->group);
    return status != SYN_OK ? status : syn_groups_add_alike(groups, cache, instance);
}

void syn_groups_free_queue(struct syn_groups *groups)
{
    struct syn_groups_queue *queue = groups->queue;
    if (queue) {
        free_room(queue);
        free(queue->line);
    }
    free(queue);
    groups->queue = NULL;
}
