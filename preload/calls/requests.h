/* preload/calls/requests.h - table of the active nonblocking collectives and of the persistent
 * collectives, by request.
 *
 * A collective that is complete when its call returns is not in the table. Open MPI and MPICH
 * return one constant handle for all such calls, and for messages too, so its completion cannot be
 * assigned to one collective.
 *
 * Any thread may complete a request. If several active collectives have one handle, the oldest that
 * the completing thread started is taken, else the oldest of all.
 *
 * A lock guards the table. The recorder never searches an empty table, and never within a timed
 * interval. */
#ifndef SYN_REQUESTS_H
#define SYN_REQUESTS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include <mpi.h>

#include "preload/calls/call.h"
#include "preload/calls/messages.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/open_messages.h"
#include "preload/recorder/recorder.h"
#include "sync/base/layout.h"
#include "trace/base/event.h"

/* Number of entries of the table. Atomic. */
extern uint32_t syn_request_count;

/* Returns true if the recorder tracks no request: neither a collective's nor a message's. */
static inline bool syn_requests_none(void)
{
    return __builtin_expect(__atomic_load_n(&syn_request_count, __ATOMIC_RELAXED) == 0, 1) &&
           syn_open_messages_none();
}

/* Adds a nonblocking collective that `self` started. Copies `event`, which lacks its end and the
 * start of the wait. Without memory the event is lost. */
void syn_request_add(const struct syn_thread *self, MPI_Request request,
                     const struct syn_event *event);
/* Adds a persistent collective on `comm`, or replaces the one with this handle. Copies `event`: the
 * members that are equal for all of its starts. */
void syn_request_prepare(MPI_Request request, struct syn_comm *comm, const struct syn_event *event);

/* The collective that a request completes. */
struct syn_awaited {
    uint64_t sequence;
    uint32_t comm;
    uint16_t op;
};

/* Returns true if the request is that of an active collective. Sets *awaited to the one that
 * syn_request_take would take. */
bool syn_request_is_active(const struct syn_thread *self, MPI_Request request,
                           struct syn_awaited *awaited);
/* Copies the event of the active collective that `self` completes to *out and removes its entry. A
 * persistent collective stays in the table, inactive. Returns false if none is active. */
bool syn_request_take(const struct syn_thread *self, MPI_Request request, struct syn_event *out);

/* Stores the event of each active collective with the flag SYN_EVENT_NO_COMPLETION and empties the
 * table. Called at the end of the recording, while the recorder runs. */
void syn_requests_give_up(void);

/* ---- around the calls that complete requests ---- */

/* Calls with up to so many requests need no allocated memory. */
#define SYN_FEW_REQUESTS 16

/* A call that completes requests. */
struct syn_completion {
    struct syn_thread *self;
    struct syn_open_line *line;
    int64_t start_ticks;
    int64_t end_ticks;
    int count;            /* of requests */
    bool has_collectives; /* one of the requests is an active collective's */
    bool fortran;
    const void *requests; /* the program's array, MPI_Request or MPI_Fint */
    uintptr_t *keys;      /* [count] keys of the requests before the call (open_messages.h); 0: a
                             collective's */
    MPI_Request *handles; /* [count] handles before the call; 0: not an active collective's. Set
                             only if has_collectives */
    MPI_Status *own_statuses; /* [count] for a program that ignores them */
    void *statuses;           /* [count] of MPI's function; may be ignored */
    uintptr_t few_keys[SYN_FEW_REQUESTS];
    MPI_Request few_handles[SYN_FEW_REQUESTS];
    MPI_Status few_statuses[SYN_FEW_REQUESTS];
};

/* The wrapper of a call that completes or starts requests. */
struct syn_completing {
    uint16_t call;    /* of calls.h; 0: the call does not wait */
    uintptr_t frame;  /* the wrapper's frame address */
    uintptr_t caller; /* the wrapper's return address: the call site */
};
#define SYN_COMPLETING(call_id)                                            \
    (struct syn_completing)                                                \
    {                                                                      \
        .call = (call_id), .frame = (uintptr_t)__builtin_frame_address(0), \
        .caller = (uintptr_t)__builtin_return_address(0)                   \
    }

/* Returns a request of the program's array as a handle of C. */
static inline MPI_Request syn_request_at(const void *requests, int index, bool fortran)
{
    return fortran ? syn_request_f2c(((const MPI_Fint *)requests)[index])
                   : ((const MPI_Request *)requests)[index];
}

static inline bool syn_statuses_are_ignored(const void *statuses, bool fortran)
{
    return fortran ? syn_fortran_ignores(statuses)
                   : statuses == MPI_STATUS_IGNORE || statuses == MPI_STATUSES_IGNORE;
}

/* Provides the arrays of a call with more than SYN_FEW_REQUESTS requests. Returns false without
 * memory. */
SYN_COLD bool syn_completion_reserve(struct syn_completion *completion);
/* Copies the handles of active collectives, which have key 0 then. The open line shows the first of
 * them. Returns true if there is one. */
bool syn_completion_of_collectives(struct syn_completion *completion);

static inline void syn_completion_release(struct syn_completion *completion)
{
    if (__builtin_expect(completion->keys != completion->few_keys, 0))
        free(completion->keys);
    syn_leave(completion->self);
}

/* Writes the open line of a thread that waits for no collective. A call that does not wait has the
 * private line. */
