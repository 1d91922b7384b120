#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../sync/status.h"
#include "sink.h"

/* The directory is held open, and renaming is relative to it: where a later run moves the directory
 * out of its way, the file goes with it and never lands among the files of that run. */
struct file_sink {
    int directory;
    int file;
    char *name;
    char *part_name;
};

static int write_all(void *ctx, const void *data, size_t bytes)
{
    struct file_sink *sink = ctx;
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = write(sink->file, at, bytes);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0)
            return SYN_EIO;
        if (done == 0) {
            errno = EIO;
            return SYN_EIO;
        }
        at += done;
        bytes -= (size_t)done;
    }
    return SYN_OK;
}

static int commit(void *ctx)
{
    struct file_sink *sink = ctx;
    int status;
    do
        status = fsync(sink->file);
    while (status != 0 && errno == EINTR);
    if (status != 0)
        return SYN_EIO;
    /* Network file systems report a full disk as late as here. */
    int file = sink->file;
    sink->file = -1;
    if (close(file) != 0 && errno != EINTR)
        return SYN_EIO;
    if (renameat(sink->directory, sink->part_name, sink->directory, sink->name) != 0)
        return SYN_EIO;
    return SYN_OK;
}

void syn_sink_sync_names(const char *directory)
{
    const int file = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return;
    (void)fsync(file); /* not every file system can */
    close(file);
}

static void close_sink(void *ctx)
{
    struct file_sink *sink = ctx;
    if (sink->file >= 0)
        close(sink->file);
    if (sink->directory >= 0)
        close(sink->directory);
    free(sink->name);
    free(sink->part_name);
    free(sink);
}

static int open_parts(struct file_sink *sink, const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    char *directory = slash ? strndup(path, (size_t)(slash - path) + 1) : strdup(".");
    sink->name = strdup(name);
    if (asprintf(&sink->part_name, "%s.part", name) < 0)
        sink->part_name = NULL;
    if (!directory || !sink->name || !sink->part_name) {
        free(directory);
        errno = ENOMEM;
        return SYN_EIO;
    }
    sink->directory = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    free(directory);
    if (sink->directory < 0)
        return SYN_EIO;
    /* A new file always: what has the name may be a link, or a pipe at which opening waits. */
    if (unlinkat(sink->directory, sink->part_name, 0) != 0 && errno != ENOENT)
        return SYN_EIO;
    sink->file =
        openat(sink->directory, sink->part_name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return sink->file < 0 ? SYN_EIO : SYN_OK;
}

int syn_sink_file(const char *path, struct syn_sink *out)
{
    struct file_sink *sink = calloc(1, sizeof *sink);
    if (!sink)
        return SYN_EIO;
    sink->directory = sink->file = -1;
    if (open_parts(sink, path) != SYN_OK) {
        int error_number = errno;
        close_sink(sink);
        errno = error_number;
        return SYN_EIO;
    }
    *out =
        (struct syn_sink){.write = write_all, .commit = commit, .close = close_sink, .ctx = sink};
    return SYN_OK;
}

void syn_sink_discard(const char *path)
{
    char *part = NULL;
    if (asprintf(&part, "%s.part", path) < 0)
        return;
    unlink(part);
    free(part);
}
