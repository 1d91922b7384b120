/* Planted hangs and disagreements, each on ranks of its own: plants PLANT:RANKS... (hang.py has the
 * table of what is to be found). Each rank makes a file DIRECTORY/RANK (SYNCOPATE_TEST_READY)
 * before the call that it hangs in, or before it leaves the plant. Markers: a line with "at: LABEL"
 * is a place that hang.py asks for. Plants whose names begin with "all_" need MPI_COMM_WORLD. */
#include <errno.h>
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "resting.h"

#define HANGS 1000 /* seconds */

static int world_rank;
static double in[4096], out[4096];

static void note(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", getenv("SYNCOPATE_TEST_READY"), name);
    FILE *file = fopen(path, "w");
    if (file)
        fclose(file);
}

static void ready(void)
{
    char name[16];
    snprintf(name, sizeof name, "%d", world_rank);
    note(name);
}

static void stay(void)
{
    ready();
    sleep(HANGS);
}

/* So that there are earlier calls of everybody. */
static void rounds(MPI_Comm comm, int count)
{
    for (int i = 0; i < count; i++)
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm); /* at: rounds */
}

#define PLANT(name) static __attribute__((noinline)) void name(MPI_Comm comm, int rank, int size)

/* ---- somebody does not come ---- */

PLANT(late)
{
    rounds(comm, 30);
    if (rank == 2)
        stay();
    ready();
    MPI_Barrier(comm); /* at: late */
    (void)size;
}

PLANT(computing)
{
    rounds(comm, 30);
    if (rank == 1) {
        ready();
        for (volatile double x = 1; x > 0;)
            x = x + 1;
    }
    ready();
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm); /* at: computing */
    (void)size;
}

PLANT(skipped)
{
    rounds(comm, 30);
    if (rank != size - 1) {
        ready();
        MPI_Allgather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm); /* at: skipped */
    }
    stay();
}

PLANT(root_late)
{
    rounds(comm, 5);
    if (rank == 0)
        stay();
    ready();
    MPI_Bcast(in, 1, MPI_DOUBLE, 0, comm); /* at: root_late */
    (void)size;
}

PLANT(scatter_late)
{
    if (rank == 1)
        stay();
    ready();
    MPI_Scatter(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 1, comm); /* at: scatter_late */
    (void)size;
}

PLANT(gather_late)
{
    rounds(comm, 3);
    if (rank == 2)
        stay();
    if (rank == 0)
        ready();
    MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, comm); /* at: gather_late */
    stay();
    (void)size;
}

PLANT(reduce_late)
{
    rounds(comm, 3);
    if (rank == 1)
        stay();
    if (rank == 0)
        ready();
    MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, comm); /* at: reduce_late */
    stay();
    (void)size;
}

PLANT(alltoall_late)
{
    if (rank == 0)
        stay();
    ready();
    MPI_Alltoall(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, comm); /* at: alltoall_late */
    (void)size;
}

PLANT(nonblocking)
{
    MPI_Request request;
    rounds(comm, 3);
    if (rank == 1)
        stay();
    MPI_Iallreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm, &request); /* at: nonblocking */
    ready();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* at: nonblocking_wait */
    (void)size;
}

PLANT(split)
{
    MPI_Comm made;
    rounds(comm, 3);
    if (rank == 1)
        stay();
    ready();
    MPI_Comm_split(comm, rank % 2, rank, &made); /* at: split */
    (void)size;
}

PLANT(duplicate)
{
    MPI_Comm made;
    if (rank == 2)
        stay();
    ready();
    MPI_Comm_dup(comm, &made); /* at: duplicate */
    (void)size;
}

PLANT(window)
{
    MPI_Win win;
    MPI_Win_create(in, sizeof in, 1, MPI_INFO_NULL, comm, &win);
    MPI_Win_fence(0, win);
    if (rank == 1)
        stay();
    ready();
    MPI_Win_fence(0, win); /* at: window */
    (void)size;
}

PLANT(stopped)
{
    rounds(comm, 30);
    if (rank == 1) {
        ready();
        raise(SIGSTOP);
        note("continued");
    }
    ready();
    MPI_Barrier(comm); /* at: stopped */
    (void)size;
}

/* ---- chains ---- */

