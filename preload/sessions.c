/* preload/sessions.c - see sessions.h. Such a program has no MPI_COMM_WORLD, and no call at which
 * all of its processes begin or end together: the clocks could not be compared. */
#include "sessions.h"

#include <stdbool.h>
#include <stdint.h>

#include <mpi.h>

#include "lifecycle.h"
#include "pmpi.h"
#include "say.h"

#if MPI_VERSION >= 4

static __typeof__(&MPI_Session_init) next_init;
static __typeof__(&MPI_Session_finalize) next_finalize;
static __typeof__(&MPI_Group_from_session_pset) group_from_pset;
static bool speaks; /* the first process of them all */

static bool is_first(MPI_Session session)
{
    MPI_Group all;
    int rank = -1;
    if (!group_from_pset || group_from_pset(session, "mpi://WORLD", &all) != MPI_SUCCESS)
        return true;
    syn_pmpi.Group_rank(all, &rank);
    syn_pmpi.Group_free(&all);
    return rank == 0;
}

static int wrap_init(MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
{
    const int result = next_init(info, handler, session);
    if (result == MPI_SUCCESS && is_first(*session))
        __atomic_store_n(&speaks, true, __ATOMIC_RELAXED);
    return result;
}

/* Only here is it likely that MPI_Init does not come any more. */
static int wrap_finalize(MPI_Session *session)
{
    const int result = next_finalize(session);
    if (result == MPI_SUCCESS && __atomic_load_n(&speaks, __ATOMIC_RELAXED) &&
        !syn_lifecycle_began())
        syn_say(SYN_SAY_FAILURE, "a program of MPI Sessions without MPI_Init is not recorded");
    return result;
}

size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    void *init = host->symbol("MPI_Session_init"), *finalize = host->symbol("MPI_Session_finalize");
    wrappers[0] = wrappers[1] = (struct syn_wrapper){0};
    if (!init || !finalize)
        return SYN_SESSION_WRAPPERS;
    __atomic_store_n((void **)(void *)&next_init, init, __ATOMIC_RELAXED);
    __atomic_store_n((void **)(void *)&next_finalize, finalize, __ATOMIC_RELAXED);
    __atomic_store_n((void **)(void *)&group_from_pset,
                     host->symbol("PMPI_Group_from_session_pset"), __ATOMIC_RELAXED);
    const struct {
        __typeof__(&MPI_Session_init) init;
        __typeof__(&MPI_Session_finalize) finalize;
    } typed = {wrap_init, wrap_finalize};
    wrappers[0] = (struct syn_wrapper){"MPI_Session_init", (void (*)(void))typed.init};
    wrappers[1] = (struct syn_wrapper){"MPI_Session_finalize", (void (*)(void))typed.finalize};
    return SYN_SESSION_WRAPPERS;
}

#else

size_t syn_sessions_add(const struct syn_host *host, struct syn_wrapper *wrappers)
{
    (void)host;
    wrappers[0] = wrappers[1] = (struct syn_wrapper){0};
    return SYN_SESSION_WRAPPERS;
}

#endif
