/* trace/events/off_cpu.h - how long a thread was off its processor in a segment, for certain.
 *
 * Between two samples a time T passed, and the thread was off the processor for O = T - its
 * processor time. When that was is unknown. Of T, a time C lies within a segment and outside of
 * messages. Even if the thread was off for all the rest, T - C (calls, messages, other segments),
 * at least O - (T - C) was within the segment. That is its figure, less what the clocks may differ
 * by. The sum over segments is a lower bound, too. */
#ifndef SYN_OFF_CPU_H
#define SYN_OFF_CPU_H

#include <stddef.h>

#include "trace/events/entries.h"

/* Begins the figures SYN_SEGMENT_OFF_CPU and SYN_SEGMENT_WAIT_OFF_CPU of entries. Steps may follow
 * once notes.h has filled in events, samples and messages. The state is entries->off_cpu, whose
 * memory is kept for the next time. Returns 0 or SYN_ENOMEM. */
int syn_off_cpu_begin(struct syn_entries *entries);
/* Does one step, of some microseconds; nothing if none is left. Returns 0 or SYN_ENOMEM. */
int syn_off_cpu_step(struct syn_entries *entries);
/* Returns how many steps are left, as far as is known by now: 0 once all is done. */
size_t syn_off_cpu_steps_left(const struct syn_entries *entries);
void syn_off_cpu_free(struct syn_entries *entries);

#endif
