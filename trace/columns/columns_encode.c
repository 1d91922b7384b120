/* trace/columns/columns_encode.c - encodes events as columns: repeated values once, times as
 * differences. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/time/convert.h"
#include "sync/time/ends.h"
#include "trace/base/frame.h"
#include "trace/base/order.h"
#include "trace/columns/column.h"
#include "trace/columns/columns.h"
#include "trace/columns/times.h"
#include "trace/columns/tuples.h"
#include "trace/events/message.h"

/* Number of events that go through all steps together. They are 8 KiB, so they are still in the
 * nearest cache when the next step reads them. */
#define BLOCK_EVENTS ((size_t)128)
/* Events come from memory. At this distance, in cache lines, a prefetch is faster than the
 * processor's own prefetching. */
#define PREFETCH_DISTANCE 64

/* A step handles this many events, or elements of tables, in some microseconds. */
#define STEP_EVENTS (4 * BLOCK_EVENTS)

/* Call stacks are a column of their own if the first SITES_LOOKED events of a chunk have more than
 * SITES_MANY different stacks. With so many tuples, the index of tuples would take two bytes an
 * event, too. */
#define SITES_MANY   ((size_t)256)
#define SITES_LOOKED ((size_t)512)
#define SITES_BITS   11
/* Tags of messages are a column from fewer different tags on: a loop that counts its tags up has
 * only few among the first SITES_LOOKED events. */
#define TAGS_MANY ((size_t)24)

/* The payload counts as only times if at most this many bytes come before the columns of times. */
#define LITTLE_BYTES ((size_t)512)
/* The distance at which symbols are compared: a common multiple of the periods 2, 3, 4, 6 and 8. */
#define SYMBOLS_BACK ((size_t)24)

/* A step writes this many numbers of tables. */
#define STEP_NUMBERS (6 * STEP_EVENTS)

/* Converts an event's times: unchanged ticks, or global nanoseconds. */
struct time_map {
    struct syn_convert convert;
    bool global;
};

/* The phases of encoding, in order. Each has steps of its own. */
enum phase {
    SPLIT,        /* split the events into columns; stops if they are not in order, then: */
    KEYS,         /* take their times, */
    SORT,         /* sort them, */
    COPY,         /* copy the events in that order, */
    SPLIT_SORTED, /* and split them */
    DIVIDE,       /* divide each column of times by its unit */
    TABLES,
    STACKS, /* write call stacks, if they are not in tuples: one plane of bytes a step, */
    TAGS,   /* write tags, if they are not in tuples, in the same way */
    INDEX,
    TIMES, /* one column of times a step */
    DONE
};

/* The columns of times. */
enum { GAP, CALL, OVERLAP, WAIT, TIME_COLUMNS };

/* The next number of the tables to write. */
struct table_place {
    int name;       /* enum syn_column_name, */
    size_t at;      /* index of the number in it, */
    int64_t before; /* and the number before */
};

/* Numbers of events that are in no tuple: call stacks or tags. */
struct apart {
    uint32_t least, largest;           /* of all numbers */
    uint32_t number[SYN_CHUNK_EVENTS]; /* one for each event */
};

struct syn_columns_encoder {
    /* the chunk */
    const struct syn_event *events;
    size_t count;
    struct time_map map;
    struct syn_bytes *out;
    struct syn_columns_layout *layout;
    enum phase phase; /* present phase, */
    size_t part;      /* and step in it */
    int64_t before[2];
    uint64_t units[TIME_COLUMNS];

    struct syn_event *sorted; /* the sorted events; only for a chunk that came unsorted */
    struct syn_order order;
    uint32_t *was_at; /* index of each sorted event before sorting */
    bool needs_sort;  /* the chunk came unsorted */
    struct syn_tuples tuples;
    struct apart stacks; /* stack + 1; 0: no call stack */
    struct apart tags;   /* tags of messages; 0 for other events */

