/* analyze/causes/numbering.c - a table of records by open addressing. */
#include "analyze/causes/numbering.h"

#include <stdlib.h>
#include <string.h>

#define BUCKETS_LEAST 64

void syn_numbering_begin(struct syn_numbering *numbering, size_t record_bytes)
{
    *numbering = (struct syn_numbering){.record_bytes = record_bytes};
}

void syn_numbering_free(struct syn_numbering *numbering)
{
    free(numbering->record);
    free(numbering->bucket);
    syn_numbering_begin(numbering, numbering->record_bytes);
}

static size_t hash(const uint8_t *record, size_t bytes)
{
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < bytes; i++)
        sum = (sum ^ record[i]) * UINT64_C(0x100000001B3);
    return (size_t)(sum ^ sum >> 32);
}

/* Where a record is, or would be. */
static size_t place_of(const struct syn_numbering *numbering, const uint8_t *record)
{
    size_t mask = numbering->bucket_count - 1;
    size_t at = hash(record, numbering->record_bytes) & mask;
    while (numbering->bucket[at] && memcmp(syn_numbering_at(numbering, numbering->bucket[at] - 1),
                                           record, numbering->record_bytes) != 0)
        at = (at + 1) & mask;
    return at;
}

static int spread(struct syn_numbering *numbering)
{
    size_t count = numbering->bucket_count ? 2 * numbering->bucket_count : BUCKETS_LEAST;
    uint32_t *bucket = calloc(count, sizeof *bucket);
    if (!bucket)
        return -1;
    free(numbering->bucket);
    numbering->bucket = bucket;
    numbering->bucket_count = count;
    for (uint32_t i = 0; i < numbering->count; i++)
        bucket[place_of(numbering, syn_numbering_at(numbering, i))] = i + 1;
    return 0;
}

static int reserve(struct syn_numbering *numbering)
{
    if (2 * numbering->count >= numbering->bucket_count && spread(numbering))
        return -1;
    if (numbering->count < numbering->capacity)
        return 0;
    size_t capacity = numbering->capacity ? 2 * numbering->capacity : BUCKETS_LEAST / 2;
    uint8_t *record = realloc(numbering->record, capacity * numbering->record_bytes);
    if (!record)
        return -1;
    numbering->record = record;
    numbering->capacity = capacity;
    return 0;
}

uint32_t syn_numbering_of(struct syn_numbering *numbering, const void *record)
{
    if (reserve(numbering))
        return SYN_NO_NUMBER;
    size_t at = place_of(numbering, record);
    if (!numbering->bucket[at]) {
        memcpy(numbering->record + numbering->count * numbering->record_bytes, record,
               numbering->record_bytes);
        numbering->bucket[at] = (uint32_t)++numbering->count;
    }
    return numbering->bucket[at] - 1;
}
