/* analyze/causes/replay/debts.c - waiting that is owed.
 *
 * An instance whose waiting somebody's lateness may be owed to is a node: what it owes (its own
 * waiting, and what later instances pass on to it), and by which weights its own causes share it.
 * Nodes refer to older ones only, so that paying the youngest first pays each once, and every
 * nanosecond ends at a cause. */
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/replay/replay_parts.h"
#include "analyze/causes/sums/shifts.h"
#include "sync/base/integers.h"
#include "sync/base/status.h"

void syn_debts_free(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    syn_paged_free(&replay->pages, debts->node, debts->node_capacity * sizeof *debts->node);
    syn_paged_free(&replay->pages, debts->weight, debts->weight_capacity * sizeof *debts->weight);
    syn_paged_free(&replay->pages, debts->part, debts->part_capacity * sizeof *debts->part);
}

uint32_t syn_debts_node(struct syn_replay *replay, uint32_t location, int64_t at_ns)
{
    struct syn_debts *debts = &replay->debts;
    if (SYN_PAGED_ROOM(&replay->pages, debts->node, debts->node_capacity, debts->node_count) !=
            SYN_OK ||
        debts->node_count >= SYN_NO_NODE)
        return SYN_NO_NODE;
    debts->node[debts->node_count] =
        (struct syn_debt){.first = debts->weight_count, .location = location, .at_ns = at_ns};
    return (uint32_t)debts->node_count++;
}

/* ---- when it was waited ---- */

