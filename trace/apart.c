/* trace/apart.c - see apart.h. */
#include "trace/apart.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/status.h"
#include "trace/columns.h"
#include "trace/columns_tables.h"
#include "trace/frame.h"

#define WIDTH_MAX sizeof(uint32_t)
/* An operation, flags and a communicator take no more bytes, nor do a root and a size. */
#define AROUND_MOST 16
#define NUMBER_MOST 5 /* and a stack's number */

/* A tuple of EVENTS: one as it is there, what lies apart from it, and a stack's number. */
struct pair {
    uint32_t kind; /* 2 * tuple, and 1 where the recorder stopped before the event */
    uint32_t number;
};

struct apart {
    /* as it is there */
    struct syn_take stops; /* positions, of stop_count events */
    size_t stop_count;
    bool stacks_apart;
    uint32_t least;        /* of the stacks' numbers */
    size_t width;          /* bytes of what they are above it, */
    const uint8_t *planes; /*   [width][event_count] */
    struct syn_columns_tables tables;
    struct syn_take exceptions;
    const uint8_t *index;
    size_t index_width;
    struct syn_take times;
    /* as EVENTS has it */
    struct pair *pairs; /* [pair_count] */
    size_t pair_count;
    uint16_t *pair_of; /* of each event; first, whether the recorder stopped before it */
    struct syn_index pair_index;
};

static struct syn_take part_of(const uint8_t *begin, const struct syn_take *end)
{
    return (struct syn_take){.at = begin, .end = end->at};
}

static size_t width_of(size_t tuple_count)
{
    return tuple_count == 1 ? 0 : tuple_count <= 256 ? 1 : 2;
}

static bool find_stacks(struct syn_take *take, size_t event_count, struct apart *apart)
{
    apart->least = (uint32_t)syn_take_bounded(take, UINT32_MAX);
    apart->width = syn_take_bounded(take, WIDTH_MAX);
    apart->planes = syn_take_bytes(take, apart->width * event_count);
    return !take->failed;
}

/* What is apart in such a frame, and where. */
static bool find_stops(struct syn_take *take, uint8_t frame_type, struct apart *apart)
{
    apart->stacks_apart = frame_type == SYN_FRAME_APART;
    if (frame_type != SYN_FRAME_STOPS)
        return true;
    apart->stacks_apart = syn_take_bounded(take, 1);
    apart->stop_count = syn_take_bounded(take, apart->tables.event_count);
    const uint8_t *const stops = take->at;
    for (size_t i = 0; i < apart->stop_count; i++)
        syn_take_varint(take);
    apart->stops = part_of(stops, take);
    return !take->failed;
}

/* What lies where, and whether each event has a tuple. */
static int find_parts(uint8_t frame_type, const uint8_t *raw, size_t raw_bytes, struct apart *apart)
{
    struct syn_take take = syn_take_from(raw, raw_bytes);
    struct syn_columns_tables *tables = &apart->tables;
    if (!find_stops(&take, frame_type, apart) ||
        (apart->stacks_apart && !find_stacks(&take, tables->event_count, apart)) ||
        !syn_columns_take_counts(&take, tables))
        return SYN_EDAMAGED;
    if (syn_columns_tables_reserve(tables) != SYN_OK)
        return SYN_ENOMEM;
    if (!syn_columns_take_tables(&take, tables))
        return SYN_EDAMAGED;
    const uint8_t *const exceptions = take.at;
    for (size_t i = 0; i < 2 * tables->exception_count; i++)
        syn_take_varint(&take);
    apart->exceptions = part_of(exceptions, &take);
    apart->index_width = width_of(tables->tuple_count);
    apart->index = syn_take_bytes(&take, apart->index_width * tables->event_count);
    apart->times = take;
    return !take.failed && syn_columns_check_index(tables, apart->index, apart->index_width)
               ? SYN_OK
               : SYN_EDAMAGED;
}

/* ---- tuples with what lies apart ---- */

static bool is_pair(const void *owner, uint32_t number, const void *pair)
{
    return memcmp(&((const struct apart *)owner)->pairs[number], pair, sizeof(struct pair)) == 0;
}

