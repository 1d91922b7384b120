/* trace/columns/columns_decode.c - decodes the columns of a chunk. Everything in a payload is
 * checked before it is used. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/ends.h"
#include "trace/columns/columns.h"
#include "trace/columns/columns_tables.h"
#include "trace/columns/times.h"

/* Number of events that go through all steps together. The output of a step is still in the nearest
 * cache when the next step reads it. */
#define BLOCK_EVENTS ((size_t)512)

enum { GAP, CALL, OVERLAP, WAIT };

/* An encoded column of times, and the place up to which it is decoded. */
struct time_column {
    const uint8_t *symbols;
    const uint8_t *bits;
    size_t done;
    uint64_t position; /* of the next bit */
};

/* The place up to which the columns of a chunk are decoded. */
struct parts {
    size_t exception;        /* index of the next exception */
    int64_t wait_start, end; /* of the last extended event */
    struct time_column times[4];
    const struct syn_times_tables *symbols;
};

int syn_columns_reserve(struct syn_columns *columns, size_t capacity)
{
    if (capacity <= columns->capacity)
        return SYN_OK;
    /* Eight-byte columns come first, so that all columns are aligned. */
    size_t event_bytes = 6 * 8 + 3 * 4 + 4 * 2;
    if (capacity > SIZE_MAX / event_bytes)
        return SYN_ENOMEM;
    int64_t *memory = malloc(capacity * event_bytes);
    if (!memory)
        return SYN_ENOMEM;
    const bool by_tuple = columns->by_tuple;
    syn_columns_free(columns);
    columns->by_tuple = by_tuple;
    columns->capacity = capacity;
    columns->memory = memory;
    columns->start = memory;
    columns->end = memory + capacity;
    columns->call_end = memory + 2 * capacity;
    columns->wait_start = memory + 3 * capacity;
    columns->bytes = (uint64_t *)memory + 4 * capacity;
    columns->sequence = (uint64_t *)memory + 5 * capacity;
    columns->comm = (uint32_t *)(columns->sequence + capacity);
    columns->stack = columns->comm + capacity;
    columns->root = (int32_t *)(columns->stack + capacity);
    columns->op = (uint16_t *)(columns->root + capacity);
    columns->flags = columns->op + capacity;
    columns->attributes = columns->flags + capacity;
    columns->tuple = columns->attributes + capacity;
    return SYN_OK;
}

void syn_columns_free(struct syn_columns *columns)
{
    free(columns->memory);
    *columns = (struct syn_columns){0};
}

/* Writes sequence numbers that count up: those of collectives on each communicator, those of
 * messages over all communicators. */
static void count_up(const struct syn_columns_tables *tables, const uint16_t *index, size_t count,
                     uint64_t *sequence)
{
    uint64_t *restrict next = tables->next_number;
    const uint32_t *use = tables->tuples.comm_use;
    if (tables->has_messages) {
        const uint32_t *tag = tables->tuples.tag;
        const uint8_t *shift = tables->tuples.shift;
        for (size_t i = 0; i < count; i++)
            sequence[i] = next[use[index[i]]]++ << shift[index[i]] | tag[index[i]];
        return;
    }
    if (tables->comm_count == 1) {
        for (size_t i = 0; i < count; i++)
            sequence[i] = next[0] + i;
        next[0] += count;
        return;
    }
    for (size_t i = 0; i < count; i++)
        sequence[i] = next[use[index[i]]]++;
}

/* Writes the sequence numbers of a block. They count up to each exception; there the exception's
 * difference is added to the counter. */
static void fill_sequences(const struct syn_columns_tables *tables, struct parts *parts,
                           const uint16_t *index, size_t first, size_t count, uint64_t *sequence)
{
    size_t done = first, end = first + count;
    for (;
         parts->exception < tables->exception_count && tables->exception_at[parts->exception] < end;
         parts->exception++) {
        const size_t at = tables->exception_at[parts->exception];
        count_up(tables, index + (done - first), at - done, sequence + (done - first));
        tables->next_number[tables->tuples.comm_use[index[at - first]]] +=
            (uint64_t)tables->exception_by[parts->exception];
        done = at;
    }
    count_up(tables, index + (done - first), end - done, sequence + (done - first));
}

static void decode_times(struct parts *parts, int which, uint64_t unit, size_t count, int64_t *out)
{
    struct time_column *column = &parts->times[which];
    column->position = syn_times_decode(parts->symbols, column->symbols + column->done, count,
                                        column->bits, column->position, unit, out);
    column->done += count;
}

/* Completes the times of a block with extended events. Overlap and wait have one value for each
 * event whose tuple has extended 1. On entry start and end are those of the calls. */
