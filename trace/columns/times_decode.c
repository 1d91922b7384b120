/* trace/columns/times_decode.c - symbols and bits to times. */
#include <pthread.h>
#include <stdbool.h>

#include "sync/base/bytes.h"
#include "sync/base/integers.h"
#include "sync/time/cpu.h"
#include "trace/columns/magnitude.h"
#include "trace/columns/times.h"

#if SYN_HAVE_AVX2
#include <immintrin.h>
#endif

/* Some values share a load: behind the bits of its first byte that are not theirs it has 57. */
#define SHARED_BITS_MAX 56
#define PAIR_SIGNS      0x8080u

#define EACH_BYTE  UINT64_C(0x0101010101010101)
#define EVEN_BYTES UINT64_C(0x00ff00ff00ff00ff)
/* Number of words whose sum stays within each 16 bits: at most 62 * 2 * 256. */
#define WORDS_PER_SUM 256

static struct syn_times_tables tables_once;

static void make_tables(void)
{
    for (unsigned symbol = 0; symbol < 256; symbol++) {
        tables_once.base[symbol] = syn_magnitude_base((uint8_t)symbol);
        tables_once.bits[symbol] = (uint8_t)syn_magnitude_bits((uint8_t)symbol);
    }
}

const struct syn_times_tables *syn_times_tables(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, make_tables);
    return &tables_once;
}

/* In each byte the bits of its symbol: half its code, less one where that is not 0 already. */
static uint64_t bits_of_eight(const uint8_t *symbols)
{
    uint64_t half = syn_load64(symbols) >> 1 & 0x3f * EACH_BYTE;
    uint64_t not_zero = (half + 0x7f * EACH_BYTE) >> 7 & EACH_BYTE;
    return half - not_zero;
}

uint64_t syn_times_bit_count(const uint8_t *symbols, size_t count)
{
    uint64_t total = 0;
    size_t i = 0;
    while (count - i >= 8) {
        size_t words = (count - i) / 8;
        uint64_t sums = 0;
        words = syn_least(words, WORDS_PER_SUM);
        for (size_t end = i + 8 * words; i < end; i += 8) {
            uint64_t bits = bits_of_eight(symbols + i);
            sums += (bits & EVEN_BYTES) + (bits >> 8 & EVEN_BYTES);
        }
        for (; sums; sums >>= 16)
            total += sums & 0xffff;
    }
    for (; i < count; i++)
        total += syn_magnitude_bits(symbols[i]);
    return total;
}

static int64_t decode_one(const struct syn_times_tables *tables, uint8_t symbol,
                          const uint8_t *data, uint64_t position)
{
    uint64_t magnitude = tables->base[symbol] + syn_bits_get(data, position, tables->bits[symbol]);
    uint64_t sign = 0 - (uint64_t)(symbol >> 7);
    return (int64_t)((magnitude ^ sign) - sign);
}

/* Any symbols, one by one; out of the way of those that are the rule. */
static __attribute__((noinline)) uint64_t decode_each(const struct syn_times_tables *tables,
                                                      const uint8_t *symbols, size_t count,
                                                      const uint8_t *data, uint64_t position,
                                                      int64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        values[i] = decode_one(tables, symbols[i], data, position);
        position += tables->bits[symbols[i]];
    }
    return position;
}

/* Nearly all times are positive and shorter than half a second: two at a time, without branches
 * but for that. */
static uint64_t decode_any(const struct syn_times_tables *tables, const uint8_t *symbols,
                           size_t count, const uint8_t *data, uint64_t position, int64_t *values)
{
    size_t i = 0;
    for (; i + 2 <= count; i += 2) {
        unsigned pair = syn_load16(symbols + i), a = pair & 0xff, b = pair >> 8;
        unsigned a_bits = tables->bits[a], both = a_bits + tables->bits[b];
        if (__builtin_expect((pair & PAIR_SIGNS) || both > SHARED_BITS_MAX, 0)) {
            position = decode_each(tables, symbols + i, 2, data, position, values + i);
            continue;
        }
        uint64_t word = syn_load64(data + (position >> 3)) >> (position & 7);
        uint64_t a_rest = word & (((uint64_t)1 << a_bits) - 1);
        uint64_t b_rest = (word & (((uint64_t)1 << both) - 1)) >> a_bits;
        values[i] = (int64_t)(tables->base[a] + a_rest);
        values[i + 1] = (int64_t)(tables->base[b] + b_rest);
        position += both;
    }
    return decode_each(tables, symbols + i, count - i, data, position, values + i);
}

