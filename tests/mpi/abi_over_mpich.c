/* tests/mpi/abi_over_mpich.c - a libmpi_abi.so.1 for tests: the standard ABI in front of an MPICH
 * with its own, so that programs of the ABI run, on several ranks, where no such MPI is installed.
 *
 * Handles of MPICH are ints of which the upper bits say of what kind they are, those of the ABI
 * pointers whose predefined values are small. So what MPICH makes is handed on as it is, and only
 * what is predefined is looked up. A function that no test calls fails. */
#include <dlfcn.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNUSED __attribute__((unused))

/* ---- MPICH ---- */

static void *native(const char *name)
{
    static void *library;
    if (!library)
        library = dlopen("libmpich.so.12", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libmpi.so.12", RTLD_NOW | RTLD_LOCAL);
    void *found = library ? dlsym(library, name) : NULL;
    if (!found) {
        fprintf(stderr, "abi_over_mpich: no %s\n", name);
        _Exit(99);
    }
    return found;
}

/* MPICH's function of a name, to be called with any arguments. */
#define NATIVE(Name)                                    \
    ({                                                  \
        static void *function;                          \
        if (!function)                                  \
            function = native("PMPI_" #Name);           \
        (int (*)()) function; /* without a prototype */ \
    })

struct native_status {
    int count_low, count_high, source, tag, error;
};

/* ---- handles ---- */

static const struct {
    uintptr_t abi;
    int native;
} predefined[] = {
    {0x20, 0x18000000},  /* MPI_OP_NULL */
    {0x21, 0x58000003},  /* MPI_SUM */
    {0x22, 0x58000002},  /* MPI_MIN */
    {0x23, 0x58000001},  /* MPI_MAX */
    {0x24, 0x58000004},  /* MPI_PROD */
    {0x100, 0x04000000}, /* MPI_COMM_NULL */
    {0x101, 0x44000000}, /* MPI_COMM_WORLD */
    {0x102, 0x44000001}, /* MPI_COMM_SELF */
    {0x108, 0x08000000}, /* MPI_GROUP_NULL */
    {0x109, 0x48000000}, /* MPI_GROUP_EMPTY */
    {0x130, 0x1c000000}, /* MPI_INFO_NULL */
    {0x141, 0x54000000}, /* MPI_ERRORS_ARE_FATAL */
    {0x143, 0x54000001}, /* MPI_ERRORS_RETURN */
    {0x180, 0x2c000000}, /* MPI_REQUEST_NULL */
    {0x200, 0x0c000000}, /* MPI_DATATYPE_NULL */
    {0x201, 0x4c000843}, /* MPI_AINT */
    {0x202, 0x4c000845}, /* MPI_COUNT */
    {0x203, 0x4c000844}, /* MPI_OFFSET */
    {0x208, 0x4c000203}, /* MPI_SHORT */
    {0x209, 0x4c000405}, /* MPI_INT */
    {0x20a, 0x4c000807}, /* MPI_LONG */
    {0x20b, 0x4c000809}, /* MPI_LONG_LONG */
    {0x20d, 0x4c000406}, /* MPI_UNSIGNED */
    {0x20e, 0x4c000808}, /* MPI_UNSIGNED_LONG */
    {0x20f, 0x4c000819}, /* MPI_UNSIGNED_LONG_LONG */
    {0x210, 0x4c00040a}, /* MPI_FLOAT */
    {0x214, 0x4c00080b}, /* MPI_DOUBLE */
    {0x240, 0x4c000137}, /* MPI_INT8_T */
    {0x241, 0x4c00013b}, /* MPI_UINT8_T */
    {0x243, 0x4c000101}, /* MPI_CHAR */
    {0x244, 0x4c000118}, /* MPI_SIGNED_CHAR */
    {0x245, 0x4c000102}, /* MPI_UNSIGNED_CHAR */
    {0x247, 0x4c00010d}, /* MPI_BYTE */
    {0x250, 0x4c000439}, /* MPI_INT32_T */
    {0x258, 0x4c00083a}, /* MPI_INT64_T */
    {0x259, 0x4c00083e}, /* MPI_UINT64_T */
};
enum { PREDEFINED_COUNT = sizeof predefined / sizeof *predefined };

static int to_native(const void *handle)
{
    for (size_t i = 0; i < PREDEFINED_COUNT; i++)
        if (predefined[i].abi == (uintptr_t)handle)
            return predefined[i].native;
    return (int)(uintptr_t)handle;
}

static void *to_abi(int handle)
{
    for (size_t i = 0; i < PREDEFINED_COUNT; i++)
        if (predefined[i].native == handle)
            return (void *)predefined[i].abi;
    return (void *)(uintptr_t)(unsigned)handle;
}

#define H(handle) to_native(handle)

/* An array of handles, the same memory for one call: [count] of the ABI in, ints out. */
static int *to_natives(const void *handles, int count)
{
    void *const *from = handles;
    int *all = malloc((size_t)count * sizeof *all + 1);
    for (int i = 0; i < count; i++)
        all[i] = to_native(from[i]);
    return all;
}

static void back_to_abi(int *all, void *handles, int count)
{
    void **to = handles;
    for (int i = 0; i < count; i++)
        to[i] = to_abi(all[i]);
    free(all);
}

/* ---- other arguments ---- */

static const void *buffer_of(const void *buffer)
{
    return buffer == MPI_IN_PLACE ? (const void *)-1 : buffer;
}

#define B(buffer) buffer_of(buffer)

static int peer_of(int peer)
{
    return peer == MPI_ANY_SOURCE ? -2 : peer == MPI_PROC_NULL ? -1 : peer;
}

static int root_of(int root)
{
    return root == MPI_ROOT ? -3 : root == MPI_PROC_NULL ? -1 : root;
}

static int split_color(int color)
{
    return color == MPI_UNDEFINED ? -32766 : color;
}

static int split_kind(int kind)
{
    return kind == MPI_COMM_TYPE_SHARED ? 1 : kind == MPI_UNDEFINED ? -32766 : kind;
}

static void status_back(const struct native_status *from, MPI_Status *to)
{
    if (!to)
        return;
    to->MPI_SOURCE = from->source == -1 ? MPI_PROC_NULL : from->source;
    to->MPI_TAG = from->tag;
    to->MPI_ERROR = from->error;
    to->MPI_internal[0] = from->count_low;
    to->MPI_internal[1] = from->count_high;
}

/* ---- functions ---- */

/* Both names of one function. */
#define EXPORTED(Type, Name, PARAMETERS)                                    \
    Type MPI_##Name PARAMETERS __attribute__((weak, alias("PMPI_" #Name))); \
    Type PMPI_##Name PARAMETERS

/* Without a handle of MPI's to be returned. */
#define PLAIN(Name, PARAMETERS, ARGUMENTS) \
    EXPORTED(int, Name, PARAMETERS)        \
    {                                      \
        return NATIVE(Name) ARGUMENTS;     \
    }
/* With one, in `made`, for which ARGUMENTS have &native_made. */
#define MAKING(Name, made, PARAMETERS, ARGUMENTS)    \
    EXPORTED(int, Name, PARAMETERS)                  \
    {                                                \
        int native_made = to_native(*(void **)made); \
        const int result = NATIVE(Name) ARGUMENTS;   \
        *(void **)made = to_abi(native_made);        \
        return result;                               \
    }

#define UNPACK(...) __VA_ARGS__
#define COLLECTIVE(Name, Iname, PARAMETERS, ARGUMENTS)                                      \
    PLAIN(Name, (UNPACK PARAMETERS), (UNPACK ARGUMENTS))                                    \
    MAKING(Iname, request, (UNPACK PARAMETERS, MPI_Request * request),                      \
           (UNPACK ARGUMENTS, &native_made))                                                \
    MAKING(Name##_init, request, (UNPACK PARAMETERS, MPI_Info info, MPI_Request * request), \
           (UNPACK ARGUMENTS, H(info), &native_made))

/* Arrays to which MPICH keeps pointers until the request completes. They are never freed, for a
 * test is short. */
static int *kept_types(const MPI_Datatype *types, MPI_Comm comm)
{
    int count = 0, topology = -1;
    NATIVE(Comm_size)(H(comm), &count);
    NATIVE(Topo_test)(H(comm), &topology);
    if (topology == 2) /* a grid, of one dimension in the tests */
        count = 2;
    return types ? to_natives(types, count) : NULL;
}

COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm), (H(comm)))
COLLECTIVE(Bcast, Ibcast, (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm),
           (buffer, count, H(type), root_of(root), H(comm)))
