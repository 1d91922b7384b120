/* trace/columns/times.h - whole columns of times as symbols and bits (magnitude.h). */
#ifndef SYN_TIMES_H
#define SYN_TIMES_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/bytes.h"

/* The meaning of each symbol. */
struct syn_times_tables {
    uint64_t base[256]; /* the smallest magnitude */
    uint8_t bits[256];  /* how many bits say which above it */
};

/* Returns the one table, to any thread. */
const struct syn_times_tables *syn_times_tables(void);

/* How many bits `count` symbols have below them. */
uint64_t syn_times_bit_count(const uint8_t *symbols, size_t count);

/* The values [count] of symbols [count] and of their bits from bit `position` of `data` on, times
 * `unit`, modulo 2^64. Nothing in the symbols is believed, but that all their bits are there,
 * and 16 bytes of any value behind them.
 * Returns the position behind the last bit. */
uint64_t syn_times_decode(const struct syn_times_tables *tables, const uint8_t *symbols,
                          size_t count, const uint8_t *data, uint64_t position, uint64_t unit,
                          int64_t *values);

/* The other way round: writes a symbol for each of `values` [count], and their bits to `below`,
 * where 8 bytes a value and 8 more are there. Returns the end of the bits. */
uint8_t *syn_times_encode(const int64_t *values, size_t count, uint8_t *symbols, uint8_t *below);
/* Append the symbols of a column to `out`, and behind them the bits, to a whole byte. Returns where
 * in `out` the bits begin. */
size_t syn_times_put(const int64_t *values, size_t count, struct syn_bytes *out);
/* Divide a column by the largest number that divides all of it, and return that: 1 for a fine
 * clock, the step of a coarse one. */
int64_t syn_times_divide(int64_t *values, size_t count);

#endif
