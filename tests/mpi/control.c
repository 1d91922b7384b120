/* tests/mpi/control.c - recording switched by MPI_Pcontrol. For control.sh, on two and more ranks;
 * what must be recorded stands beside each call as "sequence, phase". */
#include <mpi.h>

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define Barrier_init MPIX_Barrier_init
#else
#define Barrier_init MPI_Barrier_init
#endif

static int rank, in, out;

static void barrier(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Rank 0 is quicker to switch than the others: its call is recorded alone. */
static void off_and_on(void)
{
    MPI_Pcontrol(1); /* changes nothing */
    barrier();       /* 0 */
    MPI_Pcontrol(0);
    barrier(); /* off */
    MPI_Bcast(&in, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Pcontrol(1);
    MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* 3 on rank 0 */
    MPI_Pcontrol(1);
    barrier(); /* 4 */
}

static void phases(void)
{
    MPI_Request request;
    MPI_Pcontrol(2, "a name", 2.5, 7L);
    barrier(); /* 5 first */
    MPI_Pcontrol(4711, "another", 0.5, -1L);
    barrier();                              /* 6 4711 */
    MPI_Ibarrier(MPI_COMM_WORLD, &request); /* 7 4711 */
    MPI_Pcontrol(0);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    barrier(); /* off */
    MPI_Pcontrol(2);
    barrier(); /* 9 first */
    MPI_Pcontrol(-2);
    barrier(); /* 10 */
}

/* Prepared in one phase, started in others: each start is of its own phase, or off. */
static void persistent(void)
{
    MPI_Request request;
    MPI_Pcontrol(2);
    Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Pcontrol(4711);
    MPI_Start(&request); /* 11 4711 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Pcontrol(0);
    MPI_Start(&request); /* off */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Ibarrier(MPI_COMM_WORLD, &(MPI_Request){MPI_REQUEST_NULL}); /* off, and never completed */
    MPI_Pcontrol(1);
    MPI_Start(&request); /* 14 */
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    barrier(); /* 15 */
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    off_and_on();
    phases();
    persistent();
    MPI_Finalize();
    return 0;
}
