/* tests/mpi/loop.c - many collectives. usage: loop WORLD SELF [probe]: so many barriers of each,
 * the former spread over a second, the latter each behind a message's call. */
#include <mpi.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const long on_world = argc > 1 ? atol(argv[1]) : 10, on_self = argc > 2 ? atol(argv[2]) : 0;
    for (long i = 0; i < on_world; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        if (on_world <= 1000)
            usleep((useconds_t)(1000000 / on_world));
    }
    for (long i = 0; i < on_self; i++) {
        int flag;
        if (argc > 3)
            MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        MPI_Barrier(MPI_COMM_SELF);
    }
    MPI_Finalize();
    return 0;
}
