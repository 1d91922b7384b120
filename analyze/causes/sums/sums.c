/* analyze/causes/sums/sums.c - makes the cells of a replay's sums (sums.h), and adds time, waiting
 * and its ways to them. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/threads.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* ---- begin and end ---- */

void syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                          const struct syn_time_bins *bins)
{
    *sums = (struct syn_cause_sums){.location_count = location_count, .bins = *bins};
}

void syn_cause_sums_free(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; sums->overlap && i < sums->location_count; i++)
        free(sums->overlap[i]);
    free(sums->overlap);
    syn_cell_memory_free(&sums->memory);
    for (size_t i = 0; i < sums->helper_count; i++)
        syn_cell_memory_free(&sums->helper[i]);
    free(sums->helper);
    free(sums->block);
    free(sums->number);
    *sums = (struct syn_cause_sums){0};
}

/* ---- cells ---- */

uint32_t *syn_cause_number_place(struct syn_cause_sums *sums, uint32_t location, uint32_t label)
{
    const size_t row = sums->location_count;
    if (label >= sums->label_count) {
        const uint32_t had = sums->label_count, count = label + 4 + label / 2;
        if (SYN_RESERVE(sums->number, count * row))
            return NULL;
        memset(sums->number + had * row, 0, (count - had) * row * sizeof *sums->number);
        sums->label_count = count;
    }
    return &sums->number[label * row + location];
}

struct syn_cell_block *syn_cell_block_new(const struct syn_cause_sums *sums,
                                          struct syn_cell_memory *memory)
{
    return syn_cell_memory_lines(memory, sizeof(struct syn_cell_block) +
                                             sums->bins.count * sizeof(struct syn_packed_bin));
}

struct syn_cause_cell *syn_cause_cell_make(struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label)
{
    uint32_t number = syn_cause_number_of(sums, location, label);
    if (__builtin_expect(number > 0, 1))
        return syn_cause_cell_at(sums, number);
    uint32_t *place = syn_cause_number_place(sums, location, label);
    number = sums->cell_count + 1;
    if (!place)
        return NULL;
    if (number / SYN_BLOCK_CELLS == sums->block_count) {
        if (SYN_ROOM(sums->block, sums->block_capacity, sums->block_count) != SYN_OK)
            return NULL;
        struct syn_cell_block *block = syn_cell_block_new(sums, &sums->memory);
        if (!block)
            return NULL;
        sums->block[sums->block_count++] = block;
    }
    struct syn_cause_cell *cell = syn_cause_cell_at(sums, number);
    cell->number = *place = sums->cell_count = number;
    cell->location = location;
    cell->label = label;
    return cell;
}

int syn_cause_sums_relabel(struct syn_cause_sums *sums, const uint32_t *number)
{
    free(sums->number);
    sums->number = NULL;
    sums->label_count = 0;
    for (uint32_t i = sums->cell_count; i > 0; i--) {
        struct syn_cause_cell *cell = syn_cause_cell_at(sums, i);
        cell->label = number[cell->label];
        uint32_t *place = syn_cause_number_place(sums, cell->location, cell->label);
        if (!place)
            return SYN_ENOMEM;
        *place = i;
    }
    return 0;
}

/* ---- settling: cells get the sums of their bins ---- */

/* State shared by the threads that settle blocks. */
struct settle_state {
    struct syn_cause_sums *sums;
    _Atomic size_t next;  /* the next block to settle */
    pthread_mutex_t lock; /* guards the sums' caused_ns */
};
#define BLOCKS_OF_THREAD 16 /* least number of blocks for each thread */

/* Settles blocks until there are none: the work of one thread. */
static void *settle_blocks(void *argument)
{
    struct settle_state *settle_state = argument;
    struct syn_cause_sums *sums = settle_state->sums;
    int64_t caused_ns[SYN_TIME_BINS_MOST] = {0};
    for (size_t s; (s = atomic_fetch_add(&settle_state->next, 1)) < sums->block_count;) {
        /* Adds a block's bins to its cells, and the waiting in each bin to caused_ns [bin_count].
         * Finishes the histograms of its cells. */
        struct syn_cell_block *block = sums->block[s];
        for (uint32_t b = 0; b < sums->bins.count; b++)
            for (unsigned i = 0; syn_packed_bin_has_any(&block->packed[b]) && i < SYN_BLOCK_CELLS;
                 i++) {
                const struct syn_bin_values bin = syn_packed_bin_read(&block->packed[b], i);
                struct syn_cause_cell *cell = &block->cell[i];
                cell->count += bin.count;
                for (int index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
                    syn_sum_add(&cell->ns[index], bin.ns[index]);
                    syn_sum_add(&cell->waiting_ns[index], bin.waiting_ns[index]);
                    syn_sum_add(&caused_ns[b], bin.waiting_ns[index]);
                }
            }
        for (unsigned i = 0; i < SYN_BLOCK_CELLS; i++)
            for (int index = 0; index < SYN_CATEGORIES_OF_LABEL; index++)
                syn_excess_histogram_finish(block->category[index][i].histogram);
    }
    pthread_mutex_lock(&settle_state->lock);
    for (uint32_t b = 0; b < sums->bins.count; b++)
        syn_sum_add(&sums->caused_ns[b], caused_ns[b]);
    pthread_mutex_unlock(&settle_state->lock);
    return NULL;
}

