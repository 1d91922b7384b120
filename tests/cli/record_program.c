/* A small MPI program: `record_program [STATUS]` prints one line and ends with that status;
 * `record_program killed` is killed before MPI_Finalize. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    int rank, one = 1, sum;
#ifdef INIT_THREAD
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
#else
    MPI_Init(&argc, &argv);
#endif
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 10; i++)
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("sum %d\n", sum);
    if (argc > 1 && strcmp(argv[1], "killed") == 0)
        raise(SIGKILL);
    MPI_Finalize();
    return argc > 1 ? atoi(argv[1]) : 0;
}
