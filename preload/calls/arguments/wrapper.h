/* preload/calls/arguments/wrapper.h - a wrapper, where the MPI found has what it stands in for. */
#ifndef SYN_WRAPPER_H
#define SYN_WRAPPER_H

#include "preload/entry/backend.h"

/* All zero where the MPI has no function of that name; else *next, through which the wrapper calls
 * it, is set. */
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
