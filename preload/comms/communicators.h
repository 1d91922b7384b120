/* preload/comms/communicators.h - which communicator is this? The same answer on every member,
 * without a message of our own.
 *
 * A communicator's id is computed from what all its members know when it is made: the parent's id,
 * how many children the parent had before (the constructors are collective over the parent, so its
 * members agree), and who comes first in it. Handles are looked up in a table of our own; a delete
 * callback of an attribute takes a communicator out when MPI destroys it, so that a handle used
 * again is never mistaken.
 *
 * Windows and files are the same to us: made out of a communicator by all of its ranks, they have a
 * group and collectives of their own, counted on their own. A key is a handle of any of the three.
 */
#ifndef SYN_COMMUNICATORS_H
#define SYN_COMMUNICATORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <mpi.h>

#include "preload/comms/world_ranks.h"
#include "preload/recorder/recorder.h"
#include "trace/event.h"
#include "trace/records.h"

#define SYN_COMM_NAME_BYTES 192

/* How something came about: the word of it in its name. */
enum syn_how {
    SYN_HOW_UNSEEN, /* by a call that is not wrapped */
    SYN_HOW_PREDEFINED,
    SYN_HOW_DUP,
    SYN_HOW_SPLIT,
    SYN_HOW_SPLIT_TYPE,
    SYN_HOW_GROUP,
    SYN_HOW_GROUP_ALONE, /* MPI_Comm_create_group */
    SYN_HOW_LEADERS,     /* MPI_Intercomm_create */
    SYN_HOW_FROM_GROUP,  /* MPI_Comm_create_from_group, MPI_Intercomm_create_from_groups */
    SYN_HOW_MERGE,
    SYN_HOW_CART,
    SYN_HOW_CART_SUB,
    SYN_HOW_GRAPH,
    SYN_HOW_SPAWN,
    SYN_HOW_CONNECTION, /* MPI_Comm_accept, MPI_Comm_connect */
    SYN_HOW_WINDOW,
    SYN_HOW_FILE,
    SYN_HOW_COUNT
};

/* A piece of text with several owners. */
struct syn_shared_text {
    uint32_t reference_count;
    char text[];
};

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
    uint32_t start_count,
        late_start_count; /* of its starts so far: agreed on, late on any member */
    bool align_given_up;
    bool start_agreed; /*   for the call that this rank is in */
    bool started_late; /*   the last time that a start was agreed on */

    /* Who needs the state. It is given back by the last of them, and by nobody before: when the
     * program has freed the communicator MPI may hold it (and so `attribute_set`) for long. */
    bool gone;          /* not the program's any more: its handle may be another's */
    bool attribute_set; /* MPI has our pointer, and will call back with it */
    bool leaving;       /* in the call that frees it: its event is not there yet */
    bool listed;        /* of those to declare */
    uint32_t pin_count; /* persistent requests that refer to it */

    bool declared; /* the file has it, under its present name */
    uintptr_t key;
    uint64_t id;
    uint64_t parent_id;
    struct syn_ranks *group;
    struct syn_ranks *remote;           /* intercommunicators; else NULL */
    uint32_t child_count;               /* made from it so far */
    uint32_t how_counts[SYN_HOW_COUNT]; /*   of those, by each way */

    uint8_t how;
    uint32_t number;                     /* of its parent's children made so, from 1 */
    char detail[20];                     /* "2x3", "rows"; or "" */
    struct syn_shared_text *parent_name; /* NULL: without a parent */
    struct syn_shared_text *name; /* given by MPI_Comm_set_name, or asked for before; else NULL */
    struct syn_event *split;      /* a file's: the split collective under way; else NULL */
    struct syn_comm *next;        /* in the list of those to declare, or of unused ones */
};

/* Changes whenever a communicator goes: what a thread remembers is then looked up again. */
extern uint64_t syn_comm_generation;

/* ---- keys ---- */

#define SYN_KEY_WINDOW ((uintptr_t)1 << 62)
#define SYN_KEY_FILE   ((uintptr_t)1 << 63)

static inline uintptr_t syn_key_of_comm(MPI_Comm handle)
{
    return (uintptr_t)handle & ~(SYN_KEY_WINDOW | SYN_KEY_FILE);
}

