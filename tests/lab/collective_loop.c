/* tests/lab/collective_loop.c - a program to be recorded: a barrier and a small allreduce, again
 * and again over a chosen time, so that global times are there to be judged from MPI_Init to
 * MPI_Finalize.
 *
 * usage: collective_loop [SECONDS [PAUSE_US [exit]]]      (under mpirun; 1 s, 1000 us between
 * iterations) With "exit" it ends without MPI_Finalize. Rank 0 prints "iterations COUNT"; the sums
 * are checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* One iteration. The ranks leave it with the same answer to whether rank 0's time is up. */
static int iterate(int rank, int size, int over)
{
    int own[2] = {rank, over};
    int sum[2];
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Allreduce(own, sum, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (sum[0] != size * (size - 1) / 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return sum[1];
}

int main(int argc, char **argv)
{
    int rank, size;
    double duration_s = argc > 1 ? atof(argv[1]) : 1.0;
    useconds_t pause_us = argc > 2 ? (useconds_t)atoi(argv[2]) : 1000;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    double start_s = MPI_Wtime();
    long count = 1;
    while (!iterate(rank, size, rank == 0 && MPI_Wtime() - start_s >= duration_s)) {
        usleep(pause_us);
        count++;
    }
    if (rank == 0)
        printf("iterations %ld\n", count);
    if (argc > 3) {
        fflush(stdout);
        _exit(0);
    }
    MPI_Finalize();
    return 0;
}
