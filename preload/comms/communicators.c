/* preload/comms/communicators.c - see communicators.h. */
#include "preload/comms/communicators.h"

#include <stdlib.h>
#include <string.h>

#include "preload/base/lock.h"
#include "preload/comms/comm_bases.h"
#include "preload/comms/comm_names.h"
#include "preload/comms/comm_table.h"
#include "preload/comms/key_counts.h"
#include "preload/mpi/pmpi.h"
#include "sync/base/hash.h"
#include "sync/base/layout.h"
#include "sync/base/status.h"

#define NO_INDEX UINT32_MAX
/* Largest number of removed states that have no record in the file. The limit bounds the memory of
 * a program that makes and frees communicators all the time. */
#define REMOVED_LISTED_MAX 4096

void (*syn_comm_made_unrecorded)(uintptr_t key, const struct syn_origin *origin);

/* Guarded by the lock, except `keyval`, which changes at the run's start and end only. */
static struct {
    struct syn_lock lock;
    int keyval;           /* of the attribute whose delete callback tells that MPI destroys it */
    uint32_t index_count; /* indices given so far */
    struct syn_comm *undeclared, **undeclared_end; /* list of states to declare */
    size_t removed_listed_count;                   /* removed states in that list */
    struct syn_comm *unused;                       /* list of states for reuse */
} registry SYN_NEAR = {.lock = SYN_LOCK_INITIALIZER,
                       .keyval = MPI_KEYVAL_INVALID,
                       .undeclared_end = &registry.undeclared};

/* ---- group and topology, from MPI ---- */

static MPI_Comm comm_handle(const struct syn_comm *comm)
{
    return syn_comm_of_key(comm->key);
}

/* Gets the group of a window or a file in *group. */
static int group_of(uintptr_t key, MPI_Group *group)
{
    if (key & SYN_KEY_FILE)
        return syn_pmpi.File_get_group((MPI_File)(key & ~SYN_KEY_FILE), group);
    if (key & SYN_KEY_WINDOW)
        return syn_pmpi.Win_get_group((MPI_Win)(key & ~SYN_KEY_WINDOW), group);
    return syn_pmpi.Comm_group((MPI_Comm)key, group);
}

static int describe_group(struct syn_comm *comm)
{
    MPI_Group group;
    int rank = 0;
    if (group_of(comm->key, &group))
        return SYN_ETRANSPORT;
    if (syn_pmpi.Group_rank(group, &rank) || rank < 0) {
        syn_pmpi.Group_free(&group);
        return SYN_ETRANSPORT;
    }
    comm->group = syn_ranks_of(group);
    if (!comm->group)
        return SYN_ENOMEM;
    comm->size = comm->group->count;
    comm->rank = rank;
    return SYN_OK;
}

static int describe_remote(struct syn_comm *comm)
{
    int inter = 0;
    MPI_Group group;
    if (syn_pmpi.Comm_test_inter(comm_handle(comm), &inter) || !inter)
        return SYN_OK;
    if (syn_pmpi.Comm_remote_group(comm_handle(comm), &group))
        return SYN_ETRANSPORT;
    comm->remote = syn_ranks_of(group);
    if (!comm->remote)
        return SYN_ENOMEM;
    comm->remote_size = comm->remote->count;
    comm->event_flags = SYN_EVENT_INTERCOMM;
    return SYN_OK;
}

/* Asks MPI for groups and topology. Returns 0, SYN_ETRANSPORT or SYN_ENOMEM. */
static int describe(struct syn_comm *comm)
{
    int status = describe_group(comm);
    if (status != SYN_OK || !syn_key_is_comm(comm->key))
        return status;
    status = describe_remote(comm);
    if (status == SYN_OK) {
        int topology = MPI_UNDEFINED, in = 0, out = 0, weighted;
        if (comm->remote_size <= 0 && !syn_pmpi.Topo_test(comm_handle(comm), &topology)) {
            if (topology == MPI_CART && !syn_pmpi.Cartdim_get(comm_handle(comm), &in))
                in = out = 2 * in;
            else if (topology == MPI_GRAPH &&
                     !syn_pmpi.Graph_neighbors_count(comm_handle(comm), comm->rank, &in))
                out = in;
            else if (topology == MPI_DIST_GRAPH)
                syn_pmpi.Dist_graph_neighbors_count(comm_handle(comm), &in, &out, &weighted);
            comm->neighbor_in_count = in;
            comm->neighbor_out_count = out;
        }
    }
    return status;
}

