/* analyze/causes/replay/attribution.c - waiting whose causes are not charged yet.
 *
 * Each instance with waiting is a node. A node has unattributed waiting: its own, and the waiting
 * that later instances pass on to it. Its weights tell which causes share it. Nodes refer to older
 * nodes only, so each node is attributed once if the youngest comes first. All waiting ends at a
 * cause, or is counted as unknown. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

void syn_attribution_free(struct syn_replay *replay)
{
    struct syn_attribution *attribution = &replay->attribution;
    syn_spilled_free(&replay->pages, attribution->node,
                     attribution->node_capacity * sizeof *attribution->node);
    syn_spilled_free(&replay->pages, attribution->weight,
                     attribution->weight_capacity * sizeof *attribution->weight);
    syn_spilled_free(&replay->pages, attribution->part,
                     attribution->part_capacity * sizeof *attribution->part);
}

uint32_t syn_attribution_node(struct syn_replay *replay, uint32_t location, int64_t at_ns)
{
    struct syn_attribution *attribution = &replay->attribution;
    if (SYN_SPILLED_ROOM(&replay->pages, attribution->node, attribution->node_capacity,
                         attribution->node_count) != SYN_OK ||
        attribution->node_count >= SYN_NO_NODE)
        return SYN_NO_NODE;
    attribution->node[attribution->node_count] = (struct syn_unattributed){
        .first = attribution->weight_count, .location = location, .at_ns = at_ns};
    return (uint32_t)attribution->node_count++;
}

/* ---- the bins of the waiting ---- */

/* Returns the index of an unused part, or 0 if out of memory. */
static uint32_t part_new(struct syn_replay *replay)
{
    struct syn_attribution *attribution = &replay->attribution;
    const uint32_t unused = attribution->unused_part;
    if (unused) {
        attribution->unused_part = attribution->part[unused].next;
        return unused;
    }
    if (attribution->part_count == 0)
        attribution->part_count = 1;
    if (SYN_SPILLED_ROOM(&replay->pages, attribution->part, attribution->part_capacity,
                         attribution->part_count) != SYN_OK ||
        attribution->part_count >= UINT32_MAX)
        return 0;
    return (uint32_t)attribution->part_count++;
}

static void parts_free(struct syn_attribution *attribution, const struct syn_unattributed *node)
{
    for (uint32_t at = node->elsewhere, next; at; at = next) {
        next = attribution->part[at].next;
        attribution->part[at].next = attribution->unused_part;
        attribution->unused_part = at;
    }
}

/* Adds `ns` of a node's waiting to a bin other than its own. Parts are ordered by bin, because the
 * division of a share among them must not depend on the order in which waiting was passed on.
 * Returns 0 or SYN_ENOMEM. */
static int add_part(struct syn_replay *replay, struct syn_unattributed *waiting, uint32_t bin,
                    int64_t ns)
{
    struct syn_attribution *attribution = &replay->attribution;
    uint32_t at = waiting->elsewhere, before = 0;
    if (ns <= 0 || bin == syn_time_bin_of(&replay->sums->bins, waiting->at_ns))
        return 0;
    while (at && attribution->part[at].bin < bin) {
        before = at;
        at = attribution->part[at].next;
    }
    if (at && attribution->part[at].bin == bin) {
        syn_sum_add(&attribution->part[at].ns, ns);
        return 0;
    }
    const uint32_t added = part_new(replay);
    if (!added)
        return SYN_ENOMEM;
    attribution->part[added] = (struct syn_unattributed_part){ns, bin, at};
    *(before ? &attribution->part[before].next : &waiting->elsewhere) = added;
    return 0;
}

int syn_attribution_waited(struct syn_replay *replay, uint32_t node, int64_t from_ns, int64_t to_ns)
{
    const struct syn_time_bins *bins = &replay->sums->bins;
    int status = 0;
    while (from_ns < to_ns && status == SYN_OK) {
        const uint32_t bin = syn_time_bin_of(bins, from_ns);
        const int64_t end_ns = syn_least(syn_time_bin_end(bins, bin), to_ns);
        status = add_part(replay, &replay->attribution.node[node], bin, end_ns - from_ns);
        from_ns = end_ns;
    }
    return status;
}

