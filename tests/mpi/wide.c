/* tests/mpi/wide.c - functions of Fortran by names of their own for large counts (wide_library.c):
 * each call is one record. Two and more ranks. */
#include "expect.h"

void mpi_bcast_c_f08ts_(void *, MPI_Count *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
void mpi_allreduce_c_f08ts_(void *, void *, MPI_Count *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                            MPI_Fint *);
void mpi_allreduce_fts_(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
void mpi_ibcast_c_f08ts_(void *, MPI_Count *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                         MPI_Fint *);
void mpi_win_create_c_f08ts_(void *, MPI_Aint *, MPI_Aint *, MPI_Fint *, MPI_Fint *, MPI_Fint *,
                             MPI_Fint *);
void mpi_wait_(MPI_Fint *, void *, MPI_Fint *);

/* A descriptor, of which only the first member is read. */
struct descriptor {
    void *address;
    size_t rest[8];
};

int main(int argc, char **argv)
{
    int values[1000] = {0}, sums[1000] = {0}, wrong = 0;
    struct descriptor of_values = {.address = values}, of_sums = {.address = sums};
    MPI_Count count = 1000;
    MPI_Fint comm, type, op, info, root = 0, small = 3, request, window, error = 1, status[64];
    MPI_Aint bytes = sizeof values, unit = sizeof(int);
    begin(&argc, &argv);
    struct known world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    type = MPI_Type_c2f(MPI_INT);
    op = MPI_Op_c2f(MPI_SUM);
    info = MPI_Info_c2f(MPI_INFO_NULL);
    values[999] = world_rank == 0 ? 7 : 0;
    EXPECT("Bcast", &world, 4000, 0, 0);
    mpi_bcast_c_f08ts_(&of_values, &count, &type, &root, &comm, NULL);
    EXPECT("Allreduce", &world, 4000, -1, 0);
    mpi_allreduce_c_f08ts_(&of_values, &of_sums, &count, &type, &op, &comm, &error);
    wrong |= error != MPI_SUCCESS || sums[999] != 7 * world_size;
    EXPECT("Allreduce", &world, 12, -1, 0);
    mpi_allreduce_fts_(&of_values, &of_sums, &small, &type, &op, &comm, &error);
    EXPECT("Ibcast", &world, 4000, 0, 0);
    mpi_ibcast_c_f08ts_(&of_values, &count, &type, &root, &comm, &request, &error);
    mpi_wait_(&request, status, &error);
    EXPECT("Win_create", &world, 0, -1, 0);
    mpi_win_create_c_f08ts_(&of_values, &bytes, &unit, &info, &comm, &window, &error);
    MPI_Win made = MPI_Win_f2c(window);
    struct known known = know(MPI_COMM_WORLD, "window 1 of MPI_COMM_WORLD");
    EXPECT("Win_free", &known, 0, -1, 0);
    MPI_Win_free(&made);
    end();
    return wrong;
}
