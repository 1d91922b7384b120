/* Several threads of a rank that call collectives on one communicator: who pays for whose waiting,
 * whichever thread's calls are read first, and in whatever slices. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/causes/causes.h"
#include "analyze/causes/findings/profile.h"
#include "analyze/causes/sums/bin_overlap.h"
#include "analyze/stats/samples/bootstrap.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define LOCATIONS_MOST 8

/* Findings of a run. */
struct told {
    uint32_t location_count;
    int64_t charged_ns[LOCATIONS_MOST]; /* waiting of others */
    int64_t path_ns[LOCATIONS_MOST];
    int64_t waiting_ns, unknown_ns; /* of all */
    int64_t run_ns;
};

static void *begin_part(void *ctx)
{
    return syn_causes_part_new(ctx);
}

static int end_part(void *ctx, void *part, int64_t watermark_ns)
{
    const int status = syn_causes_absorb(ctx, part, watermark_ns);
    syn_causes_part_free(part);
    return status;
}

static void drop_part(void *ctx, void *part)
{
    (void)ctx;
    syn_causes_part_free(part);
}

static uint32_t number_kind(void *part, const struct syn_attributes *attributes,
                            const struct syn_comm_place *place)
{
    return syn_causes_part_kind(part, attributes, place);
}

static int add_batch(void *part, const struct syn_match_batch *batch)
{
    return syn_causes_part_add(part, batch);
}

static void add_cell(const struct syn_cause_sums *sums, const struct syn_cause_cell *cell,
                     struct told *told)
{
    for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        told->path_ns[cell->location] += syn_category_sums_of(cell, index)->path_ns;
        for (uint32_t b = 0; b < sums->bins.count; b++)
            told->charged_ns[cell->location] += syn_bin_of_cell(sums, cell, b).waiting_ns[index];
    }
}

static struct told told_by(const struct syn_causes *causes)
{
    const struct syn_cause_sums *sums = &causes->sums;
    struct told told = {.location_count = sums->location_count,
                        .waiting_ns = sums->waiting_ns,
                        .run_ns = sums->path_end_ns - sums->path_start_ns};
    cr_assert_leq(sums->location_count, LOCATIONS_MOST);
    for (unsigned why = 0; why < SYN_UNKNOWN_COUNT; why++)
        told.unknown_ns += sums->unknown_ns[why];
    for (uint32_t number = 1; number <= sums->cell_count; number++)
        add_cell(sums, syn_cause_cell_at(sums, number), &told);
    return told;
}

/* Slices of so many events; 0: as the program has them. `look`, with `ctx`: at all that is known.
 */
typedef void look_at(const struct syn_causes *causes, const struct syn_names *names, void *ctx);
static struct told tell_to(struct syn_trace *trace, uint64_t slice_events, look_at *look, void *ctx)
{
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_causes causes;
    struct syn_match_totals totals;
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    cr_assert_eq(syn_causes_begin(&causes, trace, &comms, &names, 0, 0, NULL), 0);
    const struct syn_match match = {.trace = trace,
                                    .names = &names,
                                    .comms = &comms,
                                    .sink = {.kind = number_kind,
                                             .batch = add_batch,
                                             .ctx = &causes,
                                             .partial_begin = begin_part,
                                             .partial_end = end_part,
                                             .partial_drop = drop_part},
                                    .slice_events = slice_events};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    cr_assert_eq(syn_causes_end(&causes), 0);
    const struct told told = told_by(&causes);
    if (look)
        look(&causes, &names, ctx);
    syn_match_totals_free(&totals);
    syn_causes_free(&causes);
    syn_comms_close(&comms);
    syn_names_free(&names);
    return told;
}

static struct told tell(struct syn_trace *trace, uint64_t slice_events)
{
    return tell_to(trace, slice_events, NULL, NULL);
}

/* Nothing is lost, whatever there is. */
static void expect_conserved(const struct told *told)
{
    int64_t charged_ns = 0, path_ns = 0;
    for (uint32_t i = 0; i < told->location_count; i++) {
        charged_ns += told->charged_ns[i];
        path_ns += told->path_ns[i];
    }
    cr_expect_eq(charged_ns + told->unknown_ns, told->waiting_ns);
    cr_expect_eq(path_ns, told->run_ns);
}

