#include "match.h"

#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../../trace/event.h"
#include "../../trace/ops.h"
#include "match_parts.h"

int64_t syn_member_inside_ns(const struct syn_member *member)
{
    return (member->call_end_ns - member->start_ns) + (member->end_ns - member->wait_start_ns);
}

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

int64_t syn_member_waiting_ns(const struct syn_member *member, int64_t last_start_ns)
{
    int64_t calling = least(member->call_end_ns, last_start_ns) - member->start_ns;
    int64_t waiting = least(member->end_ns, last_start_ns) - member->wait_start_ns;
    return largest(calling, 0) + largest(waiting, 0);
}

uint64_t syn_bytes_bin(double mean_bytes)
{
    uint64_t bin = 1;
    if (!(mean_bytes >= 1))
        return 0;
    while (bin < (UINT64_C(1) << 63) && (double)bin * 2 <= mean_bytes)
        bin *= 2;
    return bin;
}

/* ---- slots ---- */

static void *take(struct syn_matcher *matcher, size_t bytes)
{
    bytes = (bytes + 15) & ~(size_t)15;
    struct syn_slot_block *block = matcher->blocks;
    if (!block || block->capacity - block->used < bytes) {
        size_t capacity = bytes > (size_t)1 << 18 ? bytes : (size_t)1 << 18;
        block = malloc(sizeof *block + capacity);
        if (!block)
            return NULL;
        *block = (struct syn_slot_block){.next = matcher->blocks, .capacity = capacity};
        matcher->blocks = block;
    }
    void *taken = block->data + block->used;
    block->used += bytes;
    return taken;
}

size_t syn_slot_bytes(const struct syn_comm *comm)
{
    size_t member_count = syn_comm_can_complete(comm) ? comm->size : 0;
    return sizeof(struct syn_slot) + member_count * sizeof(struct syn_member);
}

void syn_slot_begin(struct syn_slot *slot, const struct syn_comms *comms, uint32_t number,
                    uint64_t sequence)
{
    const struct syn_comm *comm = &comms->comm[number];
    size_t member_count = syn_comm_can_complete(comm) ? comm->size : 0;
    memset(slot, 0, sizeof *slot);
    for (size_t i = 0; i < member_count; i++)
        slot->member[i].start_ns = SYN_UNARRIVED;
    slot->comm = number;
    slot->representative = UINT32_MAX;
    slot->instance.comm = comm;
    slot->instance.sequence = sequence;
    slot->instance.first_start_ns = slot->instance.first_end_ns = INT64_MAX;
    slot->instance.last_start_ns = slot->instance.last_end_ns = INT64_MIN;
}

static struct syn_slot *new_slot(struct syn_matcher *matcher, uint32_t number, uint64_t sequence)
{
    const struct syn_comms *comms = matcher->match->comms;
    struct syn_slot *slot = matcher->free_slots[number];
    if (slot)
        matcher->free_slots[number] = slot->next;
    else
        slot = take(matcher, syn_slot_bytes(&comms->comm[number]));
    if (slot)
        syn_slot_begin(slot, comms, number, sequence);
    return slot;
}

/* Consecutive instances of a communicator lie in consecutive buckets, so that walking along them is
 * kind to the cache; communicators are spread by an odd multiplier. */
static size_t bucket_of(const struct syn_matcher *matcher, uint32_t comm, uint64_t sequence)
{
    return (size_t)((uint64_t)comm * UINT64_C(0x9E3779B97F4A7C15) + sequence) &
           (matcher->bucket_count - 1);
}

static int grow(struct syn_matcher *matcher)
{
    size_t old_count = matcher->bucket_count;
    struct syn_slot **old = matcher->bucket;
    struct syn_slot **bucket = calloc(old_count ? old_count * 2 : 256, sizeof *bucket);
    if (!bucket)
        return SYN_ENOMEM;
    matcher->bucket = bucket;
    matcher->bucket_count = old_count ? old_count * 2 : 256;
    for (size_t i = 0; i < old_count; i++) {
        for (struct syn_slot *slot = old[i], *next; slot; slot = next) {
            size_t at = bucket_of(matcher, slot->comm, slot->instance.sequence);
            next = slot->next;
            slot->next = bucket[at];
            bucket[at] = slot;
        }
    }
    free(old);
    return 0;
}

