/* A report says the same in whatever slices the trace was read: how many those are may depend on
 * the number of threads. In drawn traces much starts at the same time, calls are missing, late,
 * spoilt, and complete long after; of each trace the reports by these keys or others, sorted by
 * what many groups have in common, agree byte for byte. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/match/members/experiment.h"
#include "analyze/print/text.h"
#include "analyze/report/findings/report.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define RANKS     4
#define INSTANCES 90 /* on each communicator */
#define STEP_NS   INT64_C(4000)

struct drawn {
    struct made_trace made;
    uint64_t random, event_count;
    uint64_t sequence[3]; /* on all ranks, the even ones, the odd ones */
};

static uint64_t draw(struct drawn *drawn, uint64_t below)
{
    uint64_t x = drawn->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return (x ^ x >> 31) % below;
}

static void make_comms(struct drawn *drawn)
{
    static const int32_t members[2][2] = {{0, 2}, {1, 3}};
    for (int rank = 0; rank < RANKS; rank++)
        made_comm(&drawn->made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 70 + (uint64_t)rank % 2,
                                           .size = 2,
                                           .rank = rank / 2,
                                           .name = "half", /* of both: one group */
                                           .world_ranks = members[rank % 2]});
}

static void make_call(struct drawn *drawn, int rank, int64_t now_ns, struct syn_event event)
{
    event.start_ticks = event.wait_start_ticks = now_ns + (int64_t)draw(drawn, 3) * 100;
    event.end_ticks = event.call_end_ticks = now_ns + 400 + (int64_t)draw(drawn, 3) * 100;
    if (event.op >= SYN_OP_FORM_STRIDE) {
        event.call_end_ticks = event.start_ticks + 20;
        event.wait_start_ticks = event.end_ticks - 50;
        if (draw(drawn, 8) == 0) /* completed after many others */
            event.end_ticks += (int64_t)draw(drawn, 40) * STEP_NS;
    }
    if (draw(drawn, 40) == 0)
        event.flags |= draw(drawn, 2) ? SYN_EVENT_PERTURBED : SYN_EVENT_LATE_START;
    if (draw(drawn, 60) == 0) /* this one has none */
        return;
    made_raw(&drawn->made, rank, event);
    drawn->event_count++;
}

/* On all ranks, or at the same time on both halves. */
static void make_instances(struct drawn *drawn, int64_t now_ns)
{
    static const uint16_t ops[] = {SYN_OP_BLOCKING(ALLREDUCE), SYN_OP_BLOCKING(BCAST),
                                   SYN_OP_BLOCKING(ALLREDUCE) + SYN_OP_FORM_STRIDE};
    const bool halves = draw(drawn, 3) > 0;
    struct syn_event event = {.op = ops[draw(drawn, 3)],
                              .bytes = UINT64_C(8) << draw(drawn, 3),
                              .root = -1,
                              .comm = halves,
                              .stack = SYN_NO_STACK};
    if (event.op == SYN_OP_BLOCKING(BCAST))
        event.root = (int32_t)draw(drawn, 2);
    for (int rank = 0; rank < RANKS; rank++) {
        event.sequence = drawn->sequence[halves ? 1 + rank % 2 : 0];
        make_call(drawn, rank, now_ns, event);
    }
    drawn->sequence[0] += !halves;
    drawn->sequence[1] += halves;
    drawn->sequence[2] += halves;
}

static struct drawn *draw_trace(uint64_t seed)
{
    struct drawn *drawn = calloc(1, sizeof *drawn);
    drawn->random = seed;
    made_begin(&drawn->made, RANKS);
    make_comms(drawn);
    for (int i = 0; i < INSTANCES; i++)
        make_instances(drawn, i * STEP_NS + 1000);
    return drawn;
}

static struct syn_report make_report(const struct made_trace *made,
                                     struct syn_report_options options)
{
    struct syn_run_path path = {.run = 1, .directory = (char *)made->directory};
    struct syn_experiment experiment = {.run = &path, .count = 1};
    struct syn_report report;
    char *why = NULL;
    options.confidence = 0.95;
    cr_assert_eq(syn_report_make(&experiment, &options, &report, &why), 0, "%s", why ? why : "");
    return report;
}

/* As JSON, and the page behind it; owned by the caller. */
static char *report_of(const struct drawn *drawn, unsigned by, bool all, uint64_t slice_events)
{
    struct syn_report report =
        make_report(&drawn->made, (struct syn_report_options){.by = by,
                                                              .sort = "instances",
                                                              .pairs = true,
                                                              .all = all,
                                                              .slice_events = slice_events});
    struct syn_text text = {0};
    syn_report_json(&report, &text);
    syn_report_page(&report, SYN_DOC_HTML, NULL, &text);
    cr_assert_not(text.failed);
    char *said = strdup(syn_text_chars(&text));
    syn_text_free(&text);
    syn_report_free(&report);
    return said;
}

/* Returns the place where two texts part. */
static size_t agrees_until(const char *a, const char *b)
{
    size_t i = 0;
    while (a[i] && a[i] == b[i])
        i++;
    return i;
}

