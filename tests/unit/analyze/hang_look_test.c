/* From the lines of open calls and the events of a made trace to a model, and to a state. */
#include <criterion/criterion.h>

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
            made_event(&seen->made, r, (int64_t)i * SECOND, (int64_t)(i + 1) * SECOND,
                       (struct syn_event){
                           .op = SYN_OP_BLOCKING(BARRIER), .root = -1, .sequence = i});
}

/* The run was killed. */
static void open_killed(struct seen *seen)
{
    seen->trace = made_open(&seen->made, 0);
    for (int r = 0; r < seen->made.rank_count; r++)
        syn_trace_rank(seen->trace, r)->end.ending = SYN_ENDING_KILLED;
}

static void line(struct seen *seen, int rank, struct syn_open_line line)
{
    const struct syn_open_entry entry = {.line = line};
    cr_assert_eq(syn_open_list_add(&syn_trace_rank(seen->trace, rank)->open, &entry), 0);
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

static const struct syn_hang *see(struct seen *seen)
{
    const struct syn_hang_options options = SYN_HANG_OPTIONS;
    cr_assert_eq(syn_comms_open(seen->trace, &seen->names, &seen->comms), 0);
    const struct syn_examine_source source = {
        .trace = seen->trace, .comms = &seen->comms, .names = &seen->names};
    cr_assert_eq(syn_examine(&seen->examination, &source, &options, true), 0);
    return &seen->examination.hang;
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
    line(&seen, 0, (struct syn_open_line){.start_ticks = 3 * SECOND,
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
