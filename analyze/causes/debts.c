/* analyze/causes/debts.c - waiting that is owed.
 *
 * An instance whose waiting somebody's lateness may be owed to is a node: what it owes (its own
 * waiting, and what later instances pass on to it), and by which weights its own causes share it.
 * Nodes refer to older ones only, so that paying the youngest first pays each once, and every
 * nanosecond ends at a cause. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "sync/base/status.h"
#include "sync/base/vector.h"

uint32_t syn_debts_node(struct syn_debts *debts, uint32_t location, int64_t at_ns)
{
    if (debts->node_count == debts->node_capacity) {
        size_t capacity = debts->node_capacity ? 2 * debts->node_capacity : 64;
        struct syn_debt *node = realloc(debts->node, capacity * sizeof *node);
        if (!node || capacity >= SYN_NO_NODE) {
            debts->node = node ? node : debts->node;
            return SYN_NO_NODE;
        }
        debts->node = node;
        debts->node_capacity = capacity;
    }
    debts->node[debts->node_count] =
        (struct syn_debt){.first = debts->weight_count, .location = location, .at_ns = at_ns};
    return (uint32_t)debts->node_count++;
}

int syn_debts_weight(struct syn_debts *debts, uint32_t node, const struct syn_weight *weight)
{
    if (SYN_ROOM(debts->weight, debts->weight_capacity, debts->weight_count) != SYN_OK)
        return SYN_ENOMEM;
    debts->weight[debts->weight_count++] = *weight;
    debts->node[node].count++;
    return 0;
}

/* ---- paying ---- */

static int pay_cause(struct syn_replay *replay, const struct syn_debt *node,
                     const struct syn_weight *weight, int64_t share_ns, int64_t bound_ns)
{
    const struct syn_cause_charge charge = {share_ns, bound_ns, (int64_t)weight->weight,
                                            node->at_ns, (int64_t)weight->off_cpu};
    if (weight->key % SYN_PART_COUNT == SYN_PART_WAITING) {
        syn_sum_add(&replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], share_ns);
        return 0;
    }
    return syn_cause_cell_charge(&replay->sums, node->location, weight->key, &charge);
}

static int pay(struct syn_replay *replay, const struct syn_debt *node)
{
    const struct syn_weight *weight = replay->debts.weight + node->first;
    struct syn_sharing sharing = {.debt_ns = node->debt_ns, .bound_ns = node->bound_ns};
    int status = 0;
    for (uint32_t i = 0; i < node->count; i++)
        sharing.all += weight[i].weight;
    if (sharing.all == 0)
        syn_sum_add(&replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], node->debt_ns);
    for (uint32_t i = 0; i < node->count && sharing.all > 0 && status == SYN_OK; i++) {
        int64_t share_ns, bound_ns;
        syn_share(&sharing, weight[i].weight, &share_ns, &bound_ns);
        if (weight[i].node == SYN_NO_NODE) {
            status = pay_cause(replay, node, &weight[i], share_ns, bound_ns);
        } else {
            syn_sum_add(&replay->debts.node[weight[i].node].debt_ns, share_ns);
            syn_sum_add(&replay->debts.node[weight[i].node].bound_ns, bound_ns);
        }
    }
    return status;
}

int syn_debts_pay_all(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    int status = 0;
    while (debts->node_count > 0 && status == SYN_OK) {
        const struct syn_debt node = debts->node[--debts->node_count];
        if (node.debt_ns > 0)
            status = pay(replay, &node);
    }
    debts->weight_count = 0;
    return status;
}

/* ---- paying some ---- */

static void mark_journals(const struct syn_replay *replay, uint32_t *number)
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_track *track = &replay->track[i];
        for (size_t s = 0; s < track->journal_count; s++) {
            const uint32_t node = track->stretch[track->journal_first + s].node;
            if (node != SYN_NO_NODE)
                number[node] = 0;
        }
    }
    for (const struct syn_open *open = NULL; (open = syn_opens_next(replay, open));)
        if (open->node != SYN_NO_NODE)
            number[open->node] = 0;
}

static void mark_passed(const struct syn_debts *debts, uint32_t *number)
{
    for (size_t n = debts->node_count; n-- > 0;)
        for (uint32_t i = 0; number[n] != SYN_NO_NODE && i < debts->node[n].count; i++) {
            const uint32_t node = debts->weight[debts->node[n].first + i].node;
            if (node != SYN_NO_NODE)
                number[node] = 0;
        }
}

/* Live nodes close ranks; weights too. */
static void close_ranks(struct syn_debts *debts, uint32_t *number)
{
    size_t kept = 0, weight_count = 0;
    for (size_t n = 0; n < debts->node_count; n++) {
        struct syn_debt node = debts->node[n];
        if (number[n] == SYN_NO_NODE)
            continue;
        number[n] = (uint32_t)kept;
        for (uint32_t i = 0; i < node.count; i++) {
            struct syn_weight weight = debts->weight[node.first + i];
            if (weight.node != SYN_NO_NODE)
                weight.node = number[weight.node];
            debts->weight[weight_count + i] = weight;
        }
        node.first = weight_count;
        weight_count += node.count;
        debts->node[kept++] = node;
    }
    debts->node_count = kept;
    debts->weight_count = weight_count;
}

static void renumber(const struct syn_replay *replay, const uint32_t *number)
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++) {
        const struct syn_track *track = &replay->track[i];
        for (size_t s = 0; s < track->journal_count; s++) {
            struct syn_stretch *stretch = &track->stretch[track->journal_first + s];
            if (stretch->node != SYN_NO_NODE)
                stretch->node = number[stretch->node];
        }
    }
    for (struct syn_open *open = NULL; (open = syn_opens_next(replay, open));)
        if (open->node != SYN_NO_NODE)
            open->node = number[open->node];
}

int syn_debts_pay_dead(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    uint32_t *number = malloc((debts->node_count + 1) * sizeof *number);
    int status = number ? 0 : SYN_ENOMEM;
    if (!number)
        return status;
    memset(number, 0xFF, debts->node_count * sizeof *number);
    mark_journals(replay, number);
    mark_passed(debts, number);
    for (size_t n = debts->node_count; n-- > 0 && status == SYN_OK;)
        if (number[n] == SYN_NO_NODE && debts->node[n].debt_ns > 0)
            status = pay(replay, &debts->node[n]);
    close_ranks(debts, number);
    renumber(replay, number);
    free(number);
    return status;
}
