/* Causes of waiting in messages: small runs worked out by hand, and drawn ones of which every
 * nanosecond is asked for. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/findings/profile.h"
#include "analyze/match/members/experiment.h"
#include "analyze/report/findings/facts.h"
#include "analyze/report/findings/report.h"
#include "made_trace.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

#define US     INT64_C(1000)
#define LARGE  (UINT64_C(1) << 20)
#define EVENTS 4096

/* ---- a run ---- */

/* Events of each rank, in the order in which they are posted. */
struct run {
    struct made_trace made;
    struct syn_event event[MADE_RANKS][EVENTS];
    size_t count[MADE_RANKS];
    uint32_t order[MADE_RANKS];
    uint64_t barriers[MADE_RANKS];
};

static struct run run;

static void begin(int ranks, int64_t bound_ns)
{
    memset(&run, 0, sizeof run);
    made_begin_bounded(&run.made, ranks, bound_ns, 0);
    for (int r = 0; r < ranks; r++)
        cr_assert_eq(syn_writer_meta(run.made.writer[r], "messages.recorded", "events"), 0);
}

static struct syn_event *add(int rank, struct syn_event event)
{
    cr_assert_lt(run.count[rank], (size_t)EVENTS);
    event.stack = SYN_NO_STACK;
    run.event[rank][run.count[rank]] = event;
    return &run.event[rank][run.count[rank]++];
}

static void barrier(int rank, int64_t start_us, int64_t end_us)
{
    add(rank, (struct syn_event){.start_ticks = US * start_us,
                                 .call_end_ticks = US * end_us,
                                 .wait_start_ticks = US * start_us,
                                 .end_ticks = US * end_us,
                                 .op = SYN_OP_BLOCKING(BARRIER),
                                 .sequence = run.barriers[rank]++,
                                 .root = -1});
}

/* A message posted by a call of its own, and completed by another one. */
static struct syn_event *post(int rank, uint16_t op, int peer, uint64_t bytes, int64_t start_us,
                              int64_t call_end_us, int64_t wait_us, int64_t end_us)
{
    const uint64_t is_receive = op == SYN_CALL_Recv || op == SYN_CALL_Irecv;
    return add(rank, (struct syn_event){.start_ticks = US * start_us,
                                        .call_end_ticks = US * call_end_us,
                                        .wait_start_ticks = US * wait_us,
                                        .end_ticks = US * end_us,
                                        .op = op,
                                        .sequence = (uint64_t)run.order[rank]++ << 32 | 7,
                                        .bytes = is_receive << 48 | bytes,
                                        .root = peer});
}

static void call(int rank, uint16_t op, int peer, uint64_t bytes, int64_t start_us, int64_t end_us)
{
    post(rank, op, peer, bytes, start_us, end_us, start_us, end_us);
}

static struct syn_trace *finish(void)
{
    for (int r = 0; r < run.made.rank_count; r++)
        for (size_t i = 0; i < run.count[r]; i++)
            made_raw(&run.made, r, run.event[r][i]);
    return made_open(&run.made, 0);
}

static struct syn_report report_of(size_t slice_events)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)run.made.directory};
    const struct syn_experiment experiment = {.run = &path, .count = 1};
    const struct syn_report_options options = {
        .by = SYN_BY_DEFAULT, .confidence = 0.95, .sort = "total", .slice_events = slice_events};
    struct syn_report report;
    char *why = NULL;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    return report;
}

/* ---- what it says ---- */

struct told {
    int64_t waiting_ns, unknown_ns, caused_ns, path_ns;
    int64_t caused_by[MADE_RANKS]; /* by own time */
    int64_t time_ns[MADE_RANKS];
    int64_t messages_ns, hops_ns[SYN_HOPS];
    uint32_t hops_most;
};

