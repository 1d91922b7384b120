/* Trees and collectives: every rank once, parents before or after their children, any size. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "sim_net.h"
#include "sync/methods/group.h"
#include "sync/ranks/collect.h"
#include "sync/ranks/tree.h"

#define SIZE_MAX_TESTED 70

/* How many steps after which a rank's learning comes, if every pair meets as soon as both are
 * ready: the length of the longest chain of steps. Checks that both sides of each pair agree. */
static int longest_chain(enum syn_tree_kind kind, int size)
{
    struct syn_tree trees[SIZE_MAX_TESTED];
    struct syn_tree_step steps[SIZE_MAX_TESTED];
    bool has_step[SIZE_MAX_TESTED];
    int times[SIZE_MAX_TESTED] = {0}, learned[SIZE_MAX_TESTED] = {0}, longest = 0;
    bool moved = true;

    for (int r = 0; r < size; r++) {
        trees[r] = syn_tree_start(kind, r, size);
        has_step[r] = syn_tree_next(&trees[r], &steps[r]);
    }
    while (moved) {
        moved = false;
        for (int r = 0; r < size; r++) {
            const int peer = has_step[r] ? steps[r].peer : -1;
            if (peer < 0 || !has_step[peer] || steps[peer].peer != r || !steps[r].serve)
                continue;
            cr_assert_not(steps[peer].serve);
            cr_assert_eq(steps[peer].round, steps[r].round);
            cr_assert_eq(syn_tree_parent(kind, peer, size), r);
            times[r] = times[peer] = 1 + (times[r] > times[peer] ? times[r] : times[peer]);
            learned[peer]++;
            has_step[r] = syn_tree_next(&trees[r], &steps[r]);
            has_step[peer] = syn_tree_next(&trees[peer], &steps[peer]);
            moved = true;
        }
    }
    for (int r = 0; r < size; r++) {
        cr_assert_not(has_step[r], "rank %d of %d waits for ever", r, size);
        cr_assert_eq(learned[r], r > 0, "rank %d of %d learned %d times", r, size, learned[r]);
        longest = times[r] > longest ? times[r] : longest;
    }
    return longest;
}

Test(tree, every_rank_learns_once_and_nobody_waits_for_ever)
{
    for (int size = 1; size <= SIZE_MAX_TESTED; size++)
        for (int kind = SYN_TREE_LINEAR; kind <= SYN_TREE_TOP_DOWN; kind++)
            cr_assert_eq(longest_chain((enum syn_tree_kind)kind, size),
                         syn_tree_round_count((enum syn_tree_kind)kind, size), "kind %d, %d ranks",
                         kind, size);
}

Test(tree, rounds_are_linear_or_logarithmic)
{
    cr_assert_eq(syn_tree_round_count(SYN_TREE_LINEAR, 64), 63);
    cr_assert_eq(syn_tree_round_count(SYN_TREE_TOP_DOWN, 64), 6);
    cr_assert_eq(syn_tree_round_count(SYN_TREE_BOTTOM_UP, 65), 7);
    cr_assert_eq(syn_tree_round_count(SYN_TREE_TOP_DOWN, 1), 0);
}

Test(tree, top_down_has_learned_before_it_serves)
{
    for (int size = 2; size <= SIZE_MAX_TESTED; size++)
        for (int rank = 1; rank < size; rank++) {
            struct syn_tree tree = syn_tree_start(SYN_TREE_TOP_DOWN, rank, size);
            struct syn_tree_step step;
            cr_assert(syn_tree_next(&tree, &step));
            cr_assert_not(step.serve);
        }
}

/* More than one level of the wide trees. */
#define COLLECTED_MAX (3 * SYN_COLLECT_RADIX + 1)

struct collected {
    int size;
    bool wrong;
};