static inline void syn_completion_open(struct syn_completion *completion,
                                       const struct syn_completing *wrapper)
{
    struct syn_thread *self = completion->self;
    struct syn_open_line *line = completion->line =
        wrapper->call ? self->line : &self->private_line;
    if (!wrapper->call)
        return;
    syn_open_line_begin(line);
    SYN_OPEN_SET(line->sequence, SYN_OPEN_NO_SEQUENCE);
    SYN_OPEN_SET(line->comm, SYN_OPEN_NO_COMM);
    SYN_OPEN_SET(line->stack, syn_message_stack(self, wrapper->frame, wrapper->caller));
    SYN_OPEN_SET(line->call, wrapper->call);
    SYN_OPEN_SET(line->of_op, SYN_OPEN_NO_OP);
}

/* Prepares a completion, before the call. Returns false if nothing is recorded, or if no request is
 * an active collective's and the table of messages is empty: then the wrapper only calls MPI.
 * Otherwise the wrapper passes completion->statuses instead of `statuses` (one, or [count]) and
 * calls one of the functions below after MPI's. The argument is our own memory if the program
 * ignores the statuses and the table of messages needs one.
 * RATIONALE: Messages are looked up after the call only, so that each is looked up once, and a poll
 * that finds nothing looks nothing up. */
static inline __attribute__((always_inline)) bool
syn_completion_begin(struct syn_completion *completion, struct syn_completing wrapper, int count,
                     const void *requests, void *statuses, bool fortran)
{
    struct syn_thread *self =
        syn_requests_none() || count <= 0 || !requests ? NULL : syn_enter(wrapper.frame);
    if (!self)
        return false;
    completion->self = self;
    completion->count = count;
    completion->requests = requests;
    completion->fortran = fortran;
    completion->keys = completion->few_keys;
    completion->handles = completion->few_handles;
    completion->own_statuses = completion->few_statuses;
    if (__builtin_expect(count > SYN_FEW_REQUESTS, 0) && !syn_completion_reserve(completion)) {
        syn_leave(self);
        return false;
    }
    for (int i = 0; i < count; i++)
        completion->keys[i] = SYN_KEY_OF_REQUEST(syn_request_at(requests, i, fortran));
    syn_completion_open(completion, &wrapper);
    completion->has_collectives = __atomic_load_n(&syn_request_count, __ATOMIC_RELAXED) > 0 &&
                                  syn_completion_of_collectives(completion);
    if (!completion->has_collectives && syn_open_messages_none()) {
        syn_completion_release(completion);
        return false;
    }
    completion->statuses =
        syn_open_messages_need_status() && syn_statuses_are_ignored(statuses, fortran)
            ? completion->own_statuses
            : statuses;
    completion->start_ticks = syn_now();
    syn_open_line_enter(completion->line, completion->start_ticks);
    return true;
}

/* Ends a call that completed no event: its time is time in messages. */
static inline void syn_completion_end(struct syn_completion *completion)
{
    if (syn_messages_on)
        syn_messages_add(completion->self, completion->end_ticks - completion->start_ticks);
    syn_open_line_leave(completion->line, completion->end_ticks);
    syn_completion_release(completion);
}

/* Ends a call that returned `result`. After a success all requests are complete; after an error,
 * those whose handles the call changed. */
void syn_completion_of_all(struct syn_completion *completion, int result);
/* Ends a call that succeeded and completed the requests indices [count], at least one. The first
 * request has the index `base`. */
void syn_completion_of_found(struct syn_completion *completion, int count, const int *indices,
                             int base);

/* Ends a call that returned `result` and, if it succeeded, completed the requests indices [count].
 * A poll that found nothing has count 0; MPI_UNDEFINED is negative. */
static inline void syn_completion_of_some(struct syn_completion *completion, int result, int count,
                                          const int *indices, int base)
{
    if (__builtin_expect(result == MPI_SUCCESS && count <= 0, 1))
        syn_completion_end(completion);
    else if (result == MPI_SUCCESS)
        syn_completion_of_found(completion, count, indices, base);
    else
        syn_completion_of_all(completion, result);
}

/* Ends a call of MPI_Request_free. `request` is the handle before the call. */
void syn_request_freed(struct syn_thread *self, MPI_Request request);

/* A call of MPI_Start or MPI_Startall. */
struct syn_starting {
    struct syn_call call;
    const void *requests; /* the program's array, MPI_Request or MPI_Fint */
    int count;            /* of requests */
    bool fortran;
    uintptr_t *keys; /* [count] keys before the call (open_messages.h); NULL: no memory */
    uintptr_t few_keys[SYN_FEW_REQUESTS];
};

/* Prepares a start, before the call. Returns false if nothing is recorded: then the wrapper only
 * calls MPI. Otherwise it calls syn_starting_end after MPI's function.
 * RATIONALE: The keys are kept because Open MPI may replace the program's handle by that of another
 * request. It does so while the old request still holds the data of its last start, for example of
 * a buffered send of 100 kB. */
bool syn_starting_begin(struct syn_starting *starting, int count, const void *requests,
                        uintptr_t frame, bool fortran);
/* Ends a start. call.result and call.end_ticks are set. Takes the call stack of `wrapper` if a
 * collective was started. */
void syn_starting_end(struct syn_starting *starting, struct syn_completing wrapper);

#endif
