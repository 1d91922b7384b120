/* analyze/causes/sums.c - what a replay adds up, and adding that up. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/charging.h"
#include "analyze/causes/replay_parts.h"
#include "analyze/causes/shifts.h"
#include "analyze/causes/tables.h"
#include "sync/base/fields.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

int syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                         const struct syn_cause_blocks *blocks)
{
    *sums = (struct syn_cause_sums){.location_count = location_count, .blocks = *blocks};
    sums->cell = calloc((size_t)location_count + 1, sizeof(struct syn_cause_cell *));
    sums->cell_count = calloc((size_t)location_count + 1, sizeof *sums->cell_count);
    return sums->cell && sums->cell_count ? 0 : SYN_ENOMEM;
}

/* ---- slabs ---- */

/* Cells are many and are freed together: their blocks lie in a few large pieces of memory. */
#define SLAB_LEAST ((size_t)32)
#define SLAB_MOST  ((size_t)1 << 14)
struct syn_cause_slab {
    struct syn_cause_slab *next;
    size_t count, capacity;
    _Alignas(64) struct syn_cause_block block[];
};
_Static_assert(sizeof(struct syn_cause_slab) == sizeof(struct syn_cause_block),
               "blocks are lines of the cache");

static void free_slabs(struct syn_cause_slab *slab)
{
    for (struct syn_cause_slab *next; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
}

static int add_slab(struct syn_cause_sums *sums, size_t least)
{
    size_t capacity = sums->slab ? syn_least(2 * sums->slab->capacity, SLAB_MOST) : SLAB_LEAST;
    capacity = syn_largest(capacity, least);
    struct syn_cause_slab *slab =
        aligned_alloc(sizeof *slab, (capacity + 1) * sizeof(struct syn_cause_block));
    if (!slab)
        return SYN_ENOMEM;
    slab->next = sums->slab;
    slab->count = 0;
    slab->capacity = capacity;
    sums->slab = slab;
    return 0;
}

/* So many, zeroed. NULL: no memory. */
static struct syn_cause_block *take_blocks(struct syn_cause_sums *sums, size_t count)
{
    if ((!sums->slab || sums->slab->capacity - sums->slab->count < count) && add_slab(sums, count))
        return NULL;
    struct syn_cause_block *block = &sums->slab->block[sums->slab->count];
    sums->slab->count += count;
    memset(block, 0, count * sizeof *block);
    return block;
}

/* ---- life ---- */

static void free_cell(struct syn_cause_cell *cell)
{
    for (int slot = 0; slot < SYN_SLOT_COUNT; slot++)
        syn_octaves_free(cell->octave[slot]);
}

void syn_cause_sums_free(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; sums->cell && i < sums->location_count; i++) {
        for (uint32_t label = 0; label < sums->cell_count[i]; label++)
            free_cell(&sums->cell[i][label]);
        free(sums->cell[i]);
    }
    syn_cause_shifts_free(sums);
    free_slabs(sums->slab);
    free(sums->cell);
    free(sums->cell_count);
    *sums = (struct syn_cause_sums){0};
}

/* ---- the window ---- */

/* Most parts of a run lie in one block of its time or two: cells of all 64 would be mostly zeros,
 * and zeroing and adding them up most of the work. */
static int widen_cell(struct syn_cause_sums *sums, struct syn_cause_cell *cell, uint32_t first,
                      uint32_t end)
{
    struct syn_cause_block *block = take_blocks(sums, end - first);
    if (!block)
        return SYN_ENOMEM;
    memcpy(block + (sums->block_first - first), cell->block,
           (sums->block_end - sums->block_first) * sizeof *block);
    cell->block = block;
    return 0;
}

