/* analyze/threads.c - see threads.h. */
#include "analyze/threads.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "sync/base/integers.h"

static size_t wanted_count;

void syn_thread_count_set(size_t count)
{
    wanted_count = syn_least(count, SYN_THREADS_MAX);
}

size_t syn_thread_count(void)
{
    cpu_set_t allowed;
    if (wanted_count > 0)
        return wanted_count;
    int count = sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
    return count < 1 ? 1 : count > SYN_THREADS_MAX ? SYN_THREADS_MAX : (size_t)count;
}

size_t syn_memory_default(void)
{
    long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? (size_t)pages / 2 * (size_t)page_bytes : (size_t)1 << 30;
}

void syn_threads_run(size_t count, void *(*work)(void *), void *ctx)
{
    pthread_t thread[SYN_THREADS_MAX];
    size_t started = 0;
    while (started + 1 < count && started + 1 < SYN_THREADS_MAX &&
           pthread_create(&thread[started], NULL, work, ctx) == 0)
        started++;
    work(ctx);
    while (started > 0)
        pthread_join(thread[--started], NULL);
}
