/* tests/mpi/cut.c - somebody cuts the files that the profiler's memory is mapped from.
 * usage: cut none|before|after: no handler of SIGBUS of the program's own, one set before MPI_Init,
 * one set after it, by which the program ends with status 3. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CALLS 50000 /* more than a block has events */

static void die(int number)
{
    (void)number;
    _exit(3);
}

static void handle(const char *when, const char *now)
{
    struct sigaction action = {.sa_handler = die}, told;
    if (strcmp(when, now) == 0)
        sigaction(SIGBUS, &action, NULL);
    sigaction(SIGBUS, NULL, &told);
    if (strcmp(when, now) == 0 && told.sa_handler != die)
        _exit(4); /* the program is not told what it has set */
}

static void barriers(MPI_Comm comm)
{
    for (int i = 0; i < CALLS; i++)
        MPI_Barrier(comm);
}

int main(int argc, char **argv)
{
    int rank;
    char path[4096];
    const char *when = argc > 1 ? argv[1] : "none", *trace = getenv("SYNCOPATE_OUTPUT");
    handle(when, "before");
    MPI_Init(&argc, &argv);
    handle(when, "after");
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    barriers(MPI_COMM_SELF);
    snprintf(path, sizeof path, "%s/rank-%06d.raw", trace ? trace : ".", rank);
    if (trace && truncate(path, 0))
        return 5;
    barriers(MPI_COMM_SELF);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
    printf("made %d\n", 2 * CALLS + 1);
    fflush(stdout); /* the handler ends the program without it, and stdout need not be a terminal */
    if (strcmp(when, "none") != 0)
        raise(SIGBUS); /* and it still has its handler */
    return 0;
}