static struct syn_slot *find_or_add(struct syn_matcher *matcher, uint32_t comm, uint64_t sequence)
{
    size_t at = bucket_of(matcher, comm, sequence);
    struct syn_slot *slot = matcher->bucket[at];
    while (slot && (slot->comm != comm || slot->instance.sequence != sequence))
        slot = slot->next;
    if (slot)
        return slot;
    if (matcher->pending_count >= matcher->bucket_count) {
        if (grow(matcher))
            return NULL;
        at = bucket_of(matcher, comm, sequence);
    }
    slot = new_slot(matcher, comm, sequence);
    if (!slot)
        return NULL;
    slot->next = matcher->bucket[at];
    matcher->bucket[at] = slot;
    if (++matcher->pending_count > matcher->totals->pending_peak)
        matcher->totals->pending_peak = matcher->pending_count;
    return slot;
}

static void release(struct syn_matcher *matcher, struct syn_slot *slot)
{
    struct syn_slot **link =
        &matcher->bucket[bucket_of(matcher, slot->comm, slot->instance.sequence)];
    while (*link != slot)
        link = &(*link)->next;
    *link = slot->next;
    matcher->pending_count--;
    slot->next = matcher->free_slots[slot->comm];
    matcher->free_slots[slot->comm] = slot;
}

/* ---- handing over ---- */

static void settle(struct syn_slot *slot)
{
    struct syn_instance *instance = &slot->instance;
    instance->bound_ns = /* one clock has read both ends of a single member's */
        instance->comm->size > 1 ? slot->start_bound_ns + slot->end_bound_ns : 0;
    if (syn_op_flags(instance->op) & SYN_OPF_VARIABLE)
        instance->bytes = syn_bytes_bin(slot->bytes_sum / instance->arrived_count);
}

int syn_matcher_tell_incomplete(struct syn_matcher *matcher, struct syn_slot *slot)
{
    settle(slot);
    slot->instance.member = NULL;
    matcher->totals->incomplete_count++;
    matcher->totals->op_differs_count += slot->instance.op_differs;
    return matcher->match->sink.incomplete(matcher->part, &slot->instance);
}

/* What follows from all members together. */
static void complete(struct syn_slot *slot)
{
    struct syn_instance *instance = &slot->instance;
    int64_t second_ns = INT64_MIN;
    instance->others_waiting_ns = 0;
    for (uint32_t m = 0; m < instance->comm->size; m++) {
        struct syn_member *member = &slot->member[m];
        member->inside_ns = syn_member_inside_ns(member);
        member->waiting_ns = syn_member_waiting_ns(member, instance->last_start_ns);
        if (m == instance->last_starter)
            continue;
        second_ns = largest(second_ns, member->start_ns);
        instance->others_waiting_ns += (double)member->waiting_ns;
    }
    instance->lead_ns = second_ns == INT64_MIN ? 0 : instance->last_start_ns - second_ns;
    instance->member = slot->member;
}

static int hand_over(struct syn_matcher *matcher, struct syn_slot *slot)
{
    int status;
    if (slot->instance.op_differs || !syn_comm_can_complete(slot->instance.comm)) {
        status = syn_matcher_tell_incomplete(matcher, slot);
    } else {
        settle(slot);
        complete(slot);
        matcher->totals->instance_count++;
        status = matcher->match->sink.instance(matcher->part, &slot->instance);
    }
    release(matcher, slot);
    return status;
}

/* Of an instance that cannot be complete, all that will ever come are the members that are known.
 */
static bool nobody_lacks(const struct syn_slot *slot)
{
    return slot->instance.arrived_count == slot->instance.comm->known_count;
}

/* ---- what a slab leaves ---- */

static int by_comm_then_sequence(const void *left, const void *right)
{
    const struct syn_slot *a = *(struct syn_slot *const *)left;
    const struct syn_slot *b = *(struct syn_slot *const *)right;
    if (a->comm != b->comm)
        return a->comm < b->comm ? -1 : 1;
    return a->instance.sequence < b->instance.sequence
               ? -1
               : a->instance.sequence > b->instance.sequence;
}

struct syn_slot **syn_matcher_pending(const struct syn_matcher *matcher, size_t *count)
{
    struct syn_slot **pending = malloc((matcher->pending_count + 1) * sizeof *pending);
    *count = 0;
    if (!pending)
        return NULL;
    for (size_t i = 0; i < matcher->bucket_count; i++)
        for (struct syn_slot *slot = matcher->bucket[i]; slot; slot = slot->next)
            pending[(*count)++] = slot;
    qsort(pending, *count, sizeof *pending, by_comm_then_sequence);
    return pending;
}

