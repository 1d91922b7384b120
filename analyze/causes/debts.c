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

/* A debt that is shared out, by weights; and each share among the blocks that were waited in, by
 * what is left of each: so nothing is lost of a share, nor in a block. */
struct payment {
    struct syn_replay *replay;
    const struct syn_debt *debt;
    struct syn_sharing sharing;
    int64_t left_ns, left_home_ns; /* of the debt; in the block of its time */
    int64_t share_ns;              /* of the weight in hand, */
    int64_t before_ns;             /*   of what is left before the block in hand */
};

/* What of the share in hand falls to a block, of which so much is left. */
static int64_t take_of(struct payment *payment, int64_t *left_ns)
{
    const unsigned __int128 all = (unsigned __int128)payment->left_ns;
    const int64_t before =
        syn_portion(payment->share_ns, (unsigned __int128)payment->before_ns, all);
    payment->before_ns += *left_ns;
    const int64_t ns =
        syn_portion(payment->share_ns, (unsigned __int128)payment->before_ns, all) - before;
    *left_ns -= ns;
    return ns;
}

/* Its parts in other blocks; what is left is in that of its time. */
static int64_t waited_at_home(const struct syn_debts *debts, const struct syn_debt *debt)
{
    int64_t ns = debt->debt_ns;
    for (uint32_t at = debt->elsewhere; at; at = debts->part[at].next)
        ns -= debts->part[at].ns;
    return ns;
}

/* What of the share in hand was not waited in the block that it is charged in. */
static int pay_elsewhere(struct payment *payment)
{
    struct syn_cause_sums *sums = &payment->replay->sums;
    const struct syn_debt *debt = payment->debt;
    struct syn_debt_part *part = payment->replay->debts.part;
    int status = 0;
    (void)take_of(payment, &payment->left_home_ns);
    for (uint32_t at = debt->elsewhere; at && status == SYN_OK; at = part[at].next)
        status = syn_cause_shift_caused(sums, debt->location,
                                        syn_cause_block_of(&sums->blocks, debt->at_ns),
                                        part[at].block, take_of(payment, &part[at].ns));
    return status;
}

/* What has no cause has no rank that it could be told of. */
static void leave_unknown(struct payment *payment)
{
    struct syn_debt_part *part = payment->replay->debts.part;
    (void)take_of(payment, &payment->left_home_ns);
    for (uint32_t at = payment->debt->elsewhere; at; at = part[at].next)
        (void)take_of(payment, &part[at].ns);
}

static int pay_cause(struct payment *payment, const struct syn_weight *weight, int64_t bound_ns)
{
    struct syn_cause_sums *sums = &payment->replay->sums;
    const struct syn_debt *debt = payment->debt;
    const struct syn_cause_charge charge = {payment->share_ns, bound_ns, (int64_t)weight->weight,
                                            debt->at_ns, (int64_t)weight->off_cpu};
    int status = syn_cause_cell_charge(sums, debt->location, weight->key, &charge);
    return status == SYN_OK ? pay_elsewhere(payment) : status;
}

/* To the instance in which the one that was waited for waited itself. */
static int pass_on(struct payment *payment, uint32_t node)
{
    struct syn_replay *replay = payment->replay;
    const struct syn_debt *debt = payment->debt;
    struct syn_debt *to = &replay->debts.node[node];
    const uint32_t home = syn_cause_block_of(&replay->sums.blocks, debt->at_ns);
    int status = add_part(replay, to, home, take_of(payment, &payment->left_home_ns));
    for (uint32_t at = debt->elsewhere; at && status == SYN_OK; at = replay->debts.part[at].next) {
        const uint32_t block = replay->debts.part[at].block;
        status = add_part(replay, to, block, take_of(payment, &replay->debts.part[at].ns));
    }
    return status;
}

static int pay_share(struct payment *payment, const struct syn_weight *weight)
{
    struct syn_debt *node = payment->replay->debts.node;
    int64_t bound_ns;
    int status = 0;
    syn_share(&payment->sharing, weight->weight, &payment->share_ns, &bound_ns);
    payment->before_ns = 0;
    if (weight->node != SYN_NO_NODE) {
        syn_sum_add(&node[weight->node].debt_ns, payment->share_ns);
        syn_sum_add(&node[weight->node].bound_ns, bound_ns);
    }
    if (payment->share_ns <= 0)
        return 0;
    if (weight->node != SYN_NO_NODE) {
        status = pass_on(payment, weight->node);
    } else if (weight->key % SYN_PART_COUNT == SYN_PART_WAITING) {
        syn_sum_add(&payment->replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], payment->share_ns);
        leave_unknown(payment);
    } else {
        status = pay_cause(payment, weight, bound_ns);
    }
    payment->left_ns -= payment->share_ns;
    return status;
}

/* Sums that were too large (a damaged trace) have no parts that could be divided. */
static struct payment payment_of(struct syn_replay *replay, struct syn_debt *debt)
{
    struct payment payment = {.replay = replay,
                              .debt = debt,
                              .sharing = {.debt_ns = debt->debt_ns, .bound_ns = debt->bound_ns},
                              .left_ns = debt->debt_ns,
                              .left_home_ns = waited_at_home(&replay->debts, debt)};
    if (payment.left_home_ns < 0) {
        parts_free(&replay->debts, debt);
        debt->elsewhere = 0;
        payment.left_home_ns = debt->debt_ns;
    }
    return payment;
}

static int pay(struct syn_replay *replay, struct syn_debt debt)
{
    struct payment payment = payment_of(replay, &debt);
    int status = 0;
    for (uint32_t i = 0; i < debt.count; i++)
        payment.sharing.all += replay->debts.weight[debt.first + i].weight;
    if (payment.sharing.all == 0)
        syn_sum_add(&replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], debt.debt_ns);
    for (uint32_t i = 0; i < debt.count && payment.sharing.all > 0 && status == SYN_OK; i++)
        status = pay_share(&payment, &replay->debts.weight[debt.first + i]);
    parts_free(&replay->debts, &debt);
    return status;
}

int syn_debts_pay_all(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    int status = 0;
    while (debts->node_count > 0 && status == SYN_OK) {
        const struct syn_debt node = debts->node[--debts->node_count];
        if (node.debt_ns > 0)
            status = pay(replay, node);
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
            status = pay(replay, debts->node[n]);
    close_ranks(debts, number);
    renumber(replay, number);
    free(number);
    return status;
}
