#include "fuzz_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sync/status.h"
#include "trace/columns.h"
#include "trace/compress.h"
#include "trace/frame.h"
#include "trace/reader.h"

static void require(bool holds, const char *what)
{
    if (holds)
        return;
    fprintf(stderr, "fuzz_reader: %s\n", what);
    abort();
}

/* So that no load is optimized away. */
static volatile uint64_t consumed;

static void consume_text(const char *text)
{
    consumed += text ? strlen(text) : 0;
}

static void consume_events(struct syn_rank_file *file, const struct syn_event_columns *columns)
{
    for (size_t i = 0; i < columns->count; i++) {
        require(syn_rank_comm(file, columns->comm[i]) != NULL,
                "event of an undeclared communicator");
        require(columns->stack[i] == SYN_NO_STACK || syn_rank_stack(file, columns->stack[i]),
                "event of an undeclared stack");
        consumed += (uint64_t)(columns->start_ns[i] ^ columns->end_ns[i] ^ columns->call_end_ns[i] ^
                               columns->wait_start_ns[i]);
        consumed += columns->bytes[i] ^ columns->sequence[i] ^ (uint64_t)columns->root[i] ^
                    columns->flags[i];
        if (i < 4) {
            consume_text(syn_rank_op_name(file, columns->op[i]));
            consumed += (uint64_t)syn_rank_bound_ns(file, columns->start_ns[i]);
        }
    }
}

static void consume_records(struct syn_rank_file *file)
{
    const char *key, *value;
    size_t count;
    for (size_t i = 0; syn_rank_meta_at(file, i, &key, &value); i++) {
        consume_text(value);
        require(syn_rank_meta(file, key) != NULL, "key without value");
    }
    for (uint32_t i = 0; i < syn_rank_comm_count(file); i++) {
        const struct syn_comm_record *comm = syn_rank_comm(file, i);
        consume_text(comm ? comm->name : NULL);
        for (int32_t member = 0; comm && member < comm->size; member++)
            require(comm->world_ranks[member] >= -1, "world rank");
    }
    for (uint32_t i = 0; i < syn_rank_module_count(file); i++) {
        const struct syn_module_record *module = syn_rank_module(file, i);
        consume_text(module ? module->path : NULL);
        for (size_t byte = 0; module && byte < module->build_id_bytes; byte++)
            consumed += module->build_id[byte];
    }
    for (uint32_t i = 0; i < syn_rank_stack_count(file); i++) {
        const struct syn_stack_record *stack = syn_rank_stack(file, i);
        for (uint32_t frame = 0; stack && frame < stack->depth; frame++)
            consumed += stack->frames[frame].offset;
    }
    const struct syn_fitpoint *points = syn_rank_fitpoints(file, &count);
    for (size_t i = 0; i < count; i++)
        consumed += (uint64_t)points[i].local_ns;
}

static void read_file(const char *path)
{
    struct syn_rank_file *file;
    struct syn_cursor *cursor;
    struct syn_event_columns columns;
    struct syn_chunk_summary chunk;
    uint64_t delivered = 0;
    int status;
    if (syn_rank_open(path, &file) != SYN_OK)
        return;
    consume_records(file);
    for (size_t i = 0; syn_rank_chunk(file, i, &chunk); i++)
        consumed += (uint64_t)chunk.start_ns;
    require(syn_cursor_open(file, &cursor) == SYN_OK, "no cursor");
    while ((status = syn_cursor_next(cursor, &columns)) != SYN_EEND) {
        require(status == SYN_OK || status == SYN_EDAMAGED, "status of a cursor");
        if (status != SYN_OK)
            continue;
        consume_events(file, &columns);
        delivered += columns.count;
    }
    require(delivered <= syn_rank_event_count(file), "more events than announced");
    const char *where;
    for (size_t i = 0; syn_rank_fault_at(file, i, &where) != SYN_EEND; i++)
        consume_text(where);
    consumed += syn_rank_lost_event_count(file);
    syn_cursor_close(cursor);
    syn_rank_close(file);
}

