/* tests/bench/two_reads.c - the least that a profiler can do: a wrapper that reads the clock twice.
 * Preloaded by call_cost.sh and message_cost.sh as the line to compare syncopate with. */
#include <dlfcn.h>
#include <stdint.h>

#include <mpi.h>

#include "sync/time/cpu.h"

static volatile int64_t last_start, last_end;

#define TIMED(result_of)                \
    do {                                \
        last_start = syn_cpu_counter(); \
        const int result = result_of;   \
        last_end = syn_cpu_counter();   \
        return result;                  \
    } while (0)

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
    TIMED(call(comm));
}

__attribute__((visibility("default"))) int
MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    static int (*call)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm);
    if (!call)
        call = (int (*)(const void *, void *, int, MPI_Datatype, MPI_Op, MPI_Comm))next(
            "PMPI_Allreduce");
    TIMED(call(in, out, count, type, op, comm));
}

__attribute__((visibility("default"))) int MPI_Iprobe(int source, int tag, MPI_Comm comm, int *flag,
                                                      MPI_Status *status)
{
    static int (*call)(int, int, MPI_Comm, int *, MPI_Status *);
    if (!call)
        call = (int (*)(int, int, MPI_Comm, int *, MPI_Status *))next("PMPI_Iprobe");
    TIMED(call(source, tag, comm, flag, status));
}

__attribute__((visibility("default"))) int MPI_Test(MPI_Request *request, int *flag,
                                                    MPI_Status *status)
{
    static int (*call)(MPI_Request *, int *, MPI_Status *);
    if (!call)
        call = (int (*)(MPI_Request *, int *, MPI_Status *))next("PMPI_Test");
    TIMED(call(request, flag, status));
}

__attribute__((visibility("default"))) int MPI_Sendrecv(const void *out, int out_count,
                                                        MPI_Datatype out_type, int to, int out_tag,
                                                        void *in, int in_count,
                                                        MPI_Datatype in_type, int from, int in_tag,
                                                        MPI_Comm comm, MPI_Status *status)
{
    typedef int function(const void *, int, MPI_Datatype, int, int, void *, int, MPI_Datatype, int,
                         int, MPI_Comm, MPI_Status *);
    static function *call;
    if (!call)
        call = (function *)next("PMPI_Sendrecv");
    TIMED(call(out, out_count, out_type, to, out_tag, in, in_count, in_type, from, in_tag, comm,
               status));
}

__attribute__((visibility("default"))) int MPI_Irecv(void *in, int count, MPI_Datatype type,
                                                     int from, int tag, MPI_Comm comm,
                                                     MPI_Request *request)
{
    static int (*call)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (!call)
        call = (int (*)(void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))next(
            "PMPI_Irecv");
    TIMED(call(in, count, type, from, tag, comm, request));
}

__attribute__((visibility("default"))) int MPI_Isend(const void *out, int count, MPI_Datatype type,
                                                     int to, int tag, MPI_Comm comm,
                                                     MPI_Request *request)
{
    static int (*call)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);
    if (!call)
        call = (int (*)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *))next(
            "PMPI_Isend");
    TIMED(call(out, count, type, to, tag, comm, request));
}

__attribute__((visibility("default"))) int MPI_Waitall(int count, MPI_Request requests[],
                                                       MPI_Status statuses[])
{
    static int (*call)(int, MPI_Request[], MPI_Status[]);
    if (!call)
        call = (int (*)(int, MPI_Request[], MPI_Status[]))next("PMPI_Waitall");
    TIMED(call(count, requests, statuses));
}
