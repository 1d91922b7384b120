/* preload/run/lifecycle/start.h - from MPI_Init to the first call that is recorded. */
#ifndef SYN_START_H
#define SYN_START_H

#include "preload/run/run.h"

/* After MPI's own initialization, on every rank. `own` is a communicator of ours of all ranks,
 * which is taken; null: one is made. Fills the run, but `of_sessions` and `at_finalize`. Returns
 * whether it is recorded, the same on every rank. */
bool syn_run_start(struct syn_run *run, MPI_Comm own);

/* run->at_finalize is called in MPI_Finalize, whatever language calls that. */
int syn_run_hook_finalize(struct syn_run *run);

#endif
