/* trace/compress.h - payloads to zstd frames and back. */
#ifndef SYN_COMPRESS_H
#define SYN_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

struct syn_compressor;
struct syn_decompressor;

/* NULL without memory. */
struct syn_compressor *syn_compressor_new(int level);
void syn_compressor_free(struct syn_compressor *compressor);
enum syn_content {
    SYN_CONTENT_RECORDS, /* text and tables: what repeats is worth searching for */
    SYN_CONTENT_COLUMNS  /* of events: mostly to be entropy coded */
};

/* Append one zstd frame (with content size and checksum) to `out`. A block ends at each of the
 * `cuts` (ascending offsets, the last is the length of `raw`). Returns 0 or SYN_ENOMEM. */
int syn_compress(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                 const size_t *cuts, size_t cut_count, struct syn_bytes *out);

/* The same in steps, of one block each: begin, then syn_compress_step until none is left. `raw`,
 * `cuts` and `out` are kept by reference until then; `out` has what was appended only then. Begin
 * and step return 0 or SYN_ENOMEM, behind which no step is left. */
int syn_compress_begin(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                       const size_t *cuts, size_t cut_count, struct syn_bytes *out);
int syn_compress_step(struct syn_compressor *compressor);
size_t syn_compress_steps_left(const struct syn_compressor *compressor);

struct syn_decompressor *syn_decompressor_new(void);
void syn_decompressor_free(struct syn_decompressor *decompressor);
/* Exactly `raw_bytes` out of exactly `bytes`. Returns 0 or SYN_EDAMAGED. */
int syn_decompress(struct syn_decompressor *decompressor, const void *data, size_t bytes, void *raw,
                   size_t raw_bytes);

#endif
