/* analyze/causes/sums/strips.c - strips that begin, and those that have to grow. */
#include "analyze/causes/sums/strips.h"

#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "sync/base/status.h"

#define SMALL_BYTES (SYN_SHEET_CELLS * sizeof(struct syn_small_block))
_Static_assert(SMALL_BYTES <= SYN_PIECE_MOST, "a piece of a slab");

static int begin(struct syn_slabs *slabs, struct syn_strip *strip)
{
    strip->small = syn_slab_piece(slabs, SMALL_BYTES);
    if (!strip->small)
        return SYN_ENOMEM;
    memset(strip->small, 0, SMALL_BYTES);
    return 0;
}

static int enlarge(struct syn_slabs *slabs, struct syn_strip *strip)
{
    struct syn_cause_block *large = syn_slab_lines(slabs, SYN_SHEET_CELLS * sizeof *large);
    if (!large)
        return SYN_ENOMEM;
    for (unsigned i = 0; i < SYN_SHEET_CELLS; i++)
        large[i] = syn_small_read(&strip->small[i]);
    syn_slab_give_back(slabs, strip->small, SMALL_BYTES);
    *strip = (struct syn_strip){.large = large};
    return 0;
}

static void add_to_large(struct syn_cause_block *large, const struct syn_cause_block *added)
{
    large->count += added->count;
    large->waits += added->waits;
    for (int slot = 0; slot < SYN_SLOT_COUNT; slot++) {
        syn_sum_add(&large->ns[slot], added->ns[slot]);
        syn_sum_add(&large->waiting_ns[slot], added->waiting_ns[slot]);
    }
}

int syn_strip_add_any(struct syn_slabs *slabs, struct syn_strip *strip, unsigned cell,
                      const struct syn_cause_block *added)
{
    int status = 0;
    if (strip->large) {
        add_to_large(&strip->large[cell], added);
        return 0;
    }
    if (strip->small)
        status = enlarge(slabs, strip);
    else
        status = begin(slabs, strip);
    return status != SYN_OK ? status : syn_strip_add(slabs, strip, cell, added);
}
