/* hanging.c - a solver that never ends: each rank decides by its own residual when to stop.
 *
 *     mpicc -g -O1 -o hanging hanging.c && mpirun -n 3 ./hanging */
#include <mpi.h>
#include <stdio.h>

/* Rank 2 has the easiest part. */
static double relax(int rank, int step)
{
    return (rank == 2 ? 1.0 : 2.0) / (step + 1);
}

static double largest(double mine)
{
    double all;
    MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return all;
}

static double solve(int rank)
{
    double residual, worst = 0;
    int step = 0;
    do {
        residual = relax(rank, step++);
        worst = largest(residual);
    } while (residual > 0.01); /* it had to be `worst` */
    return worst;
}

static void collect(double worst)
{
    double all[16];
    MPI_Gather(&worst, 1, MPI_DOUBLE, all, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    collect(solve(rank));
    if (rank == 0)
        printf("done\n");
    MPI_Finalize();
    return 0;
}
