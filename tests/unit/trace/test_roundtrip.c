/* Written events come back, exactly. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "sync/time/cpu.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

static struct memory_file stored;
static struct syn_rank_file *opened;

static struct syn_writer *new_writer(const struct syn_tick_source *ticks)
{
    struct syn_writer *writer;
    struct syn_writer_identity identity = identity_of(1, 4);
    cr_assert_eq(syn_writer_open(memory_sink(&stored), &identity, 1, ticks, &writer), SYN_OK);
    return writer;
}

static struct syn_rank_file *finish_and_open(struct syn_writer *writer)
{
    struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE, .dropped_count = 3};
    cr_assert_eq(syn_writer_finish(writer, &end), SYN_OK);
    cr_assert(stored.committed);
    cr_assert_eq(syn_writer_bytes(writer), stored.bytes);
    syn_writer_close(writer);
    cr_assert(stored.closed);
    save_file(temp_path("rank-000001.syn"), stored.data, stored.bytes);
    cr_assert_eq(syn_rank_open(temp_path("rank-000001.syn"), NULL, &opened), SYN_OK);
    const char *where = NULL;
    cr_assert_eq(syn_rank_fault(opened, &where), SYN_OK, "%s", where);
    return opened;
}

static void clean_up(void)
{
    syn_rank_close(opened);
    memory_file_free(&stored);
    temp_remove();
}

TestSuite(roundtrip, .fini = clean_up);

/* All events of a file as the writer's structs, chunk by chunk or in pieces; caller frees. */
static struct syn_event *read_events(struct syn_rank_file *file, size_t piece, size_t *count)
{
    struct syn_event_columns columns = {.more = false};
    struct syn_scratch *scratch = syn_scratch_new();
    struct syn_cursor *cursor;
    struct syn_event *events = calloc(syn_rank_event_count(file) + 1, sizeof *events);
    bool any;
    *count = 0;
    cr_assert_not_null(scratch);
    cr_assert_eq(syn_cursor_open_with(file, scratch, piece, &cursor), SYN_OK);
    syn_cursor_shorten(cursor);
    for (int64_t start_ns; syn_cursor_peek(cursor, &start_ns, &any) == SYN_OK;) {
        if (!any)
            continue;
        cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_OK);
        cr_assert_eq(columns.start_ns[0], start_ns);
        cr_assert(piece == 0 ? !columns.more : columns.count <= piece);
        cr_assert(piece == 0 || *count > 0 || !columns.more || columns.count == SYN_PIECE_LEAST);
        for (size_t i = 0; i < columns.count; i++)
            events[(*count)++] = (struct syn_event){
                .start_ticks = columns.start_ns[i],
                .end_ticks = columns.end_ns[i],
                .call_end_ticks = columns.call_end_ns[i],
                .wait_start_ticks = columns.wait_start_ns[i],
                .bytes = columns.bytes[i] | (uint64_t)columns.attributes[i] << SYN_ATTRIBUTES_SHIFT,
                .sequence = columns.sequence[i],
                .comm = columns.comm[i],
                .stack = columns.stack[i],
                .root = columns.root[i],
                .op = columns.op[i],
                .flags = columns.flags[i]};
    }
    cr_assert_not(columns.more);
    syn_cursor_close(cursor);
    syn_scratch_free(scratch);
    return events;
}

/* Events with the same tuple number in a chunk differ in times and sequence numbers only. */
static void assert_tuples_hold(struct syn_rank_file *file)
{
    static size_t first[SYN_CHUNK_EVENTS_MAX];
    struct syn_event_columns c;
    struct syn_cursor *cursor;
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &c) == SYN_OK) {
        cr_assert_not_null(c.tuple);
        memset(first, 0xFF, c.tuple_count * sizeof *first);
        for (size_t i = 0; i < c.count; i++) {
            cr_assert_lt(c.tuple[i], c.tuple_count);
            size_t *like = &first[c.tuple[i]];
            *like = *like == SIZE_MAX ? i : *like;
            cr_assert(c.bytes[i] == c.bytes[*like] && c.comm[i] == c.comm[*like] &&
                      c.stack[i] == c.stack[*like] && c.root[i] == c.root[*like] &&
                      c.op[i] == c.op[*like] && c.flags[i] == c.flags[*like] &&
                      c.attributes[i] == c.attributes[*like]);
        }
    }
    syn_cursor_close(cursor);
}

