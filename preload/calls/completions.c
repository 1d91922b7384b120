/* preload/calls/completions.c - the calls that complete, start and free requests, in C (forms.h).
 * If the recorder tracks no request, it does not look at the arguments: it only adds the time of
 * the call to the thread's time in messages (messages.h). */
#include "preload/calls/forms.h"

#include "preload/calls/messages.h"
#include "preload/calls/requests.h"
#include "preload/mpi/pmpi.h"

#define FRAME() ((uintptr_t)__builtin_frame_address(0))

/* Calls MPI and adds the time to the time in messages. Its value is MPI's return value. */
#define MESSAGE(OPEN, call)                \
    ({                                     \
        SYN_MESSAGE_BEGIN(OPEN);           \
        const int message_result = (call); \
        syn_message_end(&message);         \
        message_result;                    \
    })
/* WAIT: a call that may wait for another rank. It has an open line, which `syncopate hang` shows.
 * RETURN_AT_ONCE: a call that does not wait. */
#define WAIT(Name, call)     MESSAGE(SYN_MESSAGE_LINE(SYN_CALL_##Name), call)
#define RETURN_AT_ONCE(call) MESSAGE(, call)

static int wrap_Wait(MPI_Request *request, MPI_Status *status)
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(SYN_CALL_Wait), 1, request, status,
                              false))
        return WAIT(Wait, syn_next.Wait(request, status));
    status = completion.statuses;
    const int result = syn_next.Wait(request, status);
    completion.end_ticks = syn_now();
    syn_completion_of_all(&completion, result);
    return result;
}

static int wrap_Waitall(int count, MPI_Request requests[], MPI_Status statuses[])
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(SYN_CALL_Waitall), count, requests,
                              statuses, false))
        return WAIT(Waitall, syn_next.Waitall(count, requests, statuses));
    statuses = completion.statuses;
    const int result = syn_next.Waitall(count, requests, statuses);
    completion.end_ticks = syn_now();
    syn_completion_of_all(&completion, result);
    return result;
}

static int wrap_Waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(SYN_CALL_Waitany), count, requests,
                              status, false))
        return WAIT(Waitany, syn_next.Waitany(count, requests, index, status));
    status = completion.statuses;
    const int result = syn_next.Waitany(count, requests, index, status);
    completion.end_ticks = syn_now();
    syn_completion_of_some(&completion, result, 1, index, 0);
    return result;
}

static int wrap_Waitsome(int count, MPI_Request requests[], int *done_count, int indices[],
                         MPI_Status statuses[])
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(SYN_CALL_Waitsome), count, requests,
                              statuses, false))
        return WAIT(Waitsome, syn_next.Waitsome(count, requests, done_count, indices, statuses));
    statuses = completion.statuses;
    const int result = syn_next.Waitsome(count, requests, done_count, indices, statuses);
    completion.end_ticks = syn_now();
    syn_completion_of_some(&completion, result, result == MPI_SUCCESS ? *done_count : 0, indices,
                           0);
    return result;
}

static int wrap_Test(MPI_Request *request, int *flag, MPI_Status *status)
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(0), 1, request, status, false))
        return RETURN_AT_ONCE(syn_next.Test(request, flag, status));
    status = completion.statuses;
    const int result = syn_next.Test(request, flag, status);
    completion.end_ticks = syn_now();
    const int first = 0;
    syn_completion_of_some(&completion, result, result == MPI_SUCCESS && *flag, &first, 0);
    return result;
}

static int wrap_Testall(int count, MPI_Request requests[], int *flag, MPI_Status statuses[])
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(0), count, requests, statuses, false))
        return RETURN_AT_ONCE(syn_next.Testall(count, requests, flag, statuses));
    statuses = completion.statuses;
    const int result = syn_next.Testall(count, requests, flag, statuses);
    completion.end_ticks = syn_now();
    if (result != MPI_SUCCESS || *flag)
        syn_completion_of_all(&completion, result);
    else
        syn_completion_end(&completion);
    return result;
}

static int wrap_Testany(int count, MPI_Request requests[], int *index, int *flag,
                        MPI_Status *status)
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(0), count, requests, status, false))
        return RETURN_AT_ONCE(syn_next.Testany(count, requests, index, flag, status));
    status = completion.statuses;
    const int result = syn_next.Testany(count, requests, index, flag, status);
    completion.end_ticks = syn_now();
    syn_completion_of_some(&completion, result, result == MPI_SUCCESS && *flag, index, 0);
    return result;
}

static int wrap_Testsome(int count, MPI_Request requests[], int *done_count, int indices[],
                         MPI_Status statuses[])
{
    struct syn_completion completion;
    if (!syn_completion_begin(&completion, SYN_COMPLETING(0), count, requests, statuses, false))
        return RETURN_AT_ONCE(syn_next.Testsome(count, requests, done_count, indices, statuses));
    statuses = completion.statuses;
    const int result = syn_next.Testsome(count, requests, done_count, indices, statuses);
    completion.end_ticks = syn_now();
    syn_completion_of_some(&completion, result, result == MPI_SUCCESS ? *done_count : 0, indices,
                           0);
    return result;
}

static int wrap_Request_free(MPI_Request *request)
{
    struct syn_thread *self = syn_requests_none() || !request ? NULL : syn_enter(FRAME());
    if (!self)
        return syn_next.Request_free(request);
    const MPI_Request handle = *request;
    const int result = syn_next.Request_free(request);
    if (result == MPI_SUCCESS)
        syn_request_freed(self, handle);
    syn_leave(self);
    return result;
}

static int wrap_Start(MPI_Request *request)
{
    struct syn_starting starting;
    if (!syn_starting_begin(&starting, 1, request, FRAME(), false))
        return RETURN_AT_ONCE(syn_next.Start(request));
    starting.call.result = syn_next.Start(request);
    starting.call.end_ticks = syn_now();
    syn_starting_end(&starting, SYN_COMPLETING(0));
    return starting.call.result;
}

static int wrap_Startall(int count, MPI_Request requests[])
{
    struct syn_starting starting;
    if (!syn_starting_begin(&starting, count, requests, FRAME(), false))
        return RETURN_AT_ONCE(syn_next.Startall(count, requests));
    starting.call.result = syn_next.Startall(count, requests);
    starting.call.end_ticks = syn_now();
    syn_starting_end(&starting, SYN_COMPLETING(0));
    return starting.call.result;
}

#define WRAPPED(X) \
    X(Wait)        \
    X(Waitall)     \
    X(Waitany)     \
    X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome) X(Request_free) X(Start) X(Startall)

/* The compiler checks each wrapper's parameters here, against mpi.h. */
static struct {
#define MEMBER(Name) __typeof__(&MPI_##Name) Name;
    WRAPPED(MEMBER)
} const typed = {
#define INITIALIZER(Name) .Name = wrap_##Name,
    WRAPPED(INITIALIZER)};

size_t syn_completions_add(struct syn_wrapper *wrappers)
{
    size_t count = 0;
#define ADD(Name) \
    wrappers[count++] = (struct syn_wrapper){"MPI_" #Name, (void (*)(void))typed.Name};
    WRAPPED(ADD)
    return count;
}
