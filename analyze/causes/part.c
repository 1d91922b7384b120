/* analyze/causes/part.c - the events of a slice: replayed from the first cut to the last one, kept
 * as they are before and behind. */
#include "analyze/causes/part.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/match/groups/groups.h"
#include "analyze/messages/waiting.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

/* ---- life ---- */

struct syn_causes_part *syn_causes_part_new(const struct syn_causes *causes)
{
    struct syn_causes_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    part->causes = causes;
    part->covering = SYN_NO_COMM;
    syn_numbering_begin(&part->families, sizeof(struct syn_event_kind));
    if (syn_cause_tables_begin(&part->tables, causes->tables.keys)) {
        syn_causes_part_free(part);
        return NULL;
    }
    return part;
}

static void give_back_totals(struct syn_causes_part *part)
{
    if (part->totals)
        syn_thread_totals_give_back(part->causes->pool, part->totals,
                                    syn_replay_sums(part->replay));
    part->totals = NULL;
}

void syn_causes_part_free(struct syn_causes_part *part)
{
    if (!part)
        return;
    for (uint32_t i = 0; part->head && i < part->causes->plan.location_count; i++)
        free(part->head[i].call);
    give_back_totals(part);
    syn_replay_free(part->replay);
    syn_cause_tables_free(&part->tables);
    syn_numbering_free(&part->families);
    syn_cut_search_free(&part->search);
    free(part->first_kind);
    free(part->first_chunk);
    free(part->first.call);
    free(part->last.call);
    free(part->head);
    free(part->span);
    free(part->counters);
    free(part);
}

int syn_causes_part_settle(struct syn_causes_part *part)
{
    give_back_totals(part);
    return 0;
}

static int prepare(struct syn_causes_part *part)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    part->replay = syn_replay_new(plan, &part->tables, &part->causes->bins, SIZE_MAX);
    part->head = calloc((size_t)plan->location_count + 1, sizeof *part->head);
    part->span = calloc((size_t)plan->location_count + 1, sizeof *part->span);
    part->counters = calloc((size_t)plan->location_count + 1, sizeof *part->counters);
    part->first_chunk = calloc((size_t)plan->location_count + 1, sizeof *part->first_chunk);
    return part->replay && part->head && part->span && part->counters && part->first_chunk
               ? 0
               : SYN_ENOMEM;
}

/* A root is given as a rank of the communicator; members are numbered otherwise where some do not
 * record. */
static int32_t root_member(const struct syn_communicator *comm, int32_t root)
{
    return comm->intercomm || comm->size != comm->full_size ? -1 : root;
}

/* By the tables' keys. */
static struct syn_cause_point keyed_point(const struct syn_causes_part *part,
                                          const struct syn_attributes *attributes,
                                          const struct syn_comm_place *place)
{
    const unsigned keys = part->tables.keys;
    struct syn_cause_point point = {.site = SYN_NO_NAME, .phase = SYN_NO_NAME, .comm = SYN_NO_NAME};
    if (keys & SYN_BY(SYN_KEY_SITE))
        point.site = attributes->site;
    if (keys & SYN_BY(SYN_KEY_PHASE))
        point.phase = attributes->phase;
    if (keys & SYN_BY(SYN_KEY_COMM) && place->comm != SYN_NO_COMM)
        point.comm = part->causes->plan.comms->comm[place->comm].family;
    if (keys & SYN_BY(SYN_KEY_BYTES))
        point.bytes =
            syn_op_flags(attributes->op) & SYN_OPF_VARIABLE ? SYN_BYTES_DIFFER : attributes->bytes;
    if (keys & SYN_BY(SYN_KEY_ROOT))
        point.root = attributes->root;
    if (keys & SYN_BY(SYN_KEY_OP))
        point.op = attributes->op;
    return point;
}

static struct syn_cause_point point_of(const struct syn_causes_part *part,
                                       const struct syn_attributes *attributes,
                                       const struct syn_comm_place *place)
{
    if (part->tables.keys)
        return keyed_point(part, attributes, place);
    return (struct syn_cause_point){.site = attributes->site,
                                    .phase = attributes->phase,
                                    .comm = SYN_NO_NAME,
                                    .op = attributes->op};
}

/* So few members that it does not matter if not all of them make such calls. */
#define FAMILY_MOST 64

