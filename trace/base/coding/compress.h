/* trace/base/coding/compress.h - compresses payloads to zstd frames and decompresses them. */
#ifndef SYN_COMPRESS_H
#define SYN_COMPRESS_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

struct syn_compressor;
struct syn_decompressor;

/* Returns NULL if memory is short. `level` is zstd's. */
struct syn_compressor *syn_compressor_new(int level);
void syn_compressor_free(struct syn_compressor *compressor);
enum syn_content {
    SYN_CONTENT_RECORDS, /* text and tables: zstd searches them for repeated strings */
    SYN_CONTENT_COLUMNS, /* columns of events: few strings repeat, most of the gain is entropy
                            coding */
    SYN_CONTENT_TIMES    /* columns in which nothing repeats: entropy coding alone */
};

/* Appends one zstd frame (with content size and checksum) to `out`. A block ends at each of the
 * `cuts`: ascending offsets, the last is the length of `raw`. Returns 0 or SYN_ENOMEM. */
int syn_compress(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                 const size_t *cuts, size_t cut_count, struct syn_bytes *out);

/* Compresses in steps of one block each: call begin, then syn_compress_step until no step is left.
 * `raw`, `cuts` and `out` are kept by reference until then, and only then is the output in `out`.
 * Begin and step return 0 or SYN_ENOMEM. After an error no step is left. */
int syn_compress_begin(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                       const size_t *cuts, size_t cut_count, struct syn_bytes *out);
int syn_compress_step(struct syn_compressor *compressor);
size_t syn_compress_steps_left(const struct syn_compressor *compressor);

/* Appends one zstd frame of `raw`, for short content. Each of the parts that end at `cuts` (as
 * above) begins a block; blocks are as long as zstd permits. Returns 0 or SYN_ENOMEM. */
int syn_compress_parts(int level, const void *raw, const size_t *cuts, size_t cut_count,
                       struct syn_bytes *out);

/* The magic number of a zstd skippable frame. A length of 4 bytes follows. */
#define SYN_WRAPPER_MAGIC 0x184D2A54u
#define SYN_WRAPPER_BYTES 8

/* Appends the difference of `raw` [raw_bytes] from `prefix` [prefix_bytes]; both have at most 2^26
 * bytes. The difference is a zstd frame that can be decompressed only with the same prefix. It is
 * wrapped in a skippable frame, so that zstd's tools pass over it. Returns 0 or SYN_ENOMEM. */
int syn_compress_difference(int level, const void *prefix, size_t prefix_bytes, const void *raw,
                            size_t raw_bytes, struct syn_bytes *out);
/* Appends `data` [bytes] unchanged, wrapped in a skippable frame. */
void syn_put_wrapped(struct syn_bytes *out, const void *data, size_t bytes);
/* Returns the content of a skippable frame of exactly `bytes`, or NULL if `data` is none. */
const uint8_t *syn_unwrap(const void *data, size_t bytes, size_t *inner_bytes);

struct syn_decompressor *syn_decompressor_new(void);
void syn_decompressor_free(struct syn_decompressor *decompressor);
/* Decompresses exactly `bytes` to exactly `raw_bytes`. Returns 0 or SYN_EDAMAGED. */
int syn_decompress(struct syn_decompressor *decompressor, const void *data, size_t bytes, void *raw,
                   size_t raw_bytes);
/* Decompresses the output of syn_compress_difference. */
int syn_decompress_difference(struct syn_decompressor *decompressor, const void *prefix,
                              size_t prefix_bytes, const void *data, size_t bytes, void *raw,
                              size_t raw_bytes);

#endif
