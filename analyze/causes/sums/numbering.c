/* analyze/causes/sums/numbering.c - a table of records and their index. */
#include "analyze/causes/sums/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"

void syn_numbering_begin(struct syn_numbering *numbering, size_t record_bytes)
{
    *numbering = (struct syn_numbering){.record_bytes = record_bytes};
}

void syn_numbering_free(struct syn_numbering *numbering)
{
    for (size_t b = 0; b < sizeof numbering->block / sizeof *numbering->block; b++)
        free(numbering->block[b]);
    syn_index_free(&numbering->index);
    syn_numbering_begin(numbering, numbering->record_bytes);
}

static uint64_t hash_of_numbered(const void *owner, uint32_t number)
{
    const struct syn_numbering *numbering = owner;
    return syn_hash64(syn_numbering_at(numbering, number), numbering->record_bytes);
}

/* Compares a record with a numbered one. Records are a few whole words, which is faster than
 * memcmp. */
static bool is(const void *owner, uint32_t number, const void *record)
{
    const struct syn_numbering *numbering = owner;
    const uint32_t *a = syn_numbering_at(numbering, number), *b = record;
    uint32_t differ = 0;
    for (size_t i = 0; i < numbering->record_bytes / sizeof *a; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

uint32_t syn_numbering_append(struct syn_numbering *numbering, const void *record)
{
    const size_t place = numbering->count + ((size_t)1 << SYN_NUMBERED_BITS);
    if (place > UINT32_MAX)
        return SYN_NO_NUMBER;
    const unsigned bits = 31u - (unsigned)__builtin_clz((uint32_t)place);
    uint8_t **block = &numbering->block[bits - SYN_NUMBERED_BITS];
    if (!*block)
        *block = malloc(numbering->record_bytes << bits);
    if (!*block)
        return SYN_NO_NUMBER;
    memcpy(*block + (place - ((size_t)1 << bits)) * numbering->record_bytes, record,
           numbering->record_bytes);
    return (uint32_t)numbering->count++;
}

uint32_t syn_numbering_find(const struct syn_numbering *numbering, const void *record)
{
    if (numbering->count == 0)
        return SYN_NO_NUMBER;
    return *syn_index_slot(&numbering->index, syn_hash64(record, numbering->record_bytes), is,
                           numbering, record) -
           1;
}

uint32_t syn_numbering_of(struct syn_numbering *numbering, const void *record)
{
    if (numbering->next < numbering->count && is(numbering, numbering->next, record))
        return numbering->next++;
    if (syn_index_make_room(&numbering->index, numbering->count, hash_of_numbered, numbering) !=
        SYN_OK)
        return SYN_NO_NUMBER;
    uint32_t *slot = syn_index_slot(&numbering->index, syn_hash64(record, numbering->record_bytes),
                                    is, numbering, record);
    if (*slot == 0) /* empty, and stays so if appending returns SYN_NO_NUMBER, since SYN_NO_NUMBER +
                       1 is 0 */
        *slot = syn_numbering_append(numbering, record) + 1;
    numbering->next = *slot;
    return *slot - 1;
}
