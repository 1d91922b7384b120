/* analyze/match/columns/packing.h - whole numbers in as few bytes each as hold the largest of them,
 * above the smallest. */
#ifndef SYN_PACKING_H
#define SYN_PACKING_H

#include <stddef.h>
#include <stdint.h>

/* Bytes for numbers up to `span`: 0, 1, 2, 4 or 8. */
uint8_t syn_packed_width(uint64_t span);
/* Packs each value's difference from `base` into out [count * width bytes], aligned for 8 bytes.
 * Differences wrap, so that any two numbers have one. */
void syn_pack(const int64_t *values, size_t count, int64_t base, uint8_t width, void *out);
/* And back: `packed` is where the first one's bytes are. */
void syn_unpack(const void *packed, size_t count, int64_t base, uint8_t width, int64_t *out);

#endif