/* 0 waits for 1 in one communicator, 1 for 2 in another, 2 for 3's message. */
PLANT(chain)
{
    MPI_Comm low, high;
    MPI_Comm_split(comm, rank < 2 ? 0 : MPI_UNDEFINED, rank, &low);
    MPI_Comm_split(comm, rank == 1 || rank == 2 ? 0 : MPI_UNDEFINED, rank, &high);
    if (rank == 3)
        stay();
    ready();
    if (rank == 0)
        MPI_Barrier(low); /* at: chain */
    else if (rank == 1)
        MPI_Barrier(high); /* at: chain_high */
    else
        MPI_Recv(in, 1, MPI_DOUBLE, 3, 4, comm, MPI_STATUS_IGNORE); /* at: chain_message */
    (void)size;
}

PLANT(message_chain)
{
    if (rank == size - 1)
        stay();
    ready();
    MPI_Recv(in, 1, MPI_DOUBLE, rank + 1, 4, comm, MPI_STATUS_IGNORE); /* at: message_chain */
}

PLANT(probe)
{
    if (rank == 1)
        stay();
    ready();
    if (rank == 0)
        MPI_Probe(1, 8, comm, MPI_STATUS_IGNORE); /* at: probe */
    MPI_Barrier(comm);
    (void)size;
}

PLANT(anybody)
{
    if (rank > 0)
        stay();
    ready();
    MPI_Recv(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, comm, MPI_STATUS_IGNORE); /* at: anybody */
    (void)size;
}

PLANT(waitall)
{
    MPI_Request request[2];
    MPI_Status status[2];
    if (rank == 1)
        stay();
    MPI_Irecv(in, 1, MPI_DOUBLE, 1, 3, comm, &request[0]);
    MPI_Irecv(out, 1, MPI_DOUBLE, 1, 4, comm, &request[1]);
    ready();
    MPI_Waitall(2, request, status); /* at: waitall */
    (void)size;
}

PLANT(persistent)
{
    MPI_Request request;
    if (rank == 1)
        stay();
    MPI_Recv_init(in, 1, MPI_DOUBLE, 1, 3, comm, &request);
    MPI_Start(&request);
    ready();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* at: persistent */
    (void)size;
}

/* Each waits for the next one; what the one before sends has come. */
PLANT(waitall_ring)
{
    MPI_Request request[3];
    MPI_Status status[3];
    const int next = (rank + 1) % size, former = (rank + size - 1) % size;
    MPI_Irecv(in, 1, MPI_DOUBLE, former, 3, comm, &request[0]);
    MPI_Irecv(out, 1, MPI_DOUBLE, next, 3, comm, &request[1]);
    MPI_Isend(in + 1, 1, MPI_DOUBLE, next, 3, comm, &request[2]);
    ready();
    MPI_Waitall(3, request, status); /* at: waitall_ring */
}

PLANT(wait_turn)
{
    MPI_Request request;
    int index;
    if (rank > 1)
        stay();
    MPI_Irecv(in, 1, MPI_DOUBLE, 1 - rank, 3, comm, &request);
    ready();
    MPI_Waitany(1, &request, &index, MPI_STATUS_IGNORE); /* at: wait_turn */
    (void)size;
}

/* One waits for requests, the other for the receive of a message. */
PLANT(wait_and_send)
{
    MPI_Request request;
    MPI_Irecv(in, 1, MPI_DOUBLE, 1 - rank, 3, comm, &request);
    ready();
    if (rank == 0)
        MPI_Wait(&request, MPI_STATUS_IGNORE); /* at: wait_and_send */
    MPI_Ssend(out, 1, MPI_DOUBLE, 1 - rank, 4, comm);
    (void)size;
}

PLANT(wait_issend)
{
    MPI_Request request;
    MPI_Issend(out, 1, MPI_DOUBLE, (rank + 1) % size, 3, comm, &request);
    ready();
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* at: wait_issend */
}

/* Right: a halo exchange that posts its receives a step ahead. One rank has long sends under way
 * to all others, and computes; none of these waits for a receive of the next step. */
