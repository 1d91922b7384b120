/* preload/recorder/blocks.h - memory for the events of one thread, prepared in small pieces.
 *
 * The first touch of a page of a mapped file takes a microsecond or more, and disk space has to be
 * allocated for it. So a block reserves addresses at once, and pages are prepared piece by piece
 * before events need them. Blocks are reused. */
#ifndef SYN_BLOCKS_H
#define SYN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/event.h"

/* RATIONALE: two blocks, one being filled and one being written, fit into a processor's own
 * cache. */
#define SYN_BLOCK_BYTES ((size_t)384 << 10)
/* Size of one piece that is prepared. */
#define SYN_PREPARE_BYTES ((size_t)16 << 10)

/* Events of one thread, in the order of their ends. */
struct syn_event_block {
    struct syn_event_block *older;
    void *memory; /* in the layout of a raw block (trace/write/raw.h), with or without a file */
    size_t mapped_bytes;
    size_t prepared_bytes; /* from the start of the block; the rest must not be touched */
    uint64_t file_offset;  /* if durable */
    bool durable;          /* memory is mapped from the raw file */
    bool written;          /* its events are in the rank's file */
    uint64_t first_event;  /* number of the thread's events before this block */
    uint32_t note_count;   /* current block: notes so far; full block: all its notes */
    struct syn_event *events;
    struct syn_event *used;  /* one past the last event; current block: see the thread's `next` */
    struct syn_event *limit; /* one entry behind it is prepared too: room for a sample */
};

/* Sets the number of bytes that the blocks of all threads may take together. Call it before the
 * first block. */
void syn_blocks_start(uint64_t bound_bytes);
/* Reserve addresses for a block, in the raw file if there is one. Returns NULL without memory. */
struct syn_event_block *syn_block_new(size_t bytes);
/* Prepare up to `bytes` more of the block and move its limit. Returns false if nothing was
 * prepared: the block is complete, the file has no room, or all blocks together would exceed the
 * limit (`granted` ignores it). */
bool syn_block_prepare(struct syn_event_block *block, size_t bytes, bool granted);
/* Empty a block whose events were written, and give its pages back. If the kernel does not take
 * them, the block stays prepared. */
void syn_block_vacate(struct syn_event_block *block);
/* Frees a block that has never held an event. */
void syn_block_free(struct syn_event_block *block);

#endif
