/* analyze/causes/sums/adding_sums.c - adding up sums of several threads.
 *
 * First one thread gives all cells of the other sums a number here. Then each thread takes cell
 * blocks and adds to their cells. No two threads write to the same cell, and each has memory of its
 * own for packed bins and histograms that grow. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define CELLS_OF_THREAD 1024 /* fewer are not worth one more */

/* The sums that are added, and those that they are added to. */
struct adding {
    struct syn_cause_sums *into;
    const struct syn_cause_sums *from;
    const uint32_t *map;
    uint32_t *source; /* [block_count * SYN_BLOCK_CELLS of `into`]: which cell is added to a number;
                         0: none */
    _Atomic size_t next_block, next_adder;
    _Atomic int status;
};

/* One of the threads. */
struct adder {
    const struct adding *adding;
    struct syn_cell_memory *memory, *histogram; /* nobody else's */
};

static uint32_t label_into(const struct adding *adding, uint32_t label)
{
    return adding->map ? adding->map[label] : label;
}

/* ---- numbers ---- */

/* Gives a number to each cell of the other sums. New cells follow; their blocks are not there yet.
 */
static int number_cells(struct adding *adding)
{
    struct syn_cause_sums *into = adding->into;
    for (uint32_t source = 1; source <= adding->from->cell_count; source++) {
        const struct syn_cause_cell *cell = syn_cause_cell_at(adding->from, source);
        uint32_t *number =
            syn_cause_number_place(into, cell->location, label_into(adding, cell->label));
        if (!number)
            return SYN_ENOMEM;
        if (*number == 0)
            *number = ++into->cell_count;
        adding->source[*number] = source;
    }
    return 0;
}

/* Reserves the blocks that cells have numbers of. */
static int reserve_blocks(struct syn_cause_sums *into)
{
    const size_t had = into->block_count, count = into->cell_count / SYN_BLOCK_CELLS + 1;
    if (count <= had)
        return 0;
    if (count > into->block_capacity) {
        if (SYN_RESERVE(into->block, count))
            return SYN_ENOMEM;
        into->block_capacity = count;
    }
    memset(into->block + had, 0, (count - had) * sizeof(struct syn_cell_block *));
    into->block_count = count;
    return 0;
}

/* ---- a cell ---- */

static int add_slots(const struct adder *adder, uint32_t number, uint32_t source)
{
    int status = syn_cause_reach_add(adder->memory, syn_cause_cell_at(adder->adding->into, number),
                                     syn_cause_cell_at(adder->adding->from, source)->reach);
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT && status == SYN_OK; slot++) {
        struct syn_cause_slot *into = syn_cause_slot_at(adder->adding->into, number, slot);
        const struct syn_cause_slot *from = syn_cause_slot_at(adder->adding->from, source, slot);
        syn_sum_add(&into->path_ns, from->path_ns);
        syn_sum_add(&into->bound_ns, from->bound_ns);
        into->instances += from->instances;
        status = syn_excess_histogram_merge(adder->histogram, &into->histogram, from->histogram);
    }
    return status;
}

static int add_bin(const struct adder *adder, uint32_t number, uint32_t source, uint32_t bin)
{
    const struct syn_bin_values added = syn_packed_bin_read(
        syn_packed_bin_at(adder->adding->from, source, bin), source % SYN_BLOCK_CELLS);
    return syn_bin_is_used(&added)
               ? syn_packed_bin_add(adder->memory,
                                    syn_packed_bin_at(adder->adding->into, number, bin),
                                    number % SYN_BLOCK_CELLS, &added)
               : 0;
}

static int add_cell(const struct adder *adder, uint32_t number, uint32_t source)
{
    const struct adding *adding = adder->adding;
    struct syn_cause_cell *cell = syn_cause_cell_at(adding->into, number);
    const struct syn_cause_cell *added = syn_cause_cell_at(adding->from, source);
    int status = 0;
    if (cell->number == 0) {
        cell->number = number;
        cell->location = added->location;
        cell->label = label_into(adding, added->label);
    }
    for (uint32_t b = 0; b < adding->from->bins.count && status == SYN_OK; b++)
        status = add_bin(adder, number, source, b);
    return status == SYN_OK ? add_slots(adder, number, source) : status;
}

/* ---- a cell block ---- */

