/* analyze/match/slice_reader.c - the events of a time slice to instances.
 *
 * An event is only put where its instance is pending (pending.h): its times, and the number of all
 * else that it says. What an instance is follows once its last member is there (instance.c). What
 * the events of one tuple of a chunk have in common is found out with the first of them, so that
 * the loop over events does not look at more than times, sequence and tuple. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/instance.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/streams.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/event.h"

/* What the events of one number (syn_event_columns.tuple) in a chunk say. */
struct tuple {
    bool known;
    bool hidden;
    bool plain; /* a blocking call: inside MPI from start to end */
    uint8_t class;
    uint32_t attributes;
    uint32_t note; /* what the sink calls it */
    struct syn_comm_place place;
};

struct tuples {
    struct tuple *at; /* [capacity] */
    size_t capacity;
    uint64_t load; /* of the stream's chunk that they are of */
};

struct syn_slice_reader {
    const struct syn_match *match;
    struct syn_rank_streams streams;
    struct tuples *tuples; /* [stream count] */
    struct syn_pending_table pending;
    struct syn_instance_maker maker;
    struct syn_slice_result *out; /* of the slice in hand */
};

static bool is_blocking(uint16_t op)
{
    return op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
}

static int find_out(struct syn_slice_reader *reader, struct syn_rank_stream *stream, size_t i,
                    struct tuple *tuple)
{
    const struct syn_event_columns *columns = &stream->columns;
    const struct syn_match *match = reader->match;
    const uint16_t op = columns->op[i], flags = SYN_EVENT_FLAGS(columns->flags[i]);
    const enum syn_op_class class = syn_stream_class(stream, op);
    tuple->known = columns->tuple != NULL;
    tuple->class = (uint8_t) class;
    tuple->hidden = (match->hidden_classes & SYN_HIDE(class)) != 0;
    tuple->plain = is_blocking(op) && !(flags & SYN_EVENT_NO_COMPLETION);
    tuple->place = match->comms->place[stream->rank][columns->comm[i]];
    tuple->attributes = SYN_NO_ATTRIBUTES;
    tuple->note = SYN_NO_NOTE;
    if (tuple->hidden)
        return 0;
    struct syn_attributes attributes = {
        .bytes = columns->bytes[i],
        .comm = tuple->place.comm,
        .site = syn_stream_site(stream, columns->stack[i], match->symbols, match->names),
        .phase = syn_stream_phase(stream, SYN_EVENT_PHASE(columns->flags[i]), match->names),
        .root = columns->root[i],
        .op = op,
        .flags = flags};
    if (attributes.site == SYN_NO_NAME || attributes.phase == SYN_NO_NAME)
        return SYN_ENOMEM;
    if (match->sink.kind)
        tuple->note = match->sink.kind(reader->out->partial, &attributes, &tuple->place);
    if (match->sink.kind && tuple->note == SYN_NO_NOTE)
        return SYN_ENOMEM;
    if (tuple->place.comm == SYN_NO_COMM)
        return 0;
    tuple->attributes = syn_attributes_number(&reader->pending.attributes, &attributes);
    return tuple->attributes == SYN_NO_ATTRIBUTES ? SYN_ENOMEM : 0;
}

/* The tuples of a stream's chunk, none of them known where the chunk is another one than before. */
static struct tuple *tuples_of(struct syn_slice_reader *reader,
                               const struct syn_rank_stream *stream)
{
    struct tuples *tuples = &reader->tuples[stream - reader->streams.stream];
    size_t count = stream->columns.tuple ? stream->columns.tuple_count : 1;
    if (tuples->load == stream->load_count)
        return tuples->at;
    if (tuples->capacity < count) {
        free(tuples->at);
        tuples->at = malloc(count * sizeof *tuples->at);
        tuples->capacity = tuples->at ? count : 0;
    }
    if (tuples->at)
        memset(tuples->at, 0, count * sizeof *tuples->at);
    tuples->load = stream->load_count;
    return tuples->at;
}

