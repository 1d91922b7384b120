/* tests/bench/message_calls.c - each program goes step by step through all ranks. */
#include "message_calls.h"

#include <stdbool.h>
#include <stdlib.h>

#include "trace/base/calls.h"
#include "trace/events/attributes.h"
#include "trace/events/message.h"

#define STEPS_OF_MEETING 64
#define CALL_NS          200 /* in a call that starts something */

struct rank {
    int64_t now_ns;
    uint32_t order; /* messages posted */
    int64_t posted_ns, wait_ns;
};

struct program {
    const struct message_plan *plan;
    message_write *write;
    void *context;
    struct rank *rank;
    uint64_t random, meetings;
};

static double uniform(struct program *program)
{
    uint64_t x = program->random += UINT64_C(0x9E3779B97F4A7C15); /* splitmix64 */
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    x ^= x >> 31;
    return (double)(x >> 11) * 0x1p-53;
}

static int64_t work_of(struct program *program, int rank)
{
    const struct message_plan *plan = program->plan;
    return (int64_t)(plan->work_ns * (0.9 + 0.2 * uniform(program)) +
                     (rank == plan->late ? plan->late_ns : 0));
}

static int64_t transfer_of(struct program *program)
{
    return (int64_t)(program->plan->transfer_ns * (0.8 + 0.4 * uniform(program)));
}

struct message {
    int peer;
    uint16_t call, bits;
    int32_t tag;
    uint32_t stack;
    int64_t start_ns, call_end_ns, wait_ns, end_ns;
};

static void put(struct program *program, int rank, const struct message *message)
{
    const struct syn_event event = {
        .start_ticks = message->start_ns,
        .end_ticks = message->end_ns,
        .call_end_ticks = message->call_end_ns,
        .wait_start_ticks = message->wait_ns,
        .bytes = program->plan->bytes | (uint64_t)message->bits << SYN_ATTRIBUTES_SHIFT,
        .sequence = (uint64_t)program->rank[rank].order++ << 32 | (uint32_t)message->tag,
        .stack = message->stack,
        .root = message->peer,
        .op = message->call};
    program->write(program->context, rank, &event);
}

/* A blocking one, from now on until `end_ns`. */
static void block(struct program *program, int rank, struct message message, int64_t end_ns)
{
    struct rank *own = &program->rank[rank];
    message.start_ns = message.wait_ns = own->now_ns;
    message.call_end_ns = message.end_ns = own->now_ns = end_ns;
    put(program, rank, &message);
}

