/* analyze/match/match_team.c - what a slab gave, from the process that matched it to process 0. */
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "match_parts.h"

/* The first number of a message: a slab, or that there are no more. */
#define NO_MORE_SLABS UINT64_MAX

/* ---- what lacks members ---- */

static void put_slot(const struct syn_slot *slot, struct syn_bytes *out)
{
    const struct syn_comm *comm = slot->instance.comm;
    uint32_t count = comm->known_count == comm->size ? comm->size : 0;
    syn_bytes_put_varint(out, slot->comm);
    syn_bytes_put(out, slot, sizeof *slot); /* pointers in it are put right by who takes it */
    syn_bytes_put_varint(out, count ? slot->instance.arrived_count : 0);
    for (uint32_t m = 0; m < count; m++) {
        if (slot->member[m].start_ns == SYN_UNARRIVED)
            continue;
        syn_bytes_put_varint(out, m);
        syn_bytes_put(out, &slot->member[m], sizeof slot->member[m]);
    }
}

static bool take_members(struct syn_take *take, struct syn_slot *slot)
{
    const struct syn_comm *comm = slot->instance.comm;
    uint32_t size = comm->known_count == comm->size ? comm->size : 0;
    for (uint32_t m = 0; m < size; m++)
        slot->member[m].start_ns = SYN_UNARRIVED;
    for (uint64_t left = syn_take_bounded(take, size); left > 0; left--) {
        uint64_t m = syn_take_bounded(take, size - 1);
        const uint8_t *bytes = syn_take_bytes(take, sizeof slot->member[m]);
        if (!bytes)
            return false;
        memcpy(&slot->member[m], bytes, sizeof slot->member[m]);
    }
    return !take->failed;
}

static int take_slot(struct syn_take *take, const struct syn_name_map *map,
                     struct syn_matcher *matcher, uint32_t slab)
{
    const struct syn_comms *comms = matcher->match->comms;
    uint32_t number = (uint32_t)syn_take_bounded(take, comms->count ? comms->count - 1 : 0);
    const uint8_t *bytes = syn_take_bytes(take, sizeof(struct syn_slot));
    if (!bytes || comms->count == 0)
        return SYN_ETRANSPORT;
    const struct syn_comm *comm = &comms->comm[number];
    struct syn_slot *slot = malloc(syn_slot_bytes(comm));
    if (!slot)
        return SYN_ENOMEM;
    memcpy(slot, bytes, sizeof *slot);
    slot->instance.comm = comm;
    slot->instance.member = NULL;
    slot->instance.site = (uint32_t)syn_name_mapped(map, slot->instance.site);
    slot->instance.phase = (uint32_t)syn_name_mapped(map, slot->instance.phase);
    int status = take_members(take, slot) ? syn_matcher_merge(matcher, slot, slab) : SYN_ETRANSPORT;
    free(slot);
    return status;
}

/* ---- a slab ---- */

static int put_result(const struct syn_match *match, const struct syn_match_result *result,
                      struct syn_bytes *out)
{
    const struct syn_match_totals *totals = &result->totals;
    size_t count;
    struct syn_slot **pending = syn_matcher_pending(&result->matcher, &count);
    syn_bytes_put(out, totals, sizeof *totals);
    syn_bytes_put(out, totals->rank, (size_t)totals->rank_count * sizeof *totals->rank);
    int status = pending ? match->sink.part_put(match->sink.ctx, result->part, out) : SYN_ENOMEM;
    syn_bytes_put_varint(out, count);
    for (size_t i = 0; i < count && status == 0; i++)
        put_slot(pending[i], out);
    free(pending);
    return status;
}

