/* test_join.c - chunks in which call stacks or pauses are in no tuple: the call stacks of very many
 * call sites are a column, and the events that the recorder paused before are a list. They come
 * back, and what is damaged is refused. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "fixture.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/columns/column.h"
#include "trace/columns/columns.h"
#include "trace/node/chunk_pack.h"

#define COUNT 5000

struct payload {
    struct syn_bytes bytes;
    struct syn_columns_layout layout;
};

static struct payload encode(const struct syn_event *events, size_t count)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_columns_encoder *encoder = syn_columns_encoder_new();
    struct payload made = {0};
    cr_assert_eq(encode_columns(encoder, events, count, &ticks, &made.bytes, &made.layout), SYN_OK);
    cr_assert_eq(made.layout.cuts[made.layout.cut_count - 1], made.bytes.count);
    syn_columns_encoder_free(encoder);
    return made;
}

/* Does a payload have that column? */
static bool has(const struct payload *made, size_t count, int name)
{
    struct padded padded;
    cr_assert(pad(made->bytes.data, made->bytes.count, count, &padded));
    free(padded.data);
    return padded.columns[name].is_there;
}

static int decode_whole(const struct syn_columns_source *source, struct syn_columns *columns)
{
    const char *why;
    bool lost;
    cr_assert_eq(syn_columns_reserve(columns, source->event_count), SYN_OK);
    return syn_columns_decode(source, &known, columns, &lost, &why);
}

/* Packed. */
static int decode_packed(const struct syn_columns_source *source, struct syn_columns *columns)
{
    struct syn_bytes bytes = {0};
    struct syn_columns_layout layout;
    struct padded padded;
    int status = syn_chunk_pack(source, &bytes, &layout);
    if (status == SYN_OK) {
        cr_assert(pad(bytes.data, bytes.count, source->event_count, &padded));
        status = decode_whole(&padded.source, columns);
        free(padded.data);
    }
    syn_bytes_free(&bytes);
    return status;
}

static void expect_part(const struct syn_columns *part, const struct syn_columns *whole,
                        size_t first)
{
    cr_assert_eq(part->tuple_count, whole->tuple_count);
    cr_assert_eq(part->extended, whole->extended);
    for (size_t i = 0, at = first; i < part->count; i++, at++) {
        cr_assert_eq(part->start[i], whole->start[at]);
        cr_assert_eq(part->end[i], whole->end[at]);
        if (part->extended) {
            cr_assert_eq(part->call_end[i], whole->call_end[at]);
            cr_assert_eq(part->wait_start[i], whole->wait_start[at]);
        }
        cr_assert_eq(part->bytes[i], whole->bytes[at]);
        cr_assert_eq(part->sequence[i], whole->sequence[at]);
        cr_assert_eq(part->comm[i], whole->comm[at]);
        cr_assert_eq(part->stack[i], whole->stack[at]);
        cr_assert_eq(part->root[i], whole->root[at]);
        cr_assert_eq(part->op[i], whole->op[at]);
        cr_assert_eq(part->flags[i], whole->flags[at]);
        cr_assert_eq(part->tuple[i], whole->tuple[at]);
    }
}

static int decode_pieces(const struct syn_columns_source *source, const struct syn_columns *whole)
{
    enum { PIECE = 20 * SYN_COLUMNS_PIECE };
    struct syn_columns_decoder *decoder;
    struct syn_columns part = {0};
    const char *why;
    size_t done = 0;
    bool lost;
    cr_assert_eq(syn_columns_reserve(&part, PIECE), SYN_OK);
    int status = syn_columns_decoder_open(source, &known, &lost, &why, &decoder);
    while (status == SYN_OK && syn_columns_decoder_left(decoder) > 0) {
        syn_columns_decoder_next(decoder, PIECE, &part);
        if (whole)
            expect_part(&part, whole, done);
        done += part.count;
    }
    syn_columns_decoder_close(decoder);
    syn_columns_free(&part);
    return status;
}

