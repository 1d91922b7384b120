/* tests/mpi/cancelled.c - a thread that is cancelled while the profiler writes its events
 * (cancelling.c), deferred or asynchronously, or while it has locks of the profiler's; the others
 * go on to the end. usage: cancelled [async [persistent]] */
#include <mpi.h>
#if defined OPEN_MPI && OMPI_MAJOR_VERSION < 5
#include <mpi-ext.h>
#define MPI_Barrier_init MPIX_Barrier_init
#endif
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CALLS 5000

static int is_async, is_persistent;

/* The second time nothing is there for the first time any more, call stacks included. */
static void persistent(MPI_Comm comm)
{
    MPI_Request request;
    for (int i = 0; i < 3; i++) {
        MPI_Barrier_init(comm, MPI_INFO_NULL, &request);
        MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Request_free(&request);
        setenv("CANCEL_IN", "locks", 1);
    }
}

static void barriers(MPI_Comm comm)
{
    if (is_persistent)
        persistent(comm);
    for (int i = 0; i < CALLS; i++) {
        MPI_Barrier(comm);
        pthread_testcancel();
    }
}

static void *work(void *comm)
{
    int before;
    if (is_async)
        pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, &before);
    barriers(*(MPI_Comm *)comm);
    return comm; /* (of a cancelled thread some glibcs say NULL) */
}

int main(int argc, char **argv)
{
    int provided;
    void *result;
    pthread_t thread;
    MPI_Comm alone[2];
    is_async = argc > 1 && strcmp(argv[1], "async") == 0;
    is_persistent = argc > 2 && strcmp(argv[2], "persistent") == 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_SELF, &alone[i]);
    pthread_create(&thread, NULL, work, &alone[0]);
    pthread_join(thread, &result);
    barriers(alone[1]);
    MPI_Barrier(MPI_COMM_WORLD);
    printf("cancelled %d\n", result != &alone[0]);
    MPI_Finalize();
    return 0;
}
