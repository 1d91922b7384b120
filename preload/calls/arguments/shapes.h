/* preload/calls/arguments/shapes.h - the parameter lists of the collectives on data. There are 13
 * lists, called shapes, of a dozen kinds of parameter. trace/base/ops.def names each operation's.
 *
 * For each SHAPE:
 *   SYN_PARAMETERS_<SHAPE>(K)   its parameters, in the language K. A nonblocking form appends a
 *                               request, a persistent one an info before it.
 *   SYN_ARGUMENTS_<SHAPE>       the names of the parameters. The communicator is always `comm`.
 *   SYN_TRANSFER_<SHAPE>(K)     designated initializers of struct syn_transfer, from which payload
 *                               and root are computed (payload.h).
 *
 * K is a language. For each kind of parameter, K_COUNT(name), ... declares the parameter and
 * K_READ_COUNT(name), ... reads its value:
 *   SYN_C   C
 *   SYN_L   C with large counts (the _c forms): MPI_Count, MPI_Aint for displacements
 *   SYN_F   mpif.h, `use mpi`, and mpi_f08 with buffers as addresses: all by reference
 *   SYN_T   mpi_f08 with buffers as descriptors (TS 29113)
 *   SYN_D   mpi_f08 with large counts
 * The functions that read Fortran's arguments are in preload/mpi/fortran.h. */
#ifndef SYN_SHAPES_H
#define SYN_SHAPES_H

#define SYN_C_BUFFER(name)      void *name
#define SYN_C_SEND(name)        const void *name
#define SYN_C_COUNT(name)       int name
#define SYN_C_COUNTS(name)      const int name[]
#define SYN_C_DISPLS(name)      const int name[]
#define SYN_C_AINTS(name)       const MPI_Aint name[]
#define SYN_C_TYPE(name)        MPI_Datatype name
#define SYN_C_TYPES(name)       const MPI_Datatype name[]
#define SYN_C_OP(name)          MPI_Op name
#define SYN_C_ROOT(name)        int name
#define SYN_C_COMM(name)        MPI_Comm name
#define SYN_C_INFO(name)        MPI_Info name
#define SYN_C_REQUEST(name)     MPI_Request *name
#define SYN_C_READ_BUFFER(name) name
#define SYN_C_READ_COUNT(name)  name
#define SYN_C_READ_TYPE(name)   name
#define SYN_C_READ_ROOT(name)   name
#define SYN_C_READ_OP(name)     syn_reduction_of(name)
#define SYN_C_IS_LARGE          false
#define SYN_C_IS_FORTRAN        false

#define SYN_L_BUFFER(name)      SYN_C_BUFFER(name)
#define SYN_L_SEND(name)        SYN_C_SEND(name)
#define SYN_L_COUNT(name)       MPI_Count name
#define SYN_L_COUNTS(name)      const MPI_Count name[]
#define SYN_L_DISPLS(name)      const MPI_Aint name[]
#define SYN_L_AINTS(name)       const MPI_Aint name[]
#define SYN_L_TYPE(name)        SYN_C_TYPE(name)
#define SYN_L_TYPES(name)       SYN_C_TYPES(name)
#define SYN_L_OP(name)          SYN_C_OP(name)
#define SYN_L_ROOT(name)        SYN_C_ROOT(name)
#define SYN_L_COMM(name)        SYN_C_COMM(name)
#define SYN_L_INFO(name)        SYN_C_INFO(name)
#define SYN_L_REQUEST(name)     SYN_C_REQUEST(name)
#define SYN_L_READ_BUFFER(name) name
#define SYN_L_READ_COUNT(name)  name
#define SYN_L_READ_TYPE(name)   name
#define SYN_L_READ_ROOT(name)   name
#define SYN_L_READ_OP(name)     SYN_C_READ_OP(name)
#define SYN_L_IS_LARGE          true
#define SYN_L_IS_FORTRAN        false

