/* From the lines of open calls and the events of a made trace to a model, and to a state. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/hang/examine.h"
#include "made_trace.h"
#include "trace/base/calls.h"
#include "trace/base/ops.h"
#include "trace/events/attributes.h"
#include "trace/read/rank_file.h"

#define SECOND INT64_C(1000000000)

struct seen {
    struct made_trace made;
    struct syn_trace *trace;
    struct syn_names names;
    struct syn_comms comms;
    struct syn_examination examination;
};

/* `ranks` on MPI_COMM_WORLD, each of which has made `calls` barriers of a second. */
static void begin(struct seen *seen, int ranks, uint64_t calls)
{
    *seen = (struct seen){0};
    made_begin(&seen->made, ranks);
    for (int r = 0; r < ranks; r++)
        for (uint64_t i = 0; i < calls; i++)
            made_event(
                &seen->made, r, (int64_t)i * SECOND, (int64_t)(i + 1) * SECOND,
                (struct syn_event){.op = SYN_OP_BLOCKING(BARRIER), .root = -1, .sequence = i});
}

/* The run was killed. */
static void open_killed(struct seen *seen)
{
    seen->trace = made_open(&seen->made, 0);
    for (int r = 0; r < seen->made.rank_count; r++)
        syn_trace_rank(seen->trace, r)->end.ending = SYN_ENDING_KILLED;
}

static void line_of(struct syn_trace *trace, int rank, struct syn_open_line line)
{
    struct syn_open_list *open = &syn_trace_rank(trace, rank)->open;
    open->entries = realloc(open->entries, (open->count + 1) * sizeof *open->entries);
    cr_assert(open->entries);
    open->entries[open->count++] = (struct syn_open_entry){.line = line};
}

static void line(struct seen *seen, int rank, struct syn_open_line line)
{
    line_of(seen->trace, rank, line);
}

/* Inside of a collective since `start_s`. */
static struct syn_open_line collective(int64_t start_s, uint16_t op, uint64_t sequence)
{
    return (struct syn_open_line){.start_ticks = start_s * SECOND,
                                  .end_ticks = 0,
                                  .sequence = sequence,
                                  .stack = SYN_NO_STACK,
                                  .peer = -1,
                                  .call = op,
                                  .of_op = SYN_OPEN_NO_OP};
}

/* Outside of MPI since `end_s`. */
static struct syn_open_line returned(struct syn_open_line line, int64_t end_s)
{
    line.end_ticks = end_s * SECOND;
    return line;
}

static const uint16_t ibarrier =
    SYN_OP_BLOCKING(BARRIER) + SYN_FORM_NONBLOCKING * SYN_OP_FORM_STRIDE;

static const struct syn_hang *see_of(struct seen *seen, bool goes_on)
{
    const struct syn_hang_options options = SYN_HANG_OPTIONS;
    cr_assert_eq(syn_comms_open(seen->trace, &seen->names, &seen->comms), 0);
    const struct syn_look look = {
        .trace = seen->trace, .comms = &seen->comms, .names = &seen->names, .goes_on = goes_on};
    cr_assert_eq(syn_examine(&seen->examination, &look, &options, true), 0);
    return &seen->examination.hang;
}

static const struct syn_hang *see(struct seen *seen)
{
    return see_of(seen, false);
}

static void end(struct seen *seen)
{
    syn_examine_free(&seen->examination);
    syn_comms_close(&seen->comms);
    syn_names_free(&seen->names);
    made_end(&seen->made, seen->trace);
}

/* Rank 1 computes, and rank 2 has the lock of its window. */
Test(hang_look, a_target_need_not_come)
{
    struct seen seen;
    begin(&seen, 3, 2);
    open_killed(&seen);
    line(&seen, 0,
         (struct syn_open_line){.start_ticks = 3 * SECOND,
                                .sequence = SYN_OPEN_NO_SEQUENCE,
                                .stack = SYN_NO_STACK,
                                .peer = 1,
                                .call = SYN_CALL_Win_lock,
                                .of_op = SYN_OPEN_NO_OP});
    line(&seen, 1, collective(4, SYN_OP_BLOCKING(BARRIER), 2));
    line(&seen, 2, returned(collective(1, SYN_OP_BLOCKING(BARRIER), 1), 90));
    const struct syn_hang *hang = see(&seen);
    cr_expect_eq(seen.examination.looked.model.call[0].inside, SYN_HANG_SOMEBODY);
    cr_expect_eq(hang->cycle_count, 0);
    cr_expect_neq(hang->state, SYN_HANG_IS_STUCK);
    end(&seen);
}

/* Rank 1 began both barriers, waited for the first one, and computes. */
Test(hang_look, a_completion_may_be_of_an_earlier_instance)
{
    struct seen seen;
    struct syn_open_line wait = returned(collective(3, SYN_CALL_Wait, 0), 4);
    begin(&seen, 2, 0);
    for (uint64_t i = 0; i < 2; i++)
        made_event(&seen.made, 1, 0, (int64_t)(3 + i) * SECOND,
                   (struct syn_event){.op = ibarrier, .root = -1, .sequence = i});
    open_killed(&seen);
    wait.of_op = ibarrier;
    line(&seen, 0, collective(90, ibarrier, 1));
    line(&seen, 1, wait);
    const struct syn_hang *hang = see(&seen);
    cr_assert_eq(seen.examination.looked.model.comm_count, 1);
    cr_expect_eq(seen.examination.looked.model.comm[0].begun[1], 2);
    cr_expect_eq(hang->absent_count, 0);
    end(&seen);
}

