/* preload/fortran_others.c - life cycle, names of communicators and completion as Fortran calls
 * them (fortran_wrappers.h). All arguments are pointers, but for the length of a string, which
 * comes last. LOGICAL is only ever asked whether it is 0, which is .false. to all compilers known.
 */
#include "communicators.h"
#include "fortran.h"
#include "fortran_wrappers.h"
#include "lifecycle.h"
#include "requests.h"

#define FRAME() ((uintptr_t)__builtin_frame_address(0))

/* The families f and f08 differ in their names only. */
#define BOTH(X, ...) X(f, __VA_ARGS__) X(f08, __VA_ARGS__)

#define NEXT(family, name, PARAMETERS) static void(*next_##family##_##name) PARAMETERS;

/* ---- life cycle ---- */

#define LIFECYCLE(family, ...)                                                                \
    NEXT(family, init, (MPI_Fint * ierror))                                                   \
    static void wrap_##family##_init(MPI_Fint *ierror)                                        \
    {                                                                                         \
        SYN_NEED_RESULT(ierror);                                                              \
        next_##family##_init(ierror);                                                         \
        if (*ierror == MPI_SUCCESS)                                                           \
            syn_lifecycle_begin();                                                            \
    }                                                                                         \
    NEXT(family, init_thread, (void *required, void *provided, MPI_Fint *ierror))             \
    static void wrap_##family##_init_thread(void *required, void *provided, MPI_Fint *ierror) \
    {                                                                                         \
        SYN_NEED_RESULT(ierror);                                                              \
        next_##family##_init_thread(required, provided, ierror);                              \
        if (*ierror == MPI_SUCCESS)                                                           \
            syn_lifecycle_begin();                                                            \
    }                                                                                         \
    NEXT(family, finalize, (MPI_Fint * ierror))                                               \
    static void wrap_##family##_finalize(MPI_Fint *ierror)                                    \
    {                                                                                         \
        syn_lifecycle_end();                                                                  \
        next_##family##_finalize(ierror);                                                     \
    }                                                                                         \
    NEXT(family, abort, (void *comm, void *code, MPI_Fint *ierror))                           \
    static void wrap_##family##_abort(void *comm, void *code, MPI_Fint *ierror)               \
    {                                                                                         \
        syn_lifecycle_abort();                                                                \
        next_##family##_abort(comm, code, ierror);                                            \
    }
BOTH(LIFECYCLE, )

/* ---- names ---- */

static void named(MPI_Comm comm)
{
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = 0;
    if (syn_pmpi.Comm_get_name(comm, name, &length) == MPI_SUCCESS)
        syn_comm_named(comm, name);
}

#define SET_NAME(family, ...)                                                                     \
    NEXT(family, comm_set_name,                                                                   \
         (MPI_Fint * comm, const char *name, MPI_Fint *ierror, size_t length))                    \
    static void wrap_##family##_comm_set_name(MPI_Fint *comm, const char *name, MPI_Fint *ierror, \
                                              size_t length)                                      \
    {                                                                                             \
        SYN_NEED_RESULT(ierror);                                                                  \
        next_##family##_comm_set_name(comm, name, ierror, length);                                \
        if (*ierror == MPI_SUCCESS)                                                               \
            named(syn_comm_f2c(*comm));                                                           \
    }
BOTH(SET_NAME, )

/* ---- completion ---- */

/* COMPLETING(family, name, COUNT, THEN, PARAMETERS, ARGUMENTS): `requests` [COUNT]. */
#define COMPLETING(family, name, COUNT, THEN, PARAMETERS, ARGUMENTS)              \
    NEXT(family, name, PARAMETERS)                                                \
    static void wrap_##family##_##name PARAMETERS                                 \
    {                                                                             \
        struct syn_completion completion;                                         \
        if (syn_requests_none() ||                                                \
            !syn_completion_begin(&completion, FRAME(), COUNT, requests, true)) { \
            next_##family##_##name ARGUMENTS;                                     \
            return;                                                               \
        }                                                                         \
        SYN_NEED_RESULT(ierror);                                                  \
        next_##family##_##name ARGUMENTS;                                         \
        completion.end_ticks = syn_now();                                         \
        THEN;                                                                     \
    }

#define ALL syn_completion_of_all(&completion, *ierror)
#define ALL_IF_FLAG                                  \
    if (*ierror != MPI_SUCCESS || *flag)             \
        syn_completion_of_all(&completion, *ierror); \
    else                                             \
        syn_completion_end(&completion)
/* Fortran counts from 1. */
#define SOME(count, indices) syn_completion_of_some(&completion, *ierror, count, indices, 1)

BOTH(COMPLETING, wait, 1, ALL, (MPI_Fint * requests, void *status, MPI_Fint *ierror),
     (requests, status, ierror))