    uint8_t extended[SYN_CHUNK_EVENTS]; /* of each event: 1 if it has waiting times of its own; 2 if
                                           it has those of the extended event before */
    size_t extended_count;              /* events with extended 1 */
    int64_t completed[2];              /* wait start and end of the last extended event, in ticks */
    int64_t base;                      /* start of the first event */
    int64_t span_end;                  /* largest end */
    int64_t gap[SYN_CHUNK_EVENTS];     /* start - call_end of the event before */
    int64_t call[SYN_CHUNK_EVENTS];    /* call_end - start */
    int64_t overlap[SYN_CHUNK_EVENTS]; /* extended events only: wait_start - call_end */
    int64_t wait[SYN_CHUNK_EVENTS];    /*   end - wait_start */
    struct table_place table;
};

static inline int64_t mapped(struct time_map *map, int64_t ticks)
{
    return map->global ? syn_convert_tick(&map->convert, ticks) : ticks;
}

struct syn_columns_encoder *syn_columns_encoder_new(void)
{
    return calloc(1, sizeof(struct syn_columns_encoder));
}

void syn_columns_encoder_free(struct syn_columns_encoder *encoder)
{
    if (!encoder)
        return;
    free(encoder->sorted);
    free(encoder->was_at);
    syn_order_free(&encoder->order);
    free(encoder);
}

/* Finds extended events that were completed by the same call as the extended event before. */
static void find_together(struct syn_columns_encoder *encoder, const struct syn_event *events,
                          size_t count, uint8_t *extended)
{
    int64_t wait_start = encoder->completed[0], end = encoder->completed[1];
    bool any = encoder->extended_count > 0;
    for (size_t i = 0; i < count; i++) {
        if (!extended[i])
            continue;
        if (any && events[i].wait_start_ticks == wait_start && events[i].end_ticks == end)
            extended[i] = 2;
        any = true;
        wait_start = events[i].wait_start_ticks;
        end = events[i].end_ticks;
    }
    encoder->completed[0] = wait_start;
    encoder->completed[1] = end;
}

/* Writes overlap and wait of a block's extended events; `call_end` is already converted. Returns
 * the largest end in the block. */
static int64_t split_extended(struct syn_columns_encoder *encoder, const struct syn_event *events,
                              size_t count, const uint8_t *extended, const int64_t *call_end,
                              struct time_map *map)
{
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (extended[i] != 1) {
            last = syn_largest(last, call_end[i]);
            continue;
        }
        int64_t end = mapped(map, events[i].end_ticks);
        int64_t wait_start = mapped(map, events[i].wait_start_ticks);
        encoder->overlap[encoder->extended_count] = syn_wrap_sub(wait_start, call_end[i]);
        encoder->wait[encoder->extended_count++] = syn_wrap_sub(end, wait_start);
        last = syn_largest(last, end);
    }
    return last;
}

static inline uint32_t stack_number(const struct syn_event *event)
{
    return event->stack + 1;
}

static inline uint32_t tag_number(const struct syn_event *event)
{
    return syn_is_message(event->op) ? (uint32_t)event->sequence : 0;
}

/* Returns true if the first events have more than `many` different numbers. Hash collisions hide a
 * few of them. */
static inline __attribute__((always_inline)) bool
are_many(const struct syn_event *events, size_t count, uint32_t (*number)(const struct syn_event *),
         size_t many)
{
    uint64_t seen[((size_t)1 << SITES_BITS) / 64] = {0};
    size_t found = 0;
    for (size_t i = 0; i < syn_least(count, SITES_LOOKED); i++) {
        const size_t bit = syn_hash_word(number(&events[i])) >> (64 - SITES_BITS);
        found += !(seen[bit / 64] >> bit % 64 & 1);
        seen[bit / 64] |= UINT64_C(1) << bit % 64;
    }
    return found > many;
}

