/* preload/calls/other_calls.c - see other_collectives.h: records calls that make, use or free a
 * communicator, a window or a file. */
#include <stdlib.h>

#include "preload/calls/nonblocking.h"
#include "preload/calls/other_collectives.h"
#include "preload/calls/requests.h"
#include "sync/base/layout.h"

static const struct syn_transfer no_transfer = {.root = -1};

static bool is_recorded(const struct syn_operation *operation)
{
    return syn_recorded[operation->id % SYN_OP_FORM_STRIDE];
}

static bool succeeded(const struct syn_call *call)
{
    return call->result == MPI_SUCCESS;
}

/* Returns the payload of a call that transfers no data and has no root. */
static struct syn_payload_value plain_payload(const struct syn_call *call)
{
    return (struct syn_payload_value){.root = -1, .flags = succeeded(call) ? 0 : SYN_EVENT_FAILED};
}

SYN_HOT void syn_other_made(const struct syn_call *call, const struct syn_operation *operation,
                            bool alone, uintptr_t parent, const struct syn_origin *origin,
                            uintptr_t made)
{
    struct syn_comm *from = syn_comm_after(call, parent);
    struct syn_comm *comm = NULL;
    if (from && succeeded(call))
        comm = syn_comm_made(made, from, origin);
    else if (from)
        syn_comm_not_made(from, origin);
    struct syn_comm *on = !alone ? from : comm ? syn_comm_with_index(comm) : NULL;
    if (on && is_recorded(operation))
        syn_call_record(call, on, operation->id, plain_payload(call));
    syn_call_leave(call);
}

void syn_other_made_from_group(const struct syn_call *call, const struct syn_operation *operation,
                               const struct syn_origin *origin, uintptr_t made)
{
    struct syn_comm *comm = succeeded(call) ? syn_comm_made(made, NULL, origin) : NULL;
    if (comm && is_recorded(operation)) {
        syn_comm_with_index(comm);
        syn_call_record(call, comm, operation->id, plain_payload(call));
    }
    syn_call_leave(call);
}

void syn_other_being_made(const struct syn_call *call, const struct syn_operation *operation,
                          uintptr_t parent, const struct syn_origin *origin, uintptr_t made,
                          MPI_Request request)
{
    struct syn_comm *from = syn_comm_after(call, parent);
    if (from && succeeded(call))
        syn_comm_being_made(made, from, origin);
    else if (from)
        syn_comm_not_made(from, origin);
    if (from && is_recorded(operation))
        syn_call_pending(call, operation, from, &no_transfer, request);
    syn_call_leave(call);
}

struct syn_thread *syn_other_enter_to_free(uintptr_t frame, uintptr_t key, uintptr_t *outer)
{
    struct syn_thread *self = syn_self;
    const struct syn_comm *freed = syn_comm_known(key);
    *outer = 0;
    if (!self || self->guard == UINTPTR_MAX || !freed || syn_comm_is_freed_by(freed, self))
        return NULL;
    *outer = self->guard;
    self->guard = frame;
    return self;
}

SYN_HOT void syn_other_leave(struct syn_thread *self, uintptr_t outer)
{
    if (outer && self->idle_guard != UINTPTR_MAX)
        self->guard = outer;
}

SYN_HOT void syn_other_freed(const struct syn_call *call, const struct syn_operation *operation,
                             struct syn_comm *freed)
{
    if (freed && succeeded(call))
        syn_comm_free_succeeded(freed);
    if (freed && is_recorded(operation) && !syn_call_was_refused(call)) {
        syn_comm_with_index(freed);
        syn_call_record(call, freed, operation->id, plain_payload(call));
    }
    if (freed && syn_comm_free_end(call->self, freed))
        syn_recorder_declare_new();
    syn_call_leave(call);
}

void syn_other_used(const struct syn_call *call, const struct syn_operation *operation,
                    uintptr_t key, const struct syn_transfer *transfer)
{
    struct syn_comm *on = is_recorded(operation) ? syn_comm_after(call, key) : NULL;
    if (on)
        syn_call_record(call, on, operation->id, syn_call_payload(call, operation, transfer, on));
    syn_call_leave(call);
}

void syn_other_started(const struct syn_call *call, const struct syn_operation *operation,
                       uintptr_t key, const struct syn_transfer *transfer, MPI_Request request)
{
    struct syn_comm *on = is_recorded(operation) ? syn_comm_after(call, key) : NULL;
    if (on)
        syn_call_pending(call, operation, on, transfer, request);
    syn_call_leave(call);
}

/* MPI allows one active split collective for each file handle, so the file's state has one event.
 * */
void syn_other_begun(const struct syn_call *call, const struct syn_operation *operation,
                     uintptr_t key, const struct syn_transfer *transfer)
{
    struct syn_comm *on = is_recorded(operation) ? syn_comm_after(call, key) : NULL;
    const bool is_event = !succeeded(call) || syn_control_now() & SYN_CONTROL_NOT_NOW;
    if (on && !is_event && (on->split || (on->split = malloc(sizeof *on->split)))) {
        syn_call_prepare(call, operation, on, transfer, on->split);
        syn_event_hold(call->self, on->split);
    } else if (on && is_event)
        syn_call_record(call, on, operation->id, syn_call_payload(call, operation, transfer, on));
    syn_call_leave(call);
}

/* The open line shows the operation that began. */
void syn_other_open_end(struct syn_call *call, uintptr_t key)
{
    const struct syn_comm *on = syn_comm_known(key);
    if (on && on->split)
        syn_open(call, on->split->op, on, on->split->sequence, SYN_OPEN_NO_BYTES, -1);
    else
        syn_open_private(call);
}

void syn_other_ended(const struct syn_call *call, uintptr_t key)
{
    struct syn_comm *on = syn_comm_known(key);
    if (on && on->split) {
        on->split->flags |= succeeded(call) ? 0 : SYN_EVENT_FAILED;
        syn_event_complete(call->self, on->split, call->start_ticks, call->end_ticks);
        free(on->split);
        on->split = NULL;
    }
    syn_call_leave(call);
}
