/* Calls that a rank made more or fewer than the others; what members of an instance may differ in.
 */
#include <criterion/criterion.h>
#include <string.h>

#include "analyze/hang/order.h"
#include "analyze/match/members/said.h"
#include "trace/base/event.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"

/* ---- shifts ---- */

/* A letter each: capitals are Allreduces, small ones Barriers; places differ by letter. */
static size_t steps(const char *letters, struct syn_step *out)
{
    for (size_t i = 0; letters[i]; i++)
        out[i] =
            (struct syn_step){(uint32_t)letters[i], letters[i] < 'a' ? SYN_OP_BLOCKING(ALLREDUCE)
                                                                     : SYN_OP_BLOCKING(BARRIER)};
    return strlen(letters);
}

static struct syn_call_shift shift(const char *mine, const char *others)
{
    struct syn_step a[256], b[256];
    const size_t a_count = steps(mine, a), b_count = steps(others, b);
    struct syn_call_shift found = {0};
    size_t at = 0;
    while (a[at].op == b[at].op)
        at++;
    if (!syn_order_shift(a, a_count, b, b_count, at, &found))
        found.calls = 0;
    return found;
}

Test(order, one_call_less_in_a_loop)
{
    const struct syn_call_shift found = shift("AbAbAbbAbAbAbAbAb", "AbAbAbAbAbAbAbAbAb");
    cr_expect_eq(found.calls, -1);
    cr_expect_eq(found.at, 6);
    cr_expect_eq(found.site, 'A');
}

Test(order, one_call_less_where_all_stop_at_once)
{
    const struct syn_call_shift found = shift("AbAbAbb", "AbAbAbA");
    cr_expect_eq(found.calls, -1);
    cr_expect_eq(found.at, 6);
    cr_expect_eq(found.site, 'A');
}

Test(order, one_call_more_from_a_place_of_its_own)
{
    const struct syn_call_shift found = shift("AbAbAbxAbAb", "AbAbAbAbAbA");
    cr_expect_eq(found.calls, 1);
    cr_expect_eq(found.site, 'x');
}

Test(order, two_calls_less)
{
    cr_expect_eq(shift("AbCdAbAbCdAbCdAbCd", "AbCdAbCdAbCdAbCdAbCd").calls, -2);
}

Test(order, the_place_tells_before_the_operation_does)
{
    const struct syn_call_shift found = shift("ABCdABdABCdABCdABCd", "ABCdABCdABCdABCdABCd");
    cr_expect_eq(found.calls, -1);
    cr_expect_eq(found.site, 'C');
    const struct syn_call_shift early = shift("ABCdBCdABCdABCdABCd", "ABCdABCdABCdABCdABCd");
    cr_expect_eq(early.at, 4, "the missing A, and not the d that meets a C three calls later");
    cr_expect_eq(early.site, 'A');
}

Test(order, another_call_in_its_place_is_no_shift)
{
    cr_expect_eq(shift("AbAbAbxbAbAbAb", "AbAbAbAbAbAbAb").calls, 0);
}

Test(order, other_roots_of_the_same_calls_are_no_shift)
{
    struct syn_step all[8];
    struct syn_call_shift found;
    for (size_t i = 0; i < 8; i++)
        all[i] = (struct syn_step){3, SYN_OP_BLOCKING(BCAST)};
    cr_expect_not(syn_order_shift(all, 8, all, 8, 4, &found));
}

Test(order, the_first_calls_of_all_tell_nothing)
{
    cr_expect_eq(shift("b", "A").calls, 0);
}

/* ---- what may differ ---- */

static const struct syn_said bcast = {.op = SYN_OP_BLOCKING(BCAST), .bytes = 8, .root = 0};

static enum syn_difference with(struct syn_said a, struct syn_said b)
{
    return syn_said_difference(&a, &b);
}

Test(said, persistent_operations_start_in_any_order)
{
    const struct syn_said start = {
        .op = syn_op_id(SYN_ROW_ALLREDUCE, SYN_FORM_PERSISTENT), .bytes = 16, .root = -1};
    cr_expect_eq(with(bcast, start), SYN_DIFFERENCE_NONE);
    cr_expect_eq(with(start, bcast), SYN_DIFFERENCE_NONE);
}

