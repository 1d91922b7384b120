/* analyze/causes/tile_labels.c - the labels of a tile: of the time between its layers, and of the
 * time in their calls. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/tile.h"
#include "sync/base/fetch.h"
#include "sync/base/status.h"

/* Fetches a label's strips before the first location is passed. With few locations its cells lie
 * side by side in a strip, and of very many labels the cache does not keep them from tile to
 * tile. */
static void fetch_strips(const struct syn_swift *swift, uint32_t label)
{
    if (swift->tile->has_many_cells && swift->replay->plan->location_count < SYN_LOCATIONS_MANY)
        syn_staged_fetch(&swift->tile->staged, &swift->replay->sums, label, swift->tile->block);
}

static void fetch_strip_of(const struct syn_swift *swift, uint32_t label)
{
    const struct syn_cause_sums *sums = &swift->replay->sums;
    if (swift->tile->has_many_cells && swift->replay->plan->location_count < SYN_LOCATIONS_MANY)
        SYN_FETCH(syn_cause_strip_at(sums, syn_tile_number(swift, 0, label), swift->tile->block));
}

/* Returns the place of a known label: those of calls, and of segments between calls that follow one
 * another, each have one of their own, in the order of the points. */
static inline struct syn_known_label *known_label(const struct syn_known_labels *known,
                                                  uint32_t from, uint32_t to)
{
    const size_t place = to == SYN_POINT_INSIDE ? from : to + 36 * (to - from - (size_t)1);
    return &known->at[2 * (place & (known->count - 1)) + (to == SYN_POINT_INSIDE)];
}

/* Finds a label. Those looked up lately have their cells. 0 or SYN_ENOMEM. */
static inline int find_label(struct syn_swift *swift, uint32_t from, uint32_t to, uint32_t *label)
{
    struct syn_known_label *known = known_label(&swift->tile->known, from, to);
    if (__builtin_expect(known->from != from || known->to != to, 0)) {
        const uint32_t number = syn_replay_label(swift->replay, from, to);
        if (syn_staged_make_cells(&swift->tile->staged, &swift->replay->sums, number) != SYN_OK)
            return SYN_ENOMEM;
        *known = (struct syn_known_label){from, to, number};
    }
    *label = known->label;
    fetch_strip_of(swift, known->label);
    return 0;
}

/* Room for all points that there are. */
static int reserve_known(struct syn_swift *swift)
{
    struct syn_known_labels *known = &swift->tile->known;
    const size_t points = swift->replay->tables->points.count;
    size_t count = known->count ? known->count : 256;
    if (known->at && points <= known->count)
        return 0;
    while (count < points)
        count *= 2;
    free(known->at);
    known->at = malloc(2 * count * sizeof *known->at);
    known->count = known->at ? count : 0;
    if (known->at)
        memset(known->at, 0xFF, 2 * count * sizeof *known->at);
    return known->at ? 0 : SYN_ENOMEM;
}

/* Finds the labels of segments and calls, in the order of a replay: calls first, if all instances
 * are of all locations. */
static int find_labels(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    int status = reserve_known(swift);
    for (size_t k = 1; k <= count && status == SYN_OK; k++) {
        const uint32_t from = tile->point[k - 1], to = tile->point[k];
        if (!tile->is_even)
            status = find_label(swift, from, to, &tile->segment[k]);
        if (status == SYN_OK)
            status = find_label(swift, to, SYN_POINT_INSIDE, &tile->call[k]);
        if (status == SYN_OK && k == 1)
            status = find_label(swift, from, SYN_POINT_INSIDE, &tile->call[0]);
        if (status == SYN_OK && tile->is_even)
            status = find_label(swift, from, to, &tile->segment[k]);
    }
    return status;
}

static inline void count_label(struct syn_tile *tile, uint32_t label, bool is_call)
{
    if (tile->place[label] == SYN_NO_NUMBER) {
        tile->place[label] = (uint32_t)tile->label_count;
        tile->times[tile->label_count] = 0;
        tile->is_call[tile->label_count] = is_call;
        tile->label[tile->label_count++] = label;
    }
    tile->times[tile->place[label]]++;
}

/* By label. */
static void sort_layers(struct syn_tile *tile, size_t count)
{
    uint32_t next[2 * SYN_TILE], first = 0;
    for (size_t l = 0; l < tile->label_count; l++) {
        next[l] = first;
        first += tile->times[l];
    }
    for (size_t k = 1; k <= count; k++) {
        tile->layer[next[tile->place[tile->segment[k]]]++] = (uint8_t)k;
        tile->layer[next[tile->place[tile->call[k]]]++] = (uint8_t)k;
    }
}

/* Labels of a tile are few: each location looks for its cells of them once. 0 or SYN_ENOMEM. */
static int find_places(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const size_t labels = swift->replay->tables->labels.count;
    if (labels > tile->place_count) {
        uint32_t *place = realloc(tile->place, labels * sizeof *place);
        if (!place)
            return SYN_ENOMEM;
        memset(place + tile->place_count, 0xFF, (labels - tile->place_count) * sizeof *place);
        tile->place = place;
        tile->place_count = labels;
    }
    tile->label_count = 0;
    for (size_t k = 1; k <= count; k++) {
        count_label(tile, tile->segment[k], false);
        count_label(tile, tile->call[k], true);
    }
    sort_layers(tile, count);
    for (size_t l = 0; l < tile->label_count; l++) {
        tile->place[tile->label[l]] = SYN_NO_NUMBER;
        fetch_strips(swift, tile->label[l]);
    }
    return 0;
}

int syn_tile_find_labels(struct syn_swift *swift, size_t count)
{
    const int status = find_labels(swift, count);
    return status != SYN_OK ? status : find_places(swift, count);
}
