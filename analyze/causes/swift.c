/* analyze/causes/swift.c - many instances at once.
 *
 * Lanes have the calls of each location. The first calls of all lanes are a layer, the second ones
 * the next: of communicators that divide the locations among them, so that each of a layer's
 * instances has all its members there. A tile is some layers from one cut to another. As all
 * instances in it synchronize, it is known beforehand since which layer the members of each are
 * compared, and there is nothing to keep but these layers: no journal, no tree of paths. The sums
 * are those that the replay would make. Loops go along a location's columns; what they leave for
 * each instance fits in the first cache. */
#include "analyze/causes/swift.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/shifts.h"
#include "analyze/causes/tile.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

/* ---- life ---- */

int syn_swift_begin(struct syn_swift *swift, struct syn_replay *replay, uint32_t comm)
{
    const struct syn_cause_plan *plan = replay->plan;
    *swift = (struct syn_swift){.replay = replay, .comm = comm};
    swift->lane = calloc((size_t)plan->location_count + 1, sizeof *swift->lane);
    swift->tile = calloc(1, sizeof *swift->tile);
    if (!swift->lane || !swift->tile || syn_splits_begin(&swift->tile->splits, plan))
        return SYN_ENOMEM;
    swift->tile->comm = malloc(((size_t)plan->location_count + 1) * sizeof *swift->tile->comm);
    swift->tile->staged.location_count = plan->location_count;
    return swift->tile->comm ? 0 : SYN_ENOMEM;
}

void syn_swift_free(struct syn_swift *swift)
{
    for (uint32_t i = 0; swift->lane && i < swift->replay->plan->location_count; i++)
        syn_lane_free(&swift->lane[i]);
    if (swift->tile) {
        syn_splits_free(&swift->tile->splits);
        syn_staged_free(&swift->tile->staged);
        free(swift->tile->known.at);
        free(swift->tile->comm);
        free(swift->tile->place);
    }
    free(swift->lane);
    free(swift->plain);
    free(swift->tile);
    *swift = (struct syn_swift){0};
}

int syn_swift_learn(struct syn_swift *swift)
{
    const struct syn_replay *replay = swift->replay;
    const size_t count = replay->tables->kinds.count;
    if (count > swift->kind_capacity) {
        if (SYN_RESERVE(swift->plain, replay->tables->kinds.capacity))
            return SYN_ENOMEM;
        swift->kind_capacity = replay->tables->kinds.capacity;
    }
    for (size_t k = swift->kind_count; k < count; k++) {
        const struct syn_call_kind *kind = syn_call_kind_at(replay->tables, (uint32_t)k);
        const bool is_plain = kind->is_blocking && kind->comm != SYN_NO_COMM &&
                              replay->plan->group_of_comm[kind->comm] != SYN_NO_GROUP;
        swift->plain[k] = is_plain ? syn_plain_of(kind->comm, kind->point) : SYN_NOT_PLAIN;
    }
    swift->kind_count = count;
    return 0;
}

/* ---- which ---- */

size_t syn_swift_match(const struct syn_swift *swift, const struct syn_match_batch *batch, size_t i)
{
    const uint32_t *note = batch->note + (i - batch->first);
    const uint64_t *plain = swift->plain;
    const size_t count = batch->end - i, kinds = swift->kind_count;
    size_t k = 0;
    while (k < count && note[k] < kinds && plain[note[k]] != SYN_NOT_PLAIN)
        k++;
    return k;
}

static uint32_t location_count(const struct syn_swift *swift)
{
    return swift->replay->plan->location_count;
}

/* How many calls all lanes have. */
static size_t common_count(const struct syn_swift *swift)
{
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < location_count(swift); i++)
        if (syn_lane_count(&swift->lane[i]) < least)
            least = syn_lane_count(&swift->lane[i]);
    return least == SIZE_MAX ? 0 : least;
}

bool syn_swift_has(struct syn_swift *swift, size_t count)
{
    const uint32_t lane_count = location_count(swift);
    for (uint32_t i = 0; i < lane_count; i++) {
        if (syn_lane_count(&swift->lane[swift->behind]) < count)
            return false;
        swift->behind = swift->behind + 1 < lane_count ? swift->behind + 1 : 0;
    }
    return lane_count > 0;
}

