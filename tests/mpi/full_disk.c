/* tests/mpi/full_disk.c - preloaded: writes to files of a trace fail with ENOSPC once $FULL_AFTER
 * bytes were written. */
#include <dlfcn.h>
#include <errno.h>
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

ssize_t write(int fd, const void *data, size_t bytes)
{
    static ssize_t (*next)(int, const void *, size_t);
    static size_t written;
    const char *limit = getenv("FULL_AFTER");
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (limit && is_trace_file(fd)) {
        if (written + bytes > (size_t)atol(limit)) {
            errno = ENOSPC;
            return -1;
        }
        written += bytes;
    }
    return next(fd, data, bytes);
}