/* ---- attributing ---- */

/* The division of a node's waiting by weights. Each share is divided among the time bins of the
 * waiting, in proportion to what is left in each bin. Both add up exactly. */
struct division {
    struct syn_replay *replay;
    const struct syn_unattributed *waiting;
    struct syn_sharing sharing;
    int64_t left_ns, left_home_ns; /* waiting not yet divided; part of it in the node's own bin */
    int64_t messages_ns, messages_attributed_ns; /* time in messages: of this share; of this and the
                                                    previous shares */
    int64_t share_ns;                            /* the present share */
    int64_t before_ns; /* waiting left in the bins that this share has gone through */
};

/* Returns how much of the present share belongs to the next bin, and subtracts it from *left_ns,
 * the waiting left in that bin. Called once for each bin, in order. */
static int64_t take_of(struct division *division, int64_t *left_ns)
{
    const unsigned __int128 all = (unsigned __int128)division->left_ns;
    const int64_t before =
        syn_portion(division->share_ns, (unsigned __int128)division->before_ns, all);
    division->before_ns += *left_ns;
    const int64_t ns =
        syn_portion(division->share_ns, (unsigned __int128)division->before_ns, all) - before;
    *left_ns -= ns;
    return ns;
}

/* Takes the present share from the bins of the waiting. If its cause is known, the whole share was
 * charged in the node's own bin; then the parts in other bins are noted as overlap. */
static int take_share(struct division *division, bool is_charged)
{
    struct syn_cause_sums *sums = division->replay->sums;
    const struct syn_unattributed *waiting = division->waiting;
    struct syn_unattributed_part *part = division->replay->attribution.part;
    int status = 0;
    (void)take_of(division, &division->left_home_ns);
    for (uint32_t at = waiting->elsewhere; at && status == SYN_OK; at = part[at].next) {
        const int64_t ns = take_of(division, &part[at].ns);
        if (is_charged)
            status = syn_bin_overlap_caused(sums, waiting->location,
                                            syn_time_bin_of(&sums->bins, waiting->at_ns),
                                            part[at].bin, ns);
    }
    return status;
}

/* Returns the mean number of times that a node's waiting was passed on, rounded to the nearest. */
static int64_t hops_of(const struct syn_unattributed *waiting)
{
    return waiting->waiting_ns > 0
               ? (waiting->hops_ns + waiting->waiting_ns / 2) / waiting->waiting_ns
               : 0;
}

static int attribute_to_cause(struct division *division, const struct syn_weight *weight,
                              int64_t bound_ns)
{
    struct syn_cause_sums *sums = division->replay->sums;
    const struct syn_unattributed *waiting = division->waiting;
    const struct syn_cause_charge charge = {division->share_ns, bound_ns, (int64_t)weight->weight,
                                            waiting->at_ns, (int64_t)weight->off_cpu};
    int status = syn_cause_cell_charge(sums, waiting->location, weight->key, &charge);
    if (status == SYN_OK && waiting->messages_ns > 0)
        status = syn_cause_cell_reach(
            sums, waiting->location, weight->key,
            &(const struct syn_cause_way){division->share_ns, division->messages_ns,
                                          hops_of(waiting), waiting->hops_most});
    return status == SYN_OK ? take_share(division, true) : status;
}

/* Passes the present share on to an earlier instance: the late rank was late because it waited
 * there. Returns 0 or SYN_ENOMEM. */