/* Of an event that is not plain. */
static struct syn_request_times request_times(const struct syn_event_columns *columns, size_t i)
{
    struct syn_request_times request = {columns->start_ns[i], columns->start_ns[i]};
    if (!is_blocking(columns->op[i]))
        request = (struct syn_request_times){columns->call_end_ns[i], columns->wait_start_ns[i]};
    if (columns->flags[i] & SYN_EVENT_NO_COMPLETION) /* only the initiating call was inside */
        request.wait_start_ns = columns->end_ns[i];
    return request;
}

/* Of a communicator with many members, those of consecutive instances lie far apart: a member's
 * place in an instance is asked for while those before it are filled. A chain's first instance
 * is nearly always the one that is looked for; it is not looked at before. */
#define MEMBERS_MANY    64
#define INSTANCES_AHEAD 6

static inline void ask_ahead(const struct syn_pending_table *table, const struct syn_pending *now,
                             uint32_t m)
{
    if (now->capacity < MEMBERS_MANY)
        return;
    const struct syn_pending *ahead = (const struct syn_pending *)syn_chains_first(
        &table->chains, syn_pending_hash(now->comm, now->sequence + INSTANCES_AHEAD));
    if (!ahead)
        return;
    const char *at = (const char *)ahead, *from = (const char *)now;
    SYN_FETCH(at);
    SYN_FETCH(at + ((const char *)&now->attributes[m] - from));
    SYN_FETCH(at + ((const char *)&syn_pending_spans(now)[m] - from));
}

static int arrive(struct syn_slice_reader *reader, const struct syn_event_columns *columns,
                  size_t i, const struct tuple *tuple)
{
    struct syn_pending_table *table = &reader->pending;
    const uint64_t sequence = columns->sequence[i];
    struct syn_pending *pending = syn_pending_find(table, tuple->place.comm, sequence);
    uint32_t m = tuple->place.member;
    if (!pending) {
        pending = syn_pending_add(table, tuple->place.comm, sequence);
        if (!pending)
            return SYN_ENOMEM;
    }
    ask_ahead(table, pending, m);
    if (__builtin_expect(pending->by_arrival, 0)) {
        m = pending->arrived_count;
        syn_pending_members(pending)[m] = tuple->place.member;
    } else if (__builtin_expect(pending->attributes[m] != SYN_NO_ATTRIBUTES, 0)) {
        reader->out->totals.duplicate_count++;
        return 0;
    }
    if (__builtin_expect(!tuple->plain | pending->has_request_times, 0)) {
        syn_pending_extend(pending);
        syn_pending_requests(pending)[m] = request_times(columns, i);
    }
    pending->attributes[m] = tuple->attributes;
    syn_pending_spans(pending)[m] = (struct syn_span){columns->start_ns[i], columns->end_ns[i]};
    pending->arrived_count++;
    if (!syn_pending_is_over(pending))
        return 0;
    int status = syn_tell_instance(&reader->maker, pending, &table->attributes,
                                   reader->out->partial, &reader->out->totals);
    syn_pending_recycle(table, pending);
    return status;
}

/* Of the events of a batch, what a rank's totals want to know. */
struct batch_totals {
    uint64_t event_count;
    int64_t first_ns, last_ns;
    double inside_ns;
};

