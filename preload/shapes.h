/* preload/shapes.h - the lists of parameters of the collectives: 8 kinds of parameter make 13
 * shapes (trace/ops.def says which operation has which).
 *
 * For each SHAPE:
 *   SYN_PARAMETERS_<SHAPE>(COUNT, DISPL)   the C prototype; int, int, or MPI_Count, MPI_Aint for
 * the _c forms. A nonblocking form appends MPI_Request *request, a persistent one MPI_Info info
 * too. SYN_ARGUMENTS_<SHAPE>                  the names in it, to call with. The communicator is
 * always `comm`. SYN_TRANSFER_<SHAPE>                   the same as designated initializers of
 * struct syn_transfer, from which payload and root are computed (payload.h). For Fortran's
 * by-reference arguments the names are first read into locals. */
#ifndef SYN_SHAPES_H
#define SYN_SHAPES_H

#define SYN_PARAMETERS_BARRIER(COUNT, DISPL) MPI_Comm comm
#define SYN_ARGUMENTS_BARRIER                comm
#define SYN_TRANSFER_BARRIER                 .root = -1

#define SYN_PARAMETERS_BCAST(COUNT, DISPL) \
    void *buffer, COUNT count, MPI_Datatype type, int root, MPI_Comm comm
#define SYN_ARGUMENTS_BCAST buffer, count, type, root, comm
#define SYN_TRANSFER_BCAST \
    .send_buffer = buffer, .send_count = count, .send_type = type, .root = root

#define SYN_PARAMETERS_ROOTED_BLOCKS(COUNT, DISPL)                                        \
    const void *send_buffer, COUNT send_count, MPI_Datatype send_type, void *recv_buffer, \
        COUNT recv_count, MPI_Datatype recv_type, int root, MPI_Comm comm
#define SYN_ARGUMENTS_ROOTED_BLOCKS \
    send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm
#define SYN_TRANSFER_ROOTED_BLOCKS                                                \
    .send_buffer = send_buffer, .send_count = send_count, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_count = recv_count, .recv_type = recv_type, .root = root

#define SYN_PARAMETERS_GATHERV(COUNT, DISPL)                                                      \
    const void *send_buffer, COUNT send_count, MPI_Datatype send_type, void *recv_buffer,         \
        const COUNT recv_counts[], const DISPL displacements[], MPI_Datatype recv_type, int root, \
        MPI_Comm comm
#define SYN_ARGUMENTS_GATHERV                                                                     \
    send_buffer, send_count, send_type, recv_buffer, recv_counts, displacements, recv_type, root, \
        comm
#define SYN_TRANSFER_GATHERV                                                      \
    .send_buffer = send_buffer, .send_count = send_count, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_counts = recv_counts, .recv_type = recv_type, .root = root

#define SYN_PARAMETERS_SCATTERV(COUNT, DISPL)                                                \
    const void *send_buffer, const COUNT send_counts[], const DISPL displacements[],         \
        MPI_Datatype send_type, void *recv_buffer, COUNT recv_count, MPI_Datatype recv_type, \
        int root, MPI_Comm comm
#define SYN_ARGUMENTS_SCATTERV                                                                    \
    send_buffer, send_counts, displacements, send_type, recv_buffer, recv_count, recv_type, root, \
        comm
#define SYN_TRANSFER_SCATTERV                                                       \
    .send_buffer = send_buffer, .send_counts = send_counts, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_count = recv_count, .recv_type = recv_type, .root = root

#define SYN_PARAMETERS_BLOCKS(COUNT, DISPL)                                               \
    const void *send_buffer, COUNT send_count, MPI_Datatype send_type, void *recv_buffer, \
        COUNT recv_count, MPI_Datatype recv_type, MPI_Comm comm
#define SYN_ARGUMENTS_BLOCKS \
    send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm
#define SYN_TRANSFER_BLOCKS                                                       \
    .send_buffer = send_buffer, .send_count = send_count, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_count = recv_count, .recv_type = recv_type, .root = -1

#define SYN_PARAMETERS_ALLGATHERV(COUNT, DISPL)                                           \
    const void *send_buffer, COUNT send_count, MPI_Datatype send_type, void *recv_buffer, \
        const COUNT recv_counts[], const DISPL displacements[], MPI_Datatype recv_type,   \
        MPI_Comm comm