static uint32_t group_of(const struct syn_swift *swift)
{
    return swift->replay->plan->group_of_comm[swift->comm];
}

bool syn_swift_is_ready(const struct syn_swift *swift)
{
    const struct syn_replay *replay = swift->replay;
    const int64_t together_ns = replay->synchronized_ns[group_of(swift)];
    for (uint32_t i = 0; i < location_count(swift); i++) {
        const struct syn_track *track = &replay->track[i];
        if (track->path.node != SYN_PATH_ROOT || track->path.from_ns != together_ns ||
            track->now_ns < together_ns || track->count > 0 || !track->is_behind ||
            track->point != replay->track[0].point)
            return false;
    }
    return replay->plan->location_count > 1 && together_ns != SYN_NEVER_NS &&
           replay->opens.count == 0 && replay->completion_count == 0 && replay->queued_count == 0 &&
           replay->debts.node_count == 0;
}

/* ---- layers ---- */

/* The k-th call of the first location. */
static uint64_t plain_of_layer(const struct syn_swift *swift, size_t k)
{
    const struct syn_lane *lane = &swift->lane[0];
    return swift->plain[lane->kind[lane->first + k - 1]];
}

/* Finds the split that the k-th calls of all lanes form. 0 or SYN_ENOMEM. */
static int find_split(struct syn_swift *swift, size_t k, uint32_t *split)
{
    struct syn_tile *tile = swift->tile;
    for (uint32_t i = 0; i < location_count(swift); i++) {
        const struct syn_lane *lane = &swift->lane[i];
        tile->comm[i] = syn_plain_comm(swift->plain[lane->kind[lane->first + k - 1]]);
    }
    return syn_splits_find(&tile->splits, tile->comm, split);
}

/* One to which nobody has come yet. */
static inline void begin_instance(struct syn_tile_instance *at, uint64_t plain, uint64_t sequence)
{
    at->together_ns = INT64_MIN;
    at->first_end_ns = INT64_MAX;
    at->waiter_count = at->debt_ns = 0;
    at->computing_ns = at->operation_ns = at->messages_ns = at->off_cpu_ns = 0;
    at->others_passed_ns = at->last_passed_ns = 0;
    at->plain = plain;
    at->sequence = sequence;
}

/* The instances of the k-th layer. */
static struct syn_tile_instance *begin_layer(struct syn_swift *swift, size_t k,
                                             const struct syn_split *split, uint32_t point)
{
    struct syn_tile *tile = swift->tile;
    struct syn_tile_instance *instance = tile->first[k];
    tile->point[k] = point;
    tile->split[k] = split;
    tile->is_even &= split->covers_all;
    for (uint32_t p = 0; p < split->part_count; p++) {
        const struct syn_lane *lane = &swift->lane[split->first[p]];
        begin_instance(instance++, syn_plain_of(split->comm[p], point),
                       lane->sequence[lane->first + k - 1]);
    }
    return instance;
}

/* Since which layer the members of an instance of the k-th are compared: the newest that had all
 * of them together. */
static inline void find_since(struct syn_tile *tile, size_t k, uint32_t number, size_t *newest)
{
    tile->since[k] = newest[number];
    for (uint32_t s = 0; s < tile->splits.count; s++)
        newest[s] = tile->splits.is_within[s][number] ? k : newest[s];
}

/* As many of the next layers as are splits and have room, each with its instances. *count: how
 * many, in and out. 0 or SYN_ENOMEM. */
static int begin_layers(struct syn_swift *swift, size_t *count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_tile_instance *end = tile->instance + SYN_TILE_INSTANCES;
    size_t newest[SYN_SPLITS_MOST] = {0}, k = 1;
    tile->instance[0].together_ns = swift->replay->synchronized_ns[group_of(swift)];
    tile->first[0] = tile->instance;
    tile->first[1] = tile->instance + 1;
    tile->point[0] = swift->replay->track[0].point;
    tile->is_even = true;
    for (; k <= *count; k++) {
        const uint64_t plain = plain_of_layer(swift, k);
        uint32_t number = tile->splits.of_comm[syn_plain_comm(plain)];
        if (__builtin_expect(number == SYN_NO_SPLIT, 0) && find_split(swift, k, &number) != SYN_OK)
            return SYN_ENOMEM;
        if (number == SYN_NO_SPLIT)
            break;
        const struct syn_split *split = tile->splits.split[number];
        if (tile->first[k] + split->part_count > end)
            break;
        tile->first[k + 1] = begin_layer(swift, k, split, syn_plain_point(plain));
        find_since(tile, k, number, newest);
    }
    *count = k - 1;
    return 0;
}