static inline __attribute__((always_inline)) void
take_apart(struct apart *apart, const struct syn_event *events,
           uint32_t (*number)(const struct syn_event *), size_t first, size_t count)
{
    uint32_t least = apart->least, largest = apart->largest;
    for (size_t i = first; i < first + count; i++) {
        apart->number[i] = number(&events[i]);
        least = syn_least(apart->number[i], least);
        largest = syn_largest(apart->number[i], largest);
    }
    apart->least = least;
    apart->largest = largest;
}

/* Splits a block that begins at event `first`. `before` has call_end and start of the event before;
 * on return, those of the block's last event. Returns true if the block came ordered by start. */
static bool split_block(struct syn_columns_encoder *encoder, const struct syn_event *events,
                        size_t first, size_t count, struct time_map *map, int64_t before[2])
{
    int64_t start[BLOCK_EVENTS], call_end[BLOCK_EVENTS];
    uint8_t *extended = encoder->extended + first;
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct syn_event *event = &events[first + i];
        __builtin_prefetch(event + PREFETCH_DISTANCE);
        start[i] = event->start_ticks;
        call_end[i] = event->call_end_ticks;
        extended[i] = ((event->call_end_ticks ^ event->end_ticks) |
                       (event->wait_start_ticks ^ event->start_ticks)) != 0;
        any |= extended[i];
    }
    if (any)
        find_together(encoder, events + first, count, extended);
    syn_tuples_find(&encoder->tuples, events, encoder->extended, first, first + count);
    if (encoder->layout->stack_column)
        take_apart(&encoder->stacks, events, stack_number, first, count);
    if (encoder->tuples.tag_column)
        take_apart(&encoder->tags, events, tag_number, first, count);
    if (map->global) {
        syn_convert_ticks(&map->convert, start, count);
        syn_convert_ticks(&map->convert, call_end, count);
    }
    if (first == 0)
        encoder->base = before[0] = before[1] = start[0];
    int64_t end = any ? split_extended(encoder, events + first, count, extended, call_end, map)
                      : syn_ends_of(call_end, count).largest;
    encoder->span_end = syn_largest(encoder->span_end, end);
    int64_t *restrict gap = encoder->gap + first;
    int64_t *restrict call = encoder->call + first;
    gap[0] = syn_wrap_sub(start[0], before[0]);
    for (size_t i = 1; i < count; i++)
        gap[i] = syn_wrap_sub(start[i], call_end[i - 1]);
    for (size_t i = 0; i < count; i++)
        call[i] = syn_wrap_sub(call_end[i], start[i]);
    bool ascending = start[0] >= before[1] && syn_ascending(start, count);
    before[0] = call_end[count - 1];
    before[1] = start[count - 1];
    return ascending;
}

/* ---- the chunk, step by step ---- */

/* Returns true if the events of this step came ordered by start. Otherwise the columns are of no
 * use. */
static bool split_step(struct syn_columns_encoder *encoder, const struct syn_event *events)
{
    bool ascending = true;
    const size_t begin = encoder->part * STEP_EVENTS;
    const size_t end = syn_least(begin + STEP_EVENTS, encoder->count);
    if (begin == 0) {
        const bool stack_column = are_many(events, encoder->count, stack_number, SITES_MANY);
        syn_tuples_begin(&encoder->tuples, events, encoder->count, stack_column,
                         are_many(events, encoder->count, tag_number, TAGS_MANY));
        encoder->layout->stack_column = stack_column;
        encoder->stacks.least = encoder->tags.least = UINT32_MAX;
        encoder->stacks.largest = encoder->tags.largest = 0;
        encoder->extended_count = 0;
        encoder->span_end = INT64_MIN;
    }
    for (size_t first = begin; first < end; first += BLOCK_EVENTS)
        ascending &= split_block(encoder, events, first, syn_least(BLOCK_EVENTS, end - first),
                                 &encoder->map, encoder->before);
    return ascending;
}

/* Returns the number of bytes of the largest difference from the least number. */
static size_t apart_width(const struct apart *apart)
{
    size_t width = 0;
    while (width < sizeof(uint32_t) && (uint64_t)(apart->largest - apart->least) >> 8 * width)
        width++;
    return width;
}

