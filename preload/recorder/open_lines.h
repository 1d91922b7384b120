/* preload/recorder/open_lines.h - memory for the open line of each thread (trace/base/open_line.h).
 * It lies in the rank's raw file: it outlives the process, and other processes can read it. */
#ifndef SYN_OPEN_LINES_H
#define SYN_OPEN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/open_line.h"

/* Returns the line of thread state `number`, closed and blank. NULL if there is no file (--spill
 * memory, full disk), or more states than the file has room for. Not called in a wrapped call. */
struct syn_open_line *syn_open_lines_take(uint32_t number);

/* Copy a line, which its thread may change meanwhile, in the form of an OPEN frame. Returns true if
 * the thread was inside the same call all the time. */
bool syn_open_lines_copy(const struct syn_open_line *line, struct syn_open_line *out);

#endif
