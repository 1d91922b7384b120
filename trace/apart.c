/* trace/apart.c - see apart.h. */
#include "trace/apart.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/index.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "trace/frame.h"

#define WIDTH_MAX sizeof(uint32_t)

/* What lies before the payload of EVENTS. */
struct apart {
    size_t event_count;
    struct syn_take stops; /* positions, of stop_count events */
    size_t stop_count;
    bool stacks_apart;
    uint32_t least;        /* of the stacks' numbers */
    size_t width;          /* bytes of what they are above it, */
    const uint8_t *planes; /*   [width][event_count] */
};

/* Which tuples EVENTS would have: a pair is a tuple as it is there, with what lies apart from it.
 */
struct pairs {
    uint32_t *number;   /* of each event's stack; 0 where stacks are in the tuples */
    uint16_t *of_event; /* its tuple, and once that is looked at, its pair */
    uint64_t *pair;     /* [count] */
    size_t count;
    struct syn_index known;
};

/* A pair in one word: its tuple, whether the recorder stopped before the event, and the number. */
#define PAIR_TUPLE_SHIFT 33
#define PAIR_STOPPED     (UINT64_C(1) << 32)

/* ---- what lies apart ---- */

static bool find_stacks(struct syn_take *take, struct apart *apart)
{
    apart->least = (uint32_t)syn_take_bounded(take, UINT32_MAX);
    apart->width = syn_take_bounded(take, WIDTH_MAX);
    apart->planes = syn_take_bytes(take, apart->width * apart->event_count);
    return !take->failed;
}

/* What is apart in such a frame, and where. */
static bool find_stops(struct syn_take *take, uint8_t frame_type, struct apart *apart)
{
    apart->stacks_apart = frame_type == SYN_FRAME_APART;
    if (frame_type != SYN_FRAME_STOPS)
        return true;
    apart->stacks_apart = syn_take_bounded(take, 1);
    apart->stop_count = syn_take_bounded(take, apart->event_count);
    apart->stops = *take;
    for (size_t i = 0; i < apart->stop_count; i++)
        syn_take_varint(take);
    apart->stops.end = take->at;
    return !take->failed;
}

/* ---- the pair of each event ---- */

/* False where one has more than 32 bits. */
static bool take_numbers(const struct apart *apart, uint32_t *restrict number)
{
    const size_t count = apart->event_count;
    const uint32_t least = apart->least;
    uint32_t beyond = 0;
    for (size_t i = 0; i < count; i++)
        number[i] = least;
    for (size_t k = 0; k < apart->width; k++) {
        const uint8_t *restrict plane = apart->planes + k * count;
        for (size_t i = 0; i < count; i++)
            number[i] += (uint32_t)plane[i] << 8 * k;
    }
    for (size_t i = 0; i < count; i++)
        beyond |= number[i] < least;
    return beyond == 0;
}

static bool is_pair(const void *pairs, uint32_t number, const void *pair)
{
    return ((const uint64_t *)pairs)[number] == *(const uint64_t *)pair;
}

/* Pairs are numbered as they come. RATIONALE: locals, since a store into an array might be one into
 * anything. */
static void number_pairs(size_t first, size_t end, uint64_t stopped, struct pairs *pairs)
{
    const struct syn_index known = pairs->known;
    const uint32_t *const number = pairs->number;
    uint16_t *const of_event = pairs->of_event;
    uint64_t *const pair = pairs->pair;
    size_t count = pairs->count;
    for (size_t i = first; i < end; i++) {
        const uint64_t like = (uint64_t)of_event[i] << PAIR_TUPLE_SHIFT | stopped | number[i];
        uint32_t *slot = syn_index_slot(&known, syn_hash_word(like), is_pair, pair, &like);
        if (!*slot) {
            pair[count++] = like;
            *slot = (uint32_t)count;
        }
        of_event[i] = (uint16_t)(*slot - 1);
    }
    pairs->count = count;
}

/* From one stop to the next: each position once, ascending. */
static bool number_all(struct apart *apart, struct pairs *pairs)
{
    size_t done = 0;
    for (size_t i = 0; i < apart->stop_count; i++) {
        const size_t before = i > 0 ? done - 1 : 0;
        const size_t at = before + syn_take_bounded(&apart->stops, apart->event_count);
        if (at < done || at >= apart->event_count)
            return false;
        number_pairs(done, at, 0, pairs);
        number_pairs(at, at + 1, PAIR_STOPPED, pairs);
        done = at + 1;
    }
    number_pairs(done, apart->event_count, 0, pairs);
    return !apart->stops.failed;
}

