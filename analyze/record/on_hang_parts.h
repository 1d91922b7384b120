/* analyze/record/on_hang_parts.h - the internal interface of on_hang.h: an examined run, and call
 * stacks of the ranks that are waited for. */
#ifndef SYN_ON_HANG_PARTS_H
#define SYN_ON_HANG_PARTS_H

#include "analyze/hang/examine.h"
#include "analyze/print/text.h"
#include "analyze/record/on_hang.h"

struct record_sight {
    struct syn_trace *trace, *before; /* `before`: only of a live run */
    struct syn_sight of;
};

/* Returns lines on each root, or else on the ranks of a circle or a disagreement: the recorded call
 * stack of the rank's last call, or, with `now`, the stacks of its threads by eu-stack or gdb,
 * which may take seconds. */
struct syn_text record_root_stacks(const struct record_sight *sight, bool now);
/* Returns the trace that the watcher opened last; NULL: it has opened none. */
const struct syn_trace *record_watcher_trace(const struct record_watcher *watcher);

#endif