/* Whole, in pieces and packed it is the same, and refused alike. */
static int decode(const uint8_t *raw, size_t bytes, size_t count, struct syn_columns *columns)
{
    struct padded padded;
    struct syn_columns packed = {0};
    int status = SYN_EDAMAGED;
    if (pad(raw, bytes, count, &padded)) {
        status = decode_whole(&padded.source, columns);
        cr_assert_eq(decode_packed(&padded.source, &packed), status);
        cr_assert_eq(decode_pieces(&padded.source, status == SYN_OK ? columns : NULL), status);
    }
    if (status == SYN_OK)
        expect_part(&packed, columns, 0);
    syn_columns_free(&packed);
    free(padded.data);
    return status;
}

/* Events with the same number agree in all but times and sequence number. */
static void expect_tuples(const struct syn_columns *columns)
{
    static size_t first[SYN_CHUNK_EVENTS];
    cr_assert_leq(columns->tuple_count, columns->count);
    memset(first, 0xff, sizeof first);
    for (size_t i = 0; i < columns->count; i++) {
        size_t *like = &first[columns->tuple[i]];
        *like = *like == SIZE_MAX ? i : *like;
        cr_assert_eq(columns->stack[i], columns->stack[*like]);
        cr_assert_eq(columns->bytes[i], columns->bytes[*like]);
        cr_assert_eq(columns->comm[i], columns->comm[*like]);
    }
}

static void expect_same(const struct syn_columns *columns, const struct syn_event *events,
                        size_t count)
{
    cr_assert_eq(columns->count, count);
    for (size_t i = 0; i < count; i++) {
        const struct syn_event *event = &events[i];
        cr_assert_eq(columns->start[i], event->start_ticks);
        cr_assert_eq(columns->end[i], event->end_ticks);
        if (columns->extended) {
            cr_assert_eq(columns->call_end[i], event->call_end_ticks);
            cr_assert_eq(columns->wait_start[i], event->wait_start_ticks);
        }
        cr_assert_eq(columns->bytes[i], event->bytes);
        cr_assert_eq(columns->sequence[i], event->sequence, "sequence of %zu", i);
        cr_assert_eq(columns->comm[i], event->comm);
        cr_assert_eq(columns->stack[i], event->stack, "stack of %zu", i);
        cr_assert_eq(columns->root[i], event->root);
        cr_assert_eq(columns->op[i], event->op);
        cr_assert_eq(columns->flags[i], event->flags);
    }
    expect_tuples(columns);
}

/* On every processor, by the same bytes; with call stacks and pauses in columns of their own or
 * not. */
static void expect_back_as(bool stacks, bool paused, const struct syn_event *events, size_t count)
{
    struct payload made = encode(events, count), first;
    struct syn_columns columns = {0};
    syn_cpu_limit(SYN_CPU_ANY);
    first = encode(events, count);
    cr_assert_eq(has(&made, count, SYN_COLUMN_STACK), stacks);
    cr_assert_eq(has(&made, count, SYN_COLUMN_PAUSED), paused);
    cr_assert_eq(made.bytes.count, first.bytes.count);
    cr_assert_eq(memcmp(made.bytes.data, first.bytes.data, first.bytes.count), 0);
    cr_assert_eq(decode(made.bytes.data, made.bytes.count, count, &columns), SYN_OK);
    expect_same(&columns, events, count);
    syn_columns_free(&columns);
    syn_bytes_free(&made.bytes);
    syn_bytes_free(&first.bytes);
}

static void expect_back(const struct syn_event *events, size_t count)
{
    expect_back_as(true, false, events, count);
}

static struct syn_event *events_of(size_t count, uint32_t first, uint32_t step)
{
    struct syn_event *events = simulated_events(count, 5);
    uint64_t state = 3;
    for (size_t i = 0; i < count; i++)
        events[i].stack = first + step * (uint32_t)(random_next(&state) % 1000);
    return events;
}

/* In one byte to four: what they are above the least. */
Test(join, stacks_of_any_number_come_back)
{
    static const struct {
        uint32_t first, step;
    } ranges[] = {{0, 1}, {7, 60}, {UINT32_MAX - 1000, 1}, {0, 4000}, {5, 4294967}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++) {
        struct syn_event *events = events_of(COUNT, ranges[i].first, ranges[i].step);
        expect_back(events, COUNT);
        free(events);
    }
}

Test(join, events_without_a_stack_are_among_them)
{
    struct syn_event *events = events_of(COUNT, 0, 1);
    for (size_t i = 0; i < COUNT; i += 7)
        events[i].stack = SYN_NO_STACK;
    events[1].stack = SYN_NO_STACK - 1;
    expect_back(events, COUNT);
    free(events);
}