#define BLOCKS                                                                            \
    const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count, \
        MPI_Datatype recv_type
#define BLOCKS_ARGUMENTS B(send), send_count, H(send_type), B(recv), recv_count, H(recv_type)
COLLECTIVE(Gather, Igather, (BLOCKS, int root, MPI_Comm comm),
           (BLOCKS_ARGUMENTS, root_of(root), H(comm)))
COLLECTIVE(Scatter, Iscatter, (BLOCKS, int root, MPI_Comm comm),
           (BLOCKS_ARGUMENTS, root_of(root), H(comm)))
COLLECTIVE(Allgather, Iallgather, (BLOCKS, MPI_Comm comm), (BLOCKS_ARGUMENTS, H(comm)))
COLLECTIVE(Alltoall, Ialltoall, (BLOCKS, MPI_Comm comm), (BLOCKS_ARGUMENTS, H(comm)))
COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, (BLOCKS, MPI_Comm comm),
           (BLOCKS_ARGUMENTS, H(comm)))
COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, (BLOCKS, MPI_Comm comm),
           (BLOCKS_ARGUMENTS, H(comm)))
#define GATHERED                                                                                   \
    const void *send, int send_count, MPI_Datatype send_type, void *recv, const int recv_counts[], \
        const int displs[], MPI_Datatype recv_type
