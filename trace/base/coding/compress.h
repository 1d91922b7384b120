/* trace/base/coding/compress.h - payloads to zstd frames and back. */
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
    SYN_CONTENT_COLUMNS, /* of events: mostly to be entropy coded */
    SYN_CONTENT_TIMES    /* the same where nothing repeats: only to be entropy coded */
};

/* Append one zstd frame (with content size and checksum) to `out`. A block ends at each of the
 * `cuts` (ascending offsets, the last is the length of `raw`). Returns 0 or SYN_ENOMEM. */
int syn_compress(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                 const size_t *cuts, size_t cut_count, struct syn_bytes *out);

/* Compresses in steps, of one block each: begin, then syn_compress_step until none is left. `raw`,
 * `cuts` and `out` are kept by reference until then; `out` has what was appended only then. Begin
 * and step return 0 or SYN_ENOMEM, behind which no step is left. */
int syn_compress_begin(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                       const size_t *cuts, size_t cut_count, struct syn_bytes *out);
int syn_compress_step(struct syn_compressor *compressor);
size_t syn_compress_steps_left(const struct syn_compressor *compressor);

/* Append one zstd frame of `raw`, in which each of the parts that end at `cuts` (as above) begins a
 * block, as long as it may be: for what is short. Returns 0 or SYN_ENOMEM. */
int syn_compress_parts(int level, const void *raw, const size_t *cuts, size_t cut_count,
                       struct syn_bytes *out);

/* zstd's magic number of a frame that its tools pass over; 4 bytes of length follow. */
#define SYN_WRAPPER_MAGIC 0x184D2A54u
#define SYN_WRAPPER_BYTES 8

/* Append what `raw` [raw_bytes] differs by from `prefix` [prefix_bytes], both up to 2^26 bytes: one
 * zstd frame as above that can be read with that prefix alone, wrapped into one that zstd's tools
 * pass over. Returns 0 or SYN_ENOMEM. */
int syn_compress_difference(int level, const void *prefix, size_t prefix_bytes, const void *raw,
                            size_t raw_bytes, struct syn_bytes *out);
/* Append `data` [bytes], as it is, wrapped in the same way. */
void syn_put_wrapped(struct syn_bytes *out, const void *data, size_t bytes);
/* Returns the content wrapped in exactly `bytes`, or NULL. */
const uint8_t *syn_unwrap(const void *data, size_t bytes, size_t *inner_bytes);

struct syn_decompressor *syn_decompressor_new(void);
void syn_decompressor_free(struct syn_decompressor *decompressor);
/* Exactly `raw_bytes` out of exactly `bytes`. Returns 0 or SYN_EDAMAGED. */
int syn_decompress(struct syn_decompressor *decompressor, const void *data, size_t bytes, void *raw,
                   size_t raw_bytes);
/* Decompresses the output of syn_compress_difference. */
int syn_decompress_difference(struct syn_decompressor *decompressor, const void *prefix,
                              size_t prefix_bytes, const void *data, size_t bytes, void *raw,
                              size_t raw_bytes);

#endif
