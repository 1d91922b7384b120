/* preload/run/lifecycle/fortran_lifecycle.c - wrappers of start and end for Fortran
 * (fortran_wrappers.h). All arguments are pointers. */
#include "preload/calls/messages.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"
#include "preload/run/lifecycle/lifecycle.h"

#define NEXT(family, name, PARAMETERS) static void(*next_##family##_##name) PARAMETERS;

#define LIFECYCLE(family, ...)                                                                \
    NEXT(family, init, (MPI_Fint * ierror))                                                   \
    static void wrap_##family##_init(MPI_Fint *ierror)                                        \
    {                                                                                         \
        SYN_NEED_RESULT(ierror);                                                              \
        syn_lifecycle_prepare();                                                              \
        next_##family##_init(ierror);                                                         \
        syn_lifecycle_initialized(*ierror);                                                   \
    }                                                                                         \
    NEXT(family, init_thread, (void *required, void *provided, MPI_Fint *ierror))             \
    static void wrap_##family##_init_thread(void *required, void *provided, MPI_Fint *ierror) \
    {                                                                                         \
        SYN_NEED_RESULT(ierror);                                                              \
        syn_lifecycle_prepare();                                                              \
        next_##family##_init_thread(required, provided, ierror);                              \
        syn_lifecycle_initialized(*ierror);                                                   \
    }                                                                                         \
    NEXT(family, finalize, (MPI_Fint * ierror))                                               \
    static void wrap_##family##_finalize(MPI_Fint *ierror)                                    \
    {                                                                                         \
        SYN_OPEN_FINALIZE(SYN_CALL_Finalize);                                                 \
        next_##family##_finalize(ierror);                                                     \
        syn_lifecycle_finalized();                                                            \
    }                                                                                         \
    NEXT(family, abort, (void *comm, void *code, MPI_Fint *ierror))                           \
    static void wrap_##family##_abort(void *comm, void *code, MPI_Fint *ierror)               \
    {                                                                                         \
        syn_lifecycle_abort();                                                                \
        next_##family##_abort(comm, code, ierror);                                            \
    }
/* One family for mpif.h and mpi, one for mpi_f08: they differ only in names. */
LIFECYCLE(f, )
LIFECYCLE(f08, )

#define WRAPPED(X)              \
    X(init, INIT)               \
    X(init_thread, INIT_THREAD) \
    X(finalize, FINALIZE)       \
    X(abort, ABORT)

size_t syn_fortran_lifecycle_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
    WRAPPED(SYN_FORTRAN_ADD_BOTH)
    return used;
}
