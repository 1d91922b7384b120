/* preload/run/directory.h - the directory into which the run is recorded: rank 0 makes it ready and
 * keeps everybody else out of it meanwhile. */
#ifndef SYN_DIRECTORY_H
#define SYN_DIRECTORY_H

#include <stddef.h>

#include "preload/base/options.h"

/* Rank 0 of `size`: options->directory becomes one that is ready, and is taken. Returns 0, or why
 * not (sync/base/status.h) and says so in `why` [capacity]. */
int syn_directory_take(struct syn_options *options, int size, char *why, size_t capacity);

/* Others may have it; also in a forked child, which is not this run. */
void syn_directory_release(void);

#endif