/* The kinds of all members, where they are new. The number of the first; SYN_NO_NUMBER: no memory.
 */
static uint32_t find_family(struct syn_causes_part *part, struct syn_event_kind *kind,
                            uint32_t member_count)
{
    struct syn_numbering *kinds = &part->tables.kinds;
    const size_t had = part->families.count;
    if (SYN_ROOM(part->first_kind, part->first_capacity, had) != SYN_OK)
        return SYN_NO_NUMBER;
    const uint32_t family = syn_numbering_of(&part->families, kind);
    if (family < had || family == SYN_NO_NUMBER)
        return family == SYN_NO_NUMBER ? family : part->first_kind[family];
    part->first_kind[family] = (uint32_t)kinds->count;
    for (; kind->member < member_count; kind->member++)
        if (syn_numbering_append(kinds, kind) == SYN_NO_NUMBER)
            return SYN_NO_NUMBER;
    return part->first_kind[family];
}

static uint32_t number_kind(struct syn_causes_part *part, struct syn_event_kind *kind,
                            const struct syn_comm_place *place)
{
    const uint32_t members =
        place->comm == SYN_NO_COMM ? 0 : part->causes->plan.comms->comm[place->comm].size;
    if (place->member < members && members <= FAMILY_MOST) {
        const uint32_t first = find_family(part, kind, members);
        return first == SYN_NO_NUMBER ? first : first + place->member;
    }
    kind->member = place->member;
    return syn_numbering_of(&part->tables.kinds, kind);
}

/* Does a call post a message and complete it? */
static bool is_blocking_message(const struct syn_attributes *attributes)
{
    switch (attributes->op) {
    case SYN_CALL_Send:
    case SYN_CALL_Bsend:
    case SYN_CALL_Ssend:
    case SYN_CALL_Rsend:
    case SYN_CALL_Recv:
    case SYN_CALL_Sendrecv:
    case SYN_CALL_Sendrecv_replace:
    case SYN_CALL_Mrecv:
        return !(attributes->elements & (SYN_MESSAGE_PERSISTENT | SYN_MESSAGE_PARTITIONED));
    default:
        return false;
    }
}

static uint8_t message_of(const struct syn_attributes *attributes)
{
    if (attributes->elements & SYN_MESSAGE_RECEIVE)
        return SYN_KIND_MESSAGE | SYN_KIND_RECEIVE;
    return syn_send_lasts(attributes->elements, attributes->bytes)
               ? SYN_KIND_MESSAGE | SYN_KIND_LASTS
               : SYN_KIND_MESSAGE;
}

uint32_t syn_causes_part_kind(struct syn_causes_part *part, const struct syn_attributes *attributes,
                              const struct syn_comm_place *place)
{
    const bool is_message = syn_is_message(attributes->op);
    const bool is_blocking = is_message ? is_blocking_message(attributes)
                                        : attributes->op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    struct syn_cause_point point = point_of(part, attributes, place);
    struct syn_event_kind kind;
    memset(&kind, 0, sizeof kind);
    kind.comm = is_message ? SYN_NO_COMM : place->comm;
    kind.root = is_message || place->comm == SYN_NO_COMM
                    ? -1
                    : root_member(&part->causes->plan.comms->comm[place->comm], attributes->root);
    kind.op = attributes->op;
    kind.is_blocking = is_blocking && !is_message;
    kind.message = is_message ? message_of(attributes) : 0;
    kind.is_completed = !(attributes->flags & SYN_EVENT_NO_COMPLETION);
    kind.point = kind.completion_point = syn_numbering_of(&part->tables.points, &point);
    point.is_completion = true;
    if (!is_blocking)
        kind.completion_point = syn_numbering_of(&part->tables.points, &point);
    return kind.point == SYN_NO_NUMBER || kind.completion_point == SYN_NO_NUMBER ? SYN_NO_NUMBER
           : is_message ? syn_numbering_of(&part->tables.kinds, &kind)
                        : number_kind(part, &kind, place);
}

const struct syn_event_kind *syn_causes_part_kind_at(const struct syn_causes_part *part,
                                                     uint32_t number)
{
    return syn_event_kind_at(&part->tables, number);
}

const struct syn_numbering *syn_causes_part_points(const struct syn_causes_part *part)
{
    return &part->tables.points;
}

