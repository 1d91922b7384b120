/* preload/entry/which_mpi.h - selects the backend whose ABI this process's MPI has.
 *
 * Asked before MPI is initialized, by nothing that an ABI could make fail: names of libraries and
 * symbols, and functions without handles. An unknown MPI is refused, never guessed: a backend that
 * misunderstands handles crashes the program. */
#ifndef SYN_WHICH_MPI_H
#define SYN_WHICH_MPI_H

#include <stddef.h>

#include "preload/entry/backend.h"

/* The name of the backend: "openmpi", "mpich", "abi"; or NULL, and in `why` [why_bytes] the reason
 * in words. */
const char *syn_which_mpi(const struct syn_host *host, char *why, size_t why_bytes);

#endif