/* ---- ids ---- */

/* Returns the first rank of the group, or the first ranks of both groups. The order of the groups
 * does not matter, so that both compute the same. */
static uint64_t first_ranks(const struct syn_comm *comm)
{
    const uint32_t own = (uint32_t)comm->group->rank[0];
    if (!comm->remote)
        return own;
    const uint32_t other = (uint32_t)comm->remote->rank[0];
    return own < other ? (uint64_t)own << 32 | other : (uint64_t)other << 32 | own;
}

/* Returns a hash of the members, equal in both groups of an intercommunicator. */
static uint64_t groups_hash(const struct syn_comm *comm)
{
    if (!comm->remote)
        return comm->group->chained.hash;
    const uint64_t own = comm->group->chained.hash, other = comm->remote->chained.hash;
    return own < other ? syn_hash_pair(own, other) : syn_hash_pair(other, own);
}

/* Returns true if all members of the parent make such a child together, so that they can count it.
 * */
static bool is_counted_by_parent(enum syn_how how)
{
    return how != SYN_HOW_NOT_WRAPPED && how != SYN_HOW_GROUP_ALONE && how != SYN_HOW_LEADERS &&
           how != SYN_HOW_FROM_GROUP && how != SYN_HOW_SHRINK;
}

/* Returns a hash of the call's tag, for a child that no parent counts. */
static uint64_t tag_of(const struct syn_origin *origin)
{
    uint64_t tag = (uint64_t)origin->tag;
    if (origin->how != SYN_HOW_FROM_GROUP)
        return tag;
    return syn_hash_pair(tag, syn_hash64(origin->text, syn_origin_text_length(origin)));
}

/* Returns false if the two groups come from two parents: MPI_Intercomm_create, and a connection
 * between processes of this world. Such a communicator has no parent, so that both groups compute
 * the same id. */
static bool has_parent(const struct syn_comm *comm, const struct syn_origin *origin)
{
    if (origin->how != SYN_HOW_CONNECTION)
        return origin->how != SYN_HOW_LEADERS;
    for (int32_t i = 0; i < comm->remote_size; i++)
        if (comm->remote->rank[i] < 0)
            return true;
    return false;
}

/* Sets id and number of the parent's next child. */
static SYN_HOT void number_in_parent(struct syn_comm *comm, struct syn_comm *parent)
{
    const uint64_t first = first_ranks(comm);
    if (!parent->children_base || parent->children_first != first) {
        parent->children_first = first;
        parent->children_base = syn_hash_pair(syn_hash_pair(parent->id, 0x63), first);
    }
    const uint64_t id = parent->children_base + ++parent->child_count;
    comm->id = id ? id : 1;
    comm->number = ++parent->how_counts[comm->how];
}

/* Sets id, parent and the parts of the name. */
static void identify(struct syn_comm *comm, struct syn_comm *parent,
                     const struct syn_origin *origin)
{
    comm->how = (uint8_t)origin->how;
    comm->parent_id = parent && has_parent(comm, origin) ? parent->id : 0;
    if (comm->parent_id && is_counted_by_parent(origin->how))
        number_in_parent(comm, parent);
    else {
        const uint64_t key = syn_hash_pair(
            syn_hash_pair(syn_hash_pair(comm->parent_id, (uint64_t)origin->how), tag_of(origin)),
            groups_hash(comm));
        comm->number = syn_key_count(key);
        const uint64_t id = syn_hash_pair(key, first_ranks(comm)) + comm->number;
        comm->id = id ? id : 1;
    }
    if (comm->parent_id)
        comm->parent_name = syn_comm_name_shared(parent);
    syn_comm_detail(comm, parent, origin);
}

/* ---- states, under the lock ---- */

static struct syn_comm *new_comm(uintptr_t key)
{
    struct syn_comm *comm = registry.unused;
    if (comm) {
        registry.unused = comm->next;
        /* The handle is not cleared. It is MPI_COMM_NULL already, and a thread that remembers this
         * state as that of another communicator may read it now. */
        const size_t handle_at = offsetof(struct syn_comm, handle);
        const size_t behind = handle_at + sizeof comm->handle;
        memset(comm, 0, handle_at);
        memset((char *)comm + behind, 0, sizeof *comm - behind);
    } else {
        comm = calloc(1, sizeof *comm);
        if (!comm)
            return NULL;
        comm->handle = syn_mpi.comm_null;
    }
    comm->key = key;
    comm->index = NO_INDEX;
    return comm;
}

