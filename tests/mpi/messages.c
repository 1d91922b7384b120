/* tests/mpi/messages.c - every call that is a message, at least once, on any number of ranks from 2
 * on; with -DLARGE in the forms with large counts where there are any. Between two barriers each,
 * so that events carry the time; some of the calls wait for a rank that is late. With an argument
 * the messages are sent by so many threads besides. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef LARGE
#define F(Name) Name##_c
typedef MPI_Count count;
#else
#define F(Name) Name
typedef int count;
#endif

static int rank, size, left, right;
static const MPI_Comm world = MPI_COMM_WORLD;

static void late(void)
{
    if (rank == 0)
        usleep(20000);
    MPI_Barrier(world);
    if (rank == 0)
        usleep(20000);
}

static void blocking(void)
{
    int out = rank, in = 0;
    char buffer[1024], *detached;
    count bytes;
    int small_bytes;
    (void)small_bytes, (void)bytes;
    MPI_Buffer_attach(buffer, sizeof buffer);
    F(MPI_Bsend)(&out, 1, MPI_INT, right, 1, world);
    late();
    F(MPI_Recv)(&in, 1, MPI_INT, left, 1, world, MPI_STATUS_IGNORE);
#ifdef LARGE
    MPI_Buffer_detach_c(&detached, &bytes);
#else
    MPI_Buffer_detach(&detached, &small_bytes);
#endif
    F(MPI_Sendrecv)(&out, 1, MPI_INT, right, 2, &in, 1, MPI_INT, left, 2, world, MPI_STATUS_IGNORE);
    F(MPI_Sendrecv_replace)(&out, 1, MPI_INT, right, 3, left, 3, world, MPI_STATUS_IGNORE);
    late();
    for (int turn = 0; turn < 2; turn++)
        if (rank == turn)
            F(MPI_Send)(&out, 1, MPI_INT, 1 - turn, 4, world);
        else if (rank == 1 - turn)
            F(MPI_Recv)(&in, 1, MPI_INT, turn, 4, world, MPI_STATUS_IGNORE);
    if (rank == 0)
        F(MPI_Ssend)(&out, 1, MPI_INT, 1, 5, world);
    if (rank == 1)
        F(MPI_Recv)(&in, 1, MPI_INT, 0, 5, world, MPI_STATUS_IGNORE);
    late();
}

static void nonblocking(void)
{
    int out = rank, in = 0, flag = 0, index, done, indices[2];
    MPI_Request request[2];
    MPI_Status status[2];
    F(MPI_Irecv)(&in, 1, MPI_INT, left, 6, world, &request[0]);
    MPI_Barrier(world);
    F(MPI_Irsend)(&out, 1, MPI_INT, right, 6, world, &request[1]);
    late();
    MPI_Request_get_status(request[0], &flag, status);
    MPI_Waitall(2, request, status);
    F(MPI_Irecv)(&in, 1, MPI_INT, left, 7, world, &request[0]);
    F(MPI_Isend)(&out, 1, MPI_INT, right, 7, world, &request[1]);
    MPI_Waitany(2, request, &index, status);
    MPI_Waitsome(2, request, &done, indices, status);
    F(MPI_Irecv)(&in, 1, MPI_INT, left, 8, world, &request[0]);
    F(MPI_Issend)(&out, 1, MPI_INT, right, 8, world, &request[1]);
    late();
    while (!flag)
        MPI_Test(&request[0], &flag, status);
    for (flag = 0; !flag;)
        MPI_Test(&request[0], &flag, status);
    MPI_Wait(&request[0], status);
    for (flag = 0; !flag;)
        MPI_Testall(2, request, &flag, status);
    MPI_Testany(2, request, &index, &flag, status);
    MPI_Testsome(2, request, &done, indices, status);
    MPI_Send_init(&out, 1, MPI_INT, right, 9, world, &request[0]);
    MPI_Recv_init(&in, 1, MPI_INT, left, 9, world, &request[1]);
    MPI_Startall(2, request);
    MPI_Waitall(2, request, status);
    MPI_Start(&request[1]);
    MPI_Start(&request[0]);
    late();
    MPI_Waitall(2, request, status);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void probing(void)
{
    int out = rank, in, flag = 0;
    MPI_Message message;
    MPI_Request request;
    F(MPI_Isend)(&out, 1, MPI_INT, right, 10, world, &request);
    MPI_Probe(left, 10, world, MPI_STATUS_IGNORE);
    while (!flag)
        MPI_Iprobe(left, 10, world, &flag, MPI_STATUS_IGNORE);
    MPI_Mprobe(left, 10, world, &message, MPI_STATUS_IGNORE);
    late();
    F(MPI_Mrecv)(&in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    F(MPI_Isend)(&out, 1, MPI_INT, right, 11, world, &request);
    for (flag = 0; !flag;)
        MPI_Improbe(left, 11, world, &flag, &message, MPI_STATUS_IGNORE);
    MPI_Request receive;
    F(MPI_Imrecv)(&in, 1, MPI_INT, &message, &receive);
    MPI_Wait(&receive, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    late();
}

#if MPI_VERSION >= 4
static void fourth(void)
{
    int out[2] = {rank, rank}, in[2], flag, list[1] = {1};
    MPI_Request request[2];
    F(MPI_Isendrecv)(out, 1, MPI_INT, right, 12, in, 1, MPI_INT, left, 12, world, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    F(MPI_Isendrecv_replace)(out, 1, MPI_INT, right, 13, left, 13, world, request);
    MPI_Wait(request, MPI_STATUS_IGNORE);
    MPI_Psend_init(out, 2, 1, MPI_INT, right, 14, world, MPI_INFO_NULL, &request[0]);
    MPI_Precv_init(in, 2, 1, MPI_INT, left, 14, world, MPI_INFO_NULL, &request[1]);
    MPI_Startall(2, request);
    MPI_Pready(0, request[0]);
    MPI_Pready_list(1, list, request[0]);
    MPI_Parrived(request[1], 0, &flag);
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Startall(2, request);
    MPI_Pready_range(0, 1, request[0]);
    late();
    MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}
#endif

static void one_sided(void)
{
    int *base, one = 1, two = 2, got, flag = 0;
    MPI_Win window;
    MPI_Request request;
    MPI_Group all, peers;
    MPI_Win_allocate(sizeof(int), sizeof(int), MPI_INFO_NULL, world, &base, &window);
    MPI_Win_lock_all(0, window);
    F(MPI_Put)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_flush(right, window);
    F(MPI_Get)(&got, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_flush_local(right, window);
    F(MPI_Accumulate)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_all(window);
    F(MPI_Get_accumulate)
    (&one, 1, MPI_INT, &got, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window);
    MPI_Win_flush_local_all(window);
    MPI_Fetch_and_op(&one, &got, MPI_INT, right, 0, MPI_SUM, window);
    MPI_Compare_and_swap(&one, &two, &got, MPI_INT, right, 0, window);
    F(MPI_Rput)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    F(MPI_Rget)(&got, 1, MPI_INT, right, 0, 1, MPI_INT, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    F(MPI_Raccumulate)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    F(MPI_Rget_accumulate)
    (&one, 1, MPI_INT, &got, 1, MPI_INT, right, 0, 1, MPI_INT, MPI_SUM, window, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Win_sync(window);
    MPI_Win_unlock_all(window);
    late();
    MPI_Win_lock(MPI_LOCK_SHARED, right, 0, window);
    F(MPI_Put)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_unlock(right, window);
    MPI_Barrier(world);
    MPI_Comm_group(world, &all);
    MPI_Group_incl(all, left == right ? 1 : 2, (int[]){left, right}, &peers);
    MPI_Win_post(peers, 0, window);
    MPI_Win_start(peers, 0, window);
    F(MPI_Put)(&one, 1, MPI_INT, right, 0, 1, MPI_INT, window);
    MPI_Win_complete(window);
    MPI_Win_wait(window);
    MPI_Win_post(peers, 0, window);
    MPI_Win_start(peers, 0, window);
    MPI_Win_complete(window);
    while (!flag)
        MPI_Win_test(window, &flag);
    MPI_Group_free(&all);
    MPI_Group_free(&peers);
    late();
    MPI_Win_free(&window);
}

/* A thread that calls a collective first, and then sends. */
static void *thread(void *state)
{
    const int number = *(int *)state;
    int in, out = number;
    MPI_Barrier(MPI_COMM_SELF);
    for (int i = 0; i < 100; i++)
        MPI_Sendrecv(&out, 1, MPI_INT, right, 100 + number, &in, 1, MPI_INT, left, 100 + number,
                     world, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_SELF);
    return NULL;
}

int main(int argc, char **argv)
{
    int provided, numbers[8];
    pthread_t threads[8];
    const int thread_count = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init_thread(&argc, &argv, thread_count ? MPI_THREAD_MULTIPLE : MPI_THREAD_SINGLE,
                    &provided);
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    late();
    if (thread_count == 0) {
        blocking();
        nonblocking();
        probing();
        one_sided();
#if MPI_VERSION >= 4
        fourth();
#endif
    }
    for (int i = 0; i < thread_count; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, thread, &numbers[i]);
    }
    for (int i = 0; i < thread_count; i++)
        pthread_join(threads[i], NULL);
    MPI_Barrier(world);
    MPI_Finalize();
    return 0;
}
