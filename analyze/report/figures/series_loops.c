/* analyze/report/figures/series_loops.c - loops over series, in a file of their own so that the
 * compiler vectorizes them. */
#include "analyze/report/figures/series_loops.h"

#include <stdbool.h>

#include "sync/time/cpu.h"
#include "sync/time/ends.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* ---- numbers ---- */

static void doubles_of(const int64_t *value, size_t count, double *out)
{
    for (size_t i = 0; i < count; i++)
        out[i] = (double)value[i];
}

#if SYN_HAVE_AVX2
/* Converts four integers at a time. Each half of an integer becomes the lower bits of a double with
 * a power of two added, which for the upper half is 2^32 times larger. Subtracting both powers is
 * exact; only the last addition rounds. */
SYN_TARGET_AVX2 static void doubles_of_avx2(const int64_t *value, size_t count, double *out)
{
    const __m256d below = _mm256_set1_pd(0x1p52), above = _mm256_set1_pd(0x1p84 + 0x1p63);
    const __m256d both = _mm256_set1_pd(0x1p84 + 0x1p63 + 0x1p52);
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        const __m256i four = _mm256_loadu_si256((const __m256i *)(value + i));
        const __m256i lower = _mm256_blend_epi32(_mm256_castpd_si256(below), four, 0x55);
        const __m256i upper =
            _mm256_xor_si256(_mm256_srli_epi64(four, 32), _mm256_castpd_si256(above));
        const __m256d rest = _mm256_sub_pd(_mm256_castsi256_pd(upper), both);
        _mm256_storeu_pd(out + i, _mm256_add_pd(rest, _mm256_castsi256_pd(lower)));
    }
    doubles_of(value + i, count - i, out + i);
}
#endif

void syn_doubles_of(const int64_t *value, size_t count, double *out)
{
    SYN_BY_CPU(doubles_of_avx2, doubles_of)(value, count, out);
}

/* ---- counting ---- */

static size_t count_above(const int64_t *value, size_t count, int64_t limit)
{
    size_t above = 0;
    for (size_t i = 0; i < count; i++)
        above += value[i] > limit;
    return above;
}

#if SYN_HAVE_AVX2
SYN_TARGET_AVX2 static size_t count_above_avx2(const int64_t *value, size_t count, int64_t limit)
{
    __m256i least = _mm256_set1_epi64x(limit), minus = _mm256_setzero_si256();
    int64_t counted[4];
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i four = _mm256_loadu_si256((const __m256i *)(value + i));
        minus = _mm256_add_epi64(minus, _mm256_cmpgt_epi64(four, least)); /* -1 for each above */
    }
    _mm256_storeu_si256((__m256i *)counted, minus);
    return (size_t) - (counted[0] + counted[1] + counted[2] + counted[3]) +
           count_above(value + i, count - i, limit);
}
#endif

size_t syn_count_above(const int64_t *value, size_t count, int64_t limit)
{
    return SYN_BY_CPU(count_above_avx2(value, count, limit), count_above(value, count, limit));
}

/* ---- products ---- */

/* The sum of SYN_PRODUCTS_MAX products of two numbers up to this fits 64 bits, and each number fits
 * 32 bits. */
#define NARROW ((int64_t)1 << 25)

static bool all_narrow(const int64_t *value, size_t count)
{
    struct syn_ends ends = syn_ends_of(value, count);
    return ends.least >= -NARROW && ends.largest <= NARROW;
}

static int64_t narrow_products(const int64_t *value, const int64_t *earlier, size_t count)
{
    int64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += value[i] * earlier[i];
    return sum;
}

static __int128 wide_products(const int64_t *value, const int64_t *earlier, size_t count)
{
    __int128 sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (__int128)value[i] * earlier[i];
    return sum;
}

#if SYN_HAVE_AVX2
/* Computes five lags in one loop, so that each value is loaded once for them. count is a multiple
 * of 4. */
SYN_TARGET_AVX2 static void five_lags_avx2(const int64_t *value, size_t count, size_t first_lag,
                                           int64_t *sum)
{
    __m256i total[5];
    for (int k = 0; k < 5; k++)
        total[k] = _mm256_setzero_si256();
    const int64_t *earlier = value - first_lag;
    for (size_t i = 0; i < count; i += 4) {
        __m256i four = _mm256_loadu_si256((const __m256i *)(value + i));
#pragma GCC unroll 5
        for (int k = 0; k < 5; k++) {
            __m256i back = _mm256_loadu_si256((const __m256i *)(earlier + i - k));
            total[k] = _mm256_add_epi64(total[k], _mm256_mul_epi32(four, back));
        }
    }
    for (int k = 0; k < 5; k++) {
        int64_t four[4];
        _mm256_storeu_si256((__m256i *)four, total[k]);
        sum[k] = four[0] + four[1] + four[2] + four[3];
    }
}

/* Adds the products of five lags at a time. Requires lag_count values in front of value[0]. Returns
 * the first lag that is left. */
static size_t by_fives(const int64_t *value, size_t count, size_t lag_count, __int128 *sum)
{
    size_t fours = count / 4 * 4, lag = 1;
    int64_t small[5];
    for (; lag + 5 <= lag_count + 1; lag += 5) {
        five_lags_avx2(value, fours, lag, small);
        for (size_t k = 0; k < 5; k++)
            sum[lag + k - 1] +=
                small[k] + narrow_products(value + fours, value + fours - (lag + k), count - fours);
    }
    return lag;
}
#endif

void syn_sums_of_products(const int64_t *value, size_t count, size_t before, size_t lag_count,
                          __int128 *sum)
{
    bool narrow = all_narrow(value - before, before + count);
    size_t lag =
        narrow && before == lag_count ? SYN_BY_CPU(by_fives(value, count, lag_count, sum), 1) : 1;
    for (; lag <= lag_count; lag++) {
        size_t skip = lag > before ? lag - before : 0; /* values whose partner lies too far back */
        if (skip >= count)
            continue;
        const int64_t *from = value + skip, *earlier = from - lag;
        sum[lag - 1] += narrow ? narrow_products(from, earlier, count - skip)
                               : wide_products(from, earlier, count - skip);
    }
}