#if SYN_HAVE_AVX2
/* Decoded form of 16 positive symbols: how many bits each has, the bits that it says itself, and in
 * each four the sum of the bits up to and with each. */
struct sixteen {
    uint8_t bits[16];
    uint8_t top[16];
    uint8_t sum[16];
};

/* Returns false where one is negative, or a four has too many bits. */
SYN_TARGET_AVX2 static inline bool take_sixteen(const uint8_t *symbols, struct sixteen *out)
{
    __m128i symbol = _mm_loadu_si128((const __m128i *)symbols);
    __m128i half = _mm_and_si128(_mm_srli_epi16(symbol, 1), _mm_set1_epi8(0x3f));
    __m128i bits = _mm_subs_epu8(half, _mm_set1_epi8(1));
    __m128i sum = _mm_add_epi8(bits, _mm_slli_epi32(bits, 8));
    sum = _mm_add_epi8(sum, _mm_slli_epi32(sum, 16));
    __m128i too_many = _mm_subs_epu8(sum, _mm_set1_epi8(SHARED_BITS_MAX));
    __m128i unusual = _mm_or_si128(too_many, _mm_and_si128(symbol, _mm_set1_epi8(-128)));
    _mm_storeu_si128((__m128i *)out->bits, bits);
    _mm_storeu_si128((__m128i *)out->top, _mm_sub_epi8(symbol, _mm_add_epi8(bits, bits)));
    _mm_storeu_si128((__m128i *)out->sum, sum);
    return _mm_testz_si128(unusual, unusual);
}

/* Four bytes as numbers of 64 bits. */
SYN_TARGET_AVX2 static inline __m256i widen(uint32_t bytes)
{
    return _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)bytes));
}

/* Four values share a load, and their bits are cut out of it at once. */
SYN_TARGET_AVX2 static uint64_t decode_avx2(const struct syn_times_tables *tables,
                                            const uint8_t *symbols, size_t count,
                                            const uint8_t *data, uint64_t position, int64_t *values)
{
    const __m256i ones = _mm256_set1_epi64x(-1);
    struct sixteen sixteen;
    size_t i = 0;
    for (; i + 16 <= count; i += 16) {
        if (__builtin_expect(!take_sixteen(symbols + i, &sixteen), 0)) {
            position = decode_any(tables, symbols + i, 16, data, position, values + i);
            continue;
        }
        for (int four = 0; four < 16; four += 4) {
            uint64_t word = syn_load64(data + (position >> 3)) >> (position & 7);
            uint32_t sum = syn_load32(sixteen.sum + four);
            __m256i bits = widen(syn_load32(sixteen.bits + four));
            __m256i rest = _mm256_srlv_epi64(_mm256_set1_epi64x((int64_t)word), widen(sum << 8));
            rest = _mm256_andnot_si256(_mm256_sllv_epi64(ones, bits), rest);
            __m256i top = _mm256_sllv_epi64(widen(syn_load32(sixteen.top + four)), bits);
            _mm256_storeu_si256((__m256i *)(values + i + four), _mm256_or_si256(top, rest));
            position += sum >> 24;
        }
    }
    return decode_any(tables, symbols + i, count - i, data, position, values + i);
}
#endif

uint64_t syn_times_decode(const struct syn_times_tables *tables, const uint8_t *symbols,
                          size_t count, const uint8_t *data, uint64_t position, uint64_t unit,
                          int64_t *values)
{
    position = SYN_BY_CPU(decode_avx2(tables, symbols, count, data, position, values),
                          decode_any(tables, symbols, count, data, position, values));
    for (size_t i = 0; unit != 1 && i < count; i++)
        values[i] = (int64_t)((uint64_t)values[i] * unit);
    return position;
}
