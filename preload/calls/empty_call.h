/* preload/calls/empty_call.h - measures the overhead of a wrapper when recording starts. A wrapper
 * calls a function that does nothing in place of MPI's. The calls leave nothing in the trace. */
#ifndef SYN_EMPTY_CALL_H
#define SYN_EMPTY_CALL_H

#include <stdbool.h>

/* Medians over repetitions. The overhead is larger in a program whose own data fill the caches. */
struct syn_empty_call {
    double call_ns;     /* overhead of a call, without a call stack */
    double stack_ns;    /* overhead of a call stack that is in the cache, as deep as the call of
                           MPI_Init; 0: stacks are off */
    double interval_ns; /* the part of call_ns between the two clock reads: every recorded duration
                           contains it */
};

/* Measures for 0.5 ms, or 0.2 ms if `brief`. The caller is the thread that called MPI_Init, after
 * the recorder has started. Returns false without memory, or if this rank does not record. */
bool syn_empty_call_measure(bool brief, struct syn_empty_call *out);

#endif
