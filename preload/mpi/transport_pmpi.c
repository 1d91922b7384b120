/* preload/mpi/transport_pmpi.c - see transport_pmpi.h. */
#include "preload/mpi/transport_pmpi.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "preload/mpi/pmpi.h"
#include "sync/base/status.h"
#include "sync/time/clock.h"

#define TAG 1
/* Messages are cut into parts of this size. Open MPI and MPICH send so much eagerly, without an
 * answer of the receiver. */
#define PART_BYTES 2048
/* Longer than a message between two processors takes. */
#define SPIN_NS 20000
/* Longer than some sleeps: the shortest takes 55 us. */
#define MEASURING_SPIN_NS 300000
/* Messages up to this size are not copied: MPI sends them without a buffer that the receiver has to
 * give back. */
#define SHORT_BYTES 256
/* Largest number of copies that are kept. */
#define SENT_COUNT_MAX 1024
/* Longest sleep. */
#define SLEEP_NS_MAX 2000000

/* A wait in progress. */
struct wait {
    bool measuring;
    int64_t spin_until_ns; /* 0: the wait has not begun */
    int64_t sleep_ns;      /* length of the next sleep */
};

/* Returns at once while the wait spins, then sleeps. */
static void spin_or_sleep(struct wait *wait)
{
    const bool measuring = wait->measuring;
    if (wait->spin_until_ns == 0) {
        wait->spin_until_ns =
            syn_read_clock_ns(CLOCK_MONOTONIC_RAW) + (measuring ? MEASURING_SPIN_NS : SPIN_NS);
        wait->sleep_ns = 1000;
    }
    if (syn_read_clock_ns(CLOCK_MONOTONIC_RAW) < wait->spin_until_ns)
        return;
    nanosleep(&(struct timespec){.tv_nsec = wait->sleep_ns}, NULL);
    if (!measuring && wait->sleep_ns < SLEEP_NS_MAX)
        wait->sleep_ns = wait->sleep_ns < 50000 ? 50000 : wait->sleep_ns + wait->sleep_ns / 2;
}

int syn_pmpi_await(MPI_Request *request, bool measuring)
{
    struct wait wait = {.measuring = measuring};
    for (int done = 0;;) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        spin_or_sleep(&wait);
    }
}

int syn_pmpi_await_telling(MPI_Request *request, int seconds, void (*tell)(void))
{
    struct wait wait = {0};
    const int64_t long_ns = syn_read_clock_ns(CLOCK_MONOTONIC_RAW) + (int64_t)seconds * 1000000000;
    for (int done = 0, told = 0;;) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        spin_or_sleep(&wait);
        if (!told && syn_read_clock_ns(CLOCK_MONOTONIC_RAW) >= long_ns) {
            tell();
            told = 1;
        }
    }
}

/* ---- sent messages ---- */

struct syn_pmpi_sent {
    struct syn_pmpi_sent *older;
    MPI_Request request;
    char data[];
};

/* RATIONALE: Copies are not tested earlier, because each test makes Open MPI yield the processor.
 * */
int syn_pmpi_wait_sent(struct syn_pmpi_link *link)
{
    while (link->sent) {
        struct syn_pmpi_sent *sent = link->sent;
        if (syn_pmpi_await(&sent->request, false))
            return SYN_ETRANSPORT; /* MPI may still read the copies, so they are not freed */
        link->sent = sent->older;
        free(sent);
    }
    link->sent_count = 0;
    return SYN_OK;
}

static int isend(const struct syn_pmpi_link *link, int peer_rank, const void *data, int bytes,
                 MPI_Request *request)
{
    return syn_pmpi.Isend(data, bytes, syn_mpi.byte, peer_rank, TAG, link->comm, request) ==
                   MPI_SUCCESS
               ? SYN_OK
               : SYN_ETRANSPORT;
}

/* Sends a part. Waits for a short message, and for one whose receiver waits already (`measuring`),
 * since both complete at once. Copies any other. */
static int send_part(struct syn_pmpi_link *link, int peer_rank, const void *data, int bytes)
{
    MPI_Request request;
    struct syn_pmpi_sent *sent =
        link->measuring || bytes <= SHORT_BYTES ? NULL : malloc(sizeof *sent + (size_t)bytes);
    if (!sent)
        return isend(link, peer_rank, data, bytes, &request)
                   ? SYN_ETRANSPORT
                   : syn_pmpi_await(&request, link->measuring);
    memcpy(sent->data, data, (size_t)bytes);
    if (isend(link, peer_rank, sent->data, bytes, &sent->request)) {
        free(sent);
        return SYN_ETRANSPORT;
    }
    sent->older = link->sent;
    link->sent = sent;
    return ++link->sent_count < SENT_COUNT_MAX ? SYN_OK : syn_pmpi_wait_sent(link);
}

/* ---- the transport ---- */

/* Returns the size of the next part of a message. Sender and receiver cut it the same way. */
static int part_bytes(size_t bytes)
{
    return bytes < PART_BYTES ? (int)bytes : PART_BYTES;
}

static int send(void *ctx, int peer_rank, const void *data, size_t bytes)
{
    struct syn_pmpi_link *link = ctx;
    const char *at = data;
    do {
        const int part = part_bytes(bytes);
        if (send_part(link, peer_rank, at, part))
            return SYN_ETRANSPORT;
        at += part;
        bytes -= (size_t)part;
    } while (bytes > 0);
    return SYN_OK;
}

static int recv(void *ctx, int peer_rank, void *data, size_t bytes)
{
    const struct syn_pmpi_link *link = ctx;
    char *at = data;
    do {
        MPI_Request request;
        const int part = part_bytes(bytes);
        if (syn_pmpi.Irecv(at, part, syn_mpi.byte, peer_rank, TAG, link->comm, &request) !=
                MPI_SUCCESS ||
            syn_pmpi_await(&request, link->measuring))
            return SYN_ETRANSPORT;
        at += part;
        bytes -= (size_t)part;
    } while (bytes > 0);
    return SYN_OK;
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
