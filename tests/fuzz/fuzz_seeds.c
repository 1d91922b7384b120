/* tests/fuzz/fuzz_seeds.c - valid traces as inputs: three ranks whose calls match, every kind of
 * part, every command. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/columns/columns.h"
#include "trace/node/chunk_pack.h"
#include "trace/write/writer.h"

#define RANKS       3
#define SIZE_CODE   2 /* fuzz_build's for three ranks */
#define FORMS       8
#define EVENTS_EACH 10

static int put(void *ctx, const void *data, size_t bytes)
{
    syn_bytes_put(ctx, data, bytes);
    return SYN_OK;
}

static int nothing(void *ctx)
{
    (void)ctx;
    return SYN_OK;
}

static void nothing_to_close(void *ctx)
{
    (void)ctx;
}

/* ---- a rank's file, by the writer ---- */

static void declare_some(struct syn_writer *writer, int32_t rank)
{
    static const int32_t world_ranks[] = {0, 1, 2}, other_ranks[] = {2, 1, 0};
    static const uint8_t build_id[] = {1, 2, 3, 4};
    static const struct syn_frame frames[] = {{0, 100}, {UINT32_MAX, 1u << 30}};
    static const char *const metas[][2] = {
        {"host.name", "node"},    {"program.path", "/bin/x"}, {"mpi.name", "openmpi"},
        {"clock.kind", "tsc"},    {"sync.method", "hca3"},    {"cost.init_ns", "1000"},
        {"program.args", "-n 4"}, {"host.cpu_model", "cpu"},  {"rank.core", "1"},
    };
    for (size_t i = 0; i < sizeof metas / sizeof *metas; i++)
        syn_writer_meta(writer, metas[i][0], metas[i][1]);
    for (uint32_t i = 0; i < 2; i++) {
        syn_writer_comm(writer,
                        &(struct syn_comm_record){.index = i,
                                                  .id = i + 1,
                                                  .rank = i ? RANKS - 1 - rank : rank,
                                                  .size = RANKS,
                                                  .name = i ? "dup" : "MPI_COMM_WORLD",
                                                  .world_ranks = i ? other_ranks : world_ranks});
        syn_writer_stack(writer, &(struct syn_stack_record){i, 2 - i, frames});
    }
    syn_writer_module(writer, &(struct syn_module_record){0, "/bin/x", build_id, sizeof build_id});
}

/* Writes equal calls on each rank, at times a little apart. */
static void write_events(struct syn_writer *writer, size_t count, int32_t rank, bool nonblocking,
                         const struct syn_timeline *timeline)
{
    struct syn_event events[64];
    for (size_t i = 0; i < count; i++) {
        int64_t start = 1000 * (int64_t)i + 37 * rank * (int64_t)(i % 3),
                end = start + 300 + 7 * (int64_t)i;
        events[i] = (struct syn_event){.start_ticks = start,
                                       .end_ticks = end,
                                       .call_end_ticks = end,
                                       .wait_start_ticks = start,
                                       .bytes = 8 << i % 2,
                                       .sequence = i / 2,
                                       .comm = i % 2,
                                       .stack = i % 2,
                                       .root = -1,
                                       .op = SYN_OP_BLOCKING(ALLREDUCE)};
        if (nonblocking && i % 3 == 0) {
            events[i].op = syn_op_id(SYN_ROW_BCAST, SYN_FORM_NONBLOCKING);
            events[i].root = 0;
            events[i].call_end_ticks = start + 20;
            events[i].wait_start_ticks = end - 30;
        }
    }
    syn_writer_entries(writer, 0, events, count, 0, timeline);
}

static struct syn_bytes make_file(int32_t rank, size_t variant)
{
    struct syn_bytes file = {0};
    struct syn_writer *writer;
    struct syn_sink sink = {put, nothing, nothing_to_close, &file, NULL};
    struct syn_writer_identity identity = {.rank = rank, .size = RANKS};
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = (uint64_t)1 << 32};
    struct syn_knot knots[] = {{100, 5, 10}, {30000, 9, 20}};
    struct syn_timeline timeline = {.knots = knots, .knot_count = 2, .slope_after = 1e-6};
    struct syn_fitpoint point = {1, 0, 50, -5, 5, 80};
    struct syn_sync_quality quality = {.round_count = 2, .slope_ppm = 1.5};
    if (syn_writer_open(sink, &identity, 1, &ticks, &writer) != SYN_OK)
        abort();
    declare_some(writer, rank);
    write_events(writer, EVENTS_EACH + 6 * variant, rank, variant & 1,
                 variant & 2 ? &timeline : NULL);
    syn_writer_clock(writer, &timeline, &point, 1, &quality);
    syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE});
    syn_writer_close(writer);
    return file;
}

