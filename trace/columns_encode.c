#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "../sync/convert.h"
#include "../sync/status.h"
#include "columns.h"
#include "frame.h"
#include "magnitude.h"

#define TABLE_SLOTS (2 * SYN_CHUNK_EVENTS)
/* Events come straight from memory; so many cache lines ahead is where the processor's own
 * prefetching could be improved on. */
#define PREFETCH_DISTANCE 24
#define NO_INDEX          UINT16_MAX

_Static_assert(SYN_CHUNK_EVENTS < NO_INDEX, "table indexes of a chunk are 16 bits");
_Static_assert((TABLE_SLOTS & (TABLE_SLOTS - 1)) == 0, "the hash is masked");

/* The last two words of an event, as they lie there: comm and stack; root, op and flags. */
#define COMM_STACK_AT    offsetof(struct syn_event, comm)
#define ROOT_OP_FLAGS_AT offsetof(struct syn_event, root)
_Static_assert(ROOT_OP_FLAGS_AT == COMM_STACK_AT + 8 &&
                   sizeof(struct syn_event) == ROOT_OP_FLAGS_AT + 8,
               "two words of eight bytes hold all that is neither time, bytes nor sequence");

/* What events have in common; half a cache line. */
struct tuple {
    uint64_t bytes;
    uint64_t comm_stack;
    uint64_t root_op_flags;
    uint16_t extended;  /* 1 where call_end or wait_start differ from a blocking call's */
    uint16_t comm;      /* index into the chunk's communicators */
    uint16_t successor; /* the tuple that followed the last time */
};

struct comm_use {
    uint32_t comm;
    uint64_t first_sequence;
};

/* An event whose sequence number is not the one after its communicator's last. */
struct exception {
    uint32_t position;
    uint64_t expected;
    uint64_t sequence;
};

struct syn_columns_encoder {
    struct syn_event *sorted; /* only where a chunk came unsorted */

    struct tuple tuples[SYN_CHUNK_EVENTS];
    uint16_t tuple_slots[TABLE_SLOTS];
    size_t tuple_count;

    struct comm_use comms[SYN_CHUNK_EVENTS];
    uint64_t next_sequence[SYN_CHUNK_EVENTS]; /* of each of them */
    uint16_t comm_slots[TABLE_SLOTS];
    size_t comm_count;

    struct exception exceptions[SYN_CHUNK_EVENTS];
    size_t exception_count;

    uint16_t index[SYN_CHUNK_EVENTS];
    int64_t base;                      /* first start */
    int64_t gap[SYN_CHUNK_EVENTS];     /* start - call_end of the event before */
    int64_t call[SYN_CHUNK_EVENTS];    /* call_end - start */
    int64_t overlap[SYN_CHUNK_EVENTS]; /* extended events only: wait_start - call_end */
    int64_t wait[SYN_CHUNK_EVENTS];    /*   end - wait_start */
    size_t extended_count;
};

/* Which times an event gets: its ticks, or global nanoseconds. */
struct time_map {
    struct syn_convert convert;
    bool global;
};

static inline int64_t mapped(struct time_map *map, int64_t ticks)
{
    return map->global ? syn_convert_tick(&map->convert, ticks) : ticks;
}

/* Differences wrap, so that any two times have one and adding it back is exact. */
static int64_t difference(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a - (uint64_t)b);
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
    free(encoder);
}

struct sort_key {
    int64_t start;
    size_t position;
};

static int compare_keys(const void *left, const void *right)
{
    const struct sort_key *a = left, *b = right;
    if (a->start != b->start)
        return a->start < b->start ? -1 : 1;
    return a->position < b->position ? -1 : a->position > b->position;
}

/* Copy the events into encoder->sorted by their mapped start; stable, so that a chunk is the same
 * whoever sorts it. */
static int sort_events(struct syn_columns_encoder *encoder, const struct syn_event *events,
                       size_t count, struct time_map *map)
{
    if (!encoder->sorted)
        encoder->sorted = malloc(SYN_CHUNK_EVENTS * sizeof *encoder->sorted);
    struct sort_key *keys = malloc(count * sizeof *keys);
    if (!encoder->sorted || !keys) {
        free(keys);
        return SYN_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct sort_key){mapped(map, events[i].start_ticks), i};
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        encoder->sorted[i] = events[keys[i].position];
    free(keys);
    return SYN_OK;
}

