/* analyze/causes/layers.c - divides the waiting in a layer of a tile. A cut right behind a cut is
 * paid at once. Else it is not known before the next cut which instances' debts are passed on to
 * those in between: they are kept as debts until then. */
#include <string.h>

#include "analyze/causes/charging.h"
#include "analyze/causes/tile.h"
#include "sync/base/fetch.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

/* Do all locations come together in a layer? */
static bool is_cut(const struct syn_tile *tile, size_t k)
{
    return k == 0 || tile->split[k]->covers_all;
}

/* Returns the slot of a label of the tile, whose cells are made. */
static inline struct syn_cause_slot *slot_of(const struct syn_swift *swift, uint32_t location,
                                             uint32_t label, unsigned slot)
{
    return syn_cause_slot_at(&swift->replay->sums, syn_tile_number(swift, location, label), slot);
}

static inline void fetch_octaves(const struct syn_swift *swift, uint32_t location, uint32_t label)
{
    const struct syn_cause_slot *slot = slot_of(swift, location, label, 0);
    if (!slot->octaves)
        return;
    SYN_FETCH(slot->octaves);
    if (slot->instances <= SYN_EXCESSES_FEW)
        return; /* no more than that line */
    SYN_FETCH(syn_many_of(slot->octaves)->at);
    SYN_FETCH(syn_many_of(slot->octaves)->at + 2);
}

static inline void fetch_slots_of_layer(const struct syn_swift *swift, size_t k)
{
    const struct syn_tile *tile = swift->tile;
    const uint32_t last = tile->first[k]->last;
    SYN_FETCH(slot_of(swift, last, tile->segment[k], 0));
    SYN_FETCH(slot_of(swift, last, tile->call[k - 1], 0));
}

static inline void fetch_octaves_of_layer(const struct syn_swift *swift, size_t k)
{
    const struct syn_tile *tile = swift->tile;
    const uint32_t last = tile->first[k]->last;
    fetch_octaves(swift, last, tile->segment[k]);
    fetch_octaves(swift, last, tile->call[k - 1]);
}

#define LAYERS_AHEAD 4
void syn_swift_fetch_layer(const struct syn_swift *swift, size_t k, size_t count)
{
    for (size_t i = 1; k == 1 && i <= syn_least(count, (size_t)2 * LAYERS_AHEAD); i++)
        fetch_slots_of_layer(swift, i);
    for (size_t i = 1; k == 1 && i <= syn_least(count, (size_t)LAYERS_AHEAD); i++)
        fetch_octaves_of_layer(swift, i);
    if (k + 2 * LAYERS_AHEAD <= count)
        fetch_slots_of_layer(swift, k + 2 * LAYERS_AHEAD);
    if (k + LAYERS_AHEAD <= count)
        fetch_octaves_of_layer(swift, k + LAYERS_AHEAD);
}

/* ---- the critical path ---- */

static inline void add_to_path(struct syn_swift *swift, uint32_t location, size_t k,
                               const int64_t *ns)
{
    const struct syn_tile *tile = swift->tile;
    const uint32_t segment = tile->segment[k], call = tile->call[k - 1];
    syn_sum_add(&slot_of(swift, location, segment, SYN_PART_COMPUTING)->path_ns,
                ns[SYN_SINCE_COMPUTING]);
    if (__builtin_expect((ns[SYN_SINCE_MESSAGES] | ns[SYN_SINCE_OFF_CPU]) != 0, 0)) {
        syn_sum_add(&slot_of(swift, location, segment, SYN_PART_MESSAGES)->path_ns,
                    ns[SYN_SINCE_MESSAGES]);
        syn_sum_add(&slot_of(swift, location, segment, SYN_PART_OFF_CPU)->path_ns,
                    ns[SYN_SINCE_OFF_CPU]);
    }
    syn_sum_add(&slot_of(swift, location, call, syn_part_slot(SYN_PART_OPERATION))->path_ns,
                ns[SYN_SINCE_OPERATION]);
}