/* Pairs are at most as many as events, and where stacks are in the tuples, as there are tuples
 * twice. */
static int reserve_pairs(const struct apart *apart, size_t tuple_count, struct pairs *pairs)
{
    const size_t count = apart->event_count;
    const size_t most = apart->stacks_apart ? count : syn_least(2 * tuple_count, count);
    pairs->number = malloc(count * sizeof *pairs->number);
    pairs->of_event = malloc(count * sizeof *pairs->of_event);
    pairs->pair = malloc(most * sizeof *pairs->pair);
    return pairs->number && pairs->of_event && pairs->pair
               ? syn_index_grow(&pairs->known, most, 0, NULL, NULL)
               : SYN_ENOMEM;
}

static int find_pairs(struct apart *apart, const struct syn_columns_payload *payload,
                      struct pairs *pairs)
{
    const int status = reserve_pairs(apart, payload->tables.tuple_count, pairs);
    if (status != SYN_OK)
        return status;
    syn_columns_index(payload, 0, apart->event_count, pairs->of_event);
    return take_numbers(apart, pairs->number) && number_all(apart, pairs) ? SYN_OK : SYN_EDAMAGED;
}

/* ---- what EVENTS would have ---- */

static void spread_tuples(const struct syn_columns_tables *tables, const uint16_t *tuple_of,
                          size_t count, const struct syn_columns_tuples *to)
{
    const struct syn_columns_tuples *from = &tables->tuples;
    const size_t tuple_count = tables->tuple_count;
    syn_spread_64(from->bytes, tuple_count, tuple_of, count, to->bytes);
    syn_spread_32(from->comm_use, tuple_count, tuple_of, count, to->comm_use);
    syn_spread_32(from->comm, tuple_count, tuple_of, count, to->comm);
    syn_spread_32(from->stack, tuple_count, tuple_of, count, to->stack);
    syn_spread_32(from->root, tuple_count, tuple_of, count, to->root);
    syn_spread_16(from->op, tuple_count, tuple_of, count, to->op);
    syn_spread_16(from->flags, tuple_count, tuple_of, count, to->flags);
    syn_spread_8(from->extended, tuple_count, tuple_of, count, to->extended);
}

/* What lies apart from them. */
static void put_apart(const struct apart *apart, const struct pairs *pairs,
                      const struct syn_columns_tuples *tuples)
{
    const uint64_t *restrict pair = pairs->pair;
    uint32_t *restrict stack = tuples->stack;
    uint16_t *restrict flags = tuples->flags;
    const size_t count = pairs->count;
    if (apart->stacks_apart)
        for (size_t i = 0; i < count; i++)
            stack[i] = (uint32_t)pair[i] - 1;
    if (apart->stop_count > 0)
        for (size_t i = 0; i < count; i++)
            flags[i] |= (uint16_t)(pair[i] & PAIR_STOPPED ? SYN_EVENT_PERTURBED : 0);
}

/* A tuple for each pair. */
static int widen_tuples(const struct apart *apart, const struct pairs *pairs,
                        struct syn_columns_tables *tables)
{
    struct syn_columns_tuples tuples;
    const size_t count = pairs->count;
    const uint64_t *restrict pair = pairs->pair;
    uint16_t *restrict tuple_of = malloc(count * sizeof *tuple_of);
    if (!tuple_of || !syn_columns_tuples_reserve(&tuples, count)) {
        free(tuple_of);
        return SYN_ENOMEM;
    }
    for (size_t i = 0; i < count; i++)
        tuple_of[i] = (uint16_t)(pair[i] >> PAIR_TUPLE_SHIFT);
    spread_tuples(tables, tuple_of, count, &tuples);
    free(tuple_of);
    put_apart(apart, pairs, &tuples);
    free(tables->tuples.memory);
    tables->tuples = tuples;
    tables->tuple_count = count;
    return SYN_OK;
}

