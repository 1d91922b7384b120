/* preload/calls/messages.h - time in MPI calls that are no collectives: two clock reads a call, and
 * a sum.
 *
 * The sum lies in the thread's buffer, as a note (trace/events/notes.h) in the place where the next
 * event would be: whether that note is there says the entry before that place. So a collective call
 * has nothing to do with it, a killed program's raw block has it, and where nothing is sent there
 * is none. A thread that has no state yet gets none for a message, unless messages are events: what
 * it sends before its first collective call is not told. */
#ifndef SYN_MESSAGES_H
#define SYN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/comms/communicators.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/stacks/stacks.h"
#include "trace/base/calls.h"
#include "trace/events/notes.h"

extern bool syn_messages_on;
/* Messages are events (message_events.h), and what is left is summed up. */
extern bool syn_message_events;

/* The thread's buffer gets a note. */
void syn_messages_note(struct syn_thread *self, int64_t ticks, int64_t wait_ticks);
/* Takes the time of the open note of `self` out of it, if there is one. */
int64_t syn_messages_take(struct syn_thread *self);

static inline void syn_messages_add(struct syn_thread *self, int64_t ticks)
{
    struct syn_event *last = self->next - 1; /* of an empty block: its header, which is no note */
    self->message_count++;
    self->message_ticks += ticks;
    if (__builtin_expect(last->op == SYN_NOTE_MESSAGES, 1))
        last->start_ticks += ticks;
    else
        syn_messages_note(self, ticks, 0);
}

/* A call that is a message, from here to syn_message_end. `self` NULL: it is not to be timed. */
struct syn_message {
    struct syn_thread *self;
    struct syn_open_line *line;
    int64_t start_ticks;
    int64_t end_ticks; /* of one that is an event */
};

/* The call is on its way into the wrapper, whose frame address this is. */
static inline struct syn_message syn_message_enter(uintptr_t frame)
{
    struct syn_thread *self = syn_self;
    if (__builtin_expect(!self, 0) && syn_message_events)
        self = syn_thread_start();
    if (__builtin_expect(!syn_messages_on || !self || self->guard > frame, 0))
        return (struct syn_message){.self = NULL};
    self->guard = frame;
    return (struct syn_message){.self = self, .line = &self->unseen};
}

/* The last thing before the call. */
static inline void syn_message_start(struct syn_message *message)
{
    if (__builtin_expect(!message->self, 0))
        return;
    message->start_ticks = syn_now();
    syn_open_line_enter(message->line, message->start_ticks);
}

static inline void syn_message_end(const struct syn_message *message)
{
    struct syn_thread *self = message->self;
    if (__builtin_expect(!self, 0))
        return;
    const int64_t end_ticks = syn_now();
    syn_messages_add(self, end_ticks - message->start_ticks);
    syn_open_line_leave(message->line, end_ticks);
    syn_leave(self);
}

/* ---- the open call of a message: for whom it waits ---- */

/* Its communicator or window, by key: an index, or SYN_OPEN_NO_COMM. MPI is asked nothing. */
uint32_t syn_open_index_of(uintptr_t key);

/* Returns the communicator's index for a message on `handle`. RATIONALE: many a program sends on
 * another communicator than the one that its collectives are on; the latter is what the thread
 * remembers. */
static inline uint32_t syn_open_index(const struct syn_thread *self, MPI_Comm handle)
{
    const struct syn_comm *comm = self->comm;
    return comm && __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) == handle
               ? comm->index
               : syn_open_index_of(syn_key_of_comm(handle));
}

/* A stack that ends at `caller`, from a wrapper with this frame address. RATIONALE: not compared
 * word by word as that of a collective. The place of the call is right; the way to it may be
 * another one that is as deep. */
static inline uint32_t syn_message_stack(struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    struct syn_message_site *site =
        &self->message_sites[(caller ^ caller >> 5 ^ frame >> 4) & (SYN_MESSAGE_SITES - 1)];
    if (__builtin_expect(site->caller == caller && site->frame == frame, 1))
        return site->stack;
    if (!self->stacks)
        return SYN_NO_STACK;
    site->stack = syn_stack_index(self->stacks, frame, caller);
    site->caller = caller;
    site->frame = frame;
    return site->stack;
}

/* The call's line has all but for whom it waits. */
static inline __attribute__((always_inline)) void
syn_open_message(struct syn_message *message, uint16_t id, uintptr_t frame, uintptr_t caller)
{
    struct syn_thread *self = message->self;
    struct syn_open_line *line = message->line = self->line;
    syn_open_line_begin(line);
    SYN_OPEN_SET(line->sequence, SYN_OPEN_NO_SEQUENCE);
    SYN_OPEN_SET(line->comm, SYN_OPEN_NO_COMM);
    SYN_OPEN_SET(line->call, id);
    SYN_OPEN_SET(line->of_op, SYN_OPEN_NO_OP);
    SYN_OPEN_SET(line->stack, syn_message_stack(self, frame, caller));
}

/* The thread has entered MPI_Finalize, or MPI_Session_finalize: `id` of calls.h. */
void syn_open_finalize(uint16_t id, uintptr_t frame, uintptr_t caller);
/* Callbacks of the program's, in which it may have called MPI, are over: it is in there still. */
void syn_open_finalize_again(void);
/* It has returned, and the program goes on: of one session among several. */
void syn_open_finalize_over(void);
#define SYN_OPEN_FINALIZE(id)                                      \
    syn_open_finalize((id), (uintptr_t)__builtin_frame_address(0), \
                      (uintptr_t)__builtin_return_address(0))

/* In a wrapper: this call, of calls.h, is on the line of `message`. */
#define SYN_MESSAGE_LINE(call_id)                                                \
    syn_open_message(&message, (call_id), (uintptr_t)__builtin_frame_address(0), \
                     (uintptr_t)__builtin_return_address(0))

/* In a wrapper: `message` begins; OPEN puts it on the line. */
#define SYN_MESSAGE_BEGIN(OPEN)                                                            \
    struct syn_message message = syn_message_enter((uintptr_t)__builtin_frame_address(0)); \
    if (__builtin_expect(message.self != NULL, 1)) {                                       \
        OPEN;                                                                              \
    }                                                                                      \
    syn_message_start(&message)

#endif
