/* test_segments.c - segments between calls: out of a thread's entries, through a file, and back. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode.h"
#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"
#include "trace/columns/column.h"
#include "trace/columns/segments.h"
#include "trace/events/notes.h"
#include "trace/read/reader.h"
#include "trace/write/raw.h"
#include "trace/write/writer.h"

/* A tick is half a nanosecond. */
static const struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC,
                                             .multiplier = UINT64_C(1) << 31};
#define TICKS(ns) (2 * (int64_t)(ns))

static struct syn_event blocking(int64_t start_ns, int64_t end_ns)
{
    return (struct syn_event){.start_ticks = TICKS(start_ns),
                              .end_ticks = TICKS(end_ns),
                              .call_end_ticks = TICKS(end_ns),
                              .wait_start_ticks = TICKS(start_ns),
                              .stack = SYN_NO_STACK,
                              .root = -1};
}

static struct syn_event nonblocking(int64_t start_ns, int64_t call_end_ns, int64_t wait_start_ns,
                                    int64_t end_ns)
{
    struct syn_event event = blocking(start_ns, end_ns);
    event.call_end_ticks = TICKS(call_end_ns);
    event.wait_start_ticks = TICKS(wait_start_ns);
    return event;
}

static struct syn_event sample(int64_t time_ns, int64_t cpu_ns)
{
    return syn_note_of_sample(
        &(struct syn_sample){.time = TICKS(time_ns), .cpu_ns = (uint64_t)cpu_ns});
}

static struct syn_event messages(int64_t ns)
{
    return syn_note_of_messages(TICKS(ns), 0);
}

static int64_t figure(const struct syn_entries *entries, enum syn_segment_figure which, int i)
{
    return entries->figures[which] ? entries->figures[which][i] : 0;
}

static struct syn_entries take(const struct syn_event *entries, size_t count)
{
    struct syn_entries out;
    cr_assert_eq(syn_entries_take(entries, count, syn_count_notes(entries, count), &ticks, &out),
                 SYN_OK);
    return out;
}
#define TAKE(...)                                 \
    take((const struct syn_event[]){__VA_ARGS__}, \
         sizeof((const struct syn_event[]){__VA_ARGS__}) / sizeof(struct syn_event))

Test(segments, messages_belong_to_the_next_event_and_add_up)
{
    struct syn_entries entries =
        TAKE(messages(10), messages(5), blocking(100, 200), sample(210, 0), messages(7),
             sample(220, 0), syn_note_of_messages(TICKS(2), TICKS(3)), blocking(300, 400),
             blocking(500, 600), messages(99));
    cr_assert_eq(entries.event_count, 3);
    cr_expect_eq(figure(&entries, SYN_SEGMENT_MESSAGES, 0), TICKS(15));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_MESSAGES, 1), TICKS(9));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_WAIT_MESSAGES, 1), TICKS(3));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_MESSAGES, 2), 0);
    cr_expect_eq(entries.sample_count, 2);
    syn_entries_free(&entries);
}

/* The last sample of a run may follow another one, with no call in between: both are kept. */
Test(segments, a_chunk_has_all_samples_up_to_the_next_event)
{
    struct syn_entries entries =
        TAKE(sample(0, 0), sample(1, 0), blocking(100, 200), sample(210, 0), blocking(300, 400),
             sample(410, 0), sample(420, 0));
    for (size_t first = 0; first < 2; first++) {
        struct syn_segments segments;
        const struct syn_segments_chunk chunk = {
            .entries = &entries, .first = first, .count = 1, .ticks = &ticks};
        cr_assert_eq(syn_segments_of(&chunk, &segments), SYN_OK);
        cr_assert_eq(segments.sample_count, first == 0 ? 2 : 3);
        cr_expect_eq(segments.samples[0].time, TICKS(first == 0 ? 1 : 210));
        cr_expect_eq(segments.samples[segments.sample_count - 1].time,
                     TICKS(first == 0 ? 210 : 420));
        syn_segments_free(&segments);
    }
    syn_entries_free(&entries);
}

/* Returns the figure by definition: segment - messages - processor time - slack. */
static int64_t off(int64_t segment_ns, int64_t messages_ns, int64_t cpu_ns, int64_t between_ns)
{
    const int64_t left = segment_ns - messages_ns - cpu_ns - 2000 - (between_ns >> 14);
    return left > 0 ? left : 0;
}

#define MS INT64_C(1000000)

