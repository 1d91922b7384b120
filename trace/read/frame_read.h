/* trace/read/frame_read.h - reads one frame at a known place of an open file: its header, its
 * stored payload, and the columns of a chunk. A scan of a whole file (scan.c) reads through a
 * window instead. */
#ifndef SYN_FRAME_READ_H
#define SYN_FRAME_READ_H

#include "trace/base/coding/compress.h"
#include "trace/columns/columns.h"
#include "trace/read/rank_file.h"

/* Reads the header of a frame of `type` (enum syn_frame_type) at `offset`. Returns 0, SYN_EIO, or
 * why there is no such header: SYN_ETRUNCATED, SYN_ENOTTRACE, SYN_EVERSION, SYN_EDAMAGED. */
int syn_frame_read_header(int descriptor, uint64_t offset, uint8_t type,
                          struct syn_frame_header *out);
/* Reads and verifies the payload of the frame at `offset`, to the caller's payload
 * [header->compressed_bytes]. Returns 0, SYN_EIO or SYN_EDAMAGED. */
int syn_frame_read_payload(int descriptor, uint64_t offset, const struct syn_frame_header *header,
                           uint8_t *payload);

/* Loads chunks one after the other and reuses its memory. All zeros at first. */
struct syn_chunk_loader {
    struct syn_decompressor *decompressor;
    struct syn_bytes stored; /* the payload as stored in the file */
    struct syn_bytes raw;    /* the decompressed payload, unless the caller has room for it */
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
};
/* Finds the columns of a chunk that is not in a raw block. The columns point into `raw`, which has
 * room for the payload and SYN_COLUMNS_SLACK_BYTES. If `raw` is NULL, they point into the loader's
 * memory and are valid until the next call. Returns 0; SYN_EIO or SYN_EDAMAGED, then *why is a
 * constant text; SYN_ENOMEM. */
int syn_chunk_load(struct syn_chunk_loader *loader, int descriptor, const struct syn_chunk *chunk,
                   uint8_t *raw, struct syn_columns_source *out, const char **why);
void syn_chunk_loader_free(struct syn_chunk_loader *loader);

#endif
