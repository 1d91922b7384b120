/* preload/calls/nonblocking.h - records nonblocking and persistent collectives: the steps after
 * MPI's function has returned. */
#ifndef SYN_NONBLOCKING_H
#define SYN_NONBLOCKING_H

#include "preload/calls/call.h"

/* Adds the call to the table of requests (requests.h): its event is stored when `request`
 * completes. The event of a call that failed, or that was complete when it returned, is stored at
 * once. */
void syn_call_pending(const struct syn_call *call, const struct syn_operation *operation,
                      struct syn_comm *comm, const struct syn_transfer *transfer,
                      MPI_Request request);

/* The last step of a wrapper: both end in syn_call_leave. */
/* Nonblocking: the call becomes an event when `request` completes. */
void syn_call_started(const struct syn_call *call, const struct syn_operation *operation,
                      MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request);
/* Persistent: each start of `request` becomes an event when it completes. */
void syn_call_prepared(const struct syn_call *call, const struct syn_operation *operation,
                       MPI_Comm comm, const struct syn_transfer *transfer, MPI_Request request);

#endif
