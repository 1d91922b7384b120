/* Messages drawn at random, written when they complete and read in slices of every size: each send
 * meets the receive that it was drawn with, and what cannot be known is counted. */
#include <criterion/criterion.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/match.h"
#include "analyze/match/members/experiment.h"
#include "analyze/messages/message_pass.h"
#include "analyze/print/text.h"
#include "analyze/report/findings/report.h"
#include "analyze/threads.h"
#include "made_trace.h"
#include "sync/base/hash.h"
#include "trace/base/calls.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

#define RANKS   4
#define TAGS    3
#define THREADS 2
#define MOST    3000

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
    random_state += UINT64_C(0x9E3779B97F4A7C15);
    const uint64_t x = syn_hash64(&random_state, sizeof random_state);
    return x % below;
}

/* A half as it was posted. `id`: both halves of a message have the same; 0: it has no other. */
struct posted {
    uint32_t id, order;
    int peer, tag;
    uint32_t thread;
    bool receives, is_cancelled, is_lost;
    bool is_unknown; /* whether it was cancelled, and if `is_wild`, the peer */
    bool is_wild;
};

struct program {
    struct posted half[RANKS][2 * MOST];
    size_t count[RANKS];
    uint32_t order[RANKS][THREADS];
    uint32_t message_count;
    uint32_t thread_count;
};

static struct posted *post(struct program *program, int rank, struct posted half)
{
    struct posted *own = &program->half[rank][program->count[rank]];
    *own = half;
    own->thread = draw(8) == 0 ? (uint32_t)draw(program->thread_count)
                               : (uint32_t)half.tag % program->thread_count;
    own->order = program->order[rank][own->thread]++;
    program->count[rank]++;
    return own;
}

/* In the order of the messages each channel's sends and receives are posted alike; between ranks
 * nothing is in order. */
static void draw_threads(struct program *program, uint32_t count, uint32_t thread_count)
{
    memset(program, 0, sizeof *program);
    program->message_count = count;
    program->thread_count = thread_count;
    for (uint32_t id = 1; id <= count; id++) {
        const int from = (int)draw(RANKS), to = (int)draw(RANKS), tag = (int)draw(TAGS);
        post(program, from, (struct posted){.id = id, .peer = to, .tag = tag});
        post(program, to, (struct posted){.id = id, .peer = from, .tag = tag, .receives = true});
        if (draw(20) == 0)
            post(program, to,
                 (struct posted){.peer = from, .tag = tag, .receives = true, .is_cancelled = true});
    }
}

static void draw_program(struct program *program, uint32_t count)
{
    draw_threads(program, count, 1);
}

static struct syn_event event_of(const struct posted *half)
{
    const uint16_t bits = (uint16_t)((half->receives ? SYN_MESSAGE_RECEIVE : 0) |
                                     (half->is_cancelled ? SYN_MESSAGE_CANCELLED : 0) |
                                     (half->is_unknown ? SYN_MESSAGE_UNKNOWN : 0));
    const int64_t start = 100 * (int64_t)half->order;
    return (struct syn_event){.start_ticks = start,
                              .call_end_ticks = start + 10,
                              .bytes = half->id | (uint64_t)bits << SYN_ATTRIBUTES_SHIFT,
                              .sequence = (uint64_t)half->order << 32 | (uint32_t)half->tag,
                              .stack = SYN_NO_STACK,
                              .root = half->is_wild ? -1 : half->peer,
                              .op = half->receives ? SYN_CALL_Irecv : SYN_CALL_Isend};
}

/* Each few of them by one call, the calls one after the other: some while others are posted. */
static void complete(struct syn_event *event, size_t count)
{
    int64_t now = 0;
    for (size_t i = 0; i < count;) {
        const size_t end = i + 1 + draw(6);
        for (size_t k = i; k < end && k < count; k++)
            now = event[k].call_end_ticks > now ? event[k].call_end_ticks : now;
        now += 5 + (int64_t)draw(200);
        const int64_t until = now + 40 + (int64_t)draw(300);
        for (; i < end && i < count; i++) {
            event[i].wait_start_ticks = now;
            event[i].end_ticks = until;
        }
        now = until;
    }
}

