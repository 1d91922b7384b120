/* tests/mpi/threads.c - several threads in collectives at once, each on communicators of its own.
 * usage: threads THREADS CALLS. Each makes CALLS reductions on a duplicate of MPI_COMM_SELF and
 * CALLS / 50 on one of MPI_COMM_WORLD: few, because Open MPI 4.1 can take for ever over those with
 * more threads than cores. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static long calls;
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

int main(int argc, char **argv)
{
    int provided;
    pthread_t threads[16];
    const int count = argc > 1 ? atoi(argv[1]) : 2;
    calls = argc > 2 ? atol(argv[2]) : 100;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE || count > 16)
        MPI_Abort(MPI_COMM_WORLD, 2);
    for (int i = 0; i < count; i++) {
        MPI_Comm_dup(MPI_COMM_SELF, &alone[i]);
        MPI_Comm_dup(MPI_COMM_WORLD, &together[i]);
    }
    for (int i = 0; i < count; i++)
        pthread_create(&threads[i], NULL, reduce, (void *)(long)i);
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
