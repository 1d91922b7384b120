/* Classes of equal ranks, over simulated ranks: sets of ranks, classes, groups that share a clock,
 * what a rank hears of its surroundings, and how little of the others. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "sim_net.h"
#include "sync/base/status.h"
#include "sync/methods/group.h"
#include "sync/methods/whereabouts.h"

static uint64_t random_state = 1;

static unsigned draw(unsigned below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(random_state >> 33) % below;
}

/* ---- sets of ranks ---- */

#define RANKS 300

/* Ranks in patterns as they come, and in none; density 1 of `sparse`. */
static int draw_ranks(int *ranks, int first, int end, unsigned sparse)
{
    const int step = 1 + (int)draw(7);
    int count = 0;

    for (int rank = first; rank < end; rank++)
        if (sparse == 0 ? (rank - first) % step == 0 : draw(sparse) == 0)
            ranks[count++] = rank;
    return count;
}

static struct syn_rank_set set_of(const int *ranks, int count)
{
    struct syn_rank_set set = {0};

    for (int i = 0; i < count; i++)
        cr_assert_eq(syn_rank_set_add(&set, ranks[i]), 0);
    return set;
}

static void check_set(const struct syn_rank_set *set, const int *ranks, int count)
{
    int *list = syn_rank_set_list(set);

    cr_assert_eq(set->count, count);
    cr_assert_eq(list == NULL, count == 0);
    for (int i = 0; i < count; i++) {
        cr_assert_eq(syn_rank_set_at(set, i), ranks[i]);
        cr_assert_eq(list[i], ranks[i]);
        cr_assert_eq(syn_rank_set_below(set, ranks[i]), i);
    }
    for (int rank = 0, i = 0; rank < RANKS; rank++) {
        const bool is_in = i < count && ranks[i] == rank;
        cr_assert_eq(syn_rank_set_has(set, rank), is_in, "rank %d", rank);
        i += is_in;
    }
    free(list);
}

static void check_message(const struct syn_rank_set *set, const int *ranks, int count)
{
    struct syn_bytes message = {0};
    struct syn_rank_set heard = {0};

    syn_rank_set_put(set, &message);
    struct syn_take take = syn_take_from(message.data, message.count);
    syn_rank_set_take(&heard, RANKS, &take);
    cr_assert(!take.failed && syn_take_left(&take) == 0);
    check_set(&heard, ranks, count);
    syn_rank_set_free(&heard);
    syn_bytes_free(&message);
}

Test(rank_set, holds_what_was_put_in)
{
    for (unsigned round = 0; round < 400; round++) {
        int ranks[RANKS], middle = (int)draw(RANKS);
        const int low = draw_ranks(ranks, (int)draw(20), middle, round % 4);
        const int count = low + draw_ranks(ranks + low, middle, RANKS, round % 5);
        struct syn_rank_set set = set_of(ranks, low);
        struct syn_rank_set above = set_of(ranks + low, count - low);
        cr_assert_eq(syn_rank_set_append(&set, &above), 0);
        check_set(&set, ranks, count);
        check_message(&set, ranks, count);
        syn_rank_set_free(&set);
        syn_rank_set_free(&above);
    }
}

Test(rank_set, a_union_has_what_is_in_either)
{
    for (unsigned round = 0; round < 200; round++) {
        int left[RANKS], right[RANKS], both[RANKS], count = 0;
        struct syn_rank_set a = set_of(left, draw_ranks(left, 0, RANKS, round % 6));
        struct syn_rank_set b = set_of(right, draw_ranks(right, (int)draw(9), RANKS, round % 4));
        struct syn_rank_set together = {0};
        for (int rank = 0; rank < RANKS; rank++)
            if (syn_rank_set_has(&a, rank) || syn_rank_set_has(&b, rank))
                both[count++] = rank;
        cr_assert_eq(syn_rank_set_union(&together, &a, &b), 0);
        check_set(&together, both, count);
        syn_rank_set_free(&a);
        syn_rank_set_free(&b);
        syn_rank_set_free(&together);
    }
}

