/* tests/fuzz/fuzz_build.c - from the parts of an input to the files of a trace. Payloads become
 * zstd frames of stored blocks: a compressor would take more time than all that is to be tested. */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "tests/unit/trace/encode.h"
#include "trace/base/frame.h"
#include "trace/base/ops.h"
#include "trace/base/records.h"
#include "trace/columns/columns.h"

#define LONG_BYTES ((size_t)1 << 16)

bool fuzz_next_part(const uint8_t **at, const uint8_t *end, struct fuzz_part *out)
{
    size_t left = (size_t)(end - *at);
    if (left < FUZZ_PART_BYTES)
        return false;
    size_t bytes = syn_load16(*at + 2);
    left -= FUZZ_PART_BYTES;
    *out = (struct fuzz_part){(*at)[0] % FUZZ_KIND_COUNT, (*at)[1], *at + FUZZ_PART_BYTES,
                              bytes < left ? bytes : left};
    *at = out->data + out->bytes;
    return true;
}

void fuzz_put_part(struct syn_bytes *out, uint8_t kind, uint8_t place, const void *data,
                   size_t bytes)
{
    uint8_t head[FUZZ_PART_BYTES] = {kind, place};
    syn_store16(head + 2, (uint16_t)bytes);
    syn_bytes_put(out, head, sizeof head);
    syn_bytes_put(out, data, bytes);
}

/* ---- frames ---- */

static void put_block(struct syn_bytes *out, size_t bytes, unsigned type, bool last)
{
    uint8_t word[4];
    syn_store32(word, (uint32_t)last | type << 1 | (uint32_t)bytes << 3);
    syn_bytes_put(out, word, 3);
}

/* One zstd frame (RFC 8878): one stored block, and one of a repeated byte if `more`. */
static void put_payload(struct syn_bytes *out, const uint8_t *raw, size_t bytes, size_t more)
{
    static const uint8_t magic[] = {0x28, 0xB5, 0x2F, 0xFD, 0xE0};
    uint8_t total[8];
    syn_store64(total, bytes + more);
    syn_bytes_put(out, magic, sizeof magic);
    syn_bytes_put(out, total, sizeof total);
    put_block(out, bytes, 0, more == 0);
    syn_bytes_put(out, raw, bytes);
    if (more == 0)
        return;
    put_block(out, more, 1, true);
    syn_bytes_put(out, bytes ? raw + bytes - 1 : magic, 1);
}

static struct syn_frame_header new_header(const struct fuzz_trace *trace, struct fuzz_file *file,
                                          uint8_t type, uint8_t place)
{
    struct syn_frame_header header = {.type = type,
                                      .format_version = SYN_FORMAT_VERSION,
                                      .number = file->frame_count++,
                                      .rank = place & FUZZ_PLACE_RANK,
                                      .size = trace->size,
                                      .first_event = file->event_count,
                                      .thread = (place & FUZZ_PLACE_THREAD) != 0,
                                      .time_base = (place & FUZZ_PLACE_TICKS) != 0};
    header.run_id[0] = place & (FUZZ_PLACE_RUN | FUZZ_PLACE_FOREIGN);
    return header;
}

static void put_frame(struct fuzz_file *file, struct syn_frame_header *header, const uint8_t *raw,
                      size_t bytes, size_t more)
{
    static struct syn_bytes payload;
    uint8_t encoded[SYN_FRAME_HEADER_BYTES];
    payload.count = 0;
    if (header->type != SYN_FRAME_FILE)
        put_payload(&payload, raw, bytes, more);
    header->raw_bytes = header->type == SYN_FRAME_FILE ? 0 : bytes + more;
    header->compressed_bytes = payload.count;
    header->payload_hash = syn_hash64(payload.data ? payload.data : encoded, payload.count);
    syn_frame_encode(header, encoded);
    syn_bytes_put(&file->content, encoded, sizeof encoded);
    syn_bytes_put(&file->content, payload.data, payload.count);
    if (header->type == SYN_FRAME_EVENTS)
        file->event_count += header->element_count;
}

/* The columns of a payload, with the slack behind it; false: it is none. */
static bool columns_of(const struct syn_frame_header *header, const uint8_t *raw, size_t bytes,
                       struct syn_columns_source *out)
{
    static struct syn_bytes padded;
    static struct syn_chunk_column columns[SYN_COLUMN_COUNT];
    padded.count = 0;
    uint8_t *copy = syn_bytes_reserve(&padded, bytes + SYN_COLUMNS_SLACK_BYTES);
    if (!copy)
        return false;
    memcpy(copy, raw, bytes);
    memset(copy + bytes, 0, SYN_COLUMNS_SLACK_BYTES);
    *out = (struct syn_columns_source){columns, header->element_count};
    return syn_columns_split(copy, bytes, header->element_count, columns);
}

