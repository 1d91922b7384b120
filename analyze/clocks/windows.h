/* analyze/clocks/windows.h - bounds on the clocks from the synchronizing collectives of a run. Each
 * clock but the first has a row of clock windows. Each window has the tightest bounds on the
 * clock's error against the first clock. */
#ifndef SYN_CLOCK_WINDOWS_H
#define SYN_CLOCK_WINDOWS_H

#include "analyze/clocks/causality.h"
#include "analyze/clocks/solve.h"

/* The clock of each rank, and the time that is divided into windows. */
struct syn_clock_plan {
    const int32_t *clock_of_rank; /* [rank_count]; -1: the trace has no file of this rank */
    int32_t rank_count, clock_count;
    int64_t first_ns, last_ns;
    size_t window_count; /* of each clock */
};

struct syn_clock_windows {
    const struct syn_clock_plan *plan;
    struct syn_clock_window *window; /* [clock_count - 1][window_count] */
    struct syn_causality causality;
    int64_t *start_ns, *end_ns; /* [clock_count] last start and first end of the clock's ranks in
                                   the instance that is being added */
};

/* Returns 0 or SYN_ENOMEM. The caller frees *windows in either case. `plan` is borrowed. */
int syn_clock_windows_begin(struct syn_clock_windows *windows, const struct syn_clock_plan *plan);
void syn_clock_windows_free(struct syn_clock_windows *windows);
/* Adds one complete instance. */
void syn_clock_windows_add(struct syn_clock_windows *windows, const struct syn_instance *instance);
/* Tightens the bounds of `into` by those of `from`. The result does not depend on the order. */
void syn_clock_windows_absorb(struct syn_clock_windows *into, const struct syn_clock_windows *from);

#endif
