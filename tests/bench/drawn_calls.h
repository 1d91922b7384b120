/* tests/bench/drawn_calls.h - calls of which nonblocking collectives overlap in every way that MPI
 * allows: on communicators that contain one another, begun in another order on other ranks,
 * completed one by one, several by one call, or never. For make_trace drawn=1. */
#ifndef SYN_DRAWN_CALLS_H
#define SYN_DRAWN_CALLS_H

#include <stdint.h>

#include "trace/base/event.h"

#define DRAWN_RANKS_MOST 16

/* Communicators of a rank by index: all, those of its parity, of its half, all once more, all but
 * the last rank. */
#define DRAWN_COMMS 5
/* A call stack leads to one operation. */
#define DRAWN_STACKS 12

/* Returns the color of a rank in a split, which selects its communicator; -1 if the rank is in
 * none. */
int drawn_color(uint32_t comm, int rank, int rank_count);

struct drawn_plan {
    int rank_count;
    uint64_t calls, seed;          /* calls: in the schedule, each of which is one of every color */
    double median_ns, messages_ns; /* of an operation; before a call */
    double blocking_share;
};

/* A call, in the order of the rank's; `messages_ns` before it, `wait_messages_ns` before the call
 * that completes it. */
typedef void drawn_write(void *context, int rank, const struct syn_event *event,
                         int64_t messages_ns, int64_t wait_messages_ns);

/* Returns when the last rank ends; -1: no memory. */
int64_t drawn_calls(const struct drawn_plan *plan, drawn_write *write, void *context);

#endif