/* Writes one byte of each number, the lowest first. Higher bytes hardly vary, so a plane of them
 * compresses well. */
static void apart_step(struct syn_columns_encoder *encoder, const struct apart *apart, int name)
{
    const uint32_t least = apart->least;
    const unsigned shift = 8 * (unsigned)encoder->part;
    if (encoder->part == 0)
        syn_column_begin_planes(encoder->out, name, encoder->count, least, apart_width(apart));
    uint8_t *restrict at = syn_bytes_reserve(encoder->out, encoder->count);
    if (!at)
        return;
    for (size_t i = 0; i < encoder->count; i++)
        at[i] = (uint8_t)((apart->number[i] - least) >> shift);
    encoder->out->count += encoder->count;
    syn_columns_cut(encoder->layout, encoder->out);
}

/* ---- tables: columns of differences ---- */

/* After SYN_COLUMN_PAUSED come the tables of messages. */
static int table_after(int name)
{
    return name == SYN_COLUMN_PAUSED ? SYN_COLUMN_ORDER : name + 1;
}
#define TABLES_END (SYN_COLUMN_TUPLE_TAG + 1)

static size_t table_count(const struct syn_columns_encoder *encoder, int name)
{
    const struct syn_tuples *tuples = &encoder->tuples;
    switch (name) {
    case SYN_COLUMN_BASE:
        return 1;
    case SYN_COLUMN_COMM:
    case SYN_COLUMN_COMM_SEQUENCE:
        return tuples->comm_count;
    case SYN_COLUMN_EXCEPTION_AT:
    case SYN_COLUMN_EXCEPTION_BY:
        return tuples->exception_count;
    case SYN_COLUMN_PAUSED:
        return tuples->pause_count;
    case SYN_COLUMN_ORDER:
        return tuples->has_messages;
    case SYN_COLUMN_TUPLE_TAG:
        return tuples->has_messages && !tuples->tag_column ? tuples->tuple_count : 0;
    default:
        return name <= SYN_COLUMN_BYTES ? tuples->tuple_count : 0;
    }
}

static inline struct syn_event event_of(const struct syn_tuple *tuple)
{
    struct syn_event like;
    memcpy((char *)&like + SYN_COMM_STACK_AT, &tuple->comm_stack, 8);
    memcpy((char *)&like + SYN_ROOT_OP_FLAGS_AT, &tuple->root_op_flags, 8);
    return like;
}

static inline int64_t flags_of(const struct syn_tuple *tuple)
{
    const unsigned flags = event_of(tuple).flags & ~SYN_EVENT_WRITTEN;
    const unsigned together = tuple->extended == 2 ? SYN_COLUMN_FLAG_TOGETHER : 0;
    return (int64_t)(flags | together) << 1 | (tuple->extended == 1);
}

/* Sets out[i] to `number`, an expression in which `it` points to element first + i. */
#define EACH(elements, number)                                        \
    for (size_t i = 0; i < count; i++) {                              \
        const __typeof__((elements)[0]) *it = &(elements)[first + i]; \
        out[i] = (int64_t)(number);                                   \
    }

