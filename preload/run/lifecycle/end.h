/* preload/run/lifecycle/end.h - ends a run: from the last recorded call to complete files. */
#ifndef SYN_END_H
#define SYN_END_H

#include "preload/run/run.h"

/* Regular end: all ranks, inside MPI_Finalize. */
void syn_run_end_together(struct syn_run *run);

/* End without MPI_Finalize, and without other ranks: clock bounds stay as the measurements so far
 * give them. */
void syn_run_end_alone(const struct syn_run *run, enum syn_ending ending);

#endif