static struct syn_event blocking(int64_t start_ns, int64_t end_ns, uint64_t sequence)
{
    return (struct syn_event){.start_ticks = start_ns,
                              .call_end_ticks = end_ns,
                              .wait_start_ticks = start_ns,
                              .end_ticks = end_ns,
                              .op = SYN_OP_BLOCKING(ALLREDUCE),
                              .sequence = sequence,
                              .bytes = 8,
                              .root = -1,
                              .stack = SYN_NO_STACK};
}

static struct syn_event nonblocking(int64_t start_ns, int64_t call_end_ns, int64_t wait_start_ns,
                                    int64_t end_ns, uint64_t sequence)
{
    struct syn_event event = blocking(start_ns, end_ns, sequence);
    event.op += SYN_FORM_NONBLOCKING * SYN_OP_FORM_STRIDE;
    event.call_end_ticks = call_end_ns;
    event.wait_start_ticks = wait_start_ns;
    return event;
}

/* ---- worked out by hand ---- */

/* Communicator 1, of both ranks. */
static void made_other(struct made_trace *made)
{
    static const int32_t both[] = {0, 1};
    for (int rank = 0; rank < 2; rank++)
        made_comm(made, rank,
                  (struct syn_comm_record){.index = 1,
                                           .id = 5,
                                           .parent_id = 1,
                                           .size = 2,
                                           .rank = rank,
                                           .name = "other",
                                           .world_ranks = both});
}

/* Rank 1 is late for calls 1, 2 and 3, by 500, 700 and 900 ns. One thread of each rank makes calls
 * 0 and 1, the other one 2 and 3. Between its two the first one calls on another communicator,
 * where nobody waits. Numbers are multiples of `step`; of the other communicator, as many were left
 * out. */
static void make_halves(struct made_trace *made, uint32_t first_thread, uint64_t step)
{
    made_begin(made, 2);
    made_other(made);
    for (int rank = 0; rank < 2; rank++) {
        struct syn_event first[] = {blocking(1000, 1010, 0), blocking(1200, 1210, step - 1),
                                    blocking(2000 + 500 * rank, 2510, step)};
        first[1].comm = 1;
        const struct syn_event second[] = {blocking(3000 + 700 * rank, 3710, 2 * step),
                                           blocking(4000 + 900 * rank, 4910, 3 * step)};
        made_thread(made, rank, first_thread, first, 3);
        made_thread(made, rank, 1 - first_thread, second, 2);
    }
}

static void expect_halves(const struct told *told, uint32_t first_thread)
{
    cr_expect_eq(told->location_count, 4);
    cr_expect_eq(told->waiting_ns, 500 + 700 + 900);
    cr_expect_eq(told->unknown_ns, 0, "%lld ns unknown", (long long)told->unknown_ns);
    cr_expect_eq(told->charged_ns[2 + first_thread], 500); /* locations: of rank 0, of rank 1 */
    cr_expect_eq(told->charged_ns[3 - first_thread], 700 + 900);
    expect_conserved(told);
}

/* Whichever the threads are, and with slices of so many events. */
static void expect_in_order(uint64_t step)
{
    for (uint32_t first_thread = 0; first_thread < 2; first_thread++) {
        struct made_trace made;
        make_halves(&made, first_thread, step);
        struct syn_trace *trace = made_open(&made, 0);
        for (uint64_t events = 0; events < 8; events++) {
            const struct told told = tell(trace, events);
            expect_halves(&told, first_thread);
        }
        made_end(&made, trace);
    }
}

/* Two threads stand at call 2 before anything else was passed. */
Test(causes_threads, calls_are_taken_in_the_order_of_their_numbers)
{
    expect_in_order(1);
}

/* Every third call was recorded. */
Test(causes_threads, calls_that_were_not_recorded_are_not_waited_for)
{
    expect_in_order(3);
}

/* The second threads start an operation behind the first ones' calls, and have waited 10 ns for
 * rank 1 in the call that starts it, and 200 in the one that completes it. */
