/* trace/base/sink.h - a destination of bytes. It is a table of functions, so that tests can write
 * to memory and inject faults. */
#ifndef SYN_SINK_H
#define SYN_SINK_H

#include <stddef.h>

struct syn_place;

struct syn_sink {
    /* Writes all of `bytes`. Returns 0, or SYN_EIO with errno set. */
    int (*write)(void *ctx, const void *data, size_t bytes);
    /* Makes the bytes durable and gives them their final name. Returns 0 or SYN_EIO. */
    int (*commit)(void *ctx);
    /* Releases everything. A sink that was not committed leaves its bytes under the temporary name.
     */
    void (*close)(void *ctx);
    void *ctx;
    /* Announces a write, so that the write itself takes less time. NULL: not needed. */
    void (*expect)(void *ctx);
};

/* Opens a file that is written as `path`.part; commit renames it to `path`. Returns 0 or SYN_EIO
 * (errno set). */
int syn_sink_file(const char *path, struct syn_sink *out);
/* Writes a whole file at once. Returns 0, or an error; then a file that had the name before is
 * unchanged. */
int syn_sink_write_file(const char *path, const void *data, size_t bytes);
/* Opens a sink in a guarded directory (guarded.h), which lives longer than the sink. */
int syn_sink_file_in(struct syn_place *place, const char *name, struct syn_sink *out);
/* Removes the file that a closed sink left at `path`.part, if the incomplete file is of no use. */
void syn_sink_discard(const char *path);
/* Removes such a file in a guarded directory. */
void syn_sink_discard_in(struct syn_place *place, const char *name);
/* Makes the names in a directory survive a crash of the machine, if the file system can. Called
 * once for all files of a trace: the call takes 10 ms or more, which would otherwise lengthen each
 * rank's MPI_Finalize. */
void syn_sink_sync_names(struct syn_place *place);

#endif
