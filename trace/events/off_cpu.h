/* trace/events/off_cpu.h - computes a lower bound of the time that a thread was off its processor
 * in each segment.
 *
 * Between two samples a time T passes, and the thread is off the processor for O = T - its
 * processor time. The kernel does not tell when. A time C of T lies within a segment and outside of
 * messages. Even if the thread was off for all of the rest, T - C (calls, messages, other
 * segments), at least O - (T - C) lies within the segment. That is the segment's figure, reduced by
 * the possible difference of the clocks. The sum over segments is a lower bound, too. */
#ifndef SYN_OFF_CPU_H
#define SYN_OFF_CPU_H

#include <stddef.h>

#include "trace/events/entries.h"

/* Begins to compute SYN_SEGMENT_OFF_CPU and SYN_SEGMENT_WAIT_OFF_CPU. Steps may follow after
 * notes.h has filled in events, samples and messages. The state is entries->off_cpu, whose memory
 * is kept for the next use. Returns 0 or SYN_ENOMEM. */
int syn_off_cpu_begin(struct syn_entries *entries);
/* Does one step, of some microseconds; does nothing if none is left. Returns 0 or SYN_ENOMEM. */
int syn_off_cpu_step(struct syn_entries *entries);
/* Returns the number of steps that are known to be left; 0 only if all is done. */
size_t syn_off_cpu_steps_left(const struct syn_entries *entries);
void syn_off_cpu_free(struct syn_entries *entries);

#endif
