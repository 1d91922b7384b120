/* tests/mpi/count_posted.c - an independent count of the messages that a C program sends and
 * receives: the judge of "each message is an event".
 *
 * A library for LD_PRELOAD behind the profiler, with which it shares nothing. A message counts when
 * its call has succeeded: a persistent one each time that it is started, a matched one when it is
 * received. Those to and from MPI_PROC_NULL are none.
 *
 * Output: $COUNT_POSTED_OUTPUT/rank-R, written at exit: "sends receives". */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static unsigned long long sent, received;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Persistent requests. */
enum { PREPARED_MAX = 65536 };
static struct {
    MPI_Request request;
    int sends;
} prepared[PREPARED_MAX];
static int prepared_count;

__attribute__((destructor)) static void write_counts(void)
{
    const char *directory = getenv("COUNT_POSTED_OUTPUT");
    const char *rank =
        getenv("OMPI_COMM_WORLD_RANK") ? getenv("OMPI_COMM_WORLD_RANK") : getenv("PMI_RANK");
    char path[4096];
    if (!directory || !rank)
        return;
    snprintf(path, sizeof path, "%s/rank-%s", directory, rank);
    FILE *file = fopen(path, "w");
    if (!file)
        return;
    fprintf(file, "%llu %llu\n", sent, received);
    fclose(file);
}

static int counted(int result, int peer, unsigned long long *count)
{
    if (result == MPI_SUCCESS && peer != MPI_PROC_NULL)
        __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
    return result;
}

static int noted(int result, int peer, int sends, const MPI_Request *request)
{
    if (result != MPI_SUCCESS || peer == MPI_PROC_NULL)
        return result;
    pthread_mutex_lock(&lock);
    if (prepared_count == PREPARED_MAX)
        abort();
    prepared[prepared_count].request = *request;
    prepared[prepared_count++].sends = sends;
    pthread_mutex_unlock(&lock);
    return result;
}

/* Open MPI may have given the request another handle. */
static void started(MPI_Request before, MPI_Request after)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < prepared_count; i++)
        if (prepared[i].request == before) {
            (*(prepared[i].sends ? &sent : &received))++;
            prepared[i].request = after;
            break;
        }
    pthread_mutex_unlock(&lock);
}

#define SEND(Name)                                                                      \
    int MPI_##Name(const void *buffer, int count, MPI_Datatype type, int peer, int tag, \
                   MPI_Comm comm)                                                       \
    {                                                                                   \
        return counted(PMPI_##Name(buffer, count, type, peer, tag, comm), peer, &sent); \
    }
SEND(Send)
SEND(Bsend)
SEND(Ssend)
SEND(Rsend)

#define ISEND(Name)                                                                              \
    int MPI_##Name(const void *buffer, int count, MPI_Datatype type, int peer, int tag,          \
                   MPI_Comm comm, MPI_Request *request)                                          \
    {                                                                                            \
        return counted(PMPI_##Name(buffer, count, type, peer, tag, comm, request), peer, &sent); \
    }
ISEND(Isend)
ISEND(Ibsend)
ISEND(Issend)
ISEND(Irsend)

#define SEND_INIT(Name)                                                                   \
    int MPI_##Name(const void *buffer, int count, MPI_Datatype type, int peer, int tag,   \
                   MPI_Comm comm, MPI_Request *request)                                   \
    {                                                                                     \
        return noted(PMPI_##Name(buffer, count, type, peer, tag, comm, request), peer, 1, \
                     request);                                                            \
    }
SEND_INIT(Send_init)
SEND_INIT(Bsend_init)
SEND_INIT(Ssend_init)
SEND_INIT(Rsend_init)

int MPI_Recv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
             MPI_Status *status)
{
    return counted(PMPI_Recv(buffer, count, type, peer, tag, comm, status), peer, &received);
}

int MPI_Irecv(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
              MPI_Request *request)
{
    return counted(PMPI_Irecv(buffer, count, type, peer, tag, comm, request), peer, &received);
}