static void take_numbers(const struct syn_columns_encoder *encoder, int name, size_t first,
                         size_t count, int64_t *out)
{
    const struct syn_tuples *tuples = &encoder->tuples;
    if (name == SYN_COLUMN_BASE)
        out[0] = encoder->base;
    else if (name == SYN_COLUMN_COMM)
        EACH(tuples->comms, it->comm & ~SYN_OF_MESSAGES)
    else if (name == SYN_COLUMN_COMM_SEQUENCE)
        EACH(tuples->comms, it->first_sequence)
    else if (name == SYN_COLUMN_EXCEPTION_AT)
        EACH(tuples->exceptions, it->position)
    else if (name == SYN_COLUMN_EXCEPTION_BY)
        EACH(tuples->exceptions, it->number - it->expected)
    else if (name == SYN_COLUMN_PAUSED)
        EACH(tuples->pauses, *it)
    else if (name == SYN_COLUMN_ORDER)
        out[0] = (int64_t)tuples->first_order;
    else if (name == SYN_COLUMN_TUPLE_TAG)
        EACH(tuples->tags, (int32_t)*it)
    else if (name == SYN_COLUMN_OP)
        EACH(tuples->tuples, event_of(it).op)
    else if (name == SYN_COLUMN_FLAGS)
        EACH(tuples->tuples, flags_of(it))
    else if (name == SYN_COLUMN_COMM_PLACE)
        EACH(tuples->tuples, it->comm)
    else if (name == SYN_COLUMN_TUPLE_STACK)
        EACH(tuples->tuples, (uint32_t)(event_of(it).stack + 1)) /* SYN_NO_STACK becomes 0 */
    else if (name == SYN_COLUMN_ROOT)
        EACH(tuples->tuples, event_of(it).root)
    else
        EACH(tuples->tuples, it->bytes)
}

/* Writes up to `most` numbers of the current table and returns how many.
 *
 * RATIONALE: room for all of them is reserved at once, because there may be many: with thousands of
 * call sites nearly every event has a tuple, and a program that makes and frees communicators has
 * many of them. */
static size_t put_numbers(struct syn_columns_encoder *encoder, size_t most)
{
    int64_t numbers[STEP_EVENTS];
    struct table_place *table = &encoder->table;
    const size_t total = table_count(encoder, table->name);
    const size_t count = syn_least(syn_least(total - table->at, most), STEP_EVENTS);
    if (table->at == 0 && total > 0)
        syn_column_begin(encoder->out, table->name, SYN_ENCODING_DIFFERENCES, total);
    uint8_t *const room = syn_bytes_reserve(encoder->out, count * SYN_VARINT_MAX_BYTES);
    uint8_t *at = room;
    int64_t before = table->before;
    take_numbers(encoder, table->name, table->at, count, numbers);
    for (size_t i = 0; room && i < count; before = numbers[i++])
        at = syn_varint_to(at, syn_zigzag(syn_wrap_sub(numbers[i], before)));
    encoder->out->count += (size_t)(at - room);
    table->before = before;
    table->at += count;
    if (table->at == total)
        *table = (struct table_place){.name = table_after(table->name)};
    return count;
}

static void table_step(struct syn_columns_encoder *encoder)
{
    struct table_place *table = &encoder->table;
    size_t left = STEP_NUMBERS;
    if (encoder->part == 0)
        *table = (struct table_place){0};
    while (table->name < TABLES_END && (left > 0 || table_count(encoder, table->name) == 0))
        left -= put_numbers(encoder, left);
    if (table->name >= TABLES_END)
        syn_columns_cut(encoder->layout, encoder->out);
}

/* ---- tuples and times ---- */

static void put_index(const struct syn_columns_encoder *encoder, size_t count,
                      struct syn_bytes *out)
{
    const uint16_t *restrict index = encoder->tuples.index;
    const size_t width = encoder->tuples.tuple_count <= 256 ? 1 : 2;
    syn_column_begin_planes(out, SYN_COLUMN_TUPLE, count, 0, width);
    for (unsigned k = 0; k < width; k++) {
        uint8_t *restrict at = syn_bytes_reserve(out, count);
        if (!at)
            return;
        for (size_t i = 0; i < count; i++)
            at[i] = (uint8_t)(index[i] >> 8 * k);
        out->count += count;
        syn_columns_cut(encoder->layout, out);
    }
}

static int64_t *time_column(struct syn_columns_encoder *encoder, size_t column, size_t *count)
{
    int64_t *columns[TIME_COLUMNS] = {encoder->gap, encoder->call, encoder->overlap, encoder->wait};
    *count = column < OVERLAP ? encoder->count : encoder->extended_count;
    return columns[column];
}

