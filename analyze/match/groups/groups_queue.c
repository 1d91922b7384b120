/* analyze/match/groups/groups_queue.c - instances on their way to one of very many groups.
 *
 * RATIONALE: an instance of eight ranks touches some 40 lines of memory of its group: columns,
 * their ends, the ranks and theirs. Of 10^4 groups none of them is in the cache, and each is found
 * only through another. So instances wait, side by side and short, until there are many. Then those
 * of one group go there together, in the order that they came in, while the lines that the next
 * groups need are fetched. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups/groups_parts.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Fewer groups stay in the cache. */
#define GROUPS_LEAST 256
#define MEMBERS_MOST SYN_BATCH_MEMBERS /* of more an instance is work enough by itself */
/* So much waits at most. */
#define WAITING_MOST_BYTES ((size_t)32 << 20)
#define BLOCK_BYTES        ((size_t)1 << 20)
#define BLOCKS_MOST        (WAITING_MOST_BYTES / BLOCK_BYTES)

/* A plain instance; times are what they are behind its first start. What it has in common with the
 * others of its line is there. */
struct waiting {
    int64_t first_start_ns;
    uint32_t bound, lead;
    uint32_t number; /* of its group */
    uint32_t before; /* place of the one before of the same group + 1; 0: none */
    uint8_t last_starter, member_count;
    bool is_there;
    struct {
        uint32_t start, end;
    } member[];
};

/* The waiting instances of a group. All have one signature. */
struct line {
    uint64_t noted_serial; /* as the group's, once that was looked at */
    const struct syn_communicator *comm;
    const uint32_t *member_place; /* as in the cache */
    uint32_t last;                /* place + 1; 0: none */
    uint32_t count;
};

struct syn_groups_queue {
    size_t waiting_count;
    struct line *line; /* [line_count], by the groups' numbers */
    size_t line_count;
    uint32_t *sorted; /* [sorted_capacity] places, scratch */
    size_t sorted_capacity;
    int64_t *room; /* [room_capacity], of the columns of the group in hand */
    size_t room_capacity;
    char *block[BLOCKS_MOST]; /* what waits lies in them, in the order that it came in; NULL: not
                                 needed so far */
    size_t block_at;          /* the one in hand, and of each: */
    size_t used_bytes[BLOCKS_MOST];
};

/* A place says in which block, and how many units behind its begin. */
#define UNIT_BYTES  (_Alignof(struct waiting))
#define BLOCK_UNITS (BLOCK_BYTES / UNIT_BYTES)
_Static_assert(BLOCKS_MOST *BLOCK_UNITS < UINT32_MAX, "places are numbers of 32 bits");

static struct waiting *waiting_at(const struct syn_groups_queue *queue, uint32_t place)
{
    return (struct waiting *)(queue->block[place / BLOCK_UNITS] + place % BLOCK_UNITS * UNIT_BYTES);
}

/* ---- to their groups ---- */

static int add_waiting(struct syn_groups *groups, struct syn_group *group, const struct line *line,
                       const struct waiting *waiting)
{
    const struct syn_groups_cache cache = {group->noted_serial, group, line->member_place,
                                           group->number, false};
    const int64_t first_ns = waiting->first_start_ns;
    const uint32_t count = line->comm->size;
    uint32_t last_start = 0, first_end = UINT32_MAX, last_end = 0;
    struct syn_member member[MEMBERS_MOST];
    for (uint32_t m = 0; m < count; m++) {
        last_start = syn_largest(waiting->member[m].start, last_start);
        first_end = syn_least(waiting->member[m].end, first_end);
        last_end = syn_largest(waiting->member[m].end, last_end);
    }
    struct syn_instance instance = {.comm = line->comm,
                                    .first_start_ns = first_ns,
                                    .last_start_ns = first_ns + last_start,
                                    .first_end_ns = first_ns + first_end,
                                    .last_end_ns = first_ns + last_end,
                                    .last_starter = waiting->last_starter,
                                    .lead_ns = waiting->lead,
                                    .bound_ns = waiting->bound,
                                    .member = member};
    for (uint32_t m = 0; m < count; m++) {
        const int64_t start = waiting->member[m].start, end = waiting->member[m].end;
        const int64_t until_all = syn_least(end, (int64_t)last_start);
        member[m].start_ns = first_ns + start;
        member[m].end_ns = first_ns + end;
        member[m].inside_ns = end - start;
        member[m].waiting_ns = syn_largest(until_all - start, 0);
        instance.others_waiting_ns += (double)member[m].waiting_ns; /* the last starter's is 0 */
    }
    return syn_groups_add_alike(groups, &cache, &instance);
}