/* ---- cuts ---- */

/* May an instance of this kind be a cut? The first communicator that covers all is asked. */
static bool may_cut(struct syn_causes_part *part, const struct syn_event_kind *kind)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    if (!kind->is_blocking || kind->comm == SYN_NO_COMM)
        return false;
    if (part->covering == SYN_NO_COMM) {
        const uint32_t group = plan->group_of_comm[kind->comm];
        if (group != SYN_NO_GROUP && plan->group[group].covers_all)
            part->covering = kind->comm;
    }
    return kind->comm == part->covering;
}

static void note_sequence(struct syn_sequence_span *span, uint64_t sequence)
{
    if (!span->known)
        span->first = sequence;
    span->last = sequence;
    span->known = true;
}

/* Has it nothing yet that is behind the last cut? */
static bool is_behind(const struct syn_causes_part *part, uint32_t location)
{
    const struct syn_sequence_span *span = &part->span[location];
    return !span->known || (part->first.call && span->last <= part->cut_sequence);
}

/* A location that reached this cut cannot lag before the next one. So all are looked at once a cut,
 * not at each new call: with 10^5 of them that would be most of the work. */
static bool some_are_behind(struct syn_causes_part *part)
{
    const uint32_t count = part->causes->plan.location_count;
    for (uint32_t seen = 0; seen < count; seen++) {
        if (is_behind(part, part->behind))
            return true;
        part->behind = part->behind + 1 < count ? part->behind + 1 : 0;
    }
    return false;
}

/* The latest instance that all locations have come to, or are beyond. */
static bool common_sequence(struct syn_causes_part *part, uint64_t *sequence)
{
    uint64_t first = 0;
    *sequence = UINT64_MAX;
    if (some_are_behind(part))
        return false;
    for (uint32_t i = 0; i < part->causes->plan.location_count; i++) {
        first = syn_largest(part->span[i].first, first);
        *sequence = syn_least(part->span[i].last, *sequence);
    }
    return first <= *sequence;
}

static bool is_of(const struct syn_causes_part *part, const struct syn_replay_call *call,
                  uint64_t sequence)
{
    return call->sequence == sequence &&
           may_cut((struct syn_causes_part *)part, syn_event_kind_at(&part->tables, call->kind));
}

/* Finds a call, from the last on. NULL: not there. */
static const struct syn_replay_call *find_call(const struct syn_causes_part *part,
                                               uint32_t location, uint64_t sequence)
{
    size_t count;
    const struct syn_replay_call *held = syn_replay_held(part->replay, location, &count);
    while (count-- > 0)
        if (is_of(part, &held[count], sequence))
            return &held[count];
    return NULL;
}

/* Calls [location_count], copied: before [location_count] is behind each. 0 or SYN_ENOMEM. */
static int copy_cut(const struct syn_causes_part *part, const struct syn_replay_call *const *call,
                    struct syn_cut *cut, size_t *before)
{
    const uint32_t count = part->causes->plan.location_count;
    size_t held;
    cut->call = malloc(((size_t)count + 1) * sizeof *cut->call);
    for (uint32_t i = 0; i < count && cut->call; i++) {
        cut->call[i] = *call[i];
        before[i] = (size_t)(call[i] - syn_replay_held(part->replay, i, &held)) + 1;
    }
    return cut->call ? 0 : SYN_ENOMEM;
}

/* Its calls are copied; free them in any case. 0, SYN_ENOMEM; SYN_EEND: it is none. */
static int find_cut(struct syn_causes_part *part, uint64_t sequence, struct syn_cut *cut,
                    size_t *before)
{
    const uint32_t count = part->causes->plan.location_count;
    const struct syn_replay_call **call = malloc(((size_t)count + 1) * sizeof *call);
    int status = call ? 0 : SYN_ENOMEM;
    for (uint32_t i = 0; i < count && status == SYN_OK; i++) {
        call[i] = find_call(part, i, sequence);
        status = call[i] ? 0 : SYN_EEND;
    }
    if (status == SYN_OK &&
        !syn_cut_search_call(&part->search, part->replay, call, &cut->synchronized_ns))
        status = SYN_EEND;
    if (status == SYN_OK)
        status = copy_cut(part, call, cut, before);
    free(call);
    return status;
}

