/* Matching: what each member did, instance by instance, and what cannot be matched. */
#include <criterion/criterion.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/info/info.h"
#include "analyze/match/match.h"
#include "analyze/match/members/attributes.h"
#include "analyze/match/members/bounds.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define SEEN_MAX 4096

/* Everything that a match handed over, members included. */
struct seen {
    struct syn_instance at[SEEN_MAX];
    struct syn_member member[SEEN_MAX][MADE_RANKS];
    size_t count;
    struct syn_instance incomplete[SEEN_MAX];
    size_t incomplete_count;
    struct syn_names names;
    struct syn_comms comms;
    struct syn_match_totals totals;
};

static int see(void *ctx, const struct syn_instance *instance)
{
    struct seen *seen = ctx;
    seen->at[seen->count] = *instance;
    memcpy(seen->member[seen->count++], instance->member,
           instance->comm->size * sizeof *instance->member);
    return 0;
}

static int see_incomplete(void *ctx, const struct syn_instance *instance)
{
    struct seen *seen = ctx;
    seen->incomplete[seen->incomplete_count++] = *instance;
    return 0;
}

static struct seen *match(struct syn_trace *trace)
{
    struct seen *seen = calloc(1, sizeof *seen);
    cr_assert_eq(syn_comms_open(trace, &seen->names, &seen->comms), 0);
    struct syn_match match = {.trace = trace,
                              .names = &seen->names,
                              .comms = &seen->comms,
                              .sink = {.instance = see, .incomplete = see_incomplete, .ctx = seen}};
    cr_assert_eq(syn_match_run(&match, &seen->totals), 0);
    return seen;
}

static void forget(struct seen *seen)
{
    syn_match_totals_free(&seen->totals);
    syn_comms_close(&seen->comms);
    syn_names_free(&seen->names);
    free(seen);
}

static const struct syn_event allreduce = {
    .op = SYN_OP_BLOCKING(ALLREDUCE), .bytes = 8, .root = -1};

Test(match, an_instance_is_what_its_members_did)
{
    struct made_trace made;
    made_begin(&made, 3);
    made_event(&made, 0, 100, 190, allreduce);
    made_event(&made, 1, 130, 185, allreduce);
    made_event(&made, 2, 110, 200, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    const struct syn_instance *instance = &seen->at[0];
    cr_expect_eq(instance->first_start_ns, 100);
    cr_expect_eq(instance->last_start_ns, 130);
    cr_expect_eq(instance->first_end_ns, 185);
    cr_expect_eq(instance->last_end_ns, 200);
    cr_expect_eq(instance->last_starter, 1);
    cr_expect_eq(instance->first_ender, 1);
    cr_expect_eq(instance->bytes, 8);
    cr_expect_eq(syn_member_waiting_ns(&seen->member[0][0], 130), 30);
    cr_expect_eq(syn_member_inside_ns(&seen->member[0][2]), 90);
    cr_expect_eq(seen->totals.rank[1].inside_ns, 55);
    forget(seen);
    made_end(&made, trace);
}

Test(match, of_several_last_the_lowest_counts)
{
    struct made_trace made;
    made_begin(&made, 3);
    made_event(&made, 2, 130, 190, allreduce);
    made_event(&made, 0, 100, 180, allreduce);
    made_event(&made, 1, 130, 180, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].last_starter, 1);
    cr_expect_eq(seen->at[0].first_ender, 0);
    forget(seen);
    made_end(&made, trace);
}

Test(match, ranks_far_apart_in_the_file_meet)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int i = 0; i < 1500; i++) { /* more than a batch */
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        made_event(&made, 0, i * 10, i * 10 + 5, event);
    }
    for (int i = 0; i < 1500; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        made_event(&made, 1, 1000000 + i * 10, 1000000 + i * 10 + 5, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1500);
    for (size_t i = 0; i < seen->count; i++) {
        cr_assert_eq(seen->at[i].sequence, i);
        cr_assert_eq(seen->at[i].last_start_ns - seen->at[i].first_start_ns, 1000000);
    }
    cr_expect_eq(seen->totals.pending_peak, 1500);
    forget(seen);
    made_end(&made, trace);
}

