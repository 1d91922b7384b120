/* preload/transport_pmpi.c - see transport_pmpi.h. */
#include "transport_pmpi.h"

#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

#include "../sync/status.h"
#include "pmpi.h"

#define TAG 1
/* Some microseconds: longer than a message between processors takes. */
#define TRIES_BEFORE_WAY 60
/* A round trip that takes longer than this is not measured worse by a sleep. */
#define YIELD_NS 1000000

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* A yield lets everybody else on the processor have a whole time slice first; who wakes up from a
 * sleep gets the processor soon. So sleep where it may be shared, though it takes 50 us at least.
 */
static void give_way(bool crowded, int64_t *since_ns)
{
    if (!crowded && *since_ns == 0)
        *since_ns = now_ns();
    if (!crowded && now_ns() - *since_ns < YIELD_NS)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = 1000}, NULL);
}

int syn_pmpi_await(MPI_Request *request, bool crowded)
{
    int64_t since_ns = 0;
    for (int tries = 0, done = 0;; tries++) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        if (tries >= TRIES_BEFORE_WAY)
            give_way(crowded, &since_ns);
    }
}

static int send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    const struct syn_pmpi_link *link = ctx;
    MPI_Request request;
    if (bytes > INT_MAX || syn_pmpi.Isend(data, (int)bytes, syn_mpi.byte, peer_rank, TAG,
                                          link->comm, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return syn_pmpi_await(&request, link->crowded);
}

static int recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    const struct syn_pmpi_link *link = ctx;
    MPI_Request request;
    if (bytes > INT_MAX || syn_pmpi.Irecv(data, (int)bytes, syn_mpi.byte, peer_rank, TAG,
                                          link->comm, &request) != MPI_SUCCESS)
        return SYN_ETRANSPORT;
    return syn_pmpi_await(&request, link->crowded);
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
