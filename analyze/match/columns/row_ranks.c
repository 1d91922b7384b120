/* analyze/match/columns/row_ranks.c - each number of a row compared with each, without a branch
 * that depends on them: a processor would predict every other one wrong. */
#include "analyze/match/columns/row_ranks.h"

#include "sync/time/cpu.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* The sum over ties of t^3 - t, which is t^2 - 1 for each of t alike. */
static double ties_of(const int64_t *x, size_t count)
{
    double ties = 0;
    for (size_t i = 0; i < count; i++) {
        double alike = 0;
        for (size_t j = 0; j < count; j++)
            alike += x[j] == x[i];
        ties += alike * alike - 1;
    }
    return ties;
}

/* The middle rank, and half a step for each that is smaller or larger. Made for each usual `count`
 * anew, without loops. */
static inline __attribute__((always_inline)) double rank_each(const int64_t *x, size_t count,
                                                              double *rank)
{
    int above[SYN_ROW_FEW] = {0}, pairs_alike = 0;
#pragma GCC unroll 4
    for (size_t i = 1; i < count; i++) {
#pragma GCC unroll 4
        for (size_t j = 0; j < i; j++) {
            int sign = (x[i] > x[j]) - (x[i] < x[j]);
            above[i] += sign;
            above[j] -= sign;
            pairs_alike += sign == 0;
        }
    }
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i++)
        rank[i] = (double)((int)count + 1 + above[i]) / 2;
    return __builtin_expect(pairs_alike, 0) ? ties_of(x, count) : 0;
}

#if SYN_HAVE_AVX2
/* One by one (volatile): they were written so, just before, and a processor that reads them as one
 * has to wait until they are in its cache. What is not there is below all others. */
SYN_TARGET_AVX2 static inline int64_t one_of(const volatile int64_t *x, size_t i, size_t count)
{
    return i < count ? x[i] : INT64_MIN;
}
SYN_TARGET_AVX2 static inline __m256i four_of(const int64_t *x, size_t i, size_t count)
{
    return _mm256_set_epi64x(one_of(x, i + 3, count), one_of(x, i + 2, count),
                             one_of(x, i + 1, count), one_of(x, i, count));
}

/* How many are below each of four, as a number below 0. */
SYN_TARGET_AVX2 static inline __m256i minus_below(const int64_t *x, size_t i, size_t count)
{
    const __m256i four = four_of(x, i, count);
    __m256i minus = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (size_t j = 0; j < count; j++)
        minus = _mm256_add_epi64(minus, _mm256_cmpgt_epi64(four, _mm256_set1_epi64x(x[j])));
    return minus;
}

/* 1 + each of four small numbers, as floating point: to the last bits of 2^52 nothing is rounded.
 */
SYN_TARGET_AVX2 static inline __m256d one_more(__m256i four)
{
    const __m256d shift = _mm256_set1_pd(0x1p52);
    const __m256i added = _mm256_add_epi64(_mm256_castpd_si256(shift), four);
    return _mm256_sub_pd(_mm256_castsi256_pd(added), _mm256_set1_pd(0x1p52 - 1));
}

/* Ranks numbers of which no two are equal: a number's rank is how many are below it. False: some
 * are equal. */
SYN_TARGET_AVX2 static inline __attribute__((always_inline)) bool
count_below_avx2(const int64_t *x, size_t count, double *rank)
{
    __m256i all = _mm256_setzero_si256();
    int64_t minus[4];
#pragma GCC unroll 4
    for (size_t i = 0; i < count; i += 4) {
        const __m256i below = minus_below(x, i, count);
        all = _mm256_add_epi64(all, below);
        _mm256_storeu_pd(rank + i, one_more(_mm256_sub_epi64(_mm256_setzero_si256(), below)));
    }
    _mm256_storeu_si256((__m256i *)minus, all);
    return minus[0] + minus[1] + minus[2] + minus[3] == -(int64_t)(count * (count - 1) / 2);
}

SYN_TARGET_AVX2 static double rank_avx2(const int64_t *x, size_t count, double *rank)
{
    const bool differ =
        count == 8 ? count_below_avx2(x, 8, rank) : count_below_avx2(x, count, rank);
    return __builtin_expect(differ, 1) ? 0 : rank_each(x, count, rank);
}
#endif

double syn_row_midranks(const int64_t *x, size_t count, double *rank)
{
    return count == 4  ? rank_each(x, 4, rank)
           : count < 4 ? rank_each(x, count, rank)
                       : SYN_BY_CPU(rank_avx2(x, count, rank), rank_each(x, count, rank));
}