static void add_batch(struct syn_rank_totals *totals, const struct batch_totals *batch,
                      const double *other_ns, uint32_t thread)
{
    double data_ns = batch->inside_ns;
    if (batch->event_count == 0)
        return;
    if (totals->event_count == 0 || batch->first_ns < totals->first_ns)
        totals->first_ns = batch->first_ns;
    if (totals->event_count == 0 || batch->last_ns > totals->last_ns)
        totals->last_ns = batch->last_ns;
    totals->event_count += batch->event_count;
    totals->inside_ns += batch->inside_ns;
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
    if (__builtin_expect(!syn_plausible_ns(start_ns) || !syn_plausible_ns(end_ns), 0))
        return IMPLAUSIBLE;
    if (__builtin_expect(plain, 1))
        return end_ns - start_ns;
    if (!syn_plausible_ns(columns->call_end_ns[i]) || !syn_plausible_ns(columns->wait_start_ns[i]))
        return IMPLAUSIBLE;
    const struct syn_request_times request = request_times(columns, i);
    return (request.call_end_ns - start_ns) + (end_ns - request.wait_start_ns);
}

/* The batch as a whole, for sinks that look at events. */
static int hand_on(struct syn_slice_reader *reader, const struct syn_rank_stream *stream,
                   size_t end, const uint32_t *note)
{
    const struct syn_match_sink *sink = &reader->match->sink;
    const struct syn_match_batch batch = {stream->rank, &stream->columns, stream->next, end, note};
    return sink->batch ? sink->batch(reader->out->partial, &batch) : 0;
}

/* Of so many tuples what their events look up is not in the cache: it is asked for so many events
 * ahead, step by step, as each step is found through the one before. */
#define TUPLES_MANY 256
enum { TUPLE_AHEAD = 18, SIGNATURE_AHEAD = 12, MEMBERS_AHEAD = 6 };

static bool has_signature(const struct tuple *tuple)
{
    return tuple->known && tuple->attributes != SYN_NO_ATTRIBUTES;
}

/* count: of those in `number`, the tuples of the events from here on. */
static void look_ahead(const struct syn_attribute_table *table, const struct tuple *tuples,
                       const uint16_t *number, size_t count)
{
    const struct tuple *tuple;
    if (count > TUPLE_AHEAD)
        SYN_FETCH(&tuples[number[TUPLE_AHEAD]]);
    if (count > SIGNATURE_AHEAD && has_signature(tuple = &tuples[number[SIGNATURE_AHEAD]])) {
        SYN_FETCH(&table->signature[tuple->attributes]);
        SYN_FETCH(&table->at[tuple->attributes]);
    }
    if (count > MEMBERS_AHEAD && has_signature(tuple = &tuples[number[MEMBERS_AHEAD]]))
        SYN_FETCH(table->signature[tuple->attributes].member);
}

static int take_batch(struct syn_slice_reader *reader, struct syn_rank_stream *stream)
{
    const struct syn_event_columns *columns = &stream->columns;
    struct tuple *tuples = tuples_of(reader, stream);
    struct batch_totals batch = {0, INT64_MAX, INT64_MIN, 0};
    double other_ns[SYN_CLASS_COUNT] = {0};
    uint64_t unplaced_count = 0, implausible_count = 0;
    uint32_t note[SYN_STREAM_BATCH];
    const size_t first = stream->next;
    const size_t turn = stream->is_short ? SYN_PIECE_LEAST : SYN_STREAM_BATCH;
    const size_t end = stream->next + syn_least(turn, columns->count - stream->next);
    const bool many = columns->tuple && columns->tuple_count >= TUPLES_MANY;
    int status = tuples ? 0 : SYN_ENOMEM;
    syn_streams_fetch_next(&reader->streams, 0);
    for (size_t i = stream->next; i < end && status == SYN_OK; i++) {
        if (many)
            look_ahead(&reader->pending.attributes, tuples, &columns->tuple[i], end - i);
        struct tuple *tuple = &tuples[columns->tuple ? columns->tuple[i] : 0];
        if (__builtin_expect(!tuple->known, 0) && find_out(reader, stream, i, tuple))
            return SYN_ENOMEM;
        note[i - first] = tuple->note;
        if (__builtin_expect(tuple->hidden, 0))
            continue;
        const int64_t inside = inside_ns(columns, i, tuple->plain);
        if (__builtin_expect(inside == IMPLAUSIBLE, 0)) {
            implausible_count++;
            note[i - first] = SYN_NO_NOTE;
            continue;
        }
        batch.event_count++;
        batch.first_ns = syn_least(batch.first_ns, columns->start_ns[i]);
        batch.last_ns = syn_largest(batch.last_ns, columns->end_ns[i]);
        batch.inside_ns += (double)inside;
        if (__builtin_expect(tuple->class != SYN_CLASS_DATA, 0))
            other_ns[tuple->class] += (double)inside;
        if (__builtin_expect(tuple->place.comm != SYN_NO_COMM, 1))
            status = arrive(reader, columns, i, tuple);
        else
            unplaced_count++;
    }
    syn_streams_fetch_next(&reader->streams, 1);
    if (status == SYN_OK)
        status = hand_on(reader, stream, end, note);
    syn_streams_fetch_next(&reader->streams, 2);
    stream->next = end;
    stream->is_short = false;
    struct syn_match_totals *totals = &reader->out->totals;
    add_batch(&totals->rank[stream->rank], &batch, other_ns, columns->thread);
    totals->event_count += batch.event_count + implausible_count;
    totals->implausible_count += implausible_count;
    totals->unplaced_count += unplaced_count;
    return status;
}

