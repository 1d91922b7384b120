/* trace/events/off_cpu.h - how long a thread was off its processor in a segment, for certain.
 *
 * Between two samples the thread was off the processor for O = elapsed time - processor time of the
 * T that passed; where in T, nobody saw. What lies within a segment, without the messages in it, is
 * C of T; so at least O - (T - C) of it was there, and that is what the segment gets: all time that
 * was spent in calls, or in other segments, may have been spent off the processor before any of
 * this is. A sum over segments is a lower bound too. What clocks may differ by is taken off. */
#ifndef SYN_OFF_CPU_H
#define SYN_OFF_CPU_H

#include <stddef.h>

#include "trace/events/entries.h"

/* Fill in figures SYN_SEGMENT_OFF_CPU and SYN_SEGMENT_WAIT_OFF_CPU of entries that are taken apart,
 * from their samples, in steps of some microseconds. Each returns 0 or SYN_ENOMEM. How far it is
 * stays with the entries, and its memory for the next time. */
int syn_off_cpu_begin(struct syn_entries *entries);
int syn_off_cpu_step(struct syn_entries *entries);
size_t syn_off_cpu_steps_left(const struct syn_entries *entries);
void syn_off_cpu_free(struct syn_entries *entries);

#endif
