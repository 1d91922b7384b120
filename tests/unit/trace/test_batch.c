/* test_batch.c - entries that become frames in steps: whatever lies between two steps, the frames
 * are those of all at once; and sorting in steps. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "sync/base/status.h"
#include "trace/base/order.h"
#include "trace/events/notes.h"
#include "trace/read/reader.h"
#include "trace/write/batch.h"

#define ENTRIES 8190

enum kind { PLAIN, NONBLOCKING, WITH_MESSAGES, WITH_SAMPLES, BACKWARDS, KIND_COUNT };

/* Calls of one thread; *note_count of the entries are notes. */
static struct syn_event *entries_of(enum kind kind, size_t *note_count)
{
    struct syn_event *entries = simulated_events(ENTRIES, (uint64_t)kind + 1);
    uint64_t state = 7;
    *note_count = 0;
    for (size_t i = 0; i < ENTRIES; i++) {
        struct syn_event *entry = &entries[i];
        if (kind == NONBLOCKING) {
            entry->call_end_ticks = entry->start_ticks + 100;
            entry->start_ticks -= (int64_t)(random_next(&state) % 50000);
        } else if (kind == BACKWARDS) {
            entry->start_ticks -= entry->end_ticks * 3;
        } else if (kind == WITH_MESSAGES && i % 3 == 0) {
            *entry = syn_note_of_messages((int64_t)(random_next(&state) % 1000), (int64_t)i % 2);
            ++*note_count;
        } else if (kind == WITH_SAMPLES && i % 1000 == 5) {
            /* on the processor for half of the time: some segments were off it */
            *entry = syn_note_of_sample(
                &(struct syn_sample){.time = entries[i - 1].end_ticks + 1,
                                     .cpu_ns = (uint64_t)(entries[i - 1].end_ticks / 2)});
            ++*note_count;
        }
    }
    return entries;
}

static struct syn_batch *new_batch(void)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_batch *batch = syn_batch_new(1, &ticks);
    cr_assert_not_null(batch);
    return batch;
}

static void begin(struct syn_batch *batch, enum kind kind, struct syn_event **entries)
{
    size_t note_count;
    *entries = entries_of(kind, &note_count);
    cr_assert_eq(syn_batch_begin(batch, 0, *entries, ENTRIES, note_count, NULL), SYN_OK);
}

static size_t finish(struct syn_batch *batch)
{
    size_t steps = 0;
    for (; syn_batch_steps_left(batch) > 0; steps++)
        cr_assert_eq(syn_batch_step(batch), SYN_OK);
    return steps;
}

static void expect_same_frames(struct syn_batch *a, struct syn_batch *b)
{
    const struct syn_batch_frame *left = syn_batch_frame(a), *right = syn_batch_frame(b);
    cr_assert(left->is_there && right->is_there);
    cr_assert_eq(left->bytes->count, right->bytes->count);
    cr_expect_eq(left->header.payload_hash, right->header.payload_hash);
    cr_expect_eq(left->header.element_count, right->header.element_count);
    cr_expect_eq(memcmp(left->bytes->data + SYN_FRAME_HEADER_BYTES,
                        right->bytes->data + SYN_FRAME_HEADER_BYTES, left->header.compressed_bytes),
                 0);
}

/* All kinds at once, a step of each in turn, after each batch had another one under way: as a batch
 * of its own that is not interrupted. */
Test(batch, steps_in_turn_and_an_abandoned_one_before)
{
    struct syn_batch *batches[KIND_COUNT];
    struct syn_event *entries[KIND_COUNT], *other;
    bool any = true;
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        batches[kind] = new_batch();
        begin(batches[kind], (kind + 1) % KIND_COUNT, &other);
        for (int i = 0; i < 7 * kind; i++)
            cr_assert_eq(syn_batch_step(batches[kind]), SYN_OK);
        begin(batches[kind], kind, &entries[kind]);
        free(other);
    }
    while (any) {
        any = false;
        for (int kind = 0; kind < KIND_COUNT; kind++)
            if (syn_batch_steps_left(batches[kind]) > 0) {
                cr_assert_eq(syn_batch_step(batches[kind]), SYN_OK);
                any = true;
            }
    }
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        struct syn_batch *alone = new_batch();
        begin(alone, kind, &other);
        cr_expect_gt(finish(alone), 20, "in steps");
        expect_same_frames(batches[kind], alone);
        syn_batch_free(alone);
        syn_batch_free(batches[kind]);
        free(other);
        free(entries[kind]);
    }
}

