/* Disagreements in made traces: the first of each communicator, who is in the minority, how many
 * follow; right traces have none. */
#include <criterion/criterion.h>

#include "analyze/hang/examine.h"
#include "made_trace.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"

struct examined {
    struct syn_names names;
    struct syn_comms comms;
    struct syn_examination examination;
};

static struct syn_mismatches *examine(struct examined *examined, struct syn_trace *trace)
{
    const struct syn_hang_options options = SYN_HANG_OPTIONS;
    *examined = (struct examined){0};
    cr_assert_eq(syn_comms_open(trace, &examined->names, &examined->comms), 0);
    const struct syn_look look = {
        .trace = trace, .comms = &examined->comms, .names = &examined->names};
    cr_assert_eq(syn_examine(&examined->examination, &look, &options, true), 0);
    return &examined->examination.mismatches;
}

static void forget(struct examined *examined)
{
    syn_examine_free(&examined->examination);
    syn_comms_close(&examined->comms);
    syn_names_free(&examined->names);
}

/* The i-th call of a rank. */
static void call(struct made_trace *made, int rank, uint64_t i, uint16_t op, int32_t root,
                 uint64_t bytes)
{
    made_event(made, rank, (int64_t)i * 100, (int64_t)i * 100 + 50,
               (struct syn_event){.op = op, .root = root, .bytes = bytes, .sequence = i});
}

static const uint16_t bcast = SYN_OP_BLOCKING(BCAST), allreduce = SYN_OP_BLOCKING(ALLREDUCE),
                      barrier = SYN_OP_BLOCKING(BARRIER), gatherv = SYN_OP_BLOCKING(GATHERV);

Test(mismatch, ranks_that_agree_are_not_accused)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 4);
    for (uint64_t i = 0; i < 40; i++)
        for (int r = 0; r < 4; r++)
            if (i % 2)
                call(&made, r, i, bcast, (int32_t)(i % 4), 8 * i);
            else
                call(&made, r, i, gatherv, 0, (uint64_t)r * 100);
    struct syn_trace *trace = made_open(&made, 0);
    cr_expect_eq(examine(&examined, trace)->count, 0);
    cr_expect_not(syn_examine_accuses(&examined.examination));
    forget(&examined);
    made_end(&made, trace);
}

Test(mismatch, another_root_is_told_with_its_rank)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 4);
    for (uint64_t i = 0; i < 10; i++)
        for (int r = 0; r < 4; r++)
            call(&made, r, i, bcast, r == 2 && i == 7 ? 2 : 0, 8);
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].by, SYN_DIFFERENCE_ROOT);
    cr_expect_eq(found->at[0].sequence, 7);
    cr_expect_eq(found->at[0].instance_count, 1);
    cr_assert_eq(found->at[0].rank_count, 1);
    cr_expect_eq(found->at[0].rank[0], 2);
    cr_expect_eq(found->at[0].others_count, 3);
    cr_expect_str_eq(found->at[0].what, "root 2");
    cr_expect_str_eq(found->at[0].others_what, "root 0");
    cr_expect(syn_examine_accuses(&examined.examination));
    forget(&examined);
    made_end(&made, trace);
}

Test(mismatch, the_first_of_several_is_told)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 4);
    for (uint64_t i = 0; i < 10; i++)
        for (int r = 0; r < 4; r++)
            call(&made, r, i, bcast, (r == 2 && i == 7) || (r == 1 && i == 3) ? r : 0, 8);
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].sequence, 3);
    cr_expect_eq(found->at[0].rank[0], 1);
    cr_expect_eq(found->at[0].instance_count, 2);
    forget(&examined);
    made_end(&made, trace);
}

Test(mismatch, of_equal_parts_those_that_differ_from_member_0_are_told)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 4);
    for (int r = 0; r < 4; r++)
        call(&made, r, 0, bcast, 0, r == 0 || r == 3 ? 16 : 8);
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].by, SYN_DIFFERENCE_BYTES);
    cr_assert_eq(found->at[0].rank_count, 2);
    cr_expect_eq(found->at[0].rank[0], 1);
    cr_expect_eq(found->at[0].rank[1], 2);
    cr_expect_str_eq(found->at[0].what, "8 B");
    forget(&examined);
    made_end(&made, trace);
}

/* Rank 1 leaves out the Allreduce of round 6, and ends with one more. */
Test(mismatch, a_rank_that_made_one_call_less_is_out_of_order)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 3);
    for (int r = 0; r < 3; r++) {
        uint64_t made_calls = 0;
        for (int round = 0; round < 20; round++) {
            if (r != 1 || round != 6)
                call(&made, r, made_calls++, allreduce, -1, 8);
            call(&made, r, made_calls++, barrier, -1, 0);
        }
    }
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].shift, -1);
    cr_expect_eq(found->at[0].sequence, 12);
    cr_expect_eq(found->at[0].op, allreduce);
    cr_expect_eq(found->at[0].instance_count, 27, "of 40, the last of which lacks rank 1");
    cr_expect_eq(found->at[0].rank[0], 1);
    cr_expect_str_eq(found->at[0].what, "one MPI_Allreduce less");
    forget(&examined);
    made_end(&made, trace);
}

Test(mismatch, members_that_are_there_are_compared_where_others_lack)
{
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 3);
    call(&made, 0, 0, bcast, 0, 8);
    call(&made, 1, 0, bcast, 0, 8);
    call(&made, 2, 0, bcast, 0, 8);
    call(&made, 0, 1, barrier, -1, 0);
    call(&made, 2, 1, allreduce, -1, 8);
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].by, SYN_DIFFERENCE_OPERATION);
    cr_expect_eq(found->at[0].rank[0], 2);
    cr_expect_eq(found->at[0].others_count, 1);
    forget(&examined);
    made_end(&made, trace);
}

/* Members 1 and 2 did not say, member 3 failed: they are no majority. */
Test(mismatch, members_that_did_not_say_have_no_vote)
{
    static const enum syn_reduction said[] = {SYN_REDUCTION_SUM, SYN_REDUCTION_NONE,
                                              SYN_REDUCTION_NONE, SYN_REDUCTION_MAX,
                                              SYN_REDUCTION_MAX};
    struct made_trace made;
    struct examined examined;
    made_begin(&made, 5);
    for (int r = 0; r < 5; r++)
        made_event(&made, r, 0, 50,
                   (struct syn_event){
                       .op = allreduce,
                       .root = -1,
                       .flags = r == 3 ? SYN_EVENT_FAILED : 0,
                       .bytes = (uint64_t)syn_attributes(said[r], SYN_TYPE_INTEGER, 4)
                                    << SYN_ATTRIBUTES_SHIFT |
                                4,
                   });
    struct syn_trace *trace = made_open(&made, 0);
    const struct syn_mismatches *found = examine(&examined, trace);
    cr_assert_eq(found->count, 1);
    cr_expect_eq(found->at[0].by, SYN_DIFFERENCE_REDUCTION);
    cr_assert_eq(found->at[0].rank_count, 1);
    cr_expect_eq(found->at[0].rank[0], 4);
    cr_expect_eq(found->at[0].others_count, 1);
    cr_expect_str_eq(found->at[0].others_what, "MPI_SUM");
    forget(&examined);
    made_end(&made, trace);
}
