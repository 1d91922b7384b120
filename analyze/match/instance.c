/* analyze/match/instance.c - computes an instance from the events of its members.
 *
 * Facts that depend on attributes only are in the members' signature (attributes.h). They are
 * computed once for all instances of a signature. This file computes the facts that depend on
 * times: who came first and last, how long each member waited, and the clock bound. */
#include "analyze/match/instance.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/ops.h"

/* ---- the time of a member ---- */

int64_t syn_member_inside_ns(const struct syn_member *member)
{
    return (member->call_end_ns - member->start_ns) + (member->end_ns - member->wait_start_ns);
}

int64_t syn_member_waiting_ns(const struct syn_member *member, int64_t last_start_ns)
{
    int64_t calling = syn_least(member->call_end_ns, last_start_ns) - member->start_ns;
    int64_t waiting = syn_least(member->end_ns, last_start_ns) - member->wait_start_ns;
    return syn_largest(calling, 0) + syn_largest(waiting, 0);
}

/* ---- the payload of v- and w-variants, whose members differ in it ---- */

uint64_t syn_bytes_bin(double mean_bytes)
{
    uint64_t bin = 1;
    if (!(mean_bytes >= 1))
        return 0;
    while (bin < (UINT64_C(1) << 63) && (double)bin * 2 <= mean_bytes)
        bin *= 2;
    return bin;
}

/* ---- the clock bound of an instance: the largest of its starts plus the largest of its ends ----
 */

/* Returns the largest clock bound of the members in a cell of time (bounds.h). */
static int64_t bound_in_cell(struct syn_instance_maker *maker, const struct syn_pending *pending,
                             int64_t cell)
{
    struct syn_comm_bound *known =
        &maker->comm_bound[2 * (size_t)pending->comm + (size_t)(cell & 1)];
    if (__builtin_expect(known->known && known->cell == cell, 1))
        return known->bound_ns;
    const struct syn_communicator *comm = &maker->match->comms->comm[pending->comm];
    *known = (struct syn_comm_bound){true, cell, 0};
    for (uint32_t m = 0; m < comm->size; m++) {
        struct syn_bounds *bounds = &maker->bounds[comm->world_rank[m]];
        known->bound_ns =
            syn_largest(known->bound_ns, syn_bounds_at(bounds, cell * SYN_BOUND_CELL_NS));
    }
    return known->bound_ns;
}

/* Looks up the bound of each start and of each end. */
static int64_t bound_of_members(struct syn_instance_maker *maker, const struct syn_pending *pending)
{
    const struct syn_communicator *comm = &maker->match->comms->comm[pending->comm];
    const struct syn_span *span = syn_pending_spans(pending);
    int64_t start_ns = 0, end_ns = 0;
    for (uint32_t m = 0; m < comm->size; m++) {
        struct syn_bounds *bounds = &maker->bounds[comm->world_rank[m]];
        start_ns = syn_largest(start_ns, syn_bounds_at(bounds, span[m].start_ns));
        end_ns = syn_largest(end_ns, syn_bounds_at(bounds, span[m].end_ns));
    }
    return start_ns + end_ns;
}

/* RATIONALE: nearly every instance lies in one cell, which gives one bound for starts and ends. */
static int64_t clock_bound(struct syn_instance_maker *maker, const struct syn_pending *pending,
                           const struct syn_instance *instance)
{
    const int64_t cell = instance->first_start_ns >> SYN_BOUND_CELL_BITS;
    const bool one_cell = cell == instance->last_start_ns >> SYN_BOUND_CELL_BITS &&
                          cell == instance->first_end_ns >> SYN_BOUND_CELL_BITS &&
                          cell == instance->last_end_ns >> SYN_BOUND_CELL_BITS;
    if (pending->capacity < 2) /* a single member's start and end are of the same clock */
        return 0;
    return __builtin_expect(one_cell, 1) ? 2 * bound_in_cell(maker, pending, cell)
                                         : bound_of_members(maker, pending);
}

/* ---- complete instances ---- */

/* Sets the members of an instance of blocking calls. RATIONALE: this is syn_member_inside_ns and
 * syn_member_waiting_ns, without the second interval, for speed. */
static void set_blocking_members(const struct syn_span *span, uint32_t count,
                                 struct syn_member *member, struct syn_instance *instance)
{
    const int64_t last_start_ns = instance->last_start_ns;
    double waiting_ns = 0; /* of all members; the last starter's is 0 */
    for (uint32_t m = 0; m < count; m++) {
        int64_t start = span[m].start_ns, end = span[m].end_ns;
        int64_t waited_ns = syn_largest(syn_least(end, last_start_ns) - start, 0);
        member[m] = (struct syn_member){start, start, start, end, end - start, waited_ns};
        waiting_ns += (double)waited_ns;
    }
    instance->others_waiting_ns = waiting_ns;
}

