/* preload/entry/which_mpi.h - which of the ABIs that backends are compiled for does this process's
 * MPI have?
 *
 * Asked before MPI is initialized, by nothing that an ABI could make fail: names of libraries and
 * symbols, and functions without handles. What is not known is refused, never guessed, for a
 * backend that takes handles for what they are not crashes the program. */
#ifndef SYN_WHICH_MPI_H
#define SYN_WHICH_MPI_H

#include <stddef.h>

#include "preload/entry/backend.h"

/* The name of the backend: "openmpi", "mpich", "abi"; or NULL, and in `why` [why_bytes] the reason
 * in words. */
const char *syn_which_mpi(const struct syn_host *host, char *why, size_t why_bytes);

#endif
