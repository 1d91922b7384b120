/* preload/calls/call.h - one collective call, from its wrapper to its event: call stack, open line,
 * tick, call, tick, event, close. */
#ifndef SYN_CALL_H
#define SYN_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/calls/arguments/payload.h"
#include "preload/calls/control/control.h"
#include "preload/calls/messages.h"
#include "preload/clocks/align.h"
#include "preload/comms/communicators.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/samples.h"
#include "preload/recorder/stacks/stacks.h"

struct syn_call {
    struct syn_thread *self;
    struct syn_open_line *line; /* where others see that the thread is inside it */
    struct syn_comm *comm;      /* that it is on; NULL: to be found after the call */
    uint32_t stack;
    struct syn_payload_value payload; /* bytes SYN_OPEN_NO_BYTES: to be found after the call */
    int64_t start_ticks;
    int64_t end_ticks;
    int result; /* what MPI returned */
};

/* RATIONALE: no initializer, for that would clear what each wrapper sets next. */
static inline __attribute__((always_inline)) void
syn_call_begin(struct syn_call *call, struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    call->self = self;
    call->line = self->line;
    call->comm = NULL;
    call->payload.bytes = SYN_OPEN_NO_BYTES;
    call->stack = self->stacks ? syn_stack_index(self->stacks, frame, caller) : SYN_NO_STACK;
}

static inline void syn_call_start(struct syn_call *call)
{
    call->start_ticks = syn_now();
    syn_open_line_enter(call->line, call->start_ticks);
}

/* In a wrapper, after syn_enter: a call of this name begins now. OPEN, with &call, says what it is
 * on the thread's line. */
#define SYN_CALL_BEGIN(call, thread, OPEN)                                   \
    struct syn_call call;                                                    \
    syn_call_begin(&(call), (thread), (uintptr_t)__builtin_frame_address(0), \
                   (uintptr_t)__builtin_return_address(0));                  \
    OPEN;                                                                    \
    syn_call_start(&(call))

/* A call that nobody waits in begins now: it leaves the thread's line as it is, and takes no stack.
 */
static inline void syn_call_begin_unseen(struct syn_call *call, struct syn_thread *self)
{
    call->self = self;
    call->line = &self->unseen;
    call->start_ticks = syn_now();
}

/* It has returned, and its event is stored: between the two nobody takes the rank for one that did
 * not come. */
static inline void syn_call_leave(const struct syn_call *call)
{
    syn_open_line_leave(call->line, call->end_ticks);
    syn_leave(call->self);
}

#define SYN_IS_BLOCKING(op) ((op) / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING)

/* ---- the open call ---- */

/* A call that nobody waits in: it leaves the thread's line as it is. */
static inline void syn_open_unseen(struct syn_call *call)
{
    call->line = &call->self->unseen;
}

/* A call on `comm` (NULL: not known), the `sequence`-th on it. */
static inline __attribute__((always_inline)) void syn_open(struct syn_call *call, uint16_t id,
                                                           const struct syn_comm *comm,
                                                           uint64_t sequence, uint64_t bytes,
                                                           int32_t root)
{
    struct syn_open_line *line = call->line;
    syn_open_line_begin(line);
    SYN_OPEN_SET(line->sequence, sequence);
    SYN_OPEN_SET(line->bytes, bytes);
    SYN_OPEN_SET(line->comm, comm ? comm->index : SYN_OPEN_NO_COMM);
    SYN_OPEN_SET(line->stack, call->stack);
    SYN_OPEN_SET(line->peer, root);
    SYN_OPEN_SET(line->call, id);
}

/* The communicator of a call that has not been made yet; NULL where it is not known. */
static inline struct syn_comm *syn_comm_before(struct syn_call *call, MPI_Comm handle)
{
    struct syn_comm *comm = call->self->comm;
    if (__builtin_expect(!comm || __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) != handle, 0))
        return syn_comm_before_call(syn_key_of_comm(handle));
    call->comm = comm;
    return comm;
}

/* After a call that succeeded. */
static inline struct syn_comm *syn_call_found(const struct syn_call *call, MPI_Comm handle)
{
    return __builtin_expect(call->comm != NULL, 1) ? call->comm : syn_comm_of(call->self, handle);
}

/* A collective on data. */
static inline __attribute__((always_inline)) void
syn_open_collective(struct syn_call *call, uint16_t id, enum syn_payload rule, uint32_t flags,
                    MPI_Comm handle, const struct syn_transfer *transfer)
{
    struct syn_comm *comm = syn_comm_before(call, handle);
    if (__builtin_expect(comm != NULL, 1))
        call->payload = syn_payload_before(rule, flags, transfer, comm);
    syn_open(call, id, comm, comm ? comm->sequence : SYN_OPEN_NO_SEQUENCE, call->payload.bytes,
             comm ? call->payload.root : -1);
}