/* A cursor by tuples says once for each tuple what the others say for each event. */
static void assert_by_tuples_alike(struct syn_rank_file *file)
{
    struct syn_event_columns each, c;
    struct syn_cursor *cursor, *by_tuples;
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    cr_assert_eq(syn_cursor_open(file, &by_tuples), SYN_OK);
    syn_cursor_by_tuples(by_tuples);
    while (syn_cursor_next(cursor, &each) == SYN_OK) {
        cr_assert_eq(syn_cursor_next(by_tuples, &c), SYN_OK);
        cr_assert(c.count == each.count && c.tuple_count == each.tuple_count);
        cr_assert_null(c.flags);
        for (size_t i = 0; i < c.count; i++) {
            const struct syn_event_sayings *said = &c.of_tuple;
            const size_t t = c.tuple[i];
            cr_assert(t == each.tuple[i] && c.start_ns[i] == each.start_ns[i] &&
                      c.end_ns[i] == each.end_ns[i] && c.sequence[i] == each.sequence[i]);
            cr_assert(said->bytes[t] == each.bytes[i] && said->comm[t] == each.comm[i] &&
                      said->stack[t] == each.stack[i] && said->root[t] == each.root[i] &&
                      said->attributes[t] == each.attributes[i] && said->op[t] == each.op[i] &&
                      syn_event_flags_at(&c, i) == each.flags[i] &&
                      syn_event_flags_at(&each, i) == each.flags[i]);
        }
    }
    cr_assert_eq(syn_cursor_next(by_tuples, &c), SYN_EEND);
    syn_cursor_close(cursor);
    syn_cursor_close(by_tuples);
}

/* A total order over events, so that multisets can be compared. */
static int compare_events(const void *left, const void *right)
{
    return memcmp(left, right, sizeof(struct syn_event));
}

static void assert_same_events(struct syn_event *expected, size_t expected_count,
                               struct syn_rank_file *file)
{
    size_t count, piece_count;
    struct syn_event *got = read_events(file, 0, &count);
    cr_assert_eq(count, expected_count);
    for (size_t piece = 32; piece <= 4096; piece *= piece < 512 ? 3 : 4) {
        struct syn_event *again = read_events(file, piece, &piece_count);
        cr_assert_eq(piece_count, count);
        for (size_t i = 0; i < count; i++)
            cr_assert_eq(compare_events(&again[i], &got[i]), 0, "event %zu of pieces differs", i);
        free(again);
    }
    assert_tuples_hold(file);
    assert_by_tuples_alike(file);
    qsort(expected, count, sizeof *expected, compare_events);
    qsort(got, count, sizeof *got, compare_events);
    for (size_t i = 0; i < count; i++)
        cr_assert_eq(compare_events(&got[i], &expected[i]), 0, "event %zu differs", i);
    free(got);
}

/* Write events with ticks = nanoseconds and no model, and expect them back. */
static void assert_survives(struct syn_event *events, size_t count, uint32_t comm_count,
                            uint32_t stack_count)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer = new_writer(&ticks);
    declare(writer, comm_count, stack_count);
    cr_assert_eq(syn_writer_entries(writer, 7, events, count, 0, NULL), SYN_OK);
    assert_same_events(events, count, finish_and_open(writer));
}

Test(roundtrip, simulated_blocking_calls)
{
    struct syn_event *events = simulated_events(3 * SYN_CHUNK_EVENTS + 17, 1);
    assert_survives(events, 3 * SYN_CHUNK_EVENTS + 17, 3, 12);
    cr_assert_eq(syn_rank_chunk_count(opened), 4);
    cr_assert_lt(stored.bytes, 4.5 * 3 * SYN_CHUNK_EVENTS);
    free(events);
}

