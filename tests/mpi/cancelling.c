/* tests/mpi/cancelling.c - preloaded: the first thread but the main one is cancelled in a call of
 * the profiler's: where it writes to a file of a trace, or, where $CANCEL_IN is set, once that is
 * "locks", where it takes a lock, and another while it has that. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_trace_file(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strstr(path, ".syn") != NULL;
}

static int is_first(void)
{
    static int done;
    return gettid() != getpid() && !__atomic_exchange_n(&done, 1, __ATOMIC_RELAXED);
}

static int in_locks(void)
{
    const char *in = getenv("CANCEL_IN");
    return in && strcmp(in, "locks") == 0;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    ssize_t (*const next)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (!getenv("CANCEL_IN") && is_trace_file(fd) && is_first()) {
        pthread_cancel(pthread_self());
        pthread_testcancel(); /* as the write itself would */
    }
    return next(fd, data, bytes);
}

/* ---- locks ---- */

static int is_profiler(const void *caller)
{
    Dl_info info;
    return getenv("CANCEL_IN") && dladdr(caller, &info) && strstr(info.dli_fname, "libsyncopate-");
}

/* The profiler does so before it takes the outermost of its locks. It is as if somebody cancelled
 * the thread then: where cancellation came back with an inner lock, it would end with the outer
 * one.
 */
int pthread_setcancelstate(int state, int *before)
{
    static int (*next)(int, int *);
    if (!next)
        next = (int (*)(int, int *))dlsym(RTLD_NEXT, "pthread_setcancelstate");
    const int result = next(state, before);
    if (state == PTHREAD_CANCEL_DISABLE && in_locks() && is_profiler(__builtin_return_address(0)) &&
        is_first())
        pthread_cancel(pthread_self());
    return result;
}