/* Begins a tile. For a new split it is not known when its members were together before. */
static int begin_tile(struct syn_swift *swift, size_t *count)
{
    const size_t most = *count;
    uint32_t known;
    int status;
    do {
        known = swift->tile->splits.count;
        *count = most;
        status = begin_layers(swift, count);
    } while (status == SYN_OK && swift->tile->splits.count > known);
    return status;
}

/* The instances of the tile that a location takes part in. */
static void find_row(struct syn_tile *tile, uint32_t location, size_t count)
{
    tile->row[0] = tile->first[0];
    for (size_t k = 1; k <= count; k++)
        tile->row[k] = tile->first[k] + tile->split[k]->part[location];
}

/* ---- runs of locations ---- */

/* Is the i-th location in order in other instances than the one before it? */
static bool begins_run(const struct syn_tile *tile, uint32_t i)
{
    return tile->is_even ? i == 0 : syn_splits_differ(&tile->splits, i);
}

static struct syn_row_calls row_of(const struct syn_swift *swift, uint32_t location, size_t count)
{
    const struct syn_lane *lane = &swift->lane[location];
    return (struct syn_row_calls){.start_ns = lane->start_ns + lane->first - 1,
                                  .end_ns = lane->end_ns + lane->first - 1,
                                  .sequence = lane->sequence + lane->first - 1,
                                  .kind = lane->kind + lane->first - 1,
                                  .before_ns = swift->replay->track[location].now_ns,
                                  .count = count};
}

/* ---- memory of very many locations ---- */

/* Number of cells that exceed the near cache: with fewer nothing is fetched ahead. */
#define CELLS_MANY 2048

/* Distances of fetching ahead, step by step: each step is found through the one before. */
enum { BLOCKS_AHEAD = 3, CALLS_AHEAD = 1 };

/* The location so many places behind the i-th in order; SYN_NO_NUMBER: there is none. */
static uint32_t location_ahead(const struct syn_swift *swift, uint32_t i, uint32_t ahead)
{
    const uint32_t count = location_count(swift);
    return count >= SYN_LOCATIONS_MANY && i + ahead < count ? swift->tile->splits.order[i + ahead]
                                                            : SYN_NO_NUMBER;
}

static void fetch_times(const struct syn_swift *swift, uint32_t location, size_t count)
{
    const struct syn_lane *lane = &swift->lane[location];
    syn_fetch(lane->start_ns + lane->first, count * sizeof *lane->start_ns);
    syn_fetch(lane->end_ns + lane->first, count * sizeof *lane->end_ns);
}

static void fetch_calls(const struct syn_swift *swift, uint32_t location, size_t count)
{
    const struct syn_lane *lane = &swift->lane[location];
    fetch_times(swift, location, count);
    syn_fetch(lane->sequence + lane->first, count * sizeof *lane->sequence);
    syn_fetch(lane->kind + lane->first, count * sizeof *lane->kind);
}

/* Returns the place that `pass_calls` writes to, for a label of the tile, whose cells are made. */
static const void *place_of(const struct syn_swift *swift, uint32_t location, uint32_t label)
{
    const struct syn_cause_sums *sums = &swift->replay->sums;
    const uint32_t number = syn_tile_number(swift, location, label);
    return syn_strip_place(syn_cause_strip_at(sums, number, swift->tile->block),
                           number % SYN_SHEET_CELLS);
}

/* Fetches the memory that `pass_calls` takes. */
static void fetch_ahead(const struct syn_swift *swift, uint32_t i, size_t count)
{
    const struct syn_tile *tile = swift->tile;
    const uint32_t of_blocks = location_ahead(swift, i, BLOCKS_AHEAD);
    const uint32_t of_times = location_ahead(swift, i, CALLS_AHEAD);
    for (size_t l = 0; l < tile->label_count && of_blocks != SYN_NO_NUMBER; l++)
        SYN_FETCH(place_of(swift, of_blocks, tile->label[l]));
    if (of_times != SYN_NO_NUMBER)
        fetch_times(swift, of_times, count);
}