Test(roundtrip, no_events_at_all)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer = new_writer(&ticks);
    cr_assert_eq(syn_writer_entries(writer, 0, NULL, 0, 0, NULL), SYN_OK);
    struct syn_rank_file *file = finish_and_open(writer);
    cr_assert_eq(syn_rank_event_count(file), 0);
    cr_assert_eq(syn_rank_chunk_count(file), 0);
    cr_assert_eq(syn_rank_end(file)->ending, SYN_ENDING_FINALIZE);
    cr_assert_eq(syn_rank_end(file)->dropped_count, 3);
    cr_assert_eq(syn_rank_rank(file), 1);
    cr_assert_eq(syn_rank_size(file), 4);
    cr_assert_eq(memcmp(syn_rank_run_id(file), identity_of(1, 4).run_id, 16), 0);
}

Test(roundtrip, one_event)
{
    struct syn_event event = blocking_event(5, 9, 77);
    assert_survives(&event, 1, 1, 0);
}

/* Each field from a pool in which the extremes are as likely as everything else. */
static int64_t absurd(uint64_t *state)
{
    static const int64_t pool[] = {INT64_MIN, INT64_MAX, INT64_MIN + 1, -1, 0, 1, 2, 3, 4, 1 << 20};
    uint64_t draw = random_next(state);
    if (draw % 3 == 0)
        return pool[(draw >> 8) % (sizeof pool / sizeof *pool)];
    return (int64_t)(random_next(state) >> (draw >> 8) % 64) * (draw & 16 ? 1 : -1);
}

static void assert_any_value_survives(void)
{
    enum { COUNT = 40000 };
    struct syn_event *events = calloc(COUNT, sizeof *events);
    uint64_t state = 3;
    for (size_t i = 0; i < COUNT; i++) {
        uint64_t draw = random_next(&state);
        events[i] =
            (struct syn_event){.start_ticks = absurd(&state),
                               .end_ticks = absurd(&state),
                               .call_end_ticks = absurd(&state),
                               .wait_start_ticks = absurd(&state),
                               .bytes = (uint64_t)absurd(&state),
                               .sequence = (uint64_t)absurd(&state),
                               .comm = draw % 3,
                               .stack = draw % 5 ? (draw >> 8) % 4 : SYN_NO_STACK,
                               .root = (int32_t)absurd(&state),
                               .op = (uint16_t)(draw >> 16),
                               .flags = (uint16_t)(draw >> 32) & (uint16_t)~SYN_EVENT_WRITTEN};
    }
    assert_survives(events, COUNT, 3, 4);
    free(events);
}

Test(roundtrip, any_value_in_any_field)
{
    assert_any_value_survives();
}

Test(roundtrip, any_value_in_any_field_on_an_older_processor)
{
    syn_cpu_limit(SYN_CPU_ANY);
    assert_any_value_survives();
}

Test(roundtrip, simulated_calls_on_an_older_processor)
{
    struct syn_event *events = simulated_events(SYN_CHUNK_EVENTS + 700, 1);
    syn_cpu_limit(SYN_CPU_ANY);
    assert_survives(events, SYN_CHUNK_EVENTS + 700, 3, 12);
    free(events);
}

/* A program of loops in loops on up to three communicators, which now and then does something else:
 * another size, a call that is not recorded, a nonblocking one. */
static struct syn_event *looping_events(size_t count, size_t longest, uint64_t *state)
{
    struct syn_event *events = simulated_events(count, random_next(state));
    uint64_t sequences[3] = {0, 5, UINT64_MAX - 100};
    size_t period = 1, begun = 0;
    for (size_t i = 0; i < count; i++) {
        struct syn_event *event = &events[i];
        uint64_t draw = random_next(state);
        if (draw % 600 == 0) {
            period = 1 + (draw >> 16) % longest;
            begun = i;
        }
        size_t place = (i - begun) % period;
        event->bytes = draw % 900 == 1 ? draw : place * place % 61;
        event->comm = (uint32_t)(place % 7 % 3);
        event->stack = (uint32_t)(place % 12);
        sequences[event->comm] += draw % 700 == 2;
        event->sequence = sequences[event->comm]++;
        if (draw % 800 == 3 || place == 40)
            event->end_ticks += (int64_t)(draw >> 50);
        if (draw % 1000 == 4)
            event->wait_start_ticks += 7;
    }
    return events;
}