/* From a cut back to the one before it: in each layer it was the last one's time. */
static void pass_path(struct syn_swift *swift, size_t k)
{
    const struct syn_tile *tile = swift->tile;
    uint32_t location = tile->first[k]->last;
    for (;; k--) {
        int64_t ns[SYN_SINCE_COUNT];
        syn_swift_divide(swift, location, k, ns);
        add_to_path(swift, location, k, ns);
        if (is_cut(tile, k - 1))
            return;
        location = syn_tile_at(tile, k - 1, location)->last;
    }
}

/* ---- compared since the layer before ---- */

/* syn_excess_of, of times that are short (swift.c, tile_end). */
static uint64_t excess_of(int64_t last_ns, int64_t others_ns, int64_t count)
{
    const int64_t excess = last_ns * count - others_ns;
    const uint64_t each =
        excess > 0 ? ((uint64_t)excess + (uint64_t)count - 1) / (uint64_t)count : 0;
    return syn_least(each, SYN_EXCESS_MOST);
}

/* Returns the weight of own time: the excess over the others', and the part of it off the
 * processor. */
static struct syn_weight weigh_own(const struct syn_tile_instance *at, const int64_t *ns,
                                   uint32_t label)
{
    struct syn_weight weight = {.key = syn_part_key(label, SYN_PART_COMPUTING),
                                .node = SYN_NO_NODE};
    weight.weight = excess_of(ns[SYN_SINCE_COMPUTING] + ns[SYN_SINCE_OFF_CPU],
                              at->computing_ns + at->off_cpu_ns, at->waiter_count);
    if (__builtin_expect(ns[SYN_SINCE_OFF_CPU] == 0, 1))
        return weight;
    const uint64_t off_cpu = excess_of(ns[SYN_SINCE_OFF_CPU], at->off_cpu_ns, at->waiter_count);
    weight.off_cpu = syn_least(off_cpu, weight.weight);
    return weight;
}

static uint32_t add_weight(struct syn_weight *weight, uint32_t count, struct syn_weight added)
{
    weight[count] = added;
    return count + (added.weight > 0);
}

/* By the excesses of the last one, which did so much, in the order of syn_debts_sort. Returns how
 * many. */
static uint32_t find_weights(const struct syn_tile *tile, size_t k,
                             const struct syn_tile_instance *at, const int64_t *ns,
                             struct syn_weight *weight)
{
    const uint32_t segment = tile->segment[k], call = tile->call[k - 1];
    uint32_t count =
        add_weight(weight, 0,
                   (struct syn_weight){.weight = excess_of(ns[SYN_SINCE_OPERATION],
                                                           at->operation_ns, at->waiter_count),
                                       .key = syn_part_key(call, SYN_PART_OPERATION),
                                       .node = SYN_NO_NODE});
    count = add_weight(weight, count, weigh_own(at, ns, segment));
    if (__builtin_expect(ns[SYN_SINCE_MESSAGES] == 0, 1))
        return count;
    return add_weight(weight, count,
                      (struct syn_weight){.weight = excess_of(ns[SYN_SINCE_MESSAGES],
                                                              at->messages_ns, at->waiter_count),
                                          .key = syn_part_key(segment, SYN_PART_MESSAGES),
                                          .node = SYN_NO_NODE});
}

static int64_t times(int64_t count, int64_t ns)
{
    int64_t product;
    return __builtin_mul_overflow(count, ns, &product) ? INT64_MAX : product;
}

static inline __attribute__((always_inline)) int charge(struct syn_swift *swift, uint32_t location,
                                                        uint32_t label, enum syn_part part,
                                                        const struct syn_cause_charge *charged)
{
    return syn_cause_cell_charge_in(&swift->replay->sums, syn_tile_number(swift, location, label),
                                    swift->tile->block, location, part, charged);
}

/* A debt by its weights, to causes and to debts [node]. Nothing of it was waited in another block
 * of the run's time, so that a share is charged or passed on as a whole. */
