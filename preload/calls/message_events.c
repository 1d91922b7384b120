/* preload/calls/message_events.c - see message_events.h. */
#include "preload/calls/message_events.h"

#include "preload/calls/arguments/type_sizes.h"
#include "preload/calls/call.h"
#include "preload/comms/communicators.h"
#include "sync/base/integers.h"
#include "sync/base/layout.h"

/* Returns the communicator of a message, NULL if unknown. The thread remembers the communicator of
 * its last message, besides that of its last collective. */
static inline __attribute__((always_inline)) struct syn_comm *
comm_of(struct syn_thread *self, const struct syn_posted *posted)
{
    if (__builtin_expect(posted->result != MPI_SUCCESS, 0))
        return syn_comm_of_failed(posted->comm, posted->result);
    struct syn_comm *comm = self->message_comm;
    if (__builtin_expect(comm && __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) == posted->comm,
                         1))
        return comm;
    comm = syn_comm_lookup(syn_key_of_comm(posted->comm));
    self->message_comm = comm;
    return comm;
}

static inline __attribute__((always_inline)) uint64_t payload_of(const struct syn_posted *posted)
{
    if (__builtin_expect(posted->result != MPI_SUCCESS, 0))
        return 0;
    const uint64_t bytes = (uint64_t)posted->count * (uint64_t)syn_type_size(posted->type);
    if (__builtin_expect(bytes > SYN_PAYLOAD_BYTES_MASK, 0))
        return posted->count < 0 ? 0 : SYN_PAYLOAD_BYTES_MASK;
    return bytes;
}

/* Fills `event` from the arguments of the call, except for times, call stack and flags. `order` is
 * the message's number in its thread. */
static inline __attribute__((always_inline)) void describe(const struct syn_posted *posted,
                                                           const struct syn_comm *comm,
                                                           uint32_t order, struct syn_event *event)
{
    uint64_t attributes = posted->attributes;
    int32_t peer = posted->peer, tag = posted->tag;
    if (attributes & SYN_MESSAGE_RECEIVE) {
        attributes |= SYN_MESSAGE_POSTED;
        if (peer == MPI_ANY_SOURCE)
            attributes |= SYN_MESSAGE_ANY_SOURCE | SYN_MESSAGE_UNKNOWN;
        if (tag == MPI_ANY_TAG)
            attributes |= SYN_MESSAGE_ANY_TAG | SYN_MESSAGE_UNKNOWN;
        peer = peer == MPI_ANY_SOURCE ? -1 : peer;
        tag = tag == MPI_ANY_TAG ? -1 : tag;
    }
    event->bytes = payload_of(posted) | attributes << SYN_ATTRIBUTES_SHIFT;
    event->sequence = syn_message_sequence(order, tag);
    event->comm = comm->index;
    event->root = peer;
    event->op = posted->id;
}

static inline __attribute__((always_inline)) void
set_times(struct syn_event *event, int64_t start_ticks, int64_t end_ticks, int64_t wait_start_ticks)
{
    event->start_ticks = start_ticks;
    event->end_ticks = end_ticks;
    event->call_end_ticks = end_ticks;
    event->wait_start_ticks = wait_start_ticks;
}

/* Publishes the event at the thread's next place, of a call that ended at `end_ticks`, with these
 * flags. */
static inline __attribute__((always_inline)) void store(struct syn_thread *self, int64_t end_ticks,
                                                        uint32_t flags)
{
    flags |= self->pending_flags;
    self->pending_flags = 0;
    syn_event_done(self, (uint16_t)flags);
    syn_sample_after(self, end_ticks);
}

/* Closes the line and leaves the wrapper. If the call is no event, adds its time to the sum. */
static inline __attribute__((always_inline)) void leave(const struct syn_message *message,
                                                        bool is_event)
{
    if (!is_event)
        syn_messages_add(message->self, message->end_ticks - message->start_ticks);
    syn_open_line_leave(message->line, message->end_ticks);
    syn_leave(message->self);
}