/* In chunks, not in the order in which they were posted: most a little later, some at the end. */
static void write_thread(struct made_trace *made, const struct program *program, int rank,
                         uint32_t thread)
{
    static struct syn_event event[2 * MOST];
    const size_t count = program->count[rank];
    size_t kept = 0, late = 0;
    static struct posted last[2 * MOST];
    for (size_t i = 0; i < count; i++) {
        const struct posted *half = &program->half[rank][i];
        if (half->is_lost || half->thread != thread)
            continue;
        if (draw(50) == 0)
            last[late++] = *half;
        else
            event[kept++] = event_of(half);
    }
    for (size_t i = 0; i + 8 < kept; i++) {
        const size_t other = i + draw(8);
        const struct syn_event swapped = event[i];
        event[i] = event[other];
        event[other] = swapped;
    }
    while (late > 0)
        event[kept++] = event_of(&last[--late]);
    complete(event, kept);
    for (size_t first = 0; first < kept;) {
        const size_t piece = 1 + draw(100), left = kept - first;
        made_thread(made, rank, thread, event + first, piece < left ? piece : left);
        first += piece;
    }
}

static struct syn_trace *make(struct made_trace *made, const struct program *program,
                              unsigned without)
{
    made_begin(made, RANKS);
    for (int rank = 0; rank < RANKS; rank++) {
        cr_assert_eq(syn_writer_meta(made->writer[rank], "messages.recorded", "events"), 0);
        for (uint32_t thread = 0; thread < program->thread_count; thread++)
            write_thread(made, program, rank, thread);
    }
    return made_open(made, without);
}

/* ---- what the match says ---- */

struct seen {
    pthread_mutex_t lock;
    struct {
        uint32_t channel, k;
    } of[2][MOST + 1]; /* by half and id */
    bool is_there[2][MOST + 1];
    uint64_t matched, unmatched, ambiguous, cancelled;
};

static uint32_t take_kind(void *ctx, const struct syn_attributes *attributes,
                          const struct syn_comm_place *place)
{
    (void)ctx, (void)place;
    return attributes->op;
}

static int take_batch(void *ctx, const struct syn_match_batch *batch)
{
    struct seen *seen = ctx;
    pthread_mutex_lock(&seen->lock);
    for (size_t i = batch->first; i < batch->end; i++) {
        const struct syn_message_mark mark = batch->mark[i - batch->first];
        const struct syn_event_columns *columns = batch->columns;
        const bool own = columns->flags != NULL;
        const size_t at = own ? i : columns->tuple[i];
        const uint64_t id = own ? columns->bytes[i] : columns->of_tuple.bytes[at];
        const uint16_t bits = own ? columns->attributes[i] : columns->of_tuple.attributes[at];
        const bool receives = bits & SYN_MESSAGE_RECEIVE;
        cr_assert_lt(id, MOST + 1);
        seen->unmatched += mark.channel == SYN_CHANNEL_UNMATCHED;
        seen->ambiguous += mark.channel == SYN_CHANNEL_AMBIGUOUS;
        seen->cancelled += mark.channel == SYN_CHANNEL_CANCELLED;
        if (mark.channel >= SYN_CHANNEL_LIMIT)
            continue;
        cr_assert_not(seen->is_there[receives][id], "%lu twice", (unsigned long)id);
        seen->is_there[receives][id] = true;
        seen->of[receives][id].channel = mark.channel;
        seen->of[receives][id].k = mark.k;
        seen->matched++;
    }
    pthread_mutex_unlock(&seen->lock);
    return 0;
}

static void *begin(void *ctx)
{
    return ctx;
}

static int end(void *ctx, void *partial, int64_t watermark_ns)
{
    (void)ctx, (void)partial, (void)watermark_ns;
    return 0;
}

static void drop(void *ctx, void *partial)
{
    (void)ctx, (void)partial;
}

static bool is_on_end(const struct posted *half, bool receives, int peer, int tag)
{
    return half->receives == receives && half->peer == peer && half->tag == tag;
}

/* May this unknown half have been there? */
static bool may_be_on(const struct posted *half, bool receives, int peer, int tag)
{
    return half->is_unknown && is_on_end(half, receives, half->is_wild ? half->peer : peer, tag);
}

/* The half is known if no half of its thread before it is lost, or may have been in its place. */
static bool is_known(const struct program *program, int rank, size_t i, unsigned without)
{
    const struct posted *half = &program->half[rank][i];
    if (without & 1u << rank)
        return false;
    for (size_t before = 0; before <= i; before++) {
        const struct posted *other = &program->half[rank][before];
        if (other->thread == half->thread &&
            (other->is_lost || may_be_on(other, half->receives, half->peer, half->tag)))
            return false;
    }
    return true;
}

