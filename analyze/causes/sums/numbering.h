/* analyze/causes/sums/numbering.h - numbers records of one size: 0, 1, 2, ... in the order of first
 * appearance. Records of equal bytes have equal numbers. Padding in a record must be zeroed. A
 * record consists of 32-bit words and never moves, so it may be read while another thread adds
 * one. */
#ifndef SYN_NUMBERING_H
#define SYN_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"

#define SYN_NO_NUMBER     UINT32_MAX
#define SYN_NUMBERED_BITS 8 /* log2 of the first block's records; then it doubles */

struct syn_numbering {
    size_t record_bytes, count;
    uint8_t *block[32 - SYN_NUMBERED_BITS]; /* owned */
    struct syn_index index;
    uint32_t next; /* one more than the last number returned; a fast guess, because records mostly
                      come in the same order again */
};

/* Begins an empty numbering. Nothing is allocated. */
void syn_numbering_begin(struct syn_numbering *numbering, size_t record_bytes);
void syn_numbering_free(struct syn_numbering *numbering);
/* Returns the number of a record. A new record is copied. Returns SYN_NO_NUMBER if out of
 * memory. */
uint32_t syn_numbering_of(struct syn_numbering *numbering, const void *record);
/* Returns the number of a record, or SYN_NO_NUMBER if it has none. */
uint32_t syn_numbering_find(const struct syn_numbering *numbering, const void *record);
/* Adds a record that is new and that will not be looked up. Returns its number, or SYN_NO_NUMBER if
 * out of memory. */
uint32_t syn_numbering_append(struct syn_numbering *numbering, const void *record);
static inline const void *syn_numbering_at(const struct syn_numbering *numbering, uint32_t number)
{
    const uint32_t place = number + (1u << SYN_NUMBERED_BITS);
    const unsigned bits = 31u - (unsigned)__builtin_clz(place);
    return numbering->block[bits - SYN_NUMBERED_BITS] +
           (place - (1u << bits)) * numbering->record_bytes;
}

#endif