/* ---- who comes ---- */

/* Notes the values that the run's calls have to agree with. */
static void begin_coming(struct syn_tile *tile, uint32_t location, size_t count)
{
    find_row(tile, location, count);
    for (size_t k = 1; k <= count; k++) {
        tile->run.plain[k] = tile->row[k]->plain;
        tile->run.sequence[k] = tile->row[k]->sequence;
    }
}

/* All of the run have come. */
static void end_coming(struct syn_tile *tile, size_t count)
{
    const struct syn_row_run *run = &tile->run;
    for (size_t k = 1; k <= count; k++) {
        struct syn_tile_instance *at = tile->row[k];
        const bool later = syn_row_run_is_later(run, k, at->together_ns, at->last);
        at->last = later ? (uint32_t)run->last[k] : at->last;
        at->together_ns = syn_largest(run->together_ns[k], at->together_ns);
        at->first_end_ns = syn_least(run->first_end_ns[k], at->first_end_ns);
    }
}

/* All locations' calls of the tile, as far as they agree and each begins after its location has
 * left the one before. Returns how many. */
static size_t look(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    for (uint32_t i = 0; i < location_count(swift) && count > 0; i++) {
        const uint32_t location = tile->splits.order[i];
        const bool is_first = begins_run(tile, i);
        if (is_first && i > 0)
            end_coming(tile, count);
        if (is_first)
            begin_coming(tile, location, count);
        const uint32_t ahead = location_ahead(swift, i, CALLS_AHEAD);
        if (ahead != SYN_NO_NUMBER)
            fetch_calls(swift, ahead, count);
        struct syn_row_calls row = row_of(swift, location, count);
        row.count = count = syn_row_agrees(&row, swift->plain, &tile->run);
        syn_row_come(&row, location, is_first, &tile->run);
    }
    end_coming(tile, count);
    return count;
}

/* ---- which layers are a tile ---- */

/* Up to when all locations together may be in calls: of times that are far apart (a damaged trace)
 * sums might overflow. And no longer than the block of the run's time that all were together in
 * last. */
static int64_t tile_end(struct syn_swift *swift)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_cause_blocks *blocks = &swift->replay->sums.blocks;
    const int64_t most_ns = INT64_MAX / 4 / location_count(swift);
    const int64_t together_ns = tile->instance[0].together_ns;
    tile->block = syn_cause_block_of(blocks, together_ns);
    return syn_least(syn_cause_block_end(blocks, tile->block), together_ns + most_ns);
}

/* Did all members come, and before end_ns, before one left? */
static bool layer_holds(const struct syn_tile *tile, size_t k, int64_t end_ns)
{
    for (const struct syn_tile_instance *at = tile->first[k]; at < tile->first[k + 1]; at++)
        if (at->first_end_ns < at->together_ns || at->together_ns >= end_ns)
            return false;
    return true;
}

/* How many of the next `most` layers are a tile; *stuck: that it is no longer does not depend on
 * what comes behind them. 0 or SYN_ENOMEM. */
static int choose(struct syn_swift *swift, size_t most, size_t *chosen, bool *stuck)
{
    struct syn_tile *tile = swift->tile;
    size_t count = most, k = 0;
    if (begin_tile(swift, &count) != SYN_OK)
        return SYN_ENOMEM;
    count = look(swift, count);
    const int64_t end_ns = tile_end(swift);
    while (k < count && layer_holds(tile, k + 1, end_ns))
        k++;
    const bool ends = k < most || k == SYN_TILE;
    while (k > 0 && tile->split[k]->comm[0] != swift->comm)
        k--;
    *chosen = k;
    *stuck = ends && k == 0;
    return 0;
}

/* ---- each location ---- */

/* Finds the clocks' bounds: nearly always equal for all instances of a tile. */
static void find_bounds(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    struct syn_tile_instance *first = tile->first[1];
    const bool one_cell = tile->is_even && first->together_ns >> SYN_BOUND_CELL_BITS ==
                                               first[count - 1].together_ns >> SYN_BOUND_CELL_BITS;
    for (struct syn_tile_instance *at = first; at < tile->first[count + 1]; at++)
        at->bound_ns =
            at > first && one_cell && at->plain >> 32 == first->plain >> 32
                ? first->bound_ns
                : syn_meeting_bound(swift->replay, syn_plain_comm(at->plain), at->together_ns);
}