static int64_t later(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void step_halo(struct program *program)
{
    const int count = program->plan->rank_count;
    for (int r = 0; r < count; r++) {
        struct rank *own = &program->rank[r];
        own->posted_ns = own->now_ns + work_of(program, r);
        own->wait_ns = own->posted_ns + 5 * CALL_NS;
    }
    for (int r = 0; r < count; r++) {
        struct rank *own = &program->rank[r];
        const int left = (r + count - 1) % count, right = (r + 1) % count;
        /* The sends are the third and the fourth call. */
        const int64_t due_ns =
            later(program->rank[left].posted_ns, program->rank[right].posted_ns) + 3 * CALL_NS;
        const int64_t end_ns = later(own->wait_ns, due_ns) + transfer_of(program);
        for (int i = 0; i < 4; i++) {
            const bool receives = i < 2;
            struct message message = {.peer = (i % 2 == 0) == receives ? left : right,
                                      .call = receives ? SYN_CALL_Irecv : SYN_CALL_Isend,
                                      .bits = receives ? SYN_MESSAGE_RECEIVE : 0,
                                      .tag = i % 2,
                                      .stack = receives ? 0 : 1,
                                      .start_ns = own->posted_ns + i * CALL_NS,
                                      .call_end_ns = own->posted_ns + i * CALL_NS + CALL_NS / 2,
                                      .wait_ns = own->wait_ns,
                                      .end_ns = end_ns};
            put(program, r, &message);
        }
        own->now_ns = end_ns;
    }
}

static void step_pipeline(struct program *program)
{
    const int count = program->plan->rank_count;
    int64_t sent_ns = 0;
    for (int r = 0; r < count; r++) {
        struct rank *own = &program->rank[r];
        if (r > 0)
            block(
                program, r,
                (struct message){
                    .peer = r - 1, .call = SYN_CALL_Recv, .bits = SYN_MESSAGE_RECEIVE, .stack = 0},
                later(own->now_ns, sent_ns) + transfer_of(program));
        own->now_ns += work_of(program, r);
        sent_ns = own->now_ns;
        if (r + 1 < count)
            block(program, r, (struct message){.peer = r + 1, .call = SYN_CALL_Send, .stack = 1},
                  own->now_ns + CALL_NS);
    }
}

static void step_master(struct program *program)
{
    struct rank *master = &program->rank[0];
    const int worker = 1 + (int)(uniform(program) * (program->plan->rank_count - 1));
    struct rank *own = &program->rank[worker];
    own->now_ns += work_of(program, worker);
    const int64_t asked_ns = own->now_ns;
    block(program, worker, (struct message){.peer = 0, .call = SYN_CALL_Send, .tag = 7, .stack = 0},
          own->now_ns + CALL_NS);
    block(program, 0,
          (struct message){.peer = worker,
                           .call = SYN_CALL_Recv,
                           .bits = SYN_MESSAGE_RECEIVE | SYN_MESSAGE_ANY_SOURCE,
                           .tag = 7,
                           .stack = 1},
          later(master->now_ns, asked_ns) + transfer_of(program));
    master->now_ns += work_of(program, 0) / 10;
    const int64_t answered_ns = master->now_ns;
    block(program, 0, (struct message){.peer = worker, .call = SYN_CALL_Send, .tag = 8, .stack = 2},
          master->now_ns + CALL_NS);
    block(program, worker,
          (struct message){
              .peer = 0, .call = SYN_CALL_Recv, .bits = SYN_MESSAGE_RECEIVE, .tag = 8, .stack = 3},
          later(own->now_ns, answered_ns) + transfer_of(program));
}

static void meet(struct program *program)
{
    const int count = program->plan->rank_count;
    int64_t last_ns = 0;
    for (int r = 0; r < count; r++)
        last_ns = later(last_ns, program->rank[r].now_ns + CALL_NS);
    for (int r = 0; r < count; r++) {
        struct rank *own = &program->rank[r];
        const int64_t start_ns = own->now_ns + CALL_NS, end_ns = last_ns + 1000;
        const struct syn_event event = {.start_ticks = start_ns,
                                        .end_ticks = end_ns,
                                        .call_end_ticks = end_ns,
                                        .wait_start_ticks = start_ns,
                                        .bytes = 8,
                                        .sequence = program->meetings,
                                        .stack = 3,
                                        .root = -1,
                                        .op = SYN_OP_BLOCKING(ALLREDUCE)};
        program->write(program->context, r, &event);
        own->now_ns = end_ns;
    }
    program->meetings++;
}

int64_t message_calls(const struct message_plan *plan, message_write *write, void *context)
{
    struct program program = {
        .plan = plan, .write = write, .context = context, .random = plan->seed};
    int64_t last_ns = 0;
    program.rank = calloc((size_t)plan->rank_count, sizeof *program.rank);
    if (!program.rank || plan->rank_count < 2)
        return -1;
    for (int r = 0; r < plan->rank_count; r++)
        program.rank[r].now_ns = plan->begin_ns;
    for (uint64_t step = 0; step < plan->steps; step++) {
        if (plan->program == 1)
            step_halo(&program);
        else if (plan->program == 2)
            step_pipeline(&program);
        else
            step_master(&program);
        if (plan->meets && step % STEPS_OF_MEETING == STEPS_OF_MEETING - 1)
            meet(&program);
    }
    if (plan->meets)
        meet(&program);
    for (int r = 0; r < plan->rank_count; r++)
        last_ns = later(last_ns, program.rank[r].now_ns);
    free(program.rank);
    return last_ns;
}
