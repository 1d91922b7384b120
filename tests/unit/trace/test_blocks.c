/* test_blocks.c - the blocks of a payload: a column each, the bits of one column each; and whether
 * repetitions are searched for. */
#include <criterion/criterion.h>

#include <stdlib.h>

#include "encode.h"
#include "fixture.h"
#include "sync/base/status.h"
#include "trace/columns/column.h"
#include "trace/columns/columns.h"
#include "trace/columns/magnitude.h"
#include "trace/columns/segments.h"
#include "trace/events/notes.h"

#define COUNT 3000

static struct syn_columns_layout encode(const struct syn_event *events, size_t count,
                                        struct syn_bytes *out)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_columns_encoder *encoder = syn_columns_encoder_new();
    struct syn_columns_layout layout;
    cr_assert_eq(encode_columns(encoder, events, count, &ticks, out, &layout), SYN_OK);
    syn_columns_encoder_free(encoder);
    return layout;
}

/* Calls of one site; some are as long as the one before. */
static struct syn_event *events_of_one_site(unsigned same_of_100)
{
    struct syn_event *events = calloc(COUNT, sizeof *events);
    uint64_t state = 1;
    int64_t at = 1000, gap = 100, call = 100;
    for (size_t i = 0; i < COUNT; i++) {
        if (random_next(&state) % 100 >= same_of_100) {
            gap = 10 + (int64_t)(random_next(&state) % 1000);
            call = 10 + (int64_t)(random_next(&state) % 100);
        }
        events[i] = blocking_event(at + gap, at + gap + call, i);
        at += gap + call;
    }
    return events;
}

/* ---- where blocks end ---- */

static size_t bits_bytes(const uint8_t *symbols)
{
    size_t bits = 0;
    for (size_t i = 0; i < COUNT; i++)
        bits += syn_magnitude_bits(symbols[i]);
    return (bits + 7) / 8;
}

/* The last `column_count` columns are times of all events: a block of symbols each, which begins
 * with what the column says of itself, and a block of bits. */
static void expect_cuts(const struct syn_event *events, size_t column_count)
{
    enum { HEAD = 5 };
    struct syn_bytes out = {0};
    const struct syn_columns_layout layout = encode(events, COUNT, &out);
    cr_assert_geq(layout.cut_count, 2 * column_count + 1);
    const size_t *cut = layout.cuts + layout.cut_count - 2 * column_count - 1;
    for (size_t i = 0; i < column_count; i++, cut += 2) {
        cr_expect_eq(cut[1] - cut[0], HEAD + COUNT);
        cr_expect_eq(cut[2] - cut[1], bits_bytes(out.data + cut[0] + HEAD), "bits of column %zu",
                     i);
    }
    cr_expect_eq(cut[0], out.count);
    syn_bytes_free(&out);
}

static void become_nonblocking(struct syn_event *events)
{
    for (size_t i = 0; i < COUNT; i++) {
        events[i].end_ticks += 5 + (int64_t)(i * i % 97);
        events[i].wait_start_ticks = events[i].call_end_ticks + 6 + (int64_t)(i % 89);
    }
}

Test(blocks, bits_of_a_column_are_a_block)
{
    struct syn_event *events = events_of_one_site(0);
    expect_cuts(events, 2);
    become_nonblocking(events);
    expect_cuts(events, 4);
    free(events);
}

/* Is there a block's end behind the tables? */
static bool tables_are_blocks(const struct syn_event *events, size_t count)
{
    struct syn_bytes out = {0};
    struct padded padded;
    bool found = false;
    const struct syn_columns_layout layout = encode(events, count, &out);
    cr_assert(pad(out.data, out.count, count, &padded));
    int last = SYN_COLUMN_PAUSED;
    while (!padded.columns[last].is_there)
        last--;
    const size_t end = (size_t)(padded.columns[last].end - padded.data);
    for (size_t i = 0; i < layout.cut_count; i++)
        found |= layout.cuts[i] == end;
    free(padded.data);
    syn_bytes_free(&out);
    return found;
}

/* However long the tables are. With three pauses they fill the last step of the writer. */
Test(blocks, tables_end_a_block)
{
    struct syn_event *events = events_of_one_site(0);
    for (size_t i = 0; i < COUNT; i++)
        events[i].bytes = i % 511;
    for (size_t pauses = 0; pauses < 8; pauses++) {
        events[17 * pauses].flags |= SYN_EVENT_PERTURBED;
        cr_expect(tables_are_blocks(events, COUNT), "%zu pauses", pauses + 1);
    }
    free(events);
}