/* From now on cells have blocks first to end - 1. Those that they had are freed. */
static int widen_cells(struct syn_cause_sums *sums, uint32_t first, uint32_t end)
{
    struct syn_cause_slab *before = sums->slab;
    int status = 0;
    sums->slab = NULL;
    for (uint32_t i = 0; i < sums->location_count && status == SYN_OK; i++)
        for (uint32_t label = 0; label < sums->cell_count[i] && status == SYN_OK; label++)
            if (sums->cell[i][label].block)
                status = widen_cell(sums, &sums->cell[i][label], first, end);
    if (status == SYN_OK) {
        free_slabs(before);
        return 0;
    }
    struct syn_cause_slab **last = &sums->slab; /* some cells have theirs there still */
    while (*last)
        last = &(*last)->next;
    *last = before;
    return status;
}

#define WINDOW_FEW 16

int syn_cause_sums_widen(struct syn_cause_sums *sums, uint32_t block)
{
    const uint32_t had = sums->block_end - sums->block_first;
    uint32_t first = sums->block_first, end = sums->block_end;
    if (block >= first && block < end)
        return 0;
    if (had == 0) {
        first = block;
        end = block + 1;
    } else if (block < first) {
        first = block;
    } else {
        /* old and new blocks are there together: of very many ranks, which have few blocks, better
         * early */
        end += had == 1 || sums->blocks.count > WINDOW_FEW ? had : 3 * had;
        end = syn_least(syn_largest(block + 1, end), sums->blocks.count);
    }
    if (widen_cells(sums, first, end))
        return SYN_ENOMEM;
    sums->block_first = first;
    sums->block_end = end;
    return 0;
}

/* ---- cells ---- */

static int reserve_cells(struct syn_cause_sums *sums, uint32_t location, uint32_t label)
{
    const uint32_t had = sums->cell_count[location];
    if (label < had)
        return 0;
    const uint32_t count = label + 4 + label / 2;
    struct syn_cause_cell *cell = realloc(sums->cell[location], count * sizeof *cell);
    if (!cell)
        return SYN_ENOMEM;
    memset(cell + had, 0, (count - had) * sizeof *cell);
    sums->cell[location] = cell;
    sums->cell_count[location] = count;
    return 0;
}

struct syn_cause_cell *syn_cause_cell_make(struct syn_cause_sums *sums, uint32_t location,
                                           uint32_t label)
{
    if (sums->block_end == sums->block_first && syn_cause_sums_widen(sums, 0))
        return NULL;
    if (reserve_cells(sums, location, label))
        return NULL;
    struct syn_cause_cell *cell = &sums->cell[location][label];
    if (!cell->block)
        cell->block = take_blocks(sums, sums->block_end - sums->block_first);
    return cell->block ? cell : NULL;
}

void syn_cause_sums_settle(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; i < sums->location_count; i++)
        for (uint32_t label = 0; label < sums->cell_count[i]; label++)
            for (int slot = 0; slot < SYN_SLOT_COUNT; slot++)
                syn_octaves_settle(sums->cell[i][label].octave[slot]);
}

int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge)
{
    const uint32_t block = syn_cause_block_of(&sums->blocks, charge->at_ns);
    struct syn_cause_cell *cell = syn_cause_sums_widen(sums, block)
                                      ? NULL
                                      : syn_cause_cell_make(sums, location, key / SYN_PART_COUNT);
    return cell ? syn_cause_cell_charge_in(cell, &cell->block[block - sums->block_first], location,
                                           (enum syn_part)(key % SYN_PART_COUNT), charge)
                : SYN_ENOMEM;
}

/* ---- adding up ---- */

static void add_blocks(struct syn_cause_block *into, const struct syn_cause_block *from,
                       uint32_t count)
{
    for (uint32_t b = 0; b < count; b++) {
        into[b].count += from[b].count;
        into[b].waits += from[b].waits;
        for (int slot = 0; slot < SYN_SLOT_COUNT; slot++) {
            syn_sum_add(&into[b].ns[slot], from[b].ns[slot]);
            syn_sum_add(&into[b].waiting_ns[slot], from[b].waiting_ns[slot]);
        }
    }
}

