/* analyze/clocks/mend.h - one clock's times, mended by what is known of it: its measurements, and
 * what the program's own collectives say. Knows no trace. */
#ifndef SYN_CLOCK_MEND_H
#define SYN_CLOCK_MEND_H

#include "analyze/clocks/solve.h"

struct syn_clock_record {
    const struct syn_timeline *timeline;   /* with a knot at least */
    const struct syn_clock_window *window; /* [window_count], in global time by that timeline */
    size_t window_count;
    double begin_error; /* standard error of the drift at begin; 0: not known */
};

/* The correction, to be freed by syn_timeline_free; without a knot: what the timeline states holds.
 * 0 or SYN_ENOMEM. */
int syn_clock_mend(const struct syn_clock_record *record, struct syn_clock_solution *out);

/* Sets *out to a correction that moves no times. Its bound is the error that measurements and
 * collectives allow if the clock need not keep its drift. Free it in any case. Returns 0 or
 * SYN_ENOMEM. */
int syn_clock_left_open(const struct syn_clock_record *record, struct syn_timeline *out);

/* Is that more than what the measurements at both ends, and the drift at begin, may be off by? A
 * measurement that was made in a bad moment is off by much: the bound has grown for it, but no
 * clock is to blame. */
bool syn_clock_drift_is_wrong(const struct syn_timeline *timeline, double begin_error);

#endif
