/* preload/abi/mpi.h - mpi.h of the standard ABI, as far as its backend and tests need it.
 *
 * Values, types and prototypes are those of MPI 5.0, chapter 20 and appendix A. They are the same
 * in every MPI with this ABI, so the backend is compiled without one. Sources see this file only if
 * its directory comes first in the include path. */
#ifndef SYN_ABI_MPI_H
#define SYN_ABI_MPI_H

#include <stdint.h>

#define MPI_VERSION        5
#define MPI_SUBVERSION     0
#define MPI_ABI_VERSION    1
#define MPI_ABI_SUBVERSION 0

/* Distinguishes this mpi.h from others. */
#define SYN_MPI_IS_ABI 1

/* ---- types ---- */

typedef intptr_t MPI_Aint;
typedef int64_t MPI_Offset;
typedef int64_t MPI_Count;
typedef int MPI_Fint; /* Fortran's default INTEGER, which depends on the Fortran compiler */

typedef struct {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    int MPI_internal[5];
} MPI_Status;

/* Handles are pointers to incomplete types; predefined handles are small numbers. */
typedef struct MPI_ABI_Op *MPI_Op;
typedef struct MPI_ABI_Comm *MPI_Comm;
typedef struct MPI_ABI_Group *MPI_Group;
typedef struct MPI_ABI_Win *MPI_Win;
typedef struct MPI_ABI_File *MPI_File;
typedef struct MPI_ABI_Session *MPI_Session;
typedef struct MPI_ABI_Info *MPI_Info;
typedef struct MPI_ABI_Errhandler *MPI_Errhandler;
typedef struct MPI_ABI_Request *MPI_Request;
typedef struct MPI_ABI_Message *MPI_Message;
typedef struct MPI_ABI_Datatype *MPI_Datatype;

typedef void MPI_User_function(void *in, void *in_out, int *count, MPI_Datatype *type);
typedef int MPI_Comm_copy_attr_function(MPI_Comm comm, int keyval, void *extra, void *value,
                                        void *copy, int *flag);
typedef int MPI_Comm_delete_attr_function(MPI_Comm comm, int keyval, void *value, void *extra);

/* ---- predefined handles ---- */

#define MPI_OP_NULL ((MPI_Op)0x20)
#define MPI_SUM     ((MPI_Op)0x21)
#define MPI_MIN     ((MPI_Op)0x22)
#define MPI_MAX     ((MPI_Op)0x23)
#define MPI_PROD    ((MPI_Op)0x24)
#define MPI_BAND    ((MPI_Op)0x28)
#define MPI_BOR     ((MPI_Op)0x29)
#define MPI_BXOR    ((MPI_Op)0x2a)
#define MPI_LAND    ((MPI_Op)0x30)
#define MPI_LOR     ((MPI_Op)0x31)
#define MPI_LXOR    ((MPI_Op)0x32)
#define MPI_REPLACE ((MPI_Op)0x3c)
#define MPI_NO_OP   ((MPI_Op)0x3d)

#define MPI_COMM_NULL  ((MPI_Comm)0x100)
#define MPI_COMM_WORLD ((MPI_Comm)0x101)
#define MPI_COMM_SELF  ((MPI_Comm)0x102)

#define MPI_GROUP_NULL       ((MPI_Group)0x108)
#define MPI_GROUP_EMPTY      ((MPI_Group)0x109)
#define MPI_WIN_NULL         ((MPI_Win)0x110)
#define MPI_FILE_NULL        ((MPI_File)0x118)
#define MPI_SESSION_NULL     ((MPI_Session)0x120)
#define MPI_INFO_NULL        ((MPI_Info)0x130)
#define MPI_ERRHANDLER_NULL  ((MPI_Errhandler)0x140)
#define MPI_ERRORS_ARE_FATAL ((MPI_Errhandler)0x141)
#define MPI_ERRORS_ABORT     ((MPI_Errhandler)0x142)
#define MPI_ERRORS_RETURN    ((MPI_Errhandler)0x143)
#define MPI_REQUEST_NULL     ((MPI_Request)0x180)