#define SYN_ARGUMENTS_ALLGATHERV \
    send_buffer, send_count, send_type, recv_buffer, recv_counts, displacements, recv_type, comm
#define SYN_TRANSFER_ALLGATHERV                                                   \
    .send_buffer = send_buffer, .send_count = send_count, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_counts = recv_counts, .recv_type = recv_type, .root = -1

#define SYN_PARAMETERS_ALLTOALLV(COUNT, DISPL)                                            \
    const void *send_buffer, const COUNT send_counts[], const DISPL send_displacements[], \
        MPI_Datatype send_type, void *recv_buffer, const COUNT recv_counts[],             \
        const DISPL recv_displacements[], MPI_Datatype recv_type, MPI_Comm comm
#define SYN_ARGUMENTS_ALLTOALLV                                                        \
    send_buffer, send_counts, send_displacements, send_type, recv_buffer, recv_counts, \
        recv_displacements, recv_type, comm
#define SYN_TRANSFER_ALLTOALLV                                                      \
    .send_buffer = send_buffer, .send_counts = send_counts, .send_type = send_type, \
    .recv_buffer = recv_buffer, .recv_counts = recv_counts, .recv_type = recv_type, .root = -1

#define SYN_PARAMETERS_ALLTOALLW(COUNT, DISPL)                                            \
    const void *send_buffer, const COUNT send_counts[], const DISPL send_displacements[], \
        const MPI_Datatype send_types[], void *recv_buffer, const COUNT recv_counts[],    \
        const DISPL recv_displacements[], const MPI_Datatype recv_types[], MPI_Comm comm
#define SYN_ARGUMENTS_ALLTOALLW                                                         \
    send_buffer, send_counts, send_displacements, send_types, recv_buffer, recv_counts, \
        recv_displacements, recv_types, comm
#define SYN_TRANSFER_ALLTOALLW                                                        \
    .send_buffer = send_buffer, .send_counts = send_counts, .send_types = send_types, \
    .recv_buffer = recv_buffer, .recv_counts = recv_counts, .recv_types = recv_types, .root = -1

/* Displacements are MPI_Aint in either form. */
#define SYN_PARAMETERS_NEIGHBOR_ALLTOALLW(COUNT, DISPL) SYN_PARAMETERS_ALLTOALLW(COUNT, MPI_Aint)
#define SYN_ARGUMENTS_NEIGHBOR_ALLTOALLW                SYN_ARGUMENTS_ALLTOALLW
#define SYN_TRANSFER_NEIGHBOR_ALLTOALLW                 SYN_TRANSFER_ALLTOALLW

#define SYN_PARAMETERS_REDUCE(COUNT, DISPL)                                                \
    const void *send_buffer, void *recv_buffer, COUNT count, MPI_Datatype type, MPI_Op op, \
        int root, MPI_Comm comm
#define SYN_ARGUMENTS_REDUCE send_buffer, recv_buffer, count, type, op, root, comm
#define SYN_TRANSFER_REDUCE                                             \
    .send_buffer = send_buffer, .send_count = count, .send_type = type, \
    .recv_buffer = recv_buffer, .root = root

#define SYN_PARAMETERS_ALLREDUCE(COUNT, DISPL)                                             \
    const void *send_buffer, void *recv_buffer, COUNT count, MPI_Datatype type, MPI_Op op, \
        MPI_Comm comm
#define SYN_ARGUMENTS_ALLREDUCE send_buffer, recv_buffer, count, type, op, comm
#define SYN_TRANSFER_ALLREDUCE                                          \
    .send_buffer = send_buffer, .send_count = count, .send_type = type, \
    .recv_buffer = recv_buffer, .recv_count = count, .recv_type = type, .root = -1

#define SYN_PARAMETERS_REDUCE_SCATTER(COUNT, DISPL)                                           \
    const void *send_buffer, void *recv_buffer, const COUNT recv_counts[], MPI_Datatype type, \
        MPI_Op op, MPI_Comm comm
#define SYN_ARGUMENTS_REDUCE_SCATTER send_buffer, recv_buffer, recv_counts, type, op, comm
#define SYN_TRANSFER_REDUCE_SCATTER                                                     \
    .send_buffer = send_buffer, .recv_buffer = recv_buffer, .recv_counts = recv_counts, \
    .recv_type = type, .root = -1

#endif