PLANT(ahead)
{
    static char large[3][8 << 20];
    MPI_Request step[2], next[2];
    MPI_Status status[2];
    const int other = rank == 0 ? 1 : 0;
    for (int i = 0; rank == 2 && i < 2; i++)
        MPI_Isend(large[i], sizeof large[i], MPI_CHAR, i, 5, comm, &step[i]);
    if (rank == 2)
        stay();
    MPI_Irecv(large[0], sizeof large[0], MPI_CHAR, 2, 5, comm, &step[0]);
    MPI_Irecv(in, 1, MPI_DOUBLE, other, 6, comm, &step[1]);
    MPI_Irecv(out, 1, MPI_DOUBLE, other, 6, comm, &next[0]);
    MPI_Isend(in, 1, MPI_DOUBLE, other, 6, comm, &next[1]);
    ready();
    MPI_Waitall(2, step, status); /* at: ahead */
    (void)size;
}

/* Right: one rank is slow. */
PLANT(halo)
{
    MPI_Request request[4];
    MPI_Status status[4];
    for (int step = 0; step < 20; step++) {
        if (step == 10 && rank == 2)
            stay();
        for (int side = 0; side < 2; side++) {
            const int to = (rank + (side ? 1 : size - 1)) % size;
            MPI_Irecv(in + side, 1, MPI_DOUBLE, to, 1 - side, comm, &request[2 * side]);
            MPI_Isend(out + side, 1, MPI_DOUBLE, to, side, comm, &request[2 * side + 1]);
        }
        if (step >= 10)
            ready();
        MPI_Waitall(4, request, status); /* at: halo */
    }
}

static void *receive(void *argument)
{
    MPI_Recv(in, 1, MPI_DOUBLE, 1, 77, *(MPI_Comm *)argument, MPI_STATUS_IGNORE); /* at: thread */
    return NULL;
}

/* A second thread of rank 0 waits for a message; its first one for the barrier. */
PLANT(thread)
{
    pthread_t second;
    if (rank == 1)
        stay();
    if (rank == 0)
        pthread_create(&second, NULL, receive, &comm);
    usleep(200000);
    ready();
    MPI_Barrier(comm); /* at: thread_barrier */
    (void)size;
}

/* ---- circles ---- */

PLANT(crossed)
{
    MPI_Comm one, two;
    MPI_Comm_dup(comm, &one);
    MPI_Comm_dup(comm, &two);
    ready();
    if (rank == 1) {
        MPI_Barrier(two); /* at: crossed_two */
        MPI_Barrier(one);
    } else {
        MPI_Barrier(one); /* at: crossed */
        MPI_Barrier(two);
    }
    (void)size;
}

PLANT(ring)
{
    ready();
    MPI_Recv(in, 1, MPI_DOUBLE, (rank + 1) % size, 4, comm, MPI_STATUS_IGNORE); /* at: ring */
    MPI_Send(in, 1, MPI_DOUBLE, (rank + size - 1) % size, 4, comm);
}

PLANT(head_to_head)
{
    if (rank > 1)
        stay();
    ready();
    MPI_Ssend(in, 1, MPI_DOUBLE, 1 - rank, 4, comm); /* at: head_to_head */
    (void)size;
}

PLANT(large_sends)
{
    static char large[2][8 << 20];
    if (rank > 1)
        stay();
    ready();
    MPI_Send(large[0], sizeof large[0], MPI_CHAR, 1 - rank, 4, comm); /* at: large_sends */
    MPI_Recv(large[1], sizeof large[1], MPI_CHAR, 1 - rank, 4, comm, MPI_STATUS_IGNORE);
    (void)size;
}

PLANT(tags)
{
    if (rank > 1)
        stay();
    ready();
    if (rank == 0)
        MPI_Ssend(in, 1, MPI_DOUBLE, 1, 5, comm); /* at: tags */
    else
        MPI_Recv(in, 1, MPI_DOUBLE, 0, 6, comm, MPI_STATUS_IGNORE); /* at: tags_recv */
    (void)size;
}

PLANT(itself)
{
    if (rank == 1) {
        ready();
        MPI_Recv(in, 1, MPI_DOUBLE, 1, 4, comm, MPI_STATUS_IGNORE); /* at: itself */
    }
    stay();
    (void)size;
}

PLANT(exchange)
{
    const int next = (rank + 1) % size;
    MPI_Status *none = MPI_STATUS_IGNORE;
    ready();
    MPI_Sendrecv_replace(in, 1, MPI_DOUBLE, next, 4, next, 4, comm, none); /* at: exchange */
}

PLANT(nobody_sends)
{
    ready();
    if (rank == 0)
        MPI_Recv(in, 1, MPI_DOUBLE, MPI_ANY_SOURCE, 4, comm, MPI_STATUS_IGNORE);
    else
        MPI_Recv(in, 1, MPI_DOUBLE, 0, 4, comm, MPI_STATUS_IGNORE); /* at: nobody_sends_worker */
    (void)size;
}

