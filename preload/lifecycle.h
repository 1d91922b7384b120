/* preload/lifecycle.h - the wrappers of MPI_Init, MPI_Finalize and MPI_Abort: where recording
 * begins and ends. */
#ifndef SYN_LIFECYCLE_H
#define SYN_LIFECYCLE_H

#include <stdbool.h>
#include <stddef.h>

#include "backend.h"

#define SYN_LIFECYCLE_WRAPPERS 4

/* What they do besides calling MPI, for those of other languages: after a successful
 * initialization, before MPI_Finalize, before MPI_Abort. Each is harmless a second time. */
void syn_lifecycle_begin(void);
void syn_lifecycle_end(void);
void syn_lifecycle_abort(void);

/* Has MPI_Init been seen, whether the run is recorded or not? */
bool syn_lifecycle_began(void);

/* Put them at wrappers [SYN_LIFECYCLE_WRAPPERS]. Returns how many. */
size_t syn_lifecycle_add(struct syn_wrapper *wrappers);

#endif