static struct told told_by(const struct syn_report *report)
{
    const struct syn_causes *causes = &report->run[0].causes;
    const struct syn_cause_sums *sums = &causes->sums;
    struct told told = {.waiting_ns = sums->waiting_ns};
    for (int i = 0; i < SYN_UNKNOWN_COUNT; i++)
        told.unknown_ns += sums->unknown_ns[i];
    for (uint32_t n = 1; n <= sums->cell_count; n++) {
        const struct syn_cause_cell *cell = syn_cause_cell_at(sums, n);
        const int32_t rank = causes->plan.location[cell->location].rank;
        const bool is_call = syn_label_is_call(syn_label_at(&causes->tables, cell->label));
        for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
            told.caused_ns += cell->waiting_ns[index];
            told.caused_by[rank] += is_call ? 0 : cell->waiting_ns[index];
            told.time_ns[rank] += cell->ns[index];
            told.path_ns += syn_category_sums_of(cell, index)->path_ns;
            for (unsigned h = 0; cell->reach && h < SYN_HOPS; h++)
                told.hops_ns[h] += cell->reach[index].hops_ns[h];
            told.messages_ns += cell->reach ? cell->reach[index].messages_ns : 0;
            if (cell->reach && cell->reach[index].hops_most > told.hops_most)
                told.hops_most = cell->reach[index].hops_most;
        }
    }
    return told;
}

/* The table of messages has the same waiting. */
static void expect_table(const struct syn_report *report)
{
    const struct syn_message_sums *table = &report->run[0].messages.sums;
    const int64_t *causes = report->run[0].causes.sums.messages_ns;
    cr_expect_eq(causes[0], table->late_receiver_ns, "%lld, in the table %lld",
                 (long long)causes[0], (long long)table->late_receiver_ns);
    cr_expect_eq(causes[1], table->late_sender_ns, "%lld, in the table %lld", (long long)causes[1],
                 (long long)table->late_sender_ns);
}

/* The report's figures, of which nothing is lost. */
static struct told tell(void)
{
    struct syn_trace *trace = finish();
    struct syn_report report = report_of(0);
    const struct told told = told_by(&report);
    const int64_t length_ns =
        report.run[0].causes.sums.path_end_ns - report.run[0].causes.sums.path_start_ns;
    cr_expect_eq(told.caused_ns + told.unknown_ns, told.waiting_ns);
    cr_expect_eq(told.path_ns, length_ns);
    expect_table(&report);
    for (int r = 0; r < run.made.rank_count; r++)
        cr_expect_eq(told.time_ns[r], length_ns, "rank %d: %lld, not %lld", r,
                     (long long)told.time_ns[r], (long long)length_ns);
    syn_report_free(&report);
    made_end(&run.made, trace);
    return told;
}

#define EXPECT_US(got, us) \
    cr_expect_eq((got), US *(us), #got ": %lld ns, not %lld us", (long long)(got), (long long)(us))

Test(causes_messages, a_receiver_waits_until_the_send_starts)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    call(0, SYN_CALL_Send, 1, 8, 110, 112);
    call(1, SYN_CALL_Recv, 0, 8, 20, 115);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90);
    EXPECT_US(told.caused_by[0], 90);
    EXPECT_US(told.messages_ns, 90);
    EXPECT_US(told.hops_ns[0], 90);
}

Test(causes_messages, a_sender_waits_for_the_receive_where_it_is_inside)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    call(1, SYN_CALL_Send, 0, LARGE, 20, 130);
    call(0, SYN_CALL_Recv, 1, LARGE, 110, 130);
    call(1, SYN_CALL_Send, 0, 8, 140, 141); /* leaves at once */
    call(0, SYN_CALL_Recv, 1, 8, 180, 181);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90);
    EXPECT_US(told.caused_by[0], 90);
    EXPECT_US(told.caused_by[1], 0);
}

/* Rank 0 computes longer; 1 waits for it, 2 for 1, 3 for 2. */
Test(causes_messages, who_only_passes_on_is_no_cause)
{
    begin(4, 0);
    for (int r = 0; r < 4; r++)
        barrier(r, 0, 10);
    call(0, SYN_CALL_Send, 1, 8, 110, 111);
    for (int r = 1; r < 4; r++) {
        call(r, SYN_CALL_Recv, r - 1, 8, 20, 110 + 10 * r);
        if (r < 3)
            call(r, SYN_CALL_Send, r + 1, 8, 110 + 10 * r, 111 + 10 * r);
    }
    for (int r = 0; r < 4; r++)
        barrier(r, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90 + 100 + 110);
    cr_expect(llabs((long long)(told.caused_by[0] - US * 270)) <= US); /* the rest: receiving */
    EXPECT_US(told.caused_by[1] + told.caused_by[2] + told.caused_by[3], 0);
    cr_expect_eq(told.hops_most, 2u);
    EXPECT_US(told.messages_ns, 300);
}

