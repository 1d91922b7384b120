/* A damaged file gives everything that is whole, nothing that is not, and says so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <criterion/criterion.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/frame.h"

#define CHUNK_COUNT  3
#define CHUNK_EVENTS 20

/* A small file with some of everything: three chunks, one of them in local ticks, two clock models.
 */
static struct memory_file whole;
/* Offsets of its frames. */
static size_t frame_offsets[64];
static size_t frame_count;
/* Start of the first event of each chunk, by which a chunk is recognized. */
static int64_t first_starts[CHUNK_COUNT];

static void index_frames(void)
{
    struct syn_frame_header header;
    for (size_t at = 0; at < whole.bytes;) {
        cr_assert_eq(syn_frame_decode(whole.data + at, &header), SYN_FRAME_VALID);
        frame_offsets[frame_count++] = at;
        at += SYN_FRAME_HEADER_BYTES + header.compressed_bytes;
    }
}

static struct syn_frame_header frame_at(size_t i)
{
    struct syn_frame_header header;
    cr_assert_eq(syn_frame_decode(whole.data + frame_offsets[i], &header), SYN_FRAME_VALID);
    return header;
}

/* The i-th frame of a type, from 0. */
static size_t find_frame(uint8_t type, size_t i)
{
    for (size_t frame = 0; frame < frame_count; frame++)
        if (frame_at(frame).type == type && i-- == 0)
            return frame;
    cr_assert_fail("no such frame");
    return 0;
}

static size_t frame_end(size_t i)
{
    return i + 1 < frame_count ? frame_offsets[i + 1] : whole.bytes;
}

static void make_whole(void)
{
    struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_writer *writer;
    struct syn_writer_identity identity = identity_of(1, 4);
    struct syn_knot knot = {1000, 77, 30};
    struct syn_timeline timeline = {.knots = &knot, .knot_count = 1};
    struct syn_event *events = simulated_events(CHUNK_COUNT * CHUNK_EVENTS, 5);
    cr_assert_eq(syn_writer_open(memory_sink(&whole), &identity, 1, &ticks, &writer), SYN_OK);
    syn_writer_meta(writer, "host.name", "node17");
    declare(writer, 3, 12);
    syn_writer_entries(writer, 0, events, CHUNK_EVENTS, 0, NULL);
    syn_writer_clock(writer, &timeline, NULL, 0, NULL);
    syn_writer_entries(writer, 0, events + CHUNK_EVENTS, CHUNK_EVENTS, 0, &timeline);
    syn_writer_entries(writer, 1, events + 2 * CHUNK_EVENTS, CHUNK_EVENTS, 0, &timeline);
    cr_assert_eq(syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE}),
                 SYN_OK);
    syn_writer_close(writer);
    for (int i = 0; i < CHUNK_COUNT; i++)
        first_starts[i] = events[i * CHUNK_EVENTS].start_ticks - 77;
    free(events);
    index_frames();
}

static void clean_up(void)
{
    memory_file_free(&whole);
    temp_remove();
}

TestSuite(damage, .init = make_whole, .fini = clean_up, .timeout = 200);

struct outcome {
    int open_status;
    int fault; /* after everything was read */
    char where[200];
    size_t chunks; /* delivered, */
    bool seen[CHUNK_COUNT];
    bool foreign; /*   or something that was never written */
    uint64_t lost;
    enum syn_ending ending;
};

static void note_chunk(struct outcome *outcome, const struct syn_event_columns *columns)
{
    outcome->chunks++;
    for (int i = 0; i < CHUNK_COUNT; i++)
        if (columns->start_ns[0] == first_starts[i] && columns->count == CHUNK_EVENTS &&
            !outcome->seen[i]) {
            outcome->seen[i] = true;
            return;
        }
    outcome->foreign = true;
}

static struct outcome read_bytes(const void *data, size_t bytes)
{
    struct outcome outcome = {0};
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    const char *where = NULL;
    char path[64];
    /* A file in memory: there are tens of thousands of them. */
    int descriptor = memfd_create("rank", MFD_CLOEXEC);
    cr_assert_eq(write(descriptor, data, bytes), (ssize_t)bytes);
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    outcome.open_status = syn_rank_open(path, NULL, &file);
    if (outcome.open_status != SYN_OK) {
        cr_assert_null(file);
        close(descriptor);
        return outcome;
    }
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    for (int status; (status = syn_cursor_next(cursor, &columns)) != SYN_EEND;)
        if (status == SYN_OK)
            note_chunk(&outcome, &columns);
        else
            cr_assert_eq(status, SYN_EDAMAGED);
    outcome.fault = syn_rank_fault(file, &where);
    if (where)
        strncpy(outcome.where, where, sizeof outcome.where - 1);
    outcome.lost = syn_rank_lost_event_count(file);
    outcome.ending = syn_rank_end(file)->ending;
    syn_cursor_close(cursor);
    syn_rank_close(file);
    close(descriptor);
    return outcome;
}