/* From the second time on it is known from the first how many steps such entries take: who spreads
 * them over its calls has none left over at the end. */
Test(batch, steps_are_known_from_the_entries_before)
{
    for (int kind = 0; kind < KIND_COUNT; kind++) {
        struct syn_batch *batch = new_batch();
        struct syn_event *entries;
        begin(batch, kind, &entries);
        const size_t steps = finish(batch);
        free(entries);
        begin(batch, kind, &entries);
        cr_expect_eq(syn_batch_steps_left(batch), steps, "kind %d", kind);
        cr_expect_eq(finish(batch), steps);
        free(entries);
        syn_batch_free(batch);
    }
}

/* Nothing but notes is nothing to write. */
Test(batch, no_events_no_frames)
{
    struct syn_batch *batch = new_batch();
    const struct syn_event note = syn_note_of_messages(5, 0);
    cr_assert_eq(syn_batch_begin(batch, 0, &note, 1, 1, NULL), SYN_OK);
    finish(batch);
    cr_expect_not(syn_batch_frame(batch)->is_there);
    cr_expect_eq(syn_batch_begin(batch, 0, &note, 0, 0, NULL), SYN_EINVAL);
    cr_expect_eq(syn_batch_steps_left(batch), 0);
    syn_batch_free(batch);
}

static void write_batch(struct syn_writer *writer, struct syn_batch *batch)
{
    bool is_whole = false;
    while (!is_whole)
        cr_assert_eq(syn_writer_batch(writer, batch, UINT64_MAX, &is_whole), SYN_OK);
}

static void expect_all_read(const struct memory_file *file, uint64_t event_count)
{
    struct syn_rank_file *read;
    save_file(temp_path("rank-000000.syn"), file->data, file->bytes);
    cr_assert_eq(syn_rank_open(temp_path("rank-000000.syn"), NULL, &read), SYN_OK);
    cr_expect_eq(syn_rank_event_count(read), event_count);
    syn_rank_close(read);
}

/* Short pieces that end with a page of the file, each one write; and what else is written comes
 * behind all of them. */
Test(batch, goes_into_a_file_in_pieces)
{
    enum { MANY = 12000, OTHERS = 100 };
    const struct syn_tick_source ticks = nanosecond_ticks();
    const struct syn_writer_identity identity = identity_of(0, 1);
    const struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE};
    struct syn_event *events = simulated_events(MANY, 3);
    for (int others_after = 0; others_after < 4; others_after++) {
        struct memory_file file = {.limit_bytes = SIZE_MAX};
        struct syn_writer *writer;
        cr_assert_eq(syn_writer_open(memory_sink(&file), &identity, 1, &ticks, &writer), SYN_OK);
        declare(writer, 3, 12);
        cr_assert_eq(syn_writer_flush(writer), SYN_OK);
        struct syn_batch *batch = syn_writer_new_batch(writer);
        cr_assert_eq(syn_batch_begin(batch, 0, events, MANY, 0, NULL), SYN_OK);
        finish(batch);
        bool is_whole = false;
        int pieces = 0;
        for (size_t before = file.bytes; !is_whole; before = file.bytes) {
            const size_t writes_before = file.write_count;
            cr_assert_eq(syn_writer_batch(writer, batch, 0, &is_whole), SYN_OK);
            cr_expect_leq(file.bytes - before, 12 << 10);
            cr_expect(is_whole || syn_page_bytes() > 4096 || file.bytes % 4096 == 0);
            cr_expect_leq(file.write_count - writes_before, 1);
            if (++pieces == others_after)
                cr_assert_eq(syn_writer_entries(writer, 1, events, OTHERS, 0, NULL), SYN_OK);
        }
        cr_expect(others_after == 0 ? pieces > 3 : pieces >= others_after);
        syn_batch_free(batch);
        cr_assert_eq(syn_writer_finish(writer, &end), SYN_OK);
        expect_all_read(&file, MANY + (others_after > 0 ? OTHERS : 0));
        syn_writer_close(writer);
        memory_file_free(&file);
    }
    free(events);
    temp_remove();
}