Test(rank_set, blocks_and_turns_are_one_run)
{
    struct syn_rank_set block = {0}, turns = {0}, none = {0};

    for (int rank = 640; rank < 704; rank++)
        syn_rank_set_add(&block, rank);
    for (int rank = 3; rank < 100000; rank += 512) { /* as subtrees hand them up: one by one */
        struct syn_rank_set one = {0};
        syn_rank_set_add(&one, rank);
        syn_rank_set_append(&turns, &one);
        syn_rank_set_free(&one);
    }
    cr_assert_eq(block.run_count, 1);
    cr_assert_eq(turns.run_count, 1);
    cr_assert_eq(turns.count, 196);
    cr_assert_null(syn_rank_set_list(&none));
    syn_rank_set_free(&block);
    syn_rank_set_free(&turns);
}

/* Whatever is in a message: ascending ranks below the size, or a failure. */
Test(rank_set, a_message_of_anything_is_a_set_or_refused)
{
    int accepted = 0;

    for (unsigned round = 0; round < 20000; round++) {
        uint8_t bytes[24];
        struct syn_rank_set set = {0};
        const size_t count = 1 + draw(sizeof bytes);
        const unsigned most = round % 2 ? 256 : 8;
        for (size_t i = 0; i < count; i++)
            bytes[i] = (uint8_t)draw(most);
        struct syn_take take = syn_take_from(bytes, count);
        syn_rank_set_take(&set, RANKS, &take);
        for (int i = 0, last = -1; !take.failed && i < set.count; i++) {
            const int rank = syn_rank_set_at(&set, i);
            cr_assert(rank > last && rank < RANKS);
            last = rank;
        }
        accepted += !take.failed && set.count > 1;
        syn_rank_set_free(&set);
    }
    cr_assert_gt(accepted, 100);
}

/* ---- classes ---- */

/* The class of each rank, and their number. */
struct dealing {
    const char *name;
    uint64_t (*class_of)(int rank);
};

static uint64_t in_blocks(int rank)
{
    return (uint64_t)rank / 8;
}

static uint64_t in_turns(int rank)
{
    return (uint64_t)rank % 5;
}

static uint64_t at_random(int rank)
{
    return (uint64_t)rank * UINT64_C(0x9E3779B97F4A7C15) >> 61;
}

static uint64_t alone(int rank)
{
    return (uint64_t)rank;
}

static uint64_t together(int rank)
{
    (void)rank;
    return 7;
}

static const struct dealing dealings[] = {{"blocks", in_blocks},
                                          {"turns", in_turns},
                                          {"random", at_random},
                                          {"alone", alone},
                                          {"together", together}};
#define DEALING_COUNT (sizeof dealings / sizeof dealings[0])

struct exchange {
    const struct dealing *dealing;
    int size;
    int answer_status;
    int asked_count;
    int *statuses; /* [size] */
    int *right;    /* [size] was what it heard right? */
};

/* Each class hears of its ranks, all how many classes there are. */
static int answer(const struct syn_classes *classes, struct syn_class_answers *answers, void *ctx)
{
    struct exchange *exchange = ctx;

    exchange->asked_count++;
    syn_bytes_put_varint(&answers->common, classes->count);
    for (size_t i = 0; i < classes->count; i++) {
        const int lowest = syn_rank_set_at(&classes->of[i].ranks, 0);
        cr_assert_eq(classes->of[i].value, 1000 + (uint64_t)lowest);
        syn_rank_set_put(&classes->of[i].ranks, &answers->of[i]);
    }
    return exchange->answer_status;
}

static bool is_right(const struct exchange *exchange, int rank, struct syn_take *common,
                     struct syn_take *own)
{
    struct syn_rank_set ranks = {0};
    const struct dealing *dealing = exchange->dealing;
    bool right = syn_take_varint(common) > 0;

    syn_rank_set_take(&ranks, exchange->size, own);
    for (int other = 0; other < exchange->size; other++)
        right &= syn_rank_set_has(&ranks, other) ==
                 (dealing->class_of(other) == dealing->class_of(rank));
    syn_rank_set_free(&ranks);
    return right && !common->failed && !own->failed && syn_take_left(own) == 0;
}

/* All of few, some of many. */
static bool is_checked(const struct exchange *exchange, int rank)
{
    return exchange->size < 1000 || rank % 31 == 0;
}