PLANT(collective_and_message)
{
    rounds(comm, 3);
    ready();
    if (rank == 0)
        MPI_Recv(in, 1, MPI_DOUBLE, 1, 4, comm, MPI_STATUS_IGNORE); /* at: collective_and_message */
    else
        MPI_Barrier(comm); /* at: collective_and_message_barrier */
    (void)size;
}

/* ---- other calls ---- */

PLANT(operation)
{
    rounds(comm, 10);
    ready();
    if (rank == 2) {
        MPI_Barrier(comm); /* at: operation */
    } else {
        MPI_Bcast(in, 1, MPI_DOUBLE, 2, comm); /* at: operation_others */
    }
    stay();
    (void)size;
}

PLANT(root)
{
    rounds(comm, 4);
    ready();
    MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, rank == 1 ? 1 : 0, comm); /* at: root */
    stay();
    (void)size;
}

PLANT(bytes)
{
    rounds(comm, 4);
    ready();
    if (rank == 0)
        MPI_Bcast(in, 1, MPI_DOUBLE, 0, comm); /* at: bytes */
    else
        MPI_Bcast(in, 2, MPI_DOUBLE, 0, comm); /* at: bytes_others */
    stay();
    (void)size;
}

PLANT(reduction)
{
    rounds(comm, 4);
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, rank == 2 ? MPI_MAX : MPI_SUM, comm); /* at: reduction */
    stay();
    (void)size;
}

PLANT(type)
{
    rounds(comm, 4);
    MPI_Allreduce(in, out, 1, rank == 1 ? MPI_LONG_LONG : MPI_DOUBLE, MPI_SUM, comm); /* at: type */
    stay();
    (void)size;
}

PLANT(equal_parts)
{
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, rank % 2 ? MPI_MAX : MPI_SUM, comm); /* at: equal_parts */
    stay();
    (void)size;
}

PLANT(one_less)
{
    for (int i = 0; i < 20; i++) {
        if (i == 12)
            ready();
        if (rank != 2 || i != 12)
            MPI_Gather(in, 1, MPI_DOUBLE, out, 1, MPI_DOUBLE, 0, comm); /* at: one_less */
        MPI_Barrier(comm);                                              /* at: one_less_barrier */
    }
    stay();
    (void)size;
}

PLANT(one_more)
{
    for (int i = 0; i < 20; i++) {
        if (i == 7)
            ready();
        MPI_Reduce(in, out, 1, MPI_DOUBLE, MPI_SUM, 0, comm);
        if (rank == 1 && i == 7)
            MPI_Bcast(in, 1, MPI_DOUBLE, 1, comm); /* at: one_more */
        MPI_Bcast(in, 1, MPI_DOUBLE, 1, comm);
    }
    stay();
    (void)size;
}

PLANT(blocking_and_not)
{
    MPI_Request request;
    rounds(comm, 3);
    ready();
    if (rank == 1) {
        MPI_Ibarrier(comm, &request); /* at: blocking_and_not */
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    } else {
        MPI_Barrier(comm); /* at: blocking_and_not_others */
    }
    stay();
    (void)size;
}

PLANT(below)
{
    MPI_Comm half;
    MPI_Comm_split(comm, rank / 3, rank, &half);
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, rank == 4 ? MPI_PROD : MPI_SUM, half); /* at: below */
    stay();
    (void)size;
}

/* ---- the world ---- */

PLANT(all_finalize_early)
{
    rounds(comm, 30);
    ready();
    if (rank != 2)
        MPI_Barrier(comm); /* at: all_finalize_early */
    (void)size;
}

PLANT(all_finalize_late)
{
    rounds(comm, 30);
    if (rank == 1)
        stay();
    ready();
    (void)size;
}

PLANT(all_but_one_exits)
{
    rounds(comm, 30);
    ready();
    if (rank == 1)
        exit(3);
    MPI_Barrier(comm); /* at: all_but_one_exits */
    (void)size;
}

PLANT(all_but_one_crashes)
{
    rounds(comm, 30);
    ready();
    if (rank == 2) {
        usleep(300000);
        raise(SIGSEGV);
    }
    MPI_Barrier(comm); /* at: all_but_one_crashes */
    (void)size;
}