#define GATHERED_ARGUMENTS \
    B(send), send_count, H(send_type), B(recv), recv_counts, displs, H(recv_type)
COLLECTIVE(Gatherv, Igatherv, (GATHERED, int root, MPI_Comm comm),
           (GATHERED_ARGUMENTS, root_of(root), H(comm)))
COLLECTIVE(Allgatherv, Iallgatherv, (GATHERED, MPI_Comm comm), (GATHERED_ARGUMENTS, H(comm)))
COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, (GATHERED, MPI_Comm comm),
           (GATHERED_ARGUMENTS, H(comm)))
COLLECTIVE(Scatterv, Iscatterv,
           (const void *send, const int send_counts[], const int displs[], MPI_Datatype send_type,
            void *recv, int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm),
           (B(send), send_counts, displs, H(send_type), B(recv), recv_count, H(recv_type),
            root_of(root), H(comm)))
#define EXCHANGED                                                                               \
    const void *send, const int send_counts[], const int send_displs[], MPI_Datatype send_type, \
        void *recv, const int recv_counts[], const int recv_displs[], MPI_Datatype recv_type,   \
        MPI_Comm comm
#define EXCHANGED_ARGUMENTS                                                             \
    B(send), send_counts, send_displs, H(send_type), B(recv), recv_counts, recv_displs, \
        H(recv_type), H(comm)
COLLECTIVE(Alltoallv, Ialltoallv, (EXCHANGED), (EXCHANGED_ARGUMENTS))
COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, (EXCHANGED), (EXCHANGED_ARGUMENTS))
#define TYPED(Displacement)                                                      \
    const void *send, const int send_counts[], const Displacement send_displs[], \
        const MPI_Datatype send_types[], void *recv, const int recv_counts[],    \
        const Displacement recv_displs[], const MPI_Datatype recv_types[], MPI_Comm comm
#define TYPED_ARGUMENTS                                                                            \
    B(send), send_counts, send_displs, send == MPI_IN_PLACE ? NULL : kept_types(send_types, comm), \
        recv, recv_counts, recv_displs, kept_types(recv_types, comm), H(comm)
COLLECTIVE(Alltoallw, Ialltoallw, (TYPED(int)), (TYPED_ARGUMENTS))
COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw, (TYPED(MPI_Aint)), (TYPED_ARGUMENTS))
#define REDUCED const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op
COLLECTIVE(Reduce, Ireduce, (REDUCED, int root, MPI_Comm comm),
           (B(send), recv, count, H(type), H(op), root_of(root), H(comm)))
#define REDUCTION(Name, Iname)                        \
    COLLECTIVE(Name, Iname, (REDUCED, MPI_Comm comm), \
               (B(send), recv, count, H(type), H(op), H(comm)))
REDUCTION(Allreduce, Iallreduce)
REDUCTION(Reduce_scatter_block, Ireduce_scatter_block)
REDUCTION(Scan, Iscan)
REDUCTION(Exscan, Iexscan)
COLLECTIVE(Reduce_scatter, Ireduce_scatter,
           (const void *send, void *recv, const int recv_counts[], MPI_Datatype type, MPI_Op op,
            MPI_Comm comm),
           (B(send), recv, recv_counts, H(type), H(op), H(comm)))

