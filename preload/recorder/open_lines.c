/* preload/recorder/open_lines.c - see open_lines.h. */
#include "preload/recorder/open_lines.h"

#include <stddef.h>

#include <mpi.h>

#include "preload/base/lock.h"
#include "preload/recorder/durable.h"
#include "sync/time/cpu.h"
#include "trace/base/sections.h"
#include "trace/write/raw.h"

static const struct syn_open_names names = {
    .any_source = MPI_ANY_SOURCE, .proc_null = MPI_PROC_NULL, .any_tag = MPI_ANY_TAG};

/* A line has the size of an event. */
#define PER_BLOCK ((uint32_t)syn_raw_capacity(SYN_RAW_UNIT))

/* Block of lines: addresses are reserved at once, pages are prepared when needed. */
struct block {
    unsigned char *memory; /* NULL: not reserved yet */
    uint64_t offset;
    size_t prepared_bytes;
};

static struct {
    struct syn_lock lock;
    struct block blocks[SYN_OPEN_BLOCKS_MAX];
} lines = {.lock = SYN_LOCK_INITIALIZER};

/* Prepares the block's pages up to `bytes`. */
static bool prepare(struct block *block, size_t bytes)
{
    const size_t page_bytes = syn_page_bytes();
    const size_t until = (bytes + page_bytes - 1) / page_bytes * page_bytes;
    if (until <= block->prepared_bytes)
        return true;
    if (!syn_durable_prepare(block->memory + block->prepared_bytes,
                             block->offset + block->prepared_bytes, until - block->prepared_bytes))
        return false;
    block->prepared_bytes = until;
    return true;
}

struct syn_open_line *syn_open_lines_take(uint32_t number)
{
    const uint32_t place = number % PER_BLOCK;
    if (number / PER_BLOCK >= SYN_OPEN_BLOCKS_MAX || !syn_lock_take(&lines.lock))
        return NULL;
    struct block *block = &lines.blocks[number / PER_BLOCK];
    if (!block->memory) {
        block->memory = syn_durable_reserve(SYN_RAW_UNIT, &block->offset);
        if (block->memory && prepare(block, SYN_RAW_HEADER_BYTES)) {
            *syn_raw_open_names(block->memory) = names;
            syn_durable_label_open(block->memory, number - place);
        }
    }
    /* A block that could not be prepared at first is not tried again. */
    const size_t end = SYN_RAW_HEADER_BYTES + (place + 1) * sizeof(struct syn_open_line);
    struct syn_open_line *line = NULL;
    if (block->prepared_bytes > 0 && prepare(block, end))
        line = &syn_raw_open_lines(block->memory)[place];
    syn_lock_give(&lines.lock);
    return line;
}

/* Starts never repeat: if the start is the same afterwards, the line was not changed meanwhile. */
bool syn_open_lines_copy(const struct syn_open_line *line, struct syn_open_line *out)
{
    const int64_t start_ticks = __atomic_load_n(&line->start_ticks, __ATOMIC_ACQUIRE);
    *out = (struct syn_open_line){.start_ticks = start_ticks};
#define COPY(field) out->field = __atomic_load_n(&line->field, __ATOMIC_RELAXED)
    COPY(sequence);
    COPY(bytes);
    COPY(comm);
    COPY(stack);
    COPY(peer);
    COPY(tag);
    COPY(from_peer);
    COPY(from_tag);
    COPY(call);
    COPY(of_op);
    COPY(end_ticks);
#undef COPY
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    const bool is_open = start_ticks > 0 && out->end_ticks < start_ticks &&
                         __atomic_load_n(&line->start_ticks, __ATOMIC_RELAXED) == start_ticks;
    syn_open_line_make_plain(&names, out);
    return is_open;
}
