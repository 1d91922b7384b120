/* analyze/print/output.h - the destination of a command's answer: stdout, or a file that appears
 * whole or not at all. */
#ifndef SYN_OUTPUT_H
#define SYN_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "analyze/print/text.h"

struct syn_output;

/* Nothing is written into a trace: it would no longer be one, or not the same. SYN_EINVAL after one
 * line on stderr where `path` lies in one, also by way of symbolic links; else 0. To be asked
 * before long work. */
int syn_output_check(const char *path);
/* `path` NULL: stdout. A regular file is written beside and renamed by commit; a device or a pipe
 * is written to as it is. Returns 0, SYN_EIO (errno), SYN_ENOMEM. */
int syn_output_open(const char *path, struct syn_output **out);
/* Gathered into large writes. 0 or SYN_EIO (errno); after an error every call returns it. */
int syn_output_write(struct syn_output *output, const void *data, size_t bytes);
/* Everything is in its place, or SYN_EIO. */
int syn_output_commit(struct syn_output *output);
/* Without a commit before it nothing is left behind. NULL is fine. */
void syn_output_close(struct syn_output *output);

/* All of a text at once, to a path or stdout (a long one on a terminal by $PAGER), with one line on
 * stderr where that fails. Returns 0 or negative. */
int syn_output_text(const char *path, struct syn_text *text);

#endif
