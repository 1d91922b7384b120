/* tests/mpi/private_plugin.c - the part of private_mpi.c that calls MPI. */
#include <mpi.h>

int run(int *argc, char ***argv);

int run(int *argc, char ***argv)
{
    int in = 1, out = 0;
    MPI_Init(argc, argv);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&in, &out, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return out > 0 ? 0 : 1;
}
