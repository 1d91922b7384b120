/* analyze/match/slice_reader.c - matches the events of one time slice.
 *
 * An event adds its times and the number of its attributes to its pending instance (pending.h). The
 * instance is computed once its last member has come (instance.c).
 *
 * A tuple is a combination of attributes (operation, communicator, stack, bytes ...) that events of
 * a chunk share. Facts that depend on attributes only are looked up at the first event of each
 * tuple. So the loop over events reads only times, sequence numbers and tuples. The sink
 * takes what is matched (match.h), and numbers the kinds of events. */
#include <stdlib.h>
#include <string.h>

#include "analyze/match/instance.h"
#include "analyze/match/match_internal.h"
#include "analyze/match/members/streams.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/base/event.h"
#include "trace/events/message.h"

/* Facts shared by the events of one tuple of a chunk (syn_event_columns.tuple). */
struct tuple {
    bool known : 1;
    bool hidden : 1;
    bool blocking : 1;
    bool completed : 1; /* the completing call is known, too */
    bool plain : 1;     /* blocking and completed: inside MPI from start to end */
    bool message : 1;   /* a message, not a collective */
    uint8_t class;
    uint32_t attributes;
    uint32_t note; /* the sink's number for the events */
    struct syn_comm_place place;
};

/* Number of tuples from which on the tables for their lookups exceed the cache. */
#define TUPLES_MANY 256

/* Values of a call stack's last event, and the tuple looked up for them. RATIONALE: programs make
 * calls from many stacks in turn, each with the values that it had before. */
struct recollection {
    uint64_t bytes;
    uint32_t comm;
    int32_t root;
    uint16_t op, flags, elements;
    uint32_t slice;   /* slice in which the tuple's note is valid */
    uint32_t numbers; /* `numbers` of the reader with which the tuple's attributes are valid; 0:
                         nothing is known */
    struct tuple tuple;
};
/* Largest memory of the recollections of a reader's streams. Tuples of further stacks are looked up
 * anew in each chunk. */
#define RECALLED_MOST_BYTES ((size_t)32 << 20)

struct tuples {
    struct tuple *at; /* [capacity] */
    size_t capacity;
    uint64_t load;                 /* load_count of the stream's chunk that they belong to */
    struct recollection *recalled; /* [recalled_count], by stack; NULL: the trace has few tuples */
    size_t recalled_count;
    struct syn_message_reader *messages; /* NULL: the trace has no messages */
};

struct syn_slice_reader {
    const struct syn_match *match;
    struct syn_rank_streams streams;
    struct tuples *tuples; /* [stream count] */
    struct syn_pending_table pending;
    struct syn_instance_maker maker;
    struct syn_slice_result *out; /* of the current slice */
    uint32_t slice;               /* counts slices from 1; the sink's numbers belong to one slice */
    uint32_t numbers;             /* changes when the numbers of attributes are removed; never 0 */
};

/* Gets the sink's numbers for the events of a tuple. */
static int ask_for_note(const struct syn_slice_reader *reader,
                        const struct syn_attributes *attributes, struct tuple *tuple)
{
    const struct syn_match_sink *sink = &reader->match->sink;
    tuple->note =
        sink->kind ? sink->kind(reader->out->partial, attributes, &tuple->place) : SYN_NO_NOTE;
    return sink->kind && tuple->note == SYN_NO_NOTE ? SYN_ENOMEM : 0;
}

/* Returns the columns of the events' values: one element for each tuple if the chunk stores them
 * so, else one for each event. */
static struct syn_event_sayings sayings_of(const struct syn_event_columns *columns)
{
    return columns->flags
               ? (struct syn_event_sayings){columns->bytes,     columns->comm, columns->stack,
                                            columns->root,      columns->op,   columns->flags,
                                            columns->attributes}
               : columns->of_tuple;
}

static size_t said_at(const struct syn_event_columns *columns, size_t i)
{
    return columns->flags ? i : columns->tuple[i];
}

