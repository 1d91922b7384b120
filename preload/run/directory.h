/* preload/run/directory.h - the trace's directory. Rank 0 prepares it and claims it, so that no
 * other run uses it meanwhile. */
#ifndef SYN_DIRECTORY_H
#define SYN_DIRECTORY_H

#include <stddef.h>

#include "preload/base/options.h"

/* On rank 0 of `size`: prepare and claim the directory; options->directory becomes its name.
 * Returns 0 or a status (sync/base/status.h) with an explanation in `why` [capacity]. */
int syn_directory_take(struct syn_options *options, int size, char *why, size_t capacity);

/* Give up the claim; also in a forked child, which is not this run. */
void syn_directory_release(void);

#endif
