/* trace/read/raw/raw_attach.c - adds the raw blocks of a killed program (raw.h) to its rank's file.
 *
 * Everything in a block is checked before it is used. Records are handled like those in the rank's
 * file. Events become chunks, which a cursor reads from the raw file. A block may still be there
 * after its events were written to the rank's file. Events of a thread are numbered, so such copies
 * are recognized. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/bytes.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/events/notes.h"
#include "trace/read/rank_file.h"
#include "trace/write/raw.h"

#define EVENT_BYTES sizeof(struct syn_event)
/* Number of entries that are read at once. */
#define BATCH_EVENTS ((size_t)4096)
/* Number of entries in a chunk: those of a whole block, so that its events, samples and segments
 * stay together. */
#define CHUNK_ENTRIES ((size_t)2 * SYN_CHUNK_EVENTS)

struct raw_block {
    struct syn_raw_header header;
    uint64_t offset;
    uint64_t entry_count; /* number of complete entries, */
    uint64_t event_count; /* number of events among them, */
    uint64_t skip_count;  /* number of the first events that the rank's file already has */
};

struct raw_scan {
    struct syn_rank_file *file;
    int descriptor;
    uint64_t bytes;
    struct raw_block *blocks;
    size_t block_count, block_capacity;
    bool identified; /* there is a block of this rank and run */
};

/* ---- events ---- */

/* Returns the number of complete entries among the first `count` at `offset`; -1 with errno. */
static ssize_t count_written(int descriptor, uint64_t offset, size_t count, uint8_t *scratch)
{
    const ssize_t got = syn_pread_full(descriptor, scratch, count * EVENT_BYTES, offset);
    if (got < 0)
        return -1;
    size_t there = 0;
    const size_t whole = (size_t)got / EVENT_BYTES;
    while (there < whole &&
           (syn_load16(scratch + there * EVENT_BYTES + 62) & SYN_EVENT_WRITTEN) != 0)
        there++;
    return (ssize_t)there;
}

/* Counts the complete entries among the first `capacity` of a block, and the events among them, up
 * to the `most`-th event. */
static int count_entries(const struct raw_scan *scan, const struct raw_block *block,
                         uint64_t capacity, uint64_t most, uint64_t *entries, uint64_t *events)
{
    const uint64_t begin = block->offset + SYN_RAW_HEADER_BYTES;
    uint8_t *scratch = malloc(BATCH_EVENTS * EVENT_BYTES);
    ssize_t there = BATCH_EVENTS;
    *entries = *events = 0;
    if (!scratch)
        return SYN_ENOMEM;
    while (*entries < capacity && there == BATCH_EVENTS && *events < most) {
        there =
            count_written(scan->descriptor, begin + *entries * EVENT_BYTES,
                          (size_t)syn_least(capacity - *entries, (uint64_t)BATCH_EVENTS), scratch);
        for (ssize_t i = 0; i < there && *events < most; i++, ++*entries)
            *events += syn_load16(scratch + (size_t)i * EVENT_BYTES + 60) < SYN_NOTE_MESSAGES;
    }
    free(scratch);
    return there < 0 ? SYN_EIO : SYN_OK;
}

int syn_raw_read(int descriptor, const struct syn_chunk *chunk, struct syn_event *entries)
{
    const size_t count = chunk->raw_entry_count;
    if (chunk->held) {
        memcpy(entries, chunk->held, count * sizeof *entries);
        return SYN_OK;
    }
    uint8_t *scratch = malloc(count * EVENT_BYTES);
    if (!scratch)
        return SYN_ENOMEM;
    const ssize_t there = count_written(descriptor, chunk->offset, count, scratch);
    for (size_t i = 0; there == (ssize_t)count && i < count; i++) {
        syn_raw_event_decode(scratch + i * EVENT_BYTES, &entries[i]);
        entries[i].flags &= (uint16_t)~SYN_EVENT_WRITTEN;
    }
    free(scratch);
    return there == (ssize_t)count ? SYN_OK : SYN_EDAMAGED;
}

/* Adds chunks with the entries of a block behind the events that the rank's file already has. The
 * entries are read to fill in the headers. */
