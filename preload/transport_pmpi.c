/* preload/transport_pmpi.c - see transport_pmpi.h. */
#include "transport_pmpi.h"

#include <limits.h>
#include <sched.h>

#include "../sync/status.h"
#include "pmpi.h"

#define TAG 1
/* A few microseconds: longer than a message between cores takes. */
#define TRIES_BEFORE_YIELD 100

static int send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    const MPI_Comm *comm = ctx;
    if (bytes > INT_MAX ||
        syn_pmpi.Send(data, (int)bytes, syn_mpi.byte, peer_rank, TAG, *comm) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return SYN_OK;
}

/* MPI's own blocking receive may spin for its whole time slice. Where there are more ranks than
 * cores, the sender that it waits for then does not run: so give way after a while. */
static int wait_for(MPI_Request *request)
{
    for (int tries = 0, done = 0;; tries++) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        if (tries >= TRIES_BEFORE_YIELD)
            sched_yield();
    }
}

static int recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    const MPI_Comm *comm = ctx;
    MPI_Request request;
    if (bytes > INT_MAX || syn_pmpi.Irecv(data, (int)bytes, syn_mpi.byte, peer_rank, TAG, *comm,
                                          &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return wait_for(&request);
}

int syn_transport_pmpi(MPI_Comm *comm, struct syn_transport *out)
{
    struct syn_transport transport = {.send = send, .recv = recv, .ctx = comm};
    if (syn_pmpi.Comm_rank(*comm, &transport.rank) || syn_pmpi.Comm_size(*comm, &transport.size))
        return SYN_ETRANSPORT;
    *out = transport;
    return SYN_OK;
}
