/* preload/calls/fortran/fortran_others.c - the wrappers of MPI_Comm_set_name and of the calls that
 * complete, start and free requests for Fortran (fortran_wrappers.h). All arguments are pointers,
 * except the length of a string, which comes last. A LOGICAL is only compared with 0, which is
 * .false. for all known compilers. */
#include "preload/calls/messages.h"
#include "preload/calls/requests.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/fortran.h"
#include "preload/mpi/fortran_wrappers.h"

#define FRAME() ((uintptr_t)__builtin_frame_address(0))

/* The families f and f08 differ in their names only. */
#define BOTH(X, ...) X(f, __VA_ARGS__) X(f08, __VA_ARGS__)

#define NEXT(family, name, PARAMETERS) static void(*next_##family##_##name) PARAMETERS;

/* ---- names ---- */

/* Notes the new name, which MPI has without the blanks at its end. */
static void note_name(MPI_Comm comm)
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
            note_name(syn_comm_f2c(*comm));                                                       \
    }
BOTH(SET_NAME, )

/* ---- completion ---- */

/* The wrapper of a call that completes requests [COUNT]. CALL: an id of calls.h; 0: the call does
 * not wait and has no open line. THEN: the steps after MPI's function. */
#define COMPLETING(family, name, CALL, COUNT, THEN, PARAMETERS, ARGUMENTS)                      \
    NEXT(family, name, PARAMETERS)                                                              \
    static void wrap_##family##_##name PARAMETERS                                               \
    {                                                                                           \
        struct syn_completion completion;                                                       \
        if (!syn_completion_begin(&completion, SYN_COMPLETING(CALL), COUNT, requests, statuses, \
                                  true)) {                                                      \
            SYN_MESSAGE_BEGIN(if (CALL) SYN_MESSAGE_LINE(CALL));                                \
            next_##family##_##name ARGUMENTS;                                                   \
            syn_message_end(&message);                                                          \
            return;                                                                             \
        }                                                                                       \
        SYN_NEED_RESULT(ierror);                                                                \
        statuses = completion.statuses;                                                         \
        next_##family##_##name ARGUMENTS;                                                       \
        completion.end_ticks = syn_now();                                                       \
        THEN(family);                                                                           \
    }

/* Index of the first request in mpi_f08, plus 1; 0: not found yet. In Fortran indices begin with 1.
 * But mpi_f08 of MPICH 4.0.2 returns C's indices, which begin with 0. find_f08_base finds out by a
 * call whose second request is complete. */
static int f08_base;

static void (*next_f08_waitany)(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *index, void *status,
                                MPI_Fint *ierror);

#if defined OPEN_MPI || defined SYN_MPI_IS_ABI
static int find_f08_base(void)
{
    return 1;
}
#else
static int find_f08_base(void)
{
    MPI_Request requests[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Status status;
    MPI_Fint count = 2, index = 2, ierror = MPI_SUCCESS;
    if (!next_f08_waitany || syn_pmpi.Irecv(NULL, 0, syn_mpi.byte, MPI_PROC_NULL, 0,
                                            syn_mpi.comm_self, &requests[1]) != MPI_SUCCESS)
        return 1;
    next_f08_waitany(&count, requests, &index, &status, &ierror);
    return index == 1 ? 0 : 1;
}
#endif

/* Call it within a wrapper only, so that the call of find_f08_base is not recorded. */
static int base_of_f08(void)
{
    int known = __atomic_load_n(&f08_base, __ATOMIC_RELAXED) - 1;
    if (known < 0) {
        known = find_f08_base();
        __atomic_store_n(&f08_base, known + 1, __ATOMIC_RELAXED);
    }
    return known;
}

static int base_of_f(void)
{
    return 1;
}

#define ALL(family) syn_completion_of_all(&completion, *ierror)
#define ALL_IF_FLAG(family)                          \
    if (*ierror != MPI_SUCCESS || *flag)             \
        syn_completion_of_all(&completion, *ierror); \
    else                                             \
        syn_completion_end(&completion)
#define SOME(family, count, indices) \
    syn_completion_of_some(&completion, *ierror, count, indices, base_of_##family())

BOTH(COMPLETING, wait, SYN_CALL_Wait, 1, ALL,
     (MPI_Fint * requests, void *statuses, MPI_Fint *ierror), (requests, statuses, ierror))
BOTH(COMPLETING, waitall, SYN_CALL_Waitall, *count, ALL,
     (MPI_Fint * count, MPI_Fint *requests, void *statuses, MPI_Fint *ierror),
     (count, requests, statuses, ierror))
#define ONE(family) SOME(family, 1, index)
BOTH(COMPLETING, waitany, SYN_CALL_Waitany, *count, ONE,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, void *statuses, MPI_Fint *ierror),
     (count, requests, index, statuses, ierror))
#define THOSE(family) SOME(family, *ierror == MPI_SUCCESS ? *done_count : 0, indices)
BOTH(COMPLETING, waitsome, SYN_CALL_Waitsome, *count, THOSE,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *done_count, MPI_Fint *indices, void *statuses,
      MPI_Fint *ierror),
     (count, requests, done_count, indices, statuses, ierror))
BOTH(COMPLETING, test, 0, 1, ALL_IF_FLAG,
     (MPI_Fint * requests, MPI_Fint *flag, void *statuses, MPI_Fint *ierror),
     (requests, flag, statuses, ierror))
BOTH(COMPLETING, testall, 0, *count, ALL_IF_FLAG,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *flag, void *statuses, MPI_Fint *ierror),
     (count, requests, flag, statuses, ierror))
#define ONE_IF_FLAG(family) SOME(family, *ierror == MPI_SUCCESS && *flag, index)
BOTH(COMPLETING, testany, 0, *count, ONE_IF_FLAG,
     (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *index, MPI_Fint *flag, void *statuses,
      MPI_Fint *ierror),
     (count, requests, index, flag, statuses, ierror))
BOTH(COMPLETING, testsome, 0, *count, THOSE,
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

#define STARTING(family, name, COUNT, PARAMETERS, ARGUMENTS)                  \
    NEXT(family, name, PARAMETERS)                                            \
    static void wrap_##family##_##name PARAMETERS                             \
    {                                                                         \
        struct syn_starting starting;                                         \
        if (!syn_starting_begin(&starting, COUNT, requests, FRAME(), true)) { \
            SYN_MESSAGE_BEGIN();                                              \
            next_##family##_##name ARGUMENTS;                                 \
            syn_message_end(&message);                                        \
            return;                                                           \
        }                                                                     \
        SYN_NEED_RESULT(ierror);                                              \
        next_##family##_##name ARGUMENTS;                                     \
        starting.call.end_ticks = syn_now();                                  \
        starting.call.result = *ierror;                                       \
        syn_starting_end(&starting, SYN_COMPLETING(0));                       \
    }
BOTH(STARTING, start, 1, (MPI_Fint * requests, MPI_Fint *ierror), (requests, ierror))
BOTH(STARTING, startall, *count, (MPI_Fint * count, MPI_Fint *requests, MPI_Fint *ierror),
     (count, requests, ierror))

/* ---- the table ---- */

#define WRAPPED(X)                  \
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
    WRAPPED(SYN_FORTRAN_ADD_BOTH)
    return used;
}
