/* analyze/causes/sums.c - what a replay adds up, and adding that up. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/status.h"

int syn_cause_sums_begin(struct syn_cause_sums *sums, uint32_t location_count,
                         const struct syn_cause_blocks *blocks)
{
    *sums = (struct syn_cause_sums){.location_count = location_count, .blocks = *blocks};
    sums->cell = calloc((size_t)location_count + 1, sizeof(struct syn_cause_cell *));
    sums->cell_count = calloc((size_t)location_count + 1, sizeof *sums->cell_count);
    return sums->cell && sums->cell_count ? 0 : SYN_ENOMEM;
}

static void free_cell(struct syn_cause_cell *cell)
{
    for (int i = 0; cell->octave && i < SYN_SLOT_COUNT * SYN_OCTAVES; i++)
        free(cell->octave[i]);
    free(cell->octave);
    free(cell->block);
}

void syn_cause_sums_free(struct syn_cause_sums *sums)
{
    for (uint32_t i = 0; sums->cell && i < sums->location_count; i++) {
        for (uint32_t label = 0; label < sums->cell_count[i]; label++)
            free_cell(&sums->cell[i][label]);
        free(sums->cell[i]);
    }
    free(sums->cell);
    free(sums->cell_count);
    *sums = (struct syn_cause_sums){0};
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
    if (reserve_cells(sums, location, label))
        return NULL;
    struct syn_cause_cell *cell = &sums->cell[location][label];
    const size_t bytes = sums->blocks.count * sizeof *cell->block;
    if (!cell->block && (cell->block = aligned_alloc(sizeof *cell->block, bytes)))
        memset(cell->block, 0, bytes);
    return cell->block ? cell : NULL;
}

static struct syn_cause_octave *octave_make(struct syn_cause_cell *cell, unsigned slot,
                                            unsigned octave)
{
    if (!cell->octave)
        cell->octave = calloc(SYN_SLOT_COUNT * SYN_OCTAVES, sizeof *cell->octave);
    if (!cell->octave)
        return NULL;
    struct syn_cause_octave **at = &cell->octave[slot * SYN_OCTAVES + octave];
    if (!*at)
        *at = calloc(1, sizeof **at);
    return *at;
}

static unsigned octave_of(int64_t ns)
{
    const unsigned octave = ns > 0 ? 63u - (unsigned)__builtin_clzll((uint64_t)ns) : 0;
    return octave < SYN_OCTAVES ? octave : SYN_OCTAVES - 1;
}

/* The same for the same charge, whoever makes it; else as good as random (splitmix64). */
static uint64_t draw(uint64_t value)
{
    value += UINT64_C(0x9E3779B97F4A7C15);
    value = (value ^ value >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    value = (value ^ value >> 27) * UINT64_C(0x94D049BB133111EB);
    return value ^ value >> 31;
}

static bool is_before(const struct syn_cause_sample *a, const struct syn_cause_sample *b)
{
    return a->draw < b->draw || (a->draw == b->draw && a->excess_ns < b->excess_ns);
}

static void find_last(struct syn_cause_octave *octave)
{
    octave->last = 0;
    for (uint32_t i = 1; i < octave->sample_count; i++)
        if (is_before(&octave->sample[octave->last], &octave->sample[i]))
            octave->last = i;
}

/* Of all that are offered the first are kept, whatever the order that they are offered in. */
static void offer(struct syn_cause_octave *octave, const struct syn_cause_sample *sample)
{
    if (octave->sample_count < SYN_OCTAVE_SAMPLES)
        octave->sample[octave->sample_count++] = *sample;
    else if (is_before(sample, &octave->sample[octave->last]))
        octave->sample[octave->last] = *sample;
    else
        return;
    find_last(octave);
}

int syn_cause_cell_charge(struct syn_cause_sums *sums, uint32_t location, uint32_t key,
                          const struct syn_cause_charge *charge)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(sums, location, key / SYN_PART_COUNT);
    const unsigned slot = syn_part_slot(key % SYN_PART_COUNT);
    if (!cell)
        return SYN_ENOMEM;
    if (charge->waiting_ns <= 0)
        return 0;
    struct syn_cause_octave *octave = octave_make(cell, slot, octave_of(charge->excess_ns));
    if (!octave)
        return SYN_ENOMEM;
    struct syn_cause_block *block = &cell->block[syn_cause_block_of(&sums->blocks, charge->at_ns)];
    syn_sum_add(&block->waiting_ns[slot], charge->waiting_ns);
    block->waits++;
    syn_sum_add(&cell->bound_ns[slot], charge->bound_ns);
    cell->instances[slot]++;
    octave->count++;
    syn_sum_add(&octave->waiting_ns, charge->waiting_ns);
    const struct syn_cause_sample sample = {
        draw((uint64_t)charge->at_ns ^ (uint64_t)location << 40), charge->excess_ns};
    offer(octave, &sample);
    return 0;
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

static int add_octaves(struct syn_cause_cell *into, const struct syn_cause_cell *from)
{
    for (unsigned i = 0; from->octave && i < SYN_SLOT_COUNT * SYN_OCTAVES; i++) {
        const struct syn_cause_octave *octave = from->octave[i];
        if (!octave)
            continue;
        struct syn_cause_octave *to = octave_make(into, i / SYN_OCTAVES, i % SYN_OCTAVES);
        if (!to)
            return SYN_ENOMEM;
        to->count += octave->count;
        syn_sum_add(&to->waiting_ns, octave->waiting_ns);
        for (uint32_t k = 0; k < octave->sample_count; k++)
            offer(to, &octave->sample[k]);
    }
    return 0;
}

static int add_cell(struct syn_cause_cell *into, const struct syn_cause_cell *from,
                    uint32_t block_count)
{
    for (int slot = 0; slot < SYN_SLOT_COUNT; slot++) {
        syn_sum_add(&into->path_ns[slot], from->path_ns[slot]);
        syn_sum_add(&into->bound_ns[slot], from->bound_ns[slot]);
        into->instances[slot] += from->instances[slot];
    }
    add_blocks(into->block, from->block, block_count);
    return add_octaves(into, from);
}

static int add_location(struct syn_cause_sums *into, const struct syn_cause_sums *from,
                        uint32_t location, const uint32_t *map)
{
    int status = 0;
    for (uint32_t label = 0; label < from->cell_count[location] && status == 0; label++) {
        if (!from->cell[location][label].block)
            continue;
        struct syn_cause_cell *cell = syn_cause_cell_make(into, location, map ? map[label] : label);
        status =
            cell ? add_cell(cell, &from->cell[location][label], from->blocks.count) : SYN_ENOMEM;
    }
    return status;
}

int syn_cause_sums_add(struct syn_cause_sums *into, const struct syn_cause_sums *from,
                       const uint32_t *map)
{
    int status = 0;
    for (uint32_t i = 0; i < from->location_count && status == 0; i++)
        status = add_location(into, from, i, map);
    syn_sum_add(&into->waiting_ns, from->waiting_ns);
    into->instance_count += from->instance_count;
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_sum_add(&into->unknown_ns[why], from->unknown_ns[why]);
    return status;
}

/* ---- as bytes ---- */

static bool is_used(const struct syn_cause_block *block)
{
    return block->count > 0 || block->waits > 0;
}

static void put_cell(const struct syn_cause_cell *cell, uint32_t label, uint32_t block_count,
                     struct syn_bytes *out)
{
    syn_bytes_put_varint(out, label);
    syn_bytes_put(out, cell->path_ns, sizeof cell->path_ns);
    syn_bytes_put(out, cell->bound_ns, sizeof cell->bound_ns);
    syn_bytes_put(out, cell->instances, sizeof cell->instances);
    for (uint32_t b = 0; b < block_count; b++) {
        if (!is_used(&cell->block[b]))
            continue;
        syn_bytes_put_varint(out, b);
        syn_bytes_put(out, &cell->block[b], sizeof cell->block[b]);
    }
    syn_bytes_put_varint(out, block_count);
    for (unsigned i = 0; cell->octave && i < SYN_SLOT_COUNT * SYN_OCTAVES; i++) {
        if (!cell->octave[i])
            continue;
        syn_bytes_put_varint(out, i);
        syn_bytes_put(out, cell->octave[i], sizeof *cell->octave[i]);
    }
    syn_bytes_put_varint(out, SYN_SLOT_COUNT * SYN_OCTAVES);
}

void syn_cause_sums_put(const struct syn_cause_sums *sums, struct syn_bytes *out)
{
    for (uint32_t i = 0; i < sums->location_count; i++) {
        for (uint32_t label = 0; label < sums->cell_count[i]; label++)
            if (sums->cell[i][label].block)
                put_cell(&sums->cell[i][label], label, sums->blocks.count, out);
        syn_bytes_put_varint(out, UINT32_MAX);
    }
    syn_bytes_put_zigzag(out, sums->waiting_ns);
    syn_bytes_put_varint(out, sums->instance_count);
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        syn_bytes_put_zigzag(out, sums->unknown_ns[why]);
}

static void take_into(struct syn_take *take, void *into, size_t bytes)
{
    const uint8_t *from = syn_take_bytes(take, bytes);
    if (from)
        memcpy(into, from, bytes);
}

static int take_octaves(struct syn_take *take, struct syn_cause_cell *cell)
{
    const unsigned end = SYN_SLOT_COUNT * SYN_OCTAVES;
    for (unsigned i; (i = (unsigned)syn_take_bounded(take, end)) < end && !take->failed;) {
        struct syn_cause_octave *octave = octave_make(cell, i / SYN_OCTAVES, i % SYN_OCTAVES);
        if (!octave)
            return SYN_ENOMEM;
        take_into(take, octave, sizeof *octave);
        if (octave->sample_count > SYN_OCTAVE_SAMPLES || octave->last >= SYN_OCTAVE_SAMPLES)
            return SYN_ETRANSPORT;
    }
    return 0;
}

static int take_cell(struct syn_take *take, struct syn_cause_sums *into, uint32_t location,
                     uint32_t label)
{
    struct syn_cause_cell *cell = syn_cause_cell_make(into, location, label);
    const uint32_t end = into->blocks.count;
    if (!cell)
        return SYN_ENOMEM;
    take_into(take, cell->path_ns, sizeof cell->path_ns);
    take_into(take, cell->bound_ns, sizeof cell->bound_ns);
    take_into(take, cell->instances, sizeof cell->instances);
    for (uint32_t b; (b = (uint32_t)syn_take_bounded(take, end)) < end && !take->failed;)
        take_into(take, &cell->block[b], sizeof cell->block[b]);
    return take_octaves(take, cell);
}

int syn_cause_sums_take(struct syn_take *take, uint32_t label_count, struct syn_cause_sums *into)
{
    int status = 0;
    for (uint32_t i = 0; i < into->location_count && status == 0 && !take->failed; i++)
        for (uint64_t label; status == 0 && !take->failed &&
                             (label = syn_take_bounded(take, UINT32_MAX)) != UINT32_MAX;)
            status =
                label < label_count ? take_cell(take, into, i, (uint32_t)label) : SYN_ETRANSPORT;
    into->waiting_ns = syn_take_zigzag(take);
    into->instance_count = syn_take_varint(take);
    for (int why = 0; why < SYN_UNKNOWN_COUNT; why++)
        into->unknown_ns[why] = syn_take_zigzag(take);
    return status ? status : take->failed ? SYN_ETRANSPORT : 0;
}