/* An operation: constants of its wrapper. */
struct syn_operation {
    enum syn_payload rule;
    uint32_t flags; /* SYN_OPF_* */
    uint16_t id;
};

/* Did MPI refuse the arguments? Then no collective took place. */
bool syn_call_was_refused(const struct syn_call *call);
/* Return the communicator of a failed call, or NULL if MPI rejected the arguments. Never asks MPI
 * about the handle: it may be invalid. */
struct syn_comm *syn_comm_of_failed(MPI_Comm handle, int error);
/* Returns the communicator, window or file of a call that has returned, by its key, also if the
 * call failed. */
struct syn_comm *syn_comm_after(const struct syn_call *call, uintptr_t key);

/* Returns the payload of a call's event, failed or not. */
struct syn_payload_value syn_call_payload(const struct syn_call *call,
                                          const struct syn_operation *operation,
                                          const struct syn_transfer *transfer,
                                          const struct syn_comm *comm);
/* All of an event but what the completing call will say; counts it. */
void syn_call_prepare(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      struct syn_event *event);
/* Returns the communicator of a call that has returned; NULL if it is unknown, or the call was no
 * collective. */
struct syn_comm *syn_call_comm(const struct syn_call *call, MPI_Comm handle);

/* Before the call, of any communicator, window or file `key`. `counts`: it is one of its row of
 * collectives. */
void syn_open_operation(struct syn_call *call, const struct syn_operation *operation,
                        MPI_Comm handle, const struct syn_transfer *transfer);
void syn_open_other(struct syn_call *call, uint16_t id, uintptr_t key, bool counts);

/* A blocking call has returned: it is an event. Ends in syn_call_leave. */
void syn_call_done(const struct syn_call *call, const struct syn_operation *operation,
                   MPI_Comm comm, const struct syn_transfer *transfer);

/* All of an event but the communicator's own count of collectives, and the flags. */
static inline void syn_event_fill(struct syn_event *event, const struct syn_call *call,
                                  const struct syn_comm *comm, uint16_t op,
                                  struct syn_payload_value payload)
{
    const int64_t start_ticks = call->start_ticks, end_ticks = call->end_ticks;
    event->start_ticks = start_ticks;
    event->end_ticks = end_ticks;
    event->call_end_ticks = end_ticks;
    event->wait_start_ticks = start_ticks;
    event->bytes = payload.bytes;
    event->comm = comm->index;
    event->root = payload.root;
    event->op = op;
}

static inline uint16_t syn_event_flags(const struct syn_comm *comm,
                                       struct syn_payload_value payload)
{
    return (uint16_t)(payload.flags | comm->event_flags | (syn_control_now() & SYN_CONTROL_PHASE));
}

/* Into the thread's buffer. */
static inline void syn_event_emit(struct syn_thread *self, const struct syn_event *event)
{
    struct syn_event *place = syn_event_next(self);
    const uint16_t flags = event->flags | self->pending_flags;
    const int64_t end_ticks = event->end_ticks;
    *place = *event;
    self->pending_flags = 0;
    syn_event_done(self, flags);
    syn_sample_after(self, end_ticks);
}

/* Until an event is complete, the time in messages before its start is where its end will be. */
static inline void syn_event_hold(struct syn_thread *self, struct syn_event *event)
{
    event->end_ticks = syn_messages_take(self);
}
/* It is complete: into the buffer of `self`, whose time in messages since its last call lies before
 * the completing one. */
void syn_event_complete(struct syn_thread *self, struct syn_event *event, int64_t wait_start_ticks,
                        int64_t end_ticks);

/* The call is counted on its communicator, but not recorded. */
void syn_call_pass(const struct syn_call *call, struct syn_comm *comm, uint16_t op);

/* Inlined into every wrapper, where most of its arguments are constants: a third fewer
 * instructions. RATIONALE: no address of `call` leaves this function, so that it can be in
 * registers. */
static inline __attribute__((always_inline)) void syn_call_record(const struct syn_call *call,
                                                                  struct syn_comm *comm,
                                                                  uint16_t op,
                                                                  struct syn_payload_value payload)
{
    struct syn_thread *self = call->self;
    const uint32_t control = syn_control_now();
    if (__builtin_expect(control & SYN_CONTROL_NOT_NOW, 0)) {
        const struct syn_call passed = *call;
        syn_call_pass(&passed, comm, op);
        return;
    }
    struct syn_event *event = syn_event_next(self);
    uint32_t flags =
        payload.flags | comm->event_flags | self->pending_flags | (control & SYN_CONTROL_PHASE);
    if (SYN_IS_BLOCKING(op))
        flags |= syn_align_flags(self, comm, call->start_ticks);
    syn_event_fill(event, call, comm, op, payload);
    event->stack = call->stack;
    event->sequence = comm->sequence++;
    self->pending_flags = 0;
    syn_event_done(self, (uint16_t)flags);
    syn_sample_after(self, call->end_ticks);
}

#endif
