/* tests/mpi/align.c - collectives on communicators that are aligned and on some that are not, with
 * their results checked. usage: align ROUNDS [STALL_MS]: the last rank stands still so long
 * halfway. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int failures;

static void reduce(MPI_Comm comm, int expected)
{
    int sum = 0;
    const int one = 1;
    MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
    failures += sum != expected;
}

/* A collective of ours comes between two of the program's. */
static void reduce_beside_pending(MPI_Comm comm, int expected)
{
    int sum = 0;
    const int one = 1;
    MPI_Request request;
    MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm, &request);
    reduce(comm, expected);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    failures += sum != expected;
}

int main(int argc, char **argv)
{
    int rank, size, half_size;
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split(MPI_COMM_WORLD, rank < size / 2, -rank, &half);
    MPI_Comm_size(half, &half_size);
    for (int i = argc > 1 ? atoi(argv[1]) : 10; i > 0; i--) {
        reduce(MPI_COMM_WORLD, size);
        reduce(half, half_size);
        reduce(MPI_COMM_SELF, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (argc > 2 && rank == size - 1 && i == atoi(argv[1]) / 2)
            usleep((useconds_t)atoi(argv[2]) * 1000);
        MPI_Bcast(&i, 1, MPI_INT, size - 1, MPI_COMM_WORLD);
    }
    reduce_beside_pending(MPI_COMM_WORLD, size);
    MPI_Comm_free(&half);
    if (failures)
        fprintf(stderr, "rank %d: %d wrong results\n", rank, failures);
    MPI_Finalize();
    return failures != 0;
}
