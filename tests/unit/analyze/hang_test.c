/* Hangs on made ranks: who waits for whom, which ranks are the roots, circles, states. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "analyze/hang/hang.h"
#include "trace/base/ops.h"

#define SECOND INT64_C(1000000000)
#define NOW    (100 * SECOND)

/* A run of ranks that have all begun `begun` instances of MPI_COMM_WORLD, and are outside of MPI.
 */
struct made {
    struct syn_hang_model model;
    struct syn_hang hang;
    struct syn_hang_options options;
    uint32_t *world;
    int32_t ranks;
};

static struct made make(int32_t ranks, uint64_t begun)
{
    struct made made = {.options = SYN_HANG_OPTIONS, .ranks = ranks};
    made.world = malloc((size_t)ranks * sizeof *made.world);
    cr_assert_eq(syn_hang_model_begin(&made.model, ranks), 0);
    made.model.now_ns = NOW;
    made.model.live = true;
    for (int32_t r = 0; r < ranks; r++) {
        made.world[r] = (uint32_t)r;
        made.model.rank[r].process = SYN_HANG_RUNS;
    }
    const struct syn_hang_comm world = {
        .label = "MPI_COMM_WORLD", .size = (uint32_t)ranks, .world_rank = made.world};
    cr_assert_eq(syn_hang_model_comm(&made.model, &world), 0);
    for (int32_t r = 0; r < ranks; r++)
        made.model.comm[0].begun[r] = begun;
    return made;
}

static void call(struct made *made, struct syn_hang_call call)
{
    cr_assert_eq(syn_hang_model_call(&made->model, &call), 0);
}

/* Outside of MPI for 90 s. */
static void outside(struct made *made, int32_t rank)
{
    call(made, (struct syn_hang_call){.rank = rank,
                                      .op = SYN_OP_BLOCKING(ALLREDUCE),
                                      .to = {SYN_HANG_NOBODY, 0},
                                      .from = {SYN_HANG_NOBODY, 0},
                                      .site = 7,
                                      .since_ns = NOW - 90 * SECOND});
}

/* Inside a collective for 80 s, which it has begun. */
static void inside(struct made *made, int32_t rank, uint32_t comm, uint64_t sequence, uint16_t op,
                   int32_t root)
{
    const struct syn_hang_comm *of = &made->model.comm[comm];
    call(made, (struct syn_hang_call){.rank = rank,
                                      .inside = SYN_HANG_COLLECTIVE,
                                      .op = op,
                                      .comm = comm,
                                      .sequence = sequence,
                                      .root = root,
                                      .site = 3,
                                      .since_ns = NOW - 80 * SECOND});
    uint32_t m = comm == 0 ? (uint32_t)rank : 0; /* a rank of the world is its own member */
    while (of->world_rank[m] != (uint32_t)rank)
        m++;
    of->begun[m] = of->begun[m] > sequence ? of->begun[m] : sequence + 1;
}

static void barrier(struct made *made, int32_t rank, uint32_t comm, uint64_t sequence)
{
    inside(made, rank, comm, sequence, SYN_OP_BLOCKING(BARRIER), -1);
}

static void message(struct made *made, int32_t rank, const char *name, int32_t to, int32_t from,
                    int32_t tag)
{
    call(made, (struct syn_hang_call){.rank = rank,
                                      .inside = SYN_HANG_MESSAGE,
                                      .name = name,
                                      .to = {to, tag},
                                      .from = {from, tag},
                                      .site = 5,
                                      .since_ns = NOW - 80 * SECOND});
}

static void finalize(struct made *made, int32_t rank)
{
    call(made, (struct syn_hang_call){.rank = rank,
                                      .inside = SYN_HANG_FINALIZE,
                                      .name = "MPI_Finalize",
                                      .comm = SYN_HANG_NO_COMM,
                                      .site = SYN_HANG_NO_SITE,
                                      .since_ns = NOW - 85 * SECOND});
}

static uint32_t comm_of(struct made *made, uint32_t *members, uint32_t size)
{
    const struct syn_hang_comm comm = {.label = "split", .size = size, .world_rank = members};
    cr_assert_eq(syn_hang_model_comm(&made->model, &comm), 0);
    return (uint32_t)made->model.comm_count - 1;
}

static void find(struct made *made, bool disagree)
{
    syn_hang_model_settle(&made->model);
    cr_assert_eq(syn_hang_find(&made->model, &made->options, &made->hang), 0);
    syn_hang_judge(&made->hang, &made->model, &made->options, disagree);
}