/* ---- as parts ---- */

/* Events as fuzz_build decodes them. */
static void put_events(struct syn_bytes *input, uint8_t place)
{
    uint8_t events[EVENTS_EACH * FUZZ_EVENT_BYTES] = {0};
    for (size_t i = 0; i < EVENTS_EACH; i++) {
        uint8_t *event = events + i * FUZZ_EVENT_BYTES;
        bool extended = i % 5 == 4;
        event[0] = (uint8_t)(i % 3 | (extended ? 32 : 0));
        event[1] = (uint8_t)(i % 2 | (i % 2) << 2 | (extended ? 0x10 : 0));
        event[2] = (uint8_t)(8 * (i % 2));
        event[4] = i % 3 == 1 ? 0 : 0xff;
        syn_store16(event + 8, (uint16_t)(400 + 10 * (place & FUZZ_PLACE_RANK)));
        syn_store16(event + 10, (uint16_t)(300 + 7 * i));
        syn_store16(event + 12, 50);
        syn_store16(event + 14, 60);
    }
    fuzz_put_part(input, FUZZ_EVENTS, place, events, sizeof events);
}

/* Small inputs make fast executions: names of operations are long, and declarations come twice. */
static bool worth_it(uint8_t type, unsigned *seen)
{
    bool first = (*seen & 1u << type) == 0;
    *seen |= 1u << type;
    return type != SYN_FRAME_OPS && (first || type == SYN_FRAME_CLOCK || type == SYN_FRAME_EVENTS);
}

/* How a seed's events are written. */
enum events_form {
    EVENTS_AS_FRAMES,
    EVENTS_OF_OUR_OWN,
    EVENTS_PACKED,
    EVENTS_WITH_STACKS, /* in a column of their own: those of the first two numbers, by turns */
    EVENTS_PAUSED       /* the recorder paused before the first event and the third */
};

static void put_stack_column(struct syn_bytes *out, size_t event_count)
{
    syn_column_begin(out, SYN_COLUMN_STACK, SYN_ENCODING_BYTES, event_count);
    syn_bytes_put_varint(out, 1);
    syn_bytes_put_varint(out, 1);
    for (size_t i = 0; i < event_count; i++)
        syn_bytes_put(out, &(uint8_t){i % 2}, 1);
}

static void put_columns(struct syn_bytes *out, const struct syn_columns_source *source,
                        enum events_form form)
{
    static const int64_t paused[] = {0, 2};
    for (int name = 0; name < SYN_COLUMN_COUNT; name++)
        if (name == SYN_COLUMN_STACK && form == EVENTS_WITH_STACKS)
            put_stack_column(out, source->event_count);
        else if (name == SYN_COLUMN_PAUSED && form == EVENTS_PAUSED)
            syn_column_put_differences(out, name, paused, 2);
        else if (source->columns[name].is_there)
            syn_column_copy(out, name, &source->columns[name]);
}

/* A chunk in another form, `raw` with slack behind it. */
static void put_events_as(struct syn_bytes *input, uint8_t place, const struct syn_bytes *raw,
                          uint16_t event_count, enum events_form form)
{
    struct syn_bytes part = {0};
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
    const struct syn_columns_source source = {columns, event_count};
    struct syn_columns_layout layout;
    uint8_t head[3] = {SYN_FRAME_EVENTS};
    syn_store16(head + 1, event_count);
    syn_bytes_put(&part, head, sizeof head);
    if (!syn_columns_split(raw->data, raw->count, event_count, columns))
        abort();
    if (form != EVENTS_PACKED)
        put_columns(&part, &source, form);
    else if (syn_chunk_pack(&source, &part, &layout) != SYN_OK)
        abort();
    fuzz_put_part(input, FUZZ_FRAME, place, part.data, part.count);
    syn_bytes_free(&part);
}

