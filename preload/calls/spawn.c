/* preload/calls/spawn.c - see spawn.h. */
#include "preload/calls/spawn.h"

#include <stdio.h>
#include <string.h>

#include "preload/base/lock.h"
#include "preload/base/say.h"
#include "preload/comms/communicators.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/status.h"
#include "trace/directory/spawned.h"

static char base[4096]; /* the trace in which spawned processes are announced; "": none */

bool syn_spawned(void)
{
    MPI_Comm parent = syn_mpi.comm_null;
    return syn_pmpi.Comm_get_parent(&parent) == MPI_SUCCESS && parent != syn_mpi.comm_null;
}

int syn_spawned_place(char *directory, size_t directory_bytes)
{
    uint32_t number;
    char name[SYN_SPAWNED_NAME_BYTES];
    const size_t used = strlen(directory);
    const int status = syn_spawned_claim(directory, &number);
    if (status != SYN_OK)
        return status;
    syn_spawned_name(number, name);
    return snprintf(directory + used, directory_bytes - used, "/%s", name) <
                   (int)(directory_bytes - used)
               ? SYN_OK
               : SYN_EIO;
}

void syn_spawn_start(const char *directory)
{
    snprintf(base, sizeof base, "%s", directory);
}

/* RATIONALE: MPI has not checked the arguments yet, so the recorder does not call MPI with them. If
 * the recorder does not know the communicator, the processes are not announced: they then take a
 * directory that was not announced (syn_spawned_claim). */
uint32_t syn_spawn_begin(uintptr_t key, int root)
{
    uint32_t number = 0;
    const struct syn_comm *comm = syn_comm_known(key);
    if (!comm || comm->rank != root || !base[0])
        return 0;
    const int cancel_state = syn_cancel_hold();
    const int status = syn_spawned_announce(base, &number);
    syn_cancel_restore(cancel_state);
    return status != SYN_OK ? 0 : number;
}

void syn_spawn_end(uint32_t announced, bool started)
{
    if (!announced || started)
        return;
    const int cancel_state = syn_cancel_hold();
    syn_spawned_withdraw(base, announced);
    syn_cancel_restore(cancel_state);
}

void syn_spawn_say_unrecorded(const char *directory)
{
    size_t missing;
    const size_t count = syn_spawned_count(directory, &missing);
    if (missing > 0)
        syn_say(SYN_SAY_SPAWNED,
                "%zu of %zu calls of MPI_Comm_spawn started processes that are not recorded: "
                "LD_PRELOAD did not reach them. syncopate record -- mpirun ... may reach them",
                missing, count);
}