static void read_bytes(const uint8_t *data, size_t size)
{
    char path[64];
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    require(descriptor >= 0, "memfd_create");
    require(write(descriptor, data, size) == (ssize_t)size, "write");
    snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
    read_file(path);
    close(descriptor);
}

/* Offset of the checksum in a header, of which the reader's own code makes no secret. */
#define HEADER_HASH_AT 112

/* Make every header's checksum right, and the payload's as far as it is there. */
static void repair(uint8_t *data, size_t size)
{
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

static bool known(const void *ctx, uint32_t index)
{
    (void)ctx;
    (void)index;
    return true;
}

/* The span that a payload really has, so that it passes the check against its header. */
static void set_span(struct syn_frame_header *header, const uint8_t *raw, size_t raw_bytes)
{
    static struct syn_columns columns;
    struct syn_columns_known all = {known, known, NULL};
    const char *why;
    bool lost;
    if (header->element_count == 0 ||
        syn_columns_reserve(&columns, header->element_count) != SYN_OK)
        return;
    uint8_t *padded = calloc(1, raw_bytes + SYN_COLUMNS_SLACK_BYTES);
    memcpy(padded, raw, raw_bytes);
    if (syn_columns_decode(padded, raw_bytes, header->element_count, &all, &columns, &lost, &why) ==
        SYN_OK) {
        header->span_start = columns.span_start;
        header->span_end = columns.span_end;
    }
    free(padded);
}

static void append_frame(struct syn_bytes *file, struct syn_compressor *compressor,
                         struct syn_frame_header *header, const uint8_t *raw, size_t raw_bytes)
{
    struct syn_bytes payload = {0};
    uint8_t encoded[SYN_FRAME_HEADER_BYTES];
    if (raw_bytes > 0)
        require(syn_compress(compressor, SYN_CONTENT_RECORDS, raw, &raw_bytes, 1, &payload) ==
                    SYN_OK,
                "compression");
    header->raw_bytes = raw_bytes;
    header->compressed_bytes = payload.count;
    header->payload_hash = syn_hash64(payload.data ? payload.data : raw, payload.count);
    syn_frame_encode(header, encoded);
    syn_bytes_put(file, encoded, sizeof encoded);
    syn_bytes_put(file, payload.data, payload.count);
    syn_bytes_free(&payload);
}

static void read_frames(const uint8_t *data, size_t size)
{
    struct syn_take take = syn_take_from(data, size);
    struct syn_bytes file = {0};
    struct syn_compressor *compressor = syn_compressor_new(1);
    struct syn_frame_header header = {
        .type = SYN_FRAME_FILE, .format_version = SYN_FORMAT_VERSION, .size = 1};
    append_frame(&file, compressor, &header, NULL, 0);
    while (syn_take_left(&take) >= 5 && header.number < 64) {
        const uint8_t *head = syn_take_bytes(&take, 5);
        size_t raw_bytes = syn_load16(head + 3), left = syn_take_left(&take);
        raw_bytes = raw_bytes < left ? raw_bytes : left;
        const uint8_t *raw = syn_take_bytes(&take, raw_bytes);
        uint64_t events_before = header.type == SYN_FRAME_EVENTS ? header.element_count : 0;
        header.number++;
        header.first_event += events_before;
        header.type = head[0] & 15;
        header.time_base = head[0] >> 4 & 1;
        header.element_count = syn_load16(head + 1);
        header.span_start = header.span_end = 0;
        if (header.type == SYN_FRAME_EVENTS)
            set_span(&header, raw, raw_bytes);
        if (raw_bytes > 0)
            append_frame(&file, compressor, &header, raw, raw_bytes);
    }
    read_bytes(file.data, file.count);
    syn_compressor_free(compressor);
    syn_bytes_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    uint8_t mode = data[0] % 3;
    uint8_t *copy = malloc(size);
    memcpy(copy, data, size);
    if (mode == 1)
        repair(copy + 1, size - 1);
    if (mode == 2)
        read_frames(copy + 1, size - 1);
    else
        read_bytes(copy + 1, size - 1);
    free(copy);
    return 0;
}
