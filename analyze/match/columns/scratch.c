/* analyze/match/columns/scratch.c - temporary files, and the message if one fails. */
#include "analyze/match/columns/scratch.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sync/base/status.h"

static const char *directory_of_files(void)
{
    const char *directory = getenv("TMPDIR");
    return directory && *directory ? directory : "/tmp";
}

static atomic_int file_error; /* errno of the last failure of any file */

bool syn_scratch_explain(char *text, size_t text_bytes)
{
    const int error_number = atomic_load(&file_error);
    snprintf(text, text_bytes,
             "%s: a temporary file cannot be made, written or read: %s (TMPDIR names another "
             "directory, --memory keeps more out of it)",
             directory_of_files(), strerror(error_number));
    return error_number != 0;
}

int syn_scratch_failed(void)
{
    atomic_store(&file_error, errno);
    return SYN_EIO;
}

int syn_scratch_open(int *file)
{
    char path[4096];
    *file = -1;
    if (snprintf(path, sizeof path, "%s/syncopate-XXXXXX", directory_of_files()) >=
        (int)sizeof path) {
        errno = ENAMETOOLONG;
        return syn_scratch_failed();
    }
    *file = mkstemp(path);
    if (*file < 0)
        return syn_scratch_failed();
    unlink(path);
    return 0;
}

int syn_scratch_write(int file, const void *data, size_t bytes, unsigned long long offset)
{
    const char *at = data;
    while (bytes > 0) {
        ssize_t done = pwrite(file, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return syn_scratch_failed();
        at += done;
        offset += (unsigned long long)done;
        bytes -= (size_t)done;
    }
    return 0;
}

int syn_scratch_read(int file, void *data, size_t bytes, unsigned long long offset)
{
    char *at = data;
    while (bytes > 0) {
        ssize_t done = pread(file, at, bytes, (off_t)offset);
        if (done < 0 && errno == EINTR)
            continue;
        if (done == 0)
            errno = EIO; /* the file is shorter than what was written to it */
        if (done <= 0)
            return syn_scratch_failed();
        at += done;
        offset += (unsigned long long)done;
        bytes -= (size_t)done;
    }
    return 0;
}