/* Sets a tuple by lookups. The values of its events are at index `at` of `said`. */
static int find_out(struct syn_slice_reader *reader, struct syn_rank_stream *stream,
                    const struct syn_event_sayings *said, size_t at, struct tuple *tuple)
{
    const struct syn_match *match = reader->match;
    const uint16_t op = said->op[at], flags = SYN_EVENT_FLAGS(said->flags[at]);
    const enum syn_op_class class = syn_stream_class(stream, op);
    tuple->known = stream->columns.tuple != NULL;
    tuple->class = (uint8_t) class;
    tuple->hidden = (match->hidden_classes & SYN_HIDE(class)) != 0;
    tuple->message = syn_is_message(op);
    tuple->blocking = op / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING;
    tuple->completed = !(flags & SYN_EVENT_NO_COMPLETION);
    tuple->plain = tuple->blocking && tuple->completed;
    tuple->place = match->comms->place[stream->rank][said->comm[at]];
    tuple->attributes = SYN_NO_ATTRIBUTES;
    tuple->note = SYN_NO_NOTE;
    if (tuple->message) /* a message has all of its times, whatever its form */
        tuple->hidden = !match->numbers, tuple->blocking = false;
    if (tuple->hidden)
        return 0;
    struct syn_attributes attributes = {
        .bytes = said->bytes[at],
        .comm = tuple->place.comm,
        .site = syn_rank_names_site(stream->names, said->stack[at]),
        .phase = syn_rank_names_phase(stream->names, SYN_EVENT_PHASE(said->flags[at])),
        .root = said->root[at],
        .op = op,
        .flags = flags,
        .elements = said->attributes[at]};
    if (attributes.site == SYN_NO_NAME || attributes.phase == SYN_NO_NAME ||
        ask_for_note(reader, &attributes, tuple))
        return SYN_ENOMEM;
    if (tuple->place.comm == SYN_NO_COMM || tuple->message)
        return 0;
    tuple->attributes = syn_attributes_number(&reader->pending.attributes, &attributes);
    return tuple->attributes == SYN_NO_ATTRIBUTES ? SYN_ENOMEM : 0;
}

/* ---- recollections of call stacks ---- */

/* Returns the recollection of a stack; NULL: it has none. */
static struct recollection *recollection_of(const struct tuples *tuples,
                                            const struct syn_rank_stream *stream, uint32_t stack)
{
    const size_t place = syn_least(stack, stream->names->stack_count);
    return place < tuples->recalled_count ? &tuples->recalled[place] : NULL;
}

static bool is_of(const struct recollection *recalled, const struct syn_slice_reader *reader,
                  const struct syn_event_sayings *said, size_t at)
{
    return recalled->numbers == reader->numbers && recalled->op == said->op[at] &&
           recalled->flags == said->flags[at] && recalled->comm == said->comm[at] &&
           recalled->root == said->root[at] && recalled->bytes == said->bytes[at] &&
           recalled->elements == said->attributes[at];
}

/* Sets a tuple from the recollection of its stack if that has the same values, else by lookups. The
 * sink's numbers are asked for again in each slice. */
static int recall(struct syn_slice_reader *reader, struct syn_rank_stream *stream,
                  const struct syn_event_sayings *said, size_t at, struct tuple *tuple)
{
    const struct tuples *tuples = &reader->tuples[stream - reader->streams.stream];
    struct recollection *recalled = recollection_of(tuples, stream, said->stack[at]);
    int status = 0;
    if (recalled && is_of(recalled, reader, said, at)) {
        const struct syn_attributes *known = reader->pending.attributes.at;
        *tuple = recalled->tuple;
        if (recalled->slice != reader->slice)
            status = ask_for_note(reader, &known[tuple->attributes], tuple);
    } else {
        status = find_out(reader, stream, said, at, tuple);
    }
    if (recalled && status == SYN_OK && tuple->known && tuple->attributes != SYN_NO_ATTRIBUTES)
        *recalled = (struct recollection){said->bytes[at], said->comm[at],  said->root[at],
                                          said->op[at],    said->flags[at], said->attributes[at],
                                          reader->slice,   reader->numbers, *tuple};
    return status;
}

