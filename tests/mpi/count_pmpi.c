/* tests/mpi/count_pmpi.c - an independent count of collective calls: the judge of "each counted
 * exactly once".
 *
 * A library for LD_PRELOAD that wraps, by hand, what a program can call: the C functions, mpif.h's
 * (mpi_x_) and mpi_f08's (mpi_x_f08_, and MPICH's mpi_x_f08ts_ with descriptors). It includes
 * nothing of the profiler's and shares no table with it, so that a row missing there is seen here.
 * Compiled for one MPI by its own mpicc.
 *
 * Output: $COUNT_PMPI_OUTPUT/rank-R, written when MPI_Finalize deletes the attributes of
 * MPI_COMM_SELF (at exit where a program never gets there; of a program of sessions alone the rank
 * is MPICH's launcher's word), one line for each operation: "rank op
 * count", and "rank op count failed" for the calls that returned an error. A persistent collective
 * counts once for each start, a large-count form under the name of the small one. */
#include <mpi.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- what is counted ---- */

/* The name in C, and the one in Fortran and after the I of a nonblocking form. */
#define COLLECTIVES(X)                            \
    X(Barrier, barrier)                           \
    X(Bcast, bcast)                               \
    X(Gather, gather)                             \
    X(Gatherv, gatherv)                           \
    X(Scatter, scatter)                           \
    X(Scatterv, scatterv)                         \
    X(Allgather, allgather)                       \
    X(Allgatherv, allgatherv)                     \
    X(Alltoall, alltoall)                         \
    X(Alltoallv, alltoallv)                       \
    X(Alltoallw, alltoallw)                       \
    X(Reduce, reduce)                             \
    X(Allreduce, allreduce)                       \
    X(Reduce_scatter, reduce_scatter)             \
    X(Reduce_scatter_block, reduce_scatter_block) \
    X(Scan, scan)                                 \
    X(Exscan, exscan)                             \
    X(Neighbor_allgather, neighbor_allgather)     \
    X(Neighbor_allgatherv, neighbor_allgatherv)   \
    X(Neighbor_alltoall, neighbor_alltoall)       \
    X(Neighbor_alltoallv, neighbor_alltoallv)     \
    X(Neighbor_alltoallw, neighbor_alltoallw)

#define OTHERS(X)                   \
    X(Comm_dup)                     \
    X(Comm_dup_with_info)           \
    X(Comm_idup)                    \
    X(Comm_idup_with_info)          \
    X(Comm_split)                   \
    X(Comm_split_type)              \
    X(Comm_create)                  \
    X(Comm_create_group)            \
    X(Intercomm_create)             \
    X(Intercomm_merge)              \
    X(Cart_create)                  \
    X(Cart_sub)                     \
    X(Graph_create)                 \
    X(Dist_graph_create)            \
    X(Dist_graph_create_adjacent)   \
    X(Comm_free)                    \
    X(Comm_disconnect)              \
    X(Comm_create_from_group)       \
    X(Intercomm_create_from_groups) \
    X(Comm_spawn)                   \
    X(Comm_spawn_multiple)          \
    X(Comm_accept)                  \
    X(Comm_connect)                 \
    X(Win_create)                   \
    X(Win_allocate)                 \
    X(Win_allocate_shared)          \
    X(Win_create_dynamic)           \
    X(Win_fence)                    \
    X(Win_free)                     \
    X(File_open)                    \
    X(File_close)                   \
    X(File_set_view)                \
    X(File_set_size)                \
    X(File_preallocate)             \
    X(File_sync)                    \
    X(File_set_atomicity)           \
    X(File_seek_shared)             \
    X(File_read_all)                \
    X(File_iread_all)               \
    X(File_read_all_begin)          \
    X(File_read_at_all)             \
    X(File_iread_at_all)            \
    X(File_read_at_all_begin)       \
    X(File_read_ordered)            \
    X(File_read_ordered_begin)      \
    X(File_write_all)               \
    X(File_iwrite_all)              \
    X(File_write_all_begin)         \
    X(File_write_at_all)            \
    X(File_iwrite_at_all)           \
    X(File_write_at_all_begin)      \
    X(File_write_ordered)           \
    X(File_write_ordered_begin)     \
    X(Comm_set_info)                \
    X(Win_set_info)                 \
    X(File_set_info)

/* No standard's: MPIX_. */
#define EXTENSIONS(X) \
    X(Comm_shrink)    \
    X(Comm_agree)     \
    X(Comm_iagree)

enum operation {
#define X(Name, name) OP_##Name, OP_I##name, OP_##name##_init,
    COLLECTIVES(X)
#undef X
#define X(Name) OP_##Name,
        OTHERS(X) EXTENSIONS(X)
#undef X
            OP_COUNT
};

static const char *const op_names[OP_COUNT] = {
#define X(Name, name) "MPI_" #Name, "MPI_I" #name, "MPI_" #Name "_init",
    COLLECTIVES(X)
#undef X
#define X(Name) "MPI_" #Name,
        OTHERS(X)
#undef X
#define X(Name) "MPIX_" #Name,
            EXTENSIONS(X)
#undef X
};

static atomic_ulong done_count[OP_COUNT];
static atomic_ulong failed_count[OP_COUNT];

/* ---- output ---- */

static int own_rank = -1;
static atomic_int is_written; /* not atomic_bool: riscv64 exchanges no single bytes */

static void write_counts(void)
{
    const char *directory = getenv("COUNT_PMPI_OUTPUT"), *launched = getenv("PMI_RANK");
    if (own_rank < 0 && launched && done_count[OP_Comm_create_from_group])
        own_rank = atoi(launched);
    if (!directory || own_rank < 0 || atomic_exchange(&is_written, true))
        return;
    char path[4096];
    snprintf(path, sizeof path, "%s/rank-%d", directory, own_rank);
    FILE *file = fopen(path, "w");
    if (!file) {
        perror(path);
        return;
    }
    for (int op = 0; op < OP_COUNT; op++) {
        if (done_count[op])
            fprintf(file, "%d %s %lu\n", own_rank, op_names[op], done_count[op]);
        if (failed_count[op])
            fprintf(file, "%d %s %lu failed\n", own_rank, op_names[op], failed_count[op]);
    }
    fclose(file);
}

