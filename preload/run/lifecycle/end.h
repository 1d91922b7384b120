/* preload/run/lifecycle/end.h - from the last call that is recorded to files that are whole. */
#ifndef SYN_END_H
#define SYN_END_H

#include "preload/run/run.h"

/* The regular end: inside MPI_Finalize, all ranks. */
void syn_run_end_together(struct syn_run *run);

/* The end without MPI_Finalize: no other rank can be asked, so the clocks stay as they were
 * measured at the start. */
void syn_run_end_alone(const struct syn_run *run, enum syn_ending ending);

#endif