static int pay(struct syn_swift *swift, const struct syn_debt *debt,
               const struct syn_weight *weight, struct syn_debt *node)
{
    struct syn_sharing sharing = {.debt_ns = debt->debt_ns, .bound_ns = debt->bound_ns};
    int status = 0;
    for (uint32_t i = 0; i < debt->count; i++)
        sharing.all += weight[i].weight;
    if (debt->count == 0)
        syn_sum_add(&swift->replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], debt->debt_ns);
    for (uint32_t i = 0; i < debt->count && status == SYN_OK; i++) {
        struct syn_cause_charge charged = {.excess_ns = (int64_t)weight[i].weight,
                                           .at_ns = debt->at_ns,
                                           .off_cpu_ns = (int64_t)weight[i].off_cpu};
        syn_share(&sharing, weight[i].weight, &charged.waiting_ns, &charged.bound_ns);
        if (weight[i].node == SYN_NO_NODE) {
            status = charge(swift, debt->location, weight[i].key / SYN_PART_COUNT,
                            (enum syn_part)(weight[i].key % SYN_PART_COUNT), &charged);
        } else {
            syn_sum_add(&node[weight[i].node].debt_ns, charged.waiting_ns);
            syn_sum_add(&node[weight[i].node].bound_ns, charged.bound_ns);
        }
    }
    return status;
}

static int pay_at_once(struct syn_swift *swift, size_t k, const int64_t *ns)
{
    const struct syn_tile_instance *at = swift->tile->first[k];
    struct syn_weight weight[SYN_SINCE_COUNT];
    const struct syn_debt debt = {.debt_ns = at->debt_ns,
                                  .bound_ns = times(at->waiter_count, at->bound_ns),
                                  .at_ns = at->together_ns,
                                  .count = find_weights(swift->tile, k, at, ns, weight),
                                  .location = at->last};
    return pay(swift, &debt, weight, NULL);
}

/* Pays where only computing and the operation are to be weighed: nearly always. */
static int pay_two(struct syn_swift *swift, size_t k, const int64_t *ns)
{
    const struct syn_tile *tile = swift->tile;
    const struct syn_tile_instance *at = tile->first[k];
    struct syn_cause_sums *sums = &swift->replay->sums;
    const uint32_t segment = tile->segment[k], call = tile->call[k - 1];
    const uint64_t own =
        excess_of(ns[SYN_SINCE_COMPUTING], at->computing_ns + at->off_cpu_ns, at->waiter_count);
    const uint64_t operation =
        excess_of(ns[SYN_SINCE_OPERATION], at->operation_ns, at->waiter_count);
    const uint64_t all = own + operation;
    const int64_t bound_ns = times(at->waiter_count, at->bound_ns);
    if (all == 0) {
        syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_PASSED], at->debt_ns);
        return 0;
    }
    /* The operation first, as in syn_debts_sort. */
    const struct syn_cause_charge of_operation = {
        .excess_ns = (int64_t)operation,
        .at_ns = at->together_ns,
        .waiting_ns = syn_portion(at->debt_ns, operation, all),
        .bound_ns = syn_portion(bound_ns, operation, all)};
    const struct syn_cause_charge of_own = {.excess_ns = (int64_t)own,
                                            .at_ns = at->together_ns,
                                            .waiting_ns = at->debt_ns - of_operation.waiting_ns,
                                            .bound_ns = bound_ns - of_operation.bound_ns};
    return charge(swift, at->last, segment, SYN_PART_COMPUTING, &of_own) |
           charge(swift, at->last, call, SYN_PART_OPERATION, &of_operation);
}

/* A cut right behind a cut. */
static int pass_cut(struct syn_swift *swift, size_t k)
{
    const uint32_t last = swift->tile->first[k]->last;
    int64_t ns[SYN_SINCE_COUNT];
    syn_swift_divide(swift, last, k, ns);
    add_to_path(swift, last, k, ns);
    if (swift->tile->first[k]->waiter_count == 0)
        return 0;
    return (ns[SYN_SINCE_MESSAGES] | ns[SYN_SINCE_OFF_CPU]) == 0 ? pay_two(swift, k, ns)
                                                                 : pay_at_once(swift, k, ns);
}

/* ---- compared over several layers ---- */

/* A location waited in an instance, in the window in hand. */
static void note_passed(struct syn_tile *tile, struct syn_tile_instance *at, int64_t waiting_ns,
                        bool is_last)
{
    if (waiting_ns == 0)
        return;
    if ((at->others_passed_ns | at->last_passed_ns) == 0)
        tile->passed[tile->passed_count++] = at;
    *(is_last ? &at->last_passed_ns : &at->others_passed_ns) += waiting_ns;
}