/* A call that completes two receives waits for the later one. */
Test(causes_messages, a_call_waits_for_what_comes_last)
{
    begin(3, 0);
    for (int r = 0; r < 3; r++)
        barrier(r, 0, 10);
    post(0, SYN_CALL_Irecv, 1, 8, 12, 13, 20, 120);
    post(0, SYN_CALL_Irecv, 2, 8, 14, 15, 20, 120);
    call(1, SYN_CALL_Send, 0, 8, 60, 61);
    call(2, SYN_CALL_Send, 0, 8, 110, 111);
    for (int r = 0; r < 3; r++)
        barrier(r, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90);
    EXPECT_US(told.caused_by[1], 0);
    EXPECT_US(told.caused_by[2], 90);
}

Test(causes_messages, a_small_send_that_is_one_of_several_waits_for_nobody)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    post(0, SYN_CALL_Isend, 1, 8, 12, 13, 20, 120);
    post(0, SYN_CALL_Irecv, 1, 8, 14, 15, 20, 120);
    call(1, SYN_CALL_Send, 0, 8, 20, 21);
    call(1, SYN_CALL_Recv, 0, 8, 110, 111);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    EXPECT_US(tell().waiting_ns, 0);
}

/* It is over when it is posted, however long that takes. */
Test(causes_messages, a_nonblocking_send_that_is_over_at_once_waits_for_nobody)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    post(0, SYN_CALL_Isend, 1, 8, 12, 60, 60, 60);
    call(1, SYN_CALL_Recv, 0, 8, 40, 61);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    EXPECT_US(tell().waiting_ns, 0);
}

Test(causes_messages, waiting_below_the_bound_is_not_claimed)
{
    begin(2, 100 * US);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    call(0, SYN_CALL_Send, 1, 8, 110, 112);
    call(1, SYN_CALL_Recv, 0, 8, 20, 115);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    EXPECT_US(tell().waiting_ns, 0);
}

/* Rank 1 was slow before rank 0 waited for it, rank 0 after. */
Test(causes_messages, a_window_begins_where_one_waited_for_the_other)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    call(0, SYN_CALL_Recv, 1, 8, 20, 112);
    call(1, SYN_CALL_Send, 0, 8, 110, 111);
    call(0, SYN_CALL_Send, 1, 8, 170, 171);
    call(1, SYN_CALL_Recv, 0, 8, 120, 175);
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90 + 50);
    EXPECT_US(told.caused_by[1], 90);
    cr_expect_gt(told.caused_by[0], 47 * US); /* the rest: its receive took 2 us more */
}

/* Both messages of an exchange are in one call. */
Test(causes_messages, an_exchange_waits_once)
{
    begin(2, 0);
    barrier(0, 0, 10);
    barrier(1, 0, 10);
    for (int r = 0; r < 2; r++) {
        call(r, SYN_CALL_Sendrecv, 1 - r, 8, r ? 110 : 20, 115);
        run.event[r][run.count[r] - 1].bytes = 8;
        call(r, SYN_CALL_Sendrecv, 1 - r, 8, r ? 110 : 20, 115);
        run.event[r][run.count[r] - 1].bytes = (uint64_t)SYN_MESSAGE_RECEIVE << 48 | 8;
    }
    barrier(0, 200, 210);
    barrier(1, 200, 210);
    const struct told told = tell();
    EXPECT_US(told.waiting_ns, 90);
    EXPECT_US(told.caused_by[1], 90);
}

/* Rank 0 sends at once, rank 1 receives behind the next barrier, into a larger buffer. */
Test(causes_messages, a_message_across_a_barrier_has_the_size_of_its_send)
{
    begin(2, 0);
    for (int i = 0; i < 40; i++) {
        const int64_t us = 100 * i;
        barrier(0, us, us + 10);
        barrier(1, us, us + 10);
        if (i > 0) {
            call(1, SYN_CALL_Recv, 0, 64, us + 20, us + 21);
            run.event[1][run.count[1] - 1].bytes |= (uint64_t)SYN_MESSAGE_POSTED << 48;
        }
        if (i < 39)
            call(0, SYN_CALL_Send, 1, 8, us + 50, us + 51);
    }
    struct syn_trace *trace = finish();
    for (size_t events = 1; events <= 256; events *= 4) {
        struct syn_report report = report_of(events);
        const struct syn_message_sums *sums = &report.run[0].messages.sums;
        cr_expect_eq(sums->count, 39u);
        cr_expect_eq(sums->bytes, 39u * 8, "slices of %zu: %lu bytes", events, sums->bytes);
        cr_expect_eq(sums->unmatched, 0u);
        cr_expect_eq(report.run[0].messages.pair_count, 1u);
        cr_expect_eq(report.run[0].messages.pair->bytes, 39u * 8);
        EXPECT_US(sums->late_sender_ns + sums->late_receiver_ns, 0);
        EXPECT_US(sums->transfer_ns, 78);
        syn_report_free(&report);
    }
    made_end(&run.made, trace);
}