/* Turns two thirds of the calls into messages, some of which are lost and some late; of few tags,
 * or one that counts up. Runs of them are completed together. */
static void make_messages(struct syn_event *events, size_t count, bool few_tags, uint64_t *state)
{
    uint32_t order = UINT32_MAX - (uint32_t)(count / 3);
    for (size_t i = 0; i < count; i++) {
        const uint64_t draw = random_next(state);
        struct syn_event *event = &events[i];
        if (event->stack % 3 == 0)
            continue;
        order += draw % 500 == 0 ? draw >> 60 : 0;
        event->op = event->stack % 3 == 1 ? SYN_CALL_Irecv : SYN_CALL_Send;
        event->sequence = syn_message_sequence(order++, few_tags ? (int32_t)(event->stack % 5) - 2
                                                                 : (int32_t)(i / 12 * 7));
        event->bytes |= (uint64_t)SYN_MESSAGE_PROBED << SYN_ATTRIBUTES_SHIFT;
        if (event->op == SYN_CALL_Irecv) {
            const size_t last = i / 12 * 12 + 11 < count ? i / 12 * 12 + 11 : count - 1;
            event->wait_start_ticks = events[last].call_end_ticks + 7;
            event->end_ticks = events[last].call_end_ticks + 9;
        }
    }
}

enum looping { LOOP_CALLS, LOOP_MESSAGES, LOOP_TAGS };

/* They come back, and every processor writes the same bytes. */
static void assert_loops_survive(size_t longest, uint64_t seed, enum looping looping)
{
    enum { COUNT = 2 * SYN_CHUNK_EVENTS };
    struct syn_event *events = looping_events(COUNT, longest, &seed);
    if (looping != LOOP_CALLS)
        make_messages(events, COUNT, looping == LOOP_MESSAGES, &seed);
    struct syn_tick_source ticks = nanosecond_ticks();
    struct memory_file first = {0};
    for (enum syn_cpu cpu = SYN_CPU_ANY; cpu <= SYN_CPU_AVX2; cpu++) {
        syn_cpu_limit(cpu);
        first = stored;
        stored = (struct memory_file){0};
        struct syn_writer *writer = new_writer(&ticks);
        declare(writer, 3, 12);
        cr_assert_eq(syn_writer_entries(writer, 7, events, COUNT, 0, NULL), SYN_OK);
        syn_rank_close(opened);
        finish_and_open(writer);
    }
    cr_assert_eq(stored.bytes, first.bytes);
    cr_assert_eq(memcmp(stored.data, first.data, first.bytes), 0);
    assert_same_events(events, COUNT, opened);
    memory_file_free(&first);
    memory_file_free(&stored);
    free(events);
}

Test(roundtrip, loops_that_go_on_and_break_off)
{
    static const size_t longest[] = {1, 3, 20, 70, 260, 600};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++)
        assert_loops_survive(longest[i], 21 + i, LOOP_CALLS);
}

Test(roundtrip, loops_of_messages_and_calls)
{
    static const size_t longest[] = {3, 20, 260};
    for (size_t i = 0; i < sizeof longest / sizeof *longest; i++) {
        assert_loops_survive(longest[i], 31 + i, LOOP_MESSAGES);
        assert_loops_survive(longest[i], 41 + i, LOOP_TAGS);
    }
}

Test(roundtrip, nonblocking_calls_keep_all_four_times)
{
    enum { COUNT = 1000 };
    struct syn_event *events = simulated_events(COUNT, 9);
    for (size_t i = 0; i < COUNT; i += 3) {
        events[i].call_end_ticks = events[i].start_ticks + 50;
        events[i].wait_start_ticks = events[i].end_ticks - 20;
        events[i].end_ticks += (int64_t)(i % 5) * 10000; /* completes after later calls began */
        events[i].op = syn_op_id(SYN_ROW_ALLREDUCE, SYN_FORM_NONBLOCKING);
    }
    assert_survives(events, COUNT, 3, 12);
    free(events);
}

Test(roundtrip, every_event_its_own_size_and_communicator)
{
    enum { COUNT = SYN_CHUNK_EVENTS + 1 };
    struct syn_event *events = simulated_events(COUNT, 10);
    for (size_t i = 0; i < COUNT; i++) {
        events[i].bytes = i * i;
        events[i].comm = (uint32_t)(i % 1800);
        events[i].sequence = i / 1800;
    }
    assert_survives(events, COUNT, 1800, 12);
    free(events);
}

