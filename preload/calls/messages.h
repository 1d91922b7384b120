/* preload/calls/messages.h - measures the time in MPI calls that are not collectives. Each call
 * costs two clock reads and one addition.
 *
 * The sum since the thread's last event is a note (trace/events/notes.h), the newest entry of the
 * thread's buffer. The note is made when the first message adds its time. So collective calls need
 * no code for it, and the raw block of a killed program contains it.
 *
 * A thread has no state before its first recorded call. If messages are not events, a message does
 * not make one: the time in messages before the thread's first collective call is not recorded. */
#ifndef SYN_MESSAGES_H
#define SYN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/comms/communicators.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/stacks/stacks.h"
#include "sync/base/hash.h"
#include "trace/base/calls.h"
#include "trace/events/notes.h"

/* --messages is `sums` or `events`: the time in messages is measured. */
extern bool syn_messages_on;
/* --messages is `events`: messages are events (message_events.h). The time of the other calls is
 * summed up. */
extern bool syn_message_events;

/* Adds a note to the thread's buffer: time in messages before the next event's start, and between
 * that event's start and its completing call. */
void syn_messages_note(struct syn_thread *self, int64_t ticks, int64_t wait_ticks);
/* Returns the time in messages since the last event of `self` and takes it out of the note; 0 if
 * there is no note. */
int64_t syn_messages_take(struct syn_thread *self);

/* Adds a call of this length to the thread's time in messages. */
static inline void syn_messages_add(struct syn_thread *self, int64_t ticks)
{
    struct syn_event *last = self->next - 1; /* in an empty block: the header, which is no note */
    self->message_count++;
    self->message_ticks += ticks;
    if (__builtin_expect(last->op == SYN_NOTE_MESSAGES, 1))
        last->start_ticks += ticks;
    else
        syn_messages_note(self, ticks, 0);
}

/* Returns a time that the wrapper has just stored.
 * RATIONALE: Atomic, so that the compiler does not load two times at once. Such a load would wait
 * until both stores have reached the cache. */
static inline __attribute__((always_inline)) int64_t syn_time_of(const int64_t *ticks)
{
    return __atomic_load_n(ticks, __ATOMIC_RELAXED);
}

/* A call that is a message. */
struct syn_message {
    struct syn_thread *self; /* NULL: the call is not measured */
    struct syn_open_line *line;
    uint32_t stack; /* index of the call stack, taken for an open line or an event */
    int64_t start_ticks;
    int64_t end_ticks; /* set only if the call is an event */
};

/* Enters the wrapper with this frame address. */
static inline struct syn_message syn_message_enter(uintptr_t frame)
{
    struct syn_thread *self = syn_self;
    if (__builtin_expect(!self, 0) && syn_message_events)
        self = syn_thread_start();
    if (__builtin_expect(!syn_messages_on || !self, 0) ||
        (__builtin_expect(self->guard > frame, 0) && !syn_guard_is_void(self, frame)))
        return (struct syn_message){.self = NULL};
    self->guard = frame;
    return (struct syn_message){.self = self, .line = &self->private_line, .stack = SYN_NO_STACK};
}

/* Takes the start tick and opens the line. Nothing else may run between this and MPI's function. */
static inline void syn_message_start(struct syn_message *message)
{
    if (__builtin_expect(!message->self, 0))
        return;
    message->start_ticks = syn_now();
    syn_open_line_enter(message->line, message->start_ticks);
}

/* Adds the call's time to the thread's time in messages, closes the line and leaves the wrapper. */
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

/* ---- the open line of a message: the rank that it waits for ---- */

/* Returns the index of the communicator or window `key`, or SYN_OPEN_NO_COMM if it is unknown. Does
 * not call MPI. */
uint32_t syn_open_index_of(uintptr_t key);

/* Like syn_open_index_of. The thread remembers the communicator as that of its last message. */
uint32_t syn_open_index_learned(struct syn_thread *self, uintptr_t key);

/* Returns the index of the communicator `handle`, or SYN_OPEN_NO_COMM if it is unknown.
 * RATIONALE: The thread remembers the communicator of its last message besides that of its last
 * collective: many programs send on one communicator and make collective calls on another. */
static inline uint32_t syn_open_index(struct syn_thread *self, MPI_Comm handle)
{
    const struct syn_comm *comm = self->message_comm;
    return comm && __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) == handle
               ? comm->index
               : syn_open_index_learned(self, syn_key_of_comm(handle));
}

/* Walks the call stack, and remembers its index at *site. */
uint32_t syn_message_stack_walked(struct syn_thread *self, uintptr_t frame, uintptr_t caller,
                                  struct syn_message_site *site);

/* Returns the index of a call stack whose innermost frame is `caller`, for a wrapper with this
 * frame address.
 * RATIONALE: The cached stack is compared by these two addresses only, not word by word as that of
 * a collective. So the call site is always right, but the outer frames may be those of another path
 * of the same depth. */
static inline __attribute__((always_inline)) uint32_t
syn_message_stack(struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    struct syn_message_site *site =
        &self->message_sites[syn_hash_word(caller ^ frame) >> 32 & (SYN_MESSAGE_SITES - 1)];
    if (__builtin_expect(site->caller == caller && site->frame == frame, 1))
        return site->stack;
    return syn_message_stack_walked(self, frame, caller, site);
}

/* Writes the open line of a message, except for communicator, peers and tags. */
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
    SYN_OPEN_SET(line->stack, message->stack = syn_message_stack(self, frame, caller));
}

/* Opens the thread's line for MPI_Finalize or MPI_Session_finalize. `id` is of calls.h. */
void syn_open_finalize(uint16_t id, uintptr_t frame, uintptr_t caller);
/* Opens the line again after callbacks of the program, which may have called MPI. The thread is
 * still inside the function that finalizes. */
void syn_open_finalize_again(void);
/* Closes the line: MPI_Session_finalize has returned and the program goes on. */
void syn_open_finalize_over(void);
#define SYN_OPEN_FINALIZE(id)                                      \
    syn_open_finalize((id), (uintptr_t)__builtin_frame_address(0), \
                      (uintptr_t)__builtin_return_address(0))

/* In a wrapper: writes the open line of `message`. `call_id` is of calls.h. */
#define SYN_MESSAGE_LINE(call_id)                                                \
    syn_open_message(&message, (call_id), (uintptr_t)__builtin_frame_address(0), \
                     (uintptr_t)__builtin_return_address(0))

/* In a wrapper: declares `message` and starts it. OPEN is a statement that writes the open line. */
#define SYN_MESSAGE_BEGIN(OPEN)                                                            \
    struct syn_message message = syn_message_enter((uintptr_t)__builtin_frame_address(0)); \
    if (__builtin_expect(message.self != NULL, 1)) {                                       \
        OPEN;                                                                              \
    }                                                                                      \
    syn_message_start(&message)

#endif
