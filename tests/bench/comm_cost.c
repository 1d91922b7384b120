/* tests/bench/comm_cost.c - the time to make and free a communicator, in nanoseconds of rank 0 for
 * the pair. usage: comm_cost REPETITIONS PAIRS; prints "dup_self NS", "split_world NS" and so on,
 * each the median over repetitions. Runs on any number of ranks. */
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

static void dup_self(void)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_SELF, &made);
    MPI_Comm_free(&made);
}

static void dup_world(void)
{
    MPI_Comm made;
    MPI_Comm_dup(MPI_COMM_WORLD, &made);
    MPI_Comm_free(&made);
}

static void split_world(void)
{
    MPI_Comm made;
    MPI_Comm_split(MPI_COMM_WORLD, 0, 0, &made);
    MPI_Comm_free(&made);
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(const char *name, void (*pair)(void), long repetitions, long pairs,
                    double *samples)
{
    int rank;
    for (long i = 0; i < pairs / 10 + 1; i++)
        pair();
    for (long i = 0; i < repetitions; i++) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = seconds();
        for (long j = 0; j < pairs; j++)
            pair();
        samples[i] = (seconds() - start) / (double)pairs * 1e9;
    }
    qsort(samples, (size_t)repetitions, sizeof *samples, ascending);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("%s %.1f\n", name, samples[repetitions / 2]);
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const long repetitions = argc > 1 ? atol(argv[1]) : 15;
    const long pairs = argc > 2 ? atol(argv[2]) : 500;
    double *samples = malloc((size_t)repetitions * sizeof *samples);
    if (repetitions < 1 || pairs < 1 || !samples)
        return 2;
    measure("dup_self", dup_self, repetitions, pairs, samples);
    measure("dup_world", dup_world, repetitions, pairs, samples);
    measure("split_world", split_world, repetitions, pairs, samples);
    free(samples);
    MPI_Finalize();
    return 0;
}
