#include <stdlib.h>
#include <string.h>

#include "fuzz_reader.h"
#include "sync/status.h"
#include "trace/bytes.h"
#include "trace/compress.h"
#include "trace/frame.h"
#include "trace/ops.h"
#include "trace/writer.h"

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

static void declare_some(struct syn_writer *writer)
{
    static const int32_t world_ranks[] = {0, 2, 1};
    static const uint8_t build_id[] = {1, 2, 3, 4};
    static const struct syn_frame frames[] = {{0, 100}, {UINT32_MAX, 1u << 30}};
    syn_writer_meta(writer, "host.name", "node");
    for (uint32_t i = 0; i < 2; i++) {
        syn_writer_comm(
            writer,
            &(struct syn_comm_record){
                .index = i, .id = i + 1, .size = 3, .name = "world", .world_ranks = world_ranks});
        syn_writer_stack(writer, &(struct syn_stack_record){i, 2, frames});
    }
    syn_writer_module(writer, &(struct syn_module_record){0, "/bin/x", build_id, sizeof build_id});
}

static void write_events(struct syn_writer *writer, size_t count, bool nonblocking,
                         const struct syn_timeline *timeline)
{
    struct syn_event events[40];
    for (size_t i = 0; i < count; i++) {
        int64_t start = 1000 * (int64_t)i, end = start + 300 + 7 * (int64_t)i;
        events[i] = (struct syn_event){
            start, end, end, start, 8 << i % 4, i / 2, i % 2, i % 2, -1, SYN_OP_BLOCKING(BCAST), 0};
        if (nonblocking && i % 3 == 0) {
            events[i].call_end_ticks = start + 20;
            events[i].wait_start_ticks = end - 30;
        }
        if (i % 7 == 6)
            events[i].sequence += 5;
    }
    syn_writer_events(writer, 0, events, count, timeline);
}

/* A small file; `variant` 0..3 makes its contents differ. */
static struct syn_bytes make_file(size_t variant)
{
    struct syn_bytes file = {0};
    struct syn_writer *writer;
    struct syn_sink sink = {put, nothing, nothing_to_close, &file};
    struct syn_writer_identity identity = {.size = 3};
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = (uint64_t)1 << 31};
    struct syn_knot knots[] = {{100, 5, 10}, {30000, 9, 20}};
    struct syn_timeline timeline = {.knots = knots, .knot_count = 2, .slope_after = 1e-6};
    struct syn_fitpoint point = {1, 0, 50, -5, 5, 80};
    struct syn_sync_quality quality = {.round_count = 2, .slope_ppm = 1.5};
    if (syn_writer_open(sink, &identity, 1, &ticks, &writer) != SYN_OK)
        abort();
    declare_some(writer);
    write_events(writer, 1 + 13 * variant, variant & 1, variant & 2 ? &timeline : NULL);
    syn_writer_clock(writer, &timeline, &point, 1, &quality);
    write_events(writer, 5, true, NULL);
    syn_writer_finish(writer, &(struct syn_end_record){.ending = SYN_ENDING_FINALIZE});
    syn_writer_close(writer);
    return file;
}

/* The same as a list of uncompressed frames. */
static struct syn_bytes unpack(const struct syn_bytes *file)
{
    struct syn_bytes list = {0};
    struct syn_decompressor *decompressor = syn_decompressor_new();
    struct syn_frame_header header;
    for (size_t at = 0; at < file->count;) {
        if (syn_frame_decode(file->data + at, &header) != SYN_FRAME_VALID)
            abort();
        at += SYN_FRAME_HEADER_BYTES;
        uint8_t head[5] = {(uint8_t)(header.type | header.time_base << 4)};
        syn_store16(head + 1, (uint16_t)header.element_count);
        syn_store16(head + 3, (uint16_t)header.raw_bytes);
        syn_bytes_put(&list, head, sizeof head);
        uint8_t *raw = syn_bytes_reserve(&list, header.raw_bytes + 1);
        if (header.raw_bytes > 0 &&
            syn_decompress(decompressor, file->data + at, header.compressed_bytes, raw,
                           header.raw_bytes) != SYN_OK)
            abort();
        list.count += header.raw_bytes;
        at += header.compressed_bytes;
    }
    syn_decompressor_free(decompressor);
    return list;
}

int fuzz_seed(size_t i, uint8_t **data, size_t *size)
{
    if (i >= 12)
        return 0;
    size_t mode = i % 3;
    struct syn_bytes file = make_file(i / 3);
    struct syn_bytes content = mode == 2 ? unpack(&file) : file;
    *size = content.count + 1;
    *data = malloc(*size);
    (*data)[0] = (uint8_t)mode;
    memcpy(*data + 1, content.data, content.count);
    if (mode == 2)
        syn_bytes_free(&file);
    syn_bytes_free(&content);
    return 1;
}