static void begin_chunk(struct syn_columns_encoder *encoder)
{
    memset(encoder->tuple_slots, 0xff, sizeof encoder->tuple_slots);
    memset(encoder->comm_slots, 0xff, sizeof encoder->comm_slots);
    encoder->tuple_count = 0;
    encoder->comm_count = 0;
    encoder->exception_count = 0;
    encoder->extended_count = 0;
}

static size_t hash_slot(uint64_t hash)
{
    return (hash * 0x9e3779b97f4a7c15u >> 40) & (TABLE_SLOTS - 1);
}

static uint16_t comm_index(struct syn_columns_encoder *encoder, const struct syn_event *event)
{
    size_t slot = hash_slot(event->comm);
    while (encoder->comm_slots[slot] != NO_INDEX) {
        uint16_t found = encoder->comm_slots[slot];
        if (encoder->comms[found].comm == event->comm)
            return found;
        slot = (slot + 1) & (TABLE_SLOTS - 1);
    }
    uint16_t index = (uint16_t)encoder->comm_count++;
    encoder->comms[index] = (struct comm_use){event->comm, event->sequence};
    encoder->next_sequence[index] = event->sequence;
    encoder->comm_slots[slot] = index;
    return index;
}

static inline struct tuple tuple_of(const struct syn_event *event)
{
    struct tuple tuple = {.bytes = event->bytes};
    memcpy(&tuple.comm_stack, (const char *)event + COMM_STACK_AT, 8);
    memcpy(&tuple.root_op_flags, (const char *)event + ROOT_OP_FLAGS_AT, 8);
    tuple.extended = ((event->call_end_ticks ^ event->end_ticks) |
                      (event->wait_start_ticks ^ event->start_ticks)) != 0;
    return tuple;
}

static inline bool same_tuple(const struct tuple *a, const struct tuple *b)
{
    return ((a->bytes ^ b->bytes) | (a->comm_stack ^ b->comm_stack) |
            (a->root_op_flags ^ b->root_op_flags) | (uint64_t)(a->extended ^ b->extended)) == 0;
}

static uint16_t search_tuple(struct syn_columns_encoder *encoder, const struct tuple *tuple,
                             const struct syn_event *event)
{
    uint64_t mixed = tuple->bytes * 0xff51afd7ed558ccdu;
    mixed = (mixed ^ mixed >> 32 ^ tuple->root_op_flags) * 0xff51afd7ed558ccdu;
    mixed = (mixed ^ mixed >> 32 ^ tuple->comm_stack) + tuple->extended;
    size_t slot = hash_slot(mixed);
    while (encoder->tuple_slots[slot] != NO_INDEX) {
        uint16_t found = encoder->tuple_slots[slot];
        if (same_tuple(&encoder->tuples[found], tuple))
            return found;
        slot = (slot + 1) & (TABLE_SLOTS - 1);
    }
    uint16_t index = (uint16_t)encoder->tuple_count++;
    encoder->tuples[index] = *tuple;
    encoder->tuples[index].comm = comm_index(encoder, event);
    encoder->tuples[index].successor = index;
    encoder->tuple_slots[slot] = index;
    return index;
}

/* Programs loop: what followed a tuple the last time probably does again, and needs no hashing. */
static inline uint16_t tuple_index(struct syn_columns_encoder *encoder, const struct tuple *tuple,
                                   const struct syn_event *event, uint16_t before)
{
    uint16_t guess = encoder->tuples[before].successor;
    if (__builtin_expect(same_tuple(&encoder->tuples[guess], tuple), 1))
        return guess;
    uint16_t index = search_tuple(encoder, tuple, event);
    encoder->tuples[before].successor = index;
    return index;
}

static inline void note_sequence(struct syn_columns_encoder *encoder, uint16_t tuple,
                                 size_t position, uint64_t sequence)
{
    uint64_t *next = &encoder->next_sequence[encoder->tuples[tuple].comm];
    if (__builtin_expect(sequence != *next, 0))
        encoder->exceptions[encoder->exception_count++] =
            (struct exception){(uint32_t)position, *next, sequence};
    *next = sequence + 1;
}

/* Writes a nonblocking call's own columns; returns its call_end. */
static int64_t split_extended(struct syn_columns_encoder *encoder, const struct syn_event *event,
                              struct time_map *map, int64_t end)
{
    int64_t wait_start = mapped(map, event->wait_start_ticks);
    int64_t call_end = mapped(map, event->call_end_ticks);
    encoder->overlap[encoder->extended_count] = difference(wait_start, call_end);
    encoder->wait[encoder->extended_count++] = difference(end, wait_start);
    return call_end;
}

