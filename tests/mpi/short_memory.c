/* tests/mpi/short_memory.c - memory is short while the program calls collectives: from MPI_Init on
 * the address space may grow by $SHORT_BYTES only, until just before MPI_Finalize. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#define CALLS 100000 /* more than a block has events */

static rlim_t address_space(void)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        abort();
    fclose(file);
    return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Uses up the free memory in the program's own heap, too. */
static void use_up(void)
{
    void *volatile kept = NULL; /* so that no compiler leaves it out */
    for (size_t bytes = 1 << 20; bytes >= 64; bytes /= 2)
        while ((kept = malloc(bytes)))
            *(void **)kept = NULL;
}

int main(int argc, char **argv)
{
    struct rlimit before, now;
    const char *bytes = getenv("SHORT_BYTES");
    MPI_Init(&argc, &argv);
    MPI_Barrier(MPI_COMM_WORLD);
    getrlimit(RLIMIT_AS, &before);
    now = before;
    now.rlim_cur = address_space() + (rlim_t)(bytes ? atol(bytes) : 0);
    setrlimit(RLIMIT_AS, &now);
    use_up();
    for (int i = 0; i < CALLS; i++)
        MPI_Barrier(MPI_COMM_SELF);
    setrlimit(RLIMIT_AS, &before);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("made %d\n", CALLS + 2);
    return 0;
}