Test(match, ranks_in_step_leave_little_pending)
{
    struct made_trace made;
    made_begin(&made, 4);
    for (int i = 0; i < 2000; i++) {
        struct syn_event event = allreduce;
        event.sequence = (uint64_t)i;
        for (int rank = 0; rank < 4; rank++)
            made_event(&made, rank, i * 100 + rank, i * 100 + 50, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 2000);
    cr_expect_lt(seen->totals.pending_peak, 1100, "%lu", seen->totals.pending_peak);
    forget(seen);
    made_end(&made, trace);
}

Test(match, a_missing_member_makes_it_incomplete_once)
{
    struct made_trace made;
    made_begin(&made, 3);
    for (int rank = 0; rank < 3; rank++)
        made_event(&made, rank, 100, 200, allreduce);
    struct syn_event second = allreduce;
    second.sequence = 1;
    made_event(&made, 0, 300, 400, second);
    made_event(&made, 2, 300, 400, second);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 1);
    cr_assert_eq(seen->incomplete_count, 1);
    cr_expect_eq(seen->incomplete[0].sequence, 1);
    cr_expect_eq(seen->incomplete[0].arrived_count, 2);
    cr_expect_eq(seen->totals.rank[0].inside_ns, 200); /* time is counted all the same */
    forget(seen);
    made_end(&made, trace);
}

Test(match, a_missing_file_makes_all_incomplete)
{
    struct made_trace made;
    made_begin(&made, 3);
    for (int rank = 0; rank < 3; rank++)
        made_event(&made, rank, 100, 200, allreduce);
    struct syn_trace *trace = made_open(&made, 1u << 1);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 0);
    cr_expect_eq(seen->incomplete_count, 1);
    forget(seen);
    made_end(&made, trace);
}

Test(match, an_event_given_twice_counts_once)
{
    struct made_trace made;
    made_begin(&made, 2);
    made_event(&made, 0, 100, 200, allreduce);
    made_event(&made, 0, 105, 220, allreduce);
    made_event(&made, 1, 110, 210, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 1);
    cr_expect_eq(seen->totals.duplicate_count, 1);
    cr_expect_eq(seen->at[0].first_start_ns, 100);
    cr_expect_eq(seen->at[0].last_end_ns, 210);
    forget(seen);
    made_end(&made, trace);
}

Test(match, different_operations_are_no_instance)
{
    struct made_trace made;
    made_begin(&made, 2);
    struct syn_event barrier = {.op = SYN_OP_BLOCKING(BARRIER), .root = -1};
    made_event(&made, 0, 100, 200, allreduce);
    made_event(&made, 1, 110, 210, barrier);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 0);
    cr_expect_eq(seen->totals.op_differs_count, 1);
    forget(seen);
    made_end(&made, trace);
}

Test(match, absurd_times_are_left_out)
{
    struct made_trace made;
    made_begin(&made, 2);
    made_event(&made, 0, INT64_MIN + 1, INT64_MAX, allreduce);
    made_event(&made, 1, 110, 210, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 0);
    cr_expect_eq(seen->totals.implausible_count, 1);
    forget(seen);
    made_end(&made, trace);
}

Test(match, rank_0_speaks_for_the_instance)
{
    struct made_trace made;
    made_begin(&made, 2);
    struct syn_event bcast = {.op = SYN_OP_BLOCKING(BCAST), .root = 1, .bytes = 16};
    struct syn_event other = bcast;
    other.bytes = 99;
    made_event(&made, 1, 90, 200, other);
    made_event(&made, 0, 100, 210, bcast);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].bytes, 16);
    cr_expect_eq(seen->at[0].root, 1);
    forget(seen);
    made_end(&made, trace);
}

Test(match, variable_sizes_are_binned_by_their_mean)
{
    struct made_trace made;
    made_begin(&made, 2);
    struct syn_event event = {.op = SYN_OP_BLOCKING(ALLGATHERV), .root = -1, .bytes = 10};
    made_event(&made, 0, 100, 200, event);
    event.bytes = 30;
    made_event(&made, 1, 110, 210, event);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].bytes, 16); /* mean 20 */
    forget(seen);
    made_end(&made, trace);
}