int MPI_Recv_init(void *buffer, int count, MPI_Datatype type, int peer, int tag, MPI_Comm comm,
                  MPI_Request *request)
{
    return noted(PMPI_Recv_init(buffer, count, type, peer, tag, comm, request), peer, 0, request);
}

int MPI_Mrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message, MPI_Status *status)
{
    const int is_one = *message != MPI_MESSAGE_NO_PROC;
    return counted(PMPI_Mrecv(buffer, count, type, message, status), is_one ? 0 : MPI_PROC_NULL,
                   &received);
}

int MPI_Imrecv(void *buffer, int count, MPI_Datatype type, MPI_Message *message,
               MPI_Request *request)
{
    const int is_one = *message != MPI_MESSAGE_NO_PROC;
    return counted(PMPI_Imrecv(buffer, count, type, message, request), is_one ? 0 : MPI_PROC_NULL,
                   &received);
}

int MPI_Sendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int to_tag,
                 void *in, int in_count, MPI_Datatype in_type, int from, int from_tag,
                 MPI_Comm comm, MPI_Status *status)
{
    const int result = PMPI_Sendrecv(out, out_count, out_type, to, to_tag, in, in_count, in_type,
                                     from, from_tag, comm, status);
    return counted(counted(result, to, &sent), from, &received);
}

int MPI_Sendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int to_tag, int from,
                         int from_tag, MPI_Comm comm, MPI_Status *status)
{
    const int result =
        PMPI_Sendrecv_replace(buffer, count, type, to, to_tag, from, from_tag, comm, status);
    return counted(counted(result, to, &sent), from, &received);
}

int MPI_Start(MPI_Request *request)
{
    const MPI_Request before = *request;
    const int result = PMPI_Start(request);
    if (result == MPI_SUCCESS)
        started(before, *request);
    return result;
}

int MPI_Startall(int count, MPI_Request requests[])
{
    MPI_Request *const before = malloc((size_t)(count + 1) * sizeof *before);
    for (int i = 0; i < count; i++)
        before[i] = requests[i];
    const int result = PMPI_Startall(count, requests);
    for (int i = 0; result == MPI_SUCCESS && i < count; i++)
        started(before[i], requests[i]);
    free(before);
    return result;
}

int MPI_Request_free(MPI_Request *request)
{
    pthread_mutex_lock(&lock);
    for (int i = 0; i < prepared_count; i++)
        if (prepared[i].request == *request)
            prepared[i] = prepared[--prepared_count];
    pthread_mutex_unlock(&lock);
    return PMPI_Request_free(request);
}

#if MPI_VERSION >= 4
int MPI_Isendrecv(const void *out, int out_count, MPI_Datatype out_type, int to, int to_tag,
                  void *in, int in_count, MPI_Datatype in_type, int from, int from_tag,
                  MPI_Comm comm, MPI_Request *request)
{
    const int result = PMPI_Isendrecv(out, out_count, out_type, to, to_tag, in, in_count, in_type,
                                      from, from_tag, comm, request);
    return counted(counted(result, to, &sent), from, &received);
}

int MPI_Isendrecv_replace(void *buffer, int count, MPI_Datatype type, int to, int to_tag, int from,
                          int from_tag, MPI_Comm comm, MPI_Request *request)
{
    const int result =
        PMPI_Isendrecv_replace(buffer, count, type, to, to_tag, from, from_tag, comm, request);
    return counted(counted(result, to, &sent), from, &received);
}

int MPI_Psend_init(const void *buffer, int parts, MPI_Count count, MPI_Datatype type, int peer,
                   int tag, MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int result = PMPI_Psend_init(buffer, parts, count, type, peer, tag, comm, info, request);
    return noted(result, peer, 1, request);
}

int MPI_Precv_init(void *buffer, int parts, MPI_Count count, MPI_Datatype type, int peer, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request)
{
    const int result = PMPI_Precv_init(buffer, parts, count, type, peer, tag, comm, info, request);
    return noted(result, peer, 0, request);
}
#endif
