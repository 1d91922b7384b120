/* tests/mpi/pending.c - nonblocking collectives that were started, and not waited for, when the
 * last rank is killed. usage: pending COUNT: on every rank two barriers that are completed; COUNT
 * nonblocking allreductions of 8 bytes, every third of which is completed; on another thread a
 * barrier that is not; one persistent barrier where MPI has them, started twice and completed once.
 */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define Barrier_init MPIX_Barrier_init
#else
#define Barrier_init MPI_Barrier_init
#endif

static MPI_Comm other;

static void *start_elsewhere(void *unused)
{
    MPI_Request request;
    (void)unused;
    MPI_Ibarrier(other, &request);
    return NULL;
}

static void start(int count)
{
    static double in = 1;
    double *out = calloc((size_t)count, sizeof *out);
    MPI_Request *requests = calloc((size_t)count, sizeof *requests);
    for (int i = 0; i < count; i++)
        MPI_Iallreduce(&in, &out[i], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &requests[i]);
    for (int i = 0; i < count; i += 3)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
}

static void start_again(void)
{
    MPI_Request request;
    Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request);
    MPI_Start(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Start(&request);
}

int main(int argc, char **argv)
{
    int rank, size, provided;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    for (int i = 0; i < 2; i++) {
        MPI_Request request;
        MPI_Ibarrier(MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    start(argc > 1 ? atoi(argv[1]) : 30);
    if (pthread_create(&thread, NULL, start_elsewhere, NULL) == 0)
        pthread_join(thread, NULL);
    start_again();
    PMPI_Barrier(MPI_COMM_WORLD); /* not recorded: all have started all */
    if (rank == size - 1)
        kill(getpid(), SIGKILL);
    sleep(60);
    return 3;
}