static void collect_body(struct sim_net *net, int rank, void *argument)
{
    struct collected *collected = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    int all[COLLECTED_MAX], item = 100 + rank, word = rank == 0 ? 4711 : 0, least = 50 - rank;

    memset(all, 0, sizeof all);
    syn_collect_gather(&transport, &item, sizeof item, all);
    for (int r = 0; rank == 0 && r < collected->size; r++)
        collected->wrong |= all[r] != 100 + r;
    syn_collect_broadcast(&transport, &word, sizeof word);
    collected->wrong |= word != 4711;
    for (int r = 0; rank == 0 && r < collected->size; r++)
        all[r] = 7 * r;
    syn_collect_scatter(&transport, all, sizeof item, &item);
    collected->wrong |= item != 7 * rank;
    syn_collect_min(&transport, &least);
    collected->wrong |= least != 50 - (collected->size - 1);
}

static void check_collect(int size, bool rendezvous)
{
    struct collected collected = {size, false};
    struct sim_net *net =
        sim_net_new(&(struct sim_options){.ranks = size, .rendezvous = rendezvous});
    int64_t messages = 0;

    cr_assert(sim_net_run(net, collect_body, &collected), "%d ranks: deadlock", size);
    cr_assert_not(collected.wrong, "%d ranks", size);
    for (int rank = 0; rank < size; rank++)
        messages += sim_net_message_count(net, rank);
    cr_assert_eq(messages, 5 * (size - 1));
    sim_net_free(net);
}

Test(collect, reaches_every_rank_with_rendezvous_and_without)
{
    for (int size = 1; size <= COLLECTED_MAX; size += size < 40 ? 1 : size < 60 ? 23 : 1) {
        check_collect(size, false);
        check_collect(size, true);
        if (size == SYN_COLLECT_RADIX + 2 || size == 2 * SYN_COLLECT_RADIX + 2)
            size += SYN_COLLECT_RADIX - 4; /* the next full level */
    }
}

Test(identity, offers_tell_what_a_rank_reads_of_its_own_clock)
{
    struct syn_tick_source tsc, source;
    struct syn_clock_offer offer;
    struct syn_clock_identity own, told;

    cr_assert_eq(syn_tick_source_init(&tsc, SYN_CLOCK_TSC, NULL, 0.001), 0);
    syn_clock_offer_make(&tsc, &offer);
    for (int kind = SYN_CLOCK_TSC; kind <= SYN_CLOCK_MONOTONIC; kind++) {
        source = tsc;
        if (kind != SYN_CLOCK_TSC)
            syn_tick_source_init(&source, (enum syn_clock_kind)kind, NULL, 0);
        syn_clock_identity_read(&source, &own);
        told = syn_clock_offer_identity(&offer, (enum syn_clock_kind)kind, offer.multiplier);
        cr_assert_eq(memcmp(&own, &told, sizeof own), 0, "kind %d", kind);
    }
}

Test(identity, one_clock_shows_what_was_sent_before_it_arrived)
{
    const struct syn_tick_source raw = {.kind = SYN_CLOCK_MONOTONIC_RAW};
    const struct syn_tick_source tsc = {.kind = SYN_CLOCK_TSC, .multiplier = UINT64_C(1) << 31};
    const struct syn_tick_reading early = {2000, 1000}, middle = {2100, 1050}, late = {2200, 1100};

    cr_assert(syn_clock_can_be_shared(&raw, &early, &middle, &late));
    cr_assert(syn_clock_can_be_shared(&tsc, &early, &middle, &late));
    cr_assert_not(syn_clock_can_be_shared(&raw, &middle, &early, &late));
    cr_assert_not(syn_clock_can_be_shared(&tsc, &middle, &early, &late));
    cr_assert_not(syn_clock_can_be_shared(&tsc, &early, &late, &middle));
    /* A disagreement that CPUs of one machine may have is no contradiction. */
    cr_assert(syn_clock_can_be_shared(&raw, &(struct syn_tick_reading){0, 1020},
                                      &(struct syn_tick_reading){0, 1000},
                                      &(struct syn_tick_reading){0, 980}));
    cr_assert_not(syn_clock_can_be_shared(&raw, &(struct syn_tick_reading){0, 1021},
                                          &(struct syn_tick_reading){0, 1000}, &late));
}