Test(match, bins_are_powers_of_two)
{
    cr_expect_eq(syn_bytes_bin(0), 0);
    cr_expect_eq(syn_bytes_bin(0.9), 0);
    cr_expect_eq(syn_bytes_bin(1), 1);
    cr_expect_eq(syn_bytes_bin(3.99), 2);
    cr_expect_eq(syn_bytes_bin(4), 4);
    cr_expect_eq(syn_bytes_bin(INFINITY), UINT64_C(1) << 63);
    cr_expect_eq(syn_bytes_bin(NAN), 0);
}

Test(match, nonblocking_time_inside_leaves_out_the_overlap)
{
    /* calls 100..110, computes, waits 150..200; the last rank comes at 160 */
    struct syn_member member = {
        .start_ns = 100, .call_end_ns = 110, .wait_start_ns = 150, .end_ns = 200};
    cr_expect_eq(syn_member_inside_ns(&member), 60);
    cr_expect_eq(syn_member_waiting_ns(&member, 160), 10 + 10);
    cr_expect_eq(syn_member_waiting_ns(&member, 105), 5);
    cr_expect_eq(syn_member_waiting_ns(&member, 130), 10);
    cr_expect_eq(syn_member_waiting_ns(&member, 1000), 60);
}

Test(match, waiting_is_never_more_than_the_time_inside)
{
    struct syn_member root = {
        .start_ns = 100, .call_end_ns = 100, .wait_start_ns = 100, .end_ns = 120};
    cr_expect_eq(syn_member_waiting_ns(&root, 500),
                 20); /* a root that left long before the last came */
}

/* World ranks 0, 2 against 1, 3. */
Test(match, both_groups_of_an_intercommunicator_are_members)
{
    static const int32_t even[] = {0, 2}, odd[] = {1, 3};
    struct made_trace made;
    made_begin(&made, 4);
    for (int rank = 0; rank < 4; rank++) {
        made_comm(&made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 77,
                                           .size = 2,
                                           .rank = rank / 2,
                                           .remote_size = 2,
                                           .name = "inter",
                                           .world_ranks = rank % 2 ? odd : even});
        struct syn_event event = allreduce;
        event.comm = 1;
        made_event(&made, rank, 100 + rank, 200, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].comm->size, 4);
    cr_expect_eq(seen->at[0].comm->world_rank[seen->at[0].last_starter], 3);
    forget(seen);
    made_end(&made, trace);
}

/* Its file can say that of a group which it does not list. */
Test(match, members_that_are_nowhere_take_no_memory)
{
    static const int32_t world[] = {0, 1};
    struct made_trace made;
    made_begin(&made, 2);
    struct syn_event event = allreduce;
    for (int rank = 0; rank < 2; rank++) {
        made_comm(&made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 77,
                                           .size = 2,
                                           .rank = rank,
                                           .remote_size = INT32_MAX - 2,
                                           .name = "inter",
                                           .world_ranks = world});
        event.comm = 0;
        made_event(&made, rank, 100 + rank, 200, event);
        event.comm = 1;
        made_event(&made, rank, 300 + rank, 400, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->incomplete_count, 1);
    forget(seen);
    made_end(&made, trace);
}

Test(match, communicators_of_one_name_get_labels_of_their_own)
{
    static const int32_t halves[2][2] = {{0, 1}, {2, 3}};
    struct made_trace made;
    made_begin(&made, 4);
    for (int rank = 0; rank < 4; rank++)
        made_comm(&made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 50 + (uint64_t)rank / 2,
                                           .size = 2,
                                           .rank = rank % 2,
                                           .name = "half",
                                           .world_ranks = halves[rank / 2]});
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->comms.count, 3);
    const char *label[3];
    for (int i = 0; i < 3; i++)
        label[i] = syn_names_text(&seen->names, seen->comms.comm[i].label);
    cr_expect_str_eq(label[0], "MPI_COMM_WORLD");
    cr_expect_str_eq(label[1], "half @0");
    cr_expect_str_eq(label[2], "half @2");
    forget(seen);
    made_end(&made, trace);
}

