/* seldom.c - the tutorial's second program: rank 2 has three times as much to compute, but only in
 * those steps in which its part of the grid burns.
 *
 *     mpicc -g -O1 -o seldom seldom.c && mpirun -n 3 ./seldom */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

/* Half a millisecond or so for work = 1. */
static void compute(double work)
{
    for (long i = 0; i < (long)(work * 200000); i++)
        sink += 1.0 / (double)(i + 1);
}

/* In three steps of ten, in no order. */
static int burns(int rank, int step)
{
    return rank == 2 && ((unsigned)step * 2654435761u >> 16 & 1023) < 307;
}

static double chemistry(int rank, int step)
{
    double mine = step, most;
    compute(burns(rank, step) ? 3.0 : 1.0);
    MPI_Allreduce(&mine, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

static void transport(void)
{
    compute(0.5);
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 600;
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        transport();
        sum += chemistry(rank, step);
    }
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