#define MPI_DATATYPE_NULL      ((MPI_Datatype)0x200)
#define MPI_AINT               ((MPI_Datatype)0x201)
#define MPI_COUNT              ((MPI_Datatype)0x202)
#define MPI_OFFSET             ((MPI_Datatype)0x203)
#define MPI_PACKED             ((MPI_Datatype)0x207)
#define MPI_SHORT              ((MPI_Datatype)0x208)
#define MPI_INT                ((MPI_Datatype)0x209)
#define MPI_LONG               ((MPI_Datatype)0x20a)
#define MPI_LONG_LONG          ((MPI_Datatype)0x20b)
#define MPI_UNSIGNED           ((MPI_Datatype)0x20d)
#define MPI_UNSIGNED_LONG      ((MPI_Datatype)0x20e)
#define MPI_UNSIGNED_LONG_LONG ((MPI_Datatype)0x20f)
#define MPI_FLOAT              ((MPI_Datatype)0x210)
#define MPI_DOUBLE             ((MPI_Datatype)0x214)
#define MPI_INT8_T             ((MPI_Datatype)0x240)
#define MPI_UINT8_T            ((MPI_Datatype)0x241)
#define MPI_CHAR               ((MPI_Datatype)0x243)
#define MPI_SIGNED_CHAR        ((MPI_Datatype)0x244)
#define MPI_UNSIGNED_CHAR      ((MPI_Datatype)0x245)
#define MPI_BYTE               ((MPI_Datatype)0x247)
#define MPI_INT32_T            ((MPI_Datatype)0x250)
#define MPI_INT64_T            ((MPI_Datatype)0x258)
#define MPI_UINT64_T           ((MPI_Datatype)0x259)

/* ---- other constants ---- */

#define MPI_BOTTOM          ((void *)0)
#define MPI_IN_PLACE        ((void *)1)
#define MPI_STATUS_IGNORE   ((MPI_Status *)0)
#define MPI_STATUSES_IGNORE ((MPI_Status *)0)
#define MPI_ARGV_NULL       ((char **)0)
#define MPI_ERRCODES_IGNORE ((int *)0)
#define MPI_UNWEIGHTED      ((int *)10)
#define MPI_WEIGHTS_EMPTY   ((int *)11)

enum {
    MPI_MAX_OBJECT_NAME = 128,
    MPI_MAX_LIBRARY_VERSION_STRING = 8192,
};

enum {
    MPI_ANY_SOURCE = -1,
    MPI_ANY_TAG = -2,
    MPI_PROC_NULL = -3,
    MPI_ROOT = -4,
    MPI_UNDEFINED = -32766,
};

enum {
    MPI_KEYVAL_INVALID = 0,
    MPI_THREAD_SINGLE = 0,
    MPI_THREAD_FUNNELED = 1024,
    MPI_THREAD_SERIALIZED = 2048,
    MPI_THREAD_MULTIPLE = 4096,
    MPI_CART = 211,
    MPI_GRAPH = 212,
    MPI_DIST_GRAPH = 213,
    MPI_COMM_TYPE_SHARED = 221,
    MPI_MODE_CREATE = 2,
    MPI_MODE_DELETE_ON_CLOSE = 4,
    MPI_MODE_RDWR = 32,
    MPI_SEEK_SET = 403,
};

/* Error classes. */
enum {
    MPI_SUCCESS = 0,
    MPI_ERR_BUFFER = 1,
    MPI_ERR_COUNT = 2,
    MPI_ERR_TYPE = 3,
    MPI_ERR_TAG = 4,
    MPI_ERR_COMM = 5,
    MPI_ERR_RANK = 6,
    MPI_ERR_REQUEST = 7,
    MPI_ERR_ROOT = 8,
    MPI_ERR_GROUP = 9,
    MPI_ERR_OP = 10,
    MPI_ERR_TOPOLOGY = 11,
    MPI_ERR_DIMS = 12,
    MPI_ERR_ARG = 13,
    MPI_ERR_OTHER = 16,
    MPI_ERR_IN_STATUS = 19,
    MPI_ERR_AMODE = 21,
    MPI_ERR_ASSERT = 22,
    MPI_ERR_DISP = 26,
    MPI_ERR_FILE = 30,
    MPI_ERR_INFO = 34,
    MPI_ERR_SIZE = 52,
    MPI_ERR_UNSUPPORTED_OPERATION = 55,
    MPI_ERR_WIN = 56,
};