/* Segments that took no time do not count. */
static struct syn_cause_block sum_segments(const int64_t *segment_ns, const uint8_t *layer,
                                           uint32_t count)
{
    int64_t sum_ns = 0, none = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum_ns += segment_ns[layer[i]];
        none += segment_ns[layer[i]] == 0;
    }
    return (struct syn_cause_block){.count = count - none, .ns = {[SYN_PART_COMPUTING] = sum_ns}};
}

static struct syn_cause_block sum_calls(const struct syn_row_times *times, const uint8_t *layer,
                                        uint32_t count)
{
    int64_t operation_ns = 0, waiting_ns = 0;
    for (uint32_t i = 0; i < count; i++) {
        operation_ns += times->operation_ns[layer[i]];
        waiting_ns += times->waiting_ns[layer[i]];
    }
    return (struct syn_cause_block){.count = count, .ns = {operation_ns, waiting_ns}};
}

/* In the tile's block of time, of a label whose cells are made. */
static inline __attribute__((always_inline)) int add_to_label(struct syn_swift *swift,
                                                              uint32_t location, uint32_t label,
                                                              const struct syn_cause_block *added)
{
    return syn_cause_block_add_in(&swift->replay->sums, syn_tile_number(swift, location, label),
                                  swift->tile->block, added);
}

/* A location's segments and calls into the sums, its waiting to the debts. Times are so short that
 * no sum overflows (tile_end). */
static int pass_calls(struct syn_swift *swift, uint32_t location, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_row_calls row = row_of(swift, location, count);
    const uint8_t *layer = tile->layer;
    struct syn_row_times times;
    int64_t waiting_ns;
    syn_row_pass(&row, &tile->run, &times);
    int failed = 0;
    if (tile->staged.in_use &&
        syn_staged_keep(&tile->staged, location, &times, count, &waiting_ns)) {
        tile->waited_ns += waiting_ns;
        return 0;
    }
    for (size_t l = 0; l < tile->label_count; layer += tile->times[l++]) {
        /* (Each has its own call, so that what is added stays in registers.) */
        if (tile->is_call[l]) {
            const struct syn_cause_block calls = sum_calls(&times, layer, tile->times[l]);
            tile->waited_ns += calls.ns[1];
            failed |= add_to_label(swift, location, tile->label[l], &calls);
        } else {
            const struct syn_cause_block segments =
                sum_segments(times.segment_ns, layer, tile->times[l]);
            failed |= add_to_label(swift, location, tile->label[l], &segments);
        }
    }
    return failed;
}

_Static_assert(SYN_PART_COMPUTING == 0, "a segment's first place is computing");

/* Moves the parts of a location's segments that are not computing. */
static int pass_parts(struct syn_swift *swift, uint32_t location, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_lane *lane = &swift->lane[location];
    int failed = 0;
    for (size_t k = 1; k <= count; k++) {
        const size_t i = lane->first + k - 1;
        struct syn_tile_instance *at = tile->row[k];
        int64_t ns[SYN_SINCE_COUNT];
        if ((lane->messages_ns[i] | lane->off_cpu_ns[i]) == 0)
            continue;
        syn_swift_divide(swift, location, k, ns);
        const int64_t owed = -(int64_t)(at->together_ns - lane->start_ns[i] > at->bound_ns);
        const int64_t apart_ns = ns[SYN_SINCE_MESSAGES] + ns[SYN_SINCE_OFF_CPU];
        const struct syn_cause_block moved = {
            .ns = {-apart_ns, ns[SYN_SINCE_MESSAGES], ns[SYN_SINCE_OFF_CPU]}};
        failed |= add_to_label(swift, location, tile->segment[k], &moved);
        at->computing_ns -= apart_ns & owed;
        at->messages_ns += ns[SYN_SINCE_MESSAGES] & owed;
        at->off_cpu_ns += ns[SYN_SINCE_OFF_CPU] & owed;
    }
    return failed;
}

