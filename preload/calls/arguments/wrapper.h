/* preload/calls/arguments/wrapper.h - makes an entry of the table of wrappers. */
#ifndef SYN_WRAPPER_H
#define SYN_WRAPPER_H

#include "preload/entry/backend.h"

/* Returns the entry of the wrapper `function` of MPI's function `name`, and sets *next to MPI's
 * function. Returns all zeros if this MPI has no such function. */
static inline struct syn_wrapper syn_wrapper_of(const struct syn_host *host, const char *name,
                                                void *next, void (*function)(void))
{
    void *found = host->symbol(name);
    if (!found)
        return (struct syn_wrapper){0};
    __atomic_store_n((void **)next, found, __ATOMIC_RELAXED);
    return (struct syn_wrapper){name, function};
}

#endif
