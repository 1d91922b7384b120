/* preload/run/lifecycle/sessions.c - see sessions.h. */
#include "preload/run/lifecycle/sessions.h"

#include <stdbool.h>

#include <mpi.h>

#include "preload/base/say.h"
#include "preload/calls/messages.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/fortran_wrappers.h"
#include "preload/mpi/pmpi.h"
#include "preload/run/lifecycle/first_wait.h"
#include "preload/run/lifecycle/lifecycle.h"

/* RATIONALE: the MPI is asked for sessions when the program runs. Open MPI 5 has them although its
 * mpi.h says MPI 3, and a library compiled with an older mpi.h serves it too. So only the type of
 * the handle is needed here, which no MPI has changed. */
#if MPI_VERSION >= 4
typedef MPI_Session session_handle;
#elif defined OPEN_MPI
typedef struct ompi_instance_t *session_handle;
#else
typedef int session_handle;
#endif

static void (*next_f_init)(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
static void (*next_f_finalize)(MPI_Fint *, MPI_Fint *);
static void (*next_f08_init)(MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
static void (*next_f08_finalize)(MPI_Fint *, MPI_Fint *);
/* The MPI's own functions, or NULL; set before any wrapper of this file is called. */
static struct {
    int (*init)(MPI_Info, MPI_Errhandler, session_handle *);
    int (*finalize)(session_handle *);
    int (*group_from_pset)(session_handle, const char *, MPI_Group *);
    session_handle (*from_fortran)(MPI_Fint); /* if handles in C are pointers */
} next;

/* All atomic: any thread may open a session. */
static struct {
    int process_count, own_rank; /* size of and rank in mpi://WORLD; 0 processes: unknown */
    int open_count;
} sessions;
/* This thread is in a Fortran function, which may call the C one. */
static __thread bool inside __attribute__((tls_model("initial-exec")));

/* ---- start ---- */

static void session_opened(session_handle session)
{
    MPI_Group all;
    int size = 0, rank = 0;
    __atomic_add_fetch(&sessions.open_count, 1, __ATOMIC_ACQ_REL);
    if (__atomic_load_n(&sessions.process_count, __ATOMIC_ACQUIRE) > 0 || !session ||
        !next.group_from_pset || next.group_from_pset(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return;
    if (!syn_pmpi.Group_size(all, &size) && !syn_pmpi.Group_rank(all, &rank)) {
        __atomic_store_n(&sessions.own_rank, rank, __ATOMIC_RELAXED);
        __atomic_store_n(&sessions.process_count, size, __ATOMIC_RELEASE);
    }
    syn_pmpi.Group_free(&all);
}

/* Makes our communicator from the program's communicator `made`, if that has all processes; else
 * returns MPI_COMM_NULL. RATIONALE: MPI_Comm_split orders the ranks as in mpi://WORLD, whatever
 * their order in `made`. It is our first collective call, so all processes must be recorded. */
static MPI_Comm split_own(MPI_Comm made)
{
    MPI_Comm own = syn_mpi.comm_null;
    int is_inter = 1, size = 0;
    if (syn_pmpi.Comm_test_inter(made, &is_inter) || is_inter || syn_pmpi.Comm_size(made, &size) ||
        size != __atomic_load_n(&sessions.process_count, __ATOMIC_ACQUIRE) ||
        !syn_lifecycle_admits(__atomic_load_n(&sessions.process_count, __ATOMIC_ACQUIRE)))
        return own;
    if (syn_pmpi.Comm_split(made, 0, __atomic_load_n(&sessions.own_rank, __ATOMIC_RELAXED), &own))
        own = syn_mpi.comm_null;
    syn_first_wait_over(); /* all processes have taken part */
    return own;
}

static void communicator_made(uintptr_t key, const struct syn_origin *origin)
{
    const MPI_Comm made = (MPI_Comm)key;
    if (inside || syn_lifecycle_began() || made == syn_mpi.comm_null)
        return;
    const MPI_Comm own = split_own(made);
    if (own != syn_mpi.comm_null && syn_lifecycle_begin_sessions(own))
        syn_comm_made(key, NULL, origin);
}

/* ---- end ---- */

/* Called before MPI_Session_finalize. RATIONALE: the last one may wait for the other processes, and
 * does so in MPICH. */
static void before_finalize(void)
{
    if (__atomic_sub_fetch(&sessions.open_count, 1, __ATOMIC_ACQ_REL) == 0)
        syn_lifecycle_end_sessions();
}

static void after_finalize(int result)
{
    syn_open_finalize_over();
    if (result != MPI_SUCCESS)
        __atomic_add_fetch(&sessions.open_count, 1, __ATOMIC_ACQ_REL);
    else if (__atomic_load_n(&sessions.open_count, __ATOMIC_ACQUIRE) == 0 &&
             !syn_lifecycle_began() && sessions.own_rank == 0)
        syn_say(SYN_SAY_FAILURE, "a program of MPI Sessions that makes no communicator of all its "
                                 "processes is not recorded");
}

/* ---- the wrappers ---- */

/* Prepares for a run. The attendance stays registered even if the session is finalized, since other
 * processes may have registered meanwhile. */
static void prepare(void)
{
    if (!syn_lifecycle_began())
        syn_lifecycle_prepare();
}

static int wrap_init(MPI_Info info, MPI_Errhandler handler, session_handle *session)
{
    if (!inside)
        prepare();
    const int result = next.init(info, handler, session);
    if (result == MPI_SUCCESS && !inside)
        session_opened(*session);
    return result;
}

static int wrap_finalize(session_handle *session)
{
    if (inside)
        return next.finalize(session);
    SYN_OPEN_FINALIZE(SYN_CALL_Session_finalize);
    before_finalize();
    const int result = next.finalize(session);
    after_finalize(result);
    return result;
}

/* Conversion from Fortran. MPICH uses one number in all languages; elsewhere a C handle is a
 * pointer. */
#if defined OPEN_MPI || defined SYN_MPI_IS_ABI
static session_handle handle_of(MPI_Fint session)
{
    return next.from_fortran ? next.from_fortran(session) : NULL;
}

static void load_conversion(const struct syn_host *host)
{
#ifdef OPEN_MPI
    void *found = host->symbol("PMPI_Session_f2c");
#else
    void *found = host->symbol("PMPI_Session_fromint");
#endif
    __atomic_store_n((void **)(void *)&next.from_fortran, found, __ATOMIC_RELAXED);
}
#else
static session_handle handle_of(MPI_Fint session)
{
    return session;
}

static void load_conversion(const struct syn_host *host)
{
    (void)host;
}
#endif

#define FORTRAN(family)                                                                    \
    static void wrap_##family##_init(MPI_Fint *info, MPI_Fint *handler, MPI_Fint *session, \
                                     MPI_Fint *ierror)                                     \
    {                                                                                      \
        SYN_NEED_RESULT(ierror);                                                           \
        prepare();                                                                         \
        inside = true;                                                                     \
        next_##family##_init(info, handler, session, ierror);                              \
        inside = false;                                                                    \
        if (*ierror == MPI_SUCCESS)                                                        \
            session_opened(handle_of(*session));                                           \
    }                                                                                      \
    static void wrap_##family##_finalize(MPI_Fint *session, MPI_Fint *ierror)              \
    {                                                                                      \
        SYN_NEED_RESULT(ierror);                                                           \
        SYN_OPEN_FINALIZE(SYN_CALL_Session_finalize);                                      \
        before_finalize();                                                                 \
        inside = true;                                                                     \
        next_##family##_finalize(session, ierror);                                         \
        inside = false;                                                                    \
        after_finalize(*ierror);                                                           \
    }
FORTRAN(f)
FORTRAN(f08)

static size_t add_fortran(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    size_t used = 0;
    SYN_FORTRAN_ADD(f_init, SYN_SPELLINGS("mpi_session_init", "MPI_SESSION_INIT"))
    SYN_FORTRAN_ADD(f_finalize, SYN_SPELLINGS("mpi_session_finalize", "MPI_SESSION_FINALIZE"))
    SYN_FORTRAN_ADD(f08_init, {"mpi_session_init_f08_"})
    SYN_FORTRAN_ADD(f08_finalize, {"mpi_session_finalize_f08_"})
    return used;
}

size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    void *init = host->symbol("MPI_Session_init"), *finalize = host->symbol("MPI_Session_finalize");
    for (size_t i = 0; i < SYN_SESSION_WRAPPERS; i++)
        wrappers[i] = (struct syn_wrapper){0};
    if (!init || !finalize)
        return SYN_SESSION_WRAPPERS;
    __atomic_store_n((void **)(void *)&next.init, init, __ATOMIC_RELAXED);
    __atomic_store_n((void **)(void *)&next.finalize, finalize, __ATOMIC_RELAXED);
    __atomic_store_n((void **)(void *)&next.group_from_pset,
                     host->symbol("PMPI_Group_from_session_pset"), __ATOMIC_RELAXED);
    __atomic_store_n(&syn_comm_made_unrecorded, communicator_made, __ATOMIC_RELAXED);
    load_conversion(host);
#if MPI_VERSION >= 4
    _Static_assert(
        __builtin_types_compatible_p(__typeof__(&MPI_Session_init), __typeof__(&wrap_init)) &&
            __builtin_types_compatible_p(__typeof__(&MPI_Session_finalize),
                                         __typeof__(&wrap_finalize)),
        "sessions");
#endif
    wrappers[0] = (struct syn_wrapper){"MPI_Session_init", (void (*)(void))wrap_init};
    wrappers[1] = (struct syn_wrapper){"MPI_Session_finalize", (void (*)(void))wrap_finalize};
    add_fortran(host, wrappers + 2);
    return SYN_SESSION_WRAPPERS;
}
