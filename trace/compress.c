#include "compress.h"

#include <stdlib.h>
#include <zstd.h>

#include "../sync/status.h"

struct syn_compressor {
    ZSTD_CCtx *context;
};

struct syn_decompressor {
    ZSTD_DCtx *context;
};

struct syn_compressor *syn_compressor_new(int level)
{
    struct syn_compressor *compressor = calloc(1, sizeof *compressor);
    if (!compressor)
        return NULL;
    compressor->context = ZSTD_createCCtx();
    if (!compressor->context) {
        free(compressor);
        return NULL;
    }
    /* zstd clamps a level out of its range. */
    ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_compressionLevel, level);
    ZSTD_CCtx_setParameter(compressor->context, ZSTD_c_checksumFlag, 1);
    return compressor;
}

void syn_compressor_free(struct syn_compressor *compressor)
{
    if (!compressor)
        return;
    ZSTD_freeCCtx(compressor->context);
    free(compressor);
}

/* Room for everything at once, so that no call has to be repeated: a block that cannot be
 * compressed takes 3 bytes more than it is long. */
static size_t bound_bytes(size_t raw_bytes, size_t cut_count)
{
    return ZSTD_compressBound(raw_bytes) + 8 * cut_count + 64;
}

int syn_compress(struct syn_compressor *compressor, const void *raw, const size_t *cuts,
                 size_t cut_count, struct syn_bytes *out)
{
    size_t raw_bytes = cuts[cut_count - 1];
    size_t bound = bound_bytes(raw_bytes, cut_count);
    uint8_t *at = syn_bytes_reserve(out, bound);
    if (!at)
        return SYN_ENOMEM;
    ZSTD_outBuffer output = {at, bound, 0};
    ZSTD_CCtx_reset(compressor->context, ZSTD_reset_session_only);
    ZSTD_CCtx_setPledgedSrcSize(compressor->context, raw_bytes);
    for (size_t i = 0, done = 0; i < cut_count; i++) {
        ZSTD_inBuffer input = {(const uint8_t *)raw + done, cuts[i] - done, 0};
        ZSTD_EndDirective directive = i + 1 < cut_count ? ZSTD_e_flush : ZSTD_e_end;
        size_t left = ZSTD_compressStream2(compressor->context, &output, &input, directive);
        /* With room for everything, only a failed allocation is left. */
        if (left != 0 || input.pos != input.size)
            return SYN_ENOMEM;
        done = cuts[i];
    }
    out->count += output.pos;
    return SYN_OK;
}

struct syn_decompressor *syn_decompressor_new(void)
{
    struct syn_decompressor *decompressor = calloc(1, sizeof *decompressor);
    if (!decompressor)
        return NULL;
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
    ZSTD_freeDCtx(decompressor->context);
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