/* Number 0 is none. 0: no memory. */
static uint32_t part_new(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    const uint32_t unused = debts->unused_part;
    if (unused) {
        debts->unused_part = debts->part[unused].next;
        return unused;
    }
    if (debts->part_count == 0)
        debts->part_count = 1;
    if (SYN_PAGED_ROOM(&replay->pages, debts->part, debts->part_capacity, debts->part_count) !=
            SYN_OK ||
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

/* So much of a debt was waited in a block. Parts are in the order of their blocks: how a share is
 * divided among them must not depend on who passed what on first. */
static int add_part(struct syn_replay *replay, struct syn_debt *debt, uint32_t block, int64_t ns)
{
    struct syn_debts *debts = &replay->debts;
    uint32_t at = debt->elsewhere, before = 0;
    if (ns <= 0 || block == syn_cause_block_of(&replay->sums.blocks, debt->at_ns))
        return 0;
    while (at && debts->part[at].block < block) {
        before = at;
        at = debts->part[at].next;
    }
    if (at && debts->part[at].block == block) {
        syn_sum_add(&debts->part[at].ns, ns);
        return 0;
    }
    const uint32_t added = part_new(replay);
    if (!added)
        return SYN_ENOMEM;
    debts->part[added] = (struct syn_debt_part){ns, block, at};
    *(before ? &debts->part[before].next : &debt->elsewhere) = added;
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
    int64_t left_ns, left_home_ns;         /* of the debt; in the block of its time */
    int64_t messages_ns, messages_paid_ns; /* of the share in hand, and before */
    int64_t share_ns;                      /* of the weight in hand, */
    int64_t before_ns;                     /*   of what is left before the block in hand */
};

/* Takes the part of the share in hand that falls to a block, of which left_ns are left. */
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

/* Pays the part of the share in hand that was not waited in the block that it is charged in. */
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

/* Leaves the rest unknown: without a cause there is no rank to charge. */
static void leave_unknown(struct payment *payment)
{
    struct syn_debt_part *part = payment->replay->debts.part;
    (void)take_of(payment, &payment->left_home_ns);
    for (uint32_t at = payment->debt->elsewhere; at; at = part[at].next)
        (void)take_of(payment, &part[at].ns);
}

/* Mean number of times that a debt was passed on, to the nearest. */
static int64_t hops_of(const struct syn_debt *debt)
{
    return debt->debt_ns > 0 ? (debt->hops_ns + debt->debt_ns / 2) / debt->debt_ns : 0;
}

static int pay_cause(struct payment *payment, const struct syn_weight *weight, int64_t bound_ns)
{
    struct syn_cause_sums *sums = &payment->replay->sums;
    const struct syn_debt *debt = payment->debt;
    const struct syn_cause_charge charge = {payment->share_ns, bound_ns, (int64_t)weight->weight,
                                            debt->at_ns, (int64_t)weight->off_cpu};
    int status = syn_cause_cell_charge(sums, debt->location, weight->key, &charge);
    if (status == SYN_OK && debt->messages_ns > 0)
        status = syn_cause_cell_reach(
            sums, debt->location, weight->key,
            &(const struct syn_cause_way){payment->share_ns, payment->messages_ns, hops_of(debt),
                                          debt->hops_most});
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
    syn_sum_add(&to->messages_ns, payment->messages_ns);
    syn_sum_add(&to->hops_ns, hops_of(debt) * payment->share_ns + payment->share_ns);
    to->hops_most = syn_largest(debt->hops_most + 1, to->hops_most);
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
    syn_pages_touch(&payment->replay->pages, sizeof *weight + sizeof *node);
    syn_share(&payment->sharing, weight->weight, &payment->share_ns, &bound_ns);
    payment->before_ns = 0;
    if (payment->debt->messages_ns > 0) {
        const int64_t paid =
            syn_portion(payment->debt->messages_ns, payment->sharing.part, payment->sharing.all);
        payment->messages_ns = paid - payment->messages_paid_ns;
        payment->messages_paid_ns = paid;
    }
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
    for (uint32_t i = 0; i < debt.count; i++) {
        payment.sharing.all += replay->debts.weight[debt.first + i].weight;
        syn_pages_touch(&replay->pages, sizeof *replay->debts.weight);
    }
    if (payment.sharing.all == 0)
        syn_sum_add(&replay->sums.unknown_ns[SYN_UNKNOWN_PASSED], debt.debt_ns);
    for (uint32_t i = 0; i < debt.count && payment.sharing.all > 0 && status == SYN_OK; i++)
        status = pay_share(&payment, &replay->debts.weight[debt.first + i]);
    parts_free(&replay->debts, &debt);
    return status;
}

/* Returns the size of a debt. */
static size_t bytes_of(const struct syn_debt *debt)
{
    return sizeof *debt + debt->count * sizeof(struct syn_weight);
}

int syn_debts_pay_all(struct syn_replay *replay)
{
    struct syn_debts *debts = &replay->debts;
    int status = 0;
    while (debts->node_count > 0 && status == SYN_OK) {
        const struct syn_debt node = debts->node[--debts->node_count];
        if (node.debt_ns > 0)
            status = pay(replay, node);
        syn_pages_touch(&replay->pages, bytes_of(&node));
    }
    debts->weight_count = 0;
    return status;
}

/* ---- paying some ---- */

/* The number that each debt will have; SYN_NO_NODE: it is paid. */
struct numbers {
    uint32_t *of; /* [count] */
    size_t capacity;
};

/* At the node that a stretch, or an operation on its way, refers to. */
typedef void on_node(const struct numbers *numbers, uint32_t *node);

#define AT_ONCE ((size_t)1 << 12) /* stretches */

static void each_of_journal(struct syn_replay *replay, const struct syn_track *track,
                            const struct numbers *numbers, on_node *visit)
{
    struct syn_stretch *first = track->stretch + track->journal_first;
    for (size_t s = 0; s < track->journal_count; s++) {
        if (first[s].node != SYN_NO_NODE)
            visit(numbers, &first[s].node);
        if (s % AT_ONCE == 0)
            syn_pages_touch(&replay->pages, AT_ONCE * sizeof *first);
    }
}

static void each_reference(struct syn_replay *replay, const struct numbers *numbers, on_node *visit)
{
    for (uint32_t i = 0; i < replay->plan->location_count; i++)
        each_of_journal(replay, &replay->track[i], numbers, visit);
    for (struct syn_open *open = NULL; (open = syn_opens_next(replay, open));)
        if (open->node != SYN_NO_NODE)
            visit(numbers, &open->node);
}

static void mark(const struct numbers *numbers, uint32_t *node)
{
    numbers->of[*node] = 0;
}

static void renumber(const struct numbers *numbers, uint32_t *node)
{
    *node = numbers->of[*node];
}

static void mark_passed(struct syn_replay *replay, const struct numbers *numbers)
{
    struct syn_debts *debts = &replay->debts;
    for (size_t n = debts->node_count; n-- > 0;) {
        if (numbers->of[n] == SYN_NO_NODE)
            continue;
        for (uint32_t i = 0; i < debts->node[n].count; i++) {
            uint32_t *node = &debts->weight[debts->node[n].first + i].node;
            if (*node != SYN_NO_NODE)
                mark(numbers, node);
        }
        syn_pages_touch(&replay->pages, bytes_of(&debts->node[n]));
    }
}

/* Live nodes close ranks; weights too. */
static void close_ranks(struct syn_replay *replay, const struct numbers *numbers)
{
    struct syn_debts *debts = &replay->debts;
    size_t kept = 0, weight_count = 0;
    for (size_t n = 0; n < debts->node_count; n++) {
        struct syn_debt node = debts->node[n];
        if (numbers->of[n] == SYN_NO_NODE)
            continue;
        numbers->of[n] = (uint32_t)kept;
        for (uint32_t i = 0; i < node.count; i++) {
            struct syn_weight weight = debts->weight[node.first + i];
            if (weight.node != SYN_NO_NODE)
                renumber(numbers, &weight.node);
            debts->weight[weight_count + i] = weight;
        }
        node.first = weight_count;
        weight_count += node.count;
        debts->node[kept++] = node;
        syn_pages_touch(&replay->pages, 2 * bytes_of(&node));
    }
    debts->node_count = kept;
    debts->weight_count = weight_count;
}

static int pay_unmarked(struct syn_replay *replay, const struct numbers *numbers)
{
    int status = 0;
    for (size_t n = replay->debts.node_count; n-- > 0 && status == SYN_OK;) {
        const struct syn_debt node = replay->debts.node[n];
        if (numbers->of[n] == SYN_NO_NODE && node.debt_ns > 0)
            status = pay(replay, node);
        syn_pages_touch(&replay->pages, bytes_of(&node));
    }
    return status;
}

int syn_debts_pay_dead(struct syn_replay *replay)
{
    struct numbers numbers = {0};
    int status = syn_paged_grow(&replay->pages, &numbers.of, &numbers.capacity,
                                replay->debts.node_count + 1, sizeof *numbers.of);
    if (status != SYN_OK)
        return status;
    for (size_t n = 0; n < replay->debts.node_count; n++) {
        numbers.of[n] = SYN_NO_NODE;
        syn_pages_touch(&replay->pages, sizeof *numbers.of);
    }
    each_reference(replay, &numbers, mark);
    mark_passed(replay, &numbers);
    status = pay_unmarked(replay, &numbers);
    close_ranks(replay, &numbers);
    each_reference(replay, &numbers, renumber);
    syn_paged_free(&replay->pages, numbers.of, numbers.capacity * sizeof *numbers.of);
    return status;
}