static void end(struct made *made)
{
    syn_hang_free(&made->hang);
    syn_hang_model_free(&made->model);
    free(made->world);
}

/* The absent ranks as a string: "2r 0" is rank 2, a root, and rank 0. */
static const char *absent(const struct made *made)
{
    static char text[512];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < made->hang.absent_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d%s", i ? " " : "",
                                 made->hang.absent[i].rank, made->hang.absent[i].root ? "r" : "");
    return text;
}

static const char *cycle(const struct made *made)
{
    static char text[512];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < made->hang.cycle_count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%d", i ? " " : "",
                                 made->hang.cycle[i]);
    return text;
}

static const char *place(const struct made *made, size_t i)
{
    return syn_hang_absent_name(&made->model, &made->hang.absent[i]);
}

Test(hang, one_rank_that_does_not_come_is_waited_for)
{
    struct made made = make(4, 37);
    barrier(&made, 0, 0, 37);
    barrier(&made, 1, 0, 37);
    outside(&made, 2);
    barrier(&made, 3, 0, 37);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    cr_expect_str_eq(absent(&made), "2r");
    cr_expect_str_eq(place(&made, 0), "outside");
    cr_expect_eq(made.hang.absent[0].waiting_count, 3);
    cr_expect_eq(made.hang.cycle_count, 0);
    cr_expect_eq(made.hang.for_ns, 80 * SECOND);
    cr_assert_eq(made.hang.wait_count, 1);
    cr_expect_eq(made.hang.wait[0].rank_count, 3);
    cr_expect_eq(made.hang.wait[0].rank[2], 3);
    end(&made);
}

Test(hang, a_wait_is_judged_by_the_longest_before)
{
    struct made made = make(2, 500);
    barrier(&made, 0, 0, 500);
    outside(&made, 1);
    syn_hang_model_settle(&made.model);
    cr_assert_eq(syn_hang_find(&made.model, &made.options, &made.hang), 0);
    made.hang.wait[0].earlier = (struct syn_hang_earlier){500, 499, 41 * SECOND};
    syn_hang_judge(&made.hang, &made.model, &made.options, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_PROGRESSING, "80 s are not twice 41 s");
    cr_expect_eq(made.hang.longest_before_ns, 41 * SECOND);
    cr_expect(isnan(made.hang.chance));
    made.hang.wait[0].earlier.longest_ns = 39 * SECOND;
    syn_hang_judge(&made.hang, &made.model, &made.options, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    cr_expect_float_eq(made.hang.chance, 1 / 500.0, 1e-12);
    end(&made);
}

Test(hang, few_earlier_waits_leave_it_to_the_floor)
{
    struct made made = make(2, 5);
    made.options.floor_ns = 81 * SECOND;
    barrier(&made, 0, 0, 5);
    outside(&made, 1);
    syn_hang_model_settle(&made.model);
    cr_assert_eq(syn_hang_find(&made.model, &made.options, &made.hang), 0);
    made.hang.wait[0].earlier = (struct syn_hang_earlier){SYN_HANG_FEW - 1, 19, 1000};
    syn_hang_judge(&made.hang, &made.model, &made.options, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_PROGRESSING);
    end(&made);
}

Test(hang, a_chain_over_communicators_and_messages_ends_in_its_root)
{
    struct made made = make(5, 9);
    uint32_t members[] = {1, 2, 3};
    const uint32_t sub = comm_of(&made, members, 3);
    barrier(&made, 0, 0, 9);
    barrier(&made, 1, sub, 4);
    barrier(&made, 2, sub, 4);
    message(&made, 3, "MPI_Recv", SYN_HANG_NOBODY, 4, 11);
    outside(&made, 4);
    find(&made, false);
    cr_expect_str_eq(absent(&made), "4r 1 2 3");
    cr_expect_str_eq(place(&made, 1), "collective");
    cr_expect_str_eq(place(&made, 3), "message");
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    end(&made);
}

Test(hang, two_communicators_in_crossed_order_are_a_circle)
{
    struct made made = make(4, 3);
    uint32_t a[] = {0, 1, 2}, b[] = {1, 2, 3};
    const uint32_t first = comm_of(&made, a, 3), second = comm_of(&made, b, 3);
    barrier(&made, 0, first, 0);
    barrier(&made, 1, first, 0);
    barrier(&made, 2, second, 0);
    barrier(&made, 3, second, 0);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_str_eq(cycle(&made), "1 2");
    cr_expect_str_eq(absent(&made), "1 2", "in a circle nobody is a root");
    end(&made);
}

Test(hang, a_ring_of_receives_is_a_circle_in_order)
{
    struct made made = make(4, 0);
    message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, 2, 1);
    message(&made, 2, "MPI_Recv", SYN_HANG_NOBODY, 1, 1);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 3, 1);
    message(&made, 3, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_str_eq(cycle(&made), "0 2 1 3");
    end(&made);
}