/* Sizes, nonblocking calls and calls that are not recorded: tuples and exceptions as without. */
Test(join, all_else_is_as_ever)
{
    struct syn_event *events = events_of(COUNT, 100, 3);
    uint64_t missing = 0;
    for (size_t i = 0; i < COUNT; i++) {
        events[i].bytes = i % 300;
        events[i].root = (int32_t)(i % 3) - 1;
        missing += i % 50 == 49;
        events[i].sequence += missing;
        if (i % 10 == 3) {
            events[i].call_end_ticks = events[i].start_ticks + 5;
            events[i].wait_start_ticks = events[i].end_ticks + 13;
            events[i].end_ticks += 170000;
            events[i].op = syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING);
        }
    }
    expect_back(events, COUNT);
    free(events);
}

/* A call site is compared with one before it in the same chunk: here a loop of one tuple, which
 * goes on and breaks off. */
Test(join, loops_are_found_whatever_their_sites)
{
    struct syn_event *events = events_of(COUNT, 0, 1);
    for (size_t i = 0; i < COUNT; i++) {
        events[i].op = SYN_OP_BLOCKING(BARRIER);
        events[i].root = -1;
        events[i].flags = 0;
        events[i].comm = i > 4000 && i % 64 == 50;
        events[i].sequence = i + (i > 3000);
        events[i].bytes = i > 2000 && i % 64 == 0 ? 16 : 8;
    }
    expect_back(events, COUNT);
    free(events);
}

Test(join, few_sites_are_in_the_tuples)
{
    struct syn_event *events = simulated_events(COUNT, 1);
    for (uint32_t sites = 200; sites <= 600; sites += 400) {
        for (size_t i = 0; i < COUNT; i++)
            events[i].stack = (uint32_t)i % sites;
        struct payload made = encode(events, COUNT);
        cr_expect_eq(has(&made, COUNT, SYN_COLUMN_STACK), sites == 600);
        syn_bytes_free(&made.bytes);
    }
    free(events);
}

/* Every so many calls, as in a real block; the first and the last one; all of them. */
static void pause_before(struct syn_event *events, size_t count, size_t each)
{
    for (size_t i = 0; i < count; i++) {
        const bool pauses = i % each == 0 || i + 1 == count;
        events[i].flags = (uint16_t)(pauses ? events[i].flags | SYN_EVENT_PERTURBED
                                            : events[i].flags & ~SYN_EVENT_PERTURBED);
    }
}

Test(join, pauses_are_a_list)
{
    for (size_t each = 1; each <= COUNT; each = 6 * each + 1) {
        struct syn_event *events = simulated_events(COUNT, 5);
        pause_before(events, COUNT, each);
        expect_back_as(false, true, events, COUNT);
        free(events);
    }
}

Test(join, pauses_and_stacks_come_back)
{
    for (size_t each = 1; each <= COUNT; each = 6 * each + 1) {
        struct syn_event *events = events_of(COUNT, 0, 60);
        pause_before(events, COUNT, each);
        expect_back_as(true, true, events, COUNT);
        free(events);
    }
}

/* A loop of one kind of call, in which other flags come and go. */
static struct syn_event *loop_of(size_t count)
{
    struct syn_event *events = simulated_events(count, 5);
    for (size_t i = 0; i < count; i++) {
        events[i].op = SYN_OP_BLOCKING(BARRIER);
        events[i].root = -1;
        events[i].flags = i > 3000 && i < 3300 && i % 2 ? SYN_EVENT_IN_PLACE : 0;
        events[i].comm = 0;
        events[i].stack = 0;
        events[i].bytes = 0;
        events[i].sequence = i;
    }
    return events;
}