static void release_state(struct syn_comm *comm)
{
    syn_ranks_release(comm->group);
    syn_ranks_release(comm->remote);
    syn_shared_text_release(comm->parent_name);
    syn_shared_text_release(comm->name);
    free(comm->split);
    comm->next = registry.unused;
    registry.unused = comm;
}

/* Returns true if at most the list of states to declare needs the state. MPI needs it until the
 * delete callback: MPICH calls that in the call that ends the last use of a freed communicator,
 * which may be an MPI_Wait. */
static bool is_only_listed(const struct syn_comm *comm)
{
    return comm->removed && !comm->attribute_set && !comm->freeing_frame && comm->pin_count == 0;
}

/* Releases the state if nothing needs it any more. */
static void release_if_unused(struct syn_comm *comm)
{
    if (!is_only_listed(comm))
        return;
    if (comm->listed)
        registry.removed_listed_count++;
    else
        release_state(comm);
}

static void remove_from_table(struct syn_comm *comm)
{
    if (comm->removed)
        return;
    syn_comm_table_remove(comm->key, comm);
    __atomic_store_n(&comm->handle, syn_mpi.comm_null, __ATOMIC_RELEASE);
    comm->removed = true;
}

static void remove_comm(struct syn_comm *comm)
{
    remove_from_table(comm);
    release_if_unused(comm);
}

static void end_free(struct syn_comm *comm)
{
    comm->freeing_frame = 0;
    if (comm->freed)
        remove_from_table(comm); /* no effect if the delete callback came before */
    release_if_unused(comm);
}

/* Ends the thread's last free of a communicator.
 * RATIONALE: syn_comm_free_end puts this off until the thread makes the next communicator, which
 * takes the lock anyway. */
static void end_last_free(struct syn_thread *self)
{
    if (!self || !self->freed_comm)
        return;
    end_free(self->freed_comm);
    self->freed_comm = NULL;
}

/* RATIONALE: An attribute costs memory, and a copy callback in each duplication. So a communicator
 * gets it at its first recorded collective: many libraries make communicators for messages only. */
static bool lacks_attribute(const struct syn_comm *comm)
{
    /* MPI_COMM_WORLD and MPI_COMM_SELF exist until the end of the run. */
    return !comm->attribute_set && syn_key_is_comm(comm->key) &&
           comm->key != syn_key_of_comm(syn_mpi.comm_world) &&
           comm->key != syn_key_of_comm(syn_mpi.comm_self);
}

static void set_attribute(struct syn_comm *comm)
{
    if (lacks_attribute(comm))
        comm->attribute_set =
            syn_pmpi.Comm_set_attr(comm_handle(comm), registry.keyval, comm) == MPI_SUCCESS;
}

static SYN_HOT int put_in_table(struct syn_comm *comm)
{
    struct syn_comm *stale = NULL;
    const int status = syn_comm_table_put(comm->key, comm, &stale);
    if (stale)
        remove_comm(stale);
    return status;
}

/* Adds the state of `key`. If `like` is not NULL, takes groups and topology from it and does not
 * ask MPI. Returns NULL without memory or after an error of MPI. */
static struct syn_comm *add(uintptr_t key, struct syn_comm *parent, const struct syn_origin *origin,
                            const struct syn_comm *like)
{
    struct syn_comm *comm = new_comm(key);
    if (!comm)
        return NULL;
    if (like) {
        /* A duplicate, a window or a file has the parent's ranks in the same order. */
        comm->size = like->size;
        comm->rank = like->rank;
        comm->remote_size = like->remote_size;
        comm->event_flags = like->event_flags;
        comm->neighbor_in_count = like->neighbor_in_count;
        comm->neighbor_out_count = like->neighbor_out_count;
        comm->group = syn_ranks_share(like->group);
        comm->remote = syn_ranks_share(like->remote);
    } else if (describe(comm)) {
        release_state(comm);
        return NULL;
    }
    identify(comm, parent, origin);
    comm->block_count = comm->remote_size > 0 ? comm->remote_size : comm->size;
    if (put_in_table(comm)) {
        release_state(comm);
        return NULL;
    }
    return comm;
}

static void list_undeclared(struct syn_comm *comm)
{
    if (comm->listed)
        return;
    comm->listed = true;
    comm->next = NULL;
    *registry.undeclared_end = comm;
    registry.undeclared_end = &comm->next;
}

static struct syn_comm *with_index(struct syn_comm *comm)
{
    if (comm && comm->index == NO_INDEX) {
        comm->index = registry.index_count++;
        list_undeclared(comm);
    }
    return comm;
}

