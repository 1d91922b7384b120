/* preload/recorder/open_lines.h - memory for each thread's open call (trace/base/open_line.h): in
 * the rank's raw file, so that it outlives the process and others can see it. */
#ifndef SYN_OPEN_LINES_H
#define SYN_OPEN_LINES_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/base/open_line.h"

/* The line of the thread state `number`, closed and blank; not on a call's path. NULL where no
 * file is behind (--spill memory, a full disk), or for more states than a file has room for. */
struct syn_open_line *syn_open_lines_take(uint32_t number);

/* Copy the line of a thread, which may go on meanwhile, as an OPEN frame has it. Returns whether
 * the thread was inside the call all the while. */
bool syn_open_lines_copy(const struct syn_open_line *line, struct syn_open_line *out);

#endif
