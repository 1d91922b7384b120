/* tests/mpi/complete_at_once.c - collectives that are complete when they return, among messages
 * that are: an MPI may give all of them one handle. Two ranks; times between the calls are of no
 * account.
 *
 * Prints what the completion of a message's request and that of the collective on one rank must not
 * be mixed up in: complete_at_once.sh says what the records must be. */
#include <mpi.h>
#include <stdio.h>

static int rank;

static MPI_Request send_small(void)
{
    static int value = 7;
    MPI_Request request;
    MPI_Isend(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, &request);
    return request;
}

static void receive_small(void)
{
    int value;
    MPI_Recv(&value, 1, MPI_INT, 1 - rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static MPI_Request barrier_on(MPI_Comm comm)
{
    MPI_Request request;
    MPI_Ibarrier(comm, &request);
    return request;
}

/* The message's request first, then the collective's. */
static void one_by_one(void)
{
    MPI_Request message = send_small(), alone = barrier_on(MPI_COMM_SELF);
    MPI_Wait(&message, MPI_STATUS_IGNORE);
    MPI_Wait(&alone, MPI_STATUS_IGNORE);
    receive_small();
}

/* Among them one that has to be waited for. */
static void together(void)
{
    MPI_Request requests[4];
    int index, flag = 0;
    requests[0] = barrier_on(MPI_COMM_SELF);
    requests[1] = send_small();
    requests[2] = barrier_on(MPI_COMM_WORLD);
    requests[3] = barrier_on(MPI_COMM_SELF);
    receive_small();
    for (int i = 0; i < 4; i++)
        MPI_Waitany(4, requests, &index, MPI_STATUS_IGNORE);
    MPI_Request message = send_small();
    requests[0] = barrier_on(MPI_COMM_SELF);
    requests[1] = barrier_on(MPI_COMM_WORLD);
    while (!flag)
        MPI_Test(&message, &flag, MPI_STATUS_IGNORE);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    receive_small();
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 100; i++) {
        one_by_one();
        together();
    }
    MPI_Finalize();
    return 0;
}
