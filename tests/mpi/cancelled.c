/* tests/mpi/cancelled.c - a thread that is cancelled while the profiler writes its events
 * (cancelling.c), deferred or asynchronously; the others go on to the end. usage: cancelled [async]
 */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define CALLS 5000

static int is_async;

static void barriers(MPI_Comm comm)
{
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
