/* analyze/messages/pairing.c - two hash tables with chains: unmet halves by channel and number,
 * calls by location and start. */
#include "analyze/messages/pairing.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/fetch.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define HEADS_LEAST 256

/* Returns a hash. Consecutive messages of a channel have consecutive ones. */
static uint64_t hash_of_message(uint32_t channel, uint32_t k)
{
    return (syn_hash_word(channel) >> 32) + k;
}

static uint64_t hash_of_call(uint32_t location, int64_t wait_ns)
{
    const uint64_t hash = syn_hash_add(syn_hash_word(location + 1), (uint64_t)wait_ns);
    return hash ^ hash >> 32;
}

/* ---- locations ---- */

static uint64_t hash_location(const void *owner, uint32_t number)
{
    const struct syn_posting_thread *location = &((const struct syn_posting_thread *)owner)[number];
    return syn_hash_word((uint64_t)(uint32_t)location->rank << 32 | location->thread);
}

static bool is_location(const void *owner, uint32_t number, const void *key)
{
    const struct syn_posting_thread *a = &((const struct syn_posting_thread *)owner)[number],
                                    *b = key;
    return a->rank == b->rank && a->thread == b->thread;
}

uint32_t syn_pairing_location(struct syn_pairing *pairing, int32_t rank, uint32_t thread)
{
    const struct syn_posting_thread key = {
        .rank = rank, .thread = thread, .posted_ns = INT64_MIN, .newest = SYN_NO_HALF};
    if (syn_index_make_room(&pairing->locations, pairing->location_count, hash_location,
                            pairing->location) ||
        SYN_ROOM(pairing->location, pairing->location_capacity, pairing->location_count))
        return SYN_NO_HALF;
    uint32_t *slot = syn_index_slot(&pairing->locations, hash_location(&key, 0), is_location,
                                    pairing->location, &key);
    if (!*slot) {
        pairing->location[pairing->location_count++] = key;
        *slot = (uint32_t)pairing->location_count;
    }
    return *slot - 1;
}

/* ---- chains ---- */

static int new_heads(uint32_t **head, size_t *count, size_t wanted)
{
    uint32_t *bigger = malloc(wanted * sizeof *bigger);
    if (!bigger)
        return SYN_ENOMEM;
    memset(bigger, 0xFF, wanted * sizeof *bigger);
    free(*head);
    *head = bigger;
    *count = wanted;
    return SYN_OK;
}

static void link_half(struct syn_pairing *pairing, uint32_t number)
{
    struct syn_half *half = &pairing->half[number];
    uint32_t *head =
        &pairing->half_head[hash_of_message(half->channel, half->k) & (pairing->half_heads - 1)];
    half->next_of_chain = *head;
    *head = number;
}

static void link_call(struct syn_pairing *pairing, uint32_t number)
{
    struct syn_completing_call *call = &pairing->call[number];
    uint32_t *head =
        &pairing
             ->call_head[hash_of_call(call->location, call->wait_ns) & (pairing->call_heads - 1)];
    call->next_of_chain = *head;
    *head = number;
}

/* Makes room for one more half and one more call in the chains. */
static int grow_chains(struct syn_pairing *pairing)
{
    if (pairing->used_halves >= pairing->half_heads) {
        if (new_heads(&pairing->half_head, &pairing->half_heads,
                      pairing->half_heads ? 2 * pairing->half_heads : HEADS_LEAST))
            return SYN_ENOMEM;
        for (uint32_t c = 0; c < pairing->call_count; c++)
            for (uint32_t h = pairing->call[c].is_used ? pairing->call[c].first : SYN_NO_HALF;
                 h != SYN_NO_HALF; h = pairing->half[h].next_of_call)
                if (syn_half_meets(&pairing->half[h]) && !pairing->half[h].is_met)
                    link_half(pairing, h);
    }
    if (pairing->used_calls >= pairing->call_heads) {
        if (new_heads(&pairing->call_head, &pairing->call_heads,
                      pairing->call_heads ? 2 * pairing->call_heads : HEADS_LEAST))
            return SYN_ENOMEM;
        for (uint32_t c = 0; c < pairing->call_count; c++)
            if (pairing->call[c].is_used)
                link_call(pairing, c);
    }
    return SYN_OK;
}

