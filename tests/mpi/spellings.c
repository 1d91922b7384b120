/* tests/mpi/spellings.c - mpif.h's functions by each name that a Fortran compiler may make of them.
 * Every one comes from the MPI's own Fortran library; each call is one record. ONE_SPELLING: that
 * library has mpi_x_ alone. */
#include "expect.h"

#define SPELLED(NAME, ...) \
    void mpi_##NAME(__VA_ARGS__), mpi_##NAME##_(__VA_ARGS__), mpi_##NAME##__(__VA_ARGS__)

SPELLED(barrier, MPI_Fint *, MPI_Fint *);
SPELLED(bcast, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
SPELLED(allreduce, void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
SPELLED(ibarrier, MPI_Fint *, MPI_Fint *, MPI_Fint *);
SPELLED(wait, MPI_Fint *, MPI_Fint *, MPI_Fint *);
SPELLED(comm_dup, MPI_Fint *, MPI_Fint *, MPI_Fint *);
SPELLED(comm_free, MPI_Fint *, MPI_Fint *);
void MPI_BARRIER(MPI_Fint *, MPI_Fint *);
void MPI_BCAST(void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
void MPI_ALLREDUCE(void *, void *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *, MPI_Fint *);
void MPI_IBARRIER(MPI_Fint *, MPI_Fint *, MPI_Fint *);
void MPI_WAIT(MPI_Fint *, MPI_Fint *, MPI_Fint *);
void MPI_COMM_DUP(MPI_Fint *, MPI_Fint *, MPI_Fint *);
void MPI_COMM_FREE(MPI_Fint *, MPI_Fint *);

static struct known world;
static MPI_Fint comm, type, sum, error, request, made, one = 1, root, status[64];
static int value, total, wrong;

static void expect_five(int number)
{
    char name[64];
    struct known dup = world;
    snprintf(name, sizeof name, "dup %d of MPI_COMM_WORLD", number);
    EXPECT("Barrier", &world, 0, -1, 0);
    EXPECT("Bcast", &world, 4, 0, 0);
    EXPECT("Allreduce", &world, 4, -1, 0);
    EXPECT("Ibarrier", &world, 0, -1, 0);
    EXPECT("Comm_dup", &world, 0, -1, 0);
    dup = know(MPI_COMM_WORLD, name);
    EXPECT("Comm_free", &dup, 0, -1, 0);
    value = world_rank + number;
}

static void look(int number)
{
    wrong += value != number || total != number * world_size || error != MPI_SUCCESS;
}

#define CALLS(barrier, bcast, allreduce, ibarrier, wait, dup, freed) \
    do {                                                             \
        barrier(&comm, &error);                                      \
        bcast(&value, &one, &type, &root, &comm, &error);            \
        allreduce(&value, &total, &one, &type, &sum, &comm, &error); \
        ibarrier(&comm, &request, &error);                           \
        wait(&request, status, &error);                              \
        dup(&comm, &made, &error);                                   \
        freed(&made, &error);                                        \
    } while (0)

int main(int argc, char **argv)
{
    begin(&argc, &argv);
    world = know(MPI_COMM_WORLD, "MPI_COMM_WORLD");
    comm = MPI_Comm_c2f(MPI_COMM_WORLD);
    type = MPI_Type_c2f(MPI_INT);
    sum = MPI_Op_c2f(MPI_SUM);
    expect_five(1);
    CALLS(mpi_barrier_, mpi_bcast_, mpi_allreduce_, mpi_ibarrier_, mpi_wait_, mpi_comm_dup_,
          mpi_comm_free_);
    look(1);
#ifndef ONE_SPELLING
    expect_five(2);
    CALLS(mpi_barrier, mpi_bcast, mpi_allreduce, mpi_ibarrier, mpi_wait, mpi_comm_dup,
          mpi_comm_free);
    look(2);
    expect_five(3);
    CALLS(mpi_barrier__, mpi_bcast__, mpi_allreduce__, mpi_ibarrier__, mpi_wait__, mpi_comm_dup__,
          mpi_comm_free__);
    look(3);
    expect_five(4);
    CALLS(MPI_BARRIER, MPI_BCAST, MPI_ALLREDUCE, MPI_IBARRIER, MPI_WAIT, MPI_COMM_DUP,
          MPI_COMM_FREE);
    look(4);
#endif
    end();
    return wrong;
}
