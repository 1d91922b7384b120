/* preload/comms/errors.h - calls of our own never end the program.
 *
 * MPI hands an error to the handler of the object that it was met on, which by default ends the
 * program: for our calls that must not be. Around those that could fail, the object's handler is
 * MPI_ERRORS_RETURN (docs/injection.md, "Our own calls"). Nothing is allocated; a handler that the
 * program sets meanwhile in another thread stays. */
#ifndef SYN_ERRORS_H
#define SYN_ERRORS_H

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

/* One object's handler, put aside. */
struct syn_errors {
    uintptr_t key; /* communicators.h */
    MPI_Errhandler former;
    bool held;
};

/* Errors on the communicator, window or file of `key` are returned to us from here on, until
 * released. The object must be valid. One holder at a time: under the lock of communicators.c, or
 * while no other thread can be in MPI. */
void syn_errors_hold(uintptr_t key, struct syn_errors *errors);
void syn_errors_release(struct syn_errors *errors);

/* The same for calls that belong to no object: MPI takes the handler of MPI_COMM_WORLD or of
 * MPI_COMM_SELF for them, each in some version. For the start and the end only. */
struct syn_errors_everywhere {
    struct syn_errors world, self;
};
void syn_errors_hold_everywhere(struct syn_errors_everywhere *errors);
void syn_errors_release_everywhere(struct syn_errors_everywhere *errors);

#endif
