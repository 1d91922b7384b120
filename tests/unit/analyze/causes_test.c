/* Causes of waiting in small runs whose windows, shares and bounds are worked out by hand. They
 * show what the R oracle cannot (oracle_causes.R: short traces). */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/match/members/experiment.h"
#include "analyze/report/findings/facts.h"
#include "analyze/report/findings/report.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define BLOCKING(NAME)    SYN_OP_BLOCKING(NAME)
#define NONBLOCKING(NAME) ((uint16_t)(SYN_ROW_##NAME + SYN_FORM_NONBLOCKING * SYN_OP_FORM_STRIDE))

/* One end of a segment: a call, or the one that completes it. */
struct end {
    uint16_t op;
    bool is_completion;
};
#define INSIDE ((struct end){UINT16_MAX, false})

struct charged {
    int64_t waiting_ns, bound_ns;
};

static struct syn_report make(const struct made_trace *made)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)made->directory};
    const struct syn_experiment experiment = {.run = &path, .count = 1};
    const struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .confidence = 0.95, .sort = "total"};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    cr_assert_eq(report.run_count, 1);
    return report;
}

static bool is_end(const struct syn_cause_tables *tables, uint32_t point, struct end end)
{
    if (point == SYN_POINT_INSIDE || point == SYN_POINT_OUTSIDE || end.op == UINT16_MAX)
        return point == SYN_POINT_INSIDE && end.op == UINT16_MAX;
    const struct syn_cause_point *of = syn_point_at(tables, point);
    return of->op == end.op && of->is_completion == end.is_completion;
}

static struct charged charged_to_cell(const struct syn_cause_sums *sums,
                                      const struct syn_cause_cell *cell, enum syn_category category)
{
    const unsigned index = syn_category_index(category);
    struct charged charged = {0, syn_category_sums_of(cell, index)->bound_ns};
    for (uint32_t b = 0; b < sums->bins.count; b++)
        charged.waiting_ns += syn_bin_of_cell(sums, cell, b).waiting_ns[index];
    return charged;
}

/* Returns the waiting that `rank` caused by its own time from one call to another, or by the
 * operation inside a call. */
static struct charged charged_to(const struct syn_report *report, int rank, struct end from,
                                 struct end to)
{
    const struct syn_causes *causes = &report->run[0].causes;
    const struct syn_cause_sums *sums = &causes->sums;
    const uint32_t location = syn_location_of(&causes->plan, rank, 0);
    struct charged sum = {0, 0};
    for (uint32_t l = 0; l < causes->tables.labels.count; l++) {
        const struct syn_label *label = syn_label_at(&causes->tables, l);
        const struct syn_cause_cell *cell = syn_profile_cell(sums, location, l);
        if (!cell || !is_end(&causes->tables, label->from, from) ||
            !is_end(&causes->tables, label->to, to))
            continue;
        const struct charged charged = charged_to_cell(
            sums, cell, to.op == UINT16_MAX ? SYN_CATEGORY_OPERATION : SYN_CATEGORY_COMPUTING);
        sum.waiting_ns += charged.waiting_ns;
        sum.bound_ns += charged.bound_ns;
    }
    return sum;
}

/* Returns a rank's part of the critical path. */
static int64_t path_of(const struct syn_report *report, int rank)
{
    const struct syn_causes *causes = &report->run[0].causes;
    const uint32_t location = syn_location_of(&causes->plan, rank, 0);
    int64_t ns = 0;
    for (uint32_t l = 0; l < causes->sums.label_count; l++) {
        const struct syn_cause_cell *cell = syn_profile_cell(&causes->sums, location, l);
        for (unsigned index = 0; cell && index < SYN_CATEGORIES_OF_LABEL; index++)
            ns += syn_category_sums_of(cell, index)->path_ns;
    }
    return ns;
}

/* Times are given in microseconds: each bin's part of the waiting is shared by itself, to the
 * nanosecond. */
#define US INT64_C(1000)

static void add(struct made_trace *made, int rank, int64_t start_us, int64_t end_us, uint32_t comm,
                uint16_t op, uint64_t sequence)
{
    made_event(made, rank, US * start_us, US * end_us,
               (struct syn_event){.op = op, .comm = comm, .sequence = sequence, .root = -1});
}

/* Started by one call, completed by another one. */
static void add_started(struct made_trace *made, int rank, int64_t start_us, int64_t call_end_us,
                        int64_t wait_us, int64_t end_us, uint64_t sequence)
{
    made_raw(made, rank,
             (struct syn_event){.start_ticks = US * start_us,
                                .call_end_ticks = US * call_end_us,
                                .wait_start_ticks = US * wait_us,
                                .end_ticks = US * end_us,
                                .op = NONBLOCKING(ALLREDUCE),
                                .sequence = sequence,
                                .bytes = 8,
                                .root = -1,
                                .stack = SYN_NO_STACK});
}

