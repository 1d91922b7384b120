/* preload/mpi/pmpi.h - addresses of MPI's functions and predefined objects, looked up when the
 * program runs.
 *
 * syn_next contains MPI_X: the function that the program would have called without the recorder,
 * either MPI's or that of another tool. A wrapper calls it once, with the program's arguments.
 * syn_pmpi contains PMPI_X, for the recorder's own calls, which other tools do not see. */
#ifndef SYN_PMPI_H
#define SYN_PMPI_H

#include <stdbool.h>

#include <mpi.h>

#include "preload/entry/backend.h"
#include "trace/events/attributes.h"

/* Lists with several names in a line. */
/* clang-format off */
/* SYN_PMPI_OF_ABI: functions that only the backend for this ABI calls. SYN_PMPI_OPTIONAL: functions
 * that the MPI may lack; their pointers are then NULL. */
#if defined SYN_MPI_IS_ABI
#define SYN_PMPI_OF_ABI(X) X(Ibarrier) X(Get_count) X(Test_cancelled)
#define SYN_PMPI_OPTIONAL(X) \
    X(File_get_group) X(Comm_fromint) X(Type_fromint) X(Request_fromint) X(Win_fromint) \
    X(File_fromint) X(Type_get_name)
#elif defined OPEN_MPI
#define SYN_PMPI_OF_ABI(X) \
    X(Comm_f2c) X(Type_f2c) X(Type_get_envelope) X(Request_f2c) X(Win_f2c)
#define SYN_PMPI_OPTIONAL(X) X(File_f2c) X(File_get_group) X(Type_get_name)
#else
#define SYN_PMPI_OF_ABI(X) X(Type_get_envelope)
#define SYN_PMPI_OPTIONAL(X) X(File_f2c) X(File_get_group) X(Type_get_name)
#endif

/* Functions with a wrapper, besides the collectives of trace/base/ops.def. */
#define SYN_WRAPPED_BESIDES(X) \
    X(Init) X(Init_thread) X(Finalize) X(Abort) X(Comm_set_name) X(Wait) X(Waitall) X(Waitany) \
    X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome) X(Request_free) X(Start) X(Startall)

/* Functions that the recorder itself calls. */
#define SYN_PMPI_USED(X) \
    X(Allreduce) X(Barrier) X(Cartdim_get) X(Comm_create_keyval) X(Comm_create_group) \
    X(Comm_idup) X(Comm_free) X(Comm_free_keyval) X(Comm_get_name) X(Comm_get_parent) \
    X(Comm_group) X(Comm_rank) X(Comm_remote_group) X(Comm_set_attr) X(Comm_set_errhandler) \
    X(Comm_size) X(Comm_split) X(Comm_test_inter) X(Dist_graph_neighbors_count) X(Error_class) \
    X(Get_library_version) X(Get_version) X(Graph_neighbors_count) X(Group_free) X(Group_rank) \
    X(Group_size) \
    X(Group_translate_ranks) X(Query_thread) X(Irecv) X(Isend) X(Test) X(Topo_test) \
    X(Type_size) X(Type_size_x) X(Win_get_group) X(Wtime)
/* clang-format on */

struct syn_next {
#define SYN_COLLECTIVE(row, NAME, Name, name, SHAPE, PAYLOAD, FLAGS) __typeof__(&MPI_##Name) Name;
#include "trace/base/ops.def"
#define SYN_MEMBER(Name) __typeof__(&MPI_##Name) Name;
    SYN_WRAPPED_BESIDES(SYN_MEMBER)
#undef SYN_MEMBER
};

struct syn_pmpi {
#define SYN_MEMBER(Name) __typeof__(&PMPI_##Name) Name;
    SYN_PMPI_USED(SYN_MEMBER)
    SYN_PMPI_OF_ABI(SYN_MEMBER)
    SYN_PMPI_OPTIONAL(SYN_MEMBER)
#undef SYN_MEMBER
};

/* Handles of predefined objects: constants in MPICH, addresses in the library in Open MPI. The
 * recorder uses these and never the names of mpi.h, which in Open MPI would link the backend to the
 * library. */
struct syn_mpi {
    MPI_Comm comm_world;
    MPI_Comm comm_self;
    MPI_Comm comm_null;
    MPI_Errhandler errors_return;
    MPI_Datatype byte;
    MPI_Datatype int64;
    /* Types of C, the most frequent first; NULL: this MPI lacks the type. */
#define SYN_COMMON_TYPES 10
    MPI_Datatype common_types[SYN_COMMON_TYPES];
    MPI_Op max;
#ifdef OPEN_MPI
#define SYN_REDUCTIONS_KNOWN 14
    struct { /* the most frequent first */
        MPI_Op op;
        enum syn_reduction kind;
    } reductions[SYN_REDUCTIONS_KNOWN];
#endif
    /* Handle of all operations that are complete when their call returns; NULL: not known. */
    MPI_Request request_complete;
};

extern struct syn_mpi syn_mpi;
extern struct syn_next syn_next;
extern struct syn_pmpi syn_pmpi;

/* Returns true if the handle stands for an operation that was complete when its call returned. In
 * MPICH's own ABI such a handle is that of a predefined object (upper two bits 01) of the kind
 * request (next four bits). */
static inline bool syn_request_is_complete(MPI_Request request)
{
#if defined OPEN_MPI || defined SYN_MPI_IS_ABI
    return request == syn_mpi.request_complete;
#else
    return ((unsigned)request & 0xfc000000u) == 0x6c000000u;
#endif
}

/* Returns true if MPI and this backend have the same handle for MPI_COMM_WORLD, or if MPI cannot be
 * asked. Call it after MPI's initialization, before a handle is used. */
bool syn_pmpi_handles_agree(void);
/* Finds syn_mpi.request_complete by calls on `alone`, a communicator of one process. If `alone` is
 * null, all processes of `all` call this together and make such a communicator. Only the standard
 * ABI needs it. */
void syn_pmpi_learn(MPI_Comm all, MPI_Comm alone);

/* Looks up all functions and objects. Returns 0, or SYN_EMISSING and sets *missing to the name of
 * one that was not found. Idempotent. */
int syn_pmpi_load(const struct syn_host *host, const char **missing);

#endif
