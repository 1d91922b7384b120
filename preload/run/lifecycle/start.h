/* preload/run/lifecycle/start.h - starts a run: from MPI_Init to the first recorded call. */
#ifndef SYN_START_H
#define SYN_START_H

#include "preload/run/run.h"

/* Called on every rank, after MPI's own initialization. `own`: our communicator of all ranks, which
 * the run takes over; MPI_COMM_NULL: one is made. Fills *run except `of_sessions` and
 * `at_finalize`. Returns true if the run is recorded: the same on every rank. */
bool syn_run_start(struct syn_run *run, MPI_Comm own);

/* Let MPI_Finalize call run->at_finalize, in all languages. Returns 0 or SYN_ETRANSPORT. */
int syn_run_hook_finalize(struct syn_run *run);

#endif
