/* yielding.c - a library that test programs of MPICH are linked with: a rank that waits lets others
 * have its processor, as Open MPI's do when they are told (launchers.sh). MPICH has no such option.
 * There are more ranks than processors, often of several tests at once, and a rank that spins until
 * its time slice is over keeps those from running that it waits for.
 *
 * MPICH over UCX asks for news in one place. What stands in front of it counts how often in a row
 * there were none. */
#include <dlfcn.h>
#include <sched.h>

unsigned ucp_worker_progress(void *worker);

/* Messages between two ranks that both run take fewer tries: they lose nothing. */
enum { TRIES_BEFORE_YIELD = 100 };

__attribute__((visibility("default"))) unsigned ucp_worker_progress(void *worker)
{
    static unsigned (*volatile real)(void *);
    static __thread unsigned fruitless;
    if (!real)
        real = (unsigned (*)(void *))dlsym(RTLD_NEXT, "ucp_worker_progress");
    if (!real) /* an MPI that was loaded for itself alone, as that behind the standard ABI */
        real = (unsigned (*)(void *))dlsym(dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD),
                                           "ucp_worker_progress");
    unsigned news = real(worker);
    fruitless = news ? 0 : fruitless + 1;
    if (fruitless > TRIES_BEFORE_YIELD)
        sched_yield();
    return news;
}
