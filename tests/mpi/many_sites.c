/* tests/mpi/many_sites.c - calls from 1,000 call sites, each with a size of its own: N bytes from
 * the N-th. usage: many_sites CALLS: so many, in an order that is none. */
#include <mpi.h>
#include <stdlib.h>

#define SITES 1000

/* Without the asm a compiler would make all of them one. */
/* clang-format off */
#define SITE(n)                                           \
    case (n):                                             \
        MPI_Bcast(data, (n), MPI_BYTE, 0, MPI_COMM_SELF); \
        __asm__ volatile("" : : "i"(n));                  \
        break;
#define TEN(n) \
    SITE(n) SITE(n + 1) SITE(n + 2) SITE(n + 3) SITE(n + 4) SITE(n + 5) SITE(n + 6) SITE(n + 7) SITE(n + 8) SITE(n + 9)
#define HUNDRED(n) \
    TEN(n) TEN(n + 10) TEN(n + 20) TEN(n + 30) TEN(n + 40) TEN(n + 50) TEN(n + 60) TEN(n + 70) TEN(n + 80) TEN(n + 90)
/* clang-format on */

static char data[SITES];

static __attribute__((noinline)) void call_from(unsigned site)
{
    switch (site) {
        HUNDRED(0)
        HUNDRED(100)
        HUNDRED(200)
        HUNDRED(300)
        HUNDRED(400)
        HUNDRED(500)
        HUNDRED(600)
        HUNDRED(700)
        HUNDRED(800)
        HUNDRED(900)
    }
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    const long calls = argc > 1 ? atol(argv[1]) : 1000;
    unsigned random = 1;
    for (long i = 0; i < calls; i++) {
        random = random * 1103515245 + 12345;
        call_from((random >> 16) % SITES);
    }
    MPI_Finalize();
    return 0;
}
