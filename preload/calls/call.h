/* preload/calls/call.h - records one collective call.
 *
 * A wrapper takes these steps: call stack, open line, start tick, MPI's function, end tick, event,
 * close of the open line. The open line (trace/base/open_line.h) shows other processes which call
 * the thread is inside. */
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
    struct syn_open_line *line;       /* shows the call while it is open */
    struct syn_comm *comm;            /* NULL: looked up after the call */
    uint32_t stack;                   /* index of the call stack, or SYN_NO_STACK */
    struct syn_payload_value payload; /* bytes = SYN_OPEN_NO_BYTES: computed after the call */
    int64_t start_ticks;
    int64_t end_ticks;
    int result; /* MPI's return value */
};

/* Sets the members that are known before the open line is written.
 * RATIONALE: An initializer would also clear the members that the wrapper sets next. */
static inline __attribute__((always_inline)) void
syn_call_begin(struct syn_call *call, struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    call->self = self;
    call->line = self->line;
    call->comm = NULL;
    call->payload.bytes = SYN_OPEN_NO_BYTES;
    call->stack = self->stacks ? syn_stack_index(self->stacks, frame, caller) : SYN_NO_STACK;
}

/* Takes the start tick and opens the line. Nothing else may run between this and MPI's function. */
static inline void syn_call_start(struct syn_call *call)
{
    call->start_ticks = syn_now();
    syn_open_line_enter(call->line, call->start_ticks);
}

/* In a wrapper, after syn_enter: declares `call` and starts it. OPEN is an expression that writes
 * the open line by way of &call. */
#define SYN_CALL_BEGIN(call, thread, OPEN)                                   \
    struct syn_call call;                                                    \
    syn_call_begin(&(call), (thread), (uintptr_t)__builtin_frame_address(0), \
                   (uintptr_t)__builtin_return_address(0));                  \
    OPEN;                                                                    \
    syn_call_start(&(call))

/* Starts a call that cannot wait for other ranks. The call uses the thread's private line, so the
 * line that others see stays as it is. The call gets no stack. */
static inline void syn_call_begin_private(struct syn_call *call, struct syn_thread *self)
{
    call->self = self;
    call->line = &self->private_line;
    call->start_ticks = syn_now();
}

/* Closes the open line and leaves the wrapper. Call it after the event is stored, so that at any
 * time a reader finds either the open line or the event. */
static inline void syn_call_leave(const struct syn_call *call)
{
    syn_open_line_leave(call->line, call->end_ticks);
    syn_leave(call->self);
}

#define SYN_IS_BLOCKING(op) ((op) / SYN_OP_FORM_STRIDE == SYN_FORM_BLOCKING)

/* ---- the open call ---- */

/* Selects the thread's private line, for a call that cannot wait for other ranks. */
static inline void syn_open_private(struct syn_call *call)
{
    call->line = &call->self->private_line;
}

/* Writes the open line: operation `id` on `comm` (NULL: unknown) with this sequence number, payload
 * and root. */
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

/* Returns the communicator of a call that has not been made yet, or NULL if it is unknown. */
static inline struct syn_comm *syn_comm_before(struct syn_call *call, MPI_Comm handle)
{
    struct syn_comm *comm = call->self->comm;
    if (__builtin_expect(!comm || __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) != handle, 0))
        return syn_comm_before_call(syn_key_of_comm(handle));
    call->comm = comm;
    return comm;
}

/* Returns the communicator of a call that succeeded. NULL without memory. */
static inline struct syn_comm *syn_call_found(const struct syn_call *call, MPI_Comm handle)
{
    return __builtin_expect(call->comm != NULL, 1) ? call->comm : syn_comm_of(call->self, handle);
}

/* Writes the open line of a collective on data. */
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

/* The operation of a wrapper; all members are constants. */
struct syn_operation {
    enum syn_payload rule;
    uint32_t flags; /* SYN_OPF_* */
    uint16_t id;
};

/* Returns true if MPI rejected the arguments. In that case no collective took place. */
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
/* Fills `event` except for the members that only the completing call knows. Takes the next sequence
 * number of `comm`. */
void syn_call_prepare(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      struct syn_event *event);
/* Returns the communicator of a call that has returned; NULL if it is unknown, or the call was no
 * collective. */
struct syn_comm *syn_call_comm(const struct syn_call *call, MPI_Comm handle);

/* Writes the open line of a collective on data of any form. */
void syn_open_operation(struct syn_call *call, const struct syn_operation *operation,
                        MPI_Comm handle, const struct syn_transfer *transfer);
/* Writes the open line of a collective on the communicator, window or file `key`. `counts`: the
 * call takes a sequence number of `key`. */
void syn_open_other(struct syn_call *call, uint16_t id, uintptr_t key, bool counts);

/* Stores the event of a blocking call that has returned. Ends in syn_call_leave. */
void syn_call_done(const struct syn_call *call, const struct syn_operation *operation,
                   MPI_Comm comm, const struct syn_transfer *transfer);

/* Fills `event` except for sequence number, call stack and flags. */
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

/* Copies `event` into the thread's buffer. */
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

/* Takes the thread's time in messages since its last event and stores it in `event`, which is not
 * complete yet. The time lies in end_ticks until syn_event_complete sets the end. */
static inline void syn_event_hold(struct syn_thread *self, struct syn_event *event)
{
    event->end_ticks = syn_messages_take(self);
}
/* Completes `event` and copies it into the buffer of `self`, behind a note with two times in
 * messages: that before the event's start (syn_event_hold), and that of `self` since its last
 * event, which lies before the completing call. */
void syn_event_complete(struct syn_thread *self, struct syn_event *event, int64_t wait_start_ticks,
                        int64_t end_ticks);

/* Counts a call that is not recorded: it takes a sequence number of `comm`. */
void syn_call_pass(const struct syn_call *call, struct syn_comm *comm, uint16_t op);

/* Stores the event of a call that has returned, or counts the call if nothing is recorded now.
 * RATIONALE: The function is inlined into every wrapper, because most of its arguments are
 * constants there: this saves a third of the instructions. The address of `call` does not leave the
 * function, so `call` can be kept in registers. */
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
