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
/* Largest number of states that wait to be declared: a program that makes and frees communicators
 * for ever shall not fill memory with them. */
#define WAITING_MAX 4096

void (*syn_comm_made_unseen)(uintptr_t key, const struct syn_origin *origin);

/* Changed under the lock, but for the keyval: that is made and freed by start and end. */
static struct {
    struct syn_lock lock;
    int keyval; /* of the attribute that tells of a communicator's end */
    uint32_t index_count;
    struct syn_comm *undeclared, **undeclared_end; /* a list */
    size_t waiting_count;                          /* of those to declare: gone */
    struct syn_comm *unused;                       /* a list of states to use again */
} known SYN_NEAR = {.lock = SYN_LOCK_INITIALIZER,
                    .keyval = MPI_KEYVAL_INVALID,
                    .undeclared_end = &known.undeclared};

/* ---- what MPI says of it ---- */

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

/* ---- identity ---- */

/* Both groups of an intercommunicator compute the same: unordered. */
static uint64_t first_ranks(const struct syn_comm *comm)
{
    const uint32_t own = (uint32_t)comm->group->rank[0];
    if (!comm->remote)
        return own;
    const uint32_t other = (uint32_t)comm->remote->rank[0];
    return own < other ? (uint64_t)own << 32 | other : (uint64_t)other << 32 | own;
}

static uint64_t groups_hash(const struct syn_comm *comm)
{
    if (!comm->remote)
        return comm->group->chained.hash;
    const uint64_t own = comm->group->chained.hash, other = comm->remote->chained.hash;
    return own < other ? syn_hash_pair(own, other) : syn_hash_pair(other, own);
}

/* These children have all ranks of the parent in its order. */
static bool counted_by_parent(enum syn_how how)
{
    return how != SYN_HOW_UNSEEN && how != SYN_HOW_GROUP_ALONE && how != SYN_HOW_LEADERS &&
           how != SYN_HOW_FROM_GROUP && how != SYN_HOW_SHRINK;
}

/* Returns a hash that tells children apart that no parent counts. */
static uint64_t tag_of(const struct syn_origin *origin)
{
    uint64_t tag = (uint64_t)origin->tag;
    if (origin->how != SYN_HOW_FROM_GROUP)
        return tag;
    return syn_hash_pair(tag, syn_hash64(origin->text, syn_origin_text_length(origin)));
}

/* Both sides of a connection within this world compute the same, like those of
 * MPI_Intercomm_create: their parents are two. */
static bool has_parent(const struct syn_comm *comm, const struct syn_origin *origin)
{
    if (origin->how != SYN_HOW_CONNECTION)
        return origin->how != SYN_HOW_LEADERS;
    for (int32_t i = 0; i < comm->remote_size; i++)
        if (comm->remote->rank[i] < 0)
            return true;
    return false;
}

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

