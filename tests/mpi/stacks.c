/* tests/mpi/stacks.c - one line of MPI calls reached in every way that could deceive a cache of
 * call stacks. usage: stacks; each way is a function of its own, and the trace must have exactly as
 * many stacks as this prints. */
#include <alloca.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static int ways;

static __attribute__((noinline)) void call(void)
{
    MPI_Barrier(MPI_COMM_SELF);
    __asm__ volatile("");
}

/* Two callers of equal depth and frame sizes, so that stack addresses are the same. */
static __attribute__((noinline)) void left(void)
{
    call();
    __asm__ volatile("");
}

static __attribute__((noinline)) void right(void)
{
    call();
    __asm__ volatile("");
}

/* A frame whose size changes from call to call: still one way. */
static __attribute__((noinline)) void growing(int bytes)
{
    volatile char *space = alloca((size_t)bytes);
    memset((char *)space, bytes, (size_t)bytes);
    call();
    __asm__ volatile("" ::"r"(space));
}

/* A frame of changing size between: where the caller's return address lay, an older one may still
 * lie. */
static __attribute__((noinline)) void through_left(int bytes)
{
    growing(bytes);
    __asm__ volatile("");
}

static __attribute__((noinline)) void through_right(int bytes)
{
    growing(bytes);
    __asm__ volatile("");
}

static __attribute__((noinline)) void recurse(int depth)
{
    if (depth > 0)
        recurse(depth - 1);
    else
        call();
    __asm__ volatile("");
}

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    for (int i = 0; i < 50; i++) {
        left();
        right();
    }
    ways += 2;
    for (int i = 0; i < 200; i++) {
        through_left(16 + 16 * (i % 7));
        through_right(16 + 16 * (i % 5));
    }
    ways += 2;
    /* Told apart by the 8 frames that are kept. */
    for (int i = 0; i < 40; i++)
        recurse(i % 7);
    ways += 7;
    printf("%d\n", ways);
    MPI_Finalize();
    return 0;
}
