/* Messages of two sides, by call site and by pair of ranks: what waits longer is named with its
 * size, and nothing else is. */
#include <criterion/criterion.h>
#include <math.h>
#include <string.h>

#include "analyze/diff/diff_parts.h"
#include "analyze/match/members/experiment.h"
#include "made_trace.h"
#include "trace/base/calls.h"
#include "trace/base/ops.h"
#include "trace/events/message.h"

#define US     INT64_C(1000)
#define RUNS   8
#define PASSES 40
#define LATE   (10000 * US)

static uint64_t random_state;
static enum syn_adjust adjust = SYN_ADJUST_HOLM;
static bool without_barriers;

/* Up to `most` ns. */
static int64_t noise(int64_t most)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)((random_state >> 33) % (uint64_t)(most + 1));
}

struct side {
    struct made_trace made[RUNS];
    struct syn_trace *trace[RUNS];
    struct syn_run_path path[RUNS];
};

static void message(struct made_trace *made, int rank, uint16_t op, int peer, uint32_t pass,
                    int64_t start_ns, int64_t call_end_ns, int64_t wait_ns, int64_t end_ns)
{
    const uint64_t is_receive = op == SYN_CALL_Recv || op == SYN_CALL_Irecv;
    made_raw(made, rank,
             (struct syn_event){.start_ticks = start_ns,
                                .call_end_ticks = call_end_ns,
                                .wait_start_ticks = wait_ns,
                                .end_ticks = end_ns,
                                .op = op,
                                .stack = SYN_NO_STACK,
                                .sequence = (uint64_t)pass << 32 | 7,
                                .bytes = is_receive << 48 | 8,
                                .root = peer});
}

/* Rank 0 sends to 1, and 2 to 3, in each pass; then all meet. Rank 0 computes `late_ns` longer
 * before it sends. */
static void make_run(struct made_trace *made, int64_t late_ns)
{
    const int64_t level_ns = 20 * US + noise(2 * US);
    int64_t now_ns = 1000 * US;
    made_begin(made, 4);
    for (int r = 0; r < 4; r++)
        cr_assert_eq(syn_writer_meta(made->writer[r], "messages.recorded", "events"), 0);
    for (uint32_t pass = 0; pass < PASSES; pass++) {
        int64_t done_ns = now_ns;
        for (int r = 0; r < 4; r += 2) {
            const int64_t post_ns = now_ns + noise(US);
            const int64_t send_ns = now_ns + level_ns + noise(US) + (r == 0 ? late_ns : 0);
            const int64_t got_ns =
                (send_ns > post_ns ? send_ns : post_ns) + 3 * US + noise(US / 10);
            message(made, r, r == 0 ? SYN_CALL_Send : SYN_CALL_Ssend, r + 1, pass, send_ns,
                    send_ns + US, send_ns, send_ns + US);
            if (r == 0)
                message(made, 1, SYN_CALL_Recv, 0, pass, post_ns, got_ns, post_ns, got_ns);
            else
                message(made, 3, SYN_CALL_Irecv, 2, pass, post_ns, post_ns + 100, post_ns + US,
                        got_ns);
            done_ns = got_ns > done_ns ? got_ns : done_ns;
        }
        for (int r = 0; r < 4 && !without_barriers; r++)
            made_event(made, r, done_ns + noise(US), done_ns + 4 * US,
                       (struct syn_event){.op = SYN_OP_BLOCKING(BARRIER),
                                          .stack = SYN_NO_STACK,
                                          .sequence = pass,
                                          .root = -1});
        now_ns = done_ns + 10 * US;
    }
}

static void make_side(struct side *side, int64_t late_ns)
{
    for (int i = 0; i < RUNS; i++) {
        make_run(&side->made[i], late_ns);
        side->trace[i] = made_open(&side->made[i], 0);
        side->path[i] =
            (struct syn_run_path){.run = (uint32_t)i + 1, .directory = side->made[i].directory};
    }
}

static struct syn_diff compare(struct side side[2], int64_t a_late_ns, int64_t b_late_ns)
{
    const struct syn_diff_options options = {.metric = SYN_METRIC_COMPLETION,
                                             .by = SYN_BY_DEFAULT,
                                             .alternative = SYN_TWO_SIDED,
                                             .adjust = adjust,
                                             .confidence = 0.95,
                                             .threshold = 0.02,
                                             .top = 20};
    struct syn_experiment experiment[2];
    struct syn_diff diff;
    char *why = NULL;
    make_side(&side[0], a_late_ns);
    make_side(&side[1], b_late_ns);
    for (int i = 0; i < 2; i++)
        experiment[i] = (struct syn_experiment){.run = side[i].path, .count = RUNS};
    cr_assert_eq(syn_diff_make(experiment, &options, &diff, &why), 0, "%s", why ? why : "");
    return diff;
}