/* Returns true if more than three of four stretches of eight symbols repeat: they are one symbol
 * eight times, or equal the eight symbols SYMBOLS_BACK before. Every other stretch is tested.
 * Matches then encode most symbols in less than the bit or more that entropy coding takes for each.
 * If equal symbols come only by chance, this needs one symbol to be 96 of a hundred. */
static bool do_repeat(const uint8_t *symbols, size_t count)
{
    size_t seen = 0, alike = 0;
    for (size_t i = SYMBOLS_BACK; i + 8 <= count; i += 16, seen++) {
        const uint64_t eight = syn_load64(symbols + i);
        alike +=
            eight == (eight << 8 | eight >> 56) || eight == syn_load64(symbols + i - SYMBOLS_BACK);
    }
    return 4 * alike > 3 * seen;
}

static void times_step(struct syn_columns_encoder *encoder)
{
    size_t count;
    const int column = (int)encoder->part;
    const int64_t *values = time_column(encoder, encoder->part, &count);
    struct syn_bytes *out = encoder->out;
    const bool in_tuples = !encoder->layout->stack_column && !encoder->tuples.tag_column;
    if (column == GAP)
        encoder->layout->only_times =
            in_tuples && encoder->tuples.tuple_count == 1 && out->count <= LITTLE_BYTES;
    const size_t bits_at =
        syn_column_put_magnitudes(out, SYN_COLUMN_GAP + column, SYN_ENCODING_MAGNITUDES,
                                  encoder->units[column], values, count);
    if (!out->failed && do_repeat(out->data + bits_at - count, count))
        encoder->layout->only_times = false;
    syn_columns_cut_at(encoder->layout, bits_at);
    syn_columns_cut(encoder->layout, out);
}

/* Returns the number of steps of a phase, as far as is known yet. */
static size_t part_count(const struct syn_columns_encoder *encoder, enum phase phase)
{
    const size_t event_steps = (encoder->count + STEP_EVENTS - 1) / STEP_EVENTS;
    size_t numbers = 0;
    switch (phase) {
    case SPLIT:
        return event_steps;
    case KEYS:
    case COPY:
    case SPLIT_SORTED:
        return encoder->needs_sort ? event_steps : 0;
    case SORT:
        return encoder->needs_sort ? syn_order_steps_left(&encoder->order) +
                                         (encoder->phase == SORT ? encoder->part : 0)
                                   : 0;
    case DIVIDE:
    case TIMES:
        return encoder->extended_count > 0 ? TIME_COLUMNS : OVERLAP;
    case STACKS:
        return encoder->layout->stack_column ? apart_width(&encoder->stacks) : 0;
    case TAGS:
        return encoder->tuples.tag_column ? apart_width(&encoder->tags) : 0;
    case TABLES:
        for (int name = 0; name < TABLES_END; name = table_after(name))
            numbers += table_count(encoder, name);
        return (numbers + STEP_NUMBERS - 1) / STEP_NUMBERS;
    case INDEX:
        return encoder->tuples.tuple_count > 1;
    default:
        return 0;
    }
}