Test(said, root_and_bytes_of_a_broadcast)
{
    struct syn_said other = bcast;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_NONE);
    other.site = 9;
    other.flags = SYN_EVENT_IN_PLACE | SYN_EVENT_PERTURBED;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_NONE, "other lines of the program are right");
    other.bytes = 16;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_BYTES);
    other.root = 1;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_ROOT);
    other.op = SYN_OP_BLOCKING(BARRIER);
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_OPERATION);
}

Test(said, v_variants_and_neighbourhoods_may_differ_in_bytes)
{
    const uint16_t ops[] = {SYN_OP_BLOCKING(GATHERV),
                            SYN_OP_BLOCKING(SCATTERV),
                            SYN_OP_BLOCKING(ALLGATHERV),
                            SYN_OP_BLOCKING(ALLTOALLV),
                            SYN_OP_BLOCKING(ALLTOALLW),
                            SYN_OP_BLOCKING(NEIGHBOR_ALLTOALL),
                            SYN_OP_BLOCKING(NEIGHBOR_ALLGATHER),
                            SYN_OP_BLOCKING(FILE_WRITE_ALL),
                            SYN_OP_BLOCKING(WIN_ALLOCATE)};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        cr_expect_eq(with((struct syn_said){.op = ops[i], .bytes = 8},
                          (struct syn_said){.op = ops[i], .bytes = 24}),
                     SYN_DIFFERENCE_NONE, "operation %u", ops[i]);
}

Test(said, of_intercommunicators_and_failed_calls_only_the_operation_counts)
{
    struct syn_said other = bcast;
    other.root = 1;
    other.bytes = 0;
    other.flags = SYN_EVENT_FAILED;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_NONE);
    other.flags = SYN_EVENT_INTERCOMM;
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_NONE);
    other.op = SYN_OP_BLOCKING(REDUCE);
    cr_expect_eq(with(bcast, other), SYN_DIFFERENCE_OPERATION);
}

Test(said, reductions_and_their_types)
{
    struct syn_said sum = {.op = SYN_OP_BLOCKING(ALLREDUCE),
                           .bytes = 8,
                           .elements = syn_attributes(SYN_REDUCTION_SUM, SYN_TYPE_FLOAT, 8)};
    struct syn_said other = sum;
    other.elements = syn_attributes(SYN_REDUCTION_MAX, SYN_TYPE_FLOAT, 8);
    cr_expect_eq(with(sum, other), SYN_DIFFERENCE_REDUCTION);
    other.elements = syn_attributes(SYN_REDUCTION_SUM, SYN_TYPE_INTEGER, 8);
    cr_expect_eq(with(sum, other), SYN_DIFFERENCE_TYPE);
    other.elements = syn_attributes(SYN_REDUCTION_SUM, SYN_TYPE_DERIVED, 8);
    cr_expect_eq(with(sum, other), SYN_DIFFERENCE_NONE);
    other.elements = 0;
    cr_expect_eq(with(sum, other), SYN_DIFFERENCE_NONE, "an older trace does not say");
    struct syn_said a = bcast, b = bcast;
    a.elements = syn_attributes(SYN_REDUCTION_NONE, SYN_TYPE_INTEGER, 4);
    b.elements = syn_attributes(SYN_REDUCTION_NONE, SYN_TYPE_FLOAT, 8);
    cr_expect_eq(with(a, b), SYN_DIFFERENCE_NONE, "two ints as one double: legal by signature");
}

Test(said, the_first_kind_of_an_instance_counts)
{
    struct syn_said said[4] = {bcast, bcast, bcast, bcast};
    said[3].bytes = 9;
    cr_expect_eq(syn_said_compare(said, 4), SYN_DIFFERENCE_BYTES);
    said[1].root = 2;
    cr_expect_eq(syn_said_compare(said, 4), SYN_DIFFERENCE_ROOT);
    said[0].bytes = said[1].bytes = SYN_SAID_NO_BYTES;
    said[1].root = 0;
    cr_expect_eq(syn_said_compare(said, 4), SYN_DIFFERENCE_BYTES,
                 "those that know are compared, though the first does not");
}