Test(damage, none)
{
    struct outcome outcome = read_bytes(whole.data, whole.bytes);
    cr_assert_eq(outcome.open_status, SYN_OK);
    cr_assert_eq(outcome.fault, SYN_OK, "%s", outcome.where);
    cr_assert_eq(outcome.chunks, CHUNK_COUNT);
    cr_assert_not(outcome.foreign);
    cr_assert_eq(outcome.lost, 0);
}

Test(damage, every_truncation)
{
    size_t last_chunks = 0;
    for (size_t bytes = 0; bytes < whole.bytes; bytes++) {
        struct outcome outcome = read_bytes(whole.data, bytes);
        if (bytes < SYN_FRAME_HEADER_BYTES) {
            cr_assert_eq(outcome.open_status, SYN_ETRUNCATED, "%zu bytes", bytes);
            continue;
        }
        cr_assert_eq(outcome.open_status, SYN_OK, "%zu bytes", bytes);
        cr_assert_eq(outcome.fault, SYN_ETRUNCATED, "%zu bytes: %s", bytes, outcome.where);
        cr_assert_eq(outcome.ending, SYN_ENDING_UNKNOWN);
        /* Readable up to the cut: a chunk is there as soon as all its bytes are, and stays. Times
         * of the chunk in local ticks are another matter until the model behind it is there. */
        size_t expected = 0;
        for (size_t i = 0; i < CHUNK_COUNT; i++)
            expected += frame_end(find_frame(SYN_FRAME_EVENTS, i)) <= bytes;
        cr_assert_eq(outcome.chunks, expected, "%zu bytes", bytes);
        cr_assert_geq(outcome.chunks, last_chunks);
        last_chunks = outcome.chunks;
        if (bytes >= frame_end(find_frame(SYN_FRAME_CLOCK, 1)))
            cr_assert_not(outcome.foreign, "%zu bytes", bytes);
    }
    cr_assert_eq(last_chunks, CHUNK_COUNT);
}

Test(damage, every_bit_flipped)
{
    uint8_t *copy = malloc(whole.bytes);
    for (size_t at = 0; at < whole.bytes; at++)
        for (int bit = 0; bit < 8; bit++) {
            memcpy(copy, whole.data, whole.bytes);
            copy[at] ^= (uint8_t)(1 << bit);
            struct outcome outcome = read_bytes(copy, whole.bytes);
            cr_assert_eq(outcome.open_status, SYN_OK, "byte %zu bit %d", at, bit);
            cr_assert_neq(outcome.fault, SYN_OK, "byte %zu bit %d unnoticed", at, bit);
            /* One flip costs the frame that it is in. */
            cr_assert_geq(outcome.chunks, CHUNK_COUNT - 1, "byte %zu bit %d: %s", at, bit,
                          outcome.where);
            cr_assert_not(outcome.foreign, "byte %zu bit %d", at, bit);
            if (outcome.ending != SYN_ENDING_UNKNOWN)
                cr_assert_eq(outcome.lost, (CHUNK_COUNT - outcome.chunks) * CHUNK_EVENTS,
                             "byte %zu bit %d", at, bit);
        }
    free(copy);
}

/* `bytes` of the whole file from `at` replaced by `with` bytes of `fill`. */
static struct outcome replace(size_t at, size_t bytes, int fill, size_t with)
{
    size_t length = whole.bytes - bytes + with;
    uint8_t *copy = malloc(length);
    memcpy(copy, whole.data, at);
    memset(copy + at, fill, with);
    memcpy(copy + at + with, whole.data + at + bytes, whole.bytes - at - bytes);
    struct outcome outcome = read_bytes(copy, length);
    free(copy);
    return outcome;
}

/* Chunks that the bytes from `at` on have a part in. */
static size_t chunks_touched(size_t at, size_t bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < CHUNK_COUNT; i++) {
        size_t frame = find_frame(SYN_FRAME_EVENTS, i);
        count += at < frame_end(frame) && at + bytes > frame_offsets[frame];
    }
    return count;
}