/* An error handler ends the rank inside the call: MPI's own, or one of the program's. */
PLANT(all_but_one_errs)
{
    rounds(comm, 30);
    ready();
    usleep(rank == 1 ? 300000 : 0);
    MPI_Bcast(in, 1, MPI_DOUBLE, rank == 1 ? size : 0, comm); /* at: all_but_one_errs */
    MPI_Barrier(comm);
}

static void leave(MPI_Comm *comm, int *error, ...)
{
    (void)comm;
    (void)error;
    exit(3);
}

PLANT(all_but_one_refuses)
{
    MPI_Errhandler handler;
    MPI_Comm_create_errhandler(leave, &handler);
    MPI_Comm_set_errhandler(comm, handler);
    rounds(comm, 30);
    ready();
    usleep(rank == 1 ? 300000 : 0);
    MPI_Bcast(in, 1, MPI_DOUBLE, rank == 1 ? size : 0, comm); /* at: all_but_one_refuses */
    MPI_Barrier(comm);
}

PLANT(all_late)
{
    rounds(comm, 30);
    if (rank == 1)
        stay();
    ready();
    MPI_Barrier(comm); /* at: all_late */
    (void)size;
}

/* ---- nothing of the kind ---- */

PLANT(right_rounds)
{
    for (;;) {
        rounds(comm, 1);
        ready();
        usleep(10000);
    }
    (void)rank;
    (void)size;
}

PLANT(right_sizes)
{
    int counts[64], places[64], one = 1;
    MPI_Datatype pair;
    MPI_Comm half, inter;
    for (int r = 0; r < size; r++) {
        counts[r] = r;
        places[r] = r * r;
    }
    MPI_Gatherv(in, rank, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, 0, comm);
    MPI_Allgatherv(in, rank, MPI_DOUBLE, out, counts, places, MPI_DOUBLE, comm);
    if (rank == 0)
        MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, in, 1, MPI_DOUBLE, 0, comm);
    else
        MPI_Gather(in, 1, MPI_DOUBLE, NULL, 0, MPI_DATATYPE_NULL, 0, comm);
    if (rank == 1)
        MPI_Reduce(MPI_IN_PLACE, in, 2, MPI_DOUBLE, MPI_SUM, 1, comm);
    else
        MPI_Reduce(in, NULL, 2, MPI_DOUBLE, MPI_SUM, 1, comm);
    MPI_Bcast(in, 0, MPI_DOUBLE, 0, comm);
    MPI_Type_contiguous(2, MPI_INT, &pair);
    MPI_Type_commit(&pair);
    if (rank == 0)
        MPI_Bcast(in, 1, pair, 0, comm);
    else
        MPI_Bcast(in, 2, MPI_INT, 0, comm);
    MPI_Type_free(&pair);
    MPI_Comm_split(comm, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, comm, rank % 2 ? 0 : 1, 9, &inter);
    MPI_Bcast(in,
              rank % 2    ? 3
              : rank == 0 ? 3
                          : 0,
              MPI_DOUBLE,
              rank % 2    ? 0
              : rank == 0 ? MPI_ROOT
                          : MPI_PROC_NULL,
              inter);
    MPI_Allreduce(&one, counts, 1, MPI_INT, MPI_SUM, inter);
    ready();
    MPI_Barrier(comm);
    stay();
}

/* ---- what was reported of real programs, rebuilt ---- */

/* ABACUS, issue 2523: rank 0 alone prints the memory in use when the program ends on an error, and
 * that print reduces over all ranks. */
static void print_memory(MPI_Comm comm)
{
    MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm); /* at: quit_report */
}

PLANT(all_quit_report)
{
    rounds(comm, 30);
    ready();
    if (rank == 0)
        print_memory(comm);
    (void)size;
}

/* SU2, issue 1241: a dot product reduces only where the process has elements of others, and one of
 * four processes has none. */
PLANT(own_elements)
{
    const int has_others = rank != 3;
    rounds(comm, 30);
    ready();
    if (has_others)
        MPI_Allreduce(in, out, 1, MPI_DOUBLE, MPI_SUM, comm); /* at: own_elements */
    MPI_Barrier(comm);                                        /* at: own_elements_barrier */
    stay();
    (void)size;
}

/* MPICH, issue 6585: a read fails in one process, which returns from the collective call early.
 * The others exchange what they read, and wait for its part. */
