/* analyze/causes/joining.c - parts of a run put together, in the order of the slices; and parts on
 * their way to another process. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/part.h"
#include "sync/base/status.h"

/* Calls between the parts that wait before it is asked which of them wait in vain. */
#define WAITING_MANY ((size_t)1 << 16)

/* ---- putting together ---- */

static int append_calls(struct syn_causes *causes, uint32_t location,
                        const struct syn_replay_call *call, size_t count, const uint32_t *kind)
{
    int status = 0;
    for (size_t i = 0; i < count && status == SYN_OK; i++) {
        struct syn_replay_call mapped = call[i];
        mapped.kind = kind[call[i].kind];
        status = syn_replay_append(causes->replay, location, &mapped);
    }
    if (status == SYN_OK)
        syn_replay_release(causes->replay, location, count);
    return status;
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
    int status = append_head(causes, part, map->kind);
    if (status == SYN_OK)
        status = syn_cause_sums_add(&causes->sums, syn_replay_sums(part->replay), map->label);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        cut->call[i].kind = map->kind[cut->call[i].kind];
    return status != SYN_OK ? status : syn_replay_stand_at(causes->replay, cut);
}

int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part)
{
    struct syn_cause_map map;
    if (!part->replay)
        return 0;
    int status = syn_causes_part_settle(part);
    if (status != SYN_OK)
        return status;
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        syn_account_merge(&causes->account[i], &part->account[i]);
    status = syn_cause_map_make(&causes->tables, &part->tables, NULL, &map);
    if (status == SYN_OK && part->first.call)
        status = jump(causes, part, &map);
    if (status == SYN_OK)
        status = append_held(causes, part, map.kind);
    syn_cause_map_free(&map);
    return status;
}

/* ---- as bytes ---- */

static void put_calls(const struct syn_replay_call *call, size_t count, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, count);
    syn_bytes_put(out, call, count * sizeof *call);
}

/* The kinds in them are believed no more than a file would be. */
static const struct syn_replay_call *
take_calls(struct syn_take *take, const struct syn_cause_tables *tables, size_t *count)
{
    *count = syn_take_bounded(take, syn_take_left(take) / sizeof(struct syn_replay_call));
    const uint8_t *bytes = syn_take_bytes(take, *count * sizeof(struct syn_replay_call));
    struct syn_replay_call call;
    for (size_t i = 0; bytes && i < *count; i++) {
        memcpy(&call, bytes + i * sizeof call, sizeof call);
        take->failed |= call.kind >= tables->kinds.count;
    }
    if (!bytes || take->failed)
        *count = 0;
    return (const struct syn_replay_call *)(const void *)bytes;
}

int syn_causes_part_put(struct syn_causes_part *part, struct syn_bytes *out)
{
    const uint32_t locations = part->causes->plan.location_count;
    syn_bytes_put_varint(out, part->replay != NULL);
    if (!part->replay)
        return 0;
    int status = syn_causes_part_settle(part);
    if (status != SYN_OK)
        return status;
    struct syn_cut *cut = part->last.call ? &part->last : &part->first;
    syn_bytes_put(out, part->account, locations * sizeof *part->account);
    syn_cause_tables_put(&part->tables, out);
    syn_bytes_put_varint(out, cut->call != NULL);
    if (cut->call) {
        syn_bytes_put_zigzag(out, cut->synchronized_ns);
        put_calls(cut->call, locations, out);
        for (uint32_t i = 0; i < locations; i++)
            put_calls(part->head[i].call, part->head[i].count, out);
        syn_cause_sums_put(syn_replay_sums(part->replay), out);
    }
    for (uint32_t i = 0; i < locations; i++) {
        size_t count;
        const struct syn_replay_call *held = syn_replay_held(part->replay, i, &count);
        put_calls(held, count, out);
    }
    return out->failed ? SYN_ENOMEM : 0;
}

static int take_copy(struct syn_take *take, const struct syn_cause_tables *tables,
                     struct syn_calls *into)
{
    size_t count;
    const struct syn_replay_call *call = take_calls(take, tables, &count);
    return take->failed ? SYN_ETRANSPORT : syn_calls_copy(call, count, into);
}

static int take_cuts(struct syn_causes_part *part, struct syn_take *take)
{
    const uint32_t locations = part->causes->plan.location_count;
    struct syn_calls cut = {0};
    part->first.synchronized_ns = syn_take_zigzag(take);
    int status = take_copy(take, &part->tables, &cut);
    part->first.call = cut.call;
    if (status == SYN_OK && cut.count != locations)
        status = SYN_ETRANSPORT;
    for (uint32_t i = 0; i < locations && status == SYN_OK; i++)
        status = take_copy(take, &part->tables, &part->head[i]);
    if (status != SYN_OK)
        return status;
    return syn_cause_sums_take(take, (uint32_t)part->tables.labels.count,
                               syn_replay_sums(part->replay));
}

int syn_causes_part_take(struct syn_causes_part *part, struct syn_take *take,
                         const struct syn_name_map *names)
{
    if (syn_take_bounded(take, 1) == 0)
        return take->failed ? SYN_ETRANSPORT : 0;
    int status = syn_causes_part_prepare(part);
    const size_t bytes = part->causes->plan.location_count * sizeof *part->account;
    const uint8_t *account = syn_take_bytes(take, bytes);
    if (status == SYN_OK && account)
        memcpy(part->account, account, bytes);
    if (status == SYN_OK)
        status = syn_cause_tables_take(take, names, &part->tables);
    if (status == SYN_OK && syn_take_bounded(take, 1))
        status = take_cuts(part, take);
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == SYN_OK; i++) {
        size_t count;
        const struct syn_replay_call *call = take_calls(take, &part->tables, &count);
        struct syn_replay_call copy;
        for (size_t k = 0; k < count && status == SYN_OK; k++) {
            memcpy(&copy, (const uint8_t *)call + k * sizeof copy, sizeof copy);
            status = syn_replay_append(part->replay, i, &copy);
        }
    }
    return status == SYN_OK && take->failed ? SYN_ETRANSPORT : status;
}