Test(causes_threads, what_a_thread_starts_comes_after_what_others_called)
{
    struct made_trace made;
    made_begin(&made, 2);
    for (int rank = 0; rank < 2; rank++) {
        const struct syn_event called[] = {blocking(1000, 1010, 0),
                                           blocking(2000 + 500 * rank, 2510, 1)};
        const struct syn_event started =
            nonblocking(3000 + 700 * rank, 3010 + 700 * rank, 3500 + 210 * rank, 3720, 2);
        made_thread(&made, rank, 0, called, 2);
        made_thread(&made, rank, 1, &started, 1);
    }
    struct syn_trace *trace = made_open(&made, 0);
    const struct told told = tell(trace, 0);
    cr_expect_eq(told.waiting_ns, 500 + 10 + 200);
    cr_expect_eq(told.unknown_ns, 0, "%lld ns unknown", (long long)told.unknown_ns);
    cr_expect_eq(told.charged_ns[2], 500);
    cr_expect_eq(told.charged_ns[3], 10 + 200);
    expect_conserved(&told);
    made_end(&made, trace);
}

/* Threads that nobody has put in order, so that taking turns comes to no end: rank 0's second
 * thread starts call 2 while the first one is in call 1, for which rank 1's first thread comes only
 * once it has met rank 0's second one on the other communicator. Whoever is let in before its turn
 * (rank 1's second thread, into call 3) stands there still when all others have come. */
Test(causes_threads, who_goes_before_its_turn_is_not_forgotten)
{
    struct made_trace made;
    made_begin(&made, 2);
    made_other(&made);
    const struct syn_event of_0[] = {blocking(1000, 1010, 0), blocking(2000, 3010, 1)};
    struct syn_event second_of_0[] = {nonblocking(2400, 2410, 4000, 4010, 2),
                                      blocking(2500, 2510, 0), blocking(5000, 5010, 3)};
    struct syn_event of_1[] = {blocking(1000, 1010, 0), blocking(1100, 2510, 0),
                               blocking(3000, 3010, 1), nonblocking(4000, 4005, 4006, 4010, 2)};
    const struct syn_event second_of_1 = blocking(1500, 5010, 3);
    second_of_0[1].comm = of_1[1].comm = 1;
    made_thread(&made, 0, 0, of_0, 2);
    made_thread(&made, 0, 1, second_of_0, 3);
    made_thread(&made, 1, 0, of_1, 4);
    made_thread(&made, 1, 1, &second_of_1, 1);
    struct syn_trace *trace = made_open(&made, 0);
    const struct told told = tell(trace, 0);
    cr_expect_eq(told.waiting_ns, 1000 + 1400 + 10 + 3500);
    expect_conserved(&told);
    made_end(&made, trace);
}

/* ---- slices ---- */

#define CALLS  70000 /* more than may wait before it is asked which do so in vain */
#define SELDOM 1000  /* one of so many calls of rank 0 is its second thread's */

static int64_t late_ns(int i)
{
    return 20 + i % 7;
}

/* Calls of a thread; numbers go on by `step`. */
static void make_calls(struct made_trace *made, int rank, uint32_t thread, uint64_t step)
{
    struct syn_event *event = malloc(CALLS * sizeof *event);
    size_t count = 0;
    for (int i = 0; i < CALLS; i++) {
        const int64_t start_ns = 1000 * (int64_t)i;
        if (rank == 1 || (i % SELDOM == 0) == (thread == 1))
            event[count++] = blocking(start_ns + (rank == 1 ? late_ns(i) : 0), start_ns + 40,
                                      (uint64_t)i * step);
    }
    made_thread(made, rank, thread, event, count);
    free(event);
}

/* A thread that calls seldom fills its buffer last: all its calls are in the last slice, also the
 * first one of the run. */
static void in_slices(uint64_t step)
{
    struct made_trace made;
    int64_t all_late_ns = 0;
    made_begin(&made, 2);
    make_calls(&made, 0, 0, step);
    make_calls(&made, 0, 1, step);
    make_calls(&made, 1, 0, step);
    for (int i = 1; i < CALLS; i++)
        all_late_ns += late_ns(i);
    struct syn_trace *trace = made_open(&made, 0);
    for (int k = 0; k < 2; k++) {
        const struct told told = tell(trace, k ? 16384 : 0);
        cr_expect_eq(told.unknown_ns, late_ns(0), "%lld ns unknown", (long long)told.unknown_ns);
        cr_expect_eq(told.charged_ns[2], all_late_ns);
        expect_conserved(&told);
    }
    made_end(&made, trace);
}

