/* preload/run/lifecycle/lifecycle.h - the wrappers of MPI_Init, MPI_Finalize and MPI_Abort: where
 * recording begins and ends. */
#ifndef SYN_LIFECYCLE_H
#define SYN_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include <mpi.h>

#include "preload/entry/backend.h"

#define SYN_LIFECYCLE_WRAPPERS 4

/* The wrappers' work besides calling MPI, for other languages: before the initialization and after
 * it with its result, after MPI_Finalize, before MPI_Abort. A second call does no harm. */
void syn_lifecycle_prepare(void);
void syn_lifecycle_initialized(int result);
void syn_lifecycle_finalized(void);
void syn_lifecycle_abort(void);

/* A program of sessions (sessions.h) prepares before its first one. Before the first collective
 * call of ours: do all its processes take part? Where not, it has been said, and nothing is
 * recorded any more. Asked once for all, by one thread at a time. */
bool syn_lifecycle_admits(int process_count);
/* `own` is a communicator of ours of all its processes in the order of their ranks, which it takes.
 * Returns whether this call began to record. */
bool syn_lifecycle_begin_sessions(MPI_Comm own);
/* Before the last session is finalized; nothing where MPI_Init was called. */
void syn_lifecycle_end_sessions(void);

/* Was there an attempt to record, with success or without? */
bool syn_lifecycle_began(void);

/* Put them at wrappers [SYN_LIFECYCLE_WRAPPERS]. Returns how many. */
size_t syn_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers);
/* Put those of Fortran at wrappers [SYN_FORTRAN_LIFECYCLE_WRAPPERS]. Returns how many. */
size_t syn_fortran_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers);

#endif
