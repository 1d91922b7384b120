/* preload/transport_pmpi.c - see transport_pmpi.h. */
#include "transport_pmpi.h"

#include <limits.h>
#include <stdint.h>
#include <time.h>

#include "../sync/status.h"
#include "pmpi.h"

#define TAG 1
/* Some microseconds: longer than a message between processors takes. */
#define TRIES_BEFORE_SLEEP 60
/* Some sleeps: the kernel makes 55 us of the shortest. */
#define MEASURING_SPIN_NS 300000

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int syn_pmpi_await(MPI_Request *request, bool measuring)
{
    int64_t sleep_from_ns = 0;
    for (int tries = 0, done = 0;; tries += tries < TRIES_BEFORE_SLEEP) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        if (tries < TRIES_BEFORE_SLEEP)
            continue;
        if (sleep_from_ns == 0)
            sleep_from_ns = now_ns() + (measuring ? MEASURING_SPIN_NS : 0);
        if (now_ns() >= sleep_from_ns)
            nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
    }
}

static int send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    const struct syn_pmpi_link *link = ctx;
    MPI_Request request;
    if (bytes > INT_MAX || syn_pmpi.Isend(data, (int)bytes, syn_mpi.byte, peer_rank, TAG,
                                          link->comm, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return syn_pmpi_await(&request, link->measuring);
}

static int recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    const struct syn_pmpi_link *link = ctx;
    MPI_Request request;
    if (bytes > INT_MAX || syn_pmpi.Irecv(data, (int)bytes, syn_mpi.byte, peer_rank, TAG,
                                          link->comm, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return syn_pmpi_await(&request, link->measuring);
}

int syn_transport_pmpi(struct syn_pmpi_link *link, struct syn_transport *out)
{
    struct syn_transport transport = {.send = send, .recv = recv, .ctx = link};
    if (syn_pmpi.Comm_rank(link->comm, &transport.rank) ||
        syn_pmpi.Comm_size(link->comm, &transport.size))
        return SYN_ETRANSPORT;
    *out = transport;
    return SYN_OK;
}
