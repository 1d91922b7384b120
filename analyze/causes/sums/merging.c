/* analyze/causes/sums/merging.c - adding up sums of several threads.
 *
 * First all cells of the other sums get a number here, by one thread. Then each thread takes sheets
 * of these numbers and adds to their cells what belongs there. So nobody writes to what another one
 * writes to; what strips and octaves grow in is each thread's own. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/sums/adding.h"
#include "analyze/causes/sums/shifts.h"
#include "analyze/causes/sums/sums.h"
#include "analyze/causes/sums/tables.h"
#include "analyze/threads.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

#define CELLS_OF_THREAD 1024 /* fewer are not worth one more */

/* The sums that are added, and those that they are added to. */
struct adding {
    struct syn_cause_sums *into;
    const struct syn_cause_sums *from;
    const uint32_t *map;
    uint32_t *source; /* [sheet_count * SYN_SHEET_CELLS of `into`]: which cell is added to a number;
                         0: none */
    /* Cells whose number another one has, too: names of another process may be fewer here. */
    struct twin {
        uint32_t number, source;
    } * twin;
    size_t twin_count, twin_capacity;
    _Atomic size_t next_sheet, next_adder;
    _Atomic int status;
};

/* One of the threads. */
struct adder {
    const struct adding *adding;
    struct syn_slabs *slabs, *octaves; /* nobody else's */
};

static uint32_t label_into(const struct adding *adding, uint32_t label)
{
    return adding->map ? adding->map[label] : label;
}

/* ---- numbers ---- */

static int add_twin(struct adding *adding, uint32_t number, uint32_t source)
{
    if (SYN_ROOM(adding->twin, adding->twin_capacity, adding->twin_count) != SYN_OK)
        return SYN_ENOMEM;
    adding->twin[adding->twin_count++] = (struct twin){number, source};
    return 0;
}

/* New ones are those that follow; their sheets are not there yet. */
static int number_cells(struct adding *adding)
{
    struct syn_cause_sums *into = adding->into;
    int status = 0;
    for (uint32_t source = 1; source <= adding->from->cell_count && status == SYN_OK; source++) {
        const struct syn_cause_cell *cell = syn_cause_cell_at(adding->from, source);
        uint32_t *number =
            syn_cause_number_place(into, cell->location, label_into(adding, cell->label));
        if (!number)
            return SYN_ENOMEM;
        if (*number == 0)
            *number = ++into->cell_count;
        if (adding->source[*number] == 0)
            adding->source[*number] = source;
        else
            status = add_twin(adding, *number, source);
    }
    return status;
}

/* Reserves the sheets that cells have numbers of. */
static int reserve_sheets(struct syn_cause_sums *into)
{
    const size_t had = into->sheet_count, count = into->cell_count / SYN_SHEET_CELLS + 1;
    if (count <= had)
        return 0;
    if (count > into->sheet_capacity) {
        if (SYN_RESERVE(into->sheet, count))
            return SYN_ENOMEM;
        into->sheet_capacity = count;
    }
    memset(into->sheet + had, 0, (count - had) * sizeof(struct syn_cause_sheet *));
    into->sheet_count = count;
    return 0;
}

/* ---- a cell ---- */

static int add_slots(const struct adder *adder, uint32_t number, uint32_t source)
{
    int status = syn_cause_reach_add(adder->slabs, syn_cause_cell_at(adder->adding->into, number),
                                     syn_cause_cell_at(adder->adding->from, source)->reach);
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT && status == SYN_OK; slot++) {
        struct syn_cause_slot *into = syn_cause_slot_at(adder->adding->into, number, slot);
        const struct syn_cause_slot *from = syn_cause_slot_at(adder->adding->from, source, slot);
        syn_sum_add(&into->path_ns, from->path_ns);
        syn_sum_add(&into->bound_ns, from->bound_ns);
        into->instances += from->instances;
        status = syn_octaves_merge(adder->octaves, &into->octaves, from->octaves);
    }
    return status;
}

