/* analyze/causes/sums/strips.h - values of a sheet's cells in a block of the run's time. Of very
 * many labels each has a call or two there: so a cell takes 16 bytes of a strip, until one of the
 * strip's cells has something that does not fit. */
#ifndef SYN_CAUSE_STRIPS_H
#define SYN_CAUSE_STRIPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analyze/causes/sums/slabs.h"
#include "sync/base/fetch.h"

#define SYN_SLOT_COUNT  3
#define SYN_SHEET_CELLS 64

/* A label on a location in a block of the run's time. */
struct syn_cause_block {
    int64_t count; /* times it was gone through */
    int64_t ns[SYN_SLOT_COUNT];
    int64_t waiting_ns[SYN_SLOT_COUNT]; /* of others that it made wait */
    int64_t waits;                      /* instances in which it did */
};

static inline bool syn_cause_block_is_used(const struct syn_cause_block *block)
{
    return block->count > 0 || block->waits > 0;
}

/* A block whose other values are zero, and none negative. */
struct syn_small_block {
    uint32_t ns[2], waiting_ns;
    uint16_t count, waits;
};

/* Sums of small blocks, two numbers at once. A block is two words, of which each has a number in
 * its lower half and another in its upper half: the processors that there is a syncopate for have
 * the lower half first (trace/columns/tuples.c sees to that). */
typedef uint64_t syn_two_sums __attribute__((vector_size(16)));
struct syn_small_sum {
    syn_two_sums first_and_waiting; /* ns[0], waiting_ns */
    syn_two_sums second_and_count;  /* ns[1], count */
};

static inline syn_two_sums syn_small_words(const struct syn_small_block *small)
{
    syn_two_sums words;
    _Static_assert(sizeof words == sizeof *small, "two words");
    memcpy(&words, small, sizeof words);
    return words;
}
static inline syn_two_sums syn_small_first_and_waiting(const struct syn_small_block *small)
{
    return syn_small_words(small) & (syn_two_sums){UINT32_MAX, UINT32_MAX};
}
static inline void syn_small_sum_add(struct syn_small_sum *sum, const struct syn_small_block *small)
{
    sum->first_and_waiting += syn_small_first_and_waiting(small);
    sum->second_and_count += syn_small_words(small) >> 32 & (syn_two_sums){UINT32_MAX, UINT16_MAX};
}

/* Neither: all zeros. */
struct syn_strip {
    struct syn_small_block *small; /* [SYN_SHEET_CELLS], in slabs; or */
    struct syn_cause_block *large; /* [SYN_SHEET_CELLS], in slabs */
};

static inline bool syn_strip_has_any(const struct syn_strip *strip)
{
    return strip->small || strip->large;
}
static inline struct syn_cause_block syn_small_read(const struct syn_small_block *small)
{
    return (struct syn_cause_block){.count = small->count,
                                    .ns = {small->ns[0], small->ns[1]},
                                    .waiting_ns = {small->waiting_ns},
                                    .waits = small->waits};
}
static inline struct syn_cause_block syn_strip_read(const struct syn_strip *strip, unsigned cell)
{
    return strip->small   ? syn_small_read(&strip->small[cell])
           : strip->large ? strip->large[cell]
                          : (struct syn_cause_block){0};
}
/* Returns the place of the cell's values, to be fetched ahead; NULL: nowhere. */
static inline const void *syn_strip_place(const struct syn_strip *strip, unsigned cell)
{
    return strip->small   ? (const void *)&strip->small[cell]
           : strip->large ? (const void *)&strip->large[cell]
                          : NULL;
}

/* All of one that is small is asked for ahead. */
static inline void syn_strip_fetch(const struct syn_strip *strip)
{
    if (strip->small)
        syn_fetch(strip->small, SYN_SHEET_CELLS * sizeof *strip->small);
}

/* The longer way of syn_strip_add. */
int syn_strip_add_any(struct syn_slabs *slabs, struct syn_strip *strip, unsigned cell,
                      const struct syn_cause_block *added);

/* Adds a block to a cell. Nearly always the addition is zero but for a number or two, and the sum
 * fits. Numbers wrap around: a negative one may be added to a larger one. 0 or SYN_ENOMEM. */
static inline __attribute__((always_inline)) int syn_strip_add(struct syn_slabs *slabs,
                                                               struct syn_strip *strip,
                                                               unsigned cell,
                                                               const struct syn_cause_block *added)
{
    if (__builtin_expect(!strip->small, 0))
        return syn_strip_add_any(slabs, strip, cell, added);
    struct syn_small_block *small = &strip->small[cell];
    const uint64_t count = small->count + (uint64_t)added->count;
    const uint64_t waits = small->waits + (uint64_t)added->waits;
    const uint64_t first_ns = small->ns[0] + (uint64_t)added->ns[0];
    const uint64_t second_ns = small->ns[1] + (uint64_t)added->ns[1];
    const uint64_t waiting_ns = small->waiting_ns + (uint64_t)added->waiting_ns[0];
    const uint64_t beyond = (first_ns | second_ns | waiting_ns) >> 32 | (count | waits) >> 16;
    const int64_t others = added->ns[2] | added->waiting_ns[1] | added->waiting_ns[2];
    if (__builtin_expect(beyond != 0 || others != 0, 0))
        return syn_strip_add_any(slabs, strip, cell, added);
    *small = (struct syn_small_block){{(uint32_t)first_ns, (uint32_t)second_ns},
                                      (uint32_t)waiting_ns,
                                      (uint16_t)count,
                                      (uint16_t)waits};
    return 0;
}

#endif