/* ---- calls ---- */

static bool is_call(const struct syn_completing_call *call, uint32_t location, int64_t wait_ns)
{
    return call->is_used && call->location == location && call->wait_ns == wait_ns;
}

/* Returns the call of the location that starts at wait_ns, a new one if needed. Returns SYN_NO_HALF
 * if out of memory. */
static uint32_t find_call(struct syn_pairing *pairing, uint32_t location, int64_t wait_ns)
{
    uint32_t number = pairing->location[location].newest;
    if (number != SYN_NO_HALF && is_call(&pairing->call[number], location, wait_ns))
        return number;
    number = pairing->call_head[hash_of_call(location, wait_ns) & (pairing->call_heads - 1)];
    for (; number != SYN_NO_HALF; number = pairing->call[number].next_of_chain)
        if (is_call(&pairing->call[number], location, wait_ns))
            return number;
    if (pairing->free_call < pairing->call_count) {
        number = pairing->free_call;
        pairing->free_call = pairing->call[number].next_of_chain;
    } else {
        if (SYN_ROOM(pairing->call, pairing->call_capacity, pairing->call_count))
            return SYN_NO_HALF;
        number = (uint32_t)pairing->call_count++;
        pairing->free_call = SYN_NO_HALF;
    }
    pairing->call[number] = (struct syn_completing_call){
        .wait_ns = wait_ns, .location = location, .first = SYN_NO_HALF, .is_used = true};
    pairing->used_calls++;
    link_call(pairing, number);
    return number;
}

static int list_met(struct syn_pairing *pairing, uint32_t number)
{
    struct syn_completing_call *call = &pairing->call[number];
    if (call->is_listed || call->unmet_count > 0)
        return SYN_OK;
    if (SYN_ROOM(pairing->met, pairing->met_capacity, pairing->met_count))
        return SYN_ENOMEM;
    pairing->met[pairing->met_count++] = number;
    call->is_listed = true;
    return SYN_OK;
}

/* ---- halves ---- */

/* Takes the other half out of its chain. Returns SYN_NO_HALF if it has not been added yet. */
static uint32_t take_other(struct syn_pairing *pairing, const struct syn_half *half)
{
    uint32_t *at =
        &pairing->half_head[hash_of_message(half->channel, half->k) & (pairing->half_heads - 1)];
    for (; *at != SYN_NO_HALF; at = &pairing->half[*at].next_of_chain) {
        const struct syn_half *other = &pairing->half[*at];
        if (other->channel == half->channel && other->k == half->k &&
            other->receives != half->receives) {
            const uint32_t number = *at;
            *at = other->next_of_chain;
            return number;
        }
    }
    return SYN_NO_HALF;
}

static void meet(struct syn_pairing *pairing, struct syn_half *half, struct syn_half *other)
{
    const uint64_t half_bytes = half->bytes, other_bytes = other->bytes;
    half->is_met = other->is_met = true;
    half->other_start_ns = other->times.start_ns;
    other->other_start_ns = half->times.start_ns;
    half->other_rank = pairing->location[pairing->call[other->call].location].rank;
    other->other_rank = pairing->location[pairing->call[half->call].location].rank;
    half->bytes = half->is_posted ? other_bytes : half_bytes;
    other->bytes = other->is_posted ? half_bytes : other_bytes;
}

/* Halves by which lookups are fetched ahead. The other half is found through its head, which is
 * fetched earlier. */
enum { HEAD_AHEAD = 16, HALF_AHEAD = 8, UNUSED_AHEAD = 6 };

