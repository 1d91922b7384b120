/* tests/bench/sustained_cost.c - what a call costs in a long run: not only most calls, all of them.
 * usage: sustained_cost barrier|allreduce CALLS [world]; on MPI_COMM_SELF, where the call does next
 * to nothing, or on MPI_COMM_WORLD. Prints rank 0's "CALLS MEAN MEDIAN P99.9 P99.99 LONGEST" in
 * nanoseconds, and what calls took beyond 20 us each, in nanoseconds a call.
 *
 * Each call is timed from the return of the one before to its own, so that nothing a recorder does
 * lies outside: reading the counter once more is in all variants alike. Durations are counted in
 * classes of 1 ns up to 64 us, and of 1 us above, which are pages that are touched before the
 * first call: no memory is taken meanwhile. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "sync/cpu.h"

#define FINE_COUNT   65536
#define COARSE_COUNT 65536 /* the last one: and longer */
#define LONG_STOP_NS 20000

struct counts {
    uint64_t fine[FINE_COUNT];
    uint64_t coarse[COARSE_COUNT];
    uint64_t calls;
    double sum_ns, long_ns, longest_ns;
};

static double ns_a_tick;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* For a tenth of a second. */
static void find_rate(void)
{
    const double begin = seconds();
    const int64_t ticks = syn_cpu_counter();
    double now;
    do
        now = seconds();
    while (now - begin < 0.1);
    ns_a_tick = (now - begin) * 1e9 / (double)(syn_cpu_counter() - ticks);
}

static void count(struct counts *counts, double ns)
{
    const uint64_t coarse = (uint64_t)(ns / 1000);
    if (ns < FINE_COUNT)
        counts->fine[(uint64_t)ns]++;
    else
        counts->coarse[coarse < COARSE_COUNT ? coarse : COARSE_COUNT - 1]++;
    counts->calls++;
    counts->sum_ns += ns;
    counts->long_ns += ns > LONG_STOP_NS ? ns - LONG_STOP_NS : 0;
    counts->longest_ns = ns > counts->longest_ns ? ns : counts->longest_ns;
}

static __attribute__((noinline)) void call_barrier(struct counts *counts, long calls, MPI_Comm comm)
{
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Barrier(comm);
        const int64_t now = syn_cpu_counter();
        count(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

static __attribute__((noinline)) void call_allreduce(struct counts *counts, long calls,
                                                     MPI_Comm comm)
{
    double in = 1, out = 0;
    int64_t before = syn_cpu_counter();
    for (long i = 0; i < calls; i++) {
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, comm);
        const int64_t now = syn_cpu_counter();
        count(counts, (double)(now - before) * ns_a_tick);
        before = syn_cpu_counter();
    }
}

static double quantile(const struct counts *counts, double share)
{
    const uint64_t wanted = (uint64_t)((double)counts->calls * share);
    uint64_t below = 0;
    for (long i = 0; i < FINE_COUNT; i++)
        if ((below += counts->fine[i]) > wanted)
            return (double)i;
    for (long i = 0; i < COARSE_COUNT; i++)
        if ((below += counts->coarse[i]) > wanted)
            return (double)i * 1000;
    return counts->longest_ns;
}

int main(int argc, char **argv)
{
    static struct counts counts;
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const long calls = argc > 2 ? atol(argv[2]) : 0;
    if (calls < 1)
        return 2;
    const MPI_Comm comm = argc > 3 ? MPI_COMM_WORLD : MPI_COMM_SELF;
    memset(&counts, 1, sizeof counts);
    memset(&counts, 0, sizeof counts);
    find_rate();
    MPI_Barrier(MPI_COMM_WORLD);
    (strcmp(argv[1], "barrier") == 0 ? call_barrier : call_allreduce)(&counts, calls, comm);
    if (rank == 0)
        printf("sustained %ld %.2f %.0f %.0f %.0f %.0f %.3f\n", calls,
               counts.sum_ns / (double)calls, quantile(&counts, 0.5), quantile(&counts, 0.999),
               quantile(&counts, 0.9999), counts.longest_ns, counts.long_ns / (double)calls);
    MPI_Finalize();
    return 0;
}
