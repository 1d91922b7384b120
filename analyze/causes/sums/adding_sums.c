/* analyze/causes/sums/adding_sums.c - adds the sums of several threads.
 *
 * First one thread gives each cell of the added sums a number in the target. Then several threads
 * take blocks of cells and add to them. No two threads write to the same cell. Each thread has its
 * own memory for packed bins and histograms that grow. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/threads.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define CELLS_OF_THREAD 1024 /* cells that make another thread worth while */

/* One addition, shared by its threads. */
struct adding {
    struct syn_cause_sums *into;
    const struct syn_cause_sums *from;
    uint32_t *source; /* [block_count * SYN_BLOCK_CELLS of `into`] number of the cell of `from` that
                         is added to each cell; 0: none */
    _Atomic size_t next_block, next_thread;
    _Atomic int status;
};

/* Gives each cell of `from` a number in `into`. New cells have the next numbers; their blocks are
 * not made yet. Returns 0 or SYN_ENOMEM. */
static int number_cells(struct adding *adding)
{
    struct syn_cause_sums *into = adding->into;
    for (uint32_t source = 1; source <= adding->from->cell_count; source++) {
        const struct syn_cause_cell *cell = syn_cause_cell_at(adding->from, source);
        uint32_t *number = syn_cause_number_place(into, cell->location, cell->label);
        if (!number)
            return SYN_ENOMEM;
        if (*number == 0)
            *number = ++into->cell_count;
        adding->source[*number] = source;
    }
    const size_t had = into->block_count, count = into->cell_count / SYN_BLOCK_CELLS + 1;
    if (count > into->block_capacity) {
        if (SYN_RESERVE(into->block, count))
            return SYN_ENOMEM;
        into->block_capacity = count;
    }
    for (size_t b = had; b < count; b++)
        into->block[b] = NULL;
    into->block_count = syn_largest(count, had);
    return 0;
}

static int add_cell(const struct adding *adding, struct syn_cell_memory *memory, uint32_t number)
{
    const uint32_t source = adding->source[number];
    const struct syn_cause_cell *added = syn_cause_cell_at(adding->from, source);
    struct syn_cause_cell *cell = syn_cause_cell_at(adding->into, number);
    int status = 0;
    cell->number = number;
    cell->location = added->location;
    cell->label = added->label;
    for (uint32_t b = 0; b < adding->from->bins.count && status == SYN_OK; b++) {
        const struct syn_bin_values bin = syn_bin_of_cell(adding->from, added, b);
        if (syn_bin_is_used(&bin))
            status = syn_packed_bin_add(memory, syn_packed_bin_at(adding->into, number, b),
                                        number % SYN_BLOCK_CELLS, &bin);
    }
    SYN_STEP(status, syn_cause_reach_add(memory, cell, added->reach));
    for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL && status == SYN_OK; index++) {
        struct syn_category_sums *into = syn_category_sums_at(adding->into, number, index);
        const struct syn_category_sums *from = syn_category_sums_at(adding->from, source, index);
        syn_sum_add(&into->path_ns, from->path_ns);
        syn_sum_add(&into->bound_ns, from->bound_ns);
        into->instances += from->instances;
        status = syn_excess_histogram_merge(memory, &into->histogram, from->histogram);
    }
    return status;
}

/* Adds to the cells of a block. A block that does not exist yet has new cells only, and is made.
 * Returns 0 or SYN_ENOMEM. */
static int add_cell_block(const struct adding *adding, struct syn_cell_memory *memory, size_t block)
{
    struct syn_cause_sums *into = adding->into;
    int status = 0;
    if (!into->block[block])
        into->block[block] = syn_cell_block_new(into, memory);
    if (!into->block[block])
        return SYN_ENOMEM;
    for (uint32_t i = 0; i < SYN_BLOCK_CELLS && status == SYN_OK; i++)
        if (adding->source[block * SYN_BLOCK_CELLS + i])
            status = add_cell(adding, memory, (uint32_t)(block * SYN_BLOCK_CELLS) + i);
    return status;
}

static void *add_blocks(void *argument)
{
    struct adding *adding = argument;
    struct syn_cause_sums *into = adding->into;
    const size_t thread = atomic_fetch_add(&adding->next_thread, 1);
    struct syn_cell_memory *memory = thread ? &into->helper[thread - 1] : &into->memory;
    int status = 0;
    for (size_t s; atomic_load(&adding->status) == SYN_OK && status == SYN_OK &&
                   (s = atomic_fetch_add(&adding->next_block, 1)) < into->block_count;)
        status = add_cell_block(adding, memory, s);
    if (status != SYN_OK)
        atomic_store(&adding->status, status);
    return NULL;
}

static int add_cells(struct syn_cause_sums *into, const struct syn_cause_sums *from)
{
    const size_t threads = syn_least(syn_thread_count(), from->cell_count / CELLS_OF_THREAD + 1);
    struct adding adding = {.into = into, .from = from};
    adding.source = calloc((size_t)into->cell_count + from->cell_count + 2 * SYN_BLOCK_CELLS,
                           sizeof *adding.source);
    int status = adding.source ? number_cells(&adding) : SYN_ENOMEM;
    if (status == SYN_OK && into->helper_count < threads - 1) {
        if (SYN_RESERVE(into->helper, threads - 1))
            status = SYN_ENOMEM;
        for (size_t i = into->helper_count; status == SYN_OK && i < threads - 1; i++)
            into->helper[into->helper_count++] = (struct syn_cell_memory){0};
    }
    if (status == SYN_OK) {
        syn_threads_run(threads, add_blocks, &adding);
        status = atomic_load(&adding.status);
    }
    free(adding.source);
    return status;
}

int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from)
{
    if (from->cell_count > into->cell_count) {
        const struct syn_cause_sums larger = *from;
        *from = *into;
        *into = larger;
    }
    int status = from->cell_count > 0 ? add_cells(into, from) : SYN_OK;
    SYN_STEP(status, syn_bin_overlaps_add(into, from));
    syn_sum_add(&into->waiting_ns, from->waiting_ns);
    syn_sum_add(&into->messages_ns[0], from->messages_ns[0]);
    syn_sum_add(&into->messages_ns[1], from->messages_ns[1]);
    into->instance_count += from->instance_count;
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_sum_add(&into->unknown_ns[why], from->unknown_ns[why]);
    return status;
}
