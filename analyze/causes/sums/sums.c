/* analyze/causes/sums/sums.c - sums of a replay, and adding sums up. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/causes/sums/charging.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "analyze/causes/sums/thread_totals.h"
#include "analyze/threads.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

int syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                         const struct syn_time_bins *bins)
{
    *sums = (struct syn_cause_sums){.location_count = location_count, .bins = *bins};
    sums->number = calloc((size_t)location_count + 1, sizeof *sums->number);
    sums->label_count = calloc((size_t)location_count + 1, sizeof *sums->label_count);
    return sums->number && sums->label_count ? 0 : SYN_ENOMEM;
}

/* ---- begin and end ---- */

void syn_cause_sums_free(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; sums->number && i < sums->location_count; i++)
        free(sums->number[i]);
    syn_bin_overlaps_free(sums);
    syn_cell_memory_free(&sums->memory);
    syn_cell_memory_free(&sums->histogram);
    for (size_t i = 0; i < sums->helper_count; i++) {
        syn_cell_memory_free(&sums->helper[i].memory);
        syn_cell_memory_free(&sums->helper[i].histogram);
    }
    free(sums->helper);
    free(sums->block);
    free(sums->number);
    free(sums->label_count);
    *sums = (struct syn_cause_sums){0};
}

/* ---- cells ---- */

uint32_t *syn_cause_number_place(struct syn_cause_sums *sums, uint32_t location, uint32_t label)
{
    const uint32_t had = sums->label_count[location];
    if (label < had)
        return &sums->number[location][label];
    const uint32_t count = label + 4 + label / 2;
    if (SYN_RESERVE(sums->number[location], count))
        return NULL;
    memset(sums->number[location] + had, 0, (count - had) * sizeof **sums->number);
    sums->label_count[location] = count;
    return &sums->number[location][label];
}

struct syn_cell_block *syn_cell_block_new(const struct syn_cause_sums *sums,
                                          struct syn_cell_memory *memory)
{
    return syn_cell_memory_lines(memory, sizeof(struct syn_cell_block) +
                                             sums->bins.count * sizeof(struct syn_packed_bin));
}

/* Makes the block of a number that is the next one or smaller. 0 or SYN_ENOMEM. */
static int reserve_block(struct syn_cause_sums *sums, uint32_t number)
{
    if (number / SYN_BLOCK_CELLS < sums->block_count)
        return 0;
    if (SYN_ROOM(sums->block, sums->block_capacity, sums->block_count) != SYN_OK)
        return SYN_ENOMEM;
    struct syn_cell_block *block = syn_cell_block_new(sums, &sums->memory);
    if (!block)
        return SYN_ENOMEM;
    sums->block[sums->block_count++] = block;
    return 0;
}

/* Gives a place the next cell. 0 or SYN_ENOMEM; then it has none. */
static int add_next(struct syn_cause_sums *sums, uint32_t location, uint32_t label,
                    uint32_t *number)
{
    const uint32_t added = sums->cell_count + 1;
    if (reserve_block(sums, added))
        return SYN_ENOMEM;
    struct syn_cause_cell *cell = syn_cause_cell_at(sums, added);
    cell->number = *number = sums->cell_count = added;
    cell->location = location;
    cell->label = label;
    return 0;
}

struct syn_cause_cell *syn_cause_cell_make(struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label)
{
    uint32_t number = syn_cause_number_of(sums, location, label), own_label = label;
    if (__builtin_expect(number > 0, 1))
        return syn_cause_cell_at(sums, number);
    uint32_t *place = syn_cause_number_place(sums, location, label);
    uint32_t *own = place && sums->totals
                        ? syn_thread_totals_place(sums->totals, location, label, &own_label)
                        : place;
    if (!own || (*own == 0 && add_next(sums, location, own_label, own)))
        return NULL;
    *place = *own;
    return syn_cause_cell_at(sums, *own);
}

/* Renumbers the labels of a location. */
static int relabel_location(struct syn_cause_sums *sums, uint32_t location, const uint32_t *number)
{
    const uint32_t had = sums->label_count[location];
    uint32_t *was = sums->number[location];
    int status = 0;
    sums->number[location] = NULL;
    sums->label_count[location] = 0;
    for (uint32_t label = had; label-- > 0 && status == SYN_OK;) {
        uint32_t *place =
            was[label] ? syn_cause_number_place(sums, location, number[label]) : &was[label];
        status = place ? SYN_OK : SYN_ENOMEM;
        if (place)
            *place = was[label];
    }
    free(was);
    return status;
}

int syn_cause_sums_relabel(struct syn_cause_sums *sums, const uint32_t *number)
{
    int status = 0;
    for (uint32_t i = 0; i < sums->location_count && status == SYN_OK; i++)
        status = relabel_location(sums, i, number);
    for (uint32_t cell = 1; cell <= sums->cell_count && status == SYN_OK; cell++) {
        struct syn_cause_cell *of = syn_cause_cell_at(sums, cell);
        of->label = number[of->label];
    }
    return status;
}