Test(roundtrip, chunks_are_sorted_by_start)
{
    struct syn_event events[] = {blocking_event(30, 40, 2), blocking_event(10, 20, 0),
                                 blocking_event(20, 30, 1), blocking_event(10, 11, 9)};
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer = new_writer(&ticks);
    struct syn_event_columns columns;
    struct syn_cursor *cursor;
    declare(writer, 1, 0);
    cr_assert_eq(syn_writer_entries(writer, 5, events, 4, 0, NULL), SYN_OK);
    cr_assert_eq(syn_cursor_open(finish_and_open(writer), &cursor), SYN_OK);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_OK);
    cr_assert_eq(columns.thread, 5);
    static const uint64_t order[] = {0, 9, 1, 2};
    for (int i = 0; i < 4; i++)
        cr_assert_eq(columns.sequence[i], order[i]);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EEND);
    syn_cursor_close(cursor);
}

Test(roundtrip, a_coarse_clock_costs_no_bits_for_what_it_cannot_resolve)
{
    enum { COUNT = 10000 };
    struct syn_event *events = simulated_events(COUNT, 11);
    struct syn_tick_source ticks = nanosecond_ticks();
    for (size_t i = 0; i < COUNT; i++) {
        events[i].start_ticks = events[i].wait_start_ticks = 1000 * (events[i].start_ticks / 1000);
        events[i].end_ticks = events[i].call_end_ticks = 1000 * (events[i].end_ticks / 1000);
    }
    struct syn_writer *writer = new_writer(&ticks);
    declare(writer, 3, 12);
    uint64_t before = syn_writer_bytes(writer);
    cr_assert_eq(syn_writer_entries(writer, 7, events, COUNT, 0, NULL), SYN_OK);
    /* 4 us in steps of 1 us: some three bits a time instead of thirteen. */
    cr_assert_lt(syn_writer_bytes(writer) - before, 1.2 * COUNT);
    assert_same_events(events, COUNT, finish_and_open(writer));
    free(events);
}

Test(roundtrip, records_come_back)
{
    struct syn_tick_source ticks = ticks_of_mhz(2100, 123456);
    struct syn_writer *writer = new_writer(&ticks);
    int32_t odd_ranks[] = {7, 5, 3, -1, 2000000000};
    struct syn_comm_record inter = {.index = 3,
                                    .id = UINT64_MAX,
                                    .parent_id = 1,
                                    .size = 5,
                                    .rank = 2,
                                    .remote_size = 9,
                                    .name = "h\xc3\xa4nde\n",
                                    .world_ranks = odd_ranks};
    struct syn_event event = blocking_event(1, 2, 0);
    declare(writer, 3, 2);
    cr_assert_eq(syn_writer_meta(writer, "a", "first"), SYN_OK);
    cr_assert_eq(syn_writer_meta(writer, "b", ""), SYN_OK);
    cr_assert_eq(syn_writer_entries(writer, 0, &event, 1, 0, NULL), SYN_OK);
    cr_assert_eq(syn_writer_comm(writer, &inter), SYN_OK);
    cr_assert_eq(syn_writer_meta(writer, "a", "second"), SYN_OK);
    struct syn_rank_file *file = finish_and_open(writer);

    const char *key, *value;
    cr_assert_str_eq(syn_rank_meta(file, "a"), "second");
    cr_assert(syn_rank_meta_at(file, 1, &key, &value));
    cr_assert_str_eq(key, "b");
    cr_assert_str_eq(value, "");
    cr_assert_not(syn_rank_meta_at(file, 2, &key, &value));
    cr_assert_null(syn_rank_meta(file, "c"));

    cr_assert_eq(syn_rank_comm_count(file), 4);
    const struct syn_comm_record *comm = syn_rank_comm(file, 3);
    cr_assert_eq(comm->id, UINT64_MAX);
    cr_assert_eq(comm->parent_id, 1);
    cr_assert_eq(comm->rank, 2);
    cr_assert_eq(comm->remote_size, 9);
    cr_assert_str_eq(comm->name, "h\xc3\xa4nde\n");
    cr_assert_arr_eq(comm->world_ranks, odd_ranks, sizeof odd_ranks);
    cr_assert_str_eq(syn_rank_comm(file, 0)->name, "MPI_COMM_WORLD");
    cr_assert_null(syn_rank_comm(file, 4));

    const struct syn_module_record *module = syn_rank_module(file, 0);
    cr_assert_str_eq(module->path, "/usr/bin/program");
    cr_assert_eq(module->build_id_bytes, 5);
    cr_assert_arr_eq(module->build_id, ((uint8_t[]){0xde, 0xad, 0x00, 0xbe, 0xef}), 5);

    cr_assert_eq(syn_rank_stack_count(file), 2);
    const struct syn_stack_record *stack = syn_rank_stack(file, 1);
    cr_assert_eq(stack->depth, 3);
    cr_assert_eq(stack->frames[0].offset, 0x1254);
    cr_assert_eq(stack->frames[2].module, UINT32_MAX);
    cr_assert_eq(stack->frames[2].offset, UINT64_MAX);

    cr_assert_eq(syn_rank_ticks(file)->base_ticks, 123456);
    cr_assert_eq(syn_rank_ticks(file)->multiplier, ticks.multiplier);
    cr_assert_eq(syn_rank_timeline(file)->knot_count, 0);
    cr_assert_null(syn_rank_quality(file));
}

