/* preload/recorder/blocks.h - memory for the events of one thread, got ready a little at a time.
 *
 * A page of a mapped file takes a microsecond and more when it is touched first, and space has to
 * be allocated for it. So a block has its addresses at once and its pages in small pieces, before
 * the events that go there; and it is used again and again. */
#ifndef SYN_BLOCKS_H
#define SYN_BLOCKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/base/event.h"

/* Two of them, what is recorded into and what is being written, stay in a processor's own cache. */
#define SYN_BLOCK_BYTES ((size_t)384 << 10)
/* So much is got ready in one piece. */
#define SYN_PREPARE_BYTES ((size_t)16 << 10)

/* Events of one thread, in the order of their ends. */
struct syn_event_block {
    struct syn_event_block *older;
    void *memory; /* laid out as a raw block (trace/write/raw.h), whether a file is behind it or not
                   */
    size_t mapped_bytes;
    size_t prepared_bytes; /* from the beginning on: the rest must not be touched */
    uint64_t file_offset;  /* where it is durable */
    bool durable;          /* a file is behind it */
    bool written;          /* its events are in the rank's file */
    uint64_t first_event;  /* how many the thread recorded before these */
    uint32_t
        note_count; /* of its entries, as long as it is the newest; then as it was at its end */
    struct syn_event *events;
    struct syn_event *used;  /* one past the last event; of the newest block: the thread's `next` */
    struct syn_event *limit; /* behind it lies one more entry that is ready: a sample's place */
};

/* Sets the number of bytes that the blocks of all threads may take together. Call it before the
 * first block. */
void syn_blocks_start(uint64_t bound_bytes);
/* Addresses of a block; NULL without memory. From a file where there is one. */
struct syn_event_block *syn_block_new(size_t bytes);
/* Get up to `bytes` more of it ready, and move its limit. Returns false where nothing is: it is
 * ready as a whole, there is no room in the file, or (`granted` is not set) all blocks together
 * would take too much. */
bool syn_block_prepare(struct syn_event_block *block, size_t bytes, bool granted);
/* Make a block whose events were written away as empty as a new one, and give its pages back. If
 * the kernel does not take them, the block stays prepared. */
void syn_block_vacate(struct syn_event_block *block);
/* Frees a block that has never held an event. */
void syn_block_free(struct syn_event_block *block);

#endif
