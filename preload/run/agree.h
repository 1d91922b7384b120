/* preload/run/agree.h - agreement of all ranks, at the start and at the end of a run. At the start:
 * record on all ranks or on none, since the others would wait for a missing rank in clock
 * synchronization. */
#ifndef SYN_AGREE_H
#define SYN_AGREE_H

#include <stdint.h>

#include "preload/run/run.h"

/* Outcome of one rank, or of all. Sent as bytes: no pointers. */
struct syn_outcome {
    int32_t status;
    int32_t rank; /* lowest rank that has `status` */
    uint64_t event_count;
    uint64_t bytes;
    uint64_t lost_count;   /* lost calls */
    int32_t written_count; /* ranks with a complete file */
    int32_t memory_only;   /* ranks that kept events in memory against the user's wish */
    int64_t begin_ns;      /* global time of the first return from MPI_Init */
    int64_t end_ns;        /* global time of the last entry of MPI_Finalize */
};

/* Combine the outcomes of all ranks; same result on every rank: worst status with its lowest rank,
 * first begin, latest end, sums of the rest. Status SYN_ETRANSPORT if MPI failed. */
struct syn_outcome syn_run_exchange(const struct syn_run *run, struct syn_outcome own);

/* Combine the outcomes like syn_run_exchange. On failure the lowest rank with the worst status
 * prints `why`. */
struct syn_outcome syn_run_settle(const struct syn_run *run, struct syn_outcome own,
                                  const char *why);
/* Agree on a status: returns the worst one on every rank, reported like that. */
int syn_run_agree(const struct syn_run *run, int status, const char *why);

void syn_run_say_unrecorded(const struct syn_run *run, const char *why);

#endif
