/* analyze/match/match_read.c - the events of a slab to instances.
 *
 * An event is only put where its instance waits (waiting.h): its times, and the number of all else
 * that it says. What an instance is follows once its last member is there (match_tell.c). */
#include <stdlib.h>
#include <string.h>

#include "../../sync/status.h"
#include "../../trace/event.h"
#include "match_reading.h"

/* Times within +-2^60 ns: any difference of two fits an int64. */
#define PLAUSIBLE_NS ((int64_t)1 << 60)
/* Numbers of attributes are kept from slab to slab until they are so many. */
#define ATTRIBUTES_MANY 65536

static int64_t least(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static int64_t largest(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static bool plausible(int64_t ns)
{
    return ns > -PLAUSIBLE_NS && ns < PLAUSIBLE_NS;
}

static bool is_blocking(uint16_t op)
{
    return op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
}

static int find_out(struct syn_reading *reading, struct syn_lane *lane, size_t i,
                    struct syn_kind *kind)
{
    const struct syn_event_columns *columns = &lane->columns;
    const struct syn_match *match = reading->match;
    const uint16_t op = columns->op[i], flags = SYN_EVENT_FLAGS(columns->flags[i]);
    const enum syn_op_class class = syn_lane_class(lane, op);
    kind->known = columns->tuple != NULL;
    kind->class = (uint8_t) class;
    kind->hidden = (match->hidden_classes & SYN_HIDE(class)) != 0;
    kind->plain = is_blocking(op) && !(flags & SYN_EVENT_NO_COMPLETION);
    kind->place = match->comms->place[lane->rank][columns->comm[i]];
    kind->attributes = SYN_NO_ATTRIBUTES;
    if (kind->hidden || kind->place.comm == SYN_NO_COMM)
        return 0;
    struct syn_attributes attributes = {
        .bytes = columns->bytes[i],
        .comm = kind->place.comm,
        .site = syn_lane_site(lane, columns->stack[i], match->symbols, match->names),
        .phase = syn_lane_phase(lane, SYN_EVENT_PHASE(columns->flags[i]), match->names),
        .root = columns->root[i],
        .op = op,
        .flags = flags};
    if (attributes.site == SYN_NO_NAME || attributes.phase == SYN_NO_NAME)
        return SYN_ENOMEM;
    kind->attributes = syn_attributes_number(&reading->attributes, &attributes);
    return kind->attributes == SYN_NO_ATTRIBUTES ? SYN_ENOMEM : 0;
}

/* The kinds of a lane's chunk, none of them known where the chunk is another one than before. */
static struct syn_kind *kinds_of(struct syn_reading *reading, const struct syn_lane *lane)
{
    struct syn_kinds *kinds = &reading->kinds[lane - reading->lanes.lane];
    size_t count = lane->columns.tuple ? lane->columns.tuple_count : 1;
    if (kinds->load == lane->load_count)
        return kinds->at;
    if (kinds->capacity < count) {
        free(kinds->at);
        kinds->at = malloc(count * sizeof *kinds->at);
        kinds->capacity = kinds->at ? count : 0;
    }
    if (kinds->at)
        memset(kinds->at, 0, count * sizeof *kinds->at);
    kinds->load = lane->load_count;
    return kinds->at;
}

/* When the call of an event that is not plain returned, and when waiting began. */
static struct syn_span extra_span(const struct syn_event_columns *columns, size_t i)
{
    struct syn_span extra = {columns->start_ns[i], columns->start_ns[i]};
    if (!is_blocking(columns->op[i]))
        extra = (struct syn_span){columns->call_end_ns[i], columns->wait_start_ns[i]};
    if (columns->flags[i] & SYN_EVENT_NO_COMPLETION) /* only the initiating call was inside */
        extra.end_ns = columns->end_ns[i];
    return extra;
}

static void set_extra_span(struct syn_waiting *waiting, uint32_t m,
                           const struct syn_event_columns *columns, size_t i, bool plain)
{
    const struct syn_span *span = syn_waiting_spans(waiting);
    struct syn_span *extra = syn_waiting_extra_spans(waiting);
    if (!waiting->extended)
        for (uint32_t other = 0; other < waiting->capacity; other++)
            extra[other] = (struct syn_span){span[other].start_ns, span[other].start_ns};
    waiting->extended = true;
    extra[m] =
        plain ? (struct syn_span){span[m].start_ns, span[m].start_ns} : extra_span(columns, i);
}

static int arrive(struct syn_reading *reading, const struct syn_event_columns *columns, size_t i,
                  const struct syn_kind *kind)
{
    struct syn_waiting_table *table = &reading->waiting;
    const uint64_t sequence = columns->sequence[i];
    struct syn_waiting *waiting = syn_waiting_find(table, kind->place.comm, sequence);
    uint32_t m = kind->place.member;
    if (!waiting) {
        waiting = syn_waiting_add(table, kind->place.comm, sequence);
        if (!waiting)
            return SYN_ENOMEM;
    }
    if (__builtin_expect(waiting->by_arrival, 0)) {
        m = waiting->arrived_count;
        syn_waiting_numbers(waiting)[m] = kind->place.member;
    } else if (__builtin_expect(waiting->attributes[m] != SYN_NO_ATTRIBUTES, 0)) {
        reading->out->totals.duplicate_count++;
        return 0;
    }
    waiting->attributes[m] = kind->attributes;
    syn_waiting_spans(waiting)[m] = (struct syn_span){columns->start_ns[i], columns->end_ns[i]};
    if (__builtin_expect(!kind->plain | waiting->extended, 0))
        set_extra_span(waiting, m, columns, i, kind->plain);
    if (++waiting->arrived_count < waiting->capacity)
        return 0;
    int status = syn_reading_tell(reading, waiting);
    syn_waiting_remove(table, waiting);
    return status;
}

/* Of the events of a batch, what a rank's totals want to know. */
struct tally {
    uint64_t event_count;
    int64_t first_ns, last_ns;
    double inside_ns;
};

static void add_tally(struct syn_rank_totals *totals, const struct tally *tally,
                      const double *other_ns, uint32_t thread)
{
    double data_ns = tally->inside_ns;
    if (tally->event_count == 0)
        return;
    if (totals->event_count == 0 || tally->first_ns < totals->first_ns)
        totals->first_ns = tally->first_ns;
    if (totals->event_count == 0 || tally->last_ns > totals->last_ns)
        totals->last_ns = tally->last_ns;
    totals->event_count += tally->event_count;
    totals->inside_ns += tally->inside_ns;
    for (unsigned class = 0; class < SYN_CLASS_COUNT; class ++) {
        totals->class_ns[class] += other_ns[class];
        data_ns -= other_ns[class];
    }
    totals->class_ns[SYN_CLASS_DATA] += data_ns;
    if (thread >= totals->thread_count)
        totals->thread_count = thread + 1;
}

/* The time inside MPI; negative (below any difference of plausible times) for an event with times
 * that cannot be. */
#define IMPLAUSIBLE INT64_MIN
static inline int64_t inside_ns(const struct syn_event_columns *columns, size_t i, bool plain)
{
    const int64_t start_ns = columns->start_ns[i], end_ns = columns->end_ns[i];
    if (__builtin_expect(!plausible(start_ns) || !plausible(end_ns), 0))
        return IMPLAUSIBLE;
    if (__builtin_expect(plain, 1))
        return end_ns - start_ns;
    if (!plausible(columns->call_end_ns[i]) || !plausible(columns->wait_start_ns[i]))
        return IMPLAUSIBLE;
    const struct syn_span extra = extra_span(columns, i);
    return (extra.start_ns - start_ns) + (end_ns - extra.end_ns);
}

static int take_batch(struct syn_reading *reading, struct syn_lane *lane)
{
    const struct syn_event_columns *columns = &lane->columns;
    struct syn_kind *kinds = kinds_of(reading, lane);
    struct tally tally = {0, INT64_MAX, INT64_MIN, 0};
    double other_ns[SYN_CLASS_COUNT] = {0};
    uint64_t unplaced_count = 0, implausible_count = 0;
    const size_t end =
        columns->count - lane->next > SYN_LANE_BATCH ? lane->next + SYN_LANE_BATCH : columns->count;
    int status = kinds ? 0 : SYN_ENOMEM;
    for (size_t i = lane->next; i < end && status == 0; i++) {
        struct syn_kind *kind = &kinds[columns->tuple ? columns->tuple[i] : 0];
        if (__builtin_expect(!kind->known, 0) && find_out(reading, lane, i, kind))
            return SYN_ENOMEM;
        if (__builtin_expect(kind->hidden, 0))
            continue;
        const int64_t inside = inside_ns(columns, i, kind->plain);
        if (__builtin_expect(inside == IMPLAUSIBLE, 0)) {
            implausible_count++;
            continue;
        }
        tally.event_count++;
        tally.first_ns = least(tally.first_ns, columns->start_ns[i]);
        tally.last_ns = largest(tally.last_ns, columns->end_ns[i]);
        tally.inside_ns += (double)inside;
        if (__builtin_expect(kind->class != SYN_CLASS_DATA, 0))
            other_ns[kind->class] += (double)inside;
        if (__builtin_expect(kind->place.comm != SYN_NO_COMM, 1))
            status = arrive(reading, columns, i, kind);
        else
            unplaced_count++;
    }
    lane->next = end;
    struct syn_match_totals *totals = &reading->out->totals;
    add_tally(&totals->rank[lane->rank], &tally, other_ns, columns->thread);
    totals->event_count += tally.event_count + implausible_count;
    totals->implausible_count += implausible_count;
    totals->unplaced_count += unplaced_count;
    return status;
}

static int read_all(struct syn_reading *reading)
{
    int status = 0;
    for (struct syn_lane *lane; status == 0 && (lane = syn_lanes_front(&reading->lanes));) {
        status = take_batch(reading, lane);
        if (status == 0)
            status = syn_lanes_advance(&reading->lanes);
    }
    return status;
}

/* ---- slabs ---- */

int syn_reading_slab(struct syn_reading *reading, const uint32_t *first, const uint32_t *end,
                     struct syn_match_result *out)
{
    reading->out = out;
    if (reading->attributes.count > ATTRIBUTES_MANY)
        syn_attributes_clear(&reading->attributes);
    reading->waiting.count_most = 0;
    int status = syn_lanes_seek(&reading->lanes, first, end);
    for (size_t i = 0; i < reading->lanes.count; i++) /* numbers may have been forgotten */
        reading->kinds[i].load = 0;
    if (status == 0)
        status = read_all(reading);
    if (status == 0)
        status = syn_reading_leave(reading);
    out->totals.pending_peak = reading->waiting.count_most;
    return status;
}

static int begin(struct syn_reading *reading)
{
    const struct syn_comms *comms = reading->match->comms;
    size_t rank_count = (size_t)syn_trace_size(reading->match->trace), slot_bytes = 0, most = 0;
    int status =
        syn_lanes_open(reading->match->trace, reading->match->memory_bytes, &reading->lanes);
    for (size_t i = 0; i < comms->count; i++) {
        const struct syn_comm *comm = &comms->comm[i];
        size_t bytes = syn_slot_bytes(comm);
        slot_bytes = bytes > slot_bytes ? bytes : slot_bytes;
        if (syn_comm_can_complete(comm) && comm->size > most) /* a file may claim any size */
            most = comm->size;
    }
    if (status == 0)
        status = syn_waiting_begin(&reading->waiting, comms);
    reading->lane_of_rank = calloc(rank_count + 1, sizeof(struct syn_lane *));
    reading->kinds = calloc(reading->lanes.count + 1, sizeof *reading->kinds);
    reading->bound = calloc(2 * comms->count + 1, sizeof *reading->bound);
    reading->member = malloc((most + 1) * sizeof *reading->member);
    reading->slot = malloc(slot_bytes + 1);
    if (status || !reading->lane_of_rank || !reading->kinds || !reading->bound ||
        !reading->member || !reading->slot)
        return status ? status : SYN_ENOMEM;
    for (size_t i = 0; i < reading->lanes.count; i++)
        reading->lane_of_rank[reading->lanes.lane[i].rank] = &reading->lanes.lane[i];
    return 0;
}

int syn_reading_begin(const struct syn_match *match, struct syn_reading **out)
{
    struct syn_reading *reading = calloc(1, sizeof *reading);
    *out = NULL;
    if (!reading)
        return SYN_ENOMEM;
    reading->match = match;
    int status = begin(reading);
    if (status == 0)
        *out = reading;
    else
        syn_reading_end(reading);
    return status;
}

void syn_reading_end(struct syn_reading *reading)
{
    if (!reading)
        return;
    for (size_t i = 0; reading->kinds && i < reading->lanes.count; i++)
        free(reading->kinds[i].at);
    syn_lanes_close(&reading->lanes);
    syn_waiting_free(&reading->waiting);
    syn_attributes_free(&reading->attributes);
    free(reading->lane_of_rank);
    free(reading->kinds);
    free(reading->bound);
    free(reading->member);
    free(reading->slot);
    free(reading);
}