/* The one pass over the events; each is a cache line. Returns whether they came ordered by start:
 * where they did not, what it wrote is of no use. */
static bool split_columns(struct syn_columns_encoder *encoder, const struct syn_event *events,
                          size_t count, struct time_map *map, int64_t *span_end)
{
    struct tuple first = tuple_of(&events[0]);
    uint16_t index = search_tuple(encoder, &first, &events[0]);
    int64_t start_before = mapped(map, events[0].start_ticks);
    int64_t call_end_before = start_before, last_end = INT64_MIN;
    bool ascending = true;
    encoder->base = start_before;
    for (size_t i = 0; i < count; i++) {
        const struct syn_event *event = &events[i];
        __builtin_prefetch(event + PREFETCH_DISTANCE);
        struct tuple tuple = tuple_of(event);
        index = tuple_index(encoder, &tuple, event, index);
        int64_t start = mapped(map, event->start_ticks), end = mapped(map, event->end_ticks);
        int64_t call_end = end;
        if (tuple.extended)
            call_end = split_extended(encoder, event, map, end);
        note_sequence(encoder, index, i, event->sequence);
        encoder->index[i] = index;
        encoder->gap[i] = difference(start, call_end_before);
        encoder->call[i] = difference(call_end, start);
        call_end_before = call_end;
        ascending &= start >= start_before;
        start_before = start;
        last_end = end > last_end ? end : last_end;
    }
    *span_end = last_end;
    return ascending;
}

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Largest number that divides all values: 1 for a fine clock (found after a few values), the step
 * of a coarse one. At most INT64_MAX. */
static int64_t common_unit(const int64_t *values, size_t count)
{
    uint64_t unit = 0;
    for (size_t i = 0; i < count && unit != 1; i++) {
        uint64_t other = magnitude_of(values[i]);
        while (other) {
            uint64_t rest = unit % other;
            unit = other;
            other = rest;
        }
    }
    return unit == 0 || unit > INT64_MAX ? 1 : (int64_t)unit;
}

static void divide(int64_t *values, size_t count, int64_t unit)
{
    if (unit == 1)
        return;
    for (size_t i = 0; i < count; i++)
        values[i] /= unit;
}

static void cut(struct syn_columns_layout *layout, const struct syn_bytes *out)
{
    if (layout->cut_count > 0 && layout->cuts[layout->cut_count - 1] == out->count)
        return;
    layout->cuts[layout->cut_count++] = out->count;
}

static void put_tables(const struct syn_columns_encoder *encoder, struct syn_bytes *out)
{
    for (size_t i = 0; i < encoder->comm_count; i++) {
        syn_bytes_put_varint(out, encoder->comms[i].comm);
        syn_bytes_put_varint(out, encoder->comms[i].first_sequence);
    }
    for (size_t i = 0; i < encoder->tuple_count; i++) {
        const struct tuple *tuple = &encoder->tuples[i];
        struct syn_event like;
        memcpy((char *)&like + COMM_STACK_AT, &tuple->comm_stack, 8);
        memcpy((char *)&like + ROOT_OP_FLAGS_AT, &tuple->root_op_flags, 8);
        syn_bytes_put_varint(out, like.op);
        const uint64_t flags = like.flags & ~SYN_EVENT_WRITTEN;
        syn_bytes_put_varint(out, flags << 1 | tuple->extended);
        syn_bytes_put_varint(out, tuple->comm);
        syn_bytes_put_varint(out, (uint32_t)(like.stack + 1)); /* SYN_NO_STACK becomes 0 */
        syn_bytes_put_zigzag(out, like.root);
        syn_bytes_put_varint(out, tuple->bytes);
    }
    uint32_t before = 0;
    for (size_t i = 0; i < encoder->exception_count; i++) {
        const struct exception *exception = &encoder->exceptions[i];
        syn_bytes_put_varint(out, exception->position - before);
        syn_bytes_put_zigzag(
            out, difference((int64_t)exception->sequence, (int64_t)exception->expected));
        before = exception->position;
    }
}

static void put_index(const struct syn_columns_encoder *encoder, size_t count,
                      struct syn_bytes *out)
{
    if (encoder->tuple_count == 1)
        return;
    size_t width = encoder->tuple_count <= 256 ? 1 : 2;
    uint8_t *at = syn_bytes_reserve(out, count * width);
    if (!at)
        return;
    for (size_t i = 0; i < count; i++)
        if (width == 1)
            at[i] = (uint8_t)encoder->index[i];
        else
            syn_store16(at + 2 * i, encoder->index[i]);
    out->count += count * width;
}