/* In as few bytes as EVENTS has it: a chunk that is read in pieces keeps it. */
static int put_index(const struct pairs *pairs, struct syn_columns_payload *payload)
{
    const size_t count = payload->tables.event_count;
    const size_t width = syn_columns_index_width(pairs->count);
    const uint16_t *restrict from = pairs->of_event;
    payload->index_width = width;
    if (width == 0)
        return SYN_OK;
    uint8_t *restrict at = malloc(width * count);
    if (!at)
        return SYN_ENOMEM;
    for (size_t i = 0; width == 1 && i < count; i++)
        at[i] = (uint8_t)from[i];
    for (size_t i = 0; width == 2 && i < count; i++)
        syn_store16(at + 2 * i, from[i]);
    payload->index = payload->own_index = at;
    return SYN_OK;
}

static int join(struct apart *apart, struct syn_columns_payload *payload)
{
    struct pairs pairs = {0};
    int status = find_pairs(apart, payload, &pairs);
    if (status == SYN_OK)
        status = widen_tuples(apart, &pairs, &payload->tables);
    if (status == SYN_OK)
        status = put_index(&pairs, payload);
    free(pairs.number);
    free(pairs.of_event);
    free(pairs.pair);
    syn_index_free(&pairs.known);
    return status;
}

int syn_apart_find(const struct syn_columns_source *source, struct syn_columns_payload *out,
                   const char **why)
{
    struct syn_take take = syn_take_from(source->raw, source->raw_bytes);
    struct apart apart = {.event_count = source->event_count};
    const char *detail;
    *out = (struct syn_columns_payload){0};
    *why = "tables";
    if (apart.event_count == 0 || apart.event_count > SYN_CHUNK_EVENTS_MAX ||
        !find_stops(&take, source->frame_type, &apart) ||
        (apart.stacks_apart && !find_stacks(&take, &apart)))
        return SYN_EDAMAGED;
    int status = syn_columns_find(take.at, syn_take_left(&take), apart.event_count, out, &detail);
    return status == SYN_OK ? join(&apart, out) : status;
}

/* ---- its payload ---- */

static void put_counts(const struct syn_columns_tables *tables, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, tables->comm_count);
    syn_bytes_put_varint(out, tables->tuple_count);
    syn_bytes_put_varint(out, tables->exception_count);
    syn_bytes_put_varint(out, tables->extended_count);
    syn_bytes_put_zigzag(out, tables->base);
    for (size_t i = 0; i < sizeof tables->units / sizeof *tables->units; i++)
        syn_bytes_put_varint(out, tables->units[i]);
}

static void put_tables(const struct syn_columns_tables *tables, struct syn_bytes *out)
{
    const struct syn_columns_tuples *tuples = &tables->tuples;
    for (size_t i = 0; i < tables->comm_count; i++) {
        syn_bytes_put_varint(out, tables->comms[i]);
        syn_bytes_put_varint(out, tables->next_sequence[i]);
    }
    for (size_t i = 0; i < tables->tuple_count; i++) {
        syn_bytes_put_varint(out, tuples->op[i]);
        syn_bytes_put_varint(out, (uint64_t)tuples->flags[i] << 1 | tuples->extended[i]);
        syn_bytes_put_varint(out, tuples->comm_use[i]);
        syn_bytes_put_varint(out, (uint32_t)(tuples->stack[i] + 1)); /* SYN_NO_STACK becomes 0 */
        syn_bytes_put_zigzag(out, (int32_t)tuples->root[i]);
        syn_bytes_put_varint(out, tuples->bytes[i]);
    }
}

static void put_all(const struct syn_columns_payload *payload, struct syn_bytes *out)
{
    put_counts(&payload->tables, out);
    put_tables(&payload->tables, out);
    syn_bytes_put(out, payload->exceptions.at, syn_take_left(&payload->exceptions));
    syn_bytes_put(out, payload->index, payload->index_width * payload->tables.event_count);
    syn_bytes_put(out, payload->times.at, syn_take_left(&payload->times));
    uint8_t *slack = syn_bytes_reserve(out, SYN_COLUMNS_SLACK_BYTES);
    if (slack)
        memset(slack, 0, SYN_COLUMNS_SLACK_BYTES);
}

int syn_apart_to_events(const struct syn_columns_source *source, struct syn_bytes *events)
{
    struct syn_columns_payload payload;
    const char *why;
    int status = syn_apart_find(source, &payload, &why);
    events->count = 0;
    if (status == SYN_OK)
        put_all(&payload, events);
    syn_columns_payload_free(&payload);
    return status == SYN_OK && events->failed ? SYN_ENOMEM : status;
}
