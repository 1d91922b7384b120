/* tests/mpi/jump_clock.c - preloaded: CLOCK_MONOTONIC of one rank jumps by $JUMP_NS after
 * $JUMP_AFTER reads of it. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static long long jump_ns(void)
{
    static long reads, after;
    const char *jump = getenv("JUMP_NS");
    if (!jump)
        return 0;
    if (!after)
        after = atol(getenv("JUMP_AFTER"));
    return ++reads > after ? atoll(jump) : 0;
}

int clock_gettime(clockid_t clock, struct timespec *time)
{
    const int result = (int)syscall(SYS_clock_gettime, clock, time);
    if (result || clock != CLOCK_MONOTONIC)
        return result;
    const long long ns = time->tv_sec * 1000000000LL + time->tv_nsec + jump_ns();
    time->tv_sec = ns / 1000000000;
    time->tv_nsec = ns % 1000000000;
    return 0;
}
