/* tests/bench/stack_cost.c - what a call costs from many places: many call sites, or many ways to
 * one. usage: stack_cost sites|paths COUNT CALLS [ROUNDS]; COUNT up to 10,000. Every call is a
 * Barrier on MPI_COMM_SELF. Prints "stack_cost KIND COUNT NS LEARN_NS", processor time of a call,
 * the least of ROUNDS, and what it takes more from a place that is new. stack_cost.sh compares. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A place of its own: without the asm a compiler would make all of them one. */
/* (Its layout of these is not the same twice.) */
/* clang-format off */
#define CALL_1(call, n)                  \
    case (n):                            \
        call;                            \
        __asm__ volatile("" : : "i"(n)); \
        break;
#define CALL_10(call, n)                                                            \
    CALL_1(call, n)                                                                 \
    CALL_1(call, n + 1)                                                             \
    CALL_1(call, n + 2) CALL_1(call, n + 3) CALL_1(call, n + 4) CALL_1(call, n + 5) \
        CALL_1(call, n + 6) CALL_1(call, n + 7) CALL_1(call, n + 8) CALL_1(call, n + 9)
#define CALL_100(call, n)                                                                   \
    CALL_10(call, n)                                                                        \
    CALL_10(call, n + 10)                                                                   \
    CALL_10(call, n + 20) CALL_10(call, n + 30) CALL_10(call, n + 40) CALL_10(call, n + 50) \
        CALL_10(call, n + 60) CALL_10(call, n + 70) CALL_10(call, n + 80) CALL_10(call, n + 90)
#define CALL_1000(call, n)                                                      \
    CALL_100(call, n)                                                           \
    CALL_100(call, n + 100)                                                     \
    CALL_100(call, n + 200) CALL_100(call, n + 300) CALL_100(call, n + 400)     \
        CALL_100(call, n + 500) CALL_100(call, n + 600) CALL_100(call, n + 700) \
            CALL_100(call, n + 800) CALL_100(call, n + 900)
#define CALL_10000(call, n)                                                           \
    CALL_1000(call, n)                                                                \
    CALL_1000(call, n + 1000)                                                         \
    CALL_1000(call, n + 2000) CALL_1000(call, n + 3000) CALL_1000(call, n + 4000)     \
        CALL_1000(call, n + 5000) CALL_1000(call, n + 6000) CALL_1000(call, n + 7000) \
            CALL_1000(call, n + 8000) CALL_1000(call, n + 9000)
/* clang-format on */

static __attribute__((noinline)) void from_site(int site)
{
    switch (site) {
        CALL_10000(MPI_Barrier(MPI_COMM_SELF), 0)
    }
}

static __attribute__((noinline)) void solve(void)
{
    MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

static __attribute__((noinline)) void by_path(int path)
{
    switch (path) {
        CALL_10000(solve(), 0)
    }
}

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
        place = (place + 7919) % count;
    }
    return (cpu_ns() - began) / (double)calls;
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const unsigned count = argc > 3 ? (unsigned)atoi(argv[2]) : 0;
    const long calls = argc > 3 ? atol(argv[3]) : 0;
    const int rounds = argc > 4 ? atoi(argv[4]) : 5;
    if (count < 1 || count > 10000 || calls < 1)
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