BOTH(COMPLETING, waitall, *count, ALL,
     (MPI_Fint * count, MPI_Fint *requests, void *statuses, MPI_Fint *ierror),
     (count, requests, statuses, ierror))
BOTH(COMPLETING, waitany, *count, SOME(1, index),
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, void *status, MPI_Fint *ierror),
     (count, requests, index, status, ierror))
BOTH(COMPLETING, waitsome, *count, SOME(*done_count, indices),
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *done_count, MPI_Fint *indices, void *statuses,
      MPI_Fint *ierror),
     (count, requests, done_count, indices, statuses, ierror))
BOTH(COMPLETING, test, 1, ALL_IF_FLAG,
     (MPI_Fint * requests, MPI_Fint *flag, void *status, MPI_Fint *ierror),
     (requests, flag, status, ierror))
BOTH(COMPLETING, testall, *count, ALL_IF_FLAG,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *flag, void *statuses, MPI_Fint *ierror),
     (count, requests, flag, statuses, ierror))
BOTH(COMPLETING, testany, *count, SOME(*flag ? 1 : 0, index),
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, void *status,
      MPI_Fint *ierror),
     (count, requests, index, flag, status, ierror))
BOTH(COMPLETING, testsome, *count, SOME(*done_count, indices),
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *done_count, MPI_Fint *indices, void *statuses,
      MPI_Fint *ierror),
     (count, requests, done_count, indices, statuses, ierror))

#define REQUEST_FREE(family, ...)                                                  \
    NEXT(family, request_free, (MPI_Fint * request, MPI_Fint * ierror))            \
    static void wrap_##family##_request_free(MPI_Fint *request, MPI_Fint *ierror)  \
    {                                                                              \
        struct syn_thread *self = syn_requests_none() ? NULL : syn_enter(FRAME()); \
        if (!self) {                                                               \
            next_##family##_request_free(request, ierror);                         \
            return;                                                                \
        }                                                                          \
        SYN_NEED_RESULT(ierror);                                                   \
        const MPI_Request handle = syn_request_f2c(*request);                      \
        next_##family##_request_free(request, ierror);                             \
        if (*ierror == MPI_SUCCESS)                                                \
            syn_request_freed(self, handle);                                       \
        syn_leave(self);                                                           \
    }
BOTH(REQUEST_FREE, )

#define STARTING(family, name, COUNT, PARAMETERS, ARGUMENTS)                       \
    NEXT(family, name, PARAMETERS)                                                 \
    static void wrap_##family##_##name PARAMETERS                                  \
    {                                                                              \
        struct syn_thread *self = syn_requests_none() ? NULL : syn_enter(FRAME()); \
        if (!self) {                                                               \
            next_##family##_##name ARGUMENTS;                                      \
            return;                                                                \
        }                                                                          \
        SYN_NEED_RESULT(ierror);                                                   \
        struct syn_call call = SYN_CALL_BEGIN(self);                               \
        next_##family##_##name ARGUMENTS;                                          \
        call.end_ticks = syn_now();                                                \
        if (*ierror == MPI_SUCCESS)                                                \
            syn_requests_started(&call, COUNT, requests, true);                    \
        syn_leave(self);                                                           \
    }
BOTH(STARTING, start, 1, (MPI_Fint * requests, MPI_Fint *ierror), (requests, ierror))
BOTH(STARTING, startall, *count, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *ierror),
     (count, requests, ierror))

/* ---- the table ---- */

#define WRAPPED(X)                  \
    X(init, INIT)                   \
    X(init_thread, INIT_THREAD)     \
    X(finalize, FINALIZE)           \
    X(abort, ABORT)                 \
    X(comm_set_name, COMM_SET_NAME) \
    X(wait, WAIT)                   \
    X(waitall, WAITALL)             \
    X(waitany, WAITANY)             \
    X(waitsome, WAITSOME)           \
    X(test, TEST)                   \
    X(testall, TESTALL)             \
    X(testany, TESTANY)             \
    X(testsome, TESTSOME)           \
    X(request_free, REQUEST_FREE)   \
    X(start, START)                 \
    X(startall, STARTALL)

size_t syn_fortran_others_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
#define ADD(member, ...)                                                                    \
    {                                                                                       \
        static const char *const names[] = __VA_ARGS__;                                     \
        used += syn_fortran_add(host, wrappers + used, names, sizeof names / sizeof *names, \
                                &next_##member, (void (*)(void))wrap_##member);             \
    }
#define ADD_BOTH(name, NAME)                                 \
    ADD(f_##name, SYN_SPELLINGS("mpi_" #name, "MPI_" #NAME)) \
    ADD(f08_##name, {"mpi_" #name "_f08_"})
    WRAPPED(ADD_BOTH)
    return used;
}