Test(hang, a_call_that_may_return_by_itself_needs_time)
{
    for (int patient = 0; patient < 2; patient++) {
        struct made made = make(2, 0);
        syn_hang_count_from(&made.options, patient ? 81 * SECOND : 79 * SECOND);
        message(&made, 0, "MPI_Send", 1, SYN_HANG_NOBODY, 1);
        message(&made, 1, "MPI_Send", 0, SYN_HANG_NOBODY, 1);
        find(&made, false);
        cr_expect_eq(made.hang.state, patient ? SYN_HANG_IS_PROGRESSING : SYN_HANG_IS_STUCK);
        end(&made);
    }
}

/* Rank 0 started to receive, computes, and has entered a barrier: the bytes of rank 1 move. */
Test(hang, a_message_is_under_way_from_when_both_ends_stand)
{
    for (int moves = 0; moves < 2; moves++) {
        struct made made = make(3, 8);
        message(&made, 1, moves ? "MPI_Send" : "MPI_Waitall", 0, SYN_HANG_NOBODY, 1);
        barrier(&made, 0, 0, 8);
        barrier(&made, 2, 0, 8);
        made.model.call[0].inside = moves ? SYN_HANG_MESSAGE : SYN_HANG_SOMEBODY;
        made.model.call[1].since_ns = NOW - (moves ? 4 : 59) * SECOND;
        find(&made, false);
        cr_expect_neq(made.hang.state, SYN_HANG_IS_STUCK);
        cr_expect_eq(made.hang.cycle_count, 0);
        made.model.call[0].since_ns = NOW - (moves ? 6 : 61) * SECOND;
        syn_hang_free(&made.hang);
        find(&made, false);
        cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
        end(&made);
    }
}

/* Nobody knows how long the calls lasted. */
Test(hang, messages_of_a_killed_run_count_only_where_the_time_is_unknown_and_nobody_computes)
{
    for (int known = 0; known < 2; known++)
        for (int computes = 0; computes < 2; computes++) {
            struct made made = make(3, 0);
            syn_hang_count_from(&made.options, 81 * SECOND);
            made.model.live = false;
            made.model.now_is_least = !known;
            message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, 1, 1);
            message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
            if (computes)
                outside(&made, 2);
            else
                barrier(&made, 2, 0, 0);
            find(&made, false);
            cr_expect_eq(made.hang.state,
                         known || computes ? SYN_HANG_WAS_KILLED : SYN_HANG_IS_STUCK);
            cr_expect_eq(made.hang.is_conditional, !known && !computes);
            end(&made);
        }
}

Test(hang, a_wait_without_end_is_unconditional_whenever_the_run_was_killed)
{
    struct made made = make(2, 0);
    made.model.live = false;
    made.model.now_is_least = true;
    message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, 1, 1);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_not(made.hang.is_conditional, "they have lasted for 80 s");
    end(&made);
}

Test(hang, a_message_under_way_is_nobodys_fault)
{
    struct made made = make(2, 0);
    message(&made, 0, "MPI_Send", 1, SYN_HANG_NOBODY, 6);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 6);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_PROGRESSING);
    cr_expect_eq(made.hang.absent_count, 0);
    end(&made);
}

/* Ranks 0 and 1 of a chain have shifted to the right, rank 2 computes: rank 1 has received. */
Test(hang, one_half_of_an_exchange_may_be_done)
{
    struct made made = make(3, 4);
    message(&made, 0, "MPI_Sendrecv", SYN_HANG_NOBODY, 1, 1);
    message(&made, 1, "MPI_Sendrecv", 2, 0, 0);
    outside(&made, 2);
    find(&made, false);
    cr_expect_neq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_eq(made.hang.cycle_count, 0);
    end(&made);
}

/* Rank 0 waits for messages of 1 and 2: that of 1 is posted. */
static struct made two_messages(bool first_computes)
{
    struct made made = make(3, 0);
    message(&made, 0, "MPI_Waitall", SYN_HANG_NOBODY, 1, 4);
    message(&made, 0, "MPI_Waitall", SYN_HANG_NOBODY, 2, 4);
    made.model.call[0].is_under_way = true;
    message(&made, 2, "MPI_Recv", SYN_HANG_NOBODY, 0, 5);
    if (first_computes)
        outside(&made, 1);
    else
        message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 6);
    find(&made, false);
    return made;
}

