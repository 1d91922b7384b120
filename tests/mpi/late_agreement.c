/* tests/mpi/late_agreement.c - preloaded behind the profiler: on a rank where $LATE_EVERY is set,
 * each so many-th agreement on a start (PMPI_Allreduce, which programs of these tests do not call)
 * returns $LATE_MS too late. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

/* Counts, handles and addresses alike fit into a register each, in both MPIs. */
typedef int (*allreduce)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

int PMPI_Allreduce(uintptr_t send, uintptr_t receive, uintptr_t count, uintptr_t type, uintptr_t op,
                   uintptr_t comm);

int PMPI_Allreduce(uintptr_t send, uintptr_t receive, uintptr_t count, uintptr_t type, uintptr_t op,
                   uintptr_t comm)
{
    static long calls;
    const allreduce next = (allreduce)dlsym(RTLD_NEXT, "PMPI_Allreduce");
    const char *every = getenv("LATE_EVERY");
    const int result = next(send, receive, count, type, op, comm);
    if (every && ++calls % atol(every) == 0)
        usleep((useconds_t)atoi(getenv("LATE_MS")) * 1000);
    return result;
}