static void add_up_extended(const struct syn_columns_tables *tables, struct parts *parts,
                            const uint16_t *index, size_t first, size_t count,
                            const struct syn_columns *columns)
{
    int64_t overlap[BLOCK_EVENTS], wait[BLOCK_EVENTS];
    size_t extended = 0, next = 0;
    for (size_t i = 0; i < count; i++)
        extended += tables->tuples.extended[index[i]] == 1;
    decode_times(parts, OVERLAP, tables->units[OVERLAP], extended, overlap);
    decode_times(parts, WAIT, tables->units[WAIT], extended, wait);
    memcpy(columns->wait_start + first, columns->start + first, count * sizeof *columns->start);
    memcpy(columns->call_end + first, columns->end + first, count * sizeof *columns->end);
    for (size_t i = 0; i < count; i++) {
        const uint8_t how = tables->tuples.extended[index[i]];
        if (how == 0)
            continue;
        if (how == 1) {
            parts->wait_start = syn_wrap_add(columns->call_end[first + i], overlap[next]);
            parts->end = syn_wrap_add(parts->wait_start, wait[next++]);
        }
        columns->wait_start[first + i] = parts->wait_start;
        columns->end[first + i] = parts->end;
    }
}

struct syn_columns_decoder {
    struct syn_columns_payload payload;
    struct parts parts;
    uint64_t *next_number; /* [comm_count + 1], before the first event */
    size_t done;           /* number of events decoded */
    int64_t before;        /* end of the call of the last decoded event */
};

/* Decodes the next block into the columns from `first` on: the tuples' values, the sequence numbers
 * and tags, the times. */
