/* tests/mpi/on_hang.c - ranks that never come, and one that is only late.
 * usage: on_hang late SECONDS [FILE] | receive [SECONDS] | disagree | root
 * receive SECONDS: rank 1 reaches its call so much later.
 * FILE: go on until it is there. At the end `late` prints how long its slowest step took: a machine
 * that gives a rank no processor makes it late as well. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "resting.h"

static double slowest_s;

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Slow, but never for a second and a half: rank 0 asks for a message again and again, rank 1
 * computes. */
static void progress(int rank, int steps)
{
    for (int i = 0; i < steps; i++) {
        MPI_Request request;
        int token = i, done = 0;
        const double begun_s = now_s();
        if (rank == 0) {
            MPI_Irecv(&token, 1, MPI_INT, 1, 7, MPI_COMM_WORLD, &request);
            while (!done) {
                MPI_Test(&request, &done, MPI_STATUS_IGNORE);
                usleep(1000);
            }
        } else if (rank == 1) {
            usleep(400000);
            MPI_Send(&token, 1, MPI_INT, 0, 7, MPI_COMM_WORLD);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        if (now_s() - begun_s > slowest_s)
            slowest_s = now_s() - begun_s;
    }
}

static int is_there(const char *file)
{
    int there = access(file, F_OK) == 0;
    MPI_Bcast(&there, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return there;
}

int main(int argc, char **argv)
{
    int rank, token = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Barrier(MPI_COMM_WORLD);
    if (argc > 2 && strcmp(argv[1], "late") == 0) {
        progress(rank, 5);
        if (rank == 1)
            usleep((useconds_t)(atof(argv[2]) * 1e6));
        MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        do
            progress(rank, 5);
        while (argc > 3 && !is_there(argv[3]));
        if (rank == 0)
            printf("slowest step: %.3f s\n", slowest_s);
    } else if (argc > 1 && strcmp(argv[1], "disagree") == 0) {
        if (rank == 0)
            puts("disagrees"), fflush(stdout), MPI_Barrier(MPI_COMM_WORLD);
        else
            MPI_Allreduce(MPI_IN_PLACE, &token, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    } else if (argc > 1 && strcmp(argv[1], "root") == 0) {
        static char large[1 << 20]; /* more than is sent before somebody receives it */
        if (rank == 0)
            puts("disagrees"), fflush(stdout);
        MPI_Bcast(large, sizeof large, MPI_CHAR, rank == 1 ? 1 : 0, MPI_COMM_WORLD);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        if (rank == 0)
            puts("receives"), fflush(stdout);
        if (rank == 1 && argc > 2)
            usleep((useconds_t)(atof(argv[2]) * 1e6));
        MPI_Recv(&token, 1, MPI_INT, 1 - rank, 11, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