/* `into_block`: where the blocks of the other one's window begin. */
static int add_cell(struct syn_cause_cell *into, struct syn_cause_block *into_block,
                    const struct syn_cause_cell *from, uint32_t block_count)
{
    for (int slot = 0; slot < SYN_SLOT_COUNT; slot++) {
        syn_sum_add(&into->path_ns[slot], from->path_ns[slot]);
        syn_sum_add(&into->bound_ns[slot], from->bound_ns[slot]);
        into->instances[slot] += from->instances[slot];
    }
    add_blocks(into_block, from->block, block_count);
    int status = 0;
    for (int slot = 0; slot < SYN_SLOT_COUNT && status == SYN_OK; slot++)
        status = syn_octaves_merge(&into->octave[slot], from->octave[slot]);
    return status;
}

static int add_location(struct syn_cause_sums *into, const struct syn_cause_sums *from,
                        uint32_t location, const uint32_t *map)
{
    int status = 0;
    for (uint32_t label = 0; label < from->cell_count[location] && status == SYN_OK; label++) {
        if (!from->cell[location][label].block)
            continue;
        struct syn_cause_cell *cell = syn_cause_cell_make(into, location, map ? map[label] : label);
        if (!cell)
            return SYN_ENOMEM;
        status = add_cell(cell, cell->block + (from->block_first - into->block_first),
                          &from->cell[location][label], from->block_end - from->block_first);
    }
    return status;
}

/* Are there no cells yet, and would those of the other one have the same labels? Blocks come with
 * cells. */
static bool may_take_over(const struct syn_cause_sums *into, const struct syn_cause_sums *from,
                          const uint32_t *map)
{
    for (uint32_t i = 0; i < from->location_count; i++)
        for (uint32_t label = 0; map && label < from->cell_count[i]; label++)
            if (from->cell[i][label].block && map[label] != label)
                return false;
    return !into->slab && from->slab;
}

/* All cells at once. Of very many ranks a copy would be most of the memory. The window that there
 * was without cells is that of the cells to come. 0 or SYN_ENOMEM. */
static int take_over_cells(struct syn_cause_sums *into, struct syn_cause_sums *from)
{
    const struct syn_cause_sums emptied = *into;
    into->cell = from->cell;
    into->cell_count = from->cell_count;
    into->slab = from->slab;
    into->block_first = from->block_first;
    into->block_end = from->block_end;
    from->cell = emptied.cell;
    from->cell_count = emptied.cell_count;
    from->slab = NULL;
    from->block_first = from->block_end = 0;
    if (emptied.block_end == emptied.block_first)
        return 0;
    int status = syn_cause_sums_widen(into, emptied.block_first);
    return status != SYN_OK ? status : syn_cause_sums_widen(into, emptied.block_end - 1);
}

int syn_cause_sums_add(struct syn_cause_sums *into, struct syn_cause_sums *from,
                       const uint32_t *map)
{
    int status = may_take_over(into, from, map) ? take_over_cells(into, from) : SYN_OK;
    if (from->block_end > from->block_first)
        status = syn_cause_sums_widen(into, from->block_first);
    if (from->block_end > from->block_first && status == SYN_OK)
        status = syn_cause_sums_widen(into, from->block_end - 1);
    for (uint32_t i = 0; i < from->location_count && status == SYN_OK; i++)
        status = add_location(into, from, i, map);
    if (status == SYN_OK)
        status = syn_cause_shifts_add(into, from);
    syn_sum_add(&into->waiting_ns, from->waiting_ns);
    into->instance_count += from->instance_count;
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_sum_add(&into->unknown_ns[why], from->unknown_ns[why]);
    return status;
}

/* ---- as bytes ---- */

SYN_FIELDS(syn_cause_block_fields, struct syn_cause_block, SYN_FIELD(struct syn_cause_block, count),
           SYN_FIELD_ARRAY(struct syn_cause_block, ns),
           SYN_FIELD_ARRAY(struct syn_cause_block, waiting_ns),
           SYN_FIELD(struct syn_cause_block, waits));

