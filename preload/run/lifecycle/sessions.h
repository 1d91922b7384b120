/* preload/run/lifecycle/sessions.h - start and end of a program of MPI Sessions, which has no
 * MPI_Init and no MPI_COMM_WORLD.
 *
 * It is recorded from its first communicator of all processes until its last session ends.
 * RATIONALE: MPI guarantees that all processes take part in these two calls, and in no earlier one.
 * Ranks are those of the process set mpi://WORLD. */
#ifndef SYN_SESSIONS_H
#define SYN_SESSIONS_H

#include <stddef.h>

#include "preload/entry/backend.h"

/* MPI_Session_init and MPI_Session_finalize in C, mpif.h (4 spellings) and mpi_f08. */
#define SYN_SESSION_WRAPPERS 12

/* Store the wrappers at wrappers [SYN_SESSION_WRAPPERS]; the name is NULL if this MPI lacks the
 * function. Returns their number. */
size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
