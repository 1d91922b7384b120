/* tests/bench/init_time.c - how long MPI_Init and MPI_Finalize take, as rank 0 sees it:
 * "INIT_MS FINALIZE_MS". Of MPI_Init until all ranks have left it, found by a barrier. */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

int main(int argc, char **argv)
{
    int rank;
    const double began_ms = now_ms();
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    const double inside_ms = now_ms();
    MPI_Barrier(MPI_COMM_WORLD);
    const double ending_ms = now_ms();
    MPI_Finalize();
    if (rank == 0)
        printf("%.3f %.3f\n", inside_ms - began_ms, now_ms() - ending_ms);
    return 0;
}
