/* analyze/causes/part.c - the events of a slice. Calls from the first cut to the last one are
 * replayed at once; those before and behind are kept. syn_causes_absorb puts the parts together, in
 * the order of the slices. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/causes.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"

/* Number of queued calls between the parts above which instances that cannot become complete are
 * given up. */
#define WAITING_MANY ((size_t)1 << 16)

struct syn_calls {
    struct syn_replay_call *call; /* [count], owned */
    size_t count;
};

/* The sequence numbers that a location has on a communicator of all locations. */
struct syn_sequence_span {
    uint64_t first, last;
    bool known;
};

struct syn_causes_part {
    struct syn_causes *causes;
    struct syn_replay *replay;   /* NULL: no event was added */
    struct syn_cause_sums *sums; /* sums that the part adds to; NULL once settled */
    struct syn_message_part messages;
    struct syn_cut first, last; /* the first and the last cut; last.call NULL: `first` is the only
                                   one; first.call NULL: none */
    struct syn_calls *head;     /* [location_count] calls up to the first cut, including it */
    struct syn_sequence_span *span; /* [location_count] on communicator `covering` */
    uint32_t covering;              /* first communicator of all locations; SYN_NO_COMM: none yet */
    uint64_t cut_sequence;          /* sequence number of the last cut */
    uint32_t behind;                /* next location to check for calls behind the last cut */
    struct syn_kernel_counters *counters; /* [location_count] */
    size_t *first_chunk; /* [location_count] one more than the index of the slice's first chunk in
                            the rank's file; 0: none yet */
    struct syn_cut_search search; /* for cuts behind the last one */
};

/* ---- life ---- */

struct syn_causes_part *syn_causes_part_new(struct syn_causes *causes)
{
    struct syn_causes_part *part = calloc(1, sizeof *part);
    if (!part)
        return NULL;
    part->causes = causes;
    part->messages.of = causes->messages.of;
    part->covering = SYN_NO_COMM;
    return part;
}

/* Returns sums that no other thread adds to, or NULL if out of memory. */
static struct syn_cause_sums *borrow_sums(struct syn_causes *causes)
{
    pthread_mutex_lock(&causes->lock);
    struct syn_cause_sums *sums = causes->unused;
    if (sums)
        causes->unused = sums->next;
    pthread_mutex_unlock(&causes->lock);
    if (!sums && (sums = malloc(sizeof *sums)) != NULL)
        syn_cause_sums_begin(sums, causes->plan.location_count, &causes->sums.bins);
    return sums;
}

void syn_causes_part_settle(struct syn_causes_part *part)
{
    struct syn_causes *causes = part->causes;
    if (!part->sums)
        return;
    pthread_mutex_lock(&causes->lock);
    part->sums->next = causes->unused;
    causes->unused = part->sums;
    pthread_mutex_unlock(&causes->lock);
    part->sums = NULL;
}

void syn_causes_part_free(struct syn_causes_part *part)
{
    if (!part)
        return;
    for (uint32_t i = 0; part->head && i < part->causes->plan.location_count; i++)
        free(part->head[i].call);
    syn_causes_part_settle(part);
    syn_replay_free(part->replay);
    syn_message_table_free(&part->messages.table);
    syn_cut_search_free(&part->search);
    free(part->first_chunk);
    free(part->first.call);
    free(part->last.call);
    free(part->head);
    free(part->span);
    free(part->counters);
    free(part);
}

static int begin_adding(struct syn_causes_part *part)
{
    const struct syn_cause_plan *plan = &part->causes->plan;
    part->sums = borrow_sums(part->causes);
    if (part->sums)
        part->replay =
            syn_replay_new(plan, &part->causes->tables, part->sums, &part->messages, SIZE_MAX);
    part->head = calloc((size_t)plan->location_count + 1, sizeof *part->head);
    part->span = calloc((size_t)plan->location_count + 1, sizeof *part->span);
    part->counters = calloc((size_t)plan->location_count + 1, sizeof *part->counters);
    part->first_chunk = calloc((size_t)plan->location_count + 1, sizeof *part->first_chunk);
    return part->replay && part->head && part->span && part->counters && part->first_chunk
               ? 0
               : SYN_ENOMEM;
}

uint32_t syn_causes_part_kind(struct syn_causes_part *part, const struct syn_attributes *attributes,
                              const struct syn_comm_place *place)
{
    const uint32_t number =
        syn_event_kind_of(&part->causes->tables, &part->causes->plan, attributes, place);
    if (number == SYN_NO_NUMBER || !part->messages.of)
        return number;
    const struct syn_event_kind *kind = syn_event_kind_at(&part->causes->tables, number);
    return kind->message && syn_message_add_kind(&part->messages, kind->row, attributes, place)
               ? SYN_NO_NUMBER
               : number;
}

/* ---- cuts ---- */

/* Returns whether an instance of this kind may be a cut. Only the first communicator that covers
 * all locations is searched. */
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

