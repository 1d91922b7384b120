/* preload/comms/communicators.h - identifies a communicator: equally on every member, without a
 * message of our own.
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

#include "preload/comms/comm.h"
#include "preload/recorder/recorder.h"
#include "trace/base/records.h"
#include "trace/read/repeated_comms.h"

/* ---- keys: a handle, with which of the three it is ---- */

#define SYN_KEY_WINDOW ((uintptr_t)1 << 62)
#define SYN_KEY_FILE   ((uintptr_t)1 << 63)

static inline uintptr_t syn_key_of_comm(MPI_Comm handle)
{
    return (uintptr_t)handle & ~(SYN_KEY_WINDOW | SYN_KEY_FILE);
}

static inline bool syn_key_is_comm(uintptr_t key)
{
    return !(key & (SYN_KEY_WINDOW | SYN_KEY_FILE));
}

/* Back again. */
static inline MPI_Comm syn_comm_of_key(uintptr_t key)
{
    return (MPI_Comm)key;
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

/* A copy callback for attributes of ours: a duplicate does not inherit them. MPICH's own one is
 * NULL, and calls nothing; Open MPI's is a function of its library, and called all the same. */
#ifdef MPICH_NUMVERSION
#define SYN_ATTRIBUTE_NOT_COPIED MPI_COMM_NULL_COPY_FN
#else
#define SYN_ATTRIBUTE_NOT_COPIED syn_attribute_not_copied
int syn_attribute_not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                             int *flag);
#endif

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
/* As above without either; NULL if unknown. */
struct syn_comm *syn_comm_known(uintptr_t key);
/* As above, but NULL only if it surely is unknown, whatever other threads do meanwhile. */
struct syn_comm *syn_comm_registered(uintptr_t key);

/* ---- coming and going ---- */

/* After a call that made something out of `from` (NULL: without a parent); a `made` that is null in
 * MPI's eyes is fine. Whoever else is in the parent counts it as well, so that it must be called
 * there for null too. Returns the state, or NULL. */
struct syn_comm *syn_comm_made(uintptr_t made, struct syn_comm *from,
                               const struct syn_origin *origin);
/* As above, while MPI is still making it (idup): MPI is not asked about it, its parent tells what
 * it is. */
void syn_comm_being_made(uintptr_t made, struct syn_comm *from, const struct syn_origin *origin);
/* A call that was not recorded made `key` out of groups, so that recording may begin here. NULL
 * where nobody waits for that (run/sessions.c). */
extern void (*syn_comm_made_unseen)(uintptr_t key, const struct syn_origin *origin);
/* The call failed after the ranks had communicated: others may have succeeded. */
void syn_comm_not_made(struct syn_comm *from, const struct syn_origin *origin);

/* Around the call by which `self` frees it: the state lasts until `left`. NULL where it is unknown.
 */
struct syn_comm *syn_comm_leaving(const struct syn_thread *self, uintptr_t key);
/* After it, before its event: it is not the program's any more. */
void syn_comm_freed(struct syn_comm *comm);
/* After that event, and where the call failed. Returns whether so many wait to be declared that it
 * should be done. */
bool syn_comm_left(struct syn_thread *self, struct syn_comm *comm);
/* It gets an index, if it has none yet, and is declared; under no lock. NULL where this thread was
 * interrupted in one. */
struct syn_comm *syn_comm_with_index(struct syn_comm *comm);

/* Returns the communicator of a call that has not been made yet, or NULL if it is unknown. Never
 * asks MPI about the handle: it may be invalid. */
struct syn_comm *syn_comm_before_call(uintptr_t key);

/* Persistent requests count on it even after it was freed: from one's making to its end. */
void syn_comm_pin(struct syn_comm *comm);
void syn_comm_unpin(struct syn_comm *comm);

void syn_comm_named(MPI_Comm handle, const char *name);

/* ---- for the file ---- */

/* To whom a communicator is declared: by a whole record, or as the sibling of one that was. What is
 * handed over is valid during the call. */
struct syn_comm_declarer {
    int (*whole)(const struct syn_comm_record *record);
    int (*sibling)(const struct syn_repeated_comm *sibling);
};
/* Hand what has an index and was not declared yet (or was renamed since) to `to`, in the order of
 * the indices; `comm` (NULL: none) gets one first. Stops at the first nonzero status and returns
 * it. What is gone and declared is forgotten. */
int syn_comms_declare(const struct syn_comm_declarer *to, struct syn_comm *comm);

/* One-entry memory of the thread, then the table. */
static inline struct syn_comm *syn_comm_of(struct syn_thread *self, MPI_Comm handle)
{
    struct syn_comm *comm = self->comm;
    if (__builtin_expect(comm && __atomic_load_n(&comm->handle, __ATOMIC_ACQUIRE) == handle, 1))
        return comm;
    comm = syn_comm_lookup(syn_key_of_comm(handle));
    if (comm)
        self->comm = comm;
    return comm;
}

#endif
