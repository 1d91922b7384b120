/* preload/mpi/transport_pmpi.h - struct syn_transport (sync/) over MPI messages on a communicator
 * of the recorder, and functions that wait for requests without taking the processor from other
 * ranks. */
#ifndef SYN_TRANSPORT_PMPI_H
#define SYN_TRANSPORT_PMPI_H

#include <stdbool.h>

#include <mpi.h>

#include "sync/ranks/transport.h"

/* The transport's ctx. */
struct syn_pmpi_link {
    MPI_Comm comm;  /* for the transport only; its error handler is MPI_ERRORS_RETURN */
    bool measuring; /* round trips are being measured: waits spin longer before they sleep */
    struct syn_pmpi_sent *sent; /* copies of sent messages that may be incomplete; NULL at first */
    int sent_count;
};

/* Makes the transport *out. *link must outlive it; link->measuring may change at any time. Returns
 * 0 or SYN_ETRANSPORT. */
int syn_transport_pmpi(struct syn_pmpi_link *link, struct syn_transport *out);

/* Waits until all sent messages are complete, and frees their copies. Call it before the program
 * goes on, because MPI may need calls to complete the last messages, and before the communicator is
 * freed. Returns 0 or SYN_ETRANSPORT.
 * RATIONALE: The transport copies longer messages and does not wait for them. Some buffers of an
 * MPI are free again only after the receiver has run, and a rank that sends to many would wait for
 * each in turn. */
int syn_pmpi_wait_sent(struct syn_pmpi_link *link);

/* Waits for a request of the recorder: tests it again and again, and sleeps in between. Returns 0
 * or SYN_ETRANSPORT.
 * RATIONALE: MPI's own blocking calls may spin for their whole time slice. If there are more ranks
 * than processors, the other rank does not run meanwhile, and a tree of messages takes a time slice
 * for each hop (a barrier of MPICH, 64 ranks on 2 processors: 0.5 s, with sleeps 0.01 s). A thread
 * that sleeps gets the processor soon after it wakes; one that yields waits for a time slice of
 * each other thread. The sleeps grow, because a test takes some microseconds: too much if 62 ranks
 * test often while two have work to do. Two ranks that measure spin for longer than a sleep lasts.
 * So once both are awake they stay awake, and their round trips are those of two ranks with a
 * processor each. */
int syn_pmpi_await(MPI_Request *request, bool measuring);
/* Like syn_pmpi_await. If the request is not complete after `seconds`, calls tell() once and goes
 * on waiting. */
int syn_pmpi_await_telling(MPI_Request *request, int seconds, void (*tell)(void));

#endif
