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
/* Both MPIs hand over so much at once, whether or not the receiver runs; longer messages are agreed
 * on with it, which takes turns. */
#define PART_BYTES 2048
/* Longer than a message between processors takes. */
#define SPIN_NS 20000
/* Some sleeps: the kernel makes 55 us of the shortest. */
#define MEASURING_SPIN_NS 300000
/* Fits an MPI's slots for the shortest messages, which need no buffer that has to come back. */
#define SHORT_BYTES 256
/* Largest number of copies that are kept. */
#define SENT_COUNT_MAX 1024
/* Sleeps grow to this. */
#define SLEEP_NS_MAX 2000000

/* How somebody waits: when spinning ends, how long sleeps are. */
struct patience {
    bool measuring;
    int64_t spin_until_ns, sleep_ns; /* 0: not begun */
};

static void wait_a_while(struct patience *patience)
{
    const bool measuring = patience->measuring;
    if (patience->spin_until_ns == 0) {
        patience->spin_until_ns =
            syn_read_clock_ns(CLOCK_MONOTONIC_RAW) + (measuring ? MEASURING_SPIN_NS : SPIN_NS);
        patience->sleep_ns = 1000;
    }
    if (syn_read_clock_ns(CLOCK_MONOTONIC_RAW) < patience->spin_until_ns)
        return;
    nanosleep(&(struct timespec){.tv_nsec = patience->sleep_ns}, NULL);
    if (!measuring && patience->sleep_ns < SLEEP_NS_MAX)
        patience->sleep_ns =
            patience->sleep_ns < 50000 ? 50000 : patience->sleep_ns + patience->sleep_ns / 2;
}

int syn_pmpi_await(MPI_Request *request, bool measuring)
{
    struct patience patience = {.measuring = measuring};
    for (int done = 0;;) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        wait_a_while(&patience);
    }
}

int syn_pmpi_await_telling(MPI_Request *request, int seconds, void (*tell)(void))
{
    struct patience patience = {0};
    const int64_t long_ns = syn_read_clock_ns(CLOCK_MONOTONIC_RAW) + (int64_t)seconds * 1000000000;
    for (int done = 0, told = 0;;) {
        if (syn_pmpi.Test(request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS)
            return SYN_ETRANSPORT;
        if (done)
            return SYN_OK;
        wait_a_while(&patience);
        if (!told && syn_read_clock_ns(CLOCK_MONOTONIC_RAW) >= long_ns) {
            tell();
            told = 1;
        }
    }
}

/* ---- messages that are on their way ---- */

struct syn_pmpi_sent {
    struct syn_pmpi_sent *older;
    MPI_Request request;
    char data[];
};

/* Not asked after before there is a need: each question makes Open MPI yield the processor. */
int syn_pmpi_settle(struct syn_pmpi_link *link)
{
    while (link->sent) {
        struct syn_pmpi_sent *sent = link->sent;
        if (syn_pmpi_await(&sent->request, false))
            return SYN_ETRANSPORT; /* MPI may still read them: they stay */
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

/* Short ones are handed over at once, as are those for which the receiver waits already. */
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
    return ++link->sent_count < SENT_COUNT_MAX ? SYN_OK : syn_pmpi_settle(link);
}

/* ---- the transport ---- */

/* The next part of `bytes`. Both sides cut alike. */
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