/* ---- functions ---- */

#define SYN_ABI_FUNCTION(Name, ...) \
    int MPI_##Name(__VA_ARGS__);    \
    int PMPI_##Name(__VA_ARGS__);
/* A function and its nonblocking form, which also has a request. PARAMETERS: those of both, in
 * parentheses. */
#define SYN_ABI_PARAMETERS(...) __VA_ARGS__
#define SYN_ABI_STARTED(Name, Iname, PARAMETERS)          \
    SYN_ABI_FUNCTION(Name, SYN_ABI_PARAMETERS PARAMETERS) \
    SYN_ABI_FUNCTION(Iname, SYN_ABI_PARAMETERS PARAMETERS, MPI_Request *request)
#define SYN_ABI_COLLECTIVE(Name, Iname, PARAMETERS)                             \
    SYN_ABI_STARTED(Name, Iname, PARAMETERS)                                    \
    SYN_ABI_FUNCTION(Name##_init, SYN_ABI_PARAMETERS PARAMETERS, MPI_Info info, \
                     MPI_Request *request)

double MPI_Wtime(void);
double PMPI_Wtime(void);
MPI_Comm PMPI_Comm_fromint(int handle);
MPI_Datatype PMPI_Type_fromint(int handle);
MPI_Request PMPI_Request_fromint(int handle);
MPI_Win PMPI_Win_fromint(int handle);
MPI_File PMPI_File_fromint(int handle);
int MPI_Pcontrol(const int level, ...);

SYN_ABI_FUNCTION(Abi_get_version, int *major, int *minor)
SYN_ABI_FUNCTION(Init, int *argc, char ***argv)
SYN_ABI_FUNCTION(Init_thread, int *argc, char ***argv, int required, int *provided)
SYN_ABI_FUNCTION(Finalize, void)
SYN_ABI_FUNCTION(Abort, MPI_Comm comm, int code)
SYN_ABI_FUNCTION(Query_thread, int *provided)
SYN_ABI_FUNCTION(Get_version, int *version, int *subversion)
SYN_ABI_FUNCTION(Get_library_version, char *version, int *length)
SYN_ABI_FUNCTION(Error_class, int code, int *error_class)
SYN_ABI_FUNCTION(Session_init, MPI_Info info, MPI_Errhandler handler, MPI_Session *session)
SYN_ABI_FUNCTION(Session_finalize, MPI_Session *session)
SYN_ABI_FUNCTION(Group_from_session_pset, MPI_Session session, const char *name, MPI_Group *group)

/* Collectives on data, in the order of trace/base/ops.def. */
SYN_ABI_COLLECTIVE(Barrier, Ibarrier, (MPI_Comm comm))
SYN_ABI_COLLECTIVE(Bcast, Ibcast,
                   (void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm))
SYN_ABI_COLLECTIVE(Gather, Igather,
                   (const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm))
SYN_ABI_COLLECTIVE(Gatherv, Igatherv,
                   (const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    const int recv_counts[], const int displs[], MPI_Datatype recv_type, int root,
                    MPI_Comm comm))
SYN_ABI_COLLECTIVE(Scatter, Iscatter,
                   (const void *send, int send_count, MPI_Datatype send_type, void *recv,
                    int recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm))
SYN_ABI_COLLECTIVE(Scatterv, Iscatterv,
                   (const void *send, const int send_counts[], const int displs[],
                    MPI_Datatype send_type, void *recv, int recv_count, MPI_Datatype recv_type,
                    int root, MPI_Comm comm))
