/* analyze/match/match_team.c - sends a slice's result from the process that matched it to process
 * 0. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match_internal.h"
#include "sync/base/status.h"

/* The first number of a message: a slice, or that there are no more. */
#define NO_MORE_SLICES UINT64_MAX

/* ---- what lacks members ---- */

static void put_attributes(const struct syn_attributes *attributes, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, attributes->bytes);
    syn_bytes_put_varint(out, attributes->comm);
    syn_bytes_put_varint(out, attributes->site);
    syn_bytes_put_varint(out, attributes->phase);
    syn_bytes_put_zigzag(out, attributes->root);
    syn_bytes_put_varint(out, attributes->op);
    syn_bytes_put_varint(out, attributes->flags);
}

static int take_attributes(struct syn_take *take, const struct syn_name_map *map,
                           struct syn_attribute_table *into)
{
    struct syn_attributes attributes = {
        .bytes = syn_take_varint(take),
        .comm = (uint32_t)syn_take_bounded(take, UINT32_MAX),
        .site = (uint32_t)syn_name_mapped(map, syn_take_bounded(take, UINT32_MAX)),
        .phase = (uint32_t)syn_name_mapped(map, syn_take_bounded(take, UINT32_MAX)),
        .root = syn_take_int32(take),
        .op = (uint16_t)syn_take_bounded(take, UINT16_MAX),
        .flags = (uint16_t)syn_take_bounded(take, UINT16_MAX),
    };
    const uint32_t expected = (uint32_t)into->count; /* each combination travels once */
    if (take->failed)
        return SYN_ETRANSPORT;
    const uint32_t number = syn_attributes_number(into, &attributes);
    return number == SYN_NO_ATTRIBUTES ? SYN_ENOMEM : number == expected ? 0 : SYN_ETRANSPORT;
}

static void put_member(const struct syn_pending *pending, uint32_t m, struct syn_bytes *out)
{
    const struct syn_span *span = &syn_pending_spans(pending)[m];
    const struct syn_request_times *request = &syn_pending_requests(pending)[m];
    syn_bytes_put_varint(out, pending->by_arrival ? syn_pending_members(pending)[m] : m);
    syn_bytes_put_varint(out, pending->attributes[m]);
    syn_bytes_put_zigzag(out, span->start_ns);
    syn_bytes_put_zigzag(out, span->end_ns);
    if (!pending->has_request_times)
        return;
    syn_bytes_put_zigzag(out, request->call_end_ns);
    syn_bytes_put_zigzag(out, request->wait_start_ns);
}

/* False where the bytes are none. */
static bool take_member(struct syn_take *take, const struct syn_communicator *comm,
                        size_t attribute_count, struct syn_pending *pending)
{
    const uint32_t number = (uint32_t)syn_take_bounded(take, UINT32_MAX);
    const uint32_t m = pending->by_arrival ? pending->arrived_count : number;
    const uint64_t attributes = syn_take_varint(take);
    if (take->failed || m >= comm->known_count || attributes >= attribute_count ||
        pending->attributes[m] != SYN_NO_ATTRIBUTES)
        return false;
    if (pending->by_arrival)
        syn_pending_members(pending)[m] = number;
    pending->attributes[m] = (uint32_t)attributes;
    pending->arrived_count++;
    struct syn_span *span = &syn_pending_spans(pending)[m];
    span->start_ns = syn_take_zigzag(take);
    span->end_ns = syn_take_zigzag(take);
    if (span->start_ns < pending->first_start_ns)
        pending->first_start_ns = span->start_ns;
    if (pending->has_request_times) {
        struct syn_request_times *request = &syn_pending_requests(pending)[m];
        request->call_end_ns = syn_take_zigzag(take);
        request->wait_start_ns = syn_take_zigzag(take);
    }
    return !take->failed;
}

static void put_pending(const struct syn_pending *pending, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, pending->comm);
    syn_bytes_put_varint(out, pending->sequence);
    syn_bytes_put_varint(out, pending->has_request_times);
    syn_bytes_put_varint(out, pending->arrived_count);
    for (uint32_t m = 0; m < pending->capacity; m++)
        if (pending->attributes[m] != SYN_NO_ATTRIBUTES)
            put_member(pending, m, out);
}

static int take_pending(struct syn_take *take, const struct syn_comms *comms,
                        struct syn_leftovers *left)
{
    const uint64_t comm = syn_take_bounded(take, UINT32_MAX);
    const uint64_t sequence = syn_take_varint(take);
    const bool has_request_times = syn_take_varint(take) != 0;
    const uint64_t arrived_count = syn_take_bounded(take, UINT32_MAX);
    if (take->failed || comm >= comms->count || arrived_count == 0)
        return SYN_ETRANSPORT;
    struct syn_pending *pending = syn_pending_allocate(comms->comm[comm].known_count);
    if (!pending)
        return SYN_ENOMEM;
    syn_pending_clear(pending, comms, (uint32_t)comm, sequence);
    pending->has_request_times = has_request_times;
    pending->first_start_ns = INT64_MAX;
    left->pending[left->count++] = pending;
    for (uint64_t i = 0; i < arrived_count; i++)
        if (!take_member(take, &comms->comm[comm], left->attributes.count, pending))
            return SYN_ETRANSPORT;
    return 0;
}

