/* trace/off_cpu.h - how long a thread was off its processor in a segment, for certain. */
#ifndef SYN_OFF_CPU_H
#define SYN_OFF_CPU_H

#include "trace/notes.h"

/* Fill in figures SYN_SEGMENT_OFF_CPU and SYN_SEGMENT_WAIT_OFF_CPU of `entries` from its samples.
 *
 * Between two samples the thread was off the processor for O = elapsed time - processor time of the
 * T that passed; where in T, nobody saw. What lies within a segment, without the messages in it, is
 * C of T; so at least O - (T - C) of it was there, and that is what the segment gets: all time that
 * was spent in calls, or in other segments, may have been spent off the processor before any of
 * this is. A sum over segments is a lower bound too. What clocks may differ by is taken off.
 * Returns 0 or SYN_ENOMEM. */
int syn_off_cpu(struct syn_entries *entries, const struct syn_tick_source *ticks);

#endif