Test(causes_threads, calls_that_come_slices_later_are_waited_for)
{
    in_slices(1);
}

Test(causes_threads, calls_that_come_slices_later_are_waited_for_where_some_were_not_recorded)
{
    in_slices(2);
}

/* ---- damage ---- */

/* Runs that are drawn. (A sanitizer sees no more in many of them.) */
#ifdef __SANITIZE_ADDRESS__
enum { RUNS = 75, DRAWN_RUNS = 10 };
#else
enum { RUNS = 300, DRAWN_RUNS = 40 };
#endif
enum { DAMAGED_CALLS = 40 };

/* Two threads of each of two ranks, each one call after the other, with any numbers. */
static void make_damaged(struct made_trace *made, struct syn_random *random)
{
    made_begin(made, 2);
    for (uint32_t location = 0; location < 4; location++) {
        int64_t now_ns = 1000;
        for (int i = 0; i < DAMAGED_CALLS; i++) {
            const int64_t start_ns = now_ns + (int64_t)syn_random_below(random, 500);
            const uint64_t sequence = (uint64_t)i / 2 + syn_random_below(random, 1 + location * 2);
            now_ns = start_ns + 10 + (int64_t)syn_random_below(random, 500);
            const struct syn_event event =
                syn_random_below(random, 4) == 0
                    ? nonblocking(start_ns, start_ns + 5, now_ns - 4, now_ns, sequence)
                    : blocking(start_ns, now_ns, sequence);
            made_thread(made, (int)location / 2, location % 2, &event, 1);
        }
    }
}

/* Numbers that come again, are missing, or go back: replaying comes to an end. */
Test(causes_threads, any_numbers_lose_nothing)
{
    struct syn_random random;
    syn_random_seed(&random, 1);
    for (int run = 0; run < RUNS; run++) {
        struct made_trace made;
        make_damaged(&made, &random);
        struct syn_trace *trace = made_open(&made, 0);
        const struct told told = tell(trace, (uint64_t)run % 3 * 20);
        expect_conserved(&told);
        made_end(&made, trace);
    }
}

/* ---- behind a cut ---- */

/* A broadcast's root is through before the cut that the other rank begins it behind: it lacks a
 * member, and the cut, for which rank 1 is late, does not. */
Test(causes_threads, what_some_begin_behind_a_cut_does_not_undo_it)
{
    struct made_trace made;
    made_begin(&made, 2);
    made_other(&made);
    struct syn_event of_0[] = {blocking(1000, 1010, 0), nonblocking(1100, 1105, 1110, 1120, 0),
                               blocking(2000, 2510, 1), blocking(3000, 3010, 2)};
    struct syn_event of_1[] = {blocking(1000, 1010, 0), blocking(2500, 2510, 1),
                               nonblocking(2600, 2605, 2610, 2620, 0), blocking(3000, 3010, 2)};
    of_0[1].comm = of_1[2].comm = 1;
    of_0[1].root = of_1[2].root = 0;
    of_0[1].op = of_1[2].op = SYN_OP_BLOCKING(BCAST) + SYN_FORM_NONBLOCKING * SYN_OP_FORM_STRIDE;
    for (int i = 0; i < 4; i++) {
        made_thread(&made, 0, 0, &of_0[i], 1);
        made_thread(&made, 1, 0, &of_1[i], 1);
    }
    struct syn_trace *trace = made_open(&made, 0);
    for (uint64_t events = 0; events < 9; events++) {
        const struct told told = tell(trace, events);
        cr_expect_eq(told.waiting_ns, 500, "%lld ns", (long long)told.waiting_ns);
        cr_expect_eq(told.unknown_ns, 0, "%lld ns unknown", (long long)told.unknown_ns);
        cr_expect_eq(told.charged_ns[1], 500);
        expect_conserved(&told);
    }
    made_end(&made, trace);
}

/* ---- drawn, in any slices ---- */

enum { DRAWN_STEPS = 60, DRAWN_RANKS = 4, DRAWN_COMMS = 5, DRAWN_CALLS = 2 * DRAWN_STEPS };