static int add_block(const struct adder *adder, uint32_t number, uint32_t source, uint32_t block)
{
    const struct syn_cause_block added = syn_strip_read(
        syn_cause_strip_at(adder->adding->from, source, block), source % SYN_SHEET_CELLS);
    return syn_cause_block_is_used(&added)
               ? syn_strip_add(adder->slabs, syn_cause_strip_at(adder->adding->into, number, block),
                               number % SYN_SHEET_CELLS, &added)
               : 0;
}

/* ---- a sheet ---- */

/* Cells of a sheet to which something is added; neighbours often get it from neighbours. */
struct pairs {
    struct pair {
        uint32_t number, source;
    } at[SYN_SHEET_CELLS];
    unsigned count;
};

static void find_pairs(const struct adding *adding, size_t sheet, struct pairs *pairs)
{
    pairs->count = 0;
    for (unsigned i = 0; i < SYN_SHEET_CELLS; i++) {
        const uint32_t number = (uint32_t)(sheet * SYN_SHEET_CELLS + i);
        if (adding->source[number])
            pairs->at[pairs->count++] = (struct pair){number, adding->source[number]};
    }
}

static void begin_cell(const struct adding *adding, const struct pair *pair)
{
    struct syn_cause_cell *cell = syn_cause_cell_at(adding->into, pair->number);
    const struct syn_cause_cell *added = syn_cause_cell_at(adding->from, pair->source);
    if (cell->number > 0)
        return;
    cell->number = pair->number;
    cell->location = added->location;
    cell->label = label_into(adding, added->label);
}

static void fetch_block(const struct syn_cause_sums *sums, uint32_t number, uint32_t block)
{
    SYN_FETCH(syn_strip_place(syn_cause_strip_at(sums, number, block), number % SYN_SHEET_CELLS));
}

static void fetch_blocks(const struct adding *adding, const struct pair *pair, unsigned count,
                         uint32_t block)
{
    for (unsigned i = 0; i < count; i++) {
        fetch_block(adding->from, pair[i].source, block);
        fetch_block(adding->into, pair[i].number, block);
    }
}

/* Adds the strips of pairs whose sources are of one sheet. Of very many cells hardly any is in the
 * cache: the strips that follow are asked for. */
static int add_strips(const struct adder *adder, const struct pair *pair, unsigned count)
{
    const struct syn_cause_sums *from = adder->adding->from;
    uint32_t block[SYN_BLOCKS_MOST], block_count = 0;
    int status = 0;
    for (uint32_t b = 0; b < from->blocks.count; b++)
        if (syn_strip_has_any(syn_cause_strip_at(from, pair->source, b)))
            block[block_count++] = b;
    for (uint32_t k = 0; k < block_count; k++) {
        if (k == 0)
            fetch_blocks(adder->adding, pair, count, block[k]);
        if (k + 1 < block_count)
            fetch_blocks(adder->adding, pair, count, block[k + 1]);
        for (unsigned i = 0; i < count && status == SYN_OK; i++)
            status = add_block(adder, pair[i].number, pair[i].source, block[k]);
    }
    return status;
}

static int add_all_strips(const struct adder *adder, const struct pairs *pairs)
{
    int status = 0;
    for (unsigned i = 0, end; i < pairs->count && status == SYN_OK; i = end) {
        const uint32_t sheet = pairs->at[i].source / SYN_SHEET_CELLS;
        for (end = i + 1; end < pairs->count && pairs->at[end].source / SYN_SHEET_CELLS == sheet;)
            end++;
        status = add_strips(adder, &pairs->at[i], end - i);
    }
    return status;
}

static void fetch_slots(const struct syn_cause_sums *sums, uint32_t number)
{
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT; slot++)
        SYN_FETCH(syn_cause_slot_at(sums, number, slot));
}

static void fetch_octaves(const struct syn_cause_sums *sums, uint32_t number)
{
    for (unsigned slot = 0; slot < SYN_SLOT_COUNT; slot++) {
        struct syn_octaves *octaves = syn_cause_slot_at(sums, number, slot)->octaves;
        if (octaves) {
            SYN_FETCH(octaves);
            SYN_FETCH(syn_many_of(octaves)->at);
            SYN_FETCH(syn_many_of(octaves)->at + 2);
        }
    }
}

