/* uneven.c - the tutorial's first program: rank 1 has a fifth more to compute in one function.
 *
 *     mpicc -g -O1 -o uneven uneven.c && mpirun -n 3 ./uneven */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static volatile double sink;

/* A millisecond or so for work = 1. */
static void compute(double work)
{
    for (long i = 0; i < (long)(work * 400000); i++)
        sink += 1.0 / (double)(i + 1);
}

static void assemble(void)
{
    compute(0.3);
    MPI_Barrier(MPI_COMM_WORLD);
}

static double solve(int rank)
{
    double mine = rank, sum;
    compute(rank == 1 ? 1.2 : 1.0);
    MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 500;
    int rank;
    double sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++) {
        assemble();
        sum += solve(rank);
    }
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
