/* preload/calls/call.c - see call.h. */
#include "preload/calls/call.h"

#include "sync/base/layout.h"

static int class_of(int error)
{
#ifdef OPEN_MPI
    return error; /* error codes are classes; MPI_Error_class of an invalid code aborts */
#else
    int class = MPI_ERR_OTHER;
    syn_pmpi.Error_class(error, &class);
    return class;
#endif
}

/* Returns true if `error` means that MPI rejected the arguments. MPI does so before it
 * communicates: such a call is no collective, and no rank counts it. */
static bool was_refused(int error)
{
    switch (class_of(error)) {
    case MPI_ERR_BUFFER:
    case MPI_ERR_COUNT:
    case MPI_ERR_TYPE:
    case MPI_ERR_TAG:
    case MPI_ERR_COMM:
    case MPI_ERR_ROOT:
    case MPI_ERR_RANK:
    case MPI_ERR_OP:
    case MPI_ERR_ARG:
    case MPI_ERR_GROUP:
    case MPI_ERR_TOPOLOGY:
    case MPI_ERR_DIMS:
    case MPI_ERR_INFO:
    case MPI_ERR_WIN:
    case MPI_ERR_SIZE:
    case MPI_ERR_DISP:
    case MPI_ERR_ASSERT:
    case MPI_ERR_FILE:
    case MPI_ERR_AMODE:
        return true;
    default:
        return false;
    }
}

bool syn_call_was_refused(const struct syn_call *call)
{
    return call->result != MPI_SUCCESS && was_refused(call->result);
}

/* See syn_comm_of_failed. */
static struct syn_comm *known_after_failure(uintptr_t key, int error)
{
    return !was_refused(error) && syn_comm_known(key) ? syn_comm_lookup(key) : NULL;
}

struct syn_comm *syn_comm_of_failed(MPI_Comm handle, int error)
{
    return known_after_failure(syn_key_of_comm(handle), error);
}

struct syn_comm *syn_comm_after(const struct syn_call *call, uintptr_t key)
{
    if (call->result != MPI_SUCCESS)
        return known_after_failure(key, call->result);
    return syn_key_is_comm(key) ? syn_comm_of(call->self, syn_comm_of_key(key))
                                : syn_comm_lookup(key);
}

struct syn_comm *syn_call_comm(const struct syn_call *call, MPI_Comm handle)
{
    return call->result == MPI_SUCCESS ? syn_call_found(call, handle)
                                       : syn_comm_of_failed(handle, call->result);
}

struct syn_payload_value syn_call_payload(const struct syn_call *call,
                                          const struct syn_operation *operation,
                                          const struct syn_transfer *transfer,
                                          const struct syn_comm *comm)
{
    if (call->result != MPI_SUCCESS)
        return (struct syn_payload_value){.root = -1, .flags = SYN_EVENT_FAILED};
    return syn_payload_after(call->payload, operation->rule, operation->flags, transfer, comm);
}

SYN_HOT void syn_open_operation(struct syn_call *call, const struct syn_operation *operation,
                                MPI_Comm handle, const struct syn_transfer *transfer)
{
    syn_open_collective(call, operation->id, operation->rule, operation->flags, handle, transfer);
    if (operation->id / SYN_OP_FORM_STRIDE == SYN_FORM_PERSISTENT) /* only starts have a number */
        SYN_OPEN_SET(call->line->sequence, SYN_OPEN_NO_SEQUENCE);
}

SYN_HOT void syn_open_other(struct syn_call *call, uint16_t id, uintptr_t key, bool counts)
{
    const struct syn_comm *comm = syn_comm_before_call(key);
    syn_open(call, id, comm, comm && counts ? comm->sequence : SYN_OPEN_NO_SEQUENCE,
             SYN_OPEN_NO_BYTES, -1);
}

void syn_call_done(const struct syn_call *call, const struct syn_operation *operation,
                   MPI_Comm comm, const struct syn_transfer *transfer)
{
    struct syn_comm *state = syn_call_comm(call, comm);
    if (state)
        syn_call_record(call, state, operation->id,
                        syn_call_payload(call, operation, transfer, state));
    syn_call_leave(call);
}

void syn_call_prepare(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      struct syn_event *event)
{
    const struct syn_payload_value payload = syn_call_payload(call, operation, transfer, comm);
    syn_event_fill(event, call, comm, operation->id, payload);
    event->flags = syn_event_flags(comm, payload);
    event->stack = call->stack;
    event->sequence = comm->sequence++;
}

void syn_event_complete(struct syn_thread *self, struct syn_event *event, int64_t wait_start_ticks,
                        int64_t end_ticks)
{
    const int64_t before = event->end_ticks, during = syn_messages_take(self);
    if (before || during)
        syn_messages_note(self, before, during);
    event->wait_start_ticks = wait_start_ticks;
    event->end_ticks = end_ticks;
    syn_event_emit(self, event);
}

/* Other ranks may record this call, so it takes its sequence number. It also uses up the start time
 * that the ranks agreed on (--align), which otherwise the next call would take. */
void syn_call_pass(const struct syn_call *call, struct syn_comm *comm, uint16_t op)
{
    if (SYN_IS_BLOCKING(op))
        syn_align_flags(call->self, comm, call->start_ticks);
    comm->sequence++;
    syn_control_passed();
}
