/* preload/recorder/endings.h - records the signal that killed the program.
 *
 * Signals that would end the program get our handler. It stores the signal's number in the raw file
 * and then does what would have happened without it. sigaction and signal show the program the
 * action that it would see without us (dispositions.h).
 *
 * Only signals with the default action get our handler, and crash signals that a library handles.
 * The program's own handlers stay, now and later. SIGBUS is the exception: our handler is called
 * first, repairs memory of a raw file that another program has cut, and passes all other cases
 * on. */
#ifndef SYN_ENDINGS_H
#define SYN_ENDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "sync/time/clock.h"

struct syn_host;

/* Call this before the other functions. */
void syn_endings_begin(const struct syn_host *host);
/* From now on death by a signal stores an enum syn_ending at `ending`, in a raw block, and the tick
 * beside it (trace/write/raw.h). `ending` and `ticks` must stay valid for ever. */
void syn_endings_watch(uint32_t *ending, const struct syn_tick_source *ticks);
/* Restore the former actions, except where they were changed meanwhile. */
void syn_endings_stop(void);

/* Returns true if our SIGBUS handler is called first, so that memory of a cut file is repaired
 * (mappings.h). */
bool syn_endings_is_first(void);

#endif