/* Fills the thread's next place with the event of a message, except for its times, and sets *flags.
 * Returns NULL if the peer is MPI_PROC_NULL, the communicator is unknown or nothing is recorded
 * now. A message that is not recorded takes a number too: the gap shows readers that one is
 * missing. */
static inline __attribute__((always_inline)) struct syn_event *
posted_event(const struct syn_message *message, const struct syn_posted *arguments, uint32_t *flags)
{
    const struct syn_posted posted = *arguments; /* a local copy stays in registers */
    struct syn_thread *self = message->self;
    const uint32_t control = syn_control_now();
    const bool failed = posted.result != MPI_SUCCESS;
    if (posted.peer == MPI_PROC_NULL)
        return NULL;
    const struct syn_comm *comm = comm_of(self, &posted);
    if (!comm && failed)
        return NULL;
    const uint32_t order = self->message_order++;
    if (!comm || control & SYN_CONTROL_NOT_NOW)
        return NULL;
    struct syn_event *event = syn_event_next(self);
    describe(&posted, comm, order, event);
    event->stack = message->stack;
    *flags = comm->event_flags | (control & SYN_CONTROL_PHASE) | (failed ? SYN_EVENT_FAILED : 0);
    return event;
}

SYN_HOT void syn_message_take_stack(struct syn_message *message, uintptr_t frame, uintptr_t caller)
{
    message->stack = syn_message_stack(message->self, frame, caller);
}

SYN_HOT void syn_message_now(const struct syn_message *message, const struct syn_posted *posted,
                             size_t count, const MPI_Status *status)
{
    const int64_t start_ticks = syn_time_of(&message->start_ticks);
    const int64_t end_ticks = syn_time_of(&message->end_ticks);
    bool any = false;
    for (const struct syn_posted *end = posted + count; posted < end; posted++) {
        uint32_t flags;
        struct syn_event *event = posted_event(message, posted, &flags);
        if (!event)
            continue;
        set_times(event, start_ticks, end_ticks, start_ticks);
        if (status && posted->attributes & SYN_MESSAGE_RECEIVE && posted->result == MPI_SUCCESS)
            syn_message_received(event, status);
        store(message->self, end_ticks, flags);
        any = true;
    }
    leave(message, any);
}

SYN_HOT void syn_message_later(struct syn_message *message, const struct syn_posted *posted,
                               size_t count, MPI_Request request, uintptr_t frame, uintptr_t caller)
{
    struct syn_thread *self = message->self;
    const int64_t start_ticks = syn_time_of(&message->start_ticks);
    const int64_t end_ticks = syn_time_of(&message->end_ticks);
    const bool is_open = posted->result == MPI_SUCCESS && !syn_request_is_complete(request);
    bool any = false;
    message->stack = syn_message_stack(self, frame, caller);
    for (const struct syn_posted *end = posted + count; posted < end; posted++) {
        uint32_t flags;
        struct syn_event *event = posted_event(message, posted, &flags);
        if (!event)
            continue;
        set_times(event, start_ticks, end_ticks, end_ticks);
        if (is_open && event != &self->discard)
            syn_open_message_add(SYN_KEY_OF_REQUEST(request), event, any);
        store(self, end_ticks, is_open ? flags | SYN_EVENT_NO_COMPLETION : flags);
        any = true;
    }
    leave(message, any);
}

/* Returns the flags of an event that was made from `template`. */
static uint32_t flags_of(const struct syn_event *template, bool is_open)
{
    return template->flags | (syn_control_now() & SYN_CONTROL_PHASE) |
           (is_open ? SYN_EVENT_NO_COMPLETION : 0);
}