/* ---- life ---- */

EXPORTED(int, Abi_get_version, (int *major, int *minor))
{
    const char *other = getenv("ABI_OVER_MPICH_VERSION"); /* a test's: an ABI to come */
    *major = other ? atoi(other) : 1;
    *minor = 0;
    return MPI_SUCCESS;
}
PLAIN(Init, (int *argc, char ***argv), (argc, argv))
PLAIN(Initialized, (int *flag), (flag))
static int native_level(int level)
{
    return level / 1024 - (level == MPI_THREAD_MULTIPLE);
}
static int abi_level(int level)
{
    return level == 0 ? 0 : 512 << level;
}
EXPORTED(int, Init_thread, (int *argc, char ***argv, int required, int *provided))
{
    const int result = NATIVE(Init_thread)(argc, argv, native_level(required), provided);
    *provided = abi_level(*provided);
    return result;
}
EXPORTED(int, Query_thread, (int *provided))
{
    const int result = NATIVE(Query_thread)(provided);
    *provided = abi_level(*provided);
    return result;
}
PLAIN(Finalize, (void), ())
PLAIN(Abort, (MPI_Comm comm, int code), (H(comm), code))
PLAIN(Get_version, (int *version, int *subversion), (version, subversion))
PLAIN(Get_library_version, (char *version, int *length), (version, length))
EXPORTED(double, Wtime, (void))
{
    static double (*function)(void);
    if (!function)
        function = (double (*)(void))native("PMPI_Wtime");
    return function();
}
/* The classes that the tests make have the same numbers in MPICH but for those above 11. */
EXPORTED(int, Error_class, (int code, int *error_class))
{
    static const struct {
        int native, abi;
    } moved[] = {{11, MPI_ERR_DIMS},  {12, MPI_ERR_ARG},      {4, MPI_ERR_TAG},
                 {15, MPI_ERR_OTHER}, {10, MPI_ERR_TOPOLOGY}, {9, MPI_ERR_OP},
                 {8, MPI_ERR_GROUP},  {7, MPI_ERR_ROOT},      {19, MPI_ERR_REQUEST}};
    int class = 0;
    const int result = NATIVE(Error_class)(code, &class);
    *error_class = class;
    for (size_t i = 0; i < sizeof moved / sizeof *moved; i++)
        if (moved[i].native == class)
            *error_class = moved[i].abi;
    return result;
}
EXPORTED(MPI_Comm, Comm_fromint, (int handle))
{
    const char *other = getenv("ABI_OVER_MPICH_FROMINT"); /* a test's: another numbering */
    return (MPI_Comm)(uintptr_t)(unsigned)(other ? handle + atoi(other) : handle);
}
EXPORTED(int, Pcontrol, (const int level, ...))
{
    (void)level;
    return MPI_SUCCESS;
}

/* ---- communicators and groups ---- */

#define MADE_COMM(Name, PARAMETERS, ARGUMENTS)                           \
    EXPORTED(int, Name, (UNPACK PARAMETERS, MPI_Comm * made))            \
    {                                                                    \
        int native_made = 0;                                             \
        const int result = NATIVE(Name)(UNPACK ARGUMENTS, &native_made); \
        if (result == MPI_SUCCESS)                                       \
            *made = to_abi(native_made);                                 \
        return result;                                                   \
    }
MADE_COMM(Comm_dup, (MPI_Comm comm), (H(comm)))
MADE_COMM(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info), (H(comm), H(info)))
/* MPICH writes the new handle before it returns, into memory that lasts. */
EXPORTED(int, Comm_idup_with_info,
         (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request))
{
    int *native_made = calloc(1, sizeof *native_made), native_request = 0;
    const int result = NATIVE(Comm_idup_with_info)(H(comm), H(info), native_made, &native_request);
    *made = to_abi(*native_made);
    *request = to_abi(native_request);
    return result;
}
EXPORTED(int, Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request))
{
    return PMPI_Comm_idup_with_info(comm, MPI_INFO_NULL, made, request);
}
MADE_COMM(Comm_split, (MPI_Comm comm, int color, int key), (H(comm), split_color(color), key))
MADE_COMM(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info),
          (H(comm), split_kind(type), key, H(info)))
