/* preload/comms/world_ranks.h - the members of a group as ranks in MPI_COMM_WORLD: each list kept
 * once, however many communicators have it. One thread at a time: under the lock of
 * communicators.c. */
#ifndef SYN_WORLD_RANKS_H
#define SYN_WORLD_RANKS_H

#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "trace/base/rank_lists.h"

/* The group of `all`: the run's processes in the order of MPI_COMM_WORLD, or of mpi://WORLD where a
 * program has sessions alone. Give it back before MPI is finalized. Returns 0 or SYN_ETRANSPORT. */
int syn_ranks_start(MPI_Comm all);
void syn_ranks_stop(void);
/* The list of `group`, which it frees. NULL where memory is short or MPI refuses. Release it. */
struct syn_ranks *syn_ranks_of(MPI_Group group);
/* Another reference to the same. */
struct syn_ranks *syn_ranks_share(struct syn_ranks *ranks);
/* NULL is fine. */
void syn_ranks_release(struct syn_ranks *ranks);

/* "rank 3", "ranks 0-3", "ranks 0,2,5", "ranks 9,7,1,2,8,3,... (40)". Returns as snprintf does. */
int syn_ranks_text(const struct syn_ranks *ranks, char *text, size_t bytes);

#endif
