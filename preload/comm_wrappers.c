/* preload/comm_wrappers.c - see comm_wrappers.h. A constructor notes where the new communicator
 * comes from before the call, on every rank of the parent alike, and registers what it made after
 * it. */
#include "comm_wrappers.h"

#include "communicators.h"
#include "pmpi.h"
#include "recorder.h"

#define ENTER() syn_enter((uintptr_t)__builtin_frame_address(0))

static int made(struct syn_thread *self, int result, const MPI_Comm *comm,
                const struct syn_comm_origin *origin)
{
    if (result == MPI_SUCCESS)
        syn_comm_made(*comm, origin);
    syn_leave(self);
    return result;
}

/* CHILD(Name, how, parent, result, PARAMETERS, ARGUMENTS): collective over all ranks of `parent`.
 */
#define CHILD(Name, how, parent, result, PARAMETERS, ARGUMENTS)            \
    static int wrap_##Name PARAMETERS                                      \
    {                                                                      \
        struct syn_thread *self = ENTER();                                 \
        if (!self)                                                         \
            return syn_next.Name ARGUMENTS;                                \
        const struct syn_comm_origin origin = syn_comm_child(parent, how); \
        return made(self, syn_next.Name ARGUMENTS, result, &origin);       \
    }

CHILD(Comm_dup, "dup", comm, made_comm, (MPI_Comm comm, MPI_Comm *made_comm), (comm, made_comm))
CHILD(Comm_dup_with_info, "dup", comm, made_comm,
      (MPI_Comm comm, MPI_Info info, MPI_Comm *made_comm), (comm, info, made_comm))
CHILD(Comm_split, "split", comm, made_comm,
      (MPI_Comm comm, int color, int key, MPI_Comm *made_comm), (comm, color, key, made_comm))
CHILD(Comm_split_type, "split by type", comm, made_comm,
      (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made_comm),
      (comm, type, key, info, made_comm))
CHILD(Comm_create, "group", comm, made_comm, (MPI_Comm comm, MPI_Group group, MPI_Comm *made_comm),
      (comm, group, made_comm))
CHILD(Cart_create, "cart", comm, made_comm,
      (MPI_Comm comm, int dimension_count, const int dimensions[], const int periods[], int reorder,
       MPI_Comm *made_comm),
      (comm, dimension_count, dimensions, periods, reorder, made_comm))
CHILD(Cart_sub, "sub-grid", comm, made_comm,
      (MPI_Comm comm, const int remains[], MPI_Comm *made_comm), (comm, remains, made_comm))
CHILD(Graph_create, "graph", comm, made_comm,
      (MPI_Comm comm, int node_count, const int index[], const int edges[], int reorder,
       MPI_Comm *made_comm),
      (comm, node_count, index, edges, reorder, made_comm))
CHILD(Dist_graph_create, "graph", comm, made_comm,
      (MPI_Comm comm, int source_count, const int sources[], const int degrees[],
       const int destinations[], const int weights[], MPI_Info info, int reorder,
       MPI_Comm *made_comm),
      (comm, source_count, sources, degrees, destinations, weights, info, reorder, made_comm))
CHILD(Dist_graph_create_adjacent, "graph", comm, made_comm,
      (MPI_Comm comm, int in_degree, const int sources[], const int source_weights[],
       int out_degree, const int destinations[], const int destination_weights[], MPI_Info info,
       int reorder, MPI_Comm *made_comm),
      (comm, in_degree, sources, source_weights, out_degree, destinations, destination_weights,
       info, reorder, made_comm))
CHILD(Intercomm_merge, "merge", comm, made_comm, (MPI_Comm comm, int high, MPI_Comm *made_comm),
      (comm, high, made_comm))

static int wrap_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made_comm)
{
    struct syn_thread *self = ENTER();
    if (!self)
        return syn_next.Comm_create_group(comm, group, tag, made_comm);
    const struct syn_comm_origin origin = syn_comm_of_group(comm, tag, "group");
    return made(self, syn_next.Comm_create_group(comm, group, tag, made_comm), made_comm, &origin);
}

static int wrap_Intercomm_create(MPI_Comm comm, int leader, MPI_Comm peer, int remote_leader,
                                 int tag, MPI_Comm *made_comm)
{
    struct syn_thread *self = ENTER();
    if (!self)
        return syn_next.Intercomm_create(comm, leader, peer, remote_leader, tag, made_comm);
    const struct syn_comm_origin origin = syn_comm_of_leaders(tag, "intercommunicator");
    return made(self, syn_next.Intercomm_create(comm, leader, peer, remote_leader, tag, made_comm),
                made_comm, &origin);
}

/* Both MPIs hand out the new handle at once; the program may use it after the request's completion
 * only, and so does not mind that we put another value there first to see whether it does. */
static int wrap_Comm_idup(MPI_Comm comm, MPI_Comm *made_comm, MPI_Request *request)
{
    struct syn_thread *self = ENTER();
    if (!self)
        return syn_next.Comm_idup(comm, made_comm, request);
    const struct syn_comm_origin origin = syn_comm_child(comm, "dup");
    *made_comm = syn_mpi.comm_null;
    const int result = syn_next.Comm_idup(comm, made_comm, request);
    if (result == MPI_SUCCESS)
        syn_comm_being_made(*made_comm, &origin, comm);
    syn_leave(self);
    return result;
}

/* The delete callback takes it out of the table, but for one whose attribute could not be set yet.
 */
#define GOING(Name)                             \
    static int wrap_##Name(MPI_Comm *comm)      \
    {                                           \
        struct syn_thread *self = ENTER();      \
        if (!self)                              \
            return syn_next.Name(comm);         \
        if (comm)                               \
            syn_comm_leaving(*comm);            \
        const int result = syn_next.Name(comm); \
        syn_leave(self);                        \
        return result;                          \
    }

GOING(Comm_free)
GOING(Comm_disconnect)

static int wrap_Comm_set_name(MPI_Comm comm, const char *name)
{
    const int result = syn_next.Comm_set_name(comm, name);
    if (result == MPI_SUCCESS)
        syn_comm_named(comm, name);
    return result;
}

#define WRAPPED(X)                                                                                \
    X(Comm_dup)                                                                                   \
    X(Comm_dup_with_info)                                                                         \
    X(Comm_idup)                                                                                  \
    X(Comm_split)                                                                                 \
    X(Comm_split_type)                                                                            \
    X(Comm_create) X(Comm_create_group) X(Cart_create) X(Cart_sub) X(Graph_create)                \
        X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) \
            X(Comm_free) X(Comm_disconnect) X(Comm_set_name)

/* The initializers also check each wrapper's type against mpi.h. */
static struct {
#define MEMBER(Name) __typeof__(&MPI_##Name) Name;
    WRAPPED(MEMBER)
} const typed = {
#define INITIALIZER(Name) .Name = wrap_##Name,
    WRAPPED(INITIALIZER)};

size_t syn_comm_wrappers_add(struct syn_wrapper *wrappers)
{
    size_t count = 0;
#define ADD(Name) \
    wrappers[count++] = (struct syn_wrapper){"MPI_" #Name, (void (*)(void))typed.Name};
    WRAPPED(ADD)
    return count;
}
