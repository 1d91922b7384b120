/* analyze/causes/staged.c - see staged.h. */
#include "analyze/causes/staged.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/tile.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* Times below this are set aside: those of all of a tile's layers together fit into 31 bits. */
#define SHORT_BITS 24
_Static_assert((uint64_t)SYN_TILE << SHORT_BITS <= (uint64_t)1 << 31, "31 bits");

/* A small block as numbers that are added at once. */
typedef uint32_t numbers __attribute__((vector_size(sizeof(struct syn_small_block))));

static inline numbers load(const struct syn_small_block *from)
{
    numbers out;
    memcpy(&out, from, sizeof out);
    return out;
}

static inline void store(struct syn_small_block *to, numbers from)
{
    memcpy(to, &from, sizeof from);
}

void syn_staged_free(struct syn_staged *staged)
{
    free(staged->first);
    free(staged->call);
    *staged = (struct syn_staged){0};
}

/* ---- cells ---- */

static int reserve_labels(struct syn_staged *staged, uint32_t label)
{
    const size_t had = staged->label_count, count = (size_t)label + 64 + label / 2;
    if (label < had)
        return 0;
    if (SYN_RESERVE(staged->first, count))
        return SYN_ENOMEM;
    memset(staged->first + had, 0, (count - had) * sizeof *staged->first);
    staged->label_count = count;
    return 0;
}

int syn_staged_make_cells(struct syn_staged *staged, struct syn_cause_sums *sums, uint32_t label)
{
    if (label == SYN_NO_NUMBER || reserve_labels(staged, label))
        return SYN_ENOMEM;
    if (staged->first[label] != 0)
        return 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < sums->location_count; i++) {
        const struct syn_cause_cell *cell = syn_cause_cell_make(sums, i, label);
        if (!cell)
            return SYN_ENOMEM;
        if (i == 0)
            first = cell->number;
        else if (first != SYN_NO_NUMBER && cell->number != first + i)
            first = SYN_NO_NUMBER;
    }
    staged->first[label] = first;
    return 0;
}

/* How many of the cells from a number on, of `most`, lie in its sheet. */
static uint32_t in_sheet(uint32_t number, uint32_t most)
{
    return syn_least(SYN_SHEET_CELLS - number % SYN_SHEET_CELLS, most);
}

void syn_staged_fetch(const struct syn_staged *staged, const struct syn_cause_sums *sums,
                      uint32_t label, uint32_t block)
{
    const uint32_t first = staged->first[label];
    for (uint32_t i = 0, count; i < sums->location_count; i += count) {
        const uint32_t number = first == SYN_NO_NUMBER ? sums->number[i][label] : first + i;
        const struct syn_strip *strip = syn_cause_strip_at(sums, number, block);
        count = first == SYN_NO_NUMBER ? 1 : in_sheet(number, sums->location_count - i);
        if (strip->small)
            syn_fetch(&strip->small[number % SYN_SHEET_CELLS], count * sizeof *strip->small);
        else if (strip->large)
            syn_fetch(&strip->large[number % SYN_SHEET_CELLS], count * sizeof *strip->large);
    }
}

/* ---- setting aside ---- */

/* Begins a tile. If labels come often, it is cheaper to add up a label's layers of a location
 * first: false. */
bool syn_staged_begin(struct syn_staged *staged, const struct syn_tile *tile, size_t layer_count)
{
    if (tile->label_count <= layer_count)
        return false;
    if (!staged->call) {
        const size_t count = (size_t)SYN_TILE * staged->location_count;
        staged->call = malloc(2 * count * sizeof *staged->call);
        staged->segment = staged->call ? staged->call + count : NULL;
    }
    return staged->call != NULL;
}

static bool are_short(const struct syn_row_times *times, size_t layer_count)
{
    int64_t any = 0;
    for (size_t k = 1; k <= layer_count; k++)
        any |= times->segment_ns[k] | times->operation_ns[k] | times->waiting_ns[k];
    return (uint64_t)any >> SHORT_BITS == 0;
}

static void keep_nothing(struct syn_staged *staged, uint32_t location, size_t layer_count)
{
    for (size_t k = 0; k < layer_count; k++)
        staged->call[k * staged->location_count + location] =
            staged->segment[k * staged->location_count + location] = (struct syn_small_block){0};
}

static const struct syn_small_block once = {.count = 1};

