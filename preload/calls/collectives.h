/* preload/calls/collectives.h - the wrappers of the collectives. */
#ifndef SYN_COLLECTIVES_H
#define SYN_COLLECTIVES_H

#include <stddef.h>

#include "preload/entry/backend.h"
#include "trace/base/ops.h"

#define SYN_COLLECTIVE_WRAPPERS SYN_ROW_COUNT

/* Put them at wrappers [SYN_COLLECTIVE_WRAPPERS]. Returns how many. */
size_t syn_collectives_add(struct syn_wrapper *wrappers);

#endif
