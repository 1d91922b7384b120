/* trace/read/frame_read.c - see frame_read.h. */
#include "trace/read/frame_read.h"

#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"

int syn_frame_read_header(int descriptor, uint64_t offset, uint8_t type,
                          struct syn_frame_header *out)
{
    uint8_t data[SYN_FRAME_HEADER_BYTES];
    const ssize_t got = syn_pread_full(descriptor, data, sizeof data, offset);
    if (got < 0)
        return SYN_EIO;
    if (got < SYN_FRAME_HEADER_BYTES)
        return syn_frame_is_prefix(data, (size_t)got) ? SYN_ETRUNCATED : SYN_ENOTTRACE;
    switch (syn_frame_decode(data, out)) {
    case SYN_FRAME_VALID:
        return out->type == type && syn_frame_plausible(out) ? SYN_OK : SYN_EDAMAGED;
    case SYN_FRAME_NEWER:
        return SYN_EVERSION;
    case SYN_FRAME_BROKEN:
        return SYN_EDAMAGED;
    default:
        return SYN_ENOTTRACE;
    }
}

int syn_frame_read_payload(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                           uint8_t *payload)
{
    const size_t bytes = header->compressed_bytes;
    const ssize_t got = syn_pread_full(descriptor, payload, bytes, offset + SYN_FRAME_HEADER_BYTES);
    if (got < 0)
        return SYN_EIO;
    return (size_t)got == bytes && syn_hash64(payload, bytes) == header->payload_hash
               ? SYN_OK
               : SYN_EDAMAGED;
}

/* Reads the stored payload into the loader's memory. */
static int read_stored(struct syn_chunk_loader *loader, int descriptor,
                       const struct syn_chunk *chunk, const char **why)
{
    loader->stored.count = 0;
    uint8_t *stored = syn_bytes_reserve(&loader->stored, chunk->header.compressed_bytes);
    if (!stored)
        return SYN_ENOMEM;
    const int status = syn_frame_read_payload(descriptor, chunk->offset, &chunk->header, stored);
    *why = status == SYN_EIO ? "cannot be read" : "checksum";
    return status;
}

int syn_chunk_load(struct syn_chunk_loader *loader, int descriptor, const struct syn_chunk *chunk,
                   uint8_t *raw, struct syn_columns_source *out, const char **why)
{
    const struct syn_frame_header *header = &chunk->header;
    loader->raw.count = 0;
    if (!loader->decompressor && !(loader->decompressor = syn_decompressor_new()))
        return SYN_ENOMEM;
    if (!raw &&
        !(raw = syn_bytes_reserve(&loader->raw, header->raw_bytes + SYN_COLUMNS_SLACK_BYTES)))
        return SYN_ENOMEM;
    int status = read_stored(loader, descriptor, chunk, why);
    if (status != SYN_OK)
        return status;
    *why = "decompression";
    status = syn_decompress(loader->decompressor, loader->stored.data, header->compressed_bytes,
                            raw, header->raw_bytes);
    if (status != SYN_OK)
        return status;
    memset(raw + header->raw_bytes, 0, SYN_COLUMNS_SLACK_BYTES);
    *why = "columns";
    *out = (struct syn_columns_source){loader->columns, header->element_count};
    return syn_columns_split(raw, header->raw_bytes, header->element_count, loader->columns)
               ? SYN_OK
               : SYN_EDAMAGED;
}

void syn_chunk_loader_free(struct syn_chunk_loader *loader)
{
    syn_decompressor_free(loader->decompressor);
    syn_bytes_free(&loader->stored);
    syn_bytes_free(&loader->raw);
}
