/* preload/communicators.h - which communicator is this? The same answer on every member, without a
 * message of our own.
 *
 * A communicator's id is computed from what all its members know when it is made: the parent's id,
 * how many children the parent had before (the constructors are collective over the parent, so its
 * members agree), and who comes first in it. Handles are looked up in a table of our own; a delete
 * callback of an attribute takes a communicator out when MPI destroys it, so that a handle used
 * again is never mistaken. */
#ifndef SYN_COMMUNICATORS_H
#define SYN_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "../trace/records.h"
#include "recorder.h"

#define SYN_COMM_NAME_BYTES 192

struct syn_comm {
    uint64_t sequence;    /* of the next collective on it */
    uint32_t index;       /* in this rank's file; given at its first collective */
    uint32_t event_flags; /* SYN_EVENT_INTERCOMM or 0 */
    int32_t size;         /* of the local group */
    int32_t rank;         /* in the local group */
    int32_t remote_size;
    int32_t block_count; /* of an alltoall: ranks of the group addressed; of a neighbourhood: its
                            out-neighbours */
    int32_t neighbor_in_count; /* topologies; else 0 */
    int32_t neighbor_out_count;

    int64_t window_ns; /* --align window: 0 before the first one */
    bool start_agreed; /*   for the call that this rank is in */
    bool started_late; /*   the last time that a start was agreed on */

    uint32_t child_count; /* made from it so far */
    uint64_t id;
    uint64_t parent_id;
    uint64_t group_hash;       /* of its ranks in MPI_COMM_WORLD, in order */
    uint64_t remote_hash;      /* intercommunicators: of the remote group, and */
    int32_t remote_first_rank; /* who comes first in it */
    int32_t *world_ranks;      /* [size] */
    bool ranks_shared;         /* with another communicator: never freed */
    bool attribute_set;
    MPI_Comm handle;
    char name[SYN_COMM_NAME_BYTES];
};

/* Changes whenever a communicator goes: what a thread remembers is then looked up again. */
extern uint64_t syn_comm_generation;

/* A copy callback for attributes of ours: a duplicate does not inherit them. */
int syn_attribute_not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                             int *flag);

/* Register MPI_COMM_WORLD and MPI_COMM_SELF; after MPI_Init. Returns 0, SYN_ENOMEM, SYN_ETRANSPORT.
 */
int syn_comms_start(void);
/* Give back the attribute key; the states stay for the writer. */
void syn_comms_stop(void);

/* The state of a communicator that MPI has just accepted as valid; registers one made by a call
 * that is not wrapped. NULL where memory is short. Makes sure that it has an index. */
struct syn_comm *syn_comm_lookup(MPI_Comm handle);
/* The same without either; NULL where unknown. */
struct syn_comm *syn_comm_known(MPI_Comm handle);
/* The same, but NULL only where it surely is unknown, whatever other threads do meanwhile. */
struct syn_comm *syn_comm_registered(MPI_Comm handle);

/* How a communicator came about, noted before the call that makes it. */
struct syn_comm_origin {
    const char *how; /* "dup", "split"; in its name */
    uint64_t parent_id;
    uint64_t
        key; /* the same on all members, unlike for any other communicator of the same first rank */
    uint32_t number; /* of the parent's children, from 1; 0: not counted by the parent */
    char parent_name[SYN_COMM_NAME_BYTES];
};

/* Made by all ranks of `parent`: counts a child. */
struct syn_comm_origin syn_comm_child(MPI_Comm parent, const char *how);
/* Made by the members alone, told apart by `tag` and the members. */
struct syn_comm_origin syn_comm_of_group(MPI_Comm parent, int tag, const char *how);
struct syn_comm_origin syn_comm_of_leaders(int tag, const char *how);
/* Register what the call made (MPI_COMM_NULL is fine). `complete` is false while MPI is still
 * making it (idup): then MPI is not asked about it, and `like`, its parent, tells what it is. */
void syn_comm_made(MPI_Comm made, const struct syn_comm_origin *origin);
void syn_comm_being_made(MPI_Comm made, const struct syn_comm_origin *origin, MPI_Comm like);
/* Before a free: one whose attribute could not be set yet is taken out here. */
void syn_comm_leaving(MPI_Comm handle);
void syn_comm_named(MPI_Comm handle, const char *name);

/* Those with an index, by index. NULL past the last. Valid for ever. */
const struct syn_comm *syn_comm_at(uint32_t index);

/* One-entry memory of the thread, then the table. */
static inline struct syn_comm *syn_comm_of(struct syn_thread *self, MPI_Comm handle)
{
    const uint64_t generation = __atomic_load_n(&syn_comm_generation, __ATOMIC_ACQUIRE);
    if (__builtin_expect(self->comm_handle == handle && self->comm_generation == generation, 1))
        return self->comm;
    struct syn_comm *comm = syn_comm_lookup(handle);
    if (comm) {
        self->comm_handle = handle;
        self->comm_generation = generation;
        self->comm = comm;
    }
    return comm;
}

#endif