#define SYN_F_BUFFER(name)      void *name
#define SYN_F_SEND(name)        void *name
#define SYN_F_COUNT(name)       MPI_Fint *name
#define SYN_F_COUNTS(name)      MPI_Fint *name
#define SYN_F_DISPLS(name)      MPI_Fint *name
#define SYN_F_AINTS(name)       MPI_Aint *name
#define SYN_F_TYPE(name)        MPI_Fint *name
#define SYN_F_TYPES(name)       MPI_Fint *name
#define SYN_F_OP(name)          MPI_Fint *name
#define SYN_F_ROOT(name)        MPI_Fint *name
#define SYN_F_COMM(name)        MPI_Fint *name
#define SYN_F_INFO(name)        MPI_Fint *name
#define SYN_F_REQUEST(name)     MPI_Fint *name
#define SYN_F_READ_BUFFER(name) syn_fortran_buffer(name)
#define SYN_F_READ_COUNT(name)  *name
#define SYN_F_READ_TYPE(name)   syn_type_f2c(*name)
#define SYN_F_READ_ROOT(name)   *name
#define SYN_F_READ_OP(name)     syn_reduction_of_fortran(*name)
#define SYN_F_IS_LARGE          false
#define SYN_F_IS_FORTRAN        true

#define SYN_T_BUFFER(name)      SYN_F_BUFFER(name)
#define SYN_T_SEND(name)        SYN_F_SEND(name)
#define SYN_T_COUNT(name)       SYN_F_COUNT(name)
#define SYN_T_COUNTS(name)      SYN_F_COUNTS(name)
#define SYN_T_DISPLS(name)      SYN_F_DISPLS(name)
#define SYN_T_AINTS(name)       SYN_F_AINTS(name)
#define SYN_T_TYPE(name)        SYN_F_TYPE(name)
#define SYN_T_TYPES(name)       SYN_F_TYPES(name)
#define SYN_T_OP(name)          SYN_F_OP(name)
#define SYN_T_ROOT(name)        SYN_F_ROOT(name)
#define SYN_T_COMM(name)        SYN_F_COMM(name)
#define SYN_T_INFO(name)        SYN_F_INFO(name)
#define SYN_T_REQUEST(name)     SYN_F_REQUEST(name)
#define SYN_T_READ_BUFFER(name) syn_descriptor_buffer(name)
#define SYN_T_READ_COUNT(name)  SYN_F_READ_COUNT(name)
#define SYN_T_READ_TYPE(name)   SYN_F_READ_TYPE(name)
#define SYN_T_READ_ROOT(name)   SYN_F_READ_ROOT(name)
#define SYN_T_READ_OP(name)     SYN_F_READ_OP(name)
#define SYN_T_IS_LARGE          false
#define SYN_T_IS_FORTRAN        true

/* Buffers are descriptors or addresses, as the MPI was built (syn_fortran.large_described). */
#define SYN_D_BUFFER(name)      SYN_F_BUFFER(name)
#define SYN_D_SEND(name)        SYN_F_SEND(name)
#define SYN_D_TYPE(name)        SYN_F_TYPE(name)
#define SYN_D_TYPES(name)       SYN_F_TYPES(name)
#define SYN_D_OP(name)          SYN_F_OP(name)
#define SYN_D_ROOT(name)        SYN_F_ROOT(name)
#define SYN_D_COMM(name)        SYN_F_COMM(name)
#define SYN_D_INFO(name)        SYN_F_INFO(name)
#define SYN_D_REQUEST(name)     SYN_F_REQUEST(name)
#define SYN_D_COUNT(name)       MPI_Count *name
#define SYN_D_COUNTS(name)      MPI_Count *name
#define SYN_D_DISPLS(name)      MPI_Aint *name
#define SYN_D_AINTS(name)       MPI_Aint *name
#define SYN_D_READ_BUFFER(name) syn_large_buffer(name)
#define SYN_D_READ_COUNT(name)  *name
#define SYN_D_READ_TYPE(name)   SYN_F_READ_TYPE(name)
#define SYN_D_READ_ROOT(name)   SYN_F_READ_ROOT(name)
#define SYN_D_READ_OP(name)     SYN_F_READ_OP(name)
#define SYN_D_IS_LARGE          true
#define SYN_D_IS_FORTRAN        true

/* Members of every shape with arrays: width of the counts, language of the handles. */
#define SYN_TRANSFER_ARRAYS(K) .large = K##_IS_LARGE, .fortran_types = K##_IS_FORTRAN

#define SYN_PARAMETERS_BARRIER(K) K##_COMM(comm)
#define SYN_ARGUMENTS_BARRIER     comm
#define SYN_TRANSFER_BARRIER(K)   .root = -1

#define SYN_PARAMETERS_BCAST(K) \
    K##_BUFFER(buffer), K##_COUNT(count), K##_TYPE(type), K##_ROOT(root), K##_COMM(comm)
#define SYN_ARGUMENTS_BCAST buffer, count, type, root, comm
#define SYN_TRANSFER_BCAST(K)                                                    \
    .send_buffer = K##_READ_BUFFER(buffer), .send_count = K##_READ_COUNT(count), \
    .send_type = K##_READ_TYPE(type), .root = K##_READ_ROOT(root)

