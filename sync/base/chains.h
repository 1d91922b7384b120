/* sync/base/chains.h - the hash table of what comes and goes: elements that are chained in lists by
 * their hash, the newest first. An element begins with its link; who is who, is the owner's. */
#ifndef SYN_CHAINS_H
#define SYN_CHAINS_H

#include <stddef.h>
#include <stdint.h>

struct syn_chained {
    struct syn_chained *next;
    uint64_t hash;
};

struct syn_chains {
    struct syn_chained **head; /* owned, [head_count]; the elements are not */
    size_t head_count;         /* a power of two */
    size_t count;
};

/* Room for about `head_count` (a power of two) at first; it grows. 0 or SYN_ENOMEM. */
int syn_chains_begin(struct syn_chains *chains, size_t head_count);
/* The lists only: the elements are freed by who knows what they are. */
void syn_chains_free(struct syn_chains *chains);
/* Forget all elements. */
void syn_chains_clear(struct syn_chains *chains);
/* 0 or SYN_ENOMEM. */
int syn_chains_add(struct syn_chains *chains, struct syn_chained *element, uint64_t hash);
/* It has to be there. */
void syn_chains_remove(struct syn_chains *chains, struct syn_chained *element);

/* The newest with hashes like this one; its `next` lead to the others. Low bits count: hashes that
 * follow one another lie side by side. NULL: none. */
static inline struct syn_chained *syn_chains_first(const struct syn_chains *chains, uint64_t hash)
{
    return chains->head[hash & (chains->head_count - 1)];
}

/* The one after `element`, in any order; after NULL: the first. NULL: there is no other. */
struct syn_chained *syn_chains_next(const struct syn_chains *chains,
                                    const struct syn_chained *element);

#endif
