/* trace/chunk_raw.c - see chunk_raw.h. */
#include "trace/chunk_raw.h"

#include <string.h>

#include "sync/base/status.h"
#include "trace/apart.h"
#include "trace/columns.h"
#include "trace/compress.h"
#include "trace/dense.h"
#include "trace/frame_read.h"

/* The payload of the frame at `offset`, decompressed. */
static int unpack(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                  struct syn_chunk_raw *raw, struct syn_bytes *to)
{
    const size_t stored_bytes = header->compressed_bytes;
    raw->stored.count = to->count = 0;
    uint8_t *stored = syn_bytes_reserve(&raw->stored, stored_bytes);
    uint8_t *data = syn_bytes_reserve(to, header->raw_bytes + SYN_COLUMNS_SLACK_BYTES);
    if (!stored || !data)
        return SYN_ENOMEM;
    const int status = syn_frame_read_payload(descriptor, offset, header, stored);
    if (status != SYN_OK)
        return status;
    memset(data + header->raw_bytes, 0, SYN_COLUMNS_SLACK_BYTES);
    to->count = header->raw_bytes;
    return syn_decompress(raw->decompressor, stored, stored_bytes, data, header->raw_bytes);
}

static int read_segments(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_raw *out)
{
    struct syn_frame_header header;
    const int status = syn_frame_read_segments_header(descriptor, chunk, &header);
    return status == SYN_OK
               ? unpack(descriptor, chunk->segments_offset, &header, out, &out->segments)
               : status;
}

static int read_dense(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_raw *out)
{
    const int status = unpack(descriptor, chunk->offset, &chunk->header, out, &out->packed);
    return status == SYN_OK
               ? syn_dense_decode(out->packed.data, out->packed.count, chunk->header.element_count,
                                  &out->events, &out->segments)
               : status;
}

static int read_apart(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_raw *out)
{
    const int status = unpack(descriptor, chunk->offset, &chunk->header, out, &out->packed);
    const struct syn_columns_source source = {chunk->header.type, out->packed.data,
                                              out->packed.count, chunk->header.element_count};
    return status == SYN_OK ? syn_apart_to_events(&source, &out->events) : status;
}

int syn_chunk_raw_read(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_raw *out)
{
    out->events.count = out->segments.count = 0;
    if (!out->decompressor && !(out->decompressor = syn_decompressor_new()))
        return SYN_ENOMEM;
    if (chunk->header.type == SYN_FRAME_DENSE)
        return read_dense(descriptor, chunk, out);
    int status = chunk->header.type == SYN_FRAME_EVENTS
                     ? unpack(descriptor, chunk->offset, &chunk->header, out, &out->events)
                     : read_apart(descriptor, chunk, out);
    if (status != SYN_OK || chunk->segments_offset == 0 || chunk->segments_damaged)
        return status;
    status = read_segments(descriptor, chunk, out);
    if (status != SYN_OK)
        out->segments.count = 0;
    return status == SYN_EDAMAGED ? SYN_OK : status;
}

void syn_chunk_raw_free(struct syn_chunk_raw *raw)
{
    syn_bytes_free(&raw->events);
    syn_bytes_free(&raw->segments);
    syn_bytes_free(&raw->stored);
    syn_bytes_free(&raw->packed);
    syn_decompressor_free(raw->decompressor);
}
