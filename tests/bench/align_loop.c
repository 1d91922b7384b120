/* tests/bench/align_loop.c - COUNT times MPI_Allreduce of BYTES, then as many MPI_Barrier, as a
 * user's own loop would have them. usage: align_loop COUNT BYTES */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    const int count = argc > 1 ? atoi(argv[1]) : 1000, bytes = argc > 2 ? atoi(argv[2]) : 32768;
    const int elements = bytes / (int)sizeof(double);
    MPI_Init(&argc, &argv);
    double *in = calloc((size_t)elements + 1, sizeof *in),
           *out = calloc((size_t)elements + 1, sizeof *out);
    if (!in || !out)
        MPI_Abort(MPI_COMM_WORLD, 1);
    for (int i = 0; i < count; i++)
        MPI_Allreduce(in, out, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int i = 0; i < count; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    free(in);
    free(out);
    MPI_Finalize();
    return 0;
}
