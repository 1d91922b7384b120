/* tests/bench/stack_cost.c - the cost of a call from many places: many call sites, or many ways to
 * one. usage: stack_cost sites|paths COUNT CALLS [ROUNDS]; COUNT up to 10,000. Every call is a
 * Barrier on MPI_COMM_SELF. Prints "stack_cost KIND COUNT NS LEARN_NS": processor time of a call,
 * the least of ROUNDS, and the extra time of a call from a new place. stack_cost.sh compares. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "call_sites.h"

static double cpu_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static double time_calls(void (*call)(int), unsigned count, long calls)
{
    unsigned place = 0;
    const double began = cpu_ns();
    for (long i = 0; i < calls; i++) {
        call((int)place);
        place = next_place(place, count);
    }
    return (cpu_ns() - began) / (double)calls;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const unsigned count = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
    const long calls = argc > 3 ? atol(argv[3]) : 0;
    const int rounds = argc > 4 ? atoi(argv[4]) : 5;
    if (count < 1 || count > CALL_SITES || calls < 1)
        return 2;
    void (*const call)(int) = strcmp(argv[1], "sites") == 0 ? from_site : by_path;
    double first = 0, least = 0;
    /* From one place: from another one all stacks would be others. */
    for (int round = -1; round < rounds; round++) {
        const double ns = time_calls(call, count, calls);
        if (round < 0) /* learns */
            first = ns;
        else
            least = round == 0 || ns < least ? ns : least;
    }
    printf("stack_cost %s %u %.1f %.0f\n", argv[1], count, least,
           (first - least) * (double)calls / count);
    MPI_Finalize();
    return 0;
}
