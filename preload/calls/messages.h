/* preload/calls/messages.h - time in MPI calls that are no collectives: two clock reads a call, and
 * a sum.
 *
 * The sum lies in the thread's buffer, as a note (trace/events/notes.h) in the place where the next
 * event would be: whether that note is there says the entry before that place. So a collective call
 * has nothing to do with it, a killed program's raw block has it, and where nothing is sent there
 * is none. A thread that has no state yet gets none for a message: what it sends before its first
 * collective call is not told. */
#ifndef SYN_MESSAGES_H
#define SYN_MESSAGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "preload/comms/communicators.h"
#include "preload/entry/backend.h"
#include "preload/recorder/recorder.h"
#include "preload/recorder/stacks/stacks.h"
#include "trace/base/calls.h"
#include "trace/events/notes.h"

extern bool syn_messages_on;

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
};

/* The call is on its way into the wrapper, whose frame address this is. */
static inline struct syn_message syn_message_enter(uintptr_t frame)
{
    struct syn_thread *self = syn_self;
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

/* A stack that ends at `caller`. RATIONALE: not compared word by word as that of an event, for it
 * is looked at only where a rank hangs: the place of the call is right, the way to it may be
 * another one that led there. A wrapper asks, whose frame address this is. */
static inline uint32_t syn_message_stack(struct syn_thread *self, uintptr_t frame, uintptr_t caller)
{
    struct syn_message_site *site =
        &self->message_sites[(caller ^ caller >> 5) & (SYN_MESSAGE_SITES - 1)];
    if (__builtin_expect(site->caller == caller, 1))
        return site->stack;
    if (!self->stacks)
        return SYN_NO_STACK;
    site->stack = syn_stack_index(self->stacks, frame, caller);
    site->caller = caller;
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

/* ---- wrappers of functions that are only known by how many parameters they have ----
 *
 * RATIONALE: all parameters of all functions of messages.def are integers or pointers, and each
 * takes a register or a slot of its own in the calling conventions of 64-bit Linux systems: handed
 * on as words, they arrive as they came. The upper half of an int's word means nothing to who
 * reads the int. What is returned is an int, or nothing, in the register that a word is returned
 * in. */
typedef intptr_t syn_word;
_Static_assert(sizeof(syn_word) == 8, "parameters are words");

#define SYN_TYPES_1  syn_word
#define SYN_TYPES_2  SYN_TYPES_1, syn_word
#define SYN_TYPES_3  SYN_TYPES_2, syn_word
#define SYN_TYPES_4  SYN_TYPES_3, syn_word
#define SYN_TYPES_5  SYN_TYPES_4, syn_word
#define SYN_TYPES_6  SYN_TYPES_5, syn_word
#define SYN_TYPES_7  SYN_TYPES_6, syn_word
#define SYN_TYPES_8  SYN_TYPES_7, syn_word
#define SYN_TYPES_9  SYN_TYPES_8, syn_word
#define SYN_TYPES_10 SYN_TYPES_9, syn_word
#define SYN_TYPES_11 SYN_TYPES_10, syn_word
#define SYN_TYPES_12 SYN_TYPES_11, syn_word
#define SYN_TYPES_13 SYN_TYPES_12, syn_word
#define SYN_TYPES_14 SYN_TYPES_13, syn_word

#define SYN_WORDS_1  syn_word a
#define SYN_WORDS_2  SYN_WORDS_1, syn_word b
#define SYN_WORDS_3  SYN_WORDS_2, syn_word c
#define SYN_WORDS_4  SYN_WORDS_3, syn_word d
#define SYN_WORDS_5  SYN_WORDS_4, syn_word e
#define SYN_WORDS_6  SYN_WORDS_5, syn_word f
#define SYN_WORDS_7  SYN_WORDS_6, syn_word g
#define SYN_WORDS_8  SYN_WORDS_7, syn_word h
#define SYN_WORDS_9  SYN_WORDS_8, syn_word i
#define SYN_WORDS_10 SYN_WORDS_9, syn_word j
#define SYN_WORDS_11 SYN_WORDS_10, syn_word k
#define SYN_WORDS_12 SYN_WORDS_11, syn_word l
#define SYN_WORDS_13 SYN_WORDS_12, syn_word m
#define SYN_WORDS_14 SYN_WORDS_13, syn_word n

#define SYN_NAMES_1  a
#define SYN_NAMES_2  SYN_NAMES_1, b
#define SYN_NAMES_3  SYN_NAMES_2, c
#define SYN_NAMES_4  SYN_NAMES_3, d
#define SYN_NAMES_5  SYN_NAMES_4, e
#define SYN_NAMES_6  SYN_NAMES_5, f
#define SYN_NAMES_7  SYN_NAMES_6, g
#define SYN_NAMES_8  SYN_NAMES_7, h
#define SYN_NAMES_9  SYN_NAMES_8, i
#define SYN_NAMES_10 SYN_NAMES_9, j
#define SYN_NAMES_11 SYN_NAMES_10, k
#define SYN_NAMES_12 SYN_NAMES_11, l
#define SYN_NAMES_13 SYN_NAMES_12, m
#define SYN_NAMES_14 SYN_NAMES_13, n

/* WAITS of messages.def, on the line of `message`. NOBODY opens none. How a language has what they
 * wait for the file of its wrappers says: WORD_INT(word), WORD_COMM(word), WORD_WINDOW_KEY(word).
 */
#define SYN_WAIT_COMM(word) \
    SYN_OPEN_SET(message.line->comm, syn_open_index(message.self, WORD_COMM(word)))
#define SYN_WAIT_WINDOW(word) \
    SYN_OPEN_SET(message.line->comm, syn_open_index_of(WORD_WINDOW_KEY(word)))
#define SYN_WAIT_TO(peer_word, tag_word)                   \
    SYN_OPEN_SET(message.line->peer, WORD_INT(peer_word)); \
    SYN_OPEN_SET(message.line->tag, WORD_INT(tag_word))
#define SYN_WAIT_FROM(peer_word, tag_word)                      \
    SYN_OPEN_SET(message.line->from_peer, WORD_INT(peer_word)); \
    SYN_OPEN_SET(message.line->from_tag, WORD_INT(tag_word))

#define SYN_WAIT_SENDS(peer, tag, comm) \
    SYN_MESSAGE_LINE(id);               \
    SYN_WAIT_TO(peer, tag);             \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_RECEIVES(peer, tag, comm) \
    SYN_MESSAGE_LINE(id);                  \
    SYN_WAIT_FROM(peer, tag);              \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_EXCHANGES(to, to_tag, from, from_tag, comm) \
    SYN_MESSAGE_LINE(id);                                    \
    SYN_WAIT_TO(to, to_tag);                                 \
    SYN_WAIT_FROM(from, from_tag);                           \
    SYN_WAIT_COMM(comm)
#define SYN_WAIT_TARGETS(target, window)                \
    SYN_MESSAGE_LINE(id);                               \
    SYN_OPEN_SET(message.line->peer, WORD_INT(target)); \
    SYN_WAIT_WINDOW(window)
#define SYN_WAIT_ACCESSES(window) \
    SYN_MESSAGE_LINE(id);         \
    SYN_WAIT_WINDOW(window)
#define SYN_WAIT_SOMEBODY() SYN_MESSAGE_LINE(id)
#define SYN_WAIT_NOBODY()

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

/* A function of `count` parameters, and the pointer to what it stands in front of. */
#define SYN_MESSAGE_WRAPPER(member, count, call_id, WAITS)        \
    static syn_word (*next_##member)(SYN_TYPES_##count);          \
    static syn_word wrap_##member(SYN_WORDS_##count)              \
    {                                                             \
        enum { id = call_id };                                    \
        SYN_MESSAGE_BEGIN(SYN_WAIT_##WAITS);                      \
        const syn_word result = next_##member(SYN_NAMES_##count); \
        syn_message_end(&message);                                \
        return result;                                            \
    }

/* Put them at wrappers, those that this MPI lacks with the name NULL. Return how many: not more
 * than these numbers. */
#define SYN_MESSAGE_WRAPPERS         (64 * 2)
#define SYN_FORTRAN_MESSAGE_WRAPPERS (64 * 9)
size_t syn_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);
size_t syn_fortran_wide_messages_wrap(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
