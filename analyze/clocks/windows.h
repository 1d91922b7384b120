/* analyze/clocks/windows.h - bounds on the clocks from the synchronizing collectives of a run: for
 * each clock but the first, window by window, the tightest bounds on its error against the
 * first. */
#ifndef SYN_CLOCK_WINDOWS_H
#define SYN_CLOCK_WINDOWS_H

#include "analyze/clocks/causality.h"
#include "analyze/clocks/solve.h"

/* How ranks share clocks, and the time that is cut into windows. */
struct syn_clock_plan {
    const int32_t *clock_of_rank; /* [rank_count]; -1: there is no file of it */
    int32_t rank_count, clock_count;
    int64_t first_ns, last_ns;
    size_t window_count; /* of each clock */
};

struct syn_clock_windows {
    const struct syn_clock_plan *plan;
    struct syn_clock_window *window; /* [clock_count - 1][window_count] */
    struct syn_causality causality;
    int64_t *start_ns, *end_ns; /* [clock_count]: last start, first end in the instance in hand */
};

/* 0 or SYN_ENOMEM; free it in any case. */
int syn_clock_windows_begin(struct syn_clock_windows *windows, const struct syn_clock_plan *plan);
void syn_clock_windows_free(struct syn_clock_windows *windows);
/* Each complete instance. */
void syn_clock_windows_add(struct syn_clock_windows *windows, const struct syn_instance *instance);
/* Keep the tighter ones; the order does not matter. */
void syn_clock_windows_absorb(struct syn_clock_windows *into, const struct syn_clock_windows *from);

#endif