static void expect_same_reports(struct drawn *drawn, uint64_t seed, unsigned by, bool all)
{
    char *whole = report_of(drawn, by, all, UINT64_MAX);
    for (uint64_t events = 1; events < drawn->event_count; events += 1 + events / 4) {
        char *sliced = report_of(drawn, by, all, events);
        const size_t at = agrees_until(whole, sliced);
        cr_expect(whole[at] == '\0' && sliced[at] == '\0',
                  "seed %lu, by %x, slices of %lu: \"%.160s\" became \"%.160s\"", seed, by, events,
                  whole + (at < 80 ? 0 : at - 80), sliced + (at < 80 ? 0 : at - 80));
        free(sliced);
    }
    free(whole);
}

/* (A sanitizer sees no more in many of them.) */
#ifdef __SANITIZE_ADDRESS__
#define DRAWN_TRACES 4
#else
#define DRAWN_TRACES 12
#endif

Test(report_slices, a_report_is_the_same_in_slices_of_any_size, .timeout = 300)
{
    for (uint64_t seed = 1; seed <= DRAWN_TRACES; seed++) {
        struct drawn *drawn = draw_trace(seed);
        struct syn_trace *trace = made_open(&drawn->made, 0);
        expect_same_reports(drawn, seed, SYN_BY_DEFAULT, false);
        expect_same_reports(drawn, seed, SYN_BY(SYN_KEY_OP), seed % 2);
        expect_same_reports(drawn, seed, SYN_BY(SYN_KEY_COMM), true);
        expect_same_reports(drawn, seed, SYN_BY(SYN_KEY_RANK) | SYN_BY(SYN_KEY_BYTES), false);
        made_end(&drawn->made, trace);
        free(drawn);
    }
}

/* ---- groups ---- */

static struct syn_report_options of_keys(unsigned by, uint64_t slice_events)
{
    return (struct syn_report_options){.by = by, .sort = "total", .slice_events = slice_events};
}

static void add_calls(struct made_trace *made, uint64_t sequence, int64_t start_ns,
                      struct syn_event event, int rank_count)
{
    event.sequence = sequence;
    event.root = -1;
    for (int rank = 0; rank < rank_count; rank++)
        made_event(made, rank, start_ns + rank, start_ns + 100, event);
}

/* Sizes 1 to 4: the first call of the third is left out, the fourth has one that lacks a rank. */
Test(report_slices, groups_are_in_the_order_of_their_first_calls)
{
    static const uint64_t expected[] = {4, 3, 2, 1};
    struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE), .stack = SYN_NO_STACK};
    struct made_trace made;
    made_begin(&made, 2);
    event.bytes = 4;
    add_calls(&made, 0, 1000, event, 1);
    event.bytes = 3;
    event.flags = SYN_EVENT_PERTURBED;
    add_calls(&made, 1, 2000, event, 2);
    event.flags = 0;
    for (uint64_t i = 2; i < 10; i++) {
        event.bytes = 1 + i % 4;
        add_calls(&made, i, 12000 - 1000 * (int64_t)i, event, 2);
    }
    event.bytes = 2;
    add_calls(&made, 10, 2500, event, 2);
    struct syn_trace *trace = made_open(&made, 0);
    for (uint64_t events = 0; events < 8; events++) {
        struct syn_report report = make_report(&made, of_keys(SYN_BY(SYN_KEY_BYTES), events));
        cr_assert_eq(report.groups.count, 4);
        for (size_t g = 0; g < 4; g++)
            cr_expect_eq(report.groups.group[g]->bytes.value, expected[g], "slices of %lu, %zu",
                         events, g);
        syn_report_free(&report);
    }
    made_end(&made, trace);
}

/* Two that begin at once, on communicators of the same ranks in another order: all that is said of
 * them is the same, but for how long each rank took. */
Test(report_slices, what_starts_at_the_same_time_is_in_the_order_of_its_ranks_times)
{
    static const int32_t reversed[] = {1, 0};
    struct made_trace made;
    made_begin(&made, 2);
    for (int rank = 0; rank < 2; rank++)
        made_comm(&made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 70,
                                           .size = 2,
                                           .rank = 1 - rank,
                                           .name = "reversed",
                                           .world_ranks = reversed});
    for (int64_t i = 0; i < 16; i++)
        for (int rank = 0; rank < 2; rank++) {
            struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE) + SYN_OP_FORM_STRIDE,
                                      .root = -1,
                                      .stack = SYN_NO_STACK,
                                      .comm = (uint32_t)(i % 2),
                                      .sequence = (uint64_t)i / 2};
            event.start_ticks = 1000 * (1 + i / 2);
            event.call_end_ticks = event.wait_start_ticks = event.start_ticks + 10;
            event.end_ticks = event.start_ticks + 100 * (1 + (i / 4 + i + rank) % 2);
            made_raw(&made, rank, event);
        }
    struct syn_trace *trace = made_open(&made, 0);
    for (uint64_t events = 0; events < 8; events++) {
        struct syn_report report = make_report(&made, of_keys(SYN_BY(SYN_KEY_OP), events));
        const struct syn_group *group = report.groups.group[0];
        cr_assert_eq(group->rank_count, 2);
        for (size_t r = 0; r < 2; r++) {
            int64_t local_ns[16];
            cr_assert_eq(syn_column_read(&group->rank[r].local_ns, group->store, 0, 16, local_ns),
                         0);
            for (int i = 0; i < 16; i++) /* rank 0's shorter one first */
                cr_expect_eq(local_ns[i], 100 * (1 + (i + group->rank[r].rank) % 2),
                             "slices of %lu, rank %d, row %d", events, group->rank[r].rank, i);
        }
        syn_report_free(&report);
    }
    made_end(&made, trace);
}