/* ---- looking up ---- */

struct syn_comm *syn_comm_known(uintptr_t key)
{
    return syn_comm_table_find(key);
}

struct syn_comm *syn_comm_registered(uintptr_t key)
{
    struct syn_comm *comm = syn_comm_table_find(key);
    if (comm || !syn_lock_take(&registry.lock))
        return comm;
    comm = syn_comm_table_find(key);
    syn_lock_give(&registry.lock);
    return comm;
}

static bool is_complete(const struct syn_comm *comm)
{
    return comm->index != NO_INDEX && !lacks_attribute(comm);
}

/* Sets the handle, so that a thread that remembers the state need not look it up. */
static void publish_handle(struct syn_comm *comm)
{
    if (is_complete(comm) && syn_key_is_comm(comm->key))
        __atomic_store_n(&comm->handle, comm_handle(comm), __ATOMIC_RELEASE);
}

SYN_HOT struct syn_comm *syn_comm_lookup(uintptr_t key)
{
    static const struct syn_origin not_wrapped = {.how = SYN_HOW_NOT_WRAPPED};
    struct syn_comm *comm = syn_comm_table_find(key);
    if (comm && is_complete(comm))
        return comm;
    if (!syn_lock_take(&registry.lock))
        return NULL;
    comm = syn_comm_table_find(key);
    if (!comm)
        comm = add(key, NULL, &not_wrapped, NULL);
    if (comm)
        set_attribute(comm);
    const uint32_t known_count = registry.index_count;
    comm = with_index(comm);
    if (comm)
        publish_handle(comm);
    const bool is_new = registry.index_count > known_count;
    syn_lock_give(&registry.lock);
    if (is_new)
        syn_recorder_declare_new();
    return comm;
}

/* ---- making and freeing ---- */

static bool is_null(uintptr_t made)
{
    return made == syn_key_of_comm(syn_mpi.comm_null);
}

/* Returns the state of the communicator that `self` freed last, if it was a duplicate of `parent`
 * and nothing else needs the state; else NULL.
 * RATIONALE: Some programs duplicate a communicator and free the duplicate all the time. The state
 * of one duplicate differs from the next in few members, so it is reused. */
static struct syn_comm *reusable_duplicate(const struct syn_thread *self,
                                           const struct syn_comm *parent, enum syn_how how)
{
    struct syn_comm *freed = self ? self->freed_comm : NULL;
    if (!freed || !parent || how != SYN_HOW_DUP || freed->how != SYN_HOW_DUP ||
        freed->parent_id != parent->id || freed->parent_name != parent->name ||
        freed->group != parent->group || freed->remote != parent->remote)
        return NULL;
    const bool is_needed = freed->listed || freed->attribute_set || freed->pin_count > 0;
    return is_needed || freed->name || freed->child_count > 0 ? NULL : freed;
}

/* Makes `freed` the state of the next duplicate. */
static struct syn_comm *reuse_duplicate(struct syn_comm *freed, uintptr_t key,
                                        struct syn_comm *parent)
{
    memset(freed, 0, SYN_COMM_OWN_BYTES);
    freed->key = key;
    freed->index = NO_INDEX;
    number_in_parent(freed, parent);
    if (put_in_table(freed)) {
        release_state(freed);
        return NULL;
    }
    return freed;
}

SYN_HOT struct syn_comm *syn_comm_made(uintptr_t made, struct syn_comm *from,
                                       const struct syn_origin *origin)
{
    struct syn_thread *self = syn_self;
    if (is_null(made)) {
        if (from)
            syn_comm_not_made(from, origin);
        return NULL;
    }
    if (!syn_lock_take_cancellable(&registry.lock))
        return NULL;
    struct syn_comm *comm = reusable_duplicate(self, from, origin->how);
    if (comm) {
        self->freed_comm = NULL;
        comm = reuse_duplicate(comm, made, from);
    } else {
        end_last_free(self);
        /* These have the parent's members in the same order, so MPI is not asked. */
        const struct syn_comm *like = (origin->how == SYN_HOW_DUP ||
                                       origin->how == SYN_HOW_WINDOW || origin->how == SYN_HOW_FILE)
                                          ? from
                                          : NULL;
        if (!like)
            syn_lock_disable_cancel(&registry.lock);

        comm = add(made, from, origin, like);
    }
    syn_lock_give(&registry.lock);
    return comm;
}

