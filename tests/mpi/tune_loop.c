/* tests/mpi/tune_loop.c - one collective again and again, for `syncopate tune`.
 * usage: tune_loop OPERATION BYTES COUNT. bcast, allreduce, alltoall, allgather, reduce, barrier */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>

static void make(const char *op, void *send, void *receive, int bytes)
{
    if (strcmp(op, "bcast") == 0)
        MPI_Bcast(send, bytes, MPI_BYTE, 0, MPI_COMM_WORLD);
    else if (strcmp(op, "allreduce") == 0)
        MPI_Allreduce(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    else if (strcmp(op, "alltoall") == 0)
        MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(op, "allgather") == 0)
        MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, MPI_COMM_WORLD);
    else if (strcmp(op, "reduce") == 0)
        MPI_Reduce(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv)
{
    int size;
    MPI_Init(&argc, &argv);
    if (argc != 4)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int bytes = atoi(argv[2]);
    void *send = calloc((size_t)size, (size_t)bytes + 8);
    void *receive = calloc((size_t)size, (size_t)bytes + 8);
    for (long i = 0; i < atol(argv[3]); i++)
        make(argv[1], send, receive, bytes);
    free(send);
    free(receive);
    MPI_Finalize();
    return 0;
}