/* Members in runs of ranks that follow one another, of lengths around that of a machine word. */
Test(roundtrip, members_in_runs)
{
    struct syn_tick_source ticks = ticks_of_mhz(2100, 123456);
    struct syn_writer *writer = new_writer(&ticks);
    int32_t ranks[200];
    int32_t count = 0;
    for (int32_t run = 0; run < 17; run++)
        for (int32_t i = 0; i < run; i++)
            ranks[count++] = 1000 * (17 - run) + i;
    ranks[count++] = -1;
    for (int32_t i = 0; i < 20; i++)
        ranks[count++] = INT32_MAX - 19 + i;
    struct syn_comm_record comm = {
        .index = 0, .id = 9, .size = count, .name = "runs", .world_ranks = ranks};
    cr_assert_eq(syn_writer_comm(writer, &comm), SYN_OK);
    struct syn_rank_file *file = finish_and_open(writer);
    const struct syn_comm_record *read = syn_rank_comm(file, 0);
    cr_assert_eq(read->size, count);
    for (int32_t i = 0; i < count; i++)
        cr_expect_eq(read->world_ranks[i], ranks[i], "member %d", i);
}

Test(roundtrip, the_last_clock_model_wins_and_is_exact)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer = new_writer(&ticks);
    struct syn_knot knots[] = {{-5, INT64_MAX, 3}, {1000, -7, 4}};
    struct syn_timeline first = {.knots = knots, .knot_count = 1, .slope_after = 1};
    struct syn_timeline last = {knots, 2, 1e-300, -0.1, 3e-7, 5e-8, 0};
    struct syn_fitpoint points[] = {{3, -1, 10, -20, 30, 50}, {0, 0, INT64_MIN, 0, 1, 2}};
    struct syn_sync_quality quality = {1, 2, 3, 4, 5, -1, 0.125, 99};
    cr_assert_eq(syn_writer_clock(writer, &first, NULL, 0, NULL), SYN_OK);
    cr_assert_eq(syn_writer_clock(writer, &last, points, 2, &quality), SYN_OK);
    struct syn_rank_file *file = finish_and_open(writer);
    const struct syn_timeline *timeline = syn_rank_timeline(file);
    cr_assert_eq(timeline->knot_count, 2);
    cr_assert_eq(memcmp(timeline->knots, knots, sizeof knots), 0);
    cr_assert_eq(timeline->slope_before, 1e-300);
    cr_assert_eq(timeline->slope_after, -0.1);
    cr_assert_eq(timeline->slope_half_width, 3e-7);
    cr_assert_eq(timeline->wander, 5e-8);
    size_t count;
    const struct syn_fitpoint *got = syn_rank_fitpoints(file, &count);
    cr_assert_eq(count, 2);
    cr_assert_eq(memcmp(got, points, sizeof points), 0);
    cr_assert_eq(syn_rank_quality(file)->slope_ppm, 0.125);
    cr_assert_eq(syn_rank_quality(file)->reference_rank, -1);
    cr_assert_eq(syn_rank_quality(file)->half_width_ns, 99);
}

