/* trace/columns/times_encode.c - encodes times as symbols and bits, and finds their common unit
 * without a division for each time. */
#include <stdbool.h>

#include "sync/base/bytes.h"
#include "sync/base/integers.h"
#include "sync/time/cpu.h"
#include "trace/columns/magnitude.h"
#include "trace/columns/times.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

static void encode_any(struct syn_bit_writer *bits, const int64_t *values, size_t count,
                       uint8_t *symbols)
{
    for (size_t i = 0; i < count; i++)
        symbols[i] = syn_magnitude_put(bits, values[i]);
}

#if SYN_HAVE_AVX2
/* Largest number of bits of four values that fit in a word, with up to 7 bits before them. */
#define FOUR_BITS_MAX 56

/* An integer below 2^52, put into the low bits of the double 2^52, makes the double 2^52 + that
 * integer. Minus (2^52 - 0.5), this becomes the integer + 0.5. The exponent and first mantissa bit
 * of the result are the symbol. The 0.5 makes this hold for 0 and 1, too. */
#define TWO_TO_52_BITS  INT64_C(0x4330000000000000)
#define TWO_TO_52_LESS  (0x1p52 - 0.5)
#define MANTISSA_BITS   52
#define EXPONENT_OF_ONE 1023

/* A symbol's sign is this bit until symbols are bytes. */
#define SIGN_SHIFT 12

/* Returns twice the exponent plus the first mantissa bit, for four magnitudes. */
SYN_TARGET_AVX2 static inline __m256i symbols_of_four(__m256i values)
{
    __m256i sum = _mm256_or_si256(values, _mm256_set1_epi64x(TWO_TO_52_BITS));
    __m256d number = _mm256_sub_pd(_mm256_castsi256_pd(sum), _mm256_set1_pd(TWO_TO_52_LESS));
    return _mm256_srli_epi64(_mm256_castpd_si256(number), MANTISSA_BITS - 1);
}

/* Replaces four values by their magnitudes. Returns their signs, where symbols have them. */
SYN_TARGET_AVX2 static inline __m256i take_sign(__m256i *values)
{
    const __m256i negative = _mm256_cmpgt_epi64(_mm256_setzero_si256(), *values);
    *values = _mm256_sub_epi64(_mm256_xor_si256(*values, negative), negative);
    return _mm256_and_si256(negative, _mm256_set1_epi64x(1 << SIGN_SHIFT));
}

/* Returns 16 symbols as bytes, in order. */
SYN_TARGET_AVX2 static inline __attribute__((always_inline)) __m128i
symbols_of_sixteen(const __m256i values[4], const __m256i signs[4], bool has_signs)
{
    const __m128i order = _mm_setr_epi8(0, 1, 8, 9, 2, 3, 10, 11, 4, 5, 12, 13, 6, 7, 14, 15);
    __m256 a = _mm256_castsi256_ps(_mm256_or_si256(symbols_of_four(values[0]), signs[0]));
    __m256 b = _mm256_castsi256_ps(_mm256_or_si256(symbols_of_four(values[1]), signs[1]));
    __m256 c = _mm256_castsi256_ps(_mm256_or_si256(symbols_of_four(values[2]), signs[2]));
    __m256 d = _mm256_castsi256_ps(_mm256_or_si256(symbols_of_four(values[3]), signs[3]));
    __m256i ab = _mm256_castps_si256(_mm256_shuffle_ps(a, b, 0x88)); /* the low halves */
    __m256i cd = _mm256_castps_si256(_mm256_shuffle_ps(c, d, 0x88));
    __m256i all = _mm256_subs_epu16(
        _mm256_packus_epi32(ab, cd),
        _mm256_set1_epi16(2 * EXPONENT_OF_ONE)); /* values below the exponent of 1 become 0 */
    const __m256i sign = _mm256_srli_epi16(all, SIGN_SHIFT - 7);
    if (has_signs)
        all = _mm256_or_si256(_mm256_and_si256(all, _mm256_set1_epi16(0x7f)),
                              _mm256_and_si256(sign, _mm256_set1_epi16(SYN_MAGNITUDE_NEGATIVE)));
    __m128i bytes = _mm_packus_epi16(_mm256_castsi256_si128(all), _mm256_extracti128_si256(all, 1));
    return _mm_shuffle_epi8(bytes, order);
}

/* Returns four bytes as numbers of 64 bits. */
SYN_TARGET_AVX2 static inline __m256i widen(uint32_t bytes)
{
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)bytes));
}

/* Returns the bits of four values in one word. `bits`: number of bits of each value; `sums`: number
 * of bits up to and with each value. */
SYN_TARGET_AVX2 static inline uint64_t bits_of_four(__m256i values, uint32_t bits, uint32_t sums)
{
    __m256i rest =
        _mm256_andnot_si256(_mm256_sllv_epi64(_mm256_set1_epi64x(-1), widen(bits)), values);
    rest = _mm256_sllv_epi64(rest, widen(sums << 8));
    __m128i two = _mm_or_si128(_mm256_castsi256_si128(rest), _mm256_extracti128_si256(rest, 1));
    return (uint64_t)_mm_cvtsi128_si64(_mm_or_si128(two, _mm_unpackhi_epi64(two, two)));
}