static void end(struct side side[2], struct syn_diff *diff)
{
    syn_diff_free(diff);
    for (int i = 0; i < 2 * RUNS; i++)
        made_end(&side[i / RUNS].made[i % RUNS], side[i / RUNS].trace[i % RUNS]);
}

/* The late sender of rank 1: at its call, or of the pair. */
static bool is_due_to_rank_0(const struct syn_segment *item)
{
    return item->messages.kind == SYN_MESSAGES_LATE_SENDER &&
           (item->op ? strcmp(item->op, "MPI_Recv") == 0 : item->messages.source == 0);
}

Test(diff_messages, a_late_sender_is_named_with_its_size)
{
    static struct side side[2];
    random_state = 7;
    struct syn_diff diff = compare(side, 0, LATE);
    size_t named = 0, pairs = 0;
    for (size_t i = 0; i < diff.messages.count; i++) {
        const struct syn_segment *item = &diff.messages.item[i];
        const bool is_claimed =
            syn_segment_is_on_both(item) &&
            (item->verdict == SYN_VERDICT_SLOWER || item->verdict == SYN_VERDICT_FASTER ||
             item->verdict == SYN_VERDICT_UNCLEAR);
        cr_expect_eq(is_claimed, is_due_to_rank_0(item), "%s %d to %d, kind %d: %s",
                     item->op ? item->op : "pair", item->messages.source,
                     item->messages.destination, (int)item->messages.kind,
                     syn_verdict_text(item->verdict));
        if (!is_due_to_rank_0(item))
            continue;
        named++;
        pairs += !item->op;
        cr_expect_eq(item->verdict, SYN_VERDICT_SLOWER);
        cr_expect(item->change.low < LATE && item->change.high > LATE, "[%g, %g]", item->change.low,
                  item->change.high);
        cr_expect_float_eq(item->change_ns, (double)LATE * PASSES, (double)LATE);
        cr_expect_gt(item->ratio.low, 100);
    }
    cr_expect_eq(named, 2);
    cr_expect_eq(pairs, 1);
    end(side, &diff);
}

Test(diff_messages, equal_programs_claim_nothing)
{
    static struct side side[2];
    random_state = 8;
    struct syn_diff diff = compare(side, 0, 0);
    cr_expect_gt(diff.messages.both_count, 4);
    cr_expect_eq(diff.messages.verdict_count[SYN_VERDICT_SLOWER], 0);
    cr_expect_eq(diff.messages.verdict_count[SYN_VERDICT_FASTER], 0);
    cr_expect_eq(diff.messages.verdict_count[SYN_VERDICT_UNCLEAR], 0);
    end(side, &diff);
}

/* In A rank 0 sends before its receive is posted. There is no ratio: the change alone tells. */
Test(diff_messages, nobody_may_wait_in_a)
{
    static struct side side[2];
    random_state = 9;
    struct syn_diff diff = compare(side, -25 * US, 0);
    size_t named = 0;
    for (size_t i = 0; i < diff.messages.count; i++) {
        const struct syn_segment *item = &diff.messages.item[i];
        if (!is_due_to_rank_0(item))
            continue;
        named++;
        cr_expect_eq(item->half[0].median.value, 0);
        cr_expect_eq(item->verdict, SYN_VERDICT_SLOWER);
        cr_expect(isnan(item->ratio.estimate));
        cr_expect_gt(item->change.low, 15 * US);
    }
    cr_expect_eq(named, 2);
    end(side, &diff);
}

/* A t over divisions of the runs needs no collective: the runs are those of the sides. */
Test(diff_messages, maxt_adjusts_where_there_is_no_collective)
{
    static struct side side[2];
    size_t adjusted = 0;
    random_state = 10;
    adjust = SYN_ADJUST_MAXT;
    without_barriers = true;
    struct syn_diff diff = compare(side, 0, 0);
    cr_expect_eq(diff.count, 0);
    cr_expect_eq(diff.adjust, SYN_ADJUST_MAXT);
    for (size_t i = 0; i < diff.messages.count; i++) {
        const struct syn_segment *item = &diff.messages.item[i];
        if (isnan(item->p_adjusted))
            continue;
        adjusted += item->p_adjusted > item->test.p;
        cr_expect_gt(item->p_adjusted, 0.05);
    }
    cr_expect_gt(adjusted, 4);
    end(side, &diff);
}
