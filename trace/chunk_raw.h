/* trace/chunk_raw.h - a chunk's payloads as EVENTS and SEGMENTS frames have them, whichever frames
 * of a file it is in. */
#ifndef SYN_CHUNK_RAW_H
#define SYN_CHUNK_RAW_H

#include "sync/base/bytes.h"
#include "trace/rank_file.h"

/* Not of a raw block. Memory is kept for the next chunk; all zeros at first. */
struct syn_chunk_raw {
    struct syn_bytes events;   /* with SYN_COLUMNS_SLACK_BYTES behind it */
    struct syn_bytes segments; /* likewise; no bytes: it has none */
    struct syn_bytes stored, packed;
    struct syn_decompressor *decompressor;
};

/* `descriptor` is of the file. Replaces the content of `out`. Where SEGMENTS alone are damaged they
 * are left out. 0, SYN_EIO, SYN_EDAMAGED, SYN_ENOMEM. */
int syn_chunk_raw_read(int descriptor, const struct syn_chunk *chunk, struct syn_chunk_raw *out);
void syn_chunk_raw_free(struct syn_chunk_raw *raw);

#endif