void syn_message_matched(const struct syn_message *message, const struct syn_posted *probed,
                         uintptr_t key, const MPI_Status *mpi_status)
{
    struct syn_thread *self = message->self;
    const struct syn_comm *comm =
        key && probed->peer != MPI_PROC_NULL ? comm_of(self, probed) : NULL;
    if (comm) {
        struct syn_event template = {.stack = SYN_NO_STACK, .flags = (uint16_t)comm->event_flags};
        struct syn_posted known = *probed;
        known.result = MPI_ERR_OTHER; /* no type yet: describe must not compute the payload */
        describe(&known, comm, self->message_order++, &template);
        if (mpi_status)
            syn_message_received(&template, mpi_status);
        syn_open_message_set_template(key, &template);
    }
    leave(message, false);
}

void syn_message_claimed(const struct syn_message *message, struct syn_posted *taken, uintptr_t key,
                         const MPI_Status *mpi_status, const MPI_Request *request)
{
    struct syn_thread *self = message->self;
    struct syn_event template;
    const bool is_event = syn_open_message_get_template(key, true, &template) &&
                          taken->result == MPI_SUCCESS &&
                          !(syn_control_now() & SYN_CONTROL_NOT_NOW);
    if (is_event) {
        struct syn_event *event = syn_event_next(self);
        const bool is_open = request && !syn_request_is_complete(*request);
        *event = template;
        event->op = taken->id;
        if (event->bytes >> SYN_ATTRIBUTES_SHIFT & SYN_MESSAGE_POSTED)
            event->bytes |= payload_of(taken);
        event->stack = message->stack;
        set_times(event, message->start_ticks, message->end_ticks,
                  request ? message->end_ticks : message->start_ticks);
        if (mpi_status)
            syn_message_received(event, mpi_status);
        if (is_open && event != &self->discard)
            syn_open_message_add(SYN_KEY_OF_REQUEST(*request), event, false);
        store(self, message->end_ticks, flags_of(&template, is_open));
    }
    leave(message, is_event);
}

void syn_message_cancels(const struct syn_message *message, uintptr_t key)
{
    syn_open_message_may_be_cancelled(key);
    leave(message, false);
}

/* ---- persistent requests ---- */

void syn_message_prepared(struct syn_thread *self, const struct syn_posted *posted, int64_t parts,
                          MPI_Request request)
{
    struct syn_event template = {.stack = SYN_NO_STACK};
    struct syn_posted whole = *posted;
    const struct syn_comm *comm = posted->result == MPI_SUCCESS && posted->peer != MPI_PROC_NULL
                                      ? comm_of(self, posted)
                                      : NULL;
    if (!comm)
        return;
    template.flags = (uint16_t)comm->event_flags;
    whole.count *= syn_largest(parts, INT64_C(0));
    describe(&whole, comm, 0, &template);
    syn_open_message_set_template(SYN_KEY_OF_REQUEST(request), &template);
}

void syn_message_moved(uintptr_t key, MPI_Request request)
{
    struct syn_event template;
    if (syn_message_events && syn_open_message_get_template(key, true, &template))
        syn_open_message_set_template(SYN_KEY_OF_REQUEST(request), &template);
}

bool syn_message_started(struct syn_thread *self, MPI_Request request, uint32_t stack,
                         int64_t start_ticks, int64_t end_ticks)
{
    const uintptr_t key = SYN_KEY_OF_REQUEST(request);
    struct syn_event template;
    if (!syn_message_events || !syn_open_message_get_template(key, false, &template))
        return false;
    template.sequence |= (uint64_t)self->message_order++ << SYN_MESSAGE_ORDER_SHIFT;
    if (syn_control_now() & SYN_CONTROL_NOT_NOW)
        return false;
    struct syn_event *event = syn_event_next(self);
    *event = template;
    event->stack = stack;
    set_times(event, start_ticks, end_ticks, end_ticks);
    if (event != &self->discard)
        syn_open_message_add(key, event, false);
    store(self, end_ticks, flags_of(&template, true));
    return true;
}
