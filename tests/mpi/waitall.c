/* tests/mpi/waitall.c - thousands of collectives that one MPI_Waitall completes.
 * usage: waitall disk | abort. "disk": a few times over, and the calls of rank 0 are printed; where
 * the recorder stops is the script's choice. "abort": another thread calls MPI_Abort, and ends the
 * program after the Waitall has come back (late_abort.c). */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define REQUESTS 4000
#define ROUNDS   3

static int rank;

static void start_and_wait(void)
{
    static int sums[REQUESTS];
    static MPI_Request requests[REQUESTS];
    for (int i = 0; i < REQUESTS; i++)
        MPI_Iallreduce(&rank, &sums[i], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE);
}

static void *wait_in_thread(void *argument)
{
    start_and_wait();
    return argument;
}

/* Rank 0 is in its Waitall when it calls MPI_Abort; only then the others come. */
static void abort_meanwhile(void)
{
    pthread_t thread;
    if (rank > 0) {
        usleep(200000);
        start_and_wait();
        pause();
    }
    pthread_create(&thread, NULL, wait_in_thread, NULL);
    usleep(100000);
    MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(int argc, char **argv)
{
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (strcmp(argv[1], "abort") == 0)
        abort_meanwhile();
    for (int round = 0; round < ROUNDS; round++)
        start_and_wait();
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 0)
        printf("made %d\n", ROUNDS * REQUESTS + 1);
    MPI_Finalize();
    return 0;
}
