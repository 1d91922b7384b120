/* tests/bench/message_calls.h - programs whose ranks meet in messages, for make_trace program=N:
 *
 *     1   a halo: each rank receives from both neighbours and sends to both, nonblocking, one call
 *         completes the four; a rank may be late
 *     2   a pipeline: each rank receives from the one before, works and sends to the next, blocking
 *     3   a master: rank 0 receives from anybody and answers; the others send and wait
 *
 * Every 64 steps, and at the end, all ranks meet in an MPI_Allreduce if the plan says so. */
#ifndef SYN_MESSAGE_CALLS_H
#define SYN_MESSAGE_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/event.h"

struct message_plan {
    int program, rank_count;
    uint64_t steps, seed, bytes;
    int late;   /* rank; -1: none */
    bool meets; /* in collectives, too */
    double work_ns, late_ns, transfer_ns;
    int64_t begin_ns;
};

/* An event, in the order in which its rank completes them. */
typedef void message_write(void *context, int rank, const struct syn_event *event);

/* Returns when the last rank ends; -1: no memory. */
int64_t message_calls(const struct message_plan *plan, message_write *write, void *context);

#endif
