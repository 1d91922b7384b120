/* preload/calls/empty_call.h - the cost of a wrapper by itself: measured at the program's start,
 * with a function that does nothing in the place of MPI's. Leaves nothing in the trace. */
#ifndef SYN_EMPTY_CALL_H
#define SYN_EMPTY_CALL_H

#include <stdbool.h>

/* Nanoseconds, medians over repetitions. A program whose own data fill the caches pays more. */
struct syn_empty_call {
    double call_ns;  /* added to a call, without a call stack */
    double stack_ns; /*   and for a stack that is known, as deep as MPI_Init was called; 0: none */
    double
        interval_ns; /* of call_ns, what lies between the two clock reads: part of any duration */
};

/* By the thread that called MPI_Init, once the recorder runs: 0.5 ms, or `brief` (0.2 ms). Returns
 * false where nothing could be measured (this rank does not record; no memory). */
bool syn_empty_call_measure(bool brief, struct syn_empty_call *out);

#endif
