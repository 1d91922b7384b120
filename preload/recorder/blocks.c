/* preload/recorder/blocks.c - see blocks.h. */
#include "preload/recorder/blocks.h"

#include <stdlib.h>
#include <sys/mman.h>

#include "preload/recorder/durable.h"
#include "sync/base/integers.h"
#include "sync/time/cpu.h"
#include "trace/write/raw.h"

static struct {
    uint64_t bound_bytes; /* set before the first block */
    uint64_t held_bytes;  /* prepared memory of all blocks; atomic */
} blocks;

void syn_blocks_start(uint64_t bytes)
{
    blocks.bound_bytes = bytes;
}

static void *map_plain(size_t bytes)
{
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED)
        return NULL;
    syn_durable_note_memory(true);
    return memory;
}

struct syn_event_block *syn_block_new(size_t bytes)
{
    struct syn_event_block *block = calloc(1, sizeof *block);
    if (!block)
        return NULL;
    block->memory = syn_durable_reserve(bytes, &block->file_offset);
    block->durable = block->memory != NULL;
    if (!block->memory)
        block->memory = map_plain(bytes);
    if (!block->memory) {
        free(block);
        return NULL;
    }
    block->mapped_bytes = bytes;
    block->events = block->used = block->limit = syn_raw_events(block->memory);
    return block;
}

static bool touch(const struct syn_event_block *block, size_t bytes)
{
    unsigned char *from = (unsigned char *)block->memory + block->prepared_bytes;
    if (block->durable)
        return syn_durable_prepare(from, block->file_offset + block->prepared_bytes, bytes);
    const size_t page_bytes = syn_page_bytes();
    for (size_t i = 0; i < bytes; i += page_bytes)
        *(volatile unsigned char *)(from + i) = 0;
    return true;
}

bool syn_block_prepare(struct syn_event_block *block, size_t bytes, bool granted)
{
    bytes = syn_least(bytes, block->mapped_bytes - block->prepared_bytes);
    if (bytes == 0)
        return false;
    const uint64_t held = __atomic_add_fetch(&blocks.held_bytes, bytes, __ATOMIC_RELAXED);
    bool done = (held <= blocks.bound_bytes || granted) && touch(block, bytes);
    if (!done && (held <= blocks.bound_bytes || granted) && block->prepared_bytes == 0) {
        /* The file has no room for the block's first pages: move the block to plain memory. */
        void *memory = map_plain(block->mapped_bytes);
        if (memory) {
            block->memory = memory;
            block->durable = false;
            block->events = block->used = syn_raw_events(memory);
            done = touch(block, bytes);
        }
    }
    if (!done) {
        __atomic_sub_fetch(&blocks.held_bytes, bytes, __ATOMIC_RELAXED);
        return false;
    }
    block->prepared_bytes += bytes;
    block->limit = block->events + syn_raw_capacity(block->prepared_bytes) - 1;
    return true;
}

void syn_block_vacate(struct syn_event_block *block)
{
    const int how = block->durable ? MADV_REMOVE : MADV_DONTNEED;
    block->used = block->events;
    block->note_count = 0;
    block->written = false;
    block->older = NULL;
    if (madvise(block->memory, block->prepared_bytes, how))
        return;
    __atomic_sub_fetch(&blocks.held_bytes, block->prepared_bytes, __ATOMIC_RELAXED);
    block->prepared_bytes = 0;
    block->limit = block->events;
}

void syn_block_free(struct syn_event_block *block)
{
    if (!block)
        return;
    __atomic_sub_fetch(&blocks.held_bytes, block->prepared_bytes, __ATOMIC_RELAXED);
    if (!block->durable)
        munmap(block->memory, block->mapped_bytes);
    free(block);
}
