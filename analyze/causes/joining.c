/* analyze/causes/joining.c - parts of a run put together, in the order of the slices. */
#include "analyze/causes/part.h"
#include "sync/base/status.h"

/* Calls between the parts that wait before it is asked which of them wait in vain. */
#define WAITING_MANY ((size_t)1 << 16)

static int append_calls(struct syn_causes *causes, uint32_t location,
                        const struct syn_replay_call *call, size_t count, const uint32_t *kind)
{
    int status = 0;
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        struct syn_replay_call mapped = call[i];
        mapped.kind = kind[call[i].kind];
        status = syn_replay_append(causes->replay, location, &mapped);
    }
    return status != SYN_OK ? status : syn_replay_release(causes->replay, location, count);
}

static int append_held(struct syn_causes *causes, const struct syn_causes_part *part,
                       const uint32_t *kind)
{
    int status = 0;
    for (uint32_t i = 0; i < causes->plan.location_count && status == SYN_OK; i++) {
        size_t count;
        const struct syn_replay_call *held = syn_replay_held(part->replay, i, &count);
        status = append_calls(causes, i, held, count, kind);
    }
    if (status == SYN_OK)
        status = syn_replay_advance(causes->replay);
    if (status == SYN_OK && syn_replay_queued(causes->replay) > WAITING_MANY)
        status = syn_replay_give_up(causes->replay);
    return status;
}

/* Up to the part's first cut. */
static int append_head(struct syn_causes *causes, const struct syn_causes_part *part,
                       const uint32_t *kind)
{
    int status = 0;
    for (uint32_t i = 0; i < causes->plan.location_count && status == SYN_OK; i++)
        status = append_calls(causes, i, part->head[i].call, part->head[i].count, kind);
    if (status == SYN_OK)
        status = syn_replay_advance(causes->replay);
    return status != SYN_OK ? status : syn_replay_drain(causes->replay);
}

static int jump(struct syn_causes *causes, struct syn_causes_part *part,
                const struct syn_cause_map *map)
{
    struct syn_cut *cut = part->last.call ? &part->last : &part->first;
    const int status = append_head(causes, part, map->kind);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        cut->call[i].kind = map->kind[cut->call[i].kind];
    return status != SYN_OK ? status : syn_replay_stand_at(causes->replay, cut);
}

int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part, int64_t watermark_ns)
{
    struct syn_cause_map map;
    syn_replay_know(causes->replay, watermark_ns);
    if (!part->replay)
        return 0;
    int status = syn_causes_part_settle(part);
    if (status != SYN_OK)
        return status;
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        syn_kernel_counters_merge(&causes->counters[i], &part->counters[i]);
    status = syn_cause_map_make(&causes->tables, &part->tables, &map);
    if (status == SYN_OK && part->first.call)
        status = jump(causes, part, &map);
    if (status == SYN_OK)
        status = append_held(causes, part, map.kind);
    syn_cause_map_free(&map);
    return status;
}