/* Number of instances fetched ahead. */
#define WAITING_AHEAD 24

/* Takes the instances at the first `count` of `left` places into a batch. False if they are too
 * long. */
static bool take_batch(const struct syn_groups_queue *queue, const struct line *line,
                       const uint32_t *places, size_t left, struct syn_group_batch *batch)
{
    uint32_t any = 0;
    batch->member_count = line->comm->size;
    batch->place = line->member_place;
    for (size_t i = 0; i < batch->count; i++) {
        const struct waiting *waiting = waiting_at(queue, places[i]);
        if (i + WAITING_AHEAD < left)
            syn_fetch(waiting_at(queue, places[i + WAITING_AHEAD]),
                      sizeof(struct waiting) + SYN_FETCH_LINE);
        batch->first_start_ns[i] = waiting->first_start_ns;
        batch->bound_ns[i] = waiting->bound;
        batch->is_sure[i] = waiting->lead > waiting->bound;
        batch->last_starter[i] = waiting->last_starter;
        for (uint32_t m = 0; m < batch->member_count; m++) {
            batch->start[m][i] = (int32_t)waiting->member[m].start;
            batch->end[m][i] = (int32_t)waiting->member[m].end;
            any |= waiting->member[m].start | waiting->member[m].end;
        }
    }
    return any <= INT32_MAX;
}

/* Adds instances of a line, at the first `count` of `left` places. 0 or SYN_ENOMEM. */
static int add_places(struct syn_groups *groups, struct syn_group *group, const struct line *line,
                      const uint32_t *places, size_t count, size_t left)
{
    const struct syn_groups_queue *queue = groups->queue;
    struct syn_group_batch batch;
    int status = syn_group_settle_rows(group);
    for (size_t i = 0; i < count && status == SYN_OK; i += batch.count) {
        batch.count = syn_least(count - i, (size_t)SYN_BATCH_INSTANCES);
        if (take_batch(queue, line, places + i, left - i, &batch))
            status = syn_group_add_batch(group, &batch);
        else
            for (size_t k = 0; k < batch.count && status == SYN_OK; k++)
                status = add_waiting(groups, group, line, waiting_at(queue, places[i + k]));
    }
    return status;
}

/* All columns of the group but that of a part's wait, with room for so many values each. */
static void lend(struct syn_group *group, int64_t *room, size_t wanted)
{
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        if (c != SYN_GROUP_WAIT) {
            syn_column_lend(&group->column[c], room, wanted);
            room += wanted;
        }
    for (size_t i = 0; i < group->rank_count; i++, room += wanted)
        syn_column_lend(&group->rank[i].local_ns, room, wanted);
}

int syn_group_begin_piece(const struct syn_groups *groups, struct syn_group *group)
{
    if (!groups->queues || groups->count < GROUPS_LEAST || group->rank_count > MEMBERS_MOST ||
        group->start_ns.capacity > 0)
        return 0;
    int64_t *piece = malloc((SYN_GROUP_COLUMNS + group->rank_count) * sizeof *piece);
    if (!piece)
        return SYN_ENOMEM;
    lend(group, piece, 1);
    free(group->piece);
    group->piece = piece;
    return 0;
}

/* Columns of a slice's groups are short, and there are very many of them: what they get is put
 * together in one place for one group after the other, and stays in the cache until it is packed.
 */
