/* analyze/causes/swift.c - many instances of all locations at once.
 *
 * Between two cuts that follow one another each location has one operation and one segment, so that
 * there is nothing to keep: no journal, no debts, no tree of paths. The sums are those that the
 * replay would make. Loops go along a location's columns, a tile of instances at a time; what they
 * leave for each instance fits in the first cache. */
#include "analyze/causes/swift.h"

#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* What a location did since all were together, by the parts that its window can have. */
enum since {
    SINCE_COMPUTING = SYN_PART_COMPUTING,
    SINCE_MESSAGES = SYN_PART_MESSAGES,
    SINCE_OFF_CPU = SYN_PART_OFF_CPU,
    SINCE_OPERATION,
    SINCE_COUNT
};

/* Instances that follow one another, all in one block of the run's time. */
struct syn_tile {
    uint32_t block;
    int64_t together_ns[SYN_TILE + 1]; /* all had come to the k-th at [k + 1] */
    uint32_t point[SYN_TILE + 1];      /* likewise */
    uint32_t call[SYN_TILE + 1];       /* its label, likewise */
    uint32_t segment[SYN_TILE];        /* the label before it */
    int64_t first_end_ns[SYN_TILE], bound_ns[SYN_TILE];
    uint32_t last[SYN_TILE]; /* location */
    int64_t waiter_count[SYN_TILE], debt_ns[SYN_TILE];
    int64_t others_ns[SINCE_COUNT][SYN_TILE]; /* of those who waited */
};

/* ---- life ---- */

int syn_swift_begin(struct syn_swift *swift, struct syn_replay *replay, uint32_t comm)
{
    *swift = (struct syn_swift){.replay = replay, .comm = comm};
    swift->lane = calloc((size_t)replay->plan->location_count + 1, sizeof *swift->lane);
    swift->tile = malloc(sizeof *swift->tile);
    return swift->lane && swift->tile ? 0 : SYN_ENOMEM;
}

void syn_swift_free(struct syn_swift *swift)
{
    for (uint32_t i = 0; swift->lane && i < swift->replay->plan->location_count; i++)
        syn_lane_free(&swift->lane[i]);
    free(swift->lane);
    free(swift->point);
    free(swift->tile);
    free(swift->prepared);
    *swift = (struct syn_swift){0};
}

int syn_swift_learn(struct syn_swift *swift)
{
    const size_t count = swift->replay->tables->kinds.count;
    if (count == swift->kind_count)
        return 0;
    uint32_t *point = realloc(swift->point, count * sizeof *point);
    if (!point)
        return SYN_ENOMEM;
    for (size_t k = swift->kind_count; k < count; k++) {
        const struct syn_call_kind *kind = syn_call_kind_at(swift->replay->tables, (uint32_t)k);
        point[k] = kind->is_blocking && kind->comm == swift->comm ? kind->point : SYN_NO_NUMBER;
    }
    swift->point = point;
    swift->kind_count = count;
    return 0;
}

/* ---- which ---- */

size_t syn_swift_common(const struct syn_swift *swift)
{
    size_t least = SIZE_MAX;
    for (uint32_t i = 0; i < swift->replay->plan->location_count; i++)
        if (syn_lane_count(&swift->lane[i]) < least)
            least = syn_lane_count(&swift->lane[i]);
    return least == SIZE_MAX ? 0 : least;
}

static uint32_t group_of(const struct syn_swift *swift)
{
    return swift->replay->plan->group_of_comm[swift->comm];
}

bool syn_swift_is_ready(const struct syn_swift *swift)
{
    const struct syn_replay *replay = swift->replay;
    const int64_t together_ns = replay->synchronized_ns[group_of(swift)];
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_track *track = &replay->track[i];
        if (track->path.node != SYN_PATH_ROOT || track->path.from_ns != together_ns ||
            track->now_ns < together_ns || track->count > 0 || !track->is_behind ||
            track->point != replay->track[0].point)
            return false;
    }
    return replay->plan->location_count > 1 && together_ns != SYN_NEVER_NS &&
           replay->opens.count == 0 && replay->completion_count == 0 && replay->queued_count == 0;
}

