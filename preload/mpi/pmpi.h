/* preload/mpi/pmpi.h - the functions of the MPI that this backend was compiled for, found when the
 * program runs.
 *
 * syn_next holds what the program would have reached without us: MPI_X, perhaps of another profiler
 * behind us. A wrapper calls it once, with the program's arguments. syn_pmpi holds PMPI_X, for
 * calls of our own, which nobody else shall see. */
#ifndef SYN_PMPI_H
#define SYN_PMPI_H

#include <stdbool.h>

#include <mpi.h>

#include "preload/entry/backend.h"
#include "trace/events/attributes.h"

/* Lists, as many names to a line as it holds. */
/* clang-format off */
/* Functions of PMPI that one ABI alone needs (SYN_PMPI_OF_ABI), and functions that an MPI may lack:
 * their pointers are NULL then (SYN_PMPI_OPTIONAL). */
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

/* Functions wrapped besides the collectives of trace/base/ops.def. */
#define SYN_WRAPPED_BESIDES(X) \
    X(Init) X(Init_thread) X(Finalize) X(Abort) X(Comm_set_name) X(Wait) X(Waitall) X(Waitany) \
    X(Waitsome) X(Test) X(Testall) X(Testany) X(Testsome) X(Request_free) X(Start) X(Startall)

/* Functions that we call ourselves. */
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

/* Predefined objects: constants in MPICH, addresses inside the library in Open MPI, to which
 * mpi.h's names would link. Code of ours uses these and never the names. */
struct syn_mpi {
    MPI_Comm comm_world;
    MPI_Comm comm_self;
    MPI_Comm comm_null;
    MPI_Errhandler errors_return;
    MPI_Datatype byte;
    MPI_Datatype int64;
    /* Types of C, the most frequent first; NULL: this MPI lacks it. */
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
    /* A handle that stands for what is complete at once, of any communicator; NULL: not known. */
    MPI_Request request_complete;
};

extern struct syn_mpi syn_mpi;
extern struct syn_next syn_next;
extern struct syn_pmpi syn_pmpi;

/* Is it the handle of what is complete? Of MPICH's own ABI they are those of a predefined object
 * (the upper two bits are 01) of the kind request (the next four). */
static inline bool syn_request_is_complete(MPI_Request request)
{
#if defined OPEN_MPI || defined SYN_MPI_IS_ABI
    return request == syn_mpi.request_complete;
#else
    return ((unsigned)request & 0xfc000000u) == 0x6c000000u;
#endif
}

/* After MPI's own initialization, before any handle of ours is used: does MPI, asked by a number,
 * name a predefined object as this backend does? True where it cannot be asked so. */
bool syn_pmpi_handles_answer(void);
/* Then: what only a call on a communicator of one process tells, `alone`; where that is null, one
 * is made of `all`, by all of its processes. */
void syn_pmpi_learn(MPI_Comm all, MPI_Comm alone);

/* Find them all. Returns 0, or SYN_EMISSING with *missing the name of one that is not there.
 * Idempotent. */
int syn_pmpi_load(const struct syn_host *host, const char **missing);

#endif
