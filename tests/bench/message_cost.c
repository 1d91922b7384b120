/* tests/bench/message_cost.c - nanoseconds that a message call takes, on MPI_COMM_SELF: a probe and
 * a test that find nothing, an exchange with itself by one call, and by Irecv, Isend and Waitall.
 * usage: message_cost [CALLS [POLLS]]; prints for each "name median mean p99.9 longest", of calls
 * timed one by one, and "loop" of a loop without timing.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void call_probe(void)
{
    int flag;
    MPI_Iprobe(0, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
}

static MPI_Request pending;

static void call_test(void)
{
    int flag;
    MPI_Test(&pending, &flag, MPI_STATUS_IGNORE);
}

static void call_exchange(void)
{
    int in, out = 1;
    MPI_Sendrecv(&out, 1, MPI_INT, 0, 0, &in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void call_three(void)
{
    int in, out = 1;
    MPI_Request requests[2];
    MPI_Irecv(&in, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[0]);
    MPI_Isend(&out, 1, MPI_INT, 0, 0, MPI_COMM_SELF, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*call)(void), long calls)
{
    double *times = malloc((size_t)calls * sizeof *times), sum = 0;
    if (!times)
        exit(1);
    MPI_Barrier(MPI_COMM_SELF);
    const double began = now_ns();
    for (long i = 0; i < calls; i++)
        call();
    const double loop = (now_ns() - began) / (double)calls;
    for (long i = 0; i < calls; i++) {
        const double start = now_ns();
        call();
        sum += times[i] = now_ns() - start;
    }
    qsort(times, (size_t)calls, sizeof *times, ascending);
    printf("%s %.1f %.1f %.1f %.1f loop %.2f\n", name, times[calls / 2], sum / (double)calls,
           times[calls - 1 - calls / 1000], times[calls - 1], loop);
    free(times);
}

int main(int argc, char **argv)
{
    const long calls = argc > 1 ? atol(argv[1]) : 1000000;
    const long polls = argc > 2 ? atol(argv[2]) : calls;
    MPI_Init(&argc, &argv);
    if (polls > 0) {
        measure("warm", call_probe, polls / 10 + 1);
        measure("probe", call_probe, polls);
        int never;
        MPI_Irecv(&never, 1, MPI_INT, 0, 1, MPI_COMM_SELF, &pending);
        measure("test", call_test, polls);
        MPI_Cancel(&pending);
        MPI_Wait(&pending, MPI_STATUS_IGNORE);
    }
    measure("exchange", call_exchange, calls);
    measure("three", call_three, calls);
    MPI_Finalize();
    return 0;
}