/* A location's calls of the tile, as far as it agrees with those before it and begins each after it
 * has left the one before. Returns how many. */
static size_t look_at(const struct syn_swift *swift, uint32_t location, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_lane *lane = &swift->lane[location];
    const int64_t *restrict start_ns = lane->start_ns + lane->first;
    const int64_t *restrict end_ns = lane->end_ns + lane->first;
    const uint32_t *restrict kind = lane->kind + lane->first, *restrict point_of = swift->point;
    const uint32_t *restrict point = tile->point;
    int64_t *restrict together_ns = tile->together_ns, *restrict first_end_ns = tile->first_end_ns;
    uint32_t *restrict last = tile->last;
    int64_t before_ns = swift->replay->track[location].now_ns;
    for (size_t k = 0; k < count; k++) {
        if (start_ns[k] < before_ns || point_of[kind[k]] != point[k + 1])
            return k;
        const bool later = start_ns[k] > together_ns[k + 1];
        last[k] = later ? location : last[k];
        together_ns[k + 1] = later ? start_ns[k] : together_ns[k + 1];
        first_end_ns[k] = syn_least(end_ns[k], first_end_ns[k]);
        before_ns = end_ns[k];
    }
    return count;
}

static void begin_tile(const struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_lane *lane = &swift->lane[0];
    tile->together_ns[0] = swift->replay->synchronized_ns[group_of(swift)];
    tile->point[0] = swift->replay->track[0].point;
    for (size_t k = 0; k < count; k++) {
        tile->together_ns[k + 1] = INT64_MIN;
        tile->first_end_ns[k] = INT64_MAX;
        tile->point[k + 1] = swift->point[lane->kind[lane->first + k]];
        tile->waiter_count[k] = tile->debt_ns[k] = 0;
    }
    for (int part = 0; part < SINCE_COUNT; part++)
        memset(tile->others_ns[part], 0, count * sizeof **tile->others_ns);
}

/* May all locations together be in calls for so long? Of times that are far apart (a damaged trace)
 * sums might overflow. */
static bool is_short(const struct syn_swift *swift, int64_t end_ns)
{
    const int64_t most_ns = INT64_MAX / 4 / swift->replay->plan->location_count;
    return end_ns < swift->tile->together_ns[0] + most_ns;
}

/* How many of the next instances are cuts, in the block of the run's time that all were together in
 * last. */
static size_t choose(const struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_cause_blocks *blocks = &swift->replay->sums.blocks;
    begin_tile(swift, count);
    for (uint32_t i = 0; i < swift->replay->plan->location_count; i++)
        count = look_at(swift, i, count);
    tile->block = syn_cause_block_of(blocks, tile->together_ns[0]);
    const int64_t end_ns = tile->block + 1 == blocks->count
                               ? INT64_MAX
                               : blocks->begin_ns + (tile->block + 1) * blocks->block_ns;
    for (size_t k = 0; k < count; k++)
        if (tile->first_end_ns[k] < tile->together_ns[k + 1] ||
            tile->together_ns[k + 1] >= end_ns || !is_short(swift, tile->together_ns[k + 1]))
            return k;
    return count;
}

/* ---- labels ---- */

static int prepare(struct syn_swift *swift, uint32_t label)
{
    struct syn_replay *replay = swift->replay;
    if (label == SYN_NO_NUMBER)
        return SYN_ENOMEM;
    if (label >= swift->prepared_count) {
        const size_t count = 2 * (size_t)label + 16;
        uint8_t *grown = realloc(swift->prepared, count);
        if (!grown)
            return SYN_ENOMEM;
        memset(grown + swift->prepared_count, 0, count - swift->prepared_count);
        swift->prepared = grown;
        swift->prepared_count = count;
    }
    for (uint32_t i = 0; i < replay->plan->location_count; i++)
        if (!syn_cause_cell_make(&replay->sums, i, label))
            return SYN_ENOMEM;
    swift->prepared[label] = true;
    return 0;
}