static int take_totals(struct syn_take *take, struct syn_match_totals *totals)
{
    struct syn_rank_totals *rank = totals->rank;
    int32_t rank_count = totals->rank_count;
    const uint8_t *bytes = syn_take_bytes(take, sizeof *totals);
    const uint8_t *ranks = syn_take_bytes(take, (size_t)rank_count * sizeof *rank);
    if (!bytes || !ranks)
        return SYN_ETRANSPORT;
    memcpy(totals, bytes, sizeof *totals);
    totals->rank = rank;
    totals->rank_count = rank_count;
    memcpy(rank, ranks, (size_t)rank_count * sizeof *rank);
    return 0;
}

static int take_result(const struct syn_match *match, int peer, size_t slab, struct syn_take *take,
                       struct syn_match_result *result)
{
    const struct syn_name_map *map = &match->team->map[peer];
    int status = syn_team_take_names(match->team, peer, match->names, take);
    if (status == 0)
        status = take_totals(take, &result->totals);
    if (status == 0)
        status = match->sink.part_take(match->sink.ctx, result->part, take, map);
    for (size_t left = status ? 0 : syn_take_varint(take); left > 0 && status == 0; left--)
        status = take_slot(take, map, &result->matcher, (uint32_t)slab);
    return status == 0 && take->failed ? SYN_ETRANSPORT : status;
}

int syn_match_send(const struct syn_match *match, size_t slab,
                   const struct syn_match_result *result)
{
    struct syn_bytes message = {0};
    syn_bytes_put_u64(&message, slab);
    int status = syn_team_put_names(match->team, match->names, &message);
    if (status == 0)
        status = put_result(match, result, &message);
    if (status == 0)
        status = syn_team_send(match->team, 0, &message);
    syn_bytes_free(&message);
    return status;
}

int syn_match_receive(const struct syn_match *match, int peer, size_t *slab,
                      struct syn_match_result *result)
{
    struct syn_bytes message = {0};
    int status = syn_team_receive(match->team, peer, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    *result = (struct syn_match_result){0};
    if (status == 0) {
        *slab = syn_take_u64(&take);
        status = *slab == NO_MORE_SLABS ? SYN_ETRANSPORT : syn_match_result_begin(match, result);
    }
    if (status == 0)
        status = take_result(match, peer, *slab, &take, result);
    syn_bytes_free(&message);
    return status;
}

/* ---- damage ---- */

int syn_match_send_faults(const struct syn_match *match)
{
    struct syn_bytes message = {0};
    syn_bytes_put_u64(&message, NO_MORE_SLABS);
    for (int32_t r = 0; r < syn_trace_size(match->trace); r++) {
        const struct syn_rank_file *file = syn_trace_rank(match->trace, r);
        for (size_t i = 0; file && i < syn_rank_chunk_count(file); i++) {
            if (!syn_rank_chunk_has_fault(file, i))
                continue;
            syn_bytes_put_varint(&message, (uint64_t)r);
            syn_bytes_put_varint(&message, i);
        }
    }
    int status = syn_team_send(match->team, 0, &message);
    syn_bytes_free(&message);
    return status;
}

/* Meet it as if it had been read here. */
static int meet_fault(struct syn_rank_file *file, size_t chunk)
{
    struct syn_event_columns columns;
    struct syn_cursor *cursor;
    if (!file)
        return SYN_ETRANSPORT;
    int status = syn_cursor_open(file, &cursor);
    if (status)
        return status;
    syn_cursor_seek(cursor, chunk);
    status = syn_cursor_next(cursor, &columns);
    syn_cursor_close(cursor);
    return status == SYN_ENOMEM ? status : 0;
}

int syn_match_receive_faults(const struct syn_match *match, int peer)
{
    struct syn_bytes message = {0};
    int status = syn_team_receive(match->team, peer, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    if (status == 0 && syn_take_u64(&take) != NO_MORE_SLABS)
        status = SYN_ETRANSPORT;
    while (status == 0 && syn_take_left(&take) > 0) {
        uint64_t rank = syn_take_bounded(&take, INT32_MAX);
        size_t chunk = syn_take_varint(&take);
        status = meet_fault(syn_trace_rank(match->trace, (int32_t)rank), chunk);
    }
    syn_bytes_free(&message);
    return status;
}