static void exchange_body(struct sim_net *net, int rank, void *argument)
{
    struct exchange *exchange = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    const struct syn_class self = {.key = {3, exchange->dealing->class_of(rank)},
                                   .value = 1000 + (uint64_t)rank};
    struct syn_bytes told = {0};
    struct syn_take common, own;

    exchange->statuses[rank] =
        syn_classes_exchange(&transport, &self, answer, exchange, &told, &common, &own);
    exchange->right[rank] = !exchange->statuses[rank] && is_checked(exchange, rank) &&
                            is_right(exchange, rank, &common, &own);
    syn_bytes_free(&told);
}

static struct sim_net *run_exchange(struct exchange *exchange, const struct sim_options *options)
{
    struct sim_net *net = sim_net_new(options);

    exchange->size = options->ranks;
    exchange->statuses = calloc((size_t)options->ranks, sizeof(int));
    exchange->right = calloc((size_t)options->ranks, sizeof(int));
    cr_assert(sim_net_run(net, exchange_body, exchange), "%s, %d ranks: deadlock",
              exchange->dealing->name, options->ranks);
    return net;
}

static void end_exchange(struct exchange *exchange, struct sim_net *net)
{
    free(exchange->statuses);
    free(exchange->right);
    sim_net_free(net);
}

Test(classes, every_rank_hears_of_its_own)
{
    const int sizes[] = {1, 2, 3, 7, 63, 64, 65, 66, 129, 300, 4100};

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (size_t k = 0; k < DEALING_COUNT - (sizes[i] > 1000 ? 2 : 0); k++) {
            struct exchange exchange = {.dealing = &dealings[k]};
            struct sim_net *net = run_exchange(
                &exchange, &(struct sim_options){.ranks = sizes[i], .rendezvous = i % 2 == 1});
            for (int rank = 0; rank<sizes[i]; rank += sizes[i]> 1000 ? 31 : 1)
                cr_assert(exchange.right[rank], "%s, rank %d of %d: %d", dealings[k].name, rank,
                          sizes[i], exchange.statuses[rank]);
            cr_assert_eq(exchange.asked_count, 1);
            end_exchange(&exchange, net);
        }
}

/* Nobody waits for ever, and nobody takes what was not said for an answer. */
Test(classes, a_message_that_is_lost_leaves_nobody_waiting)
{
    for (int at = 1; at <= 8; at++)
        for (int rank = 0; rank < 130; rank += rank < 3 ? 1 : 9) {
            struct exchange exchange = {.dealing = &dealings[at % 3]};
            struct sim_net *net = run_exchange(
                &exchange, &(struct sim_options){
                               .ranks = 130, .fail_rank = rank, .fail_at = at, .fail_count = 1});
            for (int other = 0; other < 130; other++)
                cr_assert(exchange.right[other] || exchange.statuses[other] < 0);
            end_exchange(&exchange, net);
        }
}

Test(classes, what_rank_0_cannot_answer_nobody_hears)
{
    struct exchange exchange = {.dealing = &dealings[0], .answer_status = SYN_ENOMEM};
    struct sim_net *net = run_exchange(&exchange, &(struct sim_options){.ranks = 200});

    for (int rank = 0; rank < 200; rank++)
        cr_assert_eq(exchange.statuses[rank], SYN_ENOMEM);
    end_exchange(&exchange, net);
}

/* The root's subtrees are bounded; what anybody else sends does not grow with the ranks. */
Test(classes, only_rank_0_has_more_to_do_with_more_ranks)
{
    const int sizes[] = {4096, 16384};
    int64_t most[2] = {0};

    for (int i = 0; i < 2; i++) {
        struct exchange exchange = {.dealing = &dealings[1]};
        struct sim_net *net = run_exchange(&exchange, &(struct sim_options){.ranks = sizes[i]});
        for (int rank = 1; rank < 4096; rank++)
            if (sim_net_byte_count(net, rank) > most[i])
                most[i] = sim_net_byte_count(net, rank);
        end_exchange(&exchange, net);
    }
    cr_assert_leq(most[1], most[0] + 512, "%ld and %ld bytes", (long)most[0], (long)most[1]);
}

