/* preload/calls/nonblocking.h - collective calls that return before they are complete: how they go
 * on when they have returned. */
#ifndef SYN_NONBLOCKING_H
#define SYN_NONBLOCKING_H

#include "preload/calls/call.h"

/* The call is under way until `request` completes; one that failed, and one that was complete when
 * it returned, is an event at once. */
void syn_call_pending(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      MPI_Request request);

/* The ways of a wrapper; each ends in syn_call_leave. */
/* Nonblocking: it becomes one when `request` completes. */
void syn_call_started(const struct syn_call *call, const struct syn_operation *operation,
                      MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request);
/* Persistent: each start of `request` does. */
void syn_call_prepared(const struct syn_call *call, const struct syn_operation *operation,
                       MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request);

#endif