/* Encodes 16 values. Returns false and does nothing if a value is too long, or negative without
 * `has_signs`, or if four together have too many bits. */
SYN_TARGET_AVX2 static inline __attribute__((always_inline)) bool
encode_sixteen(struct syn_bit_writer *writer, const int64_t *values, uint8_t *symbols,
               bool has_signs)
{
    uint8_t bits[16], sums[16];
    const __m256i too_long = _mm256_set1_epi64x(-(INT64_C(1) << MANTISSA_BITS));
    __m256i value[4], sign[4], all = _mm256_setzero_si256();
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        value[i] = _mm256_loadu_si256((const __m256i *)(values + 4 * i));
        sign[i] = has_signs ? take_sign(&value[i]) : _mm256_setzero_si256();
        all = _mm256_or_si256(all, value[i]);
    }
    if (!_mm256_testz_si256(all, too_long))
        return false;
    __m128i symbol = symbols_of_sixteen(value, sign, has_signs);
    __m128i half = _mm_and_si128(_mm_srli_epi16(symbol, 1), _mm_set1_epi8(0x3f));
    __m128i bit = _mm_subs_epu8(half, _mm_set1_epi8(1));
    __m128i sum = _mm_add_epi8(bit, _mm_slli_epi32(bit, 8));
    sum = _mm_add_epi8(sum, _mm_slli_epi32(sum, 16));
    __m128i too_many = _mm_subs_epu8(sum, _mm_set1_epi8(FOUR_BITS_MAX));
    if (!_mm_testz_si128(too_many, too_many))
        return false;
    _mm_storeu_si128((__m128i *)symbols, symbol);
    _mm_storeu_si128((__m128i *)bits, bit);
    _mm_storeu_si128((__m128i *)sums, sum);
    for (int i = 0; i < 4; i++) {
        uint32_t four_sums = syn_load32(sums + 4 * i);
        uint64_t word = bits_of_four(value[i], syn_load32(bits + 4 * i), four_sums);
        syn_bits_put(writer, word, four_sums >> 24);
    }
    return true;
}

/* Encodes values, 16 at a time, up to the first 16 that encode_sixteen refuses. Returns their
 * number. */
SYN_TARGET_AVX2 static inline __attribute__((always_inline)) size_t
encode_while(struct syn_bit_writer *writer, const int64_t *values, size_t count, uint8_t *symbols,
             bool has_signs)
{
    struct syn_bit_writer bits = *writer; /* a local copy stays in registers */
    size_t i = 0;
    while (i + 16 <= count && encode_sixteen(&bits, values + i, symbols + i, has_signs))
        i += 16;
    *writer = bits;
    return i;
}

/* RATIONALE: most columns have no negative value. Signs would make them take 40 % longer. */
SYN_TARGET_AVX2 static void encode_avx2(struct syn_bit_writer *writer, const int64_t *values,
                                        size_t count, uint8_t *symbols)
{
    size_t i = encode_while(writer, values, count, symbols, false);
    while (i + 16 <= count) {
        const size_t refused = i + encode_while(writer, values + i, count - i, symbols + i, true);
        i = syn_least(refused + 16, count);
        encode_any(writer, values + refused, i - refused, symbols + refused);
    }
    _mm256_zeroupper(); /* RATIONALE: as in sync/time/convert.c */
    encode_any(writer, values + i, count - i, symbols + i);
}
#endif

uint8_t *syn_times_encode(const int64_t *values, size_t count, uint8_t *symbols, uint8_t *below)
{
    struct syn_bit_writer bits = {.at = below};
    SYN_BY_CPU(encode_avx2(&bits, values, count, symbols),
               encode_any(&bits, values, count, symbols));
    return syn_bits_end(&bits);
}

static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* Returns 1 / `odd` modulo 2^64. The product of this with a multiple of `odd` is the quotient.
 * Newton's method doubles the number of correct bits, which is 3 at first. */
static uint64_t inverse_of(uint64_t odd)
{
    uint64_t inverse = odd;
    for (int right_bits = 3; right_bits < 64; right_bits *= 2)
        inverse *= 2 - odd * inverse;
    return inverse;
}

/* Returns the largest odd number that divides `odd` and `value`. */
static uint64_t common_odd(uint64_t odd, int64_t value)
{
    uint64_t a = magnitude_of(value);
    while (odd) {
        const uint64_t rest = a % odd;
        a = odd;
        odd = rest;
    }
    return a >> __builtin_ctzll(a);
}

/* Shifts the values from `first` on and replaces each by its quotient by `odd`. Stops at the first
 * value that `odd` does not divide and returns its place, or `count`. Each value is only
 * multiplied: if `odd` does not divide it, the product is too large for a quotient (Granlund and
 * Montgomery 1994, section 9). */
