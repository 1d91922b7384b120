/* preload/recorder/stacks/within.h - tells calls that MPI makes within a wrapper from calls after a
 * jump out of it.
 *
 * An error handler may leave a call of MPI by longjmp or an exception. The wrapper does not notice.
 * A later call from deeper on the stack looks as if MPI made it, until the stack is walked. */
#ifndef SYN_WITHIN_H
#define SYN_WITHIN_H

#include <stdbool.h>
#include <stdint.h>

/* A way of one step from a wrapper to the wrapper around it. Where MPI makes the same call again,
 * the stack has the same words at the same distances. */
struct syn_within {
    uintptr_t caller;    /* return address of the inner wrapper, in MPI */
    uintptr_t address;   /* return address of MPI's function, in the outer wrapper */
    uint32_t distance;   /* from the inner wrapper's frame address to the outer one's */
    uint16_t address_at; /* places of words, from the inner wrapper's frame address: `address`, */
    uint16_t pointer_at; /* and the outer wrapper's frame address */
};
/* Must be a power of two. MPICH's functions for Fortran call those for C. */
#define SYN_WITHINS 32

/* Returns true if the wrapper with frame address `outer` has been left: the wrapper with frame
 * address `frame`, which is lower, was not called from within it. Returns false if that is unknown.
 * `known` [SYN_WITHINS] is a table of the calling thread, at first all zeros.
 * RATIONALE: a call from another stack (a coroutine) counts as not called from within. If an MPI
 * switches stacks while it waits, the call is the program's. */
bool syn_wrapper_was_left(struct syn_within *known, uintptr_t outer, uintptr_t frame);

#endif
