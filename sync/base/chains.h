/* sync/base/chains.h - hash table for elements that are added and removed. Elements with the same
 * hash bits form a list, newest first. An element begins with its struct syn_chained; the owner
 * compares elements. */
#ifndef SYN_CHAINS_H
#define SYN_CHAINS_H

#include <stddef.h>
#include <stdint.h>

struct syn_chained {
    struct syn_chained *next;
    uint64_t hash;
};

struct syn_chains {
    struct syn_chained **head; /* [head_count], owned; the elements are not */
    size_t head_count;         /* a power of two */
    size_t count;
};

/* Make an empty table of `head_count` (a power of two) lists; it grows. Returns 0 or SYN_ENOMEM. */
int syn_chains_begin(struct syn_chains *chains, size_t head_count);
/* Free the table. The owner frees the elements. */
void syn_chains_free(struct syn_chains *chains);
/* Forget all elements. */
void syn_chains_clear(struct syn_chains *chains);
/* Returns 0 or SYN_ENOMEM. */
int syn_chains_add(struct syn_chains *chains, struct syn_chained *element, uint64_t hash);
/* Remove an element, which must be in the table. */
void syn_chains_remove(struct syn_chains *chains, struct syn_chained *element);

/* Returns the newest element of the hash's list, or NULL; `next` leads to the others. The low bits
 * of the hash select the list. */
static inline struct syn_chained *syn_chains_first(const struct syn_chains *chains, uint64_t hash)
{
    return chains->head[hash & (chains->head_count - 1)];
}

/* Iterate in any order: returns the element after `element` (NULL: the first), or NULL at the
 * end. */
struct syn_chained *syn_chains_next(const struct syn_chains *chains,
                                    const struct syn_chained *element);

#endif