static void put_leftovers(const struct syn_leftovers *left, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, left->attributes.count);
    for (size_t i = 0; i < left->attributes.count; i++)
        put_attributes(&left->attributes.at[i], out);
    syn_bytes_put_varint(out, left->count);
    for (size_t i = 0; i < left->count; i++)
        put_pending(left->pending[i], out);
}

static int take_leftovers(struct syn_take *take, const struct syn_match *match, int peer,
                          struct syn_leftovers *left)
{
    int status = 0;
    uint64_t count = syn_take_bounded(take, syn_take_left(take));
    for (uint64_t i = 0; i < count && status == SYN_OK; i++)
        status = take_attributes(take, &match->team->map[peer], &left->attributes);
    count = syn_take_bounded(take, syn_take_left(take));
    left->pending = malloc((count + 1) * sizeof *left->pending);
    if (!left->pending)
        return SYN_ENOMEM;
    for (uint64_t i = 0; i < count && status == SYN_OK; i++)
        status = take_pending(take, match->comms, left);
    return status;
}

/* ---- a slice ---- */

static int put_result(const struct syn_match *match, size_t slice,
                      const struct syn_slice_result *result, struct syn_bytes *out)
{
    const struct syn_match_totals *totals = &result->totals;
    syn_fields_put(&syn_match_totals_fields, totals, out);
    syn_fields_put_all(&syn_rank_totals_fields, totals->rank, (size_t)totals->rank_count, out);
    int status = match->sink.partial_put(match->sink.ctx, result->partial, slice, out);
    put_leftovers(&result->left, out);
    return status;
}

static int take_totals(struct syn_take *take, struct syn_match_totals *totals)
{
    syn_fields_take(&syn_match_totals_fields, take, totals);
    syn_fields_take_all(&syn_rank_totals_fields, take, totals->rank, (size_t)totals->rank_count);
    return take->failed ? SYN_ETRANSPORT : SYN_OK;
}

static int take_result(const struct syn_match *match, int peer, struct syn_take *take,
                       struct syn_slice_result *result)
{
    const struct syn_name_map *map = &match->team->map[peer];
    int status = syn_team_take_names(match->team, peer, match->names, take);
    if (status == SYN_OK)
        status = take_totals(take, &result->totals);
    if (status == SYN_OK)
        status = match->sink.partial_take(match->sink.ctx, result->partial, take, map);
    if (status == SYN_OK)
        status = take_leftovers(take, match, peer, &result->left);
    return status == SYN_OK && take->failed ? SYN_ETRANSPORT : status;
}

int syn_match_send(const struct syn_match *match, size_t slice,
                   const struct syn_slice_result *result)
{
    struct syn_bytes message = {0};
    syn_bytes_put_u64(&message, slice);
    int status = syn_team_put_names(match->team, 0, match->names, &message);
    if (status == SYN_OK)
        status = put_result(match, slice, result, &message);
    if (status == SYN_OK)
        status = syn_team_send(match->team, 0, &message);
    syn_bytes_free(&message);
    return status;
}

int syn_match_receive(const struct syn_match *match, int peer, size_t *slice,
                      struct syn_slice_result *result)
{
    struct syn_bytes message = {0};
    int status = syn_team_receive(match->team, peer, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    *result = (struct syn_slice_result){0};
    if (status == SYN_OK) {
        *slice = syn_take_u64(&take);
        status = *slice == NO_MORE_SLICES ? SYN_ETRANSPORT : syn_slice_result_begin(match, result);
    }
    if (status == SYN_OK)
        status = take_result(match, peer, &take, result);
    syn_bytes_free(&message);
    return status;
}

/* ---- damage ---- */

/* Nothing where nobody asks. */
static void put_disagreements(const struct syn_match *match, struct syn_bytes *message)
{
    if (match->disagreements && syn_team_put_names(match->team, 0, match->names, message) == SYN_OK)
        syn_disagreements_put(match->disagreements, message);
}

static int take_disagreements(const struct syn_match *match, int peer, struct syn_take *take)
{
    if (!match->disagreements)
        return SYN_OK;
    const int status = syn_team_take_names(match->team, peer, match->names, take);
    return status != SYN_OK
               ? status
               : syn_disagreements_absorb(match->disagreements, take, &match->team->map[peer]);
}

int syn_match_send_faults(const struct syn_match *match)
{
    struct syn_bytes message = {0};
    syn_bytes_put_u64(&message, NO_MORE_SLICES);
    put_disagreements(match, &message);
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
    if (status != SYN_OK)
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
    if (status == SYN_OK && syn_take_u64(&take) != NO_MORE_SLICES)
        status = SYN_ETRANSPORT;
    if (status == SYN_OK)
        status = take_disagreements(match, peer, &take);
    while (status == SYN_OK && syn_take_left(&take) > 0) {
        uint64_t rank = syn_take_bounded(&take, INT32_MAX);
        size_t chunk = syn_take_varint(&take);
        status = meet_fault(syn_trace_rank(match->trace, (int32_t)rank), chunk);
    }
    syn_bytes_free(&message);
    return status;
}
