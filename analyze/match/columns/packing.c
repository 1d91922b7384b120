/* analyze/match/columns/packing.c - packs integers as differences from a base. The loops have a
 * form that compilers vectorize. */
#include "analyze/match/columns/packing.h"

uint8_t syn_packed_width(uint64_t span)
{
    return span == 0            ? 0
           : span <= UINT8_MAX  ? 1
           : span <= UINT16_MAX ? 2
           : span <= UINT32_MAX ? 4
                                : 8;
}

#define LOOPS(name, type)                                                                \
    static void pack_##name(const int64_t *restrict values, size_t count, uint64_t base, \
                            type *restrict out)                                          \
    {                                                                                    \
        for (size_t i = 0; i < count; i++)                                               \
            out[i] = (type)((uint64_t)values[i] - base);                                 \
    }                                                                                    \
    static void unpack_##name(const type *restrict packed, size_t count, uint64_t base,  \
                              int64_t *restrict out)                                     \
    {                                                                                    \
        for (size_t i = 0; i < count; i++)                                               \
            out[i] = (int64_t)(base + packed[i]);                                        \
    }

LOOPS(8, uint8_t)
LOOPS(16, uint16_t)
LOOPS(32, uint32_t)
LOOPS(64, uint64_t)

void syn_pack(const int64_t *values, size_t count, int64_t base, uint8_t width, void *out)
{
    uint64_t from = (uint64_t)base;
    switch (width) {
    case 0:
        return;
    case 1:
        pack_8(values, count, from, out);
        return;
    case 2:
        pack_16(values, count, from, out);
        return;
    case 4:
        pack_32(values, count, from, out);
        return;
    default:
        pack_64(values, count, from, out);
    }
}

void syn_unpack(const void *packed, size_t count, int64_t base, uint8_t width, int64_t *out)
{
    uint64_t from = (uint64_t)base;
    switch (width) {
    case 0:
        for (size_t i = 0; i < count; i++)
            out[i] = base;
        return;
    case 1:
        unpack_8(packed, count, from, out);
        return;
    case 2:
        unpack_16(packed, count, from, out);
        return;
    case 4:
        unpack_32(packed, count, from, out);
        return;
    default:
        unpack_64(packed, count, from, out);
    }
}