/* When all had come to the instances of a run. */
static void begin_passing(struct syn_tile *tile, uint32_t location, size_t count)
{
    struct syn_row_run *run = &tile->run;
    find_row(tile, location, count);
    for (size_t k = 0; k <= count; k++) {
        run->together_ns[k] = tile->row[k]->together_ns;
        run->bound_ns[k] = tile->row[k]->bound_ns;
        run->waiter_count[k] = run->debt_ns[k] = 0;
        run->computing_ns[k] = run->operation_ns[k] = 0;
    }
}

/* Adds the run's sums to its instances. They count if the comparison starts one layer back. */
static void end_passing(struct syn_tile *tile, size_t count)
{
    const struct syn_row_run *run = &tile->run;
    for (size_t k = 1; k <= count; k++) {
        struct syn_tile_instance *at = tile->row[k];
        at->waiter_count += run->waiter_count[k];
        at->debt_ns += run->debt_ns[k];
        at->computing_ns += run->computing_ns[k];
        at->operation_ns += run->operation_ns[k];
    }
}

/* Returns false with many locations, or if segments may have parts besides computing: these are
 * taken off a segment's time again, which has to be there then. */
static bool may_stage(const struct syn_swift *swift)
{
    bool may = location_count(swift) < SYN_LOCATIONS_MANY;
    for (uint32_t i = 0; may && i < location_count(swift); i++)
        may = !swift->lane[i].messages_ns;
    return may;
}

/* 0 or SYN_ENOMEM. */
static int pass_locations(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    int failed = 0;
    tile->staged.in_use = may_stage(swift) && syn_staged_begin(&tile->staged, tile, count);
    for (uint32_t i = 0; i < location_count(swift); i++) {
        const uint32_t location = tile->splits.order[i];
        const bool is_first = begins_run(tile, i);
        if (is_first && i > 0)
            end_passing(tile, count);
        if (is_first)
            begin_passing(tile, location, count);
        fetch_ahead(swift, i, count);
        failed |= pass_calls(swift, location, count);
        if (swift->lane[location].messages_ns)
            failed |= pass_parts(swift, location, count);
    }
    end_passing(tile, count);
    if (tile->staged.in_use)
        failed |= syn_staged_add(&tile->staged, tile, &swift->replay->sums);
    return failed ? SYN_ENOMEM : SYN_OK;
}

/* ---- together ---- */

static void leave_tile(struct syn_swift *swift, size_t count)
{
    struct syn_replay *replay = swift->replay;
    const struct syn_tile *tile = swift->tile;
    const int64_t together_ns = tile->first[count]->together_ns;
    for (uint32_t i = 0; i < location_count(swift); i++) {
        struct syn_lane *lane = &swift->lane[i];
        replay->track[i].now_ns = lane->end_ns[lane->first + count - 1];
        replay->track[i].path.from_ns = together_ns;
        replay->track[i].point = tile->point[count];
        syn_lane_pass(lane, count);
    }
    syn_replay_synchronized(replay, group_of(swift), together_ns);
    replay->sums.instance_count += (uint64_t)(tile->first[count + 1] - tile->first[1]);
}

/* Sums the waiting. The part that is owed to nobody is within the clocks' bound. */
static void sum_waiting(struct syn_swift *swift, size_t count)
{
    const struct syn_tile *tile = swift->tile;
    struct syn_cause_sums *sums = &swift->replay->sums;
    int64_t unclear_ns = tile->waited_ns;
    for (const struct syn_tile_instance *at = tile->first[1]; at < tile->first[count + 1]; at++)
        unclear_ns -= at->debt_ns;
    syn_sum_add(&sums->waiting_ns, tile->waited_ns);
    syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_CLOCK], unclear_ns);
}

static int pass_tile(struct syn_swift *swift, size_t count)
{
    swift->tile->has_many_cells = swift->replay->sums.cell_count >= CELLS_MANY;
    int status = syn_tile_find_labels(swift, count);
    if (status != SYN_OK)
        return status;
    find_bounds(swift, count);
    swift->tile->waited_ns = 0;
    status = pass_locations(swift, count);
    sum_waiting(swift, count);
    for (size_t k = 1; k <= count && status == SYN_OK; k++) {
        if (swift->tile->has_many_cells)
            syn_swift_fetch_layer(swift, k, count);
        status = syn_swift_pass_layer(swift, k);
    }
    leave_tile(swift, count);
    return status;
}

