/* analyze/match/match_tell.c - from members that have come together to an instance. What follows
 * from attributes alone was found out when such members first met (attributes.h). */
#include <stdlib.h>

#include "../../sync/status.h"
#include "match_reading.h"

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* ---- bounds ---- */

static struct syn_bounds *bounds_of(const struct syn_reading *reading, const struct syn_comm *comm,
                                    uint32_t m)
{
    return &reading->lane_of_rank[comm->world_rank[m]]->bounds;
}

/* Of all members of an instance, at any time in a cell. */
static int64_t bound_in_cell(struct syn_reading *reading, const struct syn_waiting *waiting,
                             int64_t cell)
{
    struct syn_comm_bound *known = &reading->bound[2 * (size_t)waiting->comm + (size_t)(cell & 1)];
    if (__builtin_expect(known->known && known->cell == cell, 1))
        return known->bound_ns;
    const struct syn_comm *comm = &reading->match->comms->comm[waiting->comm];
    *known = (struct syn_comm_bound){true, cell, 0};
    for (uint32_t m = 0; m < comm->size; m++) {
        int64_t bound_ns = syn_bounds_at(bounds_of(reading, comm, m), cell * SYN_BOUND_CELL_NS);
        known->bound_ns = largest(known->bound_ns, bound_ns);
    }
    return known->bound_ns;
}

/* Member by member: of the starts, and of the ends. */
static int64_t exact_bound(struct syn_reading *reading, struct syn_waiting *waiting)
{
    const struct syn_comm *comm = &reading->match->comms->comm[waiting->comm];
    const struct syn_span *span = syn_waiting_spans(waiting);
    int64_t start_ns = 0, end_ns = 0;
    for (uint32_t m = 0; m < comm->size; m++) {
        struct syn_bounds *bounds = bounds_of(reading, comm, m);
        start_ns = largest(start_ns, syn_bounds_at(bounds, span[m].start_ns));
        end_ns = largest(end_ns, syn_bounds_at(bounds, span[m].end_ns));
    }
    return start_ns + end_ns;
}

static int64_t bound_of(struct syn_reading *reading, struct syn_waiting *waiting,
                        const struct syn_instance *instance)
{
    int64_t cell = instance->first_start_ns >> SYN_BOUND_CELL_BITS;
    bool one_cell = cell == instance->last_start_ns >> SYN_BOUND_CELL_BITS &&
                    cell == instance->first_end_ns >> SYN_BOUND_CELL_BITS &&
                    cell == instance->last_end_ns >> SYN_BOUND_CELL_BITS;
    return __builtin_expect(one_cell, 1) ? 2 * bound_in_cell(reading, waiting, cell)
                                         : exact_bound(reading, waiting);
}

/* ---- complete instances ---- */

/* Which members came and went first and last. Written without branches: who it is, is anybody's
 * guess. */
static void find_extremes(const struct syn_span *span, uint32_t count,
                          struct syn_instance *instance)
{
    int64_t first_start = span[0].start_ns, last_start = first_start, second = INT64_MIN;
    int64_t first_end = span[0].end_ns, last_end = first_end;
    uint32_t starter = 0, ender = 0;
    for (uint32_t m = 1; m < count; m++) {
        int64_t start = span[m].start_ns, end = span[m].end_ns;
        bool later = start > last_start, sooner = end < first_end;
        second = largest(second, later ? last_start : start);
        starter = later ? m : starter;
        last_start = later ? start : last_start;
        first_start = least(first_start, start);
        ender = sooner ? m : ender;
        first_end = sooner ? end : first_end;
        last_end = largest(last_end, end);
    }
    instance->first_start_ns = first_start;
    instance->last_start_ns = last_start;
    instance->first_end_ns = first_end;
    instance->last_end_ns = last_end;
    instance->last_starter = starter;
    instance->first_ender = ender;
    instance->lead_ns = second == INT64_MIN ? 0 : last_start - second;
}

static void set_plain_members(const struct syn_span *span, uint32_t count,
                              struct syn_member *member, struct syn_instance *instance)
{
    const int64_t last_start_ns = instance->last_start_ns;
    double waiting_ns = 0; /* the last starter's is 0 */
    for (uint32_t m = 0; m < count; m++) {
        int64_t start = span[m].start_ns, end = span[m].end_ns;
        int64_t waited_ns = largest(least(end, last_start_ns) - start, 0);
        member[m] = (struct syn_member){start, start, start, end, end - start, waited_ns};
        waiting_ns += (double)waited_ns;
    }
    instance->others_waiting_ns = waiting_ns;
}

static void set_members(struct syn_waiting *waiting, struct syn_member *member,
                        struct syn_instance *instance)
{
    const struct syn_span *span = syn_waiting_spans(waiting);
    const struct syn_span *extra = syn_waiting_extra_spans(waiting);
    instance->others_waiting_ns = 0;
    for (uint32_t m = 0; m < waiting->capacity; m++) {
        member[m] = (struct syn_member){.start_ns = span[m].start_ns,
                                        .call_end_ns = extra[m].start_ns,
                                        .wait_start_ns = extra[m].end_ns,
                                        .end_ns = span[m].end_ns};
        member[m].inside_ns = syn_member_inside_ns(&member[m]);
        member[m].waiting_ns = syn_member_waiting_ns(&member[m], instance->last_start_ns);
        if (m != instance->last_starter)
            instance->others_waiting_ns += (double)member[m].waiting_ns;
    }
}

static uint64_t mean_bytes(const struct syn_reading *reading, const struct syn_waiting *waiting)
{
    double sum = 0;
    for (uint32_t m = 0; m < waiting->capacity; m++)
        sum += (double)reading->attributes.at[waiting->attributes[m]].bytes;
    return syn_bytes_bin(sum / waiting->capacity);
}