/* Finds the latest instance that all locations have reached or passed. Returns false if there is
 * none. RATIONALE: a location that has calls behind the last cut keeps them until the next cut. So
 * each location is checked once per cut, not at each new call; with 10^5 locations that would be
 * most of the work. */
static bool common_sequence(struct syn_causes_part *part, uint64_t *sequence)
{
    const uint32_t count = part->causes->plan.location_count;
    uint64_t first = 0;
    *sequence = UINT64_MAX;
    for (uint32_t seen = 0; seen < count; seen++) {
        /* Stops at the first location that has no call behind the last cut yet. */
        const struct syn_sequence_span *span = &part->span[part->behind];
        if (!span->known || (part->first.call && span->last <= part->cut_sequence))
            return false;
        part->behind = part->behind + 1 < count ? part->behind + 1 : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        first = syn_largest(part->span[i].first, first);
        *sequence = syn_least(part->span[i].last, *sequence);
    }
    return first <= *sequence;
}

/* Begins the search for cuts. Operations of earlier slices may be pending when this slice begins,
 * and be completed much later; there is no cut before that. A location's earlier calls are over
 * where the chunks of those slices end, since a chunk's end includes completions. */
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

/* Replays the calls up to the cut that the search has found. RATIONALE: they are released in
 * rounds, a few of each location, so that what waits for other locations stays in the cache. With
 * very many calls of few locations rounds are longer, since each looks at all locations. */
#define ROUND_CALLS 8
#define ROUNDS_MOST 64
static int replay_to_cut(struct syn_causes_part *part)
{
    const uint32_t count = part->causes->plan.location_count;
    size_t most = 0;
    int status = 0;
    for (uint32_t i = 0; i < count; i++)
        most = syn_largest(part->search.at[i] + 1, most);
    const size_t turn = syn_largest(most / ROUNDS_MOST, (size_t)ROUND_CALLS);
    for (size_t done = 0; done < most && status == SYN_OK; done += turn) {
        for (uint32_t i = 0; i < count && status == SYN_OK; i++) {
            const size_t calls = part->search.at[i] + 1; /* up to the cut, including it */
            if (calls > done)
                status = syn_replay_release(part->replay, i, syn_least(calls - done, turn));
        }
        SYN_STEP(status, syn_replay_advance(part->replay));
    }
    return status == SYN_OK ? syn_replay_drain(part->replay) : status;
}

/* Takes a cut, if there is one: the first cut among instances up to `most` if the part has none
 * yet, else the instance `most` if that is a cut. Calls before the first cut are kept for
 * syn_causes_absorb. Calls up to a later cut are replayed. Returns 0 or an error. */
static int take_cut(struct syn_causes_part *part, uint64_t most)
{
    const uint32_t count = part->causes->plan.location_count;
    const bool is_first = !part->first.call;
    struct syn_cut cut = {0};
    size_t held;
    int status = begin_search(part);
    if (status != SYN_OK || !(is_first ? syn_cut_search_held : syn_cut_search_last)(
                                &part->search, part->replay, most, &cut.synchronized_ns))
        return status;
    cut.call = malloc(((size_t)count + 1) * sizeof *cut.call);
    if (!cut.call)
        return SYN_ENOMEM;
    free(part->last.call);
    part->last.call = NULL;
    *(is_first ? &part->first : &part->last) = cut;
    for (uint32_t i = 0; i < count && status == SYN_OK; i++) {
        const struct syn_replay_call *call = syn_replay_held(part->replay, i, &held);
        struct syn_calls *head = &part->head[i];
        const size_t before = part->search.at[i] + 1; /* calls up to the cut, including it */
        cut.call[i] = call[before - 1];
        if (!is_first)
            continue;
        *head = (struct syn_calls){malloc(before * sizeof *call), before};
        if (!head->call)
            return SYN_ENOMEM;
        memcpy(head->call, call, before * sizeof *call);
        syn_replay_drop(part->replay, i, before);
    }
    part->cut_sequence = cut.call[0].sequence;
    if (status == SYN_OK && !is_first)
        status = replay_to_cut(part);
    SYN_STEP(status, syn_replay_stand_at(part->replay, &cut));
    syn_cut_search_restart(&part->search, part->replay);
    return status;
}

/* ---- events ---- */

/* Sets the times of a call that is not blocking. */
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

/* Sets size and times of a message, which is completed by a call of its own or by the call that
 * posted it. */
static void take_message(const struct syn_match_batch *batch, size_t i,
                         const struct syn_event_kind *of, struct syn_replay_call *call)
{
    const struct syn_event_columns *columns = batch->columns;
    const struct syn_message_mark mark =
        batch->mark ? batch->mark[i - batch->first] : (struct syn_message_mark){SYN_NO_CHANNEL, 0};
    call->sequence = (uint64_t)mark.channel << 32 | mark.k;
    call->bytes = columns->flags ? columns->bytes[i] : columns->of_tuple.bytes[columns->tuple[i]];
    if (columns->call_end_ns &&
        (of->point != of->completion_point || columns->call_end_ns[i] < call->end_ns))
        take_request(columns, i, call);
}