static int add_events(const struct raw_scan *scan, const struct raw_block *block)
{
    uint64_t at, events;
    if (block->skip_count >= block->event_count)
        return SYN_OK;
    int status = count_entries(scan, block, block->entry_count, block->skip_count, &at, &events);
    while (at < block->entry_count && status == SYN_OK) {
        const size_t count = (size_t)syn_least(block->entry_count - at, (uint64_t)CHUNK_ENTRIES);
        struct syn_chunk chunk = {
            .raw_entry_count = (uint32_t)count,
            .offset = block->offset + SYN_RAW_HEADER_BYTES + at * EVENT_BYTES,
            .header = {.thread = block->header.thread},
        };
        struct syn_event *entries = malloc(count * sizeof *entries);
        status = entries ? syn_raw_read(scan->descriptor, &chunk, entries) : SYN_ENOMEM;
        SYN_STEP(status, syn_raw_add_chunk(scan->file, &chunk, entries));
        free(entries);
        status = status == SYN_EDAMAGED ? SYN_OK : status;
        at += count;
    }
    return status;
}

/* Adds pending operations. RATIONALE: they are read after all events, and kept in memory. While the
 * program runs they complete, and an operation that has become an event must not be taken twice. */
static int add_pending(const struct raw_scan *scan, const struct raw_block *block)
{
    const uint64_t from = block->offset + SYN_RAW_HEADER_BYTES;
    const size_t bytes = block->header.block_bytes - SYN_RAW_HEADER_BYTES;
    uint8_t *slots = malloc(bytes);
    const ssize_t got = slots ? syn_pread_full(scan->descriptor, slots, bytes, from) : 0;
    int status = !slots ? SYN_ENOMEM : got < 0 ? SYN_EIO : SYN_OK;
    SYN_STEP(status, syn_raw_take_pending(scan->file, from, slots, (size_t)got / EVENT_BYTES));
    free(slots);
    return status;
}

/* ---- events that the rank's file already has ---- */

SYN_ORDER(compare_blocks, struct raw_block, SYN_UP(header.thread) ?: SYN_UP(header.first_event))

/* Sets skip_count of each block: how many of its events are in the rank's file. The number of a
 * thread's events in the file is first collected at the thread's first block. */
static void note_present(struct raw_scan *scan)
{
    const struct syn_rank_file *file = scan->file;
    for (size_t i = 0; i < file->chunk_count; i++) {
        const uint32_t thread = file->chunks[i].header.thread;
        size_t low = 0, high = scan->block_count;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (scan->blocks[middle].header.thread < thread)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < scan->block_count && scan->blocks[low].header.thread == thread)
            scan->blocks[low].skip_count += file->chunks[i].header.element_count;
    }
    uint64_t present = 0;
    for (size_t i = 0; i < scan->block_count; i++) {
        struct raw_block *block = &scan->blocks[i];
        if (i == 0 || block->header.thread != scan->blocks[i - 1].header.thread)
            present = block->skip_count;
        const uint64_t first = block->header.first_event;
        const uint64_t skip = present > first ? present - first : 0;
        block->skip_count = syn_least(skip, block->event_count);
        /* Events that a damaged file has twice are taken once. */
        const uint64_t until = first + block->event_count;
        present = until > present && until >= first ? until : present;
    }
}

/* ---- the file ---- */

static int take_records(struct raw_scan *scan, uint64_t offset, uint64_t bytes)
{
    uint8_t type;
    const uint8_t *record;
    size_t at = 0, record_bytes;
    struct syn_rank_file *file = scan->file;
    uint8_t *block = malloc(bytes);
    if (!block)
        return SYN_ENOMEM;
    int status = SYN_OK;
    const ssize_t got = syn_pread_full(scan->descriptor, block, bytes, offset);
    if (got < 0)
        status = SYN_EIO;
    else if ((uint64_t)got == bytes) {
        file->raw_ending = syn_load32((const uint8_t *)syn_raw_ending(block));
        file->raw_end_ticks =
            (int64_t)syn_load64((const uint8_t *)syn_raw_end_ticks(syn_raw_ending(block)));
        file->raw_in_memory = syn_load32((const uint8_t *)syn_raw_in_memory(block));
        file->raw_lost_count = syn_load64((const uint8_t *)syn_raw_lost(block));
    }
    file->raw_record_bytes += bytes;
    while (status == SYN_OK && (uint64_t)got == bytes &&
           syn_raw_record(block, bytes, &at, &type, &record, &record_bytes)) {
        const struct syn_frame_header header = {
            .type = type, .raw_bytes = record_bytes, .element_count = 1};
        const bool wanted = type == SYN_FRAME_META || type == SYN_FRAME_COMM ||
                            type == SYN_FRAME_MODULE || type == SYN_FRAME_STACK;
        status = wanted ? syn_rank_take_section(file, &header, record) : SYN_OK;
        if (status == SYN_EDAMAGED) {
            syn_rank_add_fault(file, SYN_EDAMAGED,
                               "its raw blocks: %s at byte %" PRIu64 ": content",
                               syn_frame_type_name(type), offset + at);
            status = SYN_OK;
        }
    }
    free(block);
    return status;
}