static int at_finalize(MPI_Comm comm, int keyval, void *value, void *state)
{
    (void)comm, (void)keyval, (void)value, (void)state;
    write_counts();
    return MPI_SUCCESS;
}

__attribute__((destructor)) static void at_exit(void)
{
    write_counts();
}

/* At the first counted call, because what initializes MPI differs by language. */
static void attach(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static atomic_int is_attached;
    if (is_attached)
        return;
    pthread_mutex_lock(&lock);
    int initialized = 0, finalized = 0, keyval = MPI_KEYVAL_INVALID;
    PMPI_Initialized(&initialized);
    PMPI_Finalized(&finalized);
    if (!is_attached && initialized && !finalized) {
        PMPI_Comm_rank(MPI_COMM_WORLD, &own_rank);
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, at_finalize, &keyval, NULL);
        PMPI_Comm_set_attr(MPI_COMM_SELF, keyval, NULL);
        is_attached = true;
    }
    pthread_mutex_unlock(&lock);
}

/* ---- counting: only the outermost call of a thread ---- */

static __thread int depth;
static __thread int fortran_depth; /* of those functions of Fortran, which may call C's */

static void enter(void)
{
    if (depth++ == 0)
        attach();
}

static void leave(enum operation op, bool failed)
{
    if (--depth == 0)
        atomic_fetch_add(failed ? &failed_count[op] : &done_count[op], 1);
}

/* ---- persistent collectives: which operation a request starts ---- */

struct persistent {
    MPI_Request request;
    enum operation op;
};

static pthread_mutex_t persistent_lock = PTHREAD_MUTEX_INITIALIZER;
static struct persistent *persistent;
static size_t persistent_count;

static size_t persistent_find(MPI_Request request)
{
    size_t i = 0;
    while (i < persistent_count && persistent[i].request != request)
        i++;
    return i;
}

static void persistent_add(MPI_Request request, enum operation op)
{
    pthread_mutex_lock(&persistent_lock);
    const size_t i = persistent_find(request);
    if (i == persistent_count) {
        persistent = realloc(persistent, (i + 1) * sizeof *persistent);
        if (!persistent)
            abort();
        persistent_count++;
    }
    persistent[i] = (struct persistent){request, op};
    pthread_mutex_unlock(&persistent_lock);
}

static void persistent_remove(MPI_Request request)
{
    pthread_mutex_lock(&persistent_lock);
    const size_t i = persistent_find(request);
    if (i < persistent_count)
        persistent[i] = persistent[--persistent_count];
    pthread_mutex_unlock(&persistent_lock);
}

static void persistent_started(MPI_Request request, bool failed)
{
    pthread_mutex_lock(&persistent_lock);
    const size_t i = persistent_find(request);
    if (i < persistent_count)
        atomic_fetch_add(failed ? &failed_count[persistent[i].op] : &done_count[persistent[i].op],
                         1);
    pthread_mutex_unlock(&persistent_lock);
}

/* ---- C ---- */

#define UNPACK(...) __VA_ARGS__

#define C_FUNCTION(Function, OP, PARAMETERS, ARGUMENTS) \
    int Function(PARAMETERS)                            \
    {                                                   \
        enter();                                        \
        const int error = P##Function(ARGUMENTS);       \
        leave(OP, error != MPI_SUCCESS);                \
        return error;                                   \
    }

/* One that frees: in the callback of an attribute, which MPI calls from within another call, it is
 * the program's. MPI itself calls it from its Fortran functions alone. */