Test(hang, a_message_under_way_of_a_rank_that_computes_may_be_what_is_waited_for)
{
    struct made made = two_messages(true);
    cr_expect_str_eq(cycle(&made), "");
    cr_expect_str_eq(absent(&made), "0 2");
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    end(&made);
}

Test(hang, a_circle_does_not_go_over_a_message_under_way)
{
    struct made made = two_messages(false);
    cr_expect_str_eq(cycle(&made), "0 2");
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    end(&made);
}

Test(hang, a_message_with_another_tag_is_not_the_one)
{
    struct made made = make(2, 0);
    message(&made, 0, "MPI_Ssend", 1, SYN_HANG_NOBODY, 6);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 7);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_str_eq(cycle(&made), "0 1");
    end(&made);
}

Test(hang, anybody_may_send_while_one_still_works)
{
    for (int works = 0; works < 2; works++) {
        struct made made = make(3, 0);
        message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, SYN_HANG_ANYBODY, SYN_HANG_ANY_TAG);
        message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
        if (works)
            outside(&made, 2);
        else
            message(&made, 2, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
        for (size_t i = 0; i < made.model.call_count; i++)
            made.model.call[i].comm = 0;
        find(&made, false);
        cr_expect_eq(made.hang.state, works ? SYN_HANG_IS_WAITING : SYN_HANG_IS_STUCK);
        cr_expect_eq(made.hang.absent[0].root, works != 0);
        end(&made);
    }
}

Test(hang, a_thread_that_works_keeps_its_rank_out_of_a_circle)
{
    struct made made = make(2, 0);
    message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, 1, 1);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
    outside(&made, 1);
    made.model.call[2].thread = 1;
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    cr_expect_eq(made.hang.cycle_count, 0);
    end(&made);
}

Test(hang, a_rank_in_finalize_never_comes)
{
    struct made made = make(3, 8);
    barrier(&made, 0, 0, 8);
    barrier(&made, 1, 0, 8);
    finalize(&made, 2);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_str_eq(absent(&made), "2r");
    cr_expect_str_eq(place(&made, 0), "finalize");
    cr_expect_eq(made.hang.cycle_count, 0);
    end(&made);
}

Test(hang, all_in_finalize_wait_for_the_one_outside)
{
    struct made made = make(3, 8);
    finalize(&made, 0);
    outside(&made, 1);
    finalize(&made, 2);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    cr_expect_str_eq(absent(&made), "1r");
    end(&made);
}

Test(hang, a_dead_rank_never_comes)
{
    struct made made = make(3, 8);
    barrier(&made, 0, 0, 8);
    barrier(&made, 1, 0, 8);
    outside(&made, 2);
    made.model.rank[2].process = SYN_HANG_DIED;
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_str_eq(absent(&made), "2r");
    cr_expect_str_eq(place(&made, 0), "dead");
    end(&made);
}

Test(hang, a_dead_rank_is_a_root_whatever_it_waited_for)
{
    struct made made = make(3, 8);
    barrier(&made, 0, 0, 8);
    barrier(&made, 1, 0, 8);
    message(&made, 2, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
    made.model.rank[2].process = SYN_HANG_DIED;
    find(&made, false);
    cr_expect_str_eq(absent(&made), "2r");
    end(&made);
}

Test(hang, a_stopped_rank_is_a_root_and_no_deadlock)
{
    struct made made = make(3, 8);
    barrier(&made, 0, 0, 8);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 1);
    outside(&made, 2);
    made.model.rank[1].process = SYN_HANG_STOPPED;
    made.model.comm[0].begun[2] = 9;
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    cr_expect(made.hang.absent[0].root && made.hang.absent[0].rank == 1);
    end(&made);
}

Test(hang, a_rank_without_file_is_unknown_and_never_absent)
{
    struct made made = make(3, 0);
    syn_hang_model_free(&made.model);
    cr_assert_eq(syn_hang_model_begin(&made.model, 3), 0);
    made.model.rank[0].process = made.model.rank[1].process = SYN_HANG_RUNS;
    made.model.now_ns = NOW;
    comm_of(&made, made.world, 3);
    barrier(&made, 0, 0, 0);
    barrier(&made, 1, 0, 0);
    find(&made, false);
    cr_expect_eq(made.hang.absent_count, 0);
    cr_assert_eq(made.hang.unknown_count, 1);
    cr_expect_eq(made.hang.unknown[0], 2);
    cr_expect_neq(made.hang.state, SYN_HANG_IS_STUCK);
    end(&made);
}