static int find_label(struct syn_swift *swift, uint32_t from, uint32_t to, uint32_t *label)
{
    *label = syn_replay_label(swift->replay, from, to);
    return *label < swift->prepared_count && swift->prepared[*label] ? 0 : prepare(swift, *label);
}

/* Of segments and calls; all locations have their cells. */
static int find_labels(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    int status = syn_cause_sums_widen(&swift->replay->sums, tile->block);
    for (size_t k = 0; k < count && status == SYN_OK; k++) {
        const uint32_t from = tile->point[k], to = tile->point[k + 1];
        status = find_label(swift, to, SYN_POINT_INSIDE, &tile->call[k + 1]);
        if (status == SYN_OK && k == 0)
            status = find_label(swift, from, SYN_POINT_INSIDE, &tile->call[0]);
        if (status == SYN_OK)
            status = find_label(swift, from, to, &tile->segment[k]);
    }
    return status;
}

/* Of the clocks: nearly always the same for all instances of a tile. */
static void find_bounds(struct syn_swift *swift, size_t count)
{
    struct syn_tile *tile = swift->tile;
    const bool one_cell = tile->together_ns[1] >> SYN_BOUND_CELL_BITS ==
                          tile->together_ns[count] >> SYN_BOUND_CELL_BITS;
    for (size_t k = 0; k < count; k++)
        tile->bound_ns[k] = k > 0 && one_cell ? tile->bound_ns[0]
                                              : syn_meeting_bound(swift->replay, swift->comm,
                                                                  tile->together_ns[k + 1]);
}

/* ---- each location ---- */

/* Its segments and calls into the sums, its waiting to the debts. Times are so short that no sum
 * overflows (choose), and no two pointers lead to one place. */
static void pass_calls(struct syn_swift *swift, uint32_t location, size_t count)
{
    struct syn_tile *tile = swift->tile;
    struct syn_cause_sums *sums = &swift->replay->sums;
    const struct syn_cause_cell *restrict cell = sums->cell[location];
    const struct syn_lane *lane = &swift->lane[location];
    const int64_t *restrict start_ns = lane->start_ns + lane->first;
    const int64_t *restrict end_ns = lane->end_ns + lane->first;
    const int64_t *restrict together_ns = tile->together_ns, *restrict bound_ns = tile->bound_ns;
    const uint32_t *restrict of_segment = tile->segment, *restrict of_call = tile->call;
    int64_t *restrict debt_ns = tile->debt_ns, *restrict waiter_count = tile->waiter_count;
    int64_t *restrict computing_ns = tile->others_ns[SINCE_COMPUTING];
    int64_t *restrict operation_ns = tile->others_ns[SINCE_OPERATION];
    const uint32_t block = tile->block - sums->block_first;
    int64_t before_ns = swift->replay->track[location].now_ns, waiting_ns = 0, unclear_ns = 0;
    for (size_t k = 0; k < count; k++) {
        const int64_t segment = start_ns[k] - before_ns, waiting = together_ns[k + 1] - start_ns[k];
        const int64_t owed = waiting > bound_ns[k] ? -1 : 0;
        struct syn_cause_block *restrict out = &cell[of_segment[k]].block[block];
        out->count += segment > 0;
        out->ns[SYN_PART_COMPUTING] += segment;
        out = &cell[of_call[k + 1]].block[block];
        out->count++;
        out->ns[syn_part_slot(SYN_PART_WAITING)] += waiting;
        out->ns[syn_part_slot(SYN_PART_OPERATION)] += end_ns[k] - together_ns[k + 1];
        waiting_ns += waiting;
        unclear_ns += waiting & ~owed;
        waiter_count[k] -= owed;
        debt_ns[k] += waiting & owed;
        computing_ns[k] += segment & owed;
        operation_ns[k] += (before_ns - together_ns[k]) & owed;
        before_ns = end_ns[k];
    }
    syn_sum_add(&sums->waiting_ns, waiting_ns);
    syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_CLOCK], unclear_ns);
}

