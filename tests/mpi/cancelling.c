/* tests/mpi/cancelling.c - preloaded: the first thread but the main one that writes to a file of a
 * trace is cancelled in it. */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
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

ssize_t write(int fd, const void *data, size_t bytes)
{
    static int done;
    ssize_t (*const next)(int, const void *, size_t) =
        (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (gettid() != getpid() && is_trace_file(fd) &&
        !__atomic_exchange_n(&done, 1, __ATOMIC_RELAXED)) {
        pthread_cancel(pthread_self());
        pthread_testcancel(); /* as the write itself would */
    }
    return next(fd, data, bytes);
}