static int expect(struct syn_groups_queue *queue, struct syn_group *group, size_t count)
{
    const size_t wanted = group->start_ns.count + count;
    const size_t values = (SYN_GROUP_COLUMNS + group->rank_count) * wanted;
    if (values > queue->room_capacity) {
        queue->room_capacity = 0;
        free(queue->room);
        queue->room = malloc(2 * values * sizeof *queue->room);
        if (!queue->room)
            return SYN_ENOMEM;
        queue->room_capacity = 2 * values;
    }
    lend(group, queue->room, wanted);
    free(group->piece);
    group->piece = NULL;
    return 0;
}

static size_t packed_bytes(const struct syn_column *column, const struct syn_block *measured)
{
    return (column->count * measured->width + sizeof(uint64_t) - 1) & ~(sizeof(uint64_t) - 1);
}

/* Packs a group whose expected instances have come: all but the starts, into a piece of the group's
 * own. */
static int pack(struct syn_group *group)
{
    struct syn_column *column[SYN_GROUP_COLUMNS + MEMBERS_MOST];
    struct syn_block measured[SYN_GROUP_COLUMNS + MEMBERS_MOST];
    const size_t starts = group->start_ns.count;
    size_t count = 0, bytes = starts * sizeof *group->piece;
    for (int c = SYN_GROUP_START + 1; c < SYN_GROUP_WAIT; c++)
        column[count++] = &group->column[c];
    for (size_t i = 0; i < group->rank_count; i++)
        column[count++] = &group->rank[i].local_ns;
    for (size_t i = 0; i < count; i++) {
        measured[i] = syn_column_measure(column[i]);
        bytes += packed_bytes(column[i], &measured[i]);
    }
    group->piece = malloc(bytes + 1);
    if (!group->piece)
        return SYN_ENOMEM;
    syn_column_lend(&group->start_ns, group->piece, starts);
    char *room = (char *)(group->piece + starts);
    for (size_t i = 0; i < count; i++) {
        syn_column_pack(column[i], &measured[i], room);
        room += packed_bytes(column[i], &measured[i]);
    }
    return 0;
}
_Static_assert(SYN_GROUP_START == 0 && SYN_GROUP_WAIT == SYN_GROUP_COLUMNS - 1,
               "the first is not packed, the last is empty");

static int reserve_sorted(struct syn_groups_queue *queue, size_t count)
{
    if (count <= queue->sorted_capacity)
        return 0;
    queue->sorted_capacity = syn_largest(count, 2 * queue->sorted_capacity);
    return SYN_RESERVE(queue->sorted, queue->sorted_capacity);
}

/* Empties the group's queue. Its notes may change now. */
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
    uint32_t *next = queue->sorted + line->count;
    for (uint32_t place = line->last; place && status == SYN_OK;) {
        struct waiting *waiting = waiting_at(queue, place - 1);
        *--next = place - 1;
        waiting->is_there = true;
        place = waiting->before;
    }
    if (status == SYN_OK)
        status = add_places(groups, group, line, queue->sorted, line->count, line->count);
    line->last = line->count = 0;
    return status;
}

/* ---- all of them ---- */

/* Ahead of those that are added. */
enum { GROUP_AHEAD = 6, RANKS_AHEAD = 4, ENDS_AHEAD = 2 };

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

/* Fetches the memory of the next groups that have waiting instances. */
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

static size_t waiting_bytes(uint32_t member_count)
{
    const struct waiting *none = NULL;
    const size_t bytes = sizeof *none + member_count * sizeof none->member[0];
    return (bytes + UNIT_BYTES - 1) / UNIT_BYTES * UNIT_BYTES;
}

/* By groups, and each one's in the order that they came in: sorted [waiting_count]. Where each line
 * then ends there is in `last`. Returns how many wait. */
static size_t sort(struct syn_groups_queue *queue)
{
    uint32_t count = 0;
    for (size_t number = 0; number < queue->line_count; number++) {
        queue->line[number].last = count;
        count += queue->line[number].count;
    }
    for (size_t b = 0; b <= queue->block_at; b++) {
        const struct waiting *waiting;
        for (size_t at = 0; at < queue->used_bytes[b]; at += waiting_bytes(waiting->member_count)) {
            waiting = (const struct waiting *)(queue->block[b] + at);
            if (!waiting->is_there)
                queue->sorted[queue->line[waiting->number].last++] =
                    (uint32_t)(b * BLOCK_UNITS + at / UNIT_BYTES);
        }
    }
    return count;
}