void syn_comm_being_made(uintptr_t made, struct syn_comm *from, const struct syn_origin *origin)
{
    if (is_null(made) || !syn_lock_take(&registry.lock))
        return;
    add(made, from, origin, from);
    syn_lock_give(&registry.lock);
}

void syn_comm_not_made(struct syn_comm *from, const struct syn_origin *origin)
{
    if (!is_counted_by_parent(origin->how) || !syn_lock_take_cancellable(&registry.lock))
        return;
    from->child_count++;
    from->how_counts[origin->how]++;
    syn_lock_give(&registry.lock);
}

/* RATIONALE: This needs no lock. No other thread reads the member before the program frees the
 * communicator. */
SYN_HOT struct syn_comm *syn_comm_free_begin(const struct syn_thread *self, uintptr_t key)
{
    struct syn_comm *comm = syn_comm_registered(key);
    if (comm)
        __atomic_store_n(&comm->freeing_frame, self->guard, __ATOMIC_RELAXED);
    return comm;
}

bool syn_comm_is_freed_by(const struct syn_comm *comm, const struct syn_thread *self)
{
    const uintptr_t frame = __atomic_load_n(&comm->freeing_frame, __ATOMIC_RELAXED);
    return frame && self && frame == self->guard;
}

/* RATIONALE: This needs no lock: only the thread that frees the communicator reads the member. */
SYN_HOT void syn_comm_free_succeeded(struct syn_comm *comm)
{
    comm->freed = true;
}

/* Puts off the release if the state is removed already: syn_comms_declare does so for a state that
 * got its index in this call. */
SYN_HOT bool syn_comm_free_end(struct syn_thread *self, struct syn_comm *comm)
{
    if (comm->freed && comm->removed && !self->freed_comm) {
        self->freed_comm = comm;
        return false;
    }
    if (!syn_lock_take_cancellable(&registry.lock))
        return false;
    end_free(comm);
    const bool many = registry.removed_listed_count >= REMOVED_LISTED_MAX;
    syn_lock_give(&registry.lock);
    return many;
}

SYN_HOT struct syn_comm *syn_comm_with_index(struct syn_comm *comm)
{
    if (comm->index == NO_INDEX)
        syn_recorder_declare_comm(comm);
    if (comm->index != NO_INDEX)
        return comm;
    if (!syn_lock_take_cancellable(&registry.lock))
        return NULL;
    with_index(comm);
    syn_lock_give(&registry.lock);
    return comm;
}

SYN_HOT struct syn_comm *syn_comm_before_call(uintptr_t key)
{
    struct syn_comm *comm = syn_comm_known(key);
    return comm ? syn_comm_with_index(comm) : NULL;
}

void syn_comm_pin(struct syn_comm *comm)
{
    if (!syn_lock_take(&registry.lock))
        return;
    comm->pin_count++;
    syn_lock_give(&registry.lock);
}

void syn_comm_unpin(struct syn_comm *comm)
{
    if (!syn_lock_take(&registry.lock))
        return;
    comm->pin_count--;
    release_if_unused(comm);
    syn_lock_give(&registry.lock);
}

void syn_comm_named(MPI_Comm handle, const char *name)
{
    if (!syn_lock_take(&registry.lock))
        return;
    struct syn_comm *comm = syn_comm_table_find(syn_key_of_comm(handle));
    struct syn_shared_text *text = comm && name && *name ? syn_shared_text_new(name) : NULL;
    if (text) {
        syn_shared_text_release(comm->name);
        comm->name = text;
        if (comm->declared)
            list_undeclared(comm);
        comm->declared = false;
    }
    syn_lock_give(&registry.lock);
}

/* The attribute's delete callback: MPI destroys the communicator. */
static int attribute_deleted(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)handle;
    (void)key;
    (void)extra;
    struct syn_comm *comm = value;
    if (syn_comm_is_freed_by(comm, syn_self)) { /* syn_comm_free_end will release the state */
        comm->attribute_set = false;
        return MPI_SUCCESS;
    }
    if (!syn_lock_take(&registry.lock))
        return MPI_SUCCESS;
    comm->attribute_set = false;
    remove_comm(comm);
    syn_lock_give(&registry.lock);
    return MPI_SUCCESS;
}

#ifndef MPICH_NUMVERSION
int syn_attribute_not_copied(MPI_Comm comm, int key, void *extra, void *value, void *copy,
                             int *flag)
{
    (void)comm;
    (void)key;
    (void)extra;
    (void)value;
    (void)copy;
    *flag = 0;
    return MPI_SUCCESS;
}
#endif

