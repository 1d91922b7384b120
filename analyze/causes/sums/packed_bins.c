/* analyze/causes/sums/packed_bins.c - makes packed bins and lets them grow. */
#include "analyze/causes/sums/packed_bins.h"

#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "sync/base/status.h"

#define SMALL_BYTES (SYN_BLOCK_CELLS * sizeof(struct syn_small_bin))
_Static_assert(SMALL_BYTES <= SYN_PIECE_MOST, "a piece of a chunk");

int syn_packed_bin_add_any(struct syn_cell_memory *memory, struct syn_packed_bin *packed,
                           unsigned cell, const struct syn_bin_values *added)
{
    struct syn_bin_values *large = packed->large;
    if (!large && !packed->small) {
        packed->small = syn_cell_memory_piece(memory, SMALL_BYTES);
        if (!packed->small)
            return SYN_ENOMEM;
        memset(packed->small, 0, SMALL_BYTES);
        return syn_packed_bin_add(memory, packed, cell, added);
    }
    if (!large) {
        large = syn_cell_memory_lines(memory, SYN_BLOCK_CELLS * sizeof *large);
        if (!large)
            return SYN_ENOMEM;
        for (unsigned i = 0; i < SYN_BLOCK_CELLS; i++)
            large[i] = syn_small_read(&packed->small[i]);
        syn_cell_memory_give_back(memory, packed->small, SMALL_BYTES);
        *packed = (struct syn_packed_bin){.large = large};
    }
    large += cell;
    large->count += added->count;
    large->waits += added->waits;
    for (int index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        syn_sum_add(&large->ns[index], added->ns[index]);
        syn_sum_add(&large->waiting_ns[index], added->waiting_ns[index]);
    }
    return 0;
}