#define SYN_PARAMETERS_ROOTED_BLOCKS(K)                                                         \
    K##_SEND(send_buffer), K##_COUNT(send_count), K##_TYPE(send_type), K##_BUFFER(recv_buffer), \
        K##_COUNT(recv_count), K##_TYPE(recv_type), K##_ROOT(root), K##_COMM(comm)
#define SYN_ARGUMENTS_ROOTED_BLOCKS \
    send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, root, comm
#define SYN_TRANSFER_ROOTED_BLOCKS(K)                                                      \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(send_count), \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .recv_count = K##_READ_COUNT(recv_count), .recv_type = K##_READ_TYPE(recv_type),       \
    .root = K##_READ_ROOT(root)

#define SYN_PARAMETERS_GATHERV(K)                                                                \
    K##_SEND(send_buffer), K##_COUNT(send_count), K##_TYPE(send_type), K##_BUFFER(recv_buffer),  \
        K##_COUNTS(recv_counts), K##_DISPLS(displacements), K##_TYPE(recv_type), K##_ROOT(root), \
        K##_COMM(comm)
#define SYN_ARGUMENTS_GATHERV                                                                     \
    send_buffer, send_count, send_type, recv_buffer, recv_counts, displacements, recv_type, root, \
        comm
#define SYN_TRANSFER_GATHERV(K)                                                            \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(send_count), \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .recv_counts = recv_counts, .recv_type = K##_READ_TYPE(recv_type),                     \
    .root = K##_READ_ROOT(root), SYN_TRANSFER_ARRAYS(K)

#define SYN_PARAMETERS_SCATTERV(K)                                                                \
    K##_SEND(send_buffer), K##_COUNTS(send_counts), K##_DISPLS(displacements),                    \
        K##_TYPE(send_type), K##_BUFFER(recv_buffer), K##_COUNT(recv_count), K##_TYPE(recv_type), \
        K##_ROOT(root), K##_COMM(comm)
#define SYN_ARGUMENTS_SCATTERV                                                                    \
    send_buffer, send_counts, displacements, send_type, recv_buffer, recv_count, recv_type, root, \
        comm
#define SYN_TRANSFER_SCATTERV(K)                                                        \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_counts = send_counts,            \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer), \
    .recv_count = K##_READ_COUNT(recv_count), .recv_type = K##_READ_TYPE(recv_type),    \
    .root = K##_READ_ROOT(root), SYN_TRANSFER_ARRAYS(K)

#define SYN_PARAMETERS_BLOCKS(K)                                                                \
    K##_SEND(send_buffer), K##_COUNT(send_count), K##_TYPE(send_type), K##_BUFFER(recv_buffer), \
        K##_COUNT(recv_count), K##_TYPE(recv_type), K##_COMM(comm)
#define SYN_ARGUMENTS_BLOCKS \
    send_buffer, send_count, send_type, recv_buffer, recv_count, recv_type, comm
#define SYN_TRANSFER_BLOCKS(K)                                                             \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(send_count), \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .recv_count = K##_READ_COUNT(recv_count), .recv_type = K##_READ_TYPE(recv_type), .root = -1

#define SYN_PARAMETERS_ALLGATHERV(K)                                                            \
    K##_SEND(send_buffer), K##_COUNT(send_count), K##_TYPE(send_type), K##_BUFFER(recv_buffer), \
        K##_COUNTS(recv_counts), K##_DISPLS(displacements), K##_TYPE(recv_type), K##_COMM(comm)
#define SYN_ARGUMENTS_ALLGATHERV \
    send_buffer, send_count, send_type, recv_buffer, recv_counts, displacements, recv_type, comm
#define SYN_TRANSFER_ALLGATHERV(K)                                                         \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(send_count), \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .recv_counts = recv_counts, .recv_type = K##_READ_TYPE(recv_type), .root = -1,         \
    SYN_TRANSFER_ARRAYS(K)

#define SYN_PARAMETERS_ALLTOALLV(K)                                                 \
    K##_SEND(send_buffer), K##_COUNTS(send_counts), K##_DISPLS(send_displacements), \
        K##_TYPE(send_type), K##_BUFFER(recv_buffer), K##_COUNTS(recv_counts),      \
        K##_DISPLS(recv_displacements), K##_TYPE(recv_type), K##_COMM(comm)
