/* preload/call.c - see call.h. */
#include "call.h"

#include "requests.h"

/* Did the ranks exchange anything? MPI refuses arguments before it communicates: such a call is no
 * collective, and the communicator's ranks do not count it. */
static bool was_refused(int error)
{
    int class = MPI_ERR_OTHER;
    syn_pmpi.Error_class(error, &class);
    switch (class) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_COMM:
    case MPI_ERR_ROOT:
    case MPI_ERR_RANK:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
    case MPI_ERR_GROUP:
    case MPI_ERR_TOPOLOGY:
        return true;
    default:
        return false;
    }
}

struct syn_comm *syn_comm_of_failed(MPI_Comm handle, int error)
{
    if (was_refused(error))
        return NULL;
    struct syn_comm *comm = syn_comm_known(handle);
    return comm ? syn_comm_lookup(handle) : NULL;
}

static struct syn_comm *comm_of(const struct syn_call *call, MPI_Comm handle)
{
    return call->result == MPI_SUCCESS ? syn_comm_of(call->self, handle)
                                       : syn_comm_of_failed(handle, call->result);
}

static struct syn_payload_value payload_of(const struct syn_call *call,
                                           const struct syn_operation *operation,
                                           const struct syn_transfer *transfer,
                                           const struct syn_comm *comm)
{
    if (call->result != MPI_SUCCESS)
        return (struct syn_payload_value){.root = -1, .flags = SYN_EVENT_FAILED};
    return syn_payload_of(operation->rule, operation->flags, transfer, comm);
}

void syn_call_done(const struct syn_call *call, const struct syn_operation *operation,
                   MPI_Comm comm, const struct syn_transfer *transfer)
{
    struct syn_comm *state = comm_of(call, comm);
    if (state)
        syn_call_record(call, state, operation->id, payload_of(call, operation, transfer, state));
    syn_leave(call->self);
}

void syn_call_started(const struct syn_call *call, const struct syn_operation *operation,
                      MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request)
{
    struct syn_comm *state = comm_of(call, comm);
    if (state && call->result != MPI_SUCCESS) {
        syn_call_record(call, state, operation->id, payload_of(call, operation, transfer, state));
    } else if (state) {
        struct syn_event event;
        syn_event_fill(&event, call, state, operation->id,
                       payload_of(call, operation, transfer, state));
        event.stack = syn_call_stack(call);
        event.sequence = state->sequence++;
        syn_request_add(request, &event);
    }
    syn_leave(call->self);
}

void syn_call_prepared(const struct syn_call *call, const struct syn_operation *operation,
                       MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request)
{
    struct syn_comm *state = call->result == MPI_SUCCESS ? comm_of(call, comm) : NULL;
    if (state) {
        struct syn_event event;
        syn_event_fill(&event, call, state, operation->id,
                       payload_of(call, operation, transfer, state));
        event.stack = SYN_NO_STACK;
        event.sequence = 0;
        syn_request_prepare(request, state, &event);
    }
    syn_leave(call->self);
}