static void decode_block(struct syn_columns_decoder *decoder, size_t first, size_t count,
                         bool with_tuples, struct syn_columns *columns)
{
    const struct syn_columns_payload *payload = &decoder->payload;
    const struct syn_columns_tables *tables = &payload->tables;
    struct parts *parts = &decoder->parts;
    uint16_t *index = columns->tuple + first;
    syn_columns_index(payload, decoder->done, count, index);
    if (with_tuples) {
        const struct syn_columns_tuples *tuples = &tables->tuples;
        const size_t tuple_count = tables->tuple_count;
#define SPREAD(bits, name)                                     \
    syn_spread_##bits(tuples->name, tuple_count, index, count, \
                      (uint##bits##_t *)columns->name + first);
        SYN_EVENT_VALUES(SPREAD)
    }
    fill_sequences(tables, parts, index, decoder->done, count, columns->sequence + first);
    if (payload->tags.count > 0) {
        uint64_t *sequence = columns->sequence + first;
        const struct syn_chunk_column *tags = &payload->tags;
        const uint8_t *shift = payload->tables.tuples.shift;
        for (size_t i = 0; i < count; i++) {
            uint32_t tag = (uint32_t)tags->least;
            for (size_t k = 0; k < tags->width; k++)
                tag += (uint32_t)tags->data[k * tags->count + decoder->done + i] << 8 * k;
            sequence[i] |= shift[index[i]] ? tag : 0;
        }
    }
    decode_times(parts, GAP, tables->units[GAP], count, columns->start + first);
    decode_times(parts, CALL, tables->units[CALL], count, columns->end + first);
    int64_t before = decoder->before;
    int64_t *restrict start = columns->start + first;
    int64_t *restrict end = columns->end + first;
    for (size_t i = 0; i < count; i++) {
        int64_t next = syn_wrap_add(before, start[i]);
        start[i] = next;
        before = end[i] = syn_wrap_add(next, end[i]);
    }
    decoder->before = before;
    if (columns->extended)
        add_up_extended(tables, parts, index, first, count, columns);
    const struct syn_ends starts = syn_ends_of(columns->start + first, count);
    const struct syn_ends ends = syn_ends_of(columns->end + first, count);
    columns->span_start = syn_least(starts.least, columns->span_start);
    columns->span_end = syn_largest(ends.largest, columns->span_end);
    decoder->done += count;
}

static void decode_piece(struct syn_columns_decoder *decoder, size_t piece, bool with_tuples,
                         struct syn_columns *columns)
{
    const struct syn_columns_tables *tables = &decoder->payload.tables;
    size_t left = tables->event_count - decoder->done;
    size_t wanted = syn_least(left, piece);
    columns->count = 0;
    columns->tuple_count = tables->tuple_count;
    columns->span_start = INT64_MAX;
    columns->span_end = INT64_MIN;
    columns->extended = tables->extended_count > 0;
    for (size_t first = 0; first < wanted; first += BLOCK_EVENTS) {
        size_t count = wanted - first < BLOCK_EVENTS ? wanted - first : BLOCK_EVENTS;
        decode_block(decoder, first, count, with_tuples, columns);
    }
    columns->count = wanted;
}

void syn_columns_decoder_next(struct syn_columns_decoder *decoder, size_t piece,
                              struct syn_columns *columns)
{
    decode_piece(decoder, piece, true, columns);
}

void syn_columns_decoder_verify(struct syn_columns_decoder *decoder, size_t piece,
                                struct syn_columns *columns)
{
    decode_piece(decoder, piece, false, columns);
}

/* Fetches symbols and bits of the next `count` times. The bits take about one byte a time. */
static void fetch_times(const struct time_column *times, size_t count)
{
    syn_fetch(times->symbols + times->done, count);
    syn_fetch(times->bits + times->position / 8, count);
}

void syn_columns_decoder_fetch(const struct syn_columns_decoder *decoder, size_t piece,
                               unsigned step)
{
    const struct syn_columns_payload *payload = &decoder->payload;
    const struct parts *parts = &decoder->parts;
    const size_t count = syn_least(payload->tables.event_count - decoder->done, piece);
    if (step == 0)
        syn_fetch(decoder, sizeof *decoder);
    if (step == 0 || count == 0)
        return;
    for (size_t k = 0; k < payload->index_width; k++)
        syn_fetch(payload->index + k * payload->tables.event_count + decoder->done, count);
    fetch_times(&parts->times[GAP], count);
    fetch_times(&parts->times[CALL], count);
    SYN_FETCH(payload->tables.next_number);
    SYN_FETCH(payload->tables.tuples.memory);
}

size_t syn_columns_decoder_left(const struct syn_columns_decoder *decoder)
{
    return decoder->payload.tables.event_count - decoder->done;
}

int64_t syn_columns_decoder_start(const struct syn_columns_decoder *decoder)
{
    const struct time_column *gaps = &decoder->parts.times[GAP];
    int64_t gap;
    syn_times_decode(decoder->parts.symbols, gaps->symbols + gaps->done, 1, gaps->bits,
                     gaps->position, decoder->payload.tables.units[GAP], &gap);
    return syn_wrap_add(decoder->before, gap);
}

/* Sets `parts` to the first event. */
static void begin_parts(const struct syn_columns_payload *payload, struct parts *parts)
{
    *parts = (struct parts){.symbols = syn_times_tables()};
    for (int i = GAP; i <= WAIT; i++)
        parts->times[i] = (struct time_column){.symbols = payload->times[i].symbols,
                                               .bits = payload->times[i].bits};
}

/* Prepares for the first event. After this nothing can fail. The caller ends the decoder in any
 * case. */
static int begin_columns(struct syn_columns_decoder *decoder,
                         const struct syn_columns_source *source,
                         const struct syn_columns_known *known, bool *lost_stacks, const char **why)
{
    struct syn_columns_payload *payload = &decoder->payload;
    *decoder = (struct syn_columns_decoder){0};
    const int status = syn_columns_find(source, payload, why);
    if (status != SYN_OK)
        return status;
    *why = "the declaration of a communicator is lost";
    if (!syn_columns_check_known(&payload->tables, known, lost_stacks))
        return SYN_EDAMAGED;
    begin_parts(payload, &decoder->parts);
    decoder->before = payload->tables.base;
    return SYN_OK;
}

static void end(struct syn_columns_decoder *decoder)
{
    syn_columns_payload_free(&decoder->payload);
    free(decoder->next_number);
}

static size_t numbers_bytes(const struct syn_columns_decoder *decoder)
{
    return (decoder->payload.tables.comm_count + 1) * sizeof *decoder->next_number;
}

int syn_columns_decoder_open(const struct syn_columns_source *source,
                             const struct syn_columns_known *known, bool *lost_stacks,
                             const char **why, struct syn_columns_decoder **out)
{
    struct syn_columns_decoder *decoder = malloc(sizeof *decoder);
    *out = NULL;
    if (!decoder)
        return SYN_ENOMEM;
    int status = begin_columns(decoder, source, known, lost_stacks, why);
    if (status == SYN_OK) {
        decoder->next_number = malloc(numbers_bytes(decoder));
        status = decoder->next_number ? SYN_OK : SYN_ENOMEM;
    }
    if (status != SYN_OK) {
        syn_columns_decoder_close(decoder);
        return status;
    }
    memcpy(decoder->next_number, decoder->payload.tables.next_number, numbers_bytes(decoder));
    *out = decoder;
    return SYN_OK;
}

void syn_columns_decoder_rewind(struct syn_columns_decoder *decoder)
{
    begin_parts(&decoder->payload, &decoder->parts);
    memcpy(decoder->payload.tables.next_number, decoder->next_number, numbers_bytes(decoder));
    decoder->before = decoder->payload.tables.base;
    decoder->done = 0;
}

void syn_columns_decoder_close(struct syn_columns_decoder *decoder)
{
    if (!decoder)
        return;
    end(decoder);
    free(decoder);
}

int syn_columns_decode(const struct syn_columns_source *source,
                       const struct syn_columns_known *known, struct syn_columns *columns,
                       bool *lost_stacks, const char **why)
{
    struct syn_columns_decoder decoder;
    columns->count = columns->tuple_count = 0;
    *why = "counts";
    if (source->event_count > columns->capacity)
        return SYN_EDAMAGED;
    int status = begin_columns(&decoder, source, known, lost_stacks, why);
    if (status == SYN_OK)
        decode_piece(&decoder, source->event_count, !columns->by_tuple, columns);
    if (status == SYN_OK && columns->by_tuple) {
        /* There is enough room, since there are at most as many tuples as events. */
        const struct syn_columns_tuples *tuples = &decoder.payload.tables.tuples;
        const size_t count = decoder.payload.tables.tuple_count;
#define COPY(bits, name) memcpy(columns->name, tuples->name, count * sizeof *columns->name);
        SYN_EVENT_VALUES(COPY)
    }
    end(&decoder);
    return status;
}