Test(match, records_that_contradict_one_another_match_nothing)
{
    static const int32_t both[] = {0, 1};
    struct made_trace made;
    made_begin(&made, 2);
    for (int rank = 0; rank < 2; rank++) { /* both claim to be rank 0 of it */
        made_comm(
            &made, rank,
            (struct syn_comm_record){
                .index = 1, .id = 5, .size = 2, .rank = 0, .name = "odd", .world_ranks = both});
        struct syn_event event = allreduce;
        event.comm = 1;
        made_event(&made, rank, 100, 200, event);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_expect_eq(seen->count, 0);
    cr_expect_eq(seen->totals.unplaced_count, 2);
    forget(seen);
    made_end(&made, trace);
}

Test(match, the_bound_is_that_of_the_worst_members)
{
    struct made_trace made;
    made_begin_bounded(&made, 2, 100, 1e-6);
    made_event(&made, 0, 1000000000, 1000000100, allreduce);
    made_event(&made, 1, 1000000000, 1000000100, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    /* 100 + 1 s * 1e-6 at either end, and at most a cell's wander (16.8 ns) above */
    cr_expect_geq(seen->at[0].bound_ns, 2 * 1100);
    cr_expect_leq(seen->at[0].bound_ns, 2 * (1100 + 35));
    forget(seen);
    made_end(&made, trace);
}

/* Both ends of a call on MPI_COMM_SELF are of one clock. */
Test(match, an_instance_of_one_member_has_no_bound)
{
    struct made_trace made;
    made_begin_bounded(&made, 1, 100, 1e-6);
    made_event(&made, 0, 1000000000, 1000000100, allreduce);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].bound_ns, 0);
    forget(seen);
    made_end(&made, trace);
}

/* Nor one rank other than 0, whose clock has one. */
Test(match, an_instance_of_one_member_on_a_bounded_clock_has_no_bound)
{
    static const int32_t one[] = {1};
    struct made_trace made;
    struct syn_event event = allreduce;
    made_begin_bounded(&made, 2, 100, 1e-6);
    made_comm(&made, 1,
              (struct syn_comm_record){
                  .index = 1, .id = 5, .size = 1, .rank = 0, .name = "self", .world_ranks = one});
    event.comm = 1;
    made_event(&made, 1, 1000000000, 1000000100, event);
    struct syn_trace *trace = made_open(&made, 0);
    struct seen *seen = match(trace);
    cr_assert_eq(seen->count, 1);
    cr_expect_eq(seen->at[0].bound_ns, 0);
    forget(seen);
    made_end(&made, trace);
}

/* Several knots in one cell, the widest of them neither the first nor the last. */
Test(bounds, hold_between_knots_close_together)
{
    static const int64_t width_ns[] = {20, 30, 900, 40, 25};
    struct made_trace made;
    struct syn_bounds bounds;
    made_begin_bounded(&made, 2, 50, 1e-7);
    for (int k = 0; k < 5; k++)
        cr_assert_eq(syn_timeline_add(&made.timeline[1],
                                      (struct syn_knot){202000000 + k * 1000000, 20, width_ns[k]}),
                     0);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_rank_file *file = syn_trace_rank(trace, 1);
    cr_assert_eq(syn_bounds_init(&bounds, file), 0);
    for (int64_t t = 180000000; t < 230000000; t += 54321)
        cr_assert_geq(syn_bounds_at(&bounds, t), syn_clock_bound_ns(file, t), "at %ld", t);
    syn_bounds_free(&bounds);
    made_end(&made, trace);
}

/* From one knot to the next the width may rise faster than the wander says. */
Test(bounds, hold_where_the_width_itself_rises)
{
    struct made_trace made;
    struct syn_bounds bounds;
    made_begin_bounded(&made, 2, 50, 1e-9);
    cr_assert_eq(syn_writer_meta(made.writer[1], SYN_META_WANDER_TIME, "100"), 0);
    cr_assert_eq(syn_timeline_add(&made.timeline[1], (struct syn_knot){400000000, 20, 900000}), 0);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_rank_file *file = syn_trace_rank(trace, 1);
    int64_t worst_ns = 0;
    cr_assert_eq(syn_bounds_init(&bounds, file), 0);
    for (int64_t t = 10000000; t < 395000000; t += 543210) {
        const int64_t exact_ns = syn_clock_bound_ns(file, t);
        cr_assert_geq(syn_bounds_at(&bounds, t), exact_ns, "at %ld", t);
        worst_ns = exact_ns > worst_ns ? exact_ns : worst_ns;
    }
    cr_assert_gt(worst_ns, 800000);
    cr_assert_geq(syn_clock_worst_bound_ns(file, 10000000, 395000000), worst_ns);
    syn_bounds_free(&bounds);
    made_end(&made, trace);
}