static bool reads_fail;

ssize_t pread(int file, void *buffer, size_t bytes, off_t at)
{
    if (reads_fail) {
        errno = EIO;
        return -1;
    }
    return syscall(SYS_pread64, file, buffer, bytes, at);
}

ssize_t pread64(int file, void *buffer, size_t bytes, off64_t at)
{
    return pread(file, buffer, bytes, at);
}

PLANT(all_read_error)
{
    enum { BYTES = 2 * sizeof in };
    static char part[BYTES];
    MPI_Info info;
    MPI_File file;
    MPI_Info_create(&info);
    MPI_Info_set(info, "cb_buffer_size", "4096"); /* several rounds */
    MPI_Info_set(info, "romio_cb_read", "enable");
    MPI_Info_set(info, "cb_config_list", "*:4"); /* every process reads a part */
    MPI_File_open(comm, getenv("SYNCOPATE_TEST_FILE"), MPI_MODE_RDWR | MPI_MODE_CREATE, info,
                  &file);
    MPI_File_write_at_all(file, (MPI_Offset)rank * BYTES, part, BYTES, MPI_BYTE, MPI_STATUS_IGNORE);
    MPI_File_sync(file);
    ready();
    reads_fail = rank == 1;
    MPI_File_seek(file, (MPI_Offset)((rank + 1) % size) * BYTES, MPI_SEEK_SET);
    MPI_File_read_all(file, part, BYTES, MPI_BYTE, MPI_STATUS_IGNORE); /* at: read_error */
    MPI_Barrier(comm);                                                 /* at: read_error_barrier */
}

static const struct {
    const char *name;
    void (*run)(MPI_Comm comm, int rank, int size);
} plants[] = {
#define ROW(name)   \
    {               \
#name, name \
    }
    ROW(late),
    ROW(computing),
    ROW(skipped),
    ROW(root_late),
    ROW(scatter_late),
    ROW(gather_late),
    ROW(reduce_late),
    ROW(alltoall_late),
    ROW(nonblocking),
    ROW(split),
    ROW(duplicate),
    ROW(window),
    ROW(stopped),
    ROW(chain),
    ROW(message_chain),
    ROW(probe),
    ROW(anybody),
    ROW(waitall),
    ROW(persistent),
    ROW(waitall_ring),
    ROW(wait_turn),
    ROW(wait_and_send),
    ROW(wait_issend),
    ROW(ahead),
    ROW(halo),
    ROW(thread),
    ROW(crossed),
    ROW(ring),
    ROW(head_to_head),
    ROW(large_sends),
    ROW(tags),
    ROW(itself),
    ROW(exchange),
    ROW(nobody_sends),
    ROW(collective_and_message),
    ROW(operation),
    ROW(root),
    ROW(bytes),
    ROW(reduction),
    ROW(type),
    ROW(equal_parts),
    ROW(one_less),
    ROW(one_more),
    ROW(blocking_and_not),
    ROW(below),
    ROW(own_elements),
    ROW(all_finalize_early),
    ROW(all_finalize_late),
    ROW(all_but_one_exits),
    ROW(all_but_one_crashes),
    ROW(all_but_one_errs),
    ROW(all_but_one_refuses),
    ROW(all_late),
    ROW(all_quit_report),
    ROW(all_read_error),
    ROW(right_rounds),
    ROW(right_sizes)};

/* The plant that a rank is part of, as "NAME:RANKS", and its first rank. */
static const char *find_plant(char **plant, int *first)
{
    *first = 0;
    for (; *plant; plant++) {
        const int ranks = atoi(strchr(*plant, ':') + 1);
        if (world_rank < *first + ranks)
            return *plant;
        *first += ranks;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int rank, size, first, provided;
    MPI_Comm comm = MPI_COMM_WORLD;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
    const char *plant = find_plant(argv + 1, &first);
    if (!plant)
        MPI_Abort(MPI_COMM_WORLD, 2);
    if (strncmp(plant, "all_", 4) != 0)
        MPI_Comm_split(MPI_COMM_WORLD, first, world_rank, &comm);
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    for (size_t i = 0; i < sizeof plants / sizeof *plants; i++)
        if (strncmp(plant, plants[i].name, strlen(plants[i].name)) == 0 &&
            plant[strlen(plants[i].name)] == ':')
            plants[i].run(comm, rank, size);
    MPI_Finalize();
    return 0;
}