Test(hang_look, a_rank_that_does_not_record_leaves_the_run_ended)
{
    struct seen seen;
    begin(&seen, 2, 3);
    open_killed(&seen);
    syn_trace_rank(seen.trace, 0)->end.ending = SYN_ENDING_FINALIZE;
    syn_trace_rank(seen.trace, 1)->end.ending = SYN_ENDING_DISABLED;
    cr_expect_not(syn_is_unended(seen.trace));
    see(&seen);
    cr_expect_not(syn_examine_accuses(&seen.examination));
    end(&seen);
}

/* Ranks 1 and 2 left files without an end; of rank 2 the raw blocks are there, too. */
Test(hang_look, a_rank_whose_raw_blocks_are_gone_is_unknown)
{
    struct seen seen;
    begin(&seen, 3, 2);
    open_killed(&seen);
    syn_trace_rank(seen.trace, 1)->end.ending = SYN_ENDING_UNKNOWN;
    line(&seen, 0, collective(3, SYN_OP_BLOCKING(BARRIER), 2));
    line(&seen, 2, returned(collective(1, SYN_OP_BLOCKING(BARRIER), 1), 2));
    const struct syn_hang *hang = see(&seen);
    cr_assert_eq(hang->unknown_count, 1);
    cr_expect_eq(hang->unknown[0], 1);
    cr_assert_eq(hang->absent_count, 1);
    cr_expect_eq(hang->absent[0].rank, 2);
    end(&seen);
}

/* One look at a run that goes on is no look at a killed one. */
Test(hang_look, nothing_is_said_of_a_run_that_goes_on)
{
    struct seen seen;
    begin(&seen, 2, 2);
    open_killed(&seen);
    line(&seen, 0, collective(3, SYN_OP_BLOCKING(BARRIER), 2));
    line(&seen, 1, returned(collective(1, SYN_OP_BLOCKING(BARRIER), 1), 90));
    see_of(&seen, true);
    cr_expect_not(seen.examination.has_hang);
    cr_expect(seen.examination.unended);
    cr_expect_not(syn_examine_accuses(&seen.examination));
    end(&seen);
}

Test(hang_look, exit_without_finalize_ends_a_run)
{
    for (int lost = 0; lost < 2; lost++) {
        struct seen seen;
        begin(&seen, 2, 2);
        open_killed(&seen);
        syn_trace_rank(seen.trace, 0)->end.ending = SYN_ENDING_EXIT;
        syn_trace_rank(seen.trace, 1)->end.ending = lost ? SYN_ENDING_UNKNOWN : SYN_ENDING_EXIT;
        const struct syn_hang *hang = see(&seen);
        cr_expect_eq(seen.examination.exited, lost == 0);
        cr_expect_eq(seen.examination.unended, lost == 1);
        cr_expect_eq(hang->state, SYN_HANG_HAS_ENDED);
        cr_expect_not(syn_examine_accuses(&seen.examination));
        end(&seen);
    }
}

/* Both reduce, with other operations; both come from the call. */
Test(hang_look, another_reduction_stops_nobody)
{
    static const enum syn_reduction reduction[] = {SYN_REDUCTION_SUM, SYN_REDUCTION_MAX};
    for (int other_root = 0; other_root < 2; other_root++) {
        struct seen seen;
        begin(&seen, 2, 1);
        open_killed(&seen);
        for (int r = 0; r < 2; r++) {
            struct syn_open_line call = collective(2 + r, SYN_OP_BLOCKING(REDUCE), 1);
            call.peer = other_root ? r : 0;
            call.bytes = (uint64_t)syn_attributes(reduction[r], SYN_TYPE_INTEGER, 4)
                             << SYN_ATTRIBUTES_SHIFT |
                         4;
            line(&seen, r, call);
        }
        const struct syn_hang *hang = see(&seen);
        cr_expect_eq(hang->state, other_root ? SYN_HANG_IS_STUCK : SYN_HANG_WAS_KILLED);
        cr_assert_eq(seen.examination.mismatches.count, 1);
        cr_expect_eq(seen.examination.mismatches.at[0].by,
                     other_root ? SYN_DIFFERENCE_ROOT : SYN_DIFFERENCE_REDUCTION);
        end(&seen);
    }
}

/* By the lines alone: an event may be in no file yet. */
Test(hang_look, a_rank_that_moves_shows_it)
{
    struct seen seen;
    struct syn_trace *after;
    char *why = NULL;
    begin(&seen, 2, 2);
    open_killed(&seen);
    cr_assert_eq(syn_trace_open(seen.made.directory, &after, &why), 0);
    cr_expect_not(syn_has_moved(seen.trace, after));
    line(&seen, 0, collective(3, SYN_OP_BLOCKING(BARRIER), 2));
    line_of(after, 0, collective(3, SYN_OP_BLOCKING(BARRIER), 2));
    cr_expect_not(syn_has_moved(seen.trace, after));
    syn_trace_rank(after, 0)->open.entries[0].line.end_ticks = 4 * SECOND;
    cr_expect(syn_has_moved(seen.trace, after));
    syn_trace_close(after);
    made_end(&seen.made, seen.trace);
}
