/* sync/ranks/parts.h - merges classes (classes.h) that agree in a part of their key. Used on rank
 * 0. */
#ifndef SYN_PARTS_H
#define SYN_PARTS_H

#include "sync/ranks/classes.h"

#define SYN_PART_WORDS 3

/* Stores the key by which the i-th class is merged with others. */
typedef void syn_part_key(const struct syn_classes *classes, size_t i, const void *ctx,
                          uint64_t key[SYN_PART_WORDS]);

struct syn_parts {           /* {0}: none */
    struct syn_rank_set *of; /* [count] in the order of their lowest ranks; owned, with the sets */
    size_t count;
    struct syn_rank_set lowest; /* their lowest ranks */
    uint32_t *of_class;         /* [class count] number of each class's part; owned */
};

/* Returns 0, or SYN_ENOMEM (*out is then empty). */
int syn_parts_make(const struct syn_classes *classes, syn_part_key *key_of, const void *ctx,
                   struct syn_parts *out);
void syn_parts_free(struct syn_parts *parts);

#endif