#define SYN_ARGUMENTS_ALLTOALLV                                                        \
    send_buffer, send_counts, send_displacements, send_type, recv_buffer, recv_counts, \
        recv_displacements, recv_type, comm
#define SYN_TRANSFER_ALLTOALLV(K)                                                       \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_counts = send_counts,            \
    .send_type = K##_READ_TYPE(send_type), .recv_buffer = K##_READ_BUFFER(recv_buffer), \
    .recv_counts = recv_counts, .recv_type = K##_READ_TYPE(recv_type), .root = -1,      \
    SYN_TRANSFER_ARRAYS(K)

#define SYN_PARAMETERS_ALLTOALLW(K)                                                 \
    K##_SEND(send_buffer), K##_COUNTS(send_counts), K##_DISPLS(send_displacements), \
        K##_TYPES(send_types), K##_BUFFER(recv_buffer), K##_COUNTS(recv_counts),    \
        K##_DISPLS(recv_displacements), K##_TYPES(recv_types), K##_COMM(comm)
#define SYN_ARGUMENTS_ALLTOALLW                                                         \
    send_buffer, send_counts, send_displacements, send_types, recv_buffer, recv_counts, \
        recv_displacements, recv_types, comm
#define SYN_TRANSFER_ALLTOALLW(K)                                            \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_counts = send_counts, \
    .send_types = send_types, .recv_buffer = K##_READ_BUFFER(recv_buffer),   \
    .recv_counts = recv_counts, .recv_types = recv_types, .root = -1, SYN_TRANSFER_ARRAYS(K)

/* Displacements are MPI_Aint with both widths of counts. */
#define SYN_PARAMETERS_NEIGHBOR_ALLTOALLW(K)                                       \
    K##_SEND(send_buffer), K##_COUNTS(send_counts), K##_AINTS(send_displacements), \
        K##_TYPES(send_types), K##_BUFFER(recv_buffer), K##_COUNTS(recv_counts),   \
        K##_AINTS(recv_displacements), K##_TYPES(recv_types), K##_COMM(comm)
#define SYN_ARGUMENTS_NEIGHBOR_ALLTOALLW   SYN_ARGUMENTS_ALLTOALLW
#define SYN_TRANSFER_NEIGHBOR_ALLTOALLW(K) SYN_TRANSFER_ALLTOALLW(K)

#define SYN_PARAMETERS_REDUCE(K)                                                                  \
    K##_SEND(send_buffer), K##_BUFFER(recv_buffer), K##_COUNT(count), K##_TYPE(type), K##_OP(op), \
        K##_ROOT(root), K##_COMM(comm)
#define SYN_ARGUMENTS_REDUCE send_buffer, recv_buffer, count, type, op, root, comm
#define SYN_TRANSFER_REDUCE(K)                                                        \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(count), \
    .send_type = K##_READ_TYPE(type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .reduction = K##_READ_OP(op), .root = K##_READ_ROOT(root)

#define SYN_PARAMETERS_ALLREDUCE(K)                                                               \
    K##_SEND(send_buffer), K##_BUFFER(recv_buffer), K##_COUNT(count), K##_TYPE(type), K##_OP(op), \
        K##_COMM(comm)
#define SYN_ARGUMENTS_ALLREDUCE send_buffer, recv_buffer, count, type, op, comm
#define SYN_TRANSFER_ALLREDUCE(K)                                                     \
    .send_buffer = K##_READ_BUFFER(send_buffer), .send_count = K##_READ_COUNT(count), \
    .send_type = K##_READ_TYPE(type), .recv_buffer = K##_READ_BUFFER(recv_buffer),    \
    .recv_count = K##_READ_COUNT(count), .recv_type = K##_READ_TYPE(type),            \
    .reduction = K##_READ_OP(op), .root = -1

#define SYN_PARAMETERS_REDUCE_SCATTER(K)                                                     \
    K##_SEND(send_buffer), K##_BUFFER(recv_buffer), K##_COUNTS(recv_counts), K##_TYPE(type), \
        K##_OP(op), K##_COMM(comm)
#define SYN_ARGUMENTS_REDUCE_SCATTER send_buffer, recv_buffer, recv_counts, type, op, comm
#define SYN_TRANSFER_REDUCE_SCATTER(K)                                                          \
    .send_buffer = K##_READ_BUFFER(send_buffer), .recv_buffer = K##_READ_BUFFER(recv_buffer),   \
    .recv_counts = recv_counts, .recv_type = K##_READ_TYPE(type), .reduction = K##_READ_OP(op), \
    .root = -1, SYN_TRANSFER_ARRAYS(K)

#endif
