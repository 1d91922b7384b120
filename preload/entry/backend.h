/* preload/entry/backend.h - the interface between libsyncopate.so and a backend, the part of the
 * recorder that is compiled for one MPI.
 *
 * libsyncopate.so is loaded into every process and does not depend on an MPI. It loads the backend
 * at the first MPI call, with RTLD_LOCAL: the backend's libraries must not define names for the
 * program. */
#ifndef SYN_BACKEND_H
#define SYN_BACKEND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Functions of the resolver (resolve.c) that a backend may call. */
struct syn_host {
    /* Returns the function that a call of `name` would reach without the recorder: a function of
     * the MPI, or of another tool. Returns NULL if there is none. */
    void *(*symbol)(const char *name);
    /* Returns the address of the variable `name`. If the program has a copy of a library's variable
     * (copy relocation), returns the copy, because all code uses that one. */
    void *(*object)(const char *name);
    /* Returns the next definition of a function that does not belong to MPI. */
    void *(*next)(const char *name);
    /* Records that the backend has seen an initialization of MPI. */
    void (*initialized)(void);
    /* syn_dispositions_hide and syn_dispositions_take (dispositions.h). */
    void (*hide_actions)(void (*hide)(int number, struct sigaction *action));
    void (*take_actions)(bool (*take)(int number, const struct sigaction *now,
                                      struct sigaction *before));
};

struct syn_wrapper {
    const char *name; /* "MPI_Bcast"; NULL: this MPI lacks the function */
    void (*function)(void);
};

/* The only function that a backend exports. Returns a static table of *count wrappers. Returns NULL
 * if this MPI lacks a function that the backend needs; *missing is then its name. Several threads
 * may call this function at once: it always stores the same values. It is called again when the
 * program first calls a function without a wrapper: more libraries of the MPI may be loaded by
 * then. */
#define SYN_BACKEND_FUNCTION "syn_backend_wrappers"
typedef const struct syn_wrapper *syn_backend_function(const struct syn_host *host, size_t *count,
                                                       const char **missing);

#endif
