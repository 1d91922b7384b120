/* preload/calls/nonblocking.c - see nonblocking.h. */
#include "preload/calls/nonblocking.h"

#include "preload/calls/requests.h"

void syn_call_pending(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      MPI_Request request)
{
    if (call->result != MPI_SUCCESS || syn_control_now() & SYN_CONTROL_NOT_NOW) {
        syn_call_record(call, comm, operation->id,
                        syn_call_payload(call, operation, transfer, comm));
        return;
    }
    struct syn_event event;
    syn_call_prepare(call, operation, comm, transfer, &event);
    if (syn_request_is_complete(request)) {
        event.wait_start_ticks = call->end_ticks;
        syn_event_emit(call->self, &event);
    } else {
        syn_event_hold(call->self, &event);
        syn_request_add(call->self, request, &event);
    }
}

void syn_call_started(const struct syn_call *call, const struct syn_operation *operation,
                      MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request)
{
    struct syn_comm *state = syn_call_comm(call, comm);
    if (state)
        syn_call_pending(call, operation, state, transfer, request);
    syn_call_leave(call);
}

void syn_call_prepared(const struct syn_call *call, const struct syn_operation *operation,
                       MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request)
{
    struct syn_comm *state = call->result == MPI_SUCCESS ? syn_call_comm(call, comm) : NULL;
    if (state) {
        struct syn_event event;
        const struct syn_payload_value payload = syn_call_payload(call, operation, transfer, state);
        syn_event_fill(&event, call, state, operation->id, payload);
        event.flags = syn_event_flags(state, payload);
        event.stack = SYN_NO_STACK;
        event.sequence = 0;
        syn_request_prepare(request, state, &event);
    }
    syn_call_leave(call);
}