static int reserve_pairs(struct apart *apart)
{
    const size_t count = apart->tables.event_count;
    apart->pairs = malloc(count * sizeof *apart->pairs);
    apart->pair_of = calloc(count, sizeof *apart->pair_of);
    if (!apart->pairs || !apart->pair_of)
        return SYN_ENOMEM;
    return apart->stacks_apart ? syn_index_grow(&apart->pair_index, count, 0, NULL, NULL) : SYN_OK;
}

/* Each position once, ascending. */
static int mark_stops(struct apart *apart)
{
    uint64_t at = 0;
    for (size_t i = 0; i < apart->stop_count; i++) {
        const uint64_t further = syn_take_bounded(&apart->stops, apart->tables.event_count);
        at += further;
        if ((i > 0 && further == 0) || at >= apart->tables.event_count)
            return SYN_EDAMAGED;
        apart->pair_of[at] = 1;
    }
    return apart->stops.failed ? SYN_EDAMAGED : SYN_OK;
}

static uint32_t kind_of(const struct apart *apart, size_t event)
{
    const size_t tuple = syn_columns_index_at(apart->index, apart->index_width, event);
    return 2 * (uint32_t)tuple + apart->pair_of[event];
}

static uint64_t number_of(const struct apart *apart, size_t event)
{
    uint64_t number = apart->least;
    for (size_t k = 0; k < apart->width; k++)
        number += (uint64_t)apart->planes[k * apart->tables.event_count + event] << 8 * k;
    return number;
}

static uint16_t pair_for(struct apart *apart, const struct pair *pair)
{
    const uint64_t hash = syn_hash_word((uint64_t)pair->kind << 32 | pair->number);
    uint32_t *slot = syn_index_slot(&apart->pair_index, hash, is_pair, apart, pair);
    if (!*slot) {
        apart->pairs[apart->pair_count++] = *pair;
        *slot = (uint32_t)apart->pair_count;
    }
    return (uint16_t)(*slot - 1);
}

static int find_pairs_apart(struct apart *apart)
{
    for (size_t i = 0; i < apart->tables.event_count; i++) {
        const uint64_t number = number_of(apart, i);
        if (number > UINT32_MAX)
            return SYN_EDAMAGED;
        apart->pair_of[i] = pair_for(apart, &(struct pair){kind_of(apart, i), (uint32_t)number});
    }
    return SYN_OK;
}

/* Where stacks are in the tuples, a pair is known by its kind; they are numbered as they come. */
static int find_pairs_by_kind(struct apart *apart)
{
    const uint32_t *const stacks = apart->tables.tuples.stack;
    uint32_t *const pair_after = calloc(2 * apart->tables.tuple_count, sizeof *pair_after);
    if (!pair_after)
        return SYN_ENOMEM;
    for (size_t i = 0; i < apart->tables.event_count; i++) {
        const uint32_t kind = kind_of(apart, i);
        if (pair_after[kind] == 0) {
            apart->pairs[apart->pair_count++] = (struct pair){kind, stacks[kind / 2] + 1};
            pair_after[kind] = (uint32_t)apart->pair_count;
        }
        apart->pair_of[i] = (uint16_t)(pair_after[kind] - 1);
    }
    free(pair_after);
    return SYN_OK;
}

static int find_pairs(struct apart *apart)
{
    const int status = mark_stops(apart);
    if (status != SYN_OK)
        return status;
    return apart->stacks_apart ? find_pairs_apart(apart) : find_pairs_by_kind(apart);
}

/* ---- the payload of EVENTS ---- */

static void put_counts(const struct apart *apart, struct syn_bytes *out)
{
    const struct syn_columns_tables *tables = &apart->tables;
    syn_bytes_put_varint(out, tables->comm_count);
    syn_bytes_put_varint(out, apart->pair_count);
    syn_bytes_put_varint(out, tables->exception_count);
    syn_bytes_put_varint(out, tables->extended_count);
    syn_bytes_put_zigzag(out, tables->base);
    for (size_t i = 0; i < sizeof tables->units / sizeof *tables->units; i++)
        syn_bytes_put_varint(out, tables->units[i]);
}

/* What pairs of a kind have around their stack's number, of which there are many. */
struct around {
    uint8_t head[AROUND_MOST], tail[AROUND_MOST];
    size_t head_bytes, tail_bytes;
};

