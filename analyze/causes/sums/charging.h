/* analyze/causes/sums/charging.h - a charge into the sums of a cell, on the way of every instance.
 */
#ifndef SYN_CAUSE_CHARGING_H
#define SYN_CAUSE_CHARGING_H

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/sums.h"

/* Returns a number that is equal for equal charges, else as good as random (splitmix64). */
static inline uint64_t syn_draw(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* syn_excess_histogram_add, of few: nearly always their line has room. */
static inline int syn_excess_histogram_count_few(struct syn_cell_memory *memory,
                                                 struct syn_excess_histogram **histogram,
                                                 const struct syn_excess *excess)
{
    if (!*histogram || !syn_few_fits(syn_few_of(*histogram), excess))
        return syn_excess_histogram_add(memory, histogram, excess);
    syn_few_add(syn_few_of(*histogram), excess);
    return 0;
}

/* syn_excess_histogram_add; of many nearly always the bucket is there and has room. Whether a
 * sample is kept nobody can predict: it is written in any case, behind those that are. */
static inline int syn_excess_histogram_count(struct syn_cell_memory *memory,
                                             struct syn_excess_histogram **histogram,
                                             const struct syn_excess *excess)
{
    if (!*histogram || (*histogram)->few_count > 0)
        return syn_excess_histogram_count_few(memory, histogram, excess);
    struct syn_many_excesses *many = syn_many_of(*histogram);
    const unsigned place = many->place[syn_excess_bucket_of(excess->excess_ns)];
    struct syn_excess_bucket *at = place ? &many->at[place - 1] : NULL;
    if (__builtin_expect(!at || at->sample_count == at->sample_room, 0))
        return syn_excess_histogram_add(memory, histogram, excess);
    struct syn_cause_drawn *sample = &at->sample[at->sample_count];
    at->count++;
    syn_sum_add(&at->waiting_ns, excess->waiting_ns);
    sample->draw = excess->draw;
    sample->excess_ns = excess->excess_ns;
    at->sample_count += excess->draw < at->below;
    if (__builtin_expect(at->sample_count == SYN_BUCKET_ROOM, 0))
        syn_excess_bucket_lower(at);
    return 0;
}

/* syn_cause_cell_charge, of a cell that is there (its number), in a bin. Always made anew, so
 * that a charge that is made right before it stays in registers. */
static inline __attribute__((always_inline)) int
syn_cause_cell_charge_in(struct syn_cause_sums *sums, uint32_t number, uint32_t bin,
                         uint32_t location, enum syn_part part,
                         const struct syn_cause_charge *charge)
{
    const unsigned slot = syn_part_slot(part);
    struct syn_cause_slot *of = syn_cause_slot_at(sums, number, slot);
    int64_t off_ns = 0; /* of the waiting, what being off the processor counters for */
    if (charge->waiting_ns <= 0)
        return 0;
    if (__builtin_expect(charge->off_cpu_ns > 0, 0))
        off_ns = syn_portion(charge->waiting_ns, (unsigned __int128)charge->off_cpu_ns,
                             (unsigned __int128)charge->excess_ns);
    struct syn_bin_values added = {.waits = 1};
    added.waiting_ns[slot] = charge->waiting_ns - off_ns;
    added.waiting_ns[SYN_PART_OFF_CPU] += off_ns;
    if (__builtin_expect(syn_bin_add_in(sums, number, bin, &added), 0))
        return SYN_ENOMEM;
    syn_sum_add(&of->bound_ns, charge->bound_ns);
    of->instances++;
    const struct syn_excess excess = {charge->excess_ns, charge->waiting_ns,
                                      syn_draw((uint64_t)charge->at_ns ^ (uint64_t)location << 40)};
    return syn_excess_histogram_count(&sums->histogram, &of->histogram, &excess);
}

#endif