Test(segments, a_sleep_between_two_samples_is_found)
{
    struct syn_entries entries =
        TAKE(sample(0, 0), blocking(1 * MS, 2 * MS), messages(3 * MS), blocking(62 * MS, 63 * MS),
             sample(63 * MS, 12 * MS), blocking(64 * MS, 65 * MS));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, 0), 0, "before it there is too little time");
    cr_expect_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, 1), off(60 * MS, 3 * MS, 12 * MS, 63 * MS));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, 2), 0, "no sample behind it");
    syn_entries_free(&entries);
}

Test(segments, a_thread_that_runs_or_blocks_in_calls_is_never_off)
{
    struct syn_entries running = TAKE(sample(0, 0), blocking(40 * MS, 41 * MS),
                                      blocking(80 * MS, 81 * MS), sample(82 * MS, 82 * MS));
    struct syn_entries blocked = TAKE(sample(0, 0), blocking(1 * MS, 79 * MS),
                                      blocking(80 * MS, 81 * MS), sample(82 * MS, 4 * MS));
    struct syn_entries messaging =
        TAKE(sample(0, 0), messages(70 * MS), blocking(80 * MS, 81 * MS), sample(82 * MS, 12 * MS));
    for (int i = 0; i < 2; i++) {
        cr_expect_eq(figure(&running, SYN_SEGMENT_OFF_CPU, i), 0);
        cr_expect_eq(figure(&blocked, SYN_SEGMENT_OFF_CPU, i), 0);
    }
    cr_expect_eq(figure(&messaging, SYN_SEGMENT_OFF_CPU, 0), 0);
    syn_entries_free(&running);
    syn_entries_free(&blocked);
    syn_entries_free(&messaging);
}

Test(segments, calls_of_a_nonblocking_operation_end_segments)
{
    /* it is recorded when it is complete, but its first call was before the other event */
    struct syn_entries entries =
        TAKE(sample(0, 0), blocking(30 * MS, 31 * MS),
             nonblocking(10 * MS, 11 * MS, 80 * MS, 81 * MS), sample(82 * MS, 5 * MS));
    const int64_t between = 82 * MS;
    cr_expect_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, 0), off(19 * MS, 0, 5 * MS, between));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, 1), off(10 * MS, 0, 5 * MS, between));
    cr_expect_eq(figure(&entries, SYN_SEGMENT_WAIT_OFF_CPU, 1), off(49 * MS, 0, 5 * MS, between));
    syn_entries_free(&entries);
}

#define LONG_ROW 6000

/* Long rows of events are looked through piece by piece. */
Test(segments, a_sleep_is_found_wherever_it_is)
{
    static const size_t sleeps[] = {0, 1, 511, 2047, 2048, 2049, 4095, 4096, LONG_ROW - 1};
    struct syn_event *row = malloc((LONG_ROW + 2) * sizeof *row);
    for (size_t i = 0; i < sizeof sleeps / sizeof *sleeps; i++) {
        int64_t at = 0;
        row[0] = sample(0, 0);
        for (size_t j = 0; j < LONG_ROW; j++) {
            at += j == sleeps[i] ? 50 * MS : 1000;
            row[1 + j] = blocking(at, at + 100);
            at += 100;
        }
        row[1 + LONG_ROW] = sample(at, at - 50 * MS);
        struct syn_entries entries = take(row, LONG_ROW + 2);
        for (size_t j = 0; j < LONG_ROW; j++)
            cr_assert_eq(figure(&entries, SYN_SEGMENT_OFF_CPU, (int)j),
                         j == sleeps[i] ? off(50 * MS, 0, at - 50 * MS, at) : 0, "%zu", j);
        syn_entries_free(&entries);
    }
    free(row);
}

#define CALLS 400
#define OPEN  4

/* Completes the event, whose wait began at `at`. */
static void complete(struct syn_event *event, int64_t at)
{
    event->wait_start_ticks = TICKS(at);
    event->end_ticks = TICKS(at + 100);
}

/* Messages are posted, and waited for in any order, one by one or together. They are recorded in
 * the order in which they were posted. */