/* Did several threads of the rank post there, or may they have? */
static bool is_shared(const struct program *program, int rank, bool receives, int peer, int tag)
{
    unsigned surely = 0, perhaps = 0;
    for (size_t i = 0; i < program->count[rank]; i++) {
        const struct posted *half = &program->half[rank][i];
        const unsigned own = 1u << half->thread;
        if (half->is_lost || may_be_on(half, receives, peer, tag))
            perhaps |= own;
        else if (!half->is_cancelled && is_on_end(half, receives, peer, tag))
            surely |= own;
    }
    return surely != 0 && (surely | perhaps) == (1u << THREADS) - 1;
}

static bool is_ambiguous(const struct program *program, int rank, size_t i, unsigned without)
{
    const struct posted *half = &program->half[rank][i];
    return is_shared(program, rank, half->receives, half->peer, half->tag) ||
           (!(without & 1u << half->peer) &&
            is_shared(program, half->peer, !half->receives, rank, half->tag));
}

/* Both halves of every message of which both are known have met, and no others. */
static void expect_pairs(const struct program *program, const struct seen *seen, unsigned without)
{
    static bool known[2][MOST + 1];
    uint64_t cancelled = 0, there = 0, matched = 0, ambiguous = 0;
    memset(known, 0, sizeof known);
    for (int rank = 0; rank < RANKS; rank++)
        for (size_t i = 0; i < program->count[rank]; i++) {
            const struct posted *half = &program->half[rank][i];
            const bool is_there = !half->is_lost && !(without & 1u << rank);
            there += is_there;
            cancelled += is_there && half->is_cancelled;
            if (half->is_cancelled || half->is_unknown || !is_known(program, rank, i, without))
                continue;
            if (is_ambiguous(program, rank, i, without))
                ambiguous++;
            else
                known[half->receives][half->id] = half->id != 0;
        }
    for (uint32_t id = 1; id <= program->message_count; id++) {
        const bool both = known[0][id] && known[1][id];
        cr_assert_eq(seen->is_there[0][id], both, "send %u", id);
        cr_assert_eq(seen->is_there[1][id], both, "receive %u", id);
        matched += 2 * both;
        if (!both)
            continue;
        cr_assert_eq(seen->of[0][id].channel, seen->of[1][id].channel, "message %u", id);
        cr_assert_eq(seen->of[0][id].k, seen->of[1][id].k, "message %u", id);
    }
    cr_expect_eq(seen->matched, matched);
    cr_expect_eq(seen->cancelled, cancelled);
    cr_expect_eq(seen->ambiguous, ambiguous);
    cr_expect_eq(seen->unmatched, there - cancelled - matched - ambiguous);
}

static void expect_match(struct syn_trace *trace, const struct program *program, unsigned without,
                         uint64_t slice_events)
{
    static struct seen seen;
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_message_numbers numbers;
    struct syn_match_totals totals;
    memset(&seen, 0, sizeof seen);
    pthread_mutex_init(&seen.lock, NULL);
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    cr_assert_eq(syn_message_numbers_make(trace, &comms, &numbers), 0);
    const struct syn_match match = {.trace = trace,
                                    .names = &names,
                                    .comms = &comms,
                                    .numbers = &numbers,
                                    .sink = {.kind = take_kind,
                                             .batch = take_batch,
                                             .ctx = &seen,
                                             .partial_begin = begin,
                                             .partial_end = end,
                                             .partial_drop = drop},
                                    .slice_events = slice_events};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    cr_expect_eq(totals.event_count, 0, "messages are no collectives");
    expect_pairs(program, &seen, without);
    cr_expect_eq(numbers.counts.matched_count * 2, seen.matched);
    cr_expect_eq(numbers.counts.unmatched_count, seen.unmatched);
    cr_expect_eq(numbers.counts.ambiguous_count, seen.ambiguous);
    cr_expect_eq(numbers.counts.cancelled_count, seen.cancelled);
    syn_match_totals_free(&totals);
    syn_message_numbers_free(&numbers);
    syn_comms_close(&comms);
    syn_names_free(&names);
}

static void expect_in_all_slices(const struct program *program, unsigned without)
{
    static const uint64_t sizes[] = {1, 7, 100, 1000, 100000};
    struct made_trace made;
    struct syn_trace *trace = make(&made, program, without);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        syn_thread_count_set(1 + i % 3);
        expect_match(trace, program, without, sizes[i]);
    }
    made_end(&made, trace);
}

