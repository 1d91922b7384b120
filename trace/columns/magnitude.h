/* trace/columns/magnitude.h - encodes a 64-bit number as a one-byte symbol and the bits below it.
 *
 * The symbol has the sign, the power of two and the next bit (half-octaves). Within a half-octave
 * values are nearly uniform. So entropy coding of the symbols alone comes within a few hundredths
 * of a bit of the entropy of the distribution, whatever its shape. All of int64 can be
 * represented. */
#ifndef SYN_MAGNITUDE_H
#define SYN_MAGNITUDE_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

#define SYN_MAGNITUDE_NEGATIVE 0x80u
#define SYN_MAGNITUDE_BITS_MAX 62

/* Returns the number of bits that follow a symbol: |value| in [2 + m, 3 + m) * 2^(e-1) has symbol
 * 2e + m and e - 1 bits. */
static inline unsigned syn_magnitude_bits(uint8_t symbol)
{
    unsigned code = symbol & 0x7fu;
    return code < 4 ? 0 : code / 2 - 1;
}

/* Returns the smallest |value| of a symbol. */
static inline uint64_t syn_magnitude_base(uint8_t symbol)
{
    unsigned code = symbol & 0x7fu;
    return code < 4 ? code : (uint64_t)(2 + (code & 1)) << (code / 2 - 1);
}

/* Writes bits, the least significant first. The memory needs 8 bytes beyond the last one
 * written. */
struct syn_bit_writer {
    uint8_t *at;
    uint64_t pending; /* fewer than 8 bits that have no whole byte yet */
    unsigned pending_count;
};

/* Writes `count` <= 56 bits. */
static inline void syn_bits_put(struct syn_bit_writer *bits, uint64_t value, unsigned count)
{
    uint64_t word = bits->pending | value << bits->pending_count;
    unsigned total = bits->pending_count + count;
    syn_store64(bits->at, word);
    bits->at += total >> 3;
    bits->pending = word >> (total & 56u);
    bits->pending_count = total & 7u;
}

/* Returns the end of the bytes that hold bits. */
static inline uint8_t *syn_bits_end(const struct syn_bit_writer *bits)
{
    return bits->at + (bits->pending_count > 0);
}

/* Writes the bits of `value` and returns its symbol. */
static inline uint8_t syn_magnitude_put(struct syn_bit_writer *bits, int64_t value)
{
    uint64_t sign = 0 - ((uint64_t)value >> 63);
    uint64_t magnitude = ((uint64_t)value ^ sign) - sign;
    unsigned symbol = (unsigned)(sign & SYN_MAGNITUDE_NEGATIVE);
    unsigned rest_count = 62u - (unsigned)__builtin_clzll(magnitude | 1);
    /* One branch catches both extremes: 0 and 1 have no top two bits (rest_count wraps), huge
     * values have too many bits for one call. */
    if (__builtin_expect(rest_count > 56, 0)) {
        if (magnitude < 2)
            return (uint8_t)(symbol | magnitude);
        syn_bits_put(bits, magnitude & 0xffffffffu, 32);
        uint64_t top = magnitude >> rest_count;
        syn_bits_put(bits, (magnitude ^ top << rest_count) >> 32, rest_count - 32);
        return (uint8_t)(symbol | (2 * rest_count + top));
    }
    unsigned top = (unsigned)(magnitude >> rest_count); /* 2 or 3 */
    syn_bits_put(bits, magnitude & (((uint64_t)1 << rest_count) - 1), rest_count);
    return (uint8_t)(symbol | (2 * rest_count + top));
}

/* Reads `count` <= 62 bits from bit `position`; 8 bytes beyond must be readable. */
static inline uint64_t syn_bits_get(const uint8_t *data, size_t position, unsigned count)
{
    uint64_t word = syn_load64(data + (position >> 3)) >> (position & 7);
    if (__builtin_expect(count > 56, 0))
        word = (word & 0xffffffffu) | syn_bits_get(data, position + 32, count - 32) << 32;
    return word & (((uint64_t)1 << count) - 1);
}

#endif
