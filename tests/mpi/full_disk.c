/* tests/mpi/full_disk.c - preloaded: the disk is full for files of a trace. Writes to those whose
 * name contains $FULL_NAMES (.syn where it is not set) fail with ENOSPC once $FULL_AFTER bytes were
 * written; where $FULL_BLOCKS is set, so do all allocations of space but so many of the first. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_full_file(int fd)
{
    char link[64], path[4096];
    const char *names = getenv("FULL_NAMES");
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strstr(path, names ? names : ".syn") != NULL;
}

ssize_t write(int fd, const void *data, size_t bytes)
{
    static ssize_t (*next)(int, const void *, size_t);
    static size_t written;
    const char *limit = getenv("FULL_AFTER");
    if (!next)
        next = (ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, "write");
    if (limit && is_full_file(fd)) {
        if (written + bytes > (size_t)atol(limit)) {
            errno = ENOSPC;
            return -1;
        }
        written += bytes;
    }
    return next(fd, data, bytes);
}

int fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    int (*const next)(int, int, off_t, off_t) =
        (int (*)(int, int, off_t, off_t))dlsym(RTLD_NEXT, "fallocate");
    static int allocated;
    const char *blocks = getenv("FULL_BLOCKS");
    if (!blocks || __atomic_fetch_add(&allocated, 1, __ATOMIC_RELAXED) < atoi(blocks))
        return next(fd, mode, offset, bytes);
    errno = ENOSPC;
    return -1;
}
