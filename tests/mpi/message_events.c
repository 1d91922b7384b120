/* tests/mpi/message_events.c - two ranks' messages, each of which message_events.sh knows, in the
 * same order as message_events.F90 has them. With an argument: so many more exchanges, to and from
 * any source, longer than a block of the recorder's; then the program ends by a signal if the
 * argument is negative. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

static char in[100000], out[100000], buffer[400000];
static int other;

static void blocking(int rank)
{
    MPI_Status status;
    if (rank == 0) {
        MPI_Send(out, 8, MPI_BYTE, 1, 5, MPI_COMM_WORLD);
        MPI_Recv(in, 100, MPI_BYTE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Ssend(out, 2, MPI_INT, 1, 10, MPI_COMM_WORLD);
    } else {
        MPI_Message message;
        MPI_Recv(in, 100, MPI_BYTE, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(out, 9, MPI_INT, 0, 6, MPI_COMM_WORLD);
        MPI_Mprobe(MPI_ANY_SOURCE, 10, MPI_COMM_WORLD, &message, &status);
        MPI_Mrecv(in, 10, MPI_INT, &message, MPI_STATUS_IGNORE);
    }
    MPI_Sendrecv(out, 3, MPI_INT, other, 7, in, 10, MPI_INT, other, 7, MPI_COMM_WORLD, &status);
    MPI_Sendrecv(out, 3, MPI_INT, MPI_PROC_NULL, 7, in, 10, MPI_INT, MPI_PROC_NULL, 7,
                 MPI_COMM_WORLD, &status);
    MPI_Sendrecv_replace(out, 5, MPI_INT, other, 8, other, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void nonblocking(MPI_Comm comm)
{
    MPI_Status *const none = MPI_STATUSES_IGNORE;
    MPI_Request requests[2];
    int flag = 0, index, indices[2], count, done = 0;
    MPI_Irecv(in, 100000, MPI_BYTE, MPI_ANY_SOURCE, 9, comm, &requests[0]);
    MPI_Isend(out, 70000, MPI_BYTE, other, 9, comm, &requests[1]);
    MPI_Waitall(2, requests, none);
    MPI_Irecv(in, 100, MPI_BYTE, other, MPI_ANY_TAG, comm, &requests[0]);
    MPI_Issend(out, 1, MPI_BYTE, other, 11, comm, &requests[1]);
    while (!flag)
        MPI_Testany(2, requests, &index, &flag, MPI_STATUS_IGNORE);
    MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 100, MPI_BYTE, other, 12, comm, &requests[0]);
    MPI_Isend(out, 2, MPI_BYTE, other, 12, comm, &requests[1]);
    for (; done < 2; done += count)
        MPI_Waitsome(2, requests, &count, indices, none);
    MPI_Irecv(in, 100, MPI_BYTE, other, 99, comm, &requests[0]); /* nobody sends that */
    MPI_Cancel(&requests[0]);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
}

static void persistent(void)
{
    MPI_Status *const none = MPI_STATUSES_IGNORE;
    MPI_Request requests[2];
    MPI_Send_init(out, 4, MPI_INT, other, 13, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(in, 5, MPI_INT, MPI_ANY_SOURCE, 13, MPI_COMM_WORLD, &requests[1]);
    for (int i = 0; i < 2; i++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, none);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
}

static void receive_started(MPI_Request *request)
{
    MPI_Start(request);
    MPI_Send(out, 4, MPI_BYTE, other, 17, MPI_COMM_WORLD);
    MPI_Wait(request, MPI_STATUS_IGNORE);
}

/* Requests that are cancelled, started again, and freed before and after they are complete. */
static void given_up(void)
{
    MPI_Request request;
    MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
    receive_started(&request);
    MPI_Start(&request);
    MPI_Request_free(&request); /* it receives all the same */
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Send_init(out, 4, MPI_BYTE, other, 17, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
    MPI_Recv_init(in, 5, MPI_BYTE, other, 17, MPI_COMM_WORLD, &request);
    receive_started(&request);
    MPI_Request_free(&request);
    /* Nobody learns whether this one is cancelled. */
    MPI_Recv_init(in, 6, MPI_BYTE, other, 18, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Request_free(&request);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2; i++)
        MPI_Sendrecv(out, 6, MPI_BYTE, other, 18, in, 6, MPI_BYTE, other, 18, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

/* A send that is cancelled once it is started. Whether that came in time only MPI knows. */
static void send_given_up(void)
{
    MPI_Request request;
    MPI_Status status;
    int cancelled, others;
    MPI_Send_init(out, 4, MPI_BYTE, other, 19, MPI_COMM_WORLD, &request);
    MPI_Start(&request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &cancelled);
    MPI_Sendrecv(&cancelled, 1, MPI_INT, other, 20, &others, 1, MPI_INT, other, 20, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    if (!others)
        MPI_Recv(in, 4, MPI_BYTE, other, 19, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

/* Open MPI still holds a message of this size when its request is started again. */
static void buffered(void)
{
    MPI_Request request;
    void *detached;
    int size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    MPI_Bsend_init(out, 100000, MPI_BYTE, other, 16, MPI_COMM_WORLD, &request);
    for (int i = 0; i < 3; i++) {
        if (i == 0)
            MPI_Startall(1, &request);
        else
            MPI_Start(&request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        MPI_Recv(in, 100000, MPI_BYTE, other, 16, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
    MPI_Buffer_detach(&detached, &size);
}

static void loop(int exchanges)
{
    MPI_Status *const none = MPI_STATUSES_IGNORE;
    MPI_Request requests[3];
    MPI_Irecv(in + 8, 4, MPI_BYTE, other, 15, MPI_COMM_WORLD, &requests[2]);
    for (int i = 0; i < exchanges; i++) {
        MPI_Irecv(in, 4, MPI_BYTE, MPI_ANY_SOURCE, 14, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 4, MPI_BYTE, other, 14, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, none);
    }
    MPI_Send(out, 3, MPI_BYTE, other, 15, MPI_COMM_WORLD);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
    const int exchanges = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Comm copy;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    other = 1 - rank;
    if (exchanges == 0) {
        blocking(rank);
        nonblocking(copy);
        persistent();
        buffered();
        given_up();
        send_given_up();
    }
    if (exchanges != 0)
        loop(abs(exchanges));
    if (exchanges < 0)
        raise(SIGKILL);
    MPI_Comm_free(&copy);
    MPI_Finalize();
    return 0;
}