/* A cell's blocks and octaves are lists, which are written behind it. */
SYN_FIELDS(syn_cause_cell_fields, struct syn_cause_cell,
           SYN_FIELD_LEFT_OUT(struct syn_cause_cell, block),
           SYN_FIELD_ARRAY(struct syn_cause_cell, path_ns),
           SYN_FIELD_ARRAY(struct syn_cause_cell, bound_ns),
           SYN_FIELD_ARRAY(struct syn_cause_cell, instances),
           SYN_FIELD_LEFT_OUT(struct syn_cause_cell, octave));

static bool is_used(const struct syn_cause_block *block)
{
    return block->count > 0 || block->waits > 0;
}

static void put_cell(const struct syn_cause_cell *cell, uint32_t label, uint32_t block_count,
                     struct syn_bytes *out)
{
    syn_bytes_put_varint(out, label);
    syn_fields_put(&syn_cause_cell_fields, cell, out);
    for (uint32_t b = 0; b < block_count; b++) {
        if (!is_used(&cell->block[b]))
            continue;
        syn_bytes_put_varint(out, b);
        syn_fields_put(&syn_cause_block_fields, &cell->block[b], out);
    }
    syn_bytes_put_varint(out, block_count);
    for (int slot = 0; slot < SYN_SLOT_COUNT; slot++)
        syn_octaves_put(cell->octave[slot], out);
}

void syn_cause_sums_put(const struct syn_cause_sums *sums, struct syn_bytes *out)
{
    syn_bytes_put_varint(out, sums->block_first);
    syn_bytes_put_varint(out, sums->block_end);
    for (uint32_t i = 0; i < sums->location_count; i++) {
        for (uint32_t label = 0; label < sums->cell_count[i]; label++)
            if (sums->cell[i][label].block)
                put_cell(&sums->cell[i][label], label, sums->block_end - sums->block_first, out);
        syn_bytes_put_varint(out, UINT32_MAX);
    }
    syn_cause_shifts_put(sums, out);
    syn_bytes_put_zigzag(out, sums->waiting_ns);
    syn_bytes_put_varint(out, sums->instance_count);
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_bytes_put_zigzag(out, sums->unknown_ns[why]);
}

static int take_cell(struct syn_take *take, struct syn_cause_sums *into, uint32_t location,
                     uint32_t label)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(into, location, label);
    const uint32_t end = into->block_end - into->block_first;
    if (!cell)
        return SYN_ENOMEM;
    syn_fields_take(&syn_cause_cell_fields, take, cell);
    for (uint32_t b; (b = (uint32_t)syn_take_bounded(take, end)) < end && !take->failed;)
        syn_fields_take(&syn_cause_block_fields, take, &cell->block[b]);
    int status = 0;
    for (int slot = 0; slot < SYN_SLOT_COUNT && status == SYN_OK; slot++)
        status = syn_octaves_take(take, &cell->octave[slot]);
    return status;
}

int syn_cause_sums_take(struct syn_take *take, uint32_t label_count, struct syn_cause_sums *into)
{
    into->block_first = (uint32_t)syn_take_bounded(take, into->blocks.count);
    into->block_end = (uint32_t)syn_take_bounded(take, into->blocks.count);
    int status = into->block_end < into->block_first ? SYN_ETRANSPORT : 0;
    for (uint32_t i = 0; i < into->location_count && status == SYN_OK && !take->failed; i++)
        for (uint64_t label; status == SYN_OK && !take->failed &&
                             (label = syn_take_bounded(take, UINT32_MAX)) != UINT32_MAX;)
            status =
                label < label_count ? take_cell(take, into, i, (uint32_t)label) : SYN_ETRANSPORT;
    if (status == SYN_OK)
        status = syn_cause_shifts_take(take, into);
    into->waiting_ns = syn_take_zigzag(take);
    into->instance_count = syn_take_varint(take);
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        into->unknown_ns[why] = syn_take_zigzag(take);
    return status != SYN_OK ? status : take->failed ? SYN_ETRANSPORT : 0;
}
