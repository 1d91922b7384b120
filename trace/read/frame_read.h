/* trace/read/frame_read.h - one frame of an open file, by its place: its header, its payload as it
 * is stored, and the columns of a chunk. A scan of a whole file has windows of it instead (scan.c).
 */
#ifndef SYN_FRAME_READ_H
#define SYN_FRAME_READ_H

#include "trace/base/coding/compress.h"
#include "trace/columns/columns.h"
#include "trace/read/rank_file.h"

/* The header of a frame of `type` (enum syn_frame_type) at `offset`. SYN_OK, SYN_EIO, and why
 * there is none: SYN_ETRUNCATED, SYN_ENOTTRACE, SYN_EVERSION, SYN_EDAMAGED. */
int syn_frame_read_header(int descriptor, uint64_t offset, uint8_t type,
                          struct syn_frame_header *out);
/* The payload of the frame at `offset`, verified: payload [header->compressed_bytes], the
 * caller's. SYN_OK, SYN_EIO, SYN_EDAMAGED. */
int syn_frame_read_payload(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                           uint8_t *payload);

/* Loads chunks one after the other and keeps its memory for the next one. All zeros at first. */
struct syn_chunk_loader {
    struct syn_decompressor *decompressor;
    struct syn_bytes stored; /* the payload as it is in the file */
    struct syn_bytes raw;    /* decompressed, if it has no other place */
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
};
/* Find the columns of a chunk that is not of a raw block. They lie in `raw`, which has room for the
 * payload and SYN_COLUMNS_SLACK_BYTES, or, if it is NULL, in the loader's own memory, until the
 * next call. SYN_OK; SYN_EIO, SYN_EDAMAGED, then *why is a constant text; SYN_ENOMEM. */
int syn_chunk_load(struct syn_chunk_loader *loader, int descriptor, const struct syn_chunk *chunk,
                   uint8_t *raw, struct syn_columns_source *out, const char **why);
void syn_chunk_loader_free(struct syn_chunk_loader *loader);

#endif