/* ---- groups that share a clock ---- */

struct grouping {
    const struct syn_clock_identity *identities;
    struct syn_clock_groups *groups; /* [ranks] */
};

static void group_body(struct sim_net *net, int rank, void *argument)
{
    struct grouping *grouping = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    const struct syn_clock clock = sim_net_clock(net, rank);
    struct syn_link link;

    syn_link_init(&link, &transport, &clock);
    cr_assert_eq(syn_groups_form(&grouping->groups[rank], &link, grouping->identities[rank], NULL),
                 0);
}

/* All clocks are one: nothing contradicts. */
static void check_groups(const struct syn_clock_identity *identities, const int *leaders, int count)
{
    struct syn_clock_groups groups[16];
    struct grouping grouping = {identities, groups};
    struct sim_net *net = sim_net_new(&(struct sim_options){.ranks = count});

    cr_assert(sim_net_run(net, group_body, &grouping));
    for (int rank = 0; rank < count; rank++) {
        cr_assert_eq(groups[rank].members[0], leaders[rank], "rank %d", rank);
        cr_assert_eq(groups[rank].members[groups[rank].member_index], rank);
        cr_assert_eq(syn_rank_set_at(&groups[rank].leaders, groups[rank].leader_index),
                     leaders[rank]);
        cr_assert_eq(groups[rank].leaders.count, groups[0].leaders.count);
    }
    for (int rank = 0; rank < count; rank++)
        syn_groups_free(&groups[rank]);
    sim_net_free(net);
}

static struct syn_clock_identity machine(uint64_t number)
{
    return (struct syn_clock_identity){.machine = number, .rate = 1};
}

Test(group, equal_identities_have_the_lowest_rank_for_leader)
{
    const struct syn_clock_identity identities[] = {machine(9), machine(5), machine(9),
                                                    machine(5), machine(7), machine(9)};
    check_groups(identities, (const int[]){0, 1, 0, 1, 4, 0}, 6);
}

Test(group, namespace_and_rate_set_clocks_apart)
{
    const struct syn_clock_identity identities[] = {
        {1, 1, 1}, {1, 2, 1}, {1, 1, 2}, {1, 1, 1}, {2, 1, 1}};
    check_groups(identities, (const int[]){0, 1, 2, 0, 4}, 5);
}

/* As `rank` of eight on one machine sees it, and rank 9 of another. */
static struct syn_clock_groups groups_of_eight(int rank)
{
    struct syn_clock_groups groups = {
        .members = calloc(8, sizeof(int)), .member_count = 8, .member_index = rank};

    for (int i = 0; i < 8; i++)
        groups.members[i] = i;
    syn_rank_set_add(&groups.leaders, 0);
    syn_rank_set_add(&groups.leaders, 9);
    return groups;
}

Test(group, a_contradiction_takes_its_subtree_along)
{
    const int leaders[] = {0, 0, 0, 0, 4, 4, 4, 4}; /* 5, 6 and 7 hang on 4 */
    struct syn_rank_set contradicts = {0};

    syn_rank_set_add(&contradicts, 4);
    for (int rank = 0; rank < 8; rank++) {
        struct syn_clock_groups groups = groups_of_eight(rank);
        cr_assert_eq(syn_groups_split(&groups, &contradicts), 0);
        cr_assert_eq(groups.member_count, 4);
        cr_assert_eq(groups.members[0], leaders[rank]);
        cr_assert_eq(groups.members[groups.member_index], rank);
        cr_assert_eq(groups.leaders.count, 3);
        cr_assert_eq(groups.leader_index, leaders[rank] == 4);
        syn_groups_free(&groups);
    }
    syn_rank_set_free(&contradicts);
}

/* ---- whereabouts ---- */

struct opening {
    const struct syn_introduction *selves;
    struct syn_whereabouts *out; /* [ranks] */
    int root_members;
    int *greeted; /* [ranks] */
};

static void greet(void *ctx, int member_count, struct syn_bytes *out)
{
    struct opening *opening = ctx;

    opening->root_members = member_count;
    syn_bytes_put_varint(out, 4711);
}

