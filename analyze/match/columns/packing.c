/* analyze/match/columns/packing.c - numbers packed in as few bits as the largest of a block needs.
 * Loops are written so that compilers make vectors of them. */
#include "analyze/match/columns/packing.h"

#include <stdbool.h>

#include "sync/time/cpu.h"

uint8_t syn_packed_width(uint64_t span)
{
    return span == 0            ? 0
           : span <= UINT8_MAX  ? 1
           : span <= UINT16_MAX ? 2
           : span <= UINT32_MAX ? 4
                                : 8;
}

/* Each loop once for any processor and once for newer ones (sync/time/cpu.h). */
#define LOOPS(name, type, target)                                                               \
    target static void pack_##name(const int64_t *restrict values, size_t count, uint64_t base, \
                                   type *restrict out)                                          \
    {                                                                                           \
        for (size_t i = 0; i < count; i++)                                                      \
            out[i] = (type)((uint64_t)values[i] - base);                                        \
    }                                                                                           \
    target static void unpack_##name(const type *restrict packed, size_t count, uint64_t base,  \
                                     int64_t *restrict out)                                     \
    {                                                                                           \
        for (size_t i = 0; i < count; i++)                                                      \
            out[i] = (int64_t)(base + packed[i]);                                               \
    }

LOOPS(8, uint8_t, )
LOOPS(16, uint16_t, )
LOOPS(32, uint32_t, )
LOOPS(64, uint64_t, )
LOOPS(8_avx2, uint8_t, SYN_TARGET_AVX2)
LOOPS(16_avx2, uint16_t, SYN_TARGET_AVX2)
LOOPS(32_avx2, uint32_t, SYN_TARGET_AVX2)
LOOPS(64_avx2, uint64_t, SYN_TARGET_AVX2)

void syn_pack(const int64_t *values, size_t count, int64_t base, uint8_t width, void *out)
{
    bool newer = syn_cpu() >= SYN_CPU_AVX2;
    uint64_t from = (uint64_t)base;
    switch (width) {
    case 0:
        return;
    case 1:
        (newer ? pack_8_avx2 : pack_8)(values, count, from, out);
        return;
    case 2:
        (newer ? pack_16_avx2 : pack_16)(values, count, from, out);
        return;
    case 4:
        (newer ? pack_32_avx2 : pack_32)(values, count, from, out);
        return;
    default:
        (newer ? pack_64_avx2 : pack_64)(values, count, from, out);
    }
}

void syn_unpack(const void *packed, size_t count, int64_t base, uint8_t width, int64_t *out)
{
    bool newer = syn_cpu() >= SYN_CPU_AVX2;
    uint64_t from = (uint64_t)base;
    switch (width) {
    case 0:
        for (size_t i = 0; i < count; i++)
            out[i] = base;
        return;
    case 1:
        (newer ? unpack_8_avx2 : unpack_8)(packed, count, from, out);
        return;
    case 2:
        (newer ? unpack_16_avx2 : unpack_16)(packed, count, from, out);
        return;
    case 4:
        (newer ? unpack_32_avx2 : unpack_32)(packed, count, from, out);
        return;
    default:
        (newer ? unpack_64_avx2 : unpack_64)(packed, count, from, out);
    }
}
