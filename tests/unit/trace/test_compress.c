/* test_compress.c - payloads that are compressed part by part, some of them empty. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/status.h"
#include "trace/compress.h"

#define BYTES 20000

/* Compress BYTES or less, cut so, and have them back. */
static void there_and_back(const size_t *cuts, size_t cut_count)
{
    uint8_t raw[BYTES], back[BYTES];
    const size_t bytes = cuts[cut_count - 1];
    struct syn_bytes out = {0};
    struct syn_compressor *compressor = syn_compressor_new(1);
    struct syn_decompressor *decompressor = syn_decompressor_new();
    for (size_t i = 0; i < BYTES; i++)
        raw[i] = (uint8_t)(i * i >> 7);
    cr_assert_eq(syn_compress(compressor, SYN_CONTENT_RECORDS, raw, cuts, cut_count, &out), SYN_OK);
    cr_assert_eq(syn_decompress(decompressor, out.data, out.count, back, bytes), SYN_OK);
    cr_assert(memcmp(raw, back, bytes) == 0);
    syn_bytes_free(&out);
    syn_compressor_free(compressor);
    syn_decompressor_free(decompressor);
}

Test(compress, nothing_is_a_frame_too)
{
    there_and_back((size_t[]){0}, 1);
    there_and_back((size_t[]){0, 0, 0}, 3);
}

Test(compress, empty_parts_anywhere)
{
    there_and_back((size_t[]){0, 100, BYTES}, 3);
    there_and_back((size_t[]){100, 100, BYTES}, 3);
    there_and_back((size_t[]){100, BYTES, BYTES, BYTES}, 4);
    there_and_back((size_t[]){8192, 8192, 16384, 16384}, 4);
}
