/* analyze/causes/replay/arrivals.c - evaluates an instance: which member made others wait, and by
 * what.
 *
 * The awaited member is compared with the mean of those that waited, over the time since all of
 * them were together last. The waiting is divided among the labels in which the awaited member took
 * longer. Source: Boehme et al., Identifying the Root Causes of Wait States in Large-Scale Parallel
 * Applications, ACM TOPC 3(2), 2016, section 4 (which compares each waiting process by itself). */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"
#include "trace/base/ops.h"

/* Returns the waiting of a call, as syn_member_waiting_ns defines it. */
static int64_t waiting_of(const struct syn_member_call *member, int64_t last_start_ns)
{
    const struct syn_replay_call *call = member->call;
    if (!call)
        return syn_largest(syn_least(member->end_ns, last_start_ns) - member->start_ns, 0);
    int64_t calling = syn_least(call->call_end_ns, last_start_ns) - call->start_ns;
    int64_t waiting = syn_least(call->end_ns, last_start_ns) - call->wait_start_ns;
    return syn_largest(calling, 0) + syn_largest(waiting, 0);
}

/* ---- evaluating an instance ---- */

/* Returns a communicator's clock bound, cached by cells of time as in bounds.h. */
static int64_t bound_of(struct syn_replay *replay, uint32_t number, int64_t at_ns)
{
    const int64_t cell = at_ns >> SYN_BOUND_CELL_BITS;
    struct syn_comm_bound_cell *known =
        &replay->comm_bound[2 * (size_t)number + (size_t)(cell & 1)];
    if (__builtin_expect(known->known && known->cell == cell, 1))
        return known->bound_ns;
    const struct syn_communicator *comm = &replay->plan->comms->comm[number];
    *known = (struct syn_comm_bound_cell){true, cell, 0};
    for (uint32_t m = 0; m < comm->size; m++)
        known->bound_ns =
            syn_largest(known->bound_ns, syn_bounds_at(&replay->bounds[comm->world_rank[m]],
                                                       cell * SYN_BOUND_CELL_NS));
    known->bound_ns = comm->size > 1 ? 2 * known->bound_ns : 0;
    return known->bound_ns;
}

/* Returns whether data goes from the root to the others in this operation. If it does not
 * synchronize, members wait for the root only. */
static bool is_from_root(uint16_t op)
{
    const unsigned row = op % SYN_OP_FORM_STRIDE;
    return row == SYN_ROW_BCAST || row == SYN_ROW_SCATTER || row == SYN_ROW_SCATTERV;
}

void syn_arrivals_judge(struct syn_replay *replay, struct syn_arrivals *arrivals)
{
    int64_t first_end_ns = INT64_MAX, last_start_ns = INT64_MIN;
    uint32_t last = 0;
    for (uint32_t m = 0; m < arrivals->count; m++) {
        const struct syn_member_call *member = &arrivals->member[m];
        const bool later = member->start_ns > last_start_ns; /* a branch would be mispredicted */
        last_start_ns = later ? member->start_ns : last_start_ns;
        last = later ? m : last;
        first_end_ns = syn_least(first_end_ns, member->end_ns);
    }
    arrivals->last = last;
    arrivals->last_start_ns = last_start_ns;
    arrivals->bound_ns = bound_of(replay, arrivals->kind->comm, last_start_ns);
    arrivals->synchronizes =
        arrivals->count > 1 && first_end_ns >= last_start_ns - arrivals->bound_ns;
    arrivals->cause = arrivals->last;
    if (!arrivals->synchronizes && is_from_root(arrivals->kind->op) && arrivals->kind->root >= 0 &&
        (uint32_t)arrivals->kind->root < arrivals->count)
        arrivals->cause = (uint32_t)arrivals->kind->root;
    arrivals->due_ns = arrivals->member[arrivals->cause].start_ns;
    arrivals->is_cut = arrivals->kind->is_blocking && arrivals->synchronizes &&
                       arrivals->is_clear && replay->plan->group[arrivals->group].covers_all &&
                       replay->completion_count == 0;
}

/* ---- windows ---- */

static int reserve_window(struct syn_window_sums *sums, uint32_t key)
{
    if (key < sums->capacity)
        return 0;
    const size_t capacity = (size_t)key + 64 + key / 2, added = capacity - sums->capacity;
    if (SYN_RESERVE(sums->last, capacity) || SYN_RESERVE(sums->others, capacity) ||
        SYN_RESERVE(sums->touched, capacity))
        return SYN_ENOMEM;
    memset(sums->last + sums->capacity, 0, added * sizeof *sums->last);
    memset(sums->others + sums->capacity, 0, added * sizeof *sums->others);
    sums->capacity = capacity;
    return 0;
}

