/* analyze/stats/values/sort_few.c - a bitonic sort (K. Batcher, AFIPS 32 (1968) 307-314; all ways
 * ascending, as the second half of what is merged is taken backwards).
 *
 * RATIONALE: of 10^4 sites with a hundred instances each a report sorts 10^5 short columns. A radix
 * sort of so few values goes through its buckets more often than through the values. This one
 * compares more, but eight at once, and nothing depends on what comes out. */
#include "analyze/stats/values/sort_few.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>

#define LANES ((size_t)8)

SYN_TARGET_AVX2 static inline __m256i load(const uint32_t *x)
{
    return _mm256_loadu_si256((const __m256i *)x);
}

SYN_TARGET_AVX2 static inline void store(uint32_t *x, __m256i eight)
{
    _mm256_storeu_si256((__m256i *)x, eight);
}

SYN_TARGET_AVX2 static inline __m256i backwards(__m256i eight)
{
    return _mm256_permutevar8x32_epi32(eight, _mm256_setr_epi32(7, 6, 5, 4, 3, 2, 1, 0));
}

/* Each lane beside the one that it is compared with: where a bit of `upper` is set, the lane keeps
 * the larger one. */
#define COMPARE(eight, with, upper) \
    _mm256_blend_epi32(_mm256_min_epu32(eight, with), _mm256_max_epu32(eight, with), upper)

/* Lanes one apart; two; four; and the first of four with the last, the second with the third. */
enum { ONE = 0xb1, TWO = 0x4e, ENDS = 0x1b };
enum { UPPER_OF_TWO = 0xaa, UPPER_OF_FOUR = 0xcc, UPPER_OF_EIGHT = 0xf0 };

/* Sorts two ascending fours, the second backwards. */
SYN_TARGET_AVX2 static inline __m256i settle(__m256i eight)
{
    eight = COMPARE(eight, _mm256_permute2x128_si256(eight, eight, 1), UPPER_OF_EIGHT);
    eight = COMPARE(eight, _mm256_shuffle_epi32(eight, TWO), UPPER_OF_FOUR);
    return COMPARE(eight, _mm256_shuffle_epi32(eight, ONE), UPPER_OF_TWO);
}

SYN_TARGET_AVX2 static inline __m256i sort_eight(__m256i eight)
{
    eight = COMPARE(eight, _mm256_shuffle_epi32(eight, ONE), UPPER_OF_TWO);
    eight = COMPARE(eight, _mm256_shuffle_epi32(eight, ENDS), UPPER_OF_FOUR);
    eight = COMPARE(eight, _mm256_shuffle_epi32(eight, ONE), UPPER_OF_TWO);
    eight = COMPARE(eight, backwards(eight), UPPER_OF_EIGHT);
    eight = COMPARE(eight, _mm256_shuffle_epi32(eight, TWO), UPPER_OF_FOUR);
    return COMPARE(eight, _mm256_shuffle_epi32(eight, ONE), UPPER_OF_TWO);
}

/* x [size], two ascending halves: the lesser values into the first half, the larger into the
 * second, each of which is bitonic then. */
SYN_TARGET_AVX2 static inline void part_halves(uint32_t *x, size_t size)
{
    for (size_t i = 0; i < size / 2; i += LANES) {
        uint32_t *const a = x + i, *const b = x + size - LANES - i;
        const __m256i left = load(a), right = backwards(load(b));
        store(a, _mm256_min_epu32(left, right));
        store(b, backwards(_mm256_max_epu32(left, right)));
    }
}

/* Splits a bitonic x [2 apart]. */
SYN_TARGET_AVX2 static inline void part_bitonic(uint32_t *x, size_t apart)
{
    for (size_t i = 0; i < apart; i += LANES) {
        const __m256i left = load(x + i), right = load(x + apart + i);
        store(x + i, _mm256_min_epu32(left, right));
        store(x + apart + i, _mm256_max_epu32(left, right));
    }
}

/* n: a power of two, of at least LANES. */
SYN_TARGET_AVX2 static void sort(uint32_t *x, size_t n)
{
    for (size_t i = 0; i < n; i += LANES)
        store(x + i, sort_eight(load(x + i)));
    for (size_t size = 2 * LANES; size <= n; size *= 2) {
        for (size_t i = 0; i < n; i += size)
            part_halves(x + i, size);
        for (size_t apart = size / 4; apart >= LANES; apart /= 2)
            for (size_t i = 0; i < n; i += 2 * apart)
                part_bitonic(x + i, apart);
        for (size_t i = 0; i < n; i += LANES)
            store(x + i, settle(load(x + i)));
    }
}

void syn_sort_few_avx2(uint32_t *x, size_t n)
{
    size_t size = LANES;
    while (size < n)
        size *= 2;
    for (size_t i = n; i < size; i++)
        x[i] = UINT32_MAX;
    sort(x, size);
}
#endif