bool syn_staged_keep(struct syn_staged *staged, uint32_t location,
                     const struct syn_row_times *times, size_t layer_count, int64_t *waiting_ns)
{
    struct syn_small_block *call = staged->call + location, *segment = staged->segment + location;
    *waiting_ns = 0;
    if (!are_short(times, layer_count)) {
        keep_nothing(staged, location, layer_count);
        return false;
    }
    for (size_t k = 1; k <= layer_count; k++) {
        const uint32_t segment_ns = (uint32_t)times->segment_ns[k];
        const numbers of_segment = {segment_ns};
        const numbers of_call = {(uint32_t)times->operation_ns[k], (uint32_t)times->waiting_ns[k]};
        *waiting_ns += times->waiting_ns[k];
        store(call, of_call | load(&once));
        store(segment, segment_ns != 0 ? of_segment | load(&once) : of_segment);
        call += staged->location_count;
        segment += staged->location_count;
    }
    return true;
}

/* ---- adding ---- */

/* Returns true if numbers have none of these bits: no sum of two then has more than its place
 * holds. */
static bool fit(numbers any)
{
    static const struct syn_small_block high = {
        {UINT32_C(1) << 31, UINT32_C(1) << 31}, UINT32_C(1) << 31, 1 << 15, 1 << 15};
    uint64_t both[2];
    any &= load(&high);
    memcpy(both, &any, sizeof both);
    return (both[0] | both[1]) == 0;
}

/* False where that cannot be said to fit: then nothing is added. It nearly always can: so it is
 * added first, and taken off again where it was wrong. */
static bool add_small(struct syn_small_block *small, const struct syn_small_block *added,
                      uint32_t count)
{
    numbers any = {0};
    for (uint32_t i = 0; i < count; i++) {
        const numbers before = load(&small[i]), more = load(&added[i]);
        any |= before | more;
        store(&small[i], before + more);
    }
    if (__builtin_expect(fit(any), 1))
        return true;
    for (uint32_t i = 0; i < count; i++)
        store(&small[i], load(&small[i]) - load(&added[i]));
    return false;
}

static int add_to_label(const struct syn_staged *staged, struct syn_cause_sums *sums,
                        uint32_t label, uint32_t block, const struct syn_small_block *added)
{
    const uint32_t first = staged->first[label];
    int failed = 0;
    for (uint32_t i = 0, count; i < staged->location_count; i += count) {
        const bool in_row = first != SYN_NO_NUMBER;
        const uint32_t number = in_row ? first + i : sums->number[i][label];
        struct syn_small_block *small = syn_cause_strip_at(sums, number, block)->small;
        count = in_row ? in_sheet(number, staged->location_count - i) : 1;
        if (small && add_small(&small[number % SYN_SHEET_CELLS], added + i, count))
            continue;
        for (uint32_t j = i; j < i + count; j++) {
            const struct syn_cause_block wide = syn_small_read(&added[j]);
            failed |= syn_cause_block_add_in(sums, number + j - i, block, &wide);
        }
    }
    return failed;
}

/* Adds up what is set aside for a label that comes in several layers. */
static void add_up_layers(const struct syn_staged *staged, const struct syn_small_block *from,
                          const uint8_t *layer, uint32_t count, struct syn_small_block *out)
{
    for (uint32_t i = 0; i < staged->location_count; i++) {
        numbers sum = {0};
        for (uint32_t j = 0; j < count; j++)
            sum += load(&from[(layer[j] - 1u) * (size_t)staged->location_count + i]);
        store(&out[i], sum);
    }
}

int syn_staged_add(const struct syn_staged *staged, const struct syn_tile *tile,
                   struct syn_cause_sums *sums)
{
    const uint8_t *layer = tile->layer;
    struct syn_small_block sum[SYN_LOCATIONS_MANY];
    int failed = 0;
    for (size_t l = 0; l < tile->label_count; layer += tile->times[l++]) {
        const struct syn_small_block *const from =
            tile->is_call[l] ? staged->call : staged->segment;
        const struct syn_small_block *added =
            from + (layer[0] - 1u) * (size_t)staged->location_count;
        if (tile->times[l] > 1) {
            add_up_layers(staged, from, layer, tile->times[l], sum);
            added = sum;
        }
        failed |= add_to_label(staged, sums, tile->label[l], tile->block, added);
    }
    return failed ? SYN_ENOMEM : SYN_OK;
}