/* ---- records in the file ---- */

/* Returns the remote size as the file has it: negative if the group is of another MPI_COMM_WORLD.
 * */
static int32_t remote_size_of(const struct syn_comm *comm)
{
    for (int32_t i = 0; i < comm->remote_size; i++)
        if (comm->remote->rank[i] >= 0)
            return comm->remote_size;
    return -comm->remote_size;
}

/* Writes a short record if possible. A communicator with a name of its own gets a whole one. */
static int declare_one(const struct syn_comm *comm, const struct syn_comm_declarer *to)
{
    struct syn_repeated_comm sibling;
    if (syn_comm_is_repeated(comm, &sibling))
        return to->sibling(&sibling);
    char name[SYN_COMM_NAME_BYTES];
    syn_comm_name(comm, name);
    const struct syn_comm_record record = {
        .index = comm->index,
        .id = comm->id,
        .parent_id = comm->parent_id,
        .size = comm->size,
        .rank = comm->rank,
        .remote_size = remote_size_of(comm),
        .name = name,
        .world_ranks = comm->group->rank,
    };
    const int status = to->whole(&record);
    if (status == SYN_OK)
        syn_comm_was_declared(comm);
    return status;
}

SYN_HOT int syn_comms_declare(const struct syn_comm_declarer *to, struct syn_comm *comm)
{
    int status = SYN_OK;
    if (!syn_lock_take_cancellable(&registry.lock))
        return SYN_OK;
    if (comm && comm->freed) {
        end_last_free(syn_self);
        remove_from_table(comm);
    }
    if (comm && comm->index == NO_INDEX && !registry.undeclared) {
        /* The list is empty, so `comm` need not go through it. */
        comm->index = registry.index_count++;
        status = declare_one(comm, to);
        comm->declared = status == SYN_OK;
        if (status != SYN_OK)
            list_undeclared(comm);
    } else
        with_index(comm);
    while (registry.undeclared && status == SYN_OK &&
           (status = declare_one(registry.undeclared, to)) == SYN_OK) {
        struct syn_comm *const first = registry.undeclared;
        registry.undeclared = first->next;
        if (!registry.undeclared)
            registry.undeclared_end = &registry.undeclared;
        first->listed = false;
        first->declared = true;
        if (is_only_listed(first)) {
            registry.removed_listed_count--;
            release_state(first);
        }
    }
    syn_lock_give(&registry.lock);
    return status;
}

/* ---- start and end ---- */

static struct syn_comm *add_predefined(MPI_Comm handle, const char *name, uint64_t id)
{
    static const struct syn_origin predefined = {.how = SYN_HOW_PREDEFINED};
    if (!syn_lock_take(&registry.lock))
        return NULL;
    struct syn_comm *comm = with_index(add(syn_key_of_comm(handle), NULL, &predefined, NULL));
    if (comm) {
        set_attribute(comm);
        publish_handle(comm);
        comm->id = id;
        comm->name = syn_shared_text_new(name);
    }
    syn_lock_give(&registry.lock);
    return comm;
}

int syn_comms_start(MPI_Comm all)
{
    if (syn_ranks_start(all) ||
        syn_pmpi.Comm_create_keyval(SYN_ATTRIBUTE_NOT_COPIED, attribute_deleted, &registry.keyval,
                                    NULL))
        return SYN_ETRANSPORT;
    return SYN_OK;
}

int syn_comms_add_world(void)
{
    const struct syn_comm *world =
        add_predefined(syn_mpi.comm_world, "MPI_COMM_WORLD", syn_hash_pair(1, 1));
    if (!world)
        return SYN_ENOMEM;
    const uint64_t self_id = syn_hash_pair(2, (uint64_t)(unsigned)world->rank);
    if (!add_predefined(syn_mpi.comm_self, "MPI_COMM_SELF", self_id))
        return SYN_ENOMEM;
    MPI_Comm parent = syn_mpi.comm_null;
    syn_pmpi.Comm_get_parent(&parent);
    if (parent != syn_mpi.comm_null &&
        !add_predefined(parent, "MPI_COMM_PARENT", syn_hash_pair(3, 1)))
        return SYN_ENOMEM;
    return SYN_OK;
}

void syn_comms_stop(void)
{
    if (registry.keyval != MPI_KEYVAL_INVALID)
        syn_pmpi.Comm_free_keyval(&registry.keyval);
    syn_ranks_stop();
}