/* Adds to the cells of a block. A block that is not there has new cells alone. */
static int add_cell_block(const struct adder *adder, size_t block)
{
    struct syn_cause_sums *into = adder->adding->into;
    int status = 0;
    if (!into->block[block])
        into->block[block] = syn_cell_block_new(into, adder->memory);
    if (!into->block[block])
        return SYN_ENOMEM;
    for (unsigned i = 0; i < SYN_BLOCK_CELLS && status == SYN_OK; i++) {
        const uint32_t number = (uint32_t)(block * SYN_BLOCK_CELLS + i);
        const uint32_t source = adder->adding->source[number];
        status = source ? add_cell(adder, number, source) : SYN_OK;
    }
    return status;
}

/* ---- all of them ---- */

static struct adder adder_of(const struct adding *adding, size_t index)
{
    struct syn_cause_sums *into = adding->into;
    struct adder adder = {adding, &into->memory, &into->histogram};
    if (index > 0) {
        adder.memory = &into->helper[index - 1].memory;
        adder.histogram = &into->helper[index - 1].histogram;
    }
    return adder;
}

static void *add_blocks(void *argument)
{
    struct adding *adding = argument;
    const struct adder adder = adder_of(adding, atomic_fetch_add(&adding->next_adder, 1));
    int status = 0;
    for (size_t s; atomic_load(&adding->status) == SYN_OK && status == SYN_OK &&
                   (s = atomic_fetch_add(&adding->next_block, 1)) < adding->into->block_count;)
        status = add_cell_block(&adder, s);
    if (status != SYN_OK)
        atomic_store(&adding->status, status);
    return NULL;
}

static int reserve_helpers(struct syn_cause_sums *into, size_t count)
{
    const size_t had = into->helper_count;
    if (count <= had)
        return 0;
    if (SYN_RESERVE(into->helper, count))
        return SYN_ENOMEM;
    memset(into->helper + had, 0, (count - had) * sizeof *into->helper);
    into->helper_count = count;
    return 0;
}

static int add_numbered(struct adding *adding)
{
    const size_t threads =
        syn_least(syn_thread_count(), adding->from->cell_count / CELLS_OF_THREAD + 1);
    int status = reserve_blocks(adding->into);
    if (status == SYN_OK)
        status = reserve_helpers(adding->into, threads - 1);
    if (status != SYN_OK)
        return status;
    syn_threads_run(threads, add_blocks, adding);
    return atomic_load(&adding->status);
}

/* All cells at once, where there were none and each got the number that it had: a copy would be
 * most of the memory. */
static void take_over_cells(struct adding *adding, struct syn_cause_sums *from)
{
    for (uint32_t number = 1; adding->map && number <= from->cell_count; number++) {
        struct syn_cause_cell *cell = syn_cause_cell_at(from, number);
        cell->label = label_into(adding, cell->label);
    }
    adding->into->cell_count = 0;
    syn_cause_sums_exchange(adding->into, from);
}

static int add_cells(struct syn_cause_sums *into, struct syn_cause_sums *from, const uint32_t *map)
{
    struct adding adding = {.into = into, .from = from, .map = map};
    const uint32_t had = into->cell_count;
    adding.source = calloc((size_t)had + from->cell_count + SYN_BLOCK_CELLS, sizeof *adding.source);
    int status = adding.source ? number_cells(&adding) : SYN_ENOMEM;
    if (status == SYN_OK && had == 0)
        take_over_cells(&adding, from);
    else if (status == SYN_OK)
        status = add_numbered(&adding);
    free(adding.source);
    return status;
}

int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from,
                       const uint32_t *map)
{
    int status = from->cell_count > 0 ? add_cells(into, from, map) : SYN_OK;
    if (status == SYN_OK)
        status = syn_bin_overlaps_add(into, from);
    syn_sum_add(&into->waiting_ns, from->waiting_ns);
    syn_sum_add(&into->messages_ns[0], from->messages_ns[0]);
    syn_sum_add(&into->messages_ns[1], from->messages_ns[1]);
    into->instance_count += from->instance_count;
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_sum_add(&into->unknown_ns[why], from->unknown_ns[why]);
    return status;
}

int syn_cause_sums_add_theirs(struct syn_cause_sums *into, struct syn_cause_tables *tables,
                              struct syn_cause_sums *from, const struct syn_cause_tables *theirs)
{
    struct syn_cause_map map;
    int status = syn_cause_map_make(tables, theirs, &map);
    if (status == SYN_OK)
        status = syn_cause_sums_add(into, from, map.label);
    syn_cause_map_free(&map);
    return status;
}
