/* preload/clocks/opening.c - see opening.h. */
#include "preload/clocks/opening.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/status.h"
#include "sync/collect.h"

/* What each rank says. */
struct entry {
    uint64_t node_key;
    struct syn_clock_offer offer;
};

/* ---- packing ---- */

/* So many zeros are worth a pair of counts. */
#define ZEROS_MIN 8

static size_t zeros_at(const uint8_t *data, size_t at, size_t bytes)
{
    size_t end = at;
    while (end < bytes && data[end] == 0)
        end++;
    return end - at;
}

/* Mostly zeros, as texts in arrays are: how many of them, how many other bytes, those, and so on.
 */
static void put_sparse(struct syn_bytes *out, const void *data, size_t bytes)
{
    for (size_t at = 0; at < bytes;) {
        const size_t zeros = zeros_at(data, at, bytes);
        size_t end = at + zeros, more;
        while (end < bytes && (more = zeros_at(data, end, bytes)) < ZEROS_MIN && end + more < bytes)
            end += more + 1;
        syn_bytes_put_varint(out, zeros);
        syn_bytes_put_varint(out, end - at - zeros);
        syn_bytes_put(out, (const uint8_t *)data + at + zeros, end - at - zeros);
        at = end;
    }
}

static void take_sparse(struct syn_take *take, void *data, size_t bytes)
{
    memset(data, 0, bytes);
    for (size_t at = 0; at < bytes && !take->failed;) {
        at += syn_take_bounded(take, bytes - at);
        const size_t count = syn_take_bounded(take, bytes - at);
        const uint8_t *from = syn_take_bytes(take, count);
        if (from)
            memcpy((uint8_t *)data + at, from, count);
        at += count;
    }
}

/* ---- rank 0's message ---- */

static int all_of_one_machine(const struct entry *entries, int size)
{
    for (int rank = 1; rank < size; rank++)
        if (entries[rank].node_key != entries[0].node_key)
            return false;
    return true;
}

static int broadcast_packed(const struct syn_transport *transport, struct syn_bytes *packed)
{
    uint64_t bytes = packed->failed ? 0 : packed->count;
    int status = syn_collect_broadcast(transport, &bytes, sizeof bytes);
    if (status != SYN_OK || bytes == 0)
        return status != SYN_OK ? status : SYN_ENOMEM;
    if (transport->rank != 0) {
        if (!syn_bytes_reserve(packed, bytes))
            return SYN_ENOMEM;
        packed->count = bytes;
    }
    return syn_collect_broadcast(transport, packed->data, bytes);
}

static void pack(const struct syn_opening *opening, const struct entry *entries, int size,
                 struct syn_bytes *out)
{
    put_sparse(out, &opening->greeting, sizeof opening->greeting);
    syn_bytes_put(out, entries, (size_t)size * sizeof *entries);
    if (opening->host_facts && all_of_one_machine(entries, size))
        syn_host_facts_put(opening->host_facts, out);
}

static int unpack(const struct syn_bytes *packed, struct syn_opening *opening,
                  struct entry *entries, int size)
{
    struct syn_take take = syn_take_from(packed->data, packed->count);
    take_sparse(&take, &opening->greeting, sizeof opening->greeting);
    const uint8_t *from = syn_take_bytes(&take, (size_t)size * sizeof *entries);
    if (from)
        memcpy(entries, from, (size_t)size * sizeof *entries);
    if (from && syn_take_left(&take) > 0)
        opening->host_facts = syn_host_facts_take(&take);
    return take.failed ? SYN_ETRANSPORT : SYN_OK;
}

/* Rank 0, once it has heard of everyone. */
static int look_around(struct syn_opening *opening, const struct entry *entries, uint64_t *keys,
                       int size)
{
    for (int rank = 0; rank < size; rank++)
        keys[rank] = entries[rank].node_key;
    const int status = syn_node_find(keys, size, 0, &opening->node);
    opening->greeting.crowded = opening->node.crowded;
    return status;
}

static int exchange(const struct syn_transport *transport, struct entry *entries, uint64_t *keys,
                    struct syn_opening *out)
{
    const int size = transport->size;
    struct syn_bytes packed = {0};
    struct entry own = entries[transport->rank];
    int status = syn_collect_gather(transport, &own, sizeof own, entries);
    if (status == SYN_OK && transport->rank == 0) {
        status = look_around(out, entries, keys, size);
        syn_tick_reading_take(&out->greeting.root);
        if (status == SYN_OK)
            pack(out, entries, size, &packed);
        packed.failed |= status != SYN_OK;
    }
    if (status != SYN_ETRANSPORT)
        status = broadcast_packed(transport, &packed);
    syn_tick_reading_take(&out->arrived);
    if (status == SYN_OK && transport->rank != 0) {
        status = unpack(&packed, out, entries, size);
        for (int rank = 0; rank < size; rank++)
            keys[rank] = entries[rank].node_key;
        if (status == SYN_OK)
            status = syn_node_find(keys, size, transport->rank, &out->node);
    }
    syn_bytes_free(&packed);
    return status;
}

int syn_opening_exchange(const struct syn_transport *transport, struct syn_clock_offer *own,
                         void (*make_greeting)(struct syn_greeting *greeting, void *ctx), void *ctx,
                         struct syn_opening *out)
{
    const size_t size = (size_t)transport->size;
    struct entry *entries = calloc(size, sizeof *entries);
    uint64_t *keys = calloc(size, sizeof *keys);
    int status = SYN_ENOMEM;
    memset(out, 0, sizeof *out);
    out->offers = calloc(size, sizeof *out->offers);
    out->identities = calloc(size, sizeof *out->identities);
    if (entries && keys && out->offers && out->identities) {
        syn_tick_reading_take(&own->sent);
        entries[transport->rank] = (struct entry){syn_node_key(), *own};
        if (transport->rank == 0) {
            make_greeting(&out->greeting, ctx);
            out->host_facts = syn_host_facts_read();
        }
        status = exchange(transport, entries, keys, out);
    }
    for (size_t rank = 0; status == SYN_OK && rank < size; rank++)
        out->offers[rank] = entries[rank].offer;
    free(entries);
    free(keys);
    if (status == SYN_OK && !syn_opening_is_local(out, transport->size))
        out->host_facts = syn_host_facts_share(&out->node, transport, out->host_facts);
    return status;
}

void syn_opening_free(struct syn_opening *opening)
{
    syn_host_facts_free(opening->host_facts);
    syn_node_free(&opening->node);
    free(opening->offers);
    free(opening->identities);
    memset(opening, 0, sizeof *opening);
}