/* The span that a payload really has, so that it passes the check against its header. */
static void set_span(struct syn_frame_header *header, const uint8_t *raw, size_t bytes)
{
    static struct syn_columns columns;
    struct syn_columns_source source;
    const char *why;
    bool lost;
    if (header->element_count == 0 ||
        syn_columns_reserve(&columns, header->element_count) != SYN_OK)
        return;
    if (columns_of(header, raw, bytes, &source) &&
        syn_columns_decode(&source, &known, &columns, &lost, &why) == SYN_OK) {
        header->span_start = columns.span_start;
        header->span_end = columns.span_end;
    }
}

static void add_frame(const struct fuzz_trace *trace, struct fuzz_file *file,
                      const struct fuzz_part *part)
{
    if (part->bytes < 3)
        return;
    const uint8_t *raw = part->data + 3;
    size_t bytes = part->bytes - 3;
    struct syn_frame_header header = new_header(trace, file, part->data[0], part->place);
    header.element_count = syn_load16(part->data + 1);
    if (header.type == SYN_FRAME_EVENTS)
        set_span(&header, raw, bytes);
    put_frame(file, &header, raw, bytes, part->place & FUZZ_PLACE_LONG ? LONG_BYTES : 0);
}

/* ---- events ---- */

static uint16_t op_of(uint8_t code)
{
    return syn_op_id((enum syn_op_row)(code % 32), (enum syn_op_form)(code >> 5 & 3));
}

static int64_t wrap_add(int64_t a, uint64_t b)
{
    return (int64_t)((uint64_t)a + b);
}

static struct syn_event event_of(const uint8_t *data, int64_t *now, uint64_t sequence[4])
{
    unsigned shift = data[6] & 63;
    uint32_t comm = data[1] & 3;
    struct syn_event event = {
        .bytes = data[2] < 128 ? data[2] : (uint64_t)1 << (data[2] & 63),
        .comm = comm,
        .stack = data[1] & 8 ? SYN_NO_STACK : data[1] >> 2 & 1,
        .root = (int8_t)data[4],
        .op = op_of(data[0]),
        .flags = data[3],
    };
    sequence[comm] += (uint64_t)(int64_t)(int8_t)data[5];
    event.sequence = sequence[comm]++;
    event.start_ticks = *now = wrap_add(*now, (uint64_t)syn_load16(data + 8) << shift);
    event.call_end_ticks = *now = wrap_add(*now, (uint64_t)syn_load16(data + 10) << shift);
    event.wait_start_ticks = event.start_ticks;
    event.end_ticks = event.call_end_ticks;
    if (data[1] & 0x10) {
        event.wait_start_ticks = wrap_add(*now, (uint64_t)syn_load16(data + 12) << shift);
        event.end_ticks =
            wrap_add(event.wait_start_ticks, (uint64_t)syn_load16(data + 14) << shift);
    }
    return event;
}

static void add_events(const struct fuzz_trace *trace, struct fuzz_file *file,
                       const struct fuzz_part *part)
{
    static struct syn_columns_encoder *encoder;
    static struct syn_event events[4096];
    static struct syn_bytes raw;
    struct syn_columns_layout layout;
    struct syn_tick_source ticks = {.kind = SYN_CLOCK_TSC, .multiplier = (uint64_t)1 << 32};
    uint64_t sequence[4] = {0};
    int64_t now = 0;
    size_t count = part->bytes / FUZZ_EVENT_BYTES;
    encoder = encoder ? encoder : syn_columns_encoder_new();
    count = count < 4096 ? count : 4096;
    for (size_t i = 0; i < count; i++)
        events[i] = event_of(part->data + i * FUZZ_EVENT_BYTES, &now, sequence);
    struct syn_frame_header header = new_header(trace, file, SYN_FRAME_EVENTS, part->place);
    if (!encoder || encode_columns(encoder, events, count, &ticks, &raw, &layout) != SYN_OK)
        return;
    header.element_count = count;
    header.span_start = layout.span_start;
    header.span_end = layout.span_end;
    put_frame(file, &header, raw.data, raw.count, 0);
}

/* ---- bytes and texts ---- */

