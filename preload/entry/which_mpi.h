/* preload/entry/which_mpi.h - selects the backend for the ABI of this process's MPI.
 *
 * The selection happens before MPI is initialized. It uses only facts that are safe with any ABI:
 * names of libraries and symbols, and functions without handles. An unknown MPI is refused, because
 * a backend that misinterprets handles crashes the program. */
#ifndef SYN_WHICH_MPI_H
#define SYN_WHICH_MPI_H

#include <stddef.h>

#include "preload/entry/backend.h"

/* Returns the name of the backend: "openmpi", "mpich" or "abi". Returns NULL if there is none;
 * `why` [why_bytes] then holds the reason as text. */
const char *syn_which_mpi(const struct syn_host *host, char *why, size_t why_bytes);

#endif
