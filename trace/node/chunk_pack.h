/* trace/node/chunk_pack.h - a chunk in as few bytes as it needs, for files that are short.
 *
 * The columns stay; those that others predict are encoded by what the prediction leaves
 * (docs/trace-format.md, "Packed chunks"). It takes some milliseconds a rank, once a run. */
#ifndef SYN_CHUNK_PACK_H
#define SYN_CHUNK_PACK_H

#include "sync/base/bytes.h"
#include "trace/base/compress.h"
#include "trace/columns/columns.h"
#include "trace/read/rank_file.h"

/* The payload of a chunk of a file. Memory is kept for the next chunk; all zeros at first. */
struct syn_chunk_payload {
    struct syn_bytes stored, raw; /* raw: with SYN_COLUMNS_SLACK_BYTES behind it */
    struct syn_chunk_column columns[SYN_COLUMN_COUNT];
    struct syn_columns_source source;
    struct syn_decompressor *decompressor;
};

/* Load a chunk that is not of a raw block; `descriptor` is of the file. Returns 0, SYN_EIO,
 * SYN_EDAMAGED, SYN_ENOMEM. */
int syn_chunk_load(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_payload *out);
void syn_chunk_payload_free(struct syn_chunk_payload *payload);

/* Append the packed columns of a chunk. Returns 0, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_chunk_pack(const struct syn_columns_source *source, struct syn_bytes *out,
                   struct syn_columns_layout *layout);

#endif