/* Make every header's checksum right, and the payload's as far as it is there. */
static void repair(uint8_t *data, size_t size)
{
    enum { HEADER_HASH_AT = 112 };
    for (size_t at = 0; at < size; at++) {
        struct syn_frame_header header;
        at += syn_frame_search(data + at, size - at);
        if (size - at < SYN_FRAME_HEADER_BYTES)
            return;
        syn_store64(data + at + HEADER_HASH_AT, syn_hash64(data + at, HEADER_HASH_AT));
        if (syn_frame_decode(data + at, &header) != SYN_FRAME_VALID)
            continue;
        size_t left = size - at - SYN_FRAME_HEADER_BYTES;
        if (header.compressed_bytes <= left)
            header.payload_hash =
                syn_hash64(data + at + SYN_FRAME_HEADER_BYTES, header.compressed_bytes);
        syn_frame_encode(&header, data + at);
    }
}

static void add_repaired(struct fuzz_file *file, const struct fuzz_part *part)
{
    uint8_t *at = syn_bytes_reserve(&file->content, part->bytes);
    if (!at)
        return;
    memcpy(at, part->data, part->bytes);
    repair(at, part->bytes);
    file->content.count += part->bytes;
}

static void add_checksum(struct fuzz_file *file, char blank)
{
    char line[64];
    if (!file->exists)
        return;
    int length = snprintf(line, sizeof line, "checksum%c%016llx\n", blank,
                          (unsigned long long)syn_hash64(file->content.data, file->content.count));
    syn_bytes_put(&file->content, line, (size_t)length);
}

/* ---- all of it ---- */

static void clear_file(struct fuzz_file *file)
{
    file->content.count = 0;
    file->exists = false;
    file->frame_count = 0;
    file->event_count = 0;
}

static void clear(struct fuzz_trace *trace)
{
    for (size_t i = 0; i < FUZZ_RUNS; i++) {
        struct fuzz_run *run = &trace->run[i];
        run->exists = i == 0;
        for (size_t rank = 0; rank < FUZZ_RANKS; rank++)
            for (size_t part = 0; part < 2; part++)
                clear_file(&run->rank[rank][part]);
        clear_file(&run->manifest);
        clear_file(&run->symbols);
    }
}

static void add_part(struct fuzz_trace *trace, const struct fuzz_part *part)
{
    struct fuzz_run *run = &trace->run[(part->place & FUZZ_PLACE_RUN) != 0];
    struct fuzz_file *file =
        &run->rank[part->place & FUZZ_PLACE_RANK][(part->place & FUZZ_PLACE_PART) != 0];
    if (part->kind == FUZZ_MANIFEST)
        file = &run->manifest;
    if (part->kind == FUZZ_SYMBOLS)
        file = &run->symbols;
    run->exists = file->exists = true;
    if (part->kind == FUZZ_FRAME)
        add_frame(trace, file, part);
    else if (part->kind == FUZZ_EVENTS)
        add_events(trace, file, part);
    else if (part->kind == FUZZ_REPAIRED)
        add_repaired(file, part);
    else
        syn_bytes_put(&file->content, part->data, part->bytes);
}

void fuzz_build(const uint8_t *data, size_t bytes, struct fuzz_trace *trace)
{
    static const int32_t sizes[] = {1, 2, 3, 4, 200, 70000, 1000000, INT32_MAX};
    const uint8_t *at = data + FUZZ_HEAD_BYTES, *end = data + bytes;
    struct fuzz_part part;
    clear(trace);
    trace->options = bytes > 0 ? data[0] : 0;
    trace->size = sizes[bytes > 1 ? data[1] % 8 : 0];
    while (bytes > FUZZ_HEAD_BYTES && fuzz_next_part(&at, end, &part)) {
        if (fuzz_one_file)
            part.place &= (uint8_t) ~(FUZZ_PLACE_RANK | FUZZ_PLACE_PART | FUZZ_PLACE_RUN);
        add_part(trace, &part);
    }
    trace->bytes = 0;
    for (size_t i = 0; i < FUZZ_RUNS; i++) {
        struct fuzz_run *run = &trace->run[i];
        add_checksum(&run->manifest, ' ');
        add_checksum(&run->symbols, '\t');
        trace->bytes += run->manifest.content.count + run->symbols.content.count;
        for (size_t rank = 0; rank < FUZZ_RANKS; rank++)
            trace->bytes += run->rank[rank][0].content.count + run->rank[rank][1].content.count;
    }
}