static inline uintptr_t syn_key_of_window(MPI_Win handle)
{
    return syn_key_of_comm((MPI_Comm)(uintptr_t)handle) | SYN_KEY_WINDOW;
}

static inline uintptr_t syn_key_of_file(MPI_File handle)
{
    return ((uintptr_t)handle & ~SYN_KEY_WINDOW) | SYN_KEY_FILE;
}

/* ---- life ---- */

/* A copy callback for attributes of ours: a duplicate does not inherit them. */
int syn_attribute_not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                             int *flag);

/* `all` has the run's processes in the order of their ranks. Returns 0, SYN_ETRANSPORT. */
int syn_comms_start(MPI_Comm all);
/* Register MPI_COMM_WORLD, MPI_COMM_SELF and, in a process that another program started, the
 * intercommunicator with that one; after MPI_Init and syn_comms_start. Returns 0, SYN_ENOMEM. */
int syn_comms_add_world(void);
/* Give back the attribute key; the states stay for the writer. */
void syn_comms_stop(void);

/* ---- looking up ---- */

/* The state behind a key that MPI has just accepted as valid; registers one made by a call that is
 * not wrapped. NULL where memory is short. Makes sure that it has an index. */
struct syn_comm *syn_comm_lookup(uintptr_t key);
/* The same without either; NULL where unknown. */
struct syn_comm *syn_comm_known(uintptr_t key);
/* The same, but NULL only where it surely is unknown, whatever other threads do meanwhile. */
struct syn_comm *syn_comm_registered(uintptr_t key);

/* ---- coming and going ---- */

/* How a call made something. */
struct syn_origin {
    enum syn_how how;
    int tag;           /* what tells those apart that no parent counts */
    const int *number; /* [number_count] cart: its dimensions; sub-grid: the dimensions that remain,
                          one for each of its parent's */
    int number_count;
    const char *text; /* [text_bytes] a file's path, a tag that is a string; a NUL ends it too, and
                         blanks at the end do not count (Fortran's) */
    size_t text_bytes;
};

/* After a call that made something out of `parent` (0: without one); a `made` that is null in MPI's
 * eyes is fine. Whoever else is in the parent counts it as well, so that it must be called there
 * for null too. Returns the state, or NULL. */
struct syn_comm *syn_comm_made(uintptr_t made, uintptr_t parent, const struct syn_origin *origin);
/* The same where MPI is still making it (idup): MPI is not asked about it, its parent tells what it
 * is. */
void syn_comm_being_made(uintptr_t made, uintptr_t parent, const struct syn_origin *origin);
/* The call failed after the ranks had communicated: others may have succeeded. */
void syn_comm_not_made(uintptr_t parent, const struct syn_origin *origin);

/* Around the call that frees it: the state lasts until `left`. NULL where it is unknown. */
struct syn_comm *syn_comm_leaving(uintptr_t key);
/* With `freed` false the call failed. Returns whether so many wait to be declared that it should be
 * done. */
bool syn_comm_left(struct syn_comm *comm, bool freed);
/* It gets an index, if it has none yet; under no lock. NULL where memory is short. */
struct syn_comm *syn_comm_with_index(struct syn_comm *comm);

/* Persistent requests count on it even after it was freed: from one's making to its end. */
void syn_comm_pin(struct syn_comm *comm);
void syn_comm_unpin(struct syn_comm *comm);

void syn_comm_named(MPI_Comm handle, const char *name);

/* ---- for the file ---- */

/* Hand what has an index and was not declared yet (or was renamed since) to `declare`, in the order
 * of the indices; the record is valid during the call. Stops at the first nonzero status and
 * returns it. What is gone and declared is forgotten. */
int syn_comms_declare(int (*declare)(void *ctx, const struct syn_comm_record *record), void *ctx);

/* One-entry memory of the thread, then the table. */
static inline struct syn_comm *syn_comm_of(struct syn_thread *self, MPI_Comm handle)
{
    const uint64_t generation = __atomic_load_n(&syn_comm_generation, __ATOMIC_ACQUIRE);
    if (__builtin_expect(self->comm_handle == handle && self->comm_generation == generation, 1))
        return self->comm;
    struct syn_comm *comm = syn_comm_lookup(syn_key_of_comm(handle));
    if (comm) {
        self->comm_handle = handle;
        self->comm_generation = generation;
        self->comm = comm;
    }
    return comm;
}

#endif