MADE_COMM(Comm_create, (MPI_Comm comm, MPI_Group group), (H(comm), H(group)))
MADE_COMM(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag), (H(comm), H(group), tag))
MADE_COMM(Intercomm_create, (MPI_Comm comm, int leader, MPI_Comm peer, int remote_leader, int tag),
          (H(comm), leader, H(peer), remote_leader, tag))
MADE_COMM(Intercomm_merge, (MPI_Comm comm, int high), (H(comm), high))
MADE_COMM(Cart_create,
          (MPI_Comm comm, int dimension_count, const int dimensions[], const int periods[],
           int reorder),
          (H(comm), dimension_count, dimensions, periods, reorder))
MADE_COMM(Cart_sub, (MPI_Comm comm, const int remains[]), (H(comm), remains))
MADE_COMM(Graph_create,
          (MPI_Comm comm, int node_count, const int ends[], const int edges[], int reorder),
          (H(comm), node_count, ends, edges, reorder))
static const int *weights_of(const int *weights)
{
    const int **unweighted = native("MPI_UNWEIGHTED"), **empty = native("MPI_WEIGHTS_EMPTY");
    return weights == MPI_UNWEIGHTED      ? *unweighted
           : weights == MPI_WEIGHTS_EMPTY ? *empty
                                          : weights;
}
MADE_COMM(Dist_graph_create,
          (MPI_Comm comm, int source_count, const int sources[], const int degrees[],
           const int destinations[], const int weights[], MPI_Info info, int reorder),
          (H(comm), source_count, sources, degrees, destinations, weights_of(weights), H(info),
           reorder))
MADE_COMM(Dist_graph_create_adjacent,
          (MPI_Comm comm, int in_degree, const int sources[], const int source_weights[],
           int out_degree, const int destinations[], const int destination_weights[], MPI_Info info,
           int reorder),
          (H(comm), in_degree, sources, weights_of(source_weights), out_degree, destinations,
           weights_of(destination_weights), H(info), reorder))
MAKING(Comm_free, comm, (MPI_Comm * comm), (&native_made))
MAKING(Comm_disconnect, comm, (MPI_Comm * comm), (&native_made))
EXPORTED(int, Comm_get_parent, (MPI_Comm * parent))
{
    int native_parent = 0;
    const int result = NATIVE(Comm_get_parent)(&native_parent);
    *parent = to_abi(native_parent);
    return result;
}
MAKING(Info_create, info, (MPI_Info * info), (&native_made))
MAKING(Info_free, info, (MPI_Info * info), (&native_made))
PLAIN(Comm_set_info, (MPI_Comm comm, MPI_Info info), (H(comm), H(info)))
PLAIN(Comm_set_name, (MPI_Comm comm, const char *name), (H(comm), name))
PLAIN(Comm_get_name, (MPI_Comm comm, char *name, int *length), (H(comm), name, length))
PLAIN(Comm_rank, (MPI_Comm comm, int *rank), (H(comm), rank))
PLAIN(Comm_size, (MPI_Comm comm, int *size), (H(comm), size))
PLAIN(Comm_test_inter, (MPI_Comm comm, int *flag), (H(comm), flag))
PLAIN(Comm_set_errhandler, (MPI_Comm comm, MPI_Errhandler handler), (H(comm), H(handler)))
EXPORTED(int, Topo_test, (MPI_Comm comm, int *topology))
{
    const int result = NATIVE(Topo_test)(H(comm), topology);
    *topology = *topology == 1   ? MPI_GRAPH
                : *topology == 2 ? MPI_CART
                : *topology == 3 ? MPI_DIST_GRAPH
                                 : MPI_UNDEFINED;
    return result;
}
PLAIN(Cartdim_get, (MPI_Comm comm, int *dimension_count), (H(comm), dimension_count))
PLAIN(Graph_neighbors_count, (MPI_Comm comm, int rank, int *count), (H(comm), rank, count))
PLAIN(Dist_graph_neighbors_count, (MPI_Comm comm, int *in, int *out, int *weighted),
      (H(comm), in, out, weighted))
PLAIN(Dims_create, (int node_count, int dimension_count, int dimensions[]),
      (node_count, dimension_count, dimensions))

