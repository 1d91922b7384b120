/* test_dense.c - a chunk as a DENSE frame has it, and back, byte for byte; what repairs a damage.
 */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "fixture.h"
#include "sync/base/status.h"
#include "trace/apart.h"
#include "trace/columns.h"
#include "trace/dense.h"
#include "trace/dense_segments.h"
#include "trace/frame.h"
#include "trace/notes.h"
#include "trace/parity.h"
#include "trace/segments.h"

#define COUNT 3000

/* The payloads of a chunk. */
struct payloads {
    struct syn_bytes events, segments;
    size_t event_count;
};

static void put_slack(struct syn_bytes *bytes)
{
    memset(syn_bytes_reserve(bytes, SYN_COLUMNS_SLACK_BYTES), 0, SYN_COLUMNS_SLACK_BYTES);
}

/* As an EVENTS frame has them. */
static void take_in(struct payloads *made, uint8_t frame_type)
{
    struct syn_bytes events = {0};
    put_slack(&made->events);
    const struct syn_columns_source source = {frame_type, made->events.data, made->events.count,
                                              made->event_count};
    cr_assert_eq(syn_apart_to_events(&source, &events), SYN_OK);
    syn_bytes_free(&made->events);
    made->events = events;
}

static struct payloads payloads_of(const struct syn_event *entries, size_t count)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct payloads made = {0};
    struct syn_entries taken;
    struct syn_columns_layout layout;
    struct syn_columns_encoder *encoder = syn_columns_encoder_new();
    uint64_t elements;
    cr_assert_eq(syn_entries_take(entries, count, syn_count_notes(entries, count), &ticks, &taken),
                 SYN_OK);
    made.event_count = taken.event_count;
    cr_assert_eq(
        encode_columns(encoder, taken.events, taken.event_count, &ticks, &made.events, &layout),
        SYN_OK);
    if (layout.frame_type != SYN_FRAME_EVENTS)
        take_in(&made, layout.frame_type);
    const struct syn_segments_chunk chunk = {.entries = &taken,
                                             .count = taken.event_count,
                                             .order = syn_columns_order(encoder),
                                             .ticks = &ticks};
    cr_assert_eq(encode_segments(&chunk, &made.segments, &layout, &elements), SYN_OK);
    if (elements == 0)
        made.segments.count = 0;
    put_slack(&made.events);
    put_slack(&made.segments);
    syn_columns_encoder_free(encoder);
    syn_entries_free(&taken);
    return made;
}

static void payloads_free(struct payloads *payloads)
{
    syn_bytes_free(&payloads->events);
    syn_bytes_free(&payloads->segments);
}

static void expect_same(const struct syn_bytes *a, const struct syn_bytes *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert(a->count == 0 || memcmp(a->data, b->data, a->count) == 0);
}

/* Returns how long it is. */
static size_t expect_back(const struct payloads *from)
{
    struct payloads back = {0};
    struct syn_bytes dense = {0};
    struct syn_dense_layout layout;
    cr_assert_eq(
        syn_dense_encode(&from->events, from->event_count, &from->segments, &dense, &layout),
        SYN_OK);
    cr_assert_eq(layout.cuts[layout.cut_count - 1], dense.count);
    const size_t bytes = dense.count;
    put_slack(&dense);
    cr_assert_eq(
        syn_dense_decode(dense.data, bytes, from->event_count, &back.events, &back.segments),
        SYN_OK);
    expect_same(&back.events, &from->events);
    expect_same(&back.segments, &from->segments);
    payloads_free(&back);
    syn_bytes_free(&dense);
    return bytes;
}

/* Events with everything, and notes before some of them. */
struct made {
    struct syn_event entries[2 * COUNT + 2];
    size_t count;
    uint64_t random;
    int64_t now;
    struct syn_sample sample;
};

static uint64_t below(struct made *made, uint64_t end)
{
    return (random_next(&made->random) >> 11) % end;
}

static void add_sample(struct made *made, bool is_waiting)
{
    struct syn_sample *sample = &made->sample;
    const int64_t since = made->now - sample->time;
    const uint64_t waited = is_waiting ? (uint64_t)since / 3 : 0;
    sample->time = made->now + (int64_t)below(made, 50);
    sample->cpu_ns += (uint64_t)since - waited;
    const uint64_t delay = sample->run_delay_ns + waited;
    const bool is_known = below(made, 3) > 0;
    struct syn_sample noted = *sample;
    sample->run_delay_ns = noted.run_delay_ns = delay;
    noted.has = is_known ? SYN_SAMPLE_HAS_RUN_DELAY | SYN_SAMPLE_HAS_USAGE : SYN_SAMPLE_HAS_USAGE;
    if (!is_known)
        noted.run_delay_ns = 0;
    sample->involuntary_switches += (uint32_t)below(made, 4);
    sample->processor = (int32_t)below(made, 3) - 1;
    made->entries[made->count++] = syn_note_of_sample(&noted);
}