void syn_cause_sums_exchange(struct syn_cause_sums *one, struct syn_cause_sums *other)
{
    const struct syn_cause_sums was_one = *one, was_other = *other;
    *one = was_other;
    one->number = was_one.number;
    one->label_count = was_one.label_count;
    one->totals = was_one.totals;
    *other = was_one;
    other->number = was_other.number;
    other->label_count = was_other.label_count;
    other->totals = was_other.totals;
}

/* ---- bins ---- */

/* State of the threads that settle blocks. */
struct settling {
    struct syn_cause_sums *sums;
    _Atomic size_t next;  /* block */
    pthread_mutex_t lock; /* of the sums' caused_ns */
};
#define BLOCKS_OF_THREAD 16 /* fewer are not worth one more */

static void settle_packed(struct syn_cell_block *block, const struct syn_packed_bin *packed,
                          int64_t *caused_ns)
{
    for (unsigned i = 0; syn_packed_bin_has_any(packed) && i < SYN_BLOCK_CELLS; i++) {
        const struct syn_bin_values bin = syn_packed_bin_read(packed, i);
        struct syn_cause_cell *cell = &block->cell[i];
        cell->count += bin.count;
        for (int slot = 0; slot < SYN_SLOT_COUNT; slot++) {
            syn_sum_add(&cell->ns[slot], bin.ns[slot]);
            syn_sum_add(&cell->waiting_ns[slot], bin.waiting_ns[slot]);
            syn_sum_add(caused_ns, bin.waiting_ns[slot]);
        }
    }
}

/* Settles a block, bin by bin. caused_ns [bins.count]. */
static void settle_block(struct syn_cell_block *block, uint32_t bin_count, int64_t *caused_ns)
{
    for (uint32_t b = 0; b < bin_count; b++)
        settle_packed(block, &block->packed[b], &caused_ns[b]);
    for (unsigned i = 0; i < SYN_BLOCK_CELLS; i++)
        for (int slot = 0; slot < SYN_SLOT_COUNT; slot++)
            syn_excess_histogram_finish(block->slot[slot][i].histogram);
}

static void *settle_blocks(void *argument)
{
    struct settling *settling = argument;
    struct syn_cause_sums *sums = settling->sums;
    int64_t caused_ns[SYN_TIME_BINS_MOST] = {0};
    for (size_t s; (s = atomic_fetch_add(&settling->next, 1)) < sums->block_count;)
        settle_block(sums->block[s], sums->bins.count, caused_ns);
    pthread_mutex_lock(&settling->lock);
    for (uint32_t b = 0; b < sums->bins.count; b++)
        syn_sum_add(&sums->caused_ns[b], caused_ns[b]);
    pthread_mutex_unlock(&settling->lock);
    return NULL;
}

void syn_cause_sums_settle(struct syn_cause_sums *sums)
{
    struct settling settling = {.sums = sums};
    const size_t most = sums->block_count / BLOCKS_OF_THREAD + 1;
    pthread_mutex_init(&settling.lock, NULL);
    syn_threads_run(syn_least(syn_thread_count(), most), settle_blocks, &settling);
    pthread_mutex_destroy(&settling.lock);
}

int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, key / SYN_PART_COUNT);
    return cell ? syn_cause_cell_charge_in(sums, cell->number,
                                           syn_time_bin_of(&sums->bins, charge->at_ns), location,
                                           (enum syn_part)(key % SYN_PART_COUNT), charge)
                : SYN_ENOMEM;
}

/* ---- how waiting reached others ---- */

static int make_reach(struct syn_cell_memory *memory, struct syn_cause_cell *cell)
{
    const size_t bytes = SYN_SLOT_COUNT * sizeof *cell->reach;
    if (cell->reach)
        return 0;
    cell->reach = syn_cell_memory_lines(memory, (bytes + SYN_LINE_BYTES - 1) / SYN_LINE_BYTES *
                                                    SYN_LINE_BYTES);
    return cell->reach ? 0 : SYN_ENOMEM;
}

int syn_cause_cell_reach(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                         const struct syn_cause_way *way)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, key / SYN_PART_COUNT);
    if (!cell || make_reach(&sums->memory, cell))
        return SYN_ENOMEM;
    struct syn_cause_reach *reach =
        &cell->reach[syn_part_slot((enum syn_part)(key % SYN_PART_COUNT))];
    syn_sum_add(&reach->messages_ns, way->messages_ns);
    syn_sum_add(&reach->hops_ns[syn_least(way->hops, SYN_HOPS - 1)], way->waiting_ns);
    reach->hops_most = syn_largest(way->hops_most, reach->hops_most);
    return 0;
}

int syn_cause_reach_add(struct syn_cell_memory *memory, struct syn_cause_cell *into,
                        const struct syn_cause_reach *from)
{
    if (!from)
        return 0;
    if (make_reach(memory, into))
        return SYN_ENOMEM;
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT; slot++) {
        struct syn_cause_reach *reach = &into->reach[slot];
        syn_sum_add(&reach->messages_ns, from[slot].messages_ns);
        for (unsigned h = 0; h < SYN_HOPS; h++)
            syn_sum_add(&reach->hops_ns[h], from[slot].hops_ns[h]);
        reach->hops_most = syn_largest(from[slot].hops_most, reach->hops_most);
    }
    return 0;
}
