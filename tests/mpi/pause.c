/* tests/mpi/pause.c - no collective on MPI_COMM_WORLD. usage: pause MS */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_SELF);
    usleep((useconds_t)(argc > 1 ? atoi(argv[1]) : 100) * 1000);
    MPI_Finalize();
    return 0;
}