#define MADE_GROUP(Name, PARAMETERS, ARGUMENTS)                          \
    EXPORTED(int, Name, (UNPACK PARAMETERS, MPI_Group * made))           \
    {                                                                    \
        int native_made = 0;                                             \
        const int result = NATIVE(Name)(UNPACK ARGUMENTS, &native_made); \
        *made = to_abi(native_made);                                     \
        return result;                                                   \
    }
MADE_GROUP(Comm_group, (MPI_Comm comm), (H(comm)))
MADE_GROUP(Comm_remote_group, (MPI_Comm comm), (H(comm)))
MADE_GROUP(Group_incl, (MPI_Group group, int count, const int ranks[]), (H(group), count, ranks))
PLAIN(Group_size, (MPI_Group group, int *size), (H(group), size))
PLAIN(Group_rank, (MPI_Group group, int *rank), (H(group), rank))
MAKING(Group_free, group, (MPI_Group * group), (&native_made))
PLAIN(Group_translate_ranks,
      (MPI_Group from, int count, const int ranks[], MPI_Group to, int translated[]),
      (H(from), count, ranks, H(to), translated))

/* ---- attributes ---- */

/* MPICH calls back with a handle of its own. */
struct attribute {
    MPI_Comm_copy_attr_function *copy;
    MPI_Comm_delete_attr_function *remove;
    void *extra;
};

/* MPICH's constant for "not copied". */
static int copied(int comm, int keyval, void *extra, void *value, void *copy, int *flag)
{
    const struct attribute *attribute = extra;
    *flag = 0;
    return attribute->copy
               ? attribute->copy(to_abi(comm), keyval, attribute->extra, value, copy, flag)
               : MPI_SUCCESS;
}

static int removed(int comm, int keyval, void *value, void *extra)
{
    const struct attribute *attribute = extra;
    return attribute->remove ? attribute->remove(to_abi(comm), keyval, value, attribute->extra)
                             : MPI_SUCCESS;
}

EXPORTED(int, Comm_create_keyval,
         (MPI_Comm_copy_attr_function * copy, MPI_Comm_delete_attr_function *remove, int *keyval,
          void *extra))
{
    struct attribute *attribute = malloc(sizeof *attribute);
    *attribute = (struct attribute){copy, remove, extra};
    return NATIVE(Comm_create_keyval)(copied, removed, keyval, attribute);
}
EXPORTED(int, Comm_free_keyval, (int *keyval))
{
    const int result = NATIVE(Comm_free_keyval)(keyval);
    *keyval = MPI_KEYVAL_INVALID;
    return result;
}
PLAIN(Comm_set_attr, (MPI_Comm comm, int keyval, void *value), (H(comm), keyval, value))
PLAIN(Comm_delete_attr, (MPI_Comm comm, int keyval), (H(comm), keyval))

/* ---- messages, requests, types ---- */

PLAIN(Send, (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm),
      (buffer, count, H(type), peer_of(peer), tag, H(comm)))
EXPORTED(int, Recv,
         (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
          MPI_Status *status))
{
    struct native_status native_status = {0};
    const int result =
        NATIVE(Recv)(buffer, count, H(type), peer_of(peer), tag, H(comm), &native_status);
    status_back(&native_status, status);
    return result;
}
MAKING(Isend, request,
       (const void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buffer, count, H(type), peer_of(peer), tag, H(comm), &native_made))
MAKING(Irecv, request,
       (void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
        MPI_Request *request),
       (buffer, count, H(type), peer_of(peer), tag, H(comm), &native_made))

/* Requests and statuses of one call. */
#define COMPLETING(Name, COUNT, PARAMETERS, ARGUMENTS)            \
    EXPORTED(int, Name, PARAMETERS)                               \
    {                                                             \
        int *all = to_natives(requests, COUNT);                   \
        struct native_status *native_statuses =                   \
            calloc((size_t)(COUNT) + 1, sizeof *native_statuses); \
        const int result = NATIVE(Name) ARGUMENTS;                \
        back_to_abi(all, requests, COUNT);                        \
        for (int i = 0; statuses && i < (COUNT); i++)             \
            status_back(&native_statuses[i], &statuses[i]);       \
        free(native_statuses);                                    \
        return result;                                            \
    }
COMPLETING(Wait, 1, (MPI_Request * requests, MPI_Status *statuses), (all, native_statuses))
COMPLETING(Waitall, count, (int count, MPI_Request requests[], MPI_Status *statuses),
           (count, all, native_statuses))