#define C_FREEING_FUNCTION(Name, Type)          \
    int MPI_##Name(Type *freed)                 \
    {                                           \
        const int outer = depth;                \
        if (fortran_depth == 0)                 \
            depth = 0;                          \
        enter();                                \
        const int error = PMPI_##Name(freed);   \
        leave(OP_##Name, error != MPI_SUCCESS); \
        depth = outer;                          \
        return error;                           \
    }

/* Not counted itself: its starts are. */
#define C_INIT_FUNCTION(Function, OP, PARAMETERS, ARGUMENTS)      \
    int Function(PARAMETERS, MPI_Info info, MPI_Request *request) \
    {                                                             \
        enter();                                                  \
        const int error = P##Function(ARGUMENTS, info, request);  \
        if (--depth == 0 && error == MPI_SUCCESS)                 \
            persistent_add(*request, OP);                         \
        return error;                                             \
    }

#define C_FORMS(Name, name, suffix, PARAMETERS, ARGUMENTS)                                       \
    C_FUNCTION(MPI_##Name##suffix, OP_##Name, UNPACK PARAMETERS, UNPACK ARGUMENTS)               \
    C_FUNCTION(MPI_I##name##suffix, OP_I##name, UNPACK(UNPACK PARAMETERS, MPI_Request *request), \
               UNPACK(UNPACK ARGUMENTS, request))

#if MPI_VERSION >= 4
#define C_SMALL(Name, name, PARAMETERS, ARGUMENTS) \
    C_FORMS(Name, name, , PARAMETERS, ARGUMENTS)   \
    C_INIT_FUNCTION(MPI_##Name##_init, OP_##name##_init, UNPACK PARAMETERS, UNPACK ARGUMENTS)
#define C_LARGE(Name, name, PARAMETERS, ARGUMENTS) \
    C_FORMS(Name, name, _c, PARAMETERS, ARGUMENTS) \
    C_INIT_FUNCTION(MPI_##Name##_init_c, OP_##name##_init, UNPACK PARAMETERS, UNPACK ARGUMENTS)
#elif defined(OPEN_MPI) && OMPI_MAJOR_VERSION >= 5
#define C_SMALL(Name, name, PARAMETERS, ARGUMENTS) \
    C_FORMS(Name, name, , PARAMETERS, ARGUMENTS)   \
    C_INIT_FUNCTION(MPI_##Name##_init, OP_##name##_init, UNPACK PARAMETERS, UNPACK ARGUMENTS)
#define C_LARGE(Name, name, PARAMETERS, ARGUMENTS)
#elif defined(OPEN_MPI)
#include <mpi-ext.h>
#define C_SMALL(Name, name, PARAMETERS, ARGUMENTS) \
    C_FORMS(Name, name, , PARAMETERS, ARGUMENTS)   \
    C_INIT_FUNCTION(MPIX_##Name##_init, OP_##name##_init, UNPACK PARAMETERS, UNPACK ARGUMENTS)
#define C_LARGE(Name, name, PARAMETERS, ARGUMENTS)
#else
#define C_SMALL(Name, name, PARAMETERS, ARGUMENTS) C_FORMS(Name, name, , PARAMETERS, ARGUMENTS)
#define C_LARGE(Name, name, PARAMETERS, ARGUMENTS)
#endif

C_SMALL(Barrier, barrier, (MPI_Comm comm), (comm))

#define BCAST(COUNT)    (void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm)
#define BCAST_ARGUMENTS (buffer, count, type, root, comm)
C_SMALL(Bcast, bcast, BCAST(int), BCAST_ARGUMENTS)
C_LARGE(Bcast, bcast, BCAST(MPI_Count), BCAST_ARGUMENTS)

#define ROOTED(COUNT)                                                                  \
    (const void *in, COUNT in_count, MPI_Datatype in_type, void *out, COUNT out_count, \
     MPI_Datatype out_type, int root, MPI_Comm comm)
#define ROOTED_ARGUMENTS (in, in_count, in_type, out, out_count, out_type, root, comm)
C_SMALL(Gather, gather, ROOTED(int), ROOTED_ARGUMENTS)
C_LARGE(Gather, gather, ROOTED(MPI_Count), ROOTED_ARGUMENTS)
C_SMALL(Scatter, scatter, ROOTED(int), ROOTED_ARGUMENTS)
C_LARGE(Scatter, scatter, ROOTED(MPI_Count), ROOTED_ARGUMENTS)

#define GATHERV(COUNT, DISPL)                                                                  \
    (const void *in, COUNT in_count, MPI_Datatype in_type, void *out, const COUNT *out_counts, \
     const DISPL *displs, MPI_Datatype out_type, int root, MPI_Comm comm)
#define GATHERV_ARGUMENTS (in, in_count, in_type, out, out_counts, displs, out_type, root, comm)
C_SMALL(Gatherv, gatherv, GATHERV(int, int), GATHERV_ARGUMENTS)
C_LARGE(Gatherv, gatherv, GATHERV(MPI_Count, MPI_Aint), GATHERV_ARGUMENTS)

#define SCATTERV(COUNT, DISPL)                                                                     \
    (const void *in, const COUNT *in_counts, const DISPL *displs, MPI_Datatype in_type, void *out, \
     COUNT out_count, MPI_Datatype out_type, int root, MPI_Comm comm)
#define SCATTERV_ARGUMENTS (in, in_counts, displs, in_type, out, out_count, out_type, root, comm)
C_SMALL(Scatterv, scatterv, SCATTERV(int, int), SCATTERV_ARGUMENTS)
C_LARGE(Scatterv, scatterv, SCATTERV(MPI_Count, MPI_Aint), SCATTERV_ARGUMENTS)

#define ALL(COUNT)                                                                     \
    (const void *in, COUNT in_count, MPI_Datatype in_type, void *out, COUNT out_count, \
     MPI_Datatype out_type, MPI_Comm comm)
#define ALL_ARGUMENTS (in, in_count, in_type, out, out_count, out_type, comm)
C_SMALL(Allgather, allgather, ALL(int), ALL_ARGUMENTS)
C_LARGE(Allgather, allgather, ALL(MPI_Count), ALL_ARGUMENTS)
C_SMALL(Alltoall, alltoall, ALL(int), ALL_ARGUMENTS)
C_LARGE(Alltoall, alltoall, ALL(MPI_Count), ALL_ARGUMENTS)
C_SMALL(Neighbor_allgather, neighbor_allgather, ALL(int), ALL_ARGUMENTS)
C_LARGE(Neighbor_allgather, neighbor_allgather, ALL(MPI_Count), ALL_ARGUMENTS)
C_SMALL(Neighbor_alltoall, neighbor_alltoall, ALL(int), ALL_ARGUMENTS)
C_LARGE(Neighbor_alltoall, neighbor_alltoall, ALL(MPI_Count), ALL_ARGUMENTS)

#define ALLGATHERV(COUNT, DISPL)                                                               \
    (const void *in, COUNT in_count, MPI_Datatype in_type, void *out, const COUNT *out_counts, \
     const DISPL *displs, MPI_Datatype out_type, MPI_Comm comm)
#define ALLGATHERV_ARGUMENTS (in, in_count, in_type, out, out_counts, displs, out_type, comm)
C_SMALL(Allgatherv, allgatherv, ALLGATHERV(int, int), ALLGATHERV_ARGUMENTS)
C_LARGE(Allgatherv, allgatherv, ALLGATHERV(MPI_Count, MPI_Aint), ALLGATHERV_ARGUMENTS)
C_SMALL(Neighbor_allgatherv, neighbor_allgatherv, ALLGATHERV(int, int), ALLGATHERV_ARGUMENTS)
C_LARGE(Neighbor_allgatherv, neighbor_allgatherv, ALLGATHERV(MPI_Count, MPI_Aint),
        ALLGATHERV_ARGUMENTS)

#define ALLTOALLV(COUNT, DISPL)                                                            \
    (const void *in, const COUNT *in_counts, const DISPL *in_displs, MPI_Datatype in_type, \
     void *out, const COUNT *out_counts, const DISPL *out_displs, MPI_Datatype out_type,   \
     MPI_Comm comm)
#define ALLTOALLW(COUNT, DISPL)                                                                   \
    (const void *in, const COUNT *in_counts, const DISPL *in_displs, const MPI_Datatype *in_type, \
     void *out, const COUNT *out_counts, const DISPL *out_displs, const MPI_Datatype *out_type,   \
     MPI_Comm comm)
#define ALLTOALLV_ARGUMENTS \
    (in, in_counts, in_displs, in_type, out, out_counts, out_displs, out_type, comm)
C_SMALL(Alltoallv, alltoallv, ALLTOALLV(int, int), ALLTOALLV_ARGUMENTS)
C_LARGE(Alltoallv, alltoallv, ALLTOALLV(MPI_Count, MPI_Aint), ALLTOALLV_ARGUMENTS)
C_SMALL(Alltoallw, alltoallw, ALLTOALLW(int, int), ALLTOALLV_ARGUMENTS)
C_LARGE(Alltoallw, alltoallw, ALLTOALLW(MPI_Count, MPI_Aint), ALLTOALLV_ARGUMENTS)
C_SMALL(Neighbor_alltoallv, neighbor_alltoallv, ALLTOALLV(int, int), ALLTOALLV_ARGUMENTS)
C_LARGE(Neighbor_alltoallv, neighbor_alltoallv, ALLTOALLV(MPI_Count, MPI_Aint), ALLTOALLV_ARGUMENTS)
C_SMALL(Neighbor_alltoallw, neighbor_alltoallw, ALLTOALLW(int, MPI_Aint), ALLTOALLV_ARGUMENTS)
C_LARGE(Neighbor_alltoallw, neighbor_alltoallw, ALLTOALLW(MPI_Count, MPI_Aint), ALLTOALLV_ARGUMENTS)

#define REDUCE(COUNT) \
    (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, int root, MPI_Comm comm)
#define REDUCE_ARGUMENTS (in, out, count, type, op, root, comm)
C_SMALL(Reduce, reduce, REDUCE(int), REDUCE_ARGUMENTS)
C_LARGE(Reduce, reduce, REDUCE(MPI_Count), REDUCE_ARGUMENTS)

#define ALLREDUCE(COUNT) \
    (const void *in, void *out, COUNT count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
#define ALLREDUCE_ARGUMENTS (in, out, count, type, op, comm)
C_SMALL(Allreduce, allreduce, ALLREDUCE(int), ALLREDUCE_ARGUMENTS)
C_LARGE(Allreduce, allreduce, ALLREDUCE(MPI_Count), ALLREDUCE_ARGUMENTS)
C_SMALL(Reduce_scatter, reduce_scatter, ALLREDUCE(const int *), ALLREDUCE_ARGUMENTS)
C_LARGE(Reduce_scatter, reduce_scatter, ALLREDUCE(const MPI_Count *), ALLREDUCE_ARGUMENTS)
C_SMALL(Reduce_scatter_block, reduce_scatter_block, ALLREDUCE(int), ALLREDUCE_ARGUMENTS)
C_LARGE(Reduce_scatter_block, reduce_scatter_block, ALLREDUCE(MPI_Count), ALLREDUCE_ARGUMENTS)
C_SMALL(Scan, scan, ALLREDUCE(int), ALLREDUCE_ARGUMENTS)
C_LARGE(Scan, scan, ALLREDUCE(MPI_Count), ALLREDUCE_ARGUMENTS)
C_SMALL(Exscan, exscan, ALLREDUCE(int), ALLREDUCE_ARGUMENTS)
C_LARGE(Exscan, exscan, ALLREDUCE(MPI_Count), ALLREDUCE_ARGUMENTS)

int MPI_Start(MPI_Request *request)
{
    const MPI_Request started = *request;
    depth++;
    const int error = PMPI_Start(request);
    if (--depth == 0)
        persistent_started(started, error != MPI_SUCCESS);
    return error;
}

int MPI_Startall(int count, MPI_Request *requests)
{
    depth++;
    const int error = PMPI_Startall(count, requests);
    if (--depth == 0)
        for (int i = 0; i < count; i++)
            persistent_started(requests[i], error != MPI_SUCCESS);
    return error;
}

int MPI_Request_free(MPI_Request *request)
{
    persistent_remove(*request);
    return PMPI_Request_free(request);
}

#define COMM_FUNCTION(Name, PARAMETERS, ARGUMENTS) \
    C_FUNCTION(MPI_##Name, OP_##Name, UNPACK PARAMETERS, UNPACK ARGUMENTS)

COMM_FUNCTION(Comm_dup, (MPI_Comm comm, MPI_Comm *made), (comm, made))
COMM_FUNCTION(Comm_dup_with_info, (MPI_Comm comm, MPI_Info info, MPI_Comm *made),
              (comm, info, made))
COMM_FUNCTION(Comm_idup, (MPI_Comm comm, MPI_Comm *made, MPI_Request *request),
              (comm, made, request))
#if MPI_VERSION >= 4
COMM_FUNCTION(Comm_idup_with_info,
              (MPI_Comm comm, MPI_Info info, MPI_Comm *made, MPI_Request *request),
              (comm, info, made, request))
#endif
#if MPI_VERSION >= 4
COMM_FUNCTION(Comm_create_from_group,
              (MPI_Group group, const char *tag, MPI_Info info, MPI_Errhandler handler,
               MPI_Comm *made),
              (group, tag, info, handler, made))
COMM_FUNCTION(Intercomm_create_from_groups,
              (MPI_Group group, int leader, MPI_Group remote, int remote_leader, const char *tag,
               MPI_Info info, MPI_Errhandler handler, MPI_Comm *made),
              (group, leader, remote, remote_leader, tag, info, handler, made))
#endif
COMM_FUNCTION(Comm_spawn,
              (const char *command, char *arguments[], int count, MPI_Info info, int root,
               MPI_Comm comm, MPI_Comm *made, int errors[]),
              (command, arguments, count, info, root, comm, made, errors))
COMM_FUNCTION(Comm_spawn_multiple,
              (int n, char *commands[], char **arguments[], const int counts[],
               const MPI_Info infos[], int root, MPI_Comm comm, MPI_Comm *made, int errors[]),
              (n, commands, arguments, counts, infos, root, comm, made, errors))
COMM_FUNCTION(Comm_accept,
              (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
              (port, info, root, comm, made))
COMM_FUNCTION(Comm_connect,
              (const char *port, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *made),
              (port, info, root, comm, made))
COMM_FUNCTION(Comm_split, (MPI_Comm comm, int color, int key, MPI_Comm *made),
              (comm, color, key, made))
COMM_FUNCTION(Comm_split_type, (MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made),
              (comm, type, key, info, made))
COMM_FUNCTION(Comm_create, (MPI_Comm comm, MPI_Group group, MPI_Comm *made), (comm, group, made))
COMM_FUNCTION(Comm_create_group, (MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made),
              (comm, group, tag, made))
COMM_FUNCTION(Intercomm_create,
              (MPI_Comm local, int local_leader, MPI_Comm peer, int remote_leader, int tag,
               MPI_Comm *made),
              (local, local_leader, peer, remote_leader, tag, made))
COMM_FUNCTION(Intercomm_merge, (MPI_Comm comm, int high, MPI_Comm *made), (comm, high, made))
COMM_FUNCTION(Cart_create,
              (MPI_Comm comm, int n, const int *dims, const int *periods, int reorder,
               MPI_Comm *made),
              (comm, n, dims, periods, reorder, made))
COMM_FUNCTION(Cart_sub, (MPI_Comm comm, const int *remain, MPI_Comm *made), (comm, remain, made))
COMM_FUNCTION(Graph_create,
              (MPI_Comm comm, int n, const int *index, const int *edges, int reorder,
               MPI_Comm *made),
              (comm, n, index, edges, reorder, made))
COMM_FUNCTION(Dist_graph_create,
              (MPI_Comm comm, int n, const int *sources, const int *degrees,
               const int *destinations, const int *weights, MPI_Info info, int reorder,
               MPI_Comm *made),
              (comm, n, sources, degrees, destinations, weights, info, reorder, made))
COMM_FUNCTION(Dist_graph_create_adjacent,
              (MPI_Comm comm, int in, const int *sources, const int *source_weights, int out,
               const int *destinations, const int *weights, MPI_Info info, int reorder,
               MPI_Comm *made),
              (comm, in, sources, source_weights, out, destinations, weights, info, reorder, made))
C_FREEING_FUNCTION(Comm_free, MPI_Comm)
/* MPIs differ in which of these they have, and declare. */
static void *next_of(const char *symbol);
#define C_EXTENSION(Name, PARAMETERS, ARGUMENTS)                                      \
    int MPIX_##Name PARAMETERS;                                                       \
    int MPIX_##Name PARAMETERS                                                        \
    {                                                                                 \
        int(*next) PARAMETERS = (int(*) PARAMETERS)(uintptr_t)next_of("MPIX_" #Name); \
        enter();                                                                      \
        const int error = next ARGUMENTS;                                             \
        leave(OP_##Name, error != MPI_SUCCESS);                                       \
        return error;                                                                 \
    }

C_EXTENSION(Comm_shrink, (MPI_Comm comm, MPI_Comm *made), (comm, made))
C_EXTENSION(Comm_agree, (MPI_Comm comm, int *flag), (comm, flag))
C_EXTENSION(Comm_iagree, (MPI_Comm comm, int *flag, MPI_Request *request), (comm, flag, request))
COMM_FUNCTION(Comm_set_info, (MPI_Comm comm, MPI_Info info), (comm, info))
COMM_FUNCTION(Win_set_info, (MPI_Win window, MPI_Info info), (window, info))
COMM_FUNCTION(File_set_info, (MPI_File file, MPI_Info info), (file, info))
C_FREEING_FUNCTION(Comm_disconnect, MPI_Comm)
COMM_FUNCTION(Win_create,
              (void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *made),
              (base, size, unit, info, comm, made))
COMM_FUNCTION(Win_allocate,
              (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
              (size, unit, info, comm, base, made))
COMM_FUNCTION(Win_allocate_shared,
              (MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base, MPI_Win *made),
              (size, unit, info, comm, base, made))
COMM_FUNCTION(Win_create_dynamic, (MPI_Info info, MPI_Comm comm, MPI_Win *made), (info, comm, made))
COMM_FUNCTION(Win_fence, (int assertion, MPI_Win window), (assertion, window))
COMM_FUNCTION(Win_free, (MPI_Win * window), (window))
COMM_FUNCTION(File_open, (MPI_Comm comm, const char *path, int mode, MPI_Info info, MPI_File *made),
              (comm, path, mode, info, made))
COMM_FUNCTION(File_close, (MPI_File * file), (file))
COMM_FUNCTION(File_set_view,
              (MPI_File file, MPI_Offset from, MPI_Datatype element, MPI_Datatype type,
               const char *name, MPI_Info info),
              (file, from, element, type, name, info))
COMM_FUNCTION(File_set_size, (MPI_File file, MPI_Offset size), (file, size))
COMM_FUNCTION(File_preallocate, (MPI_File file, MPI_Offset size), (file, size))
COMM_FUNCTION(File_sync, (MPI_File file), (file))
COMM_FUNCTION(File_set_atomicity, (MPI_File file, int flag), (file, flag))
COMM_FUNCTION(File_seek_shared, (MPI_File file, MPI_Offset offset, int whence),
              (file, offset, whence))
COMM_FUNCTION(File_read_all,
              (MPI_File file, void *buffer, int count, MPI_Datatype type, MPI_Status *status),
              (file, buffer, count, type, status))
COMM_FUNCTION(File_iread_all,
              (MPI_File file, void *buffer, int count, MPI_Datatype type, MPI_Request *request),
              (file, buffer, count, type, request))
COMM_FUNCTION(File_read_all_begin, (MPI_File file, void *buffer, int count, MPI_Datatype type),
              (file, buffer, count, type))
COMM_FUNCTION(File_read_at_all,
              (MPI_File file, MPI_Offset at, void *buffer, int count, MPI_Datatype type,
               MPI_Status *status),
              (file, at, buffer, count, type, status))
COMM_FUNCTION(File_iread_at_all,
              (MPI_File file, MPI_Offset at, void *buffer, int count, MPI_Datatype type,
               MPI_Request *request),
              (file, at, buffer, count, type, request))
COMM_FUNCTION(File_read_at_all_begin,
              (MPI_File file, MPI_Offset at, void *buffer, int count, MPI_Datatype type),
              (file, at, buffer, count, type))
COMM_FUNCTION(File_read_ordered,
              (MPI_File file, void *buffer, int count, MPI_Datatype type, MPI_Status *status),
              (file, buffer, count, type, status))
COMM_FUNCTION(File_read_ordered_begin, (MPI_File file, void *buffer, int count, MPI_Datatype type),
              (file, buffer, count, type))
COMM_FUNCTION(File_write_all,
              (MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status),
              (file, buffer, count, type, status))
COMM_FUNCTION(File_iwrite_all,
              (MPI_File file, const void *buffer, int count, MPI_Datatype type,
               MPI_Request *request),
              (file, buffer, count, type, request))
COMM_FUNCTION(File_write_all_begin,
              (MPI_File file, const void *buffer, int count, MPI_Datatype type),
              (file, buffer, count, type))
COMM_FUNCTION(File_write_at_all,
              (MPI_File file, MPI_Offset at, const void *buffer, int count, MPI_Datatype type,
               MPI_Status *status),
              (file, at, buffer, count, type, status))
COMM_FUNCTION(File_iwrite_at_all,
              (MPI_File file, MPI_Offset at, const void *buffer, int count, MPI_Datatype type,
               MPI_Request *request),
              (file, at, buffer, count, type, request))
COMM_FUNCTION(File_write_at_all_begin,
              (MPI_File file, MPI_Offset at, const void *buffer, int count, MPI_Datatype type),
              (file, at, buffer, count, type))
COMM_FUNCTION(File_write_ordered,
              (MPI_File file, const void *buffer, int count, MPI_Datatype type, MPI_Status *status),
              (file, buffer, count, type, status))
COMM_FUNCTION(File_write_ordered_begin,
              (MPI_File file, const void *buffer, int count, MPI_Datatype type),
              (file, buffer, count, type))

/* ---- Fortran: every argument is an address, passed on as it came; the last is ierror, NULL where
 * mpi_f08 omits it ---- */

#define TAKE_2  void *a1, void *a2
#define TAKE_3  TAKE_2, void *a3
#define TAKE_4  TAKE_3, void *a4
#define TAKE_5  TAKE_4, void *a5
#define TAKE_6  TAKE_5, void *a6
#define TAKE_7  TAKE_6, void *a7
#define TAKE_8  TAKE_7, void *a8
#define TAKE_9  TAKE_8, void *a9
#define TAKE_10 TAKE_9, void *a10
#define TAKE_11 TAKE_10, void *a11
#define TAKE_12 TAKE_11, void *a12
#define GIVE_2  a1, a2
#define GIVE_3  GIVE_2, a3
#define GIVE_4  GIVE_3, a4
#define GIVE_5  GIVE_4, a5
#define GIVE_6  GIVE_5, a6
#define GIVE_7  GIVE_6, a7
#define GIVE_8  GIVE_7, a8
#define GIVE_9  GIVE_8, a9
#define GIVE_10 GIVE_9, a10
#define GIVE_11 GIVE_10, a11
#define GIVE_12 GIVE_11, a12

static void *next_of(const char *symbol)
{
    void *next = dlsym(RTLD_NEXT, symbol);
    if (!next) {
        fprintf(stderr, "count_pmpi: nothing behind %s\n", symbol);
        abort();
    }
    return next;
}

static bool has_failed(const void *ierror)
{
    return ierror && *(const MPI_Fint *)ierror != MPI_SUCCESS;
}

#define FORTRAN_FUNCTION(symbol, OP, n)                                           \
    void symbol(TAKE_##n);                                                        \
    void symbol(TAKE_##n)                                                         \
    {                                                                             \
        void (*next)(TAKE_##n) = (void (*)(TAKE_##n))(uintptr_t)next_of(#symbol); \
        enter();                                                                  \
        fortran_depth++;                                                          \
        next(GIVE_##n);                                                           \
        fortran_depth--;                                                          \
        leave(OP, has_failed(a##n));                                              \
    }

/* The request is the argument before ierror. */
#define FORTRAN_INIT_FUNCTION(symbol, OP, n, request)                             \
    void symbol(TAKE_##n);                                                        \
    void symbol(TAKE_##n)                                                         \
    {                                                                             \
        void (*next)(TAKE_##n) = (void (*)(TAKE_##n))(uintptr_t)next_of(#symbol); \
        enter();                                                                  \
        next(GIVE_##n);                                                           \
        if (--depth == 0 && !has_failed(a##n))                                    \
            persistent_add(PMPI_Request_f2c(*(MPI_Fint *)request), OP);           \
    }

#define FORTRAN_NAMES(DEFINE, name, ...)     \
    DEFINE(mpi_##name##_, __VA_ARGS__)       \
    DEFINE(mpi_##name##_f08_, __VA_ARGS__)   \
    DEFINE(mpi_##name##_f08ts_, __VA_ARGS__) \
    DEFINE(mpi_##name##_f08ts_large_, __VA_ARGS__)

#define FORTRAN_FORMS(Name, name, n, n_request, n_init, request)                         \
    FORTRAN_NAMES(FORTRAN_FUNCTION, name, OP_##Name, n)                                  \
    FORTRAN_NAMES(FORTRAN_FUNCTION, i##name, OP_I##name, n_request)                      \
    FORTRAN_NAMES(FORTRAN_INIT_FUNCTION, name##_init, OP_##name##_init, n_init, request) \
    FORTRAN_INIT_FUNCTION(mpix_##name##_init_, OP_##name##_init, n_init, request)        \
    FORTRAN_INIT_FUNCTION(mpix_##name##_init_f08_, OP_##name##_init, n_init, request)

FORTRAN_FORMS(Barrier, barrier, 2, 3, 4, a3)
FORTRAN_FORMS(Bcast, bcast, 6, 7, 8, a7)
FORTRAN_FORMS(Gather, gather, 9, 10, 11, a10)
FORTRAN_FORMS(Gatherv, gatherv, 10, 11, 12, a11)
FORTRAN_FORMS(Scatter, scatter, 9, 10, 11, a10)
FORTRAN_FORMS(Scatterv, scatterv, 10, 11, 12, a11)
FORTRAN_FORMS(Allgather, allgather, 8, 9, 10, a9)
FORTRAN_FORMS(Allgatherv, allgatherv, 9, 10, 11, a10)
FORTRAN_FORMS(Alltoall, alltoall, 8, 9, 10, a9)
FORTRAN_FORMS(Alltoallv, alltoallv, 10, 11, 12, a11)
FORTRAN_FORMS(Alltoallw, alltoallw, 10, 11, 12, a11)
FORTRAN_FORMS(Reduce, reduce, 8, 9, 10, a9)
FORTRAN_FORMS(Allreduce, allreduce, 7, 8, 9, a8)
FORTRAN_FORMS(Reduce_scatter, reduce_scatter, 7, 8, 9, a8)
FORTRAN_FORMS(Reduce_scatter_block, reduce_scatter_block, 7, 8, 9, a8)
FORTRAN_FORMS(Scan, scan, 7, 8, 9, a8)
FORTRAN_FORMS(Exscan, exscan, 7, 8, 9, a8)
FORTRAN_FORMS(Neighbor_allgather, neighbor_allgather, 8, 9, 10, a9)
FORTRAN_FORMS(Neighbor_allgatherv, neighbor_allgatherv, 9, 10, 11, a10)
FORTRAN_FORMS(Neighbor_alltoall, neighbor_alltoall, 8, 9, 10, a9)
FORTRAN_FORMS(Neighbor_alltoallv, neighbor_alltoallv, 10, 11, 12, a11)
FORTRAN_FORMS(Neighbor_alltoallw, neighbor_alltoallw, 10, 11, 12, a11)

#define FORTRAN_START(symbol)                                                   \
    void symbol(MPI_Fint *request, MPI_Fint *ierror);                           \
    void symbol(MPI_Fint *request, MPI_Fint *ierror)                            \
    {                                                                           \
        void (*next)(MPI_Fint *, MPI_Fint *) =                                  \
            (void (*)(MPI_Fint *, MPI_Fint *))(uintptr_t)next_of(#symbol);      \
        depth++;                                                                \
        next(request, ierror);                                                  \
        if (--depth == 0)                                                       \
            persistent_started(PMPI_Request_f2c(*request), has_failed(ierror)); \
    }

#define FORTRAN_STARTALL(symbol)                                                       \
    void symbol(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror);                \
    void symbol(MPI_Fint *count, MPI_Fint *requests, MPI_Fint *ierror)                 \
    {                                                                                  \
        void (*next)(MPI_Fint *, MPI_Fint *, MPI_Fint *) =                             \
            (void (*)(MPI_Fint *, MPI_Fint *, MPI_Fint *))(uintptr_t)next_of(#symbol); \
        depth++;                                                                       \
        next(count, requests, ierror);                                                 \
        if (--depth == 0)                                                              \
            for (MPI_Fint i = 0; i < *count; i++)                                      \
                persistent_started(PMPI_Request_f2c(requests[i]), has_failed(ierror)); \
    }

#define FORTRAN_REQUEST_FREE(symbol)                                       \
    void symbol(MPI_Fint *request, MPI_Fint *ierror);                      \
    void symbol(MPI_Fint *request, MPI_Fint *ierror)                       \
    {                                                                      \
        void (*next)(MPI_Fint *, MPI_Fint *) =                             \
            (void (*)(MPI_Fint *, MPI_Fint *))(uintptr_t)next_of(#symbol); \
        persistent_remove(PMPI_Request_f2c(*request));                     \
        next(request, ierror);                                             \
    }

FORTRAN_START(mpi_start_)
FORTRAN_START(mpi_start_f08_)
FORTRAN_STARTALL(mpi_startall_)
FORTRAN_STARTALL(mpi_startall_f08_)
FORTRAN_REQUEST_FREE(mpi_request_free_)
FORTRAN_REQUEST_FREE(mpi_request_free_f08_)

#define FORTRAN_OTHER(Name, name, n)                  \
    FORTRAN_FUNCTION(mpi_##name##_, OP_##Name, n)     \
    FORTRAN_FUNCTION(mpi_##name##_f08_, OP_##Name, n) \
    FORTRAN_FUNCTION(mpi_##name##_f08ts_, OP_##Name, n)

#define FORTRAN_EXTENSION(Name, name, n)           \
    FORTRAN_FUNCTION(mpix_##name##_, OP_##Name, n) \
    FORTRAN_FUNCTION(mpix_##name##_f08_, OP_##Name, n)

FORTRAN_EXTENSION(Comm_shrink, comm_shrink, 3)
FORTRAN_EXTENSION(Comm_agree, comm_agree, 3)
FORTRAN_EXTENSION(Comm_iagree, comm_iagree, 4)
FORTRAN_OTHER(Comm_dup, comm_dup, 3)
FORTRAN_OTHER(Comm_dup_with_info, comm_dup_with_info, 4)
FORTRAN_OTHER(Comm_idup, comm_idup, 4)
FORTRAN_OTHER(Comm_idup_with_info, comm_idup_with_info, 5)
FORTRAN_OTHER(Comm_split, comm_split, 5)
FORTRAN_OTHER(Comm_split_type, comm_split_type, 6)
FORTRAN_OTHER(Comm_create, comm_create, 4)
FORTRAN_OTHER(Comm_create_group, comm_create_group, 5)
FORTRAN_OTHER(Intercomm_create, intercomm_create, 7)
FORTRAN_OTHER(Intercomm_merge, intercomm_merge, 4)
FORTRAN_OTHER(Cart_create, cart_create, 7)
FORTRAN_OTHER(Cart_sub, cart_sub, 4)
FORTRAN_OTHER(Graph_create, graph_create, 7)
FORTRAN_OTHER(Dist_graph_create, dist_graph_create, 10)
FORTRAN_OTHER(Dist_graph_create_adjacent, dist_graph_create_adjacent, 11)
FORTRAN_OTHER(Comm_set_info, comm_set_info, 3)
FORTRAN_OTHER(Win_set_info, win_set_info, 3)
FORTRAN_OTHER(File_set_info, file_set_info, 3)
FORTRAN_OTHER(Comm_free, comm_free, 2)
FORTRAN_OTHER(Comm_disconnect, comm_disconnect, 2)
FORTRAN_OTHER(Win_create, win_create, 7)
FORTRAN_OTHER(Win_allocate, win_allocate, 7)
FORTRAN_OTHER(Win_allocate_shared, win_allocate_shared, 7)
FORTRAN_OTHER(Win_create_dynamic, win_create_dynamic, 4)
FORTRAN_OTHER(Win_fence, win_fence, 3)
FORTRAN_OTHER(Win_free, win_free, 2)
FORTRAN_OTHER(File_close, file_close, 2)
FORTRAN_OTHER(File_set_size, file_set_size, 3)
FORTRAN_OTHER(File_preallocate, file_preallocate, 3)
FORTRAN_OTHER(File_sync, file_sync, 2)
FORTRAN_OTHER(File_set_atomicity, file_set_atomicity, 3)
FORTRAN_OTHER(File_seek_shared, file_seek_shared, 4)
FORTRAN_OTHER(File_read_all, file_read_all, 6)
FORTRAN_OTHER(File_iread_all, file_iread_all, 6)
FORTRAN_OTHER(File_read_all_begin, file_read_all_begin, 5)
FORTRAN_OTHER(File_read_at_all, file_read_at_all, 7)
FORTRAN_OTHER(File_iread_at_all, file_iread_at_all, 7)
FORTRAN_OTHER(File_read_at_all_begin, file_read_at_all_begin, 6)
FORTRAN_OTHER(File_read_ordered, file_read_ordered, 6)
FORTRAN_OTHER(File_read_ordered_begin, file_read_ordered_begin, 5)
FORTRAN_OTHER(File_write_all, file_write_all, 6)
FORTRAN_OTHER(File_iwrite_all, file_iwrite_all, 6)
FORTRAN_OTHER(File_write_all_begin, file_write_all_begin, 5)
FORTRAN_OTHER(File_write_at_all, file_write_at_all, 7)
FORTRAN_OTHER(File_iwrite_at_all, file_iwrite_at_all, 7)
FORTRAN_OTHER(File_write_at_all_begin, file_write_at_all_begin, 6)
FORTRAN_OTHER(File_write_ordered, file_write_ordered, 6)
FORTRAN_OTHER(File_write_ordered_begin, file_write_ordered_begin, 5)

/* With a string, whose length comes behind ierror. */
#define FORTRAN_STRING_FUNCTION(symbol, OP, n)                                                    \
    void symbol(TAKE_##n, size_t length);                                                         \
    void symbol(TAKE_##n, size_t length)                                                          \
    {                                                                                             \
        void (*next)(TAKE_##n, size_t) = (void (*)(TAKE_##n, size_t))(uintptr_t)next_of(#symbol); \
        enter();                                                                                  \
        next(GIVE_##n, length);                                                                   \
        leave(OP, has_failed(a##n));                                                              \
    }
FORTRAN_STRING_FUNCTION(mpi_file_open_, OP_File_open, 6)
FORTRAN_STRING_FUNCTION(mpi_file_open_f08_, OP_File_open, 6)
FORTRAN_STRING_FUNCTION(mpi_file_set_view_, OP_File_set_view, 7)
FORTRAN_STRING_FUNCTION(mpi_file_set_view_f08_, OP_File_set_view, 7)
FORTRAN_STRING_FUNCTION(mpi_comm_create_from_group_, OP_Comm_create_from_group, 6)
FORTRAN_STRING_FUNCTION(mpi_comm_create_from_group_f08_, OP_Comm_create_from_group, 6)
FORTRAN_STRING_FUNCTION(mpi_intercomm_create_from_groups_, OP_Intercomm_create_from_groups, 9)
FORTRAN_STRING_FUNCTION(mpi_intercomm_create_from_groups_f08_, OP_Intercomm_create_from_groups, 9)
FORTRAN_STRING_FUNCTION(mpi_comm_accept_, OP_Comm_accept, 6)
FORTRAN_STRING_FUNCTION(mpi_comm_accept_f08_, OP_Comm_accept, 6)
FORTRAN_STRING_FUNCTION(mpi_comm_connect_, OP_Comm_connect, 6)
FORTRAN_STRING_FUNCTION(mpi_comm_connect_f08_, OP_Comm_connect, 6)

/* With two: the commands and their arguments. */
#define FORTRAN_STRINGS_FUNCTION(symbol, OP, n)                              \
    void symbol(TAKE_##n, size_t length, size_t other);                      \
    void symbol(TAKE_##n, size_t length, size_t other)                       \
    {                                                                        \
        void (*next)(TAKE_##n, size_t, size_t) =                             \
            (void (*)(TAKE_##n, size_t, size_t))(uintptr_t)next_of(#symbol); \
        enter();                                                             \
        next(GIVE_##n, length, other);                                       \
        leave(OP, has_failed(a##n));                                         \
    }
FORTRAN_STRINGS_FUNCTION(mpi_comm_spawn_, OP_Comm_spawn, 9)
FORTRAN_STRINGS_FUNCTION(mpi_comm_spawn_f08_, OP_Comm_spawn, 9)
FORTRAN_STRINGS_FUNCTION(mpi_comm_spawn_multiple_, OP_Comm_spawn_multiple, 10)
FORTRAN_STRINGS_FUNCTION(mpi_comm_spawn_multiple_f08_, OP_Comm_spawn_multiple, 10)