/* Moves the parts of its segments that are not computing. */
static void move_parts(struct syn_swift *swift, uint32_t location, size_t since, size_t k,
                       struct syn_tile_sums *sums)
{
    for (; k > since; k--) {
        int64_t ns[SYN_SINCE_COUNT];
        syn_swift_divide(swift, location, k, ns);
        sums[k].computing_ns -= ns[SYN_SINCE_MESSAGES] + ns[SYN_SINCE_OFF_CPU];
        sums[k].messages_ns += ns[SYN_SINCE_MESSAGES];
        sums[k].off_cpu_ns += ns[SYN_SINCE_OFF_CPU];
    }
}

/* Adds a location's times since some layer, the newest first. */
static void add_window(struct syn_swift *swift, uint32_t location, size_t since, size_t k,
                       bool is_last)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_lane *lane = &swift->lane[location];
    const int64_t *start_ns = lane->start_ns + lane->first - 1;
    const int64_t *end_ns = lane->end_ns + lane->first - 1;
    struct syn_tile_sums *sums = is_last ? tile->of_last : tile->of_others;
    const int64_t first_ns = swift->replay->track[location].now_ns;
    for (size_t s = k; s > since; s--) {
        struct syn_tile_instance *at = syn_tile_at(tile, s - 1, location);
        const int64_t before_ns = s > 1 ? end_ns[s - 1] : first_ns;
        sums[s].computing_ns += start_ns[s] - before_ns;
        sums[s].operation_ns += before_ns - at->together_ns;
        if (s - 1 > since)
            note_passed(tile, at, at->together_ns - start_ns[s - 1], is_last);
    }
    if (lane->messages_ns)
        move_parts(swift, location, since, k, sums);
}

static int add_time(struct syn_replay *replay, uint32_t key, int64_t last_ns, int64_t others_ns)
{
    const struct syn_stretch stretch = {.key = key, .node = SYN_NO_NODE};
    int failed = last_ns > 0 ? syn_window_add(replay, &stretch, last_ns, true) : 0;
    return others_ns > 0 ? failed | syn_window_add(replay, &stretch, others_ns, false) : failed;
}

/* Labels may come more than once: sums by key. */
static int add_up(struct syn_swift *swift, size_t since, size_t k)
{
    const struct syn_tile *tile = swift->tile;
    struct syn_replay *replay = swift->replay;
    int failed = 0;
    for (size_t s = since + 1; s <= k; s++) {
        const struct syn_tile_sums *last = &tile->of_last[s], *others = &tile->of_others[s];
        const uint32_t key = syn_part_key(tile->segment[s], SYN_PART_COMPUTING);
        failed |= add_time(replay, key, last->computing_ns, others->computing_ns);
        failed |= add_time(replay, key + SYN_PART_MESSAGES, last->messages_ns, others->messages_ns);
        failed |= add_time(replay, key + SYN_PART_OFF_CPU, last->off_cpu_ns, others->off_cpu_ns);
        failed |= add_time(replay, syn_part_key(tile->call[s - 1], SYN_PART_OPERATION),
                           last->operation_ns, others->operation_ns);
    }
    return failed;
}

/* The weights of a debt: those of keys, then those that pass it on. */
static int weigh(struct syn_swift *swift, const struct syn_tile_instance *at)
{
    struct syn_tile *tile = swift->tile;
    const uint32_t count = (uint32_t)at->waiter_count;
    int status = syn_window_weigh(swift->replay, at->node, count);
    for (size_t i = 0; i < tile->passed_count && status == SYN_OK; i++) {
        const struct syn_tile_instance *to = tile->passed[i];
        const struct syn_weight weight = {
            .weight = syn_excess_of(to->last_passed_ns, to->others_passed_ns, count),
            .key = SYN_PART_WAITING,
            .node = to->node};
        if (weight.weight > 0)
            status = syn_debts_weight(swift->replay, at->node, &weight);
    }
    if (status == SYN_OK)
        syn_debts_sort(swift->replay, at->node);
    return status;
}