static void identify(struct syn_comm *comm, struct syn_comm *parent,
                     const struct syn_origin *origin)
{
    comm->how = (uint8_t)origin->how;
    comm->parent_id = parent && has_parent(comm, origin) ? parent->id : 0;
    if (comm->parent_id && counted_by_parent(origin->how))
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
    struct syn_comm *comm = known.unused;
    if (comm) {
        known.unused = comm->next;
        /* All zeros but the handle: it is null already, and who still remembers this state for that
         * of another communicator looks at it now. */
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

static void release(struct syn_comm *comm)
{
    syn_ranks_release(comm->group);
    syn_ranks_release(comm->remote);
    syn_shared_text_release(comm->parent_name);
    syn_shared_text_release(comm->name);
    free(comm->split);
    comm->next = known.unused;
    known.unused = comm;
}

/* Does nobody but the list of those to declare need it? MPI does until the callback has come:
 * MPICH sends it in the call that ends the last use of a freed communicator, a wait perhaps. */
static bool only_waits(const struct syn_comm *comm)
{
    return comm->gone && !comm->attribute_set && !comm->leaving && comm->pin_count == 0;
}

/* After one of those who need it has gone: give it back if that was the last one. */
static void settle(struct syn_comm *comm)
{
    if (!only_waits(comm))
        return;
    if (comm->listed)
        known.waiting_count++;
    else
        release(comm);
}

static void take_out(struct syn_comm *comm)
{
    if (comm->gone)
        return;
    syn_comm_table_remove(comm->key, comm);
    __atomic_store_n(&comm->handle, syn_mpi.comm_null, __ATOMIC_RELEASE);
    comm->gone = true;
}

static void forget(struct syn_comm *comm)
{
    take_out(comm);
    settle(comm);
}

static void settle_left(struct syn_comm *comm)
{
    comm->leaving = NULL;
    if (comm->freed)
        take_out(comm); /* the callback may have, or may come later */
    settle(comm);
}

/* RATIONALE: who makes and frees communicators all the time gives each back with the next one,
 * under a lock that it takes anyway. */
static void settle_before(struct syn_thread *self)
{
    if (!self || !self->left)
        return;
    settle_left(self->left);
    self->left = NULL;
}

/* RATIONALE: an attribute costs MPI a copy callback in each duplication, and memory. One is put on
 * a communicator when it is first used: many a library makes one for messages alone. */
static bool lacks_attribute(const struct syn_comm *comm)
{
    /* MPI_COMM_WORLD and MPI_COMM_SELF last as long as the run. */
    return !comm->attribute_set && syn_key_is_comm(comm->key) &&
           comm->key != syn_key_of_comm(syn_mpi.comm_world) &&
           comm->key != syn_key_of_comm(syn_mpi.comm_self);
}

static void provide_attribute(struct syn_comm *comm)
{
    if (lacks_attribute(comm))
        comm->attribute_set =
            syn_pmpi.Comm_set_attr(comm_handle(comm), known.keyval, comm) == MPI_SUCCESS;
}

static SYN_HOT int put(struct syn_comm *comm)
{
    struct syn_comm *stale = NULL;
    const int status = syn_comm_table_put(comm->key, comm, &stale);
    if (stale)
        forget(stale);
    return status;
}

/* With `like` MPI is not asked what it is. */
static struct syn_comm *add(uintptr_t key, struct syn_comm *parent, const struct syn_origin *origin,
                            const struct syn_comm *like)
{
    struct syn_comm *comm = new_comm(key);
    if (!comm)
        return NULL;
    if (like) {
        /* A duplicate, a window, a file: all ranks of the parent, in their order. */
        comm->size = like->size;
        comm->rank = like->rank;
        comm->remote_size = like->remote_size;
        comm->event_flags = like->event_flags;
        comm->neighbor_in_count = like->neighbor_in_count;
        comm->neighbor_out_count = like->neighbor_out_count;
        comm->group = syn_ranks_share(like->group);
        comm->remote = syn_ranks_share(like->remote);
    } else if (describe(comm)) {
        release(comm);
        return NULL;
    }
    identify(comm, parent, origin);
    comm->block_count = comm->remote_size > 0 ? comm->remote_size : comm->size;
    if (put(comm)) {
        release(comm);
        return NULL;
    }
    return comm;
}

static void list(struct syn_comm *comm)
{
    if (comm->listed)
        return;
    comm->listed = true;
    comm->next = NULL;
    *known.undeclared_end = comm;
    known.undeclared_end = &comm->next;
}

static struct syn_comm *with_index(struct syn_comm *comm)
{
    if (comm && comm->index == NO_INDEX) {
        comm->index = known.index_count++;
        list(comm);
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
    if (comm || !syn_lock_take(&known.lock))
        return comm;
    comm = syn_comm_table_find(key);
    syn_lock_give(&known.lock);
    return comm;
}

static bool is_complete(const struct syn_comm *comm)
{
    return comm->index != NO_INDEX && !lacks_attribute(comm);
}

/* From here on a thread that remembers it need not look it up. */
static void let_remember(struct syn_comm *comm)
{
    if (is_complete(comm) && syn_key_is_comm(comm->key))
        __atomic_store_n(&comm->handle, comm_handle(comm), __ATOMIC_RELEASE);
}

SYN_HOT struct syn_comm *syn_comm_lookup(uintptr_t key)
{
    static const struct syn_origin unseen = {.how = SYN_HOW_UNSEEN};
    struct syn_comm *comm = syn_comm_table_find(key);
    if (comm && is_complete(comm))
        return comm;
    if (!syn_lock_take(&known.lock))
        return NULL;
    comm = syn_comm_table_find(key);
    if (!comm)
        comm = add(key, NULL, &unseen, NULL);
    if (comm)
        provide_attribute(comm);
    const uint32_t known_count = known.index_count;
    comm = with_index(comm);
    if (comm)
        let_remember(comm);
    const bool is_new = known.index_count > known_count;
    syn_lock_give(&known.lock);
    if (is_new)
        syn_recorder_declare_new();
    return comm;
}

/* ---- coming and going ---- */

static bool is_null(uintptr_t made)
{
    return made == syn_key_of_comm(syn_mpi.comm_null);
}

/* RATIONALE: a program may duplicate a communicator and free the duplicate, for ever. The state of
 * one, which its thread has to give back, has all that the next one's needs but what is its own.
 * NULL where the one that `self` left is not so, or still needed by anybody else. */
static struct syn_comm *left_by(const struct syn_thread *self, const struct syn_comm *parent,
                                enum syn_how how)
{
    struct syn_comm *left = self ? self->left : NULL;
    if (!left || !parent || how != SYN_HOW_DUP || left->how != SYN_HOW_DUP ||
        left->parent_id != parent->id || left->parent_name != parent->name ||
        left->group != parent->group || left->remote != parent->remote)
        return NULL;
    const bool is_needed = left->listed || left->attribute_set || left->pin_count > 0;
    return is_needed || left->name || left->child_count > 0 ? NULL : left;
}

/* `left` becomes the state of the next duplicate. */
static struct syn_comm *add_again(struct syn_comm *left, uintptr_t key, struct syn_comm *parent)
{
    memset(left, 0, SYN_COMM_OWN_BYTES);
    left->key = key;
    left->index = NO_INDEX;
    number_in_parent(left, parent);
    if (put(left)) {
        release(left);
        return NULL;
    }
    return left;
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
    if (!syn_lock_take_openly(&known.lock))
        return NULL;
    struct syn_comm *comm = left_by(self, from, origin->how);
    if (comm) {
        self->left = NULL;
        comm = add_again(comm, made, from);
    } else {
        settle_before(self);
        /* MPI is asked for the members unless they are the parent's, in its order. */
        const struct syn_comm *like = (origin->how == SYN_HOW_DUP ||
                                       origin->how == SYN_HOW_WINDOW || origin->how == SYN_HOW_FILE)
                                          ? from
                                          : NULL;
        if (!like)
            syn_lock_hold(&known.lock);

        comm = add(made, from, origin, like);
    }
    syn_lock_give(&known.lock);
    return comm;
}

void syn_comm_being_made(uintptr_t made, struct syn_comm *from, const struct syn_origin *origin)
{
    if (is_null(made) || !syn_lock_take(&known.lock))
        return;
    add(made, from, origin, from);
    syn_lock_give(&known.lock);
}

void syn_comm_not_made(struct syn_comm *from, const struct syn_origin *origin)
{
    if (!counted_by_parent(origin->how) || !syn_lock_take_openly(&known.lock))
        return;
    from->child_count++;
    from->how_counts[origin->how]++;
    syn_lock_give(&known.lock);
}

/* RATIONALE: without the lock. As long as the program has it nobody else looks whether it is
 * leaving. */
SYN_HOT struct syn_comm *syn_comm_leaving(const struct syn_thread *self, uintptr_t key)
{
    struct syn_comm *comm = syn_comm_registered(key);
    if (comm)
        __atomic_store_n(&comm->leaving, self, __ATOMIC_RELAXED);
    return comm;
}

/* RATIONALE: nobody else looks at that either. */
SYN_HOT void syn_comm_freed(struct syn_comm *comm)
{
    comm->freed = true;
}

/* One that was declared only now is taken out already. */
SYN_HOT bool syn_comm_left(struct syn_thread *self, struct syn_comm *comm)
{
    if (comm->freed && comm->gone && !self->left) {
        self->left = comm;
        return false;
    }
    if (!syn_lock_take_openly(&known.lock))
        return false;
    settle_left(comm);
    const bool many = known.waiting_count >= WAITING_MAX;
    syn_lock_give(&known.lock);
    return many;
}

SYN_HOT struct syn_comm *syn_comm_with_index(struct syn_comm *comm)
{
    if (comm->index == NO_INDEX)
        syn_recorder_declare_comm(comm);
    if (comm->index != NO_INDEX)
        return comm;
    if (!syn_lock_take_openly(&known.lock))
        return NULL;
    with_index(comm);
    syn_lock_give(&known.lock);
    return comm;
}

SYN_HOT struct syn_comm *syn_comm_before_call(uintptr_t key)
{
    struct syn_comm *comm = syn_comm_known(key);
    return comm ? syn_comm_with_index(comm) : NULL;
}

void syn_comm_pin(struct syn_comm *comm)
{
    if (!syn_lock_take(&known.lock))
        return;
    comm->pin_count++;
    syn_lock_give(&known.lock);
}

void syn_comm_unpin(struct syn_comm *comm)
{
    if (!syn_lock_take(&known.lock))
        return;
    comm->pin_count--;
    settle(comm);
    syn_lock_give(&known.lock);
}

void syn_comm_named(MPI_Comm handle, const char *name)
{
    if (!syn_lock_take(&known.lock))
        return;
    struct syn_comm *comm = syn_comm_table_find(syn_key_of_comm(handle));
    struct syn_shared_text *text = comm && name && *name ? syn_shared_text_new(name) : NULL;
    if (text) {
        syn_shared_text_release(comm->name);
        comm->name = text;
        if (comm->declared)
            list(comm);
        comm->declared = false;
    }
    syn_lock_give(&known.lock);
}

/* MPI calls it when a communicator of ours goes, from any language. */
static int attribute_gone(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)handle;
    (void)key;
    (void)extra;
    struct syn_comm *comm = value;
    const struct syn_thread *leaving = __atomic_load_n(&comm->leaving, __ATOMIC_RELAXED);
    if (leaving && leaving == syn_self) { /* syn_comm_left follows, and does the rest */
        comm->attribute_set = false;
        return MPI_SUCCESS;
    }
    if (!syn_lock_take(&known.lock))
        return MPI_SUCCESS;
    comm->attribute_set = false;
    forget(comm);
    syn_lock_give(&known.lock);
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

/* ---- for the file ---- */

/* As the file has it: below 0 where it is of another MPI_COMM_WORLD. */
static int32_t remote_size_of(const struct syn_comm *comm)
{
    for (int32_t i = 0; i < comm->remote_size; i++)
        if (comm->remote->rank[i] >= 0)
            return comm->remote_size;
    return -comm->remote_size;
}

/* One that was renamed since it was declared has a record of its own in any case. */
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
    if (!syn_lock_take_openly(&known.lock))
        return SYN_OK;
    if (comm && comm->freed) {
        settle_before(syn_self);
        take_out(comm);
    }
    if (comm && comm->index == NO_INDEX && !known.undeclared) {
        /* It gets its index and is declared without being listed, for no other is. */
        comm->index = known.index_count++;
        status = declare_one(comm, to);
        comm->declared = status == SYN_OK;
        if (status != SYN_OK)
            list(comm);
    } else
        with_index(comm);
    while (known.undeclared && status == SYN_OK &&
           (status = declare_one(known.undeclared, to)) == SYN_OK) {
        struct syn_comm *const first = known.undeclared;
        known.undeclared = first->next;
        if (!known.undeclared)
            known.undeclared_end = &known.undeclared;
        first->listed = false;
        first->declared = true;
        if (only_waits(first)) {
            known.waiting_count--;
            release(first);
        }
    }
    syn_lock_give(&known.lock);
    return status;
}

/* ---- life ---- */

static struct syn_comm *add_predefined(MPI_Comm handle, const char *name, uint64_t id)
{
    static const struct syn_origin predefined = {.how = SYN_HOW_PREDEFINED};
    if (!syn_lock_take(&known.lock))
        return NULL;
    struct syn_comm *comm = with_index(add(syn_key_of_comm(handle), NULL, &predefined, NULL));
    if (comm) {
        provide_attribute(comm);
        let_remember(comm);
        comm->id = id;
        comm->name = syn_shared_text_new(name);
    }
    syn_lock_give(&known.lock);
    return comm;
}

int syn_comms_start(MPI_Comm all)
{
    if (syn_ranks_start(all) ||
        syn_pmpi.Comm_create_keyval(SYN_ATTRIBUTE_NOT_COPIED, attribute_gone, &known.keyval, NULL))
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
    if (known.keyval != MPI_KEYVAL_INVALID)
        syn_pmpi.Comm_free_keyval(&known.keyval);
    syn_ranks_stop();
}
