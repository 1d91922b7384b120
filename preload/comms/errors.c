/* preload/comms/errors.c - see errors.h. */
#include "preload/comms/errors.h"

#include "preload/comms/keys.h"
#include "preload/mpi/pmpi.h"

/* In *handler, ours to give back. An error's code where MPI does not say. */
static int get_handler(uintptr_t key, MPI_Errhandler *handler)
{
    if (key & SYN_KEY_FILE)
        return syn_pmpi.File_get_errhandler
                   ? syn_pmpi.File_get_errhandler((MPI_File)(key & ~SYN_KEY_FILE), handler)
                   : MPI_ERR_FILE;
    if (key & SYN_KEY_WINDOW)
        return syn_pmpi.Win_get_errhandler((MPI_Win)(key & ~SYN_KEY_WINDOW), handler);
    return syn_pmpi.Comm_get_errhandler((MPI_Comm)key, handler);
}

/* After get_handler. */
static int set_handler(uintptr_t key, MPI_Errhandler handler)
{
    if (key & SYN_KEY_FILE)
        return syn_pmpi.File_set_errhandler((MPI_File)(key & ~SYN_KEY_FILE), handler);
    if (key & SYN_KEY_WINDOW)
        return syn_pmpi.Win_set_errhandler((MPI_Win)(key & ~SYN_KEY_WINDOW), handler);
    return syn_pmpi.Comm_set_errhandler((MPI_Comm)key, handler);
}

/* RATIONALE: MPICH counts no reference to a predefined handler, so that there is none to give back;
 * Open MPI counts them all. */
static void give_back(MPI_Errhandler *handler)
{
#if defined SYN_MPI_IS_ABI
    if ((uintptr_t)*handler < SYN_ABI_PREDEFINED_END)
        return;
#elif !defined OPEN_MPI
    if (((unsigned)*handler & 0xc0000000u) == 0x40000000u)
        return;
#endif
    syn_pmpi.Errhandler_free(handler);
}

/* RATIONALE: newer MPICHs (5.0.1, which is also the library of the ABI; not 4.0) take the handler
 * of MPI_COMM_WORLD for what belongs to no object while nobody has set one on MPI_COMM_SELF, and
 * answer MPI_ERRORS_ARE_FATAL when asked for SELF's. To set just that afterwards makes it one that
 * was set: errors of the program's that WORLD's handler returned would then end it. */
static bool is_better_left(uintptr_t key, MPI_Errhandler handler)
{
#if defined OPEN_MPI
    (void)key;
    (void)handler;
    return false;
#else
    int version = 0, subversion = 0;
    if (key != syn_key_of_comm(syn_mpi.comm_self) || handler != MPI_ERRORS_ARE_FATAL)
        return false;
    syn_pmpi.Get_version(&version, &subversion);
    return version > 4 || (version == 4 && subversion > 0);
#endif
}

void syn_errors_hold(uintptr_t key, struct syn_errors *errors)
{
    *errors = (struct syn_errors){.key = key};
    if (get_handler(key, &errors->former) != MPI_SUCCESS)
        return;
    if (errors->former == syn_mpi.errors_return || is_better_left(key, errors->former))
        give_back(&errors->former);
    else
        errors->held = set_handler(key, syn_mpi.errors_return) == MPI_SUCCESS;
}

void syn_errors_release(struct syn_errors *errors)
{
    MPI_Errhandler now;
    if (!errors->held)
        return;
    errors->held = false;
    if (get_handler(errors->key, &now) == MPI_SUCCESS) {
        if (now == syn_mpi.errors_return)
            set_handler(errors->key, errors->former);
        give_back(&now);
    }
    give_back(&errors->former);
}

void syn_errors_hold_everywhere(struct syn_errors_everywhere *errors)
{
    syn_errors_hold(syn_key_of_comm(syn_mpi.comm_world), &errors->world);
    syn_errors_hold(syn_key_of_comm(syn_mpi.comm_self), &errors->self);
}

void syn_errors_release_everywhere(struct syn_errors_everywhere *errors)
{
    syn_errors_release(&errors->self);
    syn_errors_release(&errors->world);
}
