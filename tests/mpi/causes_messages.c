/* tests/mpi/causes_messages.c - programs that meet in messages, with one late rank: causes_messages
 * MODE [TRUTH].
 *
 * Each rank writes what it did into the file TRUTH.RANK, by a clock that all processes of the
 * machine share: a line a call of MPI, "kind round enter leave", and of each message that the call
 * completes " s|r peer tag started lasts". `kind` is c for a collective, m for what completes
 * messages, p for what only starts them. `lasts` is 1 of a send that waits until its receive is
 * posted, 2 of a short one that ends once its receiver is in MPI, else 0. What lies between the
 * lines is the rank's own time.
 * tests/mpi/causes_messages.py reads them.
 *
 * All passes asleep, so that ranks without a processor of their own do not disturb one another. */
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROUNDS  20
#define WORK_US 800
#define LATE_US 25000
#define LARGE   (1 << 20)
/* Bytes of a persistent send of 8: Open MPI ends it when its receiver has taken it. */
#if defined OPEN_MPI
#define PERSISTENT (-8)
#else
#define PERSISTENT 8
#endif
#define LINES_MOST 1024

static int rank, size, current;
static char *large;

/* ---- what was done ---- */

static struct line {
    char kind;
    int round, half_count;
    int64_t enter_ns, leave_ns;
    struct half {
        char side;
        int peer, tag;
        int64_t start_ns;
        int lasts;
    } half[4];
} written[LINES_MOST];
static int line_count;

static int64_t now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct line *enter(char kind)
{
    if (line_count == LINES_MOST)
        MPI_Abort(MPI_COMM_WORLD, 2);
    struct line *line = &written[line_count++];
    *line = (struct line){.kind = kind, .round = current, .enter_ns = now()};
    return line;
}

static void leave(struct line *line)
{
    line->leave_ns = now();
}

/* `peer` is of MPI_COMM_WORLD. */
static void note(struct line *line, char side, int peer, int tag, int64_t start_ns, int bytes)
{
    line->half[line->half_count++] = (struct half){side, peer, tag, start_ns,
                                                   bytes == LARGE ? 1
                                                   : bytes < 0    ? 2
                                                                  : 0};
}

static void write_truth(const char *path)
{
    char name[4096];
    snprintf(name, sizeof name, "%s.%d", path, rank);
    FILE *file = fopen(name, "w");
    for (int i = 0; file && i < line_count; i++) {
        const struct line *line = &written[i];
        fprintf(file, "%c %d %lld %lld", line->kind, line->round, (long long)line->enter_ns,
                (long long)line->leave_ns);
        for (int h = 0; h < line->half_count; h++)
            fprintf(file, " %c %d %d %lld %d", line->half[h].side, line->half[h].peer,
                    line->half[h].tag, (long long)line->half[h].start_ns, line->half[h].lasts);
        fputc('\n', file);
    }
    if (!file || fclose(file)) {
        perror(name);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
}

/* ---- what a rank does ---- */

/* Everybody works; `late` takes longer where it is its turn. */
static void work(int late, bool is_turn)
{
    const long us = rank == late && is_turn ? WORK_US + LATE_US : WORK_US;
    const struct timespec time = {0, us * 1000};
    nanosleep(&time, NULL);
}

static void together(void)
{
    struct line *line = enter('c');
    MPI_Barrier(MPI_COMM_WORLD);
    leave(line);
}

static void send(int to, int tag, int bytes)
{
    struct line *line = enter('m');
    MPI_Send(large, bytes, MPI_CHAR, to, tag, MPI_COMM_WORLD);
    leave(line);
    note(line, 's', to, tag, line->enter_ns, bytes);
}

/* Returns the source. */
static int receive(int from, int tag, int bytes)
{
    MPI_Status status;
    struct line *line = enter('m');
    MPI_Recv(large, bytes, MPI_CHAR, from, tag, MPI_COMM_WORLD, &status);
    leave(line);
    note(line, 'r', status.MPI_SOURCE, tag, line->enter_ns, bytes);
    return status.MPI_SOURCE;
}

/* ---- modes ---- */

/* Neighbours of a ring, of the communicator that begins at rank `first`, exchange edges, and
 * complete all four at once. */
static void halo(int late, int every, MPI_Comm comm, int first)
{
    int me, all;
    char edge[4][8] = {{0}};
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &all);
    const int left = (me + all - 1) % all, right = (me + 1) % all;
    for (current = 0; current < ROUNDS; current++) {
        MPI_Request request[4];
        work(late, current % every == every - 1);
        struct line *start = enter('p');
        MPI_Irecv(edge[0], 8, MPI_CHAR, left, 1, comm, &request[0]);
        MPI_Irecv(edge[1], 8, MPI_CHAR, right, 2, comm, &request[1]);
        MPI_Isend(edge[2], 8, MPI_CHAR, right, 1, comm, &request[2]);
        MPI_Isend(edge[3], 8, MPI_CHAR, left, 2, comm, &request[3]);
        leave(start);
        struct line *wait = enter('m');
        MPI_Waitall(4, request, MPI_STATUSES_IGNORE);
        leave(wait);
        note(wait, 'r', first + left, 1, start->enter_ns, 8);
        note(wait, 'r', first + right, 2, start->enter_ns, 8);
        note(wait, 's', first + right, 1, start->enter_ns, 8);
        note(wait, 's', first + left, 2, start->enter_ns, 8);
    }
}