void syn_pairing_fetch(const struct syn_pairing *pairing, const struct syn_message_mark *mark,
                       size_t count)
{
    const size_t mask = pairing->half_heads - 1;
    if (pairing->half_heads == 0 || count <= HALF_AHEAD)
        return;
    if (count > HEAD_AHEAD)
        SYN_FETCH(
            &pairing
                 ->half_head[hash_of_message(mark[HEAD_AHEAD].channel, mark[HEAD_AHEAD].k) & mask]);
    const uint32_t other =
        pairing->half_head[hash_of_message(mark[HALF_AHEAD].channel, mark[HALF_AHEAD].k) & mask];
    if (other != SYN_NO_HALF)
        syn_fetch(&pairing->half[other], sizeof pairing->half[other]);
}

/* Returns the number of a half that is not used, or SYN_NO_HALF if out of memory. There is room in
 * `unused` for all halves. */
static uint32_t new_half(struct syn_pairing *pairing)
{
    if (pairing->unused_count > UNUSED_AHEAD)
        syn_fetch(&pairing->half[pairing->unused[pairing->unused_count - 1 - UNUSED_AHEAD]],
                  sizeof *pairing->half);
    if (pairing->unused_count > 0)
        return pairing->unused[--pairing->unused_count];
    return SYN_ROOM(pairing->half, pairing->half_capacity, pairing->half_count) ||
                   SYN_ROOM(pairing->unused, pairing->unused_capacity, pairing->half_count)
               ? SYN_NO_HALF
               : (uint32_t)pairing->half_count++;
}

int syn_pairing_add(struct syn_pairing *pairing, uint32_t location, const struct syn_half *half,
                    uint32_t *number)
{
    if (grow_chains(pairing))
        return SYN_ENOMEM;
    const uint32_t call_number = find_call(pairing, location, half->times.wait_ns);
    if (call_number == SYN_NO_HALF)
        return SYN_ENOMEM;
    *number = new_half(pairing);
    if (*number == SYN_NO_HALF)
        return SYN_ENOMEM;
    pairing->location[location].newest = call_number;
    struct syn_completing_call *call = &pairing->call[call_number];
    struct syn_half *own = &pairing->half[*number];
    *own = *half;
    own->call = call_number;
    own->next_of_call = call->first;
    call->first = *number;
    call->count++;
    pairing->used_halves++;
    pairing->location[location].posted_ns =
        syn_largest(half->times.start_ns, pairing->location[location].posted_ns);
    if (half->is_completed && (!pairing->location[location].has_calls ||
                               half->times.wait_ns < pairing->location[location].earliest_ns))
        pairing->location[location].earliest_ns = half->times.wait_ns;
    pairing->location[location].has_calls |= half->is_completed;
    if (!syn_half_meets(own) || own->is_met)
        return list_met(pairing, call_number);
    const uint32_t other_number = take_other(pairing, own);
    if (other_number == SYN_NO_HALF) {
        call->unmet_count++;
        link_half(pairing, *number);
        return SYN_OK;
    }
    struct syn_half *other = &pairing->half[other_number];
    meet(pairing, own, other);
    pairing->call[other->call].unmet_count--;
    const int status = list_met(pairing, other->call);
    return status != SYN_OK ? status : list_met(pairing, call_number);
}

void syn_pairing_remove(struct syn_pairing *pairing, uint32_t number)
{
    struct syn_completing_call *call = &pairing->call[number];
    uint32_t *at =
        &pairing
             ->call_head[hash_of_call(call->location, call->wait_ns) & (pairing->call_heads - 1)];
    while (*at != number)
        at = &pairing->call[*at].next_of_chain;
    *at = call->next_of_chain;
    for (uint32_t h = call->first, next; h != SYN_NO_HALF; h = next) {
        next = pairing->half[h].next_of_call;
        pairing->unused[pairing->unused_count++] = h;
        pairing->used_halves--;
    }
    call->is_used = false;
    call->next_of_chain = pairing->free_call;
    pairing->free_call = number;
    pairing->used_calls--;
}

void syn_pairing_free(struct syn_pairing *pairing)
{
    free(pairing->half);
    free(pairing->unused);
    free(pairing->call);
    free(pairing->location);
    free(pairing->met);
    free(pairing->half_head);
    free(pairing->call_head);
    syn_index_free(&pairing->locations);
    memset(pairing, 0, sizeof *pairing);
}