static int64_t within(int64_t ns, int64_t most)
{
    return ns < 0 ? 0 : syn_least(ns, most);
}

/* The parts of the segment before the k-th call, [3]. */
static void divide_segment(const struct syn_swift *swift, uint32_t location, size_t k, int64_t *ns)
{
    const struct syn_lane *lane = &swift->lane[location];
    const size_t at = lane->first + k;
    const int64_t before_ns = k > 0 ? lane->end_ns[at - 1] : swift->replay->track[location].now_ns;
    const int64_t segment = lane->start_ns[at] - before_ns;
    ns[SINCE_MESSAGES] = lane->messages_ns ? within(lane->messages_ns[at], segment) : 0;
    ns[SINCE_OFF_CPU] =
        lane->messages_ns ? within(lane->off_cpu_ns[at], segment - ns[SINCE_MESSAGES]) : 0;
    ns[SINCE_COMPUTING] = segment - ns[SINCE_MESSAGES] - ns[SINCE_OFF_CPU];
}

/* What of its segments is not computing is moved to where it belongs. */
static void pass_parts(struct syn_swift *swift, uint32_t location, size_t count)
{
    struct syn_tile *tile = swift->tile;
    struct syn_cause_sums *sums = &swift->replay->sums;
    const struct syn_lane *lane = &swift->lane[location];
    const uint32_t block = tile->block - sums->block_first;
    for (size_t k = 0; k < count; k++) {
        int64_t ns[3];
        if ((lane->messages_ns[lane->first + k] | lane->off_cpu_ns[lane->first + k]) == 0)
            continue;
        divide_segment(swift, location, k, ns);
        struct syn_cause_block *of = &sums->cell[location][tile->segment[k]].block[block];
        const bool owed =
            tile->together_ns[k + 1] - lane->start_ns[lane->first + k] > tile->bound_ns[k];
        of->ns[SYN_PART_COMPUTING] -= ns[SINCE_MESSAGES] + ns[SINCE_OFF_CPU];
        tile->others_ns[SINCE_COMPUTING][k] -= owed ? ns[SINCE_MESSAGES] + ns[SINCE_OFF_CPU] : 0;
        for (int part = SINCE_MESSAGES; part <= SINCE_OFF_CPU; part++) {
            syn_sum_add(&of->ns[part], ns[part]);
            syn_sum_add(&tile->others_ns[part][k], owed ? ns[part] : 0);
        }
    }
}

/* ---- each instance ---- */

/* What the one that came last did since all were together. */
static void since_of_last(const struct syn_swift *swift, size_t k, int64_t *ns)
{
    const uint32_t last = swift->tile->last[k];
    const struct syn_lane *lane = &swift->lane[last];
    const int64_t before_ns =
        k > 0 ? lane->end_ns[lane->first + k - 1] : swift->replay->track[last].now_ns;
    divide_segment(swift, last, k, ns);
    ns[SINCE_OPERATION] = before_ns - swift->tile->together_ns[k];
}

/* The critical path to here is its time. */
static void pass_path(struct syn_swift *swift, size_t k, const int64_t *ns)
{
    const struct syn_tile *tile = swift->tile;
    struct syn_cause_cell *cell = swift->replay->sums.cell[tile->last[k]];
    for (int part = 0; part < SINCE_OPERATION; part++)
        syn_sum_add(&cell[tile->segment[k]].path_ns[part], ns[part]);
    syn_sum_add(&cell[tile->call[k]].path_ns[syn_part_slot(SYN_PART_OPERATION)],
                ns[SINCE_OPERATION]);
}

