/* test_pack.c - a chunk in as few bytes as it needs, and back: every event, figure and sample. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "encode.h"
#include "fixture.h"
#include "sync/base/status.h"
#include "trace/columns/columns_tables.h"
#include "trace/columns/sample_columns.h"
#include "trace/columns/segments.h"
#include "trace/events/notes.h"
#include "trace/node/chunk_pack.h"

#define COUNT 3000

/* The payload of a chunk as the recorder writes it. */
static struct syn_bytes payload_of(const struct syn_event *entries, size_t count,
                                   size_t *event_count)
{
    const struct syn_tick_source ticks = nanosecond_ticks();
    struct syn_bytes made = {0};
    struct syn_entries taken;
    struct syn_columns_layout layout;
    struct syn_columns_encoder *encoder = syn_columns_encoder_new();
    cr_assert_eq(syn_entries_take(entries, count, syn_count_notes(entries, count), &ticks, &taken),
                 SYN_OK);
    *event_count = taken.event_count;
    cr_assert_eq(encode_columns(encoder, taken.events, taken.event_count, &ticks, &made, &layout),
                 SYN_OK);
    const struct syn_segments_chunk chunk = {.entries = &taken,
                                             .count = taken.event_count,
                                             .order = syn_columns_order(encoder),
                                             .ticks = &ticks};
    cr_assert_eq(encode_segments(&chunk, &made, &layout), SYN_OK);
    syn_columns_encoder_free(encoder);
    syn_entries_free(&taken);
    return made;
}

static struct syn_bytes pack(const struct syn_bytes *payload, size_t event_count,
                             struct syn_columns_layout *layout)
{
    struct syn_bytes packed = {0};
    struct padded padded;
    cr_assert(pad(payload->data, payload->count, event_count, &padded));
    cr_assert_eq(syn_chunk_pack(&padded.source, &packed, layout), SYN_OK);
    cr_assert_eq(layout->cuts[layout->cut_count - 1], packed.count);
    free(padded.data);
    return packed;
}

/* ---- the same ---- */

