/* preload/transport_pmpi.h - the transport of sync/ over messages of MPI, on a communicator of our
 * own. */
#ifndef SYN_TRANSPORT_PMPI_H
#define SYN_TRANSPORT_PMPI_H

#include <mpi.h>

#include "../sync/transport.h"

/* `comm` must outlive the transport, return errors, and carry nothing else. */
int syn_transport_pmpi(MPI_Comm *comm, struct syn_transport *out);

#endif
