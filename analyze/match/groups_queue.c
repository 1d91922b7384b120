/* analyze/match/groups_queue.c - instances on their way to one of very many groups.
 *
 * RATIONALE: an instance of four ranks touches some 24 lines of memory of its group: columns, their
 * ends, the ranks and theirs. Of 10^4 groups none of them is in the cache, and each is found only
 * through another. So instances wait in a queue while the lines are fetched, those of several
 * instances at a time. They leave it in the order that they came in. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups_parts.h"
#include "sync/base/fetch.h"
#include "sync/base/status.h"

/* Fewer groups stay in the cache. */
#define GROUPS_LEAST 256
#define MEMBERS_MOST 16 /* of more an instance is work enough by itself */
#define QUEUE        16
/* So many instances after its own, what an instance needs is asked for; a power of two is not
 * needed, but each has to be less than QUEUE. */
#define RANKS_AFTER 5
#define ENDS_AFTER  10

struct queued {
    struct syn_groups_cache cache;
    struct syn_instance instance; /* its members are those here */
    struct syn_member member[MEMBERS_MOST];
};

struct syn_groups_queue {
    struct queued at[QUEUE];
    size_t first, count; /* at[first], at[first + 1], ... modulo QUEUE */
};

static void fetch_group(const struct queued *queued)
{
    const struct syn_group *group = queued->cache.group;
    syn_fetch(group->column, sizeof group->column);
    syn_fetch(&group->instance_count, sizeof group->instance_count);
    syn_fetch(&group->tie_sum, sizeof group->tie_sum + sizeof group->rank);
    syn_fetch(&group->noted_serial, sizeof group->noted_serial);
    SYN_FETCH(queued->cache.place);
}

static void fetch_ranks(const struct queued *queued)
{
    const struct syn_group *group = queued->cache.group;
    syn_fetch(group->rank, group->rank_count * sizeof *group->rank);
    for (int c = 0; c < SYN_GROUP_COLUMNS; c++)
        SYN_FETCH(group->column[c].value + group->column[c].count);
}

static void fetch_ends(const struct queued *queued)
{
    const struct syn_group *group = queued->cache.group;
    for (size_t i = 0; i < group->rank_count; i++)
        SYN_FETCH(group->rank[i].local_ns.value + group->rank[i].local_ns.count);
}

/* The one that came `before` the last one. */
static const struct queued *queued_before(const struct syn_groups_queue *queue, size_t before)
{
    return &queue->at[(queue->first + queue->count - 1 - before) % QUEUE];
}

static int leave(struct syn_groups *groups)
{
    struct syn_groups_queue *queue = groups->queue;
    const struct queued *first = &queue->at[queue->first];
    queue->first = (queue->first + 1) % QUEUE;
    queue->count--;
    return syn_groups_add_alike(groups, &first->cache, &first->instance);
}

static void enter(struct syn_groups_queue *queue, const struct syn_groups_cache *cache,
                  const struct syn_instance *instance)
{
    struct queued *last = &queue->at[(queue->first + queue->count++) % QUEUE];
    last->cache = *cache;
    last->instance = *instance;
    memcpy(last->member, instance->member, instance->comm->size * sizeof *last->member);
    last->instance.member = last->member;
    fetch_group(last);
    if (queue->count > RANKS_AFTER)
        fetch_ranks(queued_before(queue, RANKS_AFTER));
    if (queue->count > ENDS_AFTER)
        fetch_ends(queued_before(queue, ENDS_AFTER));
}

int syn_groups_empty_queue(struct syn_groups *groups)
{
    int status = 0;
    while (groups->queue && groups->queue->count > 0 && status == SYN_OK)
        status = leave(groups);
    return status;
}

int syn_groups_settle(struct syn_groups *groups)
{
    const int status = syn_groups_empty_queue(groups);
    return status != SYN_OK ? status : syn_groups_settle_rows(groups);
}

int syn_groups_enqueue(struct syn_groups *groups, const struct syn_groups_cache *cache,
                       const struct syn_instance *instance)
{
    const bool queues = groups->queues && groups->count >= GROUPS_LEAST;
    if (queues && !groups->queue)
        groups->queue = calloc(1, sizeof *groups->queue);
    if (queues && groups->queue && instance->comm->size <= MEMBERS_MOST &&
        cache->group->rank_count <= MEMBERS_MOST) {
        const int status = groups->queue->count == QUEUE ? leave(groups) : SYN_OK;
        if (status == SYN_OK)
            enter(groups->queue, cache, instance);
        return status;
    }
    const int status = syn_groups_empty_queue(groups);
    return status != SYN_OK ? status : syn_groups_add_alike(groups, cache, instance);
}