static inline __attribute__((always_inline)) uint8_t *
split_times(const int64_t *values, size_t count, uint8_t *symbols, uint8_t *below)
{
    struct syn_bit_writer bits = {.at = below};
    for (size_t i = 0; i < count; i++)
        symbols[i] = syn_magnitude_put(&bits, values[i]);
    return syn_bits_end(&bits);
}

/* The loop is all shifts by a variable count, which processors since 2013 do in a third of the
 * steps. A test at run time and not an indirect function: those do not get along with sanitizers
 * and preloading. */
#if defined(__x86_64__)
__attribute__((target("bmi,bmi2,lzcnt"))) static uint8_t *
split_times_bmi2(const int64_t *values, size_t count, uint8_t *symbols, uint8_t *below)
{
    return split_times(values, count, symbols, below);
}

static bool have_bmi2(void)
{
    return __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
           __builtin_cpu_supports("avx2");
}
#endif

/* Writes symbols and the bits below them; returns the end of the bits. */
static uint8_t *split_times_best(const int64_t *values, size_t count, uint8_t *symbols,
                                 uint8_t *below)
{
#if defined(__x86_64__)
    /* Every processor with AVX2 has LZCNT, which gcc 12 cannot ask for. */
    if (have_bmi2())
        return split_times_bmi2(values, count, symbols, below);
#endif
    return split_times(values, count, symbols, below);
}

/* One column of times: its symbols go to `out`, the bits below them to `rest`. */
static void put_times(const int64_t *values, size_t count, struct syn_bytes *out,
                      struct syn_bytes *rest)
{
    uint8_t *symbols = syn_bytes_reserve(out, count);
    uint8_t *below = syn_bytes_reserve(rest, count * 8 + 8);
    if (!symbols || !below)
        return;
    uint8_t *end = split_times_best(values, count, symbols, below);
    out->count += count;
    rest->count += (size_t)(end - below);
}

static void put_payload(struct syn_columns_encoder *encoder, size_t count, struct syn_bytes *out,
                        struct syn_bytes *rest, struct syn_columns_layout *layout)
{
    struct {
        int64_t *values;
        size_t count;
    } times[4] = {{encoder->gap, count},
                  {encoder->call, count},
                  {encoder->overlap, encoder->extended_count},
                  {encoder->wait, encoder->extended_count}};
    syn_bytes_put_varint(out, encoder->comm_count);
    syn_bytes_put_varint(out, encoder->tuple_count);
    syn_bytes_put_varint(out, encoder->exception_count);
    syn_bytes_put_varint(out, encoder->extended_count);
    syn_bytes_put_zigzag(out, encoder->base);
    for (int i = 0; i < 4; i++) {
        int64_t unit = common_unit(times[i].values, times[i].count);
        divide(times[i].values, times[i].count, unit);
        syn_bytes_put_varint(out, (uint64_t)unit);
    }
    put_tables(encoder, out);
    cut(layout, out);
    put_index(encoder, count, out);
    cut(layout, out);
    for (int i = 0; i < 4; i++) {
        put_times(times[i].values, times[i].count, out, rest);
        cut(layout, out);
    }
    syn_bytes_put(out, rest->data, rest->count);
    cut(layout, out);
}

int syn_columns_encode(struct syn_columns_encoder *encoder, const struct syn_event *events,
                       size_t event_count, const struct syn_tick_source *ticks,
                       const struct syn_timeline *timeline, struct syn_bytes *out,
                       struct syn_columns_layout *layout)
{
    struct time_map map = {.global = timeline != NULL};
    struct syn_bytes rest = {0};
    if (event_count == 0 || event_count > SYN_CHUNK_EVENTS)
        return SYN_EINVAL;
    if (timeline)
        map.convert = syn_convert_begin(ticks, timeline);
    begin_chunk(encoder);
    *layout = (struct syn_columns_layout){0};
    if (!split_columns(encoder, events, event_count, &map, &layout->span_end)) {
        int status = sort_events(encoder, events, event_count, &map);
        if (status != SYN_OK)
            return status;
        begin_chunk(encoder);
        split_columns(encoder, encoder->sorted, event_count, &map, &layout->span_end);
    }
    layout->span_start = encoder->base;
    out->count = 0;
    put_payload(encoder, event_count, out, &rest, layout);
    int status = out->failed || rest.failed ? SYN_ENOMEM : SYN_OK;
    syn_bytes_free(&rest);
    return status;
}
