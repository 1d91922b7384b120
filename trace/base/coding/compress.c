/* trace/base/coding/compress.c - all uses of zstd. */
#include "trace/base/coding/compress.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
/* Declares ZSTD_c_literalCompressionMode, which every libzstd since 1.5 knows (a refusal does no
 * harm), and ZSTD_createCCtx_advanced, which all of them export. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "sync/base/status.h"

/* Up to this zstd level, columns are compressed with the parameters of set_parameters. */
#define FAST_LEVEL_MAX 2
/* The largest length of a block, so that each step is short. A column with a byte for each event of
 * a full block of the recorder's buffer becomes two blocks. As one block it takes 13 us, and 27 us
 * if nothing of zstd is in the cache. Each block has a fixed cost of 1.4 us, mostly for its code of
 * literals. */
#define BLOCK_BYTES ((size_t)5 << 10)
/* Records have shorter blocks, because they take more time per byte: each of many similar
 * communicators is a match of its own. */
#define RECORDS_BLOCK_BYTES ((size_t)2 << 10)
/* A block no longer than this shares its step with the blocks behind it, as long as all together
 * are no longer than a block may be. */
#define LITTLE_BYTES ((size_t)256)
#define NO_CONTENT   (-1)
/* RATIONALE: zstd looks up matches in a table of 2^10 places, which takes 4 KB. By default the
 * table would take 32 to 64 KB. A table of that size is out of the cache at each stop, and it
 * evicts the program's data. Matches here lie close together, and files do not get longer. */
#define TABLE_BITS 10
/* The number of bytes that a search for matches skips at a time. */
#define COLUMNS_ACCELERATION 16
/* zstd's largest step. It is longer than a block, so no match is searched for. */
#define NO_SEARCH (1 << 17)

/* RATIONALE: when frames get longer or much shorter, zstd frees its memory and allocates new
 * memory. Each page that is touched for the first time lengthens a stop. So zstd gets its freed
 * memory back, and new memory is touched as a whole when it is allocated. */
struct memory {
    void *spare; /* the largest memory that zstd freed */
    size_t spare_bytes;
};

struct syn_compressor {
    ZSTD_CCtx *context;
    struct memory memory;
    int level;
    int content; /* the content for which parameters are set: an enum syn_content, or NO_CONTENT */
    size_t block_bytes;
    /* the input that is being compressed */
    const uint8_t *raw;
    const size_t *cuts;
    size_t cut_count, cuts_done, done_bytes;
    ZSTD_outBuffer output;
    struct syn_bytes *out;
};

struct syn_decompressor {
    ZSTD_DCtx *context;
};

/* Room before zstd's memory for its length. */
#define LENGTH_BYTES ((size_t)64)

static size_t length_of(const void *memory)
{
    size_t bytes;
    memcpy(&bytes, (const char *)memory - LENGTH_BYTES, sizeof bytes);
    return bytes;
}

static void release(void *memory)
{
    if (memory)
        free((char *)memory - LENGTH_BYTES);
}

static void *take_memory(void *ctx, size_t bytes)
{
    struct memory *memory = ctx;
    void *taken = memory->spare;
    if (taken && bytes <= memory->spare_bytes) {
        *memory = (struct memory){0};
        return taken;
    }
    const size_t length = bytes + bytes / 2; /* the next frame may be a little longer */
    char *const made = aligned_alloc(LENGTH_BYTES, (length / LENGTH_BYTES + 2) * LENGTH_BYTES);
    if (!made)
        return NULL;
    memset(made, 0, LENGTH_BYTES + length);
    memcpy(made, &length, sizeof length);
    return made + LENGTH_BYTES;
}

static void give_memory(void *ctx, void *given)
{
    struct memory *memory = ctx;
    if (!given)
        return;
    void *shorter = given;
    if (length_of(given) > memory->spare_bytes) {
        shorter = memory->spare;
        *memory = (struct memory){.spare = given, .spare_bytes = length_of(given)};
    }
    release(shorter);
}

struct syn_compressor *syn_compressor_new(int level)
{
    struct syn_compressor *compressor = calloc(1, sizeof *compressor);
    if (!compressor)
        return NULL;
    const ZSTD_customMem memory = {take_memory, give_memory, &compressor->memory};
    compressor->context = ZSTD_createCCtx_advanced(memory);
    if (!compressor->context) {
        free(compressor);
        return NULL;
    }
    compressor->level = level;
    compressor->content = NO_CONTENT;
    compressor->block_bytes = BLOCK_BYTES;
    return compressor;
}

