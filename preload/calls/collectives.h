/* preload/calls/collectives.h - the wrappers of the blocking collectives on data, in C. */
#ifndef SYN_COLLECTIVES_H
#define SYN_COLLECTIVES_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

#define SYN_COLLECTIVE_WRAPPERS SYN_ROW_COUNT

/* Fills wrappers [SYN_COLLECTIVE_WRAPPERS]. Returns the number of wrappers. */
size_t syn_collectives_add(struct syn_wrapper *wrappers);

#endif
