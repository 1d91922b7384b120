/* preload/calls/message_events.h - records messages as events (trace/events/message.h): the steps
 * after MPI's function has returned. With --messages events, the wrappers of messages.def call
 * these functions. */
#ifndef SYN_MESSAGE_EVENTS_H
#define SYN_MESSAGE_EVENTS_H

#include <mpi.h>

#include "preload/calls/messages.h"
#include "preload/recorder/open_messages.h"
#include "trace/events/message.h"

/* The arguments of a call that posts a message. */
struct syn_posted {
    uint16_t id;         /* of calls.h */
    uint16_t attributes; /* SYN_MESSAGE_*, constants of the call */
    int32_t peer, tag;   /* may be MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ANY_TAG */
    int64_t count;
    MPI_Datatype type;
    MPI_Comm comm;
    int result; /* MPI's return value */
};

/* Takes the call stack of a call without an open line, for its event. */
void syn_message_take_stack(struct syn_message *message, uintptr_t frame, uintptr_t caller);

/* The functions with a const struct syn_message are the last step of a wrapper. message->end_ticks
 * is set. They store the event, close the open line and call syn_leave. A call that is no event
 * counts as time in messages. */
/* Stores the events of `count` messages that are complete: one, or a send and a receive
 * (MPI_Sendrecv). `status` belongs to the receive; NULL: none. */
void syn_message_now(const struct syn_message *message, const struct syn_posted *posted,
                     size_t count, const MPI_Status *status);
/* Stores the events of `count` messages that `request` will complete. Takes the call stack of the
 * wrapper with this frame address and return address. */
void syn_message_later(struct syn_message *message, const struct syn_posted *posted, size_t count,
                       MPI_Request request, uintptr_t frame, uintptr_t caller);
/* Ends a call of MPI_Mprobe or MPI_Improbe. `key` is the key of the matched message, or 0 if no
 * message matched. */
void syn_message_matched(const struct syn_message *message, const struct syn_posted *probed,
                         uintptr_t key, const MPI_Status *status);
/* Stores the event of MPI_Mrecv or MPI_Imrecv of the matched message `key`. `request` is NULL if
 * the message is complete; else *request will complete it. */
void syn_message_claimed(const struct syn_message *message, struct syn_posted *taken, uintptr_t key,
                         const MPI_Status *status, const MPI_Request *request);
/* Ends a call of MPI_Cancel on the request `key`. */
void syn_message_cancels(const struct syn_message *message, uintptr_t key);

/* Notes a persistent request. `parts` is the number of partitions of MPI_Psend_init and
 * MPI_Precv_init, else 1. */
void syn_message_prepared(struct syn_thread *self, const struct syn_posted *posted, int64_t parts,
                          MPI_Request request);
/* MPI replaced the handle `key` of a persistent request by `request` (requests.h). */
void syn_message_moved(uintptr_t key, MPI_Request request);
/* Stores the event of a start of the persistent request. Returns false if `request` is no
 * message's, or nothing is recorded. */
bool syn_message_started(struct syn_thread *self, MPI_Request request, uint32_t stack,
                         int64_t start_ticks, int64_t end_ticks);

#endif
