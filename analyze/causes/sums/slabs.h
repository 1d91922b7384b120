/* analyze/causes/sums/slabs.h - memory of very many small things that are freed together: they lie
 * side by side in the order in which they were made, in a few slabs. */
#ifndef SYN_CAUSE_SLABS_H
#define SYN_CAUSE_SLABS_H

#include <stddef.h>

#define SYN_LINE_BYTES  ((size_t)64) /* of the cache */
#define SYN_PIECE_BYTES ((size_t)16)
#define SYN_PIECE_MOST  ((size_t)4096)

/* All zeros: none. */
struct syn_slabs {
    struct syn_slab *newest; /* owned */
    /* Pieces that were given back, by their size. */
    struct syn_unused_piece {
        struct syn_unused_piece *next;
    } * unused[SYN_PIECE_MOST / SYN_PIECE_BYTES + 1];
};

void syn_slabs_free(struct syn_slabs *slabs);
/* Returns `bytes` from the begin of a line on, zeroed. NULL: no memory. */
void *syn_slab_lines(struct syn_slabs *slabs, size_t bytes);
/* At most SYN_PIECE_MOST bytes, aligned for anything; what takes whole lines, to lines. NULL: no
 * memory. */
void *syn_slab_piece(struct syn_slabs *slabs, size_t bytes);
/* A piece of so many bytes (NULL: none) is not needed any more: the next of its size is this one.
 */
void syn_slab_give_back(struct syn_slabs *slabs, void *piece, size_t bytes);

#endif