/* The figure is that many microseconds. */
#define EXPECT_NEAR(got, expected_us)                                            \
    cr_expect(llabs((long long)(got) - (long long)(US * (expected_us))) <= 1000, \
              #got ": %lld ns, not %lld us", (long long)(got), (long long)(expected_us))

static const struct end started = {NONBLOCKING(ALLREDUCE), false};
static const struct end completed = {NONBLOCKING(ALLREDUCE), true};

/* Communicator 1 of ranks pair[0] and pair[1]. */
static void made_pair(struct made_trace *made, const int32_t pair[2])
{
    for (int m = 0; m < 2; m++)
        made_comm(made, pair[m],
                  (struct syn_comm_record){.index = 1,
                                           .id = 5,
                                           .parent_id = 1,
                                           .size = 2,
                                           .rank = m,
                                           .name = "pair",
                                           .world_ranks = pair});
}

/* Rank 1 is the last one of the whole because it waited for rank 0 in a half: rank 0 pays for both
 * waitings, and what the clocks may have added to either is of its bound. */
Test(causes, what_is_passed_on_takes_its_bound_along)
{
    static const int32_t half[] = {0, 1};
    struct made_trace made;
    made_begin_bounded(&made, 3, 20 * US, 0); /* differences: 40 us */
    made_pair(&made, half);
    for (int rank = 0; rank < 3; rank++)
        add(&made, rank, 1000, 1010, 0, BLOCKING(ALLREDUCE), 0);
    add(&made, 0, 4500, 4510, 1, BLOCKING(BARRIER), 0);
    add(&made, 1, 1500, 4510, 1, BLOCKING(BARRIER), 0);
    add(&made, 0, 4600, 4710, 0, BLOCKING(ALLGATHER), 1);
    add(&made, 1, 4700, 4710, 0, BLOCKING(ALLGATHER), 1);
    add(&made, 2, 2000, 4710, 0, BLOCKING(ALLGATHER), 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    /* In the half 3000 with a bound of 40. In the whole 100 and 2700 with 40 each: rank 1 waited
     * for 3000, its barrier took 5 longer than the mean of the others', and its segment 145. */
    const struct charged charged = charged_to(&report, 0, (struct end){BLOCKING(ALLREDUCE), false},
                                              (struct end){BLOCKING(BARRIER), false});
    EXPECT_NEAR(charged.waiting_ns, 3000 + 2800 * 3000 / 3150);
    EXPECT_NEAR(charged.bound_ns, 40 + 80 * 3000 / 3150);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Rank 0 computes from before all had started the first operation until after it: what it did
 * before that does not count against rank 1. */
Test(causes, a_window_begins_within_what_a_rank_was_doing)
{
    struct made_trace made;
    made_begin(&made, 2);
    add_started(&made, 0, 2000, 2000, 8000, 8010, 0);
    add_started(&made, 1, 6000, 6000, 9000, 9010, 0); /* from here on both are compared */
    add(&made, 0, 9000, 12010, 0, BLOCKING(ALLGATHER), 1);
    add(&made, 1, 12000, 12010, 0, BLOCKING(ALLGATHER), 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    /* Rank 0 waits for 3000. Rank 1 takes 3000 - 2000 longer up to its wait, and 2990 - 990 from
     * there on. */
    EXPECT_NEAR(charged_to(&report, 1, started, completed).waiting_ns, 1000);
    EXPECT_NEAR(
        charged_to(&report, 1, completed, (struct end){BLOCKING(ALLGATHER), false}).waiting_ns,
        2000);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Rank 0 has started one operation more, and computed for it, when rank 1 starts the one that rank
 * 0 waits for: what lies behind rank 0's own start does not count. */
Test(causes, a_window_ends_where_a_rank_started)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int rank = 0; rank < 2; rank++)
        add(&made, rank, 1000, 1010, 0, BLOCKING(ALLGATHER), 0);
    add_started(&made, 0, 1100, 1110, 7000, 7010, 1);
    add_started(&made, 0, 2000, 2010, 5000, 6100, 2);
    add_started(&made, 0, 4010, 4010, 8000, 8010, 3);
    add_started(&made, 1, 1100, 1600, 7000, 7010, 1);
    add_started(&made, 1, 6010, 6020, 7500, 7510, 2);
    add_started(&made, 1, 7020, 7030, 8000, 8010, 3);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    /* For the second operation rank 0 waits 10 in the call and 1010 in the wait. Since then rank 1
     * took 500 - 10 longer inside the first call, and 4410 - 890 from there to the second one. */
    EXPECT_NEAR(charged_to(&report, 1, started, INSIDE).waiting_ns, 1020 * 490 / 4010);
    EXPECT_NEAR(charged_to(&report, 1, started, started).waiting_ns, 1020 * 3520 / 4010);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Rank 1 is late for the first operation, and for the second one as it still is: before they have
 * completed the first, what lies between them is not to blame. */
Test(causes, who_is_still_late_is_not_late_by_what_came_since)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int rank = 0; rank < 2; rank++) {
        const int64_t late_us = 900 * rank;
        add(&made, rank, 1000, 1010, 0, BLOCKING(ALLGATHER), 0);
        add_started(&made, rank, 1100 + late_us, 1110 + late_us, 5000, 5010, 1);
        add_started(&made, rank, 2510 + late_us, 2520 + late_us, 6000, 6010, 2);
    }
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    /* Rank 0 waits for 10 in each of the calls that start one. */
    EXPECT_NEAR(
        charged_to(&report, 1, (struct end){BLOCKING(ALLGATHER), false}, started).waiting_ns, 20);
    EXPECT_NEAR(charged_to(&report, 1, started, started).waiting_ns, 0);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* Ranks 1 and `other` have gone on to wait for one another before `third`, which waited for rank 1
 * alone, starts the same operation in the order of the replay, whichever that is. */
static void path_by(int third, int other)
{
    const int32_t two[] = {third ? 0 : 1, third ? 1 : 2};
    struct made_trace made;
    made_begin(&made, 3);
    made_pair(&made, two);
    add_started(&made, other, 500, 510, 4500, 4510, 0);
    add_started(&made, 1, 2000, 2010, 5000, 5010, 0);
    add_started(&made, third, 600, 610, 1000, 2020, 0);
    add(&made, other, 4000, 4020, 1, BLOCKING(BARRIER), 0);
    add(&made, 1, 3000, 4020, 1, BLOCKING(BARRIER), 0);
    add(&made, third, 9000, 9010, 0, BLOCKING(REDUCE), 1); /* the end: nobody waits for it */
    add(&made, other, 6000, 6010, 0, BLOCKING(REDUCE), 1);
    add(&made, 1, 6000, 6010, 0, BLOCKING(REDUCE), 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    EXPECT_NEAR(path_of(&report, third), 9010 - 2000);
    EXPECT_NEAR(path_of(&report, 1), 2000 - 500);
    EXPECT_NEAR(path_of(&report, other), 0);
    syn_report_free(&report);
    made_end(&made, trace);
}

/* The path leads to whoever came last as that one was then, not as it is by now. */
Test(causes, the_path_leads_to_what_a_rank_had_done_as_it_started)
{
    path_by(2, 0);
    path_by(0, 2);
}

/* Between two calls of both, one rank makes so many of its own that what is kept of them is gone
 * through for what is not needed any more: all of it is. */
/* Blocks of time take no more memory because there are more sites. */
Test(causes, of_very_many_sites_have_fewer_blocks)
{
    const struct {
        uint32_t locations;
        uint64_t sites;
        uint32_t blocks;
    } of[] = {{8, 12, 64},    {8, 10000, 64},  {8, 20000, 32},       {8, 100000, 8},
              {256, 500, 64}, {256, 10000, 8}, {257, 12, 32},        {1024, 10000, 8},
              {4096, 12, 16}, {65536, 12, 8},  {1000000, 1000000, 8}};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++)
        cr_expect_eq(syn_cause_block_count(of[i].locations, of[i].sites), of[i].blocks, "%zu", i);
}

Test(causes, nothing_is_forgotten_that_a_window_reaches_back_to)
{
    enum { CALLS = 34000 };
    static const int32_t self[] = {1};
    struct made_trace made;
    made_begin(&made, 2);
    made_comm(&made, 1,
              (struct syn_comm_record){.index = 1,
                                       .id = 7,
                                       .parent_id = 1,
                                       .size = 1,
                                       .name = "MPI_COMM_SELF",
                                       .world_ranks = self});
    for (int rank = 0; rank < 2; rank++)
        add(&made, rank, 1000, 1010, 0, BLOCKING(ALLREDUCE), 0);
    for (int i = 0; i < CALLS; i++)
        add(&made, 1, 1020 + 20 * i, 1030 + 20 * i, 1, BLOCKING(BARRIER), (uint64_t)i);
    const int64_t last_us = 1020 + 20 * CALLS;
    add(&made, 0, 2000, last_us + 10, 0, BLOCKING(ALLGATHER), 1);
    add(&made, 1, last_us, last_us + 10, 0, BLOCKING(ALLGATHER), 1);
    struct syn_trace *trace = made_open(&made, 0);
    struct syn_report report = make(&made);
    const struct end alone = {BLOCKING(BARRIER), false};
    const int64_t owed_us = last_us - 2000, since_us = 20 * CALLS + 10;
    EXPECT_NEAR(charged_to(&report, 1, alone, INSIDE).waiting_ns,
                owed_us * (10 * CALLS) / since_us);
    EXPECT_NEAR(charged_to(&report, 1, alone, alone).waiting_ns,
                owed_us * (10 * (CALLS - 1)) / since_us);
    syn_report_free(&report);
    made_end(&made, trace);
}
