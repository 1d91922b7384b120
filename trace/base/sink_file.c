/* trace/base/sink_file.c - a sink that writes a file, under a temporary name until the file is
 * whole.
 *
 * The directory stays open, and the renaming is relative to it. If a later run moves the directory
 * out of its way, the file goes with it and never lands among the files of that run. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/status.h"
#include "trace/base/guarded.h"
#include "trace/base/sink.h"

struct file_sink {
    struct syn_place *place; /* the directory: `own`, or the caller's */
    struct syn_place own;
    struct syn_guarded file;
    char *name;
    char *part_name;
};

/* Returns the file's descriptor, opened again if the program took it; -1 with errno. Writing always
 * appends. */
static int writable(struct file_sink *sink)
{
    const int held = syn_guarded_get(&sink->file);
    if (held >= 0)
        return held;
    const int directory = syn_place_get(sink->place);
    if (directory < 0)
        return -1;
    return syn_guarded_take(
        &sink->file, syn_open_at(directory, sink->part_name,
                                 O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0));
}

static int write_all(void *ctx, const void *data, size_t bytes)
{
    struct file_sink *sink = ctx;
    const char *at = data;
    while (bytes > 0) {
        const int file = writable(sink);
        ssize_t done = file < 0 ? -1 : write(file, at, bytes);
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

/* RATIONALE: a write of 0 bytes takes the kernel through most of the code of a write. After a while
 * without writes this code is in no cache, and a write takes 10 us longer. */
static void expect(void *ctx)
{
    const int file = writable(ctx);
    if (file >= 0)
        (void)!write(file, "", 0);
}

static int commit(void *ctx)
{
    struct file_sink *sink = ctx;
    const int file = writable(sink);
    if (file < 0)
        return SYN_EIO;
    int status;
    do
        status = fsync(file);
    while (status != SYN_OK && errno == EINTR);
    if (status != SYN_OK)
        return SYN_EIO;
    /* Network file systems may report a full disk only when the file is closed. */
    if (syn_guarded_close(&sink->file) != 0 && errno != EINTR)
        return SYN_EIO;
    const int directory = syn_place_get(sink->place);
    if (directory < 0 || renameat(directory, sink->part_name, directory, sink->name) != 0)
        return SYN_EIO;
    return SYN_OK;
}

void syn_sink_sync_names(struct syn_place *place)
{
    const int directory = syn_place_get(place);
    if (directory >= 0)
        (void)fsync(directory); /* some file systems refuse this */
}

static void close_sink(void *ctx)
{
    struct file_sink *sink = ctx;
    syn_guarded_close(&sink->file);
    syn_place_close(&sink->own);
    free(sink->name);
    free(sink->part_name);
    free(sink);
}

static int open_part(struct file_sink *sink, const char *name)
{
    sink->name = strdup(name);
    if (asprintf(&sink->part_name, "%s.part", name) < 0)
        sink->part_name = NULL;
    if (!sink->name || !sink->part_name) {
        errno = ENOMEM;
        return SYN_EIO;
    }
    const int directory = syn_place_get(sink->place);
    /* The file is always a new one: an existing name may be a link, or a pipe at which opening
     * waits. */
    if (directory < 0 || (unlinkat(directory, sink->part_name, 0) != 0 && errno != ENOENT))
        return SYN_EIO;
    const int opened = syn_open_at(directory, sink->part_name,
                                   O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return syn_guarded_take(&sink->file, opened) < 0 ? SYN_EIO : SYN_OK;
}

static struct file_sink *new_sink(void)
{
    struct file_sink *sink = calloc(1, sizeof *sink);
    if (sink)
        sink->own.guarded = sink->file = SYN_GUARDED_NONE;
    return sink;
}

/* Returns `status` of opening. If it is 0, *out is the sink; otherwise the sink is freed. */
static int hand_out(int status, struct file_sink *sink, struct syn_sink *out)
{
    if (status != SYN_OK) {
        int error_number = errno;
        close_sink(sink);
        errno = error_number;
        return status;
    }
    *out = (struct syn_sink){
        .write = write_all, .commit = commit, .close = close_sink, .ctx = sink, .expect = expect};
    return SYN_OK;
}

int syn_sink_file_in(struct syn_place *place, const char *name, struct syn_sink *out)
{
    struct file_sink *sink = new_sink();
    if (!sink)
        return SYN_EIO;
    sink->place = place;
    return hand_out(open_part(sink, name), sink, out);
}

int syn_sink_file(const char *path, struct syn_sink *out)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX] = ".";
    struct file_sink *sink = new_sink();
    if (!sink)
        return SYN_EIO;
    sink->place = &sink->own;
    int status = SYN_OK;
    if (slash && slash - path + 1 >= (long)sizeof directory) {
        errno = ENAMETOOLONG;
        status = SYN_EIO;
    } else if (slash)
        snprintf(directory, sizeof directory, "%.*s", (int)(slash - path) + 1, path);
    SYN_STEP(status, syn_place_open(&sink->own, directory, 0));
    SYN_STEP(status, open_part(sink, slash ? slash + 1 : path));
    return hand_out(status, sink, out);
}

int syn_sink_write_file(const char *path, const void *data, size_t bytes)
{
    struct syn_sink sink;
    int status = syn_sink_file(path, &sink);
    if (status != SYN_OK)
        return status;
    status = sink.write(sink.ctx, data, bytes);
    SYN_STEP(status, sink.commit(sink.ctx));
    sink.close(sink.ctx);
    return status;
}

void syn_sink_discard(const char *path)
{
    char *part = NULL;
    if (asprintf(&part, "%s.part", path) < 0)
        return;
    unlink(part);
    free(part);
}

void syn_sink_discard_in(struct syn_place *place, const char *name)
{
    char part[NAME_MAX + 1];
    const int directory = syn_place_get(place);
    if (directory >= 0 && snprintf(part, sizeof part, "%s.part", name) < (int)sizeof part)
        unlinkat(directory, part, 0);
}