/* Sets the members of an instance in which some calls are nonblocking. */
static void set_members(const struct syn_pending *pending, struct syn_member *member,
                        struct syn_instance *instance)
{
    const struct syn_span *span = syn_pending_spans(pending);
    const struct syn_request_times *request = syn_pending_requests(pending);
    instance->others_waiting_ns = 0;
    for (uint32_t m = 0; m < pending->capacity; m++) {
        member[m] = (struct syn_member){.start_ns = span[m].start_ns,
                                        .call_end_ns = request[m].call_end_ns,
                                        .wait_start_ns = request[m].wait_start_ns,
                                        .end_ns = span[m].end_ns};
        member[m].inside_ns = syn_member_inside_ns(&member[m]);
        member[m].waiting_ns = syn_member_waiting_ns(&member[m], instance->last_start_ns);
        if (m != instance->last_starter)
            instance->others_waiting_ns += (double)member[m].waiting_ns;
    }
}

static uint64_t mean_bytes(const struct syn_pending *pending,
                           const struct syn_attribute_table *attributes)
{
    double sum = 0;
    for (uint32_t m = 0; m < pending->capacity; m++)
        if (pending->attributes[m] != SYN_NO_ATTRIBUTES)
            sum += (double)attributes->at[pending->attributes[m]].bytes;
    return syn_bytes_bin(sum / pending->arrived_count);
}

static void set_attributes(struct syn_instance *instance, const struct syn_attributes *of)
{
    instance->bytes = of->bytes;
    instance->site = of->site;
    instance->phase = of->phase;
    instance->root = of->root;
    instance->op = of->op;
}

/* Hands an instance over to the sink.
 *
 * Plan: copy the facts of the signature and of member 0; compute extremes, clock bound and the time
 * of each member; call the sink. */
static int emit_complete(struct syn_instance_maker *maker, const struct syn_pending *pending,
                         const struct syn_attribute_table *attributes,
                         const struct syn_signature *signature, void *partial)
{
    const struct syn_span *span = syn_pending_spans(pending);
    const uint32_t first = pending->attributes[0];
    struct syn_instance instance; /* RATIONALE: all fields are set below, as clearing them first
                                     takes a quarter of the function's time */
    instance.comm = &maker->match->comms->comm[pending->comm];
    instance.sequence = pending->sequence;
    instance.flags = signature->flags;
    instance.has_request = pending->has_request_times;
    instance.site_differs = signature->site_differs;
    instance.op_differs = false;
    instance.arrived_count = pending->capacity;
    instance.member = maker->member;
    /* The bytes of a v-variant are a mean, which the signature does not have. */
    instance.signature_serial = signature->variable ? 0 : signature->serial;
    instance.signature_place = first;
    set_attributes(&instance, &attributes->at[first]);
    if (signature->variable)
        instance.bytes = mean_bytes(pending, attributes);
    /* Finds the first and the last start, the first and the last end, and the members that started
     * last and ended first; of several such members, the lowest.
     *
     * Plan: one loop over the members, which keeps the extremes so far and the last start but one.
     * RATIONALE: the loop has no branches, as the order of the members is random: the processor
     * would mispredict them. */
    int64_t first_start = span[0].start_ns, last_start = first_start, second = INT64_MIN;
    int64_t first_end = span[0].end_ns, last_end = first_end;
    uint32_t starter = 0, ender = 0;
    for (uint32_t m = 1; m < pending->capacity; m++) {
        int64_t start = span[m].start_ns, end = span[m].end_ns;
        bool later = start > last_start, sooner = end < first_end;
        second = syn_largest(second, later ? last_start : start);
        starter = later ? m : starter;
        last_start = later ? start : last_start;
        first_start = syn_least(first_start, start);
        ender = sooner ? m : ender;
        first_end = sooner ? end : first_end;
        last_end = syn_largest(last_end, end);
    }
    instance.first_start_ns = first_start;
    instance.last_start_ns = last_start;
    instance.first_end_ns = first_end;
    instance.last_end_ns = last_end;
    instance.last_starter = starter;
    instance.first_ender = ender;
    instance.lead_ns = second == INT64_MIN ? 0 : last_start - second;
    instance.bound_ns = clock_bound(maker, pending, &instance);
    if (pending->has_request_times)
        set_members(pending, maker->member, &instance);
    else
        set_blocking_members(span, pending->capacity, maker->member, &instance);
    const struct syn_match_sink *sink = &maker->match->sink;
    return sink->instance ? sink->instance(partial, &instance) : SYN_OK;
}