Test(messages_match, each_send_meets_its_receive)
{
    static struct program program;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_state = seed;
        draw_program(&program, 200 * (uint32_t)seed * (uint32_t)seed / 2);
        expect_in_all_slices(&program, 0);
    }
}

/* A rank whose buffer was lost for a while is known up to there. */
Test(messages_match, nothing_is_guessed_behind_a_gap)
{
    static struct program program;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        random_state = seed;
        draw_program(&program, 800);
        const int rank = (int)draw(RANKS);
        const size_t first = program.count[rank] / 2, count = 1 + draw(10);
        for (size_t i = first; i < first + count; i++)
            program.half[rank][i].is_lost = true;
        expect_in_all_slices(&program, 0);
    }
}

/* The first such receive of rank 2 from there on. */
static struct posted *receive_behind(struct program *program, size_t first)
{
    for (size_t i = first; i < program->count[2]; i++) {
        struct posted *half = &program->half[2][i];
        if (half->receives && half->tag == 1 && !half->is_cancelled)
            return half;
    }
    cr_assert_fail("none was drawn");
    return NULL;
}

Test(messages_match, a_receive_of_unknown_source_ends_its_tag)
{
    static struct program program;
    random_state = 9;
    draw_program(&program, 800);
    struct posted *half = receive_behind(&program, program.count[2] / 2);
    half->is_unknown = half->is_wild = true;
    expect_in_all_slices(&program, 0);
}

Test(messages_match, a_receive_that_may_be_cancelled_ends_its_channel)
{
    static struct program program;
    random_state = 10;
    draw_program(&program, 800);
    receive_behind(&program, program.count[2] / 2)->is_unknown = true;
    expect_in_all_slices(&program, 0);
}

/* Two threads of a rank share some channels, and what one posted unseen may have been on those of
 * the other. */
Test(messages_match, threads_have_no_order)
{
    static struct program program;
    for (uint64_t seed = 1; seed <= 8; seed++) {
        random_state = 30 + seed;
        draw_threads(&program, seed % 2 ? 60 : 800, THREADS);
        struct posted *half = receive_behind(&program, program.count[2] / 3);
        half->is_unknown = seed % 4 > 1;
        half->is_wild = seed % 4 == 3;
        program.half[1][program.count[1] / 2].is_lost = seed > 4;
        expect_in_all_slices(&program, 0);
    }
}

Test(messages_match, the_messages_of_a_missing_rank_are_unmatched)
{
    static struct program program;
    random_state = 11;
    draw_program(&program, 800);
    expect_in_all_slices(&program, 1u << 1);
}

/* ---- the report ---- */

/* As JSON; owned by the caller. */
static char *report_of(const struct made_trace *made, uint64_t slice_events)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    const struct syn_report_options options = {.by = SYN_BY_DEFAULT,
                                               .confidence = 0.95,
                                               .sort = "instances",
                                               .slice_events = slice_events};
    struct syn_report report;
    struct syn_text text = {0};
    char *why = NULL;
    const int status = syn_report_make(&experiment, &options, &report, &why);
    cr_assert_eq(status, 0, "%d: %s", status, why ? why : "");
    cr_expect_gt(report.run[0].messages.sums.late_sender_ns, 0);
    syn_report_json(&report, &text);
    cr_assert_not(text.failed);
    char *said = strdup(syn_text_chars(&text));
    syn_text_free(&text);
    syn_report_free(&report);
    return said;
}

Test(messages_match, a_report_is_the_same_in_slices_of_any_size)
{
    static struct program program;
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct made_trace made;
        random_state = 20 + seed;
        draw_program(&program, 700);
        if (seed == 2)
            program.half[1][program.count[1] / 3].is_lost = true;
        struct syn_trace *trace = make(&made, &program, 0);
        syn_thread_count_set(1);
        char *whole = report_of(&made, UINT64_MAX);
        for (uint64_t events = 1; events < 3000; events += 1 + events / 2) {
            syn_thread_count_set(1 + events % 4);
            char *sliced = report_of(&made, events);
            size_t at = 0;
            while (whole[at] && whole[at] == sliced[at])
                at++;
            cr_expect(whole[at] == sliced[at],
                      "seed %lu, slices of %lu: \"%.160s\" became \"%.160s\"", seed, events,
                      whole + (at < 80 ? 0 : at - 80), sliced + (at < 80 ? 0 : at - 80));
            free(sliced);
        }
        free(whole);
        made_end(&made, trace);
    }
}
