/* trace/base/sink.h - a destination of bytes. A vtable, so that tests write to memory and inject
 * faults. */
#ifndef SYN_SINK_H
#define SYN_SINK_H

#include <stddef.h>

struct syn_place;

struct syn_sink {
    /* All of `bytes` or an error: 0 or SYN_EIO with errno set. */
    int (*write)(void *ctx, const void *data, size_t bytes);
    /* Make it durable and give it its final name; 0 or SYN_EIO. */
    int (*commit)(void *ctx);
    /* Release everything; whatever was not committed stays under its temporary name (a killed run's
     * remains). */
    void (*close)(void *ctx);
    void *ctx;
    /* A write comes soon: what can be done for it before, so that it takes less time itself. NULL:
     * nothing. */
    void (*expect)(void *ctx);
};

/* A file written as `path`.part and renamed to `path` by commit. Returns 0 or SYN_EIO (errno set).
 */
int syn_sink_file(const char *path, struct syn_sink *out);
/* A whole file at once. 0, or an error with what was there before left as it is. */
int syn_sink_write_file(const char *path, const void *data, size_t bytes);
/* Opens a sink in a directory that is held (held.h) for longer than the sink lives. */
int syn_sink_file_in(struct syn_place *place, const char *name, struct syn_sink *out);
/* Remove what a closed sink left at `path`.part, where nobody has a use for the half of it. */
void syn_sink_discard(const char *path);
/* Removes such a file in a directory that is held. */
void syn_sink_discard_in(struct syn_place *place, const char *name);
/* Make the names in a directory survive a crash of the machine, where the file system can. Once for
 * all files of a trace: it takes 10 ms and more, which each rank would add to MPI_Finalize. */
void syn_sink_sync_names(struct syn_place *place);

#endif