#define EXPECT_ALL(member, count) \
    cr_assert_eq(memcmp(a->member, b->member, (count) * sizeof *a->member), 0, #member)

static void expect_same_events(const struct syn_columns *a, const struct syn_columns *b)
{
    cr_assert_eq(a->count, b->count);
    cr_assert_eq(a->extended, b->extended);
    cr_assert_eq(a->tuple_count, b->tuple_count);
    EXPECT_ALL(start, a->count);
    EXPECT_ALL(end, a->count);
    if (a->extended) {
        EXPECT_ALL(call_end, a->count);
        EXPECT_ALL(wait_start, a->count);
    }
    EXPECT_ALL(bytes, a->count);
    EXPECT_ALL(sequence, a->count);
    EXPECT_ALL(comm, a->count);
    EXPECT_ALL(stack, a->count);
    EXPECT_ALL(root, a->count);
    EXPECT_ALL(op, a->count);
    EXPECT_ALL(flags, a->count);
    EXPECT_ALL(tuple, a->count);
}

static void expect_same_samples(const struct syn_segments *a, const struct syn_segments *b)
{
    cr_assert_eq(a->sample_count, b->sample_count);
    for (size_t i = 0; i < a->sample_count; i++) {
        const struct syn_sample *one = &a->samples[i], *other = &b->samples[i];
        cr_assert_eq(one->time, other->time);
        cr_assert_eq(one->cpu_ns, other->cpu_ns);
        cr_assert_eq(one->run_delay_ns, other->run_delay_ns, "sample %zu", i);
        cr_assert_eq(one->instructions, other->instructions);
        cr_assert_eq(one->cycles, other->cycles);
        cr_assert_eq(one->voluntary_switches, other->voluntary_switches);
        cr_assert_eq(one->involuntary_switches, other->involuntary_switches);
        cr_assert_eq(one->minor_faults, other->minor_faults);
        cr_assert_eq(one->major_faults, other->major_faults);
        cr_assert_eq(one->processor, other->processor);
        cr_assert_eq(one->has, other->has);
    }
}

static void expect_same_segments(const struct syn_segments *one, const struct syn_segments *other)
{
    for (int i = 0; i < SYN_SEGMENT_FIGURES; i++) {
        const struct syn_sparse *a = &one->figures[i], *b = &other->figures[i];
        cr_assert_eq(a->count, b->count);
        if (a->count > 0) {
            EXPECT_ALL(position, a->count);
            EXPECT_ALL(value, a->count);
        }
    }
    expect_same_samples(one, other);
}

static int take(const struct syn_columns_source *source, struct syn_columns *columns,
                struct syn_segments *segments)
{
    const char *why;
    bool lost;
    *segments = (struct syn_segments){0};
    cr_assert_eq(syn_columns_reserve(columns, source->event_count + 1), SYN_OK);
    const int status = syn_columns_decode(source, &known, columns, &lost, &why);
    return status == SYN_OK ? syn_segments_decode(source, segments) : status;
}

static void expect_same(const struct syn_bytes *one, const struct syn_bytes *other,
                        size_t event_count)
{
    struct padded a, b;
    struct syn_columns columns[2] = {0};
    struct syn_segments segments[2];
    cr_assert(pad(one->data, one->count, event_count, &a));
    cr_assert(pad(other->data, other->count, event_count, &b));
    cr_assert_eq(take(&a.source, &columns[0], &segments[0]), SYN_OK);
    cr_assert_eq(take(&b.source, &columns[1], &segments[1]), SYN_OK);
    expect_same_events(&columns[0], &columns[1]);
    expect_same_segments(&segments[0], &segments[1]);
    for (int i = 0; i < 2; i++) {
        syn_columns_free(&columns[i]);
        syn_segments_free(&segments[i]);
    }
    free(a.data);
    free(b.data);
}

/* Once and twice packed it is what it was. */
static void expect_back(const struct syn_event *entries, size_t count)
{
    size_t event_count;
    struct syn_columns_layout layout;
    struct syn_bytes made = payload_of(entries, count, &event_count);
    struct syn_bytes packed = pack(&made, event_count, &layout);
    struct syn_bytes again = pack(&packed, event_count, &layout);
    expect_same(&packed, &made, event_count);
    cr_assert_eq(again.count, packed.count);
    cr_assert_eq(memcmp(again.data, packed.data, packed.count), 0);
    syn_bytes_free(&made);
    syn_bytes_free(&packed);
    syn_bytes_free(&again);
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

Test(pack, everything_comes_back)
{
    const uint32_t sites[] = {1, 2, 12, 255, 256, 257, 1400};
    for (size_t i = 0; i < sizeof sites / sizeof *sites; i++)
        for (uint64_t seed = 1; seed <= 4; seed++) {
            struct made *made = make(seed, sites[i], seed % 2);
            expect_back(made->entries, made->count);
            free(made);
        }
}

Test(pack, events_alone_come_back)
{
    struct syn_event *events = simulated_events(COUNT, 3);
    expect_back(events, COUNT);
    expect_back(events, 1);
    free(events);
}

/* The index of a loop over many sites takes next to nothing beside the times. */
Test(pack, a_loop_over_many_sites_is_short)
{
    struct syn_event *events = simulated_events(COUNT, 3);
    struct syn_columns_layout layout;
    size_t event_count, loose = 0;
    for (uint32_t i = 0; i < COUNT; i++)
        events[i].stack = i % 200;
    struct syn_bytes made = payload_of(events, COUNT, &event_count);
    struct syn_bytes packed = pack(&made, event_count, &layout);
    struct padded padded;
    cr_assert(pad(packed.data, packed.count, event_count, &padded));
    const struct syn_chunk_column *tuple = &padded.columns[SYN_COLUMN_TUPLE];
    cr_assert_eq(tuple->encoding, SYN_ENCODING_PREDICTED);
    for (const uint8_t *at = tuple->data; at < tuple->end; at++)
        loose += *at > 1;
    cr_assert_lt(loose, 10, "%zu calls are not told by the one before", loose);
    free(padded.data);
    syn_bytes_free(&made);
    syn_bytes_free(&packed);
    free(events);
}

/* Whatever is in it, nothing is read or written beyond (a matter of the sanitizers). */
Test(pack, believes_nothing)
{
    struct made *made = make(7, 40, true);
    struct syn_columns columns = {0};
    struct syn_segments segments;
    struct syn_columns_layout layout;
    size_t event_count, refused = 0;
    uint64_t random = 5;
    struct syn_bytes payload = payload_of(made->entries, made->count, &event_count);
    struct syn_bytes packed = pack(&payload, event_count, &layout);
    for (size_t i = 0; i < 1200; i++) {
        const uint64_t number = random_next(&random);
        const size_t at = i < packed.count && i < 600 ? i : number % packed.count;
        const uint8_t was = packed.data[at];
        struct padded padded;
        packed.data[at] = (uint8_t)(number >> 40);
        const bool split = pad(packed.data, packed.count, event_count, &padded);
        refused += !split || take(&padded.source, &columns, &segments) == SYN_EDAMAGED;
        if (split)
            syn_segments_free(&segments);
        packed.data[at] = was;
        free(padded.data);
    }
    cr_assert_gt(refused, 150);
    syn_columns_free(&columns);
    syn_bytes_free(&payload);
    syn_bytes_free(&packed);
    free(made);
}

/* Is a chunk good if its sample lies behind call `place` of its calls? */
static int take_one_sample(const struct syn_bytes *payload, size_t event_count, int64_t place,
                           size_t sample_count)
{
    const int64_t zero = 0;
    struct syn_bytes bytes = {0};
    struct padded padded;
    struct syn_segments segments;
    syn_bytes_put(&bytes, payload->data, payload->count);
    syn_column_put_differences(&bytes, SYN_COLUMN_SAMPLE_PLACE, &place, 1);
    for (int column = 0; column < SYN_SAMPLE_COLUMNS; column++)
        if (column == 1)
            syn_column_put_magnitudes(&bytes, SYN_COLUMN_SAMPLE + column, SYN_ENCODING_SINCE_CALL,
                                      1, &zero, 1);
        else if (column == 0 && sample_count > 1)
            syn_column_begin(&bytes, SYN_COLUMN_SAMPLE, SYN_ENCODING_DIFFERENCES, sample_count);
        else
            syn_column_put_differences(&bytes, SYN_COLUMN_SAMPLE + column, &zero, 1);
    const bool split = pad(bytes.data, bytes.count, event_count, &padded);
    const int status = split ? syn_segments_decode(&padded.source, &segments) : SYN_EDAMAGED;
    if (status == SYN_OK)
        syn_segments_free(&segments);
    free(padded.data);
    syn_bytes_free(&bytes);
    return status;
}

/* Memory is not asked for on the word of a damaged file: SYN_ENOMEM would say that it was. */
Test(pack, a_sample_lies_behind_a_call_that_there_is)
{
    struct syn_event *events = simulated_events(2, 3);
    size_t event_count;
    struct syn_bytes payload = payload_of(events, 2, &event_count);
    for (int64_t place = 0; place <= 2; place++)
        cr_expect_eq(take_one_sample(&payload, event_count, place, 1), SYN_OK);
    cr_expect_eq(take_one_sample(&payload, event_count, -1, 1), SYN_EDAMAGED);
    cr_expect_eq(take_one_sample(&payload, event_count, 3, 1), SYN_EDAMAGED);
    cr_expect_eq(take_one_sample(&payload, event_count, 0, (size_t)1 << 60), SYN_EDAMAGED);
    syn_bytes_free(&payload);
    free(events);
}