/* Operations of the slices before may be pending when this one begins, and be completed much later:
 * until they are there is no cut. A location's time is over where the chunks of those slices end,
 * the last one's end being that of a completion. */
static int begin_search(struct syn_causes_part *part)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    if (part->search.at)
        return 0;
    const int status = syn_cut_search_begin(&part->search, part->replay, part->covering);
    for (uint32_t i = 0; i < plan->location_count && status == SYN_OK; i++)
        part->search.over_ns[i] = plan->over_ns[plan->location[i].rank][part->first_chunk[i] - 1];
    return status;
}

/* Finds the first cut, of a number up to `most`. *sequence: its own, out. */
static int find_first_cut(struct syn_causes_part *part, uint64_t most, uint64_t *sequence,
                          struct syn_cut *cut, size_t *before)
{
    const uint32_t count = part->causes->plan.location_count;
    size_t held;
    int status = begin_search(part);
    if (status != SYN_OK ||
        !syn_cut_search_held(&part->search, part->replay, most, &cut->synchronized_ns))
        return status != SYN_OK ? status : SYN_EEND;
    const struct syn_replay_call **call = malloc(((size_t)count + 1) * sizeof *call);
    for (uint32_t i = 0; call && i < count; i++)
        call[i] = syn_replay_held(part->replay, i, &held) + part->search.at[i];
    status = call ? copy_cut(part, call, cut, before) : SYN_ENOMEM;
    *sequence = call ? call[0]->sequence : 0;
    free(call);
    return status;
}

static int copy_calls(const struct syn_replay_call *call, size_t count, struct syn_calls *out)
{
    out->call = malloc((count + 1) * sizeof *out->call);
    if (!out->call)
        return SYN_ENOMEM;
    if (count > 0)
        memcpy(out->call, call, count * sizeof *call);
    out->count = count;
    return 0;
}

static int stand_at(struct syn_causes_part *part, const struct syn_cut *cut)
{
    const int status = syn_replay_stand_at(part->replay, cut);
    syn_cut_search_restart(&part->search, part->replay);
    return status;
}

/* Begins at the first cut. Calls before it are left to the owner of the calls before them. */
static int begin_at(struct syn_causes_part *part, const struct syn_cut *cut, const size_t *before)
{
    int status = 0;
    size_t count;
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == SYN_OK; i++) {
        status = copy_calls(syn_replay_held(part->replay, i, &count), before[i], &part->head[i]);
        syn_replay_drop(part->replay, i, before[i]);
    }
    return status != SYN_OK ? status : stand_at(part, cut);
}

/* The first `before` of each location are held back: they are replayed, up to the cut. */
static int go_to(struct syn_causes_part *part, const struct syn_cut *cut, const size_t *before)
{
    int status = 0;
    for (uint32_t i = 0; i < part->causes->plan.location_count && status == SYN_OK; i++)
        status = syn_replay_release(part->replay, i, before[i]);
    if (status == SYN_OK)
        status = syn_replay_advance(part->replay);
    if (status == SYN_OK)
        status = syn_replay_drain(part->replay);
    return status != SYN_OK ? status : stand_at(part, cut);
}

/* *sequence: the latest instance that may be one; that of the cut, out. */
static int take_cut(struct syn_causes_part *part, uint64_t *sequence)
{
    struct syn_cut cut = {0};
    size_t *before = malloc(((size_t)part->causes->plan.location_count + 1) * sizeof *before);
    int status = before ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK)
        status = part->first.call ? find_cut(part, *sequence, &cut, before)
                                  : find_first_cut(part, *sequence, sequence, &cut, before);
    if (status == SYN_OK) {
        status = part->first.call ? go_to(part, &cut, before) : begin_at(part, &cut, before);
        if (!part->first.call)
            part->first = cut;
        else
            free(part->last.call);
        if (part->first.call != cut.call)
            part->last = cut;
        part->cut_sequence = *sequence;
    } else {
        free(cut.call);
        status = status == SYN_EEND ? 0 : status;
    }
    free(before);
    return status;
}

/* ---- events ---- */