/* Finds the blocks. A block may be only reserved space; then the next one begins at a later
 * unit. */
static int scan_blocks(struct raw_scan *scan)
{
    struct syn_rank_file *file = scan->file;
    int status = SYN_OK;
    for (uint64_t offset = 0; offset < scan->bytes && status == SYN_OK;) {
        uint8_t data[SYN_RAW_HEADER_BYTES];
        struct raw_block block = {.offset = offset};
        const ssize_t got = syn_pread_full(scan->descriptor, data, sizeof data, offset);
        if (got < 0)
            return SYN_EIO;
        if (got < (ssize_t)sizeof data)
            break;
        offset += SYN_RAW_UNIT;
        if (!syn_raw_decode(data, &block.header) ||
            memcmp(block.header.run_id, file->run_id, sizeof file->run_id) != 0 ||
            block.header.rank != file->rank || block.header.size != file->size)
            continue;
        offset += block.header.block_bytes - SYN_RAW_UNIT;
        scan->identified = true;
        if (block.header.kind == SYN_RAW_RECORDS)
            status = take_records(scan, block.offset, block.header.block_bytes);
        else if (block.header.kind == SYN_RAW_OPEN && file->open_block_count < SYN_OPEN_BLOCKS_MAX)
            file->open_blocks[file->open_block_count++] =
                (struct syn_open_block){block.offset, block.header};
        else if (block.header.kind == SYN_RAW_EVENTS)
            status = count_entries(scan, &block, syn_raw_capacity(block.header.block_bytes),
                                   UINT64_MAX, &block.entry_count, &block.event_count);
        if (block.header.kind != SYN_RAW_PENDING && block.event_count == 0)
            continue;
        SYN_STEP(status, SYN_ROOM(scan->blocks, scan->block_capacity, scan->block_count));
        if (status == SYN_OK)
            scan->blocks[scan->block_count++] = block;
    }
    return status;
}

int syn_raw_attach(struct syn_rank_file *file, const char *path)
{
    struct stat state;
    struct raw_scan scan = {.file = file};
    scan.descriptor = syn_open_regular(path, &state);
    if (scan.descriptor < 0)
        return SYN_OK;
    scan.bytes = (uint64_t)state.st_size;
    file->arena.budget_bytes += SYN_OPEN_BYTES_FACTOR * scan.bytes;
    int status = scan_blocks(&scan);
    if (status == SYN_OK && scan.block_count > 0)
        qsort(scan.blocks, scan.block_count, sizeof *scan.blocks, compare_blocks);
    note_present(&scan);
    for (size_t i = 0; i < scan.block_count && status == SYN_OK; i++)
        status = scan.blocks[i].header.kind == SYN_RAW_PENDING ? add_pending(&scan, &scan.blocks[i])
                                                               : add_events(&scan, &scan.blocks[i]);
    /* Read the open calls last: a thread of a live run is inside its present call. */
    for (size_t i = 0; i < file->open_block_count && status == SYN_OK; i++)
        status = syn_raw_take_open(&file->open, scan.descriptor, file->open_blocks[i].offset,
                                   &file->open_blocks[i].header, false);
    if (status == SYN_EIO) {
        syn_rank_add_fault(file, SYN_EIO, "its raw blocks in %s: %s", path, strerror(errno));
        status = SYN_OK;
    }
    close(scan.descriptor);
    free(scan.blocks);
    if (status != SYN_OK || !scan.identified)
        return status;
    file->raw_path = strdup(path);
    file->raw_device = state.st_dev;
    file->raw_inode = state.st_ino;
    file->raw_bytes = scan.bytes;
    return file->raw_path ? SYN_OK : SYN_ENOMEM;
}
