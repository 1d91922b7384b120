/* analyze/print/output.h - writes a command's output to stdout, or to a file that is complete or
 * not there at all. */
#ifndef SYN_OUTPUT_H
#define SYN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

struct syn_output;

/* Checks that `path` does not lie in a trace, also by way of symbolic links: a file in a trace
 * would change or spoil the trace. Returns 0, or SYN_EINVAL after one line on stderr. Call it
 * before long work. */
int syn_output_check(const char *path);
/* Opens `path`, or stdout if `path` is NULL. A regular file is written under a temporary name in
 * the same directory and renamed by syn_output_commit; a device or a pipe is written directly.
 * Returns 0, SYN_EIO (errno), SYN_ENOMEM. */
int syn_output_open(const char *path, struct syn_output **out);
/* Writes data through a buffer. Returns 0 or SYN_EIO (errno). After an error every call returns the
 * error. */
int syn_output_write(struct syn_output *output, const void *data, size_t bytes);
/* Writes the buffer and renames the temporary file. Returns 0 or SYN_EIO. */
int syn_output_commit(struct syn_output *output);
/* Closes the output. Removes the temporary file if it was not committed. NULL is allowed. */
void syn_output_close(struct syn_output *output);

/* Writes a whole text to a path, or to stdout if `path` is NULL. On a terminal a long text is shown
 * by $PAGER. Returns 0, or a negative status after one line on stderr. */
int syn_output_text(const char *path, struct syn_text *text);

#endif