static void append_segments(const struct syn_event *events, struct syn_bytes *out,
                            struct syn_columns_layout *layout)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_event *entries = malloc((2 * COUNT + 1) * sizeof *entries);
    struct syn_entries taken;
    size_t used = 0;
    for (size_t i = 0; i < COUNT; i++) {
        entries[used++] = syn_note_of_messages((int64_t)i + 1, (int64_t)i + 1);
        entries[used++] = events[i];
    }
    entries[used++] =
        syn_note_of_sample(&(struct syn_sample){.time = events[COUNT - 1].end_ticks, .cpu_ns = 1});
    cr_assert_eq(syn_entries_take(entries, used, COUNT + 1, &ticks, &taken), SYN_OK);
    const struct syn_segments_chunk chunk = {.entries = &taken, .count = COUNT, .ticks = &ticks};
    cr_assert_eq(encode_segments(&chunk, out, layout), SYN_OK);
    syn_entries_free(&taken);
    free(entries);
}

/* From very many sites, and nonblocking: the tables, four planes of call stacks, one of tuples,
 * and two blocks for each column of times. Then places and two blocks of values for two
 * figures, and the samples. */
Test(blocks, all_columns_there_are)
{
    struct syn_bytes out = {0};
    struct syn_event *events = events_of_one_site(0);
    become_nonblocking(events);
    for (size_t i = 0; i < COUNT; i++) {
        events[i].stack = (uint32_t)(i * 1000003u);
        events[i].bytes = i % 2;
    }
    struct syn_columns_layout layout = encode(events, COUNT, &out);
    cr_expect_eq(layout.cut_count, 1 + 4 + 1 + 2 * 4);
    cr_expect_eq(layout.cuts[layout.cut_count - 1], out.count);
    append_segments(events, &out, &layout);
    cr_expect_eq(layout.cut_count, 14 + 2 * 3 + 1);
    cr_expect_eq(layout.cuts[layout.cut_count - 1], out.count);
    syn_bytes_free(&out);
    free(events);
}

/* A cut that finds no room takes the place of the last one. */
Test(blocks, no_more_cuts_than_there_is_room_for)
{
    struct syn_columns_layout layout = {0};
    for (size_t i = 1; i <= SYN_COLUMNS_CUT_MAX + 5; i++)
        syn_columns_cut_at(&layout, i);
    cr_expect_eq(layout.cut_count, SYN_COLUMNS_CUT_MAX);
    cr_expect_eq(layout.cuts[SYN_COLUMNS_CUT_MAX - 1], SYN_COLUMNS_CUT_MAX + 5);
    cr_expect_eq(layout.cuts[SYN_COLUMNS_CUT_MAX - 2], SYN_COLUMNS_CUT_MAX - 1);
}

/* ---- what is to be searched ---- */

static bool first_are_only_times(const struct syn_event *events, size_t count)
{
    struct syn_bytes out = {0};
    const struct syn_columns_layout layout = encode(events, count, &out);
    syn_bytes_free(&out);
    return layout.only_times;
}

static bool only_times(const struct syn_event *events)
{
    return first_are_only_times(events, COUNT);
}

Test(blocks, times_of_one_site_are_not_searched)
{
    struct syn_event *events = events_of_one_site(0);
    cr_expect(only_times(events));
    for (size_t i = 200; i < COUNT; i += 200)
        events[i].flags |= SYN_EVENT_PERTURBED;
    cr_expect(only_times(events), "with pauses");
    become_nonblocking(events);
    cr_expect(only_times(events), "nonblocking");
    free(events);
    events = events_of_one_site(50);
    cr_expect(only_times(events), "half of the times as before");
    free(events);
}

Test(blocks, an_index_is_searched)
{
    struct syn_event *events = events_of_one_site(0);
    for (size_t i = 0; i < COUNT; i++)
        events[i].stack = i % 3 == 0;
    cr_expect_not(only_times(events));
    cr_expect_not(first_are_only_times(events, 300), "a short one");
    for (size_t i = 0; i < COUNT; i++)
        events[i].stack = (uint32_t)i;
    cr_expect_not(only_times(events), "call stacks are a column");
    free(events);
}

Test(blocks, a_long_table_is_searched)
{
    struct syn_event *events = events_of_one_site(0);
    for (size_t i = 0; i < COUNT; i++)
        events[i].sequence = 2 * i;
    cr_expect_not(only_times(events));
    free(events);
}

Test(blocks, rows_of_one_time_are_searched)
{
    struct syn_event *events = events_of_one_site(97);
    cr_expect_not(only_times(events));
    free(events);
}

/* Every third time, with some in between that are not. */
Test(blocks, a_pattern_of_times_is_searched)
{
    static const int64_t times[] = {100, 1000, 10000};
    struct syn_event *events = calloc(COUNT, sizeof *events);
    int64_t at = 1000;
    for (size_t i = 0; i < COUNT; i++) {
        const int64_t gap = i % 100 == 99 ? 1 : times[i % 3];
        events[i] = blocking_event(at + gap, at + gap + 50 + (int64_t)(i * i % 997), i);
        at = events[i].end_ticks;
    }
    cr_expect_not(only_times(events));
    free(events);
}