Test(hang, members_of_an_older_instance_are_behind)
{
    struct made made = make(4, 5);
    inside(&made, 0, 0, 7, SYN_OP_BLOCKING(REDUCE), 3);
    inside(&made, 1, 0, 6, SYN_OP_BLOCKING(REDUCE), 3);
    inside(&made, 2, 0, 6, SYN_OP_BLOCKING(REDUCE), 3);
    outside(&made, 3);
    find(&made, false);
    cr_expect_str_eq(absent(&made), "3r 1 2");
    cr_expect_eq(made.hang.absent[0].waiting_count, 3);
    cr_expect_eq(made.hang.absent[1].waiting_count, 1);
    end(&made);
}

Test(hang, whom_a_broadcast_needs_is_its_root)
{
    struct made made = make(3, 2);
    inside(&made, 0, 0, 2, SYN_OP_BLOCKING(BCAST), 1);
    message(&made, 1, "MPI_Recv", SYN_HANG_NOBODY, 0, 4);
    outside(&made, 2);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK,
                 "rank 0 waits for the root, which waits for 0");
    cr_expect_str_eq(cycle(&made), "0 1");
    end(&made);
}

Test(hang, the_root_of_a_broadcast_may_leave_without_the_others)
{
    struct made made = make(3, 2);
    inside(&made, 1, 0, 2, SYN_OP_BLOCKING(BCAST), 1);
    message(&made, 0, "MPI_Recv", SYN_HANG_NOBODY, 1, 4);
    outside(&made, 2);
    find(&made, false);
    cr_expect_eq(made.hang.cycle_count, 0);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_WAITING);
    end(&made);
}

Test(hang, a_call_that_all_have_reached_waits_for_nobody)
{
    struct made made = make(2, 2);
    barrier(&made, 0, 0, 2);
    barrier(&made, 1, 0, 2);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_PROGRESSING);
    cr_expect_eq(made.hang.absent_count, 0);
    syn_hang_judge(&made.hang, &made.model, &made.options, true);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK, "they are different calls");
    cr_expect_eq(made.hang.for_ns, 80 * SECOND);
    made.model.now_ns -= 80 * SECOND - made.options.least_ns / 2;
    syn_hang_judge(&made.hang, &made.model, &made.options, true);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_PROGRESSING, "they came just now");
    end(&made);
}

Test(hang, a_dead_run_has_ended_or_was_killed)
{
    struct made made = make(2, 2);
    made.model.live = false;
    outside(&made, 0);
    outside(&made, 1);
    find(&made, false);
    cr_expect_eq(made.hang.state, SYN_HANG_WAS_KILLED);
    made.model.rank[0].process = SYN_HANG_ENDED;
    made.model.rank[1].process = SYN_HANG_DIED;
    syn_hang_judge(&made.hang, &made.model, &made.options, false);
    cr_expect_eq(made.hang.state, SYN_HANG_WAS_KILLED);
    made.model.rank[1].ending = SYN_ENDING_EXIT;
    syn_hang_judge(&made.hang, &made.model, &made.options, false);
    cr_expect_eq(made.hang.state, SYN_HANG_HAS_ENDED);
    end(&made);
}

/* ---- many ranks ---- */

/* Processor time: others may have the processors meanwhile. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Half of the ranks in a barrier, the others in a ring of messages; each in rows and columns. */
static void many(int32_t ranks, double limit_s)
{
    struct made made = make(ranks, 100);
    for (int32_t r = 0; r < ranks; r++)
        if (r % 2)
            barrier(&made, r, 0, 100 + (uint64_t)(r % 1000));
        else
            message(&made, r, "MPI_Recv", SYN_HANG_NOBODY, (r + 2) % ranks, 1);
    const double before_s = seconds();
    find(&made, false);
    cr_expect_lt(seconds() - before_s, limit_s);
    cr_expect_eq(made.hang.state, SYN_HANG_IS_STUCK);
    cr_expect_eq(made.hang.cycle_count, (size_t)ranks / 2);
    cr_expect_eq(made.hang.absent_count, (size_t)(ranks - (ranks + 1000 - 999) / 1000),
                 "rank 999 and its like are in the last instance");
    end(&made);
}

Test(hang, a_thousand_ranks_take_no_time)
{
    many(1024, 2);
}

Test(hang, sixty_five_thousand_ranks_take_seconds)
{
    many(65536, 60);
}
