/* trace/write/raw.c - encodes and decodes raw blocks, which are the memory of a killed program. */
#include "trace/write/raw.h"

#include <stdio.h>
#include <string.h>

#include "sync/base/bytes.h"
#include "sync/base/hash.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"
#include "trace/directory/manifest.h"

enum {
    AT_MAGIC = 0,
    AT_VERSION = 12,
    AT_KIND = 14,
    AT_RUN_ID = 16,
    AT_RANK = 32,
    AT_SIZE = 36,
    AT_BLOCK_UNITS = 40,
    AT_THREAD = 44,
    AT_FIRST_EVENT = 48,
    AT_HASH = 56
};

static const uint8_t magic[AT_VERSION] = "SYNCOPATERAW";

void syn_raw_encode(const struct syn_raw_header *header, uint8_t at[SYN_RAW_HEADER_BYTES])
{
    uint8_t made[AT_HASH + 8];
    memcpy(made + AT_MAGIC, magic, sizeof magic);
    syn_store16(made + AT_VERSION, SYN_RAW_VERSION);
    syn_store16(made + AT_KIND, header->kind);
    memcpy(made + AT_RUN_ID, header->run_id, sizeof header->run_id);
    syn_store32(made + AT_RANK, (uint32_t)header->rank);
    syn_store32(made + AT_SIZE, (uint32_t)header->size);
    syn_store32(made + AT_BLOCK_UNITS, (uint32_t)(header->block_bytes / SYN_RAW_UNIT));
    syn_store32(made + AT_THREAD, header->thread);
    syn_store64(made + AT_FIRST_EVENT, header->first_event);
    syn_store64(made + AT_HASH, syn_hash64(made, AT_HASH));
    memcpy(at, made, sizeof made);
}

bool syn_raw_decode(const uint8_t at[SYN_RAW_HEADER_BYTES], struct syn_raw_header *out)
{
    if (memcmp(at, magic, sizeof magic) != 0 ||
        syn_load64(at + AT_HASH) != syn_hash64(at, AT_HASH) ||
        syn_load16(at + AT_VERSION) > SYN_RAW_VERSION)
        return false;
    out->kind = syn_load16(at + AT_KIND);
    memcpy(out->run_id, at + AT_RUN_ID, sizeof out->run_id);
    out->rank = (int32_t)syn_load32(at + AT_RANK);
    out->size = (int32_t)syn_load32(at + AT_SIZE);
    out->block_bytes = syn_load32(at + AT_BLOCK_UNITS) * (uint64_t)SYN_RAW_UNIT;
    out->thread = syn_load32(at + AT_THREAD);
    out->first_event = syn_load64(at + AT_FIRST_EVENT);
    return out->block_bytes > 0 && out->block_bytes <= SYN_RAW_BLOCK_BYTES_MAX;
}

void syn_raw_event_decode(const uint8_t at[sizeof(struct syn_event)], struct syn_event *out)
{
    out->start_ticks = (int64_t)syn_load64(at);
    out->end_ticks = (int64_t)syn_load64(at + 8);
    out->call_end_ticks = (int64_t)syn_load64(at + 16);
    out->wait_start_ticks = (int64_t)syn_load64(at + 24);
    out->bytes = syn_load64(at + 32);
    out->sequence = syn_load64(at + 40);
    out->comm = syn_load32(at + 48);
    out->stack = syn_load32(at + 52);
    out->root = (int32_t)syn_load32(at + 56);
    out->op = syn_load16(at + 60);
    out->flags = syn_load16(at + 62);
}

/* A record has 4 bytes of length, 4 bytes of type, and its own bytes, padded to a multiple of 8. */
#define RECORD_HEAD_BYTES ((size_t)8)

