/* sync/base/arena.h - memory that is given back all at once, and never more than a budget.
 *
 * A file names its own sizes; the budget, set from the file's length, is what keeps a small hostile
 * file from taking much memory. */
#ifndef SYN_ARENA_H
#define SYN_ARENA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syn_arena {
    struct syn_arena_block *blocks; /* owned */
    uint64_t budget_bytes;          /* that may still be taken */
    bool over_budget;               /* a refusal was the budget's, not the system's */
};

void syn_arena_init(struct syn_arena *arena, uint64_t budget_bytes);
void syn_arena_free(struct syn_arena *arena);
/* Count `bytes` against the budget without taking memory; false where it does not suffice. */
bool syn_arena_charge(struct syn_arena *arena, uint64_t bytes);
/* Zeroed, aligned for anything; NULL without memory or budget. Zero bytes give a valid pointer. */
void *syn_arena_take(struct syn_arena *arena, size_t count, size_t element_bytes);
/* `bytes` of `text` with a terminator added. */
char *syn_arena_string(struct syn_arena *arena, const void *text, size_t bytes);

#endif
