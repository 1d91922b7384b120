/* tests/bench/two_reads.c - the least that a profiler can do: a wrapper that reads the clock twice.
 * Preloaded by call_cost.sh as the line to compare syncopate with. */
#include <dlfcn.h>
#include <stdint.h>

#include <mpi.h>

#include "sync/cpu.h"

static volatile int64_t last_start, last_end;

static void *next(const char *name)
{
    void *volatile found = dlsym(RTLD_NEXT, name);
    return found;
}

__attribute__((visibility("default"))) int MPI_Barrier(MPI_Comm comm)
{
    static int (*call)(MPI_Comm);
    if (!call)
        call = (int (*)(MPI_Comm))next("PMPI_Barrier");
    last_start = syn_cpu_counter();
    const int result = call(comm);
    last_end = syn_cpu_counter();
    return result;
}

__attribute__((visibility("default"))) int
MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int (*call)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    if (!call)
        call = (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))next(
            "PMPI_Allreduce");
    last_start = syn_cpu_counter();
    const int result = call(in, out, count, type, op, comm);
    last_end = syn_cpu_counter();
    return result;
}
