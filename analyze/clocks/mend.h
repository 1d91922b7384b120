/* analyze/clocks/mend.h - corrects the times of one clock from its measurements and from the
 * program's own collectives. This module does not read traces. */
#ifndef SYN_CLOCK_MEND_H
#define SYN_CLOCK_MEND_H

#include "analyze/clocks/solve.h"

struct syn_clock_record {
    const struct syn_timeline *timeline;   /* has at least one knot */
    const struct syn_clock_window *window; /* [window_count], in global time by that timeline */
    size_t window_count;
    double begin_error; /* standard error of the drift at begin, in ns per ns; 0: not known */
};

/* Computes the correction of a clock. The caller frees out->correction by syn_timeline_free. A
 * correction without knots changes nothing: the times and bounds of the timeline hold. Returns 0 or
 * SYN_ENOMEM. */
int syn_clock_mend(const struct syn_clock_record *record, struct syn_clock_solution *out);

/* Sets *out to a correction that moves no times. Its bound is the error that measurements and
 * collectives allow if the clock need not keep its drift. The caller frees *out in either case.
 * Returns 0 or SYN_ENOMEM. */
int syn_clock_left_open(const struct syn_clock_record *record, struct syn_timeline *out);

/* Returns whether the drift changed during the run by more than the measurements at both ends and
 * the drift at begin may be off. A measurement at a bad moment has a large error: then the bound
 * has grown, but the clock is not at fault. */
bool syn_clock_drift_is_wrong(const struct syn_timeline *timeline, double begin_error);

#endif
