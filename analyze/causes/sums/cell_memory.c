/* analyze/causes/sums/cell_memory.c - memory in chunks, each twice as large as the one before, up
 * to CHUNK_MOST. */
#include "analyze/causes/sums/cell_memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sync/base/fetch.h"
#include "sync/base/integers.h"

#define CHUNK_LEAST ((size_t)1 << 12)
#define CHUNK_MOST  ((size_t)1 << 20)
/* Chunks of this size or more are fetched at once: an owner that has used as much will use all of
 * it. */
#define CHUNK_FETCHED ((size_t)1 << 18)

struct syn_memory_chunk {
    struct syn_memory_chunk *next;
    size_t used, bytes; /* counted from the chunk's begin, including this header */
};

void syn_cell_memory_free(struct syn_cell_memory *memory)
{
    for (struct syn_memory_chunk *chunk = memory->newest, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *memory = (struct syn_cell_memory){0};
}

static void *take(struct syn_cell_memory *memory, size_t bytes, size_t alignment)
{
    struct syn_memory_chunk *chunk = memory->newest;
    size_t at = chunk ? (chunk->used + alignment - 1) / alignment * alignment : 0;
    if (!chunk || at > chunk->bytes || chunk->bytes - at < bytes) {
        const size_t least = (bytes + 2 * SYN_LINE_BYTES - 1) / SYN_LINE_BYTES * SYN_LINE_BYTES;
        const size_t wanted = chunk ? syn_least(2 * chunk->bytes, CHUNK_MOST) : CHUNK_LEAST;
        const size_t taken = syn_largest(wanted, least);
        struct syn_memory_chunk *added = aligned_alloc(SYN_LINE_BYTES, taken);
        if (!added)
            return NULL;
        if (taken >= CHUNK_FETCHED)
            syn_fetch_pages(added, taken);
        *added = (struct syn_memory_chunk){.next = chunk, .bytes = taken};
        memory->newest = chunk = added;
        at = SYN_LINE_BYTES;
    }
    chunk->used = at + bytes;
    return (char *)chunk + at;
}

void *syn_cell_memory_lines(struct syn_cell_memory *memory, size_t bytes)
{
    void *line = take(memory, bytes, SYN_LINE_BYTES);
    return line ? memset(line, 0, bytes) : NULL;
}

static size_t class_of(size_t bytes)
{
    return (bytes + SYN_PIECE_BYTES - 1) / SYN_PIECE_BYTES;
}

void *syn_cell_memory_piece(struct syn_cell_memory *memory, size_t bytes)
{
    const size_t class = class_of(bytes);
    struct syn_unused_piece *unused = memory->unused[class];
    const size_t taken = class * SYN_PIECE_BYTES;
    if (!unused) /* pieces of whole cache lines are aligned to lines, so they touch no further line
                  */
        return take(memory, taken, taken % SYN_LINE_BYTES ? SYN_PIECE_BYTES : SYN_LINE_BYTES);
    memory->unused[class] = unused->next;
    return unused;
}

void syn_cell_memory_give_back(struct syn_cell_memory *memory, void *piece, size_t bytes)
{
    struct syn_unused_piece *unused = piece;
    if (!unused)
        return;
    unused->next = memory->unused[class_of(bytes)];
    memory->unused[class_of(bytes)] = unused;
}