static int tell_instance(struct syn_reading *reading, struct syn_waiting *waiting,
                         const struct syn_shape *shape)
{
    const uint32_t place = waiting->attributes[0];
    const struct syn_attributes *first = &reading->attributes.at[place];
    struct syn_instance instance = {
        .comm = &reading->match->comms->comm[waiting->comm],
        .sequence = waiting->sequence,
        .bytes = shape->variable ? mean_bytes(reading, waiting) : first->bytes,
        .site = first->site,
        .phase = first->phase,
        .root = first->root,
        .op = first->op,
        .flags = shape->flags,
        .site_differs = shape->site_differs,
        .arrived_count = waiting->capacity,
        .member = reading->member,
        .shape_serial = shape->variable ? 0 : shape->serial, /* bytes differ */
        .shape_place = place,
    };
    const struct syn_span *span = syn_waiting_spans(waiting);
    find_extremes(span, waiting->capacity, &instance);
    if (waiting->capacity > 1) /* one clock has read both ends of a single member's */
        instance.bound_ns = bound_of(reading, waiting, &instance);
    if (waiting->extended)
        set_members(waiting, reading->member, &instance);
    else
        set_plain_members(span, waiting->capacity, reading->member, &instance);
    reading->out->totals.instance_count++;
    return reading->match->sink.instance(reading->out->part, &instance);
}

/* ---- others, as slots ---- */

static void take_attributes(struct syn_slot *slot, uint32_t number,
                            const struct syn_attributes *attributes)
{
    struct syn_instance *instance = &slot->instance;
    if (instance->arrived_count > 0) {
        instance->op_differs |= instance->op != attributes->op;
        instance->site_differs |= instance->site != attributes->site;
    }
    instance->flags |= attributes->flags;
    slot->bytes_sum += (double)attributes->bytes;
    if (number >= slot->representative)
        return;
    slot->representative = number;
    instance->op = attributes->op;
    instance->bytes = attributes->bytes;
    instance->root = attributes->root;
    instance->site = attributes->site;
    instance->phase = attributes->phase;
}

static void take_times(struct syn_instance *instance, uint32_t number, const struct syn_span *span)
{
    instance->first_start_ns = least(instance->first_start_ns, span->start_ns);
    instance->last_end_ns = largest(instance->last_end_ns, span->end_ns);
    if (span->start_ns > instance->last_start_ns ||
        (span->start_ns == instance->last_start_ns && number < instance->last_starter)) {
        instance->last_start_ns = span->start_ns;
        instance->last_starter = number;
    }
    if (span->end_ns < instance->first_end_ns ||
        (span->end_ns == instance->first_end_ns && number < instance->first_ender)) {
        instance->first_end_ns = span->end_ns;
        instance->first_ender = number;
    }
}

static void take_bounds(struct syn_slot *slot, struct syn_bounds *bounds,
                        const struct syn_span *span)
{
    slot->start_bound_ns = largest(slot->start_bound_ns, syn_bounds_at(bounds, span->start_ns));
    slot->end_bound_ns = largest(slot->end_bound_ns, syn_bounds_at(bounds, span->end_ns));
}

/* Its members so far. Of one that cannot be complete, nobody asks how well its times are known. */
static const struct syn_slot *as_slot(struct syn_reading *reading, struct syn_waiting *waiting)
{
    struct syn_slot *slot = reading->slot;
    const struct syn_comm *comm = &reading->match->comms->comm[waiting->comm];
    const struct syn_span *span = syn_waiting_spans(waiting);
    const struct syn_span *extra = syn_waiting_extra_spans(waiting);
    bool whole = syn_comm_can_complete(comm);
    syn_slot_begin(slot, reading->match->comms, waiting->comm, waiting->sequence);
    for (uint32_t m = 0; m < waiting->capacity; m++) {
        if (waiting->attributes[m] == SYN_NO_ATTRIBUTES)
            continue;
        uint32_t number = whole ? m : syn_waiting_numbers(waiting)[m];
        take_attributes(slot, number, &reading->attributes.at[waiting->attributes[m]]);
        take_times(&slot->instance, number, &span[m]);
        slot->instance.arrived_count++;
        if (!whole)
            continue;
        take_bounds(slot, bounds_of(reading, comm, m), &span[m]);
        slot->member[m] = (struct syn_member){
            .start_ns = span[m].start_ns,
            .call_end_ns = waiting->extended ? extra[m].start_ns : span[m].start_ns,
            .wait_start_ns = waiting->extended ? extra[m].end_ns : span[m].start_ns,
            .end_ns = span[m].end_ns};
    }
    return slot;
}

int syn_reading_tell(struct syn_reading *reading, struct syn_waiting *waiting)
{
    const struct syn_shape *shape = NULL;
    if (syn_comm_can_complete(&reading->match->comms->comm[waiting->comm])) {
        shape = syn_shape_of(&reading->attributes, waiting->attributes, waiting->capacity);
        if (!shape)
            return SYN_ENOMEM;
    }
    if (shape && !shape->op_differs)
        return tell_instance(reading, waiting, shape);
    as_slot(reading, waiting);
    return syn_matcher_tell_incomplete(&reading->out->matcher, reading->slot);
}

int syn_reading_leave(struct syn_reading *reading)
{
    struct syn_waiting_table *table = &reading->waiting;
    int status = 0;
    for (size_t i = 0; i < table->bucket_count && table->count > 0; i++) {
        while (table->bucket[i] && status == 0) {
            const struct syn_slot *slot = as_slot(reading, table->bucket[i]);
            status = syn_matcher_merge(&reading->out->matcher, slot, 0);
            syn_waiting_remove(table, table->bucket[i]);
        }
    }
    return status;
}