/* Returns the tuples of the stream's chunk. In a new chunk only those with valid recollections are
 * known. NULL: no memory. */
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
    tuples->load = stream->load_count;
    if (tuples->messages)
        syn_message_reader_seek(tuples->messages, stream->chunk_next - 1);
    if (!tuples->recalled && count >= TUPLES_MANY) {
        /* Each stack gets a recollection, or as many as memory allows. */
        const size_t most = RECALLED_MOST_BYTES / sizeof *tuples->recalled / reader->streams.count;
        const size_t given = syn_least(stream->names->stack_count + 1, most);
        tuples->recalled = calloc(given + 1, sizeof *tuples->recalled);
        tuples->recalled_count = tuples->recalled ? given : 0;
    }
    if (tuples->at && tuples->recalled && !stream->columns.flags) {
        /* Sets all tuples of a chunk whose recollections are valid, in one loop: stacks of
         * neighbouring tuples lie side by side. */
        const struct syn_event_sayings *said = &stream->columns.of_tuple;
        for (size_t t = 0; t < stream->columns.tuple_count; t++) {
            const struct recollection *recalled = recollection_of(tuples, stream, said->stack[t]);
            if (recalled && recalled->slice == reader->slice && is_of(recalled, reader, said, t))
                tuples->at[t] = recalled->tuple;
            else
                tuples->at[t].known = false;
        }
    } else if (tuples->at)
        memset(tuples->at, 0, count * sizeof *tuples->at);
    return tuples->at;
}

/* Returns the times of an event that is not plain. */
static struct syn_request_times request_times(const struct syn_event_columns *columns, size_t i,
                                              const struct tuple *tuple)
{
    struct syn_request_times request = {columns->start_ns[i], columns->start_ns[i]};
    if (!tuple->blocking)
        request = (struct syn_request_times){columns->call_end_ns[i], columns->wait_start_ns[i]};
    if (!tuple->completed)
        request.wait_start_ns = columns->end_ns[i];
    return request;
}

/* Fetches the place of a later event in its pending instance into the cache. RATIONALE: on a
 * communicator with many members, a member's places in consecutive instances lie far apart. The
 * wanted instance is nearly always the first of its chain, so the others are not looked at. */
#define MEMBERS_MANY 64
#define PLACES_AHEAD 8

static inline void fetch_place(const struct syn_pending_table *table, const struct tuple *tuple,
                               uint64_t sequence)
{
    const uint32_t comm = tuple->place.comm, m = tuple->place.member;
    if (!tuple->known || comm == SYN_NO_COMM || table->comms->comm[comm].known_count < MEMBERS_MANY)
        return;
    const char *at =
        (const char *)syn_chains_first(&table->chains, syn_pending_hash(comm, sequence));
    if (!at)
        return;
    SYN_FETCH(at + offsetof(struct syn_pending, attributes) + m * sizeof(uint32_t));
    SYN_FETCH(at + syn_pending_spans_offset(table->comms->comm[comm].known_count) +
              m * sizeof(struct syn_span));
}

/* Adds an event to its pending instance, and emits the instance with its last member. *is_last: the
 * event was the last member's. */
static int arrive(struct syn_slice_reader *reader, const struct syn_event_columns *columns,
                  size_t i, const struct tuple *tuple, bool *is_last)
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
    if (__builtin_expect(pending->by_arrival, 0)) {
        m = pending->arrived_count;
        syn_pending_members(pending)[m] = tuple->place.member;
    } else if (__builtin_expect(pending->attributes[m] != SYN_NO_ATTRIBUTES, 0)) {
        reader->out->totals.duplicate_count++;
        return 0;
    }
    if (__builtin_expect(!tuple->plain | pending->has_request_times, 0)) {
        syn_pending_extend(pending);
        syn_pending_requests(pending)[m] = request_times(columns, i, tuple);
    }
    pending->attributes[m] = tuple->attributes;
    syn_pending_spans(pending)[m] = (struct syn_span){columns->start_ns[i], columns->end_ns[i]};
    pending->arrived_count++;
    *is_last = syn_pending_is_over(pending);
    if (!*is_last)
        return 0;
    int status = syn_emit_instance(&reader->maker, pending, &table->attributes,
                                   reader->out->partial, &reader->out->totals);
    syn_pending_recycle(table, pending);
    return status;
}

/* Totals of the events of a batch. */
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

/* Returns the event's time inside MPI, or IMPLAUSIBLE if one of its times is implausible. No
 * difference of plausible times is as small as IMPLAUSIBLE. */