static void add_event(struct made *made, uint64_t i, uint32_t sites)
{
    const uint32_t site = below(made, 10) > 0 ? (uint32_t)i % sites : (uint32_t)below(made, sites);
    const int64_t start = made->now + (int64_t)below(made, 100000), end = start + 1000;
    made->entries[made->count] = blocking_event(start, end, i);
    struct syn_event *event = &made->entries[made->count++];
    event->stack = site;
    event->comm = site % 5;
    event->op = (uint16_t)(site % 7);
    event->bytes = (uint64_t)1 << site % 60;
    event->root = (int32_t)(site % 3) - 1;
    if (below(made, 20) == 0) {
        event->wait_start_ticks = end + 77;
        event->end_ticks = end + 99 + (int64_t)below(made, 1 << 20);
    }
    made->now = end;
}

static struct made *make(uint64_t seed, uint32_t sites, bool is_waiting)
{
    struct made *made = calloc(1, sizeof *made);
    made->random = seed;
    for (uint64_t i = 0; i < COUNT / 2; i++) {
        if (below(made, 4) == 0)
            made->entries[made->count++] =
                syn_note_of_messages((int64_t)below(made, 90000), (int64_t)below(made, 2));
        if (below(made, 5) == 0)
            add_sample(made, is_waiting);
        add_event(made, i, sites);
    }
    return made;
}

Test(dense, comes_back_byte_for_byte)
{
    const uint32_t sites[] = {1, 2, 12, 255, 256, 257, 1400};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct made *made = make(seed, sites[i], seed % 2);
            struct payloads payloads = payloads_of(made->entries, made->count);
            expect_back(&payloads);
            payloads_free(&payloads);
            free(made);
        }
}

Test(dense, events_alone_come_back)
{
    struct syn_event *events = simulated_events(COUNT, 3);
    struct payloads payloads = payloads_of(events, COUNT);
    cr_assert_eq(payloads.segments.count, 0);
    expect_back(&payloads);
    payloads_free(&payloads);
    payloads = payloads_of(events, 1);
    expect_back(&payloads);
    payloads_free(&payloads);
    free(events);
}

/* Of a loop over many sites the tables and the index take next to nothing beside the times. */
Test(dense, a_loop_over_many_sites_is_short)
{
    struct syn_event *events = simulated_events(COUNT, 3);
    for (uint32_t i = 0; i < COUNT; i++)
        events[i].stack = i % 1000;
    struct payloads payloads = payloads_of(events, COUNT);
    struct syn_bytes dense = {0};
    struct syn_dense_layout layout;
    cr_assert_eq(syn_dense_encode(&payloads.events, COUNT, &payloads.segments, &dense, &layout),
                 SYN_OK);
    size_t loose = 0;
    for (size_t i = layout.cuts[0]; i < layout.cuts[1]; i++)
        loose += dense.data[i] > 1;
    cr_assert_lt(loose, 10, "%zu calls are not told by the one before", loose);
    syn_bytes_free(&dense);
    payloads_free(&payloads);
    free(events);
}

/* Whatever is in it, nothing is read or written beyond (a matter of the sanitizers). */
Test(dense, believes_nothing)
{
    struct made *made = make(7, 40, true);
    struct payloads payloads = payloads_of(made->entries, made->count), back = {0};
    struct syn_bytes dense = {0};
    struct syn_dense_layout layout;
    uint64_t random = 5;
    size_t refused = 0;
    cr_assert_eq(syn_dense_encode(&payloads.events, payloads.event_count, &payloads.segments,
                                  &dense, &layout),
                 SYN_OK);
    const size_t bytes = dense.count;
    put_slack(&dense);
    for (size_t i = 0; i < 1200; i++) {
        const uint64_t number = random_next(&random);
        const size_t at = i < bytes && i < 600 ? i : number % bytes;
        const uint8_t was = dense.data[at];
        dense.data[at] = (uint8_t)(number >> 40);
        refused += syn_dense_decode(dense.data, bytes, payloads.event_count, &back.events,
                                    &back.segments) == SYN_EDAMAGED;
        dense.data[at] = was;
        cr_assert_eq(syn_dense_decode(dense.data, number % bytes, payloads.event_count,
                                      &back.events, &back.segments),
                     SYN_EDAMAGED, "cut");
    }
    cr_assert_gt(refused, 150);
    cr_expect_eq(
        syn_dense_decode(dense.data, bytes + 1, payloads.event_count, &back.events, &back.segments),
        SYN_EDAMAGED, "a byte too many");
    for (size_t count = 0; count < 2 * payloads.event_count; count++)
        cr_expect_eq(syn_dense_decode(dense.data, bytes, count, &back.events, &back.segments),
                     count == payloads.event_count ? SYN_OK : SYN_EDAMAGED, "%zu events", count);
    payloads_free(&back);
    payloads_free(&payloads);
    syn_bytes_free(&dense);
    free(made);
}

/* What a DENSE payload says of one sample behind call `place` of two, when it says that there are
 * `sample_count`. */
