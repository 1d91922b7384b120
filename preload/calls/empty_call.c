/* preload/calls/empty_call.c - see empty_call.h.
 *
 * The wrapper here consists of the same inline functions as those of collectives.c. It runs with a
 * thread state of its own, whose events go to scratch memory and whose communicator is no real one.
 * A measurement takes a million instructions. */
#include "preload/calls/empty_call.h"

#include <stdlib.h>

#include "preload/calls/call.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/stacks/stacks.h"
#include "sync/base/compare.h"
#include "sync/base/integers.h"

#define ROUNDS_MAX   15
#define ROUNDS_BRIEF 5   /* if other ranks wait for this rank's processor */
#define CALLS        256 /* timed calls of a round */

static struct {
    struct syn_thread thread;
    struct syn_comm comm;
    struct syn_event *events; /* [CALLS + 2]: one more for the call that is not timed, and one that
                                 is never filled */
    struct syn_stack_cache *learning; /* not NULL: the next call adds its stack to this cache */
} scratch;

/* Stands in for MPI's function. */
static __attribute__((noinline)) int do_nothing(MPI_Comm comm)
{
    __asm__ volatile("" ::"r"(&comm) : "memory");
    return MPI_SUCCESS;
}

static int (*volatile const bare_call)(MPI_Comm) = do_nothing;

/* Adds the call's stack to the cache; from then on the thread captures stacks. */
static void learn(struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    if (syn_stack_warm_up(scratch.learning, frame, caller))
        self->stacks = scratch.learning;
}

static __attribute__((noinline)) int wrapped_call(MPI_Comm comm)
{
    struct syn_thread *self = syn_enter((uintptr_t)__builtin_frame_address(0));
    if (!self)
        return MPI_SUCCESS;
    if (__builtin_expect(scratch.learning != NULL, 0))
        learn(self, (uintptr_t)__builtin_frame_address(0), (uintptr_t)__builtin_return_address(0));
    const struct syn_transfer transfer = {0};
    SYN_CALL_BEGIN(
        call, self,
        syn_open_collective(&call, SYN_OP_BLOCKING(BARRIER), SYN_PAYLOAD_NONE, 0, comm, &transfer));
    call.result = bare_call(comm);
    call.end_ticks = syn_now();
    struct syn_comm *state = syn_comm_of(self, comm);
    if (state)
        syn_call_record(&call, state, SYN_OP_BLOCKING(BARRIER), call.payload);
    syn_call_leave(&call);
    return call.result;
}

static double to_ns(int64_t ticks)
{
    return (double)syn_tick_source_local(&syn_ticks, syn_ticks.base_ticks + ticks).ns;
}

/* Returns the nanoseconds of a call of `function`. The first call is not timed: it adds the stack
 * to the cache `stacks` (NULL: no stacks). All calls come from one call instruction, because its
 * address is part of the stack. */
static double time_calls(int (*function)(MPI_Comm), struct syn_stack_cache *stacks)
{
    int (*volatile const called)(MPI_Comm) = function;
    int64_t began = 0;
    scratch.thread.next = scratch.events;
    scratch.thread.stacks = NULL;
    scratch.learning = stacks;
    for (volatile int i = -1; i < CALLS; i++) {
        if (i == 0)
            began = syn_now();
        called(syn_mpi.comm_self);
        scratch.learning = NULL;
    }
    return to_ns(syn_now() - began) / CALLS;
}

/* Returns the mean recorded duration, in nanoseconds. */
static double mean_interval(void)
{
    int64_t sum = 0;
    for (int i = 1; i <= CALLS; i++)
        sum += scratch.events[i].end_ticks - scratch.events[i].start_ticks;
    return to_ns(sum) / CALLS;
}

SYN_ORDER(ascending, double, SYN_UP_ITSELF)

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 2];
}

/* Measures wrapped calls without and with a stack, and subtracts the time of the bare call. */
static void measure(struct syn_stack_cache *stacks, int rounds, struct syn_empty_call *out)
{
    double bare[ROUNDS_MAX], wrapped[ROUNDS_MAX], with_stack[ROUNDS_MAX], interval[ROUNDS_MAX];
    for (int round = 0; round < rounds; round++) {
        bare[round] = time_calls(bare_call, NULL);
        wrapped[round] = time_calls(wrapped_call, NULL);
        interval[round] = mean_interval();
        with_stack[round] = stacks ? time_calls(wrapped_call, stacks) : wrapped[round];
    }
    const double call_ns = median(wrapped, rounds), stack_ns = median(with_stack, rounds) - call_ns;
    out->call_ns = call_ns - median(bare, rounds);
    out->stack_ns = syn_largest(stack_ns, 0);
    out->interval_ns = median(interval, rounds);
}

bool syn_empty_call_measure(bool brief, struct syn_empty_call *out)
{
    struct syn_thread *own = syn_self;
    if (!own || own->guard == UINTPTR_MAX || syn_control_now() & SYN_CONTROL_NOT_NOW)
        return false;
    scratch.events = calloc(CALLS + 2, sizeof *scratch.events);
    if (!scratch.events)
        return false;
    scratch.thread.sample_due_ticks = INT64_MAX;
    scratch.thread.limit = scratch.events + CALLS + 2;
    scratch.comm.handle = syn_mpi.comm_self;
    scratch.thread.comm = &scratch.comm;
    scratch.thread.line = &scratch.thread.private_line;
    syn_self = &scratch.thread;
    measure(own->stacks, brief ? ROUNDS_BRIEF : ROUNDS_MAX, out);
    syn_self = own;
    free(scratch.events);
    return true;
}