#define IMPLAUSIBLE INT64_MIN
static inline int64_t inside_ns(const struct syn_event_columns *columns, size_t i,
                                const struct tuple *tuple)
{
    const int64_t start_ns = columns->start_ns[i], end_ns = columns->end_ns[i];
    if (__builtin_expect(!syn_plausible_ns(start_ns) || !syn_plausible_ns(end_ns), 0))
        return IMPLAUSIBLE;
    if (__builtin_expect(tuple->plain, 1))
        return end_ns - start_ns;
    if (!syn_plausible_ns(columns->call_end_ns[i]) || !syn_plausible_ns(columns->wait_start_ns[i]))
        return IMPLAUSIBLE;
    const struct syn_request_times request = request_times(columns, i, tuple);
    return (request.call_end_ns - start_ns) + (end_ns - request.wait_start_ns);
}

/* Facts of the events of a batch, for a sink that reads events. */
struct notes {
    uint32_t note[SYN_STREAM_BATCH], member[SYN_STREAM_BATCH];
};

/* Hands the batch to a sink that reads events. */
static int hand_on(struct syn_slice_reader *reader, const struct syn_rank_stream *stream,
                   size_t end, const struct notes *notes)
{
    const struct syn_match_sink *sink = &reader->match->sink;
    struct syn_message_reader *messages = reader->tuples[stream - reader->streams.stream].messages;
    struct syn_message_mark mark[SYN_STREAM_BATCH];
    if (messages)
        syn_message_reader_next(messages, &stream->columns, stream->next, end - stream->next, mark);
    const struct syn_match_batch batch = {.rank = stream->rank,
                                          .columns = &stream->columns,
                                          .chunk = stream->chunk_next - 1,
                                          .first = stream->next,
                                          .end = end,
                                          .note = notes->note,
                                          .member = notes->member,
                                          .mark = messages ? mark : NULL};
    return sink->batch ? sink->batch(reader->out->partial, &batch) : 0;
}

/* Number of events by which lookups are fetched ahead. The signature is found through the tuple,
 * which is fetched earlier. */
enum { TUPLE_AHEAD = 18, SIGNATURE_AHEAD = 12 };

/* Fetches the lookups of later events into the cache. `number` has the tuples of the next `count`
 * events. Signatures are looked up with the last member only. Nearly always either all events of a
 * batch are last members or none, so is_last of the last event decides. */
static void look_ahead(const struct syn_attribute_table *table, const struct tuple *tuples,
                       const uint16_t *number, size_t count, bool is_last)
{
    const struct tuple *tuple;
    if (count > TUPLE_AHEAD)
        SYN_FETCH(&tuples[number[TUPLE_AHEAD]]);
    if (!is_last)
        return;
    if (count > SIGNATURE_AHEAD && (tuple = &tuples[number[SIGNATURE_AHEAD]])->known &&
        tuple->attributes != SYN_NO_ATTRIBUTES) {
        SYN_FETCH(&table->signature[tuple->attributes]);
        SYN_FETCH(&table->at[tuple->attributes]);
    }
}

static inline struct tuple *tuple_at(struct tuple *tuples, const struct syn_event_columns *columns,
                                     size_t i)
{
    return &tuples[columns->tuple ? columns->tuple[i] : 0];
}

