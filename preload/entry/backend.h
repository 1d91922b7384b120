/* preload/entry/backend.h - the interface between libsyncopate.so and the part compiled for one
 * MPI.
 *
 * libsyncopate.so is loaded into every process and knows no MPI. The backend is loaded at the first
 * MPI call, privately (RTLD_LOCAL), because the libraries it needs must not come between the
 * program and its own. */
#ifndef SYN_BACKEND_H
#define SYN_BACKEND_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>

/* Functions that the resolver offers to a backend. */
struct syn_host {
    /* The function of the process's MPI that a call of `name` would reach without us, perhaps
     * another tool's; NULL if there is none. */
    void *(*symbol)(const char *name);
    /* The object that the program means by `name`: a program may hold a copy of a library's
     * variable, which then is the only one that counts. */
    void *(*object)(const char *name);
    /* The next definition of a function that is not MPI's. */
    void *(*next)(const char *name);
    /* The backend has seen MPI being initialized. */
    void (*initialized)(void);
    /* See dispositions.h. */
    void (*hide_actions)(void (*hide)(int number, struct sigaction *action));
    void (*take_actions)(bool (*take)(int number, const struct sigaction *now,
                                      struct sigaction *before));
};

struct syn_wrapper {
    const char *name; /* "MPI_Bcast"; NULL: this MPI has none of it */
    void (*function)(void);
};

/* The one function that a backend exports. Returns a static table of *count wrappers, or NULL with
 * *missing the name of a function that this MPI lacks. Any number of threads may call it at once:
 * it only ever stores the same values. Called again where the program reaches a function that it
 * had none for: by then more of the MPI may be loaded. */
#define SYN_BACKEND_FUNCTION "syn_backend_wrappers"
typedef const struct syn_wrapper *syn_backend_function(const struct syn_host *host, size_t *count,
                                                       const char **missing);

#endif
