/* sync/base/arena.h - memory that is freed all at once, within a budget.
 *
 * RATIONALE: a trace file states the sizes of its own parts. The budget, derived from the file's
 * length, keeps a small hostile file from taking much memory. */
#ifndef SYN_ARENA_H
#define SYN_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syn_arena {
    struct syn_arena_block *blocks; /* owned */
    uint64_t budget_bytes;          /* what may still be taken */
    bool over_budget;               /* the last refusal was due to the budget, not to the system */
};

void syn_arena_init(struct syn_arena *arena, uint64_t budget_bytes);
void syn_arena_free(struct syn_arena *arena);
/* Take `bytes` from the budget without memory. Returns false if they exceed it. */
bool syn_arena_charge(struct syn_arena *arena, uint64_t bytes);
/* Returns zeroed memory, aligned for any type; NULL without memory or budget. For zero bytes the
 * pointer is valid, too. */
void *syn_arena_take(struct syn_arena *arena, size_t count, size_t element_bytes);
/* Returns a copy of `bytes` of `text`, with a terminator. */
char *syn_arena_string(struct syn_arena *arena, const void *text, size_t bytes);

#endif