/* They break off nothing that repeats: but for the list, such a chunk is what it was without. */
Test(join, a_loop_goes_on_through_pauses)
{
    struct syn_event *events = loop_of(COUNT);
    struct payload without = encode(events, COUNT);
    pause_before(events, COUNT, 203);
    expect_back_as(false, true, events, COUNT);
    struct payload with = encode(events, COUNT);
    struct padded a, b;
    cr_assert(pad(without.bytes.data, without.bytes.count, COUNT, &a));
    cr_assert(pad(with.bytes.data, with.bytes.count, COUNT, &b));
    for (int name = 0; name < SYN_COLUMN_COUNT; name++) {
        const struct syn_chunk_column *one = &a.columns[name], *other = &b.columns[name];
        if (name == SYN_COLUMN_PAUSED) {
            cr_expect_eq(other->count, (COUNT + 202) / 203 + 1);
            continue;
        }
        cr_assert_eq(one->end - one->data, other->end - other->data);
        cr_expect(one->count == 0 ||
                  memcmp(one->data, other->data, (size_t)(one->end - one->data)) == 0);
    }
    free(a.data);
    free(b.data);
    syn_bytes_free(&without.bytes);
    syn_bytes_free(&with.bytes);
    free(events);
}

/* As many tuples as fit the index's first byte, one more, and one alone, which needs no index. */
Test(join, tuples_are_as_many_as_kinds)
{
    enum { FEW = 3000 };
    for (uint32_t sites = 255; sites <= 256; sites++) {
        struct syn_event *events = loop_of(FEW);
        struct syn_columns columns = {0};
        for (uint32_t i = 0; i < FEW; i++)
            events[i].stack = i % sites;
        events[0].flags |= SYN_EVENT_PERTURBED;
        struct payload made = encode(events, FEW);
        expect_back_as(false, true, events, FEW);
        decode(made.bytes.data, made.bytes.count, FEW, &columns);
        cr_expect_eq(columns.tuple_count, sites + 1);
        syn_columns_free(&columns);
        syn_bytes_free(&made.bytes);
        free(events);
    }
    struct syn_event *events = loop_of(FEW);
    pause_before(events, FEW, 1);
    expect_back_as(false, true, events, FEW);
    free(events);
}

/* Makes communicators out of one for ever and frees them; now and then it calls on one that was
 * made long ago, on the newest but one, and on one more than once. Their numbers are from `first`
 * on, but for the two oldest. */
static struct syn_event *comms_come_and_go(uint32_t first)
{
    struct syn_event *events = loop_of(COUNT);
    uint32_t made = first;
    for (size_t i = 0; i < COUNT; i++) {
        const uint32_t kind = i % 50 == 9 ? 3 : i % 50 == 8 ? 2 : i % 2;
        made += kind == 1;
        events[i].op = kind == 1 ? SYN_OP_BLOCKING(COMM_FREE) : SYN_OP_BLOCKING(BARRIER);
        events[i].comm = kind == 1 ? made : kind == 2 ? made - 1 : kind == 3 ? first - 20000 : 1;
        events[i].sequence = kind == 2 || i % 7 == 0 ? 5 : i;
    }
    return events;
}

static bool is_same_kind(const struct syn_event *a, const struct syn_event *b)
{
    return a->comm == b->comm && a->op == b->op && a->flags == b->flags;
}

static size_t count_kinds(const struct syn_event *events)
{
    size_t kinds = 0;
    for (size_t i = 0; i < COUNT; i++) {
        size_t j = 0;
        while (j < i && !is_same_kind(&events[i], &events[j]))
            j++;
        kinds += j == i;
    }
    return kinds;
}

/* Communicators far from one another, near one another and gone are told apart, each combination is
 * there once, and what an encoder knew of the chunk before is forgotten. */
Test(join, communicators_come_and_go)
{
    static const uint32_t firsts[] = {20010, 21000, 20010, 4000000000, 29000, 4294900000, 20010};
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_columns_encoder *encoder = syn_columns_encoder_new();
    struct syn_bytes again = {0};
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        struct syn_event *events = comms_come_and_go(firsts[i]);
        struct payload made = encode(events, COUNT);
        struct syn_columns columns = {0};
        struct syn_columns_layout layout;
        cr_assert_eq(encode_columns(encoder, events, COUNT, &ticks, &again, &layout), SYN_OK);
        cr_assert_eq(again.count, made.bytes.count);
        cr_expect_eq(memcmp(again.data, made.bytes.data, again.count), 0);
        expect_back_as(false, false, events, COUNT);
        cr_assert_eq(decode(made.bytes.data, made.bytes.count, COUNT, &columns), SYN_OK);
        cr_expect_eq(columns.tuple_count, count_kinds(events));
        syn_columns_free(&columns);
        syn_bytes_free(&made.bytes);
        free(events);
    }
    syn_bytes_free(&again);
    syn_columns_encoder_free(encoder);
}

