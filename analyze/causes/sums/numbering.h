/* analyze/causes/sums/numbering.h - records of one size as small numbers: equal bytes, equal
 * numbers, 0, 1, 2, ... in order of first appearance. Padding in a record must be zeroed. A record
 * is whole words of 32 bits, and never moves: it may be read while another thread adds one. */
#ifndef SYN_NUMBERING_H
#define SYN_NUMBERING_H

#include <stddef.h>
#include <stdint.h>

#include "sync/base/index.h"

#define SYN_NO_NUMBER     UINT32_MAX
#define SYN_NUMBERED_BITS 8 /* of the first block's number of records; each next one has twice */

struct syn_numbering {
    size_t record_bytes, count;
    uint8_t *block[32 - SYN_NUMBERED_BITS]; /* owned */
    struct syn_index index;
    uint32_t next; /* behind the number that was asked for last: records come in the order they came
                      in before, as a rule */
};

/* No record yet; nothing is allocated. */
void syn_numbering_begin(struct syn_numbering *numbering, size_t record_bytes);
void syn_numbering_free(struct syn_numbering *numbering);
/* The number of a record, copied where it is new. SYN_NO_NUMBER: no memory. */
uint32_t syn_numbering_of(struct syn_numbering *numbering, const void *record);
/* The number of a record; SYN_NO_NUMBER: it has none. */
uint32_t syn_numbering_find(const struct syn_numbering *numbering, const void *record);
/* The next number, for a record that is new and that nobody will look for. SYN_NO_NUMBER: no
 * memory. */
uint32_t syn_numbering_append(struct syn_numbering *numbering, const void *record);
static inline const void *syn_numbering_at(const struct syn_numbering *numbering, uint32_t number)
{
    const uint32_t place = number + (1u << SYN_NUMBERED_BITS);
    const unsigned bits = 31u - (unsigned)__builtin_clz(place);
    return numbering->block[bits - SYN_NUMBERED_BITS] +
           (place - (1u << bits)) * numbering->record_bytes;
}

#endif