static int pass_on(struct division *division, uint32_t node)
{
    struct syn_replay *replay = division->replay;
    const struct syn_unattributed *waiting = division->waiting;
    struct syn_unattributed *to = &replay->attribution.node[node];
    const uint32_t home = syn_time_bin_of(&replay->sums->bins, waiting->at_ns);
    int status = add_part(replay, to, home, take_of(division, &division->left_home_ns));
    syn_sum_add(&to->messages_ns, division->messages_ns);
    syn_sum_add(&to->hops_ns, hops_of(waiting) * division->share_ns + division->share_ns);
    to->hops_most = syn_largest(waiting->hops_most + 1, to->hops_most);
    for (uint32_t at = waiting->elsewhere; at && status == SYN_OK;
         at = replay->attribution.part[at].next) {
        const uint32_t bin = replay->attribution.part[at].bin;
        status = add_part(replay, to, bin, take_of(division, &replay->attribution.part[at].ns));
    }
    return status;
}

static int attribute_share(struct division *division, const struct syn_weight *weight)
{
    struct syn_unattributed *node = division->replay->attribution.node;
    int64_t bound_ns;
    int status = 0;
    syn_pages_touch(&division->replay->pages, sizeof *weight + sizeof *node);
    syn_share(&division->sharing, weight->weight, &division->share_ns, &bound_ns);
    division->before_ns = 0;
    if (division->waiting->messages_ns > 0) {
        const int64_t attributed = syn_portion(division->waiting->messages_ns,
                                               division->sharing.part, division->sharing.all);
        division->messages_ns = attributed - division->messages_attributed_ns;
        division->messages_attributed_ns = attributed;
    }
    if (weight->node != SYN_NO_NODE) {
        syn_sum_add(&node[weight->node].waiting_ns, division->share_ns);
        syn_sum_add(&node[weight->node].bound_ns, bound_ns);
    }
    if (division->share_ns <= 0)
        return 0;
    if (weight->node != SYN_NO_NODE) {
        status = pass_on(division, weight->node);
    } else if (syn_key_category(weight->key) == SYN_CATEGORY_WAITING) {
        syn_sum_add(&division->replay->sums->unknown_ns[SYN_UNKNOWN_PASSED], division->share_ns);
        status = take_share(division, false);
    } else {
        status = attribute_to_cause(division, weight, bound_ns);
    }
    division->left_ns -= division->share_ns;
    return status;
}

static int attribute(struct syn_replay *replay, struct syn_unattributed waiting)
{
    struct syn_attribution *attribution = &replay->attribution;
    struct division division = {
        .replay = replay,
        .waiting = &waiting,
        .sharing = {.waiting_ns = waiting.waiting_ns, .bound_ns = waiting.bound_ns},
        .left_ns = waiting.waiting_ns,
        .left_home_ns = waiting.waiting_ns};
    int status = 0;
    for (uint32_t at = waiting.elsewhere; at; at = attribution->part[at].next)
        division.left_home_ns -= attribution->part[at].ns;
    if (division.left_home_ns < 0) { /* in a damaged trace a sum may be limited to the largest
                                        number; its parts do not add up then, and are dropped */
        parts_free(attribution, &waiting);
        waiting.elsewhere = 0;
        division.left_home_ns = waiting.waiting_ns;
    }
    for (uint32_t i = 0; i < waiting.count; i++) {
        division.sharing.all += attribution->weight[waiting.first + i].weight;
        syn_pages_touch(&replay->pages, sizeof *attribution->weight);
    }
    if (division.sharing.all == 0)
        syn_sum_add(&replay->sums->unknown_ns[SYN_UNKNOWN_PASSED], waiting.waiting_ns);
    for (uint32_t i = 0; i < waiting.count && division.sharing.all > 0 && status == SYN_OK; i++)
        status = attribute_share(&division, &attribution->weight[waiting.first + i]);
    parts_free(attribution, &waiting);
    return status;
}

/* Returns the bytes of a node with its weights. */
static size_t bytes_of(const struct syn_unattributed *waiting)
{
    return sizeof *waiting + waiting->count * sizeof(struct syn_weight);
}

int syn_attribute_all(struct syn_replay *replay)
{
    struct syn_attribution *attribution = &replay->attribution;
    int status = 0;
    while (attribution->node_count > 0 && status == SYN_OK) {
        const struct syn_unattributed node = attribution->node[--attribution->node_count];
        if (node.waiting_ns > 0)
            status = attribute(replay, node);
        syn_pages_touch(&replay->pages, bytes_of(&node));
    }
    attribution->weight_count = 0;
    return status;
}