static int read_all(struct syn_slice_reader *reader)
{
    struct syn_rank_stream *stream;
    int status;
    while ((status = syn_streams_front(&reader->streams, &stream)) == SYN_OK && stream) {
        status = take_batch(reader, stream);
        if (status == SYN_OK)
            status = syn_streams_advance(&reader->streams);
        if (status != SYN_OK)
            return status;
    }
    return status;
}

/* ---- slices ---- */

int syn_slice_read(struct syn_slice_reader *reader, const uint32_t *first, const uint32_t *end,
                   struct syn_slice_result *out)
{
    reader->out = out;
    if (reader->pending.attributes.count > SYN_ATTRIBUTES_MANY)
        syn_attributes_clear(&reader->pending.attributes);
    reader->pending.count_most = 0;
    int status = syn_streams_seek(&reader->streams, first, end);
    for (size_t i = 0; i < reader->streams.count; i++) /* numbers may have been forgotten */
        reader->tuples[i].load = 0;
    if (status == SYN_OK)
        status = read_all(reader);
    if (status == SYN_OK)
        status = syn_pending_leave(&reader->pending, &out->left);
    out->totals.pending_peak = reader->pending.count_most;
    return status;
}

static int open_parts(struct syn_slice_reader *reader)
{
    const struct syn_match *match = reader->match;
    int status = syn_streams_open(match->trace, match->memory_bytes, &reader->streams);
    if (status == SYN_OK)
        status = syn_pending_begin(&reader->pending, match->comms);
    if (status == SYN_OK)
        status = syn_instance_maker_begin(&reader->maker, match);
    reader->tuples = calloc(reader->streams.count + 1, sizeof *reader->tuples);
    return status != SYN_OK ? status : reader->tuples ? 0 : SYN_ENOMEM;
}

int syn_slice_reader_begin(const struct syn_match *match, struct syn_slice_reader **out)
{
    struct syn_slice_reader *reader = calloc(1, sizeof *reader);
    *out = NULL;
    if (!reader)
        return SYN_ENOMEM;
    reader->match = match;
    int status = open_parts(reader);
    if (status == SYN_OK)
        *out = reader;
    else
        syn_slice_reader_end(reader);
    return status;
}

void syn_slice_reader_end(struct syn_slice_reader *reader)
{
    if (!reader)
        return;
    for (size_t i = 0; reader->tuples && i < reader->streams.count; i++)
        free(reader->tuples[i].at);
    syn_streams_close(&reader->streams);
    syn_pending_free(&reader->pending);
    syn_instance_maker_end(&reader->maker);
    free(reader->tuples);
    free(reader);
}