/* ---- incomplete instances ---- */

int syn_emit_instance(struct syn_instance_maker *maker, const struct syn_pending *pending,
                      struct syn_attribute_table *attributes, void *partial,
                      struct syn_match_totals *totals)
{
    const struct syn_signature *signature = NULL;
    if (syn_pending_is_over(pending) && !pending->by_arrival) {
        signature = syn_signature_of(attributes, pending->attributes, pending->capacity);
        if (!signature)
            return SYN_ENOMEM;
    }
    if (maker->match->disagreements && (!signature || signature->disagrees))
        syn_disagreements_take(maker->match->disagreements, pending, attributes);
    if (!signature || signature->op_differs) {
        struct syn_instance instance = {
            .comm = &maker->match->comms->comm[pending->comm],
            .sequence = pending->sequence,
            .arrived_count = pending->arrived_count,
        };
        /* Set the attributes to those of the lowest member that is present, and the first start.
         * Note whether the members that are present differ. */
        const uint32_t *number = pending->by_arrival ? syn_pending_members(pending) : NULL;
        const struct syn_span *span = syn_pending_spans(pending);
        const struct syn_attributes *lowest = NULL;
        uint32_t lowest_number = 0;
        instance.first_start_ns = INT64_MAX;
        for (uint32_t m = 0; m < pending->capacity; m++) {
            if (pending->attributes[m] == SYN_NO_ATTRIBUTES)
                continue;
            const struct syn_attributes *own = &attributes->at[pending->attributes[m]];
            instance.op_differs |= lowest && own->op != lowest->op;
            instance.site_differs |= lowest && own->site != lowest->site;
            instance.flags |= own->flags;
            instance.first_start_ns = syn_least(span[m].start_ns, instance.first_start_ns);
            if (!lowest || (number && number[m] < lowest_number)) {
                lowest = own;
                lowest_number = number ? number[m] : m;
            }
        }
        set_attributes(&instance, lowest);
        if (syn_op_flags(instance.op) & SYN_OPF_VARIABLE)
            instance.bytes = mean_bytes(pending, attributes);
        totals->incomplete_count++;
        totals->op_differs_count += instance.op_differs;
        const struct syn_match_sink *sink = &maker->match->sink;
        return sink->incomplete ? sink->incomplete(partial, &instance) : SYN_OK;
    }
    totals->instance_count++;
    return emit_complete(maker, pending, attributes, signature, partial);
}

/* ---- begin and end of an instance maker ---- */

static int begin_bounds(struct syn_instance_maker *maker)
{
    struct syn_trace *trace = maker->match->trace;
    int status = 0;
    maker->bounds = calloc((size_t)maker->rank_count + 1, sizeof *maker->bounds);
    if (!maker->bounds)
        return SYN_ENOMEM;
    for (int32_t rank = 0; rank < maker->rank_count && status == SYN_OK; rank++)
        if (syn_trace_rank(trace, rank))
            status = syn_bounds_init(&maker->bounds[rank], syn_trace_rank(trace, rank));
    return status;
}

int syn_instance_maker_begin(struct syn_instance_maker *maker, const struct syn_match *match)
{
    const struct syn_comms *comms = match->comms;
    size_t most = 0;
    *maker = (struct syn_instance_maker){.match = match,
                                         .rank_count = (int32_t)syn_trace_size(match->trace)};
    /* RATIONALE: a damaged file may claim any size for a communicator that lacks members. */
    for (size_t i = 0; i < comms->count; i++)
        if (syn_comm_can_complete(&comms->comm[i]) && comms->comm[i].size > most)
            most = comms->comm[i].size;
    maker->comm_bound = calloc(2 * comms->count + 1, sizeof *maker->comm_bound);
    maker->member = malloc((most + 1) * sizeof *maker->member);
    return maker->comm_bound && maker->member ? begin_bounds(maker) : SYN_ENOMEM;
}

void syn_instance_maker_end(struct syn_instance_maker *maker)
{
    for (int32_t rank = 0; maker->bounds && rank < maker->rank_count; rank++)
        syn_bounds_free(&maker->bounds[rank]);
    free(maker->bounds);
    free(maker->comm_bound);
    free(maker->member);
    *maker = (struct syn_instance_maker){0};
}