static int take_batch(struct syn_slice_reader *reader, struct syn_rank_stream *stream)
{
    const struct syn_event_columns *columns = &stream->columns;
    const struct syn_event_sayings said = sayings_of(columns);
    struct tuple *tuples = tuples_of(reader, stream);
    struct batch_totals batch = {0, INT64_MAX, INT64_MIN, 0};
    double other_ns[SYN_CLASS_COUNT] = {0};
    uint64_t unplaced_count = 0, implausible_count = 0;
    struct notes notes;
    const size_t first = stream->next;
    const size_t turn = stream->is_short ? SYN_PIECE_LEAST : SYN_STREAM_BATCH;
    const size_t end = stream->next + syn_least(turn, columns->count - stream->next);
    const bool many = columns->tuple && columns->tuple_count >= TUPLES_MANY;
    bool is_last = false;
    int status = tuples ? 0 : SYN_ENOMEM;
    syn_streams_fetch_next(&reader->streams, 0);
    for (size_t i = first; tuples && i < syn_least(first + PLACES_AHEAD, end); i++)
        fetch_place(&reader->pending, tuple_at(tuples, columns, i), columns->sequence[i]);
    for (size_t i = stream->next; i < end && status == SYN_OK; i++) {
        if (many)
            look_ahead(&reader->pending.attributes, tuples, &columns->tuple[i], end - i, is_last);
        if (i + PLACES_AHEAD < end)
            fetch_place(&reader->pending, tuple_at(tuples, columns, i + PLACES_AHEAD),
                        columns->sequence[i + PLACES_AHEAD]);
        struct tuple *tuple = tuple_at(tuples, columns, i);
        if (__builtin_expect(!tuple->known, 0) &&
            recall(reader, stream, &said, said_at(columns, i), tuple))
            return SYN_ENOMEM;
        notes.note[i - first] = tuple->note;
        notes.member[i - first] = tuple->place.member;
        if (__builtin_expect(tuple->hidden, 0))
            continue;
        const int64_t inside = inside_ns(columns, i, tuple);
        if (__builtin_expect(inside == IMPLAUSIBLE, 0)) {
            implausible_count++;
            notes.note[i - first] = SYN_NO_NOTE;
            continue;
        }
        if (tuple->message)
            continue;
        batch.event_count++;
        batch.first_ns = syn_least(batch.first_ns, columns->start_ns[i]);
        batch.last_ns = syn_largest(batch.last_ns, columns->end_ns[i]);
        batch.inside_ns += (double)inside;
        if (__builtin_expect(tuple->class != SYN_CLASS_DATA, 0))
            other_ns[tuple->class] += (double)inside;
        if (__builtin_expect(tuple->place.comm != SYN_NO_COMM, 1))
            status = arrive(reader, columns, i, tuple, &is_last);
        else
            unplaced_count++;
    }
    syn_streams_fetch_next(&reader->streams, 1);
    SYN_STEP(status, hand_on(reader, stream, end, &notes));
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
        SYN_STEP(status, syn_streams_advance(&reader->streams));
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
    reader->slice++;
    if (reader->pending.attributes.count > SYN_ATTRIBUTES_MANY) {
        syn_attributes_clear(&reader->pending.attributes);
        reader->numbers++;
    }
    reader->pending.count_most = 0;
    int status = syn_streams_seek(&reader->streams, first, end);
    for (size_t i = 0; i < reader->streams.count; i++) /* numbers may have been removed */
        reader->tuples[i].load = 0;
    SYN_STEP(status, read_all(reader));
    if (status == SYN_OK && reader->match->sink.partial_settle)
        status = reader->match->sink.partial_settle(out->partial);
    SYN_STEP(status, syn_pending_leave(&reader->pending, &out->left));
    out->totals.pending_peak = reader->pending.count_most;
    return status;
}

static int open_parts(struct syn_slice_reader *reader, const struct syn_trace_names *names)
{
    const struct syn_match *match = reader->match;
    int status = syn_streams_open(match->trace, match->memory_bytes, names, &reader->streams);
    SYN_STEP(status, syn_pending_begin(&reader->pending, match->comms));
    SYN_STEP(status, syn_instance_maker_begin(&reader->maker, match));
    reader->tuples = calloc(reader->streams.count + 1, sizeof *reader->tuples);
    if (status != SYN_OK || !reader->tuples)
        return status != SYN_OK ? status : SYN_ENOMEM;
    const bool any = match->numbers && match->numbers->any;
    for (size_t i = 0; any && i < reader->streams.count && status == SYN_OK; i++) {
        reader->tuples[i].messages =
            syn_message_reader_new(match->numbers, reader->streams.stream[i].rank);
        status = reader->tuples[i].messages ? SYN_OK : SYN_ENOMEM;
    }
    return status;
}

int syn_slice_reader_begin(const struct syn_match *match, const struct syn_trace_names *names,
                           struct syn_slice_reader **out)
{
    struct syn_slice_reader *reader = calloc(1, sizeof *reader);
    *out = NULL;
    if (!reader)
        return SYN_ENOMEM;
    reader->match = match;
    reader->numbers = 1;
    int status = open_parts(reader, names);
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
    for (size_t i = 0; reader->tuples && i < reader->streams.count; i++) {
        free(reader->tuples[i].at);
        free(reader->tuples[i].recalled);
        syn_message_reader_free(reader->tuples[i].messages);
    }
    syn_streams_close(&reader->streams);
    syn_pending_free(&reader->pending);
    syn_instance_maker_end(&reader->maker);
    free(reader->tuples);
    free(reader);
}
