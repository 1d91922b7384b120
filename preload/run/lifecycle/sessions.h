/* preload/run/lifecycle/sessions.h - the life of a program of MPI Sessions, which has no MPI_Init
 * and no MPI_COMM_WORLD.
 *
 * It is recorded from the first communicator that it makes of all its processes, to the last of its
 * sessions' end: MPI promises that these are calls of all of them, and promises it of no call
 * before. A rank is that in the process set mpi://WORLD. */
#ifndef SYN_SESSIONS_H
#define SYN_SESSIONS_H

#include <stddef.h>

#include "preload/entry/backend.h"

/* MPI_Session_init and MPI_Session_finalize in C, mpif.h (4 spellings) and mpi_f08. */
#define SYN_SESSION_WRAPPERS 12

/* Put them at wrappers [SYN_SESSION_WRAPPERS], with the name NULL where this MPI has none. Returns
 * how many. */
size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
