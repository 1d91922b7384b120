/* trace/columns_encode.c - events as columns: what repeats is written once, times as
 * differences. */
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include "sync/convert.h"
#include "sync/cpu.h"
#include "sync/ends.h"
#include "sync/status.h"
#include "trace/columns.h"
#include "trace/frame.h"
#include "trace/times.h"
#include "trace/tuples.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* So many events go through all steps together: they are 8 KiB, and still in the nearest cache
 * when the next step reads them. */
#define BLOCK_EVENTS ((size_t)128)
/* Events come straight from memory; so many cache lines ahead is where the processor's own
 * prefetching could be improved on. */
#define PREFETCH_DISTANCE 64

struct syn_columns_encoder {
    struct syn_event *sorted; /* only where a chunk came unsorted, */
    uint32_t *order;          /*   and where each of them was */
    bool was_sorted;          /* the last chunk was */
    struct syn_bytes rest;    /* the bits below the symbols, before they are put behind them */
    struct syn_tuples tuples;

    uint8_t
        extended[SYN_CHUNK_EVENTS]; /* of each event: 1 if it has times of its own for waiting */
    size_t extended_count;
    int64_t base;                      /* first start */
    int64_t span_end;                  /* largest end */
    int64_t gap[SYN_CHUNK_EVENTS];     /* start - call_end of the event before */
    int64_t call[SYN_CHUNK_EVENTS];    /* call_end - start */
    int64_t overlap[SYN_CHUNK_EVENTS]; /* extended events only: wait_start - call_end */
    int64_t wait[SYN_CHUNK_EVENTS];    /*   end - wait_start */
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
    free(encoder->order);
    syn_bytes_free(&encoder->rest);
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
    if (!encoder->order)
        encoder->order = malloc(SYN_CHUNK_EVENTS * sizeof *encoder->order);
    struct sort_key *keys = malloc(count * sizeof *keys);
    if (!encoder->sorted || !encoder->order || !keys) {
        free(keys);
        return SYN_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        keys[i] = (struct sort_key){mapped(map, events[i].start_ticks), i};
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++) {
        encoder->sorted[i] = events[keys[i].position];
        encoder->order[i] = (uint32_t)keys[i].position;
    }
    free(keys);
    return SYN_OK;
}

/* The times of a block's calls as they lie in the events: start and call_end, and whether an event
 * is extended. Returns whether any is. */
static bool take_times_any(const struct syn_event *events, size_t count, int64_t *start,
                           int64_t *call_end, uint8_t *extended)
{
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        const struct syn_event *event = &events[i];
        __builtin_prefetch(event + PREFETCH_DISTANCE);
        start[i] = event->start_ticks;
        call_end[i] = event->call_end_ticks;
        extended[i] = ((event->call_end_ticks ^ event->end_ticks) |
                       (event->wait_start_ticks ^ event->start_ticks)) != 0;
        any |= extended[i];
    }
    return any;
}

#if SYN_HAVE_AVX2
/* Four events at a time: their first halves are turned from rows into columns. */
SYN_TARGET_AVX2 static bool take_times_avx2(const struct syn_event *events, size_t count,
                                            int64_t *start, int64_t *call_end, uint8_t *extended)
{
    /* what a mask of four events says, as four bytes */
    static const uint32_t of_mask[16] = {0x01010101, 0x01010100, 0x01010001, 0x01010000,
                                         0x01000101, 0x01000100, 0x01000001, 0x01000000,
                                         0x00010101, 0x00010100, 0x00010001, 0x00010000,
                                         0x00000101, 0x00000100, 0x00000001, 0x00000000};
    const __m256i zero = _mm256_setzero_si256();
    int all = 0xf;
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const struct syn_event *event = &events[i];
        for (int j = 0; j < 4; j++)
            __builtin_prefetch(event + j + PREFETCH_DISTANCE);
        __m256i a = _mm256_loadu_si256((const __m256i *)&event[0]);
        __m256i b = _mm256_loadu_si256((const __m256i *)&event[1]);
        __m256i c = _mm256_loadu_si256((const __m256i *)&event[2]);
        __m256i d = _mm256_loadu_si256((const __m256i *)&event[3]);
        __m256i ab = _mm256_unpacklo_epi64(a, b), ab_ends = _mm256_unpackhi_epi64(a, b);
        __m256i cd = _mm256_unpacklo_epi64(c, d), cd_ends = _mm256_unpackhi_epi64(c, d);
        __m256i starts = _mm256_permute2x128_si256(ab, cd, 0x20);
        __m256i call_ends = _mm256_permute2x128_si256(ab, cd, 0x31);
        __m256i ends = _mm256_permute2x128_si256(ab_ends, cd_ends, 0x20);
        __m256i wait_starts = _mm256_permute2x128_si256(ab_ends, cd_ends, 0x31);
        __m256i differ = _mm256_or_si256(_mm256_xor_si256(call_ends, ends),
                                         _mm256_xor_si256(wait_starts, starts));
        int blocking = _mm256_movemask_pd(_mm256_castsi256_pd(_mm256_cmpeq_epi64(differ, zero)));
        _mm256_storeu_si256((__m256i *)(start + i), starts);
        _mm256_storeu_si256((__m256i *)(call_end + i), call_ends);
        memcpy(extended + i, &of_mask[blocking], 4);
        all &= blocking;
    }
    bool rest = take_times_any(events + i, count - i, start + i, call_end + i, extended + i);
    return rest || all != 0xf;
}
#endif

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* What the extended events of a block have besides; call_end is mapped already. Returns the largest
 * end of the block. */