/* A file's frames, decompressed. */
static void put_frames(struct syn_bytes *input, const struct syn_bytes *file, uint8_t place,
                       enum events_form form)
{
    struct syn_decompressor *decompressor = syn_decompressor_new();
    struct syn_frame_header header;
    unsigned seen = 0;
    for (size_t at = 0; at < file->count; at += header.compressed_bytes) {
        struct syn_bytes part = {0};
        if (syn_frame_decode(file->data + at, &header) != SYN_FRAME_VALID)
            abort();
        at += SYN_FRAME_HEADER_BYTES;
        uint8_t head[3] = {header.type};
        syn_store16(head + 1, (uint16_t)header.element_count);
        syn_bytes_put(&part, head, sizeof head);
        uint8_t *raw = syn_bytes_reserve(&part, header.raw_bytes + SYN_COLUMNS_SLACK_BYTES);
        if (header.raw_bytes > 0 &&
            syn_decompress(decompressor, file->data + at, header.compressed_bytes, raw,
                           header.raw_bytes) != SYN_OK)
            abort();
        part.count += header.raw_bytes;
        uint8_t ticks = header.time_base == SYN_TIME_LOCAL_TICKS ? FUZZ_PLACE_TICKS : 0;
        if (header.type == SYN_FRAME_EVENTS && form == EVENTS_OF_OUR_OWN)
            put_events(input, place);
        else if (header.type == SYN_FRAME_EVENTS && form >= EVENTS_PACKED)
            put_events_as(input, place | ticks,
                          &(struct syn_bytes){.data = raw, .count = header.raw_bytes},
                          (uint16_t)header.element_count, form);
        else if (worth_it(header.type, &seen))
            fuzz_put_part(input, FUZZ_FRAME, place | ticks, part.data, part.count);
        syn_bytes_free(&part);
    }
    syn_decompressor_free(decompressor);
}

static void put_texts(struct syn_bytes *input, uint8_t place, size_t event_count)
{
    static const char symbols[] = "syncopate symbols 1\nframe\t01020304\t64\tmain.c:31 solve\n"
                                  "compiler\t01020304\tGNU C 12\n";
    char manifest[512];
    int length = snprintf(manifest, sizeof manifest,
                          "syncopate-trace 1\nrun_id %02x000000000000000000000000000000\nsize %d\n"
                          "written_count %d\nevent_count %zu\nstart_unix_ns 1700000000000000000\n"
                          "duration_ns 1000000\n",
                          place & FUZZ_PLACE_RUN, RANKS, RANKS, event_count);
    fuzz_put_part(input, FUZZ_MANIFEST, place, manifest, (size_t)length);
    fuzz_put_part(input, FUZZ_SYMBOLS, place, symbols, sizeof symbols - 1);
}

/* `form`: 0 frames, 1 bytes, 2 bytes to be repaired, 3 events of our own, 4 the same twice, an
 * experiment, 5 frames with chunks as in short files, 6 with chunks as from many call sites, 7 with
 * the recorder's stops apart. */
static void put_run(struct syn_bytes *input, size_t form, size_t variant, uint8_t place)
{
    for (int32_t rank = 0; rank < (fuzz_one_file ? 1 : RANKS); rank++) {
        struct syn_bytes file = make_file(rank, variant);
        uint8_t own = (uint8_t)(place | rank);
        if (form == 1 || form == 2)
            fuzz_put_part(input, form == 1 ? FUZZ_BYTES : FUZZ_REPAIRED, own, file.data,
                          file.count);
        else
            put_frames(input, &file, own,
                       form == 7   ? EVENTS_PAUSED
                       : form == 6 ? EVENTS_WITH_STACKS
                       : form == 5 ? EVENTS_PACKED
                       : form >= 3 ? EVENTS_OF_OUR_OWN
                                   : EVENTS_AS_FRAMES);
        syn_bytes_free(&file);
    }
    if (!fuzz_one_file)
        put_texts(input, place,
                  RANKS * (form == 3 || form == 4 ? EVENTS_EACH : EVENTS_EACH + 6 * variant));
}

bool fuzz_seed(size_t i, uint8_t **data, size_t *bytes)
{
    struct syn_bytes input = {0};
    size_t form = i % FORMS;
    if (i >= 12 * FORMS)
        return false;
    uint8_t head[FUZZ_HEAD_BYTES] = {(uint8_t)(i / FORMS * 2 + form % 2), SIZE_CODE};
    syn_bytes_put(&input, head, sizeof head);
    put_run(&input, form, i / FORMS % 4, 0);
    if (form == 4 && !fuzz_one_file)
        put_run(&input, form, i / FORMS % 4, FUZZ_PLACE_RUN);
    *data = input.data;
    *bytes = input.count;
    return true;
}
