/* preload/calls/requests.h - the nonblocking collectives under way, and the persistent ones
 * prepared: by request.
 *
 * What is complete when it returns is none of them: for all of that both MPIs have handles that are
 * constants, which messages get too, so that a wait for one would be nobody's in particular. A
 * program may complete the others in another thread than the one that started them. If an MPI gave
 * one handle to several all the same, the oldest that the completing thread itself started would go
 * first, else the oldest. A lock guards the table; nothing is looked up while it is empty, nor in a
 * timed interval. */
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

/* How many the table holds. */
extern uint32_t syn_request_count;

/* Neither a collective nor a message. */
static inline bool syn_requests_none(void)
{
    return __builtin_expect(__atomic_load_n(&syn_request_count, __ATOMIC_RELAXED) == 0, 1) &&
           syn_open_messages_none();
}

/* `event`, of a call of `self`, is complete but for its end and the wait's start. Where memory is
 * short it is lost. */
void syn_request_add(const struct syn_thread *self, MPI_Request request,
                     const struct syn_event *event);
/* `event` is what all starts have in common. */
void syn_request_prepare(MPI_Request request, struct syn_comm *comm, const struct syn_event *event);

/* The collective that a request completes. */
struct syn_awaited {
    uint64_t sequence;
    uint32_t comm;
    uint16_t op;
};

/* Is one of them under way? *awaited: that collective, which `self` would take. */
bool syn_request_is_active(const struct syn_thread *self, MPI_Request request,
                           struct syn_awaited *awaited);
/* Takes the one under way that `self` completes; a persistent one stays prepared. Returns false
 * where there is none. */
bool syn_request_take(const struct syn_thread *self, MPI_Request request, struct syn_event *out);

/* The end: those under way become events that never completed. By a thread that records, while the
 * recorder runs. */
void syn_requests_give_up(void);

/* ---- around the calls that complete requests ---- */

#define SYN_FEW_REQUESTS 16

struct syn_completion {
    struct syn_thread *self;
    struct syn_open_line *line;
    int64_t start_ticks;
    int64_t end_ticks;
    int count;
    bool completed; /* one of ours */
    bool has_collectives;
    bool fortran;
    const void *requests; /* the program's array, MPI_Request or MPI_Fint */
    MPI_Request *handles; /* [count] of collectives, as before the call; 0: none of ours */
    uintptr_t *keys;      /* [count] of all others, likewise (open_messages.h); 0: seen to */
    const struct syn_event *message; /* the first message that is complete; or NULL */
    void *passed;                    /* the argument of statuses */
    const MPI_Status *statuses;      /* [count]; NULL: the program ignores them */
    MPI_Request few[SYN_FEW_REQUESTS];
    uintptr_t few_keys[SYN_FEW_REQUESTS];
    MPI_Status few_statuses[SYN_FEW_REQUESTS];
};

/* The wrapper of a call that completes requests. */
struct syn_completing {
    uint16_t call; /* calls.h; 0: it does not wait */
    uintptr_t frame, caller;
};
#define SYN_COMPLETING(call_id)                                            \
    (struct syn_completing)                                                \
    {                                                                      \
        .call = (call_id), .frame = (uintptr_t)__builtin_frame_address(0), \
        .caller = (uintptr_t)__builtin_return_address(0)                   \
    }

/* Before the call. Returns false where none of the requests can be of ours (or nothing is
 * recorded): then just call. Otherwise pass completion->passed instead of `statuses`, one or
 * [count]: where the program ignores them and the peer of any message is open, they are our own.
 * One of the functions below must follow the call.
 * RATIONALE: whether a request is a message's is looked up once, after the call. */
bool syn_completion_begin(struct syn_completion *completion, struct syn_completing wrapper,
                          int count, const void *requests, void *statuses, bool fortran);
/* None is complete. */
void syn_completion_end(struct syn_completion *completion);
/* The call returned `result`, and if that is success then all are complete; else those are whose
 * handles it changed. Ends. */
void syn_completion_of_all(struct syn_completion *completion, int result);
/* Likewise for some of them: indices [count] from `base` on. */
void syn_completion_of_some(struct syn_completion *completion, int result, int count,
                            const int *indices, int base);

/* After MPI_Request_free of what was `request`. */
void syn_request_freed(struct syn_thread *self, MPI_Request request);

/* MPI_Start or MPI_Startall. */
struct syn_starting {
    struct syn_call call;
    const void *requests; /* the program's array, MPI_Request or MPI_Fint */
    int count;
    bool fortran;
    uintptr_t *keys; /* [count], as before the call (open_messages.h); NULL: without memory */
    uintptr_t few_keys[SYN_FEW_REQUESTS];
};

/* Before the call. Returns false where nothing is recorded: then just call. Otherwise
 * syn_starting_end follows.
 * RATIONALE: Open MPI may start another request than the program's, and give its handle back. It
 * does so while it still holds the data of the last start, as of a buffered send of 100 kB. */
bool syn_starting_begin(struct syn_starting *starting, int count, const void *requests,
                        uintptr_t frame, bool fortran);
/* The call returned call.result, at call.end_ticks. Takes the call stack of `wrapper` where it
 * started a collective. */
void syn_starting_end(struct syn_starting *starting, struct syn_completing wrapper);

#endif