/* All, all again, and parts. */
static const unsigned drawn_members[DRAWN_COMMS] = {0xF, 0xF, 0x3, 0xC, 0x7};
static const uint16_t drawn_ops[] = {SYN_OP_BLOCKING(ALLREDUCE), SYN_OP_BLOCKING(BARRIER),
                                     SYN_OP_BLOCKING(BCAST),     SYN_OP_BLOCKING(REDUCE),
                                     SYN_OP_BLOCKING(ALLGATHER), SYN_OP_BLOCKING(ALLTOALL)};

struct drawn_rank {
    struct syn_event event[DRAWN_CALLS];
    uint32_t thread[DRAWN_CALLS];
    int64_t due_ns[DRAWN_CALLS]; /* when the last member has started it, where it is not blocking */
    bool pending[DRAWN_CALLS], lost[DRAWN_CALLS];
    int count;
    int64_t now_ns;
};

/* The kind of run. */
struct drawn_kind {
    unsigned nonblocking, lost; /* calls of 100 */
    uint32_t thread_count;
    int64_t unit_ns; /* of all times: the longer, the more are equal */
};

static int64_t drawn_ns(struct syn_random *random, const struct drawn_kind *kind, uint64_t below)
{
    return (int64_t)syn_random_below(random, below) * kind->unit_ns +
           (kind->unit_ns == 1 ? (int64_t)syn_random_below(random, 7 * below) : 0);
}

/* Completes pending operations, the oldest first, with a chance for each; or all of them. */
static void complete_drawn(struct drawn_rank *rank, struct syn_random *random,
                           const struct drawn_kind *kind, bool all)
{
    for (int i = 0; i < rank->count; i++) {
        if (!rank->pending[i] || (!all && syn_random_below(random, 3) > 0))
            continue;
        rank->now_ns += drawn_ns(random, kind, 3);
        struct syn_event *event = &rank->event[i];
        event->wait_start_ticks = rank->now_ns;
        rank->now_ns = rank->due_ns[i] > rank->now_ns ? rank->due_ns[i] : rank->now_ns;
        rank->now_ns += drawn_ns(random, kind, 3);
        event->end_ticks = rank->now_ns;
        rank->pending[i] = false;
    }
}

/* A call of all members of a communicator. */
static void draw_call(struct drawn_rank *rank, struct syn_random *random,
                      const struct drawn_kind *kind, int comm, uint64_t sequence)
{
    const uint16_t op = drawn_ops[syn_random_below(random, sizeof drawn_ops / sizeof *drawn_ops)];
    const bool is_nonblocking = syn_random_below(random, 100) < kind->nonblocking;
    const bool is_eager = syn_random_below(random, 8) == 0,
               freed = syn_random_below(random, 9) == 0;
    int64_t due_ns = 0;
    for (int r = 0; r < DRAWN_RANKS; r++) {
        if (!(drawn_members[comm] >> r & 1))
            continue;
        complete_drawn(&rank[r], random, kind, false);
        rank[r].now_ns += drawn_ns(random, kind, 5);
        due_ns = rank[r].now_ns > due_ns ? rank[r].now_ns : due_ns;
    }
    for (int r = 0; r < DRAWN_RANKS; r++) {
        struct drawn_rank *of = &rank[r];
        if (!(drawn_members[comm] >> r & 1))
            continue;
        int64_t left_ns = of->now_ns;
        if (!is_nonblocking && !is_eager)
            left_ns = due_ns > left_ns ? due_ns : left_ns;
        left_ns += drawn_ns(random, kind, 3);
        struct syn_event event = blocking(of->now_ns, left_ns, sequence);
        event.op =
            (uint16_t)(op + (is_nonblocking ? SYN_FORM_NONBLOCKING * SYN_OP_FORM_STRIDE : 0));
        event.root = syn_op_flags(event.op) & SYN_OPF_ROOTED ? 0 : -1;
        event.comm = (uint32_t)comm;
        if (is_nonblocking && freed)
            event.flags |= SYN_EVENT_NO_COMPLETION;
        event.wait_start_ticks = is_nonblocking ? left_ns : event.start_ticks;
        of->event[of->count] = event;
        of->thread[of->count] = (uint32_t)syn_random_below(random, kind->thread_count);
        of->due_ns[of->count] = due_ns;
        of->pending[of->count] = is_nonblocking && !freed;
        of->lost[of->count] = syn_random_below(random, 100) < kind->lost;
        of->count++;
        of->now_ns = left_ns;
    }
}

