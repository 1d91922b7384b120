/* preload/run/agree.h - all ranks decide together whether they record: one that cannot would leave
 * the others waiting for its clock. */
#ifndef SYN_AGREE_H
#define SYN_AGREE_H

#include <stdint.h>

#include "preload/run/run.h"

/* How one rank fared; what rank 0 makes of all of them. No pointers in here. */
struct syn_outcome {
    int32_t status;
    int32_t rank; /* who speaks for the status */
    uint64_t event_count;
    uint64_t bytes;
    uint64_t lost_count;   /* calls */
    int32_t written_count; /* ranks whose events are in files that are whole */
    int32_t homeless;      /* ranks whose events a file was to hold, and does not */
    int64_t begin_ns;      /* global: the first rank's return of MPI_Init, */
    int64_t end_ns;        /*   and the last rank's entry of MPI_Finalize */
};

/* All ranks' outcomes as one, the same on every rank: the worst status and the lowest rank that has
 * it, the first begin, the latest end, the sums of the rest. SYN_ETRANSPORT in it where MPI failed.
 */
struct syn_outcome syn_run_exchange(const struct syn_run *run, struct syn_outcome own);

/* All ranks' outcomes. Where one has failed, the lowest rank with the worst status says why, in one
 * line for the run. */
struct syn_outcome syn_run_settle(const struct syn_run *run, struct syn_outcome own,
                                  const char *why);
/* The worst of all ranks' statuses, settled like that. */
int syn_run_agree(const struct syn_run *run, int status, const char *why);

void syn_run_say_unrecorded(const struct syn_run *run, const char *why);

#endif
