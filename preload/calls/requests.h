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

#include <mpi.h>

#include "preload/calls/call.h"
#include "preload/mpi/pmpi.h"
#include "preload/recorder/open_messages.h"
#include "preload/recorder/recorder.h"
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
    bool completed;       /* the call completed a collective or a message of the tables */
    bool has_collectives; /* one of the requests is an active collective's */
    bool fortran;
    const void *requests; /* the program's array, MPI_Request or MPI_Fint */
    MPI_Request *handles; /* [count] handles before the call; 0: not an active collective's. Set
                             only if has_collectives */
    uintptr_t *keys; /* [count] keys of the other requests before the call (open_messages.h); 0: a
                        collective's, or complete */
    const struct syn_event *message;   /* the first message that completed, or NULL */
    void *statuses_argument;           /* pass it to MPI's function */
    const MPI_Status *statuses;        /* [count]; NULL: MPI does not write them */
    MPI_Request few[SYN_FEW_REQUESTS]; /* memory for `handles` */
    uintptr_t few_keys[SYN_FEW_REQUESTS];
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

/* Prepares a completion, before the call. Returns false if nothing is recorded, or if no request is
 * an active collective's and the table of messages is empty: then the wrapper only calls MPI.
 * Otherwise the wrapper passes completion->statuses_argument instead of `statuses` (one, or
 * [count]) and calls one of the functions below after MPI's. The argument is our own memory if the
 * program ignores the statuses and the table of messages needs one.
 * RATIONALE: Messages are looked up after the call only, so that each is looked up once. */
bool syn_completion_begin(struct syn_completion *completion, struct syn_completing wrapper,
                          int count, const void *requests, void *statuses, bool fortran);
/* Ends a call that completed no request. */
void syn_completion_end(struct syn_completion *completion);
/* Ends a call that returned `result`. After a success all requests are complete; after an error,
 * those whose handles the call changed. */
void syn_completion_of_all(struct syn_completion *completion, int result);
/* Ends a call that completed the requests indices [count]. The first request has the index `base`.
 * */
void syn_completion_of_some(struct syn_completion *completion, int result, int count,
                            const int *indices, int base);

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
