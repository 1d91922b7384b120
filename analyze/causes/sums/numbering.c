/* analyze/causes/sums/numbering.c - a table of records and their index. */
#include "analyze/causes/sums/numbering.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/hash.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

void syn_numbering_begin(struct syn_numbering *numbering, size_t record_bytes)
{
    *numbering = (struct syn_numbering){.record_bytes = record_bytes};
}

void syn_numbering_free(struct syn_numbering *numbering)
{
    free(numbering->record);
    syn_index_free(&numbering->index);
    syn_numbering_begin(numbering, numbering->record_bytes);
}

static uint64_t hash_of_numbered(const void *owner, uint32_t number)
{
    const struct syn_numbering *numbering = owner;
    return syn_hash64(syn_numbering_at(numbering, number), numbering->record_bytes);
}

/* memcmp, of a few words; records have whole ones. */
static bool is(const void *owner, uint32_t number, const void *record)
{
    const struct syn_numbering *numbering = owner;
    const uint32_t *a = syn_numbering_at(numbering, number), *b = record;
    uint32_t differ = 0;
    for (size_t i = 0; i < numbering->record_bytes / sizeof *a; i++)
        differ |= a[i] ^ b[i];
    return differ == 0;
}

static int reserve_record(struct syn_numbering *numbering)
{
    return numbering->count < numbering->capacity
               ? SYN_OK
               : syn_vector_grow((void *)&numbering->record, &numbering->capacity,
                                 numbering->record_bytes);
}

static uint32_t append(struct syn_numbering *numbering, const void *record)
{
    memcpy(numbering->record + numbering->count * numbering->record_bytes, record,
           numbering->record_bytes);
    return (uint32_t)numbering->count++;
}

uint32_t syn_numbering_append(struct syn_numbering *numbering, const void *record)
{
    return reserve_record(numbering) == SYN_OK ? append(numbering, record) : SYN_NO_NUMBER;
}

static int reserve(struct syn_numbering *numbering)
{
    const int status = reserve_record(numbering);
    return status != SYN_OK ? status
                            : syn_index_make_room(&numbering->index, numbering->count,
                                                  hash_of_numbered, numbering);
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
    if (reserve(numbering) != SYN_OK)
        return SYN_NO_NUMBER;
    uint32_t *slot = syn_index_slot(&numbering->index, syn_hash64(record, numbering->record_bytes),
                                    is, numbering, record);
    if (*slot == 0)
        *slot = append(numbering, record) + 1;
    numbering->next = *slot;
    return *slot - 1;
}
