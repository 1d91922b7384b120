/* tests/bench/slow_rank.c - one operation of one rank made slower, inside any program.
 *
 * Preload it behind the profiler (in the list after it), which then calls it as it would call the
 * MPI library. It keeps the caller of MPI_Allreduce on rank SLOW_RANK of MPI_COMM_WORLD inside the
 * call for another SLOW_PERCENT of the time that the call itself took. */
#include <dlfcn.h>
#include <math.h>
#include <mpi.h>
#include <stdlib.h>

#include "sync/time/cpu.h"

/* The share of its time that this rank's calls are to take longer; below 0: not this rank. */
static double share_of_this_rank(void)
{
    const char *rank = getenv("SLOW_RANK"), *percent = getenv("SLOW_PERCENT");
    int own;
    if (!rank || !percent || MPI_Comm_rank(MPI_COMM_WORLD, &own) != MPI_SUCCESS ||
        own != atoi(rank))
        return -1;
    return atof(percent) / 100;
}

/* Time is told in ticks: their length does not matter, and reading them takes 8 ns only. With 0
 * percent the loop ends at its first look, so that what looking costs is the same for every
 * percentage. */
int MPI_Allreduce(const void *sent, void *received, int count, MPI_Datatype type, MPI_Op op,
                  MPI_Comm comm)
{
    static int (*real)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    static double share;
    if (!real) {
        *(void **)&real = dlsym(RTLD_NEXT, "MPI_Allreduce");
        share = share_of_this_rank();
    }
    int64_t begin = syn_cpu_counter();
    int result = real(sent, received, count, type, op, comm);
    int64_t end = syn_cpu_counter();
    int64_t until = end + (int64_t)(fmax(0, share) * (double)(end - begin));
    while (share >= 0 && syn_cpu_counter() < until)
        continue;
    return result;
}