Test(damage, bytes_missing_or_inserted_anywhere)
{
    for (size_t at = 0; at < whole.bytes; at += 7)
        for (int insert = 0; insert < 2; insert++) {
            size_t missing = insert || whole.bytes - at < 5 ? 0 : 5;
            struct outcome outcome = replace(at, missing, 'x', insert ? 5 : 0);
            if (missing == 0 && !insert)
                continue;
            cr_assert_eq(outcome.open_status, SYN_OK);
            cr_assert_neq(outcome.fault, SYN_OK, "at %zu", at);
            size_t touched = chunks_touched(at, insert ? 1 : missing);
            cr_assert_geq(outcome.chunks, CHUNK_COUNT - touched, "at %zu: %s", at, outcome.where);
            cr_assert_not(outcome.foreign);
        }
}

Test(damage, a_block_of_zeros_as_a_file_system_leaves_it)
{
    for (size_t at = 0; at + 512 < whole.bytes; at += 100) {
        struct outcome outcome = replace(at, 512, 0, 512);
        cr_assert_eq(outcome.open_status, SYN_OK);
        cr_assert_neq(outcome.fault, SYN_OK);
        cr_assert_not(outcome.foreign && outcome.seen[0]);
    }
}

Test(damage, a_whole_frame_missing_is_noticed)
{
    for (size_t i = 0; i < frame_count; i++) {
        struct outcome outcome = replace(frame_offsets[i], frame_end(i) - frame_offsets[i], 0, 0);
        cr_assert_neq(outcome.fault, SYN_OK, "frame %zu", i);
        if (frame_at(i).type == SYN_FRAME_EVENTS)
            cr_assert_eq(outcome.lost, CHUNK_EVENTS);
    }
}

Test(damage, a_frame_there_twice_is_not_counted_twice)
{
    size_t frame = find_frame(SYN_FRAME_EVENTS, 1);
    size_t at = frame_offsets[frame], bytes = frame_end(frame) - at;
    uint8_t *copy = malloc(whole.bytes + bytes);
    memcpy(copy, whole.data, at + bytes);
    memcpy(copy + at + bytes, whole.data + at, whole.bytes - at);
    struct outcome outcome = read_bytes(copy, whole.bytes + bytes);
    cr_assert_eq(outcome.chunks, CHUNK_COUNT);
    cr_assert_eq(outcome.fault, SYN_EDAMAGED);
    cr_assert_not(outcome.foreign);
    free(copy);
}

Test(damage, bytes_after_the_end)
{
    cr_assert_neq(replace(whole.bytes, 0, 'x', 1).fault, SYN_OK);
    cr_assert_neq(replace(whole.bytes, 0, 0, 1000).fault, SYN_OK);
}

Test(damage, a_file_that_is_not_ours)
{
    cr_assert_eq(read_bytes("hello\n", 6).open_status, SYN_ENOTTRACE);
    uint8_t *noise = calloc(1, 100000);
    cr_assert_eq(read_bytes(noise, 100000).open_status, SYN_ENOTTRACE);
    free(noise);
    struct syn_rank_file *file;
    cr_assert_eq(syn_rank_open(temp_directory(), NULL, &file), SYN_ENOTTRACE);
    cr_assert_eq(syn_rank_open("/dev/zero", NULL, &file), SYN_ENOTTRACE);
    cr_assert_eq(syn_rank_open(temp_path("nothing"), NULL, &file), SYN_EIO);
}

/* The bytes with frame `i` given another header, its checksum right. */
static struct outcome with_header(size_t i, struct syn_frame_header header)
{
    uint8_t *copy = malloc(whole.bytes);
    memcpy(copy, whole.data, whole.bytes);
    syn_frame_encode(&header, copy + frame_offsets[i]);
    struct outcome outcome = read_bytes(copy, whole.bytes);
    free(copy);
    return outcome;
}

Test(damage, a_newer_version_is_refused_as_such)
{
    struct syn_frame_header header = frame_at(0);
    header.format_version = SYN_FORMAT_VERSION + 1;
    cr_assert_eq(with_header(0, header).open_status, SYN_EVERSION);
}