static int64_t split_extended(struct syn_columns_encoder *encoder, const struct syn_event *events,
                              size_t count, const uint8_t *extended, const int64_t *call_end,
                              struct time_map *map)
{
    int64_t last = INT64_MIN;
    for (size_t i = 0; i < count; i++) {
        if (!extended[i]) {
            last = larger(last, call_end[i]);
            continue;
        }
        int64_t end = mapped(map, events[i].end_ticks);
        int64_t wait_start = mapped(map, events[i].wait_start_ticks);
        encoder->overlap[encoder->extended_count] = difference(wait_start, call_end[i]);
        encoder->wait[encoder->extended_count++] = difference(end, wait_start);
        last = larger(last, end);
    }
    return last;
}

static void split_gaps(int64_t before, const int64_t *restrict start,
                       const int64_t *restrict call_end, size_t count, int64_t *restrict gap,
                       int64_t *restrict call)
{
    gap[0] = difference(start[0], before);
    for (size_t i = 1; i < count; i++)
        gap[i] = difference(start[i], call_end[i - 1]);
    for (size_t i = 0; i < count; i++)
        call[i] = difference(call_end[i], start[i]);
}

/* One block, which begins at event `first`. `before`: call_end and start of the event before, then
 * of its last one. Returns whether it came ordered by start. */
static bool split_block(struct syn_columns_encoder *encoder, const struct syn_event *events,
                        size_t first, size_t count, struct time_map *map, int64_t before[2])
{
    int64_t start[BLOCK_EVENTS], call_end[BLOCK_EVENTS];
    uint8_t *extended = encoder->extended + first;
    bool any = SYN_BY_CPU(take_times_avx2(events + first, count, start, call_end, extended),
                          take_times_any(events + first, count, start, call_end, extended));
    syn_tuples_find(&encoder->tuples, events, encoder->extended, first, first + count);
    if (map->global) {
        syn_convert_ticks(&map->convert, start, count);
        syn_convert_ticks(&map->convert, call_end, count);
    }
    if (first == 0)
        encoder->base = before[0] = before[1] = start[0];
    int64_t end = any ? split_extended(encoder, events + first, count, extended, call_end, map)
                      : syn_ends_of(call_end, count).largest;
    encoder->span_end = larger(encoder->span_end, end);
    split_gaps(before[0], start, call_end, count, encoder->gap + first, encoder->call + first);
    bool ascending = start[0] >= before[1] && syn_ascending(start, count);
    before[0] = call_end[count - 1];
    before[1] = start[count - 1];
    return ascending;
}

/* Returns whether the events came ordered by start: where they did not, what it wrote is of no
 * use. */
static bool split_columns(struct syn_columns_encoder *encoder, const struct syn_event *events,
                          size_t count, struct time_map *map)
{
    int64_t before[2];
    bool ascending = true;
    syn_tuples_begin(&encoder->tuples);
    encoder->extended_count = 0;
    encoder->span_end = INT64_MIN;
    for (size_t first = 0; first < count; first += BLOCK_EVENTS) {
        size_t left = count - first;
        ascending &= split_block(encoder, events, first, left < BLOCK_EVENTS ? left : BLOCK_EVENTS,
                                 map, before);
    }
    return ascending;
}