/* Returns the sums of a node in this window, or NULL if out of memory. A window may refer to as
 * many nodes as the run has. So each node stores its place in the list, which is never searched. */
static struct syn_window_node *node_sums(struct syn_replay *replay, uint32_t node)
{
    struct syn_window_sums *sums = &replay->window;
    uint32_t *place = &replay->attribution.node[node].place;
    if (*place > 0)
        return &sums->node[*place - 1];
    if (SYN_SPILLED_ROOM(&replay->pages, sums->node, sums->node_capacity, sums->node_count) !=
        SYN_OK)
        return NULL;
    sums->node[sums->node_count] = (struct syn_window_node){.node = node};
    *place = (uint32_t)++sums->node_count;
    return &sums->node[*place - 1];
}

static int add_to_window(struct syn_replay *replay, const struct syn_history_interval *interval,
                         int64_t ns, bool is_last)
{
    struct syn_window_sums *sums = &replay->window;
    if (__builtin_expect(interval->node != SYN_NO_NODE, 0)) {
        struct syn_window_node *node = node_sums(replay, interval->node);
        if (!node)
            return SYN_ENOMEM;
        syn_sum_add(is_last ? &node->last : &node->others, ns);
        return 0;
    }
    if (__builtin_expect(reserve_window(sums, interval->key), 0))
        return SYN_ENOMEM;
    int64_t *sum = is_last ? sums->last : sums->others;
    uint32_t key = interval->key;
    if (syn_key_category(key) == SYN_CATEGORY_OFF_CPU) {
        syn_sum_add(&sum[key], ns);
        key = syn_category_key(syn_key_label(key), SYN_CATEGORY_COMPUTING);
    }
    if (sums->last[key] == 0 && sums->others[key] == 0)
        sums->touched[sums->touched_count++] = key;
    syn_sum_add(&sum[key], ns);
    return 0;
}

static int add_interval(struct syn_replay *replay, uint32_t location, int64_t from_ns,
                        int64_t to_ns, bool is_last)
{
    const struct syn_history *history = &replay->history[location];
    const struct syn_history_interval *first = history->interval + history->interval_first;
    for (size_t i = history->interval_count; i-- > 0 && first[i].end_ns > from_ns;) {
        const int64_t begin_ns = syn_largest(first[i].end_ns - first[i].ns, from_ns);
        const int64_t ns = syn_least(first[i].end_ns, to_ns) - begin_ns;
        if (ns > 0 && add_to_window(replay, &first[i], ns, is_last))
            return SYN_ENOMEM;
        syn_pages_touch(&replay->pages, 2 * sizeof first[i]);
    }
    return 0;
}

static void clear_window(struct syn_replay *replay)
{
    struct syn_window_sums *sums = &replay->window;
    for (size_t i = 0; i < sums->touched_count; i++) {
        const uint32_t key = sums->touched[i], off_cpu = key + SYN_CATEGORY_OFF_CPU;
        sums->last[key] = sums->others[key] = 0;
        if (syn_key_category(key) == SYN_CATEGORY_COMPUTING && off_cpu < sums->capacity)
            sums->last[off_cpu] = sums->others[off_cpu] = 0;
    }
    for (size_t i = 0; i < sums->node_count; i++) {
        replay->attribution.node[sums->node[i].node].place = 0;
        syn_pages_touch(&replay->pages, sizeof *sums->node + sizeof *replay->attribution.node);
    }
    sums->touched_count = sums->node_count = 0;
}

/* ---- dividing ---- */

/* Shares are rounded one after the other, so their order must follow from the events alone. Label
 * numbers depend on the order of reading, and are not used. */
#define FEW_WEIGHTS 24

/* Returns the place of a weight's category in the order: operations come first. */
static unsigned place_of(const struct syn_weight *weight)
{
    const unsigned category = syn_key_category(weight->key);
    return category == SYN_CATEGORY_OPERATION ? 0 : category + 1;
}

/* Compares weights by category, then the largest first. compare_weights orders those that are
 * equal. */
