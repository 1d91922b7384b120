/* tests/mpi/failing_calls.c - preloaded behind the profiler: the function that $FAILING names fails
 * where the profiler calls it, by an argument that MPI refuses, so that MPI does with the error
 * what it does with every other. A letter is added to the file $FAILURES each time. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Handles, numbers and addresses alike fit into a register each, in both MPIs. */
typedef int (*function)(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

static int fails(const char *name)
{
    const char *failing = getenv("FAILING"), *failures = getenv("FAILURES");
    if (!failing || !failures || strcmp(failing, name) != 0)
        return 0;
    const int file = open(failures, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0 || write(file, "x", 1) != 1)
        abort();
    close(file);
    return 1;
}

#define NEXT(Name) ((function)dlsym(RTLD_NEXT, "PMPI_" #Name))

/* `at` is the number of the argument that has to be an address. */
#define FAIL(Name, at)                                                                \
    int PMPI_##Name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e); \
    int PMPI_##Name(uintptr_t a, uintptr_t b, uintptr_t c, uintptr_t d, uintptr_t e)  \
    {                                                                                 \
        const int failing = fails(#Name);                                             \
        return NEXT(Name)(a, failing && at == 2 ? 0 : b, failing && at == 3 ? 0 : c,  \
                          failing && at == 4 ? 0 : d, failing && at == 5 ? 0 : e);    \
    }

FAIL(Comm_group, 2)
FAIL(Comm_test_inter, 2)
FAIL(Comm_remote_group, 2)
FAIL(Topo_test, 2)
FAIL(Cartdim_get, 2)
FAIL(Comm_create_group, 4)
FAIL(Comm_idup, 2)
FAIL(Comm_create_keyval, 3)

/* A number that is none of a key. Of "counted" none fails. */
int PMPI_Comm_set_attr(uintptr_t comm, int key, uintptr_t value);
int PMPI_Comm_set_attr(uintptr_t comm, int key, uintptr_t value)
{
    const uintptr_t used = fails("Comm_set_attr") ? (uintptr_t)-1 : (uintptr_t)key;
    (void)fails("Comm_set_attr counted");
    return NEXT(Comm_set_attr)(comm, used, value, 0, 0);
}