static size_t padded(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

/* Stores a record's length and type in one store. So a reader after a kill finds either the record
 * or the state before it. */
static void put_head(uint8_t *at, size_t record_bytes, uint8_t type)
{
    uint8_t head[RECORD_HEAD_BYTES];
    uint64_t word;
    syn_store64(head, (uint32_t)record_bytes | (uint64_t)type << 32);
    memcpy(&word, head, sizeof word);
    __atomic_store_n((uint64_t *)(void *)at, word, __ATOMIC_RELEASE);
}

static uint8_t *first_record(void *block)
{
    return (uint8_t *)block + SYN_RAW_HEADER_BYTES;
}

SYN_HOT bool syn_raw_append(void *block, size_t block_bytes, size_t *used, uint8_t type,
                            const void *record, size_t record_bytes)
{
    const size_t room = block_bytes - SYN_RAW_HEADER_BYTES, left = room - *used;
    uint8_t *at = first_record(block) + *used;
    if (left < RECORD_HEAD_BYTES || record_bytes == 0 || record_bytes > left - RECORD_HEAD_BYTES)
        return false;
    const size_t bytes = syn_least(RECORD_HEAD_BYTES + padded(record_bytes), left);
    /* An end mark follows, whatever was there. */
    if (room - (*used + bytes) >= RECORD_HEAD_BYTES)
        put_head(at + bytes, 0, 0);
    syn_copy_short(at + RECORD_HEAD_BYTES, record, record_bytes);
    put_head(at, record_bytes, type);
    *used += bytes;
    return true;
}

void syn_raw_forget(void *block, size_t *used, size_t upto)
{
    uint8_t *records = first_record(block);
    const size_t kept = *used - upto;
    if (upto == 0)
        return;
    if (kept == 0) {
        put_head(records, 0, 0);
        *used = 0;
        return;
    }
    put_head(records, upto - RECORD_HEAD_BYTES, SYN_RAW_NO_RECORD);
    if (kept + RECORD_HEAD_BYTES > upto)
        return;
    /* Move the records that are kept to the beginning, which has enough room. Until the first one's
     * head is stored they are in the block twice, but a reader finds them once. */
    uint64_t head;
    memcpy(&head, records + upto, sizeof head);
    memcpy(records + sizeof head, records + upto + sizeof head, kept - sizeof head);
    put_head(records + kept, 0, 0);
    __atomic_store_n((uint64_t *)(void *)records, head, __ATOMIC_RELEASE);
    *used = kept;
}

bool syn_raw_record(const void *block, size_t block_bytes, size_t *at, uint8_t *type,
                    const uint8_t **record, size_t *record_bytes)
{
    const size_t room = block_bytes - SYN_RAW_HEADER_BYTES;
    const uint8_t *from = (const uint8_t *)block + SYN_RAW_HEADER_BYTES + *at;
    if (*at > room || room - *at < RECORD_HEAD_BYTES)
        return false;
    const size_t bytes = syn_load32(from);
    if (bytes == 0 || bytes > room - *at - RECORD_HEAD_BYTES)
        return false;
    *type = from[4];
    *record = from + RECORD_HEAD_BYTES;
    *record_bytes = bytes;
    *at += RECORD_HEAD_BYTES + padded(bytes);
    return true;
}

int syn_raw_path(char *buffer, size_t buffer_bytes, const char *directory, int rank)
{
    return snprintf(buffer, buffer_bytes, "%s/rank-%06d.raw", directory, rank);
}

/* A raw file has the name of a rank file with another suffix. */
bool syn_raw_name_parse(const char *name, int32_t *rank)
{
    char like[32];
    bool is_part;
    const size_t length = strlen(name);
    if (length < 4 || length >= sizeof like || strcmp(name + length - 4, ".raw") != 0)
        return false;
    snprintf(like, sizeof like, "%.*s.syn", (int)(length - 4), name);
    return syn_rank_name_parse(like, rank, &is_part);
}

/* Zeros are valid, because the file is made before its first header. */
bool syn_raw_is_prefix(const uint8_t *data, size_t bytes)
{
    static const uint8_t zeros[sizeof magic];
    const size_t count = bytes < sizeof magic ? bytes : sizeof magic;
    return memcmp(data, magic, count) == 0 || memcmp(data, zeros, count) == 0;
}
