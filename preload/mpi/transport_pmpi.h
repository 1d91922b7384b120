/* preload/mpi/transport_pmpi.h - the transport of sync/ over messages of MPI, on a communicator of
 * our own; and how to wait for MPI where ranks may have to share processors. */
#ifndef SYN_TRANSPORT_PMPI_H
#define SYN_TRANSPORT_PMPI_H

#include <stdbool.h>

#include <mpi.h>

#include "sync/ranks/transport.h"

/* The transport's ctx. */
struct syn_pmpi_link {
    MPI_Comm comm;              /* returns errors, and carries nothing else */
    bool measuring;             /* round trips matter: spin for a while before sleeping */
    struct syn_pmpi_sent *sent; /* copies of messages that may be on their way; NULL at first */
    int sent_count;
};

/* *link must outlive the transport; `measuring` may change at any time. */
int syn_transport_pmpi(struct syn_pmpi_link *link, struct syn_transport *out);

/* Wait until what was sent has left. Sending does not wait: a message is copied, since some of an
 * MPI's own buffers are free again only when the receiver has run, and a rank that serves many
 * would wait for one after the other. Call before the program goes on (MPI may have to be called
 * for the last of them) and before the communicator is freed. Returns 0 or SYN_ETRANSPORT. */
int syn_pmpi_settle(struct syn_pmpi_link *link);

/* Wait for a request of ours. Returns 0 or SYN_ETRANSPORT.
 * RATIONALE: MPI's own blocking calls may spin for their whole time slice. Where there are more
 * ranks than processors, the rank that is waited for does not run meanwhile, and a tree of messages
 * takes a time slice a hop (MPICH, 64 ranks on 2 processors: 0.5 s for a barrier, against 0.01 s
 * so). Hence every wait of ours is a loop of tests that soon sleeps; not one that yields, since a
 * yield lets everybody else on the processor have a whole time slice, while who wakes from a sleep
 * gets the processor soon. Sleeps grow, because a test takes some microseconds of a processor, too
 * much for 62 ranks to ask often while two have work to do. Two ranks that measure spin for longer
 * than a sleep lasts: once both are awake they stay so, and their round trips are those of a
 * processor each. */
int syn_pmpi_await(MPI_Request *request, bool measuring);
/* Like syn_pmpi_await, but calls tell() once if the request is not complete after `seconds`, and
 * waits on. */
int syn_pmpi_await_telling(MPI_Request *request, int seconds, void (*tell)(void));

#endif