void syn_compressor_free(struct syn_compressor *compressor)
{
    if (!compressor)
        return;
    ZSTD_freeCCtx(compressor->context);
    release(compressor->memory.spare);
    free(compressor);
}

/* Sets zstd's parameters. At fast levels they depend on `content`.
 *
 * Columns: symbols of times hardly repeat. Level 1 spends most of its time on short accidental
 * matches, which cost more than the entropy coding they replace (docs/trace-format.md, "Measured").
 * A search that skips more bytes still finds the long matches in the index column. With such a step
 * zstd no longer codes literals by itself, so coding is requested.
 *
 * Times: without an index column it is best to skip all of a block. The fewer values times have,
 * the more accidental matches of 7 bytes there are. Such matches take twice the time of coding
 * literals. They also take more space, unless more than nine of ten symbols are equal.
 *
 * Records: matches find what repeats. Coding the few bytes left would take as long as all else (50
 * ns for a communicator's record), and would save 7 % of a file that is mostly records. */
static void set_parameters(const struct syn_compressor *compressor, enum syn_content content)
{
    ZSTD_CCtx *context = compressor->context;
    ZSTD_CCtx_reset(context, ZSTD_reset_parameters);
    /* zstd clamps a level that is out of its range. */
    ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, compressor->level);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    bool fast = compressor->level >= 1 && compressor->level <= FAST_LEVEL_MAX;
    if (!fast)
        return;
    ZSTD_CCtx_setParameter(context, ZSTD_c_hashLog, TABLE_BITS);
    const bool records = content == SYN_CONTENT_RECORDS;
    const int literals = records ? ZSTD_ps_disable : ZSTD_ps_enable;
    if (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_literalCompressionMode, literals)) ||
        records)
        return;
    ZSTD_CCtx_setParameter(context, ZSTD_c_strategy, ZSTD_fast);
    ZSTD_CCtx_setParameter(context, ZSTD_c_minMatch, 7);
    ZSTD_CCtx_setParameter(context, ZSTD_c_targetLength,
                           content == SYN_CONTENT_TIMES ? NO_SEARCH : COLUMNS_ACCELERATION);
}

/* Returns enough room for the whole output, so that no call has to be repeated. A block that cannot
 * be compressed takes 3 bytes more than its input. */
static size_t bound_bytes(size_t raw_bytes, size_t cut_count)
{
    return ZSTD_compressBound(raw_bytes) + 8 * (cut_count + raw_bytes / RECORDS_BLOCK_BYTES) + 64;
}

int syn_compress_begin(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                       const size_t *cuts, size_t cut_count, struct syn_bytes *out)
{
    const size_t raw_bytes = cuts[cut_count - 1];
    const size_t bound = bound_bytes(raw_bytes, cut_count);
    uint8_t *at = syn_bytes_reserve(out, bound);
    compressor->cut_count = compressor->cuts_done = compressor->done_bytes = 0;
    if (!at)
        return SYN_ENOMEM;
    compressor->output = (ZSTD_outBuffer){at, bound, 0};
    /* RATIONALE: otherwise zstd would initialize itself together with the first block. At a stop
     * that takes 10 us, because its code and tables are in no cache any more. */
    ZSTD_inBuffer nothing = {NULL, 0, 0};
    ZSTD_CCtx_reset(compressor->context, ZSTD_reset_session_only);
    if (compressor->content != (int)content)
        set_parameters(compressor, content);
    compressor->content = (int)content;
    ZSTD_CCtx_setPledgedSrcSize(compressor->context, raw_bytes);
    if (ZSTD_isError(ZSTD_compressStream2(compressor->context, &compressor->output, &nothing,
                                          ZSTD_e_continue)))
        return SYN_ENOMEM;
    compressor->raw = raw;
    compressor->cuts = cuts;
    compressor->cut_count = cut_count;
    compressor->out = out;
    compressor->block_bytes = content == SYN_CONTENT_RECORDS ? RECORDS_BLOCK_BYTES : BLOCK_BYTES;
    return SYN_OK;
}