/* Adds a group's instances sorted[first .. line->last - 1] of `count`. */
static int empty_line(struct syn_groups *groups, size_t number, size_t first, size_t count)
{
    struct syn_groups_queue *queue = groups->queue;
    struct syn_group *group = groups->group[number];
    const struct line *line = &queue->line[number];
    int status = expect(queue, group, line->count);
    if (status == SYN_OK)
        status = add_places(groups, group, line, queue->sorted + first, line->last - first,
                            count - first);
    return status != SYN_OK ? status : pack(group);
}

static int empty_all(struct syn_groups *groups)
{
    struct syn_groups_queue *queue = groups->queue;
    if (!queue || queue->waiting_count == 0)
        return 0;
    int status = reserve_sorted(queue, queue->waiting_count);
    const size_t count = status == SYN_OK ? sort(queue) : 0;
    size_t first = 0;
    for (size_t number = 0; number < queue->line_count; number++) {
        struct line *line = &queue->line[number];
        fetch_ahead(groups, number);
        if (line->count > 0 && status == SYN_OK)
            status = empty_line(groups, number, first, count);
        first = line->last;
        line->last = line->count = 0;
    }
    queue->waiting_count = queue->block_at = 0;
    memset(queue->used_bytes, 0, sizeof queue->used_bytes);
    return status;
}

/* Frees all but the lines. */
static void free_room(struct syn_groups_queue *queue)
{
    for (size_t b = 0; b < BLOCKS_MOST; b++) {
        free(queue->block[b]);
        queue->block[b] = NULL;
    }
    free(queue->sorted);
    free(queue->room);
    queue->sorted = NULL;
    queue->room = NULL;
    queue->sorted_capacity = queue->room_capacity = 0;
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

/* Room for one more of so many bytes, and where. NULL: no memory. */
static struct waiting *obtain(struct syn_groups_queue *queue, size_t bytes, uint32_t *place)
{
    if (queue->used_bytes[queue->block_at] + bytes > BLOCK_BYTES)
        queue->block_at++;
    char **block = &queue->block[queue->block_at];
    size_t *used_bytes = &queue->used_bytes[queue->block_at];
    if (!*block) {
        *block = malloc(BLOCK_BYTES);
        if (!*block)
            return NULL;
        syn_fetch_pages(*block, BLOCK_BYTES);
    }
    *place = (uint32_t)(queue->block_at * BLOCK_UNITS + *used_bytes / UNIT_BYTES);
    *used_bytes += bytes;
    return waiting_at(queue, *place);
}

static bool is_full(const struct syn_groups_queue *queue, size_t bytes)
{
    return queue->block_at + 1 == BLOCKS_MOST &&
           queue->used_bytes[queue->block_at] + bytes > BLOCK_BYTES;
}

static void take(struct waiting *waiting, const struct syn_instance *instance)
{
    const int64_t first_ns = instance->first_start_ns;
    const uint32_t count = instance->comm->size;
    waiting->first_start_ns = first_ns;
    waiting->bound = (uint32_t)instance->bound_ns;
    waiting->lead = (uint32_t)instance->lead_ns;
    waiting->last_starter = (uint8_t)instance->last_starter;
    waiting->member_count = (uint8_t)count;
    waiting->is_there = false;
    for (uint32_t m = 0; m < count; m++) {
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
    uint32_t place;
    struct waiting *waiting = status == SYN_OK ? obtain(queue, bytes, &place) : NULL;
    if (!waiting)
        return status != SYN_OK ? status : SYN_ENOMEM;
    struct line *line = &queue->line[cache->number];
    take(waiting, instance);
    waiting->number = cache->number;
    waiting->before = line->last;
    line->comm = instance->comm;
    line->member_place = cache->place;
    line->last = place + 1;
    line->count++;
    queue->waiting_count++;
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