/* ---- drawn programs ---- */

static uint64_t state;
static int64_t draw(int64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int64_t)((state >> 33) % (uint64_t)below);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

/* One rank sends to another, both by calls of their own. */
static void drawn_message(int64_t *now, int from, int to)
{
    const bool large = draw(3) == 0;
    const int64_t send = now[from] + draw(50), receive = now[to] + draw(50);
    const int64_t sent = large ? later(send, receive) + 3 : send + 1;
    const int64_t received = later(large ? sent : send + 2, receive + 1);
    call(from, SYN_CALL_Send, to, large ? LARGE : 8, send, sent);
    call(to, SYN_CALL_Recv, from, large ? LARGE : 8, receive, received);
    now[from] = sent;
    now[to] = received;
}

/* All send to the next and receive from the one before, and complete both at once. */
static void drawn_ring(int64_t *now, int ranks)
{
    int64_t start[MADE_RANKS], wait[MADE_RANKS];
    for (int r = 0; r < ranks; r++) {
        start[r] = now[r] + draw(80);
        wait[r] = start[r] + 4 + draw(30);
    }
    for (int r = 0; r < ranks; r++) {
        const int before = (r + ranks - 1) % ranks;
        const int64_t end = later(wait[r], start[before] + 4) + 1;
        post(r, SYN_CALL_Irecv, before, 8, start[r], start[r] + 1, wait[r], end);
        post(r, SYN_CALL_Isend, (r + 1) % ranks, 8, start[r] + 2, start[r] + 3, wait[r], end);
        now[r] = end;
    }
}

static void drawn_barrier(int64_t *now, int ranks)
{
    int64_t last = 0;
    for (int r = 0; r < ranks; r++) {
        now[r] += draw(40);
        last = later(now[r], last);
    }
    for (int r = 0; r < ranks; r++) {
        const int64_t start = now[r];
        now[r] = last + 2 + draw(3);
        barrier(r, start, now[r]);
    }
}

static void draw_program(uint64_t seed, int ranks, int rounds, int64_t bound_ns)
{
    int64_t now[MADE_RANKS] = {0};
    state = seed;
    begin(ranks, bound_ns);
    drawn_barrier(now, ranks);
    for (int i = 0; i < rounds; i++) {
        const int64_t what = draw(10);
        if (what == 0)
            drawn_barrier(now, ranks);
        else if (what < 4)
            drawn_ring(now, ranks);
        else {
            const int from = (int)draw(ranks);
            drawn_message(now, from, (from + 1 + (int)draw(ranks - 1)) % ranks);
        }
    }
}

Test(causes_messages, nothing_of_drawn_programs_is_lost)
{
    for (uint64_t seed = 1; seed <= 30; seed++) {
        draw_program(seed, 2 + (int)(seed % 4), 120, (int64_t)(seed % 3) * 4 * US);
        const struct told told = tell();
        cr_expect_gt(told.waiting_ns, 0, "seed %llu", (unsigned long long)seed);
        cr_expect_gt(told.caused_ns, told.waiting_ns / 2, "seed %llu", (unsigned long long)seed);
    }
}

Test(causes_messages, slices_do_not_matter)
{
    for (uint64_t seed = 1; seed <= 10; seed++) {
        draw_program(seed, 4, 300, (int64_t)(seed % 2) * 7 * US);
        struct syn_trace *trace = finish();
        struct syn_report whole = report_of(0);
        const struct told expected = told_by(&whole);
        for (size_t events = 16; events <= 256; events *= 4) {
            struct syn_report report = report_of(events);
            const struct told got = told_by(&report);
            cr_expect(memcmp(&got, &expected, sizeof got) == 0, "seed %llu, slices of %zu",
                      (unsigned long long)seed, events);
            expect_table(&report);
            syn_report_free(&report);
        }
        syn_report_free(&whole);
        made_end(&run.made, trace);
    }
}