size_t syn_compress_steps_left(const struct syn_compressor *compressor)
{
    const size_t block_bytes = compressor->block_bytes;
    size_t steps = 0, done = compressor->done_bytes;
    if (compressor->cuts_done == compressor->cut_count)
        return 0;
    for (size_t i = compressor->cuts_done; i < compressor->cut_count; done = compressor->cuts[i++])
        steps += (compressor->cuts[i] - done + block_bytes - 1) / block_bytes;
    return steps ? steps : 1; /* an empty input: the frame still has to end */
}

/* Returns the number of bytes of the next block. They belong to the first part that is not empty.
 * All blocks of a part have about the same length. */
static size_t next_bytes(struct syn_compressor *compressor)
{
    while (compressor->cuts_done + 1 < compressor->cut_count &&
           compressor->cuts[compressor->cuts_done] == compressor->done_bytes)
        compressor->cuts_done++;
    const size_t bytes = compressor->cuts[compressor->cuts_done] - compressor->done_bytes;
    const size_t block_bytes = compressor->block_bytes;
    const size_t blocks = (bytes + block_bytes - 1) / block_bytes;
    return blocks > 1 ? (bytes + blocks - 1) / blocks : bytes;
}

/* Compresses one zstd block of `bytes`. */
static int compress_block(struct syn_compressor *compressor, size_t bytes)
{
    ZSTD_inBuffer input = {compressor->raw + compressor->done_bytes, bytes, 0};
    compressor->done_bytes += bytes;
    /* The last byte ends the frame, even if empty parts follow. */
    const bool is_last = compressor->done_bytes == compressor->cuts[compressor->cut_count - 1];
    if (is_last)
        compressor->cuts_done = compressor->cut_count;
    else
        compressor->cuts_done += compressor->done_bytes == compressor->cuts[compressor->cuts_done];
    const size_t left = ZSTD_compressStream2(compressor->context, &compressor->output, &input,
                                             is_last ? ZSTD_e_end : ZSTD_e_flush);
    /* The output has room for everything, so the only possible failure is a failed allocation. */
    if (left != 0 || input.pos != input.size) {
        compressor->cuts_done = compressor->cut_count;
        return SYN_ENOMEM;
    }
    if (is_last)
        compressor->out->count += compressor->output.pos;
    return SYN_OK;
}

int syn_compress_step(struct syn_compressor *compressor)
{
    size_t bytes = next_bytes(compressor), done = bytes;
    int status = compress_block(compressor, bytes);
    while (status == SYN_OK && bytes <= LITTLE_BYTES &&
           compressor->cuts_done < compressor->cut_count) {
        bytes = next_bytes(compressor);
        if ((done += bytes) > compressor->block_bytes)
            break;
        status = compress_block(compressor, bytes);
    }
    return status;
}

int syn_compress(struct syn_compressor *compressor, enum syn_content content, const void *raw,
                 const size_t *cuts, size_t cut_count, struct syn_bytes *out)
{
    int status = syn_compress_begin(compressor, content, raw, cuts, cut_count, out);
    while (status == SYN_OK && syn_compress_steps_left(compressor) > 0)
        status = syn_compress_step(compressor);
    return status;
}

/* ---- parts ---- */

int syn_compress_parts(int level, const void *raw, const size_t *cuts, size_t cut_count,
                       struct syn_bytes *out)
{
    const size_t raw_bytes = cuts[cut_count - 1], bound = bound_bytes(raw_bytes, cut_count);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    uint8_t *at = syn_bytes_reserve(out, bound);
    ZSTD_outBuffer output = {at, bound, 0};
    int status = context && at ? SYN_OK : SYN_ENOMEM;
    if (status == SYN_OK) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setPledgedSrcSize(context, raw_bytes);
    }
    for (size_t i = 0, done = 0; status == SYN_OK && i < cut_count; done = cuts[i++]) {
        const size_t bytes = cuts[i] - done;
        ZSTD_inBuffer input = {((const uint8_t *)raw + done), bytes, 0};
        const size_t left = ZSTD_compressStream2(context, &output, &input,
                                                 (i + 1 == cut_count) ? ZSTD_e_end : ZSTD_e_flush);
        status = left == 0 && input.pos == bytes ? SYN_OK : SYN_ENOMEM;
    }
    ZSTD_freeCCtx(context);
    out->count += status == SYN_OK ? output.pos : 0;
    return status;
}