/* Events out of order are sorted, and their pauses with them. */
Test(join, pauses_follow_their_events)
{
    struct syn_event *events = loop_of(COUNT), *sorted = malloc(COUNT * sizeof *sorted);
    pause_before(events, COUNT, 203);
    memcpy(sorted, events, COUNT * sizeof *sorted);
    for (size_t i = 2000; i < 2100; i++)
        events[i] = sorted[4099 - i];
    struct payload made = encode(events, COUNT);
    struct syn_columns columns = {0};
    cr_assert(has(&made, COUNT, SYN_COLUMN_PAUSED));
    cr_assert_eq(decode(made.bytes.data, made.bytes.count, COUNT, &columns), SYN_OK);
    expect_same(&columns, sorted, COUNT);
    syn_columns_free(&columns);
    syn_bytes_free(&made.bytes);
    free(sorted);
    free(events);
}

/* With every length cut off, and with every byte another one somewhere: refused, or some events. */
static void expect_damage_refused(const struct syn_event *events, size_t count)
{
    struct payload made = encode(events, count);
    struct syn_columns columns = {0};
    uint64_t state = 11;
    for (size_t bytes = 0; bytes < made.bytes.count; bytes++)
        cr_assert_eq(decode(made.bytes.data, bytes, count, &columns), SYN_EDAMAGED, "%zu bytes",
                     bytes);
    for (int i = 0; i < 3000; i++) {
        uint8_t *at = &made.bytes.data[random_next(&state) % made.bytes.count], was = *at;
        *at = (uint8_t)random_next(&state);
        const int status = decode(made.bytes.data, made.bytes.count, count, &columns);
        cr_assert(status == SYN_OK || status == SYN_EDAMAGED);
        *at = was;
    }
    const uint8_t *const raw = made.bytes.data;
    cr_assert_eq(decode(raw, made.bytes.count, count, &columns), SYN_OK);
    cr_assert_eq(decode(raw, made.bytes.count, count + 1, &columns), SYN_EDAMAGED);
    cr_assert_eq(decode(raw, made.bytes.count, 0, &columns), SYN_EDAMAGED);
    syn_columns_free(&columns);
    syn_bytes_free(&made.bytes);
}

Test(join, damage_is_refused)
{
    enum { FEW = 700 };
    struct syn_event *events = events_of(FEW, 0, 1);
    pause_before(events, FEW, SIZE_MAX);
    events[0].flags = events[FEW - 1].flags = 0;
    expect_damage_refused(events, FEW);
    pause_before(events, FEW, 90);
    expect_damage_refused(events, FEW);
    free(events);
    events = simulated_events(FEW, 5);
    pause_before(events, FEW, 90);
    expect_damage_refused(events, FEW);
    free(events);
}

/* A payload with another column in the place of `name`. */
static struct syn_bytes with_column(const struct payload *made, size_t count, int name,
                                    const struct syn_bytes *column)
{
    struct syn_bytes forged = {0};
    struct padded padded;
    cr_assert(pad(made->bytes.data, made->bytes.count, count, &padded));
    for (int i = 0; i < SYN_COLUMN_COUNT; i++)
        if (i == name)
            syn_bytes_put(&forged, column->data, column->count);
        else if (padded.columns[i].is_there)
            syn_column_copy(&forged, i, &padded.columns[i]);
    free(padded.data);
    return forged;
}

static int decode_with(const struct payload *made, size_t count, int name, struct syn_bytes *column)
{
    struct syn_columns columns = {0};
    struct syn_bytes forged = with_column(made, count, name, column);
    const int status = decode(forged.data, forged.count, count, &columns);
    syn_columns_free(&columns);
    syn_bytes_free(&forged);
    syn_bytes_free(column);
    return status;
}