int syn_swift_go(struct syn_swift *swift, struct syn_swift_went *went)
{
    const size_t common = common_count(swift);
    size_t count = 1;
    int status = 0;
    *went = (struct syn_swift_went){0};
    while (went->done < common && count > 0 && status == SYN_OK) {
        const size_t left = common - went->done;
        status = choose(swift, syn_least(left, SYN_TILE), &count, &went->stuck);
        if (status == SYN_OK && count > 0)
            status = pass_tile(swift, count);
        went->done += count;
    }
    went->together_ns = swift->replay->synchronized_ns[group_of(swift)];
    return status;
}

int syn_swift_stand(struct syn_swift *swift)
{
    const uint32_t group = group_of(swift);
    return syn_replay_stand_together(swift->replay, group, swift->replay->synchronized_ns[group]);
}

/* ---- the next cut ---- */

/* Is the k-th call of a lane one that may be a cut? */
static bool may_cut(const struct syn_swift *swift, const struct syn_lane *lane, size_t k)
{
    return syn_plain_comm(swift->plain[lane->kind[lane->first + k]]) == swift->comm;
}

/* Each location's call of the instance that may be a cut and has this number: count [i] is behind
 * it, and before was behind some earlier one. */
static bool find_calls(const struct syn_swift *swift, uint64_t sequence, size_t *count)
{
    for (uint32_t i = 0; i < location_count(swift); i++) {
        const struct syn_lane *lane = &swift->lane[i];
        const size_t end = syn_lane_count(lane);
        size_t k = count[i];
        while (k < end && (!may_cut(swift, lane, k) || lane->sequence[lane->first + k] < sequence))
            k++;
        count[i] = k;
        if (k == end || lane->sequence[lane->first + k] != sequence)
            return false;
        count[i]++;
    }
    return true;
}

/* Are these one, if each location has nothing pending when it comes to it? */
static bool is_cut(const struct syn_swift *swift, const size_t *count, int64_t *synchronized_ns)
{
    struct syn_replay *replay = swift->replay;
    int64_t first_end_ns = INT64_MAX, last_start_ns = INT64_MIN;
    uint16_t op = 0;
    for (uint32_t i = 0; i < location_count(swift); i++) {
        const struct syn_replay_call call = syn_lane_call(&swift->lane[i], (ptrdiff_t)count[i] - 1);
        const struct syn_call_kind *kind = syn_call_kind_at(replay->tables, call.kind);
        if (i > 0 && kind->op != op)
            return false;
        op = kind->op;
        last_start_ns = syn_largest(call.start_ns, last_start_ns);
        first_end_ns = syn_least(call.end_ns, first_end_ns);
    }
    *synchronized_ns = last_start_ns;
    return first_end_ns >= last_start_ns - syn_meeting_bound(replay, swift->comm, last_start_ns);
}

/* Are all calls of a location up to the k-th over when that one begins? */
static bool is_clear(const struct syn_swift *swift, uint32_t location, size_t k)
{
    const struct syn_lane *lane = &swift->lane[location];
    if (swift->replay->track[location].now_ns > lane->start_ns[lane->first + k])
        return false;
    for (size_t before = 0; before < k; before++)
        if (lane->end_ns[lane->first + before] > lane->start_ns[lane->first + k] ||
            lane->start_ns[lane->first + before] > lane->start_ns[lane->first + k])
            return false;
    return true;
}

bool syn_swift_find_cut(const struct syn_swift *swift, size_t *count, int64_t *synchronized_ns)
{
    const struct syn_lane *lane = &swift->lane[0];
    memset(count, 0, location_count(swift) * sizeof *count);
    for (size_t k = 0; k < syn_lane_count(lane); k++) {
        if (!may_cut(swift, lane, k) || !find_calls(swift, lane->sequence[lane->first + k], count))
            continue;
        bool clear = is_cut(swift, count, synchronized_ns);
        for (uint32_t i = 0; i < location_count(swift) && clear; i++)
            clear = is_clear(swift, i, count[i] - 1);
        if (clear)
            return true;
    }
    return false;
}
