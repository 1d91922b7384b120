/* tests/mpi/tune_loop.c - collectives again and again, for `syncopate tune`.
 * usage: tune_loop OPERATION BYTES COUNT [OPERATION BYTES COUNT...]
 * TUNE_LATE_NS: all ranks begin each call together, but for rank 2, which comes so much later.
 * bcast, allreduce, alltoall, allgather, reduce, gather, scatter, reduce_scatter, scan, barrier */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void make(const char *op, void *send, void *receive, int bytes)
{
    const MPI_Comm all = MPI_COMM_WORLD;
    if (strcmp(op, "bcast") == 0)
        MPI_Bcast(send, bytes, MPI_BYTE, 0, all);
    else if (strcmp(op, "allreduce") == 0)
        MPI_Allreduce(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, all);
    else if (strcmp(op, "alltoall") == 0)
        MPI_Alltoall(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, all);
    else if (strcmp(op, "allgather") == 0)
        MPI_Allgather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, all);
    else if (strcmp(op, "reduce") == 0)
        MPI_Reduce(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, 0, all);
    else if (strcmp(op, "gather") == 0)
        MPI_Gather(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, all);
    else if (strcmp(op, "scatter") == 0)
        MPI_Scatter(send, bytes, MPI_BYTE, receive, bytes, MPI_BYTE, 0, all);
    else if (strcmp(op, "reduce_scatter") == 0)
        MPI_Reduce_scatter_block(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, all);
    else if (strcmp(op, "scan") == 0)
        MPI_Scan(send, receive, bytes / 8, MPI_DOUBLE, MPI_SUM, all);
    else
        MPI_Barrier(all);
}

/* PMPI: what is not recorded. */
static void arrive(const char *late_ns)
{
    int rank;
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Barrier(MPI_COMM_WORLD);
    if (rank == 2)
        nanosleep(&(struct timespec){.tv_nsec = atol(late_ns)}, NULL);
}

int main(int argc, char **argv)
{
    const char *late_ns = getenv("TUNE_LATE_NS");
    int size;
    MPI_Init(&argc, &argv);
    if (argc < 4 || argc % 3 != 1)
        MPI_Abort(MPI_COMM_WORLD, 2);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int at = 1; at < argc; at += 3) {
        const int bytes = atoi(argv[at + 1]);
        void *send = calloc((size_t)size, (size_t)bytes + 8);
        void *receive = calloc((size_t)size, (size_t)bytes + 8);
        memset(send, 1, (size_t)size * ((size_t)bytes + 8));
        for (long i = 0; i < atol(argv[at + 2]); i++) {
            if (late_ns)
                arrive(late_ns);
            make(argv[at], send, receive, bytes);
        }
        free(send);
        free(receive);
    }
    MPI_Finalize();
    return 0;
}