/* Times of a call that is not a blocking one. */
static void take_request(const struct syn_event_columns *columns, size_t i,
                         struct syn_replay_call *call)
{
    call->call_end_ns = columns->call_end_ns[i];
    call->wait_start_ns = syn_event_flags_at(columns, i) & SYN_EVENT_NO_COMPLETION
                              ? columns->end_ns[i]
                              : columns->wait_start_ns[i];
    call->wait_messages_ns = columns->wait_messages_ns ? columns->wait_messages_ns[i] : 0;
    call->wait_off_cpu_ns = columns->wait_off_cpu_ns ? columns->wait_off_cpu_ns[i] : 0;
}

/* Times of a message: a call of its own completes it, or the one that posted it. */
static void take_message(const struct syn_match_batch *batch, size_t i,
                         const struct syn_event_kind *of, struct syn_replay_call *call)
{
    const struct syn_event_columns *columns = batch->columns;
    const struct syn_message_mark *mark = batch->mark ? &batch->mark[i - batch->first] : NULL;
    call->sequence = mark && mark->channel < SYN_CHANNEL_LIMIT
                         ? (uint64_t)mark->channel << 32 | mark->k
                         : SYN_NO_MESSAGE;
    if (columns->call_end_ns &&
        (of->point != of->completion_point || columns->call_end_ns[i] < call->end_ns))
        take_request(columns, i, call);
}

static void take_call(const struct syn_match_batch *batch, size_t i, uint32_t kind,
                      const struct syn_event_kind *of, struct syn_replay_call *call)
{
    const struct syn_event_columns *columns = batch->columns;
    const int64_t start_ns = columns->start_ns[i];
    call->start_ns = call->call_end_ns = call->wait_start_ns = start_ns;
    call->end_ns = columns->end_ns[i];
    call->sequence = columns->sequence[i];
    call->messages_ns = columns->messages_ns ? columns->messages_ns[i] : 0;
    call->off_cpu_ns = columns->off_cpu_ns ? columns->off_cpu_ns[i] : 0;
    call->wait_messages_ns = call->wait_off_cpu_ns = 0;
    call->kind = kind;
    call->spare = 0;
    if (__builtin_expect(of->message != 0, 0))
        take_message(batch, i, of, call);
    else if (__builtin_expect(!of->is_blocking, 0))
        take_request(columns, i, call);
}

static int add_events(struct syn_causes_part *part, const struct syn_match_batch *batch,
                      uint32_t location)
{
    struct syn_sequence_span *span = &part->span[location];
    uint32_t last = SYN_NO_NUMBER; /* of the kind before: */
    const struct syn_event_kind *kind = NULL;
    bool cuts = false;
    for (size_t i = batch->first; i < batch->end; i++) {
        const uint32_t number = batch->note[i - batch->first];
        if (number == SYN_NO_NUMBER)
            continue;
        if (number != last) {
            kind = syn_event_kind_at(&part->tables, number);
            cuts = may_cut(part, kind);
            last = number;
        }
        struct syn_replay_call *call = syn_replay_append_one(part->replay, location);
        if (!call)
            return SYN_ENOMEM;
        take_call(batch, i, number, kind, call);
        if (cuts)
            note_sequence(span, call->sequence);
    }
    return 0;
}

/* As far as the latest instance that all locations have, if that is a cut. */
static int look_for_cut(struct syn_causes_part *part)
{
    uint64_t sequence;
    return common_sequence(part, &sequence) ? take_cut(part, &sequence) : 0;
}

static int begin_adding(struct syn_causes_part *part)
{
    const int status = prepare(part);
    if (status == SYN_OK)
        part->totals = syn_thread_totals_lend(part->causes->pool, &part->tables,
                                              syn_replay_sums(part->replay));
    return status != SYN_OK ? status : part->totals ? 0 : SYN_ENOMEM;
}

int syn_causes_part_add(struct syn_causes_part *part, const struct syn_match_batch *batch)
{
    const uint32_t location =
        syn_location_of(&part->causes->plan, batch->rank, batch->columns->thread);
    int status = part->replay ? 0 : begin_adding(part);
    if (location == SYN_NO_NUMBER || status != SYN_OK)
        return status;
    if (!part->first_chunk[location])
        part->first_chunk[location] = batch->chunk + 1;
    if (batch->first == 0)
        syn_kernel_counters_take(&part->counters[location], batch->columns->samples,
                                 batch->columns->sample_count, batch->columns->start_ns[0]);
    status = add_events(part, batch, location);
    return status != SYN_OK ? status : look_for_cut(part);
}