/* syn_excess_of, of times that are short (is_short). */
static uint64_t excess_of(int64_t last_ns, int64_t others_ns, int64_t count)
{
    const int64_t excess = last_ns * count - others_ns;
    const uint64_t each =
        excess > 0 ? ((uint64_t)excess + (uint64_t)count - 1) / (uint64_t)count : 0;
    return syn_least(each, SYN_EXCESS_MOST);
}

/* Of its own time, the others', and what of the excess is being off the processor. */
static void weigh_own(const struct syn_tile *tile, size_t k, const int64_t *ns,
                      struct syn_weight *weight)
{
    const int64_t count = tile->waiter_count[k], off_ns = tile->others_ns[SINCE_OFF_CPU][k];
    weight->weight = excess_of(ns[SINCE_COMPUTING] + ns[SINCE_OFF_CPU],
                               tile->others_ns[SINCE_COMPUTING][k] + off_ns, count);
    if (__builtin_expect(ns[SINCE_OFF_CPU] == 0, 1))
        return;
    const uint64_t off_cpu = excess_of(ns[SINCE_OFF_CPU], off_ns, count);
    weight->off_cpu = syn_least(off_cpu, weight->weight);
}

/* By its excesses, in the order of their keys. Returns how many. */
static uint32_t find_weights(const struct syn_tile *tile, size_t k, const int64_t *ns,
                             struct syn_weight *weight)
{
    static const int parts[][3] = {{SINCE_COMPUTING, SINCE_MESSAGES, SINCE_OPERATION},
                                   {SINCE_OPERATION, SINCE_COMPUTING, SINCE_MESSAGES}};
    const int *const part = parts[tile->call[k] < tile->segment[k]];
    uint32_t count = 0;
    for (int i = 0; i < 3; i++) {
        weight[count] = (struct syn_weight){.node = SYN_NO_NODE};
        if (part[i] == SINCE_COMPUTING)
            weigh_own(tile, k, ns, &weight[count]);
        else if (ns[part[i]] > 0)
            weight[count].weight =
                excess_of(ns[part[i]], tile->others_ns[part[i]][k], tile->waiter_count[k]);
        weight[count].key = part[i] == SINCE_OPERATION
                                ? syn_part_key(tile->call[k], SYN_PART_OPERATION)
                                : syn_part_key(tile->segment[k], (enum syn_part)part[i]);
        count += weight[count].weight > 0;
    }
    return count;
}

static int64_t times(int64_t count, int64_t ns)
{
    int64_t product;
    return __builtin_mul_overflow(count, ns, &product) ? INT64_MAX : product;
}

static int pay(struct syn_swift *swift, size_t k, const int64_t *ns)
{
    const struct syn_tile *tile = swift->tile;
    struct syn_cause_sums *sums = &swift->replay->sums;
    struct syn_weight weight[SINCE_COUNT];
    const uint32_t count = find_weights(tile, k, ns, weight);
    struct syn_sharing sharing = {.debt_ns = tile->debt_ns[k],
                                  .bound_ns = times(tile->waiter_count[k], tile->bound_ns[k])};
    int status = 0;
    for (uint32_t i = 0; i < count; i++)
        sharing.all += weight[i].weight;
    if (count == 0)
        syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_PASSED], sharing.debt_ns);
    for (uint32_t i = 0; i < count && status == SYN_OK; i++) {
        struct syn_cause_charge charge = {.excess_ns = (int64_t)weight[i].weight,
                                          .at_ns = tile->together_ns[k + 1],
                                          .off_cpu_ns = (int64_t)weight[i].off_cpu};
        syn_share(&sharing, weight[i].weight, &charge.waiting_ns, &charge.bound_ns);
        status =
            syn_cause_cell_charge_block(sums, tile->last[k], weight[i].key, tile->block, &charge);
    }
    return status;
}

/* ---- together ---- */

