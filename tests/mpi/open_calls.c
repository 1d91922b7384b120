/* tests/mpi/open_calls.c - each rank in another call that never returns, for the last one sleeps.
 * usage: open_calls DIRECTORY, with 9 ranks: DIRECTORY/pid.RANK has the process's id. Each has a
 * communicator of its own, with one broadcast before:
 * 0 MPI_Barrier, 1 MPI_Recv, 2 MPI_Wait of MPI_Ibarrier, 3 MPI_Comm_split, 4 MPI_Finalize after a
 * barrier of a callback in it, 5 MPI_Allreduce on a second thread, 6 MPI_Sendrecv, 7 MPI_Waitall of
 * messages, 8 nothing. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define RANKS 9
#define LAST  (RANKS - 1)

static MPI_Comm comms[RANKS];

static void tell_pid(const char *directory, int rank)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/pid.%d", directory, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%d\n", (int)getpid());
    fclose(file);
}

static void *reduce_elsewhere(void *unused)
{
    double in[5] = {1}, out[5];
    (void)unused;
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_SELF);
    MPI_Allreduce(in, out, 5, MPI_DOUBLE, MPI_MAX, comms[5]);
    return NULL;
}

static void wait_for_messages(void)
{
    int in[2];
    MPI_Request requests[2];
    for (int i = 0; i < 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, LAST, i, comms[7], &requests[i]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int call_barrier(MPI_Comm comm, int key, void *value, void *extra)
{
    (void)key;
    (void)value;
    (void)extra;
    return MPI_Barrier(comm);
}

static void finalize(void)
{
    int key;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, call_barrier, &key, NULL);
    MPI_Comm_set_attr(MPI_COMM_SELF, key, NULL);
    MPI_Finalize();
}

static void stay(int rank)
{
    int data = 0, more = 0;
    MPI_Comm made;
    MPI_Request request;
    pthread_t thread;
    switch (rank) {
    case 0:
        MPI_Barrier(comms[0]);
        break;
    case 1:
        MPI_Recv(&data, 1, MPI_INT, LAST, 5, comms[1], MPI_STATUS_IGNORE);
        break;
    case 2:
        MPI_Ibarrier(comms[2], &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
    case 3:
        MPI_Comm_split(comms[3], 0, 0, &made);
        break;
    case 4:
        finalize();
        break;
    case 5:
        if (pthread_create(&thread, NULL, reduce_elsewhere, NULL) == 0)
            pthread_join(thread, NULL);
        break;
    case 6:
        MPI_Sendrecv(&data, 1, MPI_INT, LAST, 6, &more, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG,
                     comms[6], MPI_STATUS_IGNORE);
        break;
    case 7:
        wait_for_messages();
        break;
    }
}

int main(int argc, char **argv)
{
    int rank, provided, data = 1;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < RANKS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (int i = 0; i < RANKS; i++)
        MPI_Bcast(&data, 1, MPI_INT, LAST, comms[i]);
    tell_pid(argv[1], rank);
    stay(rank);
    sleep(60);
    return 3;
}
