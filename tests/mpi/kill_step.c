/* tests/mpi/kill_step.c - preloaded: rank $KILL_RANK is killed right before the $KILL_STEP-th thing
 * that it does to files of a trace once it writes or makes a node file (makes, writes,
 * synchronizes, renames, removes). With $FULL_RANK that rank cannot write to node files at all: the
 * disk is full. Nobody is killed before all $RANKS ranks have come to MPI_Finalize: until then
 * they may still have calls to record.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int is_rank(const char *variable)
{
    const char *wanted = getenv(variable), *own = getenv("OMPI_COMM_WORLD_RANK");
    own = own ? own : getenv("PMI_RANK");
    return wanted && own && strcmp(wanted, own) == 0;
}

/* Ranks say it by a file each, $READY.RANK. */
static int all_came(void)
{
    const char *ready = getenv("READY"), *ranks = getenv("RANKS");
    char path[4096];
    for (int rank = 0; ready && ranks && rank < atoi(ranks); rank++) {
        snprintf(path, sizeof path, "%s.%d", ready, rank);
        if (access(path, F_OK) != 0)
            return 0;
    }
    return 1;
}

int MPI_Finalize(void)
{
    int (*const next)(void) = (int (*)(void))dlsym(RTLD_NEXT, "MPI_Finalize");
    const char *ready = getenv("READY"), *rank = getenv("OMPI_COMM_WORLD_RANK");
    char path[4096];
    rank = rank ? rank : getenv("PMI_RANK");
    snprintf(path, sizeof path, "%s.%s", ready ? ready : "", rank ? rank : "");
    FILE *file = ready ? fopen(path, "w") : NULL;
    if (file)
        fclose(file);
    return next();
}

static void step(int begins)
{
    static int begun, count;
    const char *last = getenv("KILL_STEP");
    begun |= begins;
    if (begun && last && is_rank("KILL_RANK") && ++count == atoi(last)) {
        for (int i = 0; i < 20000 && !all_came(); i++)
            usleep(1000);
        kill(getpid(), SIGKILL);
    }
}

static int is_node(const char *name)
{
    return strncmp(name, "node-", 5) == 0;
}

static int is_node_file(int fd)
{
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    path[length > 0 ? length : 0] = '\0';
    return strstr(path, "/node-") != NULL;
}

int openat(int directory, const char *name, int flags, ...)
{
    int (*const next)(int, const char *, int, ...) =
        (int (*)(int, const char *, int, ...))dlsym(RTLD_NEXT, "openat");
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = va_arg(arguments, mode_t);
    va_end(arguments);
    step(is_node(name));
    return next(directory, name, flags, mode);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset)
{
    ssize_t (*const next)(int, const void *, size_t, off_t) =
        (ssize_t(*)(int, const void *, size_t, off_t))dlsym(RTLD_NEXT, "pwrite");
    const int is_ours = is_node_file(fd);
    if (is_ours)
        step(1);
    if (is_ours && is_rank("FULL_RANK")) {
        errno = ENOSPC;
        return -1;
    }
    return next(fd, data, bytes, offset);
}

int fsync(int fd)
{
    int (*const next)(int) = (int (*)(int))dlsym(RTLD_NEXT, "fsync");
    step(0);
    return next(fd);
}

int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    int (*const next)(int, const char *, int, const char *) =
        (int (*)(int, const char *, int, const char *))dlsym(RTLD_NEXT, "renameat");
    step(0);
    return next(from_directory, from, to_directory, to);
}

int unlinkat(int directory, const char *name, int flags)
{
    int (*const next)(int, const char *, int) =
        (int (*)(int, const char *, int))dlsym(RTLD_NEXT, "unlinkat");
    step(0);
    return next(directory, name, flags);
}