/* Communicators have the same number on all ranks; one that is not of them is of itself alone. */
static void declare_drawn(struct made_trace *made, int comm)
{
    int32_t world_rank[DRAWN_RANKS];
    int size = 0;
    for (int r = 0; r < DRAWN_RANKS; r++)
        if (drawn_members[comm] >> r & 1)
            world_rank[size++] = r;
    for (int r = 0, m = 0; r < DRAWN_RANKS; r++) {
        const bool is_in = drawn_members[comm] >> r & 1;
        const int32_t self = r;
        made_comm(
            made, r,
            (struct syn_comm_record){.index = (uint32_t)comm,
                                     .id = (uint64_t)(is_in ? 10 + comm : 100 + 10 * comm + r),
                                     .parent_id = 1,
                                     .size = is_in ? size : 1,
                                     .rank = is_in ? m : 0,
                                     .name = is_in ? "part" : "self",
                                     .world_ranks = is_in ? world_rank : &self});
        m += is_in;
    }
}

/* In chunks of one to three calls of a thread. */
static void write_drawn(struct made_trace *made, int r, const struct drawn_rank *rank,
                        struct syn_random *random)
{
    struct syn_event chunk[3];
    for (int i = 0; i < rank->count;) {
        const size_t most = 1 + (size_t)syn_random_below(random, 3);
        const uint32_t thread = rank->thread[i];
        size_t count = 0;
        for (; i < rank->count && count < most && rank->thread[i] == thread; i++)
            if (!rank->lost[i])
                chunk[count++] = rank->event[i];
        if (count > 0)
            made_thread(made, r, thread, chunk, count);
    }
}

static void make_drawn(struct made_trace *made, struct syn_random *random,
                       const struct drawn_kind *kind)
{
    static struct drawn_rank rank[DRAWN_RANKS];
    uint64_t sequence[DRAWN_COMMS] = {0};
    memset(rank, 0, sizeof rank);
    made_begin_bounded(made, DRAWN_RANKS, kind->unit_ns == 1 ? 2 : 0, 0);
    for (int comm = 1; comm < DRAWN_COMMS; comm++)
        declare_drawn(made, comm);
    for (int step = 0; step < DRAWN_STEPS; step++) {
        const int comm =
            (int)syn_random_below(random, 2) * (int)syn_random_below(random, DRAWN_COMMS);
        draw_call(rank, random, kind, comm, sequence[comm]++);
    }
    for (int r = 0; r < DRAWN_RANKS; r++) {
        complete_drawn(&rank[r], random, kind, true);
        write_drawn(made, r, &rank[r], random);
    }
}

static void write_point(FILE *out, const struct syn_causes *causes, const struct syn_names *names,
                        uint32_t point)
{
    const struct syn_cause_point *of = syn_point_at(&causes->tables, point);
    const char *site = point == SYN_POINT_OUTSIDE ? "outside" : syn_names_text(names, of->site);
    fprintf(out, "%s:%u%s", site ? site : "?", of->op, of->is_completion ? "'" : "");
}

static void write_cell(FILE *out, const struct syn_causes *causes,
                       const struct syn_cause_cell *cell)
{
    for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++) {
        const struct syn_category_sums *of = syn_category_sums_of(cell, index);
        const struct syn_excess_histogram *histogram = of->histogram;
        uint32_t at = 0;
        fprintf(out, " path %lld bound %lld times %lld", (long long)of->path_ns,
                (long long)of->bound_ns, (long long)of->instances);
        for (unsigned o = 0; histogram && o < SYN_EXCESS_BUCKETS; o++) {
            if (!(histogram->present >> o & 1))
                continue;
            fprintf(out, " bucket %u %lld", o, (long long)histogram->at[at].waiting_ns);
            for (uint32_t k = 0; k < histogram->at[at].sample_count; k++)
                fprintf(out, " %lld", (long long)histogram->at[at].sample[k].excess_ns);
            at++;
        }
    }
    for (uint32_t b = 0; b < causes->sums.bins.count; b++) {
        const struct syn_bin_values block = syn_bin_of_cell(&causes->sums, cell, b);
        fprintf(out, " | %lld", (long long)block.count);
        for (unsigned index = 0; index < SYN_CATEGORIES_OF_LABEL; index++)
            fprintf(out, " %lld/%lld", (long long)block.ns[index],
                    (long long)block.waiting_ns[index]);
    }
    fprintf(out, "\n");
}