Test(segments, a_sleep_between_posting_and_waiting_is_found)
{
    for (int sleep = 0; sleep < CALLS; sleep++) {
        struct syn_event row[CALLS + 2], *open[OPEN] = {NULL};
        size_t count = 1;
        int64_t at = 0;
        row[0] = sample(0, 0);
        srand(20261129);
        for (int call = 0; call < CALLS; call++) {
            struct syn_event **drawn = &open[rand() % OPEN];
            const bool waits_for_all = *drawn && rand() % 3 == 0;
            at += call == sleep ? 50 * MS : 1000;
            for (int i = 0; i < OPEN && waits_for_all; i++)
                if (open[i])
                    complete(open[i], at);
            if (*drawn && !waits_for_all)
                complete(*drawn, at);
            if (*drawn)
                *drawn = NULL;
            else
                *(*drawn = &row[count++]) = blocking(at, at + 100);
            for (int i = 0; i < OPEN && waits_for_all; i++)
                open[i] = NULL;
            at += 100;
        }
        row[count++] = sample(at, at - 50 * MS);
        struct syn_entries entries = take(row, count);
        int64_t sum = 0;
        for (int i = 0; i < (int)entries.event_count; i++)
            sum += figure(&entries, SYN_SEGMENT_OFF_CPU, i) +
                   figure(&entries, SYN_SEGMENT_WAIT_OFF_CPU, i);
        cr_assert_eq(sum, off(50 * MS, 0, at - 50 * MS, at), "%d", sleep);
        syn_entries_free(&entries);
    }
}

Test(segments, what_no_clock_can_have_given_is_nothing)
{
    struct syn_entries back =
        TAKE(sample(50 * MS, 9), blocking(60 * MS, 61 * MS), sample(10 * MS, 1));
    struct syn_entries shrinking =
        TAKE(sample(0, 9 * MS), blocking(60 * MS, 61 * MS), sample(62 * MS, 1 * MS));
    cr_expect_eq(back.sample_count, 1);
    cr_expect_eq(figure(&shrinking, SYN_SEGMENT_OFF_CPU, 0), 0);
    syn_entries_free(&back);
    syn_entries_free(&shrinking);
}

/* ---- through a file ---- */

#define EVENTS 40000

static void write_file(const char *path, const struct syn_timeline *timeline)
{
    struct syn_sink sink;
    struct syn_writer *writer;
    struct syn_writer_identity identity = {.rank = 0, .size = 1};
    struct syn_event *entries = malloc(3 * EVENTS * sizeof *entries);
    size_t used = 0;
    for (int64_t i = 0; i < EVENTS; i++) {
        const int64_t start = 100000 + 1000 * (i ^ 1); /* each second one starts before the first */
        if (i % 7 == 3)
            entries[used++] = syn_note_of_messages(TICKS(i), 0);
        entries[used] = i % 11 ? blocking(start, start + 100)
                               : nonblocking(start, start + 100, start + 300, start + 400);
        entries[used++].bytes = (uint64_t)i;
        if (i % 1000 == 999)
            entries[used++] = sample(start + 1500, i);
    }
    cr_assert_eq(syn_sink_file(path, &sink), SYN_OK);
    cr_assert_eq(syn_writer_open(sink, &identity, 1, &ticks, &writer), SYN_OK);
    const int32_t world[] = {0};
    syn_writer_comm(writer, &(struct syn_comm_record){
                                .index = 0, .id = 1, .size = 1, .name = "w", .world_ranks = world});
    cr_assert_eq(syn_writer_clock(writer, timeline, NULL, 0, NULL), SYN_OK);
    cr_assert_eq(syn_writer_entries(writer, 0, entries, used, syn_count_notes(entries, used),
                                    timeline->knot_count ? timeline : NULL),
                 SYN_OK);
    cr_assert_eq(syn_writer_finish(writer, &(struct syn_end_record){0}), SYN_OK);
    syn_writer_close(writer);
    free(entries);
}

static void check_chunk(const struct syn_event_columns *columns, uint64_t *message_sum,
                        size_t *sample_count)
{
    for (size_t i = 0; i < columns->count; i++) {
        const int64_t number = (int64_t)columns->bytes[i];
        const int64_t got = columns->messages_ns ? columns->messages_ns[i] : 0;
        cr_assert_eq(got, number % 7 == 3 ? number : 0, "event %lld", (long long)number);
        *message_sum += (uint64_t)got;
    }
    cr_assert_null(columns->wait_messages_ns);
    for (size_t i = 0; i < columns->sample_count; i++)
        cr_assert_eq(columns->samples[i].cpu_ns % 1000, 999);
    *sample_count += columns->sample_count;
}

