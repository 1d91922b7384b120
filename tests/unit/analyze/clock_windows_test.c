/* Bounds of clocks by instances: the tightest of all, on both sides, whoever read it. */
#include <criterion/criterion.h>
#include <stdint.h>

#include "analyze/clocks/solve.h"
#include "analyze/clocks/windows.h"
#include "analyze/match/match.h"
#include "trace/base/ops.h"

static uint32_t world_rank[] = {0, 1, 2, 3};
static const struct syn_communicator world = {.size = 4, .world_rank = world_rank};
/* Ranks 0 and 1 share the first clock, 2 and 3 the second. */
static const int32_t clock_of_rank[] = {0, 0, 1, 1};
static const struct syn_clock_plan plan = {.clock_of_rank = clock_of_rank,
                                           .rank_count = 4,
                                           .clock_count = 2,
                                           .last_ns = 999,
                                           .window_count = 1};

/* A barrier of all. */
static void add(struct syn_clock_windows *windows, const struct syn_member *member)
{
    const struct syn_instance instance = {.comm = &world, .op = SYN_ROW_BARRIER, .member = member};
    syn_clock_windows_add(windows, &instance);
}

Test(clock_windows, the_last_to_come_and_the_first_to_leave_of_each_clock_bound_it)
{
    static const struct syn_member member[] = {{.start_ns = 10, .end_ns = 110},
                                               {.start_ns = 20, .end_ns = 120},
                                               {.start_ns = 30, .end_ns = 105},
                                               {.start_ns = 15, .end_ns = 130}};
    struct syn_clock_windows windows;
    cr_assert_eq(syn_clock_windows_begin(&windows, &plan), 0);
    add(&windows, member);
    cr_expect_eq(windows.window[0].high_ns, 110 - 30);
    cr_expect_eq(windows.window[0].high_at_ns, 30);
    cr_expect_eq(windows.window[0].low_ns, 20 - 105);
    cr_expect_eq(windows.window[0].low_at_ns, 105);
    syn_clock_windows_free(&windows);
}

/* Each of two threads has seen the tighter bound of one side. */
Test(clock_windows, the_tighter_bound_of_either_part_stays)
{
    static const struct syn_member slow_there[] = {{.start_ns = 100, .end_ns = 110},
                                                   {.start_ns = 100, .end_ns = 110},
                                                   {.start_ns = 60, .end_ns = 112},
                                                   {.start_ns = 60, .end_ns = 112}};
    static const struct syn_member slow_back[] = {{.start_ns = 200, .end_ns = 210},
                                                  {.start_ns = 200, .end_ns = 210},
                                                  {.start_ns = 202, .end_ns = 290},
                                                  {.start_ns = 202, .end_ns = 290}};
    for (int order = 0; order < 2; order++) {
        struct syn_clock_windows one, other;
        cr_assert_eq(syn_clock_windows_begin(&one, &plan), 0);
        cr_assert_eq(syn_clock_windows_begin(&other, &plan), 0);
        add(&one, order ? slow_back : slow_there);
        add(&other, order ? slow_there : slow_back);
        syn_clock_windows_absorb(&one, &other);
        cr_expect_eq(one.window[0].low_ns, 100 - 112, "order %d", order);
        cr_expect_eq(one.window[0].high_ns, 210 - 202, "order %d", order);
        syn_clock_windows_free(&one);
        syn_clock_windows_free(&other);
    }
}
