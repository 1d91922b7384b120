/* tests/mpi/late_abort.c - preloaded behind the profiler: MPI_Abort takes a while, in which other
 * threads of the program go on. */
#include <dlfcn.h>
#include <stdint.h>
#include <unistd.h>

/* Handles and numbers fit into a register each, in both MPIs. */
int MPI_Abort(uintptr_t comm, int code);

int MPI_Abort(uintptr_t comm, int code)
{
    int (*const next)(uintptr_t, int) = (int (*)(uintptr_t, int))dlsym(RTLD_NEXT, "MPI_Abort");
    usleep(600000);
    return next(comm, code);
}