static void startup_body(struct sim_net *net, int rank, void *argument)
{
    struct opening *opening = argument;
    const struct syn_transport transport = sim_net_transport(net, rank);
    const struct syn_survey_root word = {SYN_CLOCK_TSC, greet, opening};
    struct syn_bytes told = {0};
    struct syn_take greeting;

    cr_assert_eq(syn_whereabouts_exchange(&transport, &opening->selves[rank], &word, &told,
                                          &greeting, &opening->out[rank]),
                 0);
    opening->greeted[rank] = syn_take_varint(&greeting) == 4711 && syn_take_left(&greeting) == 0;
    syn_bytes_free(&told);
}

static void open_on(const struct syn_introduction *selves, int count, struct syn_whereabouts *out)
{
    int greeted[16];
    struct opening opening = {.selves = selves, .out = out, .greeted = greeted};
    struct sim_net *net = sim_net_new(&(struct sim_options){.ranks = count});

    cr_assert(sim_net_run(net, startup_body, &opening));
    for (int rank = 0; rank < count; rank++)
        cr_assert(greeted[rank]);
    cr_assert_eq(opening.root_members, out[0].member_count);
    sim_net_free(net);
}

/* Calibrated apart by a few ppm, ranks of one counter would seem to drift (slip 5). */
Test(whereabouts, ranks_of_a_machine_agree_on_one_tick_length)
{
    const uint64_t machines[] = {7, 7, 7, 3, 3, 3, 9, 9, 9};
    const uint64_t expected[] = {1000, 1000, 1000, 1004, 1004, 1004, 1006, 1006, 1006};
    const int leaders[] = {0, 0, 0, 3, 4, 3, 6, 6, 6};
    struct syn_introduction selves[9];
    struct syn_whereabouts out[9];

    for (uint64_t rank = 0; rank < 9; rank++)
        selves[rank] = (struct syn_introduction){
            .node_key = machines[rank],
            .offer = {.machine = machines[rank], .namespace_ = 5, .multiplier = 1000 + rank}};
    selves[3].offer.multiplier = 1004; /* the lowest of its machine */
    selves[4].offer.multiplier = 0;    /* its TSC is not trusted: it has another clock */
    open_on(selves, 9, out);
    for (int rank = 0; rank < 9; rank++) {
        cr_assert_eq(out[rank].multiplier, expected[rank], "rank %d", rank);
        cr_assert_eq(out[rank].groups.members[0], leaders[rank], "rank %d", rank);
        cr_assert_eq(out[rank].member_count, 3);
        cr_assert_eq(out[rank].members[out[rank].member_index], rank);
        syn_whereabouts_free(&out[rank]);
    }
}

/* Containers of one machine see different parts of it, and yet share its counter. */
Test(whereabouts, containers_are_nodes_of_their_own_with_one_clock)
{
    struct syn_introduction selves[6];
    struct syn_whereabouts out[6];

    for (int rank = 0; rank < 6; rank++)
        selves[rank] = (struct syn_introduction){.node_key = 50 + (uint64_t)rank % 2,
                                                 .offer = {.machine = 1, .multiplier = 900}};
    open_on(selves, 6, out);
    for (int rank = 0; rank < 6; rank++) {
        cr_assert_eq(out[rank].member_count, 3);
        cr_assert_eq(out[rank].members[0], rank % 2);
        cr_assert_eq(out[rank].groups.member_count, 6);
        cr_assert_eq(out[rank].groups.members[5], 5);
        cr_assert_eq(out[rank].groups.leaders.count, 1);
        syn_whereabouts_free(&out[rank]);
    }
}

Test(tick_source, a_trusted_counter_takes_the_machine_s_rate)
{
    struct syn_tick_source tsc = {.kind = SYN_CLOCK_TSC, .multiplier = 5};
    struct syn_tick_source raw = {.kind = SYN_CLOCK_MONOTONIC_RAW, .multiplier = 5};

    syn_tick_source_adopt(&tsc, 0);
    cr_assert_eq(tsc.multiplier, 5);
    syn_tick_source_adopt(&tsc, 8);
    syn_tick_source_adopt(&raw, 8);
    cr_assert_eq(tsc.multiplier, 8);
    cr_assert_eq(raw.multiplier, 5);
}