static void clear_window(struct syn_swift *swift)
{
    struct syn_tile *tile = swift->tile;
    while (tile->passed_count > 0) {
        struct syn_tile_instance *at = tile->passed[--tile->passed_count];
        at->last_passed_ns = at->others_passed_ns = 0;
    }
    syn_window_clear(swift->replay);
}

static int compare(struct syn_swift *swift, size_t k, const struct syn_tile_instance *at)
{
    struct syn_tile *tile = swift->tile;
    const struct syn_cause_plan *plan = swift->replay->plan;
    const struct syn_communicator *comm = &plan->comms->comm[syn_plain_comm(at->plain)];
    const size_t since = tile->since[k];
    memset(&tile->of_others[since + 1], 0, (k - since) * sizeof *tile->of_others);
    memset(&tile->of_last[since + 1], 0, (k - since) * sizeof *tile->of_last);
    for (uint32_t m = 0; m < comm->size; m++) {
        const uint32_t i = plan->first_location[comm->world_rank[m]];
        const struct syn_lane *lane = &swift->lane[i];
        if (at->together_ns - lane->start_ns[lane->first + k - 1] > at->bound_ns)
            add_window(swift, i, since, k, false);
    }
    add_window(swift, at->last, since, k, true);
    int status = add_up(swift, since, k);
    if (status == SYN_OK)
        status = weigh(swift, at);
    clear_window(swift);
    return status;
}

/* ---- each layer ---- */

/* Compared since the layer before. */
static int owe_weights(struct syn_swift *swift, size_t k, const struct syn_tile_instance *at)
{
    struct syn_debts *debts = &swift->replay->debts;
    const size_t last = debts->weight_count + SYN_SINCE_COUNT - 1;
    int64_t ns[SYN_SINCE_COUNT];
    if (SYN_PAGED_ROOM(&swift->replay->pages, debts->weight, debts->weight_capacity, last) !=
        SYN_OK)
        return SYN_ENOMEM;
    syn_swift_divide(swift, at->last, k, ns);
    const uint32_t count =
        find_weights(swift->tile, k, at, ns, &debts->weight[debts->weight_count]);
    debts->weight_count += count;
    debts->node[at->node].count += count;
    return 0;
}

/* An instance's waiting as a debt. */
static int owe(struct syn_swift *swift, size_t k, struct syn_tile_instance *at)
{
    const struct syn_tile *tile = swift->tile;
    struct syn_replay *replay = swift->replay;
    at->node = syn_debts_node(replay, at->last, at->together_ns);
    if (at->node == SYN_NO_NODE)
        return SYN_ENOMEM;
    replay->debts.node[at->node].debt_ns = at->debt_ns;
    replay->debts.node[at->node].bound_ns = times(at->waiter_count, at->bound_ns);
    if (at->waiter_count == 0)
        return 0;
    if (tile->since[k] + 1 < k)
        return compare(swift, k, at);
    return owe_weights(swift, k, at);
}

/* All debts, the youngest first. */
static int pay_all(struct syn_swift *swift)
{
    struct syn_replay *replay = swift->replay;
    struct syn_debts *debts = &replay->debts;
    int status = 0;
    for (; debts->node_count > 0 && status == SYN_OK; debts->node_count--) {
        const struct syn_debt *debt = &debts->node[debts->node_count - 1];
        if (debt->debt_ns > 0)
            status = pay(swift, debt, &debts->weight[debt->first], debts->node);
    }
    debts->weight_count = 0;
    return status;
}

int syn_swift_pass_layer(struct syn_swift *swift, size_t k)
{
    const struct syn_tile *tile = swift->tile;
    int status = 0;
    if (is_cut(tile, k) && is_cut(tile, k - 1))
        return pass_cut(swift, k);
    for (struct syn_tile_instance *at = tile->first[k]; at < tile->first[k + 1] && status == SYN_OK;
         at++)
        status = owe(swift, k, at);
    if (status != SYN_OK || !is_cut(tile, k))
        return status;
    pass_path(swift, k);
    return pay_all(swift);
}