static int do_part(struct syn_columns_encoder *encoder)
{
    switch (encoder->phase) {
    case SPLIT:
        if (split_step(encoder, encoder->events))
            break;
        encoder->needs_sort = true;
        encoder->part = SIZE_MAX - 1; /* skips the rest of this phase, which would be of no use */
        if (!encoder->sorted)
            encoder->sorted = malloc(SYN_CHUNK_EVENTS * sizeof *encoder->sorted);
        if (!encoder->was_at)
            encoder->was_at = malloc(SYN_CHUNK_EVENTS * sizeof *encoder->was_at);
        if (!encoder->sorted || !encoder->was_at)
            return SYN_ENOMEM;
        return syn_order_begin(&encoder->order, encoder->count);
    case KEYS: {
        const size_t end = syn_least((encoder->part + 1) * STEP_EVENTS, encoder->count);
        for (size_t i = encoder->part * STEP_EVENTS; i < end; i++)
            encoder->order.keys[i] = (struct syn_order_key){
                mapped(&encoder->map, encoder->events[i].start_ticks), (uint32_t)i};
        break;
    }
    case SORT:
        syn_order_step(&encoder->order);
        break;
    case COPY: {
        const size_t end = syn_least((encoder->part + 1) * STEP_EVENTS, encoder->count);
        for (size_t i = encoder->part * STEP_EVENTS; i < end; i++) {
            encoder->was_at[i] = encoder->order.keys[i].place;
            encoder->sorted[i] = encoder->events[encoder->was_at[i]];
        }
        break;
    }
    case SPLIT_SORTED:
        split_step(encoder, encoder->sorted);
        break;
    case DIVIDE: {
        size_t count;
        int64_t *values = time_column(encoder, encoder->part, &count);
        encoder->units[encoder->part] = (uint64_t)syn_times_divide(values, count);
        break;
    }
    case STACKS:
        apart_step(encoder, &encoder->stacks, SYN_COLUMN_STACK);
        break;
    case TAGS:
        apart_step(encoder, &encoder->tags, SYN_COLUMN_TAG);
        break;
    case TABLES:
        table_step(encoder);
        break;
    case INDEX:
        put_index(encoder, encoder->count, encoder->out);
        break;
    default:
        times_step(encoder);
        break;
    }
    return SYN_OK;
}

int syn_columns_begin(struct syn_columns_encoder *encoder, const struct syn_event *events,
                      size_t event_count, const struct syn_tick_source *ticks,
                      const struct syn_timeline *timeline, struct syn_bytes *out,
                      struct syn_columns_layout *layout)
{
    encoder->phase = DONE;
    if (event_count == 0 || event_count > SYN_CHUNK_EVENTS)
        return SYN_EINVAL;
    encoder->events = events;
    encoder->count = event_count;
    encoder->map = (struct time_map){.global = timeline != NULL};
    if (timeline)
        encoder->map.convert = syn_convert_begin(ticks, timeline);
    encoder->out = out;
    encoder->layout = layout;
    *layout = (struct syn_columns_layout){0};
    out->count = 0;
    for (int i = 0; i < TIME_COLUMNS; i++)
        encoder->units[i] = 1;
    encoder->needs_sort = false;
    encoder->phase = SPLIT;
    encoder->part = 0;
    return SYN_OK;
}

int syn_columns_step(struct syn_columns_encoder *encoder)
{
    int status = do_part(encoder);
    encoder->part++;
    while (encoder->phase < DONE && encoder->part >= part_count(encoder, encoder->phase)) {
        encoder->phase++;
        encoder->part = 0;
    }
    if (encoder->phase == DONE) {
        encoder->layout->span_end = encoder->span_end;
        encoder->layout->span_start = encoder->base;
    }
    if (encoder->out->failed)
        status = SYN_ENOMEM;
    if (status != SYN_OK)
        encoder->phase = DONE;
    return status;
}

size_t syn_columns_steps_left(const struct syn_columns_encoder *encoder)
{
    size_t steps = 0;
    for (enum phase phase = encoder->phase; phase < DONE; phase++)
        steps += part_count(encoder, phase) - (phase == encoder->phase ? encoder->part : 0);
    return steps;
}

const uint32_t *syn_columns_order(const struct syn_columns_encoder *encoder)
{
    return encoder->needs_sort ? encoder->was_at : NULL;
}

/* RATIONALE: the last cut has to be the payload's end. So if there is no room, a new cut replaces
 * the last one. */
void syn_columns_cut_at(struct syn_columns_layout *layout, size_t at)
{
    if (layout->cut_count == SYN_COLUMNS_CUT_MAX)
        layout->cut_count--;
    if (layout->cut_count == 0 || layout->cuts[layout->cut_count - 1] != at)
        layout->cuts[layout->cut_count++] = at;
}

void syn_columns_cut(struct syn_columns_layout *layout, const struct syn_bytes *out)
{
    syn_columns_cut_at(layout, out->count);
}