static size_t divide_any(int64_t *values, size_t first, size_t count, int shift, uint64_t odd)
{
    const uint64_t inverse = inverse_of(odd), largest = INT64_MAX / odd;
    for (size_t i = first; i < count; i++) {
        const uint64_t quotient = (uint64_t)(values[i] >> shift) * inverse;
        if (quotient + largest > 2 * largest)
            return i;
        values[i] = (int64_t)quotient;
    }
    return count;
}

#if SYN_HAVE_AVX2
/* Like divide_any, for values from 0 to 2^32 - 1. May stop up to three values before the first that
 * `odd` does not divide. The products are modulo 2^32. */
SYN_TARGET_AVX2 static size_t divide_avx2(int64_t *values, size_t first, size_t count, int shift,
                                          uint64_t odd)
{
    const __m256i low = _mm256_set1_epi64x(UINT32_MAX), bits = _mm256_set1_epi64x(shift);
    const __m256i inverse = _mm256_set1_epi64x((int64_t)inverse_of(odd));
    const __m256i largest = _mm256_set1_epi64x((int64_t)(UINT32_MAX / odd));
    size_t i = first;
    for (; i + 4 <= count; i += 4) {
        const __m256i value = _mm256_loadu_si256((const __m256i *)(values + i));
        const __m256i product = _mm256_mul_epu32(_mm256_srlv_epi64(value, bits), inverse);
        const __m256i quotient = _mm256_and_si256(product, low);
        const __m256i too_large = _mm256_cmpgt_epi64(quotient, largest);
        if (!_mm256_testz_si256(too_large, too_large))
            return i;
        _mm256_storeu_si256((__m256i *)(values + i), quotient);
    }
    return i;
}

SYN_TARGET_AVX2 static uint64_t bits_avx2(const int64_t *values, size_t count)
{
    __m256i any = _mm256_setzero_si256();
    uint64_t four[4], rest = 0;
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        any = _mm256_or_si256(any, _mm256_loadu_si256((const __m256i *)(values + i)));
    for (; i < count; i++)
        rest |= (uint64_t)values[i];
    _mm256_storeu_si256((__m256i *)four, any);
    return four[0] | four[1] | four[2] | four[3] | rest;
}
#endif

/* Returns the bits that any of the values has. */
static uint64_t bits_any(const int64_t *values, size_t count)
{
    uint64_t any = 0;
    for (size_t i = 0; i < count; i++)
        any |= (uint64_t)values[i];
    return any;
}

/* Divides values as divide_any does. `any`: all bits that any value has before the division. */
static size_t divide_while(int64_t *values, size_t first, size_t count, int shift, uint64_t odd,
                           uint64_t any)
{
    size_t done = first;
    if (any <= UINT32_MAX)
        done = SYN_BY_CPU(divide_avx2(values, first, count, shift, odd), first);
    return divide_any(values, done, count, shift, odd);
}

/* Divides all values by the largest odd number that divides them after the shift, and returns that
 * number. After the shift at least one value is odd. The number is 1 for a fine clock, which a few
 * values show.
 *
 * RATIONALE: for a coarse clock, the number is mostly known from the first value or the first few.
 * So values are divided while they are tested, and the few before are corrected. */
static uint64_t divide_by_odd(int64_t *values, size_t count, int shift, uint64_t any)
{
    size_t done = 0;
    while (values[done] == 0)
        done++;
    const uint64_t first = magnitude_of(values[done] >> shift);
    uint64_t odd = first >> __builtin_ctzll(first);
    while (odd != 1 && (done = divide_while(values, done, count, shift, odd, any)) < count) {
        const uint64_t smaller = common_odd(odd, values[done] >> shift);
        /* Turn quotients by the larger divisor into quotients by the smaller one. */
        for (size_t i = 0; i < done; i++)
            values[i] = (int64_t)((uint64_t)values[i] * (odd / smaller));
        odd = smaller;
    }
    for (size_t i = done; odd == 1 && shift > 0 && i < count; i++)
        values[i] >>= shift;
    return odd;
}

int64_t syn_times_divide(int64_t *values, size_t count)
{
    const uint64_t any = SYN_BY_CPU(bits_avx2(values, count), bits_any(values, count));
    const int shift = any ? __builtin_ctzll(any) : 64;
    if (shift >= 63) /* all values are 0, or only INT64_MIN is not: a unit is at most INT64_MAX */
        return 1;
    return (int64_t)(divide_by_odd(values, count, shift, any) << shift);
}

size_t syn_times_put(const int64_t *values, size_t count, struct syn_bytes *out)
{
    uint8_t *symbols = syn_bytes_reserve(out, 9 * count + 8);
    if (!symbols)
        return out->count;
    uint8_t *end = syn_times_encode(values, count, symbols, symbols + count);
    const size_t bits_at = out->count + count;
    out->count += (size_t)(end - symbols);
    return bits_at;
}
