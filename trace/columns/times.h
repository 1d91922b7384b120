/* trace/columns/times.h - encodes and decodes columns of times as symbols and bits
 * (magnitude.h). */
#ifndef SYN_TIMES_H
#define SYN_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* The meaning of each symbol. */
struct syn_times_tables {
    uint64_t base[256]; /* the smallest magnitude of the symbol */
    uint8_t bits[256];  /* number of bits that say how far the magnitude lies above it */
};

/* Returns the tables. Any thread may call this. */
const struct syn_times_tables *syn_times_tables(void);

/* Returns the total number of bits that belong to `count` symbols. */
uint64_t syn_times_bit_count(const uint8_t *symbols, size_t count);

/* Decodes the values [count] of symbols [count] and of the bits from bit `position` of `data` on,
 * times `unit`, modulo 2^64. The symbols may have any values, but all their bits have to be
 * readable, and 16 bytes of any value behind them. Returns the position behind the last bit. */
uint64_t syn_times_decode(const struct syn_times_tables *tables, const uint8_t *symbols,
                          size_t count, const uint8_t *data, uint64_t position, uint64_t unit,
                          int64_t *values);

/* Encodes values [count]: writes a symbol for each, and their bits to `below`, which has room for 8
 * bytes per value and 8 more. Returns the end of the bits. */
uint8_t *syn_times_encode(const int64_t *values, size_t count, uint8_t *symbols, uint8_t *below);
/* Appends the symbols of a column to `out`, then its bits, up to a whole byte. Returns the place in
 * `out` at which the bits begin. */
size_t syn_times_put(const int64_t *values, size_t count, struct syn_bytes *out);
/* Divides a column by the largest number that divides all its values, and returns that number: 1
 * for a fine clock, the step of a coarse clock. */
int64_t syn_times_divide(int64_t *values, size_t count);

#endif
