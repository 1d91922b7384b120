/* analyze/causes/joining.c - parts of a run put together, in the order of the slices; and parts on
 * their way to another process. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/part.h"
#include "sync/base/fields.h"
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

SYN_FIELDS(syn_replay_call_fields, struct syn_replay_call,
           SYN_FIELD(struct syn_replay_call, start_ns),
           SYN_FIELD(struct syn_replay_call, call_end_ns),
           SYN_FIELD(struct syn_replay_call, wait_start_ns),
           SYN_FIELD(struct syn_replay_call, end_ns), SYN_FIELD(struct syn_replay_call, sequence),
           SYN_FIELD(struct syn_replay_call, messages_ns),
           SYN_FIELD(struct syn_replay_call, off_cpu_ns),
           SYN_FIELD(struct syn_replay_call, wait_messages_ns),
           SYN_FIELD(struct syn_replay_call, wait_off_cpu_ns),
           SYN_FIELD(struct syn_replay_call, kind),
           SYN_FIELD_LEFT_OUT(struct syn_replay_call, spare));

SYN_FIELDS(syn_sample_fields, struct syn_sample, SYN_FIELD(struct syn_sample, time),
           SYN_FIELD(struct syn_sample, cpu_ns), SYN_FIELD(struct syn_sample, run_delay_ns),
           SYN_FIELD(struct syn_sample, instructions), SYN_FIELD(struct syn_sample, cycles),
           SYN_FIELD(struct syn_sample, voluntary_switches),
           SYN_FIELD(struct syn_sample, involuntary_switches),
           SYN_FIELD(struct syn_sample, minor_faults), SYN_FIELD(struct syn_sample, major_faults),
           SYN_FIELD(struct syn_sample, processor), SYN_FIELD(struct syn_sample, has));

SYN_FIELDS(syn_account_fields, struct syn_account,
           SYN_FIELD_INNER(struct syn_account, first, struct syn_sample, syn_sample_fields),
           SYN_FIELD_INNER(struct syn_account, last, struct syn_sample, syn_sample_fields),
           SYN_FIELD_ARRAY(struct syn_account, known), SYN_FIELD(struct syn_account, migrations));

static void put_calls(const struct syn_replay_call *call, size_t count, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, count);
    syn_fields_put_all(&syn_replay_call_fields, call, count, out);
}

/* The kinds in them are believed no more than a file would be. False where the bytes are none. */
static bool take_call(struct syn_take *take, const struct syn_cause_tables *tables,
                      struct syn_replay_call *out)
{
    *out = (struct syn_replay_call){0};
    syn_fields_take(&syn_replay_call_fields, take, out);
    take->failed |= out->kind >= tables->kinds.count;
    return !take->failed;
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
    syn_fields_put_all(&syn_account_fields, part->account, locations, out);
    syn_cause_tables_put(&part->tables, out);
    syn_bytes_put_varint(out, cut->call != NULL);
    if (cut->call) {
        syn_bytes_put_zigzag(out, cut->synchronized_ns);
        put_calls(cut->call, locations, out);
        for (uint32_t i = 0; i < locations; i++)
            put_calls(part->head[i].call, part->head[i].count, out);
    }
    for (uint32_t i = 0; i < locations; i++) {
        size_t count;
        const struct syn_replay_call *held = syn_replay_held(part->replay, i, &count);
        put_calls(held, count, out);
    }
    return out->failed ? SYN_ENOMEM : status;
}

static int take_copy(struct syn_take *take, const struct syn_cause_tables *tables,
                     struct syn_calls *into)
{
    const size_t count = syn_take_bounded(take, syn_take_left(take));
    struct syn_replay_call *call = malloc((count + 1) * sizeof *call);
    int status = call ? SYN_OK : SYN_ENOMEM;
    for (size_t i = 0; i < count && status == SYN_OK; i++)
        status = take_call(take, tables, &call[i]) ? SYN_OK : SYN_ETRANSPORT;
    if (status == SYN_OK)
        status = syn_calls_copy(call, count, into);
    free(call);
    return status;
}

static int take_held(struct syn_causes_part *part, struct syn_take *take, uint32_t location)
{
    const uint64_t count = syn_take_bounded(take, syn_take_left(take));
    int status = SYN_OK;
    for (uint64_t k = 0; k < count && status == SYN_OK; k++) {
        struct syn_replay_call call;
        status = take_call(take, &part->tables, &call)
                     ? syn_replay_append(part->replay, location, &call)
                     : SYN_ETRANSPORT;
    }
    return status;
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
    return status;
}

int syn_causes_part_take(struct syn_causes_part *part, struct syn_take *take,
                         const struct syn_name_map *names)
{
    if (syn_take_bounded(take, 1) == 0)
        return take->failed ? SYN_ETRANSPORT : 0;
    int status = syn_causes_part_prepare(part);
    if (status == SYN_OK)
        syn_fields_take_all(&syn_account_fields, take, part->account,
                            part->causes->plan.location_count);
    if (status == SYN_OK)
        status = syn_cause_tables_take(take, names, &part->tables);
    if (status == SYN_OK && syn_take_bounded(take, 1))
        status = take_cuts(part, take);
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == SYN_OK; i++)
        status = take_held(part, take, i);
    return status == SYN_OK && take->failed ? SYN_ETRANSPORT : status;
}

/* ---- sums as bytes ---- */

int syn_causes_sums_put(const struct syn_causes *causes, struct syn_bytes *out)
{
    syn_cause_tables_put(&causes->tables, out);
    syn_cause_sums_put(&causes->sums, out);
    return out->failed ? SYN_ENOMEM : 0;
}

int syn_causes_sums_take(struct syn_causes *causes, struct syn_take *take,
                         const struct syn_name_map *names)
{
    struct syn_cause_tables theirs;
    struct syn_cause_sums sums;
    int status = syn_cause_tables_begin(&theirs, causes->tables.keys);
    const int begun = syn_cause_sums_begin(&sums, causes->plan.location_count, &causes->blocks);
    if (status == SYN_OK)
        status = begun != SYN_OK ? begun : syn_cause_tables_take(take, names, &theirs);
    if (status == SYN_OK)
        status = syn_cause_sums_take(take, (uint32_t)theirs.labels.count, &sums);
    if (status == SYN_OK)
        status = syn_cause_sums_add_theirs(&causes->sums, &causes->tables, &sums, &theirs);
    syn_cause_sums_free(&sums);
    syn_cause_tables_free(&theirs);
    return status;
}
