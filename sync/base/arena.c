/* sync/base/arena.c - see arena.h. */
#include "sync/base/arena.h"

#include <stdlib.h>
#include <string.h>

#include "sync/base/integers.h"

/* Sizes of blocks; each block has twice the size of the one before. RATIONALE: many files are open
 * at once, and most need little. */
#define BLOCK_BYTES_LEAST ((size_t)512)
#define BLOCK_BYTES_MOST  ((size_t)4096)

struct syn_arena_block {
    struct syn_arena_block *next;
    size_t capacity;
    size_t used;
    _Alignas(max_align_t) unsigned char data[];
};

void syn_arena_init(struct syn_arena *arena, uint64_t budget_bytes)
{
    *arena = (struct syn_arena){.budget_bytes = budget_bytes};
}

void syn_arena_free(struct syn_arena *arena)
{
    while (arena->blocks) {
        struct syn_arena_block *next = arena->blocks->next;
        free(arena->blocks);
        arena->blocks = next;
    }
}

bool syn_arena_charge(struct syn_arena *arena, uint64_t bytes)
{
    if (bytes > arena->budget_bytes) {
        arena->over_budget = true;
        return false;
    }
    arena->budget_bytes -= bytes;
    return true;
}

static struct syn_arena_block *add_block(struct syn_arena *arena, size_t bytes)
{
    size_t capacity = arena->blocks ? 2 * arena->blocks->capacity : BLOCK_BYTES_LEAST;
    capacity = syn_largest(bytes, syn_least(capacity, BLOCK_BYTES_MOST));
    struct syn_arena_block *block = calloc(1, sizeof *block + capacity);
    if (!block)
        return NULL;
    block->capacity = capacity;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *syn_arena_take(struct syn_arena *arena, size_t count, size_t element_bytes)
{
    const size_t align = _Alignof(max_align_t);
    if (count > (SIZE_MAX / 2) / element_bytes)
        return NULL;
    size_t bytes = (count * element_bytes + align - 1) / align * align;
    if (!syn_arena_charge(arena, bytes))
        return NULL;
    struct syn_arena_block *block = arena->blocks;
    if (!block || block->capacity - block->used < bytes)
        block = add_block(arena, bytes);
    if (!block)
        return NULL;
    void *memory = block->data + block->used;
    block->used += bytes;
    return memory;
}

char *syn_arena_string(struct syn_arena *arena, const void *text, size_t bytes)
{
    char *copy = syn_arena_take(arena, bytes + 1, 1);
    if (copy && bytes > 0)
        memcpy(copy, text, bytes);
    return copy;
}