static void persistent(int late)
{
    char edge[2][8] = {{0}};
    MPI_Request request[2];
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Recv_init(edge[0], 8, MPI_CHAR, left, 1, MPI_COMM_WORLD, &request[0]);
    MPI_Send_init(edge[1], 8, MPI_CHAR, right, 1, MPI_COMM_WORLD, &request[1]);
    for (current = 0; current < ROUNDS; current++) {
        work(late, true);
        struct line *start = enter('p');
        MPI_Startall(2, request);
        leave(start);
        struct line *wait = enter('m');
        MPI_Waitall(2, request, MPI_STATUSES_IGNORE);
        leave(wait);
        note(wait, 'r', left, 1, start->enter_ns, 8);
        note(wait, 's', right, 1, start->enter_ns, PERSISTENT);
    }
    MPI_Request_free(&request[0]);
    MPI_Request_free(&request[1]);
}

static void sendrecv(int late)
{
    char out[8] = {0}, in[8];
    const int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (current = 0; current < ROUNDS; current++) {
        work(late, true);
        struct line *line = enter('m');
        MPI_Sendrecv(out, 8, MPI_CHAR, right, 1, in, 8, MPI_CHAR, left, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        leave(line);
        note(line, 'r', left, 1, line->enter_ns, 8);
        note(line, 's', right, 1, line->enter_ns, 8);
    }
}

/* Each rank works after it has got the item from the one before; with `sum` all meet after it. */
static void pipeline(int late, bool sum)
{
    int one = 1, all;
    for (current = 0; current < ROUNDS; current++) {
        if (rank > 0)
            receive(rank - 1, 1, 8);
        work(late, true);
        if (rank + 1 < size)
            send(rank + 1, 1, 8);
        if (!sum)
            continue;
        struct line *line = enter('c');
        MPI_Allreduce(&one, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        leave(line);
    }
}

/* Rank 1 sends to rank 0, which is late. */
static void receiver(int late, int bytes)
{
    for (current = 0; current < ROUNDS; current++) {
        work(late, true);
        if (rank == 1)
            send(0, 1, bytes);
        if (rank == 0)
            receive(1, 1, bytes);
        if (current % 10 == 9)
            together();
    }
}

/* A token goes round. */
static void ring(int late)
{
    for (current = 0; current < ROUNDS; current++) {
        if (rank > 0 || current > 0)
            receive((rank + size - 1) % size, 1, 8);
        work(late, true);
        send((rank + 1) % size, 1, 8);
    }
    if (rank == 0)
        receive(size - 1, 1, 8);
}

/* Ranks of a square wait for the one above and the one to the left. */
static void wavefront(int late)
{
    const int side = 2, row = rank / side, column = rank % side;
    for (current = 0; current < ROUNDS; current++) {
        if (row > 0)
            receive(rank - side, 1, 8);
        if (column > 0)
            receive(rank - 1, 2, 8);
        work(late, true);
        if (row + 1 < side)
            send(rank + side, 1, 8);
        if (column + 1 < side)
            send(rank + 1, 2, 8);
        together();
    }
}

/* Workers ask rank 0 for work; rank 0 does not know who comes next. */
static void master(int late)
{
    for (current = 0; current < ROUNDS / 2; current++) {
        if (rank > 0) {
            work(late, true);
            send(0, 1, 8);
            receive(0, 2, 8);
            continue;
        }
        int from[64];
        for (int k = 1; k < size; k++)
            from[k] = receive(MPI_ANY_SOURCE, 1, 8);
        if (late == 0)
            work(0, true);
        for (int k = 1; k < size; k++)
            send(from[k], 2, 8);
    }
}

/* Ranks of two halves with equal numbers; the other half does not wait. */
static void halves(int late)
{
    MPI_Comm half;
    struct line *line = enter('c');
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, rank, &half);
    leave(line);
    halo(late, 1, half, rank / 2 * 2);
    MPI_Comm_free(&half);
}

static const struct mode {
    const char *name;
    int late; /* -1: nobody */
} modes[] = {{"halo", 2},       {"rare", 2},     {"pipeline", 1},  {"receiver", 0}, {"eager", 0},
             {"sum", 0},        {"ring", 2},     {"wavefront", 1}, {"master", 0},   {"worker", 2},
             {"persistent", 1}, {"sendrecv", 3}, {"halves", 3},    {"nobody", -1}};

static void run(const char *name, int late)
{
    if (!strcmp(name, "halo") || !strcmp(name, "nobody"))
        halo(late, 1, MPI_COMM_WORLD, 0);
    else if (!strcmp(name, "rare"))
        halo(late, 5, MPI_COMM_WORLD, 0);
    else if (!strcmp(name, "pipeline"))
        pipeline(late, false);
    else if (!strcmp(name, "sum"))
        pipeline(late, true);
    else if (!strcmp(name, "receiver"))
        receiver(late, LARGE);
    else if (!strcmp(name, "eager"))
        receiver(late, 8);
    else if (!strcmp(name, "ring"))
        ring(late);
    else if (!strcmp(name, "wavefront"))
        wavefront(late);
    else if (!strcmp(name, "master") || !strcmp(name, "worker"))
        master(late);
    else if (!strcmp(name, "persistent"))
        persistent(late);
    else if (!strcmp(name, "sendrecv"))
        sendrecv(late);
    else
        halves(late);
}

int main(int argc, char **argv)
{
    const struct mode *mode = NULL;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; argc > 1 && i < sizeof modes / sizeof *modes; i++)
        mode = strcmp(argv[1], modes[i].name) ? mode : &modes[i];
    large = calloc(1, LARGE);
    if (!mode || !large || size != 4) {
        fprintf(stderr, "causes_messages: MODE [TRUTH], by 4 ranks\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    together();
    run(mode->name, mode->late);
    together();
    if (argc > 2)
        write_truth(argv[2]);
    free(large);
    MPI_Finalize();
    return 0;
}
