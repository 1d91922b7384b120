/* analyze/match/columns/packing.h - packs integers as differences from a base, in as few bytes each
 * as the largest difference needs. */
#ifndef SYN_PACKING_H
#define SYN_PACKING_H

#include <stddef.h>
#include <stdint.h>

/* Returns the bytes for numbers up to `span`: 0, 1, 2, 4 or 8. */
uint8_t syn_packed_width(uint64_t span);
/* Packs each value's difference from `base` into out [count * width bytes], which is aligned to 8
 * bytes. Differences wrap modulo 2^64. */
void syn_pack(const int64_t *values, size_t count, int64_t base, uint8_t width, void *out);
/* Unpacks `count` values. `packed` points to the first of them. */
void syn_unpack(const void *packed, size_t count, int64_t base, uint8_t width, int64_t *out);

#endif