static int by_weight(const void *left, const void *right)
{
    const struct syn_weight *a = left, *b = right;
    if (place_of(a) != place_of(b))
        return place_of(a) < place_of(b) ? -1 : 1;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

/* Compares weights. Of equal ones, passed-on waiting is ordered by its time, the latest last, and
 * other weights by the texts of their labels. */
static int compare_weights(const struct syn_replay *replay, const struct syn_weight *a,
                           const struct syn_weight *b)
{
    const int order = by_weight(a, b);
    if (__builtin_expect(order != 0, 1))
        return order;
    if (a->node == SYN_NO_NODE)
        return syn_label_compare(replay->tables, replay->plan->names, syn_key_label(a->key),
                                 syn_key_label(b->key));
    const struct syn_unattributed *of_a = &replay->attribution.node[a->node];
    const struct syn_unattributed *of_b = &replay->attribution.node[b->node];
    if (of_a->at_ns != of_b->at_ns)
        return of_a->at_ns < of_b->at_ns ? -1 : 1;
    if (of_a->location != of_b->location)
        return of_a->location < of_b->location ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

/* Sorts weights. A window nearly always has few; for these qsort would allocate memory and take
 * three times as long. */
static void sort_weights(const struct syn_replay *replay, struct syn_weight *weight, size_t count)
{
    if (count > FEW_WEIGHTS)
        qsort(weight, count, sizeof *weight, by_weight);
    for (size_t i = 1; i < count; i++) {
        const struct syn_weight moved = weight[i];
        size_t at = i;
        for (; at > 0 && compare_weights(replay, &weight[at - 1], &moved) > 0; at--)
            weight[at] = weight[at - 1];
        weight[at] = moved;
    }
}

/* Returns the part of an excess of own time that is certainly off the processor. */
static uint64_t off_cpu_excess(const struct syn_window_sums *sums, uint32_t key, uint32_t count,
                               uint64_t excess)
{
    const uint32_t off_cpu = key + SYN_CATEGORY_OFF_CPU;
    if (syn_key_category(key) != SYN_CATEGORY_COMPUTING || off_cpu >= sums->capacity ||
        sums->last[off_cpu] == 0)
        return 0;
    const uint64_t off = syn_excess_of(sums->last[off_cpu], sums->others[off_cpu], count);
    return syn_least(off, excess);
}

static int weigh_window(struct syn_replay *replay, uint32_t node, uint32_t count)
{
    const struct syn_window_sums *sums = &replay->window;
    int status = 0;
    for (size_t i = 0; i < sums->touched_count && status == SYN_OK; i++) {
        const uint32_t key = sums->touched[i];
        const uint64_t excess = syn_excess_of(sums->last[key], sums->others[key], count);
        const struct syn_weight weight = {excess, off_cpu_excess(sums, key, count, excess), key,
                                          SYN_NO_NODE};
        if (weight.weight > 0)
            status = syn_attribution_weight(replay, node, &weight);
    }
    for (size_t i = 0; i < sums->node_count && status == SYN_OK; i++) {
        const struct syn_weight weight = {
            syn_excess_of(sums->node[i].last, sums->node[i].others, count), 0, SYN_CATEGORY_WAITING,
            sums->node[i].node};
        if (weight.weight > 0)
            status = syn_attribution_weight(replay, node, &weight);
        syn_pages_touch(&replay->pages, sizeof sums->node[i] + sizeof weight);
    }
    const struct syn_unattributed *waiting = &replay->attribution.node[node];
    struct syn_weight *weight = replay->attribution.weight + waiting->first;
    uint32_t keys = 0;
    while (keys < waiting->count && weight[keys].node == SYN_NO_NODE)
        keys++;
    sort_weights(replay, weight, keys);
    sort_weights(replay, weight + keys, waiting->count - keys);
    return status;
}

/* Notes the time bins in which a member waited, if its waiting began in an earlier bin than that of
 * due_ns. Returns 0 or SYN_ENOMEM. */
static int note_blocks(struct syn_replay *replay, const struct syn_member_call *member,
                       int64_t due_ns, uint32_t node)
{
    const struct syn_replay_call *call = member->call;
    const struct syn_time_bins *bins = &replay->sums->bins;
    if (__builtin_expect(due_ns < replay->due_bin_begin_ns || due_ns >= replay->due_bin_end_ns,
                         0)) {
        const uint32_t bin = syn_time_bin_of(bins, due_ns);
        replay->due_bin_begin_ns = bin ? syn_time_bin_end(bins, bin - 1) : INT64_MIN;
        replay->due_bin_end_ns = syn_time_bin_end(bins, bin);
    }
    if (__builtin_expect(member->start_ns >= replay->due_bin_begin_ns, 1))
        return 0;
    if (!call)
        return syn_attribution_waited(replay, node, member->start_ns,
                                      syn_least(member->end_ns, due_ns));
    int status =
        syn_attribution_waited(replay, node, call->start_ns, syn_least(call->call_end_ns, due_ns));
    return status == SYN_OK ? syn_attribution_waited(replay, node, call->wait_start_ns,
                                                     syn_least(call->end_ns, due_ns))
                            : status;
}

int syn_pair_divide(struct syn_replay *replay, const struct syn_pair_wait *wait, uint32_t *node)
{
    *node = syn_attribution_node(replay, wait->cause, wait->due_ns);
    if (*node == SYN_NO_NODE)
        return SYN_ENOMEM;
    struct syn_unattributed *waiting = &replay->attribution.node[*node];
    waiting->waiting_ns = waiting->messages_ns = wait->due_ns - wait->begin_ns;
    waiting->bound_ns = wait->bound_ns;
    int status = syn_attribution_waited(replay, *node, wait->begin_ns, wait->due_ns);
    if (status == SYN_OK)
        status = add_interval(replay, wait->waiter, wait->from_ns, wait->begin_ns, false);
    if (status == SYN_OK)
        status = add_interval(replay, wait->cause, wait->from_ns, wait->due_ns, true);
    if (status == SYN_OK)
        status = weigh_window(replay, *node, 1);
    clear_window(replay);
    return status;
}

/* Adds the members that waited to the window sums, and their waiting to the node. Sets *count to
 * their number. */
static int add_waiters(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                       int64_t from_ns, uint32_t number, uint32_t *count)
{
    struct syn_unattributed *node = &replay->attribution.node[number];
    int status = 0;
    for (uint32_t m = 0; m < arrivals->count && status == SYN_OK; m++) {
        /* Computes the part of the member's waiting that is owed to the awaited member. The rest is
         * counted as unknown, with its reason. */
        const struct syn_member_call *member = &arrivals->member[m];
        const int64_t waiting_ns = waiting_of(member, arrivals->last_start_ns);
        int64_t owed = waiting_ns;
        if (m + SYN_HISTORY_AHEAD < arrivals->count) {
            syn_history_fetch(replay, member[SYN_HISTORY_AHEAD].location);
            syn_history_fetch_intervals(replay, member[SYN_CALL_AHEAD].location);
        }
        syn_sum_add(&replay->sums->waiting_ns, waiting_ns);
        if (m == arrivals->cause)
            owed = 0;
        else if (arrivals->cause != arrivals->last)
            owed = waiting_of(member, arrivals->due_ns);
        else if (member->end_ns < arrivals->last_start_ns - arrivals->bound_ns)
            owed = 0;
        syn_sum_add(&replay->sums->unknown_ns[SYN_UNKNOWN_EARLY], waiting_ns - owed);
        if (owed > 0 && owed <= arrivals->bound_ns) {
            syn_sum_add(&replay->sums->unknown_ns[SYN_UNKNOWN_CLOCK], owed);
            owed = 0;
        }
        if (owed <= 0)
            continue;
        if (from_ns == SYN_NEVER_NS) {
            syn_sum_add(&replay->sums->unknown_ns[SYN_UNKNOWN_BEGIN], owed);
            continue;
        }
        ++*count;
        syn_sum_add(&node->waiting_ns, owed);
        syn_sum_add(&node->bound_ns, arrivals->bound_ns);
        status = note_blocks(replay, member, arrivals->due_ns, number);
        if (status == SYN_OK)
            status = add_interval(replay, member->location, from_ns, member->start_ns, false);
    }
    return status;
}

int syn_arrivals_divide(struct syn_replay *replay, const struct syn_arrivals *arrivals,
                        uint32_t *node)
{
    const struct syn_member_call *cause = &arrivals->member[arrivals->cause];
    const int64_t from_ns = syn_window_begin(replay, arrivals);
    uint32_t count = 0;
    int status = 0;
    *node = syn_attribution_node(replay, cause->location, arrivals->due_ns);
    if (*node == SYN_NO_NODE)
        return SYN_ENOMEM;
    replay->sums->instance_count += arrivals->count > 1;
    /* by definition a member waits until the last one has started, even if it waits for the root */
    for (uint32_t m = 0; arrivals->cause != arrivals->last && arrivals->kind->is_blocking &&
                         m < arrivals->count && status == SYN_OK;
         m++)
        status =
            syn_bin_overlap_early(replay->sums, arrivals->member[m].location,
                                  syn_largest(arrivals->due_ns, arrivals->member[m].start_ns),
                                  syn_least(arrivals->last_start_ns, arrivals->member[m].end_ns));
    if (status == SYN_OK)
        status = add_waiters(replay, arrivals, from_ns, *node, &count);
    if (status == SYN_OK && count > 0)
        status = add_interval(replay, cause->location, from_ns, cause->start_ns, true);
    if (status == SYN_OK && count > 0)
        status = weigh_window(replay, *node, count);
    clear_window(replay);
    return status;
}
