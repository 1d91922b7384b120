/* preload/mpi/fortran_wrappers.c - see fortran_wrappers.h. */
#include "preload/mpi/fortran_wrappers.h"

size_t syn_fortran_add(const struct syn_host *host, struct syn_wrapper *wrappers,
                       const char *const *names, size_t count, void *next, void (*function)(void))
{
    for (size_t i = count; i-- > 0;) { /* the likeliest name comes last, so *next is its function */
        void *found = host->symbol(names[i]);
        wrappers[i] = found ? (struct syn_wrapper){names[i], function} : (struct syn_wrapper){0};
        if (found)
            __atomic_store_n((void **)next, found, __ATOMIC_RELAXED);
    }
    return count;
}