void syn_cause_sums_settle(struct syn_cause_sums *sums)
{
    struct settle_state settle_state = {.sums = sums};
    const size_t most = sums->block_count / BLOCKS_OF_THREAD + 1;
    pthread_mutex_init(&settle_state.lock, NULL);
    syn_threads_run(syn_least(syn_thread_count(), most), settle_blocks, &settle_state);
    pthread_mutex_destroy(&settle_state.lock);
}

/* ---- waiting that a cell caused ---- */

/* Returns a number that depends on `value` only, but looks random (splitmix64). */
static uint64_t mix_bits(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

/* Plan: find the cell; split the waiting into a share of computing and one of being off the
 * processor; add both to the time bin; add to the index's sums; add the excess to its histogram. */
int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge)
{
    const struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, syn_key_label(key));
    const unsigned index = syn_category_index(syn_key_category(key));
    int64_t off_ns = 0; /* share of the waiting that being off the processor caused */
    if (!cell)
        return SYN_ENOMEM;
    if (charge->waiting_ns <= 0)
        return 0;
    if (__builtin_expect(charge->off_cpu_ns > 0, 0))
        off_ns = syn_portion(charge->waiting_ns, (unsigned __int128)charge->off_cpu_ns,
                             (unsigned __int128)charge->excess_ns);
    struct syn_bin_values added = {.waits = 1};
    added.waiting_ns[index] = charge->waiting_ns - off_ns;
    added.waiting_ns[SYN_CATEGORY_OFF_CPU] += off_ns;
    if (syn_bin_add_in(sums, cell->number, syn_time_bin_of(&sums->bins, charge->at_ns), &added))
        return SYN_ENOMEM;
    struct syn_category_sums *of = syn_category_sums_of(cell, index);
    syn_sum_add(&of->bound_ns, charge->bound_ns);
    of->instances++;
    const struct syn_excess excess = {charge->excess_ns, charge->waiting_ns,
                                      mix_bits((uint64_t)charge->at_ns ^ (uint64_t)location << 40)};
    return syn_excess_histogram_add(&sums->memory, &of->histogram, &excess);
}

/* ---- how waiting reached others: by messages, and over how many ranks ---- */

/* Allocates a cell's `reach` if it has none. Returns 0 or SYN_ENOMEM. */
static int ensure_reach(struct syn_cell_memory *memory, struct syn_cause_cell *cell)
{
    const size_t bytes = SYN_CATEGORIES_OF_LABEL * sizeof *cell->reach;
    if (cell->reach)
        return 0;
    cell->reach = syn_cell_memory_lines(memory, (bytes + SYN_LINE_BYTES - 1) / SYN_LINE_BYTES *
                                                    SYN_LINE_BYTES);
    return cell->reach ? 0 : SYN_ENOMEM;
}

int syn_cause_cell_reach(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                         const struct syn_cause_way *way)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, syn_key_label(key));
    if (!cell || ensure_reach(&sums->memory, cell))
        return SYN_ENOMEM;
    struct syn_cause_reach *reach = &cell->reach[syn_category_index(syn_key_category(key))];
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
    if (ensure_reach(memory, into))
        return SYN_ENOMEM;
    for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        struct syn_cause_reach *reach = &into->reach[index];
        syn_sum_add(&reach->messages_ns, from[index].messages_ns);
        for (unsigned h = 0; h < SYN_HOPS; h++)
            syn_sum_add(&reach->hops_ns[h], from[index].hops_ns[h]);
        reach->hops_most = syn_largest(from[index].hops_most, reach->hops_most);
    }
    return 0;
}
