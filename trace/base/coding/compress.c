/* trace/base/coding/compress.c - zstd, in one place. */
#include "trace/base/coding/compress.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
/* For ZSTD_c_literalCompressionMode, known to every libzstd since 1.5, and its refusal is harmless;
 * and for ZSTD_createCCtx_advanced, which all of them export. */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "sync/base/status.h"

/* Up to this level, columns are compressed our way. */
#define FAST_LEVEL_MAX 2
/* Blocks are no longer than this, so that each step is short. A column of a full block of events
 * that has a byte for each of them is two: as one it takes 13 us, and 27 where nothing of zstd is
 * in the cache. What a block takes however short it is, its code of literals above all, is 1.4 us.
 */
#define BLOCK_BYTES ((size_t)5 << 10)
/* Records are more work a byte: of communicators that are like one another, each is a repetition of
 * its own. */
#define RECORDS_BLOCK_BYTES ((size_t)2 << 10)
/* A block as short as that is one step with those behind it, as far as they are no longer together
 * than another block. */
#define LITTLE_BYTES ((size_t)256)
#define NO_CONTENT   (-1)
/* RATIONALE: where a repetition began is looked up in a table of 2^10 places, 4 KB, and not in the
 * 32 to 64 KB that zstd would take: those are out of the cache at each stop, and drive out of it
 * what the program works with. What repeats lies close together here; files are as long. */
#define TABLE_BITS 10
/* How many bytes a search for repetitions steps over at a time. */
#define COLUMNS_ACCELERATION 16
/* zstd's largest step, longer than a block: no match is searched for. */
#define NO_SEARCH (1 << 17)

/* RATIONALE: where frames get longer or much shorter, zstd gives its memory back and takes other;
 * and each page that is touched first is a stop. So what it gives back it gets again, and new
 * memory is touched as a whole where it is taken. */
struct memory {
    void *spare; /* the largest that it gave back */
    size_t spare_bytes;
};

struct syn_compressor {
    ZSTD_CCtx *context;
    struct memory memory;
    int level;
    int content; /* whose parameters it has: an enum syn_content, or NO_CONTENT */
    size_t block_bytes;
    /* what is being compressed */
    const uint8_t *raw;
    const size_t *cuts;
    size_t cut_count, cuts_done, done_bytes;
    ZSTD_outBuffer output;
    struct syn_bytes *out;
};

struct syn_decompressor {
    ZSTD_DCtx *context;
};

/* Before what zstd gets: how long that is. */
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

/* Symbols of times hardly repeat; level 1 spends most of its time finding short accidental matches,
 * and they cost more than the entropy coding they replace (docs/trace-format.md, "Measured").
 * Stepping over more bytes still finds the long ones of the index column. zstd takes such haste for
 * a sign that literals need no coding, so that has to be asked for. Where there is no such column,
 * stepping over all of a block is the better: the fewer values times have, the more repetitions of
 * 7 bytes come about by accident, which take twice the time of the code of literals and, up to
 * where nine symbols of ten are the same one, more space, too.
 * Records are the other way round: what repeats in them is found as matches, and a code for the few
 * bytes that are left takes as long as all else (a communicator's record 50 ns), for 7 % of a file
 * that is mostly records. */
static void set_parameters(const struct syn_compressor *compressor, enum syn_content content)
{
    ZSTD_CCtx *context = compressor->context;
    ZSTD_CCtx_reset(context, ZSTD_reset_parameters);
    /* zstd clamps a level out of its range. */
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

/* Room for everything at once, so that no call has to be repeated: a block that cannot be
 * compressed takes 3 bytes more than it is long. */
static size_t bound_bytes(size_t raw_bytes, size_t cut_count)
{
    return ZSTD_compressBound(raw_bytes) + 8 * (cut_count + raw_bytes / RECORDS_BLOCK_BYTES) + 64;
}

/* RATIONALE: zstd would make itself ready together with the first block. That is a stop too where
 * it comes after other things: 10 us of code and tables that are in no cache any more. */
static int begin_zstd(struct syn_compressor *compressor, enum syn_content content, size_t raw_bytes)
{
    ZSTD_inBuffer nothing = {NULL, 0, 0};
    ZSTD_CCtx_reset(compressor->context, ZSTD_reset_session_only);
    if (compressor->content != (int)content)
        set_parameters(compressor, content);
    compressor->content = (int)content;
    ZSTD_CCtx_setPledgedSrcSize(compressor->context, raw_bytes);
    const size_t left =
        ZSTD_compressStream2(compressor->context, &compressor->output, &nothing, ZSTD_e_continue);
    return ZSTD_isError(left) ? SYN_ENOMEM : SYN_OK;
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
    if (begin_zstd(compressor, content, raw_bytes))
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
    return steps ? steps : 1; /* of nothing: the frame still has to end */
}

/* How many bytes come next: of the first part that is not empty, a block at most; all of a part's
 * blocks are about as long. */
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

/* One of zstd's blocks. */
static int compress_block(struct syn_compressor *compressor, size_t bytes)
{
    ZSTD_inBuffer input = {compressor->raw + compressor->done_bytes, bytes, 0};
    compressor->done_bytes += bytes;
    /* Whatever empty parts come behind: the last byte ends the frame. */
    const bool is_last = compressor->done_bytes == compressor->cuts[compressor->cut_count - 1];
    if (is_last)
        compressor->cuts_done = compressor->cut_count;
    else
        compressor->cuts_done += compressor->done_bytes == compressor->cuts[compressor->cuts_done];
    const size_t left = ZSTD_compressStream2(compressor->context, &compressor->output, &input,
                                             is_last ? ZSTD_e_end : ZSTD_e_flush);
    /* With room for everything, only a failed allocation is left. */
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

/* A window that reaches from the end of what is compressed to the start of the prefix. */
static int window_log(size_t bytes)
{
    int log = 10;
    while (log < 27 && ((size_t)1 << log) < bytes)
        log++;
    return log;
}

int syn_compress_difference(int level, const void *prefix, size_t prefix_bytes, const void *raw,
                            size_t raw_bytes, struct syn_bytes *out)
{
    const size_t bound = ZSTD_compressBound(raw_bytes);
    uint8_t *room = malloc(bound);
    ZSTD_CCtx *context = ZSTD_createCCtx();
    int status = SYN_ENOMEM;
    if (room && context) {
        ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level);
        ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
        ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, window_log(prefix_bytes + raw_bytes));
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

/* ---- and back ---- */

/* The last context that was given back, for the next who needs one. To make one, zstd asks the
 * processor what it can: in a virtual machine that takes longer than to read a small file, and of a
 * trace of thousands of ranks each file needs two. */
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