/* Equal events, spilled as local ticks before the model was known and written in global time
 * after. */
Test(roundtrip, local_and_global_chunks_give_the_same_times)
{
    enum { COUNT = 20000 };
    struct syn_tick_source ticks = ticks_of_mhz(2700.3, 1000000);
    struct syn_knot knots[] = {{2000000, 123456789, 20}, {90000000, 123458000, 25}};
    struct syn_timeline timeline = {knots, 2, 1.4e-5, 1.3e-5, 1e-7, 1e-8, 0};
    struct syn_event *events = simulated_events(COUNT, 12);
    for (size_t i = 0; i < COUNT; i += 7) {
        events[i].call_end_ticks -= 100;
        events[i].wait_start_ticks += 50;
    }
    struct syn_writer *writer = new_writer(&ticks);
    declare(writer, 3, 12);
    cr_assert_eq(syn_writer_entries(writer, 0, events, COUNT, 0, NULL), SYN_OK);
    cr_assert_eq(syn_writer_clock(writer, &timeline, NULL, 0, NULL), SYN_OK);
    cr_assert_eq(syn_writer_entries(writer, 0, events, COUNT, 0, &timeline), SYN_OK);
    struct syn_rank_file *file = finish_and_open(writer);
    size_t count;
    struct syn_event *got = read_events(file, 0, &count);
    cr_assert_eq(count, 2 * COUNT);
    cr_assert_eq(memcmp(got, got + COUNT, COUNT * sizeof *got), 0);
    cr_assert_neq(got[0].start_ticks, events[0].start_ticks);
    struct syn_chunk_summary local, global;
    cr_assert(syn_rank_chunk(file, 0, &local));
    cr_assert(syn_rank_chunk(file, syn_rank_chunk_count(file) / 2, &global));
    cr_assert_eq(local.start_ns, global.start_ns);
    cr_assert_eq(local.end_ns, global.end_ns);
    cr_assert_eq(
        syn_rank_bound_ns(file, got[0].start_ticks),
        syn_timeline_bound_ns(&timeline, syn_tick_source_local(&ticks, events[0].start_ticks)));
    free(events);
    free(got);
}

Test(roundtrip, sections_longer_than_one_frame)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer = new_writer(&ticks);
    enum { SIZE = 300000 };
    int32_t *world_ranks = calloc(SIZE, sizeof *world_ranks);
    for (int32_t i = 0; i < SIZE; i++)
        world_ranks[i] = SIZE - i;
    for (uint32_t i = 0; i < 4; i++) {
        struct syn_comm_record comm = {
            .index = i, .id = i + 1, .size = SIZE, .name = "wide", .world_ranks = world_ranks};
        cr_assert_eq(syn_writer_comm(writer, &comm), SYN_OK);
    }
    struct syn_rank_file *file = finish_and_open(writer);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert_arr_eq(syn_rank_comm(file, i)->world_ranks, world_ranks,
                         SIZE * sizeof *world_ranks);
    free(world_ranks);
}

Test(roundtrip, same_input_same_bytes)
{
    struct syn_event *events = simulated_events(5000, 13);
    struct syn_tick_source ticks = nanosecond_ticks();
    struct memory_file first;
    for (int i = 0; i < 2; i++) {
        struct syn_writer *writer = new_writer(&ticks);
        declare(writer, 3, 12);
        syn_writer_entries(writer, 0, events, 5000, 0, NULL);
        cr_assert_eq(syn_writer_finish(writer, &(struct syn_end_record){0}), SYN_OK);
        syn_writer_close(writer);
        if (i == 0) {
            first = stored;
            stored = (struct memory_file){0};
        }
    }
    cr_assert_eq(first.bytes, stored.bytes);
    cr_assert_eq(memcmp(first.data, stored.data, first.bytes), 0);
    memory_file_free(&first);
    free(events);
}