/* The worst lies at a knot, far from both ends and from the middle. */
Test(bounds, the_worst_of_a_stretch_may_lie_at_a_knot)
{
    struct made_trace made;
    made_begin_bounded(&made, 2, 50, 1e-9);
    cr_assert_eq(syn_writer_meta(made.writer[1], SYN_META_WANDER_TIME, "100"), 0);
    for (int k = 0; k < 3; k++)
        cr_assert_eq(
            syn_timeline_add(&made.timeline[1],
                             (struct syn_knot){300000000 + k * 1000000, 20, k == 1 ? 70000 : 40}),
            0);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_rank_file *file = syn_trace_rank(trace, 1);
    cr_assert_geq(syn_clock_worst_bound_ns(file, 0, 1000000000), 70000);
    made_end(&made, trace);
}

Test(bounds, are_never_below_the_exact_ones)
{
    struct made_trace made;
    struct syn_bounds bounds;
    made_begin_bounded(&made, 2, 50, 1e-7);
    cr_assert_eq(syn_timeline_add(&made.timeline[1], (struct syn_knot){5000000000, 20, 300}), 0);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_rank_file *file = syn_trace_rank(trace, 1);
    cr_assert_eq(syn_bounds_init(&bounds, file), 0);
    for (int64_t t = -1000000000; t < 8000000000; t += 7654321) {
        int64_t exact = syn_clock_bound_ns(file, t), fast = syn_bounds_at(&bounds, t);
        cr_assert_geq(fast, exact, "at %ld", t);
        /* two cells' wander, or the jump at a knot that lies in the cell */
        bool near_knot = llabs(t) < 20000000 || llabs(t - 5000000000) < 20000000;
        cr_assert_leq(fast, exact + (near_knot ? 260 : 5), "at %ld", t);
    }
    made_end(&made, trace);
}

/* Somebody left before the last one came: where that is within the bound it may well be the clocks.
 */
Test(causality, is_hurt_only_beyond_the_bound)
{
    static uint32_t world_rank[] = {0, 1};
    const struct syn_communicator comm = {.size = 2, .known_count = 2, .world_rank = world_rank};
    struct syn_instance instance = {.comm = &comm,
                                    .op = SYN_OP_BLOCKING(BARRIER),
                                    .last_start_ns = 150,
                                    .first_end_ns = 100,
                                    .last_starter = 1,
                                    .bound_ns = 50};
    struct syn_causality causality = {0};
    syn_causality_add(&causality, &instance);
    cr_expect_eq(causality.within_count, 1);
    cr_expect_eq(causality.violation_count, 0);
    instance.bound_ns = 49;
    syn_causality_add(&causality, &instance);
    cr_expect_eq(causality.within_count, 1);
    cr_expect_eq(causality.violation_count, 1);
    cr_expect_eq(causality.worst_ns, 50);
    cr_expect_eq(causality.worst_bound_ns, 49);
    cr_expect_eq(causality.worst_late_rank, 1);
    cr_expect_eq(causality.worst_early_rank, 0);
    instance.first_end_ns = 150;
    syn_causality_add(&causality, &instance);
    cr_expect_eq(causality.checked_count, 3);
    cr_expect_eq(causality.violation_count, 1);
}

static struct syn_attributes attributes_over(int byte)
{
    struct syn_attributes attributes;
    memset(&attributes, byte, sizeof attributes);
    attributes.bytes = 8;
    attributes.comm = 1;
    attributes.site = 2;
    attributes.phase = 3;
    attributes.root = -1;
    attributes.op = 4;
    attributes.flags = 0;
    attributes.elements = 5;
    return attributes;
}

/* Memory between or behind members is of any content. */
Test(match, attributes_are_their_members)
{
    struct syn_attribute_table table = {0};
    const struct syn_attributes first = attributes_over(0), second = attributes_over(0xbe);
    struct syn_attributes third = attributes_over(0);
    third.elements = 6;
    cr_expect_eq(syn_attributes_number(&table, &first), 0);
    cr_expect_eq(syn_attributes_number(&table, &second), 0);
    cr_expect_eq(syn_attributes_number(&table, &third), 1);
    syn_attributes_free(&table);
}
