/* analyze/causes/staged.h - additions to labels, buffered in a tile of very many labels. A
 * location's calls lie in columns, but the cells of a label on all locations lie side by side.
 * Where a label comes once or twice in a tile, adding location by location looks for the same
 * places once for each of them. So what they add is set aside by layer, in the form that strips
 * have, and then goes to a label for all locations at once. */
#ifndef SYN_CAUSE_STAGED_H
#define SYN_CAUSE_STAGED_H

#include "analyze/causes/rows.h"
#include "analyze/causes/strips.h"

/* Number of locations from which on nothing is staged: the cache does not keep one's cells from
 * tile to tile. */
#define SYN_LOCATIONS_MANY 64

struct syn_cause_sums;
struct syn_tile;

struct syn_staged {
    /* [label_count]: the number of a label's cell on the first location, where those of the others
     * follow it; SYN_NO_NUMBER: they do not; 0: some may have no cell. Owned. */
    uint32_t *first;
    size_t label_count;
    uint32_t location_count; /* set by the owner */
    bool in_use;             /* in the tile in hand */
    /* [SYN_TILE][location_count] each, from the first layer on; owned together */
    struct syn_small_block *call, *segment;
};

void syn_staged_free(struct syn_staged *staged);
/* All locations have a cell of the label, made where there is none. 0 or SYN_ENOMEM. */
int syn_staged_make_cells(struct syn_staged *staged, struct syn_cause_sums *sums, uint32_t label);
/* Ask for what `syn_staged_add` writes to of a label whose cells are made. */
void syn_staged_fetch(const struct syn_staged *staged, const struct syn_cause_sums *sums,
                      uint32_t label, uint32_t block);
/* A tile begins, of few locations: will it be staged? False also where there is no memory. */
bool syn_staged_begin(struct syn_staged *staged, const struct syn_tile *tile, size_t layer_count);
/* A location's times are set aside; *waiting_ns: what it waited. False where one is too long for
 * that: then nothing of them is, and the caller adds them. */
bool syn_staged_keep(struct syn_staged *staged, uint32_t location,
                     const struct syn_row_times *times, size_t layer_count, int64_t *waiting_ns);
/* Adds the buffered additions of all locations to the tile's block of time. 0 or SYN_ENOMEM. */
int syn_staged_add(const struct syn_staged *staged, const struct syn_tile *tile,
                   struct syn_cause_sums *sums);

#endif