static void check_file(const char *path, size_t piece)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    struct syn_scratch *scratch = syn_scratch_new();
    uint64_t sum = 0;
    size_t samples = 0;
    cr_assert_eq(syn_rank_open(path, NULL, &file), SYN_OK);
    cr_assert_eq(syn_rank_event_count(file), EVENTS);
    cr_assert_eq(syn_cursor_open_with(file, scratch, piece, &cursor), SYN_OK);
    while (syn_cursor_next(cursor, &columns) == SYN_OK)
        check_chunk(&columns, &sum, &samples);
    uint64_t expected = 0;
    for (uint64_t i = 3; i < EVENTS; i += 7)
        expected += i;
    cr_expect_eq(sum, expected);
    /* three chunks, and those around each boundary twice */
    cr_expect_eq(samples, EVENTS / 1000 + 4);
    cr_expect_eq(syn_rank_fault(file, NULL), SYN_OK);
    syn_cursor_close(cursor);
    syn_scratch_free(scratch);
    syn_rank_close(file);
}

Test(segments, come_back_from_a_file_whole_or_in_pieces)
{
    char path[] = "/tmp/segments-XXXXXX";
    struct syn_knot knot = {0, 50, 1};
    struct syn_timeline identity = {0}, shifted = {.knots = &knot, .knot_count = 1};
    close(mkstemp(path));
    write_file(path, &identity);
    check_file(path, 0);
    check_file(path, 512);
    write_file(path, &shifted);
    check_file(path, 0);
    check_file(path, 1024);
    unlink(path);
}

/* ---- damage ---- */

/* A payload that is cut has no segments, or is refused. */
Test(segments, any_damage_is_seen_and_nothing_is_read_beyond)
{
    struct syn_event list[300];
    for (int64_t i = 0; i < 300; i++)
        list[i] = i % 3 == 0    ? messages(100 + i * i)
                  : i % 30 == 1 ? sample(1000 * i, 300 * i)
                                : blocking(1000 * i + 10, 1000 * i + 20);
    struct syn_entries entries = take(list, 300);
    struct syn_segments_chunk chunk = {
        .entries = &entries, .count = entries.event_count, .ticks = &ticks};
    struct syn_bytes payload = {0};
    struct syn_columns_layout layout = {0};
    cr_assert_eq(encode_segments(&chunk, &payload, &layout), SYN_OK);
    for (size_t bytes = 0; bytes <= payload.count; bytes++) {
        struct syn_segments out;
        struct padded padded;
        int status = SYN_EDAMAGED;
        if (pad(payload.data, bytes, entries.event_count, &padded))
            status = syn_segments_decode(&padded.source, &out);
        if (status == SYN_OK) {
            cr_expect_eq(out.figures[SYN_SEGMENT_MESSAGES].count, bytes ? 100 : 0);
            cr_expect(out.sample_count == 0 || bytes == payload.count);
            syn_segments_free(&out);
        }
        cr_expect(status == SYN_OK || (bytes > 0 && bytes < payload.count), "%zu", bytes);
        free(padded.data);
    }
    struct padded padded;
    cr_expect_not(pad(payload.data, payload.count, 20, &padded));
    free(padded.data);
    syn_bytes_free(&payload);
    syn_entries_free(&entries);
}

/* ---- bounds ---- */

/* Two columns of `count` samples each, in one byte a sample: the first has no bytes at all. */
static bool are_samples_split(size_t count)
{
    struct syn_bytes payload = {0};
    struct padded padded;
    syn_column_begin_planes(&payload, SYN_COLUMN_SAMPLE, count, 0, 0);
    syn_column_begin(&payload, SYN_COLUMN_SAMPLE + 1, SYN_ENCODING_NUMBERS, count);
    uint8_t *zeros = syn_bytes_reserve(&payload, count);
    cr_assert_not_null(zeros);
    memset(zeros, 0, count);
    payload.count += count;
    const bool split = pad(payload.data, payload.count, 1, &padded);
    free(padded.data);
    syn_bytes_free(&payload);
    return split;
}

Test(segments, more_samples_than_a_writer_can_have_are_refused)
{
    cr_expect(are_samples_split(SYN_CHUNK_SAMPLES_MAX));
    cr_expect_not(are_samples_split(SYN_CHUNK_SAMPLES_MAX + 1));
    cr_expect_leq(syn_raw_capacity(SYN_RAW_BLOCK_BYTES_MAX), SYN_CHUNK_SAMPLES_MAX);
}