/* A cell may be made before it is known that nothing is to be counted there. */
static bool is_used(const struct syn_causes *causes, const struct syn_cause_cell *cell)
{
    int64_t used = 0;
    for (unsigned index = 0; cell && index < SYN_CATEGORIES_OF_LABEL; index++)
        used |= syn_category_sums_of(cell, index)->path_ns |
                syn_category_sums_of(cell, index)->instances;
    for (uint32_t b = 0; cell && b < causes->sums.bins.count; b++)
        used |= syn_bin_of_cell(&causes->sums, cell, b).count;
    return used != 0;
}

/* All there is of a run, in the order in which reports go through it. */
static void write_all(const struct syn_causes *causes, const struct syn_names *names, void *ctx)
{
    FILE *out = ctx;
    const struct syn_cause_sums *sums = &causes->sums;
    for (unsigned why = 0; why < SYN_UNKNOWN_COUNT; why++)
        fprintf(out, "unknown %lld\n", (long long)sums->unknown_ns[why]);
    fprintf(out, "waiting %lld, instances %llu, path %lld to %lld\n", (long long)sums->waiting_ns,
            (unsigned long long)sums->instance_count, (long long)sums->path_start_ns,
            (long long)sums->path_end_ns);
    for (uint32_t i = 0; i < sums->location_count; i++)
        for (uint32_t l = 0; l < causes->tables.labels.count; l++) {
            const struct syn_label *label = syn_label_at(&causes->tables, l);
            const struct syn_cause_cell *cell = syn_profile_cell(sums, i, l);
            if (!is_used(causes, cell))
                continue;
            fprintf(out, "%u ", i);
            write_point(out, causes, names, label->from);
            fprintf(out, " to ");
            if (!syn_label_is_call(label))
                write_point(out, causes, names, label->to);
            write_cell(out, causes, cell);
        }
}

/* The caller's. */
static char *text_of(struct syn_trace *trace, uint64_t slice_events)
{
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_not_null(out);
    const struct told told = tell_to(trace, slice_events, write_all, out);
    fclose(out);
    expect_conserved(&told);
    return text;
}

static void expect_same(const char *text, const char *whole, int run, uint64_t events)
{
    size_t at = 0, line = 0;
    for (; text[at] && text[at] == whole[at]; at++)
        line = text[at] == '\n' ? at + 1 : line;
    cr_expect(text[at] == whole[at], "run %d, slices of %llu:\n%.*s\nof one slice:\n%.*s", run,
              (unsigned long long)events, (int)strcspn(text + line, "\n"), text + line,
              (int)strcspn(whole + line, "\n"), whole + line);
}

/* One slice, and slices of any size from a chunk on: operations that are pending where one ends,
 * calls that were lost, threads, and times that are equal. */
Test(causes_threads, slices_of_any_size_say_the_same)
{
    static const struct drawn_kind kinds[] = {
        {0, 0, 1, 1},  {30, 0, 1, 1}, {60, 0, 1, 10}, {0, 5, 1, 1},  {20, 3, 1, 10},
        {0, 20, 1, 1}, {0, 0, 2, 1},  {20, 3, 2, 10}, {30, 5, 1, 1}, {60, 2, 1, 1}};
    struct syn_random random;
    syn_random_seed(&random, 1);
    for (int run = 0; run < DRAWN_RUNS; run++) {
        struct made_trace made;
        make_drawn(&made, &random, &kinds[run % (int)(sizeof kinds / sizeof *kinds)]);
        struct syn_trace *trace = made_open(&made, 0);
        char *whole = text_of(trace, UINT64_MAX);
        for (uint64_t events = 1; events < 150; events += 1 + events / 3) {
            char *text = text_of(trace, events);
            expect_same(text, whole, run, events);
            free(text);
        }
        free(whole);
        made_end(&made, trace);
    }
}
