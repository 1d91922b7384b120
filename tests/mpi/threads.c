/* tests/mpi/threads.c - several threads in collectives at once, each on communicators of its own.
 * usage: threads THREADS CALLS [started]. Each makes CALLS reductions on a duplicate of
 * MPI_COMM_SELF and CALLS / 50 on one of MPI_COMM_WORLD: few, because Open MPI 4.1 can take for
 * ever over those with more threads than cores. With `started` they are nonblocking, those on both
 * completed together, each tenth time the thread makes a communicator, uses and frees it, and each
 * hundredth begins the thread's phase. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;
static int started;
static MPI_Comm alone[16], together[16];

static void *reduce(void *argument)
{
    const int number = (int)(long)argument;
    int in[16] = {0}, out[16];
    for (long i = 0; i < calls; i++) {
        MPI_Allreduce(in, out, number + 1, MPI_INT, MPI_SUM, alone[number]);
        if (i % 50 == 0)
            MPI_Allreduce(in, out, number + 1, MPI_INT, MPI_SUM, together[number]);
    }
    return NULL;
}

static void make_one(MPI_Comm parent)
{
    MPI_Comm made;
    MPI_Comm_dup(parent, &made);
    MPI_Barrier(made);
    MPI_Comm_free(&made);
}

/* By Wait, Waitall, Waitany and Test in turn. */
static void complete(MPI_Request requests[2], int count, long turn)
{
    MPI_Status statuses[2];
    int index, done = 0;
    if (turn % 4 == 0)
        MPI_Waitall(count, requests, statuses);
    for (int i = 0; turn % 4 == 1 && i < count; i++)
        MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
    for (int i = 0; turn % 4 == 2 && i < count; i++)
        MPI_Waitany(count, requests, &index, MPI_STATUS_IGNORE);
    for (int i = 0; turn % 4 == 3 && i < count; i++, done = 0)
        while (!done)
            MPI_Test(&requests[i], &done, MPI_STATUS_IGNORE);
}

static void *start_reductions(void *argument)
{
    const int number = (int)(long)argument;
    int in[16] = {0}, out[16], other[16];
    for (long i = 0; i < calls; i++) {
        MPI_Request requests[2];
        const int count = i % 50 == 0 ? 2 : 1;
        if (i % 100 == 0)
            MPI_Pcontrol(number + 2); /* first of all: nothing has ordered the threads yet */
        MPI_Iallreduce(in, out, number + 1, MPI_INT, MPI_SUM, alone[number], &requests[0]);
        if (count == 2)
            MPI_Iallreduce(in, other, number + 1, MPI_INT, MPI_SUM, together[number], &requests[1]);
        complete(requests, count, i / 50);
        if (i % 10 == 0)
            make_one(alone[number]);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[16];
    const int count = argc > 1 ? atoi(argv[1]) : 2;
    calls = argc > 2 ? atol(argv[2]) : 100;
    started = argc > 3;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE || count > 16)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &alone[i]);
        MPI_Comm_dup(MPI_COMM_WORLD, &together[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, started ? start_reductions : reduce, (void *)(long)i);
    for (int i = 0; i < count; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < count; i++) {
        MPI_Comm_free(&alone[i]);
        MPI_Comm_free(&together[i]);
    }
    MPI_Finalize();
    return 0;
}
