/* analyze/causes/sums/packed_bins.h - the values of a block's cells in one time bin. Most labels
 * have only a call or two in a bin. So a cell takes 16 bytes (small) while all values of the
 * block's cells fit. As soon as one does not fit, all of its cells take a whole struct
 * syn_bin_values (large). */
#ifndef SYN_PACKED_BINS_H
#define SYN_PACKED_BINS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyze/causes/sums/cell_memory.h"

#define SYN_CATEGORIES_OF_LABEL 3
#define SYN_BLOCK_CELLS         64

/* The values of a label on a location in a time bin. */
struct syn_bin_values {
    int64_t count; /* passes of the location through the label */
    int64_t ns[SYN_CATEGORIES_OF_LABEL];
    int64_t waiting_ns[SYN_CATEGORIES_OF_LABEL]; /* waiting of others that the label caused */
    int64_t waits;                               /* instances in which it caused waiting */
};

static inline bool syn_bin_is_used(const struct syn_bin_values *bin)
{
    return bin->count > 0 || bin->waits > 0;
}

/* The values of a bin, if all other values are 0 and none is negative. */
struct syn_small_bin {
    uint32_t ns[2], waiting_ns;
    uint16_t count, waits;
};

/* The packed values of a block, all in cell memory. At most one of the two is set. If both are
 * NULL, all values are 0. */
struct syn_packed_bin {
    struct syn_small_bin *small;  /* [SYN_BLOCK_CELLS] */
    struct syn_bin_values *large; /* [SYN_BLOCK_CELLS] */
};

static inline bool syn_packed_bin_has_any(const struct syn_packed_bin *packed)
{
    return packed->small || packed->large;
}
static inline struct syn_bin_values syn_small_read(const struct syn_small_bin *small)
{
    return (struct syn_bin_values){.count = small->count,
                                   .ns = {small->ns[0], small->ns[1]},
                                   .waiting_ns = {small->waiting_ns},
                                   .waits = small->waits};
}
static inline struct syn_bin_values syn_packed_bin_read(const struct syn_packed_bin *packed,
                                                        unsigned cell)
{
    return packed->small   ? syn_small_read(&packed->small[cell])
           : packed->large ? packed->large[cell]
                           : (struct syn_bin_values){0};
}
/* Does the work of syn_packed_bin_add for a bin that is new, has to grow, or is large. */
int syn_packed_bin_add_any(struct syn_cell_memory *memory, struct syn_packed_bin *packed,
                           unsigned cell, const struct syn_bin_values *added);

/* Adds values to those of a cell. Nearly always at most two values are not 0, and the sum fits.
 * Arithmetic wraps around, so a negative value can be added to a larger one. Returns 0 or
 * SYN_ENOMEM. */
static inline __attribute__((always_inline)) int
syn_packed_bin_add(struct syn_cell_memory *memory, struct syn_packed_bin *packed, unsigned cell,
                   const struct syn_bin_values *added)
{
    if (__builtin_expect(!packed->small, 0))
        return syn_packed_bin_add_any(memory, packed, cell, added);
    struct syn_small_bin *small = &packed->small[cell];
    const uint64_t count = small->count + (uint64_t)added->count;
    const uint64_t waits = small->waits + (uint64_t)added->waits;
    const uint64_t first_ns = small->ns[0] + (uint64_t)added->ns[0];
    const uint64_t second_ns = small->ns[1] + (uint64_t)added->ns[1];
    const uint64_t waiting_ns = small->waiting_ns + (uint64_t)added->waiting_ns[0];
    const uint64_t beyond = (first_ns | second_ns | waiting_ns) >> 32 | (count | waits) >> 16;
    const int64_t others = added->ns[2] | added->waiting_ns[1] | added->waiting_ns[2];
    if (__builtin_expect(beyond != 0 || others != 0, 0))
        return syn_packed_bin_add_any(memory, packed, cell, added);
    *small = (struct syn_small_bin){{(uint32_t)first_ns, (uint32_t)second_ns},
                                    (uint32_t)waiting_ns,
                                    (uint16_t)count,
                                    (uint16_t)waits};
    return 0;
}

#endif