static void put_tables(const struct syn_tuples *tuples, struct syn_bytes *out)
{
    for (size_t i = 0; i < tuples->comm_count; i++) {
        syn_bytes_put_varint(out, tuples->comms[i].comm);
        syn_bytes_put_varint(out, tuples->comms[i].first_sequence);
    }
    for (size_t i = 0; i < tuples->tuple_count; i++) {
        const struct syn_tuple *tuple = &tuples->tuples[i];
        struct syn_event like;
        memcpy((char *)&like + SYN_COMM_STACK_AT, &tuple->comm_stack, 8);
        memcpy((char *)&like + SYN_ROOT_OP_FLAGS_AT, &tuple->root_op_flags, 8);
        syn_bytes_put_varint(out, like.op);
        const uint64_t flags = like.flags & ~SYN_EVENT_WRITTEN;
        syn_bytes_put_varint(out, flags << 1 | tuple->extended);
        syn_bytes_put_varint(out, tuple->comm);
        syn_bytes_put_varint(out, (uint32_t)(like.stack + 1)); /* SYN_NO_STACK becomes 0 */
        syn_bytes_put_zigzag(out, like.root);
        syn_bytes_put_varint(out, tuple->bytes);
    }
    uint32_t before = 0;
    for (size_t i = 0; i < tuples->exception_count; i++) {
        const struct syn_exception *exception = &tuples->exceptions[i];
        syn_bytes_put_varint(out, exception->position - before);
        syn_bytes_put_zigzag(
            out, difference((int64_t)exception->sequence, (int64_t)exception->expected));
        before = exception->position;
    }
}

static void put_index(const struct syn_columns_encoder *encoder, size_t count,
                      struct syn_bytes *out)
{
    if (encoder->tuples.tuple_count == 1)
        return;
    const uint16_t *restrict index = encoder->tuples.index;
    size_t width = encoder->tuples.tuple_count <= 256 ? 1 : 2;
    uint8_t *restrict at = syn_bytes_reserve(out, count * width);
    if (!at)
        return;
    for (size_t i = 0; width == 1 && i < count; i++)
        at[i] = (uint8_t)index[i];
    for (size_t i = 0; width == 2 && i < count; i++)
        syn_store16(at + 2 * i, index[i]);
    out->count += count * width;
}

static void put_payload(struct syn_columns_encoder *encoder, size_t count, struct syn_bytes *out,
                        struct syn_columns_layout *layout)
{
    struct syn_bytes *rest = &encoder->rest;
    struct {
        int64_t *values;
        size_t count;
    } times[4] = {{encoder->gap, count},
                  {encoder->call, count},
                  {encoder->overlap, encoder->extended_count},
                  {encoder->wait, encoder->extended_count}};
    syn_bytes_put_varint(out, encoder->tuples.comm_count);
    syn_bytes_put_varint(out, encoder->tuples.tuple_count);
    syn_bytes_put_varint(out, encoder->tuples.exception_count);
    syn_bytes_put_varint(out, encoder->extended_count);
    syn_bytes_put_zigzag(out, encoder->base);
    for (int i = 0; i < 4; i++) {
        syn_bytes_put_varint(out, (uint64_t)syn_times_divide(times[i].values, times[i].count));
    }
    put_tables(&encoder->tuples, out);
    syn_columns_cut(layout, out);
    put_index(encoder, count, out);
    syn_columns_cut(layout, out);
    for (int i = 0; i < 4; i++) {
        syn_times_put(times[i].values, times[i].count, out, rest);
        syn_columns_cut(layout, out);
    }
    syn_bytes_put(out, rest->data, rest->count);
    syn_columns_cut(layout, out);
}

int syn_columns_encode(struct syn_columns_encoder *encoder, const struct syn_event *events,
                       size_t event_count, const struct syn_tick_source *ticks,
                       const struct syn_timeline *timeline, struct syn_bytes *out,
                       struct syn_columns_layout *layout)
{
    struct time_map map = {.global = timeline != NULL};
    if (event_count == 0 || event_count > SYN_CHUNK_EVENTS)
        return SYN_EINVAL;
    if (timeline)
        map.convert = syn_convert_begin(ticks, timeline);
    *layout = (struct syn_columns_layout){0};
    encoder->was_sorted = !split_columns(encoder, events, event_count, &map);
    if (encoder->was_sorted) {
        int status = sort_events(encoder, events, event_count, &map);
        if (status != SYN_OK)
            return status;
        split_columns(encoder, encoder->sorted, event_count, &map);
    }
    layout->span_end = encoder->span_end;
    layout->span_start = encoder->base;
    out->count = 0;
    encoder->rest.count = 0;
    put_payload(encoder, event_count, out, layout);
    return out->failed || encoder->rest.failed ? SYN_ENOMEM : SYN_OK;
}

const uint32_t *syn_columns_order(const struct syn_columns_encoder *encoder)
{
    return encoder->was_sorted ? encoder->order : NULL;
}

void syn_columns_cut(struct syn_columns_layout *layout, const struct syn_bytes *out)
{
    if (layout->cut_count > 0 && layout->cuts[layout->cut_count - 1] == out->count)
        return;
    layout->cuts[layout->cut_count++] = out->count;
}
