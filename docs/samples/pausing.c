/* pausing.c - the tutorial's third program: rank 1 writes to a slow disk after every 50th step. (It
 * sleeps for as long as that would take.)
 *
 *     mpicc -g -O1 -o pausing pausing.c && mpirun -n 3 ./pausing */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static volatile double sink;

/* Half a millisecond or so for work = 1. */
static void compute(double work)
{
    for (long i = 0; i < (long)(work * 200000); i++)
        sink += 1.0 / (double)(i + 1);
}

static void checkpoint(void)
{
    const struct timespec disk = {0, 30000000};
    nanosleep(&disk, NULL);
}

static double advance(int rank)
{
    double mine = rank, sum;
    compute(1.0);
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
    for (int step = 1; step <= steps; step++) {
        sum += advance(rank);
        if (rank == 1 && step % 50 == 0)
            checkpoint();
    }
    if (rank == 0)
        printf("%g\n", sum);
    MPI_Finalize();
    return 0;
}
