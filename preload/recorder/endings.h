/* preload/recorder/endings.h - records the signal that a program died of.
 *
 * A signal that would end the program gets a handler that stores its number in the mapped file and
 * then lets happen what would have happened. The program is told by sigaction and signal what it
 * would be told without them (dispositions.h), so that what it makes of that (keep the former
 * action, call it, set it again) is what it would have made. Only signals whose action is the
 * default have one, or those of a crash that a library handles: the program's own handlers stay
 * what they are, and so do those that it sets later. But SIGBUS comes to ours first, which mends
 * memory of ours that somebody has cut the file of, and hands on all else. */
#ifndef SYN_ENDINGS_H
#define SYN_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/time/clock.h"

struct syn_host;

/* Before all else. */
void syn_endings_begin(const struct syn_host *host);
/* From now on a death of this process by a signal stores an enum syn_ending at `ending`, in a raw
 * block, and the tick there (trace/write/raw.h). Both stay valid for ever. */
void syn_endings_watch(uint32_t *ending, const struct syn_tick_source *ticks);
/* The signals have their former actions again, but where somebody has changed them since. */
void syn_endings_stop(void);

/* Is memory of ours mended that a cut file has left (mappings.h)? A SIGBUS comes to us first then.
 */
bool syn_endings_mends(void);

#endif
