/* preload/recorder/control_bits.h - are calls recorded now, and in which phase of the program?
 * Asked at each call; calls/control.h says who decides. */
#ifndef SYN_CONTROL_BITS_H
#define SYN_CONTROL_BITS_H

#include <stdint.h>

#include "trace/base/event.h"

#define SYN_CONTROL_OFF      1u /* calls are passed over: the program says so, */
#define SYN_CONTROL_LEFT_OUT 2u /*   or --ranks does not name this rank */
#define SYN_CONTROL_LOST     4u /*   or there is nowhere to put them: they are lost */
#define SYN_CONTROL_NOT_NOW  (SYN_CONTROL_OFF | SYN_CONTROL_LEFT_OUT | SYN_CONTROL_LOST)
#define SYN_CONTROL_PHASE    0xff00u /* the phase, where an event's flags have it */

/* Bits of the above, for the whole process. */
extern uint32_t syn_control;

static inline uint32_t syn_control_now(void)
{
    return __atomic_load_n(&syn_control, __ATOMIC_RELAXED);
}

/* From here on all are lost that are to be recorded. */
static inline void syn_control_lose(void)
{
    __atomic_or_fetch(&syn_control, SYN_CONTROL_LOST, __ATOMIC_RELEASE);
}

#endif