/* A pause twice, and one behind the last event. */
Test(join, pauses_that_no_event_has_are_refused)
{
    enum { FEW = 300 };
    static const struct {
        int64_t places[2];
        int status;
    } cases[] = {{{0, 1}, SYN_OK},        {{7, 7}, SYN_EDAMAGED}, {{8, 7}, SYN_EDAMAGED},
                 {{-1, 7}, SYN_EDAMAGED}, {{0, FEW - 1}, SYN_OK}, {{1, FEW}, SYN_EDAMAGED}};
    struct syn_event *events = loop_of(FEW);
    struct payload made = encode(events, FEW);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct syn_bytes column = {0};
        syn_column_put_differences(&column, SYN_COLUMN_PAUSED, cases[i].places, 2);
        cr_expect_eq(decode_with(&made, FEW, SYN_COLUMN_PAUSED, &column), cases[i].status, "%zu",
                     i);
    }
    syn_bytes_free(&made.bytes);
    free(events);
}

static struct syn_bytes planes_of(uint64_t least, size_t width, uint8_t first, size_t count)
{
    struct syn_bytes column = {0};
    syn_column_begin(&column, SYN_COLUMN_STACK, SYN_ENCODING_BYTES, count);
    syn_bytes_put_varint(&column, least);
    syn_bytes_put_varint(&column, width);
    memset(syn_bytes_reserve(&column, width * count + 1), 0, width * count);
    column.data[column.count] = width ? first : 0;
    column.count += width * count;
    return column;
}

/* Numbers that are past the last one, and wider than a stack's. */
Test(join, stacks_that_no_number_says_are_refused)
{
    enum { FEW = 700 };
    struct syn_event *events = events_of(FEW, 0, 1);
    struct payload made = encode(events, FEW);
    struct syn_bytes column;
    for (size_t width = 0; width <= 5; width++) {
        column = planes_of(UINT32_MAX, width, 0, FEW);
        cr_expect_eq(decode_with(&made, FEW, SYN_COLUMN_STACK, &column),
                     width <= 4 ? SYN_OK : SYN_EDAMAGED, "width %zu", width);
        column = planes_of(UINT32_MAX, width, 1, FEW);
        cr_expect_eq(decode_with(&made, FEW, SYN_COLUMN_STACK, &column),
                     width == 0 ? SYN_OK : SYN_EDAMAGED, "width %zu", width);
    }
    column = planes_of((uint64_t)UINT32_MAX + 1, 0, 0, FEW);
    cr_expect_eq(decode_with(&made, FEW, SYN_COLUMN_STACK, &column), SYN_EDAMAGED);
    column = planes_of(0, 1, 0, FEW - 1);
    cr_expect_eq(decode_with(&made, FEW, SYN_COLUMN_STACK, &column), SYN_EDAMAGED);
    syn_bytes_free(&made.bytes);
    free(events);
}

/* Each column once, in order; none that is not known. */
Test(join, columns_that_there_are_not_are_refused)
{
    enum { FEW = 300 };
    struct syn_event *events = loop_of(FEW);
    struct payload made = encode(events, FEW);
    struct syn_columns columns = {0};
    struct syn_bytes forged = {0};
    syn_bytes_put(&forged, made.bytes.data, made.bytes.count);
    syn_column_begin(&forged, SYN_COLUMN_COUNT, SYN_ENCODING_DIFFERENCES, 0);
    cr_expect_eq(decode(forged.data, forged.count, FEW, &columns), SYN_EDAMAGED, "unknown");
    forged.count = made.bytes.count;
    syn_column_begin(&forged, SYN_COLUMN_BASE, SYN_ENCODING_DIFFERENCES, 0);
    cr_expect_eq(decode(forged.data, forged.count, FEW, &columns), SYN_EDAMAGED, "out of order");
    forged.count = made.bytes.count;
    syn_column_begin(&forged, SYN_COLUMN_CALL, SYN_ENCODING_DIFFERENCES, 0);
    cr_expect_eq(decode(forged.data, forged.count, FEW, &columns), SYN_EDAMAGED, "twice");
    forged.count = made.bytes.count;
    syn_column_begin(&forged, SYN_COLUMN_OVERLAP, SYN_ENCODING_COUNT, 0);
    cr_expect_eq(decode(forged.data, forged.count, FEW, &columns), SYN_EDAMAGED, "encoding");
    syn_columns_free(&columns);
    syn_bytes_free(&forged);
    syn_bytes_free(&made.bytes);
    free(events);
}
