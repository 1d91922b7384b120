/* test_compress.c - payloads that are compressed part by part, some of them empty. */
#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "sync/base/bytes.h"
#include "sync/base/status.h"
#include "trace/base/coding/compress.h"

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

/* ---- memory ---- */

#define LONG_BYTES ((size_t)400 << 10)

static long faults(void)
{
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_minflt;
}

/* How many pages are touched first while `bytes` are compressed. */
static long faults_of(struct syn_compressor *compressor, const uint8_t *raw, size_t bytes,
                      struct syn_bytes *out)
{
    const long before = faults();
    out->count = 0;
    cr_assert_eq(syn_compress(compressor, SYN_CONTENT_COLUMNS, raw, &bytes, 1, out), SYN_OK);
    return faults() - before;
}

/* Under a sanitizer memory that was given back is not taken again at once (gcc 14: 124 pages). */
#ifdef __SANITIZE_ADDRESS__
#define HARDLY_ANY 200
#else
#define HARDLY_ANY 20
#endif

/* zstd gives its memory back after 128 frames that are much shorter than the longest, and takes
 * new for each that is a little longer than all before. */
Test(compress, memory_that_was_touched_is_used_again)
{
    struct syn_compressor *compressor = syn_compressor_new(1);
    struct syn_bytes out = {0};
    uint8_t *raw = malloc(LONG_BYTES);
    for (size_t i = 0; i < LONG_BYTES; i++)
        raw[i] = (uint8_t)(i * i >> 7);
    cr_expect_gt(faults_of(compressor, raw, LONG_BYTES / 4 * 3, &out), 50, "new memory");
    long later = 0;
    for (int i = 0; i < 300; i++)
        later += faults_of(compressor, raw, LONG_BYTES / 50, &out);
    for (size_t i = 0; i < 30; i++)
        later += faults_of(compressor, raw, LONG_BYTES / 4 * 3 + 1000 * i, &out);
    cr_expect_lt(later, HARDLY_ANY, "%ld pages", later);
    syn_compressor_free(compressor);
    syn_bytes_free(&out);
    free(raw);
}

/* Earlier work of a compressor, records or columns, does not show in a frame. */
Test(compress, frames_do_not_depend_on_those_before)
{
    static const enum syn_content contents[] = {
        SYN_CONTENT_RECORDS, SYN_CONTENT_COLUMNS, SYN_CONTENT_COLUMNS,
        SYN_CONTENT_TIMES,   SYN_CONTENT_COLUMNS, SYN_CONTENT_TIMES,
        SYN_CONTENT_TIMES,   SYN_CONTENT_RECORDS, SYN_CONTENT_RECORDS};
    const size_t bytes = 20000;
    uint8_t *raw = malloc(bytes);
    for (size_t i = 0; i < bytes; i++)
        raw[i] = (uint8_t)(i * i >> 7);
    struct syn_compressor *used = syn_compressor_new(1);
    for (size_t i = 0; i < sizeof contents / sizeof *contents; i++) {
        struct syn_bytes out = {0}, wanted = {0};
        struct syn_compressor *fresh = syn_compressor_new(1);
        const size_t cuts[] = {bytes / (i + 2), bytes - i};
        cr_assert_eq(syn_compress(used, contents[i], raw, cuts, 2, &out), SYN_OK);
        cr_assert_eq(syn_compress(fresh, contents[i], raw, cuts, 2, &wanted), SYN_OK);
        cr_assert_eq(out.count, wanted.count);
        cr_expect_arr_eq(out.data, wanted.data, out.count, "frame %zu", i);
        syn_compressor_free(fresh);
        syn_bytes_free(&out);
        syn_bytes_free(&wanted);
    }
    syn_compressor_free(used);
    free(raw);
}

/* ---- what is searched for repetitions ---- */

/* Returns the compressed size of 9,000 bytes that are 900 of chance ten times over; no two blocks
 * begin with the same ones. */
static size_t compressed(enum syn_content content)
{
    enum { LENGTH = 900, TIMES = 10 };
    uint8_t raw[LENGTH * TIMES], back[LENGTH * TIMES];
    size_t cuts[TIMES];
    struct syn_bytes out = {0};
    struct syn_compressor *compressor = syn_compressor_new(1);
    struct syn_decompressor *decompressor = syn_decompressor_new();
    uint32_t chance = 1;
    for (size_t i = 0; i < sizeof raw; i++)
        raw[i] = (uint8_t)((i % LENGTH == 0 ? chance = 1 : (chance = chance * 1664525u + 1)) >> 24);
    for (size_t i = 0; i < TIMES; i++)
        cuts[i] = LENGTH * (i + 1) - 40 * (TIMES - 1 - i);
    cr_assert_eq(syn_compress(compressor, content, raw, cuts, TIMES, &out), SYN_OK);
    cr_assert_eq(syn_decompress(decompressor, out.data, out.count, back, sizeof back), SYN_OK);
    cr_assert(memcmp(raw, back, sizeof raw) == 0);
    const size_t bytes = out.count;
    syn_bytes_free(&out);
    syn_compressor_free(compressor);
    syn_decompressor_free(decompressor);
    return bytes;
}

Test(compress, times_are_not_searched)
{
    cr_expect_lt(compressed(SYN_CONTENT_COLUMNS), 4500);
    cr_expect_gt(compressed(SYN_CONTENT_TIMES), 8500);
}