static int add_events(struct syn_causes_part *part, const struct syn_match_batch *batch,
                      uint32_t location)
{
    struct syn_sequence_span *span = &part->span[location];
    uint32_t last = SYN_NO_NUMBER; /* kind of the previous event; `kind` and `cuts` belong to it */
    const struct syn_event_kind *kind = NULL;
    bool cuts = false;
    for (size_t i = batch->first; i < batch->end; i++) {
        const uint32_t number = batch->note[i - batch->first];
        if (number == SYN_NO_NUMBER)
            continue;
        if (number != last) {
            kind = syn_event_kind_at(&part->causes->tables, number);
            cuts = may_cut(part, kind);
            last = number;
        }
        struct syn_replay_call *call = syn_replay_append(part->replay, location);
        if (!call)
            return SYN_ENOMEM;
        const struct syn_event_columns *columns = batch->columns;
        const int64_t start_ns = columns->start_ns[i];
        call->start_ns = call->call_end_ns = call->wait_start_ns = start_ns;
        call->end_ns = columns->end_ns[i];
        call->sequence = columns->sequence[i];
        call->messages_ns = columns->messages_ns ? columns->messages_ns[i] : 0;
        call->off_cpu_ns = columns->off_cpu_ns ? columns->off_cpu_ns[i] : 0;
        call->wait_messages_ns = call->wait_off_cpu_ns = 0;
        call->kind = number;
        call->member = batch->member[i - batch->first];
        if (__builtin_expect(kind->message != 0, 0))
            take_message(batch, i, kind, call);
        else if (__builtin_expect(!kind->is_blocking, 0))
            take_request(columns, i, call);
        if (cuts) {
            span->first = span->known ? span->first : call->sequence;
            span->last = call->sequence;
            span->known = true;
        }
    }
    return 0;
}

int syn_causes_part_add(struct syn_causes_part *part, const struct syn_match_batch *batch)
{
    const uint32_t location =
        syn_location_of(&part->causes->plan, batch->rank, batch->columns->thread);
    uint64_t sequence;
    int status = part->replay ? 0 : begin_adding(part);
    if (location == SYN_NO_NUMBER || status != SYN_OK)
        return status;
    if (!part->first_chunk[location])
        part->first_chunk[location] = batch->chunk + 1;
    if (batch->first == 0)
        syn_kernel_counters_take(&part->counters[location], batch->columns->samples,
                                 batch->columns->sample_count, batch->columns->start_ns[0]);
    status = add_events(part, batch, location);
    if (status == SYN_OK && common_sequence(part, &sequence))
        status = take_cut(part, sequence);
    return status;
}

/* ---- parts together ---- */

static int append_calls(struct syn_causes *causes, uint32_t location,
                        const struct syn_replay_call *call, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct syn_replay_call *to = syn_replay_append(causes->replay, location);
        if (!to)
            return SYN_ENOMEM;
        *to = call[i];
    }
    return syn_replay_release(causes->replay, location, count);
}

/* Replays up to the part's first cut, if it has one; goes on at its last cut; takes up the calls
 * behind that. */
int syn_causes_absorb(struct syn_causes *causes, struct syn_causes_part *part, int64_t watermark_ns)
{
    struct syn_replay *replay = causes->replay;
    int status = 0;
    syn_replay_know(replay, watermark_ns);
    SYN_STEP(status, syn_message_pass_absorb(&part->messages));
    SYN_STEP(status, syn_message_rows(&causes->messages.table, part->messages.table.row_count));
    if (status != SYN_OK || !part->replay)
        return status;
    syn_causes_part_settle(part);
    for (uint32_t i = 0; i < causes->plan.location_count; i++)
        syn_kernel_counters_merge(&causes->counters[i], &part->counters[i]);
    if (part->first.call) {
        for (uint32_t i = 0; i < causes->plan.location_count && status == SYN_OK; i++)
            status = append_calls(causes, i, part->head[i].call, part->head[i].count);
        SYN_STEP(status, syn_replay_drain(replay));
        if (status == SYN_OK)
            status = syn_replay_stand_at(replay, part->last.call ? &part->last : &part->first);
        if (status == SYN_OK)
            status = syn_messages_take(replay, part->replay);
    }
    for (uint32_t i = 0; i < causes->plan.location_count && status == SYN_OK; i++) {
        size_t count;
        const struct syn_replay_call *held = syn_replay_held(part->replay, i, &count);
        status = append_calls(causes, i, held, count);
    }
    SYN_STEP(status, syn_replay_advance(replay));
    if (status == SYN_OK && syn_replay_queued(replay) > WAITING_MANY)
        status = syn_replay_give_up(replay);
    SYN_STEP(status, syn_message_pass_absorb(&causes->messages));
    return status;
}