/* ---- attributing unreferenced nodes ---- */

/* A function for the nodes to which an interval or a nonblocking operation refers. `number` has an
 * element for each node. */
typedef void on_node(uint32_t *number, uint32_t *node);

#define AT_ONCE ((size_t)1 << 12) /* intervals for each syn_pages_touch */

static void each_reference(struct syn_replay *replay, uint32_t *number, on_node *visit)
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_history *history = &replay->history[i];
        struct syn_history_interval *first = history->interval + history->interval_first;
        for (size_t s = 0; s < history->interval_count; s++) {
            if (first[s].node != SYN_NO_NODE)
                visit(number, &first[s].node);
            if (s % AT_ONCE == 0)
                syn_pages_touch(&replay->pages, AT_ONCE * sizeof *first);
        }
    }
    for (struct syn_nonblocking *nonblocking = NULL;
         (nonblocking = syn_nonblocking_next(replay, nonblocking));)
        if (nonblocking->node != SYN_NO_NODE)
            visit(number, &nonblocking->node);
}

static void mark(uint32_t *number, uint32_t *node)
{
    number[*node] = 0;
}

static void renumber(uint32_t *number, uint32_t *node)
{
    *node = number[*node];
}

/* Moves the nodes that are kept, and their weights, to the front, and sets their new numbers. */
static void compact(struct syn_replay *replay, uint32_t *number)
{
    struct syn_attribution *attribution = &replay->attribution;
    size_t kept = 0, weight_count = 0;
    for (size_t n = 0; n < attribution->node_count; n++) {
        struct syn_unattributed node = attribution->node[n];
        if (number[n] == SYN_NO_NODE)
            continue;
        number[n] = (uint32_t)kept;
        for (uint32_t i = 0; i < node.count; i++) {
            struct syn_weight weight = attribution->weight[node.first + i];
            if (weight.node != SYN_NO_NODE)
                renumber(number, &weight.node);
            attribution->weight[weight_count + i] = weight;
        }
        node.first = weight_count;
        weight_count += node.count;
        attribution->node[kept++] = node;
        syn_pages_touch(&replay->pages, 2 * bytes_of(&node));
    }
    attribution->node_count = kept;
    attribution->weight_count = weight_count;
}

int syn_attribute_unreferenced(struct syn_replay *replay)
{
    struct syn_attribution *attribution = &replay->attribution;
    uint32_t *number = NULL; /* new number of each node; SYN_NO_NODE: its waiting is attributed */
    size_t capacity = 0;
    int status = syn_spilled_grow(&replay->pages, &number, &capacity, attribution->node_count + 1,
                                  sizeof *number);
    if (status != SYN_OK)
        return status;
    for (size_t n = 0; n < attribution->node_count; n++) {
        number[n] = SYN_NO_NODE;
        syn_pages_touch(&replay->pages, sizeof *number);
    }
    each_reference(replay, number, mark);
    for (size_t n = attribution->node_count;
         n-- > 0;) { /* marks the nodes to which marked nodes refer */
        const struct syn_unattributed *node = &attribution->node[n];
        for (uint32_t i = 0; number[n] != SYN_NO_NODE && i < node->count; i++)
            if (attribution->weight[node->first + i].node != SYN_NO_NODE)
                mark(number, &attribution->weight[node->first + i].node);
        syn_pages_touch(&replay->pages, bytes_of(node));
    }
    for (size_t n = attribution->node_count; n-- > 0 && status == SYN_OK;) {
        const struct syn_unattributed node = attribution->node[n];
        if (number[n] == SYN_NO_NODE && node.waiting_ns > 0)
            status = attribute(replay, node);
        syn_pages_touch(&replay->pages, bytes_of(&node));
    }
    compact(replay, number);
    each_reference(replay, number, renumber);
    syn_spilled_free(&replay->pages, number, capacity * sizeof *number);
    return status;
}
