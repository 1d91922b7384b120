/* tests/bench/call_sites.h - calls from very many places: a Barrier on MPI_COMM_SELF from one of
 * 10,000 call sites, or on one of 10,000 ways to the same. */
#ifndef CALL_SITES_H
#define CALL_SITES_H

#include <mpi.h>

#define CALL_SITES 10000

/* A large step, prime to any count of the figures: no place is near the one before. */
static inline unsigned next_place(unsigned place, unsigned count)
{
    return (place + 7919) % count;
}

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

#endif
