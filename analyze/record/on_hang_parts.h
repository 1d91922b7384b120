/* analyze/record/on_hang_parts.h - the inside of on_hang.h: a look at a run, and call stacks of
 * those who are waited for. */
#ifndef SYN_ON_HANG_PARTS_H
#define SYN_ON_HANG_PARTS_H

#include "analyze/hang/examine.h"
#include "analyze/print/text.h"
#include "analyze/record/on_hang.h"

struct record_sight {
    struct syn_trace *trace, *before; /* `before`: of a live run */
    struct syn_sight of;
};

/* Lines on each root, or else on ranks of a circle or a disagreement: the recorded stack of its
 * last call; or `now` what eu-stack or gdb says of its threads, which may take seconds. */
struct syn_text record_root_stacks(const struct record_sight *sight, bool now);
/* NULL: it has seen none yet. */
const struct syn_trace *record_watcher_trace(const struct record_watcher *watcher);

#endif
