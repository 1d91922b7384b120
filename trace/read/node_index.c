/* trace/read/node_index.c - see node_index.h. */
#include "trace/read/node_index.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"

/* The index has a fixed length, so a writer knows where the parts begin before it knows their
 * lengths. Its content is the length of the file and the place of the parity frame, then rank,
 * offset and bytes of each part. */
#define HEAD_BYTES 16
#define PART_BYTES 20

static size_t payload_bytes(size_t part_count)
{
    return HEAD_BYTES + PART_BYTES * part_count;
}

uint64_t syn_node_index_bytes(size_t part_count)
{
    return SYN_FRAME_HEADER_BYTES + SYN_WRAPPER_BYTES + payload_bytes(part_count);
}

struct syn_frame_header syn_node_header(const struct syn_node_index *index, uint8_t type,
                                        uint32_t number)
{
    return syn_frame_begin(type, number, index->rank, index->size, index->run_id);
}

void syn_node_frame_put(struct syn_frame_header header, const void *payload, size_t bytes,
                        struct syn_bytes *out)
{
    uint8_t data[SYN_FRAME_HEADER_BYTES];
    header.compressed_bytes = bytes;
    header.payload_hash = syn_hash64(payload, bytes);
    syn_frame_encode(&header, data);
    syn_bytes_put(out, data, sizeof data);
    syn_bytes_put(out, payload, bytes);
}

void syn_node_index_put(const struct syn_node_index *index, uint32_t number, struct syn_bytes *out)
{
    struct syn_bytes raw = {0}, payload = {0};
    struct syn_frame_header header = syn_node_header(index, SYN_FRAME_NODE, number);
    syn_bytes_put_u64(&raw, index->file_bytes);
    syn_bytes_put_u64(&raw, index->parity_offset);
    for (size_t i = 0; i < index->part_count; i++) {
        uint8_t data[4];
        syn_store32(data, (uint32_t)index->parts[i].rank);
        syn_bytes_put(&raw, data, sizeof data);
        syn_bytes_put_u64(&raw, index->parts[i].offset);
        syn_bytes_put_u64(&raw, index->parts[i].bytes);
    }
    header.raw_bytes = raw.count;
    header.element_count = index->part_count;
    syn_put_wrapped(&payload, raw.data, raw.count);
    out->failed |= raw.failed || payload.failed;
    if (!out->failed)
        syn_node_frame_put(header, payload.data, payload.count, out);
    syn_bytes_free(&payload);
    syn_bytes_free(&raw);
}

void syn_node_index_free(struct syn_node_index *index)
{
    free(index->parts);
    *index = (struct syn_node_index){0};
}

/* Takes the parts. They have to lie within the file and belong to ranks of the run, in ascending
 * order. */
static int take_parts(struct syn_take *take, struct syn_node_index *out)
{
    out->parts = calloc(out->part_count + 1, sizeof *out->parts);
    if (!out->parts)
        return SYN_ENOMEM;
    bool within = out->parity_offset <= out->file_bytes && out->file_bytes <= INT64_MAX;
    for (size_t i = 0; i < out->part_count; i++) {
        struct syn_node_part *part = &out->parts[i];
        const uint8_t *rank = syn_take_bytes(take, 4);
        *part = (struct syn_node_part){.rank = rank ? (int32_t)syn_load32(rank) : 0,
                                       .offset = syn_take_u64(take)};
        part->bytes = syn_take_u64(take);
        within = within && part->rank >= (i ? part[-1].rank + 1 : 0) && part->rank < out->size &&
                 part->offset <= out->file_bytes && part->bytes <= out->file_bytes - part->offset;
    }
    return take->failed || !within ? SYN_EDAMAGED : SYN_OK;
}

int syn_node_index_take(const struct syn_frame_header *header, const uint8_t *payload,
                        struct syn_node_index *out)
{
    size_t bytes;
    const uint8_t *raw = syn_unwrap(payload, header->compressed_bytes, &bytes);
    *out = (struct syn_node_index){.rank = header->rank, .size = header->size};
    if (!raw || header->element_count > SYN_NODE_PARTS_MAX || bytes != header->raw_bytes ||
        bytes != payload_bytes(header->element_count))
        return SYN_EDAMAGED;
    memcpy(out->run_id, header->run_id, sizeof out->run_id);
    out->part_count = header->element_count;
    struct syn_take take = syn_take_from(raw, bytes);
    out->file_bytes = syn_take_u64(&take);
    out->parity_offset = syn_take_u64(&take);
    const int status = take_parts(&take, out);
    if (status != SYN_OK)
        syn_node_index_free(out);
    return status;
}
