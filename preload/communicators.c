/* preload/communicators.c - see communicators.h. */
#include "communicators.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../sync/status.h"
#include "comm_table.h"
#include "pmpi.h"

#define NO_INDEX UINT32_MAX

uint64_t syn_comm_generation = 1;

/* Error checking: a signal handler that calls exit() may come upon its own thread holding it. */
static pthread_mutex_t mutex = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static int keyval = MPI_KEYVAL_INVALID;
static MPI_Group world_group;
static const struct syn_comm *world;
static struct syn_comm **by_index;
static uint32_t index_count, index_room;

/* How many communicators of one key there were: for those whose parent does not count them. */
static struct {
    uint64_t key;
    uint32_t count;
} * counters;
static size_t counter_count, counter_room;

/* ---- identity ---- */

static uint64_t mix(uint64_t a, uint64_t b)
{
    uint64_t x = (a ^ 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u + b;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t hash_ranks(const int32_t *ranks, int32_t count)
{
    uint64_t hash = (uint64_t)count;
    for (int32_t i = 0; i < count; i++)
        hash = mix(hash, (uint64_t)(uint32_t)ranks[i]);
    return hash;
}

/* Under the mutex. The members of a group make communicators of it in one order, so they count
 * alike. */
static uint32_t count_key(uint64_t key)
{
    for (size_t i = counter_count; i-- > 0;)
        if (counters[i].key == key)
            return ++counters[i].count;
    if (counter_count == counter_room) {
        const size_t room = counter_room ? counter_room * 2 : 64;
        void *grown = realloc(counters, room * sizeof *counters);
        if (!grown)
            return 0;
        counters = grown;
        counter_room = room;
    }
    counters[counter_count].key = key;
    counters[counter_count++].count = 1;
    return 1;
}

static uintptr_t key_of(MPI_Comm handle)
{
    return (uintptr_t)handle;
}

/* ---- what MPI says of a communicator ---- */

/* The ranks of `group` in syn_mpi.comm_world, -1 where they are of another world. Frees `group`.
 * NULL where memory is short. */
static int32_t *world_ranks_of(MPI_Group group, int32_t size)
{
    int *own = malloc(((size_t)size + 1) * sizeof *own);
    int32_t *ranks = malloc(((size_t)size + 1) * sizeof *ranks);
    for (int i = 0; own && i < size; i++)
        own[i] = i;
    if (!own || !ranks ||
        syn_pmpi.Group_translate_ranks(group, size, own, world_group, ranks) != MPI_SUCCESS) {
        free(ranks);
        ranks = NULL;
    }
    for (int i = 0; ranks && i < size; i++)
        if (ranks[i] == MPI_UNDEFINED)
            ranks[i] = -1;
    free(own);
    syn_pmpi.Group_free(&group);
    return ranks;
}

/* Most communicators are as large as the world or their parent: one copy serves all of those. */
static int32_t *share_ranks(struct syn_comm *comm, int32_t *ranks)
{
    if (!world || comm->size != world->size ||
        memcmp(ranks, world->world_ranks, (size_t)comm->size * sizeof *ranks))
        return ranks;
    free(ranks);
    comm->ranks_shared = true;
    return world->world_ranks;
}

static int describe_group(struct syn_comm *comm)
{
    MPI_Group group;
    int size = 0, rank = 0;
    if (syn_pmpi.Comm_size(comm->handle, &size) || syn_pmpi.Comm_rank(comm->handle, &rank) ||
        syn_pmpi.Comm_group(comm->handle, &group))
        return SYN_ETRANSPORT;
    int32_t *ranks = world_ranks_of(group, size);
    if (!ranks)
        return SYN_ENOMEM;
    comm->size = size;
    comm->rank = rank;
    comm->world_ranks = share_ranks(comm, ranks);
    comm->group_hash = hash_ranks(comm->world_ranks, size);
    return SYN_OK;
}

static int describe_remote(struct syn_comm *comm)
{
    int inter = 0, size = 0;
    if (syn_pmpi.Comm_test_inter(comm->handle, &inter) || !inter)
        return SYN_OK;
    MPI_Group group;
    if (syn_pmpi.Comm_remote_size(comm->handle, &size) ||
        syn_pmpi.Comm_remote_group(comm->handle, &group))
        return SYN_ETRANSPORT;
    int32_t *ranks = world_ranks_of(group, size);
    if (!ranks)
        return SYN_ENOMEM;
    comm->remote_hash = hash_ranks(ranks, size);
    comm->remote_first_rank = ranks[0];
    comm->remote_size = size;
    comm->event_flags = SYN_EVENT_INTERCOMM;
    free(ranks);
    return SYN_OK;
}

static void describe_neighbors(struct syn_comm *comm)
{
    int topology = MPI_UNDEFINED, in = 0, out = 0, weighted;
    if (comm->remote_size > 0 || syn_pmpi.Topo_test(comm->handle, &topology))
        return;
    if (topology == MPI_CART && !syn_pmpi.Cartdim_get(comm->handle, &in))
        in = out = 2 * in;
    else if (topology == MPI_GRAPH &&
             !syn_pmpi.Graph_neighbors_count(comm->handle, comm->rank, &in))
        out = in;
    else if (topology == MPI_DIST_GRAPH)
        syn_pmpi.Dist_graph_neighbors_count(comm->handle, &in, &out, &weighted);
    comm->neighbor_in_count = in;
    comm->neighbor_out_count = out;
}

/* ---- registering, under the mutex ---- */

/* Both groups of an intercommunicator compute the same: unordered. */
static uint64_t first_ranks(const struct syn_comm *comm)
{
    const uint32_t own = (uint32_t)comm->world_ranks[0];
    if (comm->remote_size == 0)
        return own;
    const uint32_t other = (uint32_t)comm->remote_first_rank;
    return own < other ? (uint64_t)own << 32 | other : (uint64_t)other << 32 | own;
}

static uint64_t groups_hash(const struct syn_comm *comm)
{
    if (comm->remote_size == 0)
        return comm->group_hash;
    return comm->group_hash < comm->remote_hash ? mix(comm->group_hash, comm->remote_hash)
                                                : mix(comm->remote_hash, comm->group_hash);
}

static void name_child(struct syn_comm *comm, const struct syn_comm_origin *origin, uint32_t number)
{
    if (origin->parent_name[0])
        snprintf(comm->name, sizeof comm->name, "%s of %.80s #%u", origin->how, origin->parent_name,
                 number);
    else
        snprintf(comm->name, sizeof comm->name, "%s #%u", origin->how, number);
}

/* origin NULL: made by a call that we did not see. */
static void identify(struct syn_comm *comm, const struct syn_comm_origin *origin)
{
    static const struct syn_comm_origin unseen = {.how = "communicator", .key = 0x75};
    const struct syn_comm_origin *from = origin ? origin : &unseen;
    uint32_t number = from->number;
    uint64_t key = mix(from->parent_id, from->key);
    if (number == 0) {
        key = mix(key, groups_hash(comm));
        number = count_key(key);
    }
    const uint64_t id = mix(mix(key, number), first_ranks(comm));
    comm->id = id ? id : 1;
    comm->parent_id = from->parent_id;
    name_child(comm, from, number);
}

static void release(struct syn_comm *comm)
{
    if (comm->world_ranks && !comm->ranks_shared)
        free(comm->world_ranks);
    free(comm);
}

static void set_attribute(struct syn_comm *comm)
{
    comm->attribute_set = syn_pmpi.Comm_set_attr(comm->handle, keyval, comm) == MPI_SUCCESS;
}

static void take_out(struct syn_comm *comm)
{
    if (syn_comm_table_find(key_of(comm->handle)) == comm)
        syn_comm_table_remove(key_of(comm->handle));
    __atomic_add_fetch(&syn_comm_generation, 1, __ATOMIC_RELEASE);
}

/* The communicator is gone; its state stays if events or other states refer to it. */
static void forget(struct syn_comm *comm)
{
    take_out(comm);
    if (comm->index == NO_INDEX && !comm->ranks_shared)
        release(comm);
}

static int put(struct syn_comm *comm)
{
    comm->block_count = comm->remote_size > 0 ? comm->remote_size : comm->size;
    struct syn_comm *stale = syn_comm_table_find(key_of(comm->handle));
    if (stale)
        take_out(stale);
    return syn_comm_table_put(key_of(comm->handle), comm);
}

static struct syn_comm *new_comm(MPI_Comm handle)
{
    struct syn_comm *comm = calloc(1, sizeof *comm);
    if (comm) {
        comm->handle = handle;
        comm->index = NO_INDEX;
    }
    return comm;
}

static struct syn_comm *add(MPI_Comm handle, const struct syn_comm_origin *origin)
{
    struct syn_comm *comm = new_comm(handle);
    if (!comm || describe_group(comm) || describe_remote(comm)) {
        if (comm)
            release(comm);
        return NULL;
    }
    describe_neighbors(comm);
    identify(comm, origin);
    if (put(comm)) {
        release(comm);
        return NULL;
    }
    set_attribute(comm);
    return comm;
}

static struct syn_comm *with_index(struct syn_comm *comm)
{
    if (comm->index != NO_INDEX)
        return comm;
    if (index_count == index_room) {
        const uint32_t room = index_room ? index_room * 2 : 64;
        void *grown = realloc(by_index, room * sizeof *by_index);
        if (!grown)
            return NULL;
        by_index = grown;
        index_room = room;
    }
    by_index[index_count] = comm;
    comm->index = index_count++;
    return comm;
}

/* ---- the interface ---- */

struct syn_comm *syn_comm_known(MPI_Comm handle)
{
    return syn_comm_table_find(key_of(handle));
}

struct syn_comm *syn_comm_registered(MPI_Comm handle)
{
    struct syn_comm *comm = syn_comm_table_find(key_of(handle));
    if (comm)
        return comm;
    pthread_mutex_lock(&mutex);
    comm = syn_comm_table_find(key_of(handle));
    pthread_mutex_unlock(&mutex);
    return comm;
}

struct syn_comm *syn_comm_lookup(MPI_Comm handle)
{
    struct syn_comm *comm = syn_comm_table_find(key_of(handle));
    if (comm && comm->index != NO_INDEX && comm->attribute_set)
        return comm;
    pthread_mutex_lock(&mutex);
    comm = syn_comm_table_find(key_of(handle));
    if (!comm)
        comm = add(handle, NULL);
    if (comm && !comm->attribute_set)
        set_attribute(comm); /* an idup that is complete by now */
    comm = comm ? with_index(comm) : NULL;
    pthread_mutex_unlock(&mutex);
    return comm;
}

struct syn_comm_origin syn_comm_child(MPI_Comm parent, const char *how)
{
    struct syn_comm_origin origin = {.how = how, .key = 0x63};
    pthread_mutex_lock(&mutex);
    struct syn_comm *from = syn_comm_table_find(key_of(parent));
    if (from) {
        origin.parent_id = from->id;
        origin.number = ++from->child_count;
        memcpy(origin.parent_name, from->name, sizeof origin.parent_name);
    }
    pthread_mutex_unlock(&mutex);
    return origin;
}

struct syn_comm_origin syn_comm_of_group(MPI_Comm parent, int tag, const char *how)
{
    struct syn_comm_origin origin = {.how = how, .key = mix(0x67, (uint64_t)(unsigned)tag)};
    pthread_mutex_lock(&mutex);
    const struct syn_comm *from = syn_comm_table_find(key_of(parent));
    if (from) {
        origin.parent_id = from->id;
        memcpy(origin.parent_name, from->name, sizeof origin.parent_name);
    }
    pthread_mutex_unlock(&mutex);
    return origin;
}

struct syn_comm_origin syn_comm_of_leaders(int tag, const char *how)
{
    return (struct syn_comm_origin){.how = how, .key = mix(0x6c, (uint64_t)(unsigned)tag)};
}

void syn_comm_made(MPI_Comm made, const struct syn_comm_origin *origin)
{
    if (made == syn_mpi.comm_null)
        return;
    pthread_mutex_lock(&mutex);
    add(made, origin);
    pthread_mutex_unlock(&mutex);
}

/* A duplicate under way: everything about it is its parent's. */
static struct syn_comm *like_parent(MPI_Comm made, struct syn_comm *parent)
{
    struct syn_comm *comm = new_comm(made);
    if (!comm)
        return NULL;
    comm->size = parent->size;
    comm->rank = parent->rank;
    comm->remote_size = parent->remote_size;
    comm->remote_hash = parent->remote_hash;
    comm->remote_first_rank = parent->remote_first_rank;
    comm->event_flags = parent->event_flags;
    comm->neighbor_in_count = parent->neighbor_in_count;
    comm->neighbor_out_count = parent->neighbor_out_count;
    comm->group_hash = parent->group_hash;
    comm->world_ranks = parent->world_ranks;
    comm->ranks_shared = parent->ranks_shared = true;
    return comm;
}

void syn_comm_being_made(MPI_Comm made, const struct syn_comm_origin *origin, MPI_Comm like)
{
    pthread_mutex_lock(&mutex);
    struct syn_comm *parent = syn_comm_table_find(key_of(like));
    struct syn_comm *comm = parent && made != syn_mpi.comm_null && origin->number > 0
                                ? like_parent(made, parent)
                                : NULL;
    if (comm) {
        identify(comm, origin);
        if (put(comm))
            release(comm);
    }
    pthread_mutex_unlock(&mutex);
}

void syn_comm_leaving(MPI_Comm handle)
{
    pthread_mutex_lock(&mutex);
    struct syn_comm *comm = syn_comm_table_find(key_of(handle));
    if (comm && !comm->attribute_set)
        forget(comm);
    pthread_mutex_unlock(&mutex);
}

void syn_comm_named(MPI_Comm handle, const char *name)
{
    pthread_mutex_lock(&mutex);
    struct syn_comm *comm = syn_comm_table_find(key_of(handle));
    if (comm && name && *name)
        snprintf(comm->name, sizeof comm->name, "%s", name);
    pthread_mutex_unlock(&mutex);
}

const struct syn_comm *syn_comm_at(uint32_t index)
{
    if (pthread_mutex_lock(&mutex))
        return NULL;
    const struct syn_comm *comm = index < index_count ? by_index[index] : NULL;
    pthread_mutex_unlock(&mutex);
    return comm;
}

/* MPI calls it when a communicator of ours goes, from any language. */
static int attribute_gone(MPI_Comm handle, int key, void *value, void *extra)
{
    (void)handle;
    (void)key;
    (void)extra;
    pthread_mutex_lock(&mutex);
    forget(value);
    pthread_mutex_unlock(&mutex);
    return MPI_SUCCESS;
}

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

static struct syn_comm *add_predefined(MPI_Comm handle, const char *name, uint64_t id)
{
    pthread_mutex_lock(&mutex);
    struct syn_comm *comm = add(handle, NULL);
    if (comm && with_index(comm)) {
        comm->id = id;
        snprintf(comm->name, sizeof comm->name, "%s", name);
    }
    pthread_mutex_unlock(&mutex);
    return comm;
}

int syn_comms_start(void)
{
    if (syn_pmpi.Comm_group(syn_mpi.comm_world, &world_group) ||
        syn_pmpi.Comm_create_keyval(syn_attribute_not_copied, attribute_gone, &keyval, NULL))
        return SYN_ETRANSPORT;
    struct syn_comm *all = add_predefined(syn_mpi.comm_world, "MPI_COMM_WORLD", mix(1, 1));
    if (!all)
        return SYN_ENOMEM;
    world = all;
    const uint64_t self_id = mix(2, (uint64_t)(unsigned)world->rank);
    return add_predefined(syn_mpi.comm_self, "MPI_COMM_SELF", self_id) ? SYN_OK : SYN_ENOMEM;
}

void syn_comms_stop(void)
{
    if (keyval != MPI_KEYVAL_INVALID)
        syn_pmpi.Comm_free_keyval(&keyval);
    syn_pmpi.Group_free(&world_group);
}
