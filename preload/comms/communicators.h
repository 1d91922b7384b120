/* preload/comms/communicators.h - state of each communicator, window and file, with an id that is
 * equal on all members. The recorder sends no message for this.
 *
 * A communicator's id is computed from facts that all members know when it is made: the parent's
 * id, the number of children that the parent had before, and the first rank of the new group. The
 * members of the parent agree on the number of children, because the constructors are collective
 * over it.
 *
 * A table leads from handles to states. When MPI destroys a communicator, the delete callback of an
 * attribute removes it from the table. So a handle that MPI uses again is never taken for the old
 * communicator.
 *
 * Windows and files are treated like communicators. All ranks of a communicator make one; it has a
 * group, and its collectives have sequence numbers of their own. A key is a handle of any of the
 * three.
 *
 * The life of a state:
 *
 *     a call makes the communicator    it enters the table
 *     its first collective             it gets an index, and later a record in the file
 *     a call frees it, or MPI does     it leaves the table
 *     nothing refers to it any more    it is released, or reused for a new communicator */
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

/* ---- keys: a handle and two bits, which say whether it is a window's or a file's ---- */

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

/* ---- start and end ---- */

/* Copy callback of the recorder's attributes: a duplicate does not inherit them. MPICH's constant
 * is NULL and costs no call. Open MPI's is a function of its library, so a function of our own
 * costs no more. */
#ifdef MPICH_NUMVERSION
#define SYN_ATTRIBUTE_NOT_COPIED MPI_COMM_NULL_COPY_FN
#else
#define SYN_ATTRIBUTE_NOT_COPIED syn_attribute_not_copied
int syn_attribute_not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                             int *flag);
#endif

/* `all` contains the run's processes in the order of their ranks. Returns 0 or SYN_ETRANSPORT. */
int syn_comms_start(MPI_Comm all);
/* Registers MPI_COMM_WORLD, MPI_COMM_SELF and, in a spawned process, the intercommunicator with its
 * parent. Call it after MPI_Init and syn_comms_start. Returns 0 or SYN_ENOMEM. */
int syn_comms_add_world(void);
/* Frees the attribute key. The states stay: the writer needs them. */
void syn_comms_stop(void);

/* ---- looking up ---- */

/* Returns the state of `key`, which MPI has just accepted as valid. Registers the key if a call
 * without a wrapper made it. Gives the state an index if it has none. Returns NULL without memory.
 * */
struct syn_comm *syn_comm_lookup(uintptr_t key);
/* Returns the state of `key`, or NULL if it is unknown or another thread is just changing the
 * table. */
struct syn_comm *syn_comm_known(uintptr_t key);
/* Returns the state of `key`, or NULL only if it is unknown. May wait for the lock. */
struct syn_comm *syn_comm_registered(uintptr_t key);

/* ---- making and freeing ---- */

/* Registers `made` after a call that made it out of `from` (NULL: no parent). Returns the state, or
 * NULL. `made` may be a null handle; the call is necessary for it too, since the other members of
 * the parent count a child. */
struct syn_comm *syn_comm_made(uintptr_t made, struct syn_comm *from,
                               const struct syn_origin *origin);
/* Registers `made`, which MPI_Comm_idup is still making. Takes group and topology from `from` and
 * does not ask MPI about `made`. */
void syn_comm_being_made(uintptr_t made, struct syn_comm *from, const struct syn_origin *origin);
/* Called after a call that was not recorded made `key` out of groups: the recording of a program
 * with sessions may begin there (run/lifecycle/sessions.c). NULL: nothing to call. */
extern void (*syn_comm_made_unrecorded)(uintptr_t key, const struct syn_origin *origin);
/* Counts a child whose constructor failed on this rank after the ranks had communicated: it may
 * have succeeded on other ranks. */
void syn_comm_not_made(struct syn_comm *from, const struct syn_origin *origin);

/* Call it before the call by which `self` frees `key`. Returns the state, which lasts until
 * syn_comm_free_end, or NULL if the key is unknown. */
struct syn_comm *syn_comm_free_begin(const struct syn_thread *self, uintptr_t key);
/* Returns true if the call of MPI that `self` is inside frees `comm`. An error handler may have
 * left an earlier call that tried to. */
bool syn_comm_is_freed_by(const struct syn_comm *comm, const struct syn_thread *self);
/* Call it after the call has succeeded, before its event is stored. */
void syn_comm_free_succeeded(struct syn_comm *comm);
/* Call it after the event is stored, and if the call failed. Returns true if so many removed states
 * have no record in the file that the caller should have them declared. */
bool syn_comm_free_end(struct syn_thread *self, struct syn_comm *comm);
/* Gives `comm` an index if it has none, declares it and returns it. The caller holds no lock.
 * Returns NULL in a signal handler that interrupted the holder of the lock. */
struct syn_comm *syn_comm_with_index(struct syn_comm *comm);

/* Returns the communicator of a call that has not been made yet, or NULL if it is unknown. Never
 * asks MPI about the handle: it may be invalid. */
struct syn_comm *syn_comm_before_call(uintptr_t key);

/* Keep the state for a persistent request, from the time it is made until it is freed. The program
 * may free the communicator before. */
void syn_comm_pin(struct syn_comm *comm);
void syn_comm_unpin(struct syn_comm *comm);

/* The program gave the communicator this name. */
void syn_comm_named(MPI_Comm handle, const char *name);

/* ---- records in the file ---- */

/* Functions that write the record of a communicator: a whole one, or a short one that refers to a
 * sibling (comm_bases.h). The argument is valid during the call. Both return a status. */
struct syn_comm_declarer {
    int (*whole)(const struct syn_comm_record *record);
    int (*sibling)(const struct syn_repeated_comm *sibling);
};
/* Passes the states that have an index and no record to `to`, or whose name changed since, in the
 * order of their indices. Gives `comm` (NULL: none) an index first. Releases removed states once
 * they have a record. Stops at the first nonzero status and returns it. */
int syn_comms_declare(const struct syn_comm_declarer *to, struct syn_comm *comm);

/* Returns the state of a communicator that MPI has accepted. Tries the communicator that the thread
 * remembers before the table. */
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
