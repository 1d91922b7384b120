/* preload/comms/world_ranks.h - the members of a group as a list of ranks in MPI_COMM_WORLD. Equal
 * lists are stored once. The callers hold the lock of communicators.c. */
#ifndef SYN_WORLD_RANKS_H
#define SYN_WORLD_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "trace/base/rank_lists.h"

/* Takes the group of `all`: the run's processes in the order of MPI_COMM_WORLD, or of mpi://WORLD
 * in a program that uses sessions only. Call syn_ranks_stop before MPI is finalized. Returns 0 or
 * SYN_ETRANSPORT. */
int syn_ranks_start(MPI_Comm all);
void syn_ranks_stop(void);
/* Returns a new reference to the list of `group`, and frees `group`. A process of another world has
 * the rank -1. NULL without memory or after an error of MPI. */
struct syn_ranks *syn_ranks_of(MPI_Group group);
/* Add and drop a reference. Both accept NULL. _share returns its argument. */
struct syn_ranks *syn_ranks_share(struct syn_ranks *ranks);
void syn_ranks_release(struct syn_ranks *ranks);

/* Writes "rank 3", "ranks 0-3", "ranks 0,2,5" or "ranks 9,7,1,2,8,3,... (40)". Returns the length,
 * as snprintf does. */
int syn_ranks_text(const struct syn_ranks *ranks, char *text, size_t bytes);

#endif
