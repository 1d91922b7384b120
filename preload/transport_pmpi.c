/* preload/transport_pmpi.c - see transport_pmpi.h. */
#include "transport_pmpi.h"

#include <limits.h>

#include "../sync/status.h"
#include "pmpi.h"

#define TAG 1

static int send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    const MPI_Comm *comm = ctx;
    if (bytes > INT_MAX ||
        syn_pmpi.Send(data, (int)bytes, syn_mpi.byte, peer_rank, TAG, *comm) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return SYN_OK;
}

static int recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    const MPI_Comm *comm = ctx;
    if (bytes > INT_MAX || syn_pmpi.Recv(data, (int)bytes, syn_mpi.byte, peer_rank, TAG, *comm,
                                         MPI_STATUS_IGNORE) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return SYN_OK;
}

int syn_transport_pmpi(MPI_Comm *comm, struct syn_transport *out)
{
    struct syn_transport transport = {.send = send, .recv = recv, .ctx = comm};
    if (syn_pmpi.Comm_rank(*comm, &transport.rank) || syn_pmpi.Comm_size(*comm, &transport.size))
        return SYN_ETRANSPORT;
    *out = transport;
    return SYN_OK;
}
