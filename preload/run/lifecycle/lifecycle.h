/* preload/run/lifecycle/lifecycle.h - the wrappers of MPI_Init, MPI_Finalize and MPI_Abort: where
 * recording begins and ends. */
#ifndef SYN_LIFECYCLE_H
#define SYN_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "preload/entry/backend.h"

#define SYN_LIFECYCLE_WRAPPERS 4

/* The wrappers' work besides the MPI call, for Fortran's wrappers: before initialization, after it,
 * after MPI_Finalize, before MPI_Abort. A second call does no harm. */
void syn_lifecycle_prepare(void);
void syn_lifecycle_initialized(int result);
void syn_lifecycle_finalized(void);
void syn_lifecycle_abort(void);

/* For sessions.h, before our first collective call: returns true if all `process_count` processes
 * are recorded. If not, says so, and nothing will be recorded. The answer is computed once. */
bool syn_lifecycle_admits(int process_count);
/* Start recording. `own`: a communicator of all processes in the order of their ranks, which the
 * run takes over. Returns true if this call started the run. */
bool syn_lifecycle_begin_sessions(MPI_Comm own);
/* Called before the last session is finalized. Does nothing if MPI_Init was called. */
void syn_lifecycle_end_sessions(void);

/* Returns true after an attempt to record, successful or not. */
bool syn_lifecycle_began(void);

/* Store the wrappers at wrappers [SYN_LIFECYCLE_WRAPPERS]. Returns their number. */
size_t syn_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers);
/* Store Fortran's wrappers at wrappers [SYN_FORTRAN_LIFECYCLE_WRAPPERS]. Returns their number. */
size_t syn_fortran_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