static struct syn_bytes one_sample(uint64_t sample_count, int64_t place)
{
    struct syn_bytes bytes = {0};
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(&bytes, 0);
    syn_bytes_put_varint(&bytes, sample_count);
    syn_bytes_put_varint(&bytes, 0); /* the mode */
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++)
        syn_bytes_put_varint(&bytes, 1);
    syn_bytes_put_zigzag(&bytes, place);
    for (int column = 1; column <= SYN_SAMPLE_COLUMNS; column++)
        syn_bytes_put_varint(&bytes, 0);
    return bytes;
}

static int take_one_sample(uint64_t sample_count, int64_t place)
{
    int64_t gap[2] = {5, 5}, end[4] = {1000, 10, 20, 30};
    const struct syn_dense_calls calls = {.count = 2, .base = 0, .gap = gap, .end = end + 1};
    struct syn_bytes bytes = one_sample(sample_count, place), segments = {0};
    const size_t count = bytes.count;
    put_slack(&bytes);
    struct syn_take take = syn_take_from(bytes.data, count);
    const int status = syn_dense_take_segments(&take, &calls, &segments);
    syn_bytes_free(&segments);
    syn_bytes_free(&bytes);
    return status;
}

/* The calls have neighbours here, so that a place beyond them would be read and not be noticed. */
Test(dense, a_sample_lies_behind_a_call_that_there_is)
{
    for (int64_t place = 0; place <= 2; place++)
        cr_expect_eq(take_one_sample(1, place), SYN_OK, "%lld", (long long)place);
    cr_expect_eq(take_one_sample(1, -1), SYN_EDAMAGED);
    cr_expect_eq(take_one_sample(1, 3), SYN_EDAMAGED);
}

/* Memory is not asked for on the word of a damaged file: SYN_ENOMEM would say that it was. */
Test(dense, samples_are_no_more_than_their_bytes)
{
    cr_expect_eq(take_one_sample((uint64_t)1 << 60, 0), SYN_EDAMAGED);
}

/* ---- parity ---- */

static void fill(uint8_t *data, size_t bytes, uint64_t seed)
{
    for (size_t i = 0; i < bytes; i++)
        data[i] = (uint8_t)(random_next(&seed) >> 32);
}

Test(parity, repairs_one_damage_anywhere)
{
    const size_t lengths[] = {1, 511, 512, 513, 6000};
    uint8_t data[6000], damaged[6000];
    uint64_t random = 1;
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
        struct syn_bytes parity = {0};
        fill(data, lengths[l], l + 1);
        syn_parity_put(data, lengths[l], &parity);
        cr_assert_eq(parity.count, SYN_PARITY_BYTES);
        cr_assert_eq(syn_parity_data_bytes(parity.data), lengths[l]);
        cr_assert_eq(syn_parity_check(parity.data, data, lengths[l]), SYN_OK);
        for (int i = 0; i < 150; i++) {
            const size_t at = random_next(&random) % lengths[l];
            const size_t length = 1 + random_next(&random) % (i % 2 ? 4 : SYN_PARITY_REACH - 1);
            const size_t most = lengths[l] - at;
            memcpy(damaged, data, lengths[l]);
            fill(damaged + at, length < most ? length : most, random);
            damaged[at] = (uint8_t)(data[at] + 1);
            cr_assert_eq(syn_parity_check(parity.data, damaged, lengths[l]), SYN_EDAMAGED);
            cr_assert_eq(syn_parity_repair(parity.data, damaged, lengths[l]), SYN_OK,
                         "%zu bytes at %zu of %zu", length, at, lengths[l]);
            cr_assert_arr_eq(damaged, data, lengths[l]);
        }
        syn_bytes_free(&parity);
    }
}

/* All but its ends may be as it was. */
Test(parity, repairs_two_bytes_near_one_another)
{
    uint8_t data[4000], damaged[4000];
    struct syn_bytes parity = {0};
    fill(data, sizeof data, 4);
    syn_parity_put(data, sizeof data, &parity);
    for (size_t apart = 1; apart < SYN_PARITY_REACH - 1; apart++) {
        memcpy(damaged, data, sizeof data);
        damaged[1700] ^= 3;
        damaged[1700 + apart] ^= 5;
        cr_assert_eq(syn_parity_repair(parity.data, damaged, sizeof damaged), SYN_OK, "%zu apart",
                     apart);
        cr_assert_arr_eq(damaged, data, sizeof data);
    }
    syn_bytes_free(&parity);
}

Test(parity, leaves_what_is_damaged_further)
{
    uint8_t data[4000], damaged[4000];
    struct syn_bytes parity = {0};
    fill(data, sizeof data, 9);
    syn_parity_put(data, sizeof data, &parity);
    memcpy(damaged, data, sizeof data);
    damaged[10] ^= 1;
    damaged[2000] ^= 1;
    uint8_t before[4000];
    memcpy(before, damaged, sizeof before);
    cr_assert_eq(syn_parity_repair(parity.data, damaged, sizeof damaged), SYN_EDAMAGED);
    cr_assert_arr_eq(damaged, before, sizeof before);
    syn_bytes_free(&parity);
}
