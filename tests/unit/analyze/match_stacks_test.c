/* Events from very many call stacks: what they say is looked up by stack (slice_reader.c), and is
 * what they said all the same, when a stack says something else, in another slice, and once numbers
 * of attributes were forgotten. */
#include <criterion/criterion.h>
#include <stdlib.h>

#include "analyze/match/match.h"
#include "analyze/match/match_internal.h"
#include "analyze/threads.h"
#include "made_trace.h"
#include "trace/base/ops.h"

#define RANKS        2
#define STACKS       400
#define STEADY       100 /* of them always say the same */
#define CHUNK        1000
#define CHUNKS       110
#define MANY         ((CHUNKS - 10) * CHUNK) /* so many events, mostly, have sizes of their own */
#define FIRST_EVENTS (RANKS * MANY)          /* and make up the first slice, nearly */
_Static_assert(MANY / STACKS * (STACKS - STEADY) > SYN_ATTRIBUTES_MANY,
               "numbers are forgotten after them");

/* Makes the n-th event of a rank. */
static struct syn_event say(size_t n)
{
    const size_t stack = n % STACKS, chunk = n / CHUNK;
    struct syn_event event = {.op = SYN_OP_BLOCKING(ALLREDUCE),
                              .root = -1,
                              .bytes = 8 * stack,
                              .stack = (uint32_t)stack,
                              .sequence = n};
    if (stack < STEADY)
        event.bytes = stack;
    else if (n < MANY)
        event.bytes = 1000000 + n;
    else if (stack % 7 == 1 && chunk % 3 == 1)
        event.bytes++;
    else if (stack % 7 == 2 && chunk % 3 == 1)
        event.root = (int32_t)chunk % RANKS;
    else if (stack % 7 == 3 && chunk % 3 == 1)
        event.op = SYN_OP_BLOCKING(BCAST);
    else if (stack % 7 == 4 && chunk % 3 == 1)
        event.flags = SYN_EVENT_FAILED;
    event.start_ticks = event.wait_start_ticks = (int64_t)n * 100;
    event.end_ticks = event.call_end_ticks = (int64_t)n * 100 + 50;
    return event;
}

static void write_events(struct made_trace *made, int rank)
{
    static struct syn_event event[CHUNK];
    const struct syn_frame frame = {UINT32_MAX, 0};
    for (uint32_t i = 0; i < STACKS; i++)
        cr_assert_eq(syn_writer_stack(made->writer[rank], &(struct syn_stack_record){i, 1, &frame}),
                     0);
    for (size_t chunk = 0; chunk < CHUNKS; chunk++) {
        for (size_t i = 0; i < CHUNK; i++)
            event[i] = say(chunk * CHUNK + i);
        made_thread(made, rank, 0, event, CHUNK);
    }
}

struct seen {
    uint32_t partial_count;
    size_t instance_count, event_count;
};

struct partial {
    struct seen *seen;
    uint32_t serial;
};

static void *begin(void *ctx)
{
    struct partial *partial = malloc(sizeof *partial);
    *partial = (struct partial){ctx, ++((struct seen *)ctx)->partial_count};
    return partial;
}

static int end(void *ctx, void *partial, int64_t watermark_ns)
{
    (void)ctx;
    (void)watermark_ns;
    free(partial);
    return 0;
}

static void drop(void *ctx, void *partial)
{
    (void)ctx;
    free(partial);
}

/* A number that only these have. */
static uint32_t note_of(const struct partial *partial, const struct syn_event *event, int member)
{
    const uint64_t words[] = {partial->serial,
                              event->bytes,
                              (uint64_t)event->root,
                              event->op,
                              SYN_EVENT_FLAGS(event->flags),
                              (uint64_t)member};
    return (uint32_t)syn_hash64(words, sizeof words) >> 1;
}

static uint32_t kind(void *partial, const struct syn_attributes *attributes,
                     const struct syn_comm_place *place)
{
    const struct syn_event event = {.bytes = attributes->bytes,
                                    .root = attributes->root,
                                    .op = attributes->op,
                                    .flags = attributes->flags};
    return note_of(partial, &event, (int)place->member);
}

static int expect_notes(void *argument, const struct syn_match_batch *batch)
{
    const struct partial *partial = argument;
    for (size_t i = batch->first; i < batch->end; i++) {
        const struct syn_event event = say(batch->columns->sequence[i]);
        cr_assert_eq(batch->note[i - batch->first], note_of(partial, &event, batch->rank),
                     "event %zu of rank %d", (size_t)event.sequence, batch->rank);
    }
    partial->seen->event_count += batch->end - batch->first;
    return 0;
}

static int expect_said(void *argument, const struct syn_instance *instance)
{
    const struct partial *partial = argument;
    const struct syn_event event = say(instance->sequence);
    cr_assert_eq(instance->bytes, event.bytes, "instance %zu", (size_t)instance->sequence);
    cr_assert_eq(instance->root, event.root, "instance %zu", (size_t)instance->sequence);
    cr_assert_eq(instance->op, event.op, "instance %zu", (size_t)instance->sequence);
    cr_assert_eq(instance->flags, event.flags, "instance %zu", (size_t)instance->sequence);
    partial->seen->instance_count++;
    return 0;
}

static void expect_all(struct syn_trace *trace, uint64_t slice_events)
{
    struct seen seen = {0};
    struct syn_names names = {0};
    struct syn_comms comms;
    struct syn_match_totals totals;
    cr_assert_eq(syn_comms_open(trace, &names, &comms), 0);
    const struct syn_match match = {.trace = trace,
                                    .names = &names,
                                    .comms = &comms,
                                    .sink = {.instance = expect_said,
                                             .incomplete = expect_said,
                                             .kind = kind,
                                             .batch = expect_notes,
                                             .ctx = &seen,
                                             .partial_begin = begin,
                                             .partial_end = end,
                                             .partial_drop = drop},
                                    .slice_events = slice_events};
    cr_assert_eq(syn_match_run(&match, &totals), 0);
    cr_expect_eq(seen.instance_count, CHUNK * CHUNKS);
    cr_expect_eq(totals.instance_count, CHUNK * CHUNKS);
    cr_expect_eq(seen.event_count, RANKS * CHUNK * CHUNKS);
    syn_match_totals_free(&totals);
    syn_comms_close(&comms);
    syn_names_free(&names);
}

Test(match_stacks, say_what_they_say_each_time)
{
    struct made_trace made;
    made_begin(&made, RANKS);
    for (int rank = 0; rank < RANKS; rank++)
        write_events(&made, rank);
    struct syn_trace *trace = made_open(&made, 0);
    syn_thread_count_set(1);
    expect_all(trace, FIRST_EVENTS);
    expect_all(trace, 3 * RANKS * CHUNK);
    expect_all(trace, RANKS * CHUNK);
    made_end(&made, trace);
}