/* Slots are asked for, then what they refer to, then added. */
#define ADD_AHEAD 4
static int add_all_slots(const struct adder *adder, const struct pairs *pairs)
{
    const struct adding *adding = adder->adding;
    int status = 0;
    for (unsigned i = 0; i < pairs->count + 2 * ADD_AHEAD && status == SYN_OK; i++) {
        if (i < pairs->count) {
            fetch_slots(adding->from, pairs->at[i].source);
            fetch_slots(adding->into, pairs->at[i].number);
        }
        if (i >= ADD_AHEAD && i - ADD_AHEAD < pairs->count) {
            fetch_octaves(adding->from, pairs->at[i - ADD_AHEAD].source);
            fetch_octaves(adding->into, pairs->at[i - ADD_AHEAD].number);
        }
        if (i >= 2 * ADD_AHEAD)
            status = add_slots(adder, pairs->at[i - 2 * ADD_AHEAD].number,
                               pairs->at[i - 2 * ADD_AHEAD].source);
    }
    return status;
}

/* A sheet that is not there has new cells alone. */
static int add_sheet(const struct adder *adder, size_t sheet)
{
    struct syn_cause_sums *into = adder->adding->into;
    struct pairs pairs;
    find_pairs(adder->adding, sheet, &pairs);
    if (!into->sheet[sheet])
        into->sheet[sheet] = syn_cause_sheet_new(into, adder->slabs);
    if (!into->sheet[sheet])
        return SYN_ENOMEM;
    for (unsigned i = 0; i < pairs.count; i++)
        begin_cell(adder->adding, &pairs.at[i]);
    const int status = add_all_strips(adder, &pairs);
    return status != SYN_OK ? status : add_all_slots(adder, &pairs);
}

/* ---- all of them ---- */

static struct adder adder_of(const struct adding *adding, size_t index)
{
    struct syn_cause_sums *into = adding->into;
    struct adder adder = {adding, &into->slabs, &into->octaves};
    if (index > 0) {
        adder.slabs = &into->helper[index - 1].slabs;
        adder.octaves = &into->helper[index - 1].octaves;
    }
    return adder;
}

static void *add_sheets(void *argument)
{
    struct adding *adding = argument;
    const struct adder adder = adder_of(adding, atomic_fetch_add(&adding->next_adder, 1));
    int status = 0;
    for (size_t s; atomic_load(&adding->status) == SYN_OK && status == SYN_OK &&
                   (s = atomic_fetch_add(&adding->next_sheet, 1)) < adding->into->sheet_count;)
        status = add_sheet(&adder, s);
    if (status != SYN_OK)
        atomic_store(&adding->status, status);
    return NULL;
}

static int add_twins(struct adding *adding)
{
    const struct adder adder = adder_of(adding, 0);
    int status = 0;
    for (size_t i = 0; i < adding->twin_count && status == SYN_OK; i++) {
        const struct twin *twin = &adding->twin[i];
        for (uint32_t b = 0; b < adding->from->blocks.count && status == SYN_OK; b++)
            status = add_block(&adder, twin->number, twin->source, b);
        if (status == SYN_OK)
            status = add_slots(&adder, twin->number, twin->source);
    }
    return status;
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
    int status = reserve_sheets(adding->into);
    if (status == SYN_OK)
        status = reserve_helpers(adding->into, threads - 1);
    if (status != SYN_OK)
        return status;
    syn_threads_run(threads, add_sheets, adding);
    status = atomic_load(&adding->status);
    return status != SYN_OK ? status : add_twins(adding);
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
    adding.source = calloc((size_t)had + from->cell_count + SYN_SHEET_CELLS, sizeof *adding.source);
    int status = adding.source ? number_cells(&adding) : SYN_ENOMEM;
    if (status == SYN_OK && had == 0 && adding.twin_count == 0)
        take_over_cells(&adding, from);
    else if (status == SYN_OK)
        status = add_numbered(&adding);
    free(adding.source);
    free(adding.twin);
    return status;
}

int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from,
                       const uint32_t *map)
{
    int status = from->cell_count > 0 ? add_cells(into, from, map) : SYN_OK;
    if (status == SYN_OK)
        status = syn_cause_shifts_add(into, from);
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