int syn_matcher_give_up(struct syn_matcher *matcher, struct syn_slot *slot)
{
    int status = syn_matcher_tell_incomplete(matcher, slot);
    release(matcher, slot);
    return status;
}

static void merge_attributes(struct syn_slot *into, const struct syn_slot *from)
{
    struct syn_instance *a = &into->instance;
    const struct syn_instance *b = &from->instance;
    a->op_differs |= b->op_differs || a->op != b->op;
    a->site_differs |= b->site_differs || a->site != b->site;
    a->flags |= b->flags;
    into->bytes_sum += from->bytes_sum;
    a->arrived_count += b->arrived_count;
    into->start_bound_ns = largest(into->start_bound_ns, from->start_bound_ns);
    into->end_bound_ns = largest(into->end_bound_ns, from->end_bound_ns);
    if (from->representative > into->representative)
        return;
    into->representative = from->representative;
    a->op = b->op;
    a->bytes = b->bytes;
    a->root = b->root;
    a->site = b->site;
    a->phase = b->phase;
}

static void merge_times(struct syn_instance *a, const struct syn_instance *b)
{
    a->first_start_ns = least(a->first_start_ns, b->first_start_ns);
    a->last_end_ns = largest(a->last_end_ns, b->last_end_ns);
    if (b->last_start_ns > a->last_start_ns ||
        (b->last_start_ns == a->last_start_ns && b->last_starter < a->last_starter)) {
        a->last_start_ns = b->last_start_ns;
        a->last_starter = b->last_starter;
    }
    if (b->first_end_ns < a->first_end_ns ||
        (b->first_end_ns == a->first_end_ns && b->first_ender < a->first_ender)) {
        a->first_end_ns = b->first_end_ns;
        a->first_ender = b->first_ender;
    }
}

static bool overlap(const struct syn_slot *a, const struct syn_slot *b)
{
    const struct syn_comm *comm = a->instance.comm;
    for (uint32_t m = 0; syn_comm_can_complete(comm) && m < comm->size; m++)
        if (a->member[m].start_ns != SYN_UNARRIVED && b->member[m].start_ns != SYN_UNARRIVED)
            return true;
    return false;
}

static void merge_members(struct syn_slot *into, const struct syn_slot *from)
{
    const struct syn_comm *comm = into->instance.comm;
    for (uint32_t m = 0; syn_comm_can_complete(comm) && m < comm->size; m++)
        if (from->member[m].start_ns != SYN_UNARRIVED)
            into->member[m] = from->member[m];
}

int syn_matcher_merge(struct syn_matcher *matcher, const struct syn_slot *from, uint32_t slab)
{
    struct syn_slot *slot = find_or_add(matcher, from->comm, from->instance.sequence);
    if (!slot)
        return SYN_ENOMEM;
    if (slot->instance.arrived_count == 0) {
        struct syn_slot *next = slot->next;
        memcpy(slot, from, syn_slot_bytes(from->instance.comm));
        slot->next = next;
        slot->slab = slab;
    } else if (overlap(slot, from)) {
        matcher->totals->duplicate_count += from->instance.arrived_count;
    } else {
        merge_attributes(slot, from);
        merge_times(&slot->instance, &from->instance);
        merge_members(slot, from);
    }
    return nobody_lacks(slot) ? hand_over(matcher, slot) : 0;
}

/* ---- life ---- */

int syn_matcher_begin(struct syn_matcher *matcher, const struct syn_match *match,
                      struct syn_match_totals *totals, void *part)
{
    *matcher = (struct syn_matcher){.match = match, .totals = totals, .part = part};
    matcher->free_slots = calloc(match->comms->count + 1, sizeof *matcher->free_slots);
    return matcher->free_slots && grow(matcher) == 0 ? 0 : SYN_ENOMEM;
}

void syn_matcher_end(struct syn_matcher *matcher)
{
    for (struct syn_slot_block *block = matcher->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(matcher->bucket);
    free(matcher->free_slots);
    *matcher = (struct syn_matcher){0};
}

int syn_match_totals_begin(struct syn_match_totals *totals, int32_t rank_count)
{
    *totals = (struct syn_match_totals){.rank_count = rank_count};
    totals->rank = calloc((size_t)rank_count + 1, sizeof *totals->rank);
    return totals->rank ? 0 : SYN_ENOMEM;
}

void syn_match_totals_free(struct syn_match_totals *totals)
{
    free(totals->rank);
    memset(totals, 0, sizeof *totals);
}
