/* preload/calls/message_events.h - messages as events (trace/events/message.h): how their calls go
 * on when they have returned. The wrappers of messages.def come here where messages are recorded.
 */
#ifndef SYN_MESSAGE_EVENTS_H
#define SYN_MESSAGE_EVENTS_H

#include <mpi.h>

#include "preload/calls/messages.h"
#include "preload/recorder/open_messages.h"
#include "trace/events/message.h"

/* A message as its call posts it. */
struct syn_posted {
    uint16_t id;
    uint16_t attributes; /* SYN_MESSAGE_*, what the operation says of it */
    int32_t peer, tag;   /* as MPI has them */
    int64_t count;
    MPI_Datatype type;
    MPI_Comm comm;
    uintptr_t frame, caller; /* of the wrapper */
    int result;
};

/* These end a wrapper's call, whose end_ticks is set: the event, the open line, syn_leave. */
/* The call has `count` messages, one that was sent and one that was received if two; status: of the
 * latter, or NULL. */
void syn_message_now(const struct syn_message *message, const struct syn_posted *posted,
                     size_t count, const MPI_Status *status);
/* The messages of the call are open until `request` completes. */
void syn_message_later(const struct syn_message *message, const struct syn_posted *posted,
                       size_t count, MPI_Request request);
/* A probe matched a message, by `key`; 0: none. */
void syn_message_matched(const struct syn_message *message, const struct syn_posted *probed,
                         uintptr_t key, const MPI_Status *status);
/* It was received, now or with *request. */
void syn_message_claimed(const struct syn_message *message, struct syn_posted *taken, uintptr_t key,
                         const MPI_Status *status, const MPI_Request *request);
void syn_message_cancels(const struct syn_message *message, uintptr_t key);

/* A persistent request was made, of so many parts. */
void syn_message_prepared(struct syn_thread *self, const struct syn_posted *posted, int64_t parts,
                          MPI_Request request);
/* MPI has given it another handle than `key` had. */
void syn_message_moved(uintptr_t key, MPI_Request request);
/* It was started. Returns false if it is none of a message. */
bool syn_message_started(struct syn_thread *self, MPI_Request request, uint32_t stack,
                         int64_t start_ticks, int64_t end_ticks);

#endif