static void leave_tile(struct syn_swift *swift, size_t count)
{
    struct syn_replay *replay = swift->replay;
    const struct syn_tile *tile = swift->tile;
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        struct syn_lane *lane = &swift->lane[i];
        replay->track[i].now_ns = lane->end_ns[lane->first + count - 1];
        replay->track[i].path.from_ns = tile->together_ns[count];
        replay->track[i].point = tile->point[count];
        syn_lane_pass(lane, count);
    }
    syn_replay_synchronized(replay, group_of(swift), tile->together_ns[count]);
    replay->sums.instance_count += count;
}

static int pass_tile(struct syn_swift *swift, size_t count)
{
    int status = find_labels(swift, count);
    if (status != SYN_OK)
        return status;
    find_bounds(swift, count);
    for (uint32_t i = 0; i < swift->replay->plan->location_count; i++) {
        pass_calls(swift, i, count);
        if (swift->lane[i].messages_ns)
            pass_parts(swift, i, count);
    }
    for (size_t k = 0; k < count && status == SYN_OK; k++) {
        int64_t ns[SINCE_COUNT];
        since_of_last(swift, k, ns);
        pass_path(swift, k, ns);
        if (swift->tile->waiter_count[k] > 0)
            status = pay(swift, k, ns);
    }
    leave_tile(swift, count);
    return status;
}

int syn_swift_go(struct syn_swift *swift, size_t *done, int64_t *together_ns)
{
    const size_t common = syn_swift_common(swift);
    int status = 0;
    *done = 0;
    while (*done < common && status == SYN_OK) {
        const size_t left = common - *done;
        const size_t count = choose(swift, syn_least(left, SYN_TILE));
        if (count == 0)
            break;
        status = pass_tile(swift, count);
        *done += count;
    }
    *together_ns = swift->replay->synchronized_ns[group_of(swift)];
    return status;
}

int syn_swift_stand(struct syn_swift *swift)
{
    const uint32_t group = group_of(swift);
    return syn_replay_stand_together(swift->replay, group, swift->replay->synchronized_ns[group]);
}

/* ---- the next cut ---- */

/* Is the k-th instance one, if each location has nothing pending when it comes to it? */
static bool is_cut(const struct syn_swift *swift, size_t k, int64_t *synchronized_ns)
{
    struct syn_replay *replay = swift->replay;
    int64_t first_end_ns = INT64_MAX, last_start_ns = INT64_MIN;
    const uint16_t op =
        syn_call_kind_at(replay->tables, swift->lane[0].kind[swift->lane[0].first + k])->op;
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_replay_call call = syn_lane_call(&swift->lane[i], (ptrdiff_t)k);
        if (syn_call_kind_at(replay->tables, call.kind)->op != op)
            return false;
        last_start_ns = syn_largest(call.start_ns, last_start_ns);
        first_end_ns = syn_least(call.end_ns, first_end_ns);
    }
    *synchronized_ns = last_start_ns;
    return first_end_ns >= last_start_ns - syn_meeting_bound(replay, swift->comm, last_start_ns);
}

/* Are all calls of a location up to the k-th over when that one begins? */
static bool is_clear(const struct syn_lane *lane, size_t k)
{
    for (size_t before = 0; before < k; before++)
        if (lane->end_ns[lane->first + before] > lane->start_ns[lane->first + k] ||
            lane->start_ns[lane->first + before] > lane->start_ns[lane->first + k])
            return false;
    return true;
}

bool syn_swift_find_cut(const struct syn_swift *swift, size_t *at, int64_t *synchronized_ns)
{
    const size_t common = syn_swift_common(swift);
    for (*at = 0; *at < common; ++*at) {
        bool clear = is_cut(swift, *at, synchronized_ns);
        for (uint32_t i = 0; i < swift->replay->plan->location_count && clear; i++)
            clear = is_clear(&swift->lane[i], *at);
        if (clear)
            return true;
    }
    return false;
}