/* ---- differences ---- */

void syn_put_wrapped(struct syn_bytes *out, const void *data, size_t bytes)
{
    uint8_t wrapper[SYN_WRAPPER_BYTES];
    syn_store32(wrapper, SYN_WRAPPER_MAGIC);
    syn_store32(wrapper + 4, (uint32_t)bytes);
    syn_bytes_put(out, wrapper, sizeof wrapper);
    syn_bytes_put(out, data, bytes);
}

const uint8_t *syn_unwrap(const void *data, size_t bytes, size_t *inner_bytes)
{
    if (bytes < SYN_WRAPPER_BYTES || syn_load32(data) != SYN_WRAPPER_MAGIC ||
        syn_load32((const uint8_t *)data + 4) != bytes - SYN_WRAPPER_BYTES)
        return NULL;
    *inner_bytes = bytes - SYN_WRAPPER_BYTES;
    return (const uint8_t *)data + SYN_WRAPPER_BYTES;
}

int syn_compress_difference(int level, const void *prefix, size_t prefix_bytes, const void *raw,
                            size_t raw_bytes, struct syn_bytes *out)
{
    const size_t bound = ZSTD_compressBound(raw_bytes);
    uint8_t *room = malloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    int status = SYN_ENOMEM, window_log = 10;
    /* The window reaches from the end of the input back to the start of the prefix. */
    while (window_log < 27 && ((size_t)1 << window_log) < prefix_bytes + raw_bytes)
        window_log++;
    if (room && context) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log);
        ZSTD_CCtx_refPrefix(context, prefix, prefix_bytes);
        const size_t bytes = ZSTD_compress2(context, room, bound, raw, raw_bytes);
        if (!ZSTD_isError(bytes)) {
            syn_put_wrapped(out, room, bytes);
            status = out->failed ? SYN_ENOMEM : SYN_OK;
        }
    }
    ZSTD_freeCCtx(context);
    free(room);
    return status;
}

/* ---- decompression ---- */

/* The context that was freed last, for the next user. RATIONALE: to make a context, zstd asks the
 * processor for its features. In a virtual machine that takes longer than reading a small file, and
 * in a trace of thousands of ranks each file needs two contexts. */
static ZSTD_DCtx *spare_context;

struct syn_decompressor *syn_decompressor_new(void)
{
    struct syn_decompressor *decompressor = calloc(1, sizeof *decompressor);
    if (!decompressor)
        return NULL;
    decompressor->context = __atomic_exchange_n(&spare_context, NULL, __ATOMIC_ACQ_REL);
    if (!decompressor->context)
        decompressor->context = ZSTD_createDCtx();
    if (!decompressor->context) {
        free(decompressor);
        return NULL;
    }
    return decompressor;
}

void syn_decompressor_free(struct syn_decompressor *decompressor)
{
    if (!decompressor)
        return;
    ZSTD_freeDCtx(__atomic_exchange_n(&spare_context, decompressor->context, __ATOMIC_ACQ_REL));
    free(decompressor);
}

int syn_decompress(struct syn_decompressor *decompressor, const void *data, size_t bytes, void *raw,
                   size_t raw_bytes)
{
    if (ZSTD_getFrameContentSize(data, bytes) != raw_bytes)
        return SYN_EDAMAGED;
    size_t got = ZSTD_decompressDCtx(decompressor->context, raw, raw_bytes, data, bytes);
    return !ZSTD_isError(got) && got == raw_bytes ? SYN_OK : SYN_EDAMAGED;
}

int syn_decompress_difference(struct syn_decompressor *decompressor, const void *prefix,
                              size_t prefix_bytes, const void *data, size_t bytes, void *raw,
                              size_t raw_bytes)
{
    size_t inner_bytes;
    const uint8_t *inner = syn_unwrap(data, bytes, &inner_bytes);
    if (!inner || ZSTD_getFrameContentSize(inner, inner_bytes) != raw_bytes)
        return SYN_EDAMAGED;
    if (ZSTD_isError(ZSTD_DCtx_refPrefix(decompressor->context, prefix, prefix_bytes)))
        return SYN_EDAMAGED;
    return syn_decompress(decompressor, inner, inner_bytes, raw, raw_bytes);
}
