/* tests/bench/call_cost.c - nanoseconds that a call of MPI takes on MPI_COMM_SELF, where it does
 * next to nothing. usage: call_cost [REPETITIONS [CALLS]]; prints "barrier NS" and "allreduce NS",
 * each the median over repetitions. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_RAW, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static __attribute__((noinline)) void call_barrier(long calls)
{
    for (long i = 0; i < calls; i++)
        MPI_Barrier(MPI_COMM_SELF);
}

static __attribute__((noinline)) void call_allreduce(long calls)
{
    double in = 1, out = 0;
    for (long i = 0; i < calls; i++)
        MPI_Allreduce(&in, &out, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median_ns(void (*call)(long), long repetitions, long calls, double *samples)
{
    call(calls / 10 + 1);
    for (long i = 0; i < repetitions; i++) {
        const double start = seconds();
        call(calls);
        samples[i] = (seconds() - start) / (double)calls * 1e9;
    }
    qsort(samples, (size_t)repetitions, sizeof *samples, ascending);
    return samples[repetitions / 2];
}

/* As a solver calls it: from some depth. */
static __attribute__((noinline)) void below(int depth, long repetitions, long calls,
                                            double *samples)
{
    if (depth > 0) {
        below(depth - 1, repetitions, calls, samples);
        __asm__ volatile("");
        return;
    }
    printf("barrier %.2f\n", median_ns(call_barrier, repetitions, calls, samples));
    printf("allreduce %.2f\n", median_ns(call_allreduce, repetitions, calls, samples));
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const long repetitions = argc > 1 ? atol(argv[1]) : 21;
    const long calls = argc > 2 ? atol(argv[2]) : 10000;
    double *samples = malloc((size_t)repetitions * sizeof *samples);
    if (repetitions < 1 || calls < 1 || !samples)
        return 2;
    below(8, repetitions, calls, samples);
    free(samples);
    MPI_Finalize();
    return 0;
}
