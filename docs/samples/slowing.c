/* slowing.c - the tutorial's fifth program: particles drift to rank 0, which has ever more to do.
 *
 *     mpicc -g -O1 -o slowing slowing.c && mpirun -n 3 ./slowing */
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

/* Of three ranks' worth of particles, those of this rank. */
static double particles(int rank, int step, int steps)
{
    const double drifted = 0.6 * step / steps;
    return rank == 0 ? 1.0 + 2 * drifted : 1.0 - drifted;
}

static double forces(double work)
{
    double mine = work, sum;
    compute(work);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 1000;
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++)
        sum += forces(particles(rank, step, steps));
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