static struct around around_of(const struct syn_columns_tuples *tuples, size_t kind)
{
    const size_t tuple = kind / 2;
    const uint64_t flags = tuples->flags[tuple] | (kind % 2 ? SYN_EVENT_PERTURBED : 0);
    struct around out = {.head_bytes = 0};
    uint8_t *head = syn_varint_to(out.head, tuples->op[tuple]);
    head = syn_varint_to(head, flags << 1 | tuples->extended[tuple]);
    head = syn_varint_to(head, tuples->comm_use[tuple]);
    uint8_t *tail = syn_varint_to(out.tail, syn_zigzag((int32_t)tuples->root[tuple]));
    tail = syn_varint_to(tail, tuples->bytes[tuple]);
    out.head_bytes = (size_t)(head - out.head);
    out.tail_bytes = (size_t)(tail - out.tail);
    return out;
}

/* Heads and tails are copied with what is behind them, which the next one overwrites. */
static void put_pairs(const struct apart *apart, const struct around *around, struct syn_bytes *out)
{
    const size_t most = 2 * AROUND_MOST + NUMBER_MOST;
    uint8_t *const begin = syn_bytes_reserve(out, apart->pair_count * most + AROUND_MOST);
    uint8_t *at = begin;
    for (size_t i = 0; at && i < apart->pair_count; i++) {
        const struct around *of = &around[apart->pairs[i].kind];
        memcpy(at, of->head, AROUND_MOST);
        at = syn_varint_to(at + of->head_bytes, apart->pairs[i].number);
        memcpy(at, of->tail, AROUND_MOST);
        at += of->tail_bytes;
    }
    out->count += at ? (size_t)(at - begin) : 0;
}

static void put_tables(const struct apart *apart, struct syn_bytes *out)
{
    const struct syn_columns_tables *tables = &apart->tables;
    const size_t kind_count = 2 * tables->tuple_count;
    struct around *around = malloc(kind_count * sizeof *around);
    out->failed |= !around;
    for (size_t i = 0; i < tables->comm_count; i++) {
        syn_bytes_put_varint(out, tables->comms[i]);
        syn_bytes_put_varint(out, tables->next_sequence[i]);
    }
    for (size_t i = 0; around && i < kind_count; i++)
        around[i] = around_of(&tables->tuples, i);
    if (around)
        put_pairs(apart, around, out);
    free(around);
    syn_bytes_put(out, apart->exceptions.at, syn_take_left(&apart->exceptions));
}

static void put_index(const struct apart *apart, struct syn_bytes *out)
{
    const size_t count = apart->tables.event_count, width = width_of(apart->pair_count);
    uint8_t *at = syn_bytes_reserve(out, count * width);
    for (size_t i = 0; at && width > 0 && i < count; i++)
        if (width == 1)
            at[i] = (uint8_t)apart->pair_of[i];
        else
            syn_store16(at + 2 * i, apart->pair_of[i]);
    out->count += at ? count * width : 0;
}

static int put_all(const struct apart *apart, struct syn_bytes *out)
{
    put_counts(apart, out);
    put_tables(apart, out);
    put_index(apart, out);
    syn_bytes_put(out, apart->times.at, syn_take_left(&apart->times));
    uint8_t *slack = syn_bytes_reserve(out, SYN_COLUMNS_SLACK_BYTES);
    if (slack)
        memset(slack, 0, SYN_COLUMNS_SLACK_BYTES);
    return out->failed ? SYN_ENOMEM : SYN_OK;
}

int syn_apart_decode(uint8_t frame_type, const uint8_t *raw, size_t raw_bytes, size_t event_count,
                     struct syn_bytes *events)
{
    struct apart apart = {.tables = {.event_count = event_count}};
    events->count = 0;
    if (event_count == 0 || event_count > SYN_CHUNK_EVENTS_MAX)
        return SYN_EDAMAGED;
    int status = find_parts(frame_type, raw, raw_bytes, &apart);
    if (status == SYN_OK)
        status = reserve_pairs(&apart);
    if (status == SYN_OK)
        status = find_pairs(&apart);
    if (status == SYN_OK)
        status = put_all(&apart, events);
    syn_columns_tables_free(&apart.tables);
    syn_index_free(&apart.pair_index);
    free(apart.pairs);
    free(apart.pair_of);
    return status;
}
