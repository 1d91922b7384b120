/* resting.h - for programs whose ranks wait for seconds. MPIs yield while they wait (launchers.sh,
 * yielding.c). Once a wait has lasted for REST_AFTER_NS, a yield sleeps here. Else such ranks would
 * share the processors with what other tests compute. A short wait is as it was: where a rank
 * exits, the launcher soon ends the others, which have to leave their call before. */
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define REST_AFTER_NS 200000000
#define REST_NS       5000000
#define BETWEEN_NS    (2 * REST_NS) /* a longer time between two yields: another wait */

static long long resting_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

int sched_yield(void)
{
    static __thread long long waits_since_ns, last_ns;
    const long long now_ns = resting_now_ns();
    if (now_ns - last_ns > BETWEEN_NS)
        waits_since_ns = now_ns;
    if (now_ns - waits_since_ns > REST_AFTER_NS)
        nanosleep(&(struct timespec){.tv_nsec = REST_NS}, NULL);
    else
        syscall(SYS_sched_yield);
    last_ns = resting_now_ns();
    return 0;
}
