/* trace/columns/times_decode.c - decodes symbols and bits to times. */
#include <pthread.h>

#include "sync/base/bytes.h"
#include "trace/columns/magnitude.h"
#include "trace/columns/times.h"

/* Two values whose bits together are no more than this share one load. The load has at least 57
 * bits from `position` on. */
#define SHARED_BITS_MAX 56
#define PAIR_SIGNS      0x8080u

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

uint64_t syn_times_bit_count(const uint8_t *symbols, size_t count)
{
    const struct syn_times_tables *tables = syn_times_tables();
    uint64_t total = 0;
    for (size_t i = 0; i < count; i++)
        total += tables->bits[symbols[i]];
    return total;
}

/* Decodes any symbols, one by one. Not inlined, so that this code stays apart from the frequent
 * case. */
static __attribute__((noinline)) uint64_t decode_each(const struct syn_times_tables *tables,
                                                      const uint8_t *symbols, size_t count,
                                                      const uint8_t *data, uint64_t position,
                                                      int64_t *values)
{
    for (size_t i = 0; i < count; i++) {
        const unsigned bits = tables->bits[symbols[i]];
        uint64_t magnitude = tables->base[symbols[i]] + syn_bits_get(data, position, bits);
        uint64_t sign = 0 - (uint64_t)(symbols[i] >> 7);
        values[i] = (int64_t)((magnitude ^ sign) - sign);
        position += bits;
    }
    return position;
}

/* RATIONALE: nearly all times are positive and shorter than half a second. So two are decoded at a
 * time, with one branch that tests for the exceptions. */
uint64_t syn_times_decode(const struct syn_times_tables *tables, const uint8_t *symbols,
                          size_t count, const uint8_t *data, uint64_t position, uint64_t unit,
                          int64_t *values)
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
    position = decode_each(tables, symbols + i, count - i, data, position, values + i);
    for (i = 0; unit != 1 && i < count; i++)
        values[i] = (int64_t)((uint64_t)values[i] * unit);
    return position;
}
