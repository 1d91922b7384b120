/* tests/bench/first_call.c - the time that a program's first calls take. usage: first_call
 *
 * After MPI_Init the program does other work for a tenth of a second, as while it sets itself up.
 * Then it makes the first MPI_Barrier and, from another place, the first MPI_Allreduce, on
 * MPI_COMM_WORLD. Rank 0 prints its "first BARRIER ALLREDUCE" in microseconds. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include "sync/time/cpu.h"

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* For a tenth of a second. Returns microseconds a tick. */
static double find_rate(void)
{
    const double begin = seconds();
    const int64_t ticks = syn_cpu_counter();
    double now;
    do
        now = seconds();
    while (now - begin < 0.1);
    return (now - begin) * 1e6 / (double)(syn_cpu_counter() - ticks);
}

int main(int argc, char **argv)
{
    double in = 1, out = 0;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const double us_a_tick = find_rate();
    const int64_t begin = syn_cpu_counter();
    MPI_Barrier(MPI_COMM_WORLD);
    const int64_t between = syn_cpu_counter();
    MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    const int64_t end = syn_cpu_counter();
    if (rank == 0)
        printf("first %.1f %.1f\n", (double)(between - begin) * us_a_tick,
               (double)(end - between) * us_a_tick);
    MPI_Finalize();
    return 0;
}