Test(damage, a_frame_of_another_run_is_left_out)
{
    size_t frame = find_frame(SYN_FRAME_EVENTS, 1);
    struct syn_frame_header header = frame_at(frame);
    header.run_id[3] ^= 1;
    struct outcome outcome = with_header(frame, header);
    cr_assert_eq(outcome.fault, SYN_EDAMAGED);
    cr_assert_eq(outcome.chunks, CHUNK_COUNT - 1);
}

Test(damage, headers_that_lie_about_sizes)
{
    size_t frame = find_frame(SYN_FRAME_EVENTS, 1);
    static const uint64_t lies[] = {0, 1, 19, 21, 65536, 65537, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++)
        for (int field = 0; field < 4; field++) {
            struct syn_frame_header header = frame_at(frame);
            uint64_t *fields[] = {&header.element_count, &header.raw_bytes,
                                  &header.compressed_bytes, &header.first_event};
            *fields[field] = lies[i];
            struct outcome outcome = with_header(frame, header);
            cr_assert_eq(outcome.open_status, SYN_OK);
            cr_assert_neq(outcome.fault, SYN_OK, "field %d value %zu", field, i);
            cr_assert_not(outcome.foreign);
        }
}

/* By either end, either way: readers choose chunks by it. */
Test(damage, headers_that_lie_about_their_span)
{
    const size_t frame = find_frame(SYN_FRAME_EVENTS, 1);
    for (int field = 0; field < 2; field++)
        for (int64_t by_ns = -1; by_ns <= 1; by_ns += 2) {
            struct syn_frame_header header = frame_at(frame);
            *(field ? &header.span_end : &header.span_start) += by_ns;
            const struct outcome outcome = with_header(frame, header);
            cr_assert_eq(outcome.fault, SYN_EDAMAGED);
            cr_assert(strstr(outcome.where, "time span"));
            cr_assert_eq(outcome.chunks, CHUNK_COUNT - 1);
        }
}

/* Whoever of several threads meets a fault first: they are listed in the chunks' order. */
Test(damage, faults_are_listed_in_the_order_of_the_chunks)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    const char *path = temp_path("rank-000001.syn"), *where;
    uint8_t *damaged = malloc(whole.bytes);
    memcpy(damaged, whole.data, whole.bytes);
    for (size_t chunk = 0; chunk < CHUNK_COUNT; chunk++) /* in the middle of its payload */
        damaged[(frame_offsets[find_frame(SYN_FRAME_EVENTS, chunk)] +
                 frame_end(find_frame(SYN_FRAME_EVENTS, chunk))) /
                2] ^= 0xff;
    save_file(path, damaged, whole.bytes);
    cr_assert_eq(syn_rank_open(path, NULL, &file), SYN_OK);
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    for (size_t chunk = CHUNK_COUNT; chunk-- > 0;) {
        syn_cursor_seek(cursor, chunk);
        cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EDAMAGED);
    }
    for (size_t chunk = 0; chunk < CHUNK_COUNT; chunk++) {
        char expected[32];
        snprintf(expected, sizeof expected, "chunk %zu at", chunk);
        cr_assert_eq(syn_rank_fault_at(file, chunk, &where), SYN_EDAMAGED);
        cr_expect_eq(strncmp(where, expected, strlen(expected)), 0, "%s: %s", expected, where);
    }
    syn_cursor_close(cursor);
    syn_rank_close(file);
    free(damaged);
}

Test(damage, a_file_replaced_while_it_is_read)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    const char *path = temp_path("rank-000001.syn");
    save_file(path, whole.data, whole.bytes);
    cr_assert_eq(syn_rank_open(path, NULL, &file), SYN_OK);
    cr_assert_eq(syn_cursor_open(file, &cursor), SYN_OK);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_OK);
    save_file(temp_path("other"), whole.data, whole.bytes);
    cr_assert_eq(rename(temp_path("other"), path), 0);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EDAMAGED);
    cr_assert_eq(truncate(path, 10), 0);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EDAMAGED);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EEND);
    cr_assert_eq(syn_rank_lost_event_count(file), 2 * CHUNK_EVENTS);
    /* A second look lists no fault twice. */
    syn_cursor_seek(cursor, 1);
    cr_assert_eq(syn_cursor_next(cursor, &columns), SYN_EDAMAGED);
    cr_assert_eq(syn_rank_fault_at(file, 1, NULL), SYN_EDAMAGED);
    cr_assert_eq(syn_rank_fault_at(file, 2, NULL), SYN_EEND);
    syn_cursor_close(cursor);
    syn_rank_close(file);
}
