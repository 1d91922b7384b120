/* analyze/causes/sums/cell_memory.h - memory of very many small objects that are freed together.
 * They lie side by side in a few large chunks, in the order in which they were made. */
#ifndef SYN_CELL_MEMORY_H
#define SYN_CELL_MEMORY_H

#include <stddef.h>

#define SYN_LINE_BYTES  ((size_t)64) /* of a cache line */
#define SYN_PIECE_BYTES ((size_t)16)
#define SYN_PIECE_MOST  ((size_t)4096)

/* Memory of one owner. Zeroed: empty. */
struct syn_cell_memory {
    struct syn_memory_chunk *newest; /* owned */
    /* Returned pieces, by size. */
    struct syn_unused_piece {
        struct syn_unused_piece *next;
    } * unused[SYN_PIECE_MOST / SYN_PIECE_BYTES + 1];
};

void syn_cell_memory_free(struct syn_cell_memory *memory);
/* Returns `bytes`, aligned to a cache line and zeroed, or NULL if out of memory. */
void *syn_cell_memory_lines(struct syn_cell_memory *memory, size_t bytes);
/* Returns a piece of at most SYN_PIECE_MOST bytes, aligned for any type. A piece of whole cache
 * lines is aligned to a cache line. Returns NULL if out of memory. */
void *syn_cell_memory_piece(struct syn_cell_memory *memory, size_t bytes);
/* Returns a piece of `bytes` to the memory. The next piece of that size reuses it. NULL is
 * ignored. */
void syn_cell_memory_give_back(struct syn_cell_memory *memory, void *piece, size_t bytes);

#endif
