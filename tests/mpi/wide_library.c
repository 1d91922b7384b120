/* tests/mpi/wide_library.c - some functions by the names that MPI 4.1 (section 19.2) gives those of
 * large counts in Fortran, made as Open MPI 6 makes them: buffers are descriptors, and what is
 * called is PMPI_X. A library; the MPIs that are here do not have these names. */
#include <mpi.h>

#define AT(descriptor) (*(void **)(descriptor))
#define COMM(handle)   PMPI_Comm_f2c(*(handle))
#define TYPE(handle)   PMPI_Type_f2c(*(handle))
#define OP(handle)     PMPI_Op_f2c(*(handle))

#define FUNCTION(name, PARAMETERS, CALL) \
    void name PARAMETERS;                \
    void name PARAMETERS                 \
    {                                    \
        const int result = CALL;         \
        if (ierror)                      \
            *ierror = result;            \
    }

FUNCTION(mpi_bcast_c_f08ts_,
         (void *buffer, MPI_Count *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm,
          MPI_Fint *ierror),
         PMPI_Bcast(AT(buffer), (int)*count, TYPE(type), *root, COMM(comm)))
FUNCTION(mpi_allreduce_c_f08ts_,
         (void *from, void *to, MPI_Count *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
          MPI_Fint *ierror),
         PMPI_Allreduce(AT(from), AT(to), (int)*count, TYPE(type), OP(op), COMM(comm)))
FUNCTION(mpi_allreduce_fts_,
         (void *from, void *to, MPI_Fint *count, MPI_Fint *type, MPI_Fint *op, MPI_Fint *comm,
          MPI_Fint *ierror),
         PMPI_Allreduce(AT(from), AT(to), *count, TYPE(type), OP(op), COMM(comm)))

static int start_bcast(void *buffer, int count, MPI_Datatype type, int root, MPI_Comm comm,
                       MPI_Fint *request)
{
    MPI_Request started;
    const int result = PMPI_Ibcast(buffer, count, type, root, comm, &started);
    *request = PMPI_Request_c2f(started);
    return result;
}
FUNCTION(mpi_ibcast_c_f08ts_,
         (void *buffer, MPI_Count *count, MPI_Fint *type, MPI_Fint *root, MPI_Fint *comm,
          MPI_Fint *request, MPI_Fint *ierror),
         start_bcast(AT(buffer), (int)*count, TYPE(type), *root, COMM(comm), request))

static int make_window(void *base, MPI_Aint bytes, int unit, MPI_Fint *info, MPI_Comm comm,
                       MPI_Fint *window)
{
    MPI_Win made;
    const int result = PMPI_Win_create(base, bytes, unit, PMPI_Info_f2c(*info), comm, &made);
    *window = PMPI_Win_c2f(made);
    return result;
}
FUNCTION(mpi_win_create_c_f08ts_,
         (void *base, MPI_Aint *bytes, MPI_Aint *unit, MPI_Fint *info, MPI_Fint *comm,
          MPI_Fint *window, MPI_Fint *ierror),
         make_window(AT(base), *bytes, (int)*unit, info, COMM(comm), window))
