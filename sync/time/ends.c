/* sync/time/ends.c - see ends.h. */
#include "sync/time/ends.h"

#include <stdbool.h>

#include "sync/base/integers.h"
#include "sync/time/cpu.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

static struct syn_ends widen(struct syn_ends ends, const int64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        ends.least = syn_least(values[i], ends.least);
        ends.largest = syn_largest(values[i], ends.largest);
    }
    return ends;
}

static bool ascending_any(const int64_t *values, size_t count)
{
    bool falls = false;
    for (size_t i = 0; i + 1 < count; i++)
        falls |= values[i] > values[i + 1];
    return !falls;
}

#if SYN_HAVE_AVX2
/* The usual case: needs no chain of comparisons. */
SYN_TARGET_AVX2 static bool ascending_avx2(const int64_t *values, size_t count)
{
    __m256i falls = _mm256_setzero_si256();
    size_t i = 0;
    for (; i + 5 <= count; i += 4) {
        __m256i value = _mm256_loadu_si256((const __m256i *)(values + i));
        __m256i next = _mm256_loadu_si256((const __m256i *)(values + i + 1));
        falls = _mm256_or_si256(falls, _mm256_cmpgt_epi64(value, next));
    }
    return _mm256_testz_si256(falls, falls) && ascending_any(values + i, count - i);
}

/* RATIONALE: AVX2 only, since SSE2 cannot compare 64-bit numbers. */
SYN_TARGET_AVX2 static struct syn_ends widen_avx2(struct syn_ends ends, const int64_t *values,
                                                  size_t count)
{
    __m256i least = _mm256_set1_epi64x(ends.least), largest = _mm256_set1_epi64x(ends.largest);
    int64_t found[8];
    size_t i = 0;
    for (; i + 4 <= count; i += 4) {
        __m256i value = _mm256_loadu_si256((const __m256i *)(values + i));
        least = _mm256_blendv_epi8(least, value, _mm256_cmpgt_epi64(least, value));
        largest = _mm256_blendv_epi8(largest, value, _mm256_cmpgt_epi64(value, largest));
    }
    _mm256_storeu_si256((__m256i *)found, least);
    _mm256_storeu_si256((__m256i *)(found + 4), largest);
    return widen(widen(ends, found, 8), values + i, count - i);
}

static struct syn_ends ends_avx2(const int64_t *values, size_t count)
{
    if (ascending_avx2(values, count))
        return (struct syn_ends){values[0], values[count - 1]};
    return widen_avx2((struct syn_ends){values[0], values[0]}, values, count);
}
#endif

struct syn_ends syn_ends_of(const int64_t *values, size_t count)
{
    return SYN_BY_CPU(ends_avx2(values, count),
                      widen((struct syn_ends){values[0], values[0]}, values, count));
}

bool syn_ascending(const int64_t *values, size_t count)
{
    return SYN_BY_CPU(ascending_avx2(values, count), ascending_any(values, count));
}
