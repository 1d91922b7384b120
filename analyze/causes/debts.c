/* analyze/causes/debts.c - waiting that is owed.
 *
 * An instance whose waiting somebody's lateness may be owed to is a node: what it owes (its own
 * waiting, and what later instances pass on to it), and by which weights its own causes share it.
 * Nodes refer to older ones only, so that paying the youngest first pays each once, and every
 * nanosecond ends at a cause. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay_parts.h"
#include "analyze/causes/shifts.h"
#include "sync/base/integers.h"
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

/* ---- when it was waited ---- */

/* Number 0 is none. 0: no memory. */
static uint32_t part_new(struct syn_debts *debts)
{
    const uint32_t unused = debts->unused_part;
    if (unused) {
        debts->unused_part = debts->part[unused].next;
        return unused;
    }
    if (debts->part_count == 0)
        debts->part_count = 1;
    if (SYN_ROOM(debts->part, debts->part_capacity, debts->part_count) != SYN_OK ||
        debts->part_count >= UINT32_MAX)
        return 0;
    return (uint32_t)debts->part_count++;
}

static void parts_free(struct syn_debts *debts, const struct syn_debt *node)
{
    for (uint32_t at = node->elsewhere, next; at; at = next) {
        next = debts->part[at].next;
        debts->part[at].next = debts->unused_part;
        debts->unused_part = at;
    }
}

/* So much of a debt was waited in a block. */
static int add_part(struct syn_replay *replay, struct syn_debt *debt, uint32_t block, int64_t ns)
{
    struct syn_debts *debts = &replay->debts;
    uint32_t at = debt->elsewhere;
    if (ns <= 0 || block == syn_cause_block_of(&replay->sums.blocks, debt->at_ns))
        return 0;
    while (at && debts->part[at].block != block)
        at = debts->part[at].next;
    if (at) {
        syn_sum_add(&debts->part[at].ns, ns);
        return 0;
    }
    at = part_new(debts);
    if (!at)
        return SYN_ENOMEM;
    debts->part[at] = (struct syn_debt_part){ns, block, debt->elsewhere};
    debt->elsewhere = at;
    return 0;
}

int syn_debts_waited(struct syn_replay *replay, uint32_t node, int64_t from_ns, int64_t to_ns)
{
    const struct syn_cause_blocks *blocks = &replay->sums.blocks;
    int status = 0;
    while (from_ns < to_ns && status == SYN_OK) {
        const uint32_t block = syn_cause_block_of(blocks, from_ns);
        const int64_t end_ns = syn_least(syn_cause_block_end(blocks, block), to_ns);
        status = add_part(replay, &replay->debts.node[node], block, end_ns - from_ns);
        from_ns = end_ns;
    }
    return status;
}

/* ---- paying ---- */

/* A debt that is shared out. What was waited in each block is shared by itself, so that nothing is
 * lost in any of them. */
struct payment {
    struct syn_replay *replay;
    const struct syn_debt *debt;
    struct syn_sharing sharing; /* of what was waited in the block of the debt's time */
    unsigned __int128 before;   /* the weights before the one in hand */
};

static int64_t share_of_part(const struct payment *payment, uint32_t part)
{
    const int64_t ns = payment->replay->debts.part[part].ns;
    const struct syn_sharing *sharing = &payment->sharing;
    return syn_portion(ns, sharing->part, sharing->all) -
           syn_portion(ns, payment->before, sharing->all);
}

/* What is left for the block of its time. */
static int64_t waited_at_home(const struct syn_debts *debts, const struct syn_debt *debt)
{
    int64_t ns = debt->debt_ns;
    for (uint32_t at = debt->elsewhere; at; at = debts->part[at].next)
        ns -= debts->part[at].ns;
    return syn_largest(ns, 0); /* sums that were too large: a damaged trace */
}

/* The share of the weight in hand that was waited elsewhere. */
static int64_t shares_elsewhere(const struct payment *payment)
{
    int64_t ns = 0;
    for (uint32_t at = payment->debt->elsewhere; at; at = payment->replay->debts.part[at].next)
        syn_sum_add(&ns, share_of_part(payment, at));
    return ns;
}

static int pay_cause(const struct payment *payment, const struct syn_weight *weight,
                     int64_t share_ns, int64_t bound_ns)
{
    struct syn_cause_sums *sums = &payment->replay->sums;
    const struct syn_debt *debt = payment->debt;
    const struct syn_cause_charge charge = {share_ns, bound_ns, (int64_t)weight->weight,
                                            debt->at_ns, (int64_t)weight->off_cpu};
    if (weight->key % SYN_PART_COUNT == SYN_PART_WAITING) {
        syn_sum_add(&sums->unknown_ns[SYN_UNKNOWN_PASSED], share_ns);
        return 0;
    }
    int status = syn_cause_cell_charge(sums, debt->location, weight->key, &charge);
    for (uint32_t at = debt->elsewhere; at && status == SYN_OK;
         at = payment->replay->debts.part[at].next)
        status = syn_cause_shift_caused(
            sums, debt->location, syn_cause_block_of(&sums->blocks, debt->at_ns),
            payment->replay->debts.part[at].block, share_of_part(payment, at));
    return status;
}

/* To the instance in which the one that was waited for waited itself. */
static int pass_on(const struct payment *payment, uint32_t node, int64_t home_ns)
{
    struct syn_replay *replay = payment->replay;
    struct syn_debt *to = &replay->debts.node[node];
    int status = add_part(replay, to,
                          syn_cause_block_of(&replay->sums.blocks, payment->debt->at_ns), home_ns);
    for (uint32_t at = payment->debt->elsewhere; at && status == SYN_OK;
         at = replay->debts.part[at].next)
        status = add_part(replay, to, replay->debts.part[at].block, share_of_part(payment, at));
    return status;
}

static int pay_share(struct payment *payment, const struct syn_weight *weight)
{
    struct syn_replay *replay = payment->replay;
    int64_t home_ns, bound_ns;
    payment->before = payment->sharing.part;
    syn_share(&payment->sharing, weight->weight, &home_ns, &bound_ns);
    int64_t share_ns = home_ns;
    syn_sum_add(&share_ns, shares_elsewhere(payment));
    if (weight->node == SYN_NO_NODE)
        return pay_cause(payment, weight, share_ns, bound_ns);
    syn_sum_add(&replay->debts.node[weight->node].debt_ns, share_ns);
    syn_sum_add(&replay->debts.node[weight->node].bound_ns, bound_ns);
    return pass_on(payment, weight->node, home_ns);
}

static int pay(struct syn_replay *replay, const struct syn_debt *node)
{
    const size_t first = node->first;
    struct payment payment = {
        replay,
        node,
        {.debt_ns = waited_at_home(&replay->debts, node), .bound_ns = node->bound_ns},
        0};
    int status = 0;
    for (uint32_t i = 0; i < node->count; i++)
        payment.sharing.all += replay->debts.weight[first + i].weight;
    if (payment.sharing.all == 0)
        syn_sum_add(&replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], node->debt_ns);
    for (uint32_t i = 0; i < node->count && payment.sharing.all > 0 && status == SYN_OK; i++)
        status = pay_share(&payment, &replay->debts.weight[first + i]);
    parts_free(&replay->debts, node);
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