/* Two threads' batches, one after the other, between what is written at once: a reader counts all
 * events. */
Test(batch, goes_into_a_file)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    const struct syn_writer_identity identity = identity_of(0, 1);
    const struct syn_end_record end = {.ending = SYN_ENDING_FINALIZE};
    struct memory_file file = {.limit_bytes = SIZE_MAX};
    struct syn_rank_file *read;
    struct syn_writer *writer;
    struct syn_event *entries;
    size_t note_count;
    cr_assert_eq(syn_writer_open(memory_sink(&file), &identity, 1, &ticks, &writer), SYN_OK);
    declare(writer, 3, 12);
    entries = entries_of(WITH_MESSAGES, &note_count);
    for (uint32_t thread = 0; thread < 2; thread++) {
        struct syn_batch *batch = syn_writer_new_batch(writer);
        cr_assert_eq(syn_batch_begin(batch, thread, entries, ENTRIES, note_count, NULL), SYN_OK);
        finish(batch);
        cr_assert_eq(syn_writer_entries(writer, thread, entries, 100, 34, NULL), SYN_OK);
        write_batch(writer, batch);
        syn_batch_free(batch);
    }
    cr_assert_eq(syn_writer_finish(writer, &end), SYN_OK);
    cr_expect(file.committed);
    save_file(temp_path("rank-000000.syn"), file.data, file.bytes);
    cr_assert_eq(syn_rank_open(temp_path("rank-000000.syn"), NULL, &read), SYN_OK);
    cr_expect_eq(syn_rank_event_count(read), 2 * (ENTRIES - note_count + 66));
    syn_rank_close(read);
    syn_writer_close(writer);
    memory_file_free(&file);
    free(entries);
}

static void expect_sorted(struct syn_order *order)
{
    size_t left = syn_order_steps_left(order);
    for (; left > 0; left--) {
        cr_assert_eq(syn_order_steps_left(order), left, "each step counts");
        syn_order_step(order);
    }
    cr_assert_eq(syn_order_steps_left(order), 0);
    for (size_t i = 1; i < order->count; i++) {
        const struct syn_order_key *a = &order->keys[i - 1], *b = &order->keys[i];
        cr_assert(a->time < b->time || (a->time == b->time && a->place < b->place));
    }
}

Test(order, anything_is_sorted_and_equals_stay)
{
    static const size_t counts[] = {1, 2, 31, 32, 33, 1000, 1024, 1025, 8190, 16384};
    struct syn_order order = {0};
    uint64_t state = 3;
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (int range = 1; range < 4; range++) {
            const uint64_t values = range == 1 ? 1 : range == 2 ? 50 : UINT64_MAX;
            cr_assert_eq(syn_order_begin(&order, counts[c]), SYN_OK);
            for (size_t i = 0; i < counts[c]; i++)
                order.keys[i] =
                    (struct syn_order_key){(int64_t)(random_next(&state) % values), (uint32_t)i};
            expect_sorted(&order);
        }
    for (int falling = 0; falling < 2; falling++) {
        cr_assert_eq(syn_order_begin(&order, 5000), SYN_OK);
        for (size_t i = 0; i < 5000; i++)
            order.keys[i] =
                (struct syn_order_key){falling ? -(int64_t)i : (int64_t)(i ^ 1), (uint32_t)i};
        expect_sorted(&order);
    }
    syn_order_free(&order);
}
