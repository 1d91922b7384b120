/* chatty.c - the tutorial's fourth program: after every little step each rank sends its whole part
 * of the field to all others. All have the same to do, and nobody is late.
 *
 *     mpicc -g -O1 -o chatty chatty.c && mpirun -n 3 ./chatty */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { PART = 64 * 1024 }; /* doubles of a rank: 512 KiB */

static void smooth(double *part)
{
    for (int i = 1; i < 2000; i++)
        part[i] = 0.5 * (part[i] + part[i - 1]);
}

static void share(const double *part, double *field)
{
    MPI_Allgather(part, PART, MPI_DOUBLE, field, PART, MPI_DOUBLE, MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    const int steps = argc > 1 ? atoi(argv[1]) : 1000;
    int rank, ranks;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    double *part = calloc(PART, sizeof *part), *field = calloc((size_t)ranks * PART, sizeof *field);
    if (!part || !field)
        MPI_Abort(MPI_COMM_WORLD, 1);
    part[0] = rank;
    for (int step = 0; step < steps; step++) {
        smooth(part);
        share(part, field);
    }
    if (rank == 0)
        printf("%g\n", field[1]);
    free(field);
    free(part);
    MPI_Finalize();
    return 0;
}