#define SYN_ABI_BLOCKS                                                                     \
    (const void *send, int send_count, MPI_Datatype send_type, void *recv, int recv_count, \
     MPI_Datatype recv_type, MPI_Comm comm)
#define SYN_ABI_GATHERED                                                   \
    (const void *send, int send_count, MPI_Datatype send_type, void *recv, \
     const int recv_counts[], const int displs[], MPI_Datatype recv_type, MPI_Comm comm)
#define SYN_ABI_ALL_TO_ALL                                                                       \
    (const void *send, const int send_counts[], const int send_displs[], MPI_Datatype send_type, \
     void *recv, const int recv_counts[], const int recv_displs[], MPI_Datatype recv_type,       \
     MPI_Comm comm)
#define SYN_ABI_REDUCTION \
    (const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
SYN_ABI_COLLECTIVE(Allgather, Iallgather, SYN_ABI_BLOCKS)
SYN_ABI_COLLECTIVE(Allgatherv, Iallgatherv, SYN_ABI_GATHERED)
SYN_ABI_COLLECTIVE(Alltoall, Ialltoall, SYN_ABI_BLOCKS)
SYN_ABI_COLLECTIVE(Alltoallv, Ialltoallv, SYN_ABI_ALL_TO_ALL)
SYN_ABI_COLLECTIVE(Alltoallw, Ialltoallw,
                   (const void *send, const int send_counts[], const int send_displs[],
                    const MPI_Datatype send_types[], void *recv, const int recv_counts[],
                    const int recv_displs[], const MPI_Datatype recv_types[], MPI_Comm comm))
SYN_ABI_COLLECTIVE(Reduce, Ireduce,
                   (const void *send, void *recv, int count, MPI_Datatype type, MPI_Op op, int root,
                    MPI_Comm comm))
SYN_ABI_COLLECTIVE(Allreduce, Iallreduce, SYN_ABI_REDUCTION)
SYN_ABI_COLLECTIVE(Reduce_scatter, Ireduce_scatter,
                   (const void *send, void *recv, const int recv_counts[], MPI_Datatype type,
                    MPI_Op op, MPI_Comm comm))
SYN_ABI_COLLECTIVE(Reduce_scatter_block, Ireduce_scatter_block, SYN_ABI_REDUCTION)
SYN_ABI_COLLECTIVE(Scan, Iscan, SYN_ABI_REDUCTION)
SYN_ABI_COLLECTIVE(Exscan, Iexscan, SYN_ABI_REDUCTION)
SYN_ABI_COLLECTIVE(Neighbor_allgather, Ineighbor_allgather, SYN_ABI_BLOCKS)
SYN_ABI_COLLECTIVE(Neighbor_allgatherv, Ineighbor_allgatherv, SYN_ABI_GATHERED)
SYN_ABI_COLLECTIVE(Neighbor_alltoall, Ineighbor_alltoall, SYN_ABI_BLOCKS)
SYN_ABI_COLLECTIVE(Neighbor_alltoallv, Ineighbor_alltoallv, SYN_ABI_ALL_TO_ALL)
SYN_ABI_COLLECTIVE(Neighbor_alltoallw, Ineighbor_alltoallw,
                   (const void *send, const int send_counts[], const MPI_Aint send_displs[],
                    const MPI_Datatype send_types[], void *recv, const int recv_counts[],
                    const MPI_Aint recv_displs[], const MPI_Datatype recv_types[], MPI_Comm comm))

/* Communicators and groups. */
SYN_ABI_STARTED(Comm_dup, Comm_idup, (MPI_Comm comm, MPI_Comm *made))
SYN_ABI_STARTED(Comm_dup_with_info, Comm_idup_with_info,
                (MPI_Comm comm, MPI_Info info, MPI_Comm *made))
SYN_ABI_FUNCTION(Comm_split, MPI_Comm comm, int color, int key, MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_split_type, MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_create, MPI_Comm comm, MPI_Group group, MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_create_group, MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_create_from_group, MPI_Group group, const char *tag, MPI_Info info,
                 MPI_Errhandler handler, MPI_Comm *made)
SYN_ABI_FUNCTION(Intercomm_create, MPI_Comm comm, int leader, MPI_Comm peer, int remote_leader,
                 int tag, MPI_Comm *made)
SYN_ABI_FUNCTION(Intercomm_create_from_groups, MPI_Group group, int leader, MPI_Group remote_group,
                 int remote_leader, const char *tag, MPI_Info info, MPI_Errhandler handler,
                 MPI_Comm *made)
SYN_ABI_FUNCTION(Intercomm_merge, MPI_Comm comm, int high, MPI_Comm *made)
SYN_ABI_FUNCTION(Cart_create, MPI_Comm comm, int dimension_count, const int dimensions[],
                 const int periods[], int reorder, MPI_Comm *made)
SYN_ABI_FUNCTION(Cart_sub, MPI_Comm comm, const int remains[], MPI_Comm *made)
SYN_ABI_FUNCTION(Graph_create, MPI_Comm comm, int node_count, const int ends[], const int edges[],
                 int reorder, MPI_Comm *made)
SYN_ABI_FUNCTION(Dist_graph_create, MPI_Comm comm, int source_count, const int sources[],
                 const int degrees[], const int destinations[], const int weights[], MPI_Info info,
                 int reorder, MPI_Comm *made)
SYN_ABI_FUNCTION(Dist_graph_create_adjacent, MPI_Comm comm, int in_degree, const int sources[],
                 const int source_weights[], int out_degree, const int destinations[],
                 const int destination_weights[], MPI_Info info, int reorder, MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_free, MPI_Comm *comm)
SYN_ABI_FUNCTION(Comm_disconnect, MPI_Comm *comm)
SYN_ABI_FUNCTION(Comm_spawn, const char *command, char *arguments[], int count, MPI_Info info,
                 int root, MPI_Comm comm, MPI_Comm *made, int errors[])
SYN_ABI_FUNCTION(Comm_spawn_multiple, int command_count, char *commands[], char **arguments[],
                 const int counts[], const MPI_Info infos[], int root, MPI_Comm comm,
                 MPI_Comm *made, int errors[])
SYN_ABI_FUNCTION(Comm_accept, const char *port, MPI_Info info, int root, MPI_Comm comm,
                 MPI_Comm *made)
SYN_ABI_FUNCTION(Comm_connect, const char *port, MPI_Info info, int root, MPI_Comm comm,
                 MPI_Comm *made)
SYN_ABI_FUNCTION(Info_create, MPI_Info *info)
SYN_ABI_FUNCTION(Info_free, MPI_Info *info)
SYN_ABI_FUNCTION(Comm_set_info, MPI_Comm comm, MPI_Info info)
SYN_ABI_FUNCTION(Comm_set_name, MPI_Comm comm, const char *name)
SYN_ABI_FUNCTION(Comm_get_name, MPI_Comm comm, char *name, int *length)
SYN_ABI_FUNCTION(Comm_get_parent, MPI_Comm *parent)
SYN_ABI_FUNCTION(Comm_group, MPI_Comm comm, MPI_Group *group)
SYN_ABI_FUNCTION(Comm_remote_group, MPI_Comm comm, MPI_Group *group)
SYN_ABI_FUNCTION(Comm_rank, MPI_Comm comm, int *rank)
SYN_ABI_FUNCTION(Comm_size, MPI_Comm comm, int *size)
SYN_ABI_FUNCTION(Comm_test_inter, MPI_Comm comm, int *flag)
SYN_ABI_FUNCTION(Comm_set_errhandler, MPI_Comm comm, MPI_Errhandler handler)
SYN_ABI_FUNCTION(Comm_create_keyval, MPI_Comm_copy_attr_function *copy,
                 MPI_Comm_delete_attr_function *remove, int *keyval, void *extra)
SYN_ABI_FUNCTION(Comm_free_keyval, int *keyval)
SYN_ABI_FUNCTION(Comm_set_attr, MPI_Comm comm, int keyval, void *value)
SYN_ABI_FUNCTION(Comm_delete_attr, MPI_Comm comm, int keyval)
SYN_ABI_FUNCTION(Topo_test, MPI_Comm comm, int *topology)
SYN_ABI_FUNCTION(Cartdim_get, MPI_Comm comm, int *dimension_count)
SYN_ABI_FUNCTION(Graph_neighbors_count, MPI_Comm comm, int rank, int *count)
SYN_ABI_FUNCTION(Dist_graph_neighbors_count, MPI_Comm comm, int *in, int *out, int *weighted)
SYN_ABI_FUNCTION(Dims_create, int node_count, int dimension_count, int dimensions[])
SYN_ABI_FUNCTION(Group_incl, MPI_Group group, int count, const int ranks[], MPI_Group *made)
SYN_ABI_FUNCTION(Group_size, MPI_Group group, int *size)
SYN_ABI_FUNCTION(Group_rank, MPI_Group group, int *rank)
SYN_ABI_FUNCTION(Group_free, MPI_Group *group)
SYN_ABI_FUNCTION(Group_translate_ranks, MPI_Group from, int count, const int ranks[], MPI_Group to,
                 int translated[])

/* Messages, requests, types. */
SYN_ABI_FUNCTION(Isend, const void *buffer, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, MPI_Request *request)
SYN_ABI_FUNCTION(Irecv, void *buffer, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm, MPI_Request *request)
SYN_ABI_FUNCTION(Send, const void *buffer, int count, MPI_Datatype type, int peer, int tag,
                 MPI_Comm comm)
SYN_ABI_FUNCTION(Recv, void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                 MPI_Status *status)
SYN_ABI_FUNCTION(Get_count, const MPI_Status *status, MPI_Datatype type, int *count)
SYN_ABI_FUNCTION(Test_cancelled, const MPI_Status *status, int *flag)
SYN_ABI_FUNCTION(Wait, MPI_Request *request, MPI_Status *status)
SYN_ABI_FUNCTION(Waitall, int count, MPI_Request requests[], MPI_Status *statuses)
SYN_ABI_FUNCTION(Waitany, int count, MPI_Request requests[], int *index, MPI_Status *status)
SYN_ABI_FUNCTION(Waitsome, int count, MPI_Request requests[], int *done_count, int indices[],
                 MPI_Status *statuses)
SYN_ABI_FUNCTION(Test, MPI_Request *request, int *flag, MPI_Status *status)
SYN_ABI_FUNCTION(Testall, int count, MPI_Request requests[], int *flag, MPI_Status *statuses)
SYN_ABI_FUNCTION(Testany, int count, MPI_Request requests[], int *index, int *flag,
                 MPI_Status *status)
SYN_ABI_FUNCTION(Testsome, int count, MPI_Request requests[], int *done_count, int indices[],
                 MPI_Status *statuses)
SYN_ABI_FUNCTION(Request_free, MPI_Request *request)
SYN_ABI_FUNCTION(Start, MPI_Request *request)
SYN_ABI_FUNCTION(Startall, int count, MPI_Request requests[])
SYN_ABI_FUNCTION(Type_get_name, MPI_Datatype type, char *name, int *length)
SYN_ABI_FUNCTION(Type_size, MPI_Datatype type, int *size)
SYN_ABI_FUNCTION(Type_size_x, MPI_Datatype type, MPI_Count *size)
SYN_ABI_FUNCTION(Type_vector, int count, int length, int stride, MPI_Datatype type,
                 MPI_Datatype *made)
SYN_ABI_FUNCTION(Type_create_hindexed, int count, const int lengths[], const MPI_Aint displs[],
                 MPI_Datatype type, MPI_Datatype *made)
SYN_ABI_FUNCTION(Type_commit, MPI_Datatype *type)
SYN_ABI_FUNCTION(Type_free, MPI_Datatype *type)
SYN_ABI_FUNCTION(Get_address, const void *location, MPI_Aint *address)
SYN_ABI_FUNCTION(Op_create, MPI_User_function *function, int commute, MPI_Op *op)
SYN_ABI_FUNCTION(Op_free, MPI_Op *op)

/* Windows. */
SYN_ABI_FUNCTION(Win_create, void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                 MPI_Win *made)
SYN_ABI_FUNCTION(Win_allocate, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *base,
                 MPI_Win *made)
SYN_ABI_FUNCTION(Win_allocate_shared, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                 void *base, MPI_Win *made)
SYN_ABI_FUNCTION(Win_create_dynamic, MPI_Info info, MPI_Comm comm, MPI_Win *made)
SYN_ABI_FUNCTION(Win_fence, int assertion, MPI_Win window)
SYN_ABI_FUNCTION(Win_free, MPI_Win *window)
SYN_ABI_FUNCTION(Win_get_group, MPI_Win window, MPI_Group *group)
SYN_ABI_FUNCTION(Win_set_info, MPI_Win window, MPI_Info info)

/* Files. */
#define SYN_ABI_READ    MPI_File file, void *buffer, int count, MPI_Datatype type
#define SYN_ABI_WRITE   MPI_File file, const void *buffer, int count, MPI_Datatype type
#define SYN_ABI_READ_AT MPI_File file, MPI_Offset offset, void *buffer, int count, MPI_Datatype type
#define SYN_ABI_WRITE_AT \
    MPI_File file, MPI_Offset offset, const void *buffer, int count, MPI_Datatype type
#define SYN_ABI_TRANSFERS(read, read_at, READ, READ_AT)                    \
    SYN_ABI_FUNCTION(File_##read##_all, READ, MPI_Status *status)          \
    SYN_ABI_FUNCTION(File_i##read##_all, READ, MPI_Request *request)       \
    SYN_ABI_FUNCTION(File_##read##_all_begin, READ)                        \
    SYN_ABI_FUNCTION(File_##read_at##_all, READ_AT, MPI_Status *status)    \
    SYN_ABI_FUNCTION(File_i##read_at##_all, READ_AT, MPI_Request *request) \
    SYN_ABI_FUNCTION(File_##read_at##_all_begin, READ_AT)                  \
    SYN_ABI_FUNCTION(File_##read##_ordered, READ, MPI_Status *status)      \
    SYN_ABI_FUNCTION(File_##read##_ordered_begin, READ)
SYN_ABI_TRANSFERS(read, read_at, SYN_ABI_READ, SYN_ABI_READ_AT)
SYN_ABI_TRANSFERS(write, write_at, SYN_ABI_WRITE, SYN_ABI_WRITE_AT)
SYN_ABI_FUNCTION(File_read_all_end, MPI_File file, void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_read_at_all_end, MPI_File file, void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_read_ordered_end, MPI_File file, void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_write_all_end, MPI_File file, const void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_write_at_all_end, MPI_File file, const void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_write_ordered_end, MPI_File file, const void *buffer, MPI_Status *status)
SYN_ABI_FUNCTION(File_open, MPI_Comm comm, const char *path, int mode, MPI_Info info,
                 MPI_File *made)
SYN_ABI_FUNCTION(File_close, MPI_File *file)
SYN_ABI_FUNCTION(File_get_group, MPI_File file, MPI_Group *group)
SYN_ABI_FUNCTION(File_set_view, MPI_File file, MPI_Offset displacement, MPI_Datatype element,
                 MPI_Datatype type, const char *representation, MPI_Info info)
SYN_ABI_FUNCTION(File_set_info, MPI_File file, MPI_Info info)
SYN_ABI_FUNCTION(File_set_size, MPI_File file, MPI_Offset size)
SYN_ABI_FUNCTION(File_preallocate, MPI_File file, MPI_Offset size)
SYN_ABI_FUNCTION(File_sync, MPI_File file)
SYN_ABI_FUNCTION(File_set_atomicity, MPI_File file, int flag)
SYN_ABI_FUNCTION(File_seek_shared, MPI_File file, MPI_Offset offset, int whence)

#endif