COMPLETING(Waitsome, count,
           (int count, MPI_Request requests[], int *done_count, int indices[],
            MPI_Status *statuses),
           (count, all, done_count, indices, native_statuses))
COMPLETING(Test, 1, (MPI_Request * requests, int *flag, MPI_Status *statuses),
           (all, flag, native_statuses))
COMPLETING(Testall, count, (int count, MPI_Request requests[], int *flag, MPI_Status *statuses),
           (count, all, flag, native_statuses))
COMPLETING(Testsome, count,
           (int count, MPI_Request requests[], int *done_count, int indices[],
            MPI_Status *statuses),
           (count, all, done_count, indices, native_statuses))
#define COMPLETING_ONE(Name, PARAMETERS, ARGUMENTS) \
    EXPORTED(int, Name, PARAMETERS)                 \
    {                                               \
        int *all = to_natives(requests, count);     \
        struct native_status native_status = {0};   \
        const int result = NATIVE(Name) ARGUMENTS;  \
        back_to_abi(all, requests, count);          \
        status_back(&native_status, status);        \
        return result;                              \
    }
COMPLETING_ONE(Waitany, (int count, MPI_Request requests[], int *index, MPI_Status *status),
               (count, all, index, &native_status))
COMPLETING_ONE(Testany,
               (int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status),
               (count, all, index, flag, &native_status))
MAKING(Request_free, request, (MPI_Request * request), (&native_made))
MAKING(Start, request, (MPI_Request * request), (&native_made))
EXPORTED(int, Startall, (int count, MPI_Request requests[]))
{
    int *all = to_natives(requests, count);
    const int result = NATIVE(Startall)(count, all);
    back_to_abi(all, requests, count);
    return result;
}

PLAIN(Type_get_name, (MPI_Datatype type, char *name, int *length), (H(type), name, length))
PLAIN(Type_size, (MPI_Datatype type, int *size), (H(type), size))
EXPORTED(int, Get_count, (const MPI_Status *status, MPI_Datatype type, int *count))
{
    int size = 1;
    PMPI_Type_size(type, &size);
    *count = size ? status->MPI_internal[0] / size : 0;
    return MPI_SUCCESS;
}
EXPORTED(int, Test_cancelled, (const MPI_Status *status, int *flag))
{
    *flag = status->MPI_internal[1] & 1;
    return MPI_SUCCESS;
}
PLAIN(Type_size_x, (MPI_Datatype type, MPI_Count *size), (H(type), size))
MAKING(Type_commit, type, (MPI_Datatype * type), (&native_made))
MAKING(Type_free, type, (MPI_Datatype * type), (&native_made))
#define MADE_TYPE(Name, PARAMETERS, ARGUMENTS)                           \
    EXPORTED(int, Name, (UNPACK PARAMETERS, MPI_Datatype * made))        \
    {                                                                    \
        int native_made = 0;                                             \
        const int result = NATIVE(Name)(UNPACK ARGUMENTS, &native_made); \
        *made = to_abi(native_made);                                     \
        return result;                                                   \
    }
MADE_TYPE(Type_vector, (int count, int length, int stride, MPI_Datatype type),
          (count, length, stride, H(type)))
MADE_TYPE(Type_create_hindexed,
          (int count, const int lengths[], const MPI_Aint displs[], MPI_Datatype type),
          (count, lengths, displs, H(type)))
PLAIN(Get_address, (const void *location, MPI_Aint *address), (location, address))
/* The functions of the tests do not look at the type. */
EXPORTED(int, Op_create, (MPI_User_function * function, int commute, MPI_Op *op))
{
    int native_op = 0;
    const int result = NATIVE(Op_create)(function, commute, &native_op);
    *op = to_abi(native_op);
    return result;
}
MAKING(Op_free, op, (MPI_Op * op), (&native_made))

/* ---- what no test over this calls ---- */

#define FAILING(Name, ...)                    \
    EXPORTED(int, Name, (__VA_ARGS__));       \
    int PMPI_##Name(__VA_ARGS__)              \
    {                                         \
        return MPI_ERR_UNSUPPORTED_OPERATION; \
    }
FAILING(Win_get_group, MPI_Win window UNUSED, MPI_Group *group UNUSED)
FAILING(File_get_group, MPI_File file UNUSED, MPI_Group *group UNUSED)
